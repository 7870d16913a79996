// How many steps each point of the plane takes to escape under z*z + c, 500 at most. Sums are written with fmaf, so that every
// compiler rounds alike. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int LIMIT = 500;

__device__ int escape(float x, float y, float cx, float cy)
{
    int steps = 0;
    while (steps < LIMIT && fmaf(x, x, __fmul_rn(y, y)) < 4.0f) {
        float t = __fadd_rn(fmaf(x, x, -__fmul_rn(y, y)), cx);
        y = fmaf(2.0f * x, y, cy);
        x = t;
        steps++;
    }
    return steps;
}

__device__ float at(int i, int n, float half)
{
    return __fmul_rn(half, __fdiv_rn((float)(2 * i + 1 - n), (float)n));
}

// A thread per point.
extern "C" __global__ void julia_plain(unsigned short *out, float cx, float cy, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = escape(at(x, width, 1.5f), at(y, height, 0.75f), cx, cy);
}

extern "C" __global__ void julia_clear(int *taken)
{
    if (threadIdx.x == 0)
        *taken = 0;
}

// As many blocks as run at a time; each takes two rows from a queue until none is left.
extern "C" __global__ void julia_queue(unsigned short *out, int *taken, float cx, float cy, int width, int height)
{
    __shared__ int first;
    while (true) {
        if (threadIdx.x == 0)
            first = atomicAdd(taken, 2);
        __syncthreads();
        int row = first;
        __syncthreads();
        if (row >= height)
            return;
        for (int i = threadIdx.x; i < 2 * width; i += blockDim.x) {
            int x = i % width, y = row + i / width;
            if (y < height)
                out[y * width + x] = escape(at(x, width, 1.5f), at(y, height, 0.75f), cx, cy);
        }
    }
}
