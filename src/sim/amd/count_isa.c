// What memory instructions cost in the units that profilers count: sectors and lines of a request to global memory, passes
// through the LDS's banks. Compiled once for each instruction set of the host.
// LDS: 32 banks of 4 bytes ("Understanding AMD GPU LDS and Bank Conflicts", ROCm's documentation of Composable Kernel;
// AMD's OpenCL Programming Guide, 6.2). Conflicts are between the lanes of a pass: 32 of 4 bytes, 16 of 8, 8 of 12 or 16.
// Lines: 64 bytes in a CU's vector L1 of MI200 ("Vector L1 cache", ROCm Compute Profiler's documentation).
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu.h"
#include "sim/amd/cache_levels.h"
#include "sim/amd/wave.h"
#include "sim/paste.h"

enum {
    BANKS = 32,
    BANK_BYTES = 4,
    L2_LINE_SECTORS = 4,
    LINE_BYTES_64 = AMD_LINE_SECTORS * AMD_SECTOR_BYTES,
    GROUP = 16, // lanes that are looked at together
};

// The compiler makes vector code of the loop, which has no room to be unrolled first.
#if defined(__clang__)
#define EACH_OF_GROUP(i) \
    _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < GROUP; i++)
#else
#define EACH_OF_GROUP(i) \
    _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (unsigned i = 0; i < GROUP; i++)
#endif

/* ---- global memory: lines, in the order in which lanes come to them --------------------------------------------- */

struct lines {
    uint64_t line[2 * WAVE_LANES]; // of 64 bytes: addresses / 64
    uint64_t
        starts[2 * WAVE_LANES]; // a bit for each of its bytes: does a lane's access begin there?
    uint8_t sectors[2 * WAVE_LANES]; // touched, as bits
    unsigned count, at;              // at: the last one found
    uint64_t most;
    bool ascend; // each is beyond those before it
};

// Addresses mostly ascend with the lanes: what is beyond the largest is new. Else lanes go through the lines of the lanes
// before them again, or are near the last one.
static inline unsigned line_find(struct lines *l, uint64_t line)
{
    if (l->count > 0 && l->line[l->at] == line)
        return l->at;
    unsigned next = l->at + 1 < l->count ? l->at + 1 : 0;
    if (l->count > 0 && l->line[next] == line)
        return l->at = next;
    for (unsigned i = l->count > 0 && line <= l->most ? l->count : 0; i > 0; i--)
        if (l->line[i - 1] == line)
            return l->at = i - 1;
    l->line[l->count] = line;
    l->starts[l->count] = 0;
    l->sectors[l->count] = 0;
    l->ascend &= line > l->most || l->count == 0;
    l->most = line > l->most ? line : l->most;
    return l->at = l->count++;
}

static inline void line_add(struct lines *l, uint64_t address)
{
    unsigned i = line_find(l, address / LINE_BYTES_64);
    l->starts[i] |= UINT64_C(1) << address % LINE_BYTES_64;
}

// Lanes side by side, `size` bytes in all.
static inline void lines_add_run(struct lines *l, uint64_t address, unsigned size, uint64_t pattern)
{
    uint64_t end = address + size;
    for (uint64_t line = address / LINE_BYTES_64; line <= (end - 1) / LINE_BYTES_64; line++) {
        uint64_t first = line * LINE_BYTES_64, starts = pattern;
        if (address > first)
            starts &= UINT64_MAX << (address - first);
        if (end < first + LINE_BYTES_64)
            starts &= UINT64_MAX >> (first + LINE_BYTES_64 - end);
        l->starts[line_find(l, line)] |= starts;
    }
}

static inline bool is_run(const uint64_t address[GROUP], unsigned bytes)
{
    const uint64_t start = address[0];
    uint64_t off = 0;
    EACH_OF_GROUP(i)
    {
        off |= address[i] ^ (start + (uint64_t)i * bytes);
    }
    return off == 0;
}

