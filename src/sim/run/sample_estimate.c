// Of a judged sample of the blocks: what all of them would have counted, and how far that may be off.
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/run/sample.h"
#include "sim/run/stretch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- all that cores count, as one row -------------------------------------------------------- */

enum {
    MEMS = (int)(offsetof(struct mem_state, depth) - offsetof(struct mem_state, requests)) / 8 + 1
};

static size_t counts_size(const struct launch *l)
{
    const struct program *p = l->program;
    return 2 * p->segment_count + (size_t)p->guarded_count + 3 * (size_t)p->site_count +
           ATOMIC_PLACES * sizeof(struct atomic_heat) / sizeof(uint64_t) + p->mem_count * MEMS;
}

// Where the row has what memory accesses of a number count.
static size_t counts_of_mem(const struct launch *l, int mem)
{
    return counts_size(l) - (l->program->mem_count - (size_t)mem) * MEMS;
}

// Each piece of the core's row, in its place: adds it to `row`, or, with `put`, is taken from there.
static void core_counts(const struct launch *l, struct core *c, uint64_t *row, bool put)
{
    const struct program *p = l->program;
    const struct {
        void *at;
        size_t count;
    } pieces[] = {
        {c->segments, 2 * p->segment_count},
        {c->guarded_lanes, (size_t)p->guarded_count},
        {c->divergent, (size_t)p->site_count},
        {c->routines, 2 * (size_t)p->site_count},
        {c->atomic_heat, ATOMIC_PLACES * sizeof(struct atomic_heat) / sizeof(uint64_t)},
    };
    for (size_t i = 0; i < COUNT_OF(pieces) + p->mem_count; i++) {
        bool mem = i >= COUNT_OF(pieces);
        uint64_t *at = mem ? &c->mem[i - COUNT_OF(pieces)].requests : pieces[i].at;
        size_t count = mem ? MEMS : pieces[i].count;
        for (size_t k = 0; k < count; k++, row++) {
            *row += put ? 0 : at[k];
            at[k] = put ? *row : at[k];
        }
    }
}

static uint64_t *counts_new(const struct launch *l)
{
    uint64_t *row = xcalloc(counts_size(l) + 1, sizeof *row);
    for (int i = 0; i < l->core_count; i++)
        core_counts(l, &l->cores[i], row, false);
    return row;
}

static uint64_t *copy_of(const uint64_t *from, size_t count)
{
    uint64_t *to = xcalloc(count + 1, sizeof *to);
    memcpy(to, from, count * sizeof *to);
    return to;
}

void sample_check_keep(struct launch *l)
{
    struct sample *s = l->sample;
    size_t sites = (size_t)l->program->site_count;
    for (int i = 0; i < l->core_count; i++)
        core_settle(&l->cores[i]);
    s->checks[s->check_count++] =
        (struct sample_check){.wave = s->wave,
                              .counts = counts_new(l),
                              .site_hits = copy_of(l->site_l2_hits, sites),
                              .site_halves = copy_of(l->arrivals.site_halves, sites),
                              .dirty_bytes = l2_dirty_bytes(l->sim->l2),
                              .lines = l2_lines_used(l->sim->l2)};
}

// The last check, and the one that its window begins with: half of the waves before it.
static const struct sample_check *window_end(const struct sample *s)
{
    return &s->checks[s->check_count - 1];
}

static const struct sample_check *window_begin(const struct sample *s)
{
    int i = s->check_count - 1;
    while (i > 0 && s->checks[i].wave > window_end(s)->wave / 2)
        i--;
    return &s->checks[i];
}

/* ---- how far it may be off ------------------------------------------------------------------- */

static double missed(const struct l2_counts *c)
{
    return (double)(c->read_sectors + c->write_sectors + c->atomic_sectors) -
           (double)c->hit_sectors;
}

static double reads(const struct l2_counts *c)
{
    return (double)c->read_sectors;
}

static double fetched(const struct l2_counts *c)
{
    return (double)c->dram_read_bytes;
}

static double per_block(const struct sample *s, uint64_t from, uint64_t to,
                        double (*figure)(const struct l2_counts *c))
{
    const struct sample_wave *a = &s->ended[from - 1], *b = &s->ended[to - 1];
    return (figure(&b->l2) - figure(&a->l2)) / (double)(b->blocks - a->blocks);
}

double sample_l2_error(const struct launch *l)
{
    static double (*const figures[])(const struct l2_counts *) = {reads, missed, fetched};
    const struct sample *s = l->sample;
    uint64_t from = window_begin(s)->wave, to = window_end(s)->wave, half = (from + to + 1) / 2;
    const struct sample_wave *end = &s->ended[to - 1];
    double rest = (double)(l->grid_blocks - end->blocks), most = 0;
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        double rate = per_block(s, from, to, figures[i]),
               drift = per_block(s, half, to, figures[i]) - per_block(s, from, half, figures[i]);
        double all = figures[i](&end->l2) + rate * rest;
        // If it goes on so, the mean of the rest is off by half of what it has drifted at the end.
        double halves = (double)(end->blocks - s->ended[from - 1].blocks) / 2;
        double off = fabs(drift) * rest / halves / 2 * rest;
        if (off > 0)
            most = fmax(most, all > 0 ? off / all : (double)INFINITY);
    }
    return most;
}

