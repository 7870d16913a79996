// Values of 8 and 16 bits in registers of 32: what takes them apart and puts them together (PRMT, LOP3).
// SPDX-License-Identifier: Apache-2.0
#include "sim/decode/lower_forms.h"

// Halves are read where they lie by what computes in them or converts them, and by what puts words together.
static bool takes_whole(const struct ptx_instruction *in, uint64_t element)
{
    // f32 is bf16 shifted to the left: the upper one is moved down before.
    if (in->opcode == PTX_OP_CVT && in->type_count > 1 && in->types[1] == PTX_TYPE_BF16)
        return element % 2 == 0;
    if (in->opcode == PTX_OP_ST) // one element alone has to be the lowest of its word
        return in->vector > 1 || (bits_of(in) == 16 && element % 2 == 0);
    if (in->opcode == PTX_OP_MOV || in->type_count == 0)
        return true;
    return in->opcode == PTX_OP_CVT ? in->type_count > 1 && is_half(in->types[1])
                                    : ptx_type_kind(in->types[0]) == PTX_KIND_FLOAT;
}

static bool is_half_as_float(const struct code *c, int i)
{
    enum { HALF_BITS = 16 };
    const struct ptx_instruction *in = at(c, i);
    return in->opcode == PTX_OP_CVT && in->guard < 0 && in->type_count == 2 &&
           in->types[0] == PTX_TYPE_F32 && ptx_type_bits(in->types[1]) <= HALF_BITS &&
           ptx_type_kind(in->types[1]) != PTX_KIND_FLOAT;
}

// I2F takes a byte with a sign as it lies in a word, and halves of what was loaded.
static bool is_extended_for_float(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    bool extends = in->opcode == PTX_OP_CVT && in->guard < 0 && in->type_count == 2 &&
                   in->types[0] == PTX_TYPE_S16 && in->types[1] == PTX_TYPE_S8;
    if (!extends)
        return false;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++)
        if (!is_half_as_float(c, c->readers[r].instruction))
            return false;
    return reader_count(c, i) > 0;
}

// In time a PRMT is the integer pipe's, in the place of the conversion that it is for; of one that is for no conversion the
// scheduler's time alone is taken.
static void permutation_time(const struct code *c, int i, int reader)
{
    struct timing_site *t = &c->sites[reader];
    if (at(c, reader)->opcode == PTX_OP_CVT && t->pipe == PIPE_NONE)
        t->pipe = PIPE_INTEGER;
    else
        c->sites[i].other_slots++;
}

// Is it the only element of its word that anything reads? Then the load is one of it alone.
static bool is_alone_in_word(const struct code *c, int i, uint64_t element)
{
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        struct reader by = c->readers[r];
        uint64_t other = source_of(c, by.instruction, by.operand)->bits;
        if (other != element && other / 2 == element / 2 && c->fate[by.instruction] != FATE_DEAD)
            return false;
    }
    return bits_of(at(c, i)) != 8;
}

// Of the elements of a word that an instruction makes, those that others read by themselves. timed: in the model of time, too.
static double taken_apart(const struct code *c, int i, bool timed)
{
    bool apart[64] = {false};
    double count = 0;
    for (int r = c->first_reader[i]; r < c->first_reader[i + 1]; r++) {
        struct reader by = c->readers[r];
        uint64_t element = source_of(c, by.instruction, by.operand)->bits;
        bool joins_bytes = bits_of(at(c, i)) == 8 && at(c, by.instruction)->opcode == PTX_OP_MOV;
        if (c->fate[by.instruction] == FATE_DEAD ||
            (takes_whole(at(c, by.instruction), element) && !joins_bytes) ||
            is_extended_for_float(c, by.instruction) ||
            (at(c, by.instruction)->opcode == PTX_OP_ST && is_alone_in_word(c, i, element)) ||
            (at(c, i)->opcode == PTX_OP_LD && bits_of(at(c, i)) == 16 &&
             is_half_as_float(c, by.instruction)) ||
            element >= COUNT_OF(apart) || apart[element])
            continue;
        apart[element] = true;
        count++;
        if (timed)
            permutation_time(c, i, by.instruction);
    }
    return count;
}

static bool is_of_float(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return from >= 0 && at(c, from)->type_count > 0 &&
           ptx_type_kind(at(c, from)->types[0]) == PTX_KIND_FLOAT;
}

// Elements that come of one word in the same order are that word.
static double put_together(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    int each = 32 / bits_of(in), count = c->first_source[i + 1] - c->first_source[i] - 1;
    double moves = 0;
    for (int k = 1; k + each - 1 <= count && k + each - 1 <= in->vector; k += each) {
        const struct origin *first = source_of(c, i, k);
        bool whole = first->kind == VALUE_MADE, of_float = false;
        for (int e = 0; e < each; e++) {
            const struct origin *v = source_of(c, i, k + e);
            whole &=
                v->kind == VALUE_MADE && v->at == first->at && v->bits == first->bits + (uint64_t)e;
            of_float |= is_of_float(c, *v);
        }
        moves += whole || of_float ? 0 : each - 1;
    }
    return moves;
}

