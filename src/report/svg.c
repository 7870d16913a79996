// The roofline of a case with every level of memory: plain SVG 1.1 with classes; the page's style sheet
// or the one inside a stand-alone file colours it.
// Without arithmetic the instruction roofline is drawn (Ding and Williams, PMBS 2019): warp
// instructions in place of flops.
// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"
#include "report/place.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 760, HEIGHT = 420, LEFT = 64, RIGHT = 20, TOP = 16, BOTTOM = 46, LEVELS_MAX = 4 };

static const double decade = 10.0;

/* ---- what is drawn ------------------------------------------------------------------------------ */

struct level { // a memory level: its bytes per nanosecond
    const char *name;
    double gbps;
    const char *source; // of the rate: "measured by ridge probe, …", a data sheet
};
struct roof { // a unit: its operations per nanosecond
    const char *name;
    double per_ns;
    const char *source;
};
struct roofline {
    struct level levels[LEVELS_MAX];
    int level_count;
    struct roof roofs[LEVELS_MAX];
    int roof_count;
    bool flops;                      // else warp instructions
    double left, right, bottom, top; // log10
    struct placer labels;
};

static const struct bound *bound_of(const struct result *r, const char *resource)
{
    for (int i = 0; r->diagnosed && i < r->diagnosis.bound_count; i++)
        if (same_text(resource_name(r->diagnosis.bounds[i].resource), resource))
            return &r->diagnosis.bounds[i];
    return NULL;
}

static double operations(const struct result *r, bool flops)
{
    if (!flops)
        return counter_number(r, COUNTER_WARP_INSTRUCTIONS);
    double sum = 0;
    static const enum counter_id parts[] = {COUNTER_FLOPS_F16, COUNTER_FLOPS_F32, COUNTER_FLOPS_F64,
                                            COUNTER_FLOPS_TENSOR};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        sum += counters_get(&r->counters, parts[i], 0);
    return sum;
}

static bool is_drawn(const struct result *r)
{
    return r->status == RESULT_OK && r->diagnosed && result_time_ns(r) > 0;
}

static void level_add(struct roofline *p, const char *name, const struct bound *b)
{
    double gbps = b ? b->rate_per_ns : 0;
    if (!(gbps > 0) || p->level_count == LEVELS_MAX)
        return;
    for (int i = 0; i < p->level_count; i++)
        if (same_text(p->levels[i].name, name)) {
            if (gbps > p->levels[i].gbps)
                p->levels[i] = (struct level){name, gbps, b->rate_source};
            return;
        }
    p->levels[p->level_count++] = (struct level){name, gbps, b->rate_source};
}

static void roof_add(struct roofline *p, const char *name, const struct bound *b, double flops)
{
    double per_ns = b ? b->rate_per_ns * flops : 0;
    if (!(per_ns > 0) || p->roof_count == LEVELS_MAX)
        return;
    for (int i = 0; i < p->roof_count; i++)
        if (same_text(p->roofs[i].name, name))
            return;
    p->roofs[p->roof_count++] = (struct roof){name, per_ns, b->rate_source};
}

static void roofs_collect(const struct report_case *c, struct roofline *p)
{
    static const struct {
        const char *resource, *name;
        double flops; // an operation
    } pipes[] = {
        {"f32", "f32 (FMA)", 2}, {"f64", "f64", 1}, {"f16", "f16", 1}, {"tensor", "tensor", 1}};
    for (int i = 0; i < c->count; i++)
        p->flops |= is_drawn(c->results[i]) && operations(c->results[i], true) > 0;
    for (int i = 0; i < c->count; i++) {
        const struct result *it = c->results[i];
        if (!is_drawn(it))
            continue;
        level_add(p, "DRAM", bound_of(it, "dram"));
        level_add(p, "L2", bound_of(it, "l2"));
        for (size_t k = 0; p->flops && k < COUNT_OF(pipes); k++)
            roof_add(p, pipes[k].name, bound_of(it, pipes[k].resource), pipes[k].flops);
        if (!p->flops)
            roof_add(p, "issue slots", bound_of(it, "issue"), 1);
    }
}

static double level_bytes(const struct result *r, const char *level)
{
    const struct bound *b = bound_of(r, same_text(level, "L2") ? "l2" : "dram");
    return b ? b->work : (double)NAN;
}

static void range_add(struct roofline *p, double x, double y)
{
    if (!isfinite(x) || !isfinite(y) || x <= 0 || y <= 0)
        return;
    p->left = fmin(p->left, log10(x) - 0.5);
    p->right = fmax(p->right, log10(x) + 0.5);
    p->bottom = fmin(p->bottom, log10(y) - 0.5);
    p->top = fmax(p->top, log10(y) + 0.3);
}

