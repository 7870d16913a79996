// What arithmetic costs in the units that profilers count: floating-point operations. Memory: count_isa.c.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/wave.h"

#include <pthread.h>

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

void amd_know_arithmetic(void)
{
    (void)pthread_once(&arithmetic_known, know_arithmetic);
}

void amd_count_arithmetic(struct amd_run *run, enum amd_id id, uint64_t lanes)
{
    struct amd_counts *c = &run->counts;
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