static double field_slots(const struct code *c, int i)
{
    const struct origin *from = source_of(c, i, 1), *length = source_of(c, i, 2);
    if (from->kind != VALUE_NUMBER || length->kind != VALUE_NUMBER || bits_of(at(c, i)) != 32)
        return 0;
    bool bytes = from->bits % 8 == 0 && (length->bits == 8 || length->bits == 16) &&
                 (from->bits == 0 || !is_signed(type_of(at(c, i)))),
         end = from->bits == 0 || from->bits + length->bits >= 32;
    return bytes || end ? 0 : 1; // SHF and SGXT in place of PRMT
}

static bool is_loaded_as(const struct code *c, struct origin v, enum ptx_type_kind kind, int bits)
{
    int from = def_of(c, v);
    return from >= 0 && at(c, from)->opcode == PTX_OP_LD && at(c, from)->vector <= 1 &&
           ptx_type_kind(at(c, from)->types[0]) == kind && bits_of(at(c, from)) <= bits;
}

// Two conversions to halves of one word are one F2FP, which a vector's store takes as it is.
static bool is_of_pair(const struct code *c, struct origin v)
{
    int from = def_of(c, v);
    return from >= 0 && at(c, from)->opcode == PTX_OP_CVT && at(c, from)->type_count == 2 &&
           is_half(at(c, from)->types[0]) && at(c, from)->types[1] == PTX_TYPE_F32 &&
           reader_count(c, from) == 1;
}

static double pair_slots(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (!is_half(in->types[0]) || in->types[1] != PTX_TYPE_F32 || reader_count(c, i) != 1)
        return 0;
    struct reader r = c->readers[c->first_reader[i]];
    const struct ptx_instruction *by = at(c, r.instruction);
    if (by->opcode == PTX_OP_MOV && by->operand_count == 2 && by->operands[1].element_count == 2 &&
        is_of_pair(c, *source_of(c, r.instruction, 1 - r.operand)))
        return -1;
    int partner = ((r.operand - 1) ^ 1) + 1; // behind the address
    bool stored = by->opcode == PTX_OP_ST && by->vector > 1 && bits_of(by) == 16 && r.operand > 0 &&
                  is_of_pair(c, *source_of(c, r.instruction, partner));
    return stored ? -0.5 : 0;
}

/* ---- parts of a word ----------------------------------------------------------------------------------- */

enum { WORD = 32, HALF = 16 };

static bool is_bytes(uint64_t mask)
{
    return mask == 0xff || mask == 0xffff;
}

static bool is_byte_field(const struct code *c, int i)
{
    uint64_t from, length;
    return number_at(c, i, 1, &from) && number_at(c, i, 2, &length) &&
           (length == 8 || length == 16) && from % length == 0;
}

// I2F takes a byte or half of a word as it lies there.
static bool is_part_of_word(const struct code *c, int i)
{
    uint64_t number;
    int from;
    const struct ptx_instruction *in = at(c, i);
    if (in->guard >= 0 || reader_count(c, i) != 1)
        return false;
    switch (in->opcode) {
    case PTX_OP_AND: // but PRMT takes it from elsewhere in a word
        from = def_of(c, *source_of(c, i, 0));
        return bits_of(in) == WORD && number_at(c, i, 1, &number) && is_bytes(number) &&
               (from < 0 || at(c, from)->opcode != PTX_OP_SHR);
    case PTX_OP_SHR:
        return is_int(in, PTX_OP_SHR, WORD) && !is_signed(type_of(in)) &&
               number_at(c, i, 1, &number) && (number == 24 || number == 16);
    case PTX_OP_BFE:
        return bits_of(in) == WORD && !is_signed(type_of(in)) && is_byte_field(c, i);
    case PTX_OP_CVT:
        return in->type_count == 2 && ptx_type_bits(in->types[0]) == WORD && !is_float(in) &&
               ptx_type_bits(in->types[1]) <= HALF && ptx_type_kind(in->types[1]) != PTX_KIND_FLOAT;
    default:
        return false;
    }
}

bool code_absorbs_bytes(const struct code *c, int k, int reader)
{
    uint64_t mask, by;
    const struct ptx_instruction *in = at(c, reader);
    if (in->opcode == PTX_OP_CVT)
        return in->type_count == 2 && in->types[0] == PTX_TYPE_F32 &&
               ptx_type_bits(in->types[1]) == WORD &&
               ptx_type_kind(in->types[1]) != PTX_KIND_FLOAT &&
               (at(c, k)->opcode == PTX_OP_CVT || !is_signed(in->types[1])) &&
               is_part_of_word(c, k);
    // PRMT, or SHF alone where the mask takes away what is shifted out
    return is_int(in, PTX_OP_SHL, WORD) && at(c, k)->opcode == PTX_OP_AND &&
           reader_count(c, k) == 1 && number_at(c, k, 1, &mask) && is_bytes(mask) &&
           number_at(c, reader, 1, &by) && by % 8 == 0;
}

