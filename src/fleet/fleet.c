// The fleet's round: its parts are made here, one after the other, run in a worker process each, at the same time,
// and their outputs put together.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet.h"
#include "fleet/links.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 8, RUN_ALL_MOST = 16 };

static const double balanced = 0.01;
static const double memory_share = 0.95; // of a device's; drivers keep some for themselves

struct fleet {
    struct arena *arena;
    const struct fleet_request *request;
    const struct fleet_events *events;
    struct fleet_report *report;
    struct loop_request loop;
    struct experiment *experiment;
    struct whole whole;
    struct joined joined; // the round's, in memory of the first one's
    bool joining;         // it has begun
    bool
        sampled; // of equal shares on equal simulated devices one is run and stands for all; nothing is put together
    struct fleet_kept *kept; // the request's, or of this run alone
};

/* ---- devices --------------------------------------------------------------------------------------- */

static bool is_twice(const struct fleet_report *r, const struct device_info *info)
{
    for (int i = 0; i < r->device_count; i++)
        if (!info->simulated && strcmp(r->devices[i].info->id, info->id) == 0)
            return true;
    return false;
}

static bool all_simulated(const struct fleet_report *r)
{
    bool all = true;
    for (int i = 0; i < r->device_count; i++)
        all = all && r->devices[i].info->simulated;
    return all;
}

static bool find_devices(struct fleet *f, struct error *err)
{
    const char *list = f->request->devices ? f->request->devices : "auto";
    struct fleet_report *r = f->report;
    r->devices = ARENA_ARRAY(f->arena, struct fleet_device, strlen(list) + 1);
    for (const char *s = list; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
        struct device_info *info = ARENA_NEW(f->arena, struct device_info);
        const struct device_info *last =
            r->device_count ? r->devices[r->device_count - 1].info : NULL;
        const char *id = arena_strndup(f->arena, s, strcspn(s, ","));
        if (!*id)
            return fail(err, NOWHERE,
                        "option --device: '%s' names an empty device: write cuda:0,cuda:1", list);
        if (r->device_count == FLEET_DEVICES_MOST)
            return fail(err, NOWHERE, "option --device: more than %d devices", FLEET_DEVICES_MOST);
        if (last && last->simulated && strcmp(last->id, id) == 0) { // one of many
            r->devices[r->device_count++].info = last;
            continue;
        }
        if (!device_find(f->arena, id, info, err))
            return false;
        if (is_twice(r, info))
            return fail(err, NOWHERE,
                        "option --device: %s is named twice: a GPU has one share (simulated ones "
                        "may be named as often as there are to be)",
                        info->id);
        r->devices[r->device_count++].info = info;
    }
    return true;
}

// Every rank comes, with a device; this is rank 0.
static bool open_crew(struct fleet *f, struct error *err)
{
    const struct fleet_request *q = f->request;
    struct fleet_kept *kept = f->kept;
    struct device_info *infos = ARENA_ARRAY(f->arena, struct device_info, q->ranks->count);
    if (!device_find(f->arena, q->devices, &infos[0], err) ||
        !crew_open(f->arena, q->folder, q->ranks, &infos[0], &kept->crew, err))
        return false;
    for (int i = 1; i < q->ranks->count; i++)
        if (!crew_device(f->arena, &kept->crew, i, &infos[0], f->events->loop.cancel, &infos[i],
                         err))
            return false;
    kept->crew_infos = infos;
    return true;
}

static bool find_ranks(struct fleet *f, struct error *err)
{
    const struct fleet_request *q = f->request;
    struct fleet_report *r = f->report;
    if (!f->kept->crew_infos && !open_crew(f, err))
        return false;
    r->device_count = q->rank_count > 0 ? q->rank_count : q->ranks->count;
    r->devices = ARENA_ARRAY(f->arena, struct fleet_device, r->device_count);
    for (int i = 0; i < r->device_count; i++)
        r->devices[i].info = &f->kept->crew_infos[q->first_rank + i];
    return true;
}

/* ---- the job ------------------------------------------------------------------------------------------ */

