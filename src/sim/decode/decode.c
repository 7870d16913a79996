// From PTX functions to micro-ops: which functions a kernel reaches, and the instructions of each. Where their
// variables lie: decode_layout.c; which row each register has: decode_registers.c. Registers that hold one value
// known at launch (parameters, special registers, addresses) become constants: the instruction that sets them
// costs nothing to run.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_code.h"
#include "sim/run/async.h"
#include "sim/run/tensor.h"

#include <stdlib.h>

bool in_has(const struct ptx_instruction *in, const char *word)
{
    for (int i = 0; i < in->word_count; i++)
        if (strcmp(in->words[i], word) == 0)
            return true;
    return false;
}

/* ---- emitting ------------------------------------------------------------------------------ */

struct uop *emit_always(struct decoder *d, uop_fn run)
{
    struct uop u = {.run = run,
                    .d = ALWAYS,
                    .a = ALWAYS,
                    .b = ALWAYS,
                    .c = ALWAYS,
                    .e = ALWAYS,
                    .guard = ALWAYS,
                    .site = (uint32_t)(d->out->site_base + d->instruction)};
    VEC_PUSH(d->uops, d->uop_count, d->uop_capacity, u);
    return &d->uops[d->uop_count - 1];
}

struct uop *emit(struct decoder *d, uop_fn run)
{
    const struct ptx_instruction *in = &d->f->instructions[d->instruction];
    struct uop *u = emit_always(d, run);
    if (in->guard >= 0) {
        u->guard = d->row[in->guard];
        u->guard_flip = in->guard_negated ? ALL_LANES : 0;
    }
    return u;
}

void add_fixup(struct decoder *d, const struct uop *u, int target, int reconverge)
{
    struct fixup x = {
        .uop = (size_t)(u - d->uops), .target = target, .reconverge = reconverge, .meet = -1};
    VEC_PUSH(d->fixups, d->fixup_count, d->fixup_capacity, x);
}

int branch_reconvergence(const struct decoder *d, int instruction)
{
    int block = d->f->block_of[instruction];
    int after = block >= 0 ? d->f->blocks[block].postdominator : -1;
    return after >= 0 ? d->f->blocks[after].first : d->f->instruction_count;
}

uint32_t temp_row(struct decoder *d)
{
    int i = d->temps_used++ % TEMP_ROWS;
    return d->temp + (uint32_t)i * TEMP_BYTES;
}

/* ---- constants ----------------------------------------------------------------------------- */

uint32_t row_more(struct decoder *d, uint32_t bytes)
{
    uint32_t row = d->out->frame_bytes;
    d->out->frame_bytes += bytes;
    d->out->constants_bytes += bytes;
    return row;
}

uint32_t constant_row(struct decoder *d, uint64_t value, unsigned width)
{
    unsigned bits = width == 64 ? 64 : 32; // predicates: one word of a row
    if (bits == 32)
        value &= UINT32_MAX;
    for (size_t i = 0; i < d->constant_count; i++)
        if (d->constants[i].value == value && d->constants[i].width == bits)
            return d->constants[i].row;
    struct constant c = {
        .row = row_more(d, bits == 64 ? ROW64 : ROW32), .width = (uint8_t)bits, .value = value};
    VEC_PUSH(d->constants, d->constant_count, d->constant_capacity, c);
    return c.row;
}

static bool slot_equal(const struct slot *a, const struct slot *b)
{
    return a->source == b->source && a->width == b->width && a->special == b->special &&
           a->component == b->component && a->offset == b->offset && a->bytes == b->bytes &&
           a->sign == b->sign && a->narrow16 == b->narrow16;
}

uint32_t slot_row(struct decoder *d, int when, struct slot s)
{
    for (size_t i = 0; i < d->slot_count[when]; i++)
        if (slot_equal(&d->slots[when][i], &s))
            return d->slots[when][i].row;
    s.row = row_more(d, s.width == 64 ? ROW64 : ROW32);
    VEC_PUSH(d->slots[when], d->slot_count[when], d->slot_capacity[when], s);
    return s.row;
}

