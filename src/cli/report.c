// ridge report: a recorded run as a page, Markdown, or a drawing.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

static bool report_fill(const struct options *o, struct arena *a, const struct run *run,
                        struct text *out, struct error *err)
{
    if (run->result_count == 0)
        return fail(err, NOWHERE, "run %lld holds no result yet: nothing to report",
                    (long long)run->header.id);
    if (option_given(o, OPTION_MARKDOWN))
        return cli_markdown(a, run, out, err);
    if (option_given(o, OPTION_SVG))
        return report_svg(run, run->results[run->result_count - 1].case_label, out, err);
    return report_html(run, out, err);
}

bool command_report(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct run run = {0};
    struct text out = {0};
    const char *file = option_text(o, OPTION_OUTPUT, NULL);
    *status = 0;
    bool done = cli_run_find(o, &a, &run, err) && report_fill(o, &a, &run, &out, err);
    if (done)
        done = file ? file_write(file, text_str(&out), out.length, err) : cli_print(&out, err);
    text_release(&out);
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}