// Does it run on every device, as far as the whole case says?
static bool runs_everywhere(struct fleet *f, int variant, const struct case_point *point)
{
    bool all = true;
    for (int i = 0; i < f->report->device_count && all; i++) {
        struct resolved_variant v;
        struct error ignored = {0};
        all = experiment_resolve_variant(f->arena, f->experiment, variant, point,
                                         &f->report->devices[i].info->facts, &v, &ignored) &&
              v.supported;
    }
    return all;
}

static bool choose_default(struct fleet *f, struct error *err)
{
    const struct experiment *e = f->experiment;
    struct case_point *points;
    int count = 0;
    if (!experiment_cases(f->arena, e, f->loop.overrides, f->loop.override_count, &points, &count,
                          err))
        return false;
    for (int i = 0; i < e->variant_count; i++)
        if (variant_has(&e->variants[i], LAUNCH_KERNEL) &&
            !variant_has(&e->variants[i], LAUNCH_LIBRARY) &&
            runs_everywhere(f, i, &points[count - 1]))
            f->report->variant = e->variants[i].name;
    return f->report->variant ||
           fail(err, NOWHERE,
                "no variant of '%s' with kernels of its own runs on all of these devices with %s",
                e->name, points[count - 1].label);
}

static bool choose_variant(struct fleet *f, struct error *err)
{
    const struct experiment *e = f->experiment;
    const char *asked = f->request->variant;
    f->report->variant = asked;
    for (int i = 0; i < e->variant_count && asked; i++)
        if (strcmp(e->variants[i].name, asked) == 0 && variant_has(&e->variants[i], LAUNCH_LIBRARY))
            return fail(err, e->variants[i].at,
                        "variant '%s' calls a library, which `ridge scale` does not divide: name "
                        "another one with --variant",
                        asked);
    if (!asked && !choose_default(f, err))
        return false;
    const char **variants = ARENA_ARRAY(f->arena, const char *, 1);
    variants[0] = f->report->variant;
    f->loop.variants = variants; // a kept job outlives the report
    f->loop.variant_count = 1;
    return true;
}

void fleet_forget(struct fleet_kept *kept)
{
    whole_close(&kept->whole);
    if (kept->crew.count > 0)
        crew_close(&kept->crew);
    *kept = (struct fleet_kept){0};
}

// The last case, which is the one that is divided, with the chosen variant: is it what was kept?
static bool is_kept(struct fleet *f)
{
    const struct fleet_kept *kept = f->kept;
    struct case_point *points;
    struct error ignored = {0};
    int count = 0;
    return kept->whole.state &&
           strcmp(f->experiment->variants[kept->whole.variant].name, f->report->variant) == 0 &&
           experiment_cases(f->arena, f->experiment, f->loop.overrides, f->loop.override_count,
                            &points, &count, &ignored) &&
           strcmp(points[count - 1].label, kept->whole.point->label) == 0;
}

static bool open_whole(struct fleet *f, struct error *err)
{
    struct whole *kept = &f->kept->whole;
    bool done = is_kept(f);
    if (!done) {
        whole_close(kept); // before memory is taken for the next
        done = whole_open(f->arena, &f->loop, &f->events->loop, kept, err);
    }
    f->whole = *kept;
    return done;
}

static bool open_job(struct fleet *f, struct error *err)
{
    struct fleet_report *r = f->report;
    struct fleet_kept *kept = f->kept;
    f->loop = *f->request->run;
    f->loop.device = kept->crew_infos ? kept->crew_infos[0].id : r->devices[0].info->id;
    if (!kept->experiment &&
        !experiment_load(f->arena, f->loop.experiment_path, &kept->experiment, err))
        return false;
    f->loop.experiment = f->experiment = kept->experiment;
    if (!f->experiment->split) // before anything is compiled
        return experiment_resolve_split(f->arena, f->experiment, NULL, &r->split, err);
    if (!choose_variant(f, err) || !open_whole(f, err) ||
        !experiment_resolve_split(f->arena, f->experiment, f->whole.point, &r->split, err))
        return false;
    r->experiment = f->experiment->name;
    r->case_label = f->whole.point->label;
    r->param = f->experiment->params[f->experiment->split->param].name;
    f->sampled = r->device_count > RUN_ALL_MOST && all_simulated(r) && f->kept->crew.count < 2;
    r->sampled = f->sampled;
    r->checked = f->whole.wanted != NULL && !f->sampled;
    r->seed = f->whole.seed;
    return true;
}

