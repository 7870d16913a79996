// ridge report: a recorded run, or two side by side, as a page, Markdown, text, or a drawing.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

static bool report_fill(const struct options *o, struct arena *a, const struct run *run,
                        struct text *out, struct error *err)
{
    if (run->result_count == 0)
        return fail(err, NOWHERE, "run %lld holds no result yet: nothing to report",
                    (long long)run->header.id);
    if (option_given(o, OPTION_JSON)) {
        report_json(run, out);
        return true;
    }
    if (option_given(o, OPTION_MARKDOWN))
        return cli_markdown(a, run, out, err);
    if (option_given(o, OPTION_TEXT)) {
        struct report_style style = cli_style(o);
        report_terminal(run, &style, out);
        return true;
    }
    if (option_given(o, OPTION_SVG))
        return report_svg(run, run->results[run->result_count - 1].case_label, out, err);
    return report_html(run, out, err);
}

static bool run_report(const struct options *o, struct text *out, struct error *err)
{
    struct arena a = {0};
    struct run run = {0};
    bool done = cli_run_find(o, &a, &run, err) && report_fill(o, &a, &run, out, err);
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}

static bool comparison_report(const struct options *o, struct text *out, struct error *err)
{
    struct cli_comparison c = {0};
    struct report_style style = cli_style(o);
    bool done = cli_comparison_open(o, &c, err);
    if (done && option_given(o, OPTION_JSON))
        cli_add_json(out, report_compare_json(&c.both));
    else if (done && option_given(o, OPTION_MARKDOWN))
        report_compare_markdown(&c.both, out);
    else if (done && option_given(o, OPTION_TEXT))
        report_compare_terminal(&c.both, &style, out);
    else
        done = done && report_compare_html(&c.both, out, err);
    cli_comparison_close(&c);
    return done;
}

static bool arguments_check(const struct options *o, struct error *err)
{
    bool compare = option_given(o, OPTION_COMPARE);
    if (compare && o->argument_count != 2)
        return fail(err, NOWHERE, "--compare takes two runs: ridge report --compare RUN1 RUN2");
    if (compare && option_given(o, OPTION_SVG))
        return fail(err, NOWHERE, "--svg draws one run: leave --compare out");
    return compare || o->argument_count <= 1 ||
           fail(err, NOWHERE, "`ridge report` takes one run; of two, --compare shows what changed");
}

bool command_report(const struct options *o, int *status, struct error *err)
{
    struct text out = {0};
    const char *file = option_text(o, OPTION_OUTPUT, NULL);
    *status = 0;
    bool done = arguments_check(o, err) &&
                (option_given(o, OPTION_COMPARE) ? comparison_report(o, &out, err)
                                                 : run_report(o, &out, err));
    if (done)
        done = cli_write(file, &out, err);
    text_release(&out);
    return done;
}
