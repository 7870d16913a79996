// What the parts of the PTX front end share: tokens, and the tables' look-ups by name.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_PTX_INTERNAL_H
#define RIDGE_PTX_INTERNAL_H

#include "ptx/ptx.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,    // identifier, %register, $label
    TOKEN_DOT,     // .word, the text without the dot
    TOKEN_INTEGER, // bits
    TOKEN_FLOAT,   // bits, float_type F32 or F64
    TOKEN_STRING,
    TOKEN_PUNCTUATION, // one character
};
struct token {
    enum token_kind kind;
    const char *text; // into the source
    size_t length;
    uint64_t bits;
    enum ptx_type float_type;
    int line, column;
};
struct lexer {
    const char *name, *text, *at, *end, *line_start;
    int line;
};
bool ptx_lexer_next(struct lexer *x, struct token *t, struct error *err) CHECK_RESULT;
struct location ptx_lexer_location(const struct lexer *x, const struct token *t);

bool ptx_find_opcode(const char *s, size_t n, enum ptx_opcode *out);
bool ptx_find_modifier(const char *s, size_t n, enum ptx_modifier *out);
bool ptx_find_type(const char *s, size_t n, enum ptx_type *out);
bool ptx_find_space(const char *s, size_t n, enum ptx_space *out);
bool ptx_find_special(const char *s, size_t n, enum ptx_special *out);

const char *ptx_opcode_operands(enum ptx_opcode op); // the signature; operands.c reads it
int ptx_special_components(enum ptx_special s);      // 3: it needs .x .y .z

bool ptx_build_graph(struct arena *a, struct ptx_function *f);

#endif
