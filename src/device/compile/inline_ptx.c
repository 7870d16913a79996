// Inline PTX of a source that is compiled for another vendor's chip: each asm statement becomes a call that ends the kernel when
// it is reached (ridge_inline_ptx of assets/amd_min.h), so that the kernels without any compile and run. Lines stay where they
// are. Inline assembly of AMD's own, and what stands in a macro, is left; an empty statement with PTX's operands, which only holds
// the compiler, holds it without them.
// SPDX-License-Identifier: Apache-2.0
#include "base/tokens.h"
#include "device/internal.h"

#include <string.h>

// Of the first string of the statement, after its quote. AMD's instructions begin with the unit's name, PTX has none of these.
static bool is_of_amd(const char *text, size_t size_bytes)
{
    static const char *const units[] = {"s_",      "v_",       "ds_",      "global_", "flat_",
                                        "buffer_", "scratch_", "tbuffer_", "image_",  ";"};
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (size_bytes >= strlen(units[i]) && memcmp(text, units[i], strlen(units[i])) == 0)
            return true;
    return false;
}

// Constraints of AMD's registers (v, s, a), or no operands at all: nothing that only PTX has.
static bool has_amd_operands(const struct token_list *t, size_t first, size_t close)
{
    bool operands = false;
    for (size_t i = first + 1; i < close; i++) {
        const struct token *o = &t->items[i];
        operands |= o->kind == TOKEN_WORD || token_is(t, i, '(');
        if (o->kind == TOKEN_STRING && o->end - o->begin >= 3 &&
            strchr("vsa", t->text[o->end - 2]) && token_is(t, i + 1, '('))
            return true;
    }
    return !operands;
}

// What stands for the statement whose first token within the parentheses is `first`; NULL: it stays.
static const char *replacement(const struct token_list *t, size_t first, size_t close)
{
    static const char call[] = "ridge_inline_ptx()";
    const struct token *o = &t->items[first];
    if (o->kind != TOKEN_STRING)
        return call;
    size_t at = o->begin + 1; // after the quote
    while (at < o->end && strchr(" \t", t->text[at]))
        at++;
    if (at < o->end && t->text[at] != '"')
        return is_of_amd(t->text + at, o->end - at) ? NULL : call;
    if (t->items[first + 1].kind == TOKEN_STRING) // goes on in the next line
        return call;
    return has_amd_operands(t, first, close) ? NULL : "asm volatile(\"\" ::: \"memory\")";
}

// The opening parenthesis of the asm statement that starts at i; 0: none does.
static size_t opening_of(const struct token_list *t, size_t i)
{
    if (!token_is_word(t, i, "asm") && !token_is_word(t, i, "__asm__") &&
        !token_is_word(t, i, "__asm"))
        return 0;
    i++;
    while (token_is_word(t, i, "volatile") || token_is_word(t, i, "__volatile__"))
        i++;
    return token_is(t, i, '(') ? i : 0;
}

const char *inline_ptx_replace(struct arena *a, const char *text, size_t size_bytes)
{
    struct token_list t = {0};
    struct text out = {0};
    size_t copied = 0;
    tokens_read(text, size_bytes, &t);
    for (size_t i = 0; i < t.count; i++) {
        size_t open = opening_of(&t, i), close = open ? token_closing(&t, open, t.count) : t.count;
        if (close >= t.count)
            continue;
        const char *instead = replacement(&t, open + 1, close);
        if (!instead)
            continue;
        text_addn(&out, text + copied, t.items[i].begin - copied);
        text_add(&out, instead);
        copied = t.items[close].end;
        for (size_t at = t.items[i].begin; at < copied; at++)
            if (text[at] == '\n')
                text_add(&out, "\n");
        i = close;
    }
    const char *result = NULL;
    if (copied > 0) {
        text_addn(&out, text + copied, size_bytes - copied);
        result = arena_strndup(a, text_str(&out), out.length);
    }
    text_release(&out);
    tokens_release(&t);
    return result;
}
