// Registers that the order of issue takes (pressure.h). Of a value's registers those count that are ptxas's too: not predicates,
// nor what vanishes in its readers, nor what all lanes share.
// SPDX-License-Identifier: Apache-2.0
#include "sim/model/pressure.h"

#include "sim/model/cost.h"

#include <stdlib.h>
#include <string.h>

// What no instruction makes (parameters, numbers) has no register.
static void units_fill(struct pressure *r)
{
    const struct program *p = r->program;
    uint8_t *all = xcalloc((size_t)p->register_count + 1, sizeof *all);
    for (int n = 0; n < p->function_count; n++)
        ptx_register_units(p->functions[n].ptx, all + p->functions[n].register_base);
    for (int i = 0; i < p->site_count; i++)
        for (int n = 0; n < p->timing[i].result_count; n++)
            r->units[p->timing[i].result[n]] = all[p->timing[i].result[n]];
    free(all);
}

/* ---- what is live ------------------------------------------------------------------------------- */

static void bit_set(uint64_t *bits, int at, bool value)
{
    uint64_t one = (uint64_t)1 << at % 64;
    bits[at / 64] = value ? bits[at / 64] | one : bits[at / 64] & ~one;
}

static bool bit_of(const uint64_t *bits, int at)
{
    return (bits[at / 64] >> at % 64 & 1) != 0;
}

// Of a register of PTX's: carries (decode_carry.c) take none.
static void own_set(const struct function *f, uint64_t *bits, int reg, bool value)
{
    if (reg >= f->register_base && reg - f->register_base < f->ptx->register_count)
        bit_set(bits, reg - f->register_base, value);
}

// From behind the instruction to in front of it.
static void step_back(const struct program *p, const struct function *f, int instruction,
                      uint64_t *bits)
{
    // Under a predicate of its own, not one that stands for a branch around it, a register may keep what it had.
    bool kept = f->ptx->instructions[instruction].guard >= 0;
    const struct timing_site *t = &p->timing[f->site_base + instruction];
    for (int n = 0; n < t->result_count && !kept; n++)
        own_set(f, bits, t->result[n], false);
    for (int n = 0; n < t->source_count; n++)
        own_set(f, bits, t->source[n], true);
}

static void results_set(const struct function *f, const struct timing_site *t, uint64_t *bits)
{
    for (int n = 0; n < t->result_count; n++)
        own_set(f, bits, t->result[n], true);
}

static int block_with(const struct ptx_function *f, int instruction)
{
    int block = 0;
    while (instruction >= f->blocks[block].first + f->blocks[block].count)
        block++;
    return block;
}

static void live_behind(const struct pressure *r, const struct ptx_block *b, uint64_t *bits)
{
    memset(bits, 0, r->words * sizeof *bits);
    for (int s = 0; s < b->successor_count; s++)
        for (size_t w = 0; w < r->words && b->successors[s] >= 0; w++)
            bits[w] |= r->live_in[(size_t)b->successors[s] * r->words + w];
}

// In front of the function's instruction.
static void live_before(const struct pressure *r, int instruction, uint64_t *bits)
{
    const struct function *f = &r->program->functions[r->function];
    const struct ptx_block *b = &f->ptx->blocks[block_with(f->ptx, instruction)];
    live_behind(r, b, bits);
    for (int i = b->first + b->count; i-- > instruction;)
        step_back(r->program, f, i, bits);
}

// What instructions in front of the function's instruction may have written: what is live but for them has no value yet.
static void written_before(const struct pressure *r, int instruction, uint64_t *bits)
{
    const struct function *f = &r->program->functions[r->function];
    int block = block_with(f->ptx, instruction);
    memcpy(bits, &r->written_in[(size_t)block * r->words], r->words * sizeof *bits);
    for (int i = f->ptx->blocks[block].first; i < instruction; i++)
        results_set(f, &r->program->timing[f->site_base + i], bits);
}

