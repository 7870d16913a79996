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

#if defined(__AVX512F__)
static inline __m512i low_halves(const uint64_t *s)
{
    __m256i low = _mm512_cvtepi64_epi32(_mm512_loadu_si512(s));
    __m256i high = _mm512_cvtepi64_epi32(_mm512_loadu_si512(s + 8));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}
#endif

// Stores are as wide as the loads that follow: narrower ones could not be forwarded.
static void narrow(uint32_t *d, const uint64_t *s)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < 2; i++)
        _mm512_storeu_si512(d + 16 * i, low_halves(s + 16 * i));
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

#if defined(__AVX512F__)
static bool load32(uint32_t *d, const uint8_t *from, const void *offset, bool wide,
                   const struct mem_state *s)
{
    const uint32_t *near = offset;
    const uint64_t *far = offset;
    __m512i at[2] = {wide ? low_halves(far) : _mm512_loadu_si512(near),
                     wide ? low_halves(far + 16) : _mm512_loadu_si512(near + 16)};
    __m512i base = _mm512_broadcastd_epi32(_mm512_castsi512_si128(at[0]));
    __mmask16 differ = 0;
    for (size_t i = 0; i < 2; i++)
        differ |= _mm512_cmpneq_epi32_mask(_mm512_sub_epi32(at[i], base),
                                           _mm512_load_si512(s->delta.near + 16 * i));
    if (differ != 0)
        return false;
    if (!s->window) {
        for (size_t i = 0; i < 2; i++)
            _mm512_storeu_si512(d + 16 * i, _mm512_i32gather_epi32(at[i], from, 1));
        return true;
    }
    const uint8_t *low = from + _mm_cvtsi128_si32(_mm512_castsi512_si128(at[0])) + s->lowest;
    __m512i words = _mm512_loadu_si512(low), more = _mm512_loadu_si512(low + 64);
    for (size_t i = 0; i < 2; i++)
        _mm512_storeu_si512(d + 16 * i, _mm512_permutex2var_epi32(
                                            words, _mm512_load_si512(s->word + 16 * i), more));
    return true;
}
#else
static bool load32(uint32_t *d, const uint8_t *from, const void *offset, bool wide,
                   const struct mem_state *s)
{
    uint32_t low[LANES];
    const uint32_t *near = offset;
    if (wide) {
        narrow(low, offset);
        near = low;
    }
    if (mismatch32(near, near[0], s->delta.near) != 0)
        return false;
    gather32(d, from, near);
    return true;
}
#endif

static bool count_words(const uint32_t *offset, uint32_t mask, uint32_t limit, uint8_t *counts,
                        bool all_lanes, struct word_turns *out)
{
    enum { BANKS = 32 };
    uint8_t bank[BANKS] = {0};
    uint32_t off = 0, on_word = 0, every = all_lanes, in_bank = 0;
    for (unsigned i = 0; i < LANES; i++)
        off |= ((offset[i] & 3) | (offset[i] > limit)) & (0 - (mask >> i & 1));
    if (off != 0)
        return false;
#define PUT(at)                                                   \
    uint32_t word = (at) / 4, before = counts[word];              \
    counts[word] = (uint8_t)(before + 1);                         \
    on_word = before > on_word ? before : on_word; /* less one */ \
    bank[word % BANKS] = (uint8_t)(bank[word % BANKS] + (every | (before == 0)))
    if (mask == ALL_LANES) {
        for (unsigned i = 0; i < LANES; i++) {
            PUT(offset[i]);
        }
        for (unsigned i = 0; i < LANES; i++)
            counts[offset[i] / 4] = 0;
    } else {
        EACH_LANE(lane, mask)
        {
            PUT(offset[lane]);
        }
        EACH_LANE(lane, mask)
        {
            counts[offset[lane] / 4] = 0;
        }
    }
#undef PUT
    for (unsigned i = 0; i < BANKS; i++)
        in_bank = bank[i] > in_bank ? bank[i] : in_bank;
    *out = (struct word_turns){in_bank, on_word + 1};
    return true;
}

extern const struct lanes_functions LANES_TABLE;
const struct lanes_functions LANES_TABLE = {mismatch32, mismatch64,   blend32, blend64,
                                            gather32,   gather32_far, load32,  count_words,
                                            narrow,     add64};
