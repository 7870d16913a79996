// Arrays of a thread that ptxas keeps in registers, though a place in them is worked out: an access there asks for each word whether it
// is the one, and moves it under a predicate. An access whose place is known is nothing. What a compiler has put into one variable is one
// array.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, ARRAYS = 16, DEEP = 8 };

struct array {
    const struct ptx_variable *in;
    int bits; // of a word: 16 or 32
    bool kept;
    // Words asked at places that are worked out, less what loads and stores would take; what accesses whose places are known save.
    double asked, saved;
};
struct arrays {
    const struct code *c;
    struct writers w;
    struct array list[ARRAYS];
    int count;
};
struct place {
    const struct ptx_variable *in;
    bool known; // which word it is
    // A loop counts to it, or branches hand it on: known where those are written out, which is not reckoned.
    bool walks;
};

/* ---- where an access goes --------------------------------------------------------------------------- */

static const struct ptx_variable *local_variable_of(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    return in->opcode == PTX_OP_MOV && in->operand_count == 2 &&
                   in->operands[1].kind == PTX_OPERAND_SYMBOL && in->operands[1].variable != NULL &&
                   in->operands[1].variable->space == PTX_SPACE_LOCAL
               ? in->operands[1].variable
               : NULL;
}

static bool place_find(const struct arrays *a, struct origin v, int deep, struct place *p);

// A pointer that moves on begins in the array.
static bool place_of_kept(const struct arrays *a, int reg, int deep, struct place *p)
{
    for (int k = a->w.first[reg]; k < a->w.first[reg + 1]; k++) {
        int i = a->w.list[k];
        struct origin v = at(a->c, i)->opcode == PTX_OP_MOV && local_variable_of(a->c, i) == NULL
                              ? *source_of(a->c, i, 0)
                              : (struct origin){VALUE_MADE, i, 0};
        if (place_find(a, v, deep + 1, p)) {
            p->known = false;
            p->walks = true;
            return true;
        }
    }
    return false;
}

// Is the value made of numbers and of what loops count?
static bool is_counted(const struct code *c, struct origin v, int deep)
{
    if (v.kind == VALUE_NUMBER || v.kind == VALUE_KEPT)
        return true;
    int i = def_of(c, v);
    if (i < 0 || deep > DEEP || c->first_source[i] == c->first_source[i + 1] ||
        at(c, i)->opcode == PTX_OP_LD)
        return false;
    for (int s = c->first_source[i]; s < c->first_source[i + 1]; s++)
        if (!is_counted(c, c->sources[s], deep + 1))
            return false;
    return true;
}

static bool place_find(const struct arrays *a, struct origin v, int deep, struct place *p)
{
    const struct code *c = a->c;
    if (deep > DEEP)
        return false;
    if (v.kind == VALUE_KEPT)
        return place_of_kept(a, v.at, deep, p);
    int i = def_of(c, v);
    if (i < 0)
        return false;
    const struct ptx_variable *variable = local_variable_of(c, i);
    if (variable != NULL) {
        *p = (struct place){variable, true, false};
        return true;
    }
    if (!is_int(at(c, i), PTX_OP_ADD, 64))
        return false;
    for (int o = 0; o < 2; o++) {
        uint64_t ignored;
        if (!place_find(a, *source_of(c, i, o), deep + 1, p))
            continue;
        p->known &= number_at(c, i, 1 - o, &ignored);
        p->walks |= !p->known && is_counted(c, *source_of(c, i, 1 - o), 0);
        return true;
    }
    return false;
}

static bool is_local_access(const struct code *c, int i)
{
    int block = c->f->block_of[i];
    return block >= 0 && c->number[block] >= 0 && c->fate[i] != FATE_DEAD &&
           (at(c, i)->opcode == PTX_OP_LD || at(c, i)->opcode == PTX_OP_ST) &&
           ptx_space_of(at(c, i)) == PTX_SPACE_LOCAL;
}

/* ---- which arrays are kept --------------------------------------------------------------------------- */

static struct array *array_of(struct arrays *a, const struct place *p)
{
    for (int k = 0; k < a->count; k++)
        if (a->list[k].in == p->in)
            return &a->list[k];
    if (a->count == ARRAYS)
        return NULL;
    a->list[a->count] = (struct array){.in = p->in, .kept = true};
    return &a->list[a->count++];
}

