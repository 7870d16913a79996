// The parser of function bodies: scopes, declarations, labels, instructions and their operands; then
// the resolution of every name an operand holds.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/parser.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* ---- scopes ---------------------------------------------------------------------------------------- */

bool ptx_scope_add(struct parser *p, const char *name, enum symbol_kind kind, size_t index)
{
    struct table *names = &p->scopes.items[p->scope].names;
    if (table_has(names, name))
        return ptx_parser_fail(p, "'%s' is declared twice", name);
    table_set(names, name, (void *)(uintptr_t)((uint64_t)kind << 32 | (index + 1)));
    return true;
}

enum symbol_kind ptx_scope_find(const struct parser *p, int scope, const char *name, int *index)
{
    for (; scope >= 0; scope = p->scopes.items[scope].parent) {
        uint64_t v = (uint64_t)(uintptr_t)table_get(&p->scopes.items[scope].names, name);
        if (v) {
            *index = (int)(v & 0xffffffffu) - 1;
            return (enum symbol_kind)(v >> 32);
        }
    }
    return SYMBOL_NONE;
}

static bool scope_open(struct parser *p)
{
    if (p->depth++ > SCOPES_NESTED_MAX)
        return ptx_parser_fail(p, "braces are nested too deeply");
    struct scope s = {.parent = p->scope};
    VEC_PUSH(p->scopes.items, p->scopes.count, p->scopes.capacity, s);
    p->scope = (int)p->scopes.count - 1;
    return ptx_parser_advance(p);
}

static bool scope_close(struct parser *p)
{
    p->scope = p->scopes.items[p->scope].parent;
    p->depth--;
    return ptx_parser_advance(p);
}

/* ---- declarations ------------------------------------------------------------------------------------ */

static bool register_new(struct parser *p, const char *name, enum ptx_type type)
{
    struct ptx_register r = {name, type};
    if (p->registers.count >= REGISTERS_MAX)
        return ptx_parser_fail(p, "more than %d registers", REGISTERS_MAX);
    VEC_PUSH(p->registers.items, p->registers.count, p->registers.capacity, r);
    return true;
}

// words: type and vector. A vector's registers are named as in name$x, which no compiler writes.
static bool register_add(struct parser *p, const char *name, const struct ptx_variable *words)
{
    struct register_vector v = {(int)p->registers.count, words->vector};
    if (words->vector == 1)
        return register_new(p, name, words->type) &&
               ptx_scope_add(p, name, SYMBOL_REGISTER, p->registers.count - 1);
    for (int i = 0; i < v.count; i++)
        if (!register_new(p, arena_printf(p->a, "%s$%c", name, "xyzw"[i]), words->type))
            return false;
    VEC_PUSH(p->vectors.items, p->vectors.count, p->vectors.capacity, v);
    return ptx_scope_add(p, name, SYMBOL_REGISTERS, p->vectors.count - 1);
}

// .reg .f32 %f<10>, %x;  .reg .v2 .f32 %v;  vector registers become one register an element.
static bool parse_registers(struct parser *p)
{
    struct ptx_variable words = {.vector = 1};
    if (!ptx_parser_advance(p))
        return false;
    for (; p->token.kind == TOKEN_DOT;) {
        const char *word = p->token.text;
        if (p->token.length == 2 && word[0] == 'v' && (word[1] == '2' || word[1] == '4'))
            words.vector = word[1] - '0';
        else if (!ptx_find_type(word, p->token.length, &words.type))
            return ptx_parser_fail(p, "unknown type '.%s'", ptx_token_text(p));
        if (!ptx_parser_advance(p))
            return false;
    }
    if (words.type == PTX_TYPE_NONE)
        return ptx_parser_fail(p, "the registers have no type");
    for (;;) {
        const char *name;
        int64_t n = -1;
        if (!ptx_parser_name(p, &name, "a register's name"))
            return false;
        if (ptx_token_is(p, '<') &&
            !(ptx_parser_advance(p) && ptx_parser_integer(p, &n) && ptx_parser_expect(p, '>')))
            return false;
        if (n > REGISTERS_MAX)
            return ptx_parser_fail(p, "more than %d registers", REGISTERS_MAX);
        if (n < 0 && !register_add(p, name, &words))
            return false;
        for (int64_t i = 0; i < n; i++)
            if (!register_add(p, arena_printf(p->a, "%s%lld", name, (long long)i), &words))
                return false;
        if (!ptx_token_is(p, ','))
            return ptx_parser_expect(p, ';');
        if (!ptx_parser_advance(p))
            return false;
    }
}

