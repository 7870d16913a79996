// A job divided: which parameter counts the units, what a part has of each buffer, and how the outputs of
// parts become those of the whole. `split: N`, or {over: N, granule: 1024, add: [sum]}.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- the key --------------------------------------------------------------------------------------- */

static bool find_param(struct loader *l, const struct yaml_node *node, int *out)
{
    const char *name = NULL;
    const char **names = ARENA_ARRAY(l->a, const char *, l->e->param_count + 1);
    if (!yaml_string(node, "'split'", &name, l->err)) {
        return false;
    }
    for (int i = 0; i < l->e->param_count; i++) {
        names[i] = l->e->params[i].name;
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return true;
        }
    }
    return fail_unknown(l->err, node->at, "parameter", name, names, (size_t)l->e->param_count);
}

// The buffer that a node names; negative, said, without one.
static int load_buffer(struct loader *l, const struct yaml_node *node, const char *what)
{
    const char *name = NULL;
    if (!yaml_string(node, what, &name, l->err)) {
        return -1;
    }
    int buffer = buffer_find(l->e, name);
    if (buffer < 0) {
        (void)fail_unknown_buffer(l->a, l->e, node->at, name, false, l->err);
    }
    return buffer;
}

// A list of buffers that are divided that way.
static bool load_way(struct loader *l, const struct yaml_node *node, const char *key,
                     enum split_way way, struct split_spec *s, bool *named)
{
    const char *what = arena_printf(l->a, "'%s' of 'split'", key);
    if (node == NULL) {
        return true;
    }
    if (!yaml_expect(node, YAML_LIST, what, l->err)) {
        return false;
    }
    for (size_t i = 0; i < node->count; i++) {
        int buffer = load_buffer(l, node->items[i], what);
        if (buffer < 0) {
            return false;
        }
        const struct buffer_spec *b = &l->e->buffers[buffer];
        if (named[buffer]) {
            return fail(l->err, node->items[i]->at, "'split' must name buffer '%s' once", b->name);
        }
        if (way == SPLIT_WHOLE && b->output) {
            return fail(l->err, node->items[i]->at,
                        "'%s' is an output, which must not be 'whole' in every part: name it in "
                        "'add' if parts of it are summed",
                        b->name);
        }
        if (way == SPLIT_ADD && (!b->output || b->fill != FILL_NONE)) {
            return fail(l->err, node->items[i]->at,
                        b->output ? "'%s' must have no fill, which every part would add: let a "
                                    "step 'zero: %s' write it"
                                  : "'%s' is no output: what is added must have 'output: true'",
                        b->name, b->name);
        }
        s->ways[buffer] = way;
        named[buffer] = true;
    }
    return true;
}

// What is not named: scratch is each part's own, what counts the parameter has rows, other inputs are whole.
static bool default_way(struct loader *l, struct split_spec *s, int buffer)
{
    const struct buffer_spec *b = &l->e->buffers[buffer];
    const char *param = l->e->params[s->param].name;
    s->ways[buffer] = b->scratch                             ? SPLIT_OWN
                      : expression_mentions(b->count, param) ? SPLIT_ROWS
                                                             : SPLIT_WHOLE;
    return s->ways[buffer] != SPLIT_WHOLE || !b->output ||
           fail(l->err, s->at,
                "'split': the count of the output '%s' does not name '%s': if every part computes "
                "a summand of it, write 'add: [%s]'",
                b->name, param, b->name);
}

// Buffers that devices exchange in a round, beside what `add` and `halo` imply: outputs, or inputs that are whole.
static bool load_exchanged(struct loader *l, const struct yaml_node *split, const char *key,
                           enum split_way way, const char *need, const struct split_spec *s,
                           bool **out)
{
    const char *what = arena_printf(l->a, "'%s' of 'split'", key);
    const struct yaml_node *node = split->kind == YAML_MAP ? yaml_get(split, key) : NULL;
    *out = ARENA_ARRAY(l->a, bool, l->e->buffer_count + 1);
    if (node == NULL) {
        return true;
    }
    if (!yaml_expect(node, YAML_LIST, what, l->err)) {
        return false;
    }
    for (size_t i = 0; i < node->count; i++) {
        int buffer = load_buffer(l, node->items[i], what);
        if (buffer < 0) {
            return false;
        }
        if (s->ways[buffer] != way || l->e->buffers[buffer].output != (way != SPLIT_WHOLE)) {
            return fail(l->err, node->items[i]->at, "%s must not name '%s': it takes %s", what,
                        l->e->buffers[buffer].name, need);
        }
        (*out)[buffer] = true;
    }
    return true;
}

