// A small launch on the simulated GPU, again until it ends: with smaller sizes where it is too large to watch, with more
// room where it reaches outside, with another block where no launch says it. What it touched says how large buffers are.
// SPDX-License-Identifier: Apache-2.0
#include "cli/new_guess.h"

#include <stdlib.h>
#include <string.h>

enum {
    ATTEMPTS_MAX = 200,
    ROUNDS_MAX = 3,
    SIZE_LEAST = 16,
    SHARED_LEAST = 1 << 10,
    SHARED_MOST = 200 << 10
};
static const uint64_t room_bytes_most = 512 << 20;

static bool watch_once(const struct options *o, struct guess *g, const char *file,
                       struct watch_result *seen, struct error *err)
{
    struct arena a = {0};
    struct text yaml = {0};
    struct experiment *e = NULL;
    struct loop_request request = {.compiler = option_text(o, OPTION_COMPILER, "auto")};
    *seen = (struct watch_result){0};
    guess_write(g, &yaml);
    bool done = experiment_parse(&a, file, yaml.data, yaml.length, &e, err) &&
                loop_watch(&a, &request, e, seen, err);
    for (int i = 0; done && i < g->buffer_count; i++) {
        g->buffers[i].changed = seen->buffers[i].changed;
        if (seen->buffers[i].touched_bytes > g->buffers[i].touched_bytes)
            g->buffers[i].touched_bytes = seen->buffers[i].touched_bytes;
    }
    if (seen->precision)
        seen->precision = arena_strdup(g->arena, seen->precision);
    seen->buffers = NULL; // of the arena
    text_release(&yaml);
    arena_release(&a);
    return done;
}

// The largest size that the block does not rest on; watched: it took a launch to see that.
static bool shrink(struct guess *g, bool watched)
{
    struct guess_size *largest = NULL;
    for (int i = 0; i < g->size_count; i++)
        if (!g->sizes[i].in_block && g->sizes[i].value > SIZE_LEAST &&
            (!largest || g->sizes[i].value > largest->value))
            largest = &g->sizes[i];
    if (largest)
        largest->value /= watched && largest->value >= 4 * SIZE_LEAST ? 4 : 2;
    return largest != NULL;
}

// What the kernel computes in is what its other names of types stand for; where there are none, it is meant.
static void take_precision(struct guess *g, const char *type)
{
    bool taken = false;
    for (int t = 0; t < ELEMENT_TYPE_COUNT; t++)
        for (int i = 0;
             i < g->buffer_count && strcmp(element_name((enum element_type)t), type) == 0; i++)
            if (g->buffers[i].aliased && !guess_is_whole(g->buffers[i].type)) {
                g->buffers[i].type = (enum element_type)t;
                taken = true;
            }
    if (!taken)
        g->precision = type;
}

// Of "… past the end of 'x' (…": x has more.
static bool give_room(struct guess *g, const char *message)
{
    enum { TIMES = 8 };
    const char *quote = strstr(message, "of '");
    for (int i = 0; quote && i < g->buffer_count; i++) {
        struct guess_buffer *b = &g->buffers[i];
        size_t length = strlen(b->name);
        if (strncmp(quote + 4, b->name, length) != 0 || quote[4 + length] != '\'')
            continue;
        b->count = NULL;
        b->room_bytes *= TIMES;
        return b->room_bytes <= room_bytes_most;
    }
    return false;
}

static bool give_shared(struct guess *g, const char *message)
{
    const char *end = NULL;
    char *stop = NULL;
    if (!g->shared_bytes || !strstr(message, "shared memory"))
        return false;
    end = g->shared_bytes;
    long bytes = strtol(end, &stop, 10);
    if (*stop || bytes <= 0) // an expression over guesses
        bytes = SHARED_LEAST;
    if (bytes * 4 > SHARED_MOST)
        return false;
    g->shared_bytes = arena_printf(g->arena, "%ld", bytes * 4);
    g->shared_guessed = true;
    guess_drop_sizes(g);
    return true;
}

/* ---- counts ------------------------------------------------------------------------------------------------ */

enum { FACTOR_MAX = 1000, FACTOR_COST = 5 };
struct fit {
    uint64_t elements, best; // best: of what was found, elements
    int factors;
    const char *text;
};

static void keep(struct fit *f, uint64_t n, int cost, const char *text)
{
    if (n < f->elements || (f->text && (n > f->best || (n == f->best && cost >= f->factors))))
        return;
    f->best = n;
    f->factors = cost;
    f->text = text;
}

