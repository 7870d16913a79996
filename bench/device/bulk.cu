// SPDX-License-Identifier: Apache-2.0
// What the copy engine takes: cycles of one bulk copy alone, and bytes per cycle and SM of many, by their size, how many
// are on their way, and how many SMs work. Lines of CSV: what, bytes of a copy, copies on their way, SMs, where, figure.
// The buffer is 16 MiB, which the L2 holds, or 4 GiB. cycles.sh builds and runs it.
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include "../../experiments/common/bulk.h"

enum { ROOM = 192 << 10, COPIES = 4096, DEPTH_MAX = 128 };

static __device__ char *place(char *data, unsigned long long bytes, unsigned size, unsigned i)
{
    unsigned long long at = ((unsigned long long)i * gridDim.x + blockIdx.x) * size;
    return data + (at & (bytes - 1)); // powers of two: a division here takes longer than a copy's start
}

// One thread of a block per SM keeps `depth` copies on their way; a copy of a slot is waited for before the next one.
// Each load has an mbarrier of its own; a store of a slot that is loaded again has read it before.
template <unsigned depth>
static __global__ void stream(char *data, unsigned long long bytes, unsigned size, int loads, int stores,
                              long long *cycles)
{
    extern __shared__ __align__(128) char room[];
    __shared__ unsigned long long full[DEPTH_MAX];
    if (threadIdx.x > 0) return;
    for (unsigned s = 0; s < depth; s++) mbarrier_init(&full[s], 1);
    mbarrier_init_fence();
    long long start = clock64();
    for (unsigned i = 0; i < COPIES + depth; i++) {
        unsigned slot = i % depth;
        char *mine = room + slot * size;
        if (i >= depth) {
            if (loads) mbarrier_wait(&full[slot], (i / depth - 1) & 1);
            if (stores) {
                bulk_store(place(data, bytes, size, i - depth), mine, size);
                if (loads)
                    bulk_store_wait_read();
                else
                    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(depth - 1) : "memory");
            }
        }
        if (loads && i < COPIES) bulk_load(mine, place(data, bytes, size, i), size, &full[slot]);
    }
    if (stores) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    cycles[blockIdx.x] = clock64() - start;
}

// One copy, begun and waited for, again and again: cycles of each.
static __global__ void alone(char *data, unsigned long long bytes, unsigned size, int store, long long *cycles)
{
    extern __shared__ __align__(128) char room[];
    __shared__ unsigned long long full;
    const int runs = 256;
    mbarrier_init(&full, 1);
    mbarrier_init_fence();
    long long start = clock64();
    for (int i = 0; i < runs; i++) {
        char *there = place(data, bytes, size, (unsigned)i * 97u);
        if (store) {
            bulk_store(there, room, size);
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        } else {
            bulk_load(room, there, size, &full);
            mbarrier_wait(&full, i & 1);
        }
    }
    cycles[0] = (clock64() - start) / runs;
}

// So many warps of a block, each with so many lanes, start `each` loads without waiting in between, and wait for all at the
// end: cycles from a thread's first start to its last, of the thread that took longest. Loads land on one another; nobody
// reads them. More than one lane or warp shows whether starts take turns in a warp, or in the SM.
static __global__ void starts(char *data, unsigned long long bytes, unsigned size, int lanes, int each, long long *cycles)
{
    extern __shared__ __align__(128) char room[];
    __shared__ unsigned long long full;
    __shared__ long long most;
    int warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        most = 0;
        mbarrier_init(&full, lanes * warps);
        mbarrier_init_fence();
    }
    __syncthreads();
    if (lane < lanes) {
        char *mine = room + (warp * lanes + lane) * size;
        unsigned to = shared_address(mine), on = shared_address(&full);
        const char *from = place(data, bytes, size, warp * lanes + lane);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(on), "r"(size * each) : "memory");
        long long start = clock64();
#pragma unroll 8
        for (int i = 0; i < each; i++)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                         "l"(from), "r"(size), "r"(on)
                         : "memory");
        long long took = clock64() - start;
        mbarrier_wait(&full, 0);
        atomicMax((unsigned long long *)&most, (unsigned long long)took);
    }
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = most;
}

