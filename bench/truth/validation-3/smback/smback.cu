// Softmax backward: dx = y*(dy - sum(y*dy)) of each row. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per row.
extern "C" __global__ void smback_thread(const float *__restrict__ dy, const float *__restrict__ y, float *__restrict__ dx, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        const int base = row * cols;
        float dot = 0.f;
        for (int j = 0; j < cols; j++)
            dot += y[base + j] * dy[base + j];
        for (int j = 0; j < cols; j++)
            dx[base + j] = y[base + j] * (dy[base + j] - dot);
    }
}

// A block of two warps per row: shuffles, then a word of each warp in shared memory.
extern "C" __global__ void smback_block(const float *__restrict__ dy, const float *__restrict__ y, float *__restrict__ dx, int rows, int cols)
{
    __shared__ float part[2];
    const int row = blockIdx.x, tid = threadIdx.x;
    if (row >= rows)
        return;
    dy += row * cols;
    y += row * cols;
    dx += row * cols;
    float dot = 0.f;
    for (int j = tid; j < cols; j += 64)
        dot += y[j] * dy[j];
    for (int offset = 16; offset > 0; offset /= 2)
        dot += __shfl_down_sync(0xffffffffu, dot, offset);
    if ((tid & 31) == 0)
        part[tid >> 5] = dot;
    __syncthreads();
    dot = part[0] + part[1];
    for (int j = tid; j < cols; j += 64)
        dx[j] = y[j] * (dy[j] - dot);
}

// A warp per row that keeps it in registers: up to eight numbers of each a lane.
extern "C" __global__ void smback_warp(const float *__restrict__ dy, const float *__restrict__ y, float *__restrict__ dx, int rows, int cols)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows)
        return;
    const int base = row * cols;
    float p[8], g[8], dot = 0.f;
#pragma unroll
    for (int it = 0; it < 8; it++) {
        const int j = lane + 32 * it;
        p[it] = j < cols ? y[base + j] : 0.f;
        g[it] = j < cols ? dy[base + j] : 0.f;
        dot += p[it] * g[it];
    }
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2)
        dot += __shfl_xor_sync(0xffffffffu, dot, offset);
#pragma unroll
    for (int it = 0; it < 8; it++) {
        const int j = lane + 32 * it;
        if (j < cols)
            dx[base + j] = p[it] * (g[it] - dot);
    }
}
