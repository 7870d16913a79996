// What runs on the simulated GPU counted, as the entries of a lock.
// SPDX-License-Identifier: Apache-2.0
#include "gate/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 8, TEXT_MAX = 72 };
static const double line_share_least = 0.05; // of any figure: less is not worth a row

/* ---- figures -------------------------------------------------------------------------------------- */

static double figure_of(const struct counters *c, enum lock_figure f)
{
#define C(id) counters_get(c, COUNTER_##id, (double)NAN)
    switch (f) {
#define LOCK(id, name, unit, counters, of_line, increase) \
    case LOCK_##id:                                       \
        return counters;
#include "gate/lock.def"
#undef LOCK
    case LOCK_FIGURE_COUNT:
        break;
    }
#undef C
    return (double)NAN;
}

static double figure_of_line(const struct line *l, enum lock_figure f)
{
#define L(name) (double)l->name
    switch (f) {
#define LOCK(id, name, unit, counters, of_line, increase) \
    case LOCK_##id:                                       \
        return of_line;
#include "gate/lock.def"
#undef LOCK
    case LOCK_FIGURE_COUNT:
        break;
    }
#undef L
    return 0;
}

/* ---- lines of source ---------------------------------------------------------------------------------- */

struct source { // the last file that was asked for
    const char *file, *text;
    size_t size_bytes;
};

static bool has_words(const char *s, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (isalnum((unsigned char)s[i]))
            return true;
    return false;
}

