// Steps of a variant, and loops over them: {for: {k: [2, 4, 8]}, kernel: …}. The steps stay one list; each
// names the loops it stands in, and a case unrolls them.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>

enum { LOOPS_MAX = 8, LAUNCHES_OF_VARIANT_MAX = 100000 };

/* ---- reading --------------------------------------------------------------------------------------- */

struct nest { // the loops that are open
    const struct loop_spec *loops[LOOPS_MAX];
    const char *names[LOOPS_MAX];
    int count;
};

static bool load_values(struct loader *l, const struct yaml_node *node, struct loop_spec *out)
{
    if (node->count == 0)
        return fail(l->err, node->at, "the loop over '%s' has no values", out->name);
    out->values = ARENA_ARRAY(l->a, struct expression *, node->count);
    for (size_t i = 0; i < node->count; i++)
        if (!load_expression(l, node->items[i], out->name, &out->values[out->value_count++]))
            return false;
    return true;
}

// [2, 4, 8], or {from: 2, while: k <= N, next: 2*k}.
static bool load_loop(struct loader *l, const struct yaml_node *key, const struct yaml_node *node,
                      struct loop_spec *out)
{
    *out = (struct loop_spec){.name = key->scalar, .at = key->at};
    if (!is_identifier(out->name) || !is_word(l, out->name))
        return fail(l->err, key->at, "'%s' is no free name for a loop's variable", out->name);
    if (node->kind == YAML_LIST)
        return load_values(l, node, out);
    if (!yaml_expect(node, YAML_MAP, "a loop", l->err) || !check_keys(l, node, "a loop", KEYS_LOOP))
        return false;
    struct {
        const char *key;
        struct expression **to;
    } parts[] = {{"from", &out->from}, {"while", &out->condition}, {"next", &out->next}};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        const struct yaml_node *n = yaml_get(node, parts[i].key);
        if (!n)
            return fail(l->err, node->at,
                        "the loop over '%s' needs '%s': {from: 2, while: %s <= N, next: 2*%s}",
                        out->name, parts[i].key, out->name, out->name);
        if (!load_expression(l, n, parts[i].key, parts[i].to))
            return false;
    }
    return true;
}

static bool load_step(struct loader *l, const struct yaml_node *node, struct nest *nest,
                      struct variant_spec *v);

static bool load_list(struct loader *l, const struct yaml_node *list, struct nest *nest,
                      struct variant_spec *v)
{
    if (!yaml_expect(list, YAML_LIST, "'launches'", l->err))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (!load_step(l, list->items[i], nest, v))
            return false;
    return true;
}

// One step, in all loops that are open.
static bool load_single(struct loader *l, const struct yaml_node *node, struct nest *nest,
                        struct variant_spec *v, bool whole_variant)
{
    struct launch_spec *out = &v->launches[v->launch_count++];
    bool done = (whole_variant ? load_call_keys(l, node, out) : load_launch(l, node, out)) &&
                (whole_variant || load_streams(l, node, v, out));
    out->loop_count = nest->count;
    out->loops = ARENA_ARRAY(l->a, const struct loop_spec *, nest->count + 1);
    memcpy(out->loops, nest->loops, sizeof *out->loops * (size_t)nest->count);
    return done;
}

// `for` of the step or the variant: each name is a loop within the one before.
static bool open_loops(struct loader *l, const struct yaml_node *loops, struct nest *nest)
{
    if (!yaml_expect(loops, YAML_MAP, "'for'", l->err))
        return false;
    for (size_t i = 0; i < loops->count; i++) {
        struct loop_spec *loop = ARENA_NEW(l->a, struct loop_spec);
        if (nest->count == LOOPS_MAX)
            return fail(l->err, loops->keys[i]->at, "more than %d loops in each other", LOOPS_MAX);
        // Its name is known in its own expressions: `while` and `next` are about it.
        if (!load_loop(l, loops->keys[i], loops->items[i], loop))
            return false;
        nest->loops[nest->count] = loop;
        nest->names[nest->count++] = loop->name;
        l->name_count = nest->count;
    }
    return true;
}

static bool load_step(struct loader *l, const struct yaml_node *node, struct nest *nest,
                      struct variant_spec *v)
{
    int outer = nest->count;
    const struct yaml_node *loops = node->kind == YAML_MAP ? yaml_get(node, "for") : NULL;
    const struct yaml_node *inner = node->kind == YAML_MAP ? yaml_get(node, "launches") : NULL;
    if (inner && (!loops || node->count != 2))
        return fail(
            l->err, node->at,
            "'launches' within a step is the body of a loop, which needs 'for': {for: {k: [2, 4]}, "
            "launches: [...]}");
    if (loops && !open_loops(l, loops, nest))
        return false;
    bool done = inner ? load_list(l, inner, nest, v) : load_single(l, node, nest, v, false);
    nest->count = l->name_count = outer;
    return done;
}

static int count_steps(const struct yaml_node *list)
{
    int n = 0;
    for (size_t i = 0; list->kind == YAML_LIST && i < list->count; i++) {
        const struct yaml_node *item = list->items[i];
        const struct yaml_node *inner = item->kind == YAML_MAP ? yaml_get(item, "launches") : NULL;
        n += inner ? count_steps(inner) : 1;
    }
    return n;
}

