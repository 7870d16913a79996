// The tables of words, and finding a row by its text: linear for the few, by first letter for none.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/internal.h"

#include <string.h>

struct word_row {
    const char *text;
    int id;
};
static const struct word_row opcodes[] = {
#define OPCODE(id, name, class, decoder, operands, semantics) {name, PTX_OP_##id},
#include "ptx/opcodes.def"
#undef OPCODE
};
static const enum ptx_class classes[] = {
#define OPCODE(id, name, class, decoder, operands, semantics) PTX_CLASS_##class,
#include "ptx/opcodes.def"
#undef OPCODE
};
static const char *const signatures[] = {
#define OPCODE(id, name, class, decoder, operands, semantics) operands,
#include "ptx/opcodes.def"
#undef OPCODE
};
static const struct word_row modifiers[] = {
#define MODIFIER(id, text) {text, PTX_MOD_##id},
#include "ptx/modifiers.def"
#undef MODIFIER
};
struct type_row {
    const char *text;
    int bits;
    enum ptx_type_kind kind;
};
static const struct type_row types[] = {
    {"", 0, PTX_KIND_NONE},
#define TYPE(id, text, bits, kind) {text, bits, PTX_KIND_##kind},
#include "ptx/types.def"
#undef TYPE
};
static const struct word_row specials[] = {
#define SPECIAL(id, name, components) {name, PTX_SREG_##id},
#include "ptx/specials.def"
#undef SPECIAL
};
static const int special_components[] = {
#define SPECIAL(id, name, components) components,
#include "ptx/specials.def"
#undef SPECIAL
};
static const struct word_row spaces[] = {
    {"reg", PTX_SPACE_REGISTER},
    {"global", PTX_SPACE_GLOBAL},
    {"shared", PTX_SPACE_SHARED},
    {"shared::cta", PTX_SPACE_SHARED},
    {"shared::cluster", PTX_SPACE_SHARED_CLUSTER},
    {"local", PTX_SPACE_LOCAL},
    {"const", PTX_SPACE_CONST},
    {"param", PTX_SPACE_PARAM},
    {"param::entry", PTX_SPACE_PARAM},
    {"param::func", PTX_SPACE_PARAM},
};

static bool row_find(const struct word_row *rows, size_t count, const char *s, size_t n, int *id)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(rows[i].text, s, n) == 0 && rows[i].text[n] == 0) {
            *id = rows[i].id;
            return true;
        }
    return false;
}

bool ptx_find_opcode(const char *s, size_t n, enum ptx_opcode *out)
{
    int id;
    bool found = n > 0 && row_find(opcodes, COUNT_OF(opcodes), s, n, &id);
    *out = found ? (enum ptx_opcode)id : PTX_OP_UNKNOWN;
    return found;
}

bool ptx_find_modifier(const char *s, size_t n, enum ptx_modifier *out)
{
    int id;
    bool found = row_find(modifiers, COUNT_OF(modifiers), s, n, &id);
    *out = found ? (enum ptx_modifier)id : PTX_MOD_NONE;
    return found;
}

bool ptx_find_type(const char *s, size_t n, enum ptx_type *out)
{
    for (size_t i = 1; i < COUNT_OF(types); i++)
        if (strncmp(types[i].text, s, n) == 0 && types[i].text[n] == 0) {
            *out = (enum ptx_type)i;
            return true;
        }
    return false;
}

bool ptx_find_space(const char *s, size_t n, enum ptx_space *out)
{
    int id;
    bool found = row_find(spaces, COUNT_OF(spaces), s, n, &id);
    if (found)
        *out = (enum ptx_space)id;
    return found;
}

bool ptx_find_special(const char *s, size_t n, enum ptx_special *out)
{
    int id;
    bool found = row_find(specials, COUNT_OF(specials), s, n, &id);
    if (found)
        *out = (enum ptx_special)id;
    return found;
}

const char *ptx_opcode_name(enum ptx_opcode op)
{
    return opcodes[op].text;
}
enum ptx_class ptx_opcode_class(enum ptx_opcode op)
{
    return classes[op];
}
const char *ptx_opcode_operands(enum ptx_opcode op)
{
    return signatures[op];
}
int ptx_type_bits(enum ptx_type t)
{
    return types[t].bits;
}
enum ptx_type_kind ptx_type_kind(enum ptx_type t)
{
    return types[t].kind;
}
const char *ptx_type_name(enum ptx_type t)
{
    return types[t].text;
}
const char *ptx_special_name(enum ptx_special s)
{
    return specials[s].text;
}

int ptx_special_components(enum ptx_special s)
{
    return special_components[s];
}

const char *ptx_space_name(enum ptx_space s)
{
    if (s == PTX_SPACE_GENERIC)
        return "generic";
    for (size_t i = 0; i < COUNT_OF(spaces); i++)
        if (spaces[i].id == (int)s)
            return spaces[i].text;
    return "";
}

bool ptx_has_modifier(const struct ptx_instruction *in, enum ptx_modifier m)
{
    for (int i = 0; i < in->modifier_count; i++)
        if (in->modifiers[i] == m)
            return true;
    return false;
}

const struct ptx_function *ptx_function_find(const struct ptx_module *m, const char *name)
{
    const struct ptx_function *declared = NULL;
    for (int i = 0; i < m->function_count; i++)
        if (strcmp(m->functions[i].name, name) == 0) {
            if (m->functions[i].has_body)
                return &m->functions[i];
            declared = &m->functions[i];
        }
    return declared;
}

const struct ptx_variable *ptx_variable_find(const struct ptx_module *m, const char *name)
{
    for (int i = 0; i < m->variable_count; i++)
        if (strcmp(m->variables[i].name, name) == 0)
            return &m->variables[i];
    return NULL;
}

static const char *file_of(const struct ptx_module *m, int file)
{
    return file >= 0 && file < m->file_count ? m->files[file] : NULL;
}

void ptx_user_place(const struct ptx_module *m, const struct ptx_instruction *in, const char **file,
                    int *line)
{
    enum { CALLS_MAX = 64 };
    const struct ptx_place *outer = NULL;
    if (in->source_line > 0 && in->place >= 0)
        outer = &m->places[in->place];
    const char *name = outer ? file_of(m, outer->file) : NULL;
    *file = name ? name : m->name;
    *line = name ? outer->line : in->line;
    for (int calls = 0; name && path_is_foreign(name) && outer->caller >= 0 && calls < CALLS_MAX;
         calls++) {
        outer = &m->places[outer->caller];
        name = file_of(m, outer->file);
        if (name && outer->line > 0) {
            *file = name;
            *line = outer->line;
        }
    }
}
