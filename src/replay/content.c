// What the memory behind a pointer, or a variable, holds, by what the kernel does with it: values are followed from loads
// to the instructions that compute with them, and to stores from those that made them. Bits that were moved about may be
// floats; whole numbers that reach an address, or decide a branch, are indices.
// SPDX-License-Identifier: Apache-2.0
#include "replay/internal.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct ptx_function *kernel;
    const struct ptx_variable *named; // the memory, where it is a variable
    bool *addresses;                  // registers: an address of the memory
    bool *moved;   // … what was loaded from it or will be stored there, as it is
    bool *derived; // … what was computed from that
    bool spilled;  // such a value went through shared or local memory
    bool grew;
    struct content found;
    int bytes; // of whole numbers; -1: several sizes
};

static bool any_marked(const struct ptx_operand *x, const bool *marks)
{
    if (x->kind == PTX_OPERAND_REGISTER)
        return marks[x->reg];
    for (int i = 0; i < x->element_count && x->kind != PTX_OPERAND_ADDRESS; i++)
        if (any_marked(&x->elements[i], marks))
            return true;
    return false;
}

static void mark(struct search *s, const struct ptx_operand *x, bool *marks)
{
    if (x->kind == PTX_OPERAND_REGISTER && !marks[x->reg])
        marks[x->reg] = s->grew = true;
    for (int i = 0; i < x->element_count && x->kind != PTX_OPERAND_ADDRESS; i++)
        mark(s, &x->elements[i], marks);
}

static bool is_memory(const struct ptx_instruction *in)
{
    enum ptx_class class = ptx_opcode_class(in->opcode);
    return class == PTX_CLASS_MEMORY || class == PTX_CLASS_ATOMIC;
}

// The instruction's operand that is an address within the memory, or -1.
static int address_in(const struct search *s, const struct ptx_instruction *in)
{
    for (int i = 0; is_memory(in) && i < in->operand_count; i++) {
        const struct ptx_operand *x = &in->operands[i];
        if (x->kind == PTX_OPERAND_ADDRESS &&
            ((x->reg >= 0 && s->addresses[x->reg]) || (s->named && x->variable == s->named)))
            return i;
    }
    return -1;
}

static bool moves(enum ptx_opcode op)
{
    return op == PTX_OP_MOV || op == PTX_OP_SELP || op == PTX_OP_SHFL;
}

static bool is_on_chip(const struct ptx_instruction *in)
{
    return is_memory(in) && in->space_count > 0 &&
           (in->spaces[0] == PTX_SPACE_SHARED || in->spaces[0] == PTX_SPACE_LOCAL);
}

static bool reads_marked(const struct ptx_instruction *in, const bool *marks)
{
    for (int i = in->writes_first ? 1 : 0; i < in->operand_count; i++)
        if (any_marked(&in->operands[i], marks))
            return true;
    return false;
}

// One instruction's part of what is marked.
static void follow(struct search *s, const struct ptx_instruction *in)
{
    int address = address_in(s, in);
    for (int i = 0; address >= 0 && i < in->operand_count; i++) {
        mark(s, &in->operands[i], s->moved);
        if (i == 0 && in->writes_first)
            mark(s, &in->operands[i], s->derived);
    }
    if (moves(in->opcode) && in->operand_count > 1) {
        if (reads_marked(in, s->moved))
            mark(s, &in->operands[0], s->moved);
        for (int i = 1; i < in->operand_count && any_marked(&in->operands[0], s->moved); i++)
            mark(s, &in->operands[i], s->moved);
    }
    bool reads = reads_marked(in, s->derived);
    s->spilled = s->spilled || (reads && is_on_chip(in) && !in->writes_first);
    if (in->writes_first && (reads || (s->spilled && is_on_chip(in))))
        mark(s, &in->operands[0], s->derived);
}

static bool element_of(enum ptx_type t, enum element_type *out)
{
    static const struct {
        enum ptx_type ptx;
        enum element_type ours;
    } floats[] = {{PTX_TYPE_F16, ELEMENT_F16},    {PTX_TYPE_F16X2, ELEMENT_F16},
                  {PTX_TYPE_BF16, ELEMENT_BF16},  {PTX_TYPE_BF16X2, ELEMENT_BF16},
                  {PTX_TYPE_F32, ELEMENT_F32},    {PTX_TYPE_TF32, ELEMENT_F32},
                  {PTX_TYPE_F64, ELEMENT_F64},    {PTX_TYPE_E4M3, ELEMENT_E4M3},
                  {PTX_TYPE_E4M3X2, ELEMENT_E4M3}};
    for (size_t i = 0; i < COUNT_OF(floats); i++)
        if (floats[i].ptx == t) {
            *out = floats[i].ours;
            return true;
        }
    return false;
}

