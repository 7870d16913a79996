// ridge_adapt_*: adapt.h's decisions over what was tuned, each choice written down with the state of the chip.
// SPDX-License-Identifier: Apache-2.0
#include "api/adapt.h"
#include "api/internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 9 };
static const double band_default = 0.2, hold_default_s = 60, ns_per_s = 1e9;

struct ridge_adaptive {
    struct ridge *owner;
    struct ridge_select_query query; // its strings are the owner's arena's
    struct ridge_selection candidates[ADAPT_CANDIDATES_MOST];
    struct adapt adapt;
    const char *log; // "" = none
    int choices;
};

/* ---- the record ------------------------------------------------------------------------------------------- */

static json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *selection_json(const struct ridge_selection *s)
{
    return json_pack("{s:s, s:s, s:b, s:s, s:o, s:s}", "variant", s->variant, "parameters",
                     s->parameters, "tuned", s->tuned, "case", s->case_label, "promised_ns",
                     number_json(s->time_ns), "provenance", s->provenance);
}

static json_t *state_json(struct ridge *r)
{
    struct device_state state = {0};
    if (!r->info.simulated)
        device_state(r->device, &state);
    if (!state.valid)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:s?}", "sm_mhz", number_json(state.sm_mhz), "power_w",
                     number_json(state.power_w), "temperature_c", number_json(state.temperature_c),
                     "slowed_by", state.throttled);
}

// A line, added in one write: several processes may share the file.
static bool record(struct ridge_adaptive *a, const char *why, const struct ridge_selection *before,
                   double seen_ns, struct error *err)
{
    char now[32];
    a->choices++;
    if (!*a->log)
        return true;
    time_utc_iso(now);
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "at", now, "experiment", a->query.experiment,
        "device", a->owner->info.id, "why", why, "before",
        before ? selection_json(before) : json_null(), "seen_ns", number_json(seen_ns), "chosen",
        selection_json(&a->candidates[a->adapt.chosen]), "state", state_json(a->owner));
    char *text = json_dumps(json, JSON_COMPACT);
    FILE *file = fopen(a->log, "ae");
    bool done = text && file && fprintf(file, "%s\n", text) > 0;
    int failed = errno;
    if (file && fclose(file) != 0)
        done = false;
    free(text);
    json_decref(json);
    return done || fail_errno(err, failed, "the choice cannot be written to '%s'", a->log);
}

/* ---- choosing ----------------------------------------------------------------------------------------------- */

static bool find_candidates(struct ridge_adaptive *a, struct error *err)
{
    struct adapt *d = &a->adapt;
    if (!select_candidates(a->owner, &a->query, ADAPT_CANDIDATES_MOST, a->candidates, &d->count,
                           err))
        return false;
    for (int i = 0; i < d->count; i++)
        d->candidates[i].promised_ns = a->candidates[i].time_ns;
    adapt_begin(d, clock_ns());
    return true;
}

static const char *const *copied_list(struct ridge *r, const char *const *list, int count)
{
    const char **out = ARENA_ARRAY(&r->arena, const char *, count + 1);
    for (int i = 0; i < count; i++)
        out[i] = list[i] ? arena_strdup(&r->arena, list[i]) : NULL;
    return out;
}

static const char *copied(struct ridge *r, const char *s)
{
    return s ? arena_strdup(&r->arena, s) : NULL;
}

static void copy_query(struct ridge *r, const struct ridge_select_query *q,
                       struct ridge_select_query *out)
{
    struct ridge_fallback *fallbacks =
        ARENA_ARRAY(&r->arena, struct ridge_fallback, q->fallback_count + 1);
    for (int i = 0; i < q->fallback_count; i++)
        fallbacks[i] =
            (struct ridge_fallback){q->fallbacks[i].least_cc, copied(r, q->fallbacks[i].variant),
                                    copied(r, q->fallbacks[i].parameters)};
    *out = (struct ridge_select_query){.experiment = copied(r, q->experiment),
                                       .variant = copied(r, q->variant),
                                       .sizes = copied_list(r, q->sizes, q->size_count),
                                       .size_count = q->size_count,
                                       .source = copied(r, q->source),
                                       .flags = copied(r, q->flags),
                                       .source_hash = copied(r, q->source_hash),
                                       .table = copied(r, q->table),
                                       .fallbacks = fallbacks,
                                       .fallback_count = q->fallback_count};
}

// Later it is given times, and nothing else.
static bool check_objective(const struct ridge_select_query *q, struct error *err)
{
    return !q->objective || strcmp(q->objective, "time") == 0 ||
           fail(err, NOWHERE,
                "ridge_adapt_open: it chooses by the times that it is given, not by '%s': leave "
                "the objective out, or choose once by ridge_select",
                q->objective);
}