static uint32_t special_row(struct decoder *d, const struct ptx_operand *op, unsigned bits)
{
    unsigned width = bits == 64 ? 64 : 32;
    if (special_is_clock(op->special)) {
        bool high = op->special == PTX_SREG_CLOCK_HI || op->special == PTX_SREG_GLOBALTIMER_HI;
        struct uop *u = emit_always(d, op_clock);
        const struct uop *head = &d->uops[d->segment_head];
        int first = d->program->segments[head->extra].first_site;
        u->d = temp_row(d);
        u->imm = (uint32_t)(d->out->site_base + d->instruction - first); // patched: see segments
        u->more = high ? 32 : 0;
        u->small = (uint16_t)width;
        u->extra = special_is_nanoseconds(op->special);
        d->program->reads_clock = true;
        return u->d;
    }
    struct slot s = {.width = (uint8_t)width,
                     .source = SLOT_SPECIAL,
                     .special = op->special,
                     .component = op->component};
    int when = SLOTS_LAUNCH;
    if (op->special == PTX_SREG_TID || op->special == PTX_SREG_WARPID ||
        op->special == PTX_SREG_LANEID || op->special == PTX_SREG_LANEMASK_EQ ||
        op->special == PTX_SREG_LANEMASK_LE || op->special == PTX_SREG_LANEMASK_LT ||
        op->special == PTX_SREG_LANEMASK_GE || op->special == PTX_SREG_LANEMASK_GT)
        when = SLOTS_WARP;
    if (op->special == PTX_SREG_CTAID || op->special == PTX_SREG_SMID ||
        op->special == PTX_SREG_CLUSTERID || op->special == PTX_SREG_CLUSTER_CTAID ||
        op->special == PTX_SREG_CLUSTER_CTARANK)
        when = SLOTS_BLOCK;
    if (op->special == PTX_SREG_ENVREG1 || op->special == PTX_SREG_ENVREG2)
        d->program->uses_workspace = true;
    return slot_row(d, when, s);
}

static uint32_t symbol_row(struct decoder *d, const struct ptx_operand *op, unsigned bits)
{
    const struct ptx_variable *v = op->variable;
    unsigned width = bits == 64 ? 64 : 32;
    uint64_t value = 0;
    uint32_t at = 0;
    if (op->function != NULL)
        value = CODE_BASE + 16 * (uint64_t)module_function_index(d->module->ptx, op->function);
    else if (variable_local(d, v, &at))
        return slot_row(d, SLOTS_FRAME,
                        (struct slot){.source = SLOT_LOCAL,
                                      .component = -1,
                                      .width = (uint8_t)width,
                                      .offset = at + (uint32_t)op->offset});
    else if (v != NULL && v->space == PTX_SPACE_PARAM)
        value = d->module->sim->params_address + v->param_offset_bytes;
    else if (v != NULL && !shared_offset(d->program, v, &value))
        value = module_variable_address(d->module, v);
    return constant_row(d, value + (uint64_t)op->offset, width);
}

/* ---- operands ------------------------------------------------------------------------------ */

static unsigned type_row_bits(enum ptx_type t)
{
    int bits = ptx_type_bits(t);
    return bits <= 1 ? 1 : bits <= 32 ? 32 : (unsigned)bits;
}

unsigned reg_bits(const struct decoder *d, int reg)
{
    return type_row_bits(d->f->registers[reg].type);
}

// An immediate as the instruction's type sees it.
static uint64_t immediate_bits(const struct ptx_operand *op, enum ptx_type type)
{
    uint64_t bits = op->bits;
    if (ptx_type_kind(type) == PTX_KIND_FLOAT) {
        if (op->immediate_type == PTX_TYPE_F64 && ptx_type_bits(type) == 32) {
            double wide;
            memcpy(&wide, &bits, 8);
            float narrow = (float)wide;
            uint32_t raw;
            memcpy(&raw, &narrow, 4);
            return raw;
        }
        if (op->immediate_type == PTX_TYPE_F32 && ptx_type_bits(type) == 64) {
            uint32_t raw = (uint32_t)bits;
            float narrow;
            memcpy(&narrow, &raw, 4);
            double wide = (double)narrow;
            memcpy(&bits, &wide, 8);
            return bits;
        }
    }
    int width = ptx_type_bits(type);
    return width >= 8 && width < 32 ? bits & ((1u << width) - 1) : bits;
}

