// A 3 x 3 convolution whose nine places move by two numbers a pixel each; bilinear, zeros outside. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float at(const float *plane, int x, int y, int n)
{
    return x >= 0 && x < n && y >= 0 && y < n ? plane[y * n + x] : 0.0f;
}

extern "C" __global__ void deform_output(float *out, const float *in, const float *moves, const float *weights, int n, int channels, int outputs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, pixel = i % (n * n), o = i / (n * n);
    if (o >= outputs)
        return;
    float sum = 0.0f;
    for (int c = 0; c < channels; c++)
        for (int k = 0; k < 9; k++) {
            float px = pixel % n + k % 3 - 1 + moves[2 * k * n * n + pixel], py = pixel / n + k / 3 - 1 + moves[(2 * k + 1) * n * n + pixel];
            int x = (int)floorf(px), y = (int)floorf(py);
            float fx = px - x, fy = py - y;
            const float *plane = in + c * n * n;
            float v = (1.0f - fy) * ((1.0f - fx) * at(plane, x, y, n) + fx * at(plane, x + 1, y, n)) +
                      fy * ((1.0f - fx) * at(plane, x, y + 1, n) + fx * at(plane, x + 1, y + 1, n));
            sum += weights[(o * channels + c) * 9 + k] * v;
        }
    out[i] = sum;
}

extern "C" __global__ void __launch_bounds__(64) deform_pixel(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ moves,
                                                              const float *__restrict__ weights, int n)
{
    __shared__ float4 w[9][16][4];
    int t = threadIdx.x, pixel = blockIdx.x * 64 + t, all = n * n;
    for (int k = t; k < 2304; k += 64) // output, input, place
        ((float *)w)[(k % 9 * 16 + k / 9 % 16) * 16 + k / 144] = weights[k];
    __syncthreads();
    if (pixel >= all)
        return;
    float sum[16] = {};
#pragma unroll 1
    for (int k = 0; k < 9; k++) {
        float px = pixel % n + k % 3 - 1 + moves[2 * k * all + pixel], py = pixel / n + k / 3 - 1 + moves[(2 * k + 1) * all + pixel];
        float lx = floorf(px), ly = floorf(py), fx = px - lx, fy = py - ly;
        int x = (int)lx, y = (int)ly;
        bool left = (unsigned)x < n, right = (unsigned)(x + 1) < n, above = (unsigned)y < n, below = (unsigned)(y + 1) < n;
        float w00 = left && above ? (1.0f - fx) * (1.0f - fy) : 0.0f, w10 = right && above ? fx * (1.0f - fy) : 0.0f;
        float w01 = left && below ? (1.0f - fx) * fy : 0.0f, w11 = right && below ? fx * fy : 0.0f;
        int x0 = left ? x : 0, x1 = right ? x + 1 : 0, y0 = above ? y * n : 0, y1 = below ? (y + 1) * n : 0;
#pragma unroll 4
        for (int c = 0; c < 16; c++) {
            const float *plane = in + c * all;
            float v = w00 * plane[y0 + x0] + w10 * plane[y0 + x1] + w01 * plane[y1 + x0] + w11 * plane[y1 + x1];
#pragma unroll
            for (int o = 0; o < 4; o++) {
                float4 four = w[k][c][o];
                sum[4 * o] += four.x * v;
                sum[4 * o + 1] += four.y * v;
                sum[4 * o + 2] += four.z * v;
                sum[4 * o + 3] += four.w * v;
            }
        }
    }
#pragma unroll
    for (int o = 0; o < 16; o++)
        out[o * all + pixel] = sum[o];
}
