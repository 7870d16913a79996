// From the 32 addresses of a warp's instruction to what the hardware does with them: sectors and
// lines of global memory, wavefronts of shared memory. Compiled once for each instruction set.
//
// Global: one request whatever the width; its sectors are the distinct address / 32 and its lines
// the distinct address / 128 over all bytes of the active lanes.
// Shared: 32 banks of 4 bytes (all of this measured on an H200, docs/h200-rates.md, section 3).
// Accesses of up to 4 bytes take the largest number of distinct words in one bank; 8 bytes per lane go
// half-warp by half-warp, 16 bytes quarter-warp by quarter-warp; the parts add up, and one with no
// lane on still counts. Loads whose lanes agree in every pair go in parts twice as wide. Atomics
// count lanes in a bank: lanes on one address take turns as well. (The machine's own increment,
// POPC.INC, does not: it counts as a store does, see atomic.c.)
//
// Lanes are aligned to their width (at most 32 bytes), so a lane lies in one sector and two lanes'
// bytes are the same or disjoint. Common shapes (a constant distance between lanes) are computed
// from their ends; anything else compares every lane with every other, without branches.
// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"
#include "sim/paste.h"

#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum {
    BANKS = 32,
    BANK_BYTES = 4,
    SECTOR_SHIFT = 5,
    LINE_SHIFT = 7,
};
#define ALL_LANES UINT32_MAX
// A word's bytes as they lie in memory.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FIRST_BYTE(x) (x)
#define SECOND_BYTE(x) ((x) << 8)
#else
#define FIRST_BYTE(x) ((x) << 56)
#define SECOND_BYTE(x) ((x) << 48)
#endif
_Static_assert(sizeof(struct access_line) == 16 && offsetof(struct access_line, sectors) == 8 &&
                   offsetof(struct access_line, full_sectors) == 9,
               "global_sparse writes a line as two words");

// Bits set in a value below 16, from a table in a register (the baseline has no popcount).
static inline int bits_of_4(unsigned v)
{
    return (int)(0x4332322132212110u >> (4 * v) & 15);
}

