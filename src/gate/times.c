// Measured times of two runs, or two revisions in one run: is a variant slower than it was by more than is
// allowed? Each variant is one test; all of a suite are corrected together, so that the chance of one false
// alarm in the whole suite is 1 %. What is tested are the medians of blocks of samples (docs/measuring.md): a block is
// what was sampled between other variants, and two blocks of one kernel differ more than the samples of a block.
// SPDX-License-Identifier: Apache-2.0
#include "gate/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OBSERVED_MIN = 6, THINNED_MIN = 24 }; // fewer a side have no 95 % interval of the median

static const double percent = 100;
static const double alarm_level = 0.01;
static const double improved_least = 0.01;   // a share; less is not worth a word
static const double clocks_within = 0.02;    // of two runs: else they ran under other clocks
static const double independent_least = 0.5; // of the samples, or they are thinned

struct observed { // of a side: what does not depend on each other
    double *items;
    size_t count;
};
struct pair { // two sets of samples to be judged
    struct gate_entry *entry;
    const struct result *before, *now;
    double allowed; // growth, a share
    double worse_p, better_p;
};
struct judging {
    struct arena *a;
    struct gate_report *out;
    struct pair *pairs;
    int pair_count;
};

/* ---- conditions ----------------------------------------------------------------------------------------- */

// Samples taken while the chip was slowed down, or under other clocks than the other side's.
static const char *refused_pair(struct arena *a, const struct result *before,
                                const struct result *now)
{
    const struct result *const sides[] = {before, now};
    double x = before->conditions.sm_mhz, y = now->conditions.sm_mhz;
    for (size_t i = 0; i < COUNT_OF(sides); i++)
        if (sides[i]->conditions.throttled)
            return arena_printf(a, "the samples %s were taken while the chip was slowed down: %s",
                                i ? "of now" : "of the baseline", sides[i]->conditions.throttled);
    if (x > 0 && y > 0 && fabs(x / y - 1) > clocks_within)
        return arena_printf(a,
                            "the SM clock was %.0f MHz and is %.0f MHz now: lock the clocks, or "
                            "save the baseline anew",
                            x, y);
    return NULL;
}

/* ---- one pair --------------------------------------------------------------------------------------------- */

// Medians of blocks, or samples (samples_independent). Of many that depend on their neighbours all the same every k-th
// stays; where they are few there is no telling.
static struct observed observe(struct arena *a, const struct result *r)
{
    double *out = ARENA_ARRAY(a, double, r->time.summary.count + 1);
    size_t count = samples_independent(&r->time, &r->conditions, out), n = 0, step = 1;
    double independent = stats_effective_count(out, count);
    if (count >= THINNED_MIN && independent < independent_least * (double)count)
        step = (size_t)ceil((double)count / fmax(independent, OBSERVED_MIN));
    for (size_t i = 0; i < count; i += step)
        out[n++] = out[i];
    return (struct observed){out, n};
}

static double one_sided(const struct observed *now, const struct observed *before, double scale,
                        enum alternative alternative)
{
    double *y = xcalloc(before->count, sizeof *y);
    for (size_t i = 0; i < before->count; i++)
        y[i] = scale * before->items[i];
    double p = stats_mann_whitney(now->items, now->count, y, before->count, alternative).p;
    free(y);
    return p;
}

// The larger p, and an interval that holds both, where it was tested before.
static void pair_test(struct pair *p, const struct observed *now, const struct observed *before)
{
    struct gate_entry *e = p->entry;
    struct comparison c = stats_compare(before->items, before->count, now->items, now->count, 0);
    p->worse_p = fmax(p->worse_p, one_sided(now, before, 1 + p->allowed, TEST_GREATER));
    p->better_p = fmax(p->better_p, one_sided(now, before, 1, TEST_LESS));
    e->low = fmin(e->low, 1 / c.high - 1);
    e->high = fmax(e->high, 1 / c.low - 1);
}

static void pair_add(struct judging *j, struct gate_entry *e, const struct gate_tolerance *t,
                     const struct result *before, const struct result *now)
{
    struct pair *p = &j->pairs[j->pair_count++];
    double was = before->time.summary.median;
    *p = (struct pair){.entry = e,
                       .before = before,
                       .now = now,
                       .allowed = fmax(t->percent / percent, t->ns / was)};
    e->low = (double)INFINITY;
    e->high = -(double)INFINITY;
    struct observed x = observe(j->a, now), y = observe(j->a, before);
    pair_test(p, &x, &y);
    // Blocks hide what happens in each of them, like a time that jumps from launch to launch: the samples must say so too.
    struct observed all_x = {now->time.samples_ns, now->time.summary.count};
    struct observed all_y = {before->time.samples_ns, before->time.summary.count};
    pair_test(p, &all_x, &all_y);
    e->timed = true;
    e->before_samples = before->time.summary.count;
    e->after_samples = now->time.summary.count;
}