static bool load_only_step(struct loader *l, const struct yaml_node *node, struct nest *nest,
                           struct variant_spec *v)
{
    const struct yaml_node *loops = yaml_get(node, "for");
    v->launches = ARENA_NEW(l->a, struct launch_spec);
    return (!loops || open_loops(l, loops, nest)) && load_single(l, node, nest, v, true);
}

bool load_steps(struct loader *l, const struct yaml_node *node, struct variant_spec *v)
{
    static const char *const single[] = {"kernel",       "grid",    "block",   "args",
                                         "shared_bytes", "library", "cluster", "set",
                                         "cooperative",  "for",     "persist"};
    struct nest nest = {.count = 0};
    const struct yaml_node *steps = yaml_get(node, "launches");
    l->names = nest.names;
    if (!steps) {
        bool done = load_only_step(l, node, &nest, v);
        l->name_count = 0;
        return done;
    }
    for (size_t i = 0; i < COUNT_OF(single); i++) {
        const struct yaml_node *n = yaml_get(node, single[i]);
        if (n)
            return fail(l->err, n->at, "variant '%s' has 'launches': '%s' belongs into them",
                        v->name, single[i]);
    }
    v->launches = ARENA_ARRAY(l->a, struct launch_spec, count_steps(steps) + 1);
    bool done = load_list(l, steps, &nest, v);
    l->name_count = 0;
    bool timed = false;
    for (int i = 0; i < v->launch_count; i++)
        timed = timed || (v->launches[i].kind != LAUNCH_ZERO &&
                          v->launches[i].kind != LAUNCH_COPY && !v->launches[i].untimed);
    return done && (timed || fail(l->err, steps->at,
                                  "variant '%s' launches no kernel and calls no library that is "
                                  "timed",
                                  v->name));
}

/* ---- in a case --------------------------------------------------------------------------------------- */

struct unrolled {
    struct resolver *r;
    const struct variant_spec *v;
    const struct device_facts *limits;
    struct resolved_launch *items;
    int count, capacity;
};

static bool unroll(struct unrolled *u, int first, int end, int depth);

static bool add_launch(struct unrolled *u, const struct launch_spec *s)
{
    if (u->count == LAUNCHES_OF_VARIANT_MAX)
        return fail(u->r->err, s->at, "the loops make more than %d launches with %s",
                    LAUNCHES_OF_VARIANT_MAX, u->r->where);
    if (u->count == u->capacity) {
        u->capacity = u->capacity > 0 ? 2 * u->capacity : 8;
        struct resolved_launch *more = ARENA_ARRAY(u->r->a, struct resolved_launch, u->capacity);
        if (u->count > 0)
            memcpy(more, u->items, sizeof *more * (size_t)u->count);
        u->items = more;
    }
    return resolve_launch(u->r, s, u->limits, &u->items[u->count++]);
}

static bool run_list(struct unrolled *u, const struct loop_spec *loop, int first, int end,
                     int depth)
{
    for (int i = 0; i < loop->value_count; i++) {
        int64_t k = 0;
        if (!evaluate_integer(u->r, loop->values[i], loop->name, &k))
            return false;
        scope_set(u->r, loop->name, k);
        if (!unroll(u, first, end, depth + 1))
            return false;
    }
    return true;
}

static bool run_while(struct unrolled *u, const struct loop_spec *loop, int first, int end,
                      int depth)
{
    int64_t k = 0, go_on = 0;
    if (!evaluate_integer(u->r, loop->from, "'from'", &k))
        return false;
    for (int turns = 0;; turns++) {
        scope_set(u->r, loop->name, k);
        if (!evaluate_integer(u->r, loop->condition, "'while'", &go_on))
            return false;
        if (go_on == 0)
            return true;
        if (turns == LAUNCHES_OF_VARIANT_MAX)
            return fail(u->r->err, loop->at, "the loop over '%s' does not end within %d turns (%s)",
                        loop->name, LAUNCHES_OF_VARIANT_MAX, u->r->where);
        if (!unroll(u, first, end, depth + 1) || !evaluate_integer(u->r, loop->next, "'next'", &k))
            return false;
    }
}

static const struct loop_spec *loop_at(const struct launch_spec *s, int depth)
{
    return depth < s->loop_count ? s->loops[depth] : NULL;
}

// The steps from first to end, which stand in the same loops down to `depth`.
static bool unroll(struct unrolled *u, int first, int end, int depth)
{
    for (int i = first; i < end;) {
        const struct loop_spec *loop = loop_at(&u->v->launches[i], depth);
        int next = i + 1;
        if (!loop) {
            if (!add_launch(u, &u->v->launches[i]))
                return false;
            i = next;
            continue;
        }
        while (next < end && loop_at(&u->v->launches[next], depth) == loop)
            next++;
        bool done =
            loop->values ? run_list(u, loop, i, next, depth) : run_while(u, loop, i, next, depth);
        if (!done)
            return error_context(u->r->err, "in the loop over '%s'", loop->name);
        i = next;
    }
    return true;
}

bool resolve_steps(struct resolver *r, const struct variant_spec *v,
                   const struct device_facts *limits, struct resolved_variant *out)
{
    struct unrolled u = {.r = r, .v = v, .limits = limits};
    size_t names = r->scope.count;
    bool done = unroll(&u, 0, v->launch_count, 0);
    r->scope.count = names; // what the loops are over ends with them
    out->launches = u.items;
    out->launch_count = u.count;
    return done && (u.count > 0 || fail(r->err, v->at,
                                        "the loops of variant '%s' make no launch "
                                        "with %s",
                                        v->name, r->where));
}
