// One PTX instruction to micro-ops. The opcode picks a function by PTX's own table; arithmetic is looked
// up in the ALU's (sim_alu_find). What can't be run becomes a micro-op that says so when a warp
// reaches it.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"

struct site_info *site_of(struct decoder *d)
{
    return &d->program->sites[d->out->site_base + d->instruction];
}

void unsupported(struct decoder *d, const char *why)
{
    site_of(d)->why = why;
    emit(d, op_unsupported);
}

int word_index(const struct ptx_instruction *in, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (in_has(in, words[i]))
            return (int)i;
    return -1;
}

/* ---- guards -------------------------------------------------------------------------------- */

// Lanes that take part are counted apart from the segment's.
static void count_guard(struct decoder *d, const struct ptx_instruction *in)
{
    if (in->guard < 0)
        return;
    site_of(d)->guarded = d->program->guarded_count;
    emit(d, op_count_guard)->extra = (uint32_t)d->program->guarded_count++;
}

// Calls and what waits for other lanes run with whole paths: a guard becomes a branch around.
void branch_around(struct decoder *d, const struct ptx_instruction *in)
{
    if (in->guard < 0)
        return;
    struct uop *u = emit(d, op_branch);
    u->guard_flip ^= ALL_LANES;
    add_fixup(d, u, d->instruction + 1, d->instruction + 1);
}

/* ---- moves --------------------------------------------------------------------------------- */

static uop_fn copy_of(unsigned bits)
{
    if (bits == 1)
        return op_copy_pred;
    return bits == 128 ? op_copy128 : bits == 64 ? op_copy64 : op_copy32;
}

static void decode_pack(struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *v = &in->operands[1];
    unsigned total = (unsigned)ptx_type_bits(in->types[0]);
    unsigned part = total / (unsigned)v->element_count, wide = part == 64 ? 64 : 32;
    uint32_t rows[4] = {ALWAYS, ALWAYS, ALWAYS, ALWAYS};
    for (int i = 0; i < v->element_count && i < 4; i++)
        rows[i] = source_row(d, &v->elements[i], wide, PTX_TYPE_NONE);
    uint32_t to = result_row(d, &in->operands[0]);
    struct uop *u = emit(d, op_pack);
    u->d = to;
    u->a = rows[0], u->b = rows[1], u->c = rows[2], u->e = rows[3];
    u->imm = part;
    u->more = (uint32_t)v->element_count;
    u->small = (uint16_t)total;
}

static void decode_unpack(struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *v = &in->operands[0];
    unsigned total = (unsigned)ptx_type_bits(in->types[0]);
    uint32_t rows[4] = {NO_ROW, NO_ROW, NO_ROW, NO_ROW};
    for (int i = 0; i < v->element_count && i < 4; i++)
        rows[i] = result_row(d, &v->elements[i]);
    uint32_t from = source_row(d, &in->operands[1], total == 16 ? 32 : total, in->types[0]);
    struct uop *u = emit(d, op_unpack);
    u->a = from;
    u->d = rows[0], u->b = rows[1], u->c = rows[2], u->e = rows[3];
    u->imm = total / (unsigned)v->element_count;
    u->more = (uint32_t)v->element_count;
    u->small = (uint16_t)total;
}

// All are read before the first is written.
static void decode_mov_vector(struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    uint32_t rows[4];
    for (int i = 0; i < to->element_count && i < 4; i++) {
        unsigned bits = (unsigned)ptx_type_bits(in->types[0]) == 64 ? 64 : 32;
        uint32_t row = source_row(d, &from->elements[i], bits, in->types[0]);
        struct uop *u = emit(d, copy_of(bits));
        u->d = rows[i] = temp_row(d);
        u->a = row;
    }
    for (int i = 0; i < to->element_count && i < 4; i++) {
        uint32_t row = result_row(d, &to->elements[i]);
        if (row == NO_ROW)
            continue;
        struct uop *u = emit(d, copy_of(reg_bits(d, to->elements[i].reg)));
        u->d = row;
        u->a = rows[i];
    }
}

static void decode_mov(struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    if (to->kind == PTX_OPERAND_VECTOR && from->kind == PTX_OPERAND_VECTOR) {
        decode_mov_vector(d, in);
        return;
    }
    if (to->kind == PTX_OPERAND_VECTOR) {
        decode_unpack(d, in);
        return;
    }
    if (from->kind == PTX_OPERAND_VECTOR) {
        decode_pack(d, in);
        return;
    }
    if (to->kind != PTX_OPERAND_REGISTER)
        return; // into _
    unsigned bits = reg_bits(d, to->reg);
    uint32_t row = source_row(d, from, bits, in->types[0]);
    if (row == NO_ROW || from->minus) {
        unsupported(d, "this operand of a move");
        return;
    }
    struct uop *u = emit(d, copy_of(bits));
    u->d = result_row(d, to);
    u->a = row;
    u->imm = 0;
}

