// The mean gain of paths of 64 steps that stay below a barrier; every second path mirrors the one before. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ unsigned seed(unsigned i)
{
    unsigned h = i * 0x9e3779b9 + 0x7f4a7c15;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    return (h ^ h >> 16) | 1;
}

__device__ float uniform(unsigned *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return ((*s >> 8) + 0.5f) * (1.0f / 16777216.0f);
}

extern "C" __global__ void barrier_path(float *price, int paths)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths)
        return;
    unsigned s = seed(i / 2);
    float x = 0.0f, sign = i % 2 ? -1.0f : 1.0f;
    for (int t = 0; t < 32; t++) {
        float u = uniform(&s), angle = 6.2831853f * uniform(&s);
        float r = sign * sqrtf(-2.0f * logf(u));
        x += 0.0003f + 0.025f * r * cosf(angle);
        if (x >= 0.3f)
            return;
        x += 0.0003f + 0.025f * r * sinf(angle);
        if (x >= 0.3f)
            return;
    }
    atomicAdd(price, fmaxf(100.0f * expf(x) - 100.0f, 0.0f) / paths);
}

// Both paths of a pair; a block adds once.
extern "C" __global__ void barrier_mirrored(float *price, int pairs)
{
    __shared__ float sums[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float gain = 0.0f;
    if (i < pairs) {
        unsigned s = seed(i);
        float x = 0.0f, y = 0.0f, most = -1e9f, least = -1e9f;
#pragma unroll 2
        for (int t = 0; t < 32; t++) {
            float u = uniform(&s), angle = 6.2831853f * uniform(&s), sine, cosine;
            __sincosf(angle, &sine, &cosine);
            float r = 0.025f * __fsqrt_rn(-2.0f * __logf(u)), a = r * cosine, b = r * sine;
            x += 0.0003f + a;
            y += 0.0003f - a;
            most = fmaxf(most, x);
            least = fmaxf(least, y);
            x += 0.0003f + b;
            y += 0.0003f - b;
            most = fmaxf(most, x);
            least = fmaxf(least, y);
        }
        if (most < 0.3f)
            gain += fmaxf(100.0f * __expf(x) - 100.0f, 0.0f);
        if (least < 0.3f)
            gain += fmaxf(100.0f * __expf(y) - 100.0f, 0.0f);
    }
    for (int d = 16; d > 0; d >>= 1)
        gain += __shfl_down_sync(0xffffffff, gain, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = gain;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(price, (sums[0] + sums[1] + sums[2] + sums[3]) / (2.0f * pairs));
}
