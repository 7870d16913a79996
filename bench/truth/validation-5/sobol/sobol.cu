// The mean of a product over eight dimensions at n points of a digital sequence in Gray code's order. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float block_sum(float v, float *s)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < blockDim.x / 32; w++)
            v += s[w];
    return v;
}

__device__ float value(const unsigned *x)
{
    float product = 1.0f;
#pragma unroll
    for (int d = 0; d < 8; d++)
        product *= 1.0f + (x[d] * 2.3283064365386963e-10f - 0.5f) / (d + 1);
    return product;
}

// A thread a point: a number for each bit that is set.
extern "C" __global__ void sobol_bits(float *part, const unsigned *directions)
{
    __shared__ float s[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned gray = i ^ i >> 1, x[8];
    for (int d = 0; d < 8; d++) {
        x[d] = 0;
        for (int b = 0; b < 32; b++)
            if (gray >> b & 1)
                x[d] ^= directions[d * 32 + b];
    }
    float sum = block_sum(value(x), s);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

// A thread 32 points that follow each other: from one to the next a single bit changes.
extern "C" __global__ void sobol_gray(float *part, const unsigned *__restrict__ directions)
{
    __shared__ float s[4];
    __shared__ unsigned table[8][32];
    int t = threadIdx.x, first = (blockIdx.x * 128 + t) * 32;
    table[t / 32][t % 32] = directions[t];
    table[t / 32 + 4][t % 32] = directions[t + 128];
    __syncthreads();
    unsigned gray = first ^ first >> 1, x[8] = {};
    while (gray) {
        int b = __ffs(gray) - 1;
        gray &= gray - 1;
#pragma unroll
        for (int d = 0; d < 8; d++)
            x[d] ^= table[d][b];
    }
    float sum = value(x);
    for (int i = 1; i < 32; i++) {
        int b = __ffs(i) - 1;
#pragma unroll
        for (int d = 0; d < 8; d++)
            x[d] ^= table[d][b];
        sum += value(x);
    }
    sum = block_sum(sum, s);
    if (t == 0)
        part[blockIdx.x] = sum;
}

extern "C" __global__ void sobol_join(float *result, const float *part, int parts, int n)
{
    __shared__ float s[16];
    float sum = 0.0f;
    for (int i = threadIdx.x; i < parts; i += blockDim.x)
        sum += part[i];
    sum = block_sum(sum, s);
    if (threadIdx.x == 0)
        *result = sum / n;
}
