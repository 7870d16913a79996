// SPDX-License-Identifier: Apache-2.0
// Do requests of several SMs for one line merge before the L2? In each launch every SM reads lines that `sharers`
// neighbouring SMs read too, each SM `lag` cycles after the one before it. If nothing merges, the L2 reads as many
// sectors as the L1s miss, whatever sharers and lag are. Prints a row per launch; merge.sh counts the sectors with ncu
// and joins them.
// Usage: merge
#include "check.h"

#include <cstdio>
#include <cstdlib>

enum { LINE_WORDS = 32, LINES = 512, WARPS = 8 };

// A block per SM; LINES lines a group of sharers, each line by one request of a warp. The blocks start together: the
// last to come opens the gate.
__global__ void shared_lines(const unsigned *data, unsigned *gate, unsigned *sum, unsigned sharers, unsigned lag)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) {
        atomicAdd(gate, 1);
        while (atomicAdd(gate, 0) < gridDim.x) {}
    }
    __syncthreads();
    long long start = clock64();
    while (clock64() - start < (long long)lag * (sm % sharers)) {}
    const unsigned *mine = data + (size_t)(sm / sharers) * LINES * LINE_WORDS;
    unsigned words = 0;
    for (unsigned line = threadIdx.x / LINE_WORDS; line < LINES; line += WARPS)
        words += mine[line * LINE_WORDS + threadIdx.x % LINE_WORDS];
    if (words == 1) *sum = words; // never: the data are zeros
}

int main()
{
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    unsigned sms = (unsigned)p.multiProcessorCount, *data, *gate, *sum;
    size_t bytes = (size_t)sms * 2 * LINES * LINE_WORDS * sizeof(unsigned);
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMalloc(&gate, sizeof(unsigned)));
    CHECK(cudaMalloc(&sum, sizeof(unsigned)));
    CHECK(cudaMemset(data, 0, bytes));
    const unsigned sharers[] = {1, 2, 4, 8, 16, 33, 66, 132}, lags[] = {0, 4, 16, 64, 256, 1024};
    printf("launch,sharers,lag_cycles,sectors_asked\n");
    unsigned launch = 0;
    for (unsigned s : sharers)
        for (unsigned lag : lags) {
            CHECK(cudaMemset(gate, 0, sizeof(unsigned)));
            shared_lines<<<sms, WARPS * LINE_WORDS>>>(data, gate, sum, s, lag);
            CHECK(cudaDeviceSynchronize());
            printf("%u,%u,%u,%u\n", launch++, s, lag, sms * LINES * 4);
        }
    return 0;
}