static bool range_find(const struct report_case *c, struct roofline *p)
{
    p->left = p->bottom = (double)INFINITY;
    p->right = p->top = -(double)INFINITY;
    for (int i = 0; i < c->count; i++) {
        const struct result *it = c->results[i];
        for (int l = 0; is_drawn(it) && l < p->level_count; l++)
            range_add(p, operations(it, p->flops) / level_bytes(it, p->levels[l].name),
                      operations(it, p->flops) / result_time_ns(it));
    }
    for (int i = 0; i < p->roof_count && isfinite(p->left); i++)
        for (int l = 0; l < p->level_count; l++) // the ridge points
            range_add(p, p->roofs[i].per_ns / p->levels[l].gbps, p->roofs[i].per_ns);
    return isfinite(p->left) && p->level_count > 0;
}

/* ---- drawing -------------------------------------------------------------------------------------- */

static double at_x(const struct roofline *p, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(x) - p->left) / (p->right - p->left);
}

static double at_y(const struct roofline *p, double y)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (p->top - log10(y)) / (p->top - p->bottom);
}

static void draw_axes(const struct roofline *p, struct text *out)
{
    char a[CELL_SIZE];
    double low_x = pow(decade, p->left), low_y = pow(decade, p->bottom);
    double high_x = pow(decade, p->right), high_y = pow(decade, p->top);
    for (double e = ceil(p->left); e <= p->right; e++) {
        double x = at_x(p, pow(decade, e));
        html_printf(out,
                    "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                    "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                    x, TOP, x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 16,
                    show_fixed(pow(decade, e), e < 0 ? (int)-e : 0, a));
    }
    for (double e = ceil(p->bottom); e <= p->top; e++) {
        double y = at_y(p, pow(decade, e));
        html_printf(out,
                    "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                    "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                    LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4,
                    show_fixed(pow(decade, e), e < 0 ? (int)-e : 0, a));
    }
    html_printf(out,
                "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                at_x(p, low_x), at_y(p, high_y), at_x(p, high_x) - at_x(p, low_x),
                at_y(p, low_y) - at_y(p, high_y));
    html_printf(
        out, "<text class=\"axis\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s per byte</text>\n",
        (WIDTH + LEFT) / 2, HEIGHT - 8, p->flops ? "flops" : "warp instructions");
    html_printf(out,
                "<text class=\"axis\" transform=\"translate(14 %d) rotate(-90)\" "
                "text-anchor=\"middle\">%s</text>\n",
                HEIGHT / 2, p->flops ? "Gflop/s" : "warp instructions per ns");
}

static double highest_roof(const struct roofline *p)
{
    double top = 0;
    for (int i = 0; i < p->roof_count; i++)
        top = fmax(top, p->roofs[i].per_ns);
    return top > 0 ? top : pow(decade, p->top);
}

// Where a roof's rate is from, shown when it is pointed at.
static void add_source(const char *source, struct text *out)
{
    if (!source)
        return;
    text_add(out, "<title>rate from: ");
    html_escape(out, source);
    text_add(out, "</title>");
}

enum { LABEL_PX = 11, NAME_PX = 12, POINT_RADIUS = 7 };

// A roof's or a slope's label, ended at x or begun there; false: something is in the way.
static bool label_at(struct roofline *p, double x, double y, bool end, const char *words,
                     const char *source, struct text *out)
{
    double width = place_width(words, LABEL_PX), left = end ? x - width : x;
    if (!place_is_free(&p->labels, left, y - LABEL_PX, left + width, y + 3))
        return false;
    place_block(&p->labels, left, y - LABEL_PX, left + width, y + 3);
    html_printf(out, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s", x, y,
                end ? "end" : "start", words);
    add_source(source, out);
    text_add(out, "</text>\n");
    return true;
}

