// A sparse layer: y = relu(a*x + bias), a in CSR, all numbers f16 and sums f32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

extern "C" __global__ void csrh_row(__half *y, const int *starts, const int *columns, const __half *values, const __half *x, const __half *bias, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = __half2float(bias[row]);
        for (int i = starts[row]; i < starts[row + 1]; i++)
            sum += __half2float(values[i]) * __half2float(x[columns[i]]);
        y[row] = __float2half(fmaxf(sum, 0.0f));
    }
}

template <int lanes>
__device__ __forceinline__ float row_sum(const int *__restrict__ columns, const __half *__restrict__ values, const __half *__restrict__ x, int first, int end, int lane)
{
    float sum = 0.0f;
    for (int i = first + lane; i < end; i += lanes)
        sum = fmaf(__half2float(values[i]), __half2float(__ldg(&x[columns[i]])), sum);
#pragma unroll
    for (int d = lanes / 2; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, d, lanes);
    return sum;
}

extern "C" __global__ void csrh_four(__half *__restrict__ y, const int *__restrict__ starts, const int *__restrict__ columns, const __half *__restrict__ values, const __half *__restrict__ x,
                                     const __half *__restrict__ bias, int rows)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, row = t / 4;
    int first = row < rows ? starts[row] : 0, end = row < rows ? starts[row + 1] : 0;
    float sum = row_sum<4>(columns, values, x, first, end, t % 4);
    if (row < rows && t % 4 == 0)
        y[row] = __float2half(fmaxf(sum + __half2float(bias[row]), 0.0f));
}

extern "C" __global__ void csrh_warp(__half *__restrict__ y, const int *__restrict__ starts, const int *__restrict__ columns, const __half *__restrict__ values, const __half *__restrict__ x,
                                     const __half *__restrict__ bias, int rows)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows)
        return;
    float sum = row_sum<32>(columns, values, x, starts[row], starts[row + 1], threadIdx.x);
    if (threadIdx.x == 0)
        y[row] = __float2half(fmaxf(sum + __half2float(bias[row]), 0.0f));
}
