// What a code object holds: its kernels, with parameters read from the code and needs that the machine
// code's compiler reported.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <string.h>

const char *code_format_name(enum code_format f)
{
    switch (f) {
    case CODE_PTX:
        return "ptx";
    case CODE_CUBIN:
        return "cubin";
    case CODE_HSACO:
        return "hsaco";
    case CODE_LIBRARY:
        return "library";
    case CODE_OPENCL:
        return "opencl";
    }
    return NULL;
}

const char *code_name(struct arena *a, const struct code_object *code)
{
    return str_starts_with(code->compiler, "none")
               ? code->source
               : arena_printf(a, "%s of %s by %s",
                              code->format == CODE_PTX ? "PTX" : code_format_name(code->format),
                              code->source, code->compiler);
}

static void list_parameters(struct arena *a, const struct ptx_function *f, struct code_kernel *out)
{
    out->parameters = ARENA_ARRAY(a, struct code_parameter, f->param_count + 1);
    out->parameter_count = f->param_count;
    for (int i = 0; i < f->param_count; i++) {
        const struct ptx_variable *p = &f->params[i];
        out->parameters[i] = (struct code_parameter){.offset = p->param_offset_bytes,
                                                     .size_bytes = p->size_bytes,
                                                     .align_bytes = (uint64_t)p->align_bytes,
                                                     .type = ptx_type_name(p->type)};
    }
}

// The line of the user's own that an instruction came from: calls that were inlined are followed outward.
static void place_of(struct arena *a, const struct ptx_module *m, const struct ptx_instruction *in,
                     const char **file, int *line)
{
    int place = in->place, from = in->source_file;
    *line = in->source_line;
    while (place >= 0 && m->places[place].caller >= 0)
        place = m->places[place].caller;
    if (place >= 0) {
        from = m->places[place].file;
        *line = m->places[place].line;
    }
    bool known = from >= 0 && from < m->file_count && m->files[from];
    *file = known ? shorten_paths(a, m->files[from]) : NULL;
    *line = known ? *line : 0;
}

static void list_traits(struct arena *a, const struct ptx_module *m, const struct ptx_function *f,
                        struct code_kernel *out)
{
    struct ptx_traits t = ptx_traits_of(m, f);
    out->waits = t.waits_at != NULL;
    if (t.least == PTX_TYPE_NONE)
        return;
    out->least = ptx_type_name(t.least);
    out->least_bits = ptx_significant_bits(t.least);
    out->most_bits = ptx_significant_bits(t.most);
    place_of(a, m, t.least_at, &out->least_file, &out->least_line);
}

void code_list_kernels(struct arena *a, struct code_object *code)
{
    struct arena parsing = {0};
    struct ptx_module *ptx = NULL;
    struct error unknown = {0}; // the driver may know PTX that we do not; who runs it here says so
    if (code->format == CODE_HSACO) {
        code->kernels_listed = hsaco_list_kernels(a, code);
        return;
    }
    code->kernels_listed =
        code->format == CODE_PTX &&
        ptx_parse(&parsing, code->source, code->bytes, code->size_bytes, &ptx, &unknown);
    for (int i = 0; i < code->kernel_count; i++)
        code->kernels[i].parameter_count = CODE_UNKNOWN;
    if (code->kernels_listed) {
        struct code_kernel *list = ARENA_ARRAY(a, struct code_kernel, ptx->function_count + 1);
        int count = 0;
        for (int i = 0; i < ptx->function_count; i++) {
            const struct ptx_function *f = &ptx->functions[i];
            if (!f->is_entry || !f->has_body)
                continue;
            struct code_kernel k = {.registers = CODE_UNKNOWN,
                                    .shared_bytes = CODE_UNKNOWN,
                                    .spill_bytes = CODE_UNKNOWN};
            for (int n = 0; n < code->kernel_count; n++)
                if (strcmp(code->kernels[n].name, f->name) == 0)
                    k = code->kernels[n];
            k.name = arena_strdup(a, f->name);
            list_parameters(a, f, &k);
            list_traits(a, ptx, f, &k);
            list[count++] = k;
        }
        code->kernels = list;
        code->kernel_count = count;
    }
    arena_release(&parsing);
}

void code_copy_kernels(struct arena *a, const struct code_object *code, struct code_kernel **out,
                       int *count)
{
    *count = code->kernel_count;
    *out = ARENA_ARRAY(a, struct code_kernel, code->kernel_count + 1);
    for (int i = 0; i < code->kernel_count; i++) {
        struct code_kernel *k = &(*out)[i];
        *k = code->kernels[i];
        k->name = arena_strdup(a, k->name);
        if (k->line_count > 0)
            memcpy(k->lines = ARENA_ARRAY(a, struct code_line, k->line_count),
                   code->kernels[i].lines, (size_t)k->line_count * sizeof *k->lines);
        k->least_file = k->least_file ? arena_strdup(a, k->least_file) : NULL;
        if (k->parameter_count <= 0)
            continue;
        size_t n = (size_t)k->parameter_count;
        k->parameters = ARENA_ARRAY(a, struct code_parameter, n);
        memcpy(k->parameters, code->kernels[i].parameters, n * sizeof *k->parameters);
    }
}