static bool check_options(const struct ridge_adapt_options *o, struct error *err)
{
    if (!(o->band >= 0 && o->band < 1))
        return fail(err, NOWHERE, "ridge_adapt_open: the band is %g: give a share below 1",
                    o->band);
    if (o->patience < 0 || o->patience > ADAPT_PATIENCE_MOST)
        return fail(err, NOWHERE, "ridge_adapt_open: patience is %d: it must be 1 to %d",
                    o->patience, ADAPT_PATIENCE_MOST);
    return (o->hold_s >= 0 && isfinite(o->hold_s)) ||
           fail(err, NOWHERE, "ridge_adapt_open: hold_s is %g: give seconds", o->hold_s);
}

static bool open_adaptive(struct ridge *r, const struct ridge_select_query *q,
                          const struct ridge_adapt_options *o, struct ridge_adaptive *a,
                          struct error *err)
{
    const char *log = o->log ? o->log : user_data_path(&r->arena, "choices.jsonl");
    *a = (struct ridge_adaptive){.owner = r, .log = copied(r, log ? log : "")};
    copy_query(r, q, &a->query);
    a->adapt.band = o->band > 0 ? o->band : band_default;
    a->adapt.patience = o->patience > 0 ? o->patience : PATIENCE;
    a->adapt.hold_ns = (uint64_t)((o->hold_s > 0 ? o->hold_s : hold_default_s) * ns_per_s);
    return find_candidates(a, err) && record(a, "first", NULL, (double)NAN, err);
}

int ridge_adapt_open(struct ridge *r, const struct ridge_select_query *q,
                     const struct ridge_adapt_options *options, struct ridge_adaptive **out)
{
    static const struct ridge_adapt_options defaults = {0};
    const struct ridge_adapt_options *o = options ? options : &defaults;
    struct error err = {0};
    if (!select_check(r, q, out, "ridge_adapt_open", &err) || !check_objective(q, &err) ||
        !check_options(o, &err))
        return api_end(false, &err);
    *out = xcalloc(1, sizeof **out);
    bool done = open_adaptive(r, q, o, *out, &err);
    if (!done) {
        free(*out);
        *out = NULL;
    }
    return api_end(done, &err);
}

void ridge_adapt_close(struct ridge_adaptive *a)
{
    free(a);
}

const struct ridge_selection *ridge_adapt_selection(const struct ridge_adaptive *a)
{
    return a ? &a->candidates[a->adapt.chosen] : NULL;
}

int ridge_adapt_choices(const struct ridge_adaptive *a)
{
    return a ? a->choices : 0;
}

int ridge_adapt_add(struct ridge_adaptive *a, double time_ns, int *chosen_anew)
{
    struct error err = {0};
    double median_ns = (double)NAN;
    if (!api_need(a, "ridge_adapt_add", "the choice", &err))
        return api_end(false, &err);
    if (!(time_ns > 0) || !isfinite(time_ns))
        return api_end(
            fail(&err, NOWHERE, "ridge_adapt_add: a time of %g ns: it must be above 0", time_ns),
            &err);
    const struct ridge_selection *before = &a->candidates[a->adapt.chosen];
    enum adapt_answer answer = adapt_add(&a->adapt, time_ns, clock_ns(), &median_ns);
    if (chosen_anew)
        *chosen_anew = answer == ADAPT_CHOOSES;
    bool done = answer == ADAPT_KEEPS ||
                record(a, answer == ADAPT_CHOOSES ? "out of the band" : "nothing promises less",
                       before, median_ns, &err);
    return api_end(done, &err);
}

int ridge_adapt_size(struct ridge_adaptive *a, const char *const *sizes, int size_count,
                     int *chosen_anew)
{
    struct error err = {0};
    if (!api_need(a, "ridge_adapt_size", "the choice", &err) ||
        !api_need(sizes, "ridge_adapt_size", "sizes", &err))
        return api_end(false, &err);
    struct ridge_selection before = a->candidates[a->adapt.chosen];
    a->query.sizes = copied_list(a->owner, sizes, size_count);
    a->query.size_count = size_count;
    bool done = find_candidates(a, &err);
    const struct ridge_selection *now = &a->candidates[0];
    bool anew = done && (strcmp(before.variant, now->variant) != 0 ||
                         strcmp(before.parameters, now->parameters) != 0);
    if (chosen_anew)
        *chosen_anew = anew;
    done = done && (!anew || record(a, "another size", &before, (double)NAN, &err));
    return api_end(done, &err);
}