static bool parse_local(struct parser *p, enum ptx_space space)
{
    struct ptx_variable like, *before = NULL;
    do {
        struct ptx_variable v = {0};
        if (!ptx_parser_advance(p) || !ptx_parse_variable(p, space, before, &v))
            return false;
        like = v, before = &like;
        VEC_PUSH(p->locals.items, p->locals.count, p->locals.capacity, v);
        if (!ptx_scope_add(p, v.name, SYMBOL_VARIABLE, p->locals.count - 1))
            return false;
    } while (ptx_token_is(p, ','));
    return ptx_parser_expect(p, ';');
}

static int place_find(const struct parser *p, const char *name)
{
    return (int)(intptr_t)table_get(&p->place_names, name) - 1;
}

// Remembers the place. `inlined_at` names one that an earlier .loc stated, with what that was inlined at.
static void place_add(struct parser *p, const int64_t at[3], const int64_t call[3])
{
    char name[72];
    int caller = -1;
    if (call[1] > 0) {
        snprintf(name, sizeof name, "%lld:%lld:%lld", (long long)call[0], (long long)call[1],
                 (long long)call[2]);
        caller = place_find(p, name);
        if (caller < 0) {
            struct ptx_place untold = {(int)call[0], (int)call[1], -1};
            VEC_PUSH(p->places.items, p->places.count, p->places.capacity, untold);
            caller = (int)p->places.count - 1;
        }
    }
    snprintf(name, sizeof name, "%lld:%lld:%lld", (long long)at[0], (long long)at[1],
             (long long)at[2]);
    p->place = place_find(p, name);
    if (p->place >= 0 && p->places.items[p->place].caller == caller)
        return;
    struct ptx_place place = {(int)at[0], (int)at[1], caller};
    VEC_PUSH(p->places.items, p->places.count, p->places.capacity, place);
    p->place = (int)p->places.count - 1;
    table_set(&p->place_names, name, (void *)(intptr_t)p->places.count);
}

// .loc file line column [, function_name LABEL [+ n], inlined_at file line column]
static bool parse_loc(struct parser *p)
{
    int64_t v[3], in[3] = {-1, 0, 0};
    int line = p->token.line;
    if (!ptx_parser_advance(p))
        return false;
    for (int i = 0; i < 3; i++)
        if (!ptx_parser_integer(p, &v[i]))
            return false;
    while (ptx_token_is(p, ',') && p->token.line == line) {
        const char *word;
        if (!ptx_parser_advance(p) || !ptx_parser_name(p, &word, "function_name or inlined_at"))
            return false;
        if (strcmp(word, "inlined_at") == 0) {
            for (int i = 0; i < 3; i++)
                if (!ptx_parser_integer(p, &in[i]))
                    return false;
        } else {
            if (!ptx_parser_name(p, &word, "a label"))
                return false;
            int64_t offset;
            if (ptx_token_is(p, '+') && !(ptx_parser_advance(p) && ptx_parser_integer(p, &offset)))
                return false;
        }
    }
    p->source_file = (int)v[0];
    p->source_line = (int)v[1];
    p->inlined_file = (int)in[0];
    p->inlined_line = (int)in[1];
    place_add(p, v, in);
    return true;
}