static void decode_cvta(struct decoder *d, const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    bool window =
        space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER || space == PTX_SPACE_LOCAL;
    unsigned bits = reg_bits(d, in->operands[0].reg);
    // Parameters of functions lie in local memory.
    window |= space == PTX_SPACE_PARAM && !d->f->is_entry;
    uint32_t row = source_row(d, &in->operands[1], bits, in->types[0]);
    struct uop *u = emit(d, window ? op_to_window : copy_of(bits));
    u->d = result_row(d, &in->operands[0]);
    u->a = row;
    if (!window)
        return;
    u->imm = in_has(in, "to");
    u->more = space == PTX_SPACE_SHARED || space == PTX_SPACE_SHARED_CLUSTER ? PTX_SPACE_SHARED
                                                                             : PTX_SPACE_LOCAL;
    u->small = (uint16_t)bits;
    u->e = bits == 64;
}

static void decode_isspacep(struct decoder *d, const struct ptx_instruction *in)
{
    uint32_t row = source_row(d, &in->operands[1], 64, PTX_TYPE_U64);
    struct uop *u = emit(d, op_isspacep);
    u->d = result_row(d, &in->operands[0]);
    u->a = row;
    u->small = 64;
    u->more = in->space_count == 0 ? PTX_SPACE_GENERIC : in->spaces[0];
}

/* ---- arithmetic ---------------------------------------------------------------------------- */

static enum combine combine_of(const struct ptx_instruction *in)
{
    if (in_has(in, "and"))
        return COMBINE_AND;
    if (in_has(in, "or"))
        return COMBINE_OR;
    return in_has(in, "xor") ? COMBINE_XOR : COMBINE_NONE;
}

// The type an immediate operand is read as.
static enum ptx_type immediate_type(const struct ptx_instruction *in, int operand)
{
    bool shift = in->opcode == PTX_OP_SHL || in->opcode == PTX_OP_SHR;
    if (shift && operand == 2)
        return PTX_TYPE_U32;
    if (in->opcode == PTX_OP_MAD && in_has(in, "wide") && operand == 3) // of the result's width
        return ptx_type_bits(in->types[0]) == 16 ? PTX_TYPE_U32 : PTX_TYPE_U64;
    if (in->opcode == PTX_OP_SLCT && operand < 3)
        return in->types[0];
    return in->type_count > 0 ? in->types[in->type_count - 1] : PTX_TYPE_NONE;
}

static void note_flops(struct decoder *d, const struct alu_op *alu)
{
    struct site_info *s = site_of(d);
    s->flops_f16 = (uint8_t)alu->flops_f16;
    s->flops_f32 = (uint8_t)alu->flops_f32;
    s->flops_f64 = (uint8_t)alu->flops_f64;
    s->is_fadd = alu->is_fadd;
    s->is_fmul = alu->is_fmul;
    s->is_ffma = alu->is_ffma;
}

static void decode_compare(struct decoder *d, const struct ptx_instruction *in,
                           const struct alu_op *alu, const uint32_t rows[4])
{
    bool combines = in->opcode == PTX_OP_SETP && in->operand_count > 1 + alu->source_count;
    enum combine how = combines ? combine_of(in) : COMBINE_NONE;
    const struct ptx_operand *to = &in->operands[0];
    const struct ptx_operand *with = &in->operands[in->operand_count - 1];
    uint32_t with_row = combines ? source_row(d, with, 1, PTX_TYPE_PRED) : rows[2];
    struct uop *u = emit(d, op_compare);
    u->fn = alu->fn;
    u->imm = alu->imm;
    u->a = rows[0], u->b = rows[1], u->c = with_row;
    u->more = how;
    u->e = NO_ROW;
    u->small = (uint16_t)alu->result_bits;
    if (to->kind == PTX_OPERAND_PAIR) {
        u->d = result_row(d, &to->elements[0]);
        u->e = result_row(d, &to->elements[1]);
    } else {
        u->d = result_row(d, to);
    }
}

// Into a register of another width than the result: through a temporary row.
static void widen_result(struct decoder *d, const struct ptx_instruction *in, uint32_t temp,
                         unsigned width)
{
    bool is_signed = in->type_count > 0 && ptx_type_kind(in->types[0]) == PTX_KIND_SIGNED;
    struct uop *u = emit(d, op_widen);
    u->a = temp;
    u->d = result_row(d, &in->operands[0]);
    u->imm = is_signed ? (uint32_t)ptx_type_bits(in->types[0]) : 0;
    u->small = (uint16_t)width;
}