// Lanes of ascending lines, each its own, that no lane before them came to.
static inline bool are_new(const struct lines *l, const uint64_t address[GROUP])
{
    uint64_t line[GROUP + 1];
    uint64_t back = 0; // its highest bit: a line is not beyond the one before
    line[0] = l->count > 0 ? l->most : address[0] / LINE_BYTES_64 - 1;
    EACH_OF_GROUP(i)
    {
        line[i + 1] = address[i] / LINE_BYTES_64;
    }
    EACH_OF_GROUP(i)
    {
        back |= line[i + 1] - line[i] - 1;
    }
    return back >> 63 == 0;
}

// 2^(address modulo 64).
static inline void starts_of(const uint64_t address[GROUP], uint64_t out[GROUP])
{
#if defined(__AVX512F__)
    const __m512i one = _mm512_set1_epi64(1), low = _mm512_set1_epi64(LINE_BYTES_64 - 1);
    for (size_t i = 0; i < GROUP; i += 8) {
        __m512i at = _mm512_and_si512(_mm512_loadu_si512(address + i), low);
        _mm512_storeu_si512(out + i, _mm512_sllv_epi64(one, at));
    }
#else
    for (unsigned i = 0; i < GROUP; i++)
        out[i] = UINT64_C(1) << address[i] % LINE_BYTES_64;
#endif
}

static inline void lines_append(struct lines *l, const uint64_t address[GROUP])
{
    uint64_t *line = l->line + l->count;
    EACH_OF_GROUP(i)
    {
        line[i] = address[i] / LINE_BYTES_64;
    }
    starts_of(address, l->starts + l->count);
    l->most = address[GROUP - 1] / LINE_BYTES_64;
    l->count += GROUP;
    l->at = l->count - 1;
}

// Are the lanes on the lines from `first` on, in turn? Then they are added.
static inline bool lines_add_again(struct lines *l, unsigned first, const uint64_t address[GROUP])
{
    uint64_t *line = l->line + first, *starts = l->starts + first, off = 0;
    EACH_OF_GROUP(i)
    {
        off |= line[i] ^ address[i] / LINE_BYTES_64;
    }
    if (off != 0)
        return false;
    uint64_t more[GROUP];
    starts_of(address, more);
    EACH_OF_GROUP(i)
    {
        starts[i] |= more[i];
    }
    return true;
}

static bool are_aligned(const struct amd_touch *t)
{
    const uint64_t mask = t->mask;
    uint64_t off = 0;
    if (mask == UINT64_MAX)
        for (unsigned lane = 0; lane < WAVE_LANES; lane++)
            off |= t->address[lane];
    else
        for (uint64_t left = mask; left != 0; left &= left - 1)
            off |= t->address[__builtin_ctzll(left)];
    return (off & (t->bytes - 1)) == 0;
}

// Accesses aligned to their size, a power of two: none lies in two sectors.
static void lines_of_aligned(const struct amd_touch *t, struct lines *l)
{
    static const uint64_t patterns[] = {UINT64_MAX,
                                        UINT64_C(0x5555555555555555),
                                        UINT64_C(0x1111111111111111),
                                        UINT64_C(0x0101010101010101),
                                        UINT64_C(0x0001000100010001),
                                        UINT64_C(0x0000000100000001)};
    uint64_t pattern = patterns[__builtin_ctz(t->bytes)];
    unsigned appended = WAVE_LANES; // the first line of the last group whose lines were new
    for (unsigned first = 0; first < WAVE_LANES; first += GROUP) {
        const uint64_t *address = t->address + first;
        unsigned lanes = t->mask >> first & 0xffff;
        if (lanes == 0xffff && appended < WAVE_LANES && lines_add_again(l, appended, address))
            continue;
        if (lanes == 0xffff && is_run(address, t->bytes)) {
            lines_add_run(l, address[0], GROUP * t->bytes, pattern);
            continue;
        }
        if (lanes == 0xffff && are_new(l, address)) {
            appended = l->count;
            lines_append(l, address);
            continue;
        }
        for (; lanes != 0; lanes &= lanes - 1)
            line_add(l, address[__builtin_ctz(lanes)]);
    }
    for (unsigned i = 0; i < l->count; i++)
        l->sectors[i] = (uint8_t)(((uint32_t)l->starts[i] != 0) | (l->starts[i] >> 32 != 0) << 1);
}

