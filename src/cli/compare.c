// ridge compare: two runs, or two variants, figure by figure (src/report/compare.c).
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

bool cli_comparison_open(const struct options *o, struct cli_comparison *c, struct error *err)
{
    const struct result *only[2];
    if (!cli_result_find(o, o->arguments[0], &c->arena, &c->before, &only[0], err) ||
        !cli_result_find(o, o->arguments[1], &c->arena, &c->after, &only[1], err))
        return false;
    report_compare(&c->arena, &c->before, only[0], &c->after, only[1], &c->both);
    return c->both.pair_count > 0 ||
           fail(err, NOWHERE,
                "'%s' and '%s' have no variant on the same case in common: name one of each, as in "
                "`ridge %s %lld:VARIANT %lld:VARIANT`",
                o->arguments[0], o->arguments[1],
                o->command == COMMAND_report ? "report --compare" : command_name(o->command),
                (long long)c->before.header.id, (long long)c->after.header.id);
}

void cli_comparison_close(struct cli_comparison *c)
{
    json_decref(c->before.header.environment);
    json_decref(c->after.header.environment);
    arena_release(&c->arena);
}

bool command_compare(const struct options *o, int *status, struct error *err)
{
    struct cli_comparison c = {0};
    struct text out = {0};
    struct report_style style = cli_style(o);
    *status = 0;
    bool done = cli_comparison_open(o, &c, err);
    if (done && option_given(o, OPTION_JSON)) {
        done = cli_print_json(report_compare_json(&c.both), err);
    } else if (done) {
        report_compare_figures(&c.both, &style, &out);
        done = cli_print(&out, err);
    }
    text_release(&out);
    cli_comparison_close(&c);
    return done;
}