// The line's text without the blanks around it, cut; NULL where the source is not there or the line is a
// brace.
static const char *line_text(struct arena *a, const struct run *run, const struct line *l,
                             struct source *s)
{
    struct error ignored = {0};
    if (!s->file || strcmp(s->file, l->file) != 0) {
        *s = (struct source){.file = l->file};
        if (!run_source_read(a, run, run_source_path(a, &run->header, l->file), &s->text,
                             &s->size_bytes, &ignored))
            s->text = NULL;
    }
    const char *at = s->text, *end = at ? at + s->size_bytes : NULL;
    for (int i = 1; at && i < l->line; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return NULL;
    size_t length = strcspn(at, "\r\n");
    while (length > 0 && isspace((unsigned char)*at)) {
        at++;
        length--;
    }
    length = length < TEXT_MAX ? length : TEXT_MAX;
    while (length > 0 && (isspace((unsigned char)at[length - 1]) || (at[length] & 0xC0) == 0x80))
        length--;
    return has_words(at, length) ? arena_strndup(a, at, length) : NULL;
}

static void add_line(struct lock_entry *e, const char *text, const struct line *l)
{
    struct lock_line *to = NULL;
    double largest = 0;
    for (int i = 0; i < e->line_count && !to; i++)
        if (strcmp(e->lines[i].text, text) == 0)
            to = &e->lines[i];
    if (!to) {
        to = &e->lines[e->line_count++];
        *to = (struct lock_line){.text = text, .file = l->file, .line = l->line};
    }
    for (int f = 0; f < LOCK_LINE_FIGURES; f++) {
        double value = figure_of_line(l, (enum lock_figure)f);
        to->value[f] += value;
        largest = fmax(largest, value);
    }
}

// Of any figure, the largest share that the line has.
static double line_share(const struct lock_entry *e, const struct lock_line *l)
{
    double share = 0;
    for (int f = 0; f < LOCK_LINE_FIGURES; f++)
        if (e->value[f] > 0)
            share = fmax(share, l->value[f] / e->value[f]);
    return share;
}

// Those with the largest shares stay, in the order of the source.
static void choose_lines(struct lock_entry *e)
{
    int kept = 0;
    for (int i = 0; i < e->line_count; i++) {
        double share = line_share(e, &e->lines[i]);
        int larger = 0;
        for (int k = 0; k < e->line_count; k++)
            larger += line_share(e, &e->lines[k]) > share;
        e->lines[i].line = share >= line_share_least && larger < LINES_MAX ? e->lines[i].line : 0;
    }
    for (int i = 0; i < e->line_count; i++)
        if (e->lines[i].line > 0)
            e->lines[kept++] = e->lines[i];
    e->line_count = kept;
}

/* ---- entries --------------------------------------------------------------------------------------------- */

static void entry_fill(struct arena *a, const struct gate_subject *s, const struct run *run,
                       const struct result *r, struct lock_entry *e)
{
    struct source source = {0};
    *e = (struct lock_entry){
        .experiment = s->experiment->name,
        .case_label = r->case_label ? r->case_label : "",
        .variant = r->variant,
        .time_ns = r->time.provenance == PROVENANCE_MODELLED ? r->time.summary.median : (double)NAN,
        .lines = ARENA_ARRAY(a, struct lock_line, r->line_count + 1)};
    for (int f = 0; f < LOCK_FIGURE_COUNT; f++)
        e->value[f] = figure_of(&r->counters, (enum lock_figure)f);
    for (int i = 0; i < r->line_count; i++) {
        const char *text = line_text(a, run, &r->lines[i], &source);
        if (text)
            add_line(e, text, &r->lines[i]);
    }
    choose_lines(e);
}

static const struct run *side_of(const struct gate_subject *s, bool before)
{
    return before ? s->before : s->run;
}

// One compiler for all, or the lock could not be made again.
static bool note_compiler(struct lock *l, const struct gate_subject *s, const struct result *r,
                          bool one, struct error *err)
{
    bool estimated =
        r->counters.figure[COUNTER_REGISTERS_PER_THREAD].provenance == PROVENANCE_MODELLED;
    const char *registers = estimated ? "estimated" : "ptxas";
    bool compiled = r->compiler && !str_starts_with(r->compiler, "none");
    if (one && compiled && l->compiler && strcmp(l->compiler, r->compiler) != 0)
        return fail(err, NOWHERE,
                    "'%s' was compiled by %s, others of the suite by %s: a lock holds one "
                    "compiler's figures; choose it with --compiler",
                    s->experiment->name, r->compiler, l->compiler);
    l->compiler = compiled ? r->compiler : l->compiler;
    if (!l->registers || !estimated) // one that ptxas did not say makes all of them estimates
        l->registers = registers;
    return true;
}

bool lock_gather(struct arena *a, const struct gate_subject *subjects, int count, bool before,
                 bool one_compiler, struct lock *out, struct error *err)
{
    int results = 0;
    *out = (struct lock){0};
    for (int i = 0; i < count; i++)
        results += side_of(&subjects[i], before) ? side_of(&subjects[i], before)->result_count : 0;
    out->entries = ARENA_ARRAY(a, struct lock_entry, results + 1);
    for (int i = 0; i < count; i++) {
        const struct run *run = side_of(&subjects[i], before);
        for (int k = 0; run && k < run->result_count; k++) {
            const struct result *r = &run->results[k];
            out->device = run->header.device_id;
            if (r->status != RESULT_OK || (r->checked && !r->verified) ||
                !counters_has(&r->counters, COUNTER_WARP_INSTRUCTIONS))
                continue;
            if (!note_compiler(out, &subjects[i], r, one_compiler, err))
                return false;
            out->seed = r->seed;
            entry_fill(a, &subjects[i], run, r, &out->entries[out->count++]);
        }
    }
    out->compiler = out->compiler ? out->compiler : "none";
    out->registers = out->registers ? out->registers : "estimated";
    out->device = out->device ? out->device : "none";
    out->model = gpu_model_name(a, out->device);
    return true;
}

bool lock_of_runs(struct arena *a, const struct gate_subject *subjects, int count, struct lock *out,
                  struct error *err)
{
    return lock_gather(a, subjects, count, false, true, out, err);
}

static bool is_subject(const struct gate_subject *subjects, int count, const char *experiment)
{
    for (int i = 0; i < count; i++)
        if (strcmp(subjects[i].experiment->name, experiment) == 0 && !subjects[i].partial)
            return true;
    return false;
}

static bool has_entry(const struct lock *l, const struct lock_entry *e)
{
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->entries[i].experiment, e->experiment) == 0 &&
            strcmp(l->entries[i].case_label, e->case_label) == 0 &&
            strcmp(l->entries[i].variant, e->variant) == 0)
            return true;
    return false;
}

static int by_experiment(const void *a, const void *b)
{
    const struct lock_entry *const *x = a, *const *y = b;
    int names = strcmp((*x)->experiment, (*y)->experiment);
    return names != 0 ? names : (*x > *y) - (*x < *y);
}

void lock_merge(struct arena *a, const struct lock *old, const struct gate_subject *subjects,
                int count, struct lock *fresh)
{
    struct lock_entry *all = ARENA_ARRAY(a, struct lock_entry, old->count + fresh->count + 1);
    const struct lock_entry **order =
        ARENA_ARRAY(a, const struct lock_entry *, old->count + fresh->count + 1);
    int n = 0;
    for (int i = 0; i < fresh->count; i++)
        all[n++] = fresh->entries[i];
    for (int i = 0; i < old->count; i++)
        if (!is_subject(subjects, count, old->entries[i].experiment) &&
            !has_entry(fresh, &old->entries[i]))
            all[n++] = old->entries[i];
    for (int i = 0; i < n; i++)
        order[i] = &all[i];
    qsort(order, (size_t)n, sizeof *order, by_experiment);
    fresh->entries = ARENA_ARRAY(a, struct lock_entry, n + 1);
    for (int i = 0; i < n; i++)
        fresh->entries[i] = *order[i];
    fresh->count = n;
}