// Any: a lane's last byte may be in another sector, and in another line.
static void lines_of_any(const struct amd_touch *t, struct lines *l)
{
    for (uint64_t left = t->mask; left != 0; left &= left - 1) {
        uint64_t at = t->address[__builtin_ctzll(left)], last = at + t->bytes - 1;
        line_add(l, at);
        l->sectors[l->at] |= (uint8_t)(1u << at / AMD_SECTOR_BYTES % AMD_LINE_SECTORS);
        (void)line_find(l, last / LINE_BYTES_64);
        l->sectors[l->at] |= (uint8_t)(1u << last / AMD_SECTOR_BYTES % AMD_LINE_SECTORS);
    }
}

// Lines of L2, of 128 bytes, of lines that ascend.
static unsigned count_wide(const struct lines *l)
{
    unsigned count = 1;
    for (unsigned i = 1; i < l->count; i++)
        count += l->line[i] / 2 != l->line[i - 1] / 2;
    return count;
}

// Those lines themselves.
static void lines_wide(const struct lines *l, struct lines *wide)
{
    for (unsigned i = 0; i < l->count; i++)
        wide->sectors[line_find(wide, l->line[i] / 2)] |=
            (uint8_t)(l->sectors[i] << l->line[i] % 2 * AMD_LINE_SECTORS);
}

/* ---- global memory: what is counted -------------------------------------------------------------------------------- */

// Each line of L1 once, with all of its sectors.
static void access_lines(struct amd_run *run, enum touch_kind kind, bool past_l1,
                         const struct amd_lines *lines, unsigned each)
{
    struct amd_access *access = &run->access;
    const struct amd_reach r =
        levels_access(run->caches, run->l1, kind, past_l1, lines, &run->counts.caches);
    run->site->l1_hit_sectors += r.l1_hit;
    access->l2_sectors += r.array_hit + r.l2;
    access->l2_hit_sectors += r.array_hit + r.l2_hit;
    access->l2_lines += (r.beyond * each + L2_LINE_SECTORS - 1) / L2_LINE_SECTORS;
}

// Lanes that are on the address where most are.
static unsigned most_on_one(const struct amd_touch *t)
{
    unsigned most = 0;
    for (uint64_t left = t->mask; left != 0;) {
        uint64_t address = t->address[__builtin_ctzll(left)], same = 0;
        for (unsigned lane = 0; lane < WAVE_LANES; lane++)
            same |= (uint64_t)(t->address[lane] == address) << lane;
        same &= left;
        left &= ~same;
        unsigned lanes = (unsigned)__builtin_popcountll(same);
        most = lanes > most ? lanes : most;
    }
    return most;
}

static unsigned line_sectors(const struct amd_run *run)
{
    return run->caches ? amd_caches_line_sectors(run->caches) : 0;
}

static void look(const struct amd_run *run, const struct amd_touch *t, enum touch_kind kind,
                 uint64_t line[AMD_LINES_MAX], uint8_t of_line[AMD_LINES_MAX],
                 struct amd_footprint *out)
{
    struct lines lines, wide;
    unsigned sectors = 0, addresses = 0;
    lines.count = lines.at = wide.count = wide.at = 0;
    lines.most = wide.most = 0;
    lines.ascend = wide.ascend = true;
    bool power = (t->bytes & (t->bytes - 1)) == 0 && t->bytes <= AMD_SECTOR_BYTES;
    if (power && are_aligned(t))
        lines_of_aligned(t, &lines);
    else
        lines_of_any(t, &lines);
    const bool narrow = line_sectors(run) == AMD_LINE_SECTORS;
    if (!narrow || !lines.ascend)
        lines_wide(&lines, &wide);
    for (unsigned i = 0; i < lines.count; i++) {
        sectors += (lines.sectors[i] & 1u) + (lines.sectors[i] >> 1);
        addresses += (unsigned)__builtin_popcountll(lines.starts[i]);
    }
    const unsigned lanes = (unsigned)__builtin_popcountll(t->mask);
    const struct lines *kept = narrow ? &lines : &wide;
    memcpy(line, kept->line, kept->count * sizeof *line);
    memcpy(of_line, kept->sectors, kept->count);
    *out = (struct amd_footprint){
        .lines = {.line = line, .sectors = of_line, .count = kept->count, .touched = sectors},
        .sectors = sectors,
        .sectors_ideal = (addresses * t->bytes + AMD_SECTOR_BYTES - 1) / AMD_SECTOR_BYTES,
        .lines_64 = lines.count,
        .lines_128 = narrow && lines.ascend ? count_wide(&lines) : wide.count,
        .passes = kind != TOUCH_ATOMICS ? lines.count
                  : addresses == lanes  ? 1
                                        : most_on_one(t)};
}

