// How far a run's figures were compared with hardware: names, sums, and the sentence that reports show.
// SPDX-License-Identifier: Apache-2.0
#include "record/execution.h"

#include <math.h>
#include <string.h>

static const char *const fidelity_names[] = {
#define FIDELITY(id, name, meaning) name,
#include "record/fidelity.def"
#undef FIDELITY
};
static const struct {
    const char *name, *rests_on;
    enum fidelity time; // at best, on any chip
} paths[] = {
#define PATH(id, name, results, time, figure, rests_on) {name, rests_on, FIDELITY_##time},
#include "record/paths.def"
#undef PATH
};

const char *fidelity_name(enum fidelity f)
{
    return fidelity_names[f];
}

bool fidelity_find(const char *name, enum fidelity *out)
{
    for (int i = 0; i < FIDELITY_COUNT; i++)
        if (strcmp(name, fidelity_names[i]) == 0) {
            *out = (enum fidelity)i;
            return true;
        }
    return false;
}

const char *fidelity_path_name(enum fidelity_path p)
{
    return paths[p].name;
}

const char *fidelity_path_basis(enum fidelity_path p)
{
    return paths[p].rests_on;
}

static enum fidelity weaker(enum fidelity a, enum fidelity b)
{
    return a > b ? a : b;
}

void fidelity_sum(struct run_fidelity *sum, const struct run_fidelity *more)
{
    if (!more->known)
        return;
    if (!sum->known) {
        *sum = *more;
        return;
    }
    sum->timed = sum->timed && more->timed;
    for (int i = 0; i < PATH_COUNT; i++) {
        struct path_use *s = &sum->path[i];
        const struct path_use *m = &more->path[i];
        s->warp_instructions += m->warp_instructions;
        s->results = weaker(s->results, m->results);
        s->time = weaker(s->time, m->time);
    }
}

double fidelity_timed_pct(const struct run_fidelity *f)
{
    double all = 0, validated = 0;
    for (int i = 0; i < PATH_COUNT; i++) {
        all += f->path[i].warp_instructions;
        if (f->path[i].time != FIDELITY_UNVALIDATED)
            validated += f->path[i].warp_instructions;
    }
    return all > 0 ? 100 * validated / all : (double)NAN;
}

// As it is shown: 100 only where all is validated.
static double shown_pct(double pct)
{
    const double most = 99.9;
    return pct < 100 && pct > most ? most : pct;
}

// ", " between the names of a list.
static void add_listed(struct text *out, int *count, enum fidelity_path p)
{
    text_printf(out, "%s%s", *count > 0 ? ", " : "", paths[p].name);
    (*count)++;
}

static void say_results(const struct run_fidelity *f, struct text *out)
{
    struct text weak[FIDELITY_COUNT] = {0};
    int count[FIDELITY_COUNT] = {0};
    for (int i = 0; i < PATH_COUNT; i++)
        if (f->path[i].warp_instructions > 0 && f->path[i].results != FIDELITY_EXACT)
            add_listed(&weak[f->path[i].results], &count[f->path[i].results],
                       (enum fidelity_path)i);
    text_printf(out, "results %s", fidelity_names[FIDELITY_EXACT]);
    for (int i = FIDELITY_EXACT + 1; i < FIDELITY_COUNT; i++) {
        if (count[i] > 0)
            text_printf(out, ", %s: %s", fidelity_names[i], text_str(&weak[i]));
        text_release(&weak[i]);
    }
}

// Paths of few instructions are left to explain, unless the model leaves them out.
static bool is_worth_naming(const struct run_fidelity *f, int i, double all)
{
    const double least = 0.01;
    return f->path[i].warp_instructions > 0 && f->path[i].time == FIDELITY_UNVALIDATED &&
           (paths[i].time == FIDELITY_UNVALIDATED || f->path[i].warp_instructions > least * all);
}

static void say_time(const struct run_fidelity *f, struct text *out)
{
    double all = 0;
    int count = 0;
    for (int i = 0; i < PATH_COUNT; i++)
        all += f->path[i].warp_instructions;
    text_printf(out, "; time %s for %.3g %% of the instructions (median error %.1f %%)",
                fidelity_names[FIDELITY_VALIDATED], shown_pct(fidelity_timed_pct(f)),
                f->time_error_median_pct);
    for (int i = 0; i < PATH_COUNT; i++) {
        if (!is_worth_naming(f, i, all))
            continue;
        if (count == 0)
            text_printf(out, ", %s: ", fidelity_names[FIDELITY_UNVALIDATED]);
        add_listed(out, &count, (enum fidelity_path)i);
    }
}

void fidelity_say(const struct run_fidelity *f, struct text *out)
{
    say_results(f, out);
    if (!f->timed)
        text_add(out, "; no time modelled");
    else if (isnan(f->time_error_median_pct))
        text_printf(out, "; time %s on this chip", fidelity_names[FIDELITY_UNVALIDATED]);
    else
        say_time(f, out);
}