struct setting {
    char *data;
    long long *cycles;
    unsigned long long space;
    unsigned size;
    int sms;
};

template <unsigned depth> static void streams(const struct setting *s)
{
    if (s->size * depth > ROOM) return;
    CHECK(cudaFuncSetAttribute(stream<depth>, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    const int counts[] = {1, s->sms};
    for (int n : counts)
        for (int way = 1; way < 4; way++) {
            long long cycles[256], most = 0;
            for (int again = 0; again < 2; again++) // the first fills the L2
                stream<depth><<<n, 32, ROOM>>>(s->data, s->space, s->size, way & 1, way >> 1, s->cycles);
            CHECK(cudaMemcpy(cycles, s->cycles, n * sizeof *cycles, cudaMemcpyDeviceToHost));
            for (int i = 0; i < n; i++) most = cycles[i] > most ? cycles[i] : most;
            printf("%s,%u,%u,%d,%llu,%.3f,bytes per cycle and SM each way\n",
                   way == 1 ? "load" : way == 2 ? "store" : "load and store", s->size, depth, n, s->space >> 20,
                   (double)COPIES * s->size / (double)most);
        }
}

static void singles(const struct setting *s)
{
    for (int store = 0; store < 2; store++) {
        long long cycles;
        for (int again = 0; again < 2; again++)
            alone<<<1, 1, ROOM>>>(s->data, s->space, s->size, store, s->cycles);
        CHECK(cudaMemcpy(&cycles, s->cycles, sizeof cycles, cudaMemcpyDeviceToHost));
        printf("%s alone,%u,1,1,%llu,%lld,cycles\n", store ? "store" : "load", s->size, s->space >> 20, cycles);
    }
}

static void beginnings(const struct setting *s)
{
    const int each = 16, counts[] = {1, s->sms};
    CHECK(cudaFuncSetAttribute(starts, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    for (int n : counts)
        for (int warps = 1; warps <= 8; warps *= 2)
            for (int lanes = 1; lanes <= 32; lanes *= 4) {
                long long cycles[256], most = 0;
                if (s->size * warps * lanes > ROOM || s->size * warps * lanes * each >= 1 << 20) continue; // an mbarrier counts 2^20 bytes
                for (int again = 0; again < 2; again++)
                    starts<<<n, 32 * warps, ROOM>>>(s->data, s->space, s->size, lanes, each, s->cycles);
                CHECK(cudaMemcpy(cycles, s->cycles, n * sizeof *cycles, cudaMemcpyDeviceToHost));
                for (int i = 0; i < n; i++) most = cycles[i] > most ? cycles[i] : most;
                printf("starts of %d warps with %d lanes,%u,%d,%d,%llu,%.2f,cycles per start of the SM\n", warps, lanes, s->size,
                       each, n, s->space >> 20, (double)most / (each * warps * lanes));
            }
}

int main()
{
    const unsigned long long spaces[] = {16ull << 20, 4ull << 30};
    const unsigned sizes[] = {16, 64, 128, 256, 512, 1024, 4096, 16384};
    struct setting s = {};
    CHECK(cudaDeviceGetAttribute(&s.sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&s.data, spaces[1]));
    CHECK(cudaMalloc(&s.cycles, 256 * sizeof *s.cycles));
    CHECK(cudaMemset(s.data, 0, spaces[1]));
    CHECK(cudaFuncSetAttribute(alone, cudaFuncAttributeMaxDynamicSharedMemorySize, ROOM));
    printf("what,bytes,depth,sms,space_mib,figure,unit\n");
    for (unsigned long long space : spaces)
        for (unsigned size : sizes) {
            s.space = space;
            s.size = size;
            singles(&s);
            if (size <= 1024 && space == spaces[0]) beginnings(&s);
            streams<1>(&s);
            streams<4>(&s);
            streams<16>(&s);
            streams<64>(&s);
            streams<128>(&s);
        }
    return 0;
}
