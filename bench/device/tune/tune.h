// What the tuning programs of this folder share: buffers, random data, times of launches, one line a
// candidate. A program tries many shapes of a kernel on one GPU and prints a table; what wins goes into
// experiments/. Times are medians of batches between two events; inputs rotate over copies that are
// together larger than the L2, so that caches are cold.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BENCH_TUNE_H
#define RIDGE_BENCH_TUNE_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                 \
    do {                                                                            \
        cudaError_t status_ = (call);                                               \
        if (status_ != cudaSuccess) {                                               \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

static int tune_sms(void)
{
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    return sms;
}

template <typename T> static T *tune_buffer(size_t count)
{
    T *p;
    CHECK(cudaMalloc(&p, count * sizeof(T) + 256));
    return p;
}

// SplitMix64's finaliser: one number an index, the same on host and device.
static __host__ __device__ unsigned tune_hash(unsigned long long i)
{
    i = (i + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
    i = (i ^ i >> 30) * 0x94d049bb133111ebull;
    return (unsigned)(i >> 32);
}

// from + (to - from) * [0, 1)
static __global__ void tune_uniform_kernel(float *p, size_t n, float from, float to)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        p[i] = from + (to - from) * ((float)(tune_hash(i) >> 8) * 0x1p-24f);
}

static void tune_uniform(float *p, size_t n, float from, float to)
{
    tune_uniform_kernel<<<1024, 256>>>(p, n, from, to);
    CHECK(cudaDeviceSynchronize());
}

// The median time of a launch in microseconds: launch(k) starts the k-th, on copies of the data that
// it rotates over. At least three batches, until budget_ms is spent.
template <typename Launch> static double tune_time_us(Launch launch, double budget_ms = 60)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    launch(0);
    cudaError_t status = cudaDeviceSynchronize();
    if (status != cudaSuccess) {
        printf("failed: %s\n", cudaGetErrorString(status));
        cudaGetLastError();
        return -1;
    }
    float ms;
    int k = 1;
    auto batch = [&](int count) {
        CHECK(cudaEventRecord(start));
        for (int i = 0; i < count; i++)
            launch(k++);
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        return ms / (float)count;
    };
    batch(3);
    int count = std::max(1, std::min(200, (int)(budget_ms / 12 / std::max(1e-3f, batch(3)))));
    std::vector<double> times;
    double spent = 0;
    while (times.size() < 3 || (spent < budget_ms && times.size() < 21)) {
        times.push_back(batch(count));
        spent += times.back() * count;
    }
    std::sort(times.begin(), times.end());
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return times[times.size() / 2] * 1000;
}

static __global__ void tune_sweep_kernel(const uint4 *p, size_t n, unsigned *never)
{
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += p[i].x;
    if (sum == 1) // the words are 0
        *never = sum;
}

// The same as `ridge run` takes it: before each launch the L2 is read full of something else, and nothing in it waits to be
// written. Back to back a launch pays for what the one before has left to write.
template <typename Launch> static double tune_time_cold_us(Launch launch, double budget_ms = 60)
{
    static const size_t words = (size_t)256 << 16; // 256 MiB of uint4
    static uint4 *swept = nullptr;
    if (!swept) {
        swept = tune_buffer<uint4>(words);
        CHECK(cudaMemset(swept, 0, words * sizeof *swept));
    }
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<double> times;
    double spent = 0;
    for (int k = 0; k < 7 || (spent < budget_ms && k < 400); k++) {
        float ms;
        tune_sweep_kernel<<<2048, 256>>>(swept, words, (unsigned *)swept);
        CHECK(cudaEventRecord(start));
        launch(k);
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (k >= 2)
            times.push_back(ms);
        spent += ms;
    }
    std::sort(times.begin(), times.end());
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return times[times.size() / 2] * 1000;
}

// A line of the table. ok says whether the result was compared and right.
static void tune_row(const char *what, double us, double bytes, bool ok, double flops = 0)
{
    printf("%-58s %10.2f us %8.0f GB/s", what, us, bytes / us / 1e3);
    if (flops > 0)
        printf(" %6.1f TFLOP/s", flops / us / 1e6);
    printf(" %s\n", ok ? "" : "WRONG");
    fflush(stdout);
}

#endif
