// ridge_watch_*: regions of a program in production. A pass is timed only when what timing cost so far allows it; the
// figures go to a file in Prometheus' text format, for the node exporter's textfile collector.
// SPDX-License-Identifier: Apache-2.0
#include "api/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REGIONS_MOST = 64, REGIONS_LIMIT = 4096, NEWEST = 63, NAME_BYTES = 64 };

static const double overhead_default = 0.01, write_default_s = 10, ns_per_s = 1e9;

struct tally { // of a region
    char name[NAME_BYTES];
    uint64_t passes, timed;
    uint64_t next_ns; // not timed before
    double total_ns, newest_ns[NEWEST];
};
struct ridge_watch {
    struct ridge *owner;
    char *textfile; // NULL = none
    double overhead, write_every_ns;
    struct tally *regions; // the last is "other"
    int count, most;
    struct tally *open; // between begin and end; NULL = none
    bool timing;        // that pass is timed
    struct ridge_result mark;
    enum provenance provenance;
    uint64_t opened_ns, written_ns, began_ns;
    double spent_ns; // in timed passes' begin and end, and in writing
};

/* ---- regions ------------------------------------------------------------------------------------------------ */

// One that is new gets a place, or is one of the others.
static struct tally *find(struct ridge_watch *w, const char *name)
{
    for (int i = 0; i < w->count; i++)
        if (strncmp(w->regions[i].name, name, NAME_BYTES - 1) == 0)
            return &w->regions[i];
    if (w->count == w->most)
        return &w->regions[w->most];
    struct tally *x = &w->regions[w->count++];
    (void)snprintf(x->name, sizeof x->name, "%s", name);
    return x;
}

// A timed pass that cost so much: the region's next is so far off that all regions' together stay within the share.
static void pay(struct ridge_watch *w, struct tally *x, double cost_ns, uint64_t now_ns)
{
    w->spent_ns += cost_ns;
    x->next_ns = now_ns + (uint64_t)(cost_ns * (w->count + 1) / w->overhead);
}

// The time as of the system's last tick: milliseconds old, and many times cheaper than clock_ns().
static uint64_t tick_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * (uint64_t)ns_per_s + (uint64_t)t.tv_nsec;
}

// An overhead of 1 is no limit: every pass, also of a program that is shorter than a tick of that clock.
static bool is_due(const struct ridge_watch *w, const struct tally *x, uint64_t now_ns)
{
    bool allowed =
        w->overhead >= 1 || (now_ns >= x->next_ns &&
                             w->spent_ns <= w->overhead * ((double)now_ns - (double)w->opened_ns));
    return allowed && !w->owner->open && !w->owner->recording;
}

/* ---- the file ------------------------------------------------------------------------------------------------- */

static void add_label(struct text *out, const char *s)
{
    for (; *s; s++)
        if (*s == '\n')
            text_add(out, "\\n");
        else if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else
            text_printf(out, "%c", *s);
}

static double median_of(const struct tally *x)
{
    size_t n = x->timed < NEWEST ? (size_t)x->timed : NEWEST;
    return n ? stats_quantile(x->newest_ns, n, 0.5) : (double)NAN;
}

static double overhead_of(const struct ridge_watch *w)
{
    double since = (double)(clock_ns() - w->opened_ns);
    return since > 0 ? w->spent_ns / since : 0;
}

static void add_line(const struct ridge_watch *w, const char *metric, const struct tally *x,
                     double value, struct text *out)
{
    if (isnan(value))
        return;
    text_printf(out, "%s{region=\"", metric);
    add_label(out, x->name);
    text_add(out, "\",device=\"");
    add_label(out, w->owner->info.id);
    text_printf(out, "\",provenance=\"%s\"} %.17g\n", provenance_name(w->provenance), value);
}

static double figure_passes(const struct tally *x)
{
    return (double)x->passes;
}

static double figure_timed(const struct tally *x)
{
    return (double)x->timed;
}

static double figure_total(const struct tally *x)
{
    return x->total_ns / ns_per_s;
}

