// How many memory instructions wait in front of the load/store unit before the next one cannot issue? Each warp issues loads, stores or
// accesses of shared memory that it does not wait for, and reads the clock behind each. CSV: kind,bytes from lane to lane,warps,warp,
// cycles from the block's beginning to each issue. docs/h200-rates.md, section 3.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <cstdint>
#include <vector>

enum kind { LOAD, STORE, SHARED, SHARED_STORE, KINDS };
static const char *const names[] = {"load", "store", "shared-load", "shared-store"};
enum { COUNT = 48, WARPS = 32 };

template <int K> __device__ __forceinline__ uint32_t ask(const char *p, uint32_t shared)
{
    uint32_t v = 0;
    if (K == LOAD)
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
    if (K == STORE)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v));
    if (K == SHARED)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(shared));
    if (K == SHARED_STORE)
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared), "r"(v));
    return v;
}

template <int K> __global__ void issue(uint32_t *out, const char *memory, int pitch)
{
    __shared__ uint32_t near[32 * 32 + COUNT];
    __shared__ uint32_t begin;
    const char *p = memory + threadIdx.x % 32 * pitch;
    uint32_t shared = (uint32_t)__cvta_generic_to_shared(near) + threadIdx.x % 32 * pitch, v[COUNT], t[COUNT];
    uint32_t sum = 0;
    for (int k = 0; k < 3; k++) {
        __syncthreads();
        if (threadIdx.x == 0)
            begin = (uint32_t)clock64();
        __syncthreads();
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            v[i] = ask<K>(p + i * 4096, shared + i * 4); // unlike words: ptxas asks for one once
            asm volatile("mov.u32 %0, %%clock;" : "=r"(t[i])::"memory");
        }
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            sum += v[i];
        __syncthreads();
        if (threadIdx.x % 32 == 0)
            for (int i = 0; i < COUNT; i++)
                out[threadIdx.x / 32 * COUNT + i] = t[i] - begin;
    }
    if (sum == 0x12345678)
        out[0] = 0;
}

int main(void)
{
    char *memory;
    uint32_t *out;
    CHECK(cudaMalloc(&memory, 1 << 20));
    CHECK(cudaMalloc(&out, WARPS * COUNT * sizeof *out));
    CHECK(cudaMemset(memory, 0, 1 << 20));
    for (int k = 0; k < KINDS; k++)
        for (int pitch : {4, 16, 32, 128, 132})
            for (int warps : {1, 2, 4, 5, 8, 16, 32}) {
                if (k >= SHARED && pitch == 132)
                    continue;
                k == LOAD ? issue<LOAD><<<1, warps * 32>>>(out, memory, pitch)
                : k == STORE ? issue<STORE><<<1, warps * 32>>>(out, memory, pitch)
                : k == SHARED ? issue<SHARED><<<1, warps * 32>>>(out, memory, pitch)
                              : issue<SHARED_STORE><<<1, warps * 32>>>(out, memory, pitch);
                CHECK(cudaGetLastError());
                std::vector<uint32_t> t(warps * COUNT);
                CHECK(cudaMemcpy(t.data(), out, t.size() * sizeof t[0], cudaMemcpyDeviceToHost));
                for (int w = 0; w < warps; w++) {
                    printf("%s,%d,%d,%d", names[k], pitch, warps, w);
                    for (int i = 0; i < COUNT; i++)
                        printf(",%u", t[w * COUNT + i]);
                    printf("\n");
                }
            }
    return 0;
}
