// AMD's machine code as instructions: tables (scalar.def, vector.def, matrix.def, memory.def) drive the decoder, the text
// of an instruction, and the executor. Their numbers are gfx9's (CDNA); gfx11's (RDNA3) stand in gfx11.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_ISA_H
#define RIDGE_SIM_AMD_ISA_H

#include "base/base.h"
#include "sim/amd/arch.h"

enum { WAVE_LANES = 64 }; // at most: amd_arch_lanes

enum amd_encoding {
    ENCODING_SOP1,
    ENCODING_SOP2,
    ENCODING_SOPC,
    ENCODING_SOPK,
    ENCODING_SOPP,
    ENCODING_SMEM,
    ENCODING_VOP1,
    ENCODING_VOP2,
    ENCODING_VOPC,
    ENCODING_VOP3,
    ENCODING_VOP3P,
    ENCODING_VOPD, // gfx11: two instructions in one
    ENCODING_DS,
    ENCODING_VMEM, // rows of memory.def; an instruction has one of the four below
    ENCODING_FLAT,
    ENCODING_SCRATCH,
    ENCODING_GLOBAL,
    ENCODING_MUBUF,
    ENCODING_COUNT
};

// Of an operand. F16, U16 and I16 are the low halves of registers, H16 those bits as they are.
enum amd_type {
    TYPE_NONE,
    TYPE_U32,
    TYPE_I32,
    TYPE_F32,
    TYPE_U16,
    TYPE_I16,
    TYPE_F16,
    TYPE_H16,
    TYPE_U64,
    TYPE_I64,
    TYPE_F64,
    TYPE_ACC,     // an accumulation register
    TYPE_LABEL,   // where a branch goes to
    TYPE_WAITCNT, // what is waited for
    TYPE_INDEX,   // a bit per operand whose register is indexed
    // Of gfx11's scalar instructions; they differ as text only.
    TYPE_HEX,
    TYPE_DELAY,
    TYPE_DEPENDENCY,
    TYPE_MESSAGE,
};
static inline unsigned amd_type_words(enum amd_type t) // registers
{
    return t == TYPE_U64 || t == TYPE_I64 || t == TYPE_F64 ? 2 : 1;
}

enum vector_form {
    FORM_PLAIN,
    FORM_READS,  // a mask: VCC, or the third operand
    FORM_WRITES, // a mask: VCC, or the second result
    FORM_BOTH,
    FORM_ADDS,     // c is the result's own register
    FORM_VCC,      // reads VCC, unnamed
    FORM_CONSTANT, // c is the constant that follows
    FORM_SCALE,    // writes a mask, which stands beside the result
    FORM_COMPARES,
    FORM_COMPARES_EXEC,
    FORM_SCALAR,       // the result is a scalar register: of the first active lane, or of lane b
    FORM_LANE,         // one lane of the result is written
    FORM_PAIRS,        // twice, on pairs of registers
    FORM_HALVES,       // twice, on halves of registers
    FORM_FROM_INDEXED, // M0 is added to the number of the source, or of the result
    FORM_TO_INDEXED,
    FORM_SWAP, // the result and the source change places
    FORM_PERMUTES, // gfx11: b and c name the lane of the row, or of the row beside it, that a is taken from
    FORM_DOT,    // gfx11: neg_lo says which sources have a sign
    FORM_MIXED,  // gfx11: each source is a half as a number of 32 bits, or all of the register
    FORM_MATRIX, // products of matrices, which all lanes hold together (matrix.def)
    FORM_WMMA,   // as gfx11 has them
};

