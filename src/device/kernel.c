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

static void fail_no_kernel(struct arena *a, const struct code_kernel *kernels, int count,
                           const char *source, const char *wanted, struct location at,
                           struct error *err)
{
    const char **names = ARENA_ARRAY(a, const char *, count + 1);
    struct text list = {0};
    for (int i = 0; i < count; i++) {
        names[i] = plain_name(a, kernels[i].name);
        if (i < KERNELS_LISTED)
            text_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (count > KERNELS_LISTED)
        text_add(&list, ", ...");
    const char *near = str_nearest(wanted, names, (size_t)count);
    fail(err, at, "%s has no kernel '%s'%s%s%s; it has: %s", source, wanted,
         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
         count > 0 ? text_str(&list)
                   : "none (a __global__ function template must be instantiated explicitly)");
    text_release(&list);
}

const struct code_kernel *kernel_find(struct arena *a, const struct code_kernel *kernels, int count,
                                      const char *source, const char *wanted, struct location at,
                                      struct error *err)
{
    const struct code_kernel *found = NULL;
    for (int i = 0; i < count; i++) {
        const struct code_kernel *k = &kernels[i];
        if (strcmp(k->name, wanted) == 0)
            return k;
        if (strcmp(plain_name(a, k->name), wanted) != 0)
            continue;
        if (found) {
            (void)fail(err, at,
                       "%s has several kernels '%s' (%s, %s, ...); write the full name of one, or "
                       "extern \"C\" before it",
                       source, wanted, found->name, k->name);
            return NULL;
        }
        found = k;
    }
    if (!found)
        fail_no_kernel(a, kernels, count, source, wanted, at, err);
    return found;
}

bool kernel_args(struct arena *a, const struct resolved_launch *l, const struct code_kernel *k,
                 const uint64_t *addresses, const void *const **out, struct error *err)
{
    if (l->arg_count != k->parameter_count)
        return fail(err, l->at, "kernel '%s' takes %d arguments, this launch gives %d", l->kernel,
                    k->parameter_count, l->arg_count);
    const void **args = ARENA_ARRAY(a, const void *, l->arg_count + 1);
    for (int i = 0; i < l->arg_count; i++) {
        const struct resolved_argument *given = &l->args[i];
        bool is_buffer = given->kind == ARGUMENT_BUFFER;
        size_t size = is_buffer ? TARGET_ADDRESS_BYTES : element_bytes(given->type);
        if (size != k->parameters[i].size_bytes)
            return fail(err, l->at,
                        "argument %d of kernel '%s' has %" PRIu64
                        " bytes in the kernel, but %zu here (%s)%s",
                        i + 1, l->kernel, k->parameters[i].size_bytes, size,
                        is_buffer ? "a buffer" : element_name(given->type),
                        is_buffer ? "" : "; write its type: {value: …, type: i64}");
        args[i] = is_buffer ? (const void *)&addresses[given->buffer] : given->value;
    }
    *out = args;
    return true;
}
