// Charges, in order of 64 squares of 16 x 16, spread over a periodic grid of 128 x 128 by cubic weights. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ void weights(float *w, float f)
{
    float g = 1.0f - f;
    w[0] = g * g * g / 6.0f;
    w[1] = (4.0f - 6.0f * f * f + 3.0f * f * f * f) / 6.0f;
    w[2] = (4.0f - 6.0f * g * g + 3.0f * g * g * g) / 6.0f;
    w[3] = f * f * f / 6.0f;
}

extern "C" __global__ void spread_clear(float *grid)
{
    grid[blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
}

extern "C" __global__ void spread_thread(float *grid, const float *x, const float *y, const float *charge, const int *starts)
{
    int square = blockIdx.y, x0 = square % 8 * 16, y0 = square / 8 * 16;
    for (int i = starts[square] + blockIdx.x * blockDim.x + threadIdx.x; i < starts[square + 1]; i += gridDim.x * blockDim.x) {
        float wx[4], wy[4];
        int cx = (int)x[i], cy = (int)y[i];
        weights(wx, x[i] - cx);
        weights(wy, y[i] - cy);
        for (int b = 0; b < 4; b++)
            for (int a = 0; a < 4; a++)
                atomicAdd(&grid[((y0 + cy + b + 127) % 128) * 128 + (x0 + cx + a + 127) % 128], charge[i] * wx[a] * wy[b]);
    }
}

// Weight of the point at the distance d of -2 to 2.
__device__ float weight(float d)
{
    d = fabsf(d);
    float g = 2.0f - d, h = 1.0f - d;
    return (g * g * g - (h > 0.0f ? 4.0f * h * h * h : 0.0f)) * (1.0f / 6.0f);
}

extern "C" __global__ void spread_lanes(float *grid, const float *x, const float *y, const float *charge, const int *starts)
{
    int square = blockIdx.y, a = threadIdx.x % 4, b = threadIdx.x / 4 % 4, end = starts[square + 1];
    for (int i = starts[square] + (blockIdx.x * blockDim.x + threadIdx.x) / 16; i < end; i += gridDim.x * blockDim.x / 16) {
        int cx = (int)x[i] + a - 1, cy = (int)y[i] + b - 1;
        float add = charge[i] * weight(x[i] - cx) * weight(y[i] - cy);
        atomicAdd(&grid[(square / 8 * 16 + cy & 127) * 128 + (square % 8 * 16 + cx & 127)], add);
    }
}

extern "C" __global__ void __launch_bounds__(256) spread_tile(float *__restrict__ grid, const float *__restrict__ x, const float *__restrict__ y,
                                                              const float *__restrict__ charge, const int *__restrict__ starts)
{
    __shared__ float tile[19][20];
    int square = blockIdx.y, t = threadIdx.x, a = t % 4, b = t / 4 % 4, end = starts[square + 1];
    for (int i = t; i < 380; i += 256)
        tile[i / 20][i % 20] = 0.0f;
    __syncthreads();
    for (int i = starts[square] + blockIdx.x * 16 + t / 16; i < end; i += gridDim.x * 16) {
        float px = x[i], py = y[i];
        int cx = (int)px + a, cy = (int)py + b;
        atomicAdd(&tile[cy][cx], charge[i] * weight(px + 1.0f - cx) * weight(py + 1.0f - cy));
    }
    __syncthreads();
    for (int i = t; i < 361; i += 256) {
        int cx = square % 8 * 16 + i % 19 - 1, cy = square / 8 * 16 + i / 19 - 1;
        atomicAdd(&grid[(cy & 127) * 128 + (cx & 127)], tile[i / 19][i % 19]);
    }
}
