// Strong and weak scaling: the job on the first device of the list, on the first two, and so on, beside what these do
// alone.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet.h"

#include <math.h>
#include <string.h>

struct scaling {
    struct arena *arena;
    const struct fleet_request *request;
    const struct fleet_events *events;
    const char **ids; // of the devices; of other ranks' from their first run on
    int count;
    struct fleet_kept kept; // most runs are of the same job
};

static const char *list_of(struct scaling *s, int first, int count)
{
    struct text list = {0};
    for (int i = 0; i < count; i++)
        text_printf(&list, "%s%s", i ? "," : "", s->ids[first + i]);
    const char *all = arena_strdup(s->arena, text_str(&list));
    text_release(&list);
    return all;
}

// Of many simulated devices not every number is run: up to 8, then 16, 32, and so on, and all.
static bool is_point(const struct scaling *s, int devices)
{
    enum { EACH_MOST = 8 };
    bool simulated = !s->request->ranks;
    for (int i = 0; i < s->count && simulated; i++)
        simulated = strncmp(s->ids[i], "sim:", 4) == 0;
    return !simulated || devices <= EACH_MOST || devices == s->count ||
           (devices & (devices - 1)) == 0;
}

// On so many devices of the list, or of the ranks.
static bool run_on(struct scaling *s, int first, int count, const struct loop_request *run,
                   int rounds, struct fleet_report *out, struct error *err)
{
    struct fleet_request q = *s->request;
    q.run = run;
    q.kept = &s->kept;
    q.rounds_most = rounds;
    if (q.ranks) {
        q.first_rank = first;
        q.rank_count = count;
        return fleet_run(s->arena, &q, s->events, out, err);
    }
    q.devices = list_of(s, first, count);
    return fleet_run(s->arena, &q, s->events, out, err);
}

static void list_devices(struct scaling *s)
{
    const char *list = s->request->devices ? s->request->devices : "auto";
    if (s->request->ranks) {
        s->count = s->request->ranks->count;
        s->ids = ARENA_ARRAY(s->arena, const char *, s->count);
        return;
    }
    s->ids = ARENA_ARRAY(s->arena, const char *, strlen(list) + 1);
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        s->ids[s->count++] = arena_strndup(s->arena, list, strcspn(list, ","));
}

// Devices of one name are one simulated chip; of ranks each is its own. -1 = it was not measured before.
static int measured_before(const struct scaling *s, int device)
{
    for (int i = 0; i < device && !s->request->ranks; i++)
        if (strcmp(s->ids[i], s->ids[device]) == 0)
            return i;
    return -1;
}

// Units per ns of each device alone.
static bool measure_alone(struct scaling *s, struct fleet_scaling *out, double *rates,
                          struct error *err)
{
    for (int i = 0; i < s->count; i++) {
        int same = measured_before(s, i);
        if (same >= 0) {
            rates[i] = rates[same];
            continue;
        }
        struct fleet_report r;
        if (!run_on(s, i, 1, s->request->run, 1, &r, err))
            return false;
        rates[i] = (double)r.split.units / r.deal.rounds[0].time_ns;
        s->ids[i] = s->request->ranks ? r.devices[0].info->id : s->ids[i];
        if (i == 0)
            out->report = r;
    }
    return true;
}

// The request with so many units in all.
static struct loop_request with_units(struct scaling *s, const char *param, uint64_t units)
{
    struct loop_request run = *s->request->run;
    const char **all = ARENA_ARRAY(s->arena, const char *, run.override_count + 1);
    for (int i = 0; i < run.override_count; i++)
        all[i] = run.overrides[i];
    all[run.override_count++] = arena_printf(s->arena, "%s=%llu", param, (unsigned long long)units);
    run.overrides = all;
    return run;
}

static bool measure_all(struct scaling *s, bool weak, struct fleet_scaling *out, struct error *err)
{
    struct arena *a = s->arena;
    double sum = 0, *rates = ARENA_ARRAY(a, double, s->count + 1);
    if (!measure_alone(s, out, rates, err))
        return false;
    uint64_t units = out->report.split.units;
    const char *param = out->report.param;
    for (int i = 0; i < s->count; i++) {
        sum += rates[i];
        if (!is_point(s, i + 1))
            continue;
        struct fleet_point *p = &out->points[out->count++];
        uint64_t all = weak ? units * (uint64_t)(i + 1) : units;
        struct loop_request run = with_units(s, param, all);
        if (!run_on(s, 0, i + 1, &run, s->request->rounds_most, &out->report, err))
            return error_context(err, "on %s", list_of(s, 0, i + 1));
        const struct deal_round *last = &out->report.deal.rounds[out->report.deal.round_count - 1];
        const struct exchange_report *x = out->report.exchange.report;
        *p = (struct fleet_point){.devices = i + 1,
                                  .added = s->ids[i],
                                  .units = all,
                                  .time_ns = last->time_ns,
                                  .ideal_ns = (double)all / sum,
                                  .imbalance = last->imbalance,
                                  .exchange_ns = fleet_exchange_ns(&out->report)};
        p->together_ns = isnan(p->exchange_ns) ? (double)NAN : x->together_ns.median;
        p->speedup = (double)all / rates[0] / p->time_ns;
        p->efficiency = p->ideal_ns / p->time_ns;
    }
    return true;
}

bool fleet_scaling_run(struct arena *a, const struct fleet_request *q,
                       const struct fleet_events *events, bool weak, struct fleet_scaling *out,
                       struct error *err)
{
    struct scaling s = {.arena = a, .request = q, .events = events};
    list_devices(&s);
    *out = (struct fleet_scaling){.weak = weak,
                                  .points = ARENA_ARRAY(a, struct fleet_point, s.count + 1)};
    bool done = measure_all(&s, weak, out, err);
    fleet_forget(&s.kept);
    return done;
}
