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

static void offsets(uint32_t *d, const void *row, bool wide, uint32_t more)
{
    const uint32_t *from = row;
    if (wide) {
        narrow(d, row);
        from = d;
    }
    for (size_t i = 0; i < LANES; i++)
        d[i] = from[i] + more;
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

#if defined(__AVX512F__)
// The lanes that share a word are found from the bits of its number: the lanes that have a bit are one mask of 32; of each five
// bits, masks of the lanes that have one of their 32 values, from which each lane takes its own.
enum {
    VALUE_BITS = 5,
    WORD_BITS = 16, // of the number of any word of shared memory
    FEW_BITS = 8    // where there are few
};
struct value_lanes {
    __m512i low, high; // of values 0 to 15, 16 to 31
};
struct words_lanes {
    struct value_lanes banks; // of each bank
    __m512i same[2];          // for each lane those on its word, if it is in the mask
    uint32_t first;           // those of which none before is on their word
};

// bit: for each bit of the value the lanes that have it, in each of the 16.
static inline struct value_lanes value_lanes(const __m512i *bit, unsigned bits)
{
    static const _Alignas(64) int32_t has[4][16] = {
        {0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1},
        {0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1},
        {0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1},
        {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1},
    };
    enum { AND_SAME = 0x90 }; // of a, b, c: a & ~(b ^ c)
    struct value_lanes out = {_mm512_set1_epi32(-1), _mm512_setzero_si512()};
#pragma GCC unroll 5
    for (unsigned i = 0; i < bits; i++) {
        if (i < 4) {
            out.low =
                _mm512_ternarylogic_epi32(out.low, bit[i], _mm512_load_si512(has[i]), AND_SAME);
        } else {
            out.high = _mm512_and_si512(out.low, bit[i]);
            out.low = _mm512_andnot_si512(bit[i], out.low);
        }
    }
    return out;
}

static inline __m512i lanes_alike(const struct value_lanes *v, __m512i word, unsigned from)
{
    return _mm512_permutex2var_epi32(v->low, _mm512_srli_epi32(word, from), v->high);
}

// Of values below 16: no lane has a higher bit.
static inline __m512i lanes_alike_few(const struct value_lanes *v, __m512i word, unsigned from)
{
    return _mm512_permutexvar_epi32(_mm512_srli_epi32(word, from), v->low);
}

// The words' numbers; false: one is misaligned or too high. A misaligned one's lowest bits become its highest.
static inline bool words_numbers(const uint32_t *offset, uint32_t mask, uint32_t limit,
                                 __m512i word[2])
{
    const __m512i last = _mm512_set1_epi32((int)(limit / 4));
    __mmask16 wrong[2];
    for (unsigned i = 0; i < 2; i++) {
        word[i] = _mm512_ror_epi32(_mm512_loadu_si512(offset + (size_t)16 * i), 2);
        wrong[i] = _mm512_mask_cmpgt_epu32_mask((__mmask16)(mask >> 16 * i), word[i], last);
    }
    return _kortestz_mask16_u8(wrong[0], wrong[1]) != 0;
}

static inline struct words_lanes words_lanes(const __m512i word[2], const __m512i *bit,
                                             unsigned bits, uint32_t mask)
{
    const __m512i one = _mm512_set1_epi32(1), in_mask = _mm512_set1_epi32((int)mask);
    struct words_lanes out = {.banks = value_lanes(bit, VALUE_BITS)};
    __m512i below[2];
    for (unsigned i = 0; i < 2; i++) {
        __m512i lane = _mm512_add_epi32(
            _mm512_set1_epi32((int)(16 * i)),
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        below[i] = _mm512_sub_epi32(_mm512_sllv_epi32(one, lane), one);
        out.same[i] = _mm512_maskz_and_epi32((__mmask16)(mask >> 16 * i),
                                             lanes_alike(&out.banks, word[i], 0), in_mask);
    }
#pragma GCC unroll 3
    for (unsigned from = VALUE_BITS; from < bits; from += VALUE_BITS) {
        unsigned left = bits - from;
        const struct value_lanes v =
            value_lanes(bit + from, left < VALUE_BITS ? left : (unsigned)VALUE_BITS);
        for (unsigned i = 0; i < 2; i++) {
            __m512i alike = left < VALUE_BITS ? lanes_alike_few(&v, word[i], from)
                                              : lanes_alike(&v, word[i], from);
            out.same[i] = _mm512_and_si512(out.same[i], alike);
        }
    }
    out.first = _cvtmask32_u32(_mm512_kunpackw(_mm512_testn_epi32_mask(out.same[1], below[1]),
                                               _mm512_testn_epi32_mask(out.same[0], below[0])));
    return out;
}

static inline void bits_tested(const __m512i word[2], unsigned bits, __m512i *bit)
{
    __m512i words = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(word[0])),
                                       _mm512_cvtepi32_epi16(word[1]), 1);
#pragma GCC unroll 16
    for (unsigned i = 0; i < bits; i++)
        bit[i] = _mm512_set1_epi32((int)_cvtmask32_u32(
            _mm512_test_epi16_mask(words, _mm512_set1_epi16((short)(1u << i)))));
}

