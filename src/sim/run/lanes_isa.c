// Vector helpers of the interpreter, compiled once for each instruction set (SIM_ISA).
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"
#include "sim/paste.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LANES_TABLE PASTE(lanes_functions_, SIM_ISA)

static uint32_t mismatch32(const uint32_t *value, uint32_t base, const uint32_t *delta)
{
    uint32_t bits = 0;
#if defined(__AVX512F__)
    __m512i b = _mm512_set1_epi32((int)base);
    for (size_t i = 0; i < 2; i++) {
        __m512i v = _mm512_sub_epi32(_mm512_loadu_si512(value + 16 * i), b);
        bits |= (uint32_t)_mm512_cmpneq_epi32_mask(v, _mm512_loadu_si512(delta + 16 * i)) << 16 * i;
    }
#elif defined(__AVX2__)
    __m256i b = _mm256_set1_epi32((int)base);
    for (size_t i = 0; i < 4; i++) {
        const __m256i *v = (const __m256i *)(const void *)(value + 8 * i);
        const __m256i *d = (const __m256i *)(const void *)(delta + 8 * i);
        __m256i same =
            _mm256_cmpeq_epi32(_mm256_sub_epi32(_mm256_loadu_si256(v), b), _mm256_loadu_si256(d));
        bits |= (~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same)) & 0xff) << 8 * i;
    }
#elif defined(__SSE2__)
    __m128i b = _mm_set1_epi32((int)base);
    for (size_t i = 0; i < 8; i++) {
        const __m128i *v = (const __m128i *)(const void *)(value + 4 * i);
        const __m128i *d = (const __m128i *)(const void *)(delta + 4 * i);
        __m128i same = _mm_cmpeq_epi32(_mm_sub_epi32(_mm_loadu_si128(v), b), _mm_loadu_si128(d));
        bits |= (~(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same)) & 0xf) << 4 * i;
    }
#else
    for (unsigned i = 0; i < LANES; i++)
        bits |= (uint32_t)(value[i] - base != delta[i]) << i;
#endif
    return bits;
}

static uint32_t mismatch64(const uint64_t *value, uint64_t base, const uint64_t *delta)
{
    uint32_t bits = 0;
#if defined(__AVX512F__)
    __m512i b = _mm512_set1_epi64((long long)base);
    for (size_t i = 0; i < 4; i++) {
        __m512i v = _mm512_sub_epi64(_mm512_loadu_si512(value + 8 * i), b);
        bits |= (uint32_t)_mm512_cmpneq_epi64_mask(v, _mm512_loadu_si512(delta + 8 * i)) << 8 * i;
    }
#elif defined(__AVX2__)
    __m256i b = _mm256_set1_epi64x((long long)base);
    for (size_t i = 0; i < 8; i++) {
        const __m256i *v = (const __m256i *)(const void *)(value + 4 * i);
        const __m256i *d = (const __m256i *)(const void *)(delta + 4 * i);
        __m256i same =
            _mm256_cmpeq_epi64(_mm256_sub_epi64(_mm256_loadu_si256(v), b), _mm256_loadu_si256(d));
        bits |= (~(uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same)) & 0xf) << 4 * i;
    }
#else
    for (unsigned i = 0; i < LANES; i++)
        bits |= (uint32_t)(value[i] - base != delta[i]) << i;
#endif
    return bits;
}

static void blend32(uint32_t *d, const uint32_t *s, uint32_t mask)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < 2; i++)
        _mm512_mask_storeu_epi32(d + 16 * i, (__mmask16)(mask >> 16 * i),
                                 _mm512_loadu_si512(s + 16 * i));
#else
    for (unsigned i = 0; i < LANES; i++)
        d[i] = (mask >> i & 1) != 0 ? s[i] : d[i];
#endif
}

static void blend64(uint64_t *d, const uint64_t *s, uint32_t mask)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < 4; i++)
        _mm512_mask_storeu_epi64(d + 8 * i, (__mmask8)(mask >> 8 * i),
                                 _mm512_loadu_si512(s + 8 * i));
#else
    for (unsigned i = 0; i < LANES; i++)
        d[i] = (mask >> i & 1) != 0 ? s[i] : d[i];
#endif
}

// Whole vectors are stored: what reads the row next would stall on 32 single stores.
static void gather32(uint32_t *d, const uint8_t *base, const uint32_t *offset)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < 2; i++) {
        __m512i at = _mm512_loadu_si512(offset + 16 * i);
        _mm512_storeu_si512(d + 16 * i, _mm512_i32gather_epi32(at, base, 1));
    }
#elif defined(__AVX2__)
    for (size_t i = 0; i < 4; i++) {
        __m256i at = _mm256_loadu_si256((const __m256i *)(const void *)(offset + 8 * i));
        _mm256_storeu_si256((__m256i *)(void *)(d + 8 * i),
                            _mm256_i32gather_epi32((const int *)(const void *)base, at, 1));
    }
#else
    for (unsigned i = 0; i < LANES; i++)
        memcpy(&d[i], base + (int32_t)offset[i], 4);
#endif
}

static void gather32_far(uint32_t *d, const uint8_t *base, const uint64_t *offset)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < 4; i++) {
        __m512i at = _mm512_loadu_si512(offset + 8 * i);
        _mm256_storeu_si256((__m256i *)(void *)(d + 8 * i), _mm512_i64gather_epi32(at, base, 1));
    }
#else
    for (unsigned i = 0; i < LANES; i++)
        memcpy(&d[i], base + offset[i], 4);
#endif
}

// Stores are as wide as the loads that follow: narrower ones could not be forwarded.
static void narrow(uint32_t *d, const uint64_t *s)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < 2; i++) {
        __m256i low = _mm512_cvtepi64_epi32(_mm512_loadu_si512(s + 16 * i));
        __m256i high = _mm512_cvtepi64_epi32(_mm512_loadu_si512(s + 16 * i + 8));
        __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        _mm512_storeu_si512(d + 16 * i, both);
    }
#else
    for (size_t i = 0; i < LANES; i++)
        d[i] = (uint32_t)s[i];
#endif
}

static void add64(uint64_t *d, const uint64_t *s, uint64_t more)
{
    for (size_t i = 0; i < LANES; i++)
        d[i] = s[i] + more;
}

static bool load32(uint32_t *d, const uint8_t *from, const uint32_t *offset, uint32_t base,
                   const uint32_t *delta)
{
    if (mismatch32(offset, base, delta) != 0)
        return false;
    gather32(d, from, offset);
    return true;
}

extern const struct lanes_functions LANES_TABLE;
const struct lanes_functions LANES_TABLE = {mismatch32,   mismatch64, blend32, blend64, gather32,
                                            gather32_far, load32,     narrow,  add64};
