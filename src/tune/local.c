// Local search: from a point to the best of its neighbours that is faster, first those one step away on one axis,
// then all that differ on one axis. Where none is faster, from a new start: the fastest point with half of its
// axes drawn anew, or in every second round any point by chance. What is known already costs nothing.
// SPDX-License-Identifier: Apache-2.0
#include "tune/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct climb {
    int at;     // -1 = a start is looked for
    bool wide;  // neighbours at any distance on one axis
    int *queue; // of neighbours that were not asked for, in random order
    int queued;
    int *room; // for neighbours
    int restarts;
};

static void open_climb(struct search *x)
{
    struct climb *c = xcalloc(1, sizeof *c);
    int most = search_space_neighbour_max(x->space) + 1;
    c->at = -1;
    c->queue = xcalloc((size_t)most, sizeof *c->queue);
    c->room = xcalloc((size_t)most, sizeof *c->room);
    x->own = c;
}

static void close_climb(struct search *x)
{
    struct climb *c = x->own;
    free(c->queue);
    free(c->room);
    free(c);
}

// Stands the search on that point: the neighbours to ask about.
static void stand(struct search *x, int point, bool wide)
{
    struct climb *c = x->own;
    int count = search_space_neighbours(x->space, point, !wide, c->room);
    c->at = point;
    c->wide = wide;
    c->queued = 0;
    for (int i = 0; i < count; i++)
        if (!x->asked[c->room[i]])
            c->queue[c->queued++] = c->room[i];
    search_shuffle(x, c->queue, c->queued);
}

// The fastest known neighbour that beats the point; -1 = none does.
static int better_neighbour(struct search *x)
{
    struct climb *c = x->own;
    int count = search_space_neighbours(x->space, c->at, !c->wide, c->room), best = -1;
    double best_ns = x->times_ns[c->at];
    for (int i = 0; i < count; i++)
        if (x->times_ns[c->room[i]] < best_ns) {
            best = c->room[i];
            best_ns = x->times_ns[best];
        }
    return best;
}

// The fastest point with half of its axes drawn anew, as far as such a point is there and not known.
static int perturbed(struct search *x)
{
    enum { TRIES = 32, AXES_MOST = 256 };
    const struct search_space *s = x->space;
    uint16_t choice[AXES_MOST];
    for (int t = 0; t < TRIES && x->fastest >= 0; t++) {
        memcpy(choice, search_space_point(s, x->fastest), sizeof *choice * (size_t)s->axis_count);
        for (int i = 0; i < s->axis_count; i++)
            if (search_draw(x, 2) == 0)
                choice[i] = (uint16_t)search_draw(x, s->axes[i].value_count);
        int found = search_space_find(s, choice);
        if (found >= 0 && !x->asked[found])
            return found;
    }
    return -1;
}

static int ask_climb(struct search *x, int room, int *points)
{
    struct climb *c = x->own;
    while (c->at >= 0) {
        int better = better_neighbour(x);
        if (better >= 0)
            stand(x, better, false);
        else if (c->queued > 0)
            break;
        else if (!c->wide)
            stand(x, c->at, true);
        else
            c->at = -1;
    }
    if (c->at < 0) {
        int start = c->restarts++ % 2 == 0 ? perturbed(x) : -1;
        points[0] = start >= 0 ? start : search_draw_fresh(x, NULL, 0);
        return points[0] >= 0;
    }
    int count = 0;
    while (count < room && c->queued > 0)
        points[count++] = c->queue[--c->queued];
    return count;
}

// A start that runs is where the climb goes on; one that does not is passed over.
static void tell_climb(struct search *x, int point)
{
    struct climb *c = x->own;
    if (c->at < 0 && !isnan(x->times_ns[point]))
        stand(x, point, false);
}
const struct strategy_ops search_local = {
    .open = open_climb, .ask = ask_climb, .tell = tell_climb, .close = close_climb};
