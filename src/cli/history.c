// ridge history: one figure of an experiment, or of all of a suite, over the journal's runs.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "gate/history.h"

#include <stdlib.h>
#include <string.h>

struct histories {
    struct arena arena;
    struct history *items;
    size_t count, capacity;
};

static bool same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool goes_on(const struct journal_figure *x, const struct journal_figure *y)
{
    return same(x->device, y->device) && same(x->case_label, y->case_label) &&
           same(x->variant, y->variant) && x->provenance == y->provenance;
}

// Rows of a device, case, variant and provenance are a series; of one run, the newest.
static void add_series(struct histories *h, const char *experiment, const char *metric,
                       const struct journal_figure *rows, int count)
{
    for (int from = 0, to; from < count; from = to) {
        struct history s = {.experiment = experiment,
                            .case_label = rows[from].case_label,
                            .variant = rows[from].variant,
                            .device = rows[from].device,
                            .metric = metric,
                            .provenance = rows[from].provenance};
        for (to = from; to < count && goes_on(&rows[from], &rows[to]);)
            to++;
        s.points = ARENA_ARRAY(&h->arena, struct history_point, to - from + 1);
        for (int i = from; i < to; i++) {
            if (s.count > 0 && s.points[s.count - 1].run == rows[i].run)
                s.count--;
            s.points[s.count++] = (struct history_point){.run = rows[i].run,
                                                         .started = rows[i].started,
                                                         .git = rows[i].git,
                                                         .value = rows[i].value};
        }
        history_analyse(&h->arena, &s);
        VEC_PUSH(h->items, h->count, h->capacity, s);
    }
}

// The names that the argument stands for: a suite's experiments, or one that may only be in the journal.
static bool names_find(struct arena *a, const char *argument, const char ***names, int *count,
                       const char **variant, struct error *err)
{
    struct suite suite = {0};
    struct error ignored = {0};
    const char *name = NULL;
    if (suite_open(a, &argument, 1, &suite, &ignored)) {
        *names = ARENA_ARRAY(a, const char *, suite.count + 1);
        for (int i = 0; i < suite.count; i++)
            (*names)[i] = suite.items[i].experiment->name;
        *count = suite.count;
        return true;
    }
    *names = ARENA_ARRAY(a, const char *, 1);
    *count = 1;
    if (!cli_experiment_name(a, argument, &name, variant, err))
        return false;
    (*names)[0] = name;
    return true;
}

static bool metric_check(const char *metric, struct error *err)
{
    enum counter_id id;
    const char *names[COUNTER_COUNT + 1];
    if (strcmp(metric, "time_ns") == 0 || counter_find(metric, &id))
        return true;
    for (int c = 0; c < COUNTER_COUNT; c++)
        names[c] = counter_info((enum counter_id)c)->name;
    names[COUNTER_COUNT] = "time_ns";
    const char *near = str_nearest(metric, names, COUNT_OF(names));
    return fail(err, NOWHERE, "option --metric: '%s' is neither time_ns nor a counter%s%s%s",
                metric, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static bool print(const struct options *o, const struct histories *h, struct error *err)
{
    struct text out = {0};
    struct report_style style = cli_style(o);
    bool done = true;
    if (option_given(o, OPTION_JSON))
        return cli_print_json(report_history_json(h->items, (int)h->count), err);
    if (option_given(o, OPTION_HTML))
        done = report_history_html(h->items, (int)h->count, &out, err);
    else
        report_history(h->items, (int)h->count, &style, &out);
    done = done && cli_write(option_text(o, OPTION_OUTPUT, NULL), &out, err);
    text_release(&out);
    return done;
}

bool command_history(const struct options *o, int *status, struct error *err)
{
    struct histories h = {0};
    struct journal *j = NULL;
    const char *variant = NULL, **names = NULL;
    const char *metric = option_text(o, OPTION_METRIC, "time_ns");
    int count = 0;
    *status = 0;
    bool done = metric_check(metric, err) &&
                names_find(&h.arena, o->arguments[0], &names, &count, &variant, err) &&
                cli_journal_open(o, true, &j, err);
    for (int i = 0; done && i < count; i++) {
        struct journal_figure *rows = NULL;
        int row_count = 0;
        done = journal_figures(j, &h.arena, names[i], variant, option_text(o, OPTION_DEVICE, NULL),
                               metric, &rows, &row_count, err);
        if (done)
            add_series(&h, names[i], metric, rows, row_count);
    }
    if (done && h.count == 0)
        done = fail(err, NOWHERE, "the journal %s has no %s of '%s': `ridge log` lists its runs",
                    journal_path(j), metric, o->arguments[0]);
    done = done && print(o, &h, err);
    journal_close(j);
    free(h.items);
    arena_release(&h.arena);
    return done;
}
