// Convolution of 3 x 3 in four groups of 8 to 16 channels over images of 24 x 24, as a product of matrices. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// A column has the 9 numbers around a place in each of the channels.
extern "C" __global__ void gconv_columns(float *columns, const float *x, int channels, int height, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int px = i % width, py = i / width % height, tap = i / (width * height) % 9, c = i / (width * height * 9);
    int sx = px + tap % 3 - 1, sy = py + tap / 3 - 1;
    columns[i] = sx >= 0 && sx < width && sy >= 0 && sy < height ? x[(c * height + sy) * width + sx] : 0.0f;
}

extern "C" __global__ void gconv_multiply(float *out, const float *w, const float *columns, int groups, int m, int depth, int n)
{
    __shared__ float ws[16][16], cs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx, g = blockIdx.z % groups;
    float sum = 0.0f;
    for (int k0 = 0; k0 < depth; k0 += 16) {
        ws[ty][tx] = row < m && k0 + tx < depth ? w[(g * m + row) * depth + k0 + tx] : 0.0f;
        cs[ty][tx] = col < n && k0 + ty < depth ? columns[(blockIdx.z * depth + k0 + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += ws[ty][k] * cs[k][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        out[(blockIdx.z * m + row) * n + col] = sum;
}

// 64 places and 16 channels a block; a thread has one place of eight channels.
extern "C" __global__ void __launch_bounds__(128) gconv_gathered(float *__restrict__ out, const float *__restrict__ x, const float *__restrict__ w)
{
    __shared__ __align__(16) float ws[72][16];
    __shared__ float cs[18][64];
    int t = threadIdx.x, place = t % 64, half = t / 64, at = blockIdx.x * 64 + place, px = at % 24, py = at / 24, g = blockIdx.y;
    for (int i = t; i < 1152; i += 128)
        ws[i % 72][i / 72] = w[g * 1152 + i];
    const float *from = x + (blockIdx.z * 4 + g) * 8 * 576;
    float sum[8] = {};
    for (int k0 = 0; k0 < 72; k0 += 18) {
        __syncthreads();
#pragma unroll
        for (int k = half; k < 18; k += 2) {
            int c = (k0 + k) / 9, tap = (k0 + k) % 9, sx = px + tap % 3 - 1, sy = py + tap / 3 - 1;
            cs[k][place] = (unsigned)sx < 24 && (unsigned)sy < 24 ? from[c * 576 + sy * 24 + sx] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 18; k++) {
            float v = cs[k][place];
            float4 a = *(float4 *)&ws[k0 + k][8 * half], b = *(float4 *)&ws[k0 + k][8 * half + 4];
            sum[0] += v * a.x;
            sum[1] += v * a.y;
            sum[2] += v * a.z;
            sum[3] += v * a.w;
            sum[4] += v * b.x;
            sum[5] += v * b.y;
            sum[6] += v * b.z;
            sum[7] += v * b.w;
        }
    }
#pragma unroll
    for (int j = 0; j < 8; j++)
        out[((blockIdx.z * 4 + g) * 16 + 8 * half + j) * 576 + at] = sum[j];
}