static inline int lanes_in(uint32_t mask)
{
    mask -= mask >> 1 & 0x55555555u;
    mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
    return (int)(((mask + (mask >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24);
}

/* ---- every lane with every other ---------------------------------------------------------------- */

// The lanes that hold x.
static inline uint32_t lanes_equal(const uint32_t v[LANES], uint32_t x)
{
#if defined(__AVX512F__)
    __m512i wanted = _mm512_set1_epi32((int)x);
    return (uint32_t)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(v), wanted) |
           (uint32_t)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(v + 16), wanted) << 16;
#elif defined(__AVX2__)
    const __m256i *at = (const __m256i *)(const void *)v;
    __m256i wanted = _mm256_set1_epi32((int)x);
    uint32_t lanes = 0;
    for (unsigned i = 0; i < 4; i++) {
        __m256i equal = _mm256_cmpeq_epi32(_mm256_loadu_si256(at + i), wanted);
        lanes |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << (8 * i);
    }
    return lanes;
#elif defined(__SSE2__)
    const __m128i *at = (const __m128i *)(const void *)v;
    __m128i wanted = _mm_set1_epi32((int)x), equal[8];
    for (unsigned i = 0; i < 8; i++)
        equal[i] = _mm_cmpeq_epi32(_mm_loadu_si128(at + i), wanted);
    __m128i low =
        _mm_packs_epi16(_mm_packs_epi32(equal[0], equal[1]), _mm_packs_epi32(equal[2], equal[3]));
    __m128i high =
        _mm_packs_epi16(_mm_packs_epi32(equal[4], equal[5]), _mm_packs_epi32(equal[6], equal[7]));
    return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
#else
    uint32_t lanes = 0;
    for (unsigned i = 0; i < LANES; i++)
        lanes |= (uint32_t)(v[i] == x) << i;
    return lanes;
#endif
}

// For each lane the lanes of the mask that hold the same.
static inline void lanes_compare(const uint32_t v[LANES], uint32_t mask, uint32_t same[LANES])
{
    for (unsigned i = 0; i < LANES; i++)
        same[i] = lanes_equal(v, v[i]) & mask;
}

// The lanes that no lane before them (in the same row) is equal to.
static inline uint32_t lanes_first(const uint32_t same[LANES])
{
    uint32_t before[LANES];
    for (unsigned i = 0; i < LANES; i++)
        before[i] = same[i] & (((uint32_t)1 << i) - 1);
    return lanes_equal(before, 0);
}

/* ---- is there a constant distance between lanes? ----------------------------------------------- */

static inline bool steps_evenly_64(const uint64_t address[LANES], uint64_t first, uint64_t step)
{
    uint64_t off = 0;
    for (unsigned i = 0; i < LANES; i++)
        off |= address[i] ^ (first + i * step);
    return off == 0;
}

static inline bool steps_evenly_masked_64(const uint64_t address[LANES], uint32_t mask,
                                          uint64_t first, uint64_t step)
{
    uint64_t off = 0;
    for (unsigned i = 0; i < LANES; i++)
        off |= (address[i] ^ (first + i * step)) & (0 - (uint64_t)(mask >> i & 1));
    return off == 0;
}

static inline bool steps_evenly_32(const uint32_t offset[LANES], uint32_t first, uint32_t step)
{
    uint32_t off = 0;
    for (unsigned i = 0; i < LANES; i++)
        off |= offset[i] ^ (first + i * step);
    return off == 0;
}

static inline bool is_uniform_masked_32(const uint32_t offset[LANES], uint32_t mask, uint32_t value)
{
    uint32_t off = 0;
    for (unsigned i = 0; i < LANES; i++)
        off |= (offset[i] ^ value) & (0 - (mask >> i & 1));
    return off == 0;
}

/* ---- global ------------------------------------------------------------------------------------ */

static inline int ideal_of(int lanes_distinct, unsigned bytes)
{
    return (lanes_distinct * (int)bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

static inline void line_put(struct access *out, int n, uint64_t address, unsigned sectors,
                            unsigned full)
{
    struct access_line *line = &out->line[n];
    line->address = address;
    line->sectors = (uint8_t)sectors;
    line->full_sectors = (uint8_t)full;
}

// Every sector that the bytes of one line cover: bit i of (low, high) is byte i.
static inline void line_put_bytes(struct access *out, int n, uint64_t address, uint64_t low,
                                  uint64_t high)
{
    const uint32_t part[SECTORS_PER_LINE] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                                             (uint32_t)(high >> 32)};
    unsigned sectors = 0, full = 0;
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
        sectors |= (unsigned)(part[s] != 0) << s;
        full |= (unsigned)(part[s] == UINT32_MAX) << s;
    }
    line_put(out, n, address, sectors, full);
    out->sector_count += bits_of_4(sectors);
}

static void global_one_sector(uint64_t address, unsigned bytes, struct access *out)
{
    unsigned sector = 1u << (address >> SECTOR_SHIFT & 3);
    line_put(out, 0, address & ~(uint64_t)(LINE_BYTES - 1), sector,
             bytes == SECTOR_BYTES ? sector : 0);
    out->line_count = out->sector_count = out->sector_ideal = 1;
}

// All lanes, `step` bytes apart, step a power of two from `bytes` to 64: whole lines repeat.
static void global_dense(uint64_t first, unsigned step, unsigned bytes, struct access *out)
{
    uint64_t end = first + 31 * (uint64_t)step + bytes; // one past the last byte
    uint64_t line = first & ~(uint64_t)(LINE_BYTES - 1);
    uint64_t last_line = (end - 1) & ~(uint64_t)(LINE_BYTES - 1);
    unsigned pattern = step <= SECTOR_BYTES ? 15u : 5u << (first >> SECTOR_SHIFT & 1);
    unsigned sectors = pattern & (15u << (first >> SECTOR_SHIFT & 3));
    // Full: with no gaps all but ends that are cut; else only where a lane fills its sector.
    unsigned cut = first & (SECTOR_BYTES - 1) ? 1u << (first >> SECTOR_SHIFT & 3) : 0;
    unsigned tail = end & (SECTOR_BYTES - 1) ? 1u << (end >> SECTOR_SHIFT & 3) : 0;
    unsigned may_fill = step == bytes || bytes == SECTOR_BYTES ? 15u : 0;
    int n = 0, count = 0;
    for (; line != last_line; line += LINE_BYTES) {
        line_put(out, n++, line, sectors, sectors & may_fill & ~cut);
        count += bits_of_4(sectors);
        sectors = pattern;
        cut = 0;
    }
    sectors &= 15u >> (3 - ((end - 1) >> SECTOR_SHIFT & 3));
    line_put(out, n++, line, sectors, sectors & may_fill & ~cut & ~tail);
    out->line_count = n;
    out->sector_count = count + bits_of_4(sectors);
    out->sector_ideal = (int)bytes; // 32 lanes * bytes / 32
}

// Active lanes side by side, some switched off: sector by sector through the mask.
static void global_dense_masked(uint64_t first, uint32_t mask, unsigned bytes, struct access *out)
{
    unsigned lanes_a_sector = SECTOR_BYTES / bytes;
    uint64_t whole = ((uint64_t)1 << lanes_a_sector) - 1;
    // Lane 0 may lie within its sector: shift the mask so that bit 0 starts a sector.
    uint64_t lanes = (uint64_t)mask << ((first & (SECTOR_BYTES - 1)) / bytes);
    uint64_t sector = first >> SECTOR_SHIFT;
    int n = 0, count = 0;
    for (; lanes; lanes >>= lanes_a_sector, sector++) {
        uint64_t here = lanes & whole;
        if (!here)
            continue;
        unsigned bit = 1u << (sector & 3), full = here == whole ? bit : 0;
        uint64_t line = sector >> 2 << 7;
        if (n && out->line[n - 1].address == line) {
            out->line[n - 1].sectors |= (uint8_t)bit;
            out->line[n - 1].full_sectors |= (uint8_t)full;
        } else {
            line_put(out, n++, line, bit, full);
        }
        count++;
    }
    out->line_count = n;
    out->sector_count = count;
    out->sector_ideal = ideal_of(lanes_in(mask), bytes);
}

// Each lane has a line of its own.
static void global_sparse(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                          struct access *out)
{
    unsigned fills = bytes == SECTOR_BYTES ? UINT8_MAX : 0;
    int n = 0;
    if (mask == ALL_LANES) {
        for (unsigned i = 0; i < LANES; i++) { // two words per line, so that it becomes vector code
            uint64_t sector = (uint64_t)1 << (address[i] >> SECTOR_SHIFT & 3);
            uint64_t words[2] = {address[i] & ~(uint64_t)(LINE_BYTES - 1),
                                 FIRST_BYTE(sector) | SECOND_BYTE(sector & fills)};
            memcpy(&out->line[i], words, sizeof words);
        }
        n = LANES;
    } else {
        for (uint32_t rest = mask; rest; rest &= rest - 1, n++) {
            uint64_t a = address[__builtin_ctz(rest)];
            unsigned sector = 1u << (a >> SECTOR_SHIFT & 3);
            line_put(out, n, a & ~(uint64_t)(LINE_BYTES - 1), sector, sector & fills);
        }
    }
    out->line_count = out->sector_count = n;
    out->sector_ideal = ideal_of(n, bytes);
}

// All lanes, rising or falling by less than a line: a line is done when the next one begins.
static void global_sorted(const uint64_t address[LANES], unsigned bytes, struct access *out)
{
    uint64_t piece = ((uint64_t)1 << bytes) - 1, low = 0, high = 0;
    uint64_t line = address[0] >> 7;
    out->sector_count = 0;
    int n = 0;
    for (unsigned i = 0; i < LANES; i++) {
        if (address[i] >> 7 != line) {
            line_put_bytes(out, n++, line << 7, low, high);
            line = address[i] >> 7;
            low = high = 0;
        }
        uint64_t covered = piece << (address[i] & 63), upper = 0 - (address[i] >> 6 & 1);
        low |= covered & ~upper;
        high |= covered & upper;
    }
    line_put_bytes(out, n++, line << 7, low, high);
    out->line_count = n;
    out->sector_ideal = (int)bytes;
}

// Anything, however far apart: each lane looks for its line among those found before.
static void global_far_apart(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                             struct access *out)
{
    uint64_t covered[LANES][2];
    memset(covered, 0, sizeof covered);
    uint64_t piece = ((uint64_t)1 << bytes) - 1;
    int n = 0, distinct = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint64_t a = address[__builtin_ctz(rest)], line = a >> LINE_SHIFT << LINE_SHIFT;
        int i = 0;
        while (i < n && out->line[i].address != line)
            i++;
        if (i == n)
            out->line[n++].address = line;
        uint64_t *half = &covered[i][a >> 6 & 1], bits = piece << (a & 63);
        distinct += (*half & bits) == 0;
        *half |= bits;
    }
    out->sector_count = 0;
    for (int i = 0; i < n; i++)
        line_put_bytes(out, i, out->line[i].address, covered[i][0], covered[i][1]);
    out->line_count = n;
    out->sector_ideal = ideal_of(distinct, bytes);
}

