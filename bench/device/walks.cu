// How long a load of a walk through memory takes, place by place: cold lines walked forwards by one lane, by rows, by many SMs at once;
// sectors that were stored into; steps of products by tiles. Clock cycles of single loads that the next one waits for.
// CSV: test,parameter,blocks,place,cycles (the median over blocks and repetitions). docs/h200-rates.md, sections 2 and 3.
// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

enum { STAMPS = 256, LANES = 32, BLOCKS = 132, SCATTERED = 64, GRANULE = 64 };

__device__ __forceinline__ uint32_t now()
{
    uint32_t t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
__device__ __forceinline__ uint32_t load(const void *p)
{
    uint32_t v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ uint32_t load_byte(const void *p)
{
    uint32_t v;
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
// Cycles of a load that is waited for, less nothing: the reads of the clock are in it.
#define TIMED(v, expr)                                  \
    do {                                                \
        uint32_t t0 = now();                            \
        v += expr;                                      \
        asm volatile("" ::"r"(v) : "memory");           \
        uint32_t t1 = now() + (v == 0xdeadbeef ? 1 : 0); \
        stamp[n++] = t1 - t0;                           \
    } while (0)
#define KEEP                                             \
    __syncwarp();                                        \
    for (int i = threadIdx.x; i < STAMPS; i += LANES)    \
    out[blockIdx.x * STAMPS + i] = i < count ? stamp[i] : 0

// Lane k reads a word of row k, then the next one `step` bytes on; rows are `pitch` bytes apart (0: all lanes one word).
__global__ void walk(uint32_t *out, const char *from, int64_t pitch, int step, int count, int64_t apart)
{
    __shared__ uint32_t stamp[STAMPS];
    const char *p = from + threadIdx.x * pitch + blockIdx.x * apart;
    uint32_t v = 0;
    int n = 0;
    for (int i = 0; i < count; i++, p += step)
        TIMED(v, load(p + v));
    KEEP;
}

// A sector is read twice, then stored into (bytes of the store: 1, 2, 4; none), then read again at once, and once more.
__global__ void stored(uint32_t *out, char *at, int bytes, int other, int count, int64_t pitch)
{
    __shared__ uint32_t stamp[STAMPS];
    char *p = at + blockIdx.x * 65536 + threadIdx.x * pitch;
    uint32_t v = 0;
    int n = 0;
    for (int i = 0; i + 4 <= count; i += 4, p += 1024) {
        TIMED(v, load_byte(p + v));
        TIMED(v, load_byte(p + v));
        if (bytes == 1)
            asm volatile("st.global.u8 [%0], %1;" ::"l"(p + other + v), "r"(0) : "memory");
        if (bytes == 2)
            asm volatile("st.global.u16 [%0], %1;" ::"l"(p + other + v), "h"((short)0) : "memory");
        if (bytes == 4)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p + other + v), "r"(0) : "memory");
        TIMED(v, load_byte(p + v));
        TIMED(v, load_byte(p + v));
    }
    KEEP;
}

// A product by tiles of 16 x 16 of rows (A times the transpose of B): of each step, cycles of its loads until they are stored, of the
// barrier and the sums behind it, and of the second barrier. Means over steps and warps.
enum { TILE = 16, PARTS = 3 };
__global__ void tiles(uint32_t *out, const float *a, const float *b, int k)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    const float *from_a = a + (size_t)(blockIdx.y * TILE + ty) * k + tx, *from_b = b + (size_t)(blockIdx.x * TILE + ty) * k + tx;
    uint32_t taken[PARTS] = {}, at = now();
    float sum = 0;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        as[ty][tx] = from_a[k0];
        bs[ty][tx] = from_b[k0];
        asm volatile("" ::: "memory");
        uint32_t loaded = now();
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[tx][i];
        uint32_t summed = now() + (sum == 12345.f);
        __syncthreads();
        uint32_t end = now();
        taken[0] += loaded - at, taken[1] += summed - loaded, taken[2] += end - summed;
        at = end;
    }
    if (tx == 0 && ty % 2 == 0)
        for (int i = 0; i < PARTS; i++)
            out[(blockIdx.y * gridDim.x + blockIdx.x) * STAMPS + ty / 2 * PARTS + i] = taken[i];
}

// Cold granules of as many lanes at once, each time new ones: `pitch` bytes apart, or by chance in 64 MiB (0).
__global__ void scattered(uint32_t *out, const char *from, int lanes, int64_t pitch, int64_t apart, size_t granules)
{
    __shared__ uint32_t stamp[STAMPS];
    uint32_t v = 0, count = SCATTERED;
    int n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t h = (blockIdx.x * (apart > 0) * count + i) * LANES + threadIdx.x;
        h = (h ^ h >> 16) * 0x7feb352dU;
        h = (h ^ h >> 15) * 0x846ca68bU;
        h ^= h >> 16;
        size_t place = pitch > 0 ? (i * (size_t)lanes + threadIdx.x) * pitch + blockIdx.x * apart : (h % granules) * GRANULE;
        if (threadIdx.x < lanes)
            TIMED(v, load(from + place + v));
        __syncwarp();
    }
    KEEP;
}

