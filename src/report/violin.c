// The samples of a case's variants: a violin each on one scale, which is the difference from the
// variant's own median, so that a slow and a fast variant show how steady they are alike. Median, its
// 95 % interval, the middle 80 %, and every sample (of many, some) as a tick.
// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"

#include <math.h>

enum {
    WIDTH = 860,
    LEFT = 170,
    RIGHT = 250,
    ROW = 46,
    HALF = 17, // of a violin's height
    FOOT = 40,
    POINTS = 97,
    TICKS_MAX = 300
};
static const double spans = 1.0; // beyond that many times the middle 80 % a sample is counted
static const double least_percent = .1; // of the scale, either side
static const double hundred = 100.0;

static bool is_drawn(const struct result *r)
{
    return r->time.provenance != PROVENANCE_ABSENT && r->time.samples_ns &&
           r->time.summary.count > 1 && r->time.summary.median > 0;
}

static double percent_of(const struct result *r, double ns)
{
    return hundred * (ns / r->time.summary.median - 1);
}

// The furthest that this variant needs, in percent of its median.
static double reach(const struct result *r)
{
    const struct summary *s = &r->time.summary;
    double middle = spans * (s->p90 - s->p10);
    double low = fmax(s->min, fmin(s->p10 - middle, s->low));
    double high = fmin(s->max, fmax(s->p90 + middle, s->high));
    return fmax(fabs(percent_of(r, low)), fabs(percent_of(r, high)));
}

// The next of 1, 2, 5, 10 …, so that the ticks are round.
static double rounded(double percent)
{
    double decade = pow(10, floor(log10(percent))), digit = percent / decade;
    return decade * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static double at_x(double percent, double scale)
{
    double half = (WIDTH - LEFT - RIGHT) / 2.0;
    return LEFT + half + half * fmax(-1, fmin(1, percent / scale));
}

static void draw_axis(double scale, int rows, struct text *out)
{
    int bottom = rows * ROW;
    for (int i = -2; i <= 2; i++) {
        double percent = i * scale / 2, x = at_x(percent, scale);
        html_printf(
            out,
            "<line class=\"grid\" x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%d\"/>"
            "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%+.3g %%</text>\n",
            x, x, bottom, x, bottom + 16, percent);
    }
    html_printf(out,
                "<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">against the "
                "variant's own median</text>\n",
                at_x(0, scale), bottom + 34);
}

static void draw_body(const struct result *r, double scale, double y, struct text *out)
{
    double at[POINTS], density[POINTS];
    const struct summary *s = &r->time.summary;
    for (int i = 0; i < POINTS; i++)
        at[i] = s->median * (1 + scale * (2.0 * i / (POINTS - 1) - 1) / hundred);
    stats_density(r->time.samples_ns, s->count, at, POINTS, density);
    text_add(out, "<path class=\"violin\" d=\"");
    for (int i = 0; i < POINTS; i++)
        html_printf(out, "%c%.1f %.1f", i ? 'L' : 'M', at_x(percent_of(r, at[i]), scale),
                    y - HALF * density[i]);
    for (int i = POINTS - 1; i >= 0; i--)
        html_printf(out, "L%.1f %.1f", at_x(percent_of(r, at[i]), scale), y + HALF * density[i]);
    text_add(out, "Z\"/>");
}

// Of many samples, some at even steps in the order they were taken. The number beyond the scale.
static size_t draw_samples(const struct result *r, double scale, double y, struct text *out)
{
    size_t count = r->time.summary.count, step = 1 + (count - 1) / TICKS_MAX, beyond = 0;
    text_add(out, "<path class=\"sample\" d=\"");
    for (size_t i = 0; i < count; i++) {
        double percent = percent_of(r, r->time.samples_ns[i]);
        beyond += fabs(percent) > scale;
        if (i % step == 0 && fabs(percent) <= scale)
            html_printf(out, "M%.1f %.1fv6", at_x(percent, scale), y - 3);
    }
    text_add(out, "\"/>");
    return beyond;
}

static void draw_row(const struct result *r, double scale, int row, int number, struct text *out)
{
    char median[CELL_SIZE], low[CELL_SIZE], high[CELL_SIZE], min[CELL_SIZE], max[CELL_SIZE];
    const struct summary *s = &r->time.summary;
    double y = row * ROW + ROW / 2.0;
    double x_low = at_x(percent_of(r, s->low), scale), x_high = at_x(percent_of(r, s->high), scale);
    html_mark_begin(out, r->variant, number);
    html_printf(out,
                ": median %s, 95 %% interval %s to %s, %zu samples from %s to %s (%s)</title>"
                "<rect class=\"hit\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                show_time(s->median, median), show_time(s->low, low), show_time(s->high, high),
                s->count, show_time(s->min, min), show_time(s->max, max),
                provenance_name(r->time.provenance), row * ROW, WIDTH, ROW);
    struct text name = {0};
    add_cell(&name, r->variant, 24, false);
    html_printf(out, "<text class=\"name\" x=\"4\" y=\"%.1f\">", y + 4);
    html_escape(out, text_str(&name));
    text_release(&name);
    text_add(out, "</text>");
    draw_body(r, scale, y, out);
    size_t beyond = draw_samples(r, scale, y, out);
    html_printf(out,
                "<line class=\"middle\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<rect class=\"interval\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\"/>"
                "<line class=\"median\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                at_x(percent_of(r, s->p10), scale), y, at_x(percent_of(r, s->p90), scale), y, x_low,
                y - 8, fmax(1, x_high - x_low), at_x(0, scale), y - HALF, at_x(0, scale), y + HALF);
    html_printf(out, "<text class=\"label\" x=\"%d\" y=\"%.1f\">%s -%.2g/+%.2g %%, %zu samples",
                WIDTH - RIGHT + 12, y, median, -percent_of(r, s->low), percent_of(r, s->high),
                s->count);
    if (beyond > 0)
        html_printf(out, "</text><text class=\"label\" x=\"%d\" y=\"%.1f\">%zu beyond the scale",
                    WIDTH - RIGHT + 12, y + 13, beyond);
    text_add(out, "</text></g>\n");
}

bool svg_violins(const struct report_case *c, struct text *out)
{
    double scale = least_percent;
    int rows = 0, row = 0;
    for (int i = 0; i < c->count; i++)
        if (is_drawn(c->results[i])) {
            scale = fmax(scale, reach(c->results[i]));
            rows++;
        }
    if (rows == 0)
        return false;
    scale = rounded(scale);
    html_printf(out,
                "<svg class=\"violins\" viewBox=\"0 0 %d %d\" role=\"group\" "
                "aria-label=\"Distributions of the samples\"><desc>A violin per variant: how often "
                "each time was taken, as the difference from that variant's median. Bar: the "
                "median's 95 %% interval. Thin line: the middle 80 %%.</desc>\n",
                WIDTH, rows * ROW + FOOT);
    draw_axis(scale, rows, out);
    for (int i = 0; i < c->count; i++)
        if (is_drawn(c->results[i]))
            draw_row(c->results[i], scale, row++, i, out);
    text_add(out, "</svg>\n");
    return true;
}
