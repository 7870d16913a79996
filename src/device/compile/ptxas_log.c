// The report `ptxas -v` writes into a compiler's log: exact registers, shared memory and spills of
// each kernel. Its lines are taken out, so that what is left is for people.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernels {
    struct code_kernel *items;
    size_t count, capacity;
    bool open; // the last one is what the lines are about
};

// The number that stands before `word` in line, or -1.
static int number_before(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    while (at && at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    char *end = NULL;
    long value = at ? strtol(at, &end, 10) : 0;
    return at && end != at ? (int)value : -1;
}

static void read_line(struct arena *a, struct kernels *k, const char *line)
{
    static const char entry[] = "Compiling entry function '",
                      function[] = "Function properties for ";
    const char *at = strstr(line, entry);
    if (at) {
        at += sizeof entry - 1;
        struct code_kernel next = {.name = arena_strndup(a, at, strcspn(at, "'"))};
        VEC_PUSH(k->items, k->count, k->capacity, next);
        k->open = true;
        return;
    }
    if (k->count == 0)
        return;
    struct code_kernel *last = &k->items[k->count - 1];
    at = strstr(line, function); // properties of a device function are not the kernel's
    if (at)
        k->open = strcmp(at + sizeof function - 1, last->name) == 0;
    int registers = number_before(line, " registers"), shared = number_before(line, " bytes smem"),
        spills = number_before(line, " bytes spill stores");
    if (spills >= 0 && k->open)
        last->spill_bytes = spills;
    if (registers >= 0)
        last->registers = registers;
    if (shared >= 0)
        last->shared_bytes = shared;
}

const char *ptxas_log_take(struct arena *a, const char *log, struct code_object *out)
{
    struct kernels k = {0};
    struct text rest = {0};
    while (*log) {
        size_t length = strcspn(log, "\n");
        const char *line = arena_strndup(a, log, length);
        if (str_starts_with(line, "ptxas info") || str_starts_with(line, "ptxas    "))
            read_line(a, &k, line);
        else if (length > 0)
            text_printf(&rest, "%s\n", line);
        log += length + (log[length] == '\n');
    }
    out->kernels = ARENA_ARRAY(a, struct code_kernel, k.count);
    for (size_t i = 0; i < k.count; i++)
        if (k.items[i].registers > 0)
            out->kernels[out->kernel_count++] = k.items[i];
    free(k.items);
    const char *left = arena_strdup(a, text_str(&rest));
    text_release(&rest);
    return left;
}
