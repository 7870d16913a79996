// Two revisions of an experiment as one: the same buffers and cases, the variants of both.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_buffer(const struct buffer_spec *a, const struct buffer_spec *b)
{
    return same(a->name, b->name) && a->type == b->type && a->fill == b->fill &&
           same(a->fill_text, b->fill_text) && a->output == b->output &&
           a->written_some == b->written_some && a->scratch == b->scratch &&
           a->compare == b->compare && same(expression_text(a->count), expression_text(b->count));
}

static bool check_same_job(const struct experiment *now, const struct experiment *before,
                           struct error *err)
{
    bool params = now->param_count == before->param_count;
    bool buffers = now->buffer_count == before->buffer_count;
    for (int i = 0; params && i < now->param_count; i++)
        params = same(now->params[i].name, before->params[i].name);
    for (int i = 0; buffers && i < now->buffer_count; i++)
        buffers = same_buffer(&now->buffers[i], &before->buffers[i]);
    return (params && buffers) ||
           fail(err, NOWHERE,
                "the %s of '%s' are not those of the other revision, so that the two do not do the "
                "same job: their times cannot be held against each other",
                params ? "buffers" : "parameters", now->name);
}

// The text of both references is the same: what one was checked with, the other was too.
static bool same_reference(const struct experiment *a, const struct experiment *b)
{
    enum { BYTES_MAX = 4 << 20 };
    char *x = NULL, *y = NULL;
    size_t nx = 0, ny = 0;
    struct error ignored = {0};
    bool both = a->reference.source && b->reference.source;
    if (!both)
        return !a->reference.source && !b->reference.source;
    bool equal = same(a->reference.function, b->reference.function) &&
                 file_read(a->reference.source, BYTES_MAX, &x, &nx, &ignored) &&
                 file_read(b->reference.source, BYTES_MAX, &y, &ny, &ignored) && nx == ny &&
                 memcmp(x, y, nx) == 0;
    free(x);
    free(y);
    for (int i = 0; equal && i < a->buffer_count; i++)
        equal = a->buffers[i].tolerance_rel == b->buffers[i].tolerance_rel &&
                a->buffers[i].tolerance_abs == b->buffers[i].tolerance_abs &&
                a->buffers[i].tolerance_ulp == b->buffers[i].tolerance_ulp;
    return equal;
}

// On its own: it answers nobody, and its source is its revision's.
static struct variant_spec variant_of(struct arena *a, const struct experiment *before, int index,
                                      const char *suffix)
{
    struct variant_spec v = before->variants[index];
    v.name = arena_printf(a, "%s@%s", v.name, suffix);
    v.from = -1;
    v.hypothesis = NULL;
    v.expectation_count = 0;
    v.sources = v.source ? v.sources : before->sources;
    v.source = v.source ? v.source : before->source;
    v.directory = before->directory;
    return v;
}

bool experiment_join(struct arena *a, const struct experiment *now, const struct experiment *before,
                     const char *suffix, struct experiment **out, struct error *err)
{
    struct experiment *e = ARENA_NEW(a, struct experiment);
    if (!check_same_job(now, before, err))
        return false;
    *e = *now;
    e->variants =
        ARENA_ARRAY(a, struct variant_spec, now->variant_count + before->variant_count + 1);
    memcpy(e->variants, now->variants, (size_t)now->variant_count * sizeof *e->variants);
    bool twins = same_reference(now, before);
    for (int i = 0; i < before->variant_count; i++) {
        int index = e->variant_count++;
        e->variants[index] = variant_of(a, before, i, suffix);
        for (int k = 0; twins && k < now->variant_count; k++)
            if (same(now->variants[k].name, before->variants[i].name)) {
                e->variants[k].twin = index + 1;
                e->variants[index].twin = k + 1;
            }
    }
    *out = e;
    return true;
}