static bool parse_branch_targets(struct parser *p)
{
    struct ptx_branch_targets t = {.label = p->pending_label};
    LIST(const char *) names = {0};
    bool ok = true;
    do {
        const char *name;
        ok = ptx_parser_advance(p) && ptx_parser_name(p, &name, "a label");
        if (ok)
            VEC_PUSH(names.items, names.count, names.capacity, name);
    } while (ok && ptx_token_is(p, ','));
    t.count = (int)names.count;
    t.names = ARENA_ARRAY(p->a, const char *, names.count + 1);
    t.targets = ARENA_ARRAY(p->a, int, names.count + 1);
    for (size_t i = 0; i < names.count; i++)
        t.names[i] = names.items[i];
    free(names.items);
    VEC_PUSH(p->targets.items, p->targets.count, p->targets.capacity, t);
    return ok && ptx_parser_expect(p, ';');
}

static bool parse_prototype(struct parser *p)
{
    struct ptx_prototype t = {.label = p->pending_label};
    const char *underscore;
    if (!ptx_parser_advance(p) ||
        (ptx_token_is(p, '(') && !ptx_parse_parameters(p, &t.results, &t.result_count)) ||
        !ptx_parser_name(p, &underscore, "_") ||
        (ptx_token_is(p, '(') && !ptx_parse_parameters(p, &t.params, &t.param_count)))
        return false;
    VEC_PUSH(p->prototypes.items, p->prototypes.count, p->prototypes.capacity, t);
    while (p->token.kind == TOKEN_DOT)
        if (!ptx_parser_advance(p))
            return false;
    return ptx_parser_expect(p, ';');
}

/* ---- operands ---------------------------------------------------------------------------------------- */

static bool parse_operand(struct parser *p, struct ptx_operand *o, int depth);

static bool parse_elements(struct parser *p, struct ptx_operand *o, char close, int depth)
{
    LIST(struct ptx_operand) list = {0};
    bool ok = depth < OPERAND_DEPTH_MAX || ptx_parser_fail(p, "operands are nested too deeply");
    ok = ok && ptx_parser_advance(p);
    while (ok && !ptx_token_is(p, close)) {
        struct ptx_operand e = {0};
        ok = parse_operand(p, &e, depth + 1);
        VEC_PUSH(list.items, list.count, list.capacity, e);
        ok = ok && (ptx_token_is(p, close) || ptx_parser_expect(p, ','));
    }
    o->element_count = (int)list.count;
    o->elements = ARENA_ARRAY(p->a, struct ptx_operand, list.count + 1);
    if (list.count)
        memcpy(o->elements, list.items, list.count * sizeof *o->elements);
    free(list.items);
    return ok && ptx_parser_expect(p, close);
}

static int component_index(struct parser *p)
{
    static const char letters[] = "xyzwrgba";
    if (p->token.kind != TOKEN_DOT || p->token.length != 1)
        return -1;
    const char *at = memchr(letters, *p->token.text, sizeof(letters) - 1);
    return at ? (int)(at - letters) % 4 : -1;
}

// A vector's name: one of its registers (%v.x), or all of them, as in braces.
static bool parse_register_vector(struct parser *p, const struct register_vector *v,
                                  struct ptx_operand *o)
{
    if (!ptx_parser_advance(p))
        return false;
    int component = component_index(p);
    if (component >= v->count)
        return ptx_parser_fail(p, "a vector of %d registers has no .%s", v->count,
                               ptx_token_text(p));
    if (component >= 0) {
        o->kind = PTX_OPERAND_REGISTER;
        o->reg = v->first + component;
        return ptx_parser_advance(p);
    }
    o->kind = PTX_OPERAND_VECTOR;
    o->element_count = v->count;
    o->elements = ARENA_ARRAY(p->a, struct ptx_operand, v->count);
    for (int i = 0; i < v->count; i++)
        o->elements[i] = (struct ptx_operand){
            .kind = PTX_OPERAND_REGISTER, .reg = v->first + i, .component = -1};
    return true;
}