static bool fits(struct fleet *f, const struct fleet_device *d, uint64_t units, bool *out,
                 struct error *err)
{
    const struct resolved_split *s = &f->report->split;
    uint64_t bytes = 0, beside = s->units - units < 2 * s->halo ? s->units - units : 2 * s->halo;
    struct part_range r = {0, units, 0, units + beside};
    bool done = part_bytes(&f->whole, d->info, &r, &bytes, err);
    *out = d->info->facts.memory_bytes <= 0 ||
           (double)bytes <= memory_share * (double)d->info->facts.memory_bytes;
    return done;
}

// The most granules whose buffers fit: they grow with the units.
static bool find_limit(struct fleet *f, struct fleet_device *d, struct error *err)
{
    const struct resolved_split *s = &f->report->split;
    bool all = false;
    uint64_t low = 0, high = (s->units + s->granule - 1) / s->granule;
    if (!fits(f, d, s->units, &all, err))
        return false;
    while (!all && high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        bool enough = false;
        if (!fits(f, d, middle * s->granule, &enough, err))
            return false;
        *(enough ? &low : &high) = middle;
    }
    d->most = all ? s->units : low * s->granule;
    return all || low > 0 ||
           fail(err, NOWHERE,
                "one granule of %llu units does not fit into the memory of %s: make 'granule' of "
                "'split' smaller, or leave the device out",
                (unsigned long long)s->granule, d->info->id);
}

/* ---- a wave ------------------------------------------------------------------------------------------- */

struct runner { // a share: a worker process of ours, or another rank
    struct fleet *fleet;
    struct deal_share *share;
    struct part part;
    int threads;
    bool opened, ended, done, lost;
    int like; // sampled: the runner whose time is this one's; its own number = it is run
    struct part_run *run;  // NULL: another rank's, or it ended
    struct crew_wait wait; // another rank's
    struct error err;
};

// 0: this process works on it.
static int rank_of(const struct fleet *f, int device)
{
    return f->kept->crew.count > 1 ? f->request->first_rank + device : 0;
}

static void start_share(struct runner *r)
{
    struct fleet *f = r->fleet;
    int rank = rank_of(f, r->share->device);
    if (rank > 0) {
        r->ended = !crew_order(&f->kept->crew, rank, &r->part, &r->err);
        return;
    }
    r->run = part_start(&r->part, r->threads, f->events->loop.cancel, &r->err);
    r->ended = !r->run;
}

// Has it ended? It never waits.
static bool look_share(struct runner *r)
{
    struct fleet *f = r->fleet;
    if (r->ended)
        return true;
    if (!r->run)
        r->ended = crew_ended(&f->kept->crew, rank_of(f, r->share->device), &r->part, &r->wait,
                              &r->done, &r->lost, &r->err);
    else if (worker_ended(part_worker(r->run))) {
        r->done = part_finish(r->run, &r->lost, &r->err);
        r->run = NULL;
        r->ended = true;
    }
    return r->ended;
}

// Of another rank: it is not waited for after an interruption. Our own workers end by themselves.
static void give_up(struct runner *r)
{
    if (r->ended || r->run)
        return;
    (void)fail_as(&r->err, ERROR_SYSTEM, NOWHERE, "interrupted");
    r->ended = true;
}

// All at once, from this thread: see worker_start.
static void run_all(struct fleet *f, struct runner *runners, int count)
{
    struct worker **workers = xcalloc((size_t)count, sizeof(struct worker *));
    int left = count;
    for (int i = 0; i < count; i++)
        if (runners[i].like == i)
            start_share(&runners[i]);
        else
            runners[i].ended = true; // its time is another's
    while (left > 0) {
        bool cancelled = f->events->loop.cancel && *f->events->loop.cancel;
        left = 0;
        for (int i = 0; i < count; i++) {
            if (cancelled)
                give_up(&runners[i]);
            left += !look_share(&runners[i]);
            workers[i] = runners[i].run ? part_worker(runners[i].run) : NULL;
        }
        if (left > 0)
            workers_wait(workers, count);
    }
    free(workers);
}

