// A loop of launches of one kernel that lasts so long as it is asked to, timed by the host's clock from the first launch
// until all of them have ended: what listening to launches adds. Usage: capture KERNEL_US LAUNCHES each|all
// "each" waits for the GPU after every launch, "all" after the last one.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void last(long long ns, int *out)
{
    long long from, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(from));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - from < ns);
    if (ns < 0)
        *out = (int)now;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    long long ns = (long long)(atof(argv[1]) * 1000);
    int launches = atoi(argv[2]);
    bool each = strcmp(argv[3], "each") == 0;
    int *out;
    cudaMalloc(&out, sizeof *out);
    for (int i = 0; i < 100; i++)
        last<<<1, 32>>>(ns, out);
    cudaDeviceSynchronize();
    auto from = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; i++) {
        last<<<1, 32>>>(ns, out);
        if (each)
            cudaDeviceSynchronize();
    }
    cudaDeviceSynchronize();
    std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - from;
    printf("%.4f\n", took.count() / launches);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