static bool load_ways(struct loader *l, const struct yaml_node *node, struct split_spec *s)
{
    static const struct {
        const char *key;
        enum split_way way;
    } keys[] = {{"whole", SPLIT_WHOLE}, {"columns", SPLIT_COLUMNS}, {"add", SPLIT_ADD}};
    bool *named = ARENA_ARRAY(l->a, bool, l->e->buffer_count + 1);
    s->ways = ARENA_ARRAY(l->a, enum split_way, l->e->buffer_count + 1);
    for (size_t i = 0; i < COUNT_OF(keys) && node->kind == YAML_MAP; i++) {
        if (!load_way(l, yaml_get(node, keys[i].key), keys[i].key, keys[i].way, s, named)) {
            return false;
        }
    }
    for (int i = 0; i < l->e->buffer_count; i++) {
        if (!named[i] && !default_way(l, s, i)) {
            return false;
        }
        if (s->halo != NULL && s->ways[i] == SPLIT_ADD) {
            return fail(
                l->err, s->at,
                "'split' must not have a 'halo' and add '%s': units of the halo would count "
                "twice",
                l->e->buffers[i].name);
        }
    }
    return true;
}

// Units of a halo would lie between those that are sent.
static bool check_turn(struct loader *l, const struct split_spec *s)
{
    for (int i = 0; i < l->e->buffer_count && s->halo != NULL; i++) {
        if (s->turn[i]) {
            return fail(l->err, s->at, "'split' must not have a 'halo' and turn '%s'",
                        l->e->buffers[i].name);
        }
    }
    return true;
}

// Either the first device has it, or each a panel.
static bool check_panels(struct loader *l, const struct split_spec *s)
{
    for (int i = 0; i < l->e->buffer_count; i++) {
        if (s->panels[i] && s->broadcast[i]) {
            return fail(l->err, s->at,
                        "'split' must not name '%s' in both 'broadcast' and 'panels'",
                        l->e->buffers[i].name);
        }
    }
    return true;
}

bool load_split(struct loader *l, const struct yaml_node *node)
{
    struct split_spec *s = ARENA_NEW(l->a, struct split_spec);
    const struct yaml_node *over = node, *granule = NULL, *halo = NULL;
    if (node == NULL) {
        return true;
    }
    s->at = node->at;
    if (node->kind == YAML_MAP) {
        if (!check_keys(l, node, "'split'", KEYS_SPLIT)) {
            return false;
        }
        over = yaml_get(node, "over");
        granule = yaml_get(node, "granule");
        halo = yaml_get(node, "halo");
    }
    if (over == NULL) {
        return fail(l->err, node->at,
                    "'split' needs 'over', the parameter that is divided: split: {over: N}");
    }
    if (!find_param(l, over, &s->param) ||
        (granule != NULL && !load_expression(l, granule, "'granule'", &s->granule)) ||
        (halo != NULL && !load_expression(l, halo, "'halo'", &s->halo))) {
        return false;
    }
    l->e->split = s;
    return load_ways(l, node, s) &&
           load_exchanged(l, node, "gather", SPLIT_ROWS, "outputs that are divided by rows", s,
                          &s->gather) &&
           load_exchanged(l, node, "broadcast", SPLIT_WHOLE, "inputs that every part has whole", s,
                          &s->broadcast) &&
           load_exchanged(l, node, "panels", SPLIT_WHOLE, "inputs that every part has whole", s,
                          &s->panels) &&
           check_panels(l, s) &&
           load_exchanged(l, node, "turn", SPLIT_COLUMNS, "outputs that are divided by columns", s,
                          &s->turn) &&
           check_turn(l, s);
}

/* ---- in a case ------------------------------------------------------------------------------------ */

