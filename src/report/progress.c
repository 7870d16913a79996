// The live line of a run. What does not fit is left out from the end, but for the time left.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"

#include <math.h>

enum { BAR_LEAST = 10, BAR_MOST = 40 };

static void add_left(double left_s, struct text *out)
{
    if (left_s >= 3600)
        text_printf(out, ", %.1f h left", left_s / 3600);
    else if (left_s >= 120)
        text_printf(out, ", %.0f min left", ceil(left_s / 60));
    else if (left_s >= 0)
        text_printf(out, ", %.0f s left", ceil(left_s));
}

static void add_place(const struct run_progress *p, struct text *out)
{
    if (p->case_label && *p->case_label) {
        text_add(out, " ");
        add_name(out, p->case_label);
    }
    if (p->variant) {
        text_add(out, " ");
        add_name(out, p->variant);
    }
}

static void add_sampling(const struct sampled_now *now, struct text *out)
{
    text_printf(out, ", %zu sample%s", now->samples, plural((double)now->samples));
    if (isfinite(now->interval))
        text_printf(out, ", +-%.2g %%", 100 * now->interval);
    if (isfinite(now->sm_mhz))
        text_printf(out, ", %.0f MHz", now->sm_mhz);
}

static void add_bar(double share, size_t columns, struct text *out)
{
    size_t length = columns > BAR_MOST ? BAR_MOST : columns;
    size_t done = (size_t)(share * (double)length);
    text_add(out, " [");
    add_repeat(out, "#", done);
    add_repeat(out, ".", length - done);
    text_add(out, "]");
}

void report_progress(const struct run_progress *p, int columns, struct text *out)
{
    struct text body = {0}, left = {0};
    double share = p->share > 0 ? fmin(1, p->share) : 0;
    size_t room = columns > 20 ? (size_t)columns : 20;
    text_printf(&body, "%3.0f %%", 100 * share);
    add_place(p, &body);
    text_printf(&body, " %s", p->phase);
    if (p->now.samples > 0)
        add_sampling(&p->now, &body);
    add_left(p->left_s, &left);
    size_t used = text_columns(text_str(&body)) + left.length;
    if (used > room) {
        add_cell(out, text_str(&body), room - left.length, false);
        text_add(out, text_str(&left));
    } else {
        text_printf(out, "%s%s", text_str(&body), text_str(&left));
        if (room - used >= BAR_LEAST + 3)
            add_bar(share, room - used - 3, out);
    }
    text_release(&body);
    text_release(&left);
}
