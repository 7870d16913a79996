// One case and one variant, on one device: every expression becomes a number, and is checked.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCOPE_ROOM = 8 + SCOPE_NAMES_MAX }; // the device's facts, and what scope_set adds

#define MAX_BUFFER_BYTES ((uint64_t)1 << 42)

void scope_build(struct arena *a, const struct experiment *e, const struct case_point *point,
                 const struct device_facts *d, struct scope *out)
{
    size_t n = (size_t)e->param_count;
    out->names = ARENA_ARRAY(a, const char *, n + SCOPE_ROOM);
    out->values = ARENA_ARRAY(a, struct value, n + SCOPE_ROOM);
    out->count = n;
    for (size_t i = 0; i < n; i++) {
        out->names[i] = e->params[i].name;
        out->values[i] = point->values[i];
    }
    if (d == NULL) {
        return;
    }
    static const char *const names[] = {
#define FACT(name) name,
#include "experiment/schema.def"
#undef FACT
    };
    const int64_t facts[] = {0,
                             0,
                             d->sm_count,
                             d->warp_size,
                             d->max_threads_per_block,
                             d->shared_bytes_per_block,
                             d->l2_bytes,
                             d->memory_bytes};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        out->names[out->count] = names[i];
        out->values[out->count++] = i < 2 ? (struct value){false, 0, d->cc}
                                          : (struct value){true, facts[i], (double)facts[i]};
    }
}

void scope_set_value(struct resolver *r, const char *name, const struct value *value)
{
    size_t i = 0;
    while (i < r->scope.count && strcmp(r->scope.names[i], name) != 0) {
        i++;
    }
    r->scope.names[i] = name;
    r->scope.values[i] = *value;
    r->scope.count += i == r->scope.count;
}

void scope_set(struct resolver *r, const char *name, int64_t value)
{
    scope_set_value(r, name, &(struct value){true, value, (double)value});
}

bool value_to_integer(const struct value *v, int64_t *out)
{
    if (!v->is_integer && !(fabs(v->d) < 9.2e18 && floor(v->d) == v->d)) {
        return false;
    }
    *out = v->is_integer ? v->i : (int64_t)v->d;
    return true;
}

bool evaluate_integer(struct resolver *r, const struct expression *x, const char *what,
                      int64_t *out)
{
    struct value v = {0};
    if (!expression_evaluate(x, &r->scope, &v, r->err)) {
        return error_context(r->err, "in %s", what);
    }
    return value_to_integer(&v, out)
               ? true
               : fail(r->err, expression_location(x), "%s is %g, not a whole number (%s with %s)",
                      what, v.d, expression_text(x), r->where);
}

struct resolver resolver_new(struct arena *a, const struct experiment *e,
                             const struct case_point *point, const struct device_facts *device,
                             struct error *err)
{
    struct resolver r = {
        a,   e,   e->param_count > 0 ? point_label(a, e, point->values) : "no parameters",
        {0}, err, true};
    scope_build(a, e, point, device, &r.scope);
    return r;
}

bool resolve_buffer(struct resolver *r, const struct buffer_spec *b, struct resolved_buffer *out)
{
    int64_t count = 0;
    const char *what = arena_printf(r->a, "the count of buffer '%s'", b->name);
    if (!evaluate_integer(r, b->count, what, &count)) {
        return false;
    }
    if (count < 1 || (uint64_t)count > MAX_BUFFER_BYTES / element_bytes(b->type)) {
        return fail(r->err, expression_location(b->count),
                    "%s is %lld (%s with %s); it must be at least 1 and at most 4 TiB", what,
                    (long long)count, expression_text(b->count), r->where);
    }
    *out = (struct resolved_buffer){b->name, b->type, (uint64_t)count,
                                    (uint64_t)count * element_bytes(b->type), b->output};
    return true;
}

static void add(double *sum, double v)
{
    *sum = isnan(*sum) ? v : *sum + v;
}