// A name as an operand: register, special register, variable, label, function. What is not known
// yet (a label or function further down) stays a SYMBOL with its scope in `component`.
static bool parse_named(struct parser *p, struct ptx_operand *o)
{
    int index = -1;
    o->reg = -1;
    o->component = -1;
    if (p->token.length == 1 && *p->token.text == '_') {
        o->kind = PTX_OPERAND_SINK;
        return ptx_parser_advance(p);
    }
    const char *name = ptx_token_text(p);
    if (strcmp(name, "WARP_SZ") == 0) { // the one predefined constant of PTX
        *o = (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE,
                                  .reg = -1,
                                  .component = -1,
                                  .immediate_type = PTX_TYPE_S64,
                                  .bits = 32};
        return ptx_parser_advance(p);
    }
    enum symbol_kind kind = ptx_scope_find(p, p->scope, name, &index);
    if (kind == SYMBOL_REGISTER) {
        o->kind = PTX_OPERAND_REGISTER;
        o->reg = index;
    } else if (kind == SYMBOL_REGISTERS) {
        return parse_register_vector(p, &p->vectors.items[index], o);
    } else if (*name == '%' && ptx_find_special(name, strlen(name), &o->special)) {
        o->kind = PTX_OPERAND_SPECIAL;
        if (!ptx_parser_advance(p))
            return false;
        o->component = component_index(p);
        return o->component < 0 || ptx_parser_advance(p);
    } else if (*name == '%') {
        return ptx_parser_fail(p, "register '%s' is not declared", name);
    } else {
        o->kind = PTX_OPERAND_SYMBOL;
        o->symbol = name;
        o->component = p->scope;
    }
    return ptx_parser_advance(p);
}

static bool parse_offset(struct parser *p, int64_t *offset)
{
    while (ptx_token_is(p, '+') || ptx_token_is(p, '-')) {
        bool minus = ptx_token_is(p, '-');
        int64_t n;
        if (!ptx_parser_advance(p) || !ptx_parser_integer(p, &n))
            return false;
        *offset += minus ? -n : n;
    }
    return true;
}

// a[2]: the address of that element of a variable that was declared before.
static bool parse_index(struct parser *p, struct ptx_operand *o)
{
    int at = -1;
    int64_t index;
    bool local = ptx_scope_find(p, p->scope, o->symbol, &at) == SYMBOL_VARIABLE;
    uintptr_t global = (uintptr_t)table_get(&p->module_names, o->symbol); // counted from 1
    const struct ptx_variable *v = local    ? &p->locals.items[at]
                                   : global ? &p->variables.items[global - 1]
                                            : NULL;
    if (!v || v->dimension_count != 1)
        return ptx_parser_fail(p, "'%s' is no array of one dimension that was declared before",
                               o->symbol);
    if (!ptx_parser_advance(p) || !ptx_parser_integer(p, &index) || !ptx_parser_expect(p, ']'))
        return false;
    if (index < 0 || index > UINT32_MAX || (v->dimensions[0] >= 0 && index > v->dimensions[0]))
        return ptx_parser_fail(p, "'%s' has no element %lld", o->symbol, (long long)index);
    o->offset += index * (ptx_type_bits(v->type) / 8) * v->vector;
    return true;
}

static bool parse_address(struct parser *p, struct ptx_operand *o, int depth)
{
    struct ptx_operand base = {.reg = -1, .component = -1};
    if (!ptx_parser_advance(p))
        return false;
    if (p->token.kind == TOKEN_NAME) {
        if (!parse_named(p, &base))
            return false;
        if (base.kind != PTX_OPERAND_REGISTER && base.kind != PTX_OPERAND_SYMBOL)
            return ptx_parser_fail(p, "an address is [register], [variable] or [number], each "
                                      "with an offset or without");
    } else if (!ptx_parser_integer(p, &base.offset)) {
        return false;
    }
    o->kind = PTX_OPERAND_ADDRESS;
    o->reg = base.reg;
    o->symbol = base.symbol;
    o->component = base.component;
    o->offset = base.offset;
    if (!parse_offset(p, &o->offset))
        return false;
    if (ptx_token_is(p, ',')) { // tensor coordinates
        if (!ptx_parser_advance(p) || !ptx_token_is(p, '{'))
            return ptx_parser_fail(p, "{coordinates} expected");
        if (!parse_elements(p, o, '}', depth))
            return false;
    }
    return ptx_parser_expect(p, ']');
}