static double figure_median(const struct tally *x)
{
    return median_of(x) / ns_per_s;
}

static void add_metrics(const struct ridge_watch *w, struct text *out)
{
    static const struct {
        const char *name, *kind, *help;
        double (*figure)(const struct tally *x);
    } metrics[] = {
        {"ridge_region_passes_total", "counter", "Passes of the region.", figure_passes},
        {"ridge_region_timed_passes_total", "counter", "Passes that were timed.", figure_timed},
        {"ridge_region_time_seconds_total", "counter", "Device time of the passes that were timed.",
         figure_total},
        {"ridge_region_median_seconds", "gauge",
         "Median device time of the newest 63 passes that were timed.", figure_median},
    };
    for (size_t i = 0; i < COUNT_OF(metrics); i++) {
        text_printf(out, "# HELP %s %s\n# TYPE %s %s\n", metrics[i].name, metrics[i].help,
                    metrics[i].name, metrics[i].kind);
        for (int k = 0; k <= w->most; k++)
            if (w->regions[k].passes > 0)
                add_line(w, metrics[i].name, &w->regions[k], metrics[i].figure(&w->regions[k]),
                         out);
    }
    text_printf(
        out,
        "# HELP ridge_region_overhead_ratio Share of the program's time that timing took or "
        "waited.\n# TYPE ridge_region_overhead_ratio gauge\n"
        "ridge_region_overhead_ratio %.6g\n",
        overhead_of(w));
}

static bool write_file(const struct ridge_watch *w, const char *file, struct error *err)
{
    struct text out = {0};
    add_metrics(w, &out);
    bool done = file_write(file, out.data, out.length, err);
    text_release(&out);
    return done;
}

// A file that cannot be written now is for the next time: the program's work goes on.
static void write_due(struct ridge_watch *w, uint64_t now_ns)
{
    struct error ignored = {0};
    if (!w->textfile || (double)now_ns - (double)w->written_ns < w->write_every_ns)
        return;
    uint64_t began_ns = clock_ns();
    (void)!write_file(w, w->textfile, &ignored);
    w->written_ns = clock_ns();
    w->spent_ns += (double)(w->written_ns - began_ns);
}

/* ---- the functions ------------------------------------------------------------------------------------------- */

int ridge_watch_open(struct ridge *r, const struct ridge_watch_options *options,
                     struct ridge_watch **out)
{
    const struct ridge_watch_options o = options ? *options : (struct ridge_watch_options){0};
    struct error err = {0};
    if (!api_need(r, "ridge_watch_open", "the device", &err) ||
        !api_need(out, "ridge_watch_open", "out", &err))
        return api_end(false, &err);
    *out = NULL;
    if (!(o.overhead >= 0 && o.overhead <= 1) || !(o.write_every_s >= 0) || o.regions_max < 0 ||
        o.regions_max > REGIONS_LIMIT)
        return api_end(fail(&err, NOWHERE,
                            "ridge_watch_open: overhead %g, write_every_s %g, regions_max %d: a "
                            "share up to 1, seconds, and up to %d regions",
                            o.overhead, o.write_every_s, o.regions_max, REGIONS_LIMIT),
                       &err);
    struct ridge_watch *w = xcalloc(1, sizeof *w);
    w->owner = r;
    w->most = o.regions_max > 0 ? o.regions_max : REGIONS_MOST;
    w->regions = xcalloc((size_t)w->most + 1, sizeof *w->regions);
    (void)snprintf(w->regions[w->most].name, NAME_BYTES, "other");
    w->textfile = o.textfile ? xstrdup(o.textfile) : NULL;
    w->overhead = o.overhead > 0 ? o.overhead : overhead_default;
    w->write_every_ns = (o.write_every_s > 0 ? o.write_every_s : write_default_s) * ns_per_s;
    w->provenance = r->device->ops->clock ? PROVENANCE_MEASURED : PROVENANCE_MODELLED;
    w->mark = (struct ridge_result){.owner = r, .ledger = &r->ledger, .name = "a watched region"};
    w->opened_ns = w->written_ns = tick_ns();
    *out = w;
    return RIDGE_OK;
}

