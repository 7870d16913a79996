// Machine code of gfx11 (RDNA3) to instructions: its numbers stand in gfx11.def and the rows that only it has, its fields here
// (compared with LLVM 19's disassembler: docs/amd.md). Any bytes may be given.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/fields.h"
#include "sim/amd/isa.h"

#include <pthread.h>
#include <string.h>

const struct amd_named amd_gfx11[] = {
#define G(ENCODING, OPCODE, NAME, ROW) {ENCODING_##ENCODING, OPCODE, #NAME, AMD_##ROW},
#include "sim/amd/gfx11.def"
#undef G
#define S(...)
#define S11(ENCODING, OPCODE, NAME, ...) {ENCODING_##ENCODING, OPCODE, #NAME, AMD_##NAME},
#include "sim/amd/scalar.def"
#undef S
#define V(...)
#define V90A(...)
#define V942(...)
#define V11(ENCODING, OPCODE, NAME, ...) {ENCODING_##ENCODING, OPCODE, #NAME, AMD_##NAME},
#include "sim/amd/vector.def"
#undef V
#define M(...)
#define M90A(...)
#define M942(...)
#define M11(ENCODING, OPCODE, NAME, ...) {ENCODING_##ENCODING, OPCODE, #NAME, AMD_##NAME},
#include "sim/amd/memory.def"
#undef M
#define W(ID, OPCODE, ...) {ENCODING_VOP3P, OPCODE, #ID, AMD_##ID},
#include "sim/amd/matrix.def"
};
const size_t amd_gfx11_count = COUNT_OF(amd_gfx11);

/* ---- from opcodes to rows -------------------------------------------------------------------------- */

enum { OPCODES = 1024, VOP3_OF_VOP2 = 0x100, VOP3_OF_VOP1 = 0x180, NOT_THERE = 0 };

// Of each encoding, the number in amd_gfx11 plus one.
static uint16_t numbers[ENCODING_COUNT][OPCODES];
static pthread_once_t numbered = PTHREAD_ONCE_INIT;

static void number_all(void)
{
    for (size_t i = 0; i < COUNT_OF(amd_gfx11); i++) {
        const struct amd_named *n = &amd_gfx11[i];
        uint16_t number = (uint16_t)(i + 1);
        enum vector_form form = amd_rows[n->id].form;
        numbers[n->encoding][n->opcode] = number;
        if (form == FORM_CONSTANT || form == FORM_SCALAR || form == FORM_SWAP) // have no VOP3 form
            continue;
        if (n->encoding == ENCODING_VOPC)
            numbers[ENCODING_VOP3][n->opcode] = number;
        else if (n->encoding == ENCODING_VOP2)
            numbers[ENCODING_VOP3][n->opcode + VOP3_OF_VOP2] = number;
        else if (n->encoding == ENCODING_VOP1)
            numbers[ENCODING_VOP3][n->opcode + VOP3_OF_VOP1] = number;
    }
}

static const struct amd_named *find(enum amd_encoding encoding, unsigned opcode)
{
    (void)pthread_once(&numbered, number_all);
    uint16_t number = opcode < OPCODES ? numbers[encoding][opcode] : NOT_THERE;
    return number == NOT_THERE ? NULL : &amd_gfx11[number - 1];
}

/* ---- fields ------------------------------------------------------------------------------------------ */

enum { CODE_NULL = 124, CODE_M0 = 125, CODE_DPP8 = 233, CODE_DPP8_INACTIVE = 234 };

// An operand's code as the other architectures have it.
static uint16_t code(uint32_t word, unsigned low, unsigned count)
{
    uint16_t c = field(word, low, count);
    return c == CODE_NULL ? OPERAND_NULL : c == CODE_M0 ? OPERAND_M0 : c;
}

static void decode_scalar(uint32_t w, struct amd_instruction *in)
{
    in->result = code(w, 16, 7);
    in->source[0] = code(w, 0, 8);
    in->source[1] = code(w, 8, 8);
    in->constant = signed_bits(w, 0, 16);
}

static void decode_smem(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->base = (uint16_t)(2 * bits(w, 0, 6));
    in->data = code(w, 6, 7);
    in->dlc = bits(w, 13, 1);
    in->glc = bits(w, 14, 1);
    in->constant = signed_bits(w1, 0, 21);
    in->source[0] = code(w1, 25, 7);
    in->has_offset_register = in->source[0] != OPERAND_NULL;
}

