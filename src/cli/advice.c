// ridge explain: the fixes that are mechanical, as patches; --apply N writes one into a copy of the experiment.
// SPDX-License-Identifier: Apache-2.0
#include "advise/advise.h"
#include "device/code.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

struct advised {
    struct arena *arena;
    struct experiment *experiment;
    struct advice *of; // one for each result that is explained
    int count;
};

// The last result of each variant: the largest case as a rule.
static bool is_last(const struct run *run, int index)
{
    for (int i = index + 1; i < run->result_count; i++)
        if (strcmp(run->results[i].variant, run->results[index].variant) == 0)
            return false;
    return true;
}

static bool advised_open(struct arena *a, const struct run *run, const struct result *only,
                         struct advised *out, struct error *err)
{
    if (!run->header.experiment_path)
        return fail(err, NOWHERE, "run %lld was imported: there is no experiment to patch",
                    (long long)run->header.id);
    if (!experiment_load(a, run->header.experiment_path, &out->experiment, err))
        return false;
    out->arena = a;
    out->of = ARENA_ARRAY(a, struct advice, run->result_count + 1);
    for (int i = 0; i < run->result_count; i++)
        if (only ? only == &run->results[i] : is_last(run, i))
            advise_result(a, run, out->experiment, &run->results[i], &out->of[out->count++]);
    return true;
}

// It was simulated: nothing is promised that was not seen.
static void add_trial(const struct patch *p, double gain, struct text *out)
{
    char time[32];
    text_printf(out, ": %s: %s", trial_verdict_name(p->trial->verdict),
                format_time_ns(p->expected_time_ns, time));
    if (p->trial->verdict == TRIAL_GAINS || p->trial->verdict == TRIAL_LOSES)
        text_printf(out, ", %.0f %% %s", fabs(gain), gain > 0 ? "less" : "more");
    text_printf(out, " (%s: patch simulated%s)", provenance_name(PROVENANCE_MODELLED),
                p->trial->verified ? ", its outputs are right" : ", not verified");
}

static void add_price(const struct result *r, const struct patch *p, struct text *out)
{
    char time[32];
    double gain = 100 * (1 - p->expected_time_ns / r->time.summary.median);
    if (p->trial)
        add_trial(p, gain, out);
    else if (isfinite(gain) && r->time.provenance != PROVENANCE_ABSENT)
        text_printf(out, ": %s expected, %s%.0f %% less (%s, by %s)",
                    format_time_ns(p->expected_time_ns, time), p->at_most ? "at most " : "", gain,
                    provenance_name(PROVENANCE_MODELLED), finding_price_name(p->price));
}

// Each line of the diff, further in.
static void add_diff(const char *diff, struct text *out)
{
    while (*diff) {
        size_t n = strcspn(diff, "\n");
        text_add(out, "      ");
        text_addn(out, diff, n);
        text_add(out, "\n");
        diff += n + (diff[n] == '\n');
    }
}

static void add_patch(const struct result *r, const struct patch *p, int number, struct text *out)
{
    text_printf(out, "  %d. %s: %s (%s)", number, r->variant, p->title, p->finding->cause);
    add_price(r, p, out);
    text_add(out, "\n");
    add_diff(p->diff, out);
    for (int i = 0; i < p->key_count; i++)
        text_printf(out, "      %s: %s\n", p->keys[i].name, p->keys[i].value);
}

static void add_refusals(const struct advised *d, bool verbose, struct text *out)
{
    int refused = 0;
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < d->of[i].count; k++) {
            const struct patch *p = &d->of[i].patches[k];
            if (patch_usable(p))
                continue;
            refused++;
            if (verbose || p->trial)
                text_printf(out, "  none by '%s' for %s of %s: %s%s%s\n", p->maker,
                            p->finding->cause, d->of[i].result->variant,
                            p->trial ? "its patch was tried: " : "",
                            p->trial ? trial_verdict_name(p->trial->verdict) : p->refusal,
                            p->trial && verbose && p->trial->error
                                ? arena_printf(d->arena, ": %s", p->trial->error)
                                : "");
        }
    if (refused > 0 && !verbose)
        text_printf(out, "  (%d more that do not fit this code: --verbose says why)\n", refused);
}

// Those of a simulated run that could be tried.
static void add_untried(const struct options *o, const struct advised *d, struct text *out)
{
    int count = 0;
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < d->of[i].count; k++) {
            const struct patch *p = &d->of[i].patches[k];
            const struct result *r = d->of[i].result;
            count += p->title && !p->trial && r->time.provenance == PROVENANCE_MODELLED &&
                     compiler_is_nvrtc(r->compiler);
        }
    if (count > 0 && !option_given(o, OPTION_TRY_PATCHES))
        text_printf(out, "  (%d not tried: --try-patches 10 simulates what fits into 10 s)\n",
                    count);
}