static inline __m512i bits_counted(__m512i v)
{
    const __m512i nibble = _mm512_set1_epi8(0xf), ones = _mm512_set1_epi8(1);
    const __m512i counts =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(v, nibble));
    __m512i high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi32(v, 4), nibble));
    return _mm512_madd_epi16(_mm512_maddubs_epi16(_mm512_add_epi8(low, high), ones),
                             _mm512_set1_epi16(1));
}

// The most of two vectors of counts.
static inline struct word_turns most_turns(__m512i in_bank, __m512i on_word)
{
    __m512i both = _mm512_or_si512(in_bank, _mm512_slli_epi32(on_word, 16));
    __m256i m = _mm256_max_epu16(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64(both, 1));
    __m128i n = _mm_max_epu16(_mm256_castsi256_si128(m), _mm256_extracti128_si256(m, 1));
    n = _mm_max_epu16(n, _mm_unpackhi_epi64(n, n));
    n = _mm_max_epu16(n, _mm_srli_epi64(n, 32));
    uint32_t most = (uint32_t)_mm_cvtsi128_si32(n);
    return (struct word_turns){most & UINT16_MAX, most >> 16};
}

static bool count_words(const uint32_t *offset, uint32_t mask, uint32_t limit, uint8_t *counts,
                        bool all_lanes, struct word_turns *out)
{
    (void)counts;
    __m512i word[2], bit[WORD_BITS];
    struct words_lanes l;
    if (limit / 4 >= 1u << WORD_BITS || !words_numbers(offset, mask, limit, word))
        return false;
    if (limit / 4 < 1u << FEW_BITS) {
        bits_tested(word, FEW_BITS, bit);
        l = words_lanes(word, bit, FEW_BITS, mask);
    } else {
        bits_tested(word, WORD_BITS, bit);
        l = words_lanes(word, bit, WORD_BITS, mask);
    }
    __m512i count = _mm512_set1_epi32((int)(all_lanes ? mask : mask & l.first));
    __m512i in_bank = _mm512_max_epu32(bits_counted(_mm512_and_si512(l.banks.low, count)),
                                       bits_counted(_mm512_and_si512(l.banks.high, count)));
    __m512i on_word = _mm512_max_epu32(bits_counted(l.same[0]), bits_counted(l.same[1]));
    *out = most_turns(in_bank, on_word);
    return true;
}

/* The same with instructions that not every processor with AVX-512 has: bits of 8 bytes turned about, bits counted. */

#define NEWER __attribute__((target("gfni,avx512vbmi,avx512vpopcntdq")))

// Of byte `at` of the words' numbers the lanes that have each of its bits.
NEWER static inline void bits_turned(const __m512i word[2], unsigned at, __m512i bit[8])
{
    // Byte `at` of each lane, the 8 of each 64 bits in reverse: bit i of a row of a product is that of the other's row 7 - i.
    static const _Alignas(64) uint8_t reverse[32] = {
        28, 24, 20, 16, 12, 8,  4,  0,  60,  56,  52,  48,  44,  40,  36,  32,
        92, 88, 84, 80, 76, 72, 68, 64, 124, 120, 116, 112, 108, 104, 100, 96};
    static const _Alignas(32)
        uint8_t planes[32] = {0, 8,  16, 24, 1, 9,  17, 25, 2, 10, 18, 26, 3, 11, 19, 27,
                              4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31};
    __m512i index = _mm512_castsi256_si512(_mm256_add_epi8(
        _mm256_load_si256((const __m256i *)(const void *)reverse), _mm256_set1_epi8((char)at)));
    __m256i bytes = _mm512_castsi512_si256(_mm512_permutex2var_epi8(word[0], index, word[1]));
    __m256i turned =
        _mm256_gf2p8affine_epi64_epi8(_mm256_set1_epi64x((long long)0x8040201008040201), bytes, 0);
    __m512i plane = _mm512_castsi256_si512(
        _mm256_permutexvar_epi8(_mm256_load_si256((const __m256i *)(const void *)planes), turned));
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++)
        bit[i] = _mm512_permutexvar_epi32(_mm512_set1_epi32(i), plane);
}

