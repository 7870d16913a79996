// mbarriers, asynchronous copies and clusters to micro-ops.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/async.h"
#include "sim/decode/decode.h"

static uint32_t async_add(struct decoder *d, struct async_op op)
{
    struct program *p = d->program;
    VEC_PUSH(p->async_ops, p->async_count, p->async_capacity, op);
    return (uint32_t)(p->async_count - 1);
}

static struct async_address async_address(struct decoder *d, const struct ptx_operand *op,
                                          bool generic)
{
    struct async_address a = {.generic = generic};
    address_of(d, op, &a.row, &a.wide, &a.offset);
    return a;
}

static bool is_shared(enum ptx_space s)
{
    return s == PTX_SPACE_SHARED || s == PTX_SPACE_SHARED_CLUSTER;
}

/* ---- mbarriers ------------------------------------------------------------------------------- */

static void decode_mbarrier_wait(struct decoder *d, const struct ptx_instruction *in,
                                 struct async_op *op)
{
    if (in->operand_count < 3 || in->operands[0].kind != PTX_OPERAND_REGISTER) {
        unsupported(d, "this form of a wait for an mbarrier");
        return;
    }
    op->kind = MBARRIER_WAIT;
    op->parity = in_has(in, "parity");
    op->count = source_row(d, &in->operands[2], op->parity ? 32 : 64, PTX_TYPE_B64);
    uint32_t index = async_add(d, *op);
    struct uop *u = emit(d, op_mbarrier_wait);
    u->d = result_row(d, &in->operands[0]);
    u->more = index;
}

void decode_mbarrier(struct decoder *d, const struct ptx_instruction *in)
{
    if (in_has(in, "pending_count")) {
        uint32_t state = source_row(d, &in->operands[1], 64, PTX_TYPE_B64);
        struct uop *u = emit(d, op_pending_count);
        u->d = result_row(d, &in->operands[0]);
        u->a = state;
        return;
    }
    bool arrive = in_has(in, "arrive") || in_has(in, "arrive_drop");
    bool wait = in_has(in, "test_wait") || in_has(in, "try_wait");
    int at = arrive || wait ? 1 : 0;
    if (in->operand_count <= at) {
        unsupported(d, "this form of an mbarrier");
        return;
    }
    struct async_op op = {.count = NO_ROW, .expect = in_has(in, "expect_tx")};
    op.drop = in_has(in, "arrive_drop");
    op.barrier = async_address(d, &in->operands[at], in->space_count == 0);
    if (wait) {
        decode_mbarrier_wait(d, in, &op);
        return;
    }
    op.kind = arrive                    ? MBARRIER_ARRIVE
              : in_has(in, "init")      ? MBARRIER_INIT
              : in_has(in, "inval")     ? MBARRIER_INVAL
              : in_has(in, "expect_tx") ? MBARRIER_EXPECT
                                        : MBARRIER_COMPLETE;
    if (in->operand_count > at + 1)
        op.count = source_row(d, &in->operands[at + 1], 32, PTX_TYPE_U32);
    uint32_t index = async_add(d, op);
    struct uop *u = emit(d, op_mbarrier);
    u->d = arrive ? result_row(d, &in->operands[0]) : NO_ROW;
    u->more = index;
}

/* ---- copies ---------------------------------------------------------------------------------- */

// cp.async.mbarrier.arrive: earlier copies are done, so the arrival comes now. Without .noinc it was
// added to the phase's just before.
static void decode_copy_arrive(struct decoder *d, const struct ptx_instruction *in)
{
    struct async_op op = {.kind = in_has(in, "noinc") ? MBARRIER_ARRIVE : MBARRIER_COPIES,
                          .count = NO_ROW};
    op.barrier = async_address(d, &in->operands[0], in->space_count == 0);
    uint32_t index = async_add(d, op);
    struct uop *u = emit(d, op_mbarrier);
    u->d = NO_ROW;
    u->more = index;
}

// cp.async.bulk.tensor: to shared memory [to], [map, {coordinates}], [mbarrier] (, blocks) (, policy); from
// it [map, {coordinates}], [from].
static void decode_tensor_copy(struct decoder *d, const struct ptx_instruction *in)
{
    bool store = in_has(in, "bulk_group");
    struct async_op op = {
        .barrier.row = NO_ROW, .blocks = NO_ROW, .type = PTX_TYPE_B8, .tensor = true};
    if (in->operand_count < (store ? 2 : 3) || in_has(in, "im2col") ||
        in_has(in, "im2col_no_offs") || in_has(in, "tile::gather4") ||
        in_has(in, "tile::scatter4")) {
        unsupported(d, "this form of a copy by tensor map");
        return;
    }
    const struct ptx_operand *map = &in->operands[store ? 0 : 1];
    const struct ptx_operand *shared = &in->operands[store ? 1 : 0];
    if (map->element_count < 1 || map->element_count > (int)COUNT_OF(op.data)) {
        unsupported(d, "a copy by tensor map without its coordinates");
        return;
    }
    op.to_space = store ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
    op.from_space = store ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;
    op.to = async_address(d, store ? map : shared, false);
    op.from = async_address(d, store ? shared : map, false);
    op.data_count = (unsigned)map->element_count;
    for (unsigned i = 0; i < op.data_count; i++)
        op.data[i] = source_row(d, &map->elements[i], 32, PTX_TYPE_S32);
    if (!store)
        op.barrier = async_address(d, &in->operands[2], false);
    if (in_has(in, "multicast::cluster") && in->operand_count > 3)
        op.blocks = source_row(d, &in->operands[3], 32, PTX_TYPE_U16);
    op.reduces = in_has(in, "reduce");
    int kind = op.reduces ? atomic_word(in) : 0;
    if (kind < 0) {
        unsupported(d, "this form of a copy by tensor map");
        return;
    }
    op.atomic = (enum atomic_kind)kind;
    struct mem_op m = mem_new(d, in, shared);
    uint32_t memory = mem_add(d, m), index = async_add(d, op);
    struct uop *u = emit(d, op_tensor_copy);
    u->extra = memory;
    u->more = index;
    d->program->order_shows |= op.reduces;
}

