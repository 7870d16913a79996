// A convolution of 3 x 3 of each channel by itself, channels first, zeros around. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void depthwise_plain(float *out, const float *in, const float *filter, int count, int channels, int width, int height)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int x = i % width, y = i / width % height, plane = i / (width * height), c = plane % channels;
    float sum = 0.0f;
    for (int fy = 0; fy < 3; fy++)
        for (int fx = 0; fx < 3; fx++) {
            int u = x + fx - 1, v = y + fy - 1;
            if (u >= 0 && u < width && v >= 0 && v < height)
                sum += in[(plane * height + v) * width + u] * filter[c * 9 + fy * 3 + fx];
        }
    out[i] = sum;
}

extern "C" __global__ void depthwise_tile(float *out, const float *in, const float *filter, int channels, int width, int height)
{
    __shared__ float s[10][18], f[9];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, plane = blockIdx.z;
    in += plane * width * height;
    if (t < 9)
        f[t] = filter[plane % channels * 9 + t];
    for (int i = t; i < 180; i += 128) {
        int x = blockIdx.x * 16 + i % 18 - 1, y = blockIdx.y * 8 + i / 18 - 1;
        s[i / 18][i % 18] = x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
    }
    __syncthreads();
    int x = blockIdx.x * 16 + tx, y = blockIdx.y * 8 + ty;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 3; j++)
#pragma unroll
        for (int i = 0; i < 3; i++)
            sum += s[ty + j][tx + i] * f[j * 3 + i];
    out[(plane * height + y) * width + x] = sum;
}

// A thread goes down a quarter of a column with three rows in registers.
extern "C" __global__ void depthwise_column(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ filter, int channels,
                                            int width, int height)
{
    int x = threadIdx.x, plane = blockIdx.x, rows = height / blockDim.y, first = threadIdx.y * rows;
    const float *p = in + (size_t)plane * width * height;
    float f[9];
#pragma unroll
    for (int i = 0; i < 9; i++)
        f[i] = filter[plane % channels * 9 + i];
    bool left = x > 0, right = x < width - 1;
    float a0 = 0, a1 = 0, a2 = 0;
    if (first > 0) {
        const float *row = p + (first - 1) * width + x;
        a0 = left ? row[-1] : 0;
        a1 = row[0];
        a2 = right ? row[1] : 0;
    }
    const float *row = p + first * width + x;
    float b0 = left ? row[-1] : 0, b1 = row[0], b2 = right ? row[1] : 0;
    for (int y = first; y < first + rows; y++) {
        float c0 = 0, c1 = 0, c2 = 0;
        if (y + 1 < height) {
            row = p + (y + 1) * width + x;
            c0 = left ? row[-1] : 0;
            c1 = row[0];
            c2 = right ? row[1] : 0;
        }
        out[((size_t)plane * height + y) * width + x] =
            a0 * f[0] + a1 * f[1] + a2 * f[2] + b0 * f[3] + b1 * f[4] + b2 * f[5] + c0 * f[6] + c1 * f[7] + c2 * f[8];
        a0 = b0;
        a1 = b1;
        a2 = b2;
        b0 = c0;
        b1 = c1;
        b2 = c2;
    }
}
