// place: where a drawing's labels go, so that none is printed over another or over a point.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPORT_PLACE_H
#define RIDGE_REPORT_PLACE_H

#include <stdbool.h>

enum { PLACE_BOXES_MAX = 512 }; // what comes after is placed as if nothing more were in the way

struct box {
    double left, top, right, bottom;
};
struct placer {
    struct box frame; // nothing is put outside
    struct box taken[PLACE_BOXES_MAX];
    int count;
};
struct placed {
    double x, y; // of the text's left end, on its baseline
    bool away;   // so far from its point that a line should lead there
};

void place_block(struct placer *p, double left, double top, double right, double bottom);
bool place_is_free(const struct placer *p, double left, double top, double right, double bottom);
// Beside the point, else above or below; what is chosen is taken from then on.
struct placed place_text(struct placer *p, double x, double y, double width);
// About how many pixels a text of the drawings takes.
double place_width(const char *s, double font_px);

#endif
