// What GPUs did for a program, as a page: a drawing of each stream over time, the program's ranges above, and the tables.
// A column of the drawing shows the longest piece of work in it, so the page's size has a bound.
// SPDX-License-Identifier: Apache-2.0
#include "report/html.h"
#include "report/timeline_parts.h"

#include <stdlib.h>

enum { LANES_MAX = 20, ROWS_MAX = 60, WORTH_ROWS = 10 };
enum { COLUMNS = 600, WIDTH = 1000, LANE_HEIGHT = 14, LANE_PITCH = 34, TICKS = 4 };
enum {
    COLOURS = 8,
    COLOUR_MOVES = COLOURS,
    COLOUR_COUNT
}; // the last of the eight: all other names

struct page {
    const struct timeline *timeline;
    const struct timeline_summary *sums;
};
struct column {
    int colour; // and one; 0: nothing
    uint64_t longest_ns;
};
struct lane {
    const char *label;
    struct column columns[COLUMNS];
};
struct drawing {
    struct arena *arena;
    const struct page *page;
    double span_ns;
    int *kernel_colours, *range_colours; // by name
    struct lane lanes[LANES_MAX];
    int count, left_out;
};

static double last_end_ns(const struct timeline *t)
{
    uint64_t last = 1;
    for (size_t i = 0; i < t->work.count; i++)
        last = t->work.items[i].end_ns > last ? t->work.items[i].end_ns : last;
    return (double)last;
}

// The first names have a colour each.
static void choose_colours(struct drawing *d)
{
    const struct timeline_summary *s = d->page->sums;
    size_t names = d->page->timeline->names.count;
    d->kernel_colours = ARENA_ARRAY(d->arena, int, names + 1);
    d->range_colours = ARENA_ARRAY(d->arena, int, names + 1);
    for (size_t i = 0; i < names; i++)
        d->kernel_colours[i] = d->range_colours[i] = COLOURS - 1;
    for (size_t i = 0; i < s->kernel_count && i + 1 < COLOURS; i++)
        d->kernel_colours[s->kernels[i].name] = (int)i;
    for (size_t i = 0; i < s->range_count && i + 1 < COLOURS; i++)
        d->range_colours[s->ranges[i].name] = (int)i;
}

// From and to: since the first work began. over: it hides what was there; else the longer piece stays.
static void paint(const struct drawing *d, struct lane *lane, double from_ns, double to_ns,
                  int colour, bool over)
{
    uint64_t length_ns = (uint64_t)(to_ns - from_ns);
    if (to_ns < 0 || from_ns > d->span_ns)
        return;
    from_ns = from_ns < 0 ? 0 : from_ns;
    to_ns = to_ns > d->span_ns ? d->span_ns : to_ns;
    int first = (int)(from_ns / d->span_ns * COLUMNS), last = (int)(to_ns / d->span_ns * COLUMNS);
    for (int i = first; i <= last && i < COLUMNS; i++) {
        struct column *c = &lane->columns[i];
        if (!over && c->colour > 0 && c->longest_ns >= length_ns)
            continue;
        c->longest_ns = length_ns;
        c->colour = colour + 1;
    }
}

/* ---- lanes ------------------------------------------------------------------------------------------ */

static void add_work(struct drawing *d)
{
    const struct timeline *t = d->page->timeline;
    struct track tracks[LANES_MAX];
    int first = d->count, count = 0;
    for (size_t i = 0; i < t->work.count; i++) {
        const struct work *w = &t->work.items[i];
        int most = LANES_MAX - first, at = timeline_track(tracks, &count, most, w);
        if (at == most) {
            d->left_out++;
            continue;
        }
        struct lane *lane = &d->lanes[first + at];
        if (!lane->label)
            lane->label = arena_printf(
                d->arena, "%s, stream %llu%s", timeline_device_words(d->arena, t, w->device),
                (unsigned long long)w->stream,
                t->processes.count > 1
                    ? arena_printf(d->arena, ", process %llu",
                                   (unsigned long long)t->processes.items[w->process].pid)
                    : "");
        paint(d, lane, (double)w->start_ns, (double)w->end_ns,
              work_is_kernels(w) ? d->kernel_colours[w->name] : COLOUR_MOVES, false);
    }
    d->count = first + count;
}

static int ranges_rise(const void *a, const void *b)
{
    const struct range *const *x = a, *const *y = b;
    if ((*x)->start_ns != (*y)->start_ns)
        return (*x)->start_ns < (*y)->start_ns ? -1 : 1;
    return (*x)->end_ns > (*y)->end_ns ? -1 : (*x)->end_ns < (*y)->end_ns;
}

