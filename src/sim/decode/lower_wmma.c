// Machine instructions of wmma: a fragment of 16-bit elements is a word of each lane for each 8 by 8 of it, loaded by itself, and
// transposed (MOVM) where rows and columns are exchanged; where a lane's words lie is worked out once for each stride, before loops.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

struct fragment_shape {
    int along, across; // of 8 elements: along what the stride steps over, and across it
    bool transposed;
};

static bool shape_read(const struct ptx_instruction *in, struct fragment_shape *s)
{
    static const struct {
        const char *word;
        int m, n, k;
    } shapes[] = {{"m16n16k16", 2, 2, 2},
                  {"m32n8k16", 4, 1, 2},
                  {"m8n32k16", 1, 4, 2},
                  {"m16n16k8", 2, 2, 1}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        if (!in_has(in, shapes[i].word))
            continue;
        bool a = in_has(in, "a"), b = in_has(in, "b"), column = in_has(in, "col");
        int rows = b ? shapes[i].k : shapes[i].m, columns = a ? shapes[i].k : shapes[i].n;
        s->along = column ? columns : rows;
        s->across = column ? rows : columns;
        s->transposed = (a && column) || (b && !column);
        return true;
    }
    return false;
}

// The stride's operand of a load or store.
static int stride_of(const struct code *c, int i)
{
    return c->first_source[i + 1] - c->first_source[i] - 1 - (at(c, i)->guard >= 0);
}

static bool is_fragment_memory(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_WMMA && !in_has(in, "mma");
}

static int address_operand(const struct ptx_instruction *in)
{
    return in_has(in, "store") ? 0 : 1;
}

static bool same_way(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    return in_has(a, "store") == in_has(b, "store") && in_has(a, "a") == in_has(b, "a") &&
           in_has(a, "col") == in_has(b, "col");
}

// Has an earlier one the same base (but for a number), or at least the same stride?
static bool is_made_before(const struct code *c, int i, bool base)
{
    const struct ptx_instruction *in = at(c, i);
    for (int k = 0; k < i; k++) {
        if (!is_fragment_memory(at(c, k)) || c->f->block_of[k] < 0 || !same_way(at(c, k), in) ||
            !dominates(c, c->f->block_of[k], c->f->block_of[i]) ||
            !same_value(c, source_of(c, i, stride_of(c, i)), source_of(c, k, stride_of(c, k))))
            continue;
        if (!base)
            return true;
        struct origin of[2];
        for (int o = 0; o < 2; o++) {
            of[o] = *source_of(c, o == 0 ? i : k, 0);
            for (int from = def_of(c, of[o]), deep = 0;
                 from >= 0 && deep < 4 && at(c, from)->opcode == PTX_OP_ADD &&
                 is_number(c, from, 1);
                 from = def_of(c, of[o]), deep++)
                of[o] = *source_of(c, from, 0);
        }
        if (c->f->block_of[k] == c->f->block_of[i] && same_value(c, &of[0], &of[1]))
            return true;
    }
    return false;
}

// Of tf32 each word has an address of its own, and a number beside the base is added before.
static double tf32_slots(const struct ptx_instruction *in)
{
    enum { WORDS = 4, BESIDE = 2 };
    const struct ptx_operand *from = &in->operands[address_operand(in)];
    return 2 * WORDS + (from->offset != 0 ? BESIDE : 0);
}

static double memory_slots(struct code *c, int i, double alone)
{
    enum { LDSM_WORDS = 4 };
    enum { PLACE = 2, LANE = 3, STRIDE = 3, STRIDE_STORE = 7, NUMBER_STORE = 5 };
    const struct ptx_instruction *in = at(c, i);
    struct fragment_shape s;
    bool store = in_has(in, "store"), tf32 = type_of(in) == PTX_TYPE_TF32;
    if (!shape_read(in, &s) || (!store && !tf32 && bits_of(in) != 16) || stride_of(c, i) < 1)
        return alone;
    enum ptx_space space = ptx_space_of(in);
    bool fixed = source_of(c, i, stride_of(c, i))->kind == VALUE_NUMBER;
    int first = before_loops(c, c->f->block_of[i]), words = s.along * s.across;
    bool known = is_made_before(c, i, false);
    if (!known)
        code_bring(c, first, i, store ? (fixed ? NUMBER_STORE : STRIDE_STORE) : LANE + STRIDE);
    if (space == PTX_SPACE_SHARED)
        return store ? words : words / LDSM_WORDS + 1; // LDSM transposes by itself; an address
    if (tf32 && !store)
        return tf32_slots(in);
    // A base in uniform registers has its upper half moved, if nothing else is.
    bool moves =
        !store && !fixed && s.along > 1 && !origin_differs(c, source_of(c, i, stride_of(c, i)));
    double base = origin_differs(c, source_of(c, i, 0)) || moves ? PLACE : PLACE + 1,
           place = is_made_before(c, i, true) ? 0 : base + (fixed ? 0 : s.along - 1);
    place += moves && place > 0; // the stride: IMAD.WIDE by a number takes no uniform register
    return words * (s.transposed && !store ? 2 : 1) + place;
}

double code_fragments(struct code *c, int i, double alone)
{
    enum { PRODUCTS = 2, PRODUCTS_TF32 = 4 };
    const struct ptx_instruction *in = at(c, i);
    if (in_has(in, "mma")) // by halves of the columns
        return in_has(in, "m16n16k8") ? PRODUCTS_TF32
               : in_has(in, "m16n16k16") || in_has(in, "m32n8k16") || in_has(in, "m8n32k16")
                   ? PRODUCTS
                   : alone;
    int operand = address_operand(in);
    return in->operands[operand].kind == PTX_OPERAND_ADDRESS ? memory_slots(c, i, alone) : alone;
}
