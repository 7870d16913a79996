// Registers beside each other: what a vector's store reads, and a fragment of a matrix. A value lies in one vector alone; where another
// one has it too, or has it elsewhere, it is moved there.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

#include <stdlib.h>

// Where a value lies: the first source of the vector that it is an element of.
struct home {
    struct origin value;
    int vector, element;
};
struct homes {
    struct home *list;
    int count;
};

static const struct home *home_of(const struct code *c, const struct homes *h, struct origin value)
{
    for (int k = h->count - 1; k >= 0; k--)
        if (same_value(c, &h->list[k].value, &value))
            return &h->list[k];
    return NULL;
}

// Are the elements those of one load, in its order and from a place on that a vector of their number may begin at?
static bool is_part_of_load(const struct code *c, const struct origin *elements, int count)
{
    for (int e = 0; e < count; e++)
        if (elements[e].kind != VALUE_MADE || elements[e].at != elements[0].at ||
            elements[e].bits != elements[0].bits + (uint64_t)e)
            return false;
    return at(c, elements[0].at)->operands[0].kind == PTX_OPERAND_VECTOR &&
           elements[0].bits % (uint64_t)count == 0;
}

// May a loaded element stay where it is, as what was beside it is there, too, or is not read any more?
static bool stays(const struct code *c, int i, const struct origin *elements, int count,
                  int element)
{
    int load = elements[element].at;
    if (elements[element].bits != (uint64_t)element)
        return false;
    for (int r = c->first_reader[load]; r < c->first_reader[load + 1]; r++) {
        struct reader by = c->readers[r];
        uint64_t its = source_of(c, by.instruction, by.operand)->bits;
        bool beside = by.instruction == i && its < (uint64_t)count &&
                      elements[its].kind == VALUE_MADE && elements[its].at == load &&
                      elements[its].bits == its;
        if (by.instruction >= i && its != (uint64_t)element && !beside)
            return false;
    }
    return true;
}

static bool is_loaded_vector(const struct code *c, struct origin value)
{
    return value.kind == VALUE_MADE && at(c, value.at)->opcode == PTX_OP_LD &&
           at(c, value.at)->operands[0].kind == PTX_OPERAND_VECTOR;
}

// Have they been together in an earlier vector, each once?
static bool is_there(const struct code *c, const struct homes *h, const struct origin *elements,
                     int count)
{
    const struct home *first = home_of(c, h, elements[0]);
    for (int e = 0; e < count; e++) {
        const struct home *own = home_of(c, h, elements[e]);
        if (own == NULL || own->vector != first->vector || own->element != e)
            return false;
    }
    return true;
}

// How many of the elements are moved.
static int vector_moves(const struct code *c, struct homes *h, int i, int count)
{
    int first = c->first_source[i] + 1; // behind the address
    const struct origin *elements = &c->sources[first];
    int moves = 0;
    if (is_part_of_load(c, elements, count) || is_there(c, h, elements, count))
        return 0;
    for (int e = 0; e < count; e++) {
        bool again = false;
        if (elements[e].kind == VALUE_KEPT) // another value each time
            for (int k = 0; k < e; k++)
                again |= same_value(c, &elements[k], &elements[e]);
        else if (elements[e].kind == VALUE_MADE)
            again = is_loaded_vector(c, elements[e]) ? !stays(c, i, elements, count, e)
                                                     : home_of(c, h, elements[e]) != NULL;
        moves += again;
        if (!again && elements[e].kind == VALUE_MADE)
            h->list[h->count++] = (struct home){elements[e], first, e};
    }
    return moves;
}

void code_vectors(struct code *c)
{
    enum { WORD = 32 };
    struct homes h = {xcalloc((size_t)c->first_source[c->count] + 1, sizeof *h.list), 0};
    for (int i = 0; i < c->count; i++) {
        const struct ptx_instruction *in = at(c, i);
        if (in->opcode != PTX_OP_ST || in->vector <= 1 || bits_of(in) < WORD || c->slots[i] <= 0 ||
            in->operands[1].kind != PTX_OPERAND_VECTOR)
            continue;
        c->slots[i] += vector_moves(c, &h, i, in->operands[1].element_count) * (bits_of(in) / WORD);
    }
    free(h.list);
}
