// What the makers of patches share: the kernel found in its source, its loops and parameters, the list of edits.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_ADVISE_INTERNAL_H
#define RIDGE_ADVISE_INTERNAL_H

#include "advise/advise.h"
#include "base/tokens.h"

/* ---- source.c: places in a source, as indices of its tokens -------------------------------------- */

struct span { // tokens; last is past the end
    size_t first, last;
};
struct kernel { // a definition
    size_t name;
    struct span parameters; // between the parentheses
    struct span body;       // between the braces
};
struct loop {  // for (first; condition; step) body
    size_t at; // of `for`
    struct span first, condition, step;
    struct span body; // between the braces, or the statement with its semicolon
    bool braced;
};
struct parameter {
    struct span type; // without the name
    size_t name;
    bool pointer;
};
enum { PARAMETERS_MAX = 32 };

// The one definition of the kernel; false with the reason where there is none, or several, or conditions of the
// preprocessor stand in it.
bool definition_find(const struct token_list *t, const char *name, struct kernel *out,
                     const char **why);
// Its parameters; -1 where one is not understood.
int kernel_parameters(const struct token_list *t, const struct kernel *k,
                      struct parameter out[PARAMETERS_MAX]);
int token_line(const struct token_list *t, size_t i); // from 1
bool token_same(const struct token_list *t, size_t i, size_t j);
char *token_text(struct arena *a, const struct token_list *t, size_t i);
char *span_text(struct arena *a, const struct token_list *t, struct span s);
// Two marks side by side: "+=", "++".
bool token_pair(const struct token_list *t, size_t i, const char *two);
// Is what ends at the token assigned by what follows it: "x =", "x +=", "x++", "x <<="?
bool word_is_assigned(const struct token_list *t, size_t i);
// Is the word assigned, stepped or its address taken within?
bool word_changes(const struct token_list *t, struct span in, size_t word);
bool word_within(const struct token_list *t, struct span in, size_t word);
// Does a macro's text have the word, so that the source does not show all its uses?
bool word_in_macro(const struct token_list *t, size_t word);
// The innermost loop around the line; false: none is understood.
bool loop_around(const struct token_list *t, struct span in, int line, struct loop *out);
bool loop_read(const struct token_list *t, size_t at, size_t end, struct loop *out);
// Calls, assignments and steps: it may not be evaluated again, or elsewhere.
bool span_is_plain(const struct token_list *t, struct span s);

/* ---- edits.c ---------------------------------------------------------------------------------------- */

struct edit { // bytes begin to end become `with`
    size_t begin, end;
    const char *with;
};
struct edit_list {
    struct edit *items; // malloc'ed
    size_t count, capacity;
};
void edit_add(struct edit_list *l, size_t begin, size_t end, const char *with);
// Applied in the order of their places. NULL where two overlap.
char *edits_apply(struct arena *a, const char *text, size_t size_bytes, struct edit_list *l);
// Unified, with three lines around each change.
char *edits_diff(struct arena *a, const char *before, const char *after, const char *name_before,
                 const char *name_after);

/* ---- makers -------------------------------------------------------------------------------------------- */

struct making {
    struct arena *a;
    const struct variant_spec *variant;
    const struct yaml_node *item; // of the variant, in the file
    const struct yaml_node
        *launch; // what has kernel, grid, block and args: the item, or one of its launches
    const struct launch_spec *spec; // the same, read
    const struct finding *finding;
    const struct result *result; // that it is of
    const struct token_list *t;
    struct kernel kernel;
    struct edit_list edits;
    struct patch *out;
};
// Always false.
bool refuse(struct making *m, const char *fmt, ...) PRINTF_LIKE(2, 3);
// Always true: says what was made.
bool made(struct making *m, const char *title, const char *why);
void edit_before(struct making *m, size_t token, const char *with);
void edit_after(struct making *m, size_t token, const char *with);
void edit_token(struct making *m, size_t token, const char *with);
void key_set(struct making *m, const char *name, const char *value);
// Grid or block as texts of their dimensions; how many there are, 0: not understood.
int launch_dimensions(const struct making *m, const char *key, const char *out[3]);

#define PATCH(maker, name, causes, intervention, promise, fix, meaning) \
    bool patch_##maker(struct making *m);
#include "advise/patches.def"
#undef PATCH

/* ---- variant.c: items of an experiment file as text ------------------------------------------------- */

// The file with one more variant, a copy of `of` with these keys in place of its own. NULL with *why where the file is
// not written a key per line.
char *variant_insert(struct arena *a, const char *text, const struct yaml_node *root,
                     const struct yaml_node *of, const char *name, const struct patch_key *keys,
                     int key_count, const char **why);
char *yaml_quoted(struct arena *a, const char *s);

#endif