static int words_of(const struct array *array)
{
    enum { BYTE = 8 };
    return array->bits > 0 ? (int)(array->in->size_bytes * BYTE / (uint64_t)array->bits) : 0;
}

// Is nothing done with the variable's address but to access it?
static bool is_accessed_alone(const struct code *c)
{
    for (int i = 0; i < c->count; i++) {
        if (local_variable_of(c, i) == NULL)
            continue;
        for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++)
            if (!is_address_of(c, c->readers[r]) &&
                !is_int(at(c, c->readers[r].instruction), PTX_OP_ADD, 64))
                return false;
    }
    return true;
}

static bool arrays_find(struct arrays *a)
{
    const struct code *c = a->c;
    for (int i = 0; i < c->count; i++) {
        struct place p;
        if (!is_local_access(c, i))
            continue;
        struct array *array = place_find(a, *source_of(c, i, 0), 0, &p) ? array_of(a, &p) : NULL;
        if (array == NULL)
            return false;
        int bits = bits_of(at(c, i));
        array->kept &= (bits == 16 || bits == 32) && (array->bits == 0 || array->bits == bits) &&
                       (p.known || at(c, i)->vector <= 1) && !p.walks;
        array->bits = bits;
    }
    return a->count > 0 && is_accessed_alone(c);
}

// What ptxas weighs: two instructions for each word, or a load and a store; in a loop several times. Read off where some 250 kernels
// of arrays of 2 to 100 words, with one to 44 such accesses, have local memory (docs/differential.md).
static void access_weigh(const struct code *c, int i, bool known, struct array *array, int words)
{
    const double load = 9.5, store = 1.5, in_loop = 5.2;
    static const double stored[] = {[1] = 7, [2] = 9.9, [4] = 18}; // by words
    bool loads = at(c, i)->opcode == PTX_OP_LD;
    double often = c->loop_of[c->f->block_of[i]] >= 0 ? in_loop : 1;
    if (!known)
        array->asked += often * (2 * words - (loads ? load : store));
    else if (!loads && source_of(c, i, 1)->kind != VALUE_NUMBER)
        array->saved += stored[at(c, i)->vector > 2 ? 4 : at(c, i)->vector > 1 ? 2 : 1];
}

static void arrays_weigh(struct arrays *a)
{
    enum { WORDS_MOST = 82 };
    const double least = 20;
    for (int i = 0; i < a->c->count; i++) {
        struct place p;
        if (!is_local_access(a->c, i) || !place_find(a, *source_of(a->c, i, 0), 0, &p))
            continue;
        struct array *array = array_of(a, &p);
        if (array != NULL)
            access_weigh(a->c, i, p.known, array, words_of(array));
    }
    for (int k = 0; k < a->count; k++)
        a->list[k].kept &=
            a->list[k].asked <= least + a->list[k].saved && words_of(&a->list[k]) <= WORDS_MOST;
}

/* ---- machine instructions ----------------------------------------------------------------------------- */

// The array's beginning is not added to what is asked.
static void place_vanishes(struct code *c, int i)
{
    int sum = def_of(c, *source_of(c, i, 0));
    if (sum < 0 || !is_int(at(c, sum), PTX_OP_ADD, 64))
        return;
    for (int o = 0; o < 2; o++) {
        int from = def_of(c, *source_of(c, sum, o));
        if (from >= 0 && c->fate[from] == FATE_FOLDED && local_variable_of(c, from) == NULL)
            return; // a product or shift, which is made in the sum's place
    }
    c->slots[sum] = 0;
}

void code_locals(struct code *c)
{
    bool all = true;
    struct arrays a = {.c = c, .w = code_writers(c), .count = 0};
    if (arrays_find(&a)) {
        arrays_weigh(&a);
        for (int i = 0; i < c->count; i++) {
            struct place p;
            if (!is_local_access(c, i) || !place_find(&a, *source_of(c, i, 0), 0, &p))
                continue;
            const struct array *array = array_of(&a, &p);
            bool kept = array != NULL && array->kept;
            all &= kept;
            if (kept && !p.known)
                place_vanishes(c, i);
            if (kept)
                c->slots[i] = p.known ? 0 : 2 * words_of(array);
        }
        for (int i = 0; i < c->count && all; i++)
            if (local_variable_of(c, i) != NULL)
                c->slots[i] = 0; // no stack
    }
    free(a.w.first);
    free(a.w.list);
}
