// ridge gate BASELINE RUN: is a recorded run worse than another? Exit status 1 if so, with a line for each
// reason.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <math.h>

static const double percent = 100;

struct gate {
    double slower_pct; // a time may grow by so much
    int judged, unjudged, worse;
    struct text lines;
    json_t *reasons;
};

static void add_reason(struct gate *g, const struct result *r, const char *what)
{
    g->worse++;
    text_printf(&g->lines, "worse: %s%s%s: %s\n", r->variant, *r->case_label ? ", " : "",
                r->case_label, what);
    json_array_append_new(g->reasons, json_pack("{s:s, s:s, s:s}", "variant", r->variant, "case",
                                                r->case_label, "reason", what));
}

static bool is_right(const struct result *r)
{
    return r->status == RESULT_OK && (!r->checked || r->verified);
}

// Too few samples to know their noise, as in most imported files: then by the medians alone, and said.
static void judge_medians(struct gate *g, struct arena *a, const struct run_pair *p)
{
    const struct time_result *x = &p->before->time, *y = &p->after->time;
    bool alike = x->provenance == y->provenance && x->provenance != PROVENANCE_ABSENT;
    if (!alike || !(x->summary.median > 0) || !(y->summary.median > 0)) {
        g->unjudged++;
        return;
    }
    g->judged++;
    double grown_pct = percent * (y->summary.median / x->summary.median - 1);
    if (grown_pct > g->slower_pct)
        add_reason(g, p->after,
                   arena_printf(a,
                                "takes %.1f %% longer by the medians of few samples, whose noise "
                                "is not known; %.3g %% are allowed",
                                grown_pct, g->slower_pct));
}

static void judge_pair(struct gate *g, struct arena *a, const struct run_pair *p)
{
    if (is_right(p->before) && !is_right(p->after)) {
        add_reason(g, p->after,
                   p->after->error ? p->after->error : "no longer right: see `ridge show`");
        return;
    }
    if (p->unjudged) {
        judge_medians(g, a, p);
        return;
    }
    g->judged++;
    double grown_pct = percent * (1 / p->time.ratio - 1);
    if (p->time.verdict == VERDICT_SLOWER && grown_pct > g->slower_pct)
        add_reason(g, p->after,
                   arena_printf(a, "takes %.1f %% longer (%.1f to %.1f), %.3g %% are allowed",
                                grown_pct, percent * (1 / p->time.high - 1),
                                percent * (1 / p->time.low - 1), g->slower_pct));
}

static bool gate_judge(struct gate *g, struct cli_comparison *c, struct error *err)
{
    for (int i = 0; i < c->both.pair_count; i++)
        judge_pair(g, &c->arena, &c->both.pairs[i]);
    for (int i = 0; i < c->both.gone_count; i++)
        if (is_right(c->both.gone[i]))
            add_reason(g, c->both.gone[i], "is in the baseline only");
    if (g->judged + g->worse > 0)
        return true;
    return fail(err, NOWHERE,
                "nothing to judge: none of the %d results in common has times that can be compared",
                g->unjudged);
}

bool cli_gate_runs(const struct options *o, int *status, struct error *err)
{
    struct cli_comparison c = {0};
    struct gate g = {.reasons = json_array()};
    *status = 0;
    bool done = option_double(o, OPTION_SLOWER, 3, &g.slower_pct, err) &&
                cli_comparison_open(o, &c, err) && gate_judge(&g, &c, err);
    if (done) {
        *status = g.worse > 0;
        text_printf(&g.lines, "%s: %d judged, %d worse, %d not judged\n",
                    g.worse > 0 ? "gate failed" : "gate passed", g.judged, g.worse, g.unjudged);
        done = option_given(o, OPTION_JSON)
                   ? cli_print_json(json_pack("{s:b, s:i, s:i, s:i, s:O}", "open", g.worse == 0,
                                              "judged", g.judged, "worse", g.worse, "not_judged",
                                              g.unjudged, "reasons", g.reasons),
                                    err)
                   : cli_print(&g.lines, err);
    }
    json_decref(g.reasons);
    text_release(&g.lines);
    cli_comparison_close(&c);
    return done;
}