static bool evaluate_units(struct resolver *r, const struct expression *x, const char *what,
                           int64_t least, uint64_t *out)
{
    int64_t value = 0;
    if (!evaluate_integer(r, x, what, &value)) {
        return false;
    }
    *out = (uint64_t)value;
    return value >= least || fail(r->err, expression_location(x), "%s is %lld (%s with %s)", what,
                                  (long long)value, expression_text(x), r->where);
}

bool experiment_resolve_split(struct arena *a, const struct experiment *e,
                              const struct case_point *point, struct resolved_split *out,
                              struct error *err)
{
    const struct split_spec *s = e->split;
    struct resolver r = {.a = a, .e = e, .err = err, .supported = true};
    int64_t units = 0;
    if (s == NULL) {
        return fail(err, (struct location){.file = e->path},
                    "experiment '%s' does not say how its work is divided: add 'split: PARAMETER' "
                    "(`ridge help experiment`, docs/scale.md)",
                    e->name);
    }
    r.where = point->label;
    scope_build(a, e, point, NULL, &r.scope);
    *out = (struct resolved_split){.granule = 1};
    if (!value_to_integer(&point->values[s->param], &units) || units < 1) {
        return fail(err, s->at, "'split' divides '%s', which is no count of units with %s",
                    e->params[s->param].name, point->label);
    }
    out->units = (uint64_t)units;
    if ((s->granule != NULL &&
         !evaluate_units(&r, s->granule, "the granule of 'split'", 1, &out->granule)) ||
        (s->halo != NULL && !evaluate_units(&r, s->halo, "the halo of 'split'", 0, &out->halo))) {
        return false;
    }
    out->halo = (out->halo + out->granule - 1) / out->granule * out->granule;
    return true;
}

struct part_range part_range_of(const struct resolved_split *s, uint64_t first, uint64_t end)
{
    return (struct part_range){first, end, first > s->halo ? first - s->halo : 0,
                               s->units - end > s->halo ? end + s->halo : s->units};
}

void experiment_part_point(struct arena *a, const struct experiment *e,
                           const struct case_point *whole, const struct part_range *r,
                           struct case_point *out)
{
    int64_t units = (int64_t)(r->halo_end - r->halo_first);
    out->values = ARENA_ARRAY(a, struct value, e->param_count + 1);
    memcpy(out->values, whole->values, sizeof *out->values * (size_t)e->param_count);
    out->values[e->split->param] =
        (struct value){whole->values[e->split->param].is_integer, units, (double)units};
    out->label = point_label(a, e, out->values);
}

/* ---- data -------------------------------------------------------------------------------------------- */

// Where a part's piece of a buffer lies in the whole's: `rows` runs of `run_bytes`, `stride_bytes` apart.
struct piece {
    uint64_t offset_bytes, run_bytes, stride_bytes, rows;
};

static struct piece piece_of(enum split_way way, const struct resolved_split *s,
                             const struct resolved_buffer *whole, uint64_t first, uint64_t end)
{
    uint64_t each = whole->size_bytes / s->units; // of a unit
    uint64_t size = element_bytes(whole->type);
    switch (way) {
    case SPLIT_ROWS:
        return (struct piece){each * first, each * (end - first), 0, 1};
    case SPLIT_COLUMNS:
        return (struct piece){size * first, size * (end - first), size * s->units,
                              whole->count / s->units};
    case SPLIT_OWN:
    case SPLIT_WHOLE:
    case SPLIT_ADD:
        break;
    }
    return (struct piece){0, whole->size_bytes, 0, 1};
}

static bool check_size(const struct experiment *e, int buffer, const struct resolved_split *s,
                       const struct resolved_case *whole, const struct resolved_case *part,
                       const struct piece *p, const struct case_point *point, struct error *err)
{
    enum split_way way = e->split->ways[buffer];
    const struct resolved_buffer *w = &whole->buffers[buffer], *b = &part->buffers[buffer];
    bool divided = way == SPLIT_ROWS || way == SPLIT_COLUMNS;
    if (divided && w->count % s->units != 0) {
        return fail(err, e->split->at,
                    "'split': buffer '%s' has %llu elements, which %llu units of '%s' do not "
                    "divide; name it in 'whole', or give it whole units",
                    w->name, (unsigned long long)w->count, (unsigned long long)s->units,
                    e->params[e->split->param].name);
    }
    return b->size_bytes == p->run_bytes * p->rows ||
           fail(err, e->split->at,
                "'split': a part with %s has %llu bytes of buffer '%s', and its share of the "
                "whole is %llu: the count must %s '%s'",
                point->label, (unsigned long long)b->size_bytes, b->name,
                (unsigned long long)(p->run_bytes * p->rows), divided ? "grow with" : "not name",
                e->params[e->split->param].name);
}

