// The parser's state: one token of look-ahead, the module's lists, the function being parsed with
// its nested scopes. parser.c reads module and declarations, parse_code.c reads instructions.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_PTX_PARSER_H
#define RIDGE_PTX_PARSER_H

#include "ptx/internal.h"

enum symbol_kind {
    SYMBOL_NONE,
    SYMBOL_REGISTER,
    SYMBOL_REGISTERS, // a vector: index into `vectors`
    SYMBOL_VARIABLE,
    SYMBOL_PARAM,
    SYMBOL_RESULT,
    SYMBOL_LABEL
};
struct scope {
    int parent;         // -1: the function's own
    struct table names; // name -> symbol: kind << 32 | index + 1
};
enum {
    SCOPES_NESTED_MAX = 256,
    REGISTERS_MAX = 1 << 20,
    OPERAND_DEPTH_MAX = 4,
    INITIAL_BYTES_MAX = 1 << 28,
    THREAD_BYTES_MAX = 512 * 1024, // of a .local or .param variable
    LOCALS_BYTES_MAX = 1 << 28,    // of all those of a function
};

#define LIST(type)              \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

struct register_vector { // .reg .v2, .v4: registers one after the other
    int first, count;
};

struct parser {
    struct arena *a;
    struct lexer lexer;
    struct token token; // the next one
    struct error *err;
    struct ptx_module *module;
    LIST(struct ptx_variable) variables;
    LIST(struct ptx_function) functions;
    struct table module_names; // variable: index + 1; function: name only is enough
    // the function at hand
    struct ptx_function *f;
    LIST(struct scope) scopes;
    int scope, depth;
    LIST(struct ptx_register) registers;
    LIST(struct register_vector) vectors;
    LIST(struct ptx_variable) locals;
    LIST(struct ptx_instruction) instructions;
    LIST(struct ptx_branch_targets) targets;
    LIST(struct ptx_prototype) prototypes;
    bool nounroll;             // before the next instruction
    const char *pending_label; // for .branchtargets and .callprototype
    int source_file, source_line, inlined_file, inlined_line, place;
    LIST(struct ptx_place) places;
    struct table place_names; // "file:line:column" to the newest place there, plus one
};

bool ptx_parser_advance(struct parser *p);
bool ptx_parser_fail(struct parser *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
bool ptx_token_is(const struct parser *p, char c);
bool ptx_token_is_dot(const struct parser *p, const char *word);
bool ptx_parser_expect(struct parser *p, char c);
char *ptx_token_text(struct parser *p);
bool ptx_parser_name(struct parser *p, const char **out, const char *what);
bool ptx_parser_integer(struct parser *p, int64_t *out);
bool ptx_parse_variable(struct parser *p, enum ptx_space space, const struct ptx_variable *like,
                        struct ptx_variable *v);
bool ptx_parse_parameters(struct parser *p, struct ptx_variable **out, int *count);
bool ptx_scope_add(struct parser *p, const char *name, enum symbol_kind kind, size_t index);
enum symbol_kind ptx_scope_find(const struct parser *p, int scope, const char *name, int *index);
bool ptx_parse_body(struct parser *p);
bool ptx_resolve_function(struct parser *p, struct ptx_function *f);
bool ptx_check_operands(struct parser *p, struct ptx_function *f); // operands.c

#endif
