// A small roofline. With an intensity: a log-log plot; without arithmetic (copies): each variant's
// throughput as a bar against the roof, the work's bytes over the floor's time.
// SPDX-License-Identifier: Apache-2.0
#include "report/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLOT_ROWS = 10, PLOT_COLUMNS = 60, BAR_COLUMNS = 40, NAME_COLUMNS = 15 };

static const double decade = 10.0;

static double roof_gbps(const struct result *r)
{
    return result_gbps(r) * result_time_ns(r) / r->diagnosis.floor_ns;
}

static bool is_drawn(const struct result *r)
{
    return r->status == RESULT_OK && r->diagnosed && isfinite(roof_gbps(r)) && roof_gbps(r) > 0 &&
           result_gbps(r) > 0;
}

static void add_bar(const struct result *r, double widest, const struct report_style *style,
                    struct text *out)
{
    char a[CELL_SIZE];
    double roof = roof_gbps(r);
    size_t length = (size_t)fmin(BAR_COLUMNS, round(BAR_COLUMNS * result_gbps(r) / widest));
    size_t end = (size_t)fmin(BAR_COLUMNS, round(BAR_COLUMNS * roof / widest));
    end = end < length ? length : end;
    text_add(out, "  ");
    add_cell(out, show_text(r->variant), NAME_COLUMNS, false);
    text_add(out, " ");
    add_repeat(out, style->unicode ? "\u2588" : "#", length);
    add_repeat(out, style->unicode ? "\u00b7" : ".", end - length);
    text_add(out, "|");
    add_repeat(out, " ", BAR_COLUMNS - end);
    text_printf(out, " %s GB/s", show_fixed(result_gbps(r), 0, a));
    text_printf(out, " (%s %%)\n", show_fixed(result_floor_pct(r), 0, a));
}

static void add_bars(const struct report_case *c, const struct report_style *style,
                     struct text *out)
{
    char a[CELL_SIZE];
    double widest = 0;
    for (int i = 0; i < c->count; i++) {
        if (is_drawn(c->results[i]))
            widest = fmax(widest, fmax(roof_gbps(c->results[i]), result_gbps(c->results[i])));
    }
    text_printf(out, "Roof: %s GB/s (bytes of the work over the floor's time)\n",
                show_fixed(widest, 0, a));
    for (int i = 0; i < c->count; i++) {
        if (is_drawn(c->results[i]))
            add_bar(c->results[i], widest, style, out);
    }
}

// The point's place: log10 of intensity and of the rate in Gflop/s.
static double point_x(const struct result *r)
{
    return log10(r->diagnosis.intensity);
}

static double point_y(const struct result *r, double gbps)
{
    return log10(r->diagnosis.intensity * gbps);
}

struct plot {
    double left, right, bottom, top; // log10
    char cells[PLOT_ROWS][PLOT_COLUMNS];
};

static void plot_range(const struct report_case *c, struct plot *p)
{
    p->left = p->bottom = (double)INFINITY;
    p->right = p->top = -(double)INFINITY;
    for (int i = 0; i < c->count; i++) {
        const struct result *it = c->results[i];
        if (!is_drawn(it) || !(it->diagnosis.intensity > 0))
            continue;
        p->left = fmin(p->left, floor(point_x(it)));
        p->right = fmax(p->right, floor(point_x(it)) + 1);
        p->bottom = fmin(p->bottom, floor(point_y(it, result_gbps(it))));
        p->top = fmax(p->top, floor(point_y(it, roof_gbps(it))) + 1);
    }
}

static bool is_free(const struct plot *p, int row, int column)
{
    return column >= 0 && column < PLOT_COLUMNS && row >= 0 && row < PLOT_ROWS &&
           (p->cells[row][column] == ' ' || p->cells[row][column] == '-');
}

// Letters stay readable: one whose place is taken stands beside it, in the same row if there is room.
static void plot_set(struct plot *p, double x, double y, char mark)
{
    int column = (int)((PLOT_COLUMNS - 1) * (x - p->left) / (p->right - p->left));
    int row = (int)((PLOT_ROWS - 1) * (p->top - y) / (p->top - p->bottom));
    for (int away = 0; away < PLOT_COLUMNS; away++) {
        int right = column + away, left = column - away;
        if (is_free(p, row, right) || is_free(p, row, left)) {
            p->cells[row][is_free(p, row, right) ? right : left] = mark;
            return;
        }
        if (mark == '-')
            return;
    }
}

static void plot_fill(const struct report_case *c, struct plot *p)
{
    memset(p->cells, ' ', sizeof p->cells);
    for (int i = 0; i < c->count; i++) {
        const struct result *it = c->results[i];
        if (!is_drawn(it) || !(it->diagnosis.intensity > 0))
            continue;
        // The roof through this point's floor: a slope of the bytes' rate up to its own height.
        double top = point_y(it, roof_gbps(it));
        for (int column = 0; column < PLOT_COLUMNS; column++) {
            double x = p->left + (p->right - p->left) * (column + 0.5) / PLOT_COLUMNS;
            plot_set(p, x, fmin(top, top + x - point_x(it)), '-');
        }
    }
    int drawn = 0;
    for (int i = 0; i < c->count; i++) {
        const struct result *it = c->results[i];
        if (is_drawn(it) && it->diagnosis.intensity > 0)
            plot_set(p, point_x(it), point_y(it, result_gbps(it)), (char)('a' + drawn++ % 26));
    }
}

static void add_plot(const struct report_case *c, const struct report_style *style,
                     struct text *out)
{
    struct plot p;
    char a[CELL_SIZE];
    char b[CELL_SIZE];
    plot_range(c, &p);
    plot_fill(c, &p);
    text_add(out, "Roofline: Gflop/s over flops per byte, both logarithmic; '-' is the roof\n");
    for (int row = 0; row < PLOT_ROWS; row++) {
        bool named = row == 0 || row == PLOT_ROWS - 1;
        double y = row == 0 ? p.top : p.bottom;
        add_cell(out, named ? show_count(pow(decade, y), a) : "", 8, true);
        text_add(out, style->unicode ? " \u2502" : " |");
        text_addn(out, p.cells[row], PLOT_COLUMNS);
        text_add(out, "\n");
    }
    text_printf(out, "          %s", show_fixed(pow(decade, p.left), 2, a));
    add_cell(out, show_fixed(pow(decade, p.right), 2, b), PLOT_COLUMNS - text_columns(a), true);
    text_add(out, "\n");
    int drawn = 0;
    for (int i = 0; i < c->count; i++) {
        const struct result *it = c->results[i];
        if (!is_drawn(it) || !(it->diagnosis.intensity > 0))
            continue;
        text_printf(out, "  %c %s, %s Gflop/s, %s %% of the floor\n", 'a' + drawn++ % 26,
                    show_text(it->variant), show_fixed(result_gflops(it), 0, a),
                    show_fixed(result_floor_pct(it), 0, b));
    }
}

void roofline_begin(const struct report_case *c, const struct report_out *o)
{
    bool any = false;
    bool flops = false;
    for (int i = 0; i < c->count; i++) {
        if (!is_drawn(c->results[i]))
            continue;
        any = true;
        flops = flops || c->results[i]->diagnosis.intensity > 0;
    }
    if (!any)
        return;
    text_add(o->text, "\n");
    if (flops)
        add_plot(c, o->style, o->text);
    else
        add_bars(c, o->style, o->text);
}
