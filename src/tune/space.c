// The space of points: sorted, so that a point is found by halves; neighbours.
// SPDX-License-Identifier: Apache-2.0
#include "tune/tune.h"

#include <stdlib.h>
#include <string.h>

const uint16_t *search_space_point(const struct search_space *s, int point)
{
    return &s->items[(size_t)point * (size_t)s->axis_count];
}

static int compare_choices(const uint16_t *a, const uint16_t *b, int axis_count)
{
    for (int i = 0; i < axis_count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

struct ordered { // for qsort
    const uint16_t *choice;
    int axis_count;
};

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    return compare_choices(x->choice, y->choice, x->axis_count);
}

void search_space_make(struct arena *a, struct axis *axes, int axis_count, const uint16_t *items,
                       int count, struct search_space *out)
{
    size_t width = (size_t)axis_count;
    struct ordered *order = xcalloc((size_t)count + 1, sizeof *order);
    *out = (struct search_space){.axes = axes, .axis_count = axis_count};
    for (int i = 0; i < count; i++)
        order[i] = (struct ordered){&items[(size_t)i * width], axis_count};
    qsort(order, (size_t)count, sizeof *order, compare_ordered);
    out->items = ARENA_ARRAY(a, uint16_t, (size_t)count * width + 1);
    for (int i = 0; i < count; i++) {
        if (i > 0 && compare_choices(order[i - 1].choice, order[i].choice, axis_count) == 0)
            continue;
        for (size_t k = 0; k < width; k++)
            out->items[(size_t)out->count * width + k] = order[i].choice[k];
        out->count++;
    }
    free(order);
}

int search_space_find(const struct search_space *s, const uint16_t *choice)
{
    int low = 0, high = s->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = compare_choices(search_space_point(s, middle), choice, s->axis_count);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

const char *search_space_label(struct arena *a, const struct search_space *s, int point)
{
    const uint16_t *choice = search_space_point(s, point);
    const char *label = "";
    for (int i = 0; i < s->axis_count; i++)
        label = arena_printf(a, "%s%s%s=%s", label, i > 0 ? " " : "", s->axes[i].name,
                             s->axes[i].values[choice[i]]);
    return label;
}

int search_space_neighbour_max(const struct search_space *s)
{
    int most = 0;
    for (int i = 0; i < s->axis_count; i++)
        most += s->axes[i].value_count - 1;
    return most;
}

// Where a step leads to no point of the space (`where` left it out), the next one in that direction is taken.
static int along(const struct search_space *s, const uint16_t *from, int axis, int direction,
                 uint16_t *choice)
{
    for (int v = from[axis] + direction; v >= 0 && v < s->axes[axis].value_count; v += direction) {
        choice[axis] = (uint16_t)v;
        int found = search_space_find(s, choice);
        if (found >= 0)
            return found;
    }
    return -1;
}

int search_space_neighbours(const struct search_space *s, int point, bool by_one_step, int *out)
{
    enum { AXES_MOST = 256 };
    const uint16_t *from = search_space_point(s, point);
    uint16_t choice[AXES_MOST];
    int count = 0;
    memcpy(choice, from, sizeof *choice * (size_t)s->axis_count);
    for (int i = 0; i < s->axis_count; i++) {
        bool steps = by_one_step && s->axes[i].ordered;
        for (int v = steps ? -1 : 0; v < (steps ? 2 : s->axes[i].value_count); v++) {
            int found = -1;
            if (steps && v != 0)
                found = along(s, from, i, v, choice);
            choice[i] = (uint16_t)(steps ? from[i] : v);
            if (!steps && v != from[i])
                found = search_space_find(s, choice);
            if (found >= 0)
                out[count++] = found;
        }
        choice[i] = from[i];
    }
    return count;
}
