// The launch: smaller blocks, registers that leave room for more of them.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <stdlib.h>
#include <string.h>

static bool number_of(const char *s, long *out)
{
    char *end = NULL;
    *out = strtol(s, &end, 10);
    return end != s && *end == '\0' && *out > 0;
}

// The expression with each number `from` in it as `to`; NULL: it has none.
static char *number_replaced(struct arena *a, const char *s, long from, long to)
{
    struct text out = {0};
    bool found = false;
    while (*s) {
        size_t n = strspn(s, "0123456789.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        char *word = arena_strndup(a, s, n > 0 ? n : 1);
        long value = 0;
        bool same = n > 0 && number_of(word, &value) && value == from;
        found |= same;
        if (same)
            text_printf(&out, "%ld", to);
        else
            text_add(&out, word);
        s += strlen(word);
    }
    char *done = found ? arena_strdup(a, text_str(&out)) : NULL;
    text_release(&out);
    return done;
}

// Does the kernel rest on the size of its blocks: by shared memory, the number itself, there or in a define, or a constant
// in place of blockDim?
static bool rests_on_size(const struct making *m, long threads)
{
    const struct token_list *t = m->t;
    char *number = arena_printf(m->a, "%ld", threads);
    for (int i = 0; i < m->variant->define_count; i++)
        if (strcmp(m->variant->defines[i].value, number) == 0)
            return true;
    bool indexed = false, asked = false;
    for (size_t i = m->kernel.body.first; i < m->kernel.body.last; i++) {
        size_t n = t->items[i].end - t->items[i].begin;
        indexed |= token_is_word(t, i, "blockIdx");
        asked |= token_is_word(t, i, "blockDim");
        if (token_is_word(t, i, "__shared__") || token_is_word(t, i, "__syncthreads"))
            return true;
        if (t->items[i].kind == TOKEN_NUMBER && n == strlen(number) &&
            memcmp(t->text + t->items[i].begin, number, n) == 0)
            return true;
    }
    return indexed && !asked;
}

bool patch_block(struct making *m)
{
    enum { SMALL = 32, USUAL = 256 };
    const char *grid[3], *block[3];
    long threads = 0;
    bool grid_is_small = strcmp(m->finding->cause, "small-grid") == 0;
    if (launch_dimensions(m, "grid", grid) != 1 || launch_dimensions(m, "block", block) != 1 ||
        !number_of(block[0], &threads))
        return refuse(m,
                      "the launch has more than one dimension, or a block that is no plain number");
    long least = grid_is_small ? SMALL : USUAL, to = threads;
    while (to % 2 == 0 && to / 2 >= least && (grid_is_small ? to > threads / 4 : true))
        to /= 2;
    char *blocks = number_replaced(m->a, grid[0], threads, to);
    if (to == threads)
        return refuse(m, "blocks of %ld threads are small enough", threads);
    if (!blocks)
        return refuse(m, "the grid's expression does not name the block's %ld threads", threads);
    if (rests_on_size(m, threads))
        return refuse(m,
                      "the kernel rests on the size of its blocks (shared memory, barriers, the "
                      "number %ld, or a constant in place of blockDim)",
                      threads);
    key_set(m, "grid", arena_printf(m->a, "[%s]", yaml_quoted(m->a, blocks)));
    key_set(m, "block", arena_printf(m->a, "[%ld]", to));
    return made(m, arena_printf(m->a, "Launch blocks of %ld threads instead of %ld", to, threads),
                grid_is_small ? "More, smaller blocks give every SM work."
                              : "Smaller blocks fill an SM with fewer threads left over.");
}

static bool has_bounds(const struct making *m)
{
    for (size_t i = m->kernel.name; i-- > 0;) {
        if (token_is(m->t, i, ';') || token_is(m->t, i, '}') ||
            m->t->items[i].kind == TOKEN_DIRECTIVE)
            return false;
        if (token_is_word(m->t, i, "__launch_bounds__"))
            return true;
    }
    return false;
}

bool patch_bounds(struct making *m)
{
    enum { THREADS_WANTED = 1024 }; // half of an SM's
    const char *block[3];
    long threads = 1, dimension = 0;
    int dimensions = launch_dimensions(m, "block", block);
    for (int i = 0; i < dimensions; i++) {
        if (!number_of(block[i], &dimension) || dimension > THREADS_WANTED)
            return refuse(m, "the block is no plain number of threads");
        threads *= dimension;
    }
    if (dimensions == 0 || threads > THREADS_WANTED)
        return refuse(m, "the block is no plain number of threads");
    if (has_bounds(m))
        return refuse(m, "the kernel has __launch_bounds__ already");
    long blocks = (THREADS_WANTED + threads - 1) / threads;
    edit_before(m, m->kernel.name,
                arena_printf(m->a, "__launch_bounds__(%ld, %ld) ", threads, blocks));
    return made(
        m,
        arena_printf(m->a, "Leave registers for %ld blocks on an SM (__launch_bounds__)", blocks),
        "With fewer registers per thread half of an SM's warps fit; what no longer fits in "
        "registers is spilled, which the counters would show.");
}