static void written_find(struct pressure *r, uint64_t *bits)
{
    const struct function *f = &r->program->functions[r->function];
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 0; b < f->ptx->block_count; b++) {
            const struct ptx_block *block = &f->ptx->blocks[b];
            memcpy(bits, &r->written_in[(size_t)b * r->words], r->words * sizeof *bits);
            for (int i = block->first; i < block->first + block->count; i++)
                results_set(f, &r->program->timing[f->site_base + i], bits);
            for (int s = 0; s < block->successor_count; s++)
                for (size_t w = 0; w < r->words && block->successors[s] >= 0; w++) {
                    uint64_t *to = &r->written_in[(size_t)block->successors[s] * r->words + w];
                    changed |= (bits[w] & ~*to) != 0;
                    *to |= bits[w];
                }
        }
    }
}

static void function_enter(struct pressure *r, int function)
{
    const struct function *f = &r->program->functions[function];
    r->function = function;
    r->words = (size_t)f->ptx->register_count / 64 + 1;
    free(r->live_in);
    free(r->written_in);
    r->live_in = xcalloc(r->words * (size_t)f->ptx->block_count + 1, sizeof *r->live_in);
    r->written_in = xcalloc(r->words * (size_t)f->ptx->block_count + 1, sizeof *r->written_in);
    uint64_t *bits = xcalloc(r->words, sizeof *bits);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = f->ptx->block_count; b-- > 0;) {
            uint64_t *in = &r->live_in[(size_t)b * r->words];
            live_before(r, f->ptx->blocks[b].first, bits);
            changed |= memcmp(in, bits, r->words * sizeof *bits) != 0;
            memcpy(in, bits, r->words * sizeof *bits);
        }
    }
    written_find(r, bits);
    free(bits);
}

void pressure_init(struct pressure *r, struct program *p)
{
    size_t count = (size_t)p->register_count + 1;
    *r = (struct pressure){.program = p,
                           .room = ptx_register_room(program_registers(p)),
                           .function = -1,
                           .units = xcalloc(count, sizeof *r->units),
                           .alive = xcalloc(count, sizeof *r->alive),
                           .out = xcalloc(count, sizeof *r->out),
                           .left = xcalloc(count, sizeof *r->left),
                           .later = xcalloc(count, sizeof *r->later),
                           .ends = xcalloc(count, sizeof *r->ends),
                           .mark = xcalloc(count, sizeof *r->mark)};
    units_fill(r);
}

void pressure_release(struct pressure *r)
{
    free(r->units);
    free(r->live_in);
    free(r->written_in);
    free(r->alive);
    free(r->out);
    free(r->left);
    free(r->later);
    free(r->ends);
    free(r->mark);
}

/* ---- a region ----------------------------------------------------------------------------------- */

// A register that gets a new value on every way through the region has its old one until the last that reads it before.
static void uses_note(struct pressure *r, const struct timing_site *t)
{
    r->looks++;
    for (int n = 0; n < t->source_count; n++) {
        uint16_t reg = t->source[n];
        int *uses = r->ends[reg] ? &r->later[reg] : &r->left[reg];
        *uses += r->mark[reg] != r->looks;
        r->mark[reg] = r->looks;
    }
    for (int n = 0; n < t->result_count && t->guard == 0; n++)
        r->ends[t->result[n]] = true;
}

// Does its value end with the last use that is left?
static bool dies(const struct pressure *r, uint16_t reg)
{
    return r->alive[reg] && r->left[reg] == 1 && (r->ends[reg] || !r->out[reg]);
}

// Does the region's block go back to itself, and the region load from global memory?
static bool loads_in_turns(const struct pressure *r, int block, int first, int count)
{
    const struct function *f = &r->program->functions[r->function];
    const struct ptx_block *b = &f->ptx->blocks[block];
    bool back = false, loads = false;
    for (int s = 0; s < b->successor_count; s++)
        back |= b->successors[s] == block;
    for (int i = first; i < first + count; i++)
        loads |= pipe_info(r->program->timing[i].pipe)->unit == UNIT_LOAD;
    return back && loads;
}

