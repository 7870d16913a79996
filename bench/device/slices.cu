// What atomics on global memory take: what operations cost at one place, how that goes with the number of places, which lines
// are of one slice of the L2, and how long grids of them take by where their keys lie, what is read in front, and what is done before
// all meet at one address. CSV on standard output. Built and run by cycles.sh.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <algorithm>
#include <vector>

typedef unsigned u32;
typedef unsigned long long u64;
static const size_t MiB = 1 << 20;
static char *g_buf; // 256 MiB
static u32 *g_in;   // 64 Mi words by chance
static u32 *g_out;
static cudaEvent_t g_from, g_to;

enum op { RED, ATOM, STORE, LOAD };

__device__ u32 mix(u32 h)
{
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

template <int OP, class T> __device__ void change(T *at, u32 *never)
{
    if (OP == RED) atomicAdd(at, (T)2);
    if (OP == ATOM && atomicAdd(at, (T)2) == (T)-77) *never = 1;
    if (OP == STORE) *at = 2;
    if (OP == LOAD && *at == 77) *never = 1;
}

// Warps of even number at `a`, the others at `b`; `wrap` lanes side by side, then anew.
template <int OP, class T> __global__ void places(T *p, u32 a, u32 b, u32 wrap, int turns, u32 *never)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < turns; t++)
        change<OP>(p + (i / 32 % 2 ? b : a) + i % 32 % wrap, never);
}

// Any of `places`, `step` apart.
template <int OP, class T> __global__ void any_place(T *p, u32 places, u32 step, int turns, u32 *never)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int t = 0; t < turns; t++, i += all)
        change<OP>(p + mix(i) % places * step, never);
}

// Keys by chance or in order, `run` neighbours each, in the order of the blocks or not; so many words read in front, and one that
// the last of them leads to.
enum keys { CHANCE, IN_ORDER, SHUFFLED, SIDE_BY_SIDE };
struct kind { int keys, reads; u32 gathered; };
template <int OP, class T> __global__ void keys(T *p, const u32 *in, kind k, u32 run, u32 mask, u32 *never)
{
    u32 block = k.keys == SHUFFLED ? blockIdx.x * 40503u % gridDim.x : blockIdx.x;
    u32 i = block * 256 + threadIdx.x, v = 0;
    for (int r = 0; r < k.reads; r++) v ^= in[i + (r << 22)];
    if (k.gathered) v ^= in[v & k.gathered];
    u32 at = k.keys == CHANCE ? mix(i / run) : k.keys == SIDE_BY_SIDE ? mix(i / run) * run + i % run : i / run;
    change<OP>(p + (at & mask) + (v == 77), never);
}

template <class T> __global__ void at_the_end(T *out, const T *x, int n)
{
    T sum = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) sum += x[i];
    atomicAdd(out, sum);
}

__global__ void fill(u32 *p) { u32 i = blockIdx.x * 256 + threadIdx.x; p[i] = mix(i); }

template <class F> static float least_us(int times, F launch)
{
    float least = 1e9;
    while (times-- > 0) {
        float ms;
        CHECK(cudaEventRecord(g_from));
        launch();
        CHECK(cudaEventRecord(g_to));
        CHECK(cudaEventSynchronize(g_to));
        CHECK(cudaEventElapsedTime(&ms, g_from, g_to));
        least = std::min(least, ms * 1000);
    }
    return least;
}

template <int OP, class T> static void place_row(const char *name)
{
    const u32 words = sizeof(T) / 4, line = 32 / words;
    const u32 at[][3] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 8 / words}, {0, 0, line}, {0, line, 1}, {0, line, line}};
    printf("place,%s", name);
    for (auto &x : at)
        printf(",%.0f", least_us(3, [&] { places<OP, T><<<264, 256>>>((T *)g_buf, x[0], x[1], x[2], 8, g_out); }));
    printf("\n");
    for (u32 step : {128u, 512u}) {
        printf("places,%s,%u", name, step);
        for (u32 n = 1; n <= 8192; n *= 2)
            printf(",%.0f", least_us(2, [&] { any_place<OP, T><<<8192, 256>>>((T *)g_buf, n, step / (u32)sizeof(T), 2, g_out); }));
        printf("\n");
    }
}

static float pair_us(size_t from, size_t a, size_t b, int times)
{
    return least_us(times, [&] { places<RED, u32><<<66, 256>>>((u32 *)(g_buf + from), u32(a / 4), u32(b / 4), 1, 4, g_out); });
}

