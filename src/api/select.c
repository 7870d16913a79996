// ridge_select(): a variant and its parameters for a size on the device at hand, from the tuned table, else by compute
// capability.
// SPDX-License-Identifier: Apache-2.0
#include "api/internal.h"
#include "tuner/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool take_sizes(struct ridge *r, const struct ridge_select_query *q, struct tuned_query *out,
                       struct error *err)
{
    struct tuned_size *sizes = ARENA_ARRAY(&r->arena, struct tuned_size, q->size_count + 1);
    for (int i = 0; i < q->size_count; i++) {
        const char *text = q->sizes[i], *equal = text ? strchr(text, '=') : NULL;
        if (!equal || equal == text || !str_to_double(equal + 1, &sizes[i].value))
            return fail(err, NOWHERE, "ridge_select: '%s' is no size: write NAME=NUMBER: N=1024",
                        text ? text : "NULL");
        sizes[i].name = arena_strndup(&r->arena, text, (size_t)(equal - text));
    }
    out->sizes = sizes;
    out->size_count = q->size_count;
    return true;
}

// Its flags are words between blanks.
static bool take_source(struct ridge *r, const struct ridge_select_query *q, char hash[33],
                        const char **out, struct error *err)
{
    *out = q->source_hash;
    if (q->source_hash)
        return true;
    if (!q->source)
        return fail(
            err, NOWHERE,
            "ridge_select: source or source_hash is needed: an entry of another source must not "
            "be used");
    const char **flags =
        ARENA_ARRAY(&r->arena, const char *, (q->flags ? strlen(q->flags) : 0) + 1);
    struct compile_request request = {.source_path = q->source,
                                      .flags = flags,
                                      .flags_directory = path_dir(&r->arena, q->source)};
    for (const char *s = q->flags ? q->flags : ""; *(s += strspn(s, " "));) {
        size_t n = strcspn(s, " ");
        flags[request.flag_count++] = arena_strndup(&r->arena, s, n);
        s += n;
    }
    *out = hash;
    return code_source_hash(&r->arena, &request, hash, err);
}

static const char *copied(struct ridge *r, const char *s)
{
    return arena_strdup(&r->arena, s ? s : "");
}

static void take_entry(struct ridge *r, const struct tuned_answer *found,
                       struct ridge_selection *out)
{
    const struct tuned_entry *e = found->entry;
    *out = (struct ridge_selection){.variant = e->variant,
                                    .parameters = tuned_choices_text(&r->arena, e),
                                    .tuned = 1,
                                    .case_label = tuned_sizes_text(&r->arena, e),
                                    .octaves = found->octaves,
                                    .time_ns = e->time_ns,
                                    .provenance = e->provenance,
                                    .why = found->why,
                                    .energy_mj = e->energy_mj};
}

// The most demanding one that the device fulfils.
static bool take_fallback(struct ridge *r, const struct ridge_select_query *q, const char *why,
                          struct ridge_selection *out, struct error *err)
{
    static const double slack = 0.001; // 9.0 is no exact matter in binary
    const struct ridge_fallback *best = NULL;
    for (int i = 0; i < q->fallback_count; i++) {
        const struct ridge_fallback *f = &q->fallbacks[i];
        if (f->variant && f->least_cc <= r->info.facts.cc + slack &&
            (!best || f->least_cc > best->least_cc))
            best = f;
    }
    if (!best)
        return fail(
            err, NOWHERE,
            "ridge_select: %s, and no fallback is for compute capability %.1f: give one with "
            "least_cc 0",
            why, r->info.facts.cc);
    *out = (struct ridge_selection){.variant = copied(r, best->variant),
                                    .parameters = copied(r, best->parameters),
                                    .case_label = "",
                                    .octaves = (double)NAN,
                                    .time_ns = (double)NAN,
                                    .provenance = "absent",
                                    .why = why,
                                    .energy_mj = (double)NAN};
    return true;
}

struct choosing {
    struct tuned_table table;
    struct tuned_query query;
    char hash[33];
};

static bool open_table(struct ridge *r, const struct ridge_select_query *q, struct choosing *c,
                       struct error *err)
{
    const char *platform = tuner_platform(&r->arena, &r->info);
    c->query = (struct tuned_query){.experiment = q->experiment,
                                    .variant = q->variant,
                                    .device = r->info.name,
                                    .platform = platform ? platform : ""};
    if (q->objective && !objective_find(q->objective, &c->query.objective, err))
        return error_context(err, "in ridge_select's objective");
    return take_sizes(r, q, &c->query, err) && take_source(r, q, c->hash, &c->query.source, err) &&
           tuned_read(&r->arena, q->table, &c->table, err);
}

// Has an entry before it the same variant?
static bool is_again(const struct tuned_table *t, int entry)
{
    for (int i = 0; i < entry; i++)
        if (strcmp(t->entries[i].variant, t->entries[entry].variant) == 0 &&
            strcmp(t->entries[i].experiment, t->entries[entry].experiment) == 0)
            return true;
    return false;
}

bool select_candidates(struct ridge *r, const struct ridge_select_query *q, int most,
                       struct ridge_selection *out, int *count, struct error *err)
{
    struct choosing c;
    struct tuned_answer found;
    *count = 0;
    if (!open_table(r, q, &c, err))
        return false;
    tuned_select(&r->arena, &c.table, &c.query, &found);
    *count = 1;
    if (!found.entry)
        return take_fallback(r, q, found.why, &out[0], err);
    take_entry(r, &found, &out[0]);
    for (int i = 0; i < c.table.count && !q->variant && *count < most; i++) {
        struct tuned_answer other;
        c.query.variant = c.table.entries[i].variant;
        if (is_again(&c.table, i) || strcmp(c.query.variant, out[0].variant) == 0)
            continue;
        tuned_select(&r->arena, &c.table, &c.query, &other);
        if (other.entry && strcmp(tuned_sizes_text(&r->arena, other.entry), out[0].case_label) == 0)
            take_entry(r, &other, &out[(*count)++]);
    }
    return true;
}

bool select_check(struct ridge *r, const struct ridge_select_query *q, const void *out,
                  const char *function, struct error *err)
{
    return api_need(r, function, "the device", err) && api_need(q, function, "the query", err) &&
           api_need(out, function, "out", err) &&
           api_need(q->experiment, function, "experiment", err);
}

int ridge_select(struct ridge *r, const struct ridge_select_query *q, struct ridge_selection *out)
{
    struct error err = {0};
    int count;
    bool done = select_check(r, q, out, "ridge_select", &err) &&
                select_candidates(r, q, 1, out, &count, &err);
    return api_end(done, &err);
}

const char *ridge_selected(struct ridge *r, const struct ridge_selection *s, const char *name)
{
    size_t n = name ? strlen(name) : 0;
    for (const char *at = r && s && s->parameters ? s->parameters : ""; n > 0 && *at;) {
        size_t length = strcspn(at, " ");
        if (length > n && strncmp(at, name, n) == 0 && at[n] == '=')
            return arena_strndup(&r->arena, at + n + 1, length - n - 1);
        at += length + strspn(at + length, " ");
    }
    return NULL;
}
