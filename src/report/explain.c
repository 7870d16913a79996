// The diagnosis in full: every bound with where its work and rate come from, every finding with
// its evidence.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"

#include <math.h>
#include <string.h>

// "16.8 M bytes", "1 launch".
static void add_amount(struct text *out, double amount, const char *unit)
{
    char a[CELL_SIZE];
    size_t length = unit ? strlen(unit) : 0;
    bool one = amount == 1 && length > 0 && unit[length - 1] == 's';
    if (one)
        length -= str_ends_with(unit, "ches") ? 2 : 1;
    text_printf(out, "%s %.*s", show_count(amount, a), (int)length, unit ? unit : "");
}

static void add_bounds(const struct bound *bounds, int count, const struct report_style *style,
                       struct text *out)
{
    char a[CELL_SIZE];
    text_add(out,
             "  bound      time       work                           rate         provenance\n");
    for (int i = 0; i < count; i++) {
        const struct bound *b = &bounds[i];
        struct text work = {0};
        add_amount(&work, b->work, b->unit);
        text_add(out, "  ");
        add_cell(out, resource_name(b->resource), 10, false);
        text_add(out, " ");
        add_cell(out, show_time(b->time_ns, a), 10, false);
        text_add(out, " ");
        add_cell(out, text_str(&work), 30, false);
        text_clear(&work);
        text_printf(&work, "%s/ns", show_count(b->rate_per_ns, a));
        text_add(out, " ");
        add_cell(out, text_str(&work), 12, false);
        text_printf(out, " %s\n", provenance_name(b->provenance));
        if (b->rate_source) {
            text_clear(&work);
            text_printf(&work, "rate from: %s", b->rate_source);
            add_wrapped(out, style, 13, text_str(&work));
        }
        text_release(&work);
    }
}

// Where the time goes in which no resource is busy.
static void add_waiting(const struct waiting *w, const struct report_style *style, struct text *out)
{
    char cell[CELL_SIZE];
    const struct {
        const char *what;
        double ns;
    } parts[] = {{"starting kernels", w->launch_ns},
                 {"SMs without work", w->tail_ns},
                 {"too few warps", w->occupancy_ns},
                 {"warps that wait", w->dependency_ns}};
    struct text line = {0};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (parts[i].ns > 0)
            text_printf(&line, "%s%s %s", line.length > 0 ? ", " : "beside that: ", parts[i].what,
                        show_time(parts[i].ns, cell));
    if (line.length > 0) {
        text_add(&line, " (modelled)");
        add_wrapped(out, style, 2, text_str(&line));
    }
    text_release(&line);
}

// What resident warps did with their time, the largest reasons first.
static void add_stalls(const struct stall_table *t, const struct report_style *style,
                       struct text *out)
{
    enum { SHOWN = 5 };
    const double least = 0.02;
    char a[CELL_SIZE];
    struct text line = {0};
    struct stall_table left = *t;
    double cycles = stalls_cycles(t);
    if (!(cycles > 0))
        return;
    text_add(&line, "warps' time: ");
    for (int i = 0; i < SHOWN; i++) {
        enum stall s = stalls_most(&left);
        double share = left.warp_cycles[s].value / cycles;
        if (!(share >= least))
            break;
        text_printf(&line, "%s%s %s %%", i > 0 ? ", " : "", stall_name(s),
                    show_fixed(100 * share, 0, a));
        left.warp_cycles[s] = (struct figure){0};
    }
    text_printf(&line, " (%s)", provenance_name(stalls_provenance(t)));
    add_wrapped(out, style, 2, text_str(&line));
    text_release(&line);
}

// Where a measured result has its stalls, facts and replays from.
static void add_side(const struct side_simulation *s, const struct report_style *style,
                     struct text *out)
{
    char a[CELL_SIZE];
    struct text line = {0};
    if (!s->device)
        return;
    text_printf(&line, "simulated on the side: on %s, %s %% of the blocks", show_text(s->device),
                show_fixed(100 * s->blocks_share, s->blocks_share < 0.1 ? 2 : 0, a));
    add_wrapped(out, style, 2, text_str(&line));
    text_release(&line);
}

static void add_sample(const struct block_sample *s, const struct report_style *style,
                       struct text *out)
{
    struct text line = {0};
    if (!(s->asked > 0))
        return;
    text_add(&line, "sample: ");
    sample_say(s, &line);
    add_wrapped(out, style, 2, text_str(&line));
    text_release(&line);
}

static void add_note(const char *note, const struct report_style *style, struct text *out)
{
    struct text line = {0};
    if (!note)
        return;
    text_printf(&line, "note: %s", note);
    add_wrapped(out, style, 2, text_str(&line));
    text_release(&line);
}