static void pair_judge(struct arena *a, const struct pair *p)
{
    struct gate_entry *e = p->entry;
    double growth = e->after_ns / e->before_ns - 1;
    e->p = p->worse_p;
    if (p->worse_p <= alarm_level && growth > p->allowed)
        e->verdict = GATE_REGRESSED;
    else if (p->better_p <= alarm_level && growth <= -improved_least)
        e->verdict = GATE_IMPROVED;
    else
        e->verdict = e->high <= p->allowed ? GATE_UNCHANGED : GATE_NOISY;
    e->why = arena_printf(
        a, "%+.2f %% (95 %% interval %+.2f to %+.2f %%), %.3g %% are allowed, %zu and %zu samples",
        percent * growth, percent * e->low, percent * e->high, percent * p->allowed,
        e->before_samples, e->after_samples);
}

static void pairs_judge(struct judging *j)
{
    double *worse = xcalloc((size_t)j->pair_count + 1, sizeof *worse);
    double *better = xcalloc((size_t)j->pair_count + 1, sizeof *better);
    for (int i = 0; i < j->pair_count; i++) {
        worse[i] = j->pairs[i].worse_p;
        better[i] = j->pairs[i].better_p;
    }
    stats_holm(worse, (size_t)j->pair_count);
    stats_holm(better, (size_t)j->pair_count);
    for (int i = 0; i < j->pair_count; i++) {
        j->pairs[i].worse_p = worse[i];
        j->pairs[i].better_p = better[i];
        pair_judge(j->a, &j->pairs[i]);
    }
    free(worse);
    free(better);
}

/* ---- entries ------------------------------------------------------------------------------------------------ */

static bool is_right(const struct result *r)
{
    return r && r->status == RESULT_OK && (!r->checked || r->verified);
}

static bool has_samples(struct arena *a, const struct result *r)
{
    return r->time.samples_ns && observe(a, r).count >= OBSERVED_MIN;
}

static struct gate_entry *entry_add(struct judging *j, const struct gate_subject *s,
                                    const struct result *r)
{
    struct gate_entry *e = &j->out->entries[j->out->count++];
    *e = (struct gate_entry){.experiment = s->experiment->name,
                             .case_label = r ? r->case_label : "",
                             .variant = r ? r->variant : "",
                             .before_ns = (double)NAN,
                             .after_ns = (double)NAN,
                             .time_provenance = PROVENANCE_MEASURED};
    return e;
}

static void conclude(struct gate_entry *e, enum gate_verdict v, const char *why)
{
    e->verdict = v;
    e->why = why;
}

static void judge_result(struct judging *j, const struct gate_subject *s, const struct result *now,
                         const struct result *before)
{
    struct gate_entry *e = entry_add(j, s, now);
    const char *refused = s->refused;
    entry_place(s, e);
    if (before && before->time.provenance != PROVENANCE_ABSENT)
        e->before_ns = before->time.summary.median;
    if (now->time.provenance != PROVENANCE_ABSENT)
        e->after_ns = now->time.summary.median;
    if (now->same_as)
        conclude(e, GATE_UNCHANGED, "the same code and launches: not run");
    else if (now->status == RESULT_SKIPPED)
        conclude(e, GATE_MISSING, now->error);
    else if (!is_right(now))
        conclude(e, GATE_BROKEN, now->error ? now->error : "the result is wrong");
    else if (!is_right(before))
        conclude(e, GATE_NEW, before ? "was not right before" : "not in the baseline");
    else if (refused || (refused = refused_pair(j->a, before, now)))
        conclude(e, GATE_REFUSED, refused);
    else if (!has_samples(j->a, now)) {
        e->sampled_little = true;
        conclude(e, GATE_NOISY, "fewer than 6 blocks of samples: sample longer (--time-limit)");
    } else if (!has_samples(j->a, before))
        conclude(e, GATE_NOISY,
                 "fewer than 6 blocks of samples in the baseline: save it anew with this ridge");
    else
        pair_add(j, e, &s->experiment->gate, before, now);
}

