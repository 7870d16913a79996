// Loads and stores of a thread a row: cycles of a warp's turn, by what it does, how far rows lie apart, how many warps run and on how
// many SMs. CSV: test,action,bytes,pitch,lanes (of a row),skew,span,apart,warps,blocks,cycles. docs/h200-rates.md, section 3.
// SPDX-License-Identifier: Apache-2.0
#include "access.h"
#include "check.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

enum action { LOAD, STORE, IN_PLACE, ACROSS, TWO, LOADS, STORES, BOTH, WORD, WORDS, SHARED, ACTIONS };
static const char *const names[] = {"load", "store", "in-place", "across", "two", "loads", "stores", "both", "word", "words", "shared"};
struct shape {
    int64_t pitch, apart; // bytes: from row to row, and from the first array to the second
    int lanes, skew, span, turns;
    int64_t stored; // from row to row of the array that is only stored into; 0: as the others'
};

__device__ void change(uint32_t &v, uint32_t by) { v += by; }
__device__ void change(uint2 &v, uint32_t by) { v.x += by; }
__device__ void change(uint4 &v, uint32_t by) { v.x += by; }

template <int A, typename T> __global__ void walk(long long *out, char *memory, shape s)
{
    __shared__ uint32_t near[32];
    near[threadIdx.x % 32] = 0;
    int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / s.lanes;
    int64_t stored = s.stored > 0 ? s.stored : s.pitch;
    char *a = memory + row * s.pitch, *b = memory + row * (A == ACROSS ? stored : s.pitch) + s.apart;
    char *c = memory + row * stored + 2 * s.apart;
    uint32_t sum = 0, at = lane % s.lanes * sizeof(T) + lane * s.skew, step = sizeof(T) * s.lanes, mask = s.span - 1;
    T v = {};
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < s.turns; i++, at += step) {
        uint32_t o = at & mask;
        if (A == LOAD || A == LOADS || A == IN_PLACE || A == ACROSS || A == TWO || A == BOTH)
            v = get<T>(a + o);
        if (A == LOADS || A == TWO)
            change(v, first(get<T>(b + o)));
        if (A == LOAD || A == LOADS)
            sum += first(v);
        if (A == WORD || A == WORDS) // of a line that all warps load
            for (int k = 0; k < (A == WORD ? 1 : 4); k++)
                sum += get<uint32_t>(b + (lane + 32 * k) * 4 - row * s.pitch);
        if (A == SHARED)
            for (int k = 0; k < 4; k++)
                sum += *(volatile uint32_t *)(near + lane);
        change(v, 3);
        if (A == STORE || A == STORES || A == IN_PLACE || A == BOTH || A >= WORD)
            put(a + o, v);
        if (A == ACROSS || A == STORES || A == BOTH)
            put(b + o, v);
        if (A == TWO)
            put(c + o, v);
    }
    if (sum == 0x12345678)
        out[blockIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = clock64() - begin;
}

// Requests of two to 32 lines that L1 has, as many lanes on each, every lane its own bank: do some lines keep others waiting?
__global__ void tags(long long *out, char *memory, const uint32_t *line, int turns, int store)
{
    char *p = memory + (size_t)line[threadIdx.x % 32] * 128 + threadIdx.x % 32 * 4;
    uint32_t sum = 0;
    for (int k = 0; k < 2; k++) {
        __syncthreads();
        long long begin = clock64();
#pragma unroll 4
        for (int i = 0; i < turns; i++)
            if (store)
                put<uint32_t>(p, i);
            else
                sum += get<uint32_t>(p);
        __syncthreads();
        if (threadIdx.x == 0)
            out[0] = clock64() - begin;
    }
    if (sum == 0x12345678)
        out[0] = 0;
}
__global__ void read_all(long long *out, const uint4 *from, size_t count)
{
    uint32_t s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        s += from[i].x;
    if (s == 0x12345678)
        out[0] = 0;
}

static const size_t room = (size_t)9 << 30, flushed = (size_t)128 << 20;
static char *memory, *origin, *other;
static long long *result;
static uint32_t *lines;

