// What the generator and the two runners of bench/differential agree on: the shape of kernel number k,
// its input, and where each thread's results lie.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BENCH_DIFFERENTIAL_H
#define RIDGE_BENCH_DIFFERENTIAL_H

#include <stdint.h>
#include <string.h>

enum {
    KERNELS_PER_MODULE = 100,
    IN_WORDS = 16,  // 32-bit words a thread reads
    OUT_WORDS = 56, // and writes
    SUM_WORDS = 8,  // behind the threads': one for each reduction of the table
    THREADS_MAX = 4 * 96,
    OUT_BYTES = (THREADS_MAX * OUT_WORDS + SUM_WORDS) * 4,
    IN_BYTES = THREADS_MAX * IN_WORDS * 4,
};

struct random {
    uint64_t state;
};

static inline uint64_t random_next(struct random *r) // splitmix64
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t random_below(struct random *r, uint32_t n)
{
    return (uint32_t)((random_next(r) >> 32) * n >> 32);
}

static inline uint32_t block_of(uint64_t k)
{
    return 32 * (uint32_t)(1 + k % 3);
}

static inline uint32_t grid_of(uint64_t k)
{
    return (uint32_t)(1 + k / 3 % 4);
}

// Words at random, every third one of those on which arithmetic turns.
static inline void input_fill(uint64_t seed, uint64_t k, uint32_t words[THREADS_MAX * IN_WORDS])
{
    static const uint32_t corners[] = {
        0,          1,          0xffffffffu, 0x7fffffff,  0x80000000u, 0x80000001u,
        0x3f800000, 0xbf800000, 0x7f800000,  0xff800000u, 0x7fc00000,  0x00800000,
        0x00000001, 0x80800000, 0x34000000,  0x4b800000,  0x4f000000,  0xcf000000,
        0x5f000000, 0x3c003c00, 0x7c00fc00,  0x04000001,  0x7e008001,  0x477fe000,
        0x38800000, 0x33000000, 0x3f7fffff,  0x3ff00000,  0x7ff00000,  0xbff00000,
        0x41e00000, 0x43e00000, 0x00010000,  0x0000ffff,  31,          0x3f803f80,
    };
    struct random r = {seed * 1000003 + k};
    for (int i = 0; i < THREADS_MAX * IN_WORDS; i++) {
        uint64_t x = random_next(&r);
        uint32_t corner = corners[(x >> 40) % (sizeof(corners) / sizeof(corners[0]))];
        words[i] = x % 3 == 0 ? corner : (uint32_t)(x >> 32);
    }
}

static inline uint64_t output_hash(const uint8_t *bytes, uint64_t k) // FNV-1a of what was written
{
    uint64_t hash = 0xcbf29ce484222325u;
    uint32_t threads = block_of(k) * grid_of(k);
    for (uint32_t i = 0; i < threads * OUT_WORDS * 4; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    for (uint32_t i = 0; i < SUM_WORDS * 4; i++)
        hash = (hash ^ bytes[THREADS_MAX * OUT_WORDS * 4 + i]) * 0x100000001b3u;
    return hash;
}

#endif
