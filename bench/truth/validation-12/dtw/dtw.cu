// Least sum of squared differences along a warped path through two series of 128 numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void dtw_thread(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float row[128];
    const float *p = a + (size_t)i * 128, *q = b + (size_t)i * 128;
    for (int j = 0; j < 128; j++)
        row[j] = INFINITY;
    for (int k = 0; k < 128; k++) {
        float left = INFINITY, corner = k == 0 ? 0.0f : INFINITY;
        for (int j = 0; j < 128; j++) {
            float d = p[k] - q[j], up = row[j];
            left = d * d + fminf(corner, fminf(left, up));
            corner = up;
            row[j] = left;
        }
    }
    out[i] = row[127];
}

// A lane has four columns; it is a row behind the lane before it.
extern "C" __global__ void __launch_bounds__(128) dtw_warp(float *__restrict__ out, const float *__restrict__ a, const float4 *__restrict__ b, int n)
{
    __shared__ float rows[4][128];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * 4 + warp;
    if (i >= n)
        return;
    ((float4 *)rows[warp])[lane] = ((const float4 *)a)[i * 32 + lane];
    float4 q = b[i * 32 + lane];
    float s0 = INFINITY, s1 = INFINITY, s2 = INFINITY, s3 = INFINITY, corner = lane == 0 ? 0.0f : INFINITY;
    __syncwarp();
    for (int step = 0; step < 128 + 31; step++) {
        float left = __shfl_up_sync(0xffffffff, s3, 1);
        left = lane == 0 ? INFINITY : left;
        int k = step - lane;
        if (k >= 0 && k < 128) {
            float v = rows[warp][k], d0 = v - q.x, d1 = v - q.y, d2 = v - q.z, d3 = v - q.w;
            float n0 = fmaf(d0, d0, fminf(corner, fminf(left, s0)));
            float n1 = fmaf(d1, d1, fminf(s0, fminf(n0, s1)));
            float n2 = fmaf(d2, d2, fminf(s1, fminf(n1, s2)));
            s3 = fmaf(d3, d3, fminf(s2, fminf(n2, s3)));
            s0 = n0;
            s1 = n1;
            s2 = n2;
            corner = left;
        }
    }
    if (lane == 31)
        out[i] = s3;
}