static bool has_mask_result(const struct amd_row *r)
{
    return r->form == FORM_WRITES || r->form == FORM_BOTH || r->form == FORM_SCALE;
}

static uint16_t compared_mask(const struct amd_row *r, uint16_t named)
{
    return r->form == FORM_COMPARES_EXEC ? OPERAND_EXEC : named;
}

static void decode_vop(uint32_t w, struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    in->source[0] = code(w, 0, 9);
    in->source[1] = (uint16_t)(bits(w, 9, 8) + OPERAND_VGPR);
    in->source[2] = OPERAND_VCC;
    in->result = r->form == FORM_SCALAR ? code(w, 17, 8) : field(w, 17, 8);
    in->mask_result = compared_mask(r, OPERAND_VCC);
}

static void decode_vop3(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    in->result = r->form == FORM_SCALAR ? code(w, 0, 7) : field(w, 0, 8);
    in->mask_result = OPERAND_VCC;
    in->clamp = flags(w, 15, 1);
    in->source[0] = code(w1, 0, 9);
    in->source[1] = code(w1, 9, 9);
    in->source[2] = code(w1, 18, 9);
    in->scale = flags(w1, 27, 2);
    in->negate = flags(w1, 29, 3);
    if (has_mask_result(r)) {
        in->mask_result = code(w, 8, 7);
        return;
    }
    if (r->form == FORM_COMPARES || r->form == FORM_COMPARES_EXEC)
        in->mask_result = compared_mask(r, code(w, 0, 7));
    in->absolute = flags(w, 8, 3);
    in->select = flags(w, 11, 4);
}

static void decode_vop3p(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->result = field(w, 0, 8);
    in->negate_high = flags(w, 8, 3);
    in->select = flags(w, 11, 3);
    in->clamp = flags(w, 15, 1);
    in->source[0] = code(w1, 0, 9);
    in->source[1] = code(w1, 9, 9);
    in->source[2] = code(w1, 18, 9);
    in->select_high = (uint8_t)(bits(w1, 27, 2) | bits(w, 14, 1) << 2);
    in->negate = flags(w1, 29, 3);
}

static void dual_sources(enum amd_id id, uint32_t w, uint16_t source[3])
{
    enum vector_form form = amd_rows[id].form;
    source[0] = code(w, 0, 9);
    source[1] = (uint16_t)(bits(w, 9, 8) + OPERAND_VGPR);
    source[2] = form == FORM_CONSTANT ? OPERAND_LITERAL : OPERAND_VCC;
}

// false: the second number is none of an instruction.
static bool decode_dual(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    const struct amd_named *second = find(ENCODING_VOPD, bits(w, 17, 5));
    if (!second)
        return false;
    in->mask_result = OPERAND_VCC;
    dual_sources(in->id, w, in->source);
    in->result = field(w1, 24, 8);
    in->second.id = second->id;
    in->second.name = second->name;
    dual_sources(second->id, w1, in->second.source);
    // Of the two results one lies in an even register, the other in an odd one.
    in->second.result = (uint16_t)(2 * bits(w1, 17, 7) + !(in->result & 1));
    return true;
}

static void decode_ds(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->offset0 = flags(w, 0, 8);
    in->offset1 = flags(w, 8, 8);
    in->constant = (int32_t)bits(w, 0, 16);
    in->address = field(w1, 0, 8);
    in->data = field(w1, 8, 8);
    in->data1 = field(w1, 16, 8);
    in->result = field(w1, 24, 8);
}

static void decode_flat(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->dlc = bits(w, 13, 1);
    in->glc = bits(w, 14, 1);
    in->slc = bits(w, 15, 1);
    // Of flat_ the offset has no sign.
    in->constant = in->encoding == ENCODING_FLAT ? (int32_t)bits(w, 0, 12) : signed_bits(w, 0, 13);
    in->address = field(w1, 0, 8);
    in->data = field(w1, 8, 8);
    in->base = code(w1, 16, 7);
    in->has_base = in->encoding != ENCODING_FLAT && in->base != OPERAND_NULL;
    in->has_address = bits(w1, 23, 1); // of scratch_
    in->result = field(w1, 24, 8);
}

