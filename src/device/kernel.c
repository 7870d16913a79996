// Kernels of a module by the name the user writes, and their arguments checked against the code's
// parameters: the same for simulated and real devices.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_LISTED = 12, TARGET_ADDRESS_BYTES = 8 };

// The plain name of an entry: of "_Z5naivePfPKfi" (C++'s mangling: length, then name) "naive".
static const char *plain_name(struct arena *a, const char *name)
{
    if (!str_starts_with(name, "_Z") || !isdigit((unsigned char)name[2]))
        return name;
    char *end = NULL;
    unsigned long length = strtoul(name + 2, &end, 10);
    return length > 0 && length <= strlen(end) ? arena_strndup(a, end, length) : name;
}

static void fail_no_kernel(struct arena *a, const struct ptx_module *ptx, const char *source,
                           const char *wanted, struct location at, struct error *err)
{
    const char **names = ARENA_ARRAY(a, const char *, ptx->function_count + 1);
    size_t count = 0;
    struct text list = {0};
    for (int i = 0; i < ptx->function_count; i++) {
        const struct ptx_function *f = &ptx->functions[i];
        if (!f->is_entry || !f->has_body)
            continue;
        names[count] = plain_name(a, f->name);
        if (count < KERNELS_LISTED)
            text_printf(&list, "%s%s", count > 0 ? ", " : "", names[count]);
        count++;
    }
    if (count > KERNELS_LISTED)
        text_add(&list, ", ...");
    const char *near = str_nearest(wanted, names, count);
    fail(err, at, "%s has no kernel '%s'%s%s%s; it has: %s", source, wanted,
         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
         count > 0 ? text_str(&list)
                   : "none (a __global__ function template must be instantiated explicitly)");
    text_release(&list);
}

const struct ptx_function *kernel_find(struct arena *a, const struct ptx_module *ptx,
                                       const char *source, const char *wanted, struct location at,
                                       struct error *err)
{
    const struct ptx_function *found = NULL;
    for (int i = 0; i < ptx->function_count; i++) {
        const struct ptx_function *f = &ptx->functions[i];
        if (!f->is_entry || !f->has_body)
            continue;
        if (strcmp(f->name, wanted) == 0)
            return f;
        if (strcmp(plain_name(a, f->name), wanted) != 0)
            continue;
        if (found) {
            (void)fail(err, at,
                       "%s has several kernels '%s' (%s, %s, ...); write the full name of one, or "
                       "extern \"C\" before it",
                       source, wanted, found->name, f->name);
            return NULL;
        }
        found = f;
    }
    if (!found)
        fail_no_kernel(a, ptx, source, wanted, at, err);
    return found;
}

bool kernel_args(struct arena *a, const struct resolved_launch *l, const struct ptx_function *f,
                 const uint64_t *addresses, const void *const **out, struct error *err)
{
    if (l->arg_count != f->param_count)
        return fail(err, l->at, "kernel '%s' takes %d arguments, this launch gives %d", l->kernel,
                    f->param_count, l->arg_count);
    const void **args = ARENA_ARRAY(a, const void *, l->arg_count + 1);
    for (int i = 0; i < l->arg_count; i++) {
        const struct resolved_argument *given = &l->args[i];
        bool is_buffer = given->kind == ARGUMENT_BUFFER;
        size_t size = is_buffer ? TARGET_ADDRESS_BYTES : element_bytes(given->type);
        if (size != f->params[i].size_bytes)
            return fail(err, l->at,
                        "argument %d of kernel '%s' has %" PRIu64
                        " bytes in the kernel, but %zu here (%s)%s",
                        i + 1, l->kernel, f->params[i].size_bytes, size,
                        is_buffer ? "a buffer" : element_name(given->type),
                        is_buffer ? "" : "; write its type: {value: …, type: i64}");
        args[i] = is_buffer ? (const void *)&addresses[given->buffer] : given->value;
    }
    *out = args;
    return true;
}
