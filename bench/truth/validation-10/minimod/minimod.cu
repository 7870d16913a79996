// A step of an acoustic wave, eighth order in space, damped in a border of six places. The field has four more places on each side. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__constant__ float weights[5] = {-2.847222222f, 1.6f, -0.2f, 0.025396825f, -0.001785714f};

// The sum of second differences; planes and rows of the field lie so far apart.
__device__ float laplacian(const float *u, int row, int plane)
{
    float sum = 3.0f * weights[0] * u[0];
    for (int k = 1; k <= 4; k++)
        sum += weights[k] * (u[k] + u[-k] + u[k * row] + u[-k * row] + u[k * plane] + u[-k * plane]);
    return sum;
}

__device__ float damped(float u, float prev, float change, float e)
{
    return ((2.0f - e * e) * u - (1.0f - e) * prev + change) / (1.0f + e);
}

extern "C" __global__ void minimod_branches(float *next, const float *u, const float *prev, const float *speed, const float *damping, int side, int border)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= side || y >= side || z >= side)
        return;
    int i = (z * side + y) * side + x, row = side + 8;
    const float *own = u + ((z + 4) * row + y + 4) * row + x + 4;
    float change = speed[i] * laplacian(own, row, row * row);
    if (x < border || x >= side - border || y < border || y >= side - border || z < border || z >= side - border)
        next[i] = damped(*own, prev[i], change, damping[i]);
    else
        next[i] = 2.0f * *own - prev[i] + change;
}

extern "C" __global__ void minimod_inner(float *next, const float *u, const float *prev, const float *speed, int side, int border)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + border, y = blockIdx.y * blockDim.y + threadIdx.y + border, z = blockIdx.z + border;
    if (x >= side - border || y >= side - border)
        return;
    int i = (z * side + y) * side + x, row = side + 8;
    const float *own = u + ((z + 4) * row + y + 4) * row + x + 4;
    next[i] = 2.0f * *own - prev[i] + speed[i] * laplacian(own, row, row * row);
}

// A box of the border, from its first place on.
extern "C" __global__ void minimod_border(float *next, const float *u, const float *prev, const float *speed, const float *damping, int side, int x0, int y0,
                                          int z0, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z + z0;
    if (x >= width || y >= height)
        return;
    x += x0;
    y += y0;
    int i = (z * side + y) * side + x, row = side + 8;
    const float *own = u + ((z + 4) * row + y + 4) * row + x + 4;
    next[i] = damped(*own, prev[i], speed[i] * laplacian(own, row, row * row), damping[i]);
}

// A column along z in nine registers, and the plane around it in shared memory.
extern "C" __global__ void __launch_bounds__(256) minimod_registers(float *__restrict__ next, const float *__restrict__ u, const float *__restrict__ prev,
                                                                    const float *__restrict__ speed, const float *__restrict__ damping, int side, int depth)
{
    __shared__ float s[16][40];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8, x = x0 + tx, y = y0 + ty;
    int row = side + 8, plane = row * row, first = blockIdx.z * depth;
    bool edge = x < 6 || x >= side - 6 || y < 6 || y >= side - 6;
    const float *own = u + (first * row + y + 4) * row + x + 4;
    float v[9];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k + 1] = own[k * plane];
    for (int z = first; z < first + depth; z++, own += plane) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            v[k] = v[k + 1];
        v[8] = own[8 * plane];
        __syncthreads();
        for (int i = t; i < 640; i += 256)
            s[i / 40][i % 40] = u[((z + 4) * row + y0 + i / 40) * row + x0 + i % 40];
        __syncthreads();
        float sum = 3.0f * weights[0] * v[4];
#pragma unroll
        for (int k = 1; k <= 4; k++)
            sum += weights[k] * (v[4 + k] + v[4 - k] + s[ty + 4][tx + 4 + k] + s[ty + 4][tx + 4 - k] + s[ty + 4 + k][tx + 4] + s[ty + 4 - k][tx + 4]);
        int i = (z * side + y) * side + x;
        float change = speed[i] * sum, before = prev[i];
        next[i] = edge || z < 6 || z >= side - 6 ? damped(v[4], before, change, damping[i]) : 2.0f * v[4] - before + change;
    }
}
