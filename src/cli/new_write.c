// The experiment around a kernel as a file, and what is said of its guesses.
// SPDX-License-Identifier: Apache-2.0
#include "cli/new_guess.h"

#include <string.h>

// While its size is not known: whole numbers as large as they get, as what they point at is then reached, and no
// random numbers that nobody keeps.
static const char *fill_of(const struct guess *g, const struct guess_buffer *b, const char *count)
{
    bool rows = strstr(b->name, "row") &&
                (strstr(b->name, "ptr") || strstr(b->name, "off") || strstr(b->name, "start"));
    if (!guess_is_whole(b->type))
        return b->count ? "uniform(-1,1)" : "constant(0.5)";
    if (rows)
        return arena_printf(g->arena, "starts(4*(%s),1)", count);
    return b->count || g->watched ? "integers(0,99)" : "constant(99)";
}

static void add_buffers(const struct guess *g, struct text *out)
{
    if (g->buffer_count > 0)
        text_add(out, "buffers:\n");
    for (int i = 0; i < g->buffer_count; i++) {
        const struct guess_buffer *b = &g->buffers[i];
        const char *count = b->count;
        if (!count)
            count = arena_printf(g->arena, "%llu",
                                 (unsigned long long)(b->room_bytes / element_bytes(b->type)));
        text_printf(out, "  %s: {type: %s, count: %s, fill: \"%s\"", b->name, element_name(b->type),
                    count, fill_of(g, b, count));
        text_add(out, !g->watched || b->changed || b->zeroed ? ", scratch: true}" : "}");
        text_add(out, g->watched && b->changed ? " # written by the kernel\n" : "\n");
    }
}

static void add_list(struct text *out, const char *indent, const char *key,
                     const char *const items[3])
{
    text_printf(out, "%s%s: [", indent, key);
    for (int i = 0; i < 3 && items[i]; i++)
        text_printf(out, "%s\"%s\"", i > 0 ? ", " : "", items[i]);
    text_add(out, "]\n");
}

static void add_kernel(const struct guess *g, const char *indent, struct text *out)
{
    const char *between = "";
    text_printf(out, "kernel: \"%s\"\n", g->wanted);
    add_list(out, indent, "grid", g->grid);
    add_list(out, indent, "block", g->block);
    if (g->shared_bytes)
        text_printf(out, "%sshared_bytes: \"%s\"\n", indent, g->shared_bytes);
    text_printf(out, "%sargs: [", indent);
    for (int i = 0; i < g->kernel->parameter_count; i++)
        if (g->arguments[i]) {
            bool plain =
                strpbrk(g->arguments[i], "{\"") != NULL || strpbrk(g->arguments[i], ",:?") == NULL;
            text_printf(out, plain ? "%s%s" : "%s\"%s\"", between, g->arguments[i]);
            between = ", ";
        }
    text_add(out, "]\n");
}

void guess_write(const struct guess *g, struct text *out)
{
    bool steps = false;
    text_printf(out, "experiment: %s\ntitle: \"%s\"\nsource: \"%s\"\n\n", g->name, g->wanted,
                g->source_named);
    text_add(out, g->size_count > 0 ? "params:\n" : "");
    for (int i = 0; i < g->size_count; i++)
        text_printf(out, "  %s: %lld\n", g->sizes[i].name, (long long)g->sizes[i].value);
    text_add(out, g->size_count > 0 ? "\n" : "");
    add_buffers(g, out);
    text_add(out, "\nvariants:\n  - name: first\n");
    if (g->precision)
        text_printf(out, "    precision: %s\n", g->precision);
    for (int i = 0; i < g->buffer_count; i++)
        if (g->buffers[i].zeroed) {
            text_printf(out, "%s      - zero: %s\n", steps ? "" : "    launches:\n",
                        g->buffers[i].name);
            steps = true;
        }
    text_add(out, steps ? "      - " : "    ");
    add_kernel(g, steps ? "        " : "    ", out);
}

/* ---- what is said ------------------------------------------------------------------------------------------- */

static void tell_sizes(const struct guess *g, struct text *out)
{
    for (int i = 0; i < g->size_count; i++) {
        const struct guess_size *s = &g->sizes[i];
        text_printf(out, "  %s = %lld: ", s->name, (long long)s->value);
        if (s->said == s->value)
            text_add(out, "as the source has it\n");
        else if (s->said > 0)
            text_printf(out, "the source has %lld, which is more than a first look needs\n",
                        (long long)s->said);
        else
            text_add(out, "guessed by its name\n");
    }
}

static bool any_changed(const struct guess *g)
{
    for (int i = 0; i < g->buffer_count; i++)
        if (g->buffers[i].changed)
            return true;
    return false;
}

void guess_tell(const struct guess *g, struct text *out)
{
    const struct declared_launch *l = &g->launch;
    tell_sizes(g, out);
    if (l->found && l->grid[0] && l->block[0])
        text_printf(out, "  grid and block: as %s:%d launches it\n", path_name(l->file), l->line);
    else if (l->found)
        text_printf(out, "  %s: not understood where %s:%d launches it, so guessed\n",
                    l->block[0]  ? "grid"
                    : l->grid[0] ? "block"
                                 : "grid and block",
                    path_name(l->file), l->line);
    else
        text_add(out, "  grid and block: the source has no launch of it, so guessed\n");
    if (g->shared_bytes && g->shared_guessed)
        text_add(out, "  shared_bytes: no launch says it, so guessed\n");
    if (g->precision)
        text_printf(out, "  precision: the kernel computes in %s, its data is more precise\n",
                    g->precision);
    if (l->template_guesses)
        text_printf(out, "  template arguments: nothing says %s\n", l->template_guesses);
    text_add(out, text_str(&g->notes));
    if (g->watched && g->buffer_count > 0)
        text_add(out, "  counts: what the launch reached of each buffer; fills: random numbers, "
                      "integers of 0 to 99\n");
    for (int i = 0; i < g->buffer_count && g->watched; i++)
        if (g->buffers[i].touched_bytes == 0)
            text_printf(out, "  %s: this launch does not touch it\n", g->buffers[i].name);
    if (g->watched && !any_changed(g))
        text_add(out, "  no buffer was changed by this launch, so none is marked\n");
    else if (g->watched)
        text_add(out, "  buffers that the launch wrote are marked; with a reference they become "
                      "'output: true'\n");
    else if (g->cannot)
        text_printf(out, "it does not run as it is. What is missing:\n  %s\n", g->cannot);
    else
        text_printf(out,
                    "it does not run as it is: a small launch on the simulated GPU stops\n"
                    "  %s\n",
                    g->stopped_by.message);
}
