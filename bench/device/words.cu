// Loads that L1 has and stores, by how a request's words lie: cycles of a request, with its lines, sectors, the most lines in a bank of
// tags and the most unlike words in a bank of data. CSV: test,width,step,lines,sectors,tags,banks,warps,blocks,cycles.
// docs/h200-rates.md, section 3.
// SPDX-License-Identifier: Apache-2.0
#include "access.h"
#include "check.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

template <typename T> __device__ T filled(uint32_t v)
{
    if constexpr (sizeof(T) == 16)
        return make_uint4(v, v, v, v);
    else if constexpr (sizeof(T) == 8)
        return make_uint2(v, v);
    else
        return (T)v;
}

enum { PARTS = 8, PART_BYTES = 8192 };
struct shape {
    int turns;
    int step;     // bytes from a turn's words to the next's
    int span;     // and then from the front
    size_t apart; // from a warp's part of memory to the next's
};
template <typename T, bool STORE> __global__ void ask(long long *out, char *memory, const uint32_t *place, shape s)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    char *p = memory + warp * s.apart + place[threadIdx.x % 32];
    uint32_t sum = 0;
    for (int k = 0; k < 2; k++) {
        __syncthreads();
        long long begin = clock64();
        uint32_t at = 0;
        if (STORE) {
#pragma unroll 4
            for (int i = 0; i < s.turns; i++, at = (at + s.step) & (s.span - 1))
                put(p + at, filled<T>(i));
        } else { // eight parts of memory, and eight others in the next turn: ptxas asks for a word once
#pragma unroll 1
            for (int i = 0; i < s.turns; i += PARTS, at ^= PARTS * PART_BYTES)
#pragma unroll
                for (int n = 0; n < PARTS; n++)
                    sum += first(get<T>(p + at + n * PART_BYTES));
        }
        __syncthreads();
        if (threadIdx.x == 0)
            out[blockIdx.x] = clock64() - begin;
    }
    if (sum == 0x12345678)
        out[0] = 0;
}
// Each lane stores bytes, a number of its own apart, until a stretch is through: a warp with many lanes first, with one at last.
__global__ void marks(long long *out, char *memory, int stretch)
{
    char *p = memory + (size_t)blockIdx.x * stretch;
    int step = threadIdx.x + 2;
    long long begin = clock64();
    for (int k = step; k < stretch; k += step)
        p[k] = 1;
    __syncwarp();
    out[blockIdx.x] = clock64() - begin;
}

static char *memory;
static long long *result;
static uint32_t *places;

static void launch(int width, bool store, int warps, int blocks, shape s)
{
#define CASE(T) \
    case sizeof(T): \
        store ? ask<T, true><<<blocks, warps * 32>>>(result, memory, places, s) : ask<T, false><<<blocks, warps * 32>>>(result, memory, places, s); \
        break;
    switch (width) {
        CASE(uint8_t)
        CASE(uint16_t)
        CASE(uint32_t)
        CASE(uint2)
        CASE(uint4)
    }
#undef CASE
    CHECK(cudaGetLastError());
}

static void one(const char *test, int width, int step, const std::vector<uint32_t> &at, bool store, int warps, int blocks, shape s)
{
    std::set<uint32_t> lines, sectors, words;
    for (uint32_t a : at)
        for (int b = 0; b < width; b += std::min(width, 4)) {
            lines.insert((a + b) / 128);
            sectors.insert((a + b) / 32);
            words.insert((a + b) / 4);
        }
    int tags[4] = {}, banks[32] = {};
    for (uint32_t l : lines)
        tags[bank_of(l)]++;
    for (uint32_t w : words)
        banks[w % 32]++;
    CHECK(cudaMemcpy(places, at.data(), 32 * sizeof at[0], cudaMemcpyHostToDevice));
    double best = 0;
    for (int k = 0; k < 2; k++) {
        launch(width, store, warps, blocks, s);
        std::vector<long long> t(blocks);
        CHECK(cudaMemcpy(t.data(), result, blocks * sizeof t[0], cudaMemcpyDeviceToHost));
        std::nth_element(t.begin(), t.begin() + blocks / 2, t.end());
        best = k == 0 ? (double)t[blocks / 2] : std::min(best, (double)t[blocks / 2]);
    }
    printf("%s,%d,%d,%zu,%zu,%d,%d,%d,%d,%.2f\n", test, width, step, lines.size(), sectors.size(), *std::max_element(tags, tags + 4),
           *std::max_element(banks, banks + 32), warps, blocks, best / s.turns / warps);
}

static uint32_t chance(uint32_t below)
{
    static uint32_t seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * below >> 32);
}

int main(void)
{
    CHECK(cudaMalloc(&memory, (size_t)1 << 30));
    CHECK(cudaMalloc(&result, 4096 * sizeof *result));
    CHECK(cudaMalloc(&places, 32 * sizeof *places));
    CHECK(cudaMemset(memory, 0, (size_t)1 << 30));
    const shape again = {256, 0, 1, 0};
    for (int store = 0; store < 2; store++) {
        for (int width : {1, 2, 4, 8, 16})
            for (int step = 0; step <= 160; step += width)
                if (width >= 4 || step <= 12 || step % 6 == 0) {
                    std::vector<uint32_t> at;
                    for (int i = 0; i < 32; i++)
                        at.push_back(i * step);
                    for (int warps : {1, 8, 32})
                        one(store ? "store-step" : "load-step", width, step, at, store, warps, 1, again);
                }
        for (int width : {1, 4, 8})
            for (int span : {64, 128, 256, 512, 1024, 2048, 4096, 8192})
                for (int n = 0; n < 12; n++) {
                    std::vector<uint32_t> at;
                    for (int i = 0; i < 32; i++)
                        at.push_back(chance(span / width) * width);
                    one(store ? "store-chance" : "load-chance", width, span, at, store, 8, 1, again);
                }
    }
    for (int store = 0; store < 2; store++)
        for (int width : {1, 2, 4, 8, 16}) // side by side, from `step` on
            for (int from = 0; from < 128; from += std::max(width, 4)) {
                std::vector<uint32_t> at;
                for (int i = 0; i < 32; i++)
                    at.push_back(from + i * width);
                one(store ? "store-side" : "load-side", width, from, at, store, 32, 1, again);
            }
    for (int blocks : {1, 16, 132}) // stores of rows: each turn to the next place, of each warp elsewhere
        for (int width : {1, 4, 16})
            for (int step : {4, 16, 20, 32, 36, 64, 100, 128, 132, 256})
                if (step % width == 0) {
                    std::vector<uint32_t> at;
                    for (int i = 0; i < 32; i++)
                        at.push_back(i * step);
                    for (int warps : {1, 8}) {
                        one("store-again", width, step, at, true, warps, blocks, {256, 0, 1, 16384});
                        one("store-words", width, step, at, true, warps, blocks, {256, width, 64, 16384});
                    }
                }
    for (int blocks : {1, 16, 132})
        for (int k = 0; k < 2; k++) {
            marks<<<blocks, 32>>>(result, memory, 16384);
            std::vector<long long> t(blocks);
            CHECK(cudaMemcpy(t.data(), result, blocks * sizeof t[0], cudaMemcpyDeviceToHost));
            printf("marks,1,0,0,0,0,0,1,%d,%.0f\n", blocks, (double)*std::max_element(t.begin(), t.end()));
        }
    return 0;
}
