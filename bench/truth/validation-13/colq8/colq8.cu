// Each column of a matrix to whole numbers from -127 to 127, its largest magnitude over 127 kept as its scale. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void colq8_largest(unsigned *largest, const float *x, int rows, int cols, int strip)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= cols)
        return;
    int first = blockIdx.y * strip, last = min(first + strip, rows);
    float v = 0.0f;
    for (int i = first; i < last; i++)
        v = fmaxf(v, fabsf(x[i * cols + j]));
    atomicMax(&largest[j], __float_as_uint(v));
}

extern "C" __global__ void colq8_write(signed char *out, float *scale, const float *x, const unsigned *largest, int count, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int col = i % cols;
    float m = __uint_as_float(largest[col]);
    if (i < cols)
        scale[col] = m / 127.0f;
    out[i] = (signed char)rintf(x[i] * (127.0f / m));
}

// 32 columns a block of 32 x 32 threads.
extern "C" __global__ void __launch_bounds__(1024) colq8_strip(signed char *__restrict__ out, float *__restrict__ scale, const float *__restrict__ x, int rows, int cols)
{
    __shared__ float part[32][32];
    int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * 32 + tx;
    float v = 0.0f;
    for (int i = ty; i < rows; i += 32)
        v = fmaxf(v, fabsf(x[(size_t)i * cols + j]));
    part[ty][tx] = v;
    __syncthreads();
    for (int half = 16; half > 0; half >>= 1) {
        if (ty < half)
            part[ty][tx] = fmaxf(part[ty][tx], part[ty + half][tx]);
        __syncthreads();
    }
    v = part[0][tx];
    if (ty == 0)
        scale[j] = v / 127.0f;
    float by = 127.0f / v;
    for (int i = ty; i < rows; i += 32)
        out[(size_t)i * cols + j] = (signed char)__float2int_rn(x[(size_t)i * cols + j] * by);
}