// Lines of which several lanes touch at least one. same_line: lanes in each lane's line; leaders: the
// first lanes of the lines; once: lanes whose address no lane before them has.
static void global_gather(const uint64_t address[LANES], const uint32_t same_line[LANES],
                          uint32_t leaders, uint32_t once, unsigned bytes, struct access *out)
{
    uint32_t in_sector[SECTORS_PER_LINE], sector[LANES], sectors[LANES];
    for (unsigned i = 0; i < LANES; i++)
        sector[i] = (uint32_t)(address[i] >> SECTOR_SHIFT & 3);
    for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
        in_sector[s] = lanes_equal(sector, s);
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t here = same_line[i];
        sectors[i] = (here & in_sector[0] ? 1u : 0) | (here & in_sector[1] ? 2u : 0) |
                     (here & in_sector[2] ? 4u : 0) | (here & in_sector[3] ? 8u : 0);
    }
    int n = 0, count = 0, whole = SECTOR_BYTES / (int)bytes;
    for (uint32_t rest = leaders; rest; rest &= rest - 1, n++) {
        unsigned lane = (unsigned)__builtin_ctz(rest), full = 0;
        uint32_t here = same_line[lane] & once;
        if (lanes_in(here) >= whole)
            for (unsigned s = 0; s < SECTORS_PER_LINE; s++)
                full |= (unsigned)(lanes_in(here & in_sector[s]) == whole) << s;
        line_put(out, n, address[lane] & ~(uint64_t)(LINE_BYTES - 1), sectors[lane], full);
        count += bits_of_4(sectors[lane]);
    }
    out->line_count = n;
    out->sector_count = count;
    out->sector_ideal = ideal_of(lanes_in(once), bytes);
}

