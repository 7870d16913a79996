// Which function runs an instruction: the words of its mnemonic are held against the rows' forms
// (alu.h), the vector code of this host first.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/alu.h"

#include <assert.h>

// What a matched word adds to imm.
struct word_bits {
    const char *word;
    u32 bits;
};
static const struct word_bits WORD_BITS[] = {
#define WORD(text, bits) {text, (u32)(bits)},
#include "sim/alu/alu_words.def"
#undef WORD
};

static u32 bits_of_word(const char *word)
{
    for (size_t i = 0; i < COUNT_OF(WORD_BITS); i++)
        if (strcmp(WORD_BITS[i].word, word) == 0)
            return WORD_BITS[i].bits;
    return 0;
}

// Is the word one of the alternatives in [from, to)?
static bool word_among(const char *word, const char *from, const char *to)
{
    size_t length = strlen(word);
    while (from < to) {
        const char *end = memchr(from, '|', (size_t)(to - from));
        if (end == NULL)
            end = to;
        if ((size_t)(end - from) == length && memcmp(from, word, length) == 0)
            return true;
        from = end + 1;
    }
    return false;
}

// Words in order; one that may be absent takes its place as soon as it fits.
static bool form_matches(const char *form, const char *name, const struct ptx_instruction *in)
{
    const char *end = form + strcspn(form, ".");
    if (!word_among(name, form, end))
        return false;
    int word = 0;
    while (*end != '\0') {
        const char *from = end + 1;
        end = from + strcspn(from, ".");
        bool optional = *from == '?';
        bool fits = word < in->word_count && word_among(in->words[word], from + optional, end);
        if (!fits && !optional)
            return false;
        word += fits;
    }
    return word == in->word_count;
}

static const struct alu_row *row_find(const struct alu_rows *rows, const char *name,
                                      const struct ptx_instruction *in)
{
    for (size_t i = 0; i < rows->count; i++)
        if (form_matches(rows->row[i].form, name, in))
            return &rows->row[i];
    return NULL;
}

static bool rows_know(const struct alu_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (word_among(name, rows->row[i].form,
                       rows->row[i].form + strcspn(rows->row[i].form, ".")))
            return true;
    return false;
}

static void flops_fill(enum alu_flops flops, struct alu_op *out)
{
    static const struct {
        uint8_t f16, f32, f64;
    } COUNTS[] = {
        [NO_FLOPS] = {0, 0, 0},  [F32_ADD] = {0, 1, 0}, [F32_MUL] = {0, 1, 0},
        [F32_FMA] = {0, 2, 0},   [F64_ONE] = {0, 0, 1}, [F64_FMA] = {0, 0, 2},
        [F16_ONE] = {1, 0, 0},   [F16_FMA] = {2, 0, 0}, [F16X2_ONE] = {2, 0, 0},
        [F16X2_FMA] = {4, 0, 0},
    };
    out->flops_f16 = COUNTS[flops].f16;
    out->flops_f32 = COUNTS[flops].f32;
    out->flops_f64 = COUNTS[flops].f64;
    out->is_fadd = flops == F32_ADD;
    out->is_fmul = flops == F32_MUL;
    out->is_ffma = flops == F32_FMA;
}

static bool imm_fill(const struct alu_row *row, const struct ptx_instruction *in,
                     struct alu_op *out, const char **why)
{
    for (int i = 0; i < in->word_count; i++)
        out->imm |= bits_of_word(in->words[i]);
    out->imm |= (u32)in->types[0] << IMM_TYPE0_SHIFT;
    out->imm |= (u32)in->types[in->type_count > 1 ? 1 : 0] << IMM_TYPE1_SHIFT;
    if ((row->needs & NEEDS_IMMEDIATE) == 0)
        return true;
    const int operand = 1 + row->source_count;
    if (operand >= in->operand_count || in->operands[operand].kind != PTX_OPERAND_IMMEDIATE) {
        *why = "the last operand of this instruction must be a constant";
        return false;
    }
    out->imm = (u32)in->operands[operand].bits;
    return true;
}

static const struct alu_rows *rows_of_isa(enum sim_isa isa)
{
#if defined(__x86_64__)
    if (isa == SIM_ISA_AVX512)
        return &sim_alu_table_avx512;
    if (isa == SIM_ISA_AVX2)
        return &sim_alu_table_avx2;
#endif
    (void)isa;
    return &sim_alu_table_baseline;
}

bool sim_alu_find(const struct ptx_instruction *in, enum sim_isa isa, struct alu_op *out,
                  const char **why)
{
    static_assert(PTX_TYPE_COUNT <= 32, "types do not fit in imm");
    const struct alu_rows *const tables[] = {
        rows_of_isa(isa),
#define ALU_TABLE(name) &sim_alu_##name,
#include "sim/alu/alu_tables.def"
#undef ALU_TABLE
    };
    const char *name = ptx_opcode_name(in->opcode);
    bool known = false;
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        const struct alu_row *row = row_find(tables[i], name, in);
        if (row == NULL) {
            known = known || rows_know(tables[i], name);
            continue;
        }
        *out = (struct alu_op){.fn = row->fn,
                               .result_bits = row->result_bits,
                               .source_count = row->source_count,
                               .reads_carry = (row->needs & NEEDS_CARRY_IN) != 0,
                               .writes_carry = (row->needs & NEEDS_CARRY_OUT) != 0};
        for (int s = 0; s < 4; s++)
            out->source_bits[s] = row->source_bits[s];
        flops_fill((enum alu_flops)row->flops, out);
        return imm_fill(row, in, out, why);
    }
    *why = known ? "the simulator does not have this arithmetic instruction with these types and "
                   "modifiers"
                 : "the simulator does not have this instruction";
    return false;
}