static uint32_t register_row(struct decoder *d, int reg)
{
    if (d->row[reg] == NO_ROW && d->constant_reg[reg])
        d->row[reg] = constant_definition(d, reg);
    return d->row[reg];
}

// "register + number" of an operand that is no address.
static uint32_t sum_row(struct decoder *d, uint32_t row, int64_t offset, unsigned bits)
{
    uint32_t number = constant_row(d, (uint64_t)offset, bits);
    struct uop *u = emit_always(d, op_add_rows);
    u->a = row;
    u->b = number;
    u->small = (uint16_t)bits;
    u->d = temp_row(d);
    return u->d;
}

static uint32_t register_source(struct decoder *d, const struct ptx_operand *op, unsigned bits)
{
    uint32_t row = register_row(d, op->reg);
    unsigned have = reg_bits(d, op->reg);
    if (op->kind == PTX_OPERAND_REGISTER && op->offset != 0 && (have == 32 || have == 64))
        row = sum_row(d, row, op->offset, have);
    struct uop *u = NULL;
    if (have == 1 && op->negated) {
        u = emit_always(d, op_copy_pred);
        u->imm = ALL_LANES;
    } else if (have == 64 && bits == 32) {
        u = emit_always(d, op_narrow);
    } else if (have == 32 && bits == 64) {
        u = emit_always(d, op_widen);
    }
    if (u == NULL)
        return row;
    u->a = row;
    u->d = temp_row(d);
    return u->d;
}

uint32_t source_row(struct decoder *d, const struct ptx_operand *op, unsigned bits,
                    enum ptx_type type)
{
    switch (op->kind) {
    case PTX_OPERAND_REGISTER:
        return register_source(d, op, bits);
    case PTX_OPERAND_IMMEDIATE:
        if (bits == 1)
            return constant_row(d, (op->bits != 0) != op->negated ? ALL_LANES : 0, 32);
        return constant_row(d, immediate_bits(op, type), bits);
    case PTX_OPERAND_SPECIAL:
        return special_row(d, op, bits);
    case PTX_OPERAND_SYMBOL:
        return symbol_row(d, op, bits);
    case PTX_OPERAND_ADDRESS:
    case PTX_OPERAND_LABEL:
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_PAIR:
    case PTX_OPERAND_LIST:
    case PTX_OPERAND_SINK:
        break;
    }
    return NO_ROW;
}

uint32_t result_row(struct decoder *d, const struct ptx_operand *op)
{
    return op->kind == PTX_OPERAND_REGISTER ? d->row[op->reg] : NO_ROW;
}

/* ---- a function ---------------------------------------------------------------------------- */

static void segment_begin(struct decoder *d, int first)
{
    struct segment s = {.first_site = d->out->site_base + first};
    struct uop *u = emit_always(d, op_segment);
    u->extra = (uint32_t)d->program->segment_count;
    d->segment_head = d->uop_count - 1;
    VEC_PUSH(d->program->segments, d->program->segment_count, d->program->segment_capacity, s);
}

static bool starts_block(const struct ptx_function *f, int instruction)
{
    int block = f->block_of[instruction];
    return block >= 0 && f->blocks[block].first == instruction;
}

static void segments_close(struct decoder *d)
{
    for (size_t i = 0; i < d->uop_count; i++) {
        struct uop *u = &d->uops[i];
        if (u->run != op_segment)
            continue;
        u->imm = (uint32_t)d->program->segments[u->extra].count;
        for (size_t j = i + 1; j < d->uop_count && d->uops[j].run != op_segment; j++)
            if (d->uops[j].run == op_clock)
                d->uops[j].imm = u->imm - d->uops[j].imm; // the head counts them all at once
    }
}