template <typename T> static void launch(int a, shape s, int warps, int blocks)
{
    switch (a) {
    case LOAD: walk<LOAD, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case STORE: walk<STORE, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case IN_PLACE: walk<IN_PLACE, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case ACROSS: walk<ACROSS, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case TWO: walk<TWO, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case LOADS: walk<LOADS, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case STORES: walk<STORES, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case BOTH: walk<BOTH, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case WORD: walk<WORD, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case WORDS: walk<WORDS, T><<<blocks, warps * 32>>>(result, memory, s); break;
    case SHARED: walk<SHARED, T><<<blocks, warps * 32>>>(result, memory, s); break;
    }
    CHECK(cudaGetLastError());
}

static double median_of(int blocks)
{
    std::vector<long long> t(blocks);
    CHECK(cudaMemcpy(t.data(), result, blocks * sizeof t[0], cudaMemcpyDeviceToHost));
    std::nth_element(t.begin(), t.begin() + blocks / 2, t.end());
    return (double)t[blocks / 2];
}

static void one(const char *test, int a, int bytes, shape s, int warps, int blocks, bool cold)
{
    if ((size_t)blocks * warps * 32 / s.lanes * s.pitch + 2 * s.apart + 65536 > room)
        return;
    double best = 0;
    for (int k = 0; k < 3; k++) {
        if (cold)
            read_all<<<1056, 256>>>(result, (uint4 *)other, flushed / 16);
        bytes == 16 ? launch<uint4>(a, s, warps, blocks)
                    : bytes == 8 ? launch<uint2>(a, s, warps, blocks) : launch<uint32_t>(a, s, warps, blocks);
        double t = median_of(blocks);
        if (k > 0)
            best = best == 0 ? t : std::min(best, t);
    }
    printf("%s,%s,%d,%lld,%d,%d,%d,%lld,%d,%d,%.2f\n", test, names[a], bytes, (long long)s.pitch, s.lanes, s.skew, s.span,
           (long long)(s.stored > 0 ? s.stored : s.apart), warps, blocks, best / s.turns / warps);
}

// Of lines counted from `origin`, whose number has zeros where theirs has bits.
static double tag_cycles(const std::vector<uint32_t> &places, int warps, int store)
{
    static const int turns = 512;
    uint32_t at[32];
    for (int i = 0; i < 32; i++)
        at[i] = places[i * places.size() / 32];
    CHECK(cudaMemcpy(lines, at, sizeof at, cudaMemcpyHostToDevice));
    tags<<<1, warps * 32>>>(result, origin, lines, turns, store);
    return median_of(1) / turns / warps;
}

static void tag_rows(void)
{
    for (int count : {4, 8, 16, 32})
        for (uint32_t d = 1; d <= 512; d++) {
            std::vector<uint32_t> at;
            for (int i = 0; i < count; i++)
                at.push_back(i * d);
            printf("row,load,4,%u,%d,0,0,0,8,1,%.2f\n", d, 32 / count, tag_cycles(at, 8, 0));
        }
    for (int k = 0; k < 25; k++) // 16 lines of a bank, and 16 of each bank with this bit more: 32 cycles where they share one
        for (int bank = 0; bank < 4; bank++) {
            std::vector<uint32_t> at;
            uint32_t bit = 1u << k;
            for (uint32_t line = 0; at.size() < 16; line++)
                if (bank_of(line & ~bit) == 0 && (line & bit) == 0)
                    at.push_back(line);
            for (uint32_t line = 0; at.size() < 32; line++)
                if (bank_of(line & ~bit) == bank && (line & bit) == 0)
                    at.push_back(line | bit);
            printf("bit,load,4,%d,%d,0,0,0,8,1,%.2f\n", k, bank, tag_cycles(at, 8, 0));
        }
    uint32_t seed = 1; // lines by chance, of 2 MiB
    for (int n : {8, 16, 32})
        for (int set = 0; set < 100; set++) {
            std::vector<uint32_t> at;
            int in_bank[4] = {};
            while ((int)at.size() < n) {
                seed = seed * 1664525u + 1013904223u;
                uint32_t line = seed >> 18;
                if (std::find(at.begin(), at.end(), line) != at.end())
                    continue;
                at.push_back(line);
                in_bank[bank_of(line)]++;
            }
            printf("chance,load,4,%d,%d,0,0,0,8,1,%.2f\n", *std::max_element(in_bank, in_bank + 4), n, tag_cycles(at, 8, 0));
            printf("chance,store,4,%d,%d,0,0,0,8,1,%.2f\n", *std::max_element(in_bank, in_bank + 4), n, tag_cycles(at, 8, 1));
        }
}