NEWER static bool count_words_newer(const uint32_t *offset, uint32_t mask, uint32_t limit,
                                    uint8_t *counts, bool all_lanes, struct word_turns *out)
{
    (void)counts;
    __m512i word[2], bit[WORD_BITS];
    struct words_lanes l;
    if (limit / 4 >= 1u << WORD_BITS || !words_numbers(offset, mask, limit, word))
        return false;
    bits_turned(word, 0, bit);
    if (limit / 4 < 1u << FEW_BITS) {
        l = words_lanes(word, bit, FEW_BITS, mask);
    } else {
        bits_turned(word, 1, bit + FEW_BITS);
        l = words_lanes(word, bit, WORD_BITS, mask);
    }
    __m512i count = _mm512_set1_epi32((int)(all_lanes ? mask : mask & l.first));
    __m512i in_bank = _mm512_max_epu32(_mm512_popcnt_epi32(_mm512_and_si512(l.banks.low, count)),
                                       _mm512_popcnt_epi32(_mm512_and_si512(l.banks.high, count)));
    __m512i on_word =
        _mm512_max_epu32(_mm512_popcnt_epi32(l.same[0]), _mm512_popcnt_epi32(l.same[1]));
    *out = most_turns(in_bank, on_word);
    return true;
}
#elif defined(__AVX2__)
// Of `own`, how many of the lanes `apart` before them have the same in `all`, one byte a lane; lanes before the first have none.
#define SAME_BEFORE(count, own, all, before, apart)                                         \
    count = _mm256_sub_epi8(                                                                \
        count, _mm256_cmpeq_epi8(                                                           \
                   own, (apart) < 16 ? _mm256_alignr_epi8(all, before, (16 - (apart)) & 15) \
                                     : _mm256_alignr_epi8(before, none, (32 - (apart)) & 15)))

static inline uint32_t most8(__m256i v)
{
    __m128i m = _mm_max_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    m = _mm_max_epu8(m, _mm_srli_epi16(m, 8)); // of pairs, in the lower byte
    m = _mm_and_si128(m, _mm_set1_epi16(0xff));
    return 0xffff -
           (uint32_t)_mm_extract_epi16(_mm_minpos_epu16(_mm_xor_si128(m, _mm_set1_epi16(-1))), 0);
}

// The most lanes in one bank, of those that count.
static inline uint32_t bank_lanes(__m256i bank, __m256i counts)
{
    const __m256i none = _mm256_set1_epi8(-1);
    __m256i own = _mm256_blendv_epi8(_mm256_set1_epi8(-2), bank, counts);
    __m256i all = _mm256_blendv_epi8(none, bank, counts);
    __m256i before = _mm256_permute2x128_si256(all, none, 0x02); // none, then the lower half
    __m256i same = _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_cmpeq_epi8(own, before));
#define THREE(at)                                  \
    SAME_BEFORE(same, own, all, before, at);       \
    SAME_BEFORE(same, own, all, before, (at) + 1); \
    SAME_BEFORE(same, own, all, before, (at) + 2)
    THREE(1);
    THREE(4);
    THREE(7);
    THREE(10);
    THREE(13);
    THREE(17);
    THREE(20);
    THREE(23);
    THREE(26);
    THREE(29);
#undef THREE
    return most8(same) + 1;
}

static inline __m256i in_order(__m256i packed)
{
    return _mm256_permute4x64_epi64(packed, 0xd8);
}

// Lanes before each of 16 and 16 that are on its word: `apart` compares each with the one so many before it, and the upper 16
// also with the one 16 more before.
#define WORDS_BEFORE(apart)                                                                        \
    do {                                                                                           \
        __m256i low = (apart) < 8 ? _mm256_alignr_epi8(word[0], none_low, (16 - 2 * (apart)) & 15) \
                                  : _mm256_alignr_epi8(none_low, none, (32 - 2 * (apart)) & 15);   \
        __m256i high = (apart) < 8                                                                 \
                           ? _mm256_alignr_epi8(word[1], low_high, (16 - 2 * (apart)) & 15)        \
                           : _mm256_alignr_epi8(low_high, word[0], (32 - 2 * (apart)) & 15);       \
        same[0] = _mm256_sub_epi16(same[0], _mm256_cmpeq_epi16(word[0], low));                     \
        same[1] = _mm256_sub_epi16(same[1], _mm256_cmpeq_epi16(word[1], high));                    \
        same[1] = _mm256_sub_epi16(same[1], _mm256_cmpeq_epi16(word[1], low));                     \
    } while (0)