static void function_body(struct decoder *d)
{
    const struct ptx_function *f = d->f;
    bool fresh = true;
    for (int i = 0; i < f->instruction_count; i++) {
        d->instruction = i;
        d->uop_of[i] = (uint32_t)d->uop_count;
        if (fresh || starts_block(f, i))
            segment_begin(d, i);
        if (i == 0)
            formals_take(d);
        uint32_t segment = d->uops[d->segment_head].extra;
        d->program->segments[segment].count++;
        struct site_info *site = &d->program->sites[d->out->site_base + i];
        *site = (struct site_info){.in = &f->instructions[i],
                                   .function = f,
                                   .segment = (int)segment,
                                   .mem = -1,
                                   .guarded = -1};
        decode_instruction(d, &f->instructions[i]);
        timing_fill(d, &f->instructions[i], &d->program->timing[d->out->site_base + i]);
        fresh = ends_segment(&f->instructions[i]);
    }
    d->uop_of[f->instruction_count] = (uint32_t)d->uop_count;
    d->instruction = f->instruction_count > 0 ? f->instruction_count - 1 : 0;
    formals_give(d);
    emit_always(d, op_end);
    segments_close(d);
    lower(d);
    d->out->code = code_of(d);
    d->out->held = ARENA_ARRAY(&d->program->arena, int, f->block_count + 1);
    ptx_registers_held(f, d->out->held);
    polls_find(d);
    claims_find(d);
    clear_list(d);
    values_hoist(d);
    for (size_t i = 0; i < d->fixup_count; i++) {
        const struct fixup *x = &d->fixups[i];
        struct uop *u = &d->uops[x->uop];
        u->d = d->uop_of[x->target] - (uint32_t)x->uop;
        u->a = d->uop_of[x->reconverge] - (uint32_t)x->uop;
        if (x->meet >= 0)
            u->b = d->uop_of[x->meet] - (uint32_t)x->uop;
    }
    stretches_find(d);
}

static void function_finish(struct decoder *d)
{
    struct arena *a = &d->program->arena;
    struct function *out = d->out;
    out->uops = ARENA_ARRAY(a, struct uop, d->uop_count + 1);
    memcpy(out->uops, d->uops, d->uop_count * sizeof(struct uop));
    out->uop_count = (int)d->uop_count;
    out->constants = ARENA_ARRAY(a, uint8_t, out->constants_bytes + ROW64);
    for (size_t i = 0; i < d->constant_count; i++) {
        const struct constant *c = &d->constants[i];
        for (uint32_t lane = 0; lane < LANES; lane++)
            memcpy(out->constants + (c->row - out->constants_at) + (size_t)lane * (c->width / 8u),
                   &c->value, c->width / 8u);
    }
    struct slot **lists[4] = {&out->launch_slots, &out->warp_slots, &out->block_slots,
                              &out->frame_slots};
    int *counts[4] = {&out->launch_slot_count, &out->warp_slot_count, &out->block_slot_count,
                      &out->frame_slot_count};
    for (int i = 0; i < 4; i++) {
        *lists[i] = ARENA_ARRAY(a, struct slot, d->slot_count[i] + 1);
        if (d->slot_count[i] > 0)
            memcpy(*lists[i], d->slots[i], d->slot_count[i] * sizeof(struct slot));
        *counts[i] = (int)d->slot_count[i];
        free(d->slots[i]);
    }
}

static void function_decode(struct sim_module *m, struct program *p, struct function *out,
                            enum sim_isa isa)
{
    const struct ptx_function *f = out->ptx;
    size_t registers = (size_t)f->register_count + 1;
    struct decoder d = {.module = m, .program = p, .isa = isa, .f = f, .out = out};
    d.uop_of = xcalloc((size_t)f->instruction_count + 1, sizeof(uint32_t));
    d.row = xcalloc(registers, sizeof(uint32_t));
    d.definition = xcalloc(registers, sizeof(int));
    d.constant_reg = xcalloc(registers, sizeof(bool));
    d.read = xcalloc(registers, sizeof(*d.read));
    registers_place(&d);
    local_layout(&d);
    function_body(&d);
    function_finish(&d);
    free(d.uop_of);
    free(d.row);
    free(d.definition);
    free(d.constant_reg);
    free(d.read);
    free(d.constants);
    free(d.fixups);
    free(d.local_at);
    free(d.uops);
}

/* ---- a program ----------------------------------------------------------------------------- */

static int program_add(struct program *p, const struct ptx_module *m, const struct ptx_function *f)
{
    f = &m->functions[module_function_index(m, f)];
    if (!f->has_body)
        return -1;
    for (int i = 0; i < p->function_count; i++)
        if (p->functions[i].ptx == f)
            return i;
    p->functions[p->function_count].ptx = f;
    return p->function_count++;
}