static bool resolve_work(struct resolver *r, struct resolved_case *out)
{
    out->work_bytes = out->work_flops = out->work_flops_f16 = (double)NAN;
    out->work_flops_f32 = out->work_flops_f64 = out->work_flops_tensor = (double)NAN;
    for (int i = 0; i < r->e->work_count; i++) {
        const struct work_spec *w = &r->e->work[i];
        struct value v = {0};
        if (!expression_evaluate(w->value, &r->scope, &v, r->err)) {
            return false;
        }
        if (v.d < 0) {
            return fail(r->err, expression_location(w->value),
                        "work '%s' is %g (%s with %s); it must not be negative", w->name, v.d,
                        expression_text(w->value), r->where);
        }
        if (strcmp(w->name, "bytes") == 0) {
            out->work_bytes = v.d;
            continue;
        }
        add(&out->work_flops, v.d);
        if (strcmp(w->name, "flops_f16") == 0) {
            add(&out->work_flops_f16, v.d);
        } else if (strcmp(w->name, "flops_f32") == 0) {
            add(&out->work_flops_f32, v.d);
        } else if (strcmp(w->name, "flops_f64") == 0) {
            add(&out->work_flops_f64, v.d);
        } else if (str_starts_with(w->name, "flops_tensor")) {
            enum tensor_type type = TENSOR_BF16;
            const char *word = w->name + strlen("flops_tensor");
            (void)tensor_type_of(word + (*word == '_'), &type);
            add(&out->work_flops_tensor, v.d);
            out->work_tensor[type] += v.d;
        }
    }
    return true;
}

bool experiment_resolve_case(struct arena *a, const struct experiment *e,
                             const struct case_point *point, const struct device_facts *device,
                             struct resolved_case *out, struct error *err)
{
    struct resolver r = resolver_new(a, e, point, device, err);
    *out = (struct resolved_case){.point = point, .buffer_count = e->buffer_count};
    out->buffers = ARENA_ARRAY(a, struct resolved_buffer, e->buffer_count + 1);
    for (int i = 0; i < e->buffer_count; i++) {
        if (!resolve_buffer(&r, &e->buffers[i], &out->buffers[i])) {
            return false;
        }
    }
    return resolve_work(&r, out);
}

static bool resolve_dimensions(struct resolver *r, struct expression *const from[3],
                               const char *what, const char *unit, const int64_t most[3],
                               uint32_t out[3])
{
    for (int i = 0; i < 3; i++) {
        int64_t v = 1;
        if (from[i] != NULL && !evaluate_integer(r, from[i], what, &v)) {
            return false;
        }
        if (v < 1 || v > most[i]) {
            return fail(r->err, expression_location(from[i]),
                        "%s is %lld %s in %c (it must be 1 to %lld): %s with %s", what,
                        (long long)v, unit, "xyz"[i], (long long)most[i], expression_text(from[i]),
                        r -> where);
        }
        out[i] = (uint32_t)v;
    }
    return true;
}

// An address within a buffer, or just behind its last byte.
static bool resolve_inside(struct resolver *r, const struct argument_spec *s,
                           struct resolved_argument *out)
{
    const struct buffer_spec *b = &r->e->buffers[s->buffer];
    int64_t count = 0, offset = 0;
    if (!evaluate_integer(r, b->count, "'count'", &count) ||
        !evaluate_integer(r, s->inside, "'offset'", &offset)) {
        return false;
    }
    int64_t last = count * (int64_t)element_bytes(b->type);
    if (offset < 0 || offset > last) {
        return fail(r->err, s->at, "'offset' is %lld with %s: buffer '%s' has %lld bytes",
                    (long long)offset, r->where, b->name, (long long)last);
    }
    out->inside_bytes = (uint64_t)offset;
    out->text = arena_printf(r->a, "%s + %lld bytes", b->name, (long long)offset);
    return true;
}