// In a loop over global memory the loads of a turn begin as far as there are registers: there it matters what the values held
// through the loop are made of, and that six of the registers are others': two that ptxas 13.0 leaves free for sm_90, the stack's,
// a bound, and two that its order never fills. Loops of 16 loads, of 16 pairs of them and of 16 with a product behind each, with 0 to
// 18 values more held, wait as often in its code (tests/sim/registers_time_test.c).
static void limit_set(struct pressure *r, int first, int count)
{
    enum { FREE = 6 };
    const struct function *f = &r->program->functions[r->function];
    int block = block_with(f->ptx, first - f->site_base);
    r->most = r->room;
    if (!loads_in_turns(r, block, first, count))
        return;
    r->most -= FREE;
    r->live = f->held[block] > r->live ? f->held[block] : r->live;
}

static void region_begin(struct pressure *r, int first, int count)
{
    const struct program *p = r->program;
    int function = 0;
    for (int n = 0; n < p->function_count; n++)
        if (p->functions[n].site_base <= first &&
            p->functions[n].site_base + p->functions[n].ptx->instruction_count > first)
            function = n;
    if (function != r->function)
        function_enter(r, function);
    const struct function *f = &p->functions[function];
    uint64_t *before = xcalloc(r->words, sizeof *before),
             *behind = xcalloc(r->words, sizeof *behind);
    int last = first + count - 1 - f->site_base;
    const struct ptx_block *b = &f->ptx->blocks[block_with(f->ptx, last)];
    uint64_t *written = xcalloc(r->words, sizeof *written);
    written_before(r, first - f->site_base, written);
    live_before(r, first - f->site_base, before);
    if (last + 1 == b->first + b->count)
        live_behind(r, b, behind);
    else
        live_before(r, last + 1, behind);
    r->live = 0;
    for (int k = 0; k < f->ptx->register_count; k++) {
        int reg = f->register_base + k;
        r->alive[reg] = bit_of(before, k) && bit_of(written, k);
        r->out[reg] = bit_of(behind, k);
        r->left[reg] = r->later[reg] = 0;
        r->ends[reg] = false;
        r->live += r->alive[reg] ? r->units[reg] : 0;
    }
    limit_set(r, first, count);
    for (int i = first; i < first + count; i++)
        uses_note(r, &p->timing[i]);
    free(before);
    free(behind);
    free(written);
}

void pressure_region(struct pressure *r, int first, int count)
{
    region_begin(r, first, count);
    int as_written = r->live;
    for (int i = first; i < first + count; i++) {
        pressure_take(r, &r->program->timing[i]);
        as_written = r->live > as_written ? r->live : as_written;
    }
    region_begin(r, first, count);
    r->as_written = as_written;
}

int pressure_change(struct pressure *r, const struct timing_site *t)
{
    int change = 0;
    r->looks++;
    for (int n = 0; n < t->source_count; n++) {
        uint16_t reg = t->source[n];
        change -= r->mark[reg] != r->looks && dies(r, reg) ? r->units[reg] : 0;
        r->mark[reg] = r->looks;
    }
    for (int n = 0; n < t->result_count; n++) {
        uint16_t reg = t->result[n];
        bool again = r->mark[reg] == r->looks && dies(r, reg);
        change += !r->alive[reg] || again ? r->units[reg] : 0;
    }
    return change;
}

void pressure_take(struct pressure *r, const struct timing_site *t)
{
    r->looks++;
    for (int n = 0; n < t->source_count; n++) {
        uint16_t reg = t->source[n];
        if (r->mark[reg] == r->looks)
            continue;
        r->mark[reg] = r->looks;
        if (dies(r, reg)) {
            r->alive[reg] = false;
            r->live -= r->units[reg];
        }
        r->left[reg]--;
    }
    for (int n = 0; n < t->result_count; n++) {
        uint16_t reg = t->result[n];
        if (r->ends[reg] && t->guard == 0) {
            r->left[reg] = r->later[reg];
            r->ends[reg] = false;
        }
        if (!r->alive[reg] && (r->left[reg] > 0 || r->out[reg])) {
            r->alive[reg] = true;
            r->live += r->units[reg];
        }
    }
}