// The bytes or halves of a register that a video instruction takes: %r1.b0, %r1.h32.
static bool parse_selector(struct parser *p, struct ptx_operand *o)
{
    if (p->token.kind != TOKEN_DOT || o->kind != PTX_OPERAND_REGISTER)
        return true;
    const char *word = ptx_token_text(p);
    size_t digits = strspn(word + 1, "01234567");
    if ((*word != 'b' && *word != 'h') || digits == 0 || word[1 + digits] != '\0')
        return true;
    o->selector = word;
    return ptx_parser_advance(p);
}

static bool parse_literal(struct parser *p, struct ptx_operand *o)
{
    o->kind = PTX_OPERAND_IMMEDIATE;
    o->reg = -1;
    o->component = -1;
    bool minus = ptx_token_is(p, '-');
    if (minus && !ptx_parser_advance(p))
        return false;
    if (minus && p->token.kind == TOKEN_NAME) {
        if (!parse_named(p, o) || !parse_selector(p, o))
            return false;
        o->minus = o->kind != PTX_OPERAND_IMMEDIATE;
        o->bits = o->minus ? 0 : 0 - o->bits; // -WARP_SZ
        return true;
    }
    if (p->token.kind == TOKEN_INTEGER) {
        o->immediate_type = PTX_TYPE_S64;
        o->bits = minus ? 0 - p->token.bits : p->token.bits;
    } else if (p->token.kind == TOKEN_FLOAT) {
        o->immediate_type = p->token.float_type;
        o->bits = p->token.bits;
        if (minus)
            o->bits ^= p->token.float_type == PTX_TYPE_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    } else {
        return ptx_parser_fail(p, p->token.kind == TOKEN_END ? "the text ends inside an instruction"
                                                             : "an operand expected");
    }
    return ptx_parser_advance(p);
}

static bool parse_pair(struct parser *p, struct ptx_operand *o)
{
    struct ptx_operand first = *o;
    *o = (struct ptx_operand){
        .kind = PTX_OPERAND_PAIR, .reg = -1, .component = -1, .element_count = 2};
    o->elements = ARENA_ARRAY(p->a, struct ptx_operand, 2);
    o->elements[0] = first;
    if (!ptx_parser_advance(p))
        return false;
    return p->token.kind == TOKEN_NAME ? parse_named(p, &o->elements[1])
                                       : ptx_parser_fail(p, "a predicate expected after '|'");
}

static bool parse_operand(struct parser *p, struct ptx_operand *o, int depth)
{
    if (ptx_token_is(p, '[')) {
        return parse_address(p, o, depth);
    } else if (ptx_token_is(p, '{') || ptx_token_is(p, '(')) {
        bool vector = ptx_token_is(p, '{');
        o->kind = vector ? PTX_OPERAND_VECTOR : PTX_OPERAND_LIST;
        o->reg = o->component = -1;
        return parse_elements(p, o, vector ? '}' : ')', depth);
    } else if (ptx_token_is(p, '!')) {
        if (!ptx_parser_advance(p) || p->token.kind != TOKEN_NAME)
            return ptx_parser_fail(p, "a predicate expected after '!'");
        if (!parse_named(p, o))
            return false;
        o->negated = true;
        return true;
    } else if (p->token.kind == TOKEN_NAME) {
        if (!parse_named(p, o) || !parse_selector(p, o))
            return false;
        if (o->kind == PTX_OPERAND_SYMBOL && ptx_token_is(p, '[') && !parse_index(p, o))
            return false;
        bool may_add = o->kind == PTX_OPERAND_SYMBOL || o->kind == PTX_OPERAND_REGISTER;
        if (may_add && !parse_offset(p, &o->offset)) // ptxas takes "register + number" as well
            return false;
        return !ptx_token_is(p, '|') || parse_pair(p, o);
    }
    return parse_literal(p, o);
}

/* ---- instructions ------------------------------------------------------------------------------------- */

