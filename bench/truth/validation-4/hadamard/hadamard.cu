// The Walsh-Hadamard transform of rows of 1024 numbers, divided by 32. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A launch a step; a thread has a pair.
extern "C" __global__ void hadamard_step(float *out, const float *in, int h, float scale, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;
    int i = p / h * 2 * h + p % h;
    float a = in[i] * scale, b = in[i + h] * scale;
    out[i] = a + b;
    out[i + h] = a - b;
}

extern "C" __global__ void hadamard_shared(float *out, const float *in)
{
    __shared__ float s[1024];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    s[t] = in[base + t];
    s[t + 512] = in[base + t + 512];
    for (int h = 1; h < 1024; h <<= 1) {
        __syncthreads();
        int i = ((t & ~(h - 1)) << 1) | (t & (h - 1));
        float a = s[i], b = s[i + h];
        s[i] = a + b;
        s[i + h] = a - b;
    }
    __syncthreads();
    out[base + t] = s[t] * 0.03125f;
    out[base + t + 512] = s[t + 512] * 0.03125f;
}

// A warp a row, 32 numbers a lane: five steps in registers, five by shuffles.
extern "C" __global__ void hadamard_shuffles(float *__restrict__ out, const float *__restrict__ in, int rows)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float v[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        v[i] = in[r * 1024 + i * 32 + lane];
#pragma unroll
    for (int h = 1; h < 32; h *= 2)
#pragma unroll
        for (int i = 0; i < 32; i++)
            if (!(i & h)) {
                float a = v[i], b = v[i + h];
                v[i] = a + b;
                v[i + h] = a - b;
            }
#pragma unroll
    for (int h = 1; h < 32; h *= 2) {
        float sign = lane & h ? -1.0f : 1.0f;
#pragma unroll
        for (int i = 0; i < 32; i++)
            v[i] = __shfl_xor_sync(0xffffffff, v[i], h) + sign * v[i];
    }
#pragma unroll
    for (int i = 0; i < 32; i++)
        out[r * 1024 + i * 32 + lane] = v[i] * 0.03125f;
}