static void decode_mubuf(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->constant = (int32_t)bits(w, 0, 12);
    in->slc = bits(w, 12, 1);
    in->dlc = bits(w, 13, 1);
    in->glc = bits(w, 14, 1);
    in->address = field(w1, 0, 8);
    in->data = in->result = field(w1, 8, 8);
    in->base = (uint16_t)(4 * bits(w1, 16, 5));
    in->has_offset_register = bits(w1, 22, 1);
    in->has_index = bits(w1, 23, 1);
    in->source[0] = code(w1, 24, 8);
}

/* ---- which encoding ------------------------------------------------------------------------------------ */

static bool wide_shape(uint32_t w, struct shape *s)
{
    static const enum amd_encoding segments[] = {ENCODING_FLAT, ENCODING_SCRATCH, ENCODING_GLOBAL};
    enum { GLOBAL_DATA_SHARE = 1 << 17 };
    switch (bits(w, 26, 6)) {
    case 0x32:
        *s = (struct shape){ENCODING_VOPD, bits(w, 22, 4), 2};
        return true;
    case 0x33:
        *s = (struct shape){ENCODING_VOP3P, bits(w, 16, 7), 2};
        return bits(w, 23, 3) == 0;
    case 0x35:
        *s = (struct shape){ENCODING_VOP3, bits(w, 16, 10), 2};
        return true;
    case 0x36:
        *s = (struct shape){ENCODING_DS, bits(w, 18, 8), 2};
        return !(w & GLOBAL_DATA_SHARE);
    case 0x37:
        if (bits(w, 16, 2) == 3)
            return false;
        *s = (struct shape){segments[bits(w, 16, 2)], bits(w, 18, 7), 2};
        return true;
    case 0x38:
        *s = (struct shape){ENCODING_MUBUF, bits(w, 18, 8), 2};
        return true;
    case 0x3d:
        *s = (struct shape){ENCODING_SMEM, bits(w, 18, 8), 2};
        return true;
    default:
        return false;
    }
}

static bool decode_fields(const uint32_t w[2], struct amd_instruction *in)
{
    switch (in->encoding) {
    case ENCODING_SOP1:
    case ENCODING_SOP2:
    case ENCODING_SOPC:
    case ENCODING_SOPK:
    case ENCODING_SOPP:
        decode_scalar(w[0], in);
        break;
    case ENCODING_SMEM:
        decode_smem(w[0], w[1], in);
        break;
    case ENCODING_VOP1:
    case ENCODING_VOP2:
    case ENCODING_VOPC:
        decode_vop(w[0], in);
        break;
    case ENCODING_VOP3:
        decode_vop3(w[0], w[1], in);
        break;
    case ENCODING_VOP3P:
        decode_vop3p(w[0], w[1], in);
        break;
    case ENCODING_VOPD:
        return decode_dual(w[0], w[1], in);
    case ENCODING_DS:
        decode_ds(w[0], w[1], in);
        break;
    case ENCODING_FLAT:
    case ENCODING_SCRATCH:
    case ENCODING_GLOBAL:
        decode_flat(w[0], w[1], in);
        break;
    case ENCODING_MUBUF:
        decode_mubuf(w[0], w[1], in);
        break;
    case ENCODING_VMEM:
    case ENCODING_COUNT:
        break;
    }
    return true;
}

/* ---- what follows --------------------------------------------------------------------------------------- */

static int source_count(const struct amd_row *r)
{
    if (r->form == FORM_WMMA)
        return 3;
    bool third = (r->c != TYPE_NONE && r->form != FORM_ADDS) || r->form == FORM_READS ||
                 r->form == FORM_BOTH;
    return third ? 3 : r->b != TYPE_NONE ? 2 : r->a != TYPE_NONE;
}

// Scalar and vector instructions of any encoding but SOPK, SOPP and those of memory may have one.
static bool takes_literal(const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    if (r->form == FORM_CONSTANT)
        return true;
    if (in->encoding == ENCODING_SOPK || in->encoding == ENCODING_SOPP ||
        in->encoding >= ENCODING_DS || in->encoding == ENCODING_SMEM)
        return false;
    for (int i = 0; i < source_count(r); i++)
        if (in->source[i] == OPERAND_LITERAL)
            return true;
    return in->encoding == ENCODING_VOPD && (amd_rows[in->second.id].form == FORM_CONSTANT ||
                                             in->second.source[0] == OPERAND_LITERAL);
}