static bool begin_timed(struct ridge_watch *w, struct tally *x, void *stream, struct error *err)
{
    uint64_t began_ns = clock_ns();
    w->mark.name = x->name;
    bool done = pass_begin(&w->mark, stream, err);
    w->timing = done;
    w->began_ns = clock_ns() - began_ns; // what beginning cost
    return done;
}

// A pass that is not timed makes no struct error: that alone would be half of what it costs.
int ridge_watch_begin(struct ridge_watch *w, const char *region, void *stream)
{
    if (w && region && !w->open) {
        uint64_t now_ns = tick_ns();
        struct tally *x = find(w, region);
        x->passes++;
        w->open = x;
        if (!is_due(w, x, now_ns)) {
            write_due(w, now_ns);
            return RIDGE_OK;
        }
        struct error err = {0};
        return api_end(begin_timed(w, x, stream, &err), &err);
    }
    struct error err = {0};
    bool named = api_need(w, "ridge_watch_begin", "the watch", &err) &&
                 api_need(region, "ridge_watch_begin", "the region's name", &err);
    return api_end(named && fail(&err, NOWHERE,
                                 "ridge_watch_begin: '%s' is not ended: regions do not nest",
                                 w->open->name),
                   &err);
}

static bool end_timed(struct ridge_watch *w, struct tally *x, void *stream, double *time_ns,
                      struct error *err)
{
    enum provenance provenance;
    uint64_t now_ns = clock_ns();
    bool done = pass_end(w->owner, stream, time_ns, &provenance, err);
    uint64_t ended_ns = clock_ns();
    w->timing = false;
    pay(w, x, (double)(w->began_ns + (ended_ns - now_ns)), ended_ns);
    if (done && !isnan(*time_ns)) {
        x->newest_ns[x->timed++ % NEWEST] = *time_ns;
        x->total_ns += *time_ns;
    }
    return done;
}

int ridge_watch_end(struct ridge_watch *w, void *stream, double *time_ns)
{
    double time = (double)NAN;
    struct tally *x = w ? w->open : NULL;
    int status = RIDGE_OK;
    if (!x || w->timing) {
        struct error err = {0};
        bool done = api_need(w, "ridge_watch_end", "the watch", &err) &&
                    (x ? end_timed(w, x, stream, &time, &err)
                       : fail(&err, NOWHERE, "ridge_watch_end: no region is begun"));
        status = api_end(done, &err);
    }
    if (w)
        w->open = NULL;
    if (time_ns)
        *time_ns = time;
    return status;
}

int ridge_watch_write(struct ridge_watch *w, const char *file)
{
    struct error err = {0};
    bool done = api_need(w, "ridge_watch_write", "the watch", &err) &&
                api_need(file, "ridge_watch_write", "the file", &err) && write_file(w, file, &err);
    return api_end(done, &err);
}

int ridge_watch_figures(const struct ridge_watch *w, const char *region, struct ridge_watched *out)
{
    struct error err = {0};
    if (!api_need(w, "ridge_watch_figures", "the watch", &err) ||
        !api_need(region, "ridge_watch_figures", "the region's name", &err) ||
        !api_need(out, "ridge_watch_figures", "out", &err))
        return api_end(false, &err);
    for (int i = 0; i <= w->most; i++) {
        const struct tally *x = &w->regions[i];
        if (x->passes > 0 && strncmp(x->name, region, NAME_BYTES - 1) == 0) {
            *out = (struct ridge_watched){x->passes, x->timed, x->total_ns, median_of(x),
                                          overhead_of(w)};
            return RIDGE_OK;
        }
    }
    return api_end(fail(&err, NOWHERE, "ridge_watch_figures: no region '%s' was passed", region),
                   &err);
}

int ridge_watch_close(struct ridge_watch *w)
{
    struct error err = {0};
    if (!w)
        return RIDGE_OK;
    bool done = !w->textfile || write_file(w, w->textfile, &err);
    free(w->textfile);
    free(w->regions);
    free(w);
    return api_end(done, &err);
}