// Shapes of matrix instructions: m64n128k16.
static bool is_shape(const char *s, size_t n)
{
    static const char AXES[] = "mnk";
    size_t i = 0;
    for (const char *axis = AXES; *axis != '\0'; axis++) {
        size_t digits = 0;
        if (i == n || s[i] != *axis)
            return i == n && axis > AXES + 1; // m8n8
        for (i++; i < n && s[i] >= '0' && s[i] <= '9'; i++)
            digits++;
        if (digits == 0 || digits > 3)
            return false;
    }
    return i == n;
}

static bool word_add(struct parser *p, struct ptx_instruction *in)
{
    enum ptx_type type;
    enum ptx_space space;
    enum ptx_modifier modifier;
    const char *s = p->token.text;
    size_t n = p->token.length;
    if (in->word_count == PTX_MODIFIERS_MAX)
        return ptx_parser_fail(p, "more than %d words after an opcode", PTX_MODIFIERS_MAX);
    const char *word = in->words[in->word_count++] = ptx_token_text(p);
    if (ptx_find_type(s, n, &type)) {
        if (in->type_count < (int)COUNT_OF(in->types))
            in->types[in->type_count++] = type;
    } else if (ptx_find_space(s, n, &space)) {
        if (in->space_count < (int)COUNT_OF(in->spaces))
            in->spaces[in->space_count++] = space;
    } else if (n == 2 && s[0] == 'v' && (s[1] == '2' || s[1] == '4' || s[1] == '8')) {
        in->vector = s[1] - '0';
    } else if (ptx_find_modifier(s, n, &modifier)) {
        in->modifiers[in->modifier_count++] = modifier;
    } else if (!in->unknown_word && !is_shape(s, n)) {
        in->unknown_word = word;
    }
    return ptx_parser_advance(p);
}

static bool parse_guard(struct parser *p, struct ptx_instruction *in)
{
    struct ptx_operand guard = {0};
    if (!ptx_parser_advance(p))
        return false;
    if (ptx_token_is(p, '!')) {
        in->guard_negated = true;
        if (!ptx_parser_advance(p))
            return false;
    }
    if (p->token.kind != TOKEN_NAME)
        return ptx_parser_fail(p, "a predicate expected after '@'");
    if (!parse_named(p, &guard))
        return false;
    if (guard.kind != PTX_OPERAND_REGISTER)
        return ptx_parser_fail(p, "the guard is no predicate register");
    in->guard = guard.reg;
    return true;
}

static bool parse_instruction(struct parser *p)
{
    struct ptx_instruction in = {.guard = -1,
                                 .vector = 1,
                                 .nounroll = p->nounroll,
                                 .source_file = p->source_file,
                                 .source_line = p->source_line,
                                 .inlined_file = p->inlined_file,
                                 .inlined_line = p->inlined_line,
                                 .place = p->place};
    p->nounroll = false;
    if (ptx_token_is(p, '@') && !parse_guard(p, &in))
        return false;
    in.line = p->token.line;
    in.column = p->token.column;
    if (p->token.kind != TOKEN_NAME)
        return ptx_parser_fail(p, p->token.kind == TOKEN_END ? "the text ends inside a function"
                                                             : "an instruction expected");
    if (!ptx_find_opcode(p->token.text, p->token.length, &in.opcode))
        in.unknown_word = in.words[in.word_count++] = ptx_token_text(p);
    if (!ptx_parser_advance(p))
        return false;
    while (p->token.kind == TOKEN_DOT)
        if (!word_add(p, &in))
            return false;
    while (!ptx_token_is(p, ';')) {
        if (in.operand_count == PTX_OPERANDS_MAX)
            return ptx_parser_fail(p, "more than %d operands", PTX_OPERANDS_MAX);
        if (!parse_operand(p, &in.operands[in.operand_count], 0))
            return false;
        in.operand_count++;
        if (!ptx_token_is(p, ';') && !ptx_parser_expect(p, ','))
            return false;
    }
    VEC_PUSH(p->instructions.items, p->instructions.count, p->instructions.capacity, in);
    return ptx_parser_advance(p);
}

// A name at the start of a statement is a label when a colon follows; else it is an opcode.
static bool is_label(const struct parser *p)
{
    const char *at = p->lexer.at;
    while (at < p->lexer.end && (*at == ' ' || *at == '\t'))
        at++;
    return p->token.kind == TOKEN_NAME && at < p->lexer.end && *at == ':';
}

