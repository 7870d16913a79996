// Kernels by scope and template arguments; one has two instances already, one is overloaded.
// SPDX-License-Identifier: Apache-2.0
namespace blas {
template <int COARSE, typename T> __global__ void axpy(T *y, const T *x, T a, int n)
{
    for (int i = 0; i < COARSE; i++) {
        int k = (blockIdx.x * COARSE + i) * blockDim.x + threadIdx.x;
        if (k < n)
            y[k] = a * x[k] + y[k];
    }
}
template __global__ void axpy<1, float>(float *, const float *, float, int);
template __global__ void axpy<2, float>(float *, const float *, float, int);
} // namespace blas