static void global_scattered(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                             struct access *out)
{
    unsigned shift = (unsigned)__builtin_ctz(bytes);
    uint64_t first = address[__builtin_ctz(mask)], apart = 0;
    uint32_t line[LANES], item[LANES], same[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        apart |= (address[i] ^ first) & (0 - (uint64_t)(mask >> i & 1));
        line[i] = (uint32_t)(address[i] >> LINE_SHIFT);
        item[i] = (uint32_t)(address[i] >> shift);
    }
    if (apart >> shift >> 32) { // 32 bits would not keep all lanes apart
        global_far_apart(address, mask, bytes, out);
        return;
    }
    lanes_compare(line, mask, same);
    uint32_t leaders = lanes_first(same) & mask;
    if (leaders == mask) {
        global_sparse(address, mask, bytes, out);
        return;
    }
    uint32_t same_item[LANES];
    lanes_compare(item, mask, same_item);
    global_gather(address, same, leaders, lanes_first(same_item) & mask, bytes, out);
}

static void global_full(const uint64_t address[LANES], unsigned bytes, struct access *out)
{
    uint64_t step = address[1] - address[0];
    if (!steps_evenly_64(address, address[0], step))
        global_scattered(address, ALL_LANES, bytes, out);
    else if (step == 0)
        global_one_sector(address[0], bytes, out);
    else if (step + LINE_BYTES - 1 >= 2 * LINE_BYTES - 1) // at least a line, either way
        global_sparse(address, ALL_LANES, bytes, out);
    else if (step < LINE_BYTES && (step & (step - 1)) == 0)
        global_dense(address[0], (unsigned)step, bytes, out);
    else
        global_sorted(address, bytes, out);
}

static void global_access(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                          struct access *out)
{
    if (mask == ALL_LANES) {
        global_full(address, bytes, out);
        return;
    }
    if (mask == 0) {
        out->sector_count = out->sector_ideal = out->line_count = 0;
        return;
    }
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t rest = mask & (mask - 1);
    unsigned second = rest ? (unsigned)__builtin_ctz(rest) : first;
    uint64_t apart = address[second] - address[first], dense = (uint64_t)(second - first) * bytes;
    uint64_t lane_0 = address[first] - (uint64_t)first * bytes; // if side by side
    if (apart == 0 && steps_evenly_masked_64(address, mask, address[first], 0))
        global_one_sector(address[first], bytes, out);
    else if (apart == dense && steps_evenly_masked_64(address, mask, lane_0, bytes))
        global_dense_masked(lane_0, mask, bytes, out);
    else
        global_scattered(address, mask, bytes, out);
}

/* ---- shared ------------------------------------------------------------------------------------ */

static inline int largest_of(const uint8_t *count, unsigned n)
{
    uint8_t most = 1; // a part with no lane on takes its turn, too
    for (unsigned b = 0; b < n; b++)
        most = count[b] > most ? count[b] : most;
    return most;
}

