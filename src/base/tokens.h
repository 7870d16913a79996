// tokens: C++ text as words, numbers, strings, single marks, and each preprocessor's line as one: as far as finding
// declarations and rewriting expressions needs it. Comments and spliced lines are blanks. The list refers to the text.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BASE_TOKENS_H
#define RIDGE_BASE_TOKENS_H

#include "base/base.h"

enum token_kind { TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_MARK, TOKEN_DIRECTIVE };
struct token {
    enum token_kind kind;
    size_t begin, end; // bytes of the text
};
struct token_list {
    const char *text;
    struct token *items; // malloc'ed
    size_t count, capacity;
};
// What is behind `#if 0` is passed over.
void tokens_read(const char *text, size_t size_bytes, struct token_list *out);
void tokens_release(struct token_list *t);

static inline bool token_is(const struct token_list *t, size_t i, char mark)
{
    return i < t->count && t->items[i].kind == TOKEN_MARK && t->text[t->items[i].begin] == mark;
}
bool token_is_word(const struct token_list *t, size_t i, const char *word);
// The first that is no directive, from i on.
size_t token_skip(const struct token_list *t, size_t i);
// The closing token of the opening one at i, or `end`; where branches of an #if each open it, once.
size_t token_closing(const struct token_list *t, size_t i, size_t end);
// "include" of `#include <x>`, its length; *after = what follows the word.
size_t directive_word(const char *line, const char **after);

#endif
