// What blocks that stay tell each other while they run: pairs of words in global memory, marked with the launch's
// epoch, so that they need not be cleared. All blocks must run at once. With bulk.h and rows.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef EXPERIMENTS_COMMON_TOLD_H
#define EXPERIMENTS_COMMON_TOLD_H

// Zero before the first launch, and ready for the next one after each.
struct progress {
    unsigned done, epoch;
};

static __device__ unsigned epoch_of(const struct progress *progress)
{
    return *(const volatile unsigned *)&progress->epoch + 1;
}

// Once per block, after its threads' last look at the epoch. The last block ends it.
static __device__ void epoch_leave(struct progress *progress, unsigned epoch)
{
    if (atomicAdd(&progress->done, 1u) == gridDim.x - 1) {
        progress->done = 0;
        progress->epoch = epoch;
    }
}

static __device__ void word_put(unsigned long long *word, unsigned epoch, float x)
{
    unsigned long long v = (unsigned long long)epoch << 32 | __float_as_uint(x);
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(word), "l"(v) : "memory");
}

// Both words of a pair, on their way together: asked for before they are needed.
struct asked {
    unsigned long long first, second;
};

static __device__ struct asked words_ask(const unsigned long long *words)
{
    struct asked a;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(a.first) : "l"(words) : "memory");
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(a.second) : "l"(words + 1) : "memory");
    return a;
}

static __device__ float2 words_wait(const unsigned long long *words, unsigned epoch, struct asked a)
{
    while (a.first >> 32 != epoch || a.second >> 32 != epoch)
        a = words_ask(words);
    return make_float2(__uint_as_float((unsigned)a.first), __uint_as_float((unsigned)a.second));
}

// Those of a row's first 32 parts, by a warp: a lane asks for its own.
static __device__ struct asked row_ask(const unsigned long long *words, int parts)
{
    int lane = threadIdx.x % 32;
    struct asked none = {0, 0};
    return lane < parts ? words_ask(&words[2 * lane]) : none;
}

// Of some warps of a block, which have a role of their own; id from 1.
static __device__ void role_barrier(int id, int warps)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(warps * 32) : "memory");
}

#endif
