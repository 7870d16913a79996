// Stencils and convolutions for the validation of the time model. Nothing is tuned on them.
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void stencil5(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.2f * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

extern "C" __global__ void stencil5_f64(double *out, const double *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.2 * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}

extern "C" __global__ void stencil5_shared(float *out, const float *in, int n)
{
    __shared__ float tile[18][34];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int at = ty * 32 + tx; at < 18 * 34; at += 512) {
        int x = min(max(x0 + at % 34 - 1, 0), n - 1), y = min(max(y0 + at / 34 - 1, 0), n - 1);
        tile[at / 34][at % 34] = in[y * n + x];
    }
    __syncthreads();
    out[(y0 + ty) * n + x0 + tx] = 0.2f * (tile[ty + 1][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2] + tile[ty][tx + 1] + tile[ty + 2][tx + 1]);
}

extern "C" __global__ void stencil7_3d(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    int plane = n * n, at = y * n + x + plane;
    float below = in[at - plane], here = in[at];
    for (int z = 1; z < n - 1; z++, at += plane) {
        float above = in[at + plane];
        out[at] = 0.4f * here + 0.1f * (below + above + in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
        below = here;
        here = above;
    }
}

extern "C" __global__ void life(unsigned char *out, const unsigned char *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
    if (x >= n || y >= n)
        return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[((y + dy) & (n - 1)) * n + ((x + dx) & (n - 1))];
    int self = in[y * n + x];
    out[y * n + x] = sum == 3 || (sum == 4 && self);
}

__constant__ float weights[33];

extern "C" __global__ void conv_constant(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= n - 33)
        return;
#pragma unroll
    for (int k = 0; k < 33; k++)
        sum += weights[k] * in[i + k];
    out[i] = sum;
}

extern "C" __global__ void conv_loop(float *out, const float *in, const float *w, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i >= n - taps)
        return;
    for (int k = 0; k < taps; k++)
        sum += w[k] * in[i + k];
    out[i] = sum;
}

extern "C" __global__ void conv5x5_shared(float *out, const float *in, const float *w, int n)
{
    __shared__ float tile[20][21], k[25];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, x0 = blockIdx.x * 16, y0 = blockIdx.y * 16;
    if (t < 25)
        k[t] = w[t];
    for (int at = t; at < 400; at += 256) {
        int x = min(max(x0 + at % 20 - 2, 0), n - 1), y = min(max(y0 + at / 20 - 2, 0), n - 1);
        tile[at / 20][at % 20] = in[y * n + x];
    }
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            sum += k[i * 5 + j] * tile[ty + i][tx + j];
    out[(y0 + ty) * n + x0 + tx] = sum;
}

// Running sums down the columns: a thread a column.
extern "C" __global__ void box_columns(float *out, const float *in, int n, int radius)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int y = 0; y < radius; y++)
        sum += in[y * n + x];
    for (int y = radius; y < n; y++) {
        sum += in[y * n + x] - in[(y - radius) * n + x];
        out[y * n + x] = sum;
    }
}
