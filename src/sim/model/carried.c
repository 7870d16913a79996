// What the hottest loop carries from one iteration to the next: sums, minima and maxima may be made by several threads
// and combined; anything else (a recurrence, a pointer that is followed) has to be done one step after the other.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/whatif.h"

#include <stdlib.h>
#include <string.h>

#define HOT 0.5 // of the most often executed instruction, more than that: part of its loop
#define COMBINING_MOST 6.0    // executions of an instruction by a warp
#define COMBINING_SHARE 0.125 // of the most often executed instruction

static double hottest_executed(const struct timing_input *in)
{
    double hottest = 0;
    for (int i = 0; i < in->site_count; i++)
        hottest = fmax(hottest, (double)in->stats[i].executed);
    return hottest;
}

// From a register read to one written; sums: the value is only added to, or compared with.
struct flow {
    uint16_t from, to;
    bool sums;
    double executed; // by all warps
};
struct flows {
    struct flow *items;
    size_t count, capacity;
};

static bool combines(enum ptx_opcode op)
{
    return op == PTX_OP_ADD || op == PTX_OP_SUB || op == PTX_OP_MIN || op == PTX_OP_MAX ||
           op == PTX_OP_MOV || op == PTX_OP_OR || op == PTX_OP_XOR || op == PTX_OP_AND;
}

// Is the source at `k` of the site only summed up? Sources stand in the order of the operands, the guard first.
static bool is_summed(const struct ptx_instruction *is, const struct timing_site *t, int k)
{
    bool products = is->opcode == PTX_OP_FMA || is->opcode == PTX_OP_MAD;
    if (is->opcode == PTX_OP_SELP)
        return k + 1 <
               t->source_count; // a sum, or the same without what is left out; not by what decides
    if (!products)
        return combines(is->opcode);
    if (k != t->source_count - 1 || is->operand_count != 4 ||
        is->operands[3].kind != PTX_OPERAND_REGISTER)
        return false;
    for (int i = 0; i < k; i++)
        if (t->source[i] == t->source[k])
            return false;
    return true;
}

// The exponential of a difference, by the hardware or as the library scales its result: what a sum is brought to a new maximum by.
static void scales_find(const struct timing_input *in, bool *scale)
{
    bool *power = xcalloc((size_t)in->register_count + 1, sizeof *power);
    for (int i = 0; i < in->site_count; i++) {
        const struct ptx_instruction *is = in->stats[i].instruction;
        bool shifted = is && is->opcode == PTX_OP_SHL;
        for (int r = 0; r < in->sites[i].result_count; r++) {
            power[in->sites[i].result[r]] |= shifted;
            scale[in->sites[i].result[r]] |= is && is->opcode == PTX_OP_EX2;
        }
    }
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        const struct ptx_instruction *is = in->stats[i].instruction;
        if (is && is->opcode == PTX_OP_MUL && t->source_count == 2 && t->result_count == 1 &&
            ((scale[t->source[0]] && power[t->source[1]]) ||
             (scale[t->source[1]] && power[t->source[0]])))
            scale[t->result[0]] = true;
    }
    free(power);
}

// A sum that is scaled by such a factor: parts of it are combined as online softmax combines them.
static bool is_scaled(const struct ptx_instruction *is, const struct timing_site *t, int k,
                      const bool *scale)
{
    int factor = is->guard >= 0;
    bool product = is->opcode == PTX_OP_FMA || is->opcode == PTX_OP_MUL;
    return product && t->source_count >= factor + 2 && k >= factor && k < factor + 2 &&
           scale[t->source[2 * factor + 1 - k]] && !scale[t->source[k]];
}

static void flows_find(const struct timing_input *in, double hottest, bool scaled,
                       struct flows *out)
{
    bool *scale = xcalloc((size_t)in->register_count + 1, sizeof *scale);
    scales_find(in, scale);
    for (int i = 0; i < in->site_count; i++) {
        const struct timing_site *t = &in->sites[i];
        const struct ptx_instruction *is = in->stats[i].instruction;
        if (!is || (double)in->stats[i].executed <= HOT * hottest || t->pipe == PIPE_TENSOR)
            continue;
        for (int k = 0; k < t->source_count; k++)
            for (int r = 0; r < t->result_count; r++) {
                bool sums = is_summed(is, t, k) || (scaled && is_scaled(is, t, k, scale));
                struct flow x = {t->source[k], t->result[r], sums, (double)in->stats[i].executed};
                VEC_PUSH(out->items, out->count, out->capacity, x);
            }
    }
    free(scale);
}

// Which registers does the value of `from` reach?
static void reach(const struct flows *f, uint16_t from, bool *reached)
{
    bool changed = true;
    reached[from] = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < f->count; i++)
            if (reached[f->items[i].from] && !reached[f->items[i].to])
                changed = reached[f->items[i].to] = true;
    }
}

// Does a value that comes to `to` by more than a sum depend on `to` itself, an iteration before?
static bool is_carried(const struct flows *f, uint16_t to, bool *reached, size_t registers)
{
    memset(reached, 0, registers);
    reach(f, to, reached);
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].to == to && !f->items[i].sums && reached[f->items[i].from])
            return true;
    return false;
}

