// For each of 512 planes the sum over points of weight times the squared residual, which counts as 0.01 where it is larger; weights by their magnitude. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void ransac_thread(float *out, const float4 *planes, const float4 *p, int n, int count, float most)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float4 h = planes[i];
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float r = h.x * p[j].x + h.y * p[j].y + h.z * p[j].z + h.w;
        sum += fabsf(p[j].w) * (r * r < most ? r * r : most);
    }
    out[i] = sum;
}

extern "C" __global__ void ransac_block(float *out, const float4 *planes, const float4 *p, int n, float most)
{
    __shared__ float sums[256];
    int t = threadIdx.x;
    float4 h = planes[blockIdx.x];
    float sum = 0.0f;
    for (int j = t; j < n; j += blockDim.x) {
        float4 q = p[j];
        float r = h.x * q.x + h.y * q.y + h.z * q.z + h.w;
        sum += fabsf(q.w) * fminf(r * r, most);
    }
    sums[t] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            sums[t] += sums[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

// 512 points in shared memory, four planes a thread.
extern "C" __global__ void __launch_bounds__(128) ransac_tile(float *__restrict__ out, const float4 *__restrict__ planes, const float4 *__restrict__ p, int n)
{
    __shared__ float4 s[512];
    int t = threadIdx.x, first = blockIdx.x * 512, here = min(512, n - first);
    for (int j = t; j < here; j += 128)
        s[j] = p[first + j];
    float4 h[4];
    float sum[4] = {};
#pragma unroll
    for (int k = 0; k < 4; k++)
        h[k] = planes[128 * k + t];
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < here; j++) {
        float4 q = s[j];
        float w = fabsf(q.w);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float r = fmaf(h[k].x, q.x, fmaf(h[k].y, q.y, fmaf(h[k].z, q.z, h[k].w)));
            sum[k] = fmaf(w, fminf(r * r, 0.01f), sum[k]);
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        atomicAdd(&out[128 * k + t], sum[k]);
}
