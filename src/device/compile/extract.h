// extract: of a source with host code, what the device needs, for compilers that take no host code (NVRTC, clang
// without a toolkit). As CUDA C++ has it, what is marked neither __global__ nor __device__ is the host's;
// types, aliases, constants and constexpr functions stay where device code names them. What goes is blanked
// where it stands, so that lines stay the user's.
//   declare.c   tokens (base/tokens.h) -> one declaration after the other, with what it is and what it names
//   extract.c   which of them are kept; the texts with the rest blanked
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_COMPILE_EXTRACT_H
#define RIDGE_DEVICE_COMPILE_EXTRACT_H

#include "base/tokens.h"
#include "device/internal.h"

enum declaration_kind {
    DECLARATION_FUNCTION,
    DECLARATION_TYPE, // class, struct, union, enum
    DECLARATION_ALIAS,
    DECLARATION_VARIABLE,
    DECLARATION_NAMESPACE_USED, // using namespace
    DECLARATION_OTHER           // static_assert
};
struct declaration {
    enum declaration_kind kind;
    size_t first, last;           // tokens, the last one is past the end
    size_t name;                  // token, or SIZE_MAX
    size_t body_first, body_last; // between a type's braces; equal = none
    bool has_body;                // a function's
    bool device;   // __global__, __device__, __constant__, … stands outside of its body
    bool constant; // const or constexpr
    bool computed; // constexpr, consteval
    bool
        stays; // a member that a type's layout or meaning may rest on: virtual, = default, = delete
    bool enumeration, is_operator;
};
// Macros of the files: what a word of theirs may stand for.
struct macro {
    const struct macro *before; // of the same name, in another branch of an #if say, or NULL
    const char *text;           // what it stands for
    size_t size_bytes;
    bool device;          // with a device mark in it
    bool takes_arguments; // NAME(...)
    bool declares;        // ends what it declares itself: NAME(float) needs no ;
};
// The namespace or extern "C" that begins at token i.
struct entered {
    size_t name;  // of a namespace; the brace where it has none
    size_t brace; // it is entered behind that; `end` = there is none
};
struct entered scope_read(const struct token_list *t, size_t i, size_t end);
// The declaration that begins at token i (no directive), of a namespace or of a class.
struct declaration declaration_read(const struct token_list *t, size_t i, size_t end,
                                    const struct table *macros);
// Its first token behind template<…>.
size_t declaration_head(const struct token_list *t, const struct declaration *d);
// Each word that the declaration may introduce.
void declaration_names(const struct token_list *t, const struct declaration *d,
                       void (*each)(void *context, size_t token), void *context);
bool is_device_mark(const char *word, size_t length);

struct device_side { // of each file of the source, in its order; arena-owned
    const char **texts;
    const char *const *names; // what the texts are called
    size_t count;
    const char *left_out; // "main (k.cu:40), run (k.cu:12) and 3 more", or ""
};
// names: what the files' texts are called in the #include lines of the others. wanted: kernels, variables, instances
// that are asked for by name; only: nothing else of the device is kept either.
void extract_device_side(struct arena *a, const struct source *source, const char *const *names,
                         const char *const *wanted, int wanted_count, bool only,
                         struct device_side *out);

#endif