static inline void words_before(const __m256i word[2], __m256i same[2])
{
    const __m256i none = _mm256_set1_epi8(-1);
    __m256i none_low = _mm256_permute2x128_si256(none, word[0], 0x21);
    __m256i low_high = _mm256_permute2x128_si256(word[0], word[1], 0x21);
    __m256i none_8 = none_low, high_8 = low_high, zero = _mm256_setzero_si256();
    same[0] = _mm256_sub_epi16(zero, _mm256_cmpeq_epi16(word[0], none_8));
    same[1] = _mm256_sub_epi16(zero, _mm256_cmpeq_epi16(word[1], high_8));
    same[1] = _mm256_sub_epi16(same[1], _mm256_cmpeq_epi16(word[1], none_8));
    same[1] = _mm256_sub_epi16(same[1], _mm256_cmpeq_epi16(word[1], word[0]));
    WORDS_BEFORE(1);
    WORDS_BEFORE(2);
    WORDS_BEFORE(3);
    WORDS_BEFORE(4);
    WORDS_BEFORE(5);
    WORDS_BEFORE(6);
    WORDS_BEFORE(7);
    WORDS_BEFORE(9);
    WORDS_BEFORE(10);
    WORDS_BEFORE(11);
    WORDS_BEFORE(12);
    WORDS_BEFORE(13);
    WORDS_BEFORE(14);
    WORDS_BEFORE(15);
}

static bool count_all_words(const uint32_t *offset, uint32_t limit, bool all_lanes,
                            struct word_turns *out)
{
    __m256i at[4], word[2], same[2], wrong = _mm256_setzero_si256();
    const __m256i last = _mm256_set1_epi32((int)limit), zero = _mm256_setzero_si256();
    for (size_t i = 0; i < 4; i++) {
        at[i] = _mm256_loadu_si256((const __m256i *)(const void *)(offset + 8 * i));
        __m256i beyond = _mm256_xor_si256(_mm256_max_epu32(at[i], last), last);
        __m256i off = _mm256_and_si256(at[i], _mm256_set1_epi32(3));
        wrong = _mm256_or_si256(wrong, _mm256_or_si256(beyond, off));
        at[i] = _mm256_srli_epi32(at[i], 2);
    }
    if (_mm256_testz_si256(wrong, wrong) == 0)
        return false;
    for (size_t i = 0; i < 2; i++)
        word[i] = in_order(_mm256_packus_epi32(at[2 * i], at[2 * i + 1]));
    words_before(word, same);
    __m256i counts = in_order(
        _mm256_packs_epi16(_mm256_cmpeq_epi16(same[0], zero), _mm256_cmpeq_epi16(same[1], zero)));
    __m256i in_bank = _mm256_set1_epi16(31);
    __m256i bank = in_order(_mm256_packus_epi16(_mm256_and_si256(word[0], in_bank),
                                                _mm256_and_si256(word[1], in_bank)));
    out->on_word = most8(_mm256_packus_epi16(same[0], same[1])) + 1;
    out->in_bank = bank_lanes(bank, all_lanes ? _mm256_set1_epi8(-1) : counts);
    return true;
}
#endif

