// A convolution of 3 x 3 with bias and ReLU, channels last, 16 channels in and 32 out, zeros around the image. Filters lie
// as [3][3][in][out]. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int IN = 16, OUT = 32;

// A thread per output number.
extern "C" __global__ void conv_direct(float *out, const float *in, const float *filter, const float *bias, int height, int width)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= height * width * OUT)
        return;
    int k = index % OUT, x = index / OUT % width, y = index / OUT / width;
    float sum = bias[k];
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            int py = y + r - 1, px = x + s - 1;
            if (py < 0 || py >= height || px < 0 || px >= width)
                continue;
            for (int c = 0; c < IN; c++)
                sum += in[(py * width + px) * IN + c] * filter[((r * 3 + s) * IN + c) * OUT + k];
        }
    out[index] = fmaxf(sum, 0.0f);
}

// All filters in shared memory; a block has eight pixels of a row, a warp a pixel.
extern "C" __global__ void conv_shared(float *out, const float *in, const float *filter, const float *bias, int height, int width)
{
    __shared__ float f[9 * IN * OUT];
    for (int i = threadIdx.y * OUT + threadIdx.x; i < 9 * IN * OUT; i += 256)
        f[i] = filter[i];
    __syncthreads();
    int k = threadIdx.x, x = blockIdx.x * 8 + threadIdx.y, y = blockIdx.y;
    if (x >= width)
        return;
    float sum = bias[k];
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            int py = y + r - 1, px = x + s - 1;
            if (py < 0 || py >= height || px < 0 || px >= width)
                continue;
            const float4 *p = (const float4 *)(in + (py * width + px) * IN);
            const float *w = f + (r * 3 + s) * IN * OUT + k;
#pragma unroll
            for (int q = 0; q < IN / 4; q++) {
                float4 v = p[q];
                sum += v.x * w[(4 * q) * OUT] + v.y * w[(4 * q + 1) * OUT] + v.z * w[(4 * q + 2) * OUT] + v.w * w[(4 * q + 3) * OUT];
            }
        }
    out[(y * width + x) * OUT + k] = fmaxf(sum, 0.0f);
}

// Image and filters in shared memory; each thread has four pixels of a row, six of which it holds for a row of the filter.
extern "C" __global__ void conv_several(float *out, const float *in, const float *filter, const float *bias, int height, int width)
{
    __shared__ float f[9 * IN * OUT];
    __shared__ float tile[4][18][IN];
    int k = threadIdx.x, t = (threadIdx.z * 4 + threadIdx.y) * 32 + k, x0 = blockIdx.x * 16, y0 = blockIdx.y * 2;
    for (int i = t; i < 9 * IN * OUT / 4; i += 256)
        ((float4 *)f)[i] = ((const float4 *)filter)[i];
    for (int i = t; i < 4 * 18 * IN; i += 256) {
        int c = i % IN, x = x0 + i / IN % 18 - 1, y = y0 + i / IN / 18 - 1;
        tile[i / IN / 18][i / IN % 18][c] = x >= 0 && x < width && y >= 0 && y < height ? in[(y * width + x) * IN + c] : 0.0f;
    }
    __syncthreads();
    float sum[4];
#pragma unroll
    for (int p = 0; p < 4; p++)
        sum[p] = bias[k];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < IN; c++) {
            float v[6];
#pragma unroll
            for (int p = 0; p < 6; p++)
                v[p] = tile[threadIdx.z + r][threadIdx.y * 4 + p][c];
#pragma unroll
            for (int s = 0; s < 3; s++) {
                float w = f[((r * 3 + s) * IN + c) * OUT + k];
#pragma unroll
                for (int p = 0; p < 4; p++)
                    sum[p] += v[p + s] * w;
            }
        }
    int y = y0 + threadIdx.z;
#pragma unroll
    for (int p = 0; p < 4; p++) {
        int x = x0 + threadIdx.y * 4 + p;
        if (x < width && y < height)
            out[(y * width + x) * OUT + k] = fmaxf(sum[p], 0.0f);
    }
}
