// Labels are put one by one, each at the free place nearest to its point.
// SPDX-License-Identifier: Apache-2.0
#include "report/place.h"

#include "report/internal.h"

enum { GAP = 9, ASCENT = 10, DESCENT = 3, STEP = 14, STEPS_MAX = 40 };

static const double advance = 0.56; // of a character of a sans-serif face, in its size

double place_width(const char *s, double font_px)
{
    return advance * font_px * (double)text_columns(s);
}

void place_block(struct placer *p, double left, double top, double right, double bottom)
{
    if (p->count < PLACE_BOXES_MAX)
        p->taken[p->count++] = (struct box){left, top, right, bottom};
}

bool place_is_free(const struct placer *p, double left, double top, double right, double bottom)
{
    const struct box *f = &p->frame;
    if (left < f->left || right > f->right || top < f->top || bottom > f->bottom)
        return false;
    for (int i = 0; i < p->count; i++) {
        const struct box *b = &p->taken[i];
        if (left < b->right && right > b->left && top < b->bottom && bottom > b->top)
            return false;
    }
    return true;
}

static bool try_at(struct placer *p, double x, double y, double width)
{
    if (!place_is_free(p, x, y - ASCENT, x + width, y + DESCENT))
        return false;
    place_block(p, x, y - ASCENT, x + width, y + DESCENT);
    return true;
}

struct placed place_text(struct placer *p, double x, double y, double width)
{
    for (int step = 0; step < STEPS_MAX; step++)
        for (int side = 0; side < 4; side++) { // right below, right above, left below, left above
            double dy = (side % 2 ? -1.0 : 1.0) * STEP * step;
            double left = side < 2 ? x + GAP : x - GAP - width;
            if (try_at(p, left, y + 4 + dy, width))
                return (struct placed){left, y + 4 + dy, step > 0};
        }
    return (struct placed){x + GAP, y + 4, false};
}