static void decode_bulk(struct decoder *d, const struct ptx_instruction *in)
{
    if (in_has(in, "tensor") && !in_has(in, "prefetch")) {
        decode_tensor_copy(d, in);
        return;
    }
    if (in_has(in, "commit_group"))
        emit(d, op_bulk_commit);
    if (in_has(in, "wait_group"))
        emit(d, op_bulk_wait)->imm = in->operand_count > 0 ? (uint32_t)in->operands[0].bits : 0;
    if (in_has(in, "commit_group") || in_has(in, "wait_group") || in_has(in, "prefetch"))
        return; // copies are done at once
    bool group = in_has(in, "bulk_group");
    int needs = group ? 3 : 4;
    if (in->space_count < 2 || in->operand_count < needs) {
        unsupported(d, "this form of a bulk copy");
        return;
    }
    struct async_op op = {.barrier.row = NO_ROW, .blocks = NO_ROW, .type = PTX_TYPE_B8};
    op.to_space = is_shared(in->spaces[0]) ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;
    op.from_space = is_shared(in->spaces[1]) ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;
    op.to = async_address(d, &in->operands[0], false);
    op.from = async_address(d, &in->operands[1], false);
    op.bytes = source_row(d, &in->operands[2], 32, PTX_TYPE_U32);
    if (!group)
        op.barrier = async_address(d, &in->operands[3], false);
    if (in_has(in, "multicast::cluster") && in->operand_count > 4)
        op.blocks = source_row(d, &in->operands[4], 32, PTX_TYPE_U16);
    op.reduces = in_has(in, "reduce");
    if (op.reduces) {
        int kind = atomic_word(in);
        if (kind < 0 || in->type_count == 0) {
            unsupported(d, "this form of a bulk copy");
            return;
        }
        op.atomic = (enum atomic_kind)kind;
        op.type = in->types[0];
    }
    struct mem_op m = mem_new(d, in, &in->operands[0]);
    uint32_t memory = mem_add(d, m), index = async_add(d, op);
    struct uop *u = emit(d, op_bulk);
    u->extra = memory;
    u->more = index;
    d->program->order_shows |= op.reduces && op.to_space == PTX_SPACE_GLOBAL;
}

bool decode_copy(struct decoder *d, const struct ptx_instruction *in)
{
    if (in_has(in, "bulk"))
        decode_bulk(d, in);
    else if (in_has(in, "mbarrier"))
        decode_copy_arrive(d, in);
    else
        return false;
    return true;
}

void decode_store_async(struct decoder *d, const struct ptx_instruction *in)
{
    struct async_op op = {.type = in->type_count > 0 ? in->types[0] : PTX_TYPE_B32};
    op.reduces = in->opcode == PTX_OP_RED;
    int kind = op.reduces ? atomic_word(in) : 0;
    if (in->operand_count < 3 || kind < 0 || ptx_type_bits(op.type) < 32 ||
        ptx_type_bits(op.type) > 64) {
        unsupported(d, "this form of an asynchronous store");
        return;
    }
    const struct ptx_operand *data = &in->operands[1];
    bool vector = data->kind == PTX_OPERAND_VECTOR;
    op.atomic = (enum atomic_kind)kind;
    op.data_count = vector ? (unsigned)data->element_count : 1;
    if (op.data_count > COUNT_OF(op.data)) {
        unsupported(d, "this form of an asynchronous store");
        return;
    }
    for (unsigned i = 0; i < op.data_count && i < COUNT_OF(op.data); i++)
        op.data[i] = source_row(d, vector ? &data->elements[i] : data,
                                (unsigned)ptx_type_bits(op.type), op.type);
    op.to = async_address(d, &in->operands[0], in->space_count == 0);
    op.barrier = async_address(d, &in->operands[2], in->space_count == 0);
    uint32_t index = async_add(d, op);
    emit(d, op_store_async)->more = index;
}

/* ---- clusters -------------------------------------------------------------------------------- */

void decode_mapa(struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *address = &in->operands[1];
    bool rank = in->opcode == PTX_OP_GETCTARANK;
    unsigned bits = in->type_count > 0 ? (unsigned)ptx_type_bits(in->types[0]) : 64;
    if (in->operand_count < (rank ? 2 : 3)) {
        unsupported(d, "this form of a cluster address");
        return;
    }
    uint32_t a = source_row(d, address, bits, PTX_TYPE_U64);
    uint32_t b = rank ? (uint32_t)ALWAYS : source_row(d, &in->operands[2], 32, PTX_TYPE_U32);
    struct uop *u = emit(d, rank ? op_getctarank : op_mapa);
    u->d = result_row(d, &in->operands[0]);
    u->a = a, u->b = b;
    u->e = bits == 64;
    u->imm = in->space_count == 0;
    u->small = (uint16_t)bits;
}

void decode_cluster_barrier(struct decoder *d, const struct ptx_instruction *in)
{
    site_of(d)->is_barrier = in_has(in, "wait");
    emit_always(d, op_cluster_barrier)->imm = in_has(in, "arrive") ? 1 : 2;
}
