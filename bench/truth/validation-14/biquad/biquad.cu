// Filters of second order one behind the other, the transposed direct form, with coefficients of each channel. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define MAX_STAGES 8

extern "C" __global__ void biquad_channel(float *out, const float *x, const float *b, const float *a, int channels, int samples, int stages)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels)
        return;
    float s1[MAX_STAGES], s2[MAX_STAGES];
    for (int f = 0; f < stages; f++)
        s1[f] = s2[f] = 0.0f;
    for (int i = 0; i < samples; i++) {
        float v = x[c * samples + i];
        for (int f = 0; f < stages; f++) {
            const float *up = b + (c * stages + f) * 3, *back = a + (c * stages + f) * 2;
            float y = up[0] * v + s1[f];
            s1[f] = up[1] * v - back[0] * y + s2[f];
            s2[f] = up[2] * v - back[1] * y;
            v = y;
        }
        out[c * samples + i] = v;
    }
}

// 32 channels a warp: 32 samples of each go through shared memory, coefficients and states stay in registers.
extern "C" __global__ void __launch_bounds__(32) biquad_shared(float *__restrict__ out, const float *__restrict__ x, const float *__restrict__ b, const float *__restrict__ a, int channels)
{
    __shared__ float tile[32][33];
    int lane = threadIdx.x, first = blockIdx.x * 32, own = min(first + lane, channels - 1), rows = min(32, channels - first);
    float up[12], back[8], s1[4], s2[4];
#pragma unroll
    for (int k = 0; k < 12; k++)
        up[k] = b[own * 12 + k];
#pragma unroll
    for (int k = 0; k < 8; k++)
        back[k] = a[own * 8 + k];
#pragma unroll
    for (int f = 0; f < 4; f++)
        s1[f] = s2[f] = 0.0f;
    for (int at = lane; at < 512; at += 32) {
#pragma unroll 8
        for (int r = 0; r < 32; r++)
            tile[r][lane] = x[(size_t)min(first + r, channels - 1) * 512 + at];
        __syncwarp();
#pragma unroll 4
        for (int i = 0; i < 32; i++) {
            float v = tile[lane][i];
#pragma unroll
            for (int f = 0; f < 4; f++) {
                float y = fmaf(up[3 * f], v, s1[f]);
                s1[f] = fmaf(up[3 * f + 1], v, fmaf(-back[2 * f], y, s2[f]));
                s2[f] = fmaf(up[3 * f + 2], v, -back[2 * f + 1] * y);
                v = y;
            }
            tile[lane][i] = v;
        }
        __syncwarp();
#pragma unroll 8
        for (int r = 0; r < rows; r++)
            out[(size_t)(first + r) * 512 + at] = tile[r][lane];
        __syncwarp();
    }
}