static const struct result *find(const struct run *r, const struct result *key)
{
    for (int i = 0; r && i < r->result_count; i++)
        if (same_words(r->results[i].variant, key->variant) &&
            same_words(r->results[i].case_label, key->case_label))
            return &r->results[i];
    return NULL;
}

static void judge_subject(struct judging *j, const struct gate_subject *s)
{
    if (!s->run && !s->gone) {
        struct gate_entry *e = entry_add(j, s, NULL);
        conclude(e, GATE_BROKEN, s->error);
        e->file = s->experiment->path;
        e->line = 1;
        return;
    }
    for (int i = 0; s->run && i < s->run->result_count; i++) {
        const struct result *now = &s->run->results[i], *before = find(s->before, now);
        // A variant that this device does not support, as before.
        if (now->status == RESULT_SKIPPED && !now->same_as && !is_right(before))
            continue;
        judge_result(j, s, now, before);
    }
    for (int i = 0; s->before && i < s->before->result_count && !s->partial; i++) {
        const struct result *before = &s->before->results[i];
        if (find(s->run, before) || !is_right(before))
            continue;
        struct gate_entry *e = entry_add(j, s, before);
        conclude(e, GATE_MISSING,
                 s->gone ? "the experiment is not in the suite any more"
                         : "the variant or the case is gone");
        e->file = s->experiment->path;
        e->line = 1;
    }
}

static bool is_simulated(const struct gate_subject *subjects, int count)
{
    for (int i = 0; i < count; i++)
        if (subjects[i].run)
            return str_starts_with(subjects[i].run->header.device_id, "sim:");
    return false;
}

// As a lock is judged, the lock being what the other runs counted. Those that cannot be compared are left out,
// and said.
static bool judge_simulated(struct arena *a, const struct gate_subject *subjects, int count,
                            struct gate_report *out, struct error *err)
{
    struct lock before, now;
    struct gate_subject *kept = ARENA_ARRAY(a, struct gate_subject, count + 1);
    for (int i = 0; i < count; i++) {
        kept[i] = subjects[i];
        if (!subjects[i].refused)
            continue;
        kept[i].run = NULL;
        kept[i].error = subjects[i].refused;
    }
    if (!lock_gather(a, kept, count, true, false, &before, err) ||
        !lock_gather(a, kept, count, false, false, &now, err) ||
        !lock_judge(a, &before, &now, kept, count, false, out, err))
        return false;
    for (int i = 0; i < out->count; i++)
        for (int k = 0; k < count; k++)
            if (subjects[k].refused &&
                same_words(subjects[k].experiment->name, out->entries[i].experiment))
                out->entries[i].verdict = GATE_REFUSED;
    gate_conclude(out);
    return true;
}

bool gate_runs(struct arena *a, struct gate_subject *subjects, int count, struct gate_report *out,
               struct error *err)
{
    int most = count;
    for (int i = 0; i < count; i++) {
        most += subjects[i].run ? subjects[i].run->result_count : 0;
        most += subjects[i].before ? subjects[i].before->result_count : 0;
    }
    out->count = 0;
    if (is_simulated(subjects, count))
        return judge_simulated(a, subjects, count, out, err);
    out->entries = ARENA_ARRAY(a, struct gate_entry, most + 1);
    struct judging j = {a, out, ARENA_ARRAY(a, struct pair, most + 1), 0};
    for (int i = 0; i < count; i++)
        judge_subject(&j, &subjects[i]);
    pairs_judge(&j);
    gate_conclude(out);
    return out->count > 0 || fail(err, NOWHERE, "nothing to judge: the suite ran nothing");
}

/* ---- a joined run --------------------------------------------------------------------------------------------- */

void gate_split(struct arena *a, const struct run *joined, const char *suffix,
                const char *before_path, struct run *now, struct run *before)
{
    const char *end = arena_printf(a, "@%s", suffix);
    struct run *const sides[] = {now, before};
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        *sides[i] = *joined;
        sides[i]->results = ARENA_ARRAY(a, struct result, joined->result_count + 1);
        sides[i]->result_count = 0;
    }
    before->header.experiment_path = before_path;
    for (int i = 0; i < joined->result_count; i++) {
        struct result r = joined->results[i];
        bool old = str_ends_with(r.variant, end);
        if (old)
            r.variant = arena_strndup(a, r.variant, strlen(r.variant) - strlen(end));
        sides[old]->results[sides[old]->result_count++] = r;
    }
}