// The standard error of the SMs' means, twice, of those that ran.
double sample_work_error(const struct launch *l)
{
    const struct sample *s = l->sample;
    uint64_t before = s->waves ? s->ended[s->whole_waves - 1].blocks : 0; // the rest begins
    double sum[2] = {0}, squares[2] = {0}, most = 0;
    int n = 0;
    uint64_t sms = (uint64_t)l->sm_count;
    for (int i = 0; i < l->sm_count; i++) {
        if (s->waves ? !s->sms[i].runs && !s->sms[i].ran : !sample_sm_runs(l, i))
            continue;
        uint64_t first = before + (uint64_t)i;
        double blocks =
            first < l->grid_blocks ? (double)((l->grid_blocks - first + sms - 1) / sms) : 0;
        if (blocks <= 0)
            continue;
        double of[2] = {(double)(l->sms[i].instructions - s->sms[i].instructions) / blocks,
                        (double)s->sms[i].sectors / blocks};
        for (int k = 0; k < 2; k++) {
            sum[k] += of[k];
            squares[k] += of[k] * of[k];
        }
        n++;
    }
    double rest = (double)(l->grid_blocks - before) / (double)l->grid_blocks;
    for (int k = 0; k < 2 && n > 1; k++) {
        double mean = sum[k] / n, variance = fmax(squares[k] / n - mean * mean, 0) * n / (n - 1);
        double error = sqrt(variance / n * (1 - (double)n / (double)sms));
        if (error > 1e-12 * mean)
            most = fmax(most, 2 * error / mean * rest);
    }
    return most;
}

/* ---- what all blocks would count ------------------------------------------------------------- */

static uint64_t rounded(double value)
{
    return value > 0 ? (uint64_t)llround(value) : 0;
}

static uint64_t blocks_done(const struct launch *l)
{
    uint64_t sum = 0;
    for (int i = 0; i < l->core_count; i++)
        sum += l->cores[i].blocks_done;
    return sum;
}

// Of the grid's rest what its SMs counted, as many times as it has blocks for each that ran. Into the first core.
static void counts_settle(struct launch *l, const struct sample_check *end, double times)
{
    size_t size = counts_size(l);
    uint64_t *row = counts_new(l), *none = xcalloc(size + 1, sizeof *none);
    for (size_t i = 0; i < size; i++)
        row[i] = end->counts[i] + rounded((double)(row[i] - end->counts[i]) * times);
    for (int i = 0; i < l->core_count; i++)
        core_counts(l, &l->cores[i], i == 0 ? row : none, true);
    free(none);
    free(row);
}

// Sectors that a site sends to L2, as counted up to a check, or by now.
static uint64_t sent_by(const struct launch *l, int site, const struct sample_check *check)
{
    enum {
        SENT = (offsetof(struct mem_state, l2_sectors) - offsetof(struct mem_state, requests)) / 8
    };
    int mem = l->program->sites[site].mem;
    if (mem < 0)
        return 0;
    return check != NULL ? check->counts[counts_of_mem(l, mem) + SENT]
                         : l->cores[0].mem[mem].l2_sectors;
}

// Each as often as in the last waves, for what is sent.
static void hits_settle(struct launch *l, const struct sample_check *begin,
                        const struct sample_check *end, double windows)
{
    for (int i = 0; i < l->program->site_count; i++) {
        double window = (double)(sent_by(l, i, end) - sent_by(l, i, begin)),
               rest = (double)(sent_by(l, i, NULL) - sent_by(l, i, end));
        double times = window > 0 ? rest / window : windows;
        l->site_l2_hits[i] =
            end->site_hits[i] + rounded((double)(end->site_hits[i] - begin->site_hits[i]) * times);
        l->arrivals.site_halves[i] =
            end->site_halves[i] +
            rounded((double)(end->site_halves[i] - begin->site_halves[i]) * times);
    }
}

// What stays dirty grows until L2 is full, then it is written back as fast as it comes.
static double dirty_at_end(const struct launch *l, const struct sample_check *begin,
                           const struct sample_check *end, double windows)
{
    double lines = (double)l2_lines(l->sim->l2), grown = (double)(end->lines - begin->lines);
    double until_full = grown > 0 ? fmax(lines - (double)end->lines, 0) / grown : windows;
    double more =
        ((double)end->dirty_bytes - (double)begin->dirty_bytes) * fmin(windows, until_full);
    return fmin(fmax((double)end->dirty_bytes + more, 0), (double)l2_dirty_bytes_max(l->sim->l2));
}