bool resolve_argument(struct resolver *r, const struct argument_spec *s,
                      struct resolved_argument *out)
{
    out->kind = s->kind;
    out->name = s->name;
    out->at = s->at;
    out->buffer = s->buffer;
    if (s->kind == ARGUMENT_BUFFER) {
        out->type = r->e->buffers[s->buffer].type;
        out->text = r->e->buffers[s->buffer].name;
        return s->inside == NULL || resolve_inside(r, s, out);
    }
    if (s->kind == ARGUMENT_TENSOR_MAP) {
        return tensor_resolve(r, s, out);
    }
    if (s->kind == ARGUMENT_TEXTURE) {
        return texture_resolve(r, s, out);
    }
    if (s->kind == ARGUMENT_WORD) {
        out->text = s->text;
        return true;
    }
    if (s->kind == ARGUMENT_STRUCT) {
        return struct_resolve(r, s, out);
    }
    out->text = expression_text(s->value);
    struct value v = {0};
    if (!expression_evaluate(s->value, &r->scope, &v, r->err)) {
        return error_context(r->err, "in an argument");
    }
    out->type = s->type;
    if (!s->typed) {
        bool small = v.i >= INT32_MIN && v.i <= INT32_MAX;
        bool wide = s->name != NULL || !small;
        out->type = v.is_integer ? (wide ? ELEMENT_I64 : ELEMENT_I32)
                                 : (s->name != NULL ? ELEMENT_F64 : ELEMENT_F32);
    }
    int64_t i = 0;
    bool fits = element_is_float(out->type)
                    ? element_store(out->type, v.d, out->value)
                    : value_to_integer(&v, &i) && element_store_integer(out->type, i, out->value);
    if (!fits) {
        return fail(r->err, s->at, "the argument %s is %g with %s: that does not fit %s",
                    expression_text(s->value), v.d, r->where, element_name(out->type));
    }
    return true;
}

static struct resolved_argument *resolve_list(struct resolver *r, const struct argument_spec *args,
                                              int count)
{
    struct resolved_argument *out = ARENA_ARRAY(r->a, struct resolved_argument, count + 1);
    for (int i = 0; i < count; i++) {
        if (!resolve_argument(r, &args[i], &out[i])) {
            return NULL;
        }
    }
    return out;
}

static bool resolve_arguments(struct resolver *r, const struct launch_spec *s,
                              struct resolved_launch *out)
{
    out->args = resolve_list(r, s->args, s->arg_count);
    return out->args != NULL;
}

// The rows [first, end) for one call: its pointers begin at the first, and the parameter counts no others.
static bool resolve_part(struct resolver *r, int64_t first, int64_t end, int64_t rows,
                         const struct resolved_buffer *buffers, struct reference_part *out)
{
    const struct reference_spec *spec = &r->e->reference;
    uint64_t *offsets = ARENA_ARRAY(r->a, uint64_t, r->e->buffer_count + 1);
    for (int i = 0; i < r->e->buffer_count && spec->split != NULL; i++) {
        offsets[i] = spec->split[i] ? buffers[i].size_bytes / (uint64_t)rows * (uint64_t)first : 0;
    }
    if (spec->split != NULL) {
        scope_set(r, spec->rows, end - first);
    }
    scope_set(r, FIRST_ROW, first);
    scope_set(r, END_ROW, end);
    out->offsets_bytes = offsets;
    out->args = resolve_list(r, spec->args, spec->arg_count);
    return out->args != NULL;
}