static bool parse_label(struct parser *p)
{
    const char *name = ptx_token_text(p);
    if (!ptx_parser_advance(p) || !ptx_parser_advance(p))
        return false;
    p->pending_label = name;
    return ptx_scope_add(p, name, SYMBOL_LABEL, p->instructions.count);
}

static bool parse_unlabelled(struct parser *p)
{
    enum ptx_space space;
    if (ptx_token_is(p, '{'))
        return scope_open(p);
    if (p->token.kind != TOKEN_DOT)
        return parse_instruction(p);
    if (ptx_token_is_dot(p, "reg"))
        return parse_registers(p);
    if (ptx_token_is_dot(p, "loc"))
        return parse_loc(p);
    if (ptx_token_is_dot(p, "branchtargets") || ptx_token_is_dot(p, "calltargets"))
        return parse_branch_targets(p);
    if (ptx_token_is_dot(p, "callprototype"))
        return parse_prototype(p);
    if (ptx_token_is_dot(p, "pragma")) {
        p->nounroll = true; // ptxas has no other that is for what follows
        while (!ptx_token_is(p, ';') && p->token.kind != TOKEN_END)
            if (!ptx_parser_advance(p))
                return false;
        return ptx_parser_expect(p, ';');
    }
    if (ptx_find_space(p->token.text, p->token.length, &space))
        return parse_local(p, space);
    return ptx_parser_fail(p, "unknown directive '.%s'", ptx_token_text(p));
}

// A label is that of the statement behind it, of no later one.
static bool parse_statement(struct parser *p)
{
    if (is_label(p))
        return parse_label(p);
    bool done = parse_unlabelled(p);
    p->pending_label = NULL;
    return done;
}

static void *list_keep(struct arena *a, const void *items, size_t count, size_t size)
{
    void *kept = arena_alloc(a, count * size + 1);
    if (count)
        memcpy(kept, items, count * size);
    return kept;
}

// Parameters are visible in the body; old code declares them as registers.
static bool parameters_add(struct parser *p, const struct ptx_variable *v, int count,
                           enum symbol_kind kind)
{
    for (int i = 0; i < count; i++)
        if (!(v[i].space == PTX_SPACE_REGISTER ? register_add(p, v[i].name, &v[i])
                                               : ptx_scope_add(p, v[i].name, kind, (size_t)i)))
            return false;
    return true;
}

static bool names_resolve(struct parser *p, struct ptx_function *f);

bool ptx_parse_body(struct parser *p)
{
    struct ptx_function *f = p->f;
    p->scope = -1;
    p->depth = 0;
    p->registers.count = p->vectors.count = p->locals.count = p->instructions.count = 0;
    p->targets.count = p->prototypes.count = 0;
    p->source_file = -1;
    p->source_line = 0;
    p->inlined_line = 0;
    p->place = -1;
    for (size_t i = 0; i < p->scopes.count; i++)
        table_release(&p->scopes.items[i].names);
    p->scopes.count = 0;
    bool ok = scope_open(p) && parameters_add(p, f->params, f->param_count, SYMBOL_PARAM) &&
              parameters_add(p, f->results, f->result_count, SYMBOL_RESULT);
    while (ok && p->depth > 0) {
        if (p->token.kind == TOKEN_END)
            ok = ptx_parser_fail(p, "the text ends inside the function '%s'", f->name);
        else
            ok = ptx_token_is(p, '}') ? scope_close(p) : parse_statement(p);
    }
    f->register_count = (int)p->registers.count;
    f->registers = list_keep(p->a, p->registers.items, p->registers.count, sizeof *f->registers);
    f->variable_count = (int)p->locals.count;
    f->variables = list_keep(p->a, p->locals.items, p->locals.count, sizeof *f->variables);
    f->instruction_count = (int)p->instructions.count;
    f->instructions =
        list_keep(p->a, p->instructions.items, p->instructions.count, sizeof *f->instructions);
    f->branch_target_count = (int)p->targets.count;
    f->branch_targets =
        list_keep(p->a, p->targets.items, p->targets.count, sizeof *f->branch_targets);
    f->prototype_count = (int)p->prototypes.count;
    f->prototypes =
        list_keep(p->a, p->prototypes.items, p->prototypes.count, sizeof *f->prototypes);
    return ok && names_resolve(p, f);
}