enum memory_action {
    ACTION_NOTHING,
    ACTION_TIME,
    ACTION_LOAD,
    ACTION_LOAD_SIGNED,
    ACTION_LOAD_LOW,
    ACTION_LOAD_HIGH,
    ACTION_LOAD_LOW_SIGNED,
    ACTION_LOAD_HIGH_SIGNED,
    ACTION_LOAD_TWO,
    ACTION_STORE,
    ACTION_STORE_HIGH,
    ACTION_STORE_TWO,
    ACTION_ATOMIC,
    ACTION_ATOMIC_RETURN,
    ACTION_SWIZZLE,
    ACTION_PERMUTE,
    ACTION_PERMUTE_BACK,
};
enum memory_flag {
    FLAG_NONE,
    FLAG_FAR, // offsets count 64 elements
    FLAG_SWAP,
    FLAG_CMPSWAP,
    FLAG_ADD,
    FLAG_SUB,
    FLAG_SMIN,
    FLAG_UMIN,
    FLAG_SMAX,
    FLAG_UMAX,
    FLAG_AND,
    FLAG_OR,
    FLAG_XOR,
    FLAG_INC,
    FLAG_DEC,
    FLAG_ADD_F32,
    FLAG_ADD_F64,
    FLAG_MIN_F32,
    FLAG_MAX_F32,
    FLAG_MIN_F64,
    FLAG_MAX_F64,
};

enum amd_id {
#define S(encoding, opcode, name, ...) AMD_##name,
#include "sim/amd/scalar.def"
#undef S
#define V(encoding, opcode, name, ...) AMD_##name,
#include "sim/amd/vector.def"
#undef V
#define M(family, opcode, name, ...) AMD_##name,
#include "sim/amd/memory.def"
#undef M
#define X(id, ...) AMD_##id,
#define W(id, ...) AMD_##id,
#include "sim/amd/matrix.def"
    AMD_COUNT
};

// Elements of matrices.
enum amd_element {
    MATRIX_F16,
    MATRIX_BF16,
    MATRIX_F32,
    MATRIX_F64,
    MATRIX_I4,
    MATRIX_I8,
    MATRIX_I32
};

struct amd_row {
    const char *name;
    const char *later_name; // of gfx942; NULL: the same
    uint8_t archs;          // a bit each of those that have it; 0: all
    enum amd_encoding encoding;
    unsigned opcode;
    enum vector_form form;
    enum amd_type d, a, b, c;
    enum memory_action action;
    enum memory_flag flag;
    uint8_t words, bytes;
    struct { // FORM_MATRIX: rows, columns, depth of each of the blocks
        uint8_t rows, columns, depth, blocks;
        enum amd_element in, out;
    } matrix;
};
extern const struct amd_row amd_rows[AMD_COUNT];

// Codes of operands, as the machine has them: 0-101 scalar registers, 256-511 vector registers.
enum amd_operand {
    OPERAND_FLAT_SCRATCH = 102,
    OPERAND_XNACK_MASK = 104,
    OPERAND_VCC = 106,
    OPERAND_M0 = 124,
    OPERAND_EXEC = 126,
    OPERAND_ZERO = 128,
    OPERAND_SIXTY_FOUR = 192,
    OPERAND_SHARED_BASE = 235,
    OPERAND_SHARED_LIMIT = 236,
    OPERAND_PRIVATE_BASE = 237,
    OPERAND_PRIVATE_LIMIT = 238,
    OPERAND_HALF = 240, // 0.5, then -0.5 1 -1 2 -2 4 -4 and 1/(2 pi)
    OPERAND_NULL = 209, // gfx11: reads as zero, and keeps nothing; there it is 124, and M0 125
    OPERAND_TURN = 248,
    OPERAND_SDWA = 249,
    OPERAND_DPP = 250,
    OPERAND_VCCZ = 251,
    OPERAND_EXECZ = 252,
    OPERAND_SCC = 253,
    OPERAND_LITERAL = 255,
    OPERAND_VGPR = 256,
};

// Which part of a register an operand of SDWA is: a byte, a half, all.
enum { PART_WORD0 = 4, PART_WORD1 = 5, PART_ALL = 6 };

enum amd_plan_kind { PLAN_NONE, PLAN_ROW, PLAN_SCALAR, PLAN_CONSTANT };

// A vector instruction whose operands and result are whole registers as they are, for the executor.
struct amd_plan {
    uint16_t id, to;
    bool counts; // floating-point operations
    bool simple; // one register is written, and no mask is read or written
    bool writes, two, reads_mask, writes_mask, writes_exec;
    uint8_t sources; // the first ones
    uint16_t mask, mask_result;
    struct amd_plan_source {
        uint8_t kind; // enum amd_plan_kind
        bool two;     // of 64 bits
        uint16_t at;  // the number of a vector register, or of a scalar one
        uint64_t value;
    } source[3];
};