// A lane per thread; a range within another hides it.
static void add_ranges(struct drawing *d)
{
    enum { THREADS_MAX = LANES_MAX / 3 };
    const struct timeline *t = d->page->timeline;
    const struct range **sorted = xcalloc(t->ranges.count + 1, sizeof *sorted);
    struct track threads[THREADS_MAX];
    for (size_t i = 0; i < t->ranges.count; i++)
        sorted[i] = &t->ranges.items[i];
    if (t->ranges.count > 0)
        qsort(sorted, t->ranges.count, sizeof *sorted, ranges_rise);
    for (size_t i = 0; i < t->ranges.count; i++) {
        const struct range *r = sorted[i];
        struct work as = {.process = r->process, .stream = r->thread};
        int at = timeline_track(threads, &d->count, THREADS_MAX, &as);
        if (at == THREADS_MAX) {
            d->left_out++;
            continue;
        }
        double start_ns = (double)r->start_ns - (double)t->first_ns;
        if (!d->lanes[at].label)
            d->lanes[at].label = r->thread == 0
                                     ? "ranges that any thread may end"
                                     : arena_printf(d->arena, "ranges of thread %llu",
                                                    (unsigned long long)(r->thread & UINT32_MAX));
        paint(d, &d->lanes[at], start_ns, start_ns + (double)(r->end_ns - r->start_ns),
              d->range_colours[r->name], true);
    }
    free(sorted);
}

/* ---- drawing ------------------------------------------------------------------------------------------ */

// One path per colour: neighbouring columns are one rectangle.
static void add_colour(const struct lane *lane, int colour, double y, struct text *out)
{
    const double each = (double)WIDTH / COLUMNS;
    bool begun = false;
    for (int i = 0, to; i < COLUMNS; i = to) {
        for (to = i; to < COLUMNS && lane->columns[to].colour == lane->columns[i].colour; to++)
            continue;
        if (lane->columns[i].colour != colour + 1)
            continue;
        if (!begun && colour == COLOUR_MOVES)
            html_printf(out, "<path fill=\"var(--soft)\" d=\"");
        else if (!begun)
            html_printf(out, "<path class=\"solid s%d\" d=\"", colour);
        begun = true;
        html_printf(out, "M%.4g %.0fh%.4gv%dH%.4gz", i * each, y, (to - i) * each, LANE_HEIGHT,
                    i * each);
    }
    text_add(out, begun ? "\"/>\n" : "");
}

static void add_axis(const struct drawing *d, int height, struct text *out)
{
    char cell[CELL_SIZE];
    for (int i = 0; i <= TICKS; i++) {
        double x = (double)WIDTH * i / TICKS;
        html_printf(out, "<line class=\"grid\" x1=\"%.0f\" y1=\"0\" x2=\"%.0f\" y2=\"%d\"/>", x, x,
                    height);
        html_printf(out, "<text class=\"tick\" x=\"%.0f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
                    x, height + 12,
                    i == 0       ? "start"
                    : i == TICKS ? "end"
                                 : "middle",
                    show_time(d->span_ns * i / TICKS, cell));
    }
}

static void add_legend(const struct drawing *d, struct text *out)
{
    const struct page *p = d->page;
    static const char square[] =
        "<svg width=\"10\" height=\"10\"><rect width=\"10\" height=\"10\" ";
    text_add(out, "<p>");
    for (size_t i = 0; i < p->sums->kernel_count && i + 1 < COLOURS; i++) {
        text_add(out, square);
        html_printf(out, "class=\"solid s%zu\"/></svg> <code>%.100s</code> ", i,
                    p->timeline->names.items[p->sums->kernels[i].name]);
    }
    if (p->sums->kernel_count + 1 > COLOURS) {
        text_add(out, square);
        text_add(out, "class=\"solid s7\"/></svg> other kernels ");
    }
    if (p->sums->move_count > 0) {
        text_add(out, square);
        text_add(out, "fill=\"var(--soft)\"/></svg> copies and fills");
    }
    text_add(out, "</p>\n");
    if (p->sums->range_count == 0)
        return;
    text_add(out, "<p>Ranges: ");
    for (size_t i = 0; i < p->sums->range_count && i + 1 < COLOURS; i++) {
        text_add(out, square);
        html_printf(out, "class=\"solid s%zu\"/></svg> %.100s ", i,
                    p->timeline->names.items[p->sums->ranges[i].name]);
    }
    text_add(out, "</p>\n");
}

