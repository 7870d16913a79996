// Machine code to instructions: an index of the tables by encoding and opcode, and the fields of each encoding
// (compared with LLVM's disassembler for gfx90a: docs/amd.md). Any bytes may be given.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/fields.h"
#include "sim/amd/isa.h"

#include <pthread.h>
#include <string.h>

const char *const amd_arch_names[ARCH_COUNT] = {"gfx90a", "gfx942", "gfx1100"};

const struct amd_row amd_rows[AMD_COUNT] = {
#define SCALAR_ROW(ARCHS, ENCODING, OPCODE, NAME, D, A, B, ...) \
    [AMD_##NAME] = {.name = #NAME,                              \
                    .archs = ARCHS,                             \
                    .encoding = ENCODING_##ENCODING,            \
                    .opcode = OPCODE,                           \
                    .d = TYPE_##D,                              \
                    .a = TYPE_##A,                              \
                    .b = TYPE_##B},
#define S(...) SCALAR_ROW(0, __VA_ARGS__)
#define S11(...) SCALAR_ROW(1 << ARCH_GFX1100, __VA_ARGS__)
#include "sim/amd/scalar.def"
#undef S
#define VECTOR_ROW(ARCHS, ENCODING, OPCODE, NAME, FORM, D, A, B, C, ...) \
    [AMD_##NAME] = {.name = #NAME,                                       \
                    .archs = ARCHS,                                      \
                    .encoding = ENCODING_##ENCODING,                     \
                    .opcode = OPCODE,                                    \
                    .form = FORM_##FORM,                                 \
                    .d = TYPE_##D,                                       \
                    .a = TYPE_##A,                                       \
                    .b = TYPE_##B,                                       \
                    .c = TYPE_##C},
#define V(...) VECTOR_ROW(0, __VA_ARGS__)
#define V90A(...) VECTOR_ROW(1 << ARCH_GFX90A, __VA_ARGS__)
#define V942(...) VECTOR_ROW(1 << ARCH_GFX942, __VA_ARGS__)
#define V11(...) VECTOR_ROW(1 << ARCH_GFX1100, __VA_ARGS__)
#include "sim/amd/vector.def"
#undef V
#define MEMORY_ROW(ARCHS, FAMILY, OPCODE, NAME, ACTION, WORDS, BYTES, FLAG) \
    [AMD_##NAME] = {.name = #NAME,                                          \
                    .archs = ARCHS,                                         \
                    .encoding = ENCODING_##FAMILY,                          \
                    .opcode = OPCODE,                                       \
                    .action = ACTION_##ACTION,                              \
                    .words = WORDS,                                         \
                    .bytes = BYTES,                                         \
                    .flag = FLAG_##FLAG},
#define M(...) MEMORY_ROW(0, __VA_ARGS__)
#define M90A(...) MEMORY_ROW(1 << ARCH_GFX90A, __VA_ARGS__)
#define M942(...) MEMORY_ROW(1 << ARCH_GFX942, __VA_ARGS__)
#define M11(...) MEMORY_ROW(1 << ARCH_GFX1100, __VA_ARGS__)
#include "sim/amd/memory.def"
#undef M
#define X(ID, OPCODE, NAME, LATER, ARCHS, M_, N_, K_, BLOCKS, IN, OUT) \
    [AMD_##ID] = {.name = NAME,                                        \
                  .later_name = LATER,                                 \
                  .archs = ARCHS,                                      \
                  .encoding = ENCODING_VOP3P,                          \
                  .opcode = OPCODE,                                    \
                  .form = FORM_MATRIX,                                 \
                  .matrix = {M_, N_, K_, BLOCKS, MATRIX_##IN, MATRIX_##OUT}},
#define W(ID, OPCODE, IN, OUT)                \
    [AMD_##ID] = {.name = #ID,                \
                  .archs = 1 << ARCH_GFX1100, \
                  .encoding = ENCODING_VOP3P, \
                  .opcode = OPCODE,           \
                  .form = FORM_WMMA,          \
                  .matrix = {16, 16, 16, 1, MATRIX_##IN, MATRIX_##OUT}},
#include "sim/amd/matrix.def"
};

/* ---- from opcodes to rows -------------------------------------------------------------------------- */

enum { OPCODES = 1024, VOP3_OF_VOP2 = 0x100, VOP3_OF_VOP1 = 0x140, NO_ROW = 0 };

enum { GFX9_COUNT = ARCH_GFX1100 }; // gfx11 has a decoder of its own

// Of each architecture and encoding, the row's number plus one.
static uint16_t rows_of[GFX9_COUNT][ENCODING_COUNT][OPCODES];
static pthread_once_t rows_indexed = PTHREAD_ONCE_INIT;

static void index_row(uint16_t (*of)[OPCODES], const struct amd_row *r, uint16_t number)
{
    of[r->encoding][r->opcode] = number;
    if (r->form == FORM_CONSTANT || r->form == FORM_SWAP) // have no VOP3 form
        return;
    if (r->encoding == ENCODING_VOPC)
        of[ENCODING_VOP3][r->opcode] = number;
    else if (r->encoding == ENCODING_VOP2)
        of[ENCODING_VOP3][r->opcode + VOP3_OF_VOP2] = number;
    else if (r->encoding == ENCODING_VOP1)
        of[ENCODING_VOP3][r->opcode + VOP3_OF_VOP1] = number;
}

static void index_rows(void)
{
    for (unsigned arch = 0; arch < GFX9_COUNT; arch++)
        for (unsigned i = 0; i < AMD_COUNT; i++)
            if (amd_rows[i].archs == 0 || (amd_rows[i].archs >> arch & 1))
                index_row(rows_of[arch], &amd_rows[i], (uint16_t)(i + 1));
}

static bool find_row(enum amd_encoding encoding, unsigned opcode, struct amd_instruction *out)
{
    (void)pthread_once(&rows_indexed, index_rows);
    uint16_t number = opcode < OPCODES ? rows_of[out->arch][encoding][opcode] : NO_ROW;
    if (number == NO_ROW)
        return false;
    out->id = (enum amd_id)(number - 1);
    return true;
}

/* ---- fields ------------------------------------------------------------------------------------------ */

static void decode_scalar(uint32_t w, struct amd_instruction *in)
{
    in->result = field(w, 16, 7);
    in->source[0] = field(w, 0, 8);
    in->source[1] = field(w, 8, 8);
    in->constant = signed_bits(w, 0, 16);
}

static void decode_smem(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->base = (uint16_t)(2 * bits(w, 0, 6));
    in->data = field(w, 6, 7);
    in->glc = bits(w, 16, 1);
    // A constant offset, a register's, or both.
    in->has_index = bits(w, 17, 1);
    in->has_offset_register = bits(w, 14, 1) || !in->has_index;
    in->constant = in->has_index ? signed_bits(w1, 0, 21) : 0;
    in->source[0] = bits(w, 14, 1) ? field(w1, 25, 7) : field(w1, 0, 7);
}

static void decode_sdwa(uint32_t w, bool compares, struct amd_instruction *in)
{
    in->sdwa = true;
    in->source[0] = (uint16_t)(bits(w, 0, 8) + (bits(w, 23, 1) ? 0 : OPERAND_VGPR));
    if (bits(w, 31, 1))
        in->source[1] -= OPERAND_VGPR;
    in->part[0] = flags(w, 16, 3);
    in->part[1] = flags(w, 24, 3);
    in->extend = (uint8_t)(bits(w, 19, 1) | bits(w, 27, 1) << 1);
    in->negate = (uint8_t)(bits(w, 20, 1) | bits(w, 28, 1) << 1);
    in->absolute = (uint8_t)(bits(w, 21, 1) | bits(w, 29, 1) << 1);
    if (compares) {
        in->mask_result = bits(w, 15, 1) ? field(w, 8, 7) : OPERAND_VCC;
        return;
    }
    in->part_result = flags(w, 8, 3);
    in->unused = flags(w, 11, 2);
    in->clamp = flags(w, 13, 1);
    in->scale = flags(w, 14, 2);
}

static void decode_dpp(uint32_t w, struct amd_instruction *in)
{
    in->dpp = true;
    in->source[0] = (uint16_t)(bits(w, 0, 8) + OPERAND_VGPR);
    in->dpp_control = field(w, 8, 9);
    in->bound_zero = bits(w, 19, 1);
    in->negate = (uint8_t)(bits(w, 20, 1) | bits(w, 22, 1) << 1);
    in->absolute = (uint8_t)(bits(w, 21, 1) | bits(w, 23, 1) << 1);
    in->bank_mask = flags(w, 24, 4);
    in->row_mask = flags(w, 28, 4);
}

static void decode_vop(uint32_t w, struct amd_instruction *in)
{
    in->source[0] = field(w, 0, 9);
    in->source[1] = (uint16_t)(bits(w, 9, 8) + OPERAND_VGPR);
    in->source[2] = OPERAND_VCC;
    in->result = amd_row_of(in)->form == FORM_SCALAR ? field(w, 17, 7) : field(w, 17, 8);
    in->mask_result = OPERAND_VCC;
}

static void decode_vop3(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    in->result = r->form == FORM_SCALAR ? field(w, 0, 7) : field(w, 0, 8);
    in->mask_result = OPERAND_VCC;
    in->clamp = flags(w, 15, 1);
    in->source[0] = field(w1, 0, 9);
    in->source[1] = field(w1, 9, 9);
    in->source[2] = field(w1, 18, 9);
    in->scale = flags(w1, 27, 2);
    in->negate = flags(w1, 29, 3);
    if (r->form == FORM_WRITES || r->form == FORM_BOTH || r->form == FORM_SCALE) {
        in->mask_result = field(w, 8, 7);
        return;
    }
    if (r->form == FORM_COMPARES || r->form == FORM_COMPARES_EXEC)
        in->mask_result = field(w, 0, 7);
    in->absolute = flags(w, 8, 3);
    in->select = flags(w, 11, 4);
}

static void decode_vop3p(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->result = field(w, 0, 8);
    in->negate_high = flags(w, 8, 3);
    in->select = flags(w, 11, 3);
    in->clamp = flags(w, 15, 1);
    in->source[0] = field(w1, 0, 9);
    in->source[1] = field(w1, 9, 9);
    in->source[2] = field(w1, 18, 9);
    in->select_high = (uint8_t)(bits(w1, 27, 2) | bits(w, 14, 1) << 2);
    in->negate = flags(w1, 29, 3);
}

static void decode_matrix(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->result = field(w, 0, 8);
    in->broadcast = flags(w, 8, 3);
    in->broadcast_block = flags(w, 11, 4);
    in->is_acc = bits(w, 15, 1);
    in->source[0] = field(w1, 0, 9);
    in->source[1] = field(w1, 9, 9);
    in->source[2] = field(w1, 18, 9);
    in->acc_sources = flags(w1, 27, 2);
    in->swizzle = flags(w1, 29, 3);
}

static void decode_ds(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->offset0 = flags(w, 0, 8);
    in->offset1 = flags(w, 8, 8);
    in->constant = (int32_t)bits(w, 0, 16);
    in->is_acc = bits(w, 25, 1);
    in->address = field(w1, 0, 8);
    in->data = field(w1, 8, 8);
    in->data1 = field(w1, 16, 8);
    in->result = field(w1, 24, 8);
}

static void decode_flat(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    enum { NO_BASE = 0x7f };
    in->scc = bits(w, 25, 1);
    in->slc = bits(w, 17, 1);
    in->glc = bits(w, 16, 1);
    // Of flat_ the offset has no sign.
    in->constant = in->encoding == ENCODING_FLAT ? (int32_t)bits(w, 0, 12) : signed_bits(w, 0, 13);
    in->address = field(w1, 0, 8);
    in->data = field(w1, 8, 8);
    in->base = field(w1, 16, 7);
    in->has_base = in->encoding != ENCODING_FLAT && in->base != NO_BASE;
    // Of scratch_ either register is the address; a bit of gfx942's says that the vector register is part of it.
    in->has_address = in->arch == ARCH_GFX942 ? bits(w, 13, 1) : !in->has_base;
    in->is_acc = bits(w1, 23, 1);
    in->result = field(w1, 24, 8);
}

static void decode_mubuf(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    in->constant = (int32_t)bits(w, 0, 12);
    in->has_offset_register = bits(w, 12, 1);
    in->has_index = bits(w, 13, 1);
    in->glc = bits(w, 14, 1);
    in->scc = bits(w, 15, 1);
    in->slc = bits(w, 17, 1);
    in->address = field(w1, 0, 8);
    in->data = in->result = field(w1, 8, 8);
    in->base = (uint16_t)(4 * bits(w1, 16, 5));
    in->is_acc = bits(w1, 23, 1);
    in->source[0] = field(w1, 24, 8);
}

/* ---- which encoding ------------------------------------------------------------------------------------ */

static bool shape_of(uint32_t w, struct shape *s)
{
    static const enum amd_encoding segments[] = {ENCODING_FLAT, ENCODING_SCRATCH, ENCODING_GLOBAL};
    if (short_shape(w, s))
        return true;
    switch (bits(w, 26, 6)) {
    case 0x30:
        *s = (struct shape){ENCODING_SMEM, bits(w, 18, 8), 2};
        return true;
    case 0x34:
        *s = bits(w, 23, 3) == 7 ? (struct shape){ENCODING_VOP3P, bits(w, 16, 7), 2}
                                 : (struct shape){ENCODING_VOP3, bits(w, 16, 10), 2};
        return true;
    case 0x36:
        *s = (struct shape){ENCODING_DS, bits(w, 17, 8), 2};
        return true;
    case 0x37:
        if (bits(w, 14, 2) == 3)
            return false;
        *s = (struct shape){segments[bits(w, 14, 2)], bits(w, 18, 7), 2};
        return true;
    case 0x38:
        *s = (struct shape){ENCODING_MUBUF, bits(w, 18, 7), 2};
        return true;
    default:
        return false;
    }
}

static void decode_fields(uint32_t w, uint32_t w1, struct amd_instruction *in)
{
    switch (in->encoding) {
    case ENCODING_SOP1:
    case ENCODING_SOP2:
    case ENCODING_SOPC:
    case ENCODING_SOPK:
    case ENCODING_SOPP:
        decode_scalar(w, in);
        break;
    case ENCODING_SMEM:
        decode_smem(w, w1, in);
        break;
    case ENCODING_VOP1:
    case ENCODING_VOP2:
    case ENCODING_VOPC:
        decode_vop(w, in);
        break;
    case ENCODING_VOP3:
        decode_vop3(w, w1, in);
        break;
    case ENCODING_VOP3P:
        (amd_row_of(in)->form == FORM_MATRIX ? decode_matrix : decode_vop3p)(w, w1, in);
        break;
    case ENCODING_DS:
        decode_ds(w, w1, in);
        break;
    case ENCODING_FLAT:
    case ENCODING_SCRATCH:
    case ENCODING_GLOBAL:
        decode_flat(w, w1, in);
        break;
    case ENCODING_MUBUF:
        decode_mubuf(w, w1, in);
        break;
    case ENCODING_VOPD:
    case ENCODING_VMEM:
    case ENCODING_COUNT:
        break;
    }
}

// What follows the first word: a literal, or more of a vector operand.
static bool takes_literal(const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    switch (in->encoding) {
    case ENCODING_SOP1:
    case ENCODING_VOP1:
    case ENCODING_VOP2:
    case ENCODING_VOPC:
        return r->form == FORM_CONSTANT || (r->a != TYPE_NONE && in->source[0] == OPERAND_LITERAL);
    case ENCODING_SOP2:
    case ENCODING_SOPC:
        return in->source[0] == OPERAND_LITERAL || in->source[1] == OPERAND_LITERAL;
    case ENCODING_SOPK:
    case ENCODING_SOPP:
    case ENCODING_SMEM:
    case ENCODING_VOP3:
    case ENCODING_VOP3P:
    case ENCODING_VOPD:
    case ENCODING_DS:
    case ENCODING_VMEM:
    case ENCODING_FLAT:
    case ENCODING_SCRATCH:
    case ENCODING_GLOBAL:
    case ENCODING_MUBUF:
    case ENCODING_COUNT:
        break;
    }
    return false;
}

static bool takes_vector_word(const struct amd_instruction *in)
{
    return (in->encoding == ENCODING_VOP1 || in->encoding == ENCODING_VOP2 ||
            in->encoding == ENCODING_VOPC) &&
           amd_row_of(in)->a != TYPE_NONE && amd_row_of(in)->form != FORM_SWAP &&
           (in->source[0] == OPERAND_SDWA || in->source[0] == OPERAND_DPP);
}

enum { VGPRS = 256 };

static bool is_matrix_within(const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned factor = amd_matrix_words(r, false), result = amd_matrix_words(r, true);
    for (int i = 0; i < 3; i++)
        if (in->source[i] >= OPERAND_VGPR &&
            in->source[i] - OPERAND_VGPR + (i < 2 ? factor : result) > VGPRS)
            return false;
    if (r->form == FORM_WMMA && (in->source[0] < OPERAND_VGPR || in->source[1] < OPERAND_VGPR))
        return false;
    return in->result + result <= VGPRS;
}

// Registers beyond the file: which instruction would read or write them?
bool amd_is_within(const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    const enum amd_type types[] = {r->a, r->b, r->c};
    if (r->form == FORM_MATRIX || r->form == FORM_WMMA)
        return is_matrix_within(in);
    if (r->form == FORM_SWAP && in->source[0] < OPERAND_VGPR)
        return false;
    for (int i = 0; i < 3; i++) {
        unsigned words = r->form == FORM_PAIRS ? 2 : amd_type_words(types[i]);
        if (in->source[i] >= OPERAND_VGPR && in->source[i] - OPERAND_VGPR + words > VGPRS)
            return false;
    }
    unsigned words = r->form == FORM_PAIRS ? 2 : amd_type_words(r->d);
    unsigned data =
        r->action == ACTION_LOAD_TWO || r->flag == FLAG_CMPSWAP ? 2u * r->words : r->words;
    if (in->encoding == ENCODING_SMEM)
        return in->data + data <= OPERAND_ZERO;
    return in->result + (r->words > 0 ? data : words) <= VGPRS && in->data + data <= VGPRS &&
           in->data1 + r->words <= VGPRS && in->address + 2u <= VGPRS;
}

bool amd_decode(enum amd_arch arch, const uint8_t *bytes, size_t size_bytes,
                struct amd_instruction *out, const char **why)
{
    uint32_t w[2] = {0, 0};
    struct shape s;
    if (arch == ARCH_GFX1100)
        return amd_decode_gfx11(bytes, size_bytes, out, why);
    *out = (struct amd_instruction){
        .arch = arch, .part = {PART_ALL, PART_ALL}, .part_result = PART_ALL};
    *why = "the code ends within an instruction";
    if (size_bytes < sizeof w[0])
        return false;
    memcpy(w, bytes, size_bytes < sizeof w ? sizeof w[0] : sizeof w);
    *why = "an encoding that is not simulated";
    if (!shape_of(w[0], &s))
        return false;
    out->encoding = s.encoding;
    bool in_memory = s.encoding > ENCODING_VMEM;
    *why = "an instruction that is not simulated";
    if (!find_row(in_memory ? ENCODING_VMEM : s.encoding, s.opcode, out))
        return false;
    // Rows of caches are buffer_'s; the numbers are others' in the other encodings.
    if (in_memory && s.encoding != ENCODING_MUBUF && amd_row_of(out)->action == ACTION_NOTHING)
        return false;
    decode_fields(w[0], w[1], out);
    if (amd_row_of(out)->a == TYPE_ACC) // a number, no code
        out->source[0] = (uint16_t)((out->source[0] & 0xff) + OPERAND_VGPR);
    bool more = takes_vector_word(out), literal = takes_literal(out);
    out->size_bytes = 4 * (s.words + (more || literal));
    *why = "the code ends within an instruction";
    if (out->size_bytes > size_bytes)
        return false;
    out->literal = literal ? w[1] : 0;
    if (amd_row_of(out)->form == FORM_CONSTANT)
        out->source[2] = OPERAND_LITERAL;
    if (more && out->source[0] == OPERAND_SDWA)
        decode_sdwa(w[1], s.encoding == ENCODING_VOPC, out);
    else if (more)
        decode_dpp(w[1], out);
    *why = "registers that there are not";
    return amd_is_within(out);
}

bool amd_is_plain(const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    bool half = r->d == TYPE_F16 || r->d == TYPE_U16 || r->d == TYPE_I16 || r->d == TYPE_H16,
         vector = in->encoding >= ENCODING_VOP1 && in->encoding <= ENCODING_VOPD,
         changed = in->sdwa || in->dpp || in->negate || in->absolute || in->clamp || in->scale ||
                   (in->encoding == ENCODING_VOP3 && in->select);
    return vector && !changed && !(half && in->arch == ARCH_GFX1100) &&
           (r->form == FORM_PLAIN || r->form == FORM_READS || r->form == FORM_WRITES ||
            r->form == FORM_BOTH || r->form == FORM_ADDS || r->form == FORM_VCC ||
            r->form == FORM_CONSTANT || r->form == FORM_SCALE || r->form == FORM_COMPARES ||
            r->form == FORM_COMPARES_EXEC);
}