static void l2_settle(struct launch *l, const struct sample_check *begin,
                      const struct sample_check *end, double windows)
{
    const struct l2_counts *a = &l->sample->ended[begin->wave - 1].l2,
                           *b = &l->sample->ended[end->wave - 1].l2;
    struct l2_counts all = *b;
#define GROWS(field) all.field = b->field + rounded((double)(b->field - a->field) * windows)
    GROWS(read_sectors);
    GROWS(write_sectors);
    GROWS(copy_read_sectors);
    GROWS(atomic_sectors);
    GROWS(hit_sectors);
    GROWS(dram_read_bytes);
    GROWS(lone_written_thirds);
    GROWS(lone_merged_thirds);
#undef GROWS
    double written = (double)(b->dram_write_bytes + end->dirty_bytes),
           window = written - (double)(a->dram_write_bytes + begin->dirty_bytes);
    double dirty = dirty_at_end(l, begin, end, windows);
    all.dirty_bytes = rounded(dirty);
    all.dram_write_bytes = rounded(written + window * windows - dirty);
    l->l2 = all;
}

static void waves_settle(struct launch *l)
{
    struct sample *s = l->sample;
    const struct sample_check *begin = window_begin(s), *end = window_end(s);
    const struct sample_wave *a = &s->ended[begin->wave - 1], *b = &s->ended[end->wave - 1];
    uint64_t ran = blocks_done(l) - b->blocks, sectors = 0;
    double times = ran > 0 ? (double)(l->grid_blocks - b->blocks) / (double)ran : 0;
    for (int i = 0; i < l->sm_count; i++)
        sectors += s->sms[i].sectors;
    double window = (double)(b->sent - a->sent), rest = (double)sectors * times;
    double windows = window > 0
                         ? rest / window
                         : (double)(l->grid_blocks - b->blocks) / (double)(b->blocks - a->blocks);
    counts_settle(l, end, times);
    hits_settle(l, begin, end, windows);
    l2_settle(l, begin, end, windows);
}

/* ---- can it be judged? ----------------------------------------------------------------------- */

// The longest of the blocks that ran, as so many times the mean.
static double longest_block(const struct launch *l)
{
    uint64_t executed = 0, blocks = 0, most = 0;
    for (int i = 0; i < l->core_count; i++) {
        const struct core *c = &l->cores[i];
        executed += c->blocks_executed;
        blocks += c->blocks_done;
        most = c->block_executed_max > most ? c->block_executed_max : most;
    }
    return executed > 0 ? (double)most * (double)blocks / (double)executed : 1;
}

static enum sample_whole judge(const struct launch *l)
{
    const double longer_bound = 0.03, shared_bound = 0.02, work_bound = 0.015, again_bound = 0.05,
                 shared_most = 0.05, met_bound = 0.02;
    const struct sample *s = l->sample;
    if (s->why != SAMPLE_WHOLE_NOT)
        return s->why;
    double longer = longest_block(l) - 1, in_a_row = (double)l->grid_blocks / (double)l->sm_count;
    if (s->waves)
        return longer / in_a_row > longer_bound ? SAMPLE_WHOLE_UNLIKE : SAMPLE_WHOLE_NOT;
    if (longer > longer_bound || sample_work_error(l) > work_bound)
        return SAMPLE_WHOLE_UNLIKE;
    // What others read too, at the same time or before, comes from L2, or is on its way: how much of it does is not of those that ran.
    if (footprint_met(l) > met_bound)
        return SAMPLE_WHOLE_SHARED;
    // What is fetched beyond what is read for the first time: read again, or to be merged with what was stored.
    double fetched_first = footprint_first(l), fetched_all = (double)l->l2.dram_read_bytes;
    if (fetched_all - fetched_first > again_bound * fetched_all)
        return SAMPLE_WHOLE_SHARED;
    // Data of all blocks takes as much of a smaller L2 as of the whole one.
    double l2_bytes = (double)l2_lines(l->sim->l2) * LINE_BYTES;
    if (s->all_l2 != NULL && footprint_shared(l) > shared_most * l2_bytes)
        return SAMPLE_WHOLE_SHARED;
    return footprint_unsure(l) > shared_bound ? SAMPLE_WHOLE_SHARED : SAMPLE_WHOLE_NOT;
}

void sample_report(const struct launch *l, struct sim_report *report)
{
    const struct sim_launch *o = l->options;
    if (!o->sample_judged || !(o->sample_share > 0 && o->sample_share < 1))
        return;
    report->sample = (struct block_sample){.asked = o->sample_share,
                                           .blocks_run = (double)report->blocks_run,
                                           .blocks = (double)l->grid_blocks,
                                           .whole = l->sample_whole};
    const struct sample *s = l->sample;
    if (s == NULL)
        return;
    if (!sample_is_partial(l)) {
        report->sample.whole = SAMPLE_WHOLE_CHANGING;
        return;
    }
    report->sample.whole = judge(l);
    report->sample_fails = report->sample.whole != SAMPLE_WHOLE_NOT;
    double error = fmax(s->l2_error, sample_work_error(l));
    report->sample.error_pct = (struct figure){100 * error, PROVENANCE_MODELLED};
}

void sample_settle(struct launch *l)
{
    const struct sample *s = l->sample;
    if (s != NULL && s->waves && s->whole_waves != 0)
        waves_settle(l);
}