// The banks are counted in units of the access (offset >> shift), `banks` of them; the warp goes in
// parts of `part` lanes, one after the other. Distinct units in the fullest bank of each part, or all
// lanes there, summed.
static inline int parts_sum(const uint32_t offset[LANES], uint32_t mask, unsigned shift,
                            unsigned banks, unsigned part, bool all_lanes)
{
    uint8_t count[LANES] = {0};
    uint32_t unit[LANES], same[LANES];
    for (unsigned i = 0; i < LANES; i++)
        unit[i] = offset[i] >> shift;
    uint32_t counted = mask;
    if (!all_lanes) {
        lanes_compare(unit, mask, same);
        for (unsigned i = 0; i < LANES; i++) // only lanes of the same part
            same[i] &= ALL_LANES >> (LANES - part) << (i & ~(part - 1));
        counted &= lanes_first(same);
    }
    for (unsigned i = 0; i < LANES; i++) {
        unsigned at = i / part * banks + (unit[i] & (banks - 1));
        count[at] = (uint8_t)(count[at] + (counted >> i & 1));
    }
    int sum = 0;
    for (unsigned p = 0; p < LANES / part; p++)
        sum += largest_of(count + (size_t)p * banks, banks);
    return sum;
}

// One bit a bank: as many bits as lanes means no two lanes share a bank.
static inline uint32_t banks_of(const uint32_t offset[LANES], uint32_t mask)
{
    uint32_t banks = 0;
    for (unsigned i = 0; i < LANES; i++)
        banks |= (mask >> i & 1) << (offset[i] >> 2 & (BANKS - 1));
    return banks;
}

static struct wavefronts shared_narrow(const uint32_t offset[LANES], uint32_t mask,
                                       enum shared_kind kind)
{
    if (lanes_in(banks_of(offset, mask)) == lanes_in(mask))
        return (struct wavefronts){1, 1};
    if (kind != SHARED_ATOMIC && is_uniform_masked_32(offset, mask, offset[__builtin_ctz(mask)]))
        return (struct wavefronts){1, 1};
    return (struct wavefronts){parts_sum(offset, mask, 2, BANKS, LANES, kind == SHARED_ATOMIC), 1};
}

// In every pair of lanes (2i, 2i + 1) the active ones have the same address.
static inline bool pairs_are_equal(const uint32_t offset[LANES], uint32_t mask)
{
    uint32_t off = 0;
    for (unsigned i = 0; i < LANES; i += 2)
        off |= (offset[i] ^ offset[i + 1]) & (0 - (mask >> i & mask >> (i + 1) & 1));
    return off == 0;
}

// 8 or 16 bytes per lane, in parts of 16 or 8 lanes; twice that for loads of equal pairs.
static struct wavefronts shared_wide(const uint32_t offset[LANES], uint32_t mask, unsigned bytes,
                                     enum shared_kind kind)
{
    bool pairs = kind == SHARED_LOAD && pairs_are_equal(offset, mask), all = kind == SHARED_ATOMIC;
    if (bytes == 8)
        return (struct wavefronts){parts_sum(offset, mask, 3, 16, pairs ? 32 : 16, all),
                                   pairs ? 1 : 2};
    return (struct wavefronts){parts_sum(offset, mask, 4, 8, pairs ? 16 : 8, all), pairs ? 2 : 4};
}

static struct wavefronts shared_access(const uint32_t offset[LANES], uint32_t mask, unsigned bytes,
                                       enum shared_kind kind)
{
    if (mask == 0)
        return (struct wavefronts){0, 0};
    unsigned width = bytes < BANK_BYTES ? BANK_BYTES : bytes;
    uint32_t step = offset[1] - offset[0];
    if (mask == ALL_LANES && step % width == 0 && step != 0 &&
        steps_evenly_32(offset, offset[0], step)) {
        // Lanes k units apart, k odd times 2^p: 2^p lanes of a part share a bank.
        uint32_t units = step / width, part = BANKS * BANK_BYTES / width;
        uint32_t together = units & (0 - units);
        int parts = (int)(LANES / part);
        return (struct wavefronts){(int)(together < part ? together : part) * parts, parts};
    }
    return bytes <= BANK_BYTES ? shared_narrow(offset, mask, kind)
                               : shared_wide(offset, mask, bytes, kind);
}

extern const struct access_functions PASTE(sim_access_functions_, SIM_ISA);
const struct access_functions PASTE(sim_access_functions_, SIM_ISA) = {
    .global = global_access,
    .shared = shared_access,
};
