// Lattice Boltzmann in two dimensions with nine speeds on a torus: cells relax towards rest, then each speed moves on. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__constant__ int right[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant__ int down[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__constant__ float share[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

__device__ float relaxed(float f, int i, float density, float u, float v)
{
    float c = right[i] * u + down[i] * v;
    float rest = share[i] * density * (1.0f + 3.0f * c + 4.5f * c * c - 1.5f * (u * u + v * v));
    return f + 0.6f * (rest - f);
}

extern "C" __global__ void lbm_collide(float *to, const float *f, int size)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= size * size)
        return;
    float density = 0, u = 0, v = 0;
    for (int i = 0; i < 9; i++) {
        float g = f[cell * 9 + i];
        density += g;
        u += right[i] * g;
        v += down[i] * g;
    }
    u /= density;
    v /= density;
    for (int i = 0; i < 9; i++)
        to[cell * 9 + i] = relaxed(f[cell * 9 + i], i, density, u, v);
}

extern "C" __global__ void lbm_stream(float *to, const float *f, int size)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= size * size)
        return;
    int x = cell % size, y = cell / size;
    for (int i = 0; i < 9; i++) {
        int fx = (x - right[i] + size) % size, fy = (y - down[i] + size) % size;
        to[cell * 9 + i] = f[(fy * size + fx) * 9 + i];
    }
}

extern "C" __global__ void lbm_once(float *to, const float *f, int size)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= size * size)
        return;
    int x = cell % size, y = cell / size;
    float g[9], density = 0, u = 0, v = 0;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        g[i] = f[cell * 9 + i];
        density += g[i];
        u += right[i] * g[i];
        v += down[i] * g[i];
    }
    u /= density;
    v /= density;
#pragma unroll
    for (int i = 0; i < 9; i++) {
        int tx = (x + right[i] + size) % size, ty = (y + down[i] + size) % size;
        to[(ty * size + tx) * 9 + i] = relaxed(g[i], i, density, u, v);
    }
}

// An array for each speed, through shared memory.
extern "C" __global__ void lbm_to_arrays(float *to, const float *f, int cells)
{
    __shared__ float s[256 * 9];
    int first = blockIdx.x * 256, t = threadIdx.x;
    for (int i = t; i < 2304 && first * 9 + i < cells * 9; i += 256)
        s[i] = f[first * 9 + i];
    __syncthreads();
    if (first + t < cells)
        for (int i = 0; i < 9; i++)
            to[i * cells + first + t] = s[t * 9 + i];
}

extern "C" __global__ void lbm_from_arrays(float *to, const float *f, int cells)
{
    __shared__ float s[256 * 9];
    int first = blockIdx.x * 256, t = threadIdx.x;
    if (first + t < cells)
        for (int i = 0; i < 9; i++)
            s[t * 9 + i] = f[i * cells + first + t];
    __syncthreads();
    for (int i = t; i < 2304 && first * 9 + i < cells * 9; i += 256)
        to[first * 9 + i] = s[i];
}

// A block 64 cells of a row; sums by hand.
extern "C" __global__ void __launch_bounds__(64) lbm_arrays(float *__restrict__ to, const float *__restrict__ f, int size)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y, n = size * size;
    if (x >= size)
        return;
    int xr = x + 1 < size ? x + 1 : 0, xl = x > 0 ? x - 1 : size - 1, cell = y * size + x;
    int row = y * size, below = (y + 1 < size ? y + 1 : 0) * size, above = (y > 0 ? y - 1 : size - 1) * size;
    float g0 = f[cell], g1 = f[n + cell], g2 = f[2 * n + cell], g3 = f[3 * n + cell], g4 = f[4 * n + cell];
    float g5 = f[5 * n + cell], g6 = f[6 * n + cell], g7 = f[7 * n + cell], g8 = f[8 * n + cell];
    float density = g0 + g1 + g2 + g3 + g4 + g5 + g6 + g7 + g8, inverse = 1.0f / density;
    float u = (g1 - g3 + g5 - g6 - g7 + g8) * inverse, v = (g2 - g4 + g5 + g6 - g7 - g8) * inverse;
    float still = 1.0f - 1.5f * (u * u + v * v), a = 0.6f / 9 * density, b = 0.6f / 36 * density, p = u + v, m = u - v;
    to[cell] = 0.4f * g0 + 4.0f * a * still;
    to[n + row + xr] = 0.4f * g1 + a * (still + 3.0f * u + 4.5f * u * u);
    to[2 * n + below + x] = 0.4f * g2 + a * (still + 3.0f * v + 4.5f * v * v);
    to[3 * n + row + xl] = 0.4f * g3 + a * (still - 3.0f * u + 4.5f * u * u);
    to[4 * n + above + x] = 0.4f * g4 + a * (still - 3.0f * v + 4.5f * v * v);
    to[5 * n + below + xr] = 0.4f * g5 + b * (still + 3.0f * p + 4.5f * p * p);
    to[6 * n + below + xl] = 0.4f * g6 + b * (still - 3.0f * m + 4.5f * m * m);
    to[7 * n + above + xl] = 0.4f * g7 + b * (still - 3.0f * p + 4.5f * p * p);
    to[8 * n + above + xr] = 0.4f * g8 + b * (still + 3.0f * m + 4.5f * m * m);
}