static bool takes_lanes(const struct amd_instruction *in)
{
    bool may = in->encoding >= ENCODING_VOP1 && in->encoding <= ENCODING_VOP3;
    uint16_t first = in->source[0];
    return may && amd_row_of(in)->a != TYPE_NONE && amd_row_of(in)->form != FORM_SWAP &&
           (first == OPERAND_DPP || first == CODE_DPP8 || first == CODE_DPP8_INACTIVE);
}

static void decode_lanes(uint32_t w, struct amd_instruction *in)
{
    in->dpp = true;
    in->dpp8 = in->source[0] != OPERAND_DPP;
    in->fetch_inactive = in->dpp8 ? in->source[0] == CODE_DPP8_INACTIVE : bits(w, 18, 1);
    in->source[0] = (uint16_t)(bits(w, 0, 8) + OPERAND_VGPR);
    if (in->dpp8) {
        in->lanes8 = bits(w, 8, 24);
        return;
    }
    in->dpp_control = field(w, 8, 9);
    in->bound_zero = bits(w, 19, 1);
    // In VOP3 the signs are in its own fields.
    in->negate |= (uint8_t)(bits(w, 20, 1) | bits(w, 22, 1) << 1);
    in->absolute |= (uint8_t)(bits(w, 21, 1) | bits(w, 23, 1) << 1);
    in->bank_mask = flags(w, 24, 4);
    in->row_mask = flags(w, 28, 4);
}

static bool is_half(enum amd_type t)
{
    return t == TYPE_F16 || t == TYPE_U16 || t == TYPE_I16 || t == TYPE_H16;
}

// In the short encodings registers of 16 bits above 127 stand for upper halves.
static bool names_upper_halves(const struct amd_instruction *in)
{
    enum { HALVES_FROM = 128 };
    const struct amd_row *r = amd_row_of(in);
    if (in->encoding < ENCODING_VOP1 || in->encoding > ENCODING_VOPC)
        return false;
    return (is_half(r->a) && in->source[0] >= OPERAND_VGPR + HALVES_FROM) ||
           (is_half(r->b) && in->source[1] >= OPERAND_VGPR + HALVES_FROM) ||
           (is_half(r->d) && in->result >= HALVES_FROM);
}

bool amd_decode_gfx11(const uint8_t *bytes, size_t size_bytes, struct amd_instruction *out,
                      const char **why)
{
    uint32_t w[3] = {0, 0, 0};
    struct shape s;
    *out = (struct amd_instruction){
        .arch = ARCH_GFX1100, .part = {PART_ALL, PART_ALL}, .part_result = PART_ALL};
    *why = "the code ends within an instruction";
    if (size_bytes < sizeof w[0])
        return false;
    memcpy(w, bytes, size_bytes < sizeof w ? size_bytes / 4 * 4 : sizeof w);
    *why = "an encoding that is not simulated";
    if (!short_shape(w[0], &s) && !wide_shape(w[0], &s))
        return false;
    out->encoding = s.encoding;
    *why = "an instruction that is not simulated";
    const struct amd_named *found =
        find(s.encoding > ENCODING_VMEM ? ENCODING_VMEM : s.encoding, s.opcode);
    if (!found)
        return false;
    out->id = found->id;
    out->name = found->name;
    out->single_form = found->encoding == ENCODING_VOP3 || found->encoding == ENCODING_VOP3P;
    // Rows of caches are buffer_'s.
    if (s.encoding > ENCODING_VMEM && s.encoding != ENCODING_MUBUF &&
        amd_row_of(out)->action == ACTION_NOTHING)
        return false;
    if (!decode_fields(w, out))
        return false;
    bool lanes = takes_lanes(out), literal = takes_literal(out);
    out->size_bytes = 4 * (s.words + (lanes || literal));
    *why = "the code ends within an instruction";
    if (out->size_bytes > size_bytes)
        return false;
    out->literal = literal ? w[s.words] : 0;
    if (amd_row_of(out)->form == FORM_CONSTANT)
        out->source[2] = OPERAND_LITERAL;
    if (lanes)
        decode_lanes(w[s.words], out);
    *why = "halves of registers by number, which are not simulated";
    if (names_upper_halves(out))
        return false;
    *why = "registers that there are not";
    return amd_is_within(out);
}
