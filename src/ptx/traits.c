// What a kernel's instructions say of it without being run. Only what may be reached by calls counts.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"

#include <stdlib.h>

int ptx_significant_bits(enum ptx_type t)
{
    switch (t) {
    case PTX_TYPE_F64:
        return 53;
    case PTX_TYPE_F32:
        return 24;
    case PTX_TYPE_TF32:
    case PTX_TYPE_F16:
    case PTX_TYPE_F16X2:
        return 11;
    case PTX_TYPE_BF16:
    case PTX_TYPE_BF16X2:
        return 8;
    case PTX_TYPE_E4M3:
    case PTX_TYPE_E4M3X2:
        return 4;
    case PTX_TYPE_E5M2:
    case PTX_TYPE_E5M2X2:
        return 3;
    default:
        return 0;
    }
}

// Two of them in a word are as one.
static enum ptx_type scalar_of(enum ptx_type t)
{
    switch (t) {
    case PTX_TYPE_F16X2:
        return PTX_TYPE_F16;
    case PTX_TYPE_BF16X2:
        return PTX_TYPE_BF16;
    case PTX_TYPE_E4M3X2:
        return PTX_TYPE_E4M3;
    case PTX_TYPE_E5M2X2:
        return PTX_TYPE_E5M2;
    default:
        return t;
    }
}

// Arithmetic whose result depends on its types' precision. Comparisons, signs and moves do not: the functions
// of f64 look at halves of their arguments as f32.
static bool is_arithmetic(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_FMA:
    case PTX_OP_DIV:
    case PTX_OP_MMA:
    case PTX_OP_WGMMA:
        return true;
    case PTX_OP_WMMA:
        return ptx_has_modifier(in, PTX_MOD_MMA);
    default:
        return false;
    }
}

// The type of fewest bits that the instruction computes in, or NONE.
static enum ptx_type least_of(const struct ptx_instruction *in)
{
    enum ptx_type least = PTX_TYPE_NONE;
    int count = in->type_count;
    if (in->opcode == PTX_OP_CVT) { // to fewer bits than it has: a rounding
        bool rounds = count == 2 && ptx_significant_bits(in->types[0]) > 0 &&
                      ptx_significant_bits(in->types[0]) < ptx_significant_bits(in->types[1]);
        return rounds ? scalar_of(in->types[0]) : PTX_TYPE_NONE;
    }
    for (int i = 0; i < count && is_arithmetic(in); i++) {
        int bits = ptx_significant_bits(in->types[i]);
        if (bits > 0 && (least == PTX_TYPE_NONE || bits < ptx_significant_bits(least)))
            least = scalar_of(in->types[i]);
    }
    return least;
}

static bool reads_clock(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_SPECIAL &&
           (o->special == PTX_SREG_CLOCK || o->special == PTX_SREG_CLOCK_HI ||
            o->special == PTX_SREG_CLOCK64 || o->special == PTX_SREG_GLOBALTIMER ||
            o->special == PTX_SREG_GLOBALTIMER_LO || o->special == PTX_SREG_GLOBALTIMER_HI);
}

struct walk {
    const struct ptx_module *module;
    bool *seen; // functions
    struct ptx_traits traits;
};

static void take_function(struct walk *w, const struct ptx_function *f);

static void take_operand(struct walk *w, const struct ptx_instruction *in,
                         const struct ptx_operand *o)
{
    if (!w->traits.waits_at && reads_clock(o))
        w->traits.waits_at = in;
    if (o->function)
        take_function(w, o->function);
    for (int i = 0; i < o->element_count; i++)
        take_operand(w, in, &o->elements[i]);
}

static void take_function(struct walk *w, const struct ptx_function *f)
{
    bool *seen = &w->seen[f - w->module->functions];
    if (*seen)
        return;
    *seen = true;
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        enum ptx_type least = least_of(in);
        if (least != PTX_TYPE_NONE &&
            (w->traits.least == PTX_TYPE_NONE ||
             ptx_significant_bits(least) < ptx_significant_bits(w->traits.least))) {
            w->traits.least = least;
            w->traits.least_at = in;
        }
        if (ptx_significant_bits(least) > ptx_significant_bits(w->traits.most))
            w->traits.most = least;
        if (!w->traits.waits_at && in->opcode == PTX_OP_NANOSLEEP)
            w->traits.waits_at = in;
        for (int n = 0; n < in->operand_count; n++)
            take_operand(w, in, &in->operands[n]);
    }
}

struct ptx_traits ptx_traits_of(const struct ptx_module *m, const struct ptx_function *kernel)
{
    struct walk w = {.module = m, .seen = xcalloc((size_t)m->function_count + 1, sizeof *w.seen)};
    take_function(&w, kernel);
    free(w.seen);
    return w.traits;
}