// Does the part begin with the whole's content there? Outputs without a fill are poisoned in any case.
static bool is_given(const struct experiment *e, int buffer)
{
    return e->split->ways[buffer] != SPLIT_OWN && e->buffers[buffer].fill != FILL_NONE;
}

// Runs of bytes that lie apart on both sides, by the host's threads.
struct runs {
    unsigned char *to;
    const unsigned char *from;
    uint64_t to_stride, from_stride, run_bytes;
};

static void copy_runs_piece(void *context, uint64_t first, uint64_t end)
{
    const struct runs *r = context;
    for (uint64_t i = first; i < end; i++) {
        memcpy(r->to + i * r->to_stride, r->from + i * r->from_stride, r->run_bytes);
    }
}

static void copy_runs(struct runs r, uint64_t rows)
{
    static const uint64_t grain_bytes = 1 << 20;
    uint64_t grain = r.run_bytes < grain_bytes ? grain_bytes / (r.run_bytes + 1) : 1;
    if (rows == 1) {
        parallel_copy(r.to, r.from, r.run_bytes);
    } else {
        parallel_for(rows, grain, copy_runs_piece, &r);
    }
}

// An input that is in one piece lies in the whole's memory: a copy of it would double what the host holds.
static bool borrows(const struct experiment *e, int buffer)
{
    enum split_way way = e->split->ways[buffer];
    return is_given(e, buffer) && !e->buffers[buffer].output &&
           (way == SPLIT_ROWS || way == SPLIT_WHOLE);
}

void part_release(const struct experiment *e, struct host_buffers *b)
{
    for (int i = 0; i < b->count; i++) {
        if (borrows(e, i)) {
            b->data[i] = NULL;
        }
    }
    buffers_release(b);
}

static void gather(const struct piece *p, const unsigned char *whole, unsigned char *part)
{
    copy_runs(
        (struct runs){part, whole + p->offset_bytes, p->run_bytes, p->stride_bytes, p->run_bytes},
        p->rows);
}

bool part_fill(const struct experiment *e, const struct resolved_split *s,
               const struct resolved_case *whole, const struct host_buffers *inputs,
               const struct part_range *r, const struct resolved_case *part,
               const struct case_point *point, uint64_t seed, struct host_buffers *out,
               struct error *err)
{
    struct experiment unfilled = *e; // what is copied from the whole needs no fill
    struct arena a = {0};
    unfilled.buffers = ARENA_ARRAY(&a, struct buffer_spec, e->buffer_count + 1);
    memcpy(unfilled.buffers, e->buffers, sizeof *e->buffers * (size_t)e->buffer_count);
    bool done = true;
    for (int i = 0; i < e->buffer_count && done; i++) {
        struct piece p =
            piece_of(e->split->ways[i], s, &whole->buffers[i], r->halo_first, r->halo_end);
        unfilled.buffers[i].fill = is_given(e, i) ? FILL_NONE : e->buffers[i].fill;
        done = e->split->ways[i] == SPLIT_OWN || check_size(e, i, s, whole, part, &p, point, err);
    }
    done = done && buffers_fill(&unfilled, part, point, seed, out, err);
    for (int i = 0; i < e->buffer_count && done; i++) {
        struct piece p =
            piece_of(e->split->ways[i], s, &whole->buffers[i], r->halo_first, r->halo_end);
        if (borrows(e, i)) {
            free(out->data[i]);
            out->data[i] = (unsigned char *)inputs->data[i] + p.offset_bytes;
        } else if (is_given(e, i)) {
            gather(&p, inputs->data[i], out->data[i]);
        }
    }
    arena_release(&a);
    return done;
}