// The type that an instruction takes the operand as: cvt.rn.f32.s32 reads s32, mma names four.
static enum ptx_type type_at(const struct ptx_instruction *in, int operand)
{
    bool each = (in->opcode == PTX_OP_CVT && in->type_count > 1) ||
                (ptx_opcode_class(in->opcode) == PTX_CLASS_TENSOR && in->type_count == 4) ||
                (in->opcode == PTX_OP_SET && in->type_count > 1);
    if (in->type_count == 0)
        return PTX_TYPE_NONE;
    int last = in->type_count - 1;
    return in->types[!each ? 0 : operand < last ? operand : last];
}

static void take_float(struct search *s, enum ptx_type t)
{
    enum element_type type;
    if (!element_of(t, &type))
        return;
    bool other = s->found.kind == CONTENT_FLOATS && s->found.type != type;
    if (s->found.kind != CONTENT_UNKNOWN)
        s->found = (struct content){other ? CONTENT_UNKNOWN : CONTENT_FLOATS, type};
}

static void take_size(struct search *s, const struct ptx_instruction *in)
{
    enum ptx_type t = in->type_count > 0 ? in->types[0] : PTX_TYPE_NONE;
    int bytes = ptx_type_bits(t) / 8;
    enum ptx_opcode op = in->opcode;
    bool plain = op == PTX_OP_LD || op == PTX_OP_LDU || op == PTX_OP_ST || op == PTX_OP_ATOM ||
                 op == PTX_OP_RED;
    s->bytes = !plain || bytes == 0 || (s->bytes != 0 && s->bytes != bytes) ? -1 : bytes;
}

static void take_use(struct search *s, const struct ptx_instruction *in, bool *index)
{
    bool memory = is_memory(in);
    if (address_in(s, in) >= 0)
        take_size(s, in);
    for (int i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *x = &in->operands[i];
        if (any_marked(x, s->moved))
            take_float(s, type_at(in, i));
        *index = *index ||
                 (memory && x->kind == PTX_OPERAND_ADDRESS && x->reg >= 0 && s->derived[x->reg]);
    }
    bool branch = in->opcode == PTX_OP_BRA || in->opcode == PTX_OP_BRX;
    *index = *index || (branch && in->guard >= 0 && s->derived[in->guard]) ||
             (branch && reads_marked(in, s->derived));
}

// `addresses` is freed.
static struct content content_at(const struct ptx_function *kernel,
                                 const struct ptx_variable *named, bool *addresses)
{
    size_t registers = (size_t)kernel->register_count + 1;
    bool *marks = xcalloc(2 * registers, sizeof *marks), index = false;
    struct search s = {.kernel = kernel,
                       .named = named,
                       .addresses = addresses,
                       .moved = marks,
                       .derived = marks + registers};
    s.found.kind = CONTENT_NONE;
    do {
        s.grew = false;
        for (int i = 0; i < kernel->instruction_count; i++)
            follow(&s, &kernel->instructions[i]);
    } while (s.grew);
    for (int i = 0; i < kernel->instruction_count; i++)
        take_use(&s, &kernel->instructions[i], &index);
    free(addresses);
    free(marks);
    static const enum element_type whole[] = {
        [1] = ELEMENT_U8, [2] = ELEMENT_U16, [4] = ELEMENT_U32, [8] = ELEMENT_U64};
    bool sized = s.bytes > 0 && (size_t)s.bytes < COUNT_OF(whole);
    if (s.found.kind != CONTENT_NONE || s.bytes == 0) // floats, or nothing is read or written
        return s.found;
    return (struct content){!sized  ? CONTENT_UNKNOWN
                            : index ? CONTENT_INDICES
                                    : CONTENT_INTEGERS,
                            sized ? whole[s.bytes] : ELEMENT_U8};
}

struct content replay_content(const struct ptx_function *kernel, int parameter, uint64_t offset)
{
    return content_at(kernel, NULL, replay_reached(kernel, parameter, offset));
}

struct content replay_variable_content(const struct ptx_function *kernel,
                                       const struct ptx_variable *variable)
{
    return content_at(kernel, variable, replay_reached_from(kernel, variable));
}