static void consider(struct guess *g, struct fit *f, uint64_t product, int factors,
                     const char *text)
{
    static const int times[] = {1, 2, 3, 4, 8, 16, 32};
    for (size_t i = 0; i < COUNT_OF(times); i++)
        for (int more = 0; more < 2; more++) {
            const char *product_text =
                i > 0 ? arena_printf(g->arena, "%d*%s", times[i], text) : text;
            keep(f, product * (uint64_t)times[i] + (uint64_t)more, factors + (i > 0) + 2 * more,
                 more ? arena_printf(g->arena, "%s+1", product_text) : product_text);
        }
}

// The product of sizes that is at least so many elements and nearest to it.
static const char *fitting(struct guess *g, uint64_t elements)
{
    struct fit f = {.elements = elements};
    for (int i = 0; i < g->size_count; i++) {
        uint64_t a = (uint64_t)g->sizes[i].value;
        if (a < 2)
            continue;
        consider(g, &f, a, 1, g->sizes[i].name);
        if (elements % a == 0 && elements / a < FACTOR_MAX)
            keep(&f, elements, FACTOR_COST,
                 arena_printf(g->arena, "%llu*%s", (unsigned long long)(elements / a),
                              g->sizes[i].name));
        for (int k = i + 1; k < g->size_count; k++) {
            uint64_t b = (uint64_t)g->sizes[k].value;
            const char *two = arena_printf(g->arena, "%s*%s", g->sizes[i].name, g->sizes[k].name);
            if (b < 2 || a * b > UINT32_MAX)
                continue;
            consider(g, &f, a * b, 2, two);
            for (int m = k + 1; m < g->size_count; m++)
                if (g->sizes[m].value > 1 && a * b * (uint64_t)g->sizes[m].value < UINT32_MAX)
                    consider(g, &f, a * b * (uint64_t)g->sizes[m].value, 3,
                             arena_printf(g->arena, "%s*%s", two, g->sizes[m].name));
        }
    }
    bool far = f.text && f.best > 2 * elements + 64;
    return f.text && !far ? f.text : arena_printf(g->arena, "%llu", (unsigned long long)elements);
}

static void settle_counts(struct guess *g)
{
    for (int i = 0; i < g->buffer_count; i++) {
        struct guess_buffer *b = &g->buffers[i];
        uint64_t bytes = element_bytes(b->type), elements = (b->touched_bytes + bytes - 1) / bytes;
        if (!b->count)
            b->count = fitting(g, elements > 0 ? elements : 1);
    }
}

// An instance by the code's own name, where the source's names of types stand for others: "(did you mean 'k<half>'?)".
static bool take_suggestion(struct guess *g, const char *message)
{
    static const char words[] = "(did you mean '";
    const char *at = strstr(message, words), *end = at ? strstr(at, "'?)") : NULL;
    size_t length = strcspn(g->wanted, "<");
    if (!end || !g->wanted[length])
        return false;
    at += sizeof words - 1;
    if (strncmp(at, g->wanted, length + 1) != 0)
        return false;
    g->wanted = arena_strndup(g->arena, at, (size_t)(end - at));
    return true;
}

/* ---- the launches --------------------------------------------------------------------------------------------- */

// Mends what stopped a launch; false: nothing here can.
static bool mend(struct guess *g, const struct watch_result *seen, const struct error *err)
{
    if (take_suggestion(g, err->message))
        return true;
    if (seen->too_large)
        return shrink(g, seen->ran);
    if (seen->precision && !g->precision) {
        take_precision(g, seen->precision);
        return true;
    }
    if (seen->outside && (give_room(g, err->message) || give_shared(g, err->message)))
        return true;
    if (err->kind != ERROR_CHECK)
        return false;
    return guess_next_shape(g);
}

static bool watch_until_done(const struct options *o, struct guess *g, const char *file)
{
    struct watch_result seen;
    for (int i = 0; i < ATTEMPTS_MAX; i++) {
        struct error err = {0};
        if (watch_once(o, g, file, &seen, &err))
            return true;
        if (g->stopped_by.kind == ERROR_NONE || err.kind == ERROR_CHECK)
            g->stopped_by = err;
        if (!mend(g, &seen, &err))
            return false;
    }
    return false;
}

static bool all_counted(const struct guess *g)
{
    for (int i = 0; i < g->buffer_count; i++)
        if (!g->buffers[i].count)
            return false;
    return true;
}

// Once more as it is kept: what data chose may lie elsewhere then.
void guess_watch(const struct options *o, struct guess *g, const char *file)
{
    bool done = !g->cannot && watch_until_done(o, g, file);
    for (int round = 0; done && !all_counted(g) && round < ROUNDS_MAX; round++) {
        settle_counts(g);
        done = watch_until_done(o, g, file);
    }
    g->watched = done;
}
