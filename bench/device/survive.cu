// What of an array that all SMs have read is still in L2 behind loads that sweep it? One warp's loads, line by line, are found there under
// 480 cycles. CSV: bytes,passes of its readers,swept MB,SMs that read it,found %,mean cycles. docs/h200-rates.md, section 4.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <cstdint>
#include <vector>

static __device__ uint32_t get(const void *p)
{
    uint32_t v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__global__ void read(const uint32_t *a, int words, int passes, uint32_t *out)
{
    uint32_t sum = 0;
    for (int k = 0; k < passes; k++)
        for (int i = threadIdx.x; i < words; i += blockDim.x)
            sum += get(a + i);
    if (sum == 0x12345678)
        out[0] = 0;
}

__global__ void sweep(const char *from, size_t sectors, uint32_t *out)
{
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < sectors; i += (size_t)gridDim.x * blockDim.x)
        sum += *(const uint32_t *)(from + i * 32);
    if (sum == 0x12345678)
        out[0] = 0;
}

__global__ void probe(const uint32_t *a, int lines, uint32_t *cycles)
{
    for (int i = 0; i < lines; i++) {
        long long begin = clock64();
        if (get(a + i * 32) == 0x12345678) // the clock is read when it is there
            cycles[0] = 1;
        asm volatile("" ::: "memory");
        cycles[i] = (uint32_t)(clock64() - begin);
    }
}

int main(void)
{
    enum { MB = 1 << 20, FOUND = 480, TIMES = 3 };
    char *swept;
    uint32_t *out, *a;
    CHECK(cudaMalloc(&swept, (size_t)400 * MB));
    CHECK(cudaMalloc(&out, 4 * MB));
    CHECK(cudaMalloc(&a, MB));
    CHECK(cudaMemset(swept, 0, (size_t)400 * MB));
    CHECK(cudaMemset(a, 0, MB));
    for (int bytes : {8192, 65536, 1048576})
        for (int passes : {0, 1, 8, 64})
            for (int mb : {0, 60, 100, 200, 400})
                for (int sms : {1, 132}) {
                    int lines = bytes / 128;
                    std::vector<uint32_t> t(lines);
                    double found = 0, sum = 0;
                    for (int k = 0; k < TIMES; k++) {
                        sweep<<<528, 256>>>(swept, (size_t)400 * MB / 32, out);
                        read<<<sms, 256>>>(a, bytes / 4, passes, out);
                        sweep<<<528, 256>>>(swept, (size_t)mb * MB / 32, out);
                        probe<<<1, 1>>>(a, lines, out);
                        CHECK(cudaMemcpy(t.data(), out, lines * sizeof t[0], cudaMemcpyDeviceToHost));
                        for (uint32_t cycles : t) {
                            found += cycles < FOUND;
                            sum += cycles;
                        }
                    }
                    printf("%d,%d,%d,%d,%.1f,%.0f\n", bytes, passes, mb, sms, 100 * found / lines / TIMES, sum / lines / TIMES);
                }
    return 0;
}
