// What a load, an access of shared memory or a warp's end waits for behind stores and reductions of its warp. Cycles of a turn: the
// operation, then a load that L1 has and that the next turn waits for; and of whole blocks one after the other on one SM, by what they end
// with. CSV: test,operation,lanes,bytes from lane to lane,warps,cycles (of whole blocks: ns). docs/h200-rates.md, section 3.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <cstdint>

enum { NOTHING, STORE, ADD, OR, FADD, RETURNING, OPERATIONS };
static const char *const names[] = {"nothing", "store", "red-add", "red-or", "red-add-f32", "atom-add"};
enum { BEHIND_LOAD, BEHIND_SHARED, BEHIND_NOTHING, FOLLOWERS };
static const char *const followers[] = {"load", "shared", "none"};

template <int O> __device__ __forceinline__ uint32_t operate(char *p, uint32_t v)
{
    uint32_t old = 0;
    if (O == STORE)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (O == ADD)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (O == OR)
        asm volatile("red.global.or.b32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
    if (O == FADD)
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(1.0f) : "memory");
    if (O == RETURNING)
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}

template <int O, int F> __global__ void behind(long long *out, char *memory, char *found, int lanes, int pitch, int turns)
{
    __shared__ uint32_t near[32];
    int lane = threadIdx.x % 32;
    near[lane] = 0;
    uint32_t at = lane * 4, old = 0;
    char *p = memory + (size_t)(threadIdx.x / 32) * 65536 + lane * pitch;
    __syncthreads();
    long long begin = 0;
    for (int k = 0; k < 2; k++) {
        begin = clock64();
#pragma unroll 1
        for (int i = 0; i < turns; i++) {
            if (lane < lanes)
                old += operate<O>(p, i);
            uint32_t v = 0;
            if (F == BEHIND_LOAD)
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(found + at) : "memory");
            if (F == BEHIND_SHARED)
                asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((uint32_t)__cvta_generic_to_shared(near) + at) : "memory");
            at += v;
        }
    }
    long long end = clock64();
    if (lane == 0)
        out[threadIdx.x / 32] = end - begin + (at == 0x12345678) + (old == 0x12345678);
}

// A block of one warp after the other: how long one takes is what its place is kept for.
template <int O> __global__ void ends(char *memory, int pitch)
{
    operate<O>(memory + (size_t)blockIdx.x % 64 * 65536 + threadIdx.x * pitch, 1);
}

static char *memory, *found;
static long long *out;

template <int O, int F> static void one(int lanes, int pitch, int warps)
{
    static const int turns = 256;
    long long t[32];
    behind<O, F><<<1, warps * 32>>>(out, memory, found, lanes, pitch, turns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(t, out, warps * sizeof t[0], cudaMemcpyDeviceToHost));
    printf("%s,%s,%d,%d,%d,%.1f\n", followers[F], names[O], lanes, pitch, warps, (double)t[0] / turns);
}

template <int O> static void all(void)
{
    for (int warps : {1, 4, 16})
        for (int lanes : {1, 8, 32})
            for (int pitch : {4, 132}) {
                one<O, BEHIND_LOAD>(lanes, pitch, warps);
                one<O, BEHIND_SHARED>(lanes, pitch, warps);
                one<O, BEHIND_NOTHING>(lanes, pitch, warps);
            }
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int pitch : {4, 132}) {
        float ms = 0;
        for (int k = 0; k < 2; k++) {
            CHECK(cudaEventRecord(begin));
            ends<O><<<132 * 32 * 64, 32>>>(memory, pitch);
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            CHECK(cudaEventElapsedTime(&ms, begin, end));
        }
        printf("ends,%s,32,%d,1,%.3f\n", names[O], pitch, ms * 1e6 / 64); // ns of a block's place
    }
}

int main(void)
{
    CHECK(cudaMalloc(&memory, 64 << 20));
    CHECK(cudaMalloc(&found, 4096));
    CHECK(cudaMalloc(&out, 32 * sizeof *out));
    CHECK(cudaMemset(memory, 0, 64 << 20));
    CHECK(cudaMemset(found, 0, 4096));
    all<NOTHING>();
    all<STORE>();
    all<ADD>();
    all<OR>();
    all<FADD>();
    all<RETURNING>();
    return 0;
}