/* ---- names ---------------------------------------------------------------------------------------------- */

// Names of the function itself, while its scopes are there.
static void operand_resolve_local(struct parser *p, struct ptx_function *f, struct ptx_operand *o)
{
    int index = -1;
    for (int i = 0; i < o->element_count; i++)
        operand_resolve_local(p, f, &o->elements[i]);
    if (!o->symbol)
        return;
    enum symbol_kind kind = ptx_scope_find(p, o->component, o->symbol, &index);
    o->component = -1;
    if (kind == SYMBOL_VARIABLE)
        o->variable = &f->variables[index];
    else if (kind == SYMBOL_PARAM)
        o->variable = &f->params[index];
    else if (kind == SYMBOL_RESULT)
        o->variable = &f->results[index];
    else if (kind == SYMBOL_LABEL) {
        o->kind = PTX_OPERAND_LABEL;
        o->target = index;
    }
}

static bool names_resolve(struct parser *p, struct ptx_function *f)
{
    for (int i = 0; i < f->instruction_count; i++)
        for (int k = 0; k < f->instructions[i].operand_count; k++)
            operand_resolve_local(p, f, &f->instructions[i].operands[k]);
    for (int i = 0; i < f->branch_target_count; i++)
        for (int k = 0; k < f->branch_targets[i].count; k++) {
            int index = -1;
            // A target of .calltargets is a function; only labels are looked for here.
            bool label =
                ptx_scope_find(p, 0, f->branch_targets[i].names[k], &index) == SYMBOL_LABEL;
            f->branch_targets[i].targets[k] = label ? index : -1;
        }
    return true;
}

static bool operand_resolve(struct parser *p, const struct ptx_instruction *in,
                            struct ptx_operand *o)
{
    for (int i = 0; i < o->element_count; i++)
        if (!operand_resolve(p, in, &o->elements[i]))
            return false;
    if (!o->symbol || o->variable || o->kind == PTX_OPERAND_LABEL)
        return true;
    o->variable = ptx_variable_find(p->module, o->symbol);
    if (!o->variable)
        o->function = ptx_function_find(p->module, o->symbol);
    if (o->variable || o->function)
        return true;
    struct location at = {p->module->name, in->line, in->column, p->module->text};
    bool branch = in->opcode == PTX_OP_BRA || in->opcode == PTX_OP_BRX;
    return fail(p->err, at, "%s '%s' is not %s", branch ? "the label" : "the symbol", o->symbol,
                branch ? "in this function" : "declared");
}

// A load or store that states no space but names a variable of shared or local memory: it is in that one,
// as ptxas reads it.
static void space_infer(struct ptx_instruction *in)
{
    if ((in->opcode != PTX_OP_LD && in->opcode != PTX_OP_ST) || in->space_count > 0)
        return;
    for (int k = 0; k < in->operand_count; k++) {
        const struct ptx_operand *o = &in->operands[k];
        if (o->kind == PTX_OPERAND_ADDRESS && o->reg < 0 && o->variable != NULL &&
            (o->variable->space == PTX_SPACE_SHARED || o->variable->space == PTX_SPACE_LOCAL)) {
            in->spaces[0] = o->variable->space;
            in->space_count = 1;
            return;
        }
    }
}

// Names of module scope, once all of it has been read.
bool ptx_resolve_function(struct parser *p, struct ptx_function *f)
{
    for (int i = 0; i < f->instruction_count; i++)
        for (int k = 0; k < f->instructions[i].operand_count; k++)
            if (!operand_resolve(p, &f->instructions[i], &f->instructions[i].operands[k]))
                return false;
    for (int i = 0; i < f->instruction_count; i++)
        space_infer(&f->instructions[i]);
    return true;
}
