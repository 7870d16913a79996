// ridge gate --baseline NAME: the suite, run now, against the runs that a baseline names. Code that is the same
// under the same conditions is not run; what is too noisy to tell is sampled again, longer.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "gate/gate.h"

#include <string.h>

struct held { // an experiment of the suite, and what it is held against
    const struct run *before;
    struct loop_known known;
    const char *refused;
};
struct holding {
    struct suite_session *work;
    struct baseline baseline;
    struct held *items;
    struct gate_subject *subjects;
    struct run *now;
    int current; // the experiment at work
};

static bool is_right(const struct result *r)
{
    return r->status == RESULT_OK && (!r->checked || r->verified);
}

static void known_fill(struct holding *h, struct held *item)
{
    struct arena *a = &h->work->arena;
    struct known_work *list = ARENA_ARRAY(a, struct known_work, item->before->result_count + 1);
    for (int i = 0; i < item->before->result_count; i++) {
        const struct result *r = &item->before->results[i];
        if (is_right(r) && r->work_hash[0] && !r->conditions.throttled)
            list[item->known.count++] =
                (struct known_work){r->variant, r->case_label, r->work_hash};
    }
    item->known.items = list;
    item->known.name = arena_printf(a, "baseline %s", h->baseline.name);
}

static bool pair_up(struct holding *h, bool *any)
{
    *any = false;
    for (int i = 0; i < h->work->suite.count; i++)
        for (int k = 0; k < h->baseline.run_count; k++) {
            const struct run *run = &h->baseline.runs[k];
            if (strcmp(run->header.experiment, h->work->suite.items[i].experiment->name) != 0)
                continue;
            h->items[i].before = run;
            known_fill(h, &h->items[i]);
            *any = true;
        }
    return *any;
}

// The device, the data and the compiler are the baseline's, unless the user says others: counters depend on
// them.
static void adjust(void *context, int index, struct loop_request *q)
{
    struct holding *h = context;
    const struct options *o = h->work->o;
    const struct held *item = &h->items[index];
    h->current = index;
    q->known = &item->known;
    if (!item->before || item->before->result_count == 0)
        return;
    const struct result *first = &item->before->results[0];
    if (!option_given(o, OPTION_DEVICE))
        q->device = item->before->header.device_id;
    if (!option_given(o, OPTION_SEED)) {
        q->has_seed = true;
        q->seed = first->seed;
    }
    for (int i = 0; i < item->before->result_count && !option_given(o, OPTION_COMPILER); i++)
        if (first[i].compiler) {
            q->compiler = cli_compiler_word(&h->work->arena, first[i].compiler);
            return;
        }
}

// Before anything runs: under other conditions the same code is not the same time.
static void on_header(void *context, const struct run_header *header)
{
    struct holding *h = context;
    struct held *item = &h->items[h->current];
    const struct run now = {.header = *header};
    if (item->before)
        item->refused = gate_conditions_differ(&h->work->arena, item->before, &now);
    if (item->refused)
        item->known.count = 0;
}

static bool seed_differs(const struct run *before, const struct run *now)
{
    for (int i = 0; i < now->result_count; i++) {
        const struct result *r = &now->results[i];
        const struct result *was = run_result(before, r->variant, r->case_label);
        if (was && was->seed != r->seed)
            return true;
    }
    return false;
}

static void subjects_fill(struct holding *h)
{
    struct arena *a = &h->work->arena;
    for (int i = 0; i < h->work->view.count; i++) {
        const struct suite_run *ran = &h->work->view.runs[i];
        struct held *item = &h->items[i];
        h->subjects[i] = (struct gate_subject){.experiment = h->work->suite.items[i].experiment,
                                               .run = ran->run ? &h->now[i] : NULL,
                                               .error = ran->error,
                                               .partial = h->work->suite.items[i].partial,
                                               .before = item->before,
                                               .refused = item->refused};
        if (!ran->run || !item->before)
            continue;
        const char *differ = gate_conditions_differ(a, item->before, &h->now[i]);
        if (!differ && str_starts_with(h->now[i].header.device_id, "sim:") &&
            seed_differs(item->before, &h->now[i]))
            differ = "other data: the baseline's cases have seeds of their own; save it with "
                     "`ridge baseline save NAME SUITE`, which uses one";
        h->subjects[i].refused = differ;
    }
}