// Two lines are of one slice where atomics to both take as long as to one.
static void slices(size_t from, int lines, size_t step)
{
    float same = pair_us(from, 0, 0, 3);
    std::vector<size_t> first;
    printf("slices,%zu,%zu", from, step);
    for (int i = 0; i < lines; i++) {
        size_t at = i * step, s = 0;
        while (s < first.size() && (pair_us(from, first[s], at, 1) < 0.8f * same || pair_us(from, first[s], at, 2) < 0.8f * same)) s++;
        if (s == first.size()) first.push_back(at);
        printf(",%zu", s);
    }
    printf("\n");
}

template <int OP, class T> static void key_rows(const char *name, kind k)
{
    static const char *const order[] = {"chance", "in-order", "shuffled", "side-by-side"};
    for (int blocks : {512, 8192})
        for (u32 run : {1, 2, 4, 8, 14, 32}) {
            printf("keys,%s,%s,%d,%u,%d,%u", name, order[k.keys], k.reads, k.gathered, blocks, run);
            for (int bits : {12, 14, 17, 26})
                printf(",%.1f", least_us(3, [&] { keys<OP, T><<<blocks, 256>>>((T *)g_buf, g_in, k, run, (1u << bits) / sizeof(T) - 1, g_out); }));
            printf("\n");
        }
}

template <class T> static void end_rows(const char *name)
{
    for (int n : {0, 150000, 1000000, 5000000, 20000000}) {
        printf("end,%s,%d", name, n);
        for (int blocks : {132, 264, 1056})
            printf(",%.1f", least_us(3, [&] { at_the_end<T><<<blocks, 128>>>((T *)g_buf, (const T *)(g_buf + 128), n); }));
        printf("\n");
    }
}

int main()
{
    CHECK(cudaMalloc(&g_buf, 256 * MiB));
    CHECK(cudaMalloc(&g_in, 256 * MiB));
    CHECK(cudaMalloc(&g_out, 64));
    CHECK(cudaEventCreate(&g_from));
    CHECK(cudaEventCreate(&g_to));
    CHECK(cudaMemset(g_buf, 0, 256 * MiB));
    fill<<<1 << 18, 256>>>(g_in);
    printf("# place: operation; us of 540,672 lanes' operations (8 of each of 264 blocks of 256): all at one address, two words, a sector, a line, "
           "one address of either of two lines, two lines\n# places: operation, bytes apart; us of 4 Mi operations at any of 1, 2, 4 to 8192 places\n");
    place_row<RED, u32>("red u32");
    place_row<RED, float>("red f32");
    place_row<RED, double>("red f64");
    place_row<RED, u64>("red u64");
    place_row<ATOM, u32>("atom u32");
    place_row<ATOM, float>("atom f32");
    place_row<STORE, u32>("store u32");
    printf("# slices: first byte, bytes apart; the slice of each place in turn\n");
    slices(0, 1024, 128);
    slices(40 * MiB, 128, 128);
    slices(0, 256, 4096);
    printf("# keys: operation, order, words read in front, words gathered of, blocks of 256, neighbours with one key (side by side: with a run of keys); "
           "us in 4 KiB, 16 KiB, 128 KiB, 64 MiB\n");
    key_rows<RED, u32>("red u32", {CHANCE});
    key_rows<RED, u32>("red u32", {IN_ORDER});
    key_rows<RED, u32>("red u32", {SIDE_BY_SIDE});
    key_rows<RED, u32>("red u32", {SHUFFLED});
    key_rows<RED, float>("red f32", {CHANCE});
    key_rows<RED, float>("red f32", {IN_ORDER});
    key_rows<RED, float>("red f32", {SHUFFLED});
    key_rows<RED, double>("red f64", {IN_ORDER});
    key_rows<RED, u32>("red u32", {CHANCE, 2});
    key_rows<RED, float>("red f32", {IN_ORDER, 3});
    key_rows<RED, float>("red f32", {IN_ORDER, 3, 131071});
    key_rows<LOAD, float>("load f32", {IN_ORDER, 3, 131071});
    key_rows<ATOM, u32>("atom u32", {CHANCE});
    key_rows<ATOM, float>("atom f32", {IN_ORDER});
    key_rows<STORE, u32>("store u32", {CHANCE});
    key_rows<LOAD, u32>("load u32", {CHANCE});
    printf("# end: type, numbers; us of 132, 264 and 1056 blocks of 128 threads that add these up and meet at one address\n");
    end_rows<u32>("u32");
    end_rows<float>("f32");
    end_rows<double>("f64");
    CHECK(cudaDeviceSynchronize());
    return 0;
}
