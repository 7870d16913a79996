// A Gaussian of 7 x 7 on an image of bytes, the border repeated. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int R = 3;
__constant__ float tap[2 * R + 1]; // of one direction

__device__ unsigned char rounded(float v)
{
    return (unsigned char)fminf(v + 0.5f, 255.0f);
}

// 49 loads a pixel.
extern "C" __global__ void blur_plain(unsigned char *out, const unsigned char *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++)
            sum += tap[dy + R] * tap[dx + R] * in[min(max(y + dy, 0), h - 1) * w + min(max(x + dx, 0), w - 1)];
    out[y * w + x] = rounded(sum);
}

// A tile with its rim in shared memory: along the rows first, then down the columns.
extern "C" __global__ void blur_tile(unsigned char *out, const unsigned char *in, int w, int h)
{
    __shared__ unsigned char s[16 + 2 * R][32 + 2 * R + 2];
    __shared__ float half[16 + 2 * R][32];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32 - R, y0 = blockIdx.y * 16 - R;
    for (int y = ty; y < 16 + 2 * R; y += 16)
        for (int x = tx; x < 32 + 2 * R; x += 32)
            s[y][x] = in[min(max(y0 + y, 0), h - 1) * w + min(max(x0 + x, 0), w - 1)];
    __syncthreads();
    for (int y = ty; y < 16 + 2 * R; y += 16) {
        float sum = 0;
#pragma unroll
        for (int d = 0; d <= 2 * R; d++)
            sum += tap[d] * s[y][tx + d];
        half[y][tx] = sum;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int d = 0; d <= 2 * R; d++)
        sum += tap[d] * half[ty + d][tx];
    if (x0 + R + tx < w && y0 + R + ty < h)
        out[(y0 + R + ty) * w + x0 + R + tx] = rounded(sum);
}

// Two launches with f32 between them: a row's part in shared memory, then each thread down eight rows with a queue in registers.
extern "C" __global__ void blur_rows(float *out, const unsigned char *in, int w)
{
    __shared__ float s[256 + 2 * R];
    int t = threadIdx.x, x0 = blockIdx.x * 256, y = blockIdx.y;
    for (int i = t; i < 256 + 2 * R; i += 256)
        s[i] = in[y * w + min(max(x0 + i - R, 0), w - 1)];
    __syncthreads();
    if (x0 + t >= w)
        return;
    float sum = 0;
#pragma unroll
    for (int d = 0; d <= 2 * R; d++)
        sum += tap[d] * s[t + d];
    out[y * w + x0 + t] = sum;
}

extern "C" __global__ void blur_columns(unsigned char *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * 8;
    if (x >= w)
        return;
    float queue[2 * R + 1];
#pragma unroll
    for (int d = 0; d < 2 * R; d++)
        queue[d] = in[min(max(y0 + d - R, 0), h - 1) * w + x];
#pragma unroll
    for (int y = 0; y < 8; y++) {
        queue[2 * R] = in[min(y0 + y + R, h - 1) * w + x];
        float sum = 0;
#pragma unroll
        for (int d = 0; d <= 2 * R; d++)
            sum += tap[d] * queue[d];
        if (y0 + y < h)
            out[(y0 + y) * w + x] = rounded(sum);
#pragma unroll
        for (int d = 0; d < 2 * R; d++)
            queue[d] = queue[d + 1];
    }
}