// The first share of as many units on the same simulated chip; itself where all are run.
static int like_share(const struct fleet *f, const struct deal_share *shares, int share)
{
    const struct deal_share *own = &shares[share];
    for (int i = 0; i < share && f->sampled; i++)
        if (shares[i].end - shares[i].first == own->end - own->first &&
            f->report->devices[shares[i].device].info == f->report->devices[own->device].info)
            return i;
    return share;
}

static bool open_parts(struct fleet *f, struct runner *runners, struct deal_share *shares,
                       int count, struct error *err)
{
    const struct resolved_split *s = &f->report->split;
    bool ranks = f->kept->crew.count > 1;
    int threads = ranks ? 0 : cpu_count() / count;
    for (int i = 0; i < count; i++) {
        struct part_range range = part_range_of(s, shares[i].first, shares[i].end);
        const struct device_info *device = f->report->devices[shares[i].device].info;
        runners[i] = (struct runner){.fleet = f,
                                     .share = &shares[i],
                                     .threads = ranks || threads > 0 ? threads : 1,
                                     .like = like_share(f, shares, i)};
        if (runners[i].like != i)
            continue;
        runners[i].opened = true;
        bool opened = rank_of(f, shares[i].device) > 0
                          ? part_expect(&f->whole, device, &range, &runners[i].part, err)
                          : part_open(&f->whole, s, device, &range, &runners[i].part, err);
        if (!opened)
            return error_context(err, "in the share of %s", device->id);
    }
    return true;
}

static bool take_share(struct fleet *f, struct runner *runners, int number, struct error *err)
{
    struct runner *r = &runners[runners[number].like];
    struct deal_share *share = runners[number].share;
    struct fleet_device *d = &f->report->devices[share->device];
    if (!r->done && r->lost) {
        share->lost = true;
        share->why = arena_strdup(f->arena, r->err.message);
        return true;
    }
    if (!r->done) {
        *err = r->err;
        (void)error_context(err, "in the share of %s, %s", d->info->id, r->part.point.label);
        return f->request->variant
                   ? false
                   : error_context(err, "variant '%s' was chosen: --variant names another",
                                   f->report->variant);
    }
    if (r->part.time.ns.provenance == PROVENANCE_ABSENT)
        return fail(err, NOWHERE,
                    "%s has neither a clock nor a model of time, so that nothing says how much it "
                    "can take",
                    d->info->id);
    d->time = r->part.time;
    share->time_ns = r->part.time.ns.value;
    share->noise = r->part.time.noise;
    if (f->sampled)
        return true;
    joined_take(&f->joined, f->experiment, &f->report->split, f->whole.resolved, &r->part.range,
                &r->part.resolved, &r->part.outputs);
    return true;
}

static bool run_shares(void *context, struct deal_share *shares, int count, struct error *err)
{
    struct fleet *f = context;
    struct runner *runners = xcalloc((size_t)count, sizeof *runners);
    if (!f->joining && !f->sampled)
        joined_begin(f->experiment, f->whole.resolved, f->whole.inputs, &f->joined);
    f->joining = !f->sampled;
    bool done = open_parts(f, runners, shares, count, err);
    if (done)
        run_all(f, runners, count);
    for (int i = 0; i < count && done; i++)
        done = take_share(f, runners, i, err);
    for (int i = 0; i < count; i++)
        if (runners[i].opened)
            part_close(&runners[i].part);
    free(runners);
    return done;
}

