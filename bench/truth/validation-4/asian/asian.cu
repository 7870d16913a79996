// The price of an option on the average of 32 days, by Monte Carlo: a hash of the path's number is the seed of an xorshift
// generator. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int STEPS = 32;

__device__ unsigned seed(unsigned i)
{
    unsigned s = i * 747796405u + 2891336453u;
    s = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
    return ((s >> 22) ^ s) | 1u;
}

__device__ unsigned next(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

__device__ float normal(unsigned &s)
{
    float u = ((next(s) >> 8) + 0.5f) * (1.0f / 16777216.0f), v = (next(s) >> 8) * (1.0f / 16777216.0f);
    return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

__device__ float fast_normal(unsigned &s)
{
    float u = ((next(s) >> 8) + 0.5f) * (1.0f / 16777216.0f), v = (next(s) >> 8) * (1.0f / 16777216.0f);
    return sqrtf(-2.0f * __logf(u)) * __cosf(6.2831853f * v);
}

extern "C" __global__ void asian_atomic(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = seed(i);
    float log_price = 0.0f, sum = 0.0f;
    for (int k = 0; k < STEPS; k++) {
        log_price += 0.0005f + 0.04f * normal(s);
        sum += expf(log_price);
    }
    atomicAdd(out, fmaxf(sum / STEPS - 1.0f, 0.0f) / n);
}

__device__ float block_sum(float v)
{
    __shared__ float s[8];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0.0f;
    if (threadIdx.x == 0)
        for (int w = 0; w < blockDim.x / 32; w++)
            v += s[w];
    return v;
}

extern "C" __global__ void asian_block(float *part, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float pay = 0.0f;
    if (i < n) {
        unsigned s = seed(i);
        float log_price = 0.0f, sum = 0.0f;
        for (int k = 0; k < STEPS; k++) {
            log_price += 0.0005f + 0.04f * fast_normal(s);
            sum += __expf(log_price);
        }
        pay = fmaxf(sum / STEPS - 1.0f, 0.0f);
    }
    pay = block_sum(pay);
    if (threadIdx.x == 0)
        part[blockIdx.x] = pay;
}

// Two paths a thread, step by step side by side.
extern "C" __global__ void asian_two(float *part, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x, j = i + 128;
    unsigned s = seed(i), r = seed(j);
    float a = 0.0f, b = 0.0f, p = 0.0f, q = 0.0f;
#pragma unroll 4
    for (int k = 0; k < STEPS; k++) {
        a += 0.0005f + 0.04f * fast_normal(s);
        b += 0.0005f + 0.04f * fast_normal(r);
        p += __expf(a);
        q += __expf(b);
    }
    float pay = (i < n ? fmaxf(p / STEPS - 1.0f, 0.0f) : 0.0f) + (j < n ? fmaxf(q / STEPS - 1.0f, 0.0f) : 0.0f);
    pay = block_sum(pay);
    if (threadIdx.x == 0)
        part[blockIdx.x] = pay;
}

extern "C" __global__ void asian_join(float *out, const float *part, int parts, int n)
{
    __shared__ float s[256];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < parts; i += 256)
        sum += part[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = s[0] / n;
}