// A conversion to less than 32 signed bits: a register of 16 takes them as they come (its row is 32 bits
// wide, the upper ones 0), one of 32 their sign as well.
static bool extends_sign(const struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    return to->kind == PTX_OPERAND_REGISTER && in->opcode == PTX_OP_CVT && !in_has(in, "pack") &&
           ptx_type_kind(in->types[0]) == PTX_KIND_SIGNED && ptx_type_bits(in->types[0]) < 32 &&
           ptx_type_bits(d->f->registers[to->reg].type) == 32;
}

static enum routine routine_of(const struct ptx_instruction *in)
{
    bool calls = ptx_calls_routine(in);
    enum ptx_type type = in->type_count > 0 ? in->types[0] : PTX_TYPE_B32;
#define ROUTINE(id, op, kind, slots, cycles)                           \
    if (calls && in->opcode == PTX_OP_##op && type == PTX_TYPE_##kind) \
        return ROUTINE_##id;
#include "sim/decode/routines.def"
#undef ROUTINE
    return ROUTINE_NONE;
}

// Numbers that the instruction's short way does not take are looked for before it writes its result.
static void decode_routine(struct decoder *d, const struct ptx_instruction *in,
                           const uint32_t *rows)
{
    enum routine routine = routine_of(in);
    if (routine == ROUTINE_NONE)
        return;
    site_of(d)->routine = (uint8_t)routine;
    struct uop *u = emit(d, op_routine);
    u->imm = routine;
    u->a = rows[0], u->b = rows[1];
}

static void decode_alu(struct decoder *d, const struct ptx_instruction *in)
{
    struct alu_op alu = {0};
    const char *why = "an instruction no part of it knows";
    if (!sim_alu_find(in, d->isa, &alu, &why) || in->operand_count < 1 + alu.source_count) {
        unsupported(d, why);
        return;
    }
    note_flops(d, &alu);
    uint32_t rows[4] = {ALWAYS, ALWAYS, ALWAYS, ALWAYS};
    for (int i = 0; i < alu.source_count; i++) {
        const struct ptx_operand *op = &in->operands[1 + i];
        rows[i] = source_row(d, op, (unsigned)alu.source_bits[i], immediate_type(in, 1 + i));
        if (rows[i] == NO_ROW || op->minus) {
            unsupported(d, "this operand of an arithmetic instruction");
            return;
        }
    }
    if (alu.result_bits <= 2) { // predicates: one, or one a half
        decode_compare(d, in, &alu, rows);
        return;
    }
    const struct ptx_operand *to = &in->operands[0];
    if (in->opcode == PTX_OP_SET && in->operand_count > 1 + alu.source_count) {
        unsupported(d, "set with a boolean operation");
        return;
    }
    bool sink = to->kind == PTX_OPERAND_SINK;
    unsigned have = sink                               ? (unsigned)alu.result_bits
                    : to->kind == PTX_OPERAND_REGISTER ? reg_bits(d, to->reg)
                                                       : 0;
    bool widen = (have == 64 && alu.result_bits == 32) || extends_sign(d, in);
    if (!widen && have != (unsigned)alu.result_bits) {
        unsupported(d, "a result of this width in this register");
        return;
    }
    decode_routine(d, in, rows);
    uint32_t row = widen || sink ? temp_row(d) : result_row(d, to);
    bool carry = alu.reads_carry || alu.writes_carry;
    struct uop *u = widen ? emit_always(d, carry ? op_alu_carry : op_alu)
                          : emit(d, carry ? op_alu_carry : op_alu);
    u->fn = alu.fn;
    u->imm = alu.imm;
    u->d = row;
    u->a = rows[0], u->b = rows[1], u->c = rows[2], u->e = carry ? d->carry : rows[3];
    u->more = alu.writes_carry;
    u->small = (uint16_t)alu.result_bits;
    if (widen)
        widen_result(d, in, row, have);
}

/* ---- control ------------------------------------------------------------------------------- */

static void decode_bra(struct decoder *d, const struct ptx_instruction *in)
{
    site_of(d)->is_branch = true;
    struct uop *u = emit(d, in->guard >= 0 ? op_branch : op_branch_uniform);
    add_fixup(d, u, in->operands[0].target, branch_reconvergence(d, d->instruction));
    if (in->guard >= 0)
        d->fixups[d->fixup_count - 1].meet = branch_meeting(d, d->instruction);
}

static const struct ptx_branch_targets *branch_targets(const struct decoder *d,
                                                       const struct ptx_operand *op)
{
    for (int i = 0; i < d->f->branch_target_count; i++)
        if (op->symbol != NULL && strcmp(d->f->branch_targets[i].label, op->symbol) == 0)
            return &d->f->branch_targets[i];
    return NULL;
}

// Targets lie all over the function: a table of hops, each a plain branch behind this micro-op.
static void decode_brx(struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_branch_targets *t = branch_targets(d, &in->operands[1]);
    if (t == NULL) {
        unsupported(d, "a branch table that is not there");
        return;
    }
    site_of(d)->is_branch = true;
    struct program *p = d->program;
    int32_t *table = ARENA_ARRAY(&p->arena, int32_t, t->count + 1);
    uint32_t index = source_row(d, &in->operands[0], 32, PTX_TYPE_U32);
    struct uop *u = emit(d, op_branch_table);
    u->b = index;
    u->extra = (uint32_t)p->branch_count;
    add_fixup(d, u, d->f->instruction_count, branch_reconvergence(d, d->instruction));
    struct uop *skip = emit_always(d, op_branch_uniform); // lanes whose guard is off
    add_fixup(d, skip, d->instruction + 1, d->f->instruction_count);
    for (int i = 0; i < t->count; i++) {
        table[i] = 2 + i;
        add_fixup(d, emit_always(d, op_branch_uniform), t->targets[i], d->f->instruction_count);
    }
    struct branch b = {.table = table, .table_count = t->count};
    VEC_PUSH(p->branches, p->branch_count, p->branch_capacity, b);
}

static void decode_ret(struct decoder *d, const struct ptx_instruction *in)
{
    struct uop *u = emit(d, in->guard >= 0 ? op_branch : op_branch_uniform);
    add_fixup(d, u, d->f->instruction_count, d->f->instruction_count);
}

static void decode_exit(struct decoder *d, const struct ptx_instruction *in)
{
    (void)in;
    emit(d, op_exit);
}

static void decode_trap(struct decoder *d, const struct ptx_instruction *in)
{
    (void)in;
    emit(d, op_trap);
}

static void decode_nothing(struct decoder *d, const struct ptx_instruction *in)
{
    (void)d;
    (void)in;
}

static void decode_sleep(struct decoder *d, const struct ptx_instruction *in)
{
    uint32_t row = source_row(d, &in->operands[0], 32, PTX_TYPE_U32);
    struct uop *u = emit(d, op_sleep);
    u->a = row;
}

static void decode_fence(struct decoder *d, const struct ptx_instruction *in)
{
    emit(d, in_has(in, "proxy") && in_has(in, "async") ? op_proxy_fence : op_fence);
}

/* ---- barriers ------------------------------------------------------------------------------ */

static void decode_warp_barrier(struct decoder *d, const struct ptx_instruction *in)
{
    uint32_t members =
        in->operand_count > 0 ? source_row(d, &in->operands[0], 32, PTX_TYPE_B32) : NO_ROW;
    branch_around(d, in);
    emit_always(d, op_barrier_warp)->e = members;
}

// One more than the barrier's number, where the program says it; else 0.
static uint32_t known_barrier(const struct ptx_operand *ops, int count)
{
    if (count == 0)
        return 1;
    bool known = ops[0].kind == PTX_OPERAND_IMMEDIATE && ops[0].immediate_type == PTX_TYPE_S64 &&
                 ops[0].bits < BARRIERS;
    return known ? 1 + (uint32_t)ops[0].bits : 0;
}

static void decode_bar(struct decoder *d, const struct ptx_instruction *in)
{
    bool red = in_has(in, "red");
    if (in_has(in, "warp")) {
        decode_warp_barrier(d, in);
        return;
    }
    if (in_has(in, "cluster")) {
        branch_around(d, in);
        decode_cluster_barrier(d, in);
        return;
    }
    site_of(d)->is_barrier = true;
    int at = red ? 1 : 0, count = in->operand_count - at - (red ? 1 : 0);
    const struct ptx_operand *ops = in->operands + at;
    uint32_t id = count > 0 ? source_row(d, &ops[0], 32, PTX_TYPE_U32) : constant_row(d, 0, 32);
    uint32_t threads = count > 1 ? source_row(d, &ops[1], 32, PTX_TYPE_U32) : (uint32_t)ALWAYS;
    struct ptx_operand truth = in->operands[in->operand_count > 0 ? in->operand_count - 1 : 0];
    bool flip = red && truth.negated;
    truth.negated = false;
    uint32_t predicate = red ? source_row(d, &truth, 1, PTX_TYPE_PRED) : (uint32_t)ALWAYS;
    branch_around(d, in);
    struct uop *u = emit_always(d, op_barrier);
    u->a = id, u->b = threads, u->c = predicate, u->e = flip ? ALL_LANES : 0;
    u->extra = known_barrier(in->operands + at, count);
    u->imm = !red                 ? BARRIER_PLAIN
             : in_has(in, "popc") ? BARRIER_POPC
             : in_has(in, "and")  ? BARRIER_AND
                                  : BARRIER_OR;
    if (red)
        u->d = result_row(d, &in->operands[0]);
    unsigned flags = count > 1 ? BARRIER_COUNTED : 0u;
    flags |= in_has(in, "arrive") ? BARRIER_ARRIVE : 0u;
    flags |= in->opcode == PTX_OP_BAR || in_has(in, "aligned") ? BARRIER_ALIGNED : 0u;
    u->small = (uint16_t)flags;
}

/* ---- exchanges between lanes --------------------------------------------------------------- */

// The last operand of a .sync form names the lanes.
static uint32_t member_row(struct decoder *d, const struct ptx_instruction *in)
{
    if (!in_has(in, "sync"))
        return NO_ROW;
    return source_row(d, &in->operands[in->operand_count - 1], 32, PTX_TYPE_B32);
}

static void result_pair(struct decoder *d, const struct ptx_operand *to, uint32_t *value,
                        uint32_t *predicate)
{
    bool pair = to->kind == PTX_OPERAND_PAIR;
    *value = result_row(d, pair ? &to->elements[0] : to);
    *predicate = pair ? result_row(d, &to->elements[1]) : NO_ROW;
}

static const char *const SHUFFLE_WORDS[] = {"up", "down", "bfly", "idx"};

static void decode_shfl(struct decoder *d, const struct ptx_instruction *in)
{
    int mode = word_index(in, SHUFFLE_WORDS, COUNT_OF(SHUFFLE_WORDS));
    uint32_t value, predicate, members = member_row(d, in);
    uint32_t a = source_row(d, &in->operands[1], 32, PTX_TYPE_B32);
    uint32_t b = source_row(d, &in->operands[2], 32, PTX_TYPE_B32);
    uint32_t c = source_row(d, &in->operands[3], 32, PTX_TYPE_B32);
    result_pair(d, &in->operands[0], &value, &predicate);
    branch_around(d, in);
    struct uop *u = emit_always(d, op_shfl);
    u->d = value, u->more = predicate;
    u->a = a, u->b = b, u->c = c, u->e = members;
    u->imm = (uint32_t)mode;
}

static const char *const VOTE_WORDS[] = {"all", "any", "uni", "ballot"};

static void decode_vote(struct decoder *d, const struct ptx_instruction *in)
{
    int mode = word_index(in, VOTE_WORDS, COUNT_OF(VOTE_WORDS));
    struct ptx_operand truth = in->operands[1];
    bool flip = truth.negated;
    truth.negated = false;
    uint32_t a = source_row(d, &truth, 1, PTX_TYPE_PRED), members = member_row(d, in);
    branch_around(d, in);
    struct uop *u = emit_always(d, op_vote);
    u->d = result_row(d, &in->operands[0]);
    u->a = a, u->b = flip ? ALL_LANES : 0, u->e = members;
    u->imm = (uint32_t)mode;
}

static void decode_match(struct decoder *d, const struct ptx_instruction *in)
{
    unsigned bits = (unsigned)ptx_type_bits(in->types[0]);
    uint32_t value, predicate, members = member_row(d, in);
    uint32_t a = source_row(d, &in->operands[1], bits, in->types[0]);
    result_pair(d, &in->operands[0], &value, &predicate);
    branch_around(d, in);
    struct uop *u = emit_always(d, op_match);
    u->d = value, u->more = predicate, u->a = a, u->e = members;
    u->imm = in_has(in, "all");
    u->small = (uint16_t)bits;
}

static const char *const REDUX_WORDS[] = {"add", "min", "max", "and", "or", "xor"};

static void decode_redux(struct decoder *d, const struct ptx_instruction *in)
{
    int kind = word_index(in, REDUX_WORDS, COUNT_OF(REDUX_WORDS));
    bool is_float = in->type_count > 0 && in->types[0] == PTX_TYPE_F32;
    if (kind < 0 || (is_float && kind != REDUX_MIN && kind != REDUX_MAX)) {
        unsupported(d, "this form of redux");
        return;
    }
    uint32_t a = source_row(d, &in->operands[1], 32, in->types[0]), members = member_row(d, in);
    branch_around(d, in);
    struct uop *u = emit_always(d, op_redux);
    u->d = result_row(d, &in->operands[0]);
    u->a = a, u->e = members;
    u->imm = (uint32_t)kind;
    unsigned flags = ptx_type_kind(in->types[0]) == PTX_KIND_SIGNED ? REDUX_SIGNED : 0;
    flags |= is_float ? REDUX_FLOAT : 0;
    flags |= in_has(in, "abs") ? REDUX_ABS : 0;
    flags |= in_has(in, "NaN") ? REDUX_NAN : 0;
    u->small = (uint16_t)flags;
}

static void decode_elect(struct decoder *d, const struct ptx_instruction *in)
{
    uint32_t value, predicate, members = member_row(d, in);
    result_pair(d, &in->operands[0], &value, &predicate);
    branch_around(d, in);
    struct uop *u = emit_always(d, op_elect);
    u->d = value, u->more = predicate, u->e = members;
}

static void decode_activemask(struct decoder *d, const struct ptx_instruction *in)
{
    emit(d, op_activemask)->d = result_row(d, &in->operands[0]);
}

// A hint to the caches: none is modelled; the register gets a value.
static void decode_policy(struct decoder *d, const struct ptx_instruction *in)
{
    uint32_t zero = constant_row(d, 0, 64);
    struct uop *u = emit(d, op_copy64);
    u->d = result_row(d, &in->operands[0]);
    u->a = zero;
}

/* ---- memory of a function at run time ------------------------------------------------------------ */

static void decode_alloca(struct decoder *d, const struct ptx_instruction *in)
{
    uint32_t size = source_row(d, &in->operands[1], 32, PTX_TYPE_U32);
    d->program->uses_local = d->program->recursive = true; // depth unknown
    struct uop *u = emit(d, op_alloca);
    u->d = result_row(d, &in->operands[0]);
    u->a = size;
    u->imm = in->operand_count > 2 ? (uint32_t)in->operands[2].bits : 8;
    u->small = (uint16_t)reg_bits(d, in->operands[0].reg);
}

static void decode_stack(struct decoder *d, const struct ptx_instruction *in)
{
    bool restore = in->opcode == PTX_OP_STACKRESTORE;
    uint32_t row = restore ? source_row(d, &in->operands[0], 32, PTX_TYPE_U32)
                           : result_row(d, &in->operands[0]);
    d->program->uses_local = d->program->recursive = true;
    struct uop *u = emit(d, op_stack);
    u->d = row;
    u->imm = restore;
    u->small = restore ? 32 : (uint16_t)reg_bits(d, in->operands[0].reg);
}

static void decode_multimem(struct decoder *d, const struct ptx_instruction *in)
{
    (void)in;
    unsupported(d, "memory of several GPUs is not simulated");
}

static void decode_none(struct decoder *d, const struct ptx_instruction *in)
{
    (void)in;
    unsupported(d, "the simulated GPU has no such instruction");
}

/* ---- the table: PTX's own, with what a decoder's instructions do to the lanes -------------------- */

enum decoder_flags {
    PATHS_PART = 1, // lanes may change behind it
    OWN_GUARD = 2,  // all lanes count as active
    FLAGS_alu = 0,
    FLAGS_none = 0,
    FLAGS_mov = 0,
    FLAGS_cvta = 0,
    FLAGS_isspacep = 0,
    FLAGS_ld = 0,
    FLAGS_st = 0,
    FLAGS_cp = 0,
    FLAGS_atomic = 0,
    FLAGS_bra = PATHS_PART | OWN_GUARD,
    FLAGS_brx = PATHS_PART | OWN_GUARD,
    FLAGS_ret = PATHS_PART | OWN_GUARD,
    FLAGS_exit = PATHS_PART,
    FLAGS_call = PATHS_PART,
    FLAGS_trap = 0,
    FLAGS_bar = PATHS_PART,
    FLAGS_shfl = PATHS_PART,
    FLAGS_vote = PATHS_PART,
    FLAGS_match = PATHS_PART,
    FLAGS_redux = PATHS_PART,
    FLAGS_elect = PATHS_PART,
    FLAGS_activemask = 0,
    FLAGS_fence = 0,
    FLAGS_nothing = 0,
    FLAGS_sleep = 0,
    FLAGS_mma = 0,
    FLAGS_wmma = 0,
    FLAGS_ldmatrix = 0,
    FLAGS_movmatrix = 0,
    FLAGS_wgmma = 0,
    FLAGS_texture = 0,
    FLAGS_mbarrier = 0,
    FLAGS_mapa = 0,
    FLAGS_alloca = 0,
    FLAGS_stack = 0,
    FLAGS_policy = 0,
    FLAGS_video = 0,
    FLAGS_multimem = 0,
};
struct decode_row {
    void (*decode)(struct decoder *d, const struct ptx_instruction *in);
    int flags;
};
static const struct decode_row ROWS[] = {
#define OPCODE(id, name, class, decoder, operands, semantics) \
    [PTX_OP_##id] = {decode_##decoder, FLAGS_##decoder},
#include "ptx/opcodes.def"
#undef OPCODE
};

// NULL for a word that is no opcode.
static const struct decode_row *row_of(const struct ptx_instruction *in)
{
    size_t op = (size_t)in->opcode;
    return op < COUNT_OF(ROWS) && ROWS[op].decode ? &ROWS[op] : NULL;
}

bool ends_segment(const struct ptx_instruction *in)
{
    const struct decode_row *row = row_of(in);
    return row != NULL && (row->flags & PATHS_PART) != 0;
}

void decode_instruction(struct decoder *d, const struct ptx_instruction *in)
{
    const struct decode_row *row = row_of(in);
    struct site_info *s = site_of(d);
    enum ptx_class class = ptx_opcode_class(in->opcode);
    bool is_float = in->type_count > 0 && ptx_type_kind(in->types[0]) == PTX_KIND_FLOAT;
    s->is_integer = class == PTX_CLASS_INTEGER && !is_float && row && row->decode == decode_alu;
    s->is_special = class == PTX_CLASS_SPECIAL;
    if (in->unknown_word != NULL) {
        unsupported(d, "a modifier that is not known");
        return;
    }
    if (instruction_is_free_constant(d, in))
        return;
    if (row == NULL || (row->flags & OWN_GUARD) == 0)
        count_guard(d, in);
    if (row != NULL)
        row->decode(d, in);
    else
        decode_none(d, in);
}

/* ---- facts for the time model -------------------------------------------------------------- */

static enum timing_pipe memory_pipe(const struct ptx_instruction *in, bool store, bool entry)
{
    enum ptx_space space = ptx_space_of(in);
    switch (space) {
    case PTX_SPACE_SHARED:
    case PTX_SPACE_SHARED_CLUSTER:
        return store ? PIPE_SHARED_STORE : PIPE_SHARED_LOAD;
    case PTX_SPACE_LOCAL:
        return store ? PIPE_LOCAL_STORE : PIPE_LOCAL_LOAD;
    case PTX_SPACE_CONST:
        return PIPE_CONST;
    case PTX_SPACE_PARAM:
        return entry ? PIPE_CONST : PIPE_NONE; // a function's parameters are registers
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_GENERIC:
    case PTX_SPACE_REGISTER:
    case PTX_SPACE_COUNT:
        break;
    }
    return store ? PIPE_GLOBAL_STORE : PIPE_GLOBAL_LOAD;
}

static enum timing_pipe float_pipe(const struct ptx_instruction *in)
{
    enum ptx_type t = in->type_count > 0 ? in->types[0] : PTX_TYPE_F32;
    if (t == PTX_TYPE_F64)
        return PIPE_F64;
    return t == PTX_TYPE_F32 || t == PTX_TYPE_TF32 ? PIPE_F32 : PIPE_F16;
}

static enum timing_pipe atomic_pipe(const struct decoder *d, const struct ptx_instruction *in)
{
    const struct site_info *s = &d->program->sites[d->out->site_base + d->instruction];
    if (in->space_count > 0 && in->spaces[0] == PTX_SPACE_SHARED)
        return PIPE_SHARED_ATOMIC;
    bool reduction = s->mem >= 0 && d->program->mem_ops[s->mem].reduction;
    return reduction ? PIPE_GLOBAL_REDUCTION : PIPE_GLOBAL_ATOMIC;
}

// Fragments come from memory through the load/store unit.
static enum timing_pipe tensor_pipe(const struct decoder *d, const struct ptx_instruction *in)
{
    const struct site_info *s = &d->program->sites[d->out->site_base + d->instruction];
    if (s->access != SITE_OTHER)
        return memory_pipe(in, s->access == SITE_STORE, false);
    return in->opcode == PTX_OP_MOVMATRIX ? PIPE_WARP : PIPE_TENSOR;
}

static enum timing_pipe copy_pipe(const struct ptx_instruction *in)
{
    if (in_has(in, "commit_group"))
        return PIPE_ASYNC_COMMIT;
    if (in_has(in, "wait_group") || in_has(in, "wait_all"))
        return PIPE_ASYNC_WAIT;
    if (in_has(in, "bulk"))
        return PIPE_BULK_COPY;
    return in->operand_count >= 2 ? PIPE_ASYNC_COPY : PIPE_MBARRIER;
}

static enum timing_pipe pipe_of(const struct decoder *d, const struct ptx_instruction *in)
{
    const struct site_info *s = &d->program->sites[d->out->site_base + d->instruction];
    if (in->opcode == PTX_OP_MOV) {
        enum ptx_operand_kind from = in->operands[1].kind;
        bool loaded = from == PTX_OPERAND_SPECIAL || from == PTX_OPERAND_SYMBOL;
        return loaded ? PIPE_CONST : PIPE_NONE;
    }
    if (in->opcode == PTX_OP_CP)
        return copy_pipe(in);
    if (in->opcode == PTX_OP_MBARRIER)
        return in_has(in, "pending_count") ? PIPE_INTEGER : PIPE_MBARRIER;
    if (in_has(in, "warp") && in_has(in, "sync"))
        return PIPE_FENCE; // orders lanes
    switch (ptx_opcode_class(in->opcode)) {
    case PTX_CLASS_FREE:
    case PTX_CLASS_OTHER:
        if (s->access == SITE_TEXTURE || s->access == SITE_SURFACE)
            return memory_pipe(in, in->opcode == PTX_OP_SUST, false);
        return in->opcode == PTX_OP_LD ? memory_pipe(in, false, d->f->is_entry) : PIPE_NONE;
    case PTX_CLASS_INTEGER:
        return PIPE_INTEGER;
    case PTX_CLASS_FLOAT:
        return float_pipe(in);
    case PTX_CLASS_SPECIAL:
        return PIPE_SPECIAL;
    case PTX_CLASS_CONVERT:
        return PIPE_CONVERT;
    case PTX_CLASS_MEMORY:
        return memory_pipe(in, in->opcode == PTX_OP_ST, d->f->is_entry);
    case PTX_CLASS_ATOMIC:
        return atomic_pipe(d, in);
    case PTX_CLASS_CONTROL:
        return in->opcode == PTX_OP_EXIT || (in->opcode == PTX_OP_RET && d->f->is_entry)
                   ? PIPE_EXIT
                   : PIPE_BRANCH;
    case PTX_CLASS_BARRIER:
        return PIPE_BARRIER;
    case PTX_CLASS_WARP:
        return in->opcode == PTX_OP_SHFL ? PIPE_SHUFFLE : PIPE_WARP;
    case PTX_CLASS_TENSOR:
        return tensor_pipe(d, in);
    case PTX_CLASS_FENCE:
        return PIPE_FENCE;
    }
    return PIPE_NONE;
}

void timing_register(uint16_t *list, uint8_t *count, int reg)
{
    for (int i = 0; i < *count; i++)
        if (list[i] == (uint16_t)reg)
            return;
    if (*count < TIMING_REGISTERS_MAX && reg <= UINT16_MAX)
        list[(*count)++] = (uint16_t)reg;
}

static void timing_operand(uint16_t *list, uint8_t *count, const struct ptx_operand *op, int base)
{
    if ((op->kind == PTX_OPERAND_REGISTER || op->kind == PTX_OPERAND_ADDRESS) && op->reg >= 0)
        timing_register(list, count, base + op->reg);
    for (int i = 0; i < op->element_count; i++)
        timing_operand(list, count, &op->elements[i], base);
}

void timing_fill(struct decoder *d, const struct ptx_instruction *in, struct timing_site *t)
{
    int base = d->out->register_base;
    const struct site_info *s = site_of(d);
    *t = (struct timing_site){
        .pipe = pipe_of(d, in), .swap_turn = s->swap_turn, .routine = s->routine};
    if (in->guard >= 0) {
        timing_register(t->source, &t->source_count, base + in->guard);
        t->guard = base + in->guard < UINT16_MAX ? (uint16_t)(base + in->guard + 1) : 0;
    }
    bool writes = in->writes_first;
    // An atomic whose result nobody reads has none: the next one does not wait to write it again.
    if (writes && !(s->mem >= 0 && d->program->mem_ops[s->mem].reduction))
        timing_operand(t->result, &t->result_count, &in->operands[0], base);
    for (int i = writes ? 1 : 0; i < in->operand_count; i++)
        timing_operand(t->source, &t->source_count, &in->operands[i], base);
    if (in->opcode == PTX_OP_CP) {
        const struct ptx_operand *left = in->operand_count > 0 ? &in->operands[0] : NULL;
        bool some = t->pipe == PIPE_ASYNC_WAIT && left && left->kind == PTX_OPERAND_IMMEDIATE;
        t->bulk = in_has(in, "bulk");
        t->after_copies = t->pipe == PIPE_MBARRIER;
        t->groups_left = some && left->bits < GROUPS_NONE ? (uint8_t)left->bits : GROUPS_NONE;
    }
    t->tensor_flops = s->tensor_flops;
    t->group = in->opcode == PTX_OP_WGMMA;
    if (s->mem >= 0) {
        const struct mem_op *m = &d->program->mem_ops[s->mem];
        t->bytes = (uint8_t)(m->bytes * m->vector);
        t->synchronises = in_has(in, "relaxed") || in_has(in, "acquire");
    }
}
