// Coalescing and bank conflicts, held to implementations that are slow and plainly right, on every
// instruction set this host runs; and to what was measured on an H200 (docs/h200-rates.md).
// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- slow and right ---------------------------------------------------------------------------- */

static int of_line(const struct access *a, uint64_t address)
{
    for (int i = 0; i < a->line_count; i++)
        if (a->line[i].address == address)
            return i;
    return -1;
}

static void slow_global(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                        struct access *out)
{
    memset(out, 0, sizeof *out);
    bool touched[LANES * 2][LINE_BYTES];
    memset(touched, 0, sizeof touched);
    for (unsigned lane = 0; lane < LANES; lane++) {
        if (!(mask >> lane & 1))
            continue;
        for (unsigned b = 0; b < bytes; b++) {
            uint64_t a = address[lane] + b, line = a / LINE_BYTES * LINE_BYTES;
            int i = of_line(out, line);
            if (i < 0) {
                i = out->line_count++;
                out->line[i].address = line;
            }
            touched[i][a % LINE_BYTES] = true;
        }
    }
    int distinct = 0;
    for (int i = 0; i < out->line_count; i++)
        for (unsigned s = 0; s < SECTORS_PER_LINE; s++) {
            int count = 0;
            for (unsigned b = 0; b < SECTOR_BYTES; b++)
                count += touched[i][s * SECTOR_BYTES + b];
            distinct += count;
            out->sector_count += count > 0;
            out->line[i].sectors |= (uint8_t)((count > 0) << s);
            out->line[i].full_sectors |= (uint8_t)((count == SECTOR_BYTES) << s);
        }
    out->sector_ideal = (distinct + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

// Wavefronts of lanes [from, to): the largest number of distinct words (atomics: lanes) in a bank.
static int slow_part(const uint32_t offset[LANES], uint32_t mask, unsigned bytes,
                     enum shared_kind kind, unsigned from, unsigned to)
{
    int most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
        uint32_t words[LANES * 4];
        int count = 0;
        for (unsigned lane = from; lane < to; lane++) {
            if (!(mask >> lane & 1))
                continue;
            for (unsigned b = 0; b < bytes || b == 0; b += 4) {
                uint32_t word = (offset[lane] + b) / 4;
                bool known = false;
                for (int i = 0; i < count && kind != SHARED_ATOMIC; i++)
                    known = known || words[i] == word;
                if (word % 32 == bank && !known)
                    words[count++] = word;
            }
        }
        most = count > most ? count : most;
    }
    return most;
}

static struct wavefronts slow_shared(const uint32_t offset[LANES], uint32_t mask, unsigned bytes,
                                     enum shared_kind kind)
{
    if (mask == 0)
        return (struct wavefronts){0, 0};
    unsigned part = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
    bool pairs = kind == SHARED_LOAD && part < 32;
    for (unsigned lane = 0; lane < LANES; lane += 2)
        if ((mask >> lane & 3) == 3 && offset[lane] != offset[lane + 1])
            pairs = false;
    part = pairs ? 2 * part : part;
    struct wavefronts sum = {0, 0};
    for (unsigned from = 0; from < LANES; from += part) {
        int most = slow_part(offset, mask, bytes, kind, from, from + part);
        sum.count += most > 0 ? most : 1;
        sum.ideal++;
    }
    return sum;
}

/* ---- patterns ------------------------------------------------------------------------------------ */

struct dice {
    uint64_t index;
};

static uint32_t roll(struct dice *d)
{
    uint32_t out[4];
    philox(11, 0, d->index++, out);
    return out[0];
}

enum { PATTERNS = 12 };

// One lane's place among `units` units, by pattern: the shapes kernels make, and none at all.
static uint64_t place(struct dice *d, unsigned pattern, unsigned lane, uint32_t a, uint32_t b)
{
    switch (pattern) {
    case 0:
        return a + lane;
    case 1:
        return a;
    case 2:
        return a + lane * (b % 70);
    case 3:
        return a + 5000 - lane * (b % 70);
    case 4:
        return a + lane * 1024;
    case 5:
        return a + lane / 2;
    case 6:
        return a + lane / (1 + b % 16) * 33 + lane % (1 + b % 16);
    case 7:
        return a + roll(d) % 4;
    case 8:
        return a + roll(d) % 64;
    case 9:
        return a + (lane ^ b % 32);
    case 10:
        return a + (lane < 16 ? lane : 1000 + lane) + (lane == b % 32);
    default:
        return roll(d) % 8192;
    }
}

static uint32_t some_mask(struct dice *d)
{
    uint32_t r = roll(d);
    switch (r >> 29) {
    case 0:
    case 1:
    case 2:
        return UINT32_MAX;
    case 3:
        return (1u << (r & 31)) - 1;
    case 4:
        return 1u << (r & 31);
    case 5:
        return 0x55555555u;
    case 6:
        return roll(d) & roll(d) & roll(d);
    default:
        return roll(d);
    }
}

static enum sim_isa isas_of_host(void)
{
    assert_int_equal(unsetenv("RIDGE_SIM_ISA"), 0);
    return sim_isa_best();
}

/* ---- the tests ------------------------------------------------------------------------------------ */

static void assert_same_access(const struct access *got, const struct access *want)
{
    assert_int_equal(got->sector_count, want->sector_count);
    assert_int_equal(got->sector_ideal, want->sector_ideal);
    assert_int_equal(got->line_count, want->line_count);
    for (int i = 0; i < want->line_count; i++) {
        assert_int_equal(got->line[i].address, want->line[i].address);
        assert_int_equal(got->line[i].sectors, want->line[i].sectors);
        assert_int_equal(got->line[i].full_sectors, want->line[i].full_sectors);
    }
}

static void global_agrees_with_the_slow_way(void **state)
{
    for (enum sim_isa isa = 0; isa <= isas_of_host(); isa++) {
        const struct access_functions *f = sim_access_functions(isa);
        struct dice d = {(uint64_t)isa << 32};
        for (int round = 0; round < 40000; round++) {
            unsigned bytes = 1u << roll(&d) % 6, pattern = roll(&d) % PATTERNS;
            uint32_t a = roll(&d) % 4096, b = roll(&d), mask = some_mask(&d);
            uint64_t address[LANES], base = roll(&d) % 2 ? 0x700000000000u : 0;
            for (unsigned lane = 0; lane < LANES; lane++)
                address[lane] = base + place(&d, pattern, lane, a, b) * bytes;
            struct access got, want;
            memset(&got, 0xee, sizeof got);
            f->global(address, mask, bytes, &got);
            slow_global(address, mask, bytes, &want);
            assert_same_access(&got, &want);
        }
    }
}

static void global_ignores_the_addresses_of_lanes_that_are_off(void **state)
{
    for (enum sim_isa isa = 0; isa <= isas_of_host(); isa++) {
        uint64_t address[LANES];
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = lane & 1 ? 0xffffffffffffffffu : 64 + 4 * lane;
        struct access got;
        sim_access_functions(isa)->global(address, 0x55555555u, 4, &got);
        assert_int_equal(got.sector_count, 4);
        assert_int_equal(got.sector_ideal, 2);
        assert_int_equal(got.line_count, 2);
        sim_access_functions(isa)->global(address, 0, 4, &got);
        assert_int_equal(got.sector_count + got.sector_ideal + got.line_count, 0);
    }
}

// sim-rules.md: consecutive accesses of 4, 8 and 16 bytes give 4, 8 and 16 sectors.
static void global_unit_stride_takes_a_sector_per_32_bytes(void **state)
{
    for (enum sim_isa isa = 0; isa <= isas_of_host(); isa++)
        for (unsigned bytes = 1; bytes <= 32; bytes *= 2) {
            uint64_t address[LANES];
            for (unsigned lane = 0; lane < LANES; lane++)
                address[lane] = 4096 + lane * bytes;
            struct access got;
            sim_access_functions(isa)->global(address, UINT32_MAX, bytes, &got);
            assert_int_equal(got.sector_count, bytes);
            assert_int_equal(got.sector_ideal, bytes);
            assert_int_equal(got.line_count, (bytes + 3) / 4);
            assert_int_equal(got.line[0].full_sectors, got.line[0].sectors);
        }
}

static void shared_agrees_with_the_slow_way(void **state)
{
    for (enum sim_isa isa = 0; isa <= isas_of_host(); isa++) {
        const struct access_functions *f = sim_access_functions(isa);
        struct dice d = {(uint64_t)(8 + isa) << 32};
        for (int round = 0; round < 40000; round++) {
            unsigned bytes = 1u << roll(&d) % 5, pattern = roll(&d) % PATTERNS;
            enum shared_kind kind = roll(&d) % 4;
            uint32_t a = roll(&d) % 512, b = roll(&d), mask = some_mask(&d), offset[LANES];
            for (unsigned lane = 0; lane < LANES; lane++)
                offset[lane] = (uint32_t)place(&d, pattern, lane, a, b) * bytes;
            struct wavefronts got = f->shared(offset, mask, bytes, kind);
            struct wavefronts want = slow_shared(offset, mask, bytes, kind);
            assert_int_equal(got.count, want.count);
            assert_int_equal(got.ideal, want.ideal);
        }
    }
}

// docs/h200-rates.md, section 3: cycles = wavefronts, read on an H200.
static void shared_agrees_with_the_hardware(void **state)
{
    static const struct {
        unsigned bytes;
        enum shared_kind kind;
        uint32_t mask, step, divide; // offset = lane / divide * step
        int want;
    } SEEN[] = {
        {4, SHARED_LOAD, UINT32_MAX, 4, 1, 1},    {4, SHARED_LOAD, UINT32_MAX, 8, 1, 2},
        {4, SHARED_STORE, UINT32_MAX, 16, 1, 4},  {4, SHARED_LOAD, UINT32_MAX, 32, 1, 8},
        {4, SHARED_LOAD, UINT32_MAX, 64, 1, 16},  {4, SHARED_LOAD, UINT32_MAX, 128, 1, 32},
        {4, SHARED_LOAD, UINT32_MAX, 132, 1, 1},  {4, SHARED_LOAD, UINT32_MAX, 0, 1, 1},
        {8, SHARED_LOAD, 0xff, 8, 1, 2},          {16, SHARED_LOAD, 0xff, 16, 1, 4},
        {8, SHARED_LOAD, UINT32_MAX, 0, 1, 1},    {16, SHARED_LOAD, UINT32_MAX, 0, 1, 2},
        {8, SHARED_LOAD, UINT32_MAX, 8, 2, 1},    {16, SHARED_LOAD, UINT32_MAX, 16, 2, 2},
        {8, SHARED_LOAD, UINT32_MAX, 16, 2, 2},   {16, SHARED_LOAD, UINT32_MAX, 32, 2, 4},
        {8, SHARED_LOAD, UINT32_MAX, 128, 2, 16}, {16, SHARED_LOAD, UINT32_MAX, 128, 2, 16},
        {8, SHARED_STORE, UINT32_MAX, 0, 1, 2},   {16, SHARED_STORE, UINT32_MAX, 0, 1, 4},
        {8, SHARED_LOAD, 0x55555555, 8, 2, 1},    {16, SHARED_LOAD, 0x55555555, 16, 2, 2},
        {4, SHARED_ATOMIC, UINT32_MAX, 4, 2, 2},  {4, SHARED_ATOMIC, UINT32_MAX, 4, 8, 8},
        {4, SHARED_ATOMIC, UINT32_MAX, 0, 1, 32}, {4, SHARED_ATOMIC, UINT32_MAX, 4, 1, 1},
    };
    for (enum sim_isa isa = 0; isa <= isas_of_host(); isa++)
        for (size_t i = 0; i < COUNT_OF(SEEN); i++) {
            uint32_t offset[LANES];
            for (unsigned lane = 0; lane < LANES; lane++)
                offset[lane] = lane / SEEN[i].divide * SEEN[i].step;
            const struct access_functions *f = sim_access_functions(isa);
            struct wavefronts got = f->shared(offset, SEEN[i].mask, SEEN[i].bytes, SEEN[i].kind);
            assert_int_equal(got.count, SEEN[i].want);
        }
}

static void isa_is_lowered_by_the_environment(void **state)
{
    enum sim_isa best = isas_of_host();
    assert_int_equal(setenv("RIDGE_SIM_ISA", "baseline", 1), 0);
    assert_int_equal(sim_isa_best(), SIM_ISA_BASELINE);
    assert_int_equal(setenv("RIDGE_SIM_ISA", "avx512", 1), 0);
    assert_int_equal(sim_isa_best(), best);
    assert_int_equal(setenv("RIDGE_SIM_ISA", "something", 1), 0);
    assert_int_equal(sim_isa_best(), best);
    assert_int_equal(unsetenv("RIDGE_SIM_ISA"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_agrees_with_the_slow_way),
        cmocka_unit_test(global_ignores_the_addresses_of_lanes_that_are_off),
        cmocka_unit_test(global_unit_stride_takes_a_sector_per_32_bytes),
        cmocka_unit_test(shared_agrees_with_the_slow_way),
        cmocka_unit_test(shared_agrees_with_the_hardware),
        cmocka_unit_test(isa_is_lowered_by_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
