// A polynomial of each element: little work, so that the copies between host and device set the time.
//   polynomial   elements [first, first + count)
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void polynomial(float *y, const float *x, long long first, long long count)
{
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        float v = x[first + i], sum = 0.125f;
        for (int k = 0; k < 8; k++)
            sum = sum * v + 0.5f;
        y[first + i] = sum;
    }
}