// A mask that takes nothing away.
bool is_whole_mask(const struct code *c, int i)
{
    uint64_t mask;
    const struct ptx_instruction *in = at(c, i);
    if (in->opcode != PTX_OP_AND || type_of(in) == PTX_TYPE_PRED || bits_of(in) > WORD ||
        !number_at(c, i, 1, &mask) || (mask & (mask + 1)) != 0)
        return false;
    return (code_bits(c, *source_of(c, i, 0)) & ~(uint32_t)mask) == 0;
}

// A comparison that comes before has extended the value in the same way.
static bool is_extended_before(const struct code *c, int i, int operand)
{
    int value = def_of(c, *source_of(c, i, operand));
    if (value < 0 || at(c, i)->opcode != PTX_OP_SETP)
        return false;
    for (int r = c->first_reader[value]; r < c->first_reader[value + 1]; r++) {
        int by = c->readers[r].instruction;
        if (by < i && at(c, by)->opcode == PTX_OP_SETP && c->fate[by] == FATE_MADE &&
            is_signed(type_of(at(c, by))) == is_signed(type_of(at(c, i))) &&
            dominates(c, c->f->block_of[by], c->f->block_of[i]))
            return true;
    }
    return false;
}

// Does the value have to be extended from 16 bits before it is compared, multiplied, shifted to the right? One with a sign also if it
// was loaded without.
static int is_to_extend(const struct code *c, int i, int operand)
{
    struct origin v = *source_of(c, i, operand);
    if (v.kind == VALUE_NUMBER || is_loaded_as(c, v, PTX_KIND_SIGNED, HALF) ||
        is_loaded_as(c, v, PTX_KIND_SIGNED, HALF / 2) || is_extended_before(c, i, operand))
        return 0;
    int clean = is_signed(type_of(at(c, i))) ? HALF - 1 : HALF;
    return code_bits(c, v) >> clean != 0;
}

// Arithmetic of 16 bits goes by 32: what reads the upper half extends its operands first; a difference negates by itself.
static double half_slots(const struct code *c, int i)
{
    enum { NEGATE = 2 };
    const struct ptx_instruction *in = at(c, i);
    switch (in->opcode) {
    case PTX_OP_MUL:
        return is_to_extend(c, i, 0) + is_to_extend(c, i, 1);
    case PTX_OP_SETP:
        return is_to_extend(c, i, 0) + is_to_extend(c, i, 1);
    case PTX_OP_SHR:
        return is_to_extend(c, i, 0);
    case PTX_OP_SUB:
        return NEGATE;
    case PTX_OP_NEG:
        return 1;
    default:
        return 0;
    }
}

// A load has extended its value to 32 bits.
static double conversion_slots(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    if (is_extended_for_float(c, i))
        return -1;
    if (in->type_count < 2 || ptx_type_bits(in->types[0]) != 32 ||
        ptx_type_kind(in->types[0]) == PTX_KIND_FLOAT)
        return 0;
    const struct origin *from = source_of(c, i, 0);
    if (in->types[1] == PTX_TYPE_U16)
        return is_to_extend(c, i, 0);
    if (in->types[1] == PTX_TYPE_S16 && code_bits(c, *from) >> (HALF - 1) == 0)
        return -1;
    if (in->types[1] == PTX_TYPE_S16 && is_loaded_as(c, *from, PTX_KIND_SIGNED, 16))
        return -1;
    return in->types[1] == PTX_TYPE_U8 && !is_loaded_as(c, *from, PTX_KIND_UNSIGNED, 8) ? 1 : 0;
}

// Does the instruction make words of several elements?
static bool makes_elements(const struct ptx_instruction *in)
{
    bool narrow = bits_of(in) == 8 || bits_of(in) == HALF;
    return (in->opcode == PTX_OP_LD && in->vector > 1 && narrow) ||
           (in->opcode == PTX_OP_MOV && in->operands[0].element_count == 2 && bits_of(in) == WORD);
}

void code_bytes_time(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    struct timing_site *t = &c->sites[i];
    if (makes_elements(in))
        taken_apart(c, i, true);
    else if (in->opcode == PTX_OP_CVT && in->type_count == 2 && t->pipe == PIPE_NONE &&
             conversion_slots(c, i) > 0)
        t->pipe = PIPE_INTEGER;
}

double code_bytes(const struct code *c, int i)
{
    const struct ptx_instruction *in = at(c, i);
    bool narrow = bits_of(in) == 8 || bits_of(in) == 16;
    if (bits_of(in) == HALF && !is_float(in) && in->opcode != PTX_OP_CVT && in->type_count > 0 &&
        ptx_type_kind(type_of(in)) != PTX_KIND_PACKED && in->opcode != PTX_OP_LD &&
        in->opcode != PTX_OP_ST)
        return half_slots(c, i);
    switch (in->opcode) {
    case PTX_OP_LD:
    case PTX_OP_MOV:
        return makes_elements(in) ? taken_apart(c, i, false) : 0;
    case PTX_OP_ST:
        return in->vector > 1 && narrow ? put_together(c, i) : 0;
    case PTX_OP_BFE:
        return field_slots(c, i);
    case PTX_OP_CVT:
        return in->type_count == 2 ? conversion_slots(c, i) + pair_slots(c, i) : 0;
    default:
        return 0;
    }
}