#if !defined(__AVX512F__)
static bool count_words(const uint32_t *offset, uint32_t mask, uint32_t limit, uint8_t *counts,
                        bool all_lanes, struct word_turns *out)
{
    enum { BANKS = 32 };
#if defined(__AVX2__)
    if (mask == ALL_LANES && limit < 4 * UINT16_MAX)
        return count_all_words(offset, limit, all_lanes, out);
#endif
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
#endif

static uint64_t least64(const uint64_t *value, uint64_t bits)
{
#if defined(__AVX512F__)
    __m512i least = _mm512_set1_epi64(-1);
    for (; bits != 0; bits >>= 8, value += 8)
        least = _mm512_mask_min_epu64(least, (__mmask8)bits, least, _mm512_loadu_si512(value));
    return _mm512_reduce_min_epu64(least);
#else
    uint64_t least = UINT64_MAX;
    for (; bits != 0; bits &= bits - 1) {
        uint64_t own = value[__builtin_ctzll(bits)];
        least = own < least ? own : least;
    }
    return least;
#endif
}

#if defined(__AVX512F__)
// 16 rows of 16 words, turned about.
static inline __attribute__((always_inline)) void words_turned(__m512i r[COLUMN_WORDS])
{
    __m512i t[COLUMN_WORDS];
    for (int i = 0; i < COLUMN_WORDS; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < COLUMN_WORDS; i += 4)
        for (int j = 0; j < 2; j++) {
            r[i + 2 * j] = _mm512_unpacklo_epi64(t[i + j], t[i + 2 + j]);
            r[i + 2 * j + 1] = _mm512_unpackhi_epi64(t[i + j], t[i + 2 + j]);
        }
    for (int i = 0; i < COLUMN_WORDS; i += 8)
        for (int j = 0; j < 4; j++) {
            t[i + j] = _mm512_shuffle_i32x4(r[i + j], r[i + 4 + j], 0x88);
            t[i + 4 + j] = _mm512_shuffle_i32x4(r[i + j], r[i + 4 + j], 0xdd);
        }
    for (int j = 0; j < 8; j++) {
        r[j] = _mm512_shuffle_i32x4(t[j], t[8 + j], 0x88);
        r[8 + j] = _mm512_shuffle_i32x4(t[j], t[8 + j], 0xdd);
    }
}
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
// Eight words of eight lines from `word` on, a row of words to a line.
static inline void words_put(uint8_t *host, const uint64_t *far, uint32_t (*word)[LANES],
                             uint32_t filled)
{
    enum { EIGHT = 8 };
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i there =
        _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)filled), bit), bit);
    __m256i r[EIGHT], t[EIGHT];
    for (int i = 0; i < EIGHT; i++)
        r[i] = _mm256_loadu_si256((const __m256i *)(const void *)word[i]);
    for (int i = 0; i < EIGHT; i += 2) {
        t[i] = _mm256_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(r[i], r[i + 1]);
    }
    for (int i = 0; i < EIGHT; i += 4)
        for (int j = 0; j < 2; j++) {
            r[i + 2 * j] = _mm256_unpacklo_epi64(t[i + j], t[i + 2 + j]);
            r[i + 2 * j + 1] = _mm256_unpackhi_epi64(t[i + j], t[i + 2 + j]);
        }
    for (int i = 0; i < EIGHT / 2; i++) {
        t[i] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x20);
        t[i + 4] = _mm256_permute2x128_si256(r[i], r[i + 4], 0x31);
    }
    for (int i = 0; i < EIGHT; i++)
        _mm256_maskstore_epi32((int *)(void *)(host + far[i]), there, t[i]);
}
#endif

static void columns(uint8_t *host, const uint64_t *far, uint32_t word[COLUMN_WORDS][LANES],
                    unsigned lines, uint32_t filled)
{
#if defined(__AVX512F__)
    for (unsigned at = 0; at < lines; at += COLUMN_WORDS) {
        __m512i r[COLUMN_WORDS];
        for (int i = 0; i < COLUMN_WORDS; i++)
            r[i] = _mm512_loadu_si512(&word[i][at]);
        words_turned(r);
        for (int i = 0; i < COLUMN_WORDS; i++)
            _mm512_mask_storeu_epi32(host + far[at + (unsigned)i], (__mmask16)filled, r[i]);
    }
#elif defined(__AVX2__)
    enum { EIGHT = 8 };
    for (unsigned at = 0; at < lines; at += EIGHT)
        for (unsigned w = 0; w < COLUMN_WORDS; w += EIGHT) {
            uint32_t *const from = &word[w][at];
            words_put(host + 4 * w, far + at, (uint32_t(*)[LANES])(void *)from, filled >> w);
        }
#else
    for (unsigned i = 0; i < lines; i++)
        for (uint32_t rest = filled; rest != 0; rest &= rest - 1) {
            unsigned w = (unsigned)__builtin_ctz(rest);
            memcpy(host + far[i] + 4 * w, &word[w][i], 4);
        }
#endif
}

#define LANES_WITH(words)                                                                        \
    {                                                                                            \
        mismatch32, mismatch64, blend32, blend64, gather32, gather32_far, load32, words, narrow, \
            offsets, add64, least64, columns                                                     \
    }
extern const struct lanes_functions LANES_TABLE;
const struct lanes_functions LANES_TABLE = LANES_WITH(count_words);
#if defined(__AVX512F__)
extern const struct lanes_functions lanes_functions_newer;
const struct lanes_functions lanes_functions_newer = LANES_WITH(count_words_newer);
#endif