int main(int argc, char **argv)
{
    CHECK(cudaMalloc(&memory, room));
    CHECK(cudaMalloc(&other, flushed));
    CHECK(cudaMalloc(&result, 4096 * sizeof *result));
    CHECK(cudaMalloc(&lines, 32 * sizeof *lines));
    CHECK(cudaMemset(memory, 0, room));
    CHECK(cudaMemset(other, 0, flushed));
    const int64_t apart = (int64_t)3 << 30, far = (int64_t)4 << 30;
    origin = (char *)(((uintptr_t)memory + far - 1) / far * far);
    if (argc == 9) { // action bytes pitch lanes span warps blocks skew: once to warm up, once to be looked at
        shape s = {atoll(argv[3]), apart, atoi(argv[4]), atoi(argv[8]), atoi(argv[5]), 512};
        one("once", atoi(argv[1]), atoi(argv[2]), s, atoi(argv[6]), atoi(argv[7]), false);
        return 0;
    }
    static const int pitches[] = {128, 256, 384, 512, 640, 768, 896, 1024, 1152, 1280, 1536, 1920, 2048, 2176, 2304, 2560, 3072, 3968,
                                  4096, 4224, 4352, 4480, 4608, 5120, 6144, 8064, 8192, 8320, 8448, 12288, 16256, 16384, 16512, 16640,
                                  24576, 32768, 32896, 65536, 65664, 131072, 131200, 132, 260, 1028, 1040, 1056, 2052, 4100, 4112,
                                  4128, 4160, 4000, 8196};
    for (int a = 0; a < ACTIONS; a++)
        for (int pitch : pitches)
            for (int span : {128, 1024})
                for (int warps : {1, 2, 4, 8, 16, 32})
                    if (span <= pitch || span == 128)
                        one("pitch", a, 4, {pitch, apart, 1, 0, span, 512}, warps, 1, false);
    for (int a = 0; a < ACTIONS; a++) // the chip, L2 in part; and cold
        for (int pitch : {128, 1024, 1152, 3072, 4096, 4224})
            for (int warps : {1, 8, 32})
                for (int blocks : {4, 132})
                    for (int span : {128, 1024})
                        for (int cold = 0; cold < 2; cold++)
                            if (span <= pitch)
                                one(cold ? "cold" : "warm", a, 4, {pitch, apart, 1, 0, span, 512}, warps, blocks, cold);
    for (int a = 0; a < ACTIONS; a++) // wide words, lanes together, banks
        for (int pitch : {128, 1024, 1152, 4096, 4224, 4352, 8192, 8320})
            for (int warps : {1, 8, 32})
                for (int bytes : {4, 8, 16})
                    for (int lanes : {1, 2, 4, 8, 16})
                        for (int skew : {0, bytes})
                            if (lanes * bytes <= 128 && (skew == 0 || lanes == 1))
                                one("words", a, bytes, {pitch, apart, lanes, skew, 128, 512}, warps, 1, false);
    for (int a : {ACROSS, TWO, LOADS, STORES}) // where the other array lies
        for (int pitch : {4096, 4224, 1024, 1152})
            for (int64_t more : {128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536, 1 << 20})
                for (int warps : {1, 8, 32})
                    one("apart", a, 4, {pitch, apart + more, 1, 0, 128, 512}, warps, 1, false);
    for (int a : {ACROSS, TWO}) // banks of tags of what is loaded, and of what is stored
        for (int pitch : {1024, 4096, 2176, 2560, 3072, 4224, 1152, 896, 32896})
            for (int stored : {1024, 4096, 2176, 2560, 3072, 4224, 1152, 896, 32896})
                for (int skew : {0, 4})
                    for (int warps : {1, 4, 8, 16, 32})
                        one(skew > 0 ? "stored-apart" : "stored", a, 4, {pitch, apart, 1, skew, 128, 512, stored}, warps, 1, false);
    tag_rows();
    return 0;
}