// First loads of a grid that reads an array once, coalesced, `bytes` a lane: cycles of each warp.
__global__ void firsts(uint32_t *out, const char *from, int bytes)
{
    const char *p = from + ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * bytes;
    uint32_t v, x = 0, y = 0, z = 0, t0 = now();
    if (bytes == 16)
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(x), "=r"(y), "=r"(z) : "l"(p) : "memory");
    else
        v = load(p);
    if ((v | x | y | z) != 0) // it is: the clock waits for the answer
        __trap();
    uint32_t t1 = now();
    if (threadIdx.x % LANES == 0)
        out[blockIdx.x * STAMPS + threadIdx.x / LANES] = t1 - t0;
}

static char *memory, *other;
static uint32_t *result;
static const size_t room = (size_t)1 << 30, flushed = (size_t)256 << 20;

__global__ void read_all(uint32_t *out, const uint4 *from, size_t count)
{
    uint32_t s = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        s += from[i].x;
    if (s == 0xdeadbeef)
        out[0] = s;
}

// Nothing of `memory` is left in L2; what is there is clean, or dirty.
static void flush(bool dirty)
{
    if (dirty)
        CHECK(cudaMemset(other, 0, flushed));
    else
        read_all<<<1056, 256>>>(result, (const uint4 *)other, flushed / 16);
    CHECK(cudaDeviceSynchronize());
}

static std::vector<uint32_t> take(int blocks)
{
    CHECK(cudaDeviceSynchronize());
    std::vector<uint32_t> r((size_t)blocks * STAMPS);
    CHECK(cudaMemcpy(r.data(), result, r.size() * 4, cudaMemcpyDeviceToHost));
    return r;
}

static double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v.empty() ? 0 : v[v.size() / 2];
}

// Prints the median of each place modulo `period` and the mean of all.
static void show(const char *test, const char *parameter, int blocks, int period, int first, int count,
                 const std::vector<std::vector<uint32_t>> &runs)
{
    std::map<int, std::vector<double>> by;
    double sum = 0, n = 0;
    for (const auto &r : runs)
        for (int b = 0; b < blocks; b++)
            for (int i = first; i < count; i++)
                by[i % period].push_back(r[(size_t)b * STAMPS + i]), sum += r[(size_t)b * STAMPS + i], n++;
    printf("%s,%s,%d,mean,%.1f\n", test, parameter, blocks, sum / n);
    for (auto &p : by)
        printf("%s,%s,%d,%d,%.0f\n", test, parameter, blocks, p.first, median(p.second));
}

static void walks()
{
    for (int cold = 0; cold < 3; cold++) // L2 has it; clean before; dirty before
        for (int64_t pitch : {0, 368, 4096})
            for (int step : {4, 32, 64, 128, 256, 4096}) {
                if (pitch > 0 && step != 4)
                    continue;
                for (int blocks : {1, 18, (int)BLOCKS})
                    for (int64_t apart : {(int64_t)0, (int64_t)4 << 20}) {
                        if (apart > 0 && (blocks == 1 || pitch == 368))
                            continue;
                        std::vector<std::vector<uint32_t>> runs;
                        for (int k = 0; k < 5; k++) {
                            if (cold == 0)
                                walk<<<blocks, LANES>>>(result, memory, pitch, step, STAMPS, apart);
                            else
                                flush(cold == 2);
                            walk<<<blocks, LANES>>>(result, memory, pitch, step, STAMPS, apart);
                            runs.push_back(take(blocks));
                        }
                        char what[80];
                        snprintf(what, sizeof what, "%s pitch %d step %d%s", cold == 0 ? "in L2" : cold == 1 ? "clean" : "dirty",
                                 (int)pitch, step, apart ? " apart" : "");
                        show("walk", what, blocks, step == 4 ? 32 : step >= 256 ? 2 : 256 / step, 32, STAMPS, runs);
                    }
            }
}

static void stores()
{
    for (int64_t pitch : {0, 32768})
        for (int bytes : {0, 1, 2, 4})
            for (int place : {0, 16, 32}) { // the same place, another of the sector, another sector
                std::vector<std::vector<uint32_t>> runs;
                for (int k = 0; k < 5; k++) {
                    stored<<<1, pitch ? 2 : 1>>>(result, memory, bytes, place, 128, pitch);
                    runs.push_back(take(1));
                }
                char what[80];
                snprintf(what, sizeof what, "%d bytes at %d lanes %d", bytes, place, pitch ? 2 : 1);
                show("stored", what, 1, 4, 16, 128, runs);
            }
}

