// Texture fetches and surface accesses to micro-ops: one and two dimensions, one layer, one level.
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/decode.h"
#include "sim/run/texture.h"

static int rank_of(const struct ptx_instruction *in)
{
    return in_has(in, "1d") ? 1 : in_has(in, "2d") ? 2 : 0;
}

static uint32_t texture_add(struct decoder *d, struct texture_op op)
{
    struct program *p = d->program;
    VEC_PUSH(p->texture_ops, p->texture_count, p->texture_capacity, op);
    return (uint32_t)(p->texture_count - 1);
}

// [handle, {coordinates}]; the texture's own sampler. false: another form.
static bool decode_place(struct decoder *d, const struct ptx_operand *place, enum ptx_type type,
                         struct texture_op *op)
{
    int64_t offset = 0;
    bool wide = false;
    // Coordinates come in 1, 2 or 4: what is beyond the dimensions is not looked at.
    if (place->kind != PTX_OPERAND_ADDRESS || place->reg < 0 || place->element_count < op->rank)
        return false;
    address_of(d, place, &op->handle, &wide, &offset);
    op->whole = type == PTX_TYPE_S32 || type == PTX_TYPE_B32;
    for (int i = 0; i < op->rank; i++)
        op->at[i] = source_row(d, &place->elements[i], 32, type);
    return wide && offset == 0 && (op->whole || type == PTX_TYPE_F32);
}

static bool decode_data(struct decoder *d, const struct ptx_operand *data, bool load,
                        enum ptx_type type, struct mem_op *m)
{
    bool vector = data->kind == PTX_OPERAND_VECTOR;
    int count = vector ? data->element_count : 1;
    if (count < 1 || count > 4)
        return false;
    m->vector = (uint8_t)count;
    m->bytes = (uint8_t)(ptx_type_bits(type) / 8);
    m->width = m->bytes == 8 ? 64 : 32;
    for (int i = 0; i < count; i++) {
        const struct ptx_operand *x = vector ? &data->elements[i] : data;
        m->reg[i] = load ? result_row(d, x) : source_row(d, x, m->width, type);
        if (!load && m->reg[i] == NO_ROW)
            return false;
    }
    return m->bytes >= 1 && m->bytes <= 8;
}

static void emit_access(struct decoder *d, struct mem_op m, struct texture_op op)
{
    m.space = PTX_SPACE_GLOBAL;
    m.base = op.handle;
    m.base64 = true;
    uint32_t index = mem_add(d, m), more = texture_add(d, op);
    struct uop *u = emit(d, op_texture);
    u->extra = index;
    u->more = more;
    site_of(d)->access = op.access == TEXTURE_READ ? SITE_TEXTURE : SITE_SURFACE;
}

static void decode_fetch(struct decoder *d, const struct ptx_instruction *in)
{
    struct texture_op op = {.access = TEXTURE_READ, .rank = rank_of(in)};
    struct mem_op m = {.vector = 1};
    if (op.rank == 0) {
        unsupported(d, "textures of 1 and 2 dimensions are simulated, and no layers or cubes");
        return;
    }
    // A level or gradient chooses among levels, and a buffer has one.
    if (in->type_count < 2 || in->types[0] == PTX_TYPE_F16 || in->types[0] == PTX_TYPE_F16X2 ||
        in->operand_count < 2 || in->operands[0].kind != PTX_OPERAND_VECTOR ||
        !decode_place(d, &in->operands[1], in->types[1], &op) ||
        !decode_data(d, &in->operands[0], true, PTX_TYPE_B32, &m)) {
        unsupported(d, "this form of a texture fetch");
        return;
    }
    emit_access(d, m, op);
}

static void decode_surface(struct decoder *d, const struct ptx_instruction *in)
{
    bool load = in->opcode == PTX_OP_SULD;
    struct texture_op op = {.access = load              ? SURFACE_READ
                                      : in_has(in, "p") ? SURFACE_WRITE_TEXELS
                                                        : SURFACE_WRITE,
                            .outside = in_has(in, "clamp")  ? OUTSIDE_CLAMP
                                       : in_has(in, "zero") ? OUTSIDE_ZERO
                                                            : OUTSIDE_TRAP,
                            .rank = rank_of(in)};
    struct mem_op m = {.vector = 1};
    if (op.rank == 0) {
        unsupported(d, "surfaces of 1 and 2 dimensions are simulated, and no layers or cubes");
        return;
    }
    if (in->type_count < 1 || in->operand_count < 2 || (load && in_has(in, "p")) ||
        !decode_place(d, &in->operands[load ? 1 : 0], PTX_TYPE_B32, &op) ||
        !decode_data(d, &in->operands[load ? 0 : 1], load, in->types[0], &m)) {
        unsupported(d, "this form of a surface access");
        return;
    }
    emit_access(d, m, op);
}

void decode_texture(struct decoder *d, const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OP_TEX)
        decode_fetch(d, in);
    else if (in->opcode == PTX_OP_SULD || in->opcode == PTX_OP_SUST)
        decode_surface(d, in);
    else
        unsupported(d, "of textures and surfaces only fetches, loads and stores are simulated");
}
