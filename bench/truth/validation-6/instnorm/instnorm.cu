// Planes of 14 x 14 to mean zero and variance one, then scaled and shifted by channel. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void instnorm_thread(float *out, const float *in, const float *gain, const float *shift, int planes)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= planes)
        return;
    const float *x = in + 196 * p;
    float mean = 0.0f, variance = 0.0f;
    for (int i = 0; i < 196; i++)
        mean += x[i];
    mean /= 196.0f;
    for (int i = 0; i < 196; i++) {
        float d = x[i] - mean;
        variance += d * d;
    }
    variance /= 196.0f;
    float scale = gain[p % 160] / sqrtf(variance + 1e-5f);
    for (int i = 0; i < 196; i++)
        out[196 * p + i] = (x[i] - mean) * scale + shift[p % 160];
}

__device__ float block_sum(float v, float *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 32; d > 0; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    float sum = s[0];
    __syncthreads();
    return sum;
}

extern "C" __global__ void instnorm_block(float *out, const float *in, const float *gain, const float *shift)
{
    __shared__ float s[64];
    int t = threadIdx.x, p = blockIdx.x;
    const float *x = in + 196 * p;
    float sum = 0.0f;
    for (int i = t; i < 196; i += 64)
        sum += x[i];
    float mean = block_sum(sum, s) / 196.0f;
    sum = 0.0f;
    for (int i = t; i < 196; i += 64)
        sum += (x[i] - mean) * (x[i] - mean);
    float scale = gain[p % 160] * rsqrtf(block_sum(sum, s) / 196.0f + 1e-5f);
    for (int i = t; i < 196; i += 64)
        out[196 * p + i] = (x[i] - mean) * scale + shift[p % 160];
}

// A plane is 49 times 16 bytes: a warp holds it in registers.
extern "C" __global__ void instnorm_warp(float4 *__restrict__ out, const float4 *__restrict__ in, const float *__restrict__ gain,
                                         const float *__restrict__ shift, int planes)
{
    int p = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (p >= planes)
        return;
    float4 a = in[49 * p + lane], b = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (lane < 17)
        b = in[49 * p + 32 + lane];
    float sum = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    float squares = a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w + b.x * b.x + b.y * b.y + b.z * b.z + b.w * b.w;
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    }
    float mean = sum * (1.0f / 196.0f);
    float scale = gain[p % 160] * rsqrtf(squares * (1.0f / 196.0f) - mean * mean + 1e-5f);
    float add = shift[p % 160] - mean * scale;
    out[49 * p + lane] = make_float4(a.x * scale + add, a.y * scale + add, a.z * scale + add, a.w * scale + add);
    if (lane < 17)
        out[49 * p + 32 + lane] = make_float4(b.x * scale + add, b.y * scale + add, b.z * scale + add, b.w * scale + add);
}