// Prints the mean and some percentiles of cycles.
static void show_spread(const char *test, const char *what, int blocks, std::vector<double> &all)
{
    std::sort(all.begin(), all.end());
    double sum = 0;
    for (double v : all)
        sum += v;
    printf("%s,%s,%d,mean,%.1f\n", test, what, blocks, sum / all.size());
    for (int share : {10, 25, 50, 75, 90, 99})
        printf("%s,%s,%d,p%d,%.0f\n", test, what, blocks, share, all[all.size() * share / 100]);
}

static void chances()
{
    for (int cold = 0; cold < 2; cold++)
        for (int64_t pitch : {0, 64, 128, 256, 368, 512, 960, 1024, 2048, 4096, 8192})
            for (int lanes : {1, 2, 4, 8, 16, 32})
                for (int blocks : {1, 18, (int)BLOCKS})
                    for (int64_t apart : {(int64_t)0, (int64_t)6 << 20}) {
                        if ((apart > 0 && blocks == 1) || pitch * lanes * SCATTERED > (16 << 20))
                            continue;
                        std::vector<double> all;
                        for (int k = 0; k < 5; k++) {
                            if (cold)
                                flush(false);
                            else
                                scattered<<<blocks, LANES>>>(result, memory, lanes, pitch, apart, (size_t)(64 << 20) / GRANULE);
                            scattered<<<blocks, LANES>>>(result, memory, lanes, pitch, apart, (size_t)(64 << 20) / GRANULE);
                            auto r = take(blocks);
                            for (int b = 0; b < blocks; b++)
                                for (int i = 4; i < SCATTERED; i++)
                                    all.push_back(r[(size_t)b * STAMPS + i]);
                        }
                        char what[80];
                        snprintf(what, sizeof what, "%s pitch %d lanes %d%s", cold ? "cold" : "in L2", (int)pitch, lanes, apart ? " apart" : "");
                        show_spread("scattered", what, blocks, all);
                    }
}

static void beginnings()
{
    for (int cold = 0; cold < 3; cold++) // L2 has it; clean before; dirty before
        for (int bytes : {4, 16})
            for (int blocks : {1, 18, (int)BLOCKS, 2 * BLOCKS})
                for (int warps : {1, 8, 32}) {
                    std::vector<double> all;
                    for (int k = 0; k < 15; k++) {
                        const char *from = memory + (size_t)(k % 5) * (40 << 20);
                        if (cold == 0)
                            firsts<<<blocks, warps * LANES>>>(result, from, bytes);
                        else
                            flush(cold == 2);
                        firsts<<<blocks, warps * LANES>>>(result, from, bytes);
                        auto r = take(blocks);
                        for (int b = 0; b < blocks; b++)
                            for (int w = 0; w < warps; w++)
                                all.push_back(r[(size_t)b * STAMPS + w]);
                    }
                    char what[80];
                    snprintf(what, sizeof what, "%s %d bytes a lane %d warps", cold == 0 ? "in L2" : cold == 1 ? "clean" : "dirty", bytes, warps);
                    show_spread("first load", what, blocks, all);
                }
}

static void products()
{
    static const char *const part[PARTS] = {"loads", "barrier and sums", "second barrier"};
    enum { WARPS = TILE * TILE / LANES };
    for (int k : {240, 2048})
        for (int cold = 0; cold < 2; cold++)
            for (dim3 grid : {dim3(1, 1), dim3(10, 1), dim3(1, 10), dim3(10, 10), dim3(11, 12)}) {
                double sum[PARTS] = {};
                int blocks = (int)(grid.x * grid.y), runs = 5;
                for (int n = 0; n < runs; n++) {
                    const float *a = (const float *)memory, *b = (const float *)(memory + (size_t)(256 << 20));
                    if (cold)
                        flush(false);
                    else
                        tiles<<<grid, dim3(TILE, TILE)>>>(result, a, b, k);
                    tiles<<<grid, dim3(TILE, TILE)>>>(result, a, b, k);
                    auto r = take(blocks);
                    for (int i = 0; i < blocks; i++)
                        for (int w = 0; w < WARPS; w++)
                            for (int p = 0; p < PARTS; p++)
                                sum[p] += (double)r[(size_t)i * STAMPS + w * PARTS + p] / (k / TILE);
                }
                for (int p = 0; p < PARTS; p++)
                    printf("tiles,%s k %d %u x %u,%d,%s,%.1f\n", cold ? "cold" : "in L2", k, grid.x, grid.y, blocks, part[p],
                           sum[p] / (runs * blocks * WARPS));
            }
}

int main()
{
    CHECK(cudaMalloc(&memory, room));
    CHECK(cudaMalloc(&other, flushed));
    CHECK(cudaMalloc(&result, 2 * BLOCKS * STAMPS * 4));
    CHECK(cudaMemset(memory, 0, room));
    CHECK(cudaMemset(other, 0, flushed));
    printf("test,parameter,blocks,place,cycles\n");
    walks();
    stores();
    chances();
    beginnings();
    products();
    return 0;
}