// How far the figures were compared with hardware, and of each path that was not, why.
static void add_fidelity(const struct run_fidelity *f, const struct report_style *style,
                         struct text *out)
{
    char a[CELL_SIZE];
    double all = 0;
    struct text line = {0};
    if (!f->known)
        return;
    text_add(&line, "fidelity: ");
    fidelity_say(f, &line);
    if (f->time_error_source)
        text_printf(&line, " (%s)", f->time_error_source);
    add_wrapped(out, style, 2, text_str(&line));
    for (int i = 0; i < PATH_COUNT; i++)
        all += f->path[i].warp_instructions;
    for (int i = 0; i < PATH_COUNT; i++) {
        const struct path_use *u = &f->path[i];
        if (!(u->warp_instructions > 0) ||
            (u->results != FIDELITY_UNVALIDATED && u->time != FIDELITY_UNVALIDATED))
            continue;
        text_clear(&line);
        text_printf(&line, "%s (%s %% of the instructions): results %s, time %s: %s",
                    fidelity_path_name((enum fidelity_path)i),
                    show_fixed(100 * u->warp_instructions / all, 1, a), fidelity_name(u->results),
                    fidelity_name(u->time), fidelity_path_basis((enum fidelity_path)i));
        add_wrapped(out, style, 4, text_str(&line));
    }
    text_release(&line);
}

static void explain_result(const struct run *run, const struct result *r,
                           const struct report_style *style, struct text *out)
{
    char a[CELL_SIZE];
    char b[CELL_SIZE];
    struct text head = {0};
    add_name(&head, r->variant);
    text_printf(&head, ", %s", r->case_label && r->case_label[0] ? r->case_label : "one case");
    add_ink(out, style, INK_BOLD, text_str(&head));
    text_release(&head);
    text_add(out, "\n");
    if (r->error)
        add_wrapped(out, style, 2, r->error);
    text_printf(out, "  time %s (%s)", show_time(result_time_ns(r), a),
                provenance_name(r->time.provenance));
    if (!r->diagnosed) {
        text_add(out, "; no diagnosis\n\n");
        return;
    }
    const struct diagnosis *d = &r->diagnosis;
    text_printf(out, ", floor of the work %s", show_time(d->floor_ns, a));
    text_printf(out, ", floor of this code %s\n", show_time(d->code_floor_ns, b));
    text_printf(out, "  limiter: %s\n", show_text(d->limiter));
    if (d->limiter_why)
        add_wrapped(out, style, 2, d->limiter_why);
    add_waiting(&d->waiting, style, out);
    add_side(&r->side, style, out);
    add_sample(&r->sample, style, out);
    add_note(r->note, style, out);
    add_stalls(&r->stalls, style, out);
    add_fidelity(&r->fidelity, style, out);
    if (d->bound_count > 0)
        add_bounds(d->bounds, d->bound_count, style, out);
    text_add(out, d->finding_count > 0 ? "  findings:\n" : "  no findings\n");
    for (int i = 0; i < d->finding_count; i++)
        add_finding(out, style, run, r, &d->findings[i], true);
    text_add(out, "\n");
}

void report_explain(const struct run *r, const struct result *only,
                    const struct report_style *style, struct text *out)
{
    for (int i = 0; i < r->result_count; i++) {
        if (!only || only == &r->results[i])
            explain_result(r, &r->results[i], style, out);
    }
}

static void add_occupancy(const char *word, const struct gpu *g, const struct occupancy *o,
                          struct text *out)
{
    const struct gpu_words *w = gpu_words(g);
    text_printf(out, "  %s %.1f %% (%d %s, %d %s %s, limited by %s)\n", word, o->pct,
                o->blocks_per_sm, w->blocks, o->warps_per_sm, w->warps, w->an_sm,
                occupancy_limit_word(g, o->limiter));
}

void report_whatif(const struct result *r, const struct whatif_result *w, const struct gpu *before,
                   const struct gpu *after, const struct report_style *style, struct text *out)
{
    char a[CELL_SIZE], b[CELL_SIZE];
    double time = result_time_ns(r);
    text_printf(out, "%s, %s: what if\n", show_text(r->variant),
                r->case_label && r->case_label[0] ? r->case_label : "one case");
    if (after != before)
        text_printf(out, "  on %s instead of %s, the counters staying\n", after->name,
                    before->name);
    add_occupancy("occupancy now ", before, &w->before, out);
    add_occupancy("occupancy then", after, &w->after, out);
    text_printf(out, "  time now %s (%s), then %s (modelled), %+.0f %%; limiter then: %s\n",
                show_time(time, a), provenance_name(r->time.provenance),
                show_time(w->expected_time_ns, b), 100 * (w->expected_time_ns / time - 1),
                show_text(w->limiter));
    add_bounds(w->bounds, w->bound_count, style, out);
    text_add(out, "\n");
}

void report_counterfactual(const struct result *r, const struct counterfactuals *c,
                           const char *asked, struct text *out)
{
    char a[CELL_SIZE], b[CELL_SIZE];
    double ratio = c->asked_ns.value / c->as_is_ns.value;
    text_printf(out, "%s, %s: what if %s\n", show_text(r->variant),
                r->case_label && r->case_label[0] ? r->case_label : "one case", asked);
    text_printf(out, "  time now %s (%s), then %s (%s, replayed), %+.0f %%\n",
                show_time(c->as_is_ns.value, a), provenance_name(c->as_is_ns.provenance),
                show_time(c->asked_ns.value, b), provenance_name(c->asked_ns.provenance),
                100 * (ratio - 1));
    if (r->time.provenance == PROVENANCE_MEASURED)
        text_printf(out, "  of the measured %s: %s\n", show_time(result_time_ns(r), a),
                    show_time(result_time_ns(r) * ratio, b));
}
