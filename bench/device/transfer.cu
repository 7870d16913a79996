// What experiments/transfer is held against: copies of N floats between pinned memory and the device, in, out, and both at
// once; medians of 21. No order of chunks can be faster than both at once.
// Usage: nvcc -O2 -o transfer transfer.cu && ./transfer [N]
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void ok(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "transfer: %s\n", cudaGetErrorString(error));
    exit(1);
}

int main(int arguments, char **argument)
{
    size_t bytes = 4 * (arguments > 1 ? strtoull(argument[1], nullptr, 10) : 67108864);
    enum { ROUNDS = 21 };
    void *x, *y, *dx, *dy;
    cudaStream_t in, out;
    cudaEvent_t begin, copied, end;
    ok(cudaMallocHost(&x, bytes));
    ok(cudaMallocHost(&y, bytes));
    ok(cudaMalloc(&dx, bytes));
    ok(cudaMalloc(&dy, bytes));
    ok(cudaMemset(dy, 1, bytes));
    ok(cudaStreamCreate(&in));
    ok(cudaStreamCreate(&out));
    ok(cudaEventCreate(&begin));
    ok(cudaEventCreate(&end));
    ok(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    const char *names[] = {"in", "out", "both at once"};
    for (int way = 0; way < 3; way++) {
        float times[ROUNDS];
        for (float &time : times) {
            ok(cudaDeviceSynchronize());
            ok(cudaEventRecord(begin, in));
            ok(cudaStreamWaitEvent(out, begin, 0));
            if (way != 1)
                ok(cudaMemcpyAsync(dx, x, bytes, cudaMemcpyHostToDevice, in));
            if (way != 0)
                ok(cudaMemcpyAsync(y, dy, bytes, cudaMemcpyDeviceToHost, out));
            ok(cudaEventRecord(copied, out));
            ok(cudaStreamWaitEvent(in, copied, 0));
            ok(cudaEventRecord(end, in));
            ok(cudaEventSynchronize(end));
            ok(cudaEventElapsedTime(&time, begin, end));
        }
        std::sort(times, times + ROUNDS);
        float time = times[ROUNDS / 2];
        printf("%-13s %8.3f ms (%.3f to %.3f)  %6.1f GB/s each way\n", names[way], time, times[0], times[ROUNDS - 1], bytes / time / 1e6);
    }
}