// The outputs of all parts are there.
static bool end_round(void *context, int round, struct error *err)
{
    struct fleet *f = context;
    const char *wrong = NULL;
    if (!f->sampled) {
        joined_end(&f->joined, f->experiment, f->whole.resolved);
        whole_check(&f->whole, f->arena, &f->joined.outputs, &wrong);
    }
    f->joining = false;
    if (f->events->round)
        f->events->round(f->events->context, &f->report->deal.rounds[round], round);
    return !wrong || fail_as(err, ERROR_CHECK, f->experiment->split->at,
                             "the outputs of variant '%s', put together from %d device%s in round "
                             "%d: %s",
                             f->report->variant, f->report->device_count,
                             plural(f->report->device_count), round + 1, wrong);
}

/* ---- exchange ---------------------------------------------------------------------------------------- */

double fleet_exchange_ns(const struct fleet_report *r)
{
    const struct exchange_report *x = r->exchange.report;
    return x && x->done && !x->wrong[0] ? x->exchange_ns.median : (double)NAN;
}

// Why the exchange cannot be measured with these devices, in a sentence; NULL = it can.
static const char *no_exchange(struct fleet *f)
{
    const struct fleet_report *r = f->report;
    const struct deal_round *last = &r->deal.rounds[r->deal.round_count - 1];
    for (int i = 0; i < r->device_count; i++) {
        const struct device_info *info = r->devices[i].info;
        if (info->simulated && !all_simulated(r))
            return "Exchange between simulated and real devices is in none of these times.";
        if (!info->simulated && strcmp(info->backend, r->devices[0].info->backend) != 0)
            return "Exchange between devices of different vendors is not measured.";
        if (r->deal.why[i])
            return "Exchange is not measured where a device was lost.";
        if (last->turns[i].units == 0)
            return "Exchange is not measured where a device has no share.";
    }
    if (!all_simulated(r) && !device_exchanges(r->devices[0].info))
        return "Exchange is measured between NVIDIA's GPUs only.";
    if (last->waves != 1)
        return "Exchange is not measured where the job is done in several turns.";
    return NULL;
}

// The slowest connection between neighbours of the list.
static double slowest_link(struct fleet *f)
{
    const struct fleet_report *r = f->report;
    struct device_info *infos = ARENA_ARRAY(f->arena, struct device_info, r->device_count + 1);
    struct topology t;
    struct error ignored = {0};
    double slowest = (double)INFINITY;
    for (int i = 0; i < r->device_count; i++)
        infos[i] = *r->devices[i].info;
    if (!device_topology(f->arena, infos, r->device_count, &t, &ignored))
        return (double)NAN;
    for (int i = 0; i + 1 < r->device_count; i++) {
        const struct topology_pair *p = topology_find(&t, i, i + 1);
        slowest = p && p->nvlinks > 0 ? fmin(slowest, p->nvlink_gbps) : (double)NAN;
        if (isnan(slowest))
            return slowest;
    }
    return slowest;
}

// As one rank of several: this one's part is opened, of the others' their range is enough.
struct rank_exchange {
    struct fleet *fleet;
    int number, count;
};

static bool give_id(void *context, const unsigned char *id, struct error *err)
{
    const struct rank_exchange *x = context;
    return crew_exchange_give(&x->fleet->kept->crew, x->number, id, err);
}

static bool take_id(void *context, unsigned char *id, struct error *err)
{
    const struct rank_exchange *x = context;
    return crew_exchange_wait(&x->fleet->kept->crew, x->number, id, err);
}

static bool is_team_over(void *context)
{
    const struct rank_exchange *x = context;
    return crew_exchange_over(&x->fleet->kept->crew, x->number, x->count);
}

static bool exchange_as_rank(struct fleet *f, int number, const uint64_t *ends, int count,
                             struct exchange_report *out, struct error *err)
{
    struct crew *c = &f->kept->crew;
    struct rank_exchange x = {f, number, count};
    struct parts_team team = {c->rank, &x, give_id, take_id, is_team_over};
    struct part *parts = xcalloc((size_t)count + 1, sizeof *parts);
    const struct device_info *own = f->report->devices[0].info;
    bool done = true;
    for (int i = 0; i < count && done; i++) {
        struct part_range range = part_range_of(&f->report->split, i ? ends[i - 1] : 0, ends[i]);
        parts[i] = (struct part){.whole = &f->whole, .device = own, .range = range};
        if (i == c->rank)
            done = part_open(&f->whole, &f->report->split, own, &range, &parts[i], err);
    }
    done = done &&
           parts_exchange(parts, count, &f->report->split, &team, f->events->loop.cancel, out, err);
    if (!done || !out->done || out->wrong[0])
        crew_exchange_fail(c, number);
    part_close(&parts[c->rank]);
    free(parts);
    return done;
}