// A level's slope from the left edge up to the highest roof or an edge of the frame.
static void draw_level(struct roofline *p, const struct level *l, struct text *out)
{
    char words[CELL_SIZE];
    double low = pow(decade, p->left), high = pow(decade, p->right);
    double from = fmax(low, pow(decade, p->bottom) / l->gbps);
    double to = fmin(high, highest_roof(p) / l->gbps);
    if (from >= to)
        return;
    html_printf(out, "<line class=\"slope\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                at_x(p, from), at_y(p, from * l->gbps), at_x(p, to), at_y(p, to * l->gbps));
    (void)snprintf(words, sizeof words, "%s %.0f GB/s", l->name, l->gbps);
    // Faster levels lie above: their label goes to the left of the slope, device memory's to the right.
    bool above = !same_text(l->name, "DRAM"), done = false;
    for (int i = 0; i < 18 && !done; i++) {
        double middle = from * pow(to / from, 0.95 - 0.05 * i);
        done =
            label_at(p, at_x(p, middle) + (above ? -8 : 8),
                     at_y(p, middle * l->gbps) + (above ? -4 : 14), above, words, l->source, out);
    }
}

static void draw_roof(struct roofline *p, const struct roof *f, struct text *out)
{
    char words[CELL_SIZE];
    double steepest = 0, y = at_y(p, f->per_ns);
    for (int l = 0; l < p->level_count; l++)
        steepest = fmax(steepest, p->levels[l].gbps);
    double from = fmax(pow(decade, p->left), f->per_ns / steepest);
    html_printf(out, "<line class=\"slope\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>",
                at_x(p, from), y, WIDTH - RIGHT, y);
    (void)snprintf(words, sizeof words, "%s%s", f->name, p->flops ? " peak" : "");
    bool done = false;
    for (double x = WIDTH - RIGHT - 6; x > LEFT && !done; x -= 12)
        done = label_at(p, x, y - 5, true, words, f->source, out);
}

static bool point_find(const struct roofline *p, const struct result *r, const struct level *l,
                       double *x, double *y)
{
    *x = operations(r, p->flops) / level_bytes(r, l->name);
    *y = operations(r, p->flops) / result_time_ns(r);
    return isfinite(*x) && isfinite(*y) && *x > 0 && *y > 0;
}

// Every point is in the labels' way.
static void points_block(struct roofline *p, const struct report_case *c)
{
    double x, y;
    for (int i = 0; i < c->count; i++)
        for (int l = 0; is_drawn(c->results[i]) && l < p->level_count; l++)
            if (point_find(p, c->results[i], &p->levels[l], &x, &y))
                place_block(&p->labels, at_x(p, x) - POINT_RADIUS, at_y(p, y) - POINT_RADIUS,
                            at_x(p, x) + POINT_RADIUS, at_y(p, y) + POINT_RADIUS);
}

static void draw_name(struct roofline *p, const struct result *r, double x, double y,
                      struct text *out)
{
    enum { NAME_COLUMNS = 28 };
    struct text name = {0};
    size_t columns = text_columns(show_text(r->variant));
    add_cell(&name, show_text(r->variant), columns < NAME_COLUMNS ? columns : NAME_COLUMNS, false);
    struct placed at = place_text(&p->labels, x, y, place_width(text_str(&name), NAME_PX));
    if (at.away)
        html_printf(out, "<line class=\"leader\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                    x, y, at.x > x ? at.x - 1 : at.x + place_width(text_str(&name), NAME_PX) + 1,
                    at.y - 4);
    html_printf(out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\">", at.x, at.y);
    html_escape(out, text_str(&name));
    text_add(out, "</text>");
    text_release(&name);
}

static void draw_point(struct roofline *p, const struct result *r, int number,
                       const struct level *l, struct text *out)
{
    char time[CELL_SIZE], x_text[CELL_SIZE], y_text[CELL_SIZE];
    double x, y;
    if (!point_find(p, r, l, &x, &y))
        return;
    bool dram = same_text(l->name, "DRAM");
    html_mark_begin(out, r->variant, number);
    html_printf(out, ", %s: %s %s per byte, %s per ns, %s (%s)</title>", l->name,
                show_fixed(x, 3, x_text), p->flops ? "flops" : "warp instructions",
                show_fixed(y, 2, y_text), show_time(result_time_ns(r), time),
                provenance_name(r->time.provenance));
    html_printf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>",
                dram ? "solid" : "hollow", at_x(p, x), at_y(p, y), dram ? 6 : 5);
    if (dram)
        draw_name(p, r, at_x(p, x), at_y(p, y), out);
    text_add(out, "</g>\n");
}

bool svg_roofline(const struct report_case *c, const char *style, struct text *out)
{
    struct roofline p = {.labels = {.frame = {LEFT, TOP, WIDTH - 4, HEIGHT - BOTTOM}}};
    roofs_collect(c, &p);
    if (!range_find(c, &p))
        return false;
    html_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"roofline\" viewBox=\"0 0 %d %d\" "
        "role=\"group\" aria-label=\"%s, every level of memory\">\n",
        WIDTH, HEIGHT, p.flops ? "Roofline" : "Instruction roofline");
    if (style) {
        text_add(out, "<style>");
        text_add(out, style);
        text_add(out, "</style>\n");
    }
    draw_axes(&p, out);
    points_block(&p, c);
    for (int l = 0; l < p.level_count; l++)
        draw_level(&p, &p.levels[l], out);
    for (int i = 0; i < p.roof_count; i++)
        draw_roof(&p, &p.roofs[i], out);
    for (int i = 0; i < c->count; i++)
        for (int l = p.level_count - 1; is_drawn(c->results[i]) && l >= 0; l--)
            draw_point(&p, c->results[i], i, &p.levels[l], out);
    text_add(out, "</svg>\n");
    return true;
}
