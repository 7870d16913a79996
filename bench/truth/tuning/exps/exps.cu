// Functions of f64: for tuning the model of time.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void sigmoid_f64(double *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 1 / (1 + exp(-(double)in[i]));
}

extern "C" __global__ void divide_f64(double *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = in[i];
    for (int k = 0; k < 8; k++)
        x = 3 / (x + 1);
    out[i] = x;
}

// A warp has a row: its powers of e over their sum.
extern "C" __global__ void shares_f64(float *out, const float *in, int columns)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float *from = in + row * columns;
    double sum = 0;
    for (int k = lane; k < columns; k += 32)
        sum += exp((double)from[k]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    for (int k = lane; k < columns; k += 32)
        out[row * columns + k] = (float)(exp((double)from[k]) / sum);
}

// A warp has a row: the sum only.
extern "C" __global__ void sums_f64(double *out, const float *in, int columns)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const float *from = in + row * columns;
    double sum = 0;
    for (int k = lane; k < columns; k += 32)
        sum += exp((double)from[k]);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        out[row] = sum;
}

// Quotients only, of a row.
extern "C" __global__ void quotients_f64(float *out, const float *in, int columns)
{
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    double by = in[row] + 1.0;
    for (int k = lane; k < columns; k += 32)
        out[row * columns + k] = (float)((double)in[row * columns + k] / by);
}

extern "C" __global__ void tanh_f64(double *out, const float *in)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tanh((double)in[i]);
}
