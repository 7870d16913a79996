// A set of a cache on the host: which of 16 ways holds a tag, and the order in which its ways were used, a nibble each: nibble 0
// is the way used last. Shared by the caches of both vendors' chips. Private to sim.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_MODEL_LRU_H
#define RIDGE_SIM_MODEL_LRU_H

#include <stdint.h>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { LRU_WAYS = 16 };

// -1: none.
static inline int lru_find(const uint32_t tag[LRU_WAYS], uint32_t wanted)
{
#if defined(__AVX512F__)
    unsigned found =
        _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(tag), _mm512_set1_epi32((int)wanted));
    return found ? __builtin_ctz(found) : -1;
#elif defined(__SSE2__)
    const __m128i same = _mm_set1_epi32((int)wanted), *tags = (const __m128i *)(const void *)tag;
    __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128(tags), same);
    __m128i b = _mm_cmpeq_epi32(_mm_loadu_si128(tags + 1), same);
    __m128i c = _mm_cmpeq_epi32(_mm_loadu_si128(tags + 2), same);
    __m128i d = _mm_cmpeq_epi32(_mm_loadu_si128(tags + 3), same);
    __m128i all = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
    int found = _mm_movemask_epi8(all);
    return found ? __builtin_ctz((unsigned)found) : -1;
#else
    for (int way = 0; way < LRU_WAYS; way++)
        if (tag[way] == wanted)
            return way;
    return -1;
#endif
}

// Of the first half.
static inline int lru_find_half(const uint32_t tag[LRU_WAYS / 2], uint32_t wanted)
{
#if defined(__AVX2__)
    __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(const void *)tag),
                                      _mm256_set1_epi32((int)wanted));
    int found = _mm256_movemask_ps(_mm256_castsi256_ps(same));
    return found ? __builtin_ctz((unsigned)found) : -1;
#elif defined(__SSE2__)
    const __m128i same = _mm_set1_epi32((int)wanted), *tags = (const __m128i *)(const void *)tag;
    __m128i a = _mm_cmpeq_epi32(_mm_loadu_si128(tags), same);
    __m128i b = _mm_cmpeq_epi32(_mm_loadu_si128(tags + 1), same);
    int found = _mm_movemask_epi8(_mm_packs_epi32(a, b));
    return found ? __builtin_ctz((unsigned)found) / 2 : -1;
#else
    for (int way = 0; way < LRU_WAYS / 2; way++)
        if (tag[way] == wanted)
            return way;
    return -1;
#endif
}

// Of both halves.
static inline int lru_find_parts(const uint32_t first[LRU_WAYS / 2],
                                 const uint32_t second[LRU_WAYS / 2], uint32_t wanted)
{
#if defined(__AVX2__)
    const __m256i same = _mm256_set1_epi32((int)wanted);
    __m256i a = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(const void *)first), same);
    __m256i b = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(const void *)second), same);
    unsigned found = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(a)) |
                     (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(b)) << LRU_WAYS / 2;
    return found ? __builtin_ctz(found) : -1;
#else
    int way = lru_find_half(first, wanted);
    if (way >= 0)
        return way;
    way = lru_find_half(second, wanted);
    return way < 0 ? way : LRU_WAYS / 2 + way;
#endif
}

// The order after the way was used.
static inline uint64_t lru_touch(uint64_t order, int way)
{
    if ((int)(order & 15) == way)
        return order;
    uint64_t x = order ^ (uint64_t)way * 0x1111111111111111u;
    uint64_t zero =
        (x - 0x1111111111111111u) & ~x & 0x8888888888888888u; // lowest: where way stands
    unsigned at = (unsigned)__builtin_ctzll(zero) - 3;
    uint64_t newer = ((uint64_t)1 << at) - 1;
    return (order & ~(newer << 4 | 15)) | (order & newer) << 4 | (uint64_t)way;
}

// The way used longest ago, of as many.
static inline int lru_oldest(uint64_t order, int ways)
{
    return (int)(order >> (4 * (ways - 1)) & 15);
}

#endif
