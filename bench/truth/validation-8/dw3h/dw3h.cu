// Depthwise 3 x 3 convolution of 64 channels in f16, channels last, zero outside. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void dw3h_number(__half *out, const __half *in, const __half *weights, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n * 64)
        return;
    int c = i % 64, x = i / 64 % n, y = i / 64 / n;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int px = x + dx, py = y + dy;
            if (px >= 0 && px < n && py >= 0 && py < n)
                sum += __half2float(in[(py * n + px) * 64 + c]) * __half2float(weights[((dy + 1) * 3 + dx + 1) * 64 + c]);
        }
    out[i] = __float2half(sum);
}

extern "C" __global__ void dw3h_eight(uint4 *__restrict__ out, const uint4 *__restrict__ in, const uint4 *__restrict__ weights, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * n * 8)
        return;
    int c = i % 8, x = i / 8 % n, y = i / 8 / n;
    float2 sum[4] = {};
#pragma unroll
    for (int k = 0; k < 9; k++) {
        int px = x + k % 3 - 1, py = y + k / 3 - 1;
        if (px < 0 || px >= n || py < 0 || py >= n)
            continue;
        uint4 v = in[(py * n + px) * 8 + c], w = weights[k * 8 + c];
        const __half2 *hv = (const __half2 *)&v, *hw = (const __half2 *)&w;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float2 a = __half22float2(hv[j]), b = __half22float2(hw[j]);
            sum[j].x += a.x * b.x;
            sum[j].y += a.y * b.y;
        }
    }
    uint4 v;
    __half2 *h = (__half2 *)&v;
#pragma unroll
    for (int j = 0; j < 4; j++)
        h[j] = __float22half2_rn(sum[j]);
    out[i] = v;
}

// Two channels a thread, eight rows down, three rows of three in registers.
extern "C" __global__ void dw3h_rows(__half2 *__restrict__ out, const __half2 *__restrict__ in, const __half2 *__restrict__ weights, int n)
{
    int c = threadIdx.x, x = blockIdx.x * 4 + threadIdx.y, y0 = blockIdx.y * 8;
    if (x >= n)
        return;
    const __half2 zero = __floats2half2_rn(0.0f, 0.0f);
    __half2 w[9], row[3][3];
#pragma unroll
    for (int k = 0; k < 9; k++)
        w[k] = weights[k * 32 + c];
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int d = 0; d < 3; d++) {
            int px = x + d - 1, py = y0 + r - 1;
            row[r][d] = px >= 0 && px < n && py >= 0 && py < n ? in[(py * n + px) * 32 + c] : zero;
        }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        int y = y0 + r;
        if (y >= n)
            break;
#pragma unroll
        for (int d = 0; d < 3; d++) {
            int px = x + d - 1;
            row[(r + 2) % 3][d] = px >= 0 && px < n && y + 1 < n ? in[((y + 1) * n + px) * 32 + c] : zero;
        }
        __half2 sum = zero;
#pragma unroll
        for (int k = 0; k < 9; k++)
            sum = __hfma2(row[(r + k / 3) % 3][k % 3], w[k], sum);
        out[(y * n + x) * 32 + c] = sum;
    }
}