// Experiments that only the baseline has; none where a part of the suite was asked for.
static int add_gone(struct holding *h, int count)
{
    const struct options *o = h->work->o;
    struct arena *a = &h->work->arena;
    if (option_given(o, OPTION_ONLY) || option_given(o, OPTION_SHARD))
        return count;
    for (int k = 0; k < h->baseline.run_count; k++) {
        const struct run *run = &h->baseline.runs[k];
        bool there = false;
        for (int i = 0; i < h->work->suite.count; i++)
            there = there || h->items[i].before == run;
        if (there)
            continue;
        struct experiment *e = ARENA_NEW(a, struct experiment);
        e->name = run->header.experiment;
        h->subjects[count++] = (struct gate_subject){.experiment = e, .before = run, .gone = true};
    }
    return count;
}

static bool judge(struct holding *h, struct gate_report *report, struct error *err)
{
    for (int round = 0;; round++) {
        struct loop_request longer;
        bool any = false;
        subjects_fill(h);
        int count = add_gone(h, h->work->view.count);
        if (!gate_runs(&h->work->arena, h->subjects, count, report, err))
            return false;
        if (!gate_longer(&h->work->request, round, &longer))
            return true;
        for (int i = 0; i < h->work->view.count; i++)
            if (h->subjects[i].run &&
                !gate_sample_again(h->work, i, report, NULL, &longer, &h->now[i], &any, err))
                return false;
        if (!any)
            return true;
    }
}

// A baseline of another machine of the same kind is comparable, and less sharp.
static void note_host(struct holding *h, struct gate_report *report)
{
    struct arena *a = &h->work->arena;
    for (int i = 0; i < h->work->view.count; i++) {
        const struct run *now = h->work->view.runs[i].run, *before = h->items[i].before;
        if (!now || !before || str_starts_with(now->header.device_id, "sim:"))
            continue;
        const char *x = json_string_value(json_object_get(before->header.environment, "host"));
        const char *y = json_string_value(json_object_get(now->header.environment, "host"));
        if (!x || !y || strcmp(x, y) == 0)
            continue;
        const char **notes = ARENA_ARRAY(a, const char *, 1);
        notes[0] = arena_printf(a,
                                "the baseline was measured on host %s, and this is %s: machines of "
                                "one kind differ by some percent; --against REV has no such gap",
                                x, y);
        report->notes = notes;
        report->note_count = 1;
        return;
    }
}

bool gate_baseline(struct suite_session *w, const char *name, struct gate_report *report,
                   struct error *err)
{
    struct holding h = {.work = w};
    struct arena *a = &w->arena;
    bool any = false;
    bool done = cli_baseline_open(w->o, a, name, &h.baseline, err);
    int most = w->suite.count + h.baseline.run_count + 1;
    h.items = ARENA_ARRAY(a, struct held, most);
    h.subjects = ARENA_ARRAY(a, struct gate_subject, most);
    h.now = ARENA_ARRAY(a, struct run, most);
    if (done && !pair_up(&h, &any))
        done = fail_as(err, ERROR_CHECK, NOWHERE,
                       "the baseline '%s' has none of the suite's experiments, so nothing can pass",
                       name);
    w->request.uncounted = true;
    w->adjust = adjust;
    w->session.on_header = on_header;
    w->context = w->session.on_header_context = &h;
    done = done && suite_session_run(w, err);
    for (int i = 0; done && i < w->view.count; i++)
        if (w->view.runs[i].run)
            h.now[i] = *w->view.runs[i].run;
    report->baseline = arena_printf(a, "baseline %s", name);
    done = done && judge(&h, report, err);
    for (int i = 0; done && i < w->view.count; i++)
        if (w->view.runs[i].run)
            w->view.runs[i].run = &h.now[i];
    if (done)
        note_host(&h, report);
    w->adjust = NULL;
    w->session.on_header = NULL;
    cli_baseline_close(&h.baseline);
    return done;
}