static void take(struct amd_run *run, const struct amd_footprint *f, uint64_t first,
                 enum touch_kind kind, bool past_l1, struct amd_traffic *out)
{
    struct amd_access *access = &run->access;
    const unsigned each = line_sectors(run);
    if (access->lines == 0)
        access->first_sector = (uint32_t)(first / AMD_SECTOR_BYTES);
    access->sectors += f->sectors;
    access->sectors_ideal += f->sectors_ideal;
    access->lines += f->lines_128;
    access->passes += f->passes;
    access->store = kind == TOUCH_STORES;
    out->sectors += f->sectors;
    out->sectors_ideal += f->sectors_ideal;
    out->lines += f->lines_64;
    if (each != 0)
        access_lines(run, kind, past_l1, &f->lines, each);
}

static void count_global(struct amd_run *run, const struct amd_touch *t, enum touch_kind kind,
                         bool past_l1, struct amd_traffic *out)
{
    uint64_t line[AMD_LINES_MAX];
    uint8_t sectors[AMD_LINES_MAX];
    struct amd_footprint f;
    if (t->mask == 0)
        return;
    look(run, t, kind, line, sectors, &f);
    take(run, &f, t->address[__builtin_ctzll(t->mask)], kind, past_l1, out);
}

/* ---- LDS ------------------------------------------------------------------------------------------------------------ */

// Do the active lanes' words lie within as many as there are banks? Then no two of them share a bank.
static inline bool within_banks(const uint32_t *word, uint32_t lanes, unsigned count, unsigned each)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t on = 0u - (lanes >> i & 1);
        uint32_t low = word[i] | ~on, high = word[i] & on;
        least = low < least ? low : least;
        most = high > most ? high : most;
    }
    return most + each - 1 - least < BANKS;
}

static unsigned largest_of(const uint8_t turns[BANKS])
{
    uint8_t most = 0;
    for (unsigned i = 0; i < BANKS; i++)
        most = turns[i] > most ? turns[i] : most;
    return most;
}

// Most words that one bank has to give to the lanes, each once.
static unsigned turns_of_banks(const uint32_t *word, uint32_t lanes, unsigned each)
{
    uint8_t turns[BANKS] = {0}, head[BANKS] = {0}, next[BANKS + 1], count = 0;
    uint32_t item[BANKS + 1];
    for (; lanes != 0; lanes &= lanes - 1)
        for (uint32_t k = 0, w = word[__builtin_ctz(lanes)]; k < each; k++, w++) {
            unsigned bank = w % BANKS, i = head[bank];
            while (i > 0 && item[i] != w)
                i = next[i];
            if (i > 0)
                continue;
            turns[bank]++;
            item[++count] = w;
            next[count] = head[bank];
            head[bank] = count;
        }
    return largest_of(turns);
}

