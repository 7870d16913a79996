// The names and sums of the record.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double speedup_min_effect = 0.01;

/* ---- names ---------------------------------------------------------------------------------------- */

const char *resource_name(enum resource r)
{
    static const char *const names[] = {
#define RESOURCE(id, name, label) name,
#include "record/resources.def"
#undef RESOURCE
    };
    return names[r];
}

const char *resource_label(enum resource r)
{
    static const char *const labels[] = {
#define RESOURCE(id, name, label) label,
#include "record/resources.def"
#undef RESOURCE
    };
    return labels[r];
}

const char *finding_class_name(enum finding_class c)
{
    static const char *const names[] = {
#define FINDING_CLASS(id, name) name,
#include "record/classes.def"
#undef FINDING_CLASS
    };
    return names[c];
}

const char *expectation_verdict_name(enum expectation_verdict v)
{
    switch (v) {
    case EXPECTATION_HELD:
        return "held";
    case EXPECTATION_MISSED:
        return "missed";
    case EXPECTATION_OPPOSITE:
        return "the other way";
    case EXPECTATION_UNKNOWN:
        return "unknown";
    }
    return NULL;
}

/* ---- stalls --------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *meaning;
} stall_rows[] = {
#define STALL(id, name, meaning) {name, meaning},
#include "record/stalls.def"
#undef STALL
};

const char *stall_name(enum stall s)
{
    return stall_rows[s].name;
}

const char *stall_meaning(enum stall s)
{
    return stall_rows[s].meaning;
}

bool stall_find(const char *name, enum stall *out)
{
    for (int i = 0; i < STALL_COUNT; i++)
        if (strcmp(stall_rows[i].name, name) == 0) {
            *out = (enum stall)i;
            return true;
        }
    return false;
}

bool stalls_known(const struct stall_table *t)
{
    for (int i = 0; i < STALL_COUNT; i++)
        if (t->warp_cycles[i].provenance != PROVENANCE_ABSENT)
            return true;
    return false;
}

double stalls_share(const struct stall_table *t, enum stall s)
{
    double all = 0;
    for (int i = 0; i < STALL_COUNT; i++)
        if (t->warp_cycles[i].provenance != PROVENANCE_ABSENT)
            all += t->warp_cycles[i].value;
    return t->warp_cycles[s].provenance != PROVENANCE_ABSENT && all > 0
               ? t->warp_cycles[s].value / all
               : (double)NAN;
}

void stalls_sum(struct stall_table *sum, const struct stall_table *more)
{
    for (int i = 0; i < STALL_COUNT; i++) {
        struct figure *s = &sum->warp_cycles[i];
        const struct figure *m = &more->warp_cycles[i];
        if (s->provenance == PROVENANCE_ABSENT || m->provenance == PROVENANCE_ABSENT) {
            *s = (struct figure){.provenance = PROVENANCE_ABSENT};
            continue;
        }
        s->value += m->value;
        if (m->provenance > s->provenance) // the weaker of the two: the enum's order
            s->provenance = m->provenance;
    }
}

/* ---- lines ---------------------------------------------------------------------------------------- */

int line_order(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int by_file = strcmp(x->file, y->file);
    return by_file != 0 ? by_file : (x->line > y->line) - (x->line < y->line);
}

void line_sum(struct line *sum, const struct line *more)
{
#define LINE_FIELD(name, unit, meaning) sum->name += more->name;
#include "record/line_fields.def"
#undef LINE_FIELD
    stalls_sum(&sum->stalls, &more->stalls);
}

int lines_merge(struct line *lines, int count)
{
    int kept = 0;
    qsort(lines, (size_t)count, sizeof *lines, line_order);
    for (int i = 0; i < count; i++) {
        if (kept > 0 && line_order(&lines[kept - 1], &lines[i]) == 0)
            line_sum(&lines[kept - 1], &lines[i]);
        else
            lines[kept++] = lines[i];
    }
    return kept;
}

/* ---- two results ---------------------------------------------------------------------------------- */

static bool is_timed(const struct result *r)
{
    return r && r->status == RESULT_OK && r->time.provenance != PROVENANCE_ABSENT &&
           r->time.summary.count > 0;
}

void result_compare(const struct result *base, struct result *fresh)
{
    fresh->speedup = (struct speedup){0};
    // Times of different origin (a clock's, a model's) are not compared.
    if (!is_timed(base) || !is_timed(fresh) || base->time.provenance != fresh->time.provenance)
        return;
    fresh->speedup.valid = true;
    fresh->speedup.versus = base->variant;
    fresh->speedup.comparison =
        stats_compare(base->time.samples_ns, base->time.summary.count, fresh->time.samples_ns,
                      fresh->time.summary.count, speedup_min_effect);
}
