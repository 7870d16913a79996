// The PTX of a variant's kernels by the user's lines, and their machine code where a toolkit's disassembler is installed, for
// `ridge annotate` and the page.
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
                        const char *name)
{
    for (int i = 0; i < v->launch_count; i++) {
        const struct code_kernel *k = launch_kernel(code, &v->launches[i]);
        if (k && strcmp(k->name, name) == 0)
            return true;
    }
    return false;
}

static bool is_kernel(const struct code_object *code, const char *name)
{
    for (int i = 0; i < code->kernel_count; i++)
        if (strcmp(code->kernels[i].name, name) == 0)
            return true;
    return false;
}

/* ---- machine code -------------------------------------------------------------------------------------- */

struct machine_listing {
    struct loop *loop;
    const struct resolved_variant *variant;
    const struct code_object *code;
    struct text rows;
    const char *last_file;
};

// Of kernels that are not launched nothing is kept.
static bool add_machine(void *context, const char *function, const char *file, int line,
                        const char *text)
{
    struct machine_listing *m = context;
    if (m->rows.length >= LISTING_BYTES_MAX ||
        (is_kernel(m->code, function) && !is_launched(m->variant, m->code, function)))
        return false;
    listing_add(&m->rows, &m->last_file, stage_file(m->loop, file), line, text);
    return true;
}

static void add_disassembly(struct loop *l, struct stage *s, int variant, struct text *out)
{
    struct arena a = {0};
    const char *arch = l->device->gpu ? l->device->gpu->arch : NULL, *last_file = NULL;
    struct machine_listing m = {
        .loop = l, .variant = &s->variants[variant], .code = &s->code[variant]};
    const struct code_disassembly to = {add_machine, &m};
    const char *why =
        code_disassemble(&a, &s->code[variant], arch ? arch : s->code[variant].arch, &to);
    listing_begin_machine(out, &last_file, why);
    if (!why)
        text_add(out, text_str(&m.rows));
    text_release(&m.rows);
    arena_release(&a);
}

/* ---- both ------------------------------------------------------------------------------------------------ */

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
                 is_launched(&s->variants[variant], code, m->functions[i].name)))
                add_function(l, m, &m->functions[i], &last_file, &out);
    if (out.length > 0 || code->format == CODE_CUBIN)
        add_disassembly(l, s, variant, &out);
    const char *listing = out.length > 0 ? arena_strdup(l->arena, text_str(&out)) : NULL;
    text_release(&out);
    arena_release(&a);
    return listing;
}