static void keep_slowest(struct summary *all, const struct summary *one)
{
    if (one->median > all->median)
        *all = *one;
}

// Of all ranks: each time is the slowest one's; one that could not, or has a wrong result, speaks for all.
static void merge_report(struct exchange_report *all, const struct exchange_report *one, int rank)
{
    if (one->wrong[0] && !all->wrong[0])
        (void)snprintf(all->wrong, sizeof all->wrong, "rank %d: %.400s", rank, one->wrong);
    if (!one->done && (all->done || all->stopped) && !one->wrong[0]) {
        (void)snprintf(all->why, sizeof all->why, "rank %d: %.400s", rank, one->why);
        all->stopped = one->stopped;
    }
    all->done = all->done && one->done;
    keep_slowest(&all->compute_ns, &one->compute_ns);
    keep_slowest(&all->exchange_ns, &one->exchange_ns);
    keep_slowest(&all->together_ns, &one->together_ns);
    if (one->half_halo_ns > all->half_halo_ns)
        all->half_halo_ns = one->half_halo_ns;
    for (int i = 0; i < all->link_count && i < one->link_count; i++) {
        struct exchange_link *l = &all->links[i];
        l->there_ns = fmax(l->there_ns, one->links[i].there_ns);
        l->back_ns = fmax(l->back_ns, one->links[i].back_ns);
        l->both_ns = fmax(l->both_ns, one->links[i].both_ns);
    }
}

// Rank 0's: all ranks that have a share take part.
static bool run_between_ranks(struct fleet *f, struct exchange_report *out, struct error *err)
{
    const struct fleet_report *r = f->report;
    const struct deal_round *last = &r->deal.rounds[r->deal.round_count - 1];
    struct crew *c = &f->kept->crew;
    uint64_t *ends = ARENA_ARRAY(f->arena, uint64_t, r->device_count + 1);
    int number = 0;
    for (int i = 0; i < r->device_count; i++)
        ends[i] = (i ? ends[i - 1] : 0) + last->turns[i].units;
    if (!crew_exchange_start(c, ends, r->device_count, &number, err) ||
        !exchange_as_rank(f, number, ends, r->device_count, out, err))
        return false;
    for (int i = 1; i < r->device_count; i++) {
        struct exchange_report one = {0};
        struct error why = {0};
        if (!crew_exchange_take(c, i, f->events->loop.cancel, &one, &why))
            (void)snprintf(one.why, sizeof one.why, "%.400s", why.message);
        merge_report(out, &one, i);
    }
    out->done = out->done || out->wrong[0];
    return !f->events->loop.cancel || !*f->events->loop.cancel ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
}

// The last round's shares: one for each device, in the order of the list.
static bool run_exchange(struct fleet *f, struct exchange_report *out, struct error *err)
{
    const struct fleet_report *r = f->report;
    const struct deal_round *last = &r->deal.rounds[r->deal.round_count - 1];
    struct part *parts = xcalloc((size_t)r->device_count + 1, sizeof *parts);
    uint64_t first = 0;
    int opened = 0;
    bool done = true;
    for (int i = 0; i < r->device_count && done; i++) {
        uint64_t end = first + last->turns[i].units;
        struct part_range range = part_range_of(&r->split, first, end);
        done = part_open(&f->whole, &r->split, r->devices[i].info, &range, &parts[i], err);
        opened = i + 1;
        first = end;
    }
    done = done && parts_exchange(parts, r->device_count, &r->split, NULL, f->events->loop.cancel,
                                  out, err);
    for (int i = 0; i < opened; i++)
        part_close(&parts[i]);
    free(parts);
    return done;
}

