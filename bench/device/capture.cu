// Loops of launches of one kernel that lasts so long as it is asked to, timed by the host's clock from the first launch
// until all of them have ended: what listening to launches adds. Usage: capture [spread] {KERNEL_US LAUNCHES each|all} …
// "each" waits for the GPU after every launch, "all" after the last one. Prints us per launch, a line per loop; with
// `spread` the median launch's too, until it was waited for (0 where only the last one is).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using us = std::chrono::duration<double, std::micro>;
static std::chrono::steady_clock::time_point now()
{
    return std::chrono::steady_clock::now();
}

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

static void loop(double kernel_us, int launches, bool each, bool spread, int *out)
{
    long long ns = (long long)(kernel_us * 1000);
    std::vector<double> took(each && spread ? launches : 0);
    for (int i = 0; i < 100; i++)
        last<<<1, 32>>>(ns, out);
    cudaDeviceSynchronize();
    auto from = now(), before = from;
    for (int i = 0; i < launches; i++) {
        last<<<1, 32>>>(ns, out);
        if (!each)
            continue;
        cudaDeviceSynchronize();
        if (spread) {
            auto after = now();
            took[i] = us(after - before).count();
            before = after;
        }
    }
    cudaDeviceSynchronize();
    printf("%.4f", us(now() - from).count() / launches);
    std::sort(took.begin(), took.end());
    if (spread)
        printf(" %.4f", took.empty() ? 0 : took[took.size() / 2]);
    printf("\n");
}

int main(int argc, char **argv)
{
    bool spread = argc > 1 && strcmp(argv[1], "spread") == 0;
    int first = spread ? 2 : 1, *out;
    if (argc == first || (argc - first) % 3 != 0)
        return 2;
    cudaMalloc(&out, sizeof *out);
    for (int i = first; i < argc; i += 3)
        loop(atof(argv[i]), atoi(argv[i + 1]), strcmp(argv[i + 2], "each") == 0, spread, out);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
