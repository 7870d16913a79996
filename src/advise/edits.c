// Edits of a text, and the unified diff between two texts.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <stdlib.h>
#include <string.h>

void edit_add(struct edit_list *l, size_t begin, size_t end, const char *with)
{
    struct edit e = {begin, end, with};
    VEC_PUSH(l->items, l->count, l->capacity, e);
}

// By place; those at one place in the order they were added in (an insertion sort keeps it).
static void edits_sort(struct edit_list *l)
{
    for (size_t i = 1; i < l->count; i++)
        for (size_t k = i; k > 0 && l->items[k - 1].begin > l->items[k].begin; k--) {
            struct edit e = l->items[k];
            l->items[k] = l->items[k - 1];
            l->items[k - 1] = e;
        }
}

char *edits_apply(struct arena *a, const char *text, size_t size_bytes, struct edit_list *l)
{
    struct text out = {0};
    size_t at = 0;
    bool apart = true;
    edits_sort(l);
    for (size_t i = 0; i < l->count && apart; i++) {
        const struct edit *e = &l->items[i];
        apart = e->begin >= at && e->end >= e->begin && e->end <= size_bytes;
        if (!apart)
            break;
        text_addn(&out, text + at, e->begin - at);
        text_add(&out, e->with);
        at = e->end;
    }
    text_addn(&out, text + at, size_bytes - at);
    char *done = apart ? arena_strndup(a, text_str(&out), out.length) : NULL;
    text_release(&out);
    return done;
}

/* ---- unified diff ------------------------------------------------------------------------------------- */

struct lines {
    const char **begin; // one more than there are lines
    size_t count;
};

static struct lines lines_of(struct arena *a, const char *s)
{
    size_t count = 0;
    for (const char *p = s; *p; count++) {
        const char *end = strchr(p, '\n');
        p = end ? end + 1 : p + strlen(p);
    }
    struct lines l = {ARENA_ARRAY(a, const char *, count + 1), count};
    for (size_t i = 0; i < count; i++) {
        l.begin[i] = s;
        const char *end = strchr(s, '\n');
        s = end ? end + 1 : s + strlen(s);
    }
    l.begin[count] = s;
    return l;
}

static bool same_line(const struct lines *x, size_t i, const struct lines *y, size_t k)
{
    size_t n = (size_t)(x->begin[i + 1] - x->begin[i]);
    return n == (size_t)(y->begin[k + 1] - y->begin[k]) && memcmp(x->begin[i], y->begin[k], n) == 0;
}

static void add_line(struct text *out, char mark, const struct lines *l, size_t i)
{
    size_t n = (size_t)(l->begin[i + 1] - l->begin[i]);
    bool ended = n > 0 && l->begin[i][n - 1] == '\n';
    text_printf(out, "%c", mark);
    text_addn(out, l->begin[i], n);
    if (!ended)
        text_add(out, "\n\\ No newline at end of file\n");
}

struct change { // lines first to last of each side
    size_t before_first, before_last, after_first, after_last;
};

// The next stretch that differs, from (i, k) on: the nearest place where two lines or more agree again, or the end.
static bool change_next(const struct lines *x, const struct lines *y, size_t i, size_t k,
                        struct change *out)
{
    enum { AHEAD = 400, AGREE = 2 };
    while (i < x->count && k < y->count && same_line(x, i, y, k))
        i++, k++;
    if (i == x->count && k == y->count)
        return false;
    *out = (struct change){i, x->count, k, y->count};
    for (size_t sum = 1; sum < AHEAD; sum++)
        for (size_t down = 0; down <= sum; down++) {
            size_t p = i + down, q = k + sum - down, same = 0;
            while (p + same < x->count && q + same < y->count && same < AGREE &&
                   same_line(x, p + same, y, q + same))
                same++;
            bool ends = p + same == x->count && q + same == y->count;
            if (p <= x->count && q <= y->count && (same == AGREE || ends)) {
                *out = (struct change){i, p, k, q};
                return true;
            }
        }
    return true;
}

enum { CONTEXT = 3 };

// Changes first to last as one hunk, with what stands around and between them.
static void add_hunk(struct text *out, const struct lines *x, const struct lines *y,
                     const struct change *c, size_t first, size_t last)
{
    size_t lead = c[first].before_first < CONTEXT ? c[first].before_first : CONTEXT;
    size_t trail =
        x->count - c[last].before_last < CONTEXT ? x->count - c[last].before_last : CONTEXT;
    size_t from = c[first].before_first - lead, to = c[last].before_last + trail;
    size_t after_from = c[first].after_first - lead, after_to = c[last].after_last + trail;
    text_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", from + (to > from), to - from,
                after_from + (after_to > after_from), after_to - after_from);
    size_t at = from;
    for (size_t n = first; n <= last; n++) {
        for (; at < c[n].before_first; at++)
            add_line(out, ' ', x, at);
        for (; at < c[n].before_last; at++)
            add_line(out, '-', x, at);
        for (size_t k = c[n].after_first; k < c[n].after_last; k++)
            add_line(out, '+', y, k);
    }
    for (; at < to; at++)
        add_line(out, ' ', x, at);
}

char *edits_diff(struct arena *a, const char *before, const char *after, const char *name_before,
                 const char *name_after)
{
    struct lines x = lines_of(a, before), y = lines_of(a, after);
    struct change *all = NULL, c;
    size_t count = 0, capacity = 0, i = 0, k = 0;
    struct text out = {0};
    while (change_next(&x, &y, i, k, &c)) {
        VEC_PUSH(all, count, capacity, c);
        i = c.before_last;
        k = c.after_last;
    }
    if (count > 0)
        text_printf(&out, "--- %s\n+++ %s\n", name_before, name_after);
    for (size_t first = 0; first < count;) {
        size_t last = first;
        while (last + 1 < count &&
               all[last + 1].before_first - all[last].before_last <= (size_t)2 * CONTEXT)
            last++;
        add_hunk(&out, &x, &y, all, first, last);
        first = last + 1;
    }
    free(all);
    char *done = arena_strdup(a, text_str(&out));
    text_release(&out);
    return done;
}
