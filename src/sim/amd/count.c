// What memory instructions and arithmetic cost in the units that profilers count: sectors and lines of a request to
// global memory, passes through the LDS's banks, floating-point operations.
// LDS: 32 banks of 4 bytes ("Understanding AMD GPU LDS and Bank Conflicts", ROCm's documentation of Composable Kernel;
// AMD's OpenCL Programming Guide, 6.2). Conflicts are between the lanes of a pass: 32 of 4 bytes, 16 of 8, 8 of 12 or 16.
// Lines: 64 bytes in a CU's vector L1 of MI200 ("Vector L1 cache", ROCm Compute Profiler's documentation).
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/wave.h"

#include <pthread.h>

enum { BANKS = 32, BANK_BYTES = 4, L2_LINE_SECTORS = 4 };

/* ---- global memory ------------------------------------------------------------------------------------------- */

struct distinct {
    uint64_t items[2 * WAVE_LANES], most;
    unsigned count;
};

// Addresses mostly ascend with the lanes: what is beyond the largest is new. Else neighbouring lanes are near: what came
// last is looked at first.
static void add(struct distinct *d, uint64_t item)
{
    for (unsigned i = item > d->most ? 0 : d->count; i > 0; i--)
        if (d->items[i - 1] == item)
            return;
    d->items[d->count++] = item;
    d->most = item > d->most ? item : d->most;
}

// Each line once, with all of its sectors, in the order in which lanes come to them.
static void access_lines(struct amd_run *run, enum touch_kind kind, bool past_l1,
                         const struct distinct *sectors)
{
    const struct amd_cache_counts before = run->counts.caches, *after = &run->counts.caches;
    struct amd_access *access = &run->access;
    unsigned left = 0;
    struct distinct lines = {.count = 0};
    unsigned each = run->caches ? amd_caches_line_sectors(run->caches) : 1;
    for (unsigned i = 0; i < sectors->count && run->caches; i++)
        add(&lines, sectors->items[i] / each);
    for (unsigned i = 0; i < lines.count; i++) {
        unsigned touched = 0;
        for (unsigned k = 0; k < sectors->count; k++)
            if (sectors->items[k] / each == lines.items[i])
                touched |= 1u << sectors->items[k] % each;
        uint64_t sent = after->l2_sectors[kind] + after->array_hit_sectors;
        amd_caches_access(run->caches, run->l1, kind, past_l1, lines.items[i], touched,
                          &run->counts.caches);
        left += after->l2_sectors[kind] + after->array_hit_sectors > sent;
    }
    run->site->l1_hit_sectors += after->l1_hit_sectors - before.l1_hit_sectors;
    unsigned near = (unsigned)(after->array_hit_sectors - before.array_hit_sectors);
    access->l2_sectors += near + (unsigned)(after->l2_sectors[kind] - before.l2_sectors[kind]);
    access->l2_hit_sectors += near + (unsigned)(after->l2_hit_sectors - before.l2_hit_sectors);
    access->l2_lines += (left * each + L2_LINE_SECTORS - 1) / L2_LINE_SECTORS;
}

// Lanes that are on the address where most are.
static unsigned most_on_one(const struct amd_touch *t, const struct distinct *addresses)
{
    unsigned most = 0;
    for (unsigned i = 0; i < addresses->count; i++) {
        unsigned lanes = 0;
        for (uint64_t left = t->mask; left != 0; left &= left - 1)
            lanes += t->address[__builtin_ctzll(left)] == addresses->items[i];
        most = lanes > most ? lanes : most;
    }
    return most;
}

void amd_count_global(struct amd_run *run, const struct amd_touch *t, enum touch_kind kind,
                      bool past_l1, struct amd_traffic *out)
{
    struct distinct sectors = {.count = 0}, lines = {.count = 0}, addresses = {.count = 0},
                    wide = {.count = 0};
    struct amd_access *access = &run->access;
    if (t->mask == 0)
        return;
    for (uint64_t left = t->mask; left != 0; left &= left - 1) {
        uint64_t at = t->address[__builtin_ctzll(left)];
        add(&addresses, at);
        add(&sectors, at / AMD_SECTOR_BYTES);
        add(&sectors, (at + t->bytes - 1) / AMD_SECTOR_BYTES);
    }
    for (unsigned i = 0; i < sectors.count; i++) {
        add(&lines, sectors.items[i] / AMD_LINE_SECTORS);
        add(&wide, sectors.items[i] / L2_LINE_SECTORS);
    }
    access->first_sector = access->lines == 0 ? (uint32_t)sectors.items[0] : access->first_sector;
    access->sectors += sectors.count;
    access->sectors_ideal += (addresses.count * t->bytes + AMD_SECTOR_BYTES - 1) / AMD_SECTOR_BYTES;
    access->lines += wide.count;
    access->passes += kind == TOUCH_ATOMICS ? most_on_one(t, &addresses) : lines.count;
    access->store = kind == TOUCH_STORES;
    out->sectors += sectors.count;
    out->lines += lines.count;
    access_lines(run, kind, past_l1, &sectors);
    out->sectors_ideal +=
        ((uint64_t)addresses.count * t->bytes + AMD_SECTOR_BYTES - 1) / AMD_SECTOR_BYTES;
}