static void add_drawing(const struct page *p, struct arena *a, struct text *out)
{
    struct drawing *d = ARENA_NEW(a, struct drawing);
    d->arena = a;
    d->page = p;
    d->span_ns = last_end_ns(p->timeline);
    choose_colours(d);
    add_ranges(d);
    add_work(d);
    int height = d->count * LANE_PITCH;
    html_printf(out,
                "<svg class=\"timeline\" viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\">"
                "<title>Work of each stream over time</title>\n",
                WIDTH, height + 16);
    add_axis(d, height, out);
    for (int i = 0; i < d->count; i++) {
        double y = i * LANE_PITCH + 16;
        html_printf(out, "<text class=\"label\" x=\"2\" y=\"%.0f\">%s</text>\n", y - 4,
                    d->lanes[i].label);
        for (int colour = 0; colour < COLOUR_COUNT; colour++)
            add_colour(&d->lanes[i], colour, y, out);
    }
    text_add(out, "</svg>\n");
    add_legend(d, out);
    text_add(out,
             "<p><small>A column shows the longest piece of work in it, and is filled if there "
             "is any. A range hides those around it. --trace FILE writes all of it for "
             "Perfetto.");
    if (d->left_out > 0)
        html_printf(out, " %d pieces of work or ranges on further tracks are not drawn.",
                    d->left_out);
    text_add(out, "</small></p>\n");
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static void add_table(const struct sheet *t, const char *caption, struct text *out)
{
    if (t->count == 0)
        return;
    html_printf(out, "<h2>%s</h2>\n<div class=\"wide\"><table><thead><tr>", caption);
    for (int i = 0; i < t->columns; i++)
        html_printf(out, "<th scope=\"col\">%s</th>", t->titles[i]);
    text_add(out, "</tr></thead><tbody>\n");
    for (int row = 0; row < t->count; row++) {
        text_add(out, "<tr>");
        for (int i = 0; i < t->columns; i++)
            html_printf(out, "<td>%.200s</td>", t->cells[row * t->columns + i]);
        text_add(out, "</tr>\n");
    }
    text_add(out, "</tbody></table></div>\n");
}

static void add_missing(struct arena *a, const struct timeline *t, struct text *out)
{
    for (size_t i = 0; i < t->processes.count; i++) {
        const struct watched_process *p = &t->processes.items[i];
        if (p->lost + p->dropped > 0)
            html_printf(out,
                        "<p>Missing of process %llu: %llu events for which the file had no room, "
                        "%llu records that CUPTI dropped.</p>\n",
                        (unsigned long long)p->pid, (unsigned long long)p->lost,
                        (unsigned long long)p->dropped);
    }
    for (size_t i = 0; i < t->processes.count; i++) {
        const char *timeless = timeline_timeless_words(a, &t->processes.items[i]);
        if (timeless)
            html_printf(out, "<p>%s</p>\n", timeless);
    }
    for (size_t i = 0; i < t->troubles.count; i++)
        html_printf(out, "<p>Not recorded: %s.</p>\n", t->troubles.items[i]);
}

static void add_body(const void *context, struct text *out)
{
    const struct page *p = context;
    struct arena a = {0};
    struct timeline_tables tables;
    timeline_tables_make(&a, p->timeline, p->sums, ROWS_MAX, WORTH_ROWS, &tables);
    text_add(out, "<header><p class=\"title\">What GPUs did for a program</p>\n<p>");
    for (size_t i = 0; i < p->timeline->processes.count && i < ROWS_MAX; i++)
        html_printf(out, "%s<code>%.200s</code>", i > 0 ? ", " : "",
                    p->timeline->processes.items[i].command);
    text_add(out, "</p></header>\n<main>\n");
    if (p->sums->device_count == 0)
        text_add(out, "<p>No GPU did anything for this program.</p>\n");
    else
        add_drawing(p, &a, out);
    add_table(&tables.devices, "GPUs, measured", out);
    if (timeline_recording_words(&a, p->sums))
        html_printf(out, "<p>%s</p>\n", timeline_recording_words(&a, p->sums));
    add_table(&tables.worth, "What to work on next, by its share of the span", out);
    if (p->sums->device_count > 0)
        html_printf(out, "<p>%s</p>\n", timeline_worth_words(&a, p->sums));
    for (size_t i = 0; i < p->sums->kernel_count; i++) {
        const char *words = timeline_no_floor_words(&a, p->timeline, &p->sums->kernels[i]);
        if (words)
            html_printf(out, "<p>%s</p>\n", words);
    }
    add_table(&tables.kernels, "Kernels by time", out);
    if (timeline_graphs_words(&a, p->sums))
        html_printf(out, "<p>%s</p>\n", timeline_graphs_words(&a, p->sums));
    add_table(&tables.moves, "Copies and fills", out);
    add_table(&tables.ranges, "Ranges of the program (NVTX)", out);
    add_table(&tables.gaps, "Longest times without work", out);
    add_missing(&a, p->timeline, out);
    text_add(out, "</main>\n");
    arena_release(&a);
}

bool report_timeline_html(const struct timeline *t, const struct timeline_summary *s,
                          struct text *out, struct error *err)
{
    struct page page = {t, s};
    return html_page("ridge capture", add_body, &page, out, err);
}