static bool find_links(struct fleet *f, struct links *out, const char **why, struct error *err)
{
    const struct fleet_report *r = f->report;
    const struct device_info **infos =
        ARENA_ARRAY(f->arena, const struct device_info *, r->device_count);
    for (int i = 0; i < r->device_count; i++)
        infos[i] = r->devices[i].info;
    return links_of(f->arena, infos, r->device_count, out, why, err);
}

static struct summary modelled(double time_ns)
{
    return (struct summary){.median = time_ns, .low = time_ns, .high = time_ns};
}

// By the last round's shares: kernels as long as the longest, the exchange by a model, both at once as long as the longer.
static void model_exchange(struct fleet *f, const struct links *l, struct exchange_report *out)
{
    const struct fleet_report *r = f->report;
    const struct deal_round *last = &r->deal.rounds[r->deal.round_count - 1];
    struct part *parts = xcalloc((size_t)r->device_count, sizeof *parts);
    struct exchange_plan plan;
    uint64_t first = 0;
    *out = (struct exchange_report){.done = true, .modelled = true, .half_halo_ns = (double)NAN};
    for (int i = 0; i < r->device_count; i++) {
        parts[i] =
            (struct part){.whole = &f->whole,
                          .range = part_range_of(&r->split, first, first + last->turns[i].units)};
        first += last->turns[i].units;
    }
    parts_exchange_plan(parts, r->device_count, &r->split, &plan, out);
    double exchange_ns = links_exchange_ns(l, &plan.all);
    out->compute_ns = modelled(last->time_ns);
    out->exchange_ns = modelled(exchange_ns);
    out->together_ns = modelled(fmax(last->time_ns, exchange_ns));
    if (plan.has_half)
        out->half_halo_ns = links_exchange_ns(l, &plan.halved);
    exchange_plan_release(&plan);
    free(parts);
}