/* ---- LDS ------------------------------------------------------------------------------------------------------- */

// Most words that one bank has to give to the lanes: each once, or once per lane that changes it.
static unsigned turns_of_banks(const struct amd_touch *t, unsigned first, unsigned lanes,
                               bool atomic)
{
    struct distinct words = {.count = 0};
    unsigned turns[BANKS] = {0}, most = 0;
    for (unsigned lane = first; lane < first + lanes; lane++) {
        if (!(t->mask >> lane & 1))
            continue;
        for (uint64_t at = t->address[lane]; at < t->address[lane] + t->bytes; at += BANK_BYTES) {
            unsigned before = words.count;
            add(&words, at / BANK_BYTES);
            turns[at / BANK_BYTES % BANKS] += atomic || words.count > before;
        }
    }
    for (unsigned i = 0; i < BANKS; i++)
        most = turns[i] > most ? turns[i] : most;
    return most;
}

void amd_count_lds(const struct amd_touch *t, bool atomic, struct amd_traffic *out)
{
    unsigned lanes = t->bytes <= 4 ? 32 : t->bytes <= 8 ? 16 : 8;
    for (unsigned first = 0; first < WAVE_LANES; first += lanes) {
        unsigned turns = turns_of_banks(t, first, lanes, atomic);
        out->passes += turns;
        out->passes_ideal += turns > 0;
    }
}

/* ---- arithmetic --------------------------------------------------------------------------------------------------- */

static struct arithmetic {
    uint8_t flops; // per lane, and half of it where an instruction does two
    enum amd_arithmetic kind;
} arithmetic_of[AMD_COUNT];
static pthread_once_t arithmetic_known = PTHREAD_ONCE_INIT;

static bool has(const char *name, const char *word)
{
    return strstr(name, word) != NULL;
}

// By AMD's mnemonics: of v_pk_fma_f16, fma.
static void know_arithmetic(void)
{
    for (int i = 0; i < AMD_COUNT; i++) {
        const struct amd_row *r = &amd_rows[i];
        struct arithmetic *a = &arithmetic_of[i];
        const char *n = r->name;
        bool is_float = r->d == TYPE_F16 || r->d == TYPE_F32 || r->d == TYPE_F64;
        if (!is_float || !str_starts_with(n, "v_"))
            continue;
        a->kind = has(n, "_fma_") || has(n, "_fmac_") || has(n, "_mac_") || has(n, "_div_fmas_")
                      ? ARITHMETIC_FMA
                  : has(n, "_add_") || has(n, "_sub_") || has(n, "_subrev_") ? ARITHMETIC_ADD
                  : has(n, "_mul_")                                          ? ARITHMETIC_MUL
                  : has(n, "_exp_") || has(n, "_log_") || has(n, "_rcp_") || has(n, "_rsq_") ||
                          has(n, "_sqrt_") || has(n, "_sin_") || has(n, "_cos_")
                      ? ARITHMETIC_SPECIAL
                      : ARITHMETIC_NONE;
        unsigned each = a->kind == ARITHMETIC_FMA                                ? 2
                        : a->kind == ARITHMETIC_ADD || a->kind == ARITHMETIC_MUL ? 1
                                                                                 : 0;
        a->flops = (uint8_t)(each * (r->form == FORM_PAIRS || r->form == FORM_HALVES ? 2 : 1));
    }
}

void amd_count_arithmetic(struct amd_run *run, enum amd_id id, uint64_t lanes)
{
    struct amd_counts *c = &run->counts;
    (void)pthread_once(&arithmetic_known, know_arithmetic);
    const struct arithmetic *a = &arithmetic_of[id];
    enum amd_type type = amd_rows[id].d;
    uint64_t twice = amd_rows[id].form == FORM_PAIRS ? 2 : 1;
    if (a->kind == ARITHMETIC_NONE)
        return;
    *(type == TYPE_F16   ? &c->flops_f16
      : type == TYPE_F32 ? &c->flops_f32
                         : &c->flops_f64) += a->flops * lanes;
    run->site->flops += a->flops * lanes;
    run->site->flops_f64 += type == TYPE_F64 ? a->flops * lanes : 0;
    if (a->kind == ARITHMETIC_SPECIAL)
        c->special += lanes;
    else if (type == TYPE_F32)
        c->f32[a->kind] += twice * lanes;
}
