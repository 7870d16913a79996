// How long the turns of a loop take in which all lanes load one word, the same for all warps and SMs, and compute with it: the places
// of a line and of its sectors apart. Does one warp pay for what comes, do all of them, or does a line come at once?
// CSV: cold,bytes,work,warps,blocks,place,cycles,first (place: the turn of those of a line, -1: the mean; cycles: of a turn, the mean over
// warps and lines; first: the warp that takes least). docs/h200-rates.md, section 2.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <algorithm>
#include <cstdint>
#include <vector>

enum { LINE = 128, PLACES = 8, WARPS = 16, BLOCKS = 132, TURNS = 4096, FLUSH = 256 << 20 };

__device__ __forceinline__ uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

// work: a chain of so many sums, which the next load waits for.
template <int BYTES> __global__ void along(uint32_t *out, const char *from, int work, int turns)
{
    __shared__ uint32_t taken[WARPS][PLACES];
    const int per_line = LINE / BYTES;
    int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 < PLACES)
        taken[warp][threadIdx.x % 32] = 0;
    __syncthreads();
    float v = 0;
    uint32_t t0 = now();
    for (int i = 0; i < turns; i++) {
        const char *p = from + (int64_t)i * BYTES + __float_as_int(v);
        float x, y = 0, z = 0, w = 0;
        if (BYTES == 16)
            asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p) : "memory");
        else
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p) : "memory");
        v = x + y + z + w; // all of them are zero
        for (int k = 0; k < work; k++)
            asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(v) : "f"(x));
        uint32_t t1 = now() + (v == 1.f);
        if (threadIdx.x % 32 == 0)
            taken[warp][i % per_line / (per_line / PLACES)] += t1 - t0;
        t0 = t1;
    }
    __syncwarp();
    if (threadIdx.x % 32 < PLACES)
        out[(blockIdx.x * WARPS + warp) * PLACES + threadIdx.x % 32] = taken[warp][threadIdx.x % 32];
}

int main()
{
    uint32_t *out;
    char *from, *flush;
    std::vector<uint32_t> t(BLOCKS * WARPS * PLACES);
    CHECK(cudaMalloc(&out, t.size() * sizeof t[0]));
    CHECK(cudaMalloc(&from, TURNS * 16));
    CHECK(cudaMalloc(&flush, FLUSH));
    CHECK(cudaMemset(from, 0, TURNS * 16));
    printf("cold,bytes,work,warps,blocks,place,cycles,first\n");
    for (int cold = 0; cold < 2; cold++)
        for (int bytes = 4; bytes <= 16; bytes += 12)
            for (int work = 0; work <= 20; work += 20)
                for (int warps : {1, 4, 8, 16})
                    for (int blocks : {1, 4, 47, 132}) {
                        const int turns = 512;
                        // The launch before the one that counts brings the code, and the data where they may be there.
                        for (int again = 0; again < 2; again++) {
                            CHECK(cudaMemset(flush, again, cold ? FLUSH : 4));
                            if (bytes == 16)
                                along<16><<<blocks, 32 * warps>>>(out, from, work, turns);
                            else
                                along<4><<<blocks, 32 * warps>>>(out, from, work, turns);
                            CHECK(cudaDeviceSynchronize());
                        }
                        CHECK(cudaMemcpy(t.data(), out, t.size() * sizeof t[0], cudaMemcpyDeviceToHost));
                        double all = 0, least = 1e30;
                        for (int place = 0; place <= PLACES; place++) {
                            double sum = 0, first = 1e30;
                            for (int b = 0; b < blocks; b++)
                                for (int w = 0; w < warps; w++) {
                                    double own = 0;
                                    for (int k = 0; k < PLACES; k++)
                                        own += place == PLACES ? t[(b * WARPS + w) * PLACES + k] / (double)PLACES : 0;
                                    own = place == PLACES ? own : t[(b * WARPS + w) * PLACES + place];
                                    sum += own;
                                    first = std::min(first, own);
                                }
                            all = sum / (blocks * warps) * PLACES / turns;
                            least = first * PLACES / turns;
                            printf("%d,%d,%d,%d,%d,%d,%.1f,%.1f\n", cold, bytes, work, warps, blocks, place == PLACES ? -1 : place, all, least);
                        }
                    }
    return 0;
}