#if defined(__AVX512F__)
// How often the bank is named that is named most, of 32 words: bytes in memory would be read where they were just written.
static unsigned turns_of_all(const uint32_t word[BANKS])
{
    const __m512i four = _mm512_set1_epi64(0x0f0f0f0f0f0f0f0f);
    __m512i low = _mm512_setzero_si512(), high = low; // four bits for each bank, of four words
    for (size_t i = 0; i < BANKS; i += 8) {
        __m512i at = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const void *)(word + i)));
        __m512i by = _mm512_and_si512(_mm512_slli_epi64(at, 2), _mm512_set1_epi64(60));
        __m512i one = _mm512_sllv_epi64(_mm512_set1_epi64(1), by);
        __mmask8 upper = _mm512_test_epi64_mask(at, _mm512_set1_epi64(16));
        low = _mm512_mask_add_epi64(low, (__mmask8)~upper, low, one);
        high = _mm512_mask_add_epi64(high, upper, high, one);
    }
    // Eight bits for each, of all: even banks and odd ones, then the lower and the upper.
    __m512i a = _mm512_and_si512(low, four), b = _mm512_and_si512(_mm512_srli_epi64(low, 4), four);
    __m512i c = _mm512_and_si512(high, four),
            d = _mm512_and_si512(_mm512_srli_epi64(high, 4), four);
    a = _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    c = _mm512_add_epi64(_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
    a = _mm512_add_epi64(_mm512_shuffle_i64x2(a, c, 0x88), _mm512_shuffle_i64x2(a, c, 0xdd));
    // Now two pieces of 16 banks' halves each, that belong together.
    __m256i lower = _mm512_castsi512_si256(a), rest = _mm512_extracti64x4_epi64(a, 1);
    __m128i x = _mm_add_epi8(_mm256_castsi256_si128(lower), _mm256_extracti128_si256(lower, 1));
    __m128i y = _mm_add_epi8(_mm256_castsi256_si128(rest), _mm256_extracti128_si256(rest, 1));
    x = _mm_max_epu8(x, y);
    x = _mm_max_epu8(x, _mm_srli_si128(x, 8));
    x = _mm_max_epu8(x, _mm_srli_si128(x, 4));
    x = _mm_max_epu8(x, _mm_srli_si128(x, 2));
    x = _mm_max_epu8(x, _mm_srli_si128(x, 1));
    return (unsigned)_mm_cvtsi128_si32(x) & 0xff;
}
#else
static unsigned turns_of_all(const uint32_t word[BANKS])
{
    uint8_t turns[BANKS] = {0};
    for (unsigned lane = 0; lane < BANKS; lane += 4) { // by four: the loop itself costs as much
        turns[word[lane] % BANKS]++;
        turns[word[lane + 1] % BANKS]++;
        turns[word[lane + 2] % BANKS]++;
        turns[word[lane + 3] % BANKS]++;
    }
    return largest_of(turns);
}
#endif

// Those that change a word take turns even on the same one.
static unsigned turns_of_changes(const uint32_t *word, uint32_t lanes, unsigned each)
{
    uint8_t turns[BANKS] = {0};
    if (lanes == UINT32_MAX && each == 1)
        return turns_of_all(word);
    for (; lanes != 0; lanes &= lanes - 1)
        for (uint32_t k = 0, w = word[__builtin_ctz(lanes)]; k < each; k++, w++)
            turns[w % BANKS]++;
    return largest_of(turns);
}

static void count_lds(const uint32_t address[WAVE_LANES], uint64_t mask, unsigned bytes,
                      bool atomic, struct amd_traffic *out)
{
    const unsigned lanes = bytes <= 4   ? 32
                           : bytes <= 8 ? 16
                                        : 8,
                   each = (bytes + BANK_BYTES - 1) / BANK_BYTES;
    const unsigned count = mask >> 32 ? WAVE_LANES : WAVE_LANES / 2;
    uint32_t word[WAVE_LANES];
    for (unsigned lane = 0; lane < count; lane++)
        word[lane] = address[lane] / BANK_BYTES;
    for (unsigned first = 0; first < count; first += lanes) {
        const uint32_t on = (uint32_t)(mask >> first) & UINT32_MAX >> (32 - lanes);
        const uint32_t *at = word + first;
        if (on == 0)
            continue;
        bool free = !atomic && (lanes == 32   ? within_banks(at, on, 32, each)
                                : lanes == 16 ? within_banks(at, on, 16, each)
                                              : within_banks(at, on, 8, each));
        out->passes += free     ? 1
                       : atomic ? turns_of_changes(at, on, each)
                                : turns_of_banks(at, on, each);
        out->passes_ideal++;
    }
}

extern const struct amd_counting PASTE(amd_counting_, SIM_ISA);
const struct amd_counting PASTE(amd_counting_,
                                SIM_ISA) = {.global = count_global, .look = look, .lds = count_lds};
