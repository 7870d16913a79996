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

static bool is_type(const struct ptx_instruction *in, const char *word)
{
    for (int i = 0; i < in->type_count; i++)
        if (strcmp(word, ptx_type_name(in->types[i])) == 0)
            return true;
    return false;
}

// The word that takes this place of a form, of those not `used`: types keep their order. -1: none.
static int word_for(const struct ptx_instruction *in, uint32_t used, const char *from,
                    const char *to)
{
    bool type_seen = false;
    for (int i = 0; i < in->word_count; i++) {
        bool type = is_type(in, in->words[i]);
        if ((used >> i & 1) != 0 || (type && type_seen))
            continue;
        if (word_among(in->words[i], from, to))
            return i;
        type_seen |= type;
    }
    return -1;
}

// Modifiers in another order than the manual's, as ptxas takes them: div.ftz.rn.f32.
static bool form_matches_any_order(const char *form, const char *name,
                                   const struct ptx_instruction *in)
{
    static_assert(PTX_MODIFIERS_MAX < 32, "a bit per word");
    const char *end = form + strcspn(form, ".");
    uint32_t used = 0;
    if (!word_among(name, form, end))
        return false;
    while (*end != '\0') {
        const char *from = end + 1;
        end = from + strcspn(from, ".");
        bool optional = *from == '?';
        int word = word_for(in, used, from + optional, end);
        if (word < 0 && !optional)
            return false;
        used |= word < 0 ? 0 : (uint32_t)1 << word;
    }
    return used == ((uint32_t)1 << in->word_count) - 1;
}

typedef bool (*form_fn)(const char *form, const char *name, const struct ptx_instruction *in);

static const struct alu_row *row_find(const struct alu_rows *rows, form_fn matches,
                                      const char *name, const struct ptx_instruction *in)
{
    for (size_t i = 0; i < rows->count; i++)
        if (matches(rows->row[i].form, name, in))
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
    for (size_t i = 0; i < 2 * COUNT_OF(tables); i++) { // the manual's order first
        const struct alu_rows *rows = tables[i % COUNT_OF(tables)];
        form_fn matches = i < COUNT_OF(tables) ? form_matches : form_matches_any_order;
        const struct alu_row *row = row_find(rows, matches, name, in);
        if (row == NULL) {
            known = known || rows_know(rows, name);
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
