// Searching: what all strategies share (what was asked, what was told, chance), and the two that look at nothing
// they are told.
// SPDX-License-Identifier: Apache-2.0
#include "tune/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
    bool ranked, learns;
    const struct strategy_ops *ops;
} strategies[] = {
#define STRATEGY(id, name, ranked, learns, meaning) {name, meaning, ranked, learns, &search_##id},
#include "tune/strategies.def"
#undef STRATEGY
};

const char *strategy_name(enum strategy s)
{
    return strategies[s].name;
}

const char *strategy_meaning(enum strategy s)
{
    return strategies[s].meaning;
}

bool strategy_is_ranked(enum strategy s)
{
    return strategies[s].ranked;
}

bool strategy_learns(enum strategy s)
{
    return strategies[s].learns;
}

bool strategy_find(const char *name, enum strategy *out, struct error *err)
{
    const char *names[STRATEGY_COUNT];
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        names[i] = strategies[i].name;
        *out = (enum strategy)i;
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return fail_unknown(err, NOWHERE, "strategy", name, names, STRATEGY_COUNT);
}

/* ---- defaults ------------------------------------------------------------------------------------- */

enum {
    SMALL_SPACE = 100, // is searched as a whole
    MOST_DEFAULT = 100,
    PRUNED_LEAST = 10
};

static const double pruned_share = 0.05, audit_share = 0.1;

enum strategy strategy_default(int count)
{
    return count <= SMALL_SPACE ? STRATEGY_exhaustive : STRATEGY_bayesian;
}

int strategy_default_most(enum strategy s, int count)
{
    int most = MOST_DEFAULT;
    if (s == STRATEGY_exhaustive)
        most = count;
    if (s == STRATEGY_pruned) {
        most = (int)ceil(pruned_share * count);
        most = most > PRUNED_LEAST ? most : PRUNED_LEAST;
    }
    return most < count ? most : count;
}

int strategy_default_audit(enum strategy s, int most)
{
    return s == STRATEGY_pruned ? (int)ceil(audit_share * most) : 0;
}

/* ---- asking and telling --------------------------------------------------------------------------- */

struct search *search_open(const struct search_space *s, const struct search_options *o)
{
    struct search *x = xcalloc(1, sizeof *x);
    x->space = s;
    x->options = *o;
    x->ops = strategies[o->strategy].ops;
    x->asked = xcalloc((size_t)s->count + 1, sizeof *x->asked);
    x->times_ns = xcalloc((size_t)s->count + 1, sizeof *x->times_ns);
    for (int i = 0; i < s->count; i++)
        x->times_ns[i] = (double)NAN;
    x->most = o->most > 0 && o->most < s->count ? o->most : s->count;
    x->fastest = -1;
    if (x->ops->open)
        x->ops->open(x);
    return x;
}

int search_ask(struct search *x, int room, int *points)
{
    int count = 0;
    if (room > x->most - x->asked_count)
        room = x->most - x->asked_count;
    if (room <= 0)
        return 0;
    if (x->asked_count == 0 && x->options.start >= 0)
        points[count++] = x->options.start;
    else
        count = x->ops->ask(x, room, points);
    for (int i = 0; i < count; i++)
        x->asked[points[i]] = true;
    x->asked_count += count;
    return count;
}

void search_tell(struct search *x, int point, double time_ns)
{
    x->times_ns[point] = time_ns;
    x->told_count++;
    if (!isnan(time_ns) && (x->fastest < 0 || time_ns < x->times_ns[x->fastest]))
        x->fastest = point;
    if (x->ops->tell)
        x->ops->tell(x, point);
}

bool search_audits(const struct search *x)
{
    return x->audits;
}

void search_close(struct search *x)
{
    if (!x)
        return;
    if (x->ops->close)
        x->ops->close(x);
    free(x->asked);
    free(x->times_ns);
    free(x);
}

/* ---- chance ---------------------------------------------------------------------------------------- */

int search_draw(struct search *x, int count)
{
    uint32_t words[4];
    philox(x->options.seed, 0, x->random++, words);
    return (int)(((uint64_t)words[0] * (uint64_t)count) >> 32);
}

void search_shuffle(struct search *x, int *items, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = search_draw(x, i + 1), other = items[j];
        items[j] = items[i];
        items[i] = other;
    }
}

static bool is_among(int point, const int *items, int count)
{
    for (int i = 0; i < count; i++)
        if (items[i] == point)
            return true;
    return false;
}

int search_draw_fresh(struct search *x, const int *taken, int taken_count)
{
    int left = x->space->count - x->asked_count - taken_count;
    if (left <= 0)
        return -1;
    int skip = search_draw(x, left);
    for (int i = 0; i < x->space->count; i++)
        if (!x->asked[i] && !is_among(i, taken, taken_count) && skip-- == 0)
            return i;
    return -1;
}

/* ---- every point, and points by chance ------------------------------------------------------------- */

static int ask_in_order(struct search *x, int room, int *points)
{
    int count = 0;
    for (int i = 0; i < x->space->count && count < room; i++)
        if (!x->asked[i])
            points[count++] = i;
    return count;
}
const struct strategy_ops search_exhaustive = {.ask = ask_in_order};

static int ask_by_chance(struct search *x, int room, int *points)
{
    int count = 0;
    for (int p = 0; count < room && p >= 0;) {
        p = search_draw_fresh(x, points, count);
        if (p >= 0)
            points[count++] = p;
    }
    return count;
}
const struct strategy_ops search_random = {.ask = ask_by_chance};