static bool measure_exchange(struct fleet *f, struct error *err)
{
    struct fleet_report *r = f->report;
    struct fleet_exchange *x = &r->exchange;
    x->stated = exchange_is_stated(f->experiment, &r->split);
    x->link_gbps = (double)NAN;
    if (r->device_count < 2)
        return true;
    x->why = no_exchange(f);
    if (!x->why && !x->stated)
        x->why = "The experiment's 'split' has nothing to exchange: no 'add', 'halo', 'gather', "
                 "'turn' or 'broadcast'.";
    struct links *links = ARENA_NEW(f->arena, struct links);
    bool simulated = all_simulated(r);
    if (!x->why && simulated && !find_links(f, links, &x->why, err))
        return false;
    if (x->why)
        return true;
    x->report = ARENA_NEW(f->arena, struct exchange_report);
    if (simulated) {
        x->links = links;
        model_exchange(f, links, x->report);
        return true;
    }
    bool ranks = f->kept->crew.count > 1;
    if (!(ranks ? run_between_ranks(f, x->report, err) : run_exchange(f, x->report, err)))
        return false;
    x->link_gbps = ranks ? (double)NAN : slowest_link(f);
    return !x->report->wrong[0] ||
           fail_as(err, ERROR_CHECK, f->experiment->split->at,
                   "the outputs of variant '%s' after the exchange %s: %s", r->variant,
                   exchange_way_words(x->report->by.way), x->report->wrong);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static bool deal_all(struct fleet *f, struct error *err)
{
    struct fleet_report *r = f->report;
    struct deal_ops ops = {.run = run_shares, .round = end_round};
    struct split split = {.devices = ARENA_ARRAY(f->arena, struct split_device, r->device_count),
                          .count = r->device_count,
                          .granule = r->split.granule,
                          .weight = f->request->weight,
                          .adaptive = f->request->adaptive};
    struct deal_request q = {.units = r->split.units,
                             .rounds_most = f->request->rounds_most > 0 ? f->request->rounds_most
                                                                        : ROUNDS_MOST,
                             .balanced = balanced};
    for (int i = 0; i < r->device_count; i++)
        split.devices[i].most = r->devices[i].most < r->split.units ? r->devices[i].most : 0;
    r->balanced = balanced;
    return deal_rounds(f->arena, &q, &split, &ops, f, &r->deal, err);
}

bool fleet_run(struct arena *a, const struct fleet_request *q, const struct fleet_events *events,
               struct fleet_report *out, struct error *err)
{
    struct fleet_kept own = {0};
    struct fleet f = {.arena = a,
                      .request = q,
                      .events = events,
                      .report = out,
                      .kept = q->kept ? q->kept : &own};
    *out = (struct fleet_report){0};
    bool done = (q->ranks ? find_ranks(&f, err) : find_devices(&f, err)) && open_job(&f, err);
    if (done && q->ranks)
        done = crew_start(&f.kept->crew,
                          &(struct crew_job){.seed = f.whole.seed,
                                             .variant = out->variant,
                                             .overrides = f.loop.overrides,
                                             .override_count = f.loop.override_count},
                          err);
    for (int i = 0; i < out->device_count && done; i++)
        if (i > 0 && out->devices[i].info == out->devices[i - 1].info)
            out->devices[i].most = out->devices[i - 1].most;
        else
            done = find_limit(&f, &out->devices[i], err);
    done = done && deal_all(&f, err);
    if (f.joined.sums)
        joined_release(&f.joined, f.whole.resolved);
    done = done && measure_exchange(&f, err);
    fleet_forget(&own);
    return done;
}

/* ---- as another rank -------------------------------------------------------------------------------------- */

// The order's job: the one that is open, or the next, whose inputs follow from its seed.
static bool serve_job(struct fleet *f, const struct crew_order *order, struct loop_request *run,
                      struct fleet_request *request, int *open, struct error *err)
{
    struct crew_job job;
    if (order->job == *open)
        return true;
    if (!crew_read_job(f->arena, &f->kept->crew, order->job, &job, err))
        return false;
    *open = order->job;
    if (f->kept->whole.state && f->kept->whole.seed != job.seed)
        whole_close(&f->kept->whole);
    run->seed = job.seed;
    run->has_seed = true;
    run->overrides = job.overrides;
    run->override_count = job.override_count;
    request->variant = job.variant;
    return open_job(f, err);
}

static bool serve_order(struct fleet *f, const struct crew_order *order, struct error *err)
{
    struct part part;
    struct part_range range = part_range_of(&f->report->split, order->first, order->end);
    struct error why = {0};
    bool lost = false;
    bool done =
        part_open(&f->whole, &f->report->split, f->report->devices[0].info, &range, &part, &why) &&
        part_run(&part, 0, f->events->loop.cancel, &lost, &why);
    bool answered = crew_answer(&f->kept->crew, &part, done, lost, &why, err);
    part_close(&part);
    return answered;
}

static bool serve_exchange(struct fleet *f, const struct crew_order *order, struct error *err)
{
    struct exchange_report report = {0};
    struct error why = {0};
    if (!exchange_as_rank(f, order->exchange, order->ends, order->count, &report, &why))
        (void)snprintf(report.why, sizeof report.why, "%.400s", why.message);
    return crew_exchange_answer(&f->kept->crew, &report, err);
}

bool fleet_serve(struct arena *a, const struct fleet_request *q, const struct fleet_events *events,
                 struct error *err)
{
    struct fleet_kept kept = {0};
    struct fleet_report report = {.devices = ARENA_ARRAY(a, struct fleet_device, 1),
                                  .device_count = 1};
    struct device_info own;
    struct loop_request run = *q->run;
    struct fleet_request request = *q;
    struct fleet f = {
        .arena = a, .request = &request, .events = events, .report = &report, .kept = &kept};
    struct crew_order order;
    int open = -1; // the job's number
    bool over = false;
    report.devices[0].info = &own;
    request.run = &run;
    bool done = device_find(a, q->devices, &own, err) &&
                crew_open(a, q->folder, q->ranks, &own, &kept.crew, err);
    while (done && !over)
        done = crew_wait_order(a, &kept.crew, events->loop.cancel, &order, &over, err) &&
               (over || (serve_job(&f, &order, &run, &request, &open, err) &&
                         (order.exchange >= 0 ? serve_exchange(&f, &order, err)
                                              : serve_order(&f, &order, err))));
    fleet_forget(&kept);
    return done;
}
