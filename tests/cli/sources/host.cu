// As published code is: kernels, their launches and main in one file.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>
#include <iostream>
#include <limits>
#include <type_traits>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        cudaError_t status = (call);                                                    \
        if (status != cudaSuccess)                                                      \
            std::cerr << cudaGetErrorString(status) << "\n";                            \
    } while (0)

namespace blas {
template <int COARSE, typename T> __global__ void axpy(T *y, const T *x, T a, uint n)
{
    static_assert(std::is_same<T, float>::value || std::is_same<T, double>::value, "");
    for (uint i = 0; i < COARSE; i++) {
        uint k = (blockIdx.x * COARSE + i) * blockDim.x + threadIdx.x;
        if (k < n)
            y[k] = a * x[k] + y[k];
    }
}
} // namespace blas

static double seconds(void (*f)(float *, const float *, int), float *y, const float *x, int n)
{
    auto begin = std::chrono::steady_clock::now();
    f(y, x, n);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void launch(float *y, const float *x, int n)
{
    blas::axpy<4, float><<<(n + 1023) / 1024, 256>>>(y, x, 2.0f, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? std::max(1, atoi(argv[1])) : 4096;
    std::vector<float> host(n, 1.0f);
    float *x, *y;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&y, n * sizeof(float)));
    CHECK(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    printf("%g s\n", seconds(launch, y, x, n));
    return 0;
}
