// ridge tuned: the tuned table, as a list, JSON or a C header; and ridge run --tuned, each case with the choices that
// hold for it.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "tuner/tuner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- ridge tuned ------------------------------------------------------------------------------------- */

static void add_entry(struct arena *a, const struct tuned_entry *e, struct text *out)
{
    char time[32], energy[32] = "", by[32] = "";
    if (e->energy_mj > 0)
        (void)snprintf(energy, sizeof energy, ", %.4g mJ measured", e->energy_mj);
    if (e->objective != OBJECTIVE_TIME)
        (void)snprintf(by, sizeof by, ", by %s", objective_name(e->objective));
    text_printf(out, "%s:%s on %s, %s: %s\n", e->experiment, e->variant, e->device,
                *tuned_sizes_text(a, e) ? tuned_sizes_text(a, e) : "no parameters",
                e->choice_count > 0 ? tuned_choices_text(a, e) : "as it is");
    text_printf(out, "  %s %s%s; %d of %d points evaluated%s, %d tied%s; %s, source %.8s, %s\n",
                format_time_ns(e->time_ns, time), e->provenance, energy, e->evaluated, e->space,
                e->complete ? "" : " (interrupted)", e->ties, by,
                *e->platform ? e->platform : "no driver", e->source, e->at);
}

static void keep_experiment(struct tuned_table *t, const char *experiment)
{
    int kept = 0;
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->entries[i].experiment, experiment) == 0)
            t->entries[kept++] = t->entries[i];
    t->count = kept;
}

bool command_tuned(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct tuned_table t;
    struct text out = {0};
    const char *table = option_text(o, OPTION_TABLE, NULL), *name = NULL, *variant;
    bool done = (o->argument_count == 0 ||
                 cli_experiment_name(&a, o->arguments[0], &name, &variant, err)) &&
                tuned_read(&a, table, &t, err);
    *status = 0;
    if (done && name)
        keep_experiment(&t, name);
    if (done && option_given(o, OPTION_HEADER))
        tuned_header(&t, &out);
    else if (done && option_given(o, OPTION_JSON))
        cli_add_json(&out, tuned_to_json(&t));
    else if (done && t.count == 0)
        text_printf(&out, "nothing is tuned%s%s: `ridge tune` does it\n", name ? " of " : "",
                    name ? name : "");
    else
        for (int i = 0; done && i < t.count; i++)
            add_entry(&a, &t.entries[i], &out);
    done = done && cli_write(option_text(o, OPTION_OUTPUT, NULL), &out, err);
    text_release(&out);
    arena_release(&a);
    return done;
}

/* ---- ridge run --tuned --------------------------------------------------------------------------------- */

static void say_use(struct arena *a, const struct case_point *point, const struct tuned_use *u)
{
    if (!u->why) // it has no axes
        return;
    if (!u->entry) {
        cli_say("%s %s: not tuned here: %s\n", point->label, u->variant, u->why);
        return;
    }
    cli_say("%s %s: %s, tuned at %s%s%s\n", point->label, u->variant,
            tuned_choices_text(a, u->entry), tuned_sizes_text(a, u->entry),
            u->octaves > 0 ? arena_printf(a, ", %.3g octaves away", u->octaves) : "",
            u->entry->complete ? "" : ", by a session that did not end");
}

// "N=1024 K=33" as overrides.
static const char **case_overrides(struct arena *a, const char *label, int *count)
{
    const char **words = ARENA_ARRAY(a, const char *, strlen(label) + 1);
    *count = 0;
    for (; *label; label += strspn(label, " ")) {
        size_t n = strcspn(label, " ");
        words[(*count)++] = arena_strndup(a, label, n);
        label += n;
    }
    return words;
}

static bool run_case(const struct options *o, struct session *s, struct arena *a,
                     const struct loop_request *how, const struct case_point *point,
                     struct experiment *e, struct error *err)
{
    struct loop_request q = *how;
    struct run run = {0};
    q.experiment = e;
    q.overrides = case_overrides(a, point->label, &q.override_count);
    bool done = session_run(s, a, &q, &run, err) && cli_run_print(o, a, &run, err);
    json_decref(run.header.environment);
    return done;
}

bool cli_run_tuned(const struct options *o, struct session *s, const struct loop_request *how,
                   struct error *err)
{
    struct arena a = {0};
    struct tuned_table table;
    struct experiment *e = NULL;
    struct device_info device;
    struct case_point *points;
    int count = 0;
    bool done = tuned_read(&a, option_text(o, OPTION_TABLE, NULL), &table, err) &&
                experiment_load(&a, how->experiment_path, &e, err) &&
                device_find(&a, how->device, &device, err) &&
                experiment_cases(&a, e, how->overrides, how->override_count, &points, &count, err);
    for (int i = 0; done && i < count; i++) {
        struct experiment *chosen = e;
        struct tuned_use *uses = ARENA_ARRAY(&a, struct tuned_use, e->variant_count + 1);
        done = tuner_apply(&a, &table, &device, &points[i], s->objective, &chosen, uses, err);
        for (int v = 0; done && v < e->variant_count && !option_given(o, OPTION_QUIET); v++)
            say_use(&a, &points[i], &uses[v]);
        done = done && run_case(o, s, &a, how, &points[i], chosen, err);
    }
    arena_release(&a);
    return done;
}