static bool is_real(enum element_type t)
{
    return t <= ELEMENT_F64;
}

void joined_begin(const struct experiment *e, const struct resolved_case *whole,
                  const struct host_buffers *inputs, struct joined *j)
{
    size_t count = (size_t)whole->buffer_count + 1;
    if (j->sums == NULL) {
        *j = (struct joined){.outputs = {xcalloc(count, sizeof(void *)), whole->buffer_count},
                             .sums = xcalloc(count, sizeof(void *))};
    }
    for (int i = 0; i < whole->buffer_count; i++) {
        const struct resolved_buffer *b = &whole->buffers[i];
        if (!b->output) {
            continue;
        }
        if (j->outputs.data[i] == NULL) {
            j->outputs.data[i] = xcalloc(b->size_bytes + 1, 1);
        }
        parallel_copy(j->outputs.data[i], inputs->data[i], b->size_bytes); // poisoned, or filled
        if (e->split->ways[i] == SPLIT_ADD) {
            free(j->sums[i]);
            j->sums[i] = xcalloc(b->count + 1, sizeof(uint64_t));
        }
    }
}

void elements_add(enum element_type type, uint64_t count, const void *from, void *sums)
{
    size_t each = element_bytes(type);
    const unsigned char *at = from;
    _Static_assert(sizeof(double) == sizeof(uint64_t), "a sum of either kind has the same room");
    double *real = sums;
    uint64_t *whole = sums;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        if (is_real(type)) {
            real[i] += element_load(type, at + i * each);
            continue;
        }
        memcpy(&bits, at + i * each, each); // modulo 2^bits the sign is of no matter
        whole[i] += bits;
    }
}

void elements_round(enum element_type type, uint64_t count, const void *sums, void *to)
{
    size_t each = element_bytes(type);
    const double *real = sums;
    const uint64_t *whole = sums;
    unsigned char *at = to;
    for (uint64_t i = 0; i < count; i++) {
        if (is_real(type)) {
            (void)element_store(type, real[i], at + i * each);
        } else {
            memcpy(at + i * each, whole + i, each);
        }
    }
}

// Its own units alone: those of the halo are others'.
static void scatter(enum split_way way, const struct resolved_split *s,
                    const struct resolved_buffer *whole, const struct part_range *r,
                    const unsigned char *from, unsigned char *to)
{
    struct piece p = piece_of(way, s, whole, r->first, r->end);
    struct piece all = piece_of(way, s, whole, r->halo_first, r->halo_end);
    uint64_t before = p.offset_bytes - all.offset_bytes;
    copy_runs((struct runs){to + p.offset_bytes, from + before, p.stride_bytes, all.run_bytes,
                            p.run_bytes},
              p.rows);
}

void joined_take(struct joined *j, const struct experiment *e, const struct resolved_split *s,
                 const struct resolved_case *whole, const struct part_range *r,
                 const struct resolved_case *part, const struct host_buffers *outputs)
{
    for (int i = 0; i < whole->buffer_count; i++) {
        if (!whole->buffers[i].output) {
            continue;
        }
        if (e->split->ways[i] == SPLIT_ADD) {
            elements_add(part->buffers[i].type, part->buffers[i].count, outputs->data[i],
                         j->sums[i]);
        } else {
            scatter(e->split->ways[i], s, &whole->buffers[i], r, outputs->data[i],
                    j->outputs.data[i]);
        }
    }
}

void joined_end(struct joined *j, const struct experiment *e, const struct resolved_case *whole)
{
    for (int i = 0; i < whole->buffer_count; i++) {
        const struct resolved_buffer *b = &whole->buffers[i];
        if (b->output && e->split->ways[i] == SPLIT_ADD) {
            elements_round(b->type, b->count, j->sums[i], j->outputs.data[i]);
        }
    }
}

void joined_release(struct joined *j, const struct resolved_case *whole)
{
    for (int i = 0; i < whole->buffer_count && j->sums != NULL; i++) {
        free(j->outputs.data[i]);
        free(j->sums[i]);
    }
    free(j->outputs.data);
    free(j->sums);
    *j = (struct joined){0};
}