void cli_advice(const struct options *o, struct arena *a, const struct run *run,
                const struct result *only, struct text *out)
{
    struct advised d = {0};
    struct error ignored = {0};
    int number = 0, count = 0;
    if (!advised_open(a, run, only, &d, &ignored))
        return;
    for (int i = 0; i < d.count; i++)
        count += d.of[i].count;
    if (count == 0)
        return;
    text_add(out,
             "Patches (modelled promises; --apply N writes one into a copy of the experiment, as a "
             "variant that `ridge run` judges)\n");
    for (int i = 0; i < d.count; i++)
        for (int k = 0; k < d.of[i].count; k++)
            if (patch_usable(&d.of[i].patches[k]))
                add_patch(d.of[i].result, &d.of[i].patches[k], ++number, out);
    add_refusals(&d, option_given(o, OPTION_VERBOSE), out);
    add_untried(o, &d, out);
}

static json_t *patch_json(const struct result *r, const struct patch *p, int number)
{
    json_t *keys = json_object();
    for (int i = 0; i < p->key_count; i++)
        json_object_set_new(keys, p->keys[i].name, json_string(p->keys[i].value));
    const struct patch_trial *t = p->trial;
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:s, s:b, s:o, s:s?, s:b}", "number",
                     number, "variant", r->variant, "maker", p->maker, "cause", p->finding->cause,
                     "title", p->title, "why", p->why, "diff", p->diff, "expected_time_ns",
                     p->expected_time_ns, "priced_by", finding_price_name(p->price), "at_most",
                     p->at_most, "keys", keys, "tried", t ? trial_verdict_name(t->verdict) : NULL,
                     "verified", t && t->verified);
}

json_t *cli_advice_json(struct arena *a, const struct run *run, const struct result *only)
{
    struct advised d = {0};
    struct error ignored = {0};
    int number = 0;
    json_t *patches = json_array();
    if (!advised_open(a, run, only, &d, &ignored))
        return patches;
    for (int i = 0; i < d.count; i++)
        for (int k = 0; k < d.of[i].count; k++)
            if (patch_usable(&d.of[i].patches[k]))
                json_array_append_new(patches,
                                      patch_json(d.of[i].result, &d.of[i].patches[k], ++number));
    return patches;
}

/* ---- --apply ------------------------------------------------------------------------------------------------ */

// The patch of that number, as cli_advice counts them; -1: there are fewer.
static int patch_numbered(const struct advised *d, int64_t number, const struct advice **of,
                          int *total)
{
    *total = 0;
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < d->of[i].count; k++)
            if (patch_usable(&d->of[i].patches[k]) && ++*total == number) {
                *of = &d->of[i];
                return k;
            }
    return -1;
}

// Absolute, so that it does not matter from where the copy is run.
static bool folder_of(const struct options *o, struct arena *a, const struct experiment *e,
                      const char **out, struct error *err)
{
    enum { PATH_BYTES = 4096 };
    char here[PATH_BYTES];
    const char *asked = option_text(o, OPTION_OUTPUT, NULL);
    bool is_copy = !asked && str_ends_with(path_name(e->directory), "-advice");
    if (!getcwd(here, sizeof here))
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "the current folder has no name");
    *out = is_copy ? path_join(a, here, e->directory)
                   : path_join(a, here, asked ? asked : arena_printf(a, "%s-advice", e->name));
    return true;
}

static bool applied_print(const struct options *o, const struct run *run, const struct applied *p,
                          struct error *err)
{
    struct text out = {0};
    text_printf(&out, "%s: variant '%s'%s%s\nnext: ridge run %s --device %s --variant %s\n",
                p->folder, p->variant, p->source ? ", source " : "", p->source ? p->source : "",
                p->folder, run->header.device_id, p->variant);
    json_t *json = json_pack("{s:s, s:s, s:s?}", "folder", p->folder, "variant", p->variant,
                             "source", p->source);
    bool done = cli_print_either(o, json, &out, err);
    json_decref(json);
    text_release(&out);
    return done;
}

bool cli_advice_apply(const struct options *o, struct arena *a, const struct run *run,
                      const struct result *only, struct error *err)
{
    enum { PATCHES_MAX = 100000 };
    struct advised d = {0};
    const struct advice *advice = NULL;
    struct applied applied;
    const char *folder;
    int64_t number;
    int total;
    if (!option_i64(o, OPTION_APPLY, 1, PATCHES_MAX, 1, &number, err) ||
        !advised_open(a, run, only, &d, err) || !folder_of(o, a, d.experiment, &folder, err))
        return false;
    int k = patch_numbered(&d, number, &advice, &total);
    if (k < 0 && total == 0)
        return fail(err, NOWHERE,
                    "there is no patch to apply: no finding has a fix that is mechanical in "
                    "this code (`ridge explain --verbose` says why)");
    if (k < 0)
        return fail(err, NOWHERE,
                    "there is no patch %lld: `ridge explain` lists 1 to %d with the same "
                    "arguments",
                    (long long)number, total);
    return advice_apply(a, run, d.experiment, advice, k, folder, &applied, err) &&
           applied_print(o, run, &applied, err);
}
