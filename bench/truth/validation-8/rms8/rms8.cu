// RMS norm of rows of 1024 numbers, to 8 bits with a scale a row. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void rms8_passes(signed char *q, float *scales, const float *x, const float *gamma, int n)
{
    __shared__ float sums[256], tops[256];
    int t = threadIdx.x;
    x += (size_t)blockIdx.x * n;
    q += (size_t)blockIdx.x * n;
    float sum = 0.0f, top = 0.0f;
    for (int i = t; i < n; i += blockDim.x) {
        float v = x[i];
        sum += v * v;
        top = fmaxf(top, fabsf(v * gamma[i]));
    }
    sums[t] = sum;
    tops[t] = top;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) {
            sums[t] += sums[t + s];
            tops[t] = fmaxf(tops[t], tops[t + s]);
        }
        __syncthreads();
    }
    float r = 1.0f / sqrtf(sums[0] / n + 1e-6f);
    float scale = tops[0] * r / 127.0f;
    for (int i = t; i < n; i += blockDim.x)
        q[i] = (signed char)rintf(x[i] * gamma[i] * r / scale);
    if (t == 0)
        scales[blockIdx.x] = scale;
}

extern "C" __global__ void rms8_registers(signed char *__restrict__ q, float *__restrict__ scales, const float *__restrict__ x,
                                          const float *__restrict__ gamma)
{
    __shared__ float sums[8], tops[8];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    x += blockIdx.x * 1024;
    q += blockIdx.x * 1024;
    float v[4], sum = 0.0f, top = 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[i] = x[t + 256 * i];
        sum += v[i] * v[i];
        v[i] *= gamma[t + 256 * i];
        top = fmaxf(top, fabsf(v[i]));
    }
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_down_sync(0xffffffff, sum, d);
        top = fmaxf(top, __shfl_down_sync(0xffffffff, top, d));
    }
    if (lane == 0) {
        sums[warp] = sum;
        tops[warp] = top;
    }
    __syncthreads();
    sum = 0.0f;
    top = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        sum += sums[i];
        top = fmaxf(top, tops[i]);
    }
    float inverse = 127.0f / top;
#pragma unroll
    for (int i = 0; i < 4; i++)
        q[t + 256 * i] = (signed char)__float2int_rn(v[i] * inverse);
    if (t == 0)
        scales[blockIdx.x] = top * rsqrtf(sum / 1024.0f + 1e-6f) / 127.0f;
}

// A warp a row, eight times 16 bytes a lane.
extern "C" __global__ void rms8_wide(char4 *__restrict__ q, float *__restrict__ scales, const float4 *__restrict__ x,
                                     const float4 *__restrict__ gamma, int rows)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float4 v[8];
    float sum = 0.0f, top = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; i++)
        v[i] = x[row * 256 + lane + 32 * i];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float4 g = gamma[lane + 32 * i];
        sum += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
        v[i] = make_float4(v[i].x * g.x, v[i].y * g.y, v[i].z * g.z, v[i].w * g.w);
        top = fmaxf(top, fmaxf(fmaxf(fabsf(v[i].x), fabsf(v[i].y)), fmaxf(fabsf(v[i].z), fabsf(v[i].w))));
    }
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, d));
    }
    float inverse = __fdividef(127.0f, top);
#pragma unroll
    for (int i = 0; i < 8; i++)
        q[row * 256 + lane + 32 * i] = make_char4(__float2int_rn(v[i].x * inverse), __float2int_rn(v[i].y * inverse),
                                                  __float2int_rn(v[i].z * inverse), __float2int_rn(v[i].w * inverse));
    if (lane == 0)
        scales[row] = top * rsqrtf(sum * (1.0f / 1024.0f) + 1e-6f) * (1.0f / 127.0f);
}