static bool resolve_parts(struct resolver *r, struct resolved_reference *out)
{
    enum { PARTS_PER_PROCESSOR = 8 }; // so that they end together, and progress can be shown
    const struct reference_spec *spec = &r->e->reference;
    struct resolved_buffer *buffers =
        ARENA_ARRAY(r->a, struct resolved_buffer, r->e->buffer_count + 1);
    struct value v = {0};
    int64_t rows = 0;
    for (size_t i = 0; i < r->scope.count; i++) {
        v = strcmp(r->scope.names[i], spec->rows) == 0 ? r->scope.values[i] : v;
    }
    if (!value_to_integer(&v, &rows) || rows < 1) {
        return fail(r->err, spec->at, "'parallel: %s': it is %g with %s, no number of rows",
                    spec->rows, v.d, r->where);
    }
    for (int i = 0; i < r->e->buffer_count; i++) {
        if (!resolve_buffer(r, &r->e->buffers[i], &buffers[i])) {
            return false;
        }
        if (spec->split != NULL && spec->split[i] && buffers[i].count % (uint64_t)rows != 0) {
            return fail(r->err, spec->at,
                        "'parallel: %s': buffer '%s' has %llu elements with %s: no whole rows",
                        spec->rows, buffers[i].name, (unsigned long long)buffers[i].count,
                        r->where);
        }
    }
    int64_t most = (int64_t)PARTS_PER_PROCESSOR * cpu_count();
    out->part_count = (int)(rows < most ? rows : most);
    out->parts = ARENA_ARRAY(r->a, struct reference_part, out->part_count);
    for (int64_t i = 0; i < out->part_count; i++) {
        if (!resolve_part(r, rows * i / out->part_count, rows * (i + 1) / out->part_count, rows,
                          buffers, &out->parts[i])) {
            return false;
        }
    }
    return resolve_part(r, 0, rows, rows, buffers, &out->whole);
}

bool experiment_resolve_reference(struct arena *a, const struct experiment *e,
                                  const struct case_point *point, const struct device_facts *device,
                                  struct resolved_reference *out, struct error *err)
{
    struct resolver r = resolver_new(a, e, point, device, err);
    out->arg_count = e->reference.arg_count;
    if (e->reference.rows != NULL) {
        return resolve_parts(&r, out) || error_context(err, "in the reference's arguments");
    }
    out->part_count = 1;
    out->parts = ARENA_NEW(a, struct reference_part);
    out->parts->args = resolve_list(&r, e->reference.args, e->reference.arg_count);
    out->parts->offsets_bytes = ARENA_ARRAY(a, uint64_t, e->buffer_count + 1);
    out->whole = *out->parts;
    return out->parts->args != NULL || error_context(err, "in the reference's arguments");
}

// A cluster divides the grid; how many blocks it may have is 8 on every chip that has clusters, and
// CLUSTER_MOST on some.
static bool resolve_cluster(struct resolver *r, const struct launch_spec *s,
                            struct resolved_launch *out)
{
    enum { CLUSTER_MOST = 16 };
    static const int64_t most[3] = {CLUSTER_MOST, CLUSTER_MOST, CLUSTER_MOST};
    if (!resolve_dimensions(r, s->cluster, "cluster", "blocks", most, out->cluster)) {
        return false;
    }
    uint32_t blocks = out->cluster[0] * out->cluster[1] * out->cluster[2];
    if (blocks > CLUSTER_MOST) {
        return fail(r->err, expression_location(s->cluster[0]),
                    "cluster has %u blocks (%s); at most %d are possible", blocks, r->where,
                    CLUSTER_MOST);
    }
    for (int i = 0; i < 3; i++) {
        if (out->grid[i] % out->cluster[i] != 0) {
            return fail(r->err, expression_location(s->cluster[i]),
                        "grid is %u blocks in %c (%s): not a multiple of the cluster's %u",
                        out->grid[i], "xyz"[i], r -> where, out -> cluster[i]);
        }
    }
    return true;
}

