// The walk over a run: cases in order, in each the writer's parts, in each part the results.
// SPDX-License-Identifier: Apache-2.0
#include "report/walk.h"

#include <math.h>

bool has_time(const struct result *r)
{
    return isfinite(result_time_ns(r));
}

bool has_bounds(const struct result *r)
{
    return r->diagnosed && r->diagnosis.bound_count > 0;
}

bool has_counters(const struct result *r)
{
    return result_counted(r) != PROVENANCE_ABSENT;
}

bool has_findings(const struct result *r)
{
    return r->diagnosed && r->diagnosis.finding_count > 0;
}

bool has_lines(const struct result *r)
{
    return r->line_count > 0;
}

bool has_hypothesis(const struct result *r)
{
    return r->hypothesis != NULL;
}

bool has_expectations(const struct result *r)
{
    return r->expectation_count > 0;
}

bool has_energy(const struct result *r)
{
    return r->conditions.energy_mj > 0 && has_time(r);
}

bool has_transfers(const struct result *r)
{
    return counters_has(&r->counters, COUNTER_H2D_NS);
}

/* ---- the cases ---------------------------------------------------------------------------------- */

static double promised_ns(const struct result *r)
{
    const struct finding *f = top_finding(r);
    return f && isfinite(f->expected_time_ns) ? f->expected_time_ns : (double)INFINITY;
}

static const struct result *promising_result(const struct report_case *c)
{
    const struct result *best = c->best;
    for (int i = 0; best && i < c->count; i++) {
        const struct result *it = c->results[i];
        if (it->status == RESULT_OK && !it->library && promised_ns(it) < promised_ns(best) &&
            promised_ns(it) < result_time_ns(c->best))
            best = it;
    }
    return best == c->best ? NULL : best;
}

// The work's bytes would need less time than the floor is: arithmetic sets it.
static bool is_arithmetic(const struct result *r)
{
    const struct diagnosis *d = &r->diagnosis;
    double gbps = result_gbps(r) * result_time_ns(r) / d->floor_ns;
    if (!r->diagnosed || !(d->intensity > 0) || !isfinite(gbps))
        return false;
    for (int i = 0; i < d->bound_count; i++)
        if (d->bounds[i].resource == RESOURCE_DRAM)
            return gbps < 0.99 * d->bounds[i].rate_per_ns;
    return false;
}

static void case_fill(struct arena *a, const struct run *r, int first, struct report_case *c)
{
    const char *label = r->results[first].case_label;
    const struct result **results =
        arena_alloc(a, (size_t)(r->result_count - first) * sizeof *results);
    *c = (struct report_case){
        .run = r, .label = label, .results = results, .number = c->number, .of = c->of};
    for (int i = first; i < r->result_count; i++)
        if (same_text(r->results[i].case_label, label)) {
            results[c->count++] = &r->results[i];
            c->arithmetic = c->arithmetic || is_arithmetic(&r->results[i]);
            c->inexact = c->inexact || result_errors_any(&r->results[i].errors);
        }
    c->best = run_best(r, label, r->header.objective);
    c->promising = promising_result(c);
}

bool report_case_find(struct arena *a, const struct run *r, const char *label,
                      struct report_case *out)
{
    *out = (struct report_case){.of = 1};
    for (int i = 0; i < r->result_count; i++)
        if (same_text(r->results[i].case_label, label)) {
            case_fill(a, r, i, out);
            return true;
        }
    return false;
}

/* ---- the walk ----------------------------------------------------------------------------------- */

static void part_write(const struct report_part *p, const struct report_case *c,
                       const struct report_out *o)
{
    bool any = false;
    if (p->verbose && !(o->style && o->style->verbose))
        return;
    for (int i = 0; i < c->count && !any; i++)
        any = !p->has || p->has(c->results[i]);
    if (!any)
        return;
    if (p->begin)
        p->begin(c, o);
    for (int i = 0; p->each && i < c->count; i++)
        if (!p->has || p->has(c->results[i]))
            p->each(c, i, o);
    if (p->end)
        p->end(c, o);
}

void report_walk(const struct run *r, const struct report_writer *w, const struct report_out *o)
{
    struct arena a = {0};
    int count = 0, number = 0;
    for (int i = 0; i < r->result_count; i++)
        count += first_of_case(r, i);
    struct report_case *cases = arena_alloc(&a, (size_t)(count + 1) * sizeof *cases);
    for (int i = 0; i < r->result_count; i++) {
        if (!first_of_case(r, i))
            continue;
        cases[number] = (struct report_case){.number = number, .of = count};
        case_fill(&a, r, i, &cases[number]);
        report_answer(&a, &cases[number++]);
    }
    if (w->begin)
        w->begin(r, o);
    for (int i = 0; i < count && (count > 1 || w->overview_of_one); i++)
        part_write(&w->overview, &cases[i], o);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < w->part_count; k++)
            part_write(&w->parts[k], &cases[i], o);
    if (w->end)
        w->end(r, o);
    arena_release(&a);
}

void report_walk_suite(const struct suite_view *v, const struct report_writer *w,
                       const struct report_out *o)
{
    if (w->open)
        w->open(v, o);
    for (int i = 0; i < v->count; i++)
        if (v->runs[i].run)
            report_walk(v->runs[i].run, w, o);
    if (w->close)
        w->close(v, o);
}