struct amd_instruction {
    enum amd_id id;
    const char *name; // gfx11's; NULL: the row's
    bool single_form; // gfx11: that name has one encoding, which is not written behind it
    enum amd_arch arch;
    enum amd_encoding encoding;
    unsigned size_bytes;
    uint16_t source[3]; // enum amd_operand; c of READS and BOTH in VOP3: the mask
    uint16_t result;    // a number of a register, as a scalar's code or a vector register's number
    uint16_t mask_result;
    uint32_t literal;
    int32_t constant;                         // SOPK, SOPP; offsets of memory instructions
    uint8_t negate, absolute, clamp, scale;   // scale: 1 = twice, 2 = four times, 3 = half
    uint8_t select, select_high, negate_high; // VOP3's op_sel, VOP3P's
    bool sdwa, dpp;
    uint8_t part[2], part_result,
        unused;     // SDWA: PART_…; unused: what becomes of the rest, 0 zero, 1 sign, 2 kept
    uint8_t extend; // SDWA: signs of the sources' parts are extended
    uint16_t dpp_control;
    bool dpp8,
        fetch_inactive; // gfx11: the lanes of eight are named (in lanes8); lanes that are not active are read
    uint32_t lanes8;
    uint8_t row_mask, bank_mask;
    bool bound_zero;
    // Memory.
    uint16_t address, data, data1, base; // numbers of registers; base: scalar ones
    uint8_t offset0, offset1;
    // glc, slc, scc: gfx942 names them sc0, nt, sc1.
    bool has_base, has_offset_register, has_index, has_address, glc, slc, scc, is_acc;
    uint8_t
        acc_sources; // FORM_MATRIX: which of a, b are accumulation registers; is_acc: c and the result
    uint8_t broadcast, broadcast_block, swizzle; // FORM_MATRIX: cbsz, abid, blgp
    bool dlc;                                    // gfx11
    uint8_t plans;                               // how many; 0: its operands are more than that
    struct amd_plan plan[2];                     // VOPD: one for each of its two
    struct {                                     // VOPD: the second instruction
        enum amd_id id;
        const char *name;
        uint16_t source[3], result;
    } second;
};

// gfx11's instructions: numbers, names, and the rows that say what they do.
struct amd_named {
    enum amd_encoding encoding;
    unsigned opcode;
    const char *name;
    enum amd_id id;
};
extern const struct amd_named amd_gfx11[];
extern const size_t amd_gfx11_count;

// Registers of a matrix instruction's operands a and b, or of c and the result; bits of an element.
unsigned amd_element_bits(enum amd_element e);
unsigned amd_matrix_words(const struct amd_row *r, bool result);

// The instruction at `bytes`, of which `size_bytes` are there. false: why, a static sentence.
bool amd_decode(enum amd_arch arch, const uint8_t *bytes, size_t size_bytes,
                struct amd_instruction *out, const char **why) CHECK_RESULT;
// The first word's encoding and number, the fields, and what follows, of gfx11. As amd_decode.
bool amd_decode_gfx11(const uint8_t *bytes, size_t size_bytes, struct amd_instruction *out,
                      const char **why) CHECK_RESULT;
// Are operands and results whole registers as they are? Then they may have plans, which amd_plan makes.
bool amd_is_plain(const struct amd_instruction *in);
void amd_plan(struct amd_instruction *in);
// Are its registers within their files?
bool amd_is_within(const struct amd_instruction *in);
// What a scalar instruction of gfx11 waits for, sends or hints at, and a register of the hardware, as text.
void amd_print_constant(enum amd_type type, unsigned constant, struct text *out);
const char *amd_hardware_register_gfx11(unsigned id); // NULL: it has no name
// As LLVM's disassembler writes it.
void amd_print(const struct amd_instruction *in, struct text *out);

static inline const struct amd_row *amd_row_of(const struct amd_instruction *in)
{
    return &amd_rows[in->id];
}

#endif
