// Kernels as they are first written, each with a fix that is mechanical (src/advise/patches.def).
// SPDX-License-Identifier: Apache-2.0

// A tile in shared memory whose columns lie in one bank: pad, swizzle.
extern "C" __global__ void turn(float *y, const float *x, int n)
{
    __shared__ float tile[32][32];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = x[row * n + column];
    __syncthreads();
    y[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Literals without f make it f64: suffix.
extern "C" __global__ void activate(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        for (int k = 0; k < 8; k++) // a polynomial and its root, eight times
            v = sqrt(0.5 * v * v + 0.25 * v + 0.0625);
        y[i] = v;
    }
}

// A division by what does not change, in a loop: reciprocal.
extern "C" __global__ void scale_rows(float *y, const float *x, float norm, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < 64; k++)
        v = v / norm + 0.5f;
    y[i] = v;
}

// Exact roots and quotients: intrinsic.
extern "C" __global__ void attract(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float here = x[i], force = 0;
    for (int k = 0; k < 128; k++) {
        float d = x[k] - here;
        float near = 1.0f / sqrtf(d * d + 0.01f);
        force += near * near * near;
    }
    y[i] = force;
}

// Row and column by a width that only the launch knows: divisor.
extern "C" __global__ void mirror(float *y, const float *x, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        int at = (i + k * 977) % n;
        int row = at / width, column = at % width;
        sum += x[row * width + (width - 1 - column)];
    }
    y[i] = sum;
}

// One sum, one load on its way: sums.
extern "C" __global__ void sum_strided(float *y, const float *x, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = i; k < n; k += stride)
        sum += x[k];
    y[i] = sum;
}

// The same of what is no sum: unroll.
extern "C" __global__ void largest_strided(float *y, const float *x, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best = x[i];
    for (int k = i; k < n; k += stride) {
        float v = x[k];
        best = v > best ? v : best;
    }
    y[i] = best;
}

// A sum in memory, as the pointers may overlap: restrict.
extern "C" __global__ void multiply_vector(float *y, float *x, float *v, int rows, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    y[column] = 0;
    for (int row = 0; row < rows; row++)
        y[column] += x[row * n + column] * v[row];
}

// One element of four bytes per thread: vector.
extern "C" __global__ void axpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + 0.5f;
}

// A few large blocks for many SMs: block.
extern "C" __global__ void iterate(float *y, const float *x, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < rounds; k++)
        v = v * v * 0.5f + 0.25f;
    y[i] = v;
}
