// The judgement of a lock, and what every gate's report stands on.
// SPDX-License-Identifier: Apache-2.0
#include "gate/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double percent = 100;

static const struct {
    const char *name, *meaning;
    bool fails;
} verdicts[] = {
#define GATE_VERDICT(id, name, fails, meaning) {name, meaning, fails},
#include "gate/verdicts.def"
#undef GATE_VERDICT
};

const char *gate_verdict_name(enum gate_verdict v)
{
    return verdicts[v].name;
}

const char *gate_verdict_meaning(enum gate_verdict v)
{
    return verdicts[v].meaning;
}

bool gate_verdict_fails(enum gate_verdict v)
{
    return verdicts[v].fails;
}

bool gate_passed(const struct gate_report *r)
{
    for (int i = 0; i < r->count; i++)
        if (gate_verdict_fails(r->entries[i].verdict))
            return false;
    return !r->distrust;
}

bool same_words(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

const struct gate_entry *gate_find(const struct gate_report *r, const char *experiment,
                                   const struct result *result)
{
    for (int i = 0; i < r->count; i++) {
        const struct gate_entry *e = &r->entries[i];
        if (same_words(e->experiment, experiment) && same_words(e->variant, result->variant) &&
            same_words(e->case_label, result->case_label))
            return e;
    }
    return NULL;
}

void gate_conclude(struct gate_report *r)
{
    struct gate_entry *ordered = xcalloc((size_t)r->count + 1, sizeof *ordered);
    int n = 0;
    memset(r->counts, 0, sizeof r->counts);
    for (int v = 0; v < GATE_VERDICT_COUNT; v++) // verdicts.def begins with those that fail
        for (int i = 0; i < r->count; i++)
            if (r->entries[i].verdict == (enum gate_verdict)v) {
                ordered[n++] = r->entries[i];
                r->counts[v]++;
            }
    if (n > 0)
        memcpy(r->entries, ordered, (size_t)n * sizeof *ordered);
    free(ordered);
}

const struct result *subject_result(const struct gate_subject *s, const char *case_label,
                                    const char *variant)
{
    for (int i = 0; s->run && i < s->run->result_count; i++) {
        const struct result *r = &s->run->results[i];
        if (same_words(r->case_label, case_label) && same_words(r->variant, variant))
            return r;
    }
    return NULL;
}

void entry_place(const struct gate_subject *s, struct gate_entry *e)
{
    const struct experiment *x = s->experiment;
    for (int i = 0; i < x->variant_count && !e->file; i++)
        if (same_words(x->variants[i].name, e->variant)) {
            e->file = x->path;
            e->line = x->variants[i].at.line;
        }
}

/* ---- a lock ------------------------------------------------------------------------------------------- */

struct locking {
    struct arena *a;
    const struct lock *committed, *fresh;
    const struct gate_subject *subjects;
    int subject_count;
    struct gate_report *out;
};

static const struct lock_entry *lock_find(const struct lock *l, const struct lock_entry *key)
{
    for (int i = 0; i < l->count; i++) {
        const struct lock_entry *e = &l->entries[i];
        if (same_words(e->experiment, key->experiment) &&
            same_words(e->case_label, key->case_label) && same_words(e->variant, key->variant))
            return e;
    }
    return NULL;
}

static const struct gate_subject *subject_find(const struct locking *g, const char *experiment)
{
    for (int i = 0; i < g->subject_count; i++)
        if (same_words(g->subjects[i].experiment->name, experiment))
            return &g->subjects[i];
    return NULL;
}

static double line_before(const struct lock_entry *before, const char *text, int figure)
{
    for (int i = 0; i < before->line_count; i++)
        if (strcmp(before->lines[i].text, text) == 0)
            return before->lines[i].value[figure];
    return 0;
}

// The line whose figure grew most. What the lock has no row for was too small to have one.
static void change_place(const struct locking *g, const struct gate_subject *s,
                         const struct lock_entry *before, const struct lock_entry *after,
                         int figure, struct gate_change *c)
{
    double most = 0;
    for (int i = 0; i < after->line_count && figure < LOCK_LINE_FIGURES; i++) {
        const struct lock_line *l = &after->lines[i];
        double was = line_before(before, l->text, figure), grown = l->value[figure] - was;
        if (grown <= most)
            continue;
        most = grown;
        c->file = run_source_path(g->a, &s->run->header, l->file);
        c->line = l->line;
        c->line_before = was;
        c->line_after = l->value[figure];
    }
}

static bool grew(double before, double after, double tolerance)
{
    return after - before > tolerance;
}

static void add_changes(const struct locking *g, const struct gate_subject *s,
                        const struct lock_entry *before, const struct lock_entry *after,
                        struct gate_entry *e)
{
    const struct gate_tolerance *t = &s->experiment->gate;
    e->changes = ARENA_ARRAY(g->a, struct gate_change, LOCK_FIGURE_COUNT + 1);
    for (int f = 0; f < LOCK_FIGURE_COUNT; f++) {
        double x = before->value[f], y = after->value[f];
        if (x == y || isnan(x) || isnan(y))
            continue;
        struct gate_change *c = &e->changes[e->change_count++];
        *c = (struct gate_change){.name = lock_rows[f].name,
                                  .unit = lock_rows[f].unit,
                                  .before = x,
                                  .after = y,
                                  .worse = grew(x, y, x * t->counters_percent / percent)};
        if (y > x)
            change_place(g, s, before, after, f, c);
    }
    double x = before->time_ns, y = after->time_ns;
    static const double written_ns = 0.05; // the file has a decimal
    if (isfinite(x) && isfinite(y) && fabs(y - x) > written_ns)
        e->changes[e->change_count++] =
            (struct gate_change){.name = "time_ns",
                                 .unit = "ns, modelled",
                                 .before = x,
                                 .after = y,
                                 .worse = grew(x, y, fmax(x * t->percent / percent, t->ns))};
}

static const char *change_words(struct arena *a, const struct gate_change *c)
{
    const char *change =
        c->before > 0 ? arena_printf(a, " (%+.1f %%)", percent * (c->after / c->before - 1)) : "";
    return arena_printf(a, "%s %.6g to %.6g%s", c->name, c->before, c->after, change);
}

// Of two that are worse, the one that a place is known of, then the one that grew more.
static bool is_worse_than(const struct gate_change *a, const struct gate_change *b)
{
    if (!b || !a->file != !b->file)
        return !b || a->file;
    return a->after * b->before > b->after * a->before;
}

static void entry_judge(const struct locking *g, struct gate_entry *e)
{
    const struct gate_change *worst = NULL;
    bool better = false;
    for (int i = 0; i < e->change_count; i++) {
        const struct gate_change *c = &e->changes[i];
        better = better || c->after < c->before;
        if (c->worse && is_worse_than(c, worst))
            worst = c;
    }
    e->verdict = worst ? GATE_REGRESSED : better ? GATE_IMPROVED : GATE_UNCHANGED;
    for (int i = 0; i < e->change_count; i++)
        if (e->changes[i].worse || (!worst && e->verdict == GATE_IMPROVED))
            e->why = arena_printf(g->a, "%s%s%s", e->why ? e->why : "", e->why ? "; " : "",
                                  change_words(g->a, &e->changes[i]));
    if (worst && worst->file) {
        e->file = worst->file;
        e->line = worst->line;
    }
}

static struct gate_entry *entry_add(struct locking *g, const struct lock_entry *key)
{
    struct gate_entry *e = &g->out->entries[g->out->count++];
    *e = (struct gate_entry){.experiment = key->experiment,
                             .case_label = key->case_label,
                             .variant = key->variant,
                             .before_ns = (double)NAN,
                             .after_ns = (double)NAN};
    return e;
}

static void judge_fresh(struct locking *g, const struct lock_entry *after)
{
    const struct gate_subject *s = subject_find(g, after->experiment);
    const struct lock_entry *before = lock_find(g->committed, after);
    struct gate_entry *e = entry_add(g, after);
    e->after_ns = after->time_ns;
    e->time_provenance = PROVENANCE_MODELLED;
    if (!before) {
        e->verdict = GATE_NEW;
        e->why = "there is nothing to hold it against yet";
    } else {
        e->before_ns = before->time_ns;
        add_changes(g, s, before, after, e);
        entry_judge(g, e);
    }
    if (e->verdict != GATE_UNCHANGED)
        entry_place(s, e);
}

// Of the lock only: gone, skipped, or no longer right.
static void judge_absent(struct locking *g, const struct lock_entry *before)
{
    const struct gate_subject *s = subject_find(g, before->experiment);
    const struct result *r = s ? subject_result(s, before->case_label, before->variant) : NULL;
    if (s && !r && s->partial && s->run)
        return; // was not asked for
    struct gate_entry *e = entry_add(g, before);
    e->before_ns = before->time_ns;
    if (r && r->status != RESULT_SKIPPED) {
        e->verdict = GATE_BROKEN;
        e->why = r->error ? r->error : "the result is wrong: see `ridge verify`";
    } else {
        bool gone = !s || s->gone;
        e->verdict = !gone && !s->run ? GATE_BROKEN : GATE_MISSING;
        e->why = r         ? r->error
                 : gone    ? "the experiment is not in the suite any more"
                 : !s->run ? s->error
                           : "the variant or the case is gone";
    }
    if (s)
        entry_place(s, e);
}

// What neither lock has: results that are wrong or failed, experiments that could not be run.
static void judge_broken(struct locking *g, const struct gate_subject *s)
{
    struct lock_entry key = {.experiment = s->experiment->name, .case_label = "", .variant = ""};
    bool known = false;
    for (int i = 0; i < g->committed->count; i++)
        known = known || same_words(g->committed->entries[i].experiment, key.experiment);
    if (!s->run && !known && !s->gone) {
        struct gate_entry *e = entry_add(g, &key);
        e->verdict = GATE_BROKEN;
        e->why = s->error;
        e->file = s->experiment->path;
        e->line = 1;
    }
    for (int i = 0; s->run && i < s->run->result_count; i++) {
        const struct result *r = &s->run->results[i];
        key.case_label = r->case_label ? r->case_label : "";
        key.variant = r->variant;
        if ((r->status != RESULT_WRONG && r->status != RESULT_FAILED) ||
            lock_find(g->committed, &key))
            continue;
        struct gate_entry *e = entry_add(g, &key);
        e->verdict = GATE_BROKEN;
        e->why = r->error ? r->error : "the result is wrong: see `ridge verify`";
        entry_place(s, e);
    }
}

// What need not be run again is as it was.
static void judge_same(struct locking *g, const struct gate_subject *s)
{
    for (int i = 0; s->run && i < s->run->result_count; i++) {
        const struct result *r = &s->run->results[i];
        const struct lock_entry key = {.experiment = s->experiment->name,
                                       .case_label = r->case_label ? r->case_label : "",
                                       .variant = r->variant};
        if (!r->same_as)
            continue;
        struct gate_entry *e = entry_add(g, &key);
        e->verdict = GATE_UNCHANGED;
        e->why = "the same code and launches: not run";
    }
}

static bool conditions_match(const struct lock *x, const struct lock *y, struct error *err)
{
    const struct {
        const char *what, *before, *now, *remedy;
    } rows[] = {
        {"device", x->device, y->device, "choose it with --device"},
        {"compiler", x->compiler, y->compiler,
         "install that one, or choose it with --compiler (clang, nvrtc)"},
        {"source of register counts", x->registers, y->registers,
         "RIDGE_PTXAS=none estimates them on every machine"},
        {"model of time (ridge and the chip's file)", x->model, y->model, "use that ridge"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!same_words(rows[i].before, rows[i].now))
            return fail(err, NOWHERE,
                        "the lock was made with another %s: '%s', and this is '%s'; %s, or write "
                        "the lock anew from the unchanged code with `ridge gate --update`",
                        rows[i].what, rows[i].before, rows[i].now, rows[i].remedy);
    return true;
}

bool lock_judge(struct arena *a, const struct lock *committed, const struct lock *fresh,
                const struct gate_subject *subjects, int count, bool whole, struct gate_report *out,
                struct error *err)
{
    struct locking g = {a, committed, fresh, subjects, count, out};
    out->baseline = out->baseline ? out->baseline : "ridge.lock";
    int most = committed->count + fresh->count + count;
    for (int i = 0; i < count; i++)
        most += subjects[i].run ? subjects[i].run->result_count : 0;
    out->entries = ARENA_ARRAY(a, struct gate_entry, most + 1);
    for (int i = 0; i < fresh->count; i++)
        judge_fresh(&g, &fresh->entries[i]);
    for (int i = 0; i < committed->count; i++) {
        const struct lock_entry *before = &committed->entries[i];
        const struct gate_subject *s = subject_find(&g, before->experiment);
        const struct result *r = s ? subject_result(s, before->case_label, before->variant) : NULL;
        if (r && r->same_as) // a baseline's, which was run: judge_same has it
            continue;
        if (!lock_find(fresh, before) && (whole || s))
            judge_absent(&g, before);
    }
    for (int i = 0; i < count; i++) {
        judge_broken(&g, &subjects[i]);
        judge_same(&g, &subjects[i]);
    }
    gate_conclude(out);
    return out->count > 0 ||
           fail(err, NOWHERE,
                "nothing to judge: the suite ran nothing, and what it is held against has nothing "
                "of it");
}

bool gate_lock(struct arena *a, const struct lock *committed, const struct lock *fresh,
               const struct gate_subject *subjects, int count, bool whole, struct gate_report *out,
               struct error *err)
{
    return (fresh->count == 0 || conditions_match(committed, fresh, err)) &&
           lock_judge(a, committed, fresh, subjects, count, whole, out, err);
}
