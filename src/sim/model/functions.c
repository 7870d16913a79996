// Functions of the CUDA library that the compiler has put in line: sinf, expf and their kin are tens of plain
// multiplications and additions in PTX, with coefficients that nothing else has (functions.def).
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include <stdlib.h>

enum {
    REACH =
        130, // instructions between a call's first and last coefficient, at most: sinf's slow path
    SHORTER = 3, // times the terms that are near enough
};
enum function_form { HARDWARE, SERIES, REST };

static const struct library_function {
    uint32_t first, last;
    int before, after;
    enum function_form form;
} library_functions[] = {
#define FUNCTION(name, first, last, before, after, form) {first, last, before, after, form},
#include "sim/model/functions.def"
#undef FUNCTION
};

// A register that one instruction alone writes, a constant.
struct constant {
    uint32_t bits;
    int writes;
    bool known;
};

static bool operand_is_f32(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_IMMEDIATE && o->immediate_type == PTX_TYPE_F32;
}

static void constants_find(const struct timing_input *in, struct constant *of)
{
    for (int i = 0; i < in->site_count; i++) {
        const struct ptx_instruction *is = in->stats[i].instruction;
        const struct timing_site *t = &in->sites[i];
        for (int k = 0; k < t->result_count; k++) {
            struct constant *c = &of[t->result[k]];
            c->known = ++c->writes == 1 && is && is->opcode == PTX_OP_MOV &&
                       is->operand_count == 2 && operand_is_f32(&is->operands[1]);
            c->bits = c->known ? (uint32_t)is->operands[1].bits : 0;
        }
    }
}

static bool site_uses(const struct timing_input *in, int i, const struct constant *of,
                      uint32_t bits)
{
    const struct ptx_instruction *is = in->stats[i].instruction;
    const struct timing_site *t = &in->sites[i];
    if (!is || is->opcode == PTX_OP_MOV)
        return false;
    for (int k = 0; k < is->operand_count; k++)
        if (operand_is_f32(&is->operands[k]) && (uint32_t)is->operands[k].bits == bits)
            return true;
    for (int k = 0; k < t->source_count; k++)
        if (of[t->source[k]].known && of[t->source[k]].bits == bits)
            return true;
    return false;
}

static bool is_arithmetic(enum timing_pipe pipe)
{
    return pipe == PIPE_F32 || pipe == PIPE_SPECIAL || pipe == PIPE_CONVERT || pipe == PIPE_F64 ||
           (is_integer_pipe(pipe) && pipe != PIPE_BRANCH);
}

static void call_mark(const struct timing_input *in, const struct library_function *f, int first,
                      int last, struct site_pattern *out)
{
    int from = first > f->before ? first - f->before : 0, parts = 0;
    if (f->form == REST && out[first].function != FUNCTION_NONE)
        return; // the whole of it is marked
    for (int i = from; i <= last + f->after && i < in->site_count; i++) {
        enum timing_pipe pipe = in->sites[i].pipe;
        bool within = i >= first && i <= last;
        if ((is_arithmetic(pipe) || (within && pipe == PIPE_BRANCH)) &&
            out[i].function == FUNCTION_NONE && (f->form != SERIES || parts++ % SHORTER > 0))
            out[i].function = FUNCTION_PART;
    }
    out[first].function = FUNCTION_FIRST;
}

void functions_find(const struct timing_input *in, struct site_pattern *out)
{
    struct constant *of = xcalloc((size_t)in->register_count + 1, sizeof *of);
    constants_find(in, of);
    for (int i = 0; i < in->site_count; i++)
        for (size_t k = 0; k < COUNT_OF(library_functions); k++) {
            const struct library_function *f = &library_functions[k];
            if (!site_uses(in, i, of, f->first))
                continue;
            int last = i + 1;
            while (last < in->site_count && last <= i + REACH && !site_uses(in, last, of, f->last))
                last++;
            if (last < in->site_count && last <= i + REACH)
                call_mark(in, f, i, last, out);
        }
    free(of);
}