bool resolve_launch(struct resolver *r, const struct launch_spec *s, const struct device_facts *d,
                    struct resolved_launch *out)
{
    static const int64_t grid_most[3] = {2147483647, 65535, 65535};
    static const int64_t block_most[3] = {1024, 1024, 64};
    *out = (struct resolved_launch){.kind = s->kind,
                                    .kernel = s->kernel,
                                    .library = s->library,
                                    .arg_count = s->arg_count,
                                    .sets = s->sets,
                                    .set_count = s->set_count,
                                    .cooperative = s->cooperative,
                                    .zero_buffer = s->zero_buffer,
                                    .stream = s->stream,
                                    .after = s->after,
                                    .untimed = s->untimed,
                                    .at = s->at};
    if (s->kind == LAUNCH_ZERO) {
        return true;
    }
    if (s->kind == LAUNCH_COPY) {
        return copy_resolve(r, s->copy, s->at, &out->copy);
    }
    if (s->persist != NULL && !persist_resolve(r, s->persist, out)) {
        return false;
    }
    if (s->kind == LAUNCH_LIBRARY) {
        return resolve_arguments(r, s, out);
    }
    if (!resolve_dimensions(r, s->grid, "grid", "blocks", grid_most, out->grid) ||
        !resolve_dimensions(r, s->block, "block", "threads", block_most, out->block) ||
        !resolve_cluster(r, s, out)) {
        return false;
    }
    uint32_t threads = out->block[0] * out->block[1] * out->block[2];
    uint32_t most =
        d != NULL && d->max_threads_per_block > 0 ? (uint32_t)d->max_threads_per_block : 1024;
    if (threads > most) {
        return fail(r->err, expression_location(s->block[0]),
                    "block has %u threads (%u x %u x %u with %s); at most %u are possible", threads,
                    out->block[0], out->block[1], out->block[2], r->where, most);
    }
    int64_t shared = 0;
    if (s->shared_bytes != NULL && !evaluate_integer(r, s->shared_bytes, "shared_bytes", &shared)) {
        return false;
    }
    int64_t limit =
        d != NULL && d->shared_bytes_per_block > 0 ? d->shared_bytes_per_block : INT32_MAX;
    if (shared < 0 || shared > limit) {
        return fail(r->err, expression_location(s->shared_bytes),
                    "shared_bytes is %lld (%s with %s); it must be 0 to %lld", (long long)shared,
                    expression_text(s->shared_bytes), r->where, (long long)limit);
    }
    out->shared_bytes = (uint32_t)shared;
    return resolve_arguments(r, s, out);
}

static bool resolve_defines(struct resolver *r, const struct variant_spec *v,
                            struct resolved_variant *out)
{
    out->define_count = v->define_count;
    out->defines = ARENA_ARRAY(r->a, const char *, v->define_count + 1);
    for (int i = 0; i < v->define_count; i++) {
        const struct define_spec *d = &v->defines[i];
        const struct axis_spec *axis = axis_find(v, d->name);
        struct value x = {0};
        if (axis != NULL) {
            int chosen = axis_choice(v, (int)(axis - v->axes));
            out->defines[i] = arena_printf(r->a, "%s=%s", d->name, axis->texts[chosen]);
            continue;
        }
        if (d->expression == NULL) {
            out->defines[i] = arena_printf(r->a, "%s=%s", d->name, d->value);
            continue;
        }
        if (!expression_evaluate(d->expression, &r->scope, &x, r->err)) {
            return error_context(r->err, "in define '%s'", d->name);
        }
        out->defines[i] = x.is_integer ? arena_printf(r->a, "%s=%lld", d->name, (long long)x.i)
                                       : arena_printf(r->a, "%s=%.17g", d->name, x.d);
    }
    return true;
}

bool experiment_resolve_variant(struct arena *a, const struct experiment *e, int variant,
                                const struct case_point *point, const struct device_facts *device,
                                struct resolved_variant *out, struct error *err)
{
    const struct variant_spec *v = &e->variants[variant];
    struct resolver r = resolver_new(a, e, point, device, err);
    *out = (struct resolved_variant){.spec = v, .supported = true};
    scope_set_axes(&r, v);
    if (v->requires_expression != NULL) {
        struct value x = {0};
        if (!expression_evaluate(v->requires_expression, &r.scope, &x, err)) {
            return error_context(err, "in variant '%s'", v->name);
        }
        out->supported = x.d != 0;
    }
    r.supported = out->supported;
    // Where `requires` does not hold, the shape may be beyond the device: its limits are not asked.
    const struct device_facts *limits = out->supported ? device : NULL;
    if (!resolve_steps(&r, v, limits, out)) {
        return error_context(err, "in variant '%s'", v->name);
    }
    return resolve_defines(&r, v, out) || error_context(err, "in variant '%s'", v->name);
}