static const struct ptx_function *call_target(const struct ptx_instruction *in)
{
    for (int i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_SYMBOL && in->operands[i].function != NULL)
            return in->operands[i].function;
    return NULL;
}

// All functions the kernel may reach: those it calls and, once there is a call through a pointer,
// every other one.
static void program_reach(struct program *p, const struct ptx_module *m)
{
    p->functions = ARENA_ARRAY(&p->arena, struct function, m->function_count + 1);
    program_add(p, m, p->kernel);
    for (int i = 0; i < p->function_count; i++) {
        const struct ptx_function *f = p->functions[i].ptx;
        for (int j = 0; j < f->instruction_count; j++) {
            if (f->instructions[j].opcode != PTX_OP_CALL)
                continue;
            const struct ptx_function *target = call_target(&f->instructions[j]);
            if (target != NULL) {
                program_add(p, m, target);
                continue;
            }
            p->recursive = true;
            for (int k = 0; k < m->function_count; k++)
                if (!m->functions[k].is_entry)
                    program_add(p, m, &m->functions[k]);
        }
    }
}

int program_function(const struct program *p, const struct ptx_function *f)
{
    f = &p->module->functions[module_function_index(p->module, f)];
    for (int i = 0; i < p->function_count; i++)
        if (p->functions[i].ptx == f)
            return i;
    return -1;
}

// Local memory of the deepest chain of calls from a function on; recursion sets p->recursive.
static uint64_t program_depth(struct program *p, int function)
{
    struct function *own = &p->functions[function];
    if (own->depth == DEPTH_KNOWN)
        return own->chain_bytes;
    p->recursive |= own->depth == DEPTH_ASKED; // by a callee of its own
    own->depth = DEPTH_ASKED;
    uint64_t deepest = 0;
    for (int j = 0; j < own->ptx->instruction_count && !p->recursive; j++) {
        if (own->ptx->instructions[j].opcode != PTX_OP_CALL)
            continue;
        const struct ptx_function *target = call_target(&own->ptx->instructions[j]);
        int callee = target != NULL ? program_function(p, target) : -1;
        uint64_t below = callee >= 0 ? program_depth(p, callee) : 0;
        deepest = below > deepest ? below : deepest;
    }
    own->depth = DEPTH_KNOWN;
    own->chain_bytes = deepest + own->local_bytes;
    return own->chain_bytes;
}

static int function_order(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return (x->ptx > y->ptx) - (x->ptx < y->ptx);
}

struct program *program_new(struct sim_module *m, const struct ptx_function *kernel,
                            enum sim_isa isa)
{
    struct program *p = xcalloc(1, sizeof(*p));
    p->module = m->ptx;
    p->kernel = kernel;
    program_reach(p, m->ptx);
    shared_layout(p);
    // Sites are in the order of the text; the kernel stays first among the functions.
    struct function *sorted = ARENA_ARRAY(&p->arena, struct function, p->function_count + 1);
    memcpy(sorted, p->functions, (size_t)p->function_count * sizeof(*sorted));
    qsort(sorted, (size_t)p->function_count, sizeof(*sorted), function_order);
    for (int i = 0; i < p->function_count; i++) {
        struct function *f = &p->functions[program_function(p, sorted[i].ptx)];
        f->site_base = p->site_count;
        f->register_base = p->register_count;
        p->site_count += f->ptx->instruction_count;
        p->register_count += f->ptx->register_count;
    }
    p->sites = ARENA_ARRAY(&p->arena, struct site_info, p->site_count + 1);
    p->timing = ARENA_ARRAY(&p->arena, struct timing_site, p->site_count + 1);
    for (int i = 0; i < p->function_count; i++)
        function_decode(m, p, &p->functions[i], isa);
    p->local_bytes = program_depth(p, 0);
    carries_link(p);
    regions_find(p);
    sinks_find(p);
    rings_find(p);
    timing_schedule(p);
    loops_unroll(p);
    loads_ahead(p);
    early_find(p);
    return p;
}

void program_free(struct program *p)
{
    free(p->segments);
    free(p->branches);
    free(p->calls);
    free(p->mem_ops);
    free(p->matrix_ops);
    free(p->async_ops);
    free(p->texture_ops);
    free(p->stretches);
    free(p->shared);
    arena_release(&p->arena);
    free(p);
}
