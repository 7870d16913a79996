// What a variant does on a case, as a hash: its code without places in the source, its launches, the buffers
// and the reference. Two that are equal need not both be run.
// SPDX-License-Identifier: Apache-2.0
#include "loop/job.h"

#include <stdlib.h>
#include <string.h>

enum { REFERENCE_BYTES_MAX = 4 << 20 };

// A row of PTX that says where, not what: line information, comments.
static bool is_place(const char *row)
{
    return str_starts_with(row, ".loc") || str_starts_with(row, ".file") ||
           str_starts_with(row, "//") || *row == '\0';
}

// Debug sections, from ".section" to the brace that closes it, are places too.
static void add_ptx(const struct code_object *code, struct text *out)
{
    bool section = false;
    char *copy = xcalloc(code->size_bytes + 1, 1), *rest = NULL;
    memcpy(copy, code->bytes, code->size_bytes);
    for (char *row = strtok_r(copy, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
        row += strspn(row, " \t");
        size_t length = strlen(row);
        while (length > 0 && strchr(" \t\r", row[length - 1]))
            row[--length] = '\0';
        section = section || str_starts_with(row, ".section");
        if (!section && !is_place(row))
            text_printf(out, "%s\n", row);
        section = section && strcmp(row, "}") != 0;
    }
    free(copy);
}

static void add_launch(const struct experiment *e, const struct resolved_launch *l,
                       struct text *out)
{
    text_printf(out, "launch %d %s %u %u %u, %u %u %u, %u %u %u, %u, %d\n", (int)l->kind,
                l->kernel ? l->kernel : "", l->grid[0], l->grid[1], l->grid[2], l->block[0],
                l->block[1], l->block[2], l->cluster[0], l->cluster[1], l->cluster[2],
                l->shared_bytes, l->zero_buffer);
    if (l->kind == LAUNCH_COPY)
        text_printf(out, "copy %d %d %llu %llu\n", l->copy.from, l->copy.to,
                    (unsigned long long)l->copy.offset_bytes,
                    (unsigned long long)l->copy.size_bytes);
    if (l->stream > 0 || l->after != 0)
        text_printf(out, "stream %d %u\n", l->stream, l->after);
    if (l->persist_bytes > 0)
        text_printf(out, "persist %d %llu\n", l->persist_buffer,
                    (unsigned long long)l->persist_bytes);
    for (int i = 0; i < l->arg_count; i++) {
        const struct resolved_argument *x = &l->args[i];
        text_printf(out, "arg %d %d %d %llu ", (int)x->kind, x->buffer, (int)x->type,
                    (unsigned long long)x->inside_bytes);
        if (x->kind == ARGUMENT_SCALAR)
            text_addn(out, (const char *)x->value, sizeof x->value);
        if (x->tensor)
            text_addn(out, (const char *)x->tensor, sizeof *x->tensor);
        if (x->texture)
            text_addn(out, (const char *)x->texture, sizeof *x->texture);
    }
    for (int i = 0; i < l->set_count; i++)
        text_printf(out, "set %s %s\n", l->sets[i].variable, e->buffers[l->sets[i].buffer].name);
}

static void add_data(const struct experiment *e, const struct resolved_case *c, struct text *out)
{
    for (int i = 0; i < c->buffer_count; i++) {
        const struct buffer_spec *b = &e->buffers[i];
        text_printf(out, "buffer %s %d %llu %s %d %.17g %.17g\n", b->name, (int)b->type,
                    (unsigned long long)c->buffers[i].size_bytes, b->fill_text ? b->fill_text : "",
                    (int)b->output, b->tolerance_rel, b->tolerance_abs);
    }
    char *text = NULL;
    size_t size = 0;
    struct error ignored = {0};
    const struct reference_spec *r = &e->reference;
    if (!r->source || !file_read(r->source, REFERENCE_BYTES_MAX, &text, &size, &ignored))
        return;
    text_printf(out, "reference %s\n", r->function);
    text_addn(out, text, size);
    free(text);
}

void work_hash(const struct experiment *e, const struct resolved_case *c,
               const struct resolved_variant *v, const struct code_object *code, char out[33])
{
    struct text all = {0};
    out[0] = '\0';
    if (!code->bytes || variant_has(v->spec, LAUNCH_LIBRARY))
        return;
    text_printf(&all, "%s\n", code_format_name(code->format));
    if (code->format == CODE_PTX)
        add_ptx(code, &all);
    else
        text_addn(&all, code->bytes, code->size_bytes);
    for (int i = 0; v->spec->memory && i < e->buffer_count; i++)
        text_printf(&all, "%s ", buffer_memory_name(v->spec->memory[i]));
    for (int i = 0; i < v->launch_count; i++)
        add_launch(e, &v->launches[i], &all);
    add_data(e, c, &all);
    const struct hash_piece piece = {text_str(&all), all.length};
    hash_hex(&piece, 1, out);
    text_release(&all);
}