static bool loop_writes(const struct flows *hot, uint16_t r)
{
    for (size_t i = 0; i < hot->count; i++)
        if (hot->items[i].to == r)
            return true;
    return false;
}

bool loop_is_serial(const struct timing_input *in, bool scaled)
{
    struct flows flows = {0};
    size_t registers = (size_t)in->register_count + 1;
    bool *reached = xcalloc(registers, sizeof *reached), *asked = xcalloc(registers, sizeof *asked);
    bool serial = false;
    flows_find(in, hottest_executed(in), scaled, &flows);
    for (size_t i = 0; i < flows.count && !serial; i++) {
        const struct flow *x = &flows.items[i];
        if (x->sums || asked[x->to])
            continue;
        asked[x->to] = true;
        serial = is_carried(&flows, x->to, reached, registers);
    }
    free(flows.items);
    free(reached);
    free(asked);
    return serial;
}

bool loops_add_up(const struct timing_input *in, const struct site_pattern *patterns)
{
    struct flows flows = {0};
    size_t registers = (size_t)in->register_count + 1;
    bool *reached = xcalloc(registers, sizeof *reached), any = false;
    double warps = (double)in->grid_blocks * in->warps_per_block;
    flows_find(in, 0, false, &flows);
    for (int i = 0; i < in->site_count && !any; i++) {
        const struct timing_site *t = &in->sites[i];
        bool looped = patterns[i].value && (double)in->stats[i].executed > TURNS_MIN * warps;
        for (int r = 0; r < t->result_count && looped && !any; r++) {
            memset(reached, 0, registers);
            reach(&flows, t->result[r], reached);
            for (int k = 0; k < t->source_count; k++)
                any |= reached[t->source[k]];
        }
    }
    free(flows.items);
    free(reached);
    return any;
}

static bool reads_grid_size(const struct ptx_instruction *is)
{
    for (int k = 0; is && k < is->operand_count; k++)
        if (is->operands[k].kind == PTX_OPERAND_SPECIAL &&
            is->operands[k].special == PTX_SREG_NCTAID)
            return true;
    return false;
}

double loop_steps_by_grid(const struct timing_input *in)
{
    struct flows flows = {0}, hot = {0};
    bool *reached = xcalloc((size_t)in->register_count + 1, sizeof *reached);
    double hottest = hottest_executed(in), steps = 0,
           warps = (double)in->grid_blocks * in->warps_per_block;
    flows_find(in, 0, false, &flows);
    flows_find(in, hottest, false, &hot);
    for (int i = 0; i < in->site_count; i++)
        for (int r = 0; r < in->sites[i].result_count && reads_grid_size(in->stats[i].instruction);
             r++)
            reach(&flows, in->sites[i].result[r], reached);
    // The step is added to what it had been added to.
    for (size_t i = 0; i < hot.count; i++)
        if (hot.items[i].sums && hot.items[i].from != hot.items[i].to &&
            reached[hot.items[i].from] && !loop_writes(&hot, hot.items[i].from))
            steps = fmax(steps, hot.items[i].executed / warps);
    free(flows.items);
    free(hot.items);
    free(reached);
    return steps >= TURNS_MIN ? steps : 0;
}

static bool is_move(const struct ptx_instruction *is)
{
    return is->opcode == PTX_OP_MOV || is->opcode == PTX_OP_SELP ||
           ptx_opcode_class(is->opcode) == PTX_CLASS_CONVERT;
}

// Does the site's result hold what was loaded from global memory, or a constant?
static bool result_is_copy(const struct timing_input *in, int site, const bool *computed)
{
    const struct timing_site *t = &in->sites[site];
    const struct ptx_instruction *is = in->stats[site].instruction;
    if (t->pipe == PIPE_GLOBAL_LOAD)
        return true;
    if (!is || !is_move(is))
        return false;
    for (int k = is->guard >= 0; k < t->source_count; k++)
        if (computed[t->source[k]])
            return false;
    return true;
}

// What each warp does but a few times behind its loop, to combine what it has added up (shuffles, a tree): that stays with each part.
static bool is_behind(const struct timing_input *in, int site, double hottest)
{
    double executed = (double)in->stats[site].executed,
           warps = (double)in->grid_blocks * in->warps_per_block;
    return executed <= COMBINING_MOST * warps && executed <= COMBINING_SHARE * hottest;
}

bool shares_copies_only(const struct timing_input *in)
{
    double hottest = hottest_executed(in);
    bool *computed = xcalloc((size_t)in->register_count + 1, sizeof *computed), changed = true;
    bool copies = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < in->site_count; i++)
            for (int r = 0; r < in->sites[i].result_count && !result_is_copy(in, i, computed);
                 r++) {
                changed |= !computed[in->sites[i].result[r]];
                computed[in->sites[i].result[r]] = true;
            }
    }
    for (int i = 0; i < in->site_count && copies; i++) {
        const struct timing_site *t = &in->sites[i];
        const struct ptx_instruction *is = in->stats[i].instruction;
        if (is_behind(in, i, hottest))
            continue;
        copies = t->pipe != PIPE_SHARED_ATOMIC;
        for (int k = is ? data_from(is, t) : 0; t->pipe == PIPE_SHARED_STORE && k < t->source_count;
             k++)
            copies &= !computed[t->source[k]];
    }
    free(computed);
    return copies;
}
