// The PTX of a variant's kernels by the user's lines, for `ridge annotate` and the page.
// SPDX-License-Identifier: Apache-2.0
#include "loop/stage.h"

#include "ptx/ptx.h"

#include <string.h>

enum { LISTING_BYTES_MAX = 1 << 20 };

static void add_function(struct loop *l, const struct ptx_module *m, const struct ptx_function *f,
                         const char **last_file, struct text *out)
{
    struct text words = {0};
    for (int i = 0; i < f->instruction_count && out->length < LISTING_BYTES_MAX; i++) {
        const char *file = NULL;
        int line = 0;
        ptx_user_place(m, &f->instructions[i], &file, &line);
        text_clear(&words);
        ptx_print_instruction(f, &f->instructions[i], &words);
        listing_add(out, last_file, stage_file(l, file), line, text_str(&words));
    }
    text_release(&words);
}

static bool is_launched(const struct resolved_variant *v, const struct code_object *code,
                        const struct ptx_function *f)
{
    for (int i = 0; i < v->launch_count; i++) {
        const struct code_kernel *k = launch_kernel(code, &v->launches[i]);
        if (k && strcmp(k->name, f->name) == 0)
            return true;
    }
    return false;
}

const char *stage_listing(struct loop *l, struct stage *s, int variant)
{
    const struct code_object *code = &s->code[variant];
    struct arena a = {0};
    struct error ignored = {0};
    struct ptx_module *m = NULL;
    struct text out = {0};
    const char *last_file = NULL;
    if (code->format == CODE_PTX && code->bytes &&
        ptx_parse(&a, code->source, code->bytes, code->size_bytes, &m, &ignored) &&
        m->place_count > 0) // else its lines are those of the PTX, which is shown
        for (int i = 0; i < m->function_count; i++)
            if (m->functions[i].has_body &&
                (!m->functions[i].is_entry ||
                 is_launched(&s->variants[variant], code, &m->functions[i])))
                add_function(l, m, &m->functions[i], &last_file, &out);
    const char *listing = out.length > 0 ? arena_strdup(l->arena, text_str(&out)) : NULL;
    text_release(&out);
    arena_release(&a);
    return listing;
}
