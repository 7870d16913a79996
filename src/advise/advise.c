// The patches of a result: each finding's makers of patches.def, tried on the source of the kernel it is about.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct maker {
    const char *name, *causes;
    int intervention; // INTERVENTION_COUNT: none
    bool whole, sole;
    bool (*make)(struct making *m);
} makers[] = {
#define INTERVENTION_NONE INTERVENTION_COUNT
#define PROMISE_WHOLE true
#define PROMISE_AT_MOST false
#define FIX_SOLE true
#define FIX_ONE false
#define PATCH(maker, name, causes, intervention, promise, fix, meaning) \
    {name, causes, INTERVENTION_##intervention, PROMISE_##promise, FIX_##fix, patch_##maker},
#include "advise/patches.def"
#undef PATCH
};

/* ---- what makers call --------------------------------------------------------------------------------- */

bool refuse(struct making *m, const char *fmt, ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, fmt);
    text_vprintf(&t, fmt, args);
    va_end(args);
    m->out->refusal = arena_strdup(m->a, text_str(&t));
    text_release(&t);
    return false;
}

bool made(struct making *m, const char *title, const char *why)
{
    m->out->title = title;
    m->out->why = why;
    return true;
}

void edit_before(struct making *m, size_t token, const char *with)
{
    size_t at = m->t->items[token].begin;
    edit_add(&m->edits, at, at, with);
}

void edit_after(struct making *m, size_t token, const char *with)
{
    size_t at = m->t->items[token].end;
    edit_add(&m->edits, at, at, with);
}

void edit_token(struct making *m, size_t token, const char *with)
{
    edit_add(&m->edits, m->t->items[token].begin, m->t->items[token].end, with);
}

void key_set(struct making *m, const char *name, const char *value)
{
    if (m->out->key_count < PATCH_KEYS_MAX)
        m->out->keys[m->out->key_count++] = (struct patch_key){name, value};
}

int launch_dimensions(const struct making *m, const char *key, const char *out[3])
{
    const struct yaml_node *n = yaml_get(m->launch, key);
    if (!n || n->kind == YAML_MAP || (n->kind == YAML_LIST && (n->count == 0 || n->count > 3)))
        return 0;
    if (n->kind == YAML_SCALAR) {
        out[0] = n->scalar;
        return 1;
    }
    for (size_t i = 0; i < n->count; i++) {
        if (n->items[i]->kind != YAML_SCALAR)
            return 0;
        out[i] = n->items[i]->scalar;
    }
    return (int)n->count;
}

/* ---- which kernel a finding is about -------------------------------------------------------------------- */

static bool is_cause_of(const char *causes, const char *cause)
{
    size_t length = strlen(cause);
    for (const char *at = causes; (at = strstr(at, cause)) != NULL; at += length)
        if ((at == causes || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool holds_line(const struct token_list *t, const struct kernel *k, int line)
{
    return token_line(t, k->name) <= line && line <= token_line(t, k->body.last);
}

// "scan" of "scan<float, 4>".
static char *plain_name(struct arena *a, const char *kernel)
{
    return arena_strndup(a, kernel, strcspn(kernel, "<( "));
}

// The launch whose kernel has the finding's line; a finding without a place is about the only one.
static bool launch_find(struct making *m)
{
    const char *why = "the variant launches several kernels, and the finding names none";
    int found = -1;
    bool defined = false;
    for (int i = 0; i < m->variant->launch_count; i++) {
        const struct launch_spec *s = &m->variant->launches[i];
        struct kernel k;
        if (s->kind != LAUNCH_KERNEL ||
            !definition_find(m->t, plain_name(m->a, s->kernel), &k, &why))
            continue;
        defined = true;
        bool here = m->finding->file ? holds_line(m->t, &k, m->finding->line)
                                     : m->variant->launch_count == 1;
        if (!here || found >= 0)
            continue;
        found = i;
        m->kernel = k;
    }
    if (found < 0 && defined && m->finding->file)
        why = "the line is not in the kernel's own text";
    if (found < 0)
        return refuse(m, "%s", why);
    m->spec = &m->variant->launches[found];
    const struct yaml_node *list = yaml_get(m->item, "launches");
    m->launch = list && list->kind == YAML_LIST && (size_t)found < list->count ? list->items[found]
                                                                               : m->item;
    return true;
}

/* ---- the patches of a result ------------------------------------------------------------------------------ */

struct advising {
    struct arena *a;
    const struct variant_spec *variant;
    const struct yaml_node *item;
    const char *source_name; // for the diff
    const struct token_list *tokens;
    size_t size_bytes;
};

static bool is_listed(const struct advice *advice, const struct patch *p)
{
    for (int i = 0; i < advice->count; i++) {
        const struct patch *other = &advice->patches[i];
        bool same = strcmp(other->maker, p->maker) == 0 && !other->title == !p->title;
        if (same && (!p->title || !p->source || strcmp(other->source, p->source) == 0))
            return true;
    }
    return false;
}

static void patch_key(struct patch *p)
{
    struct text t = {0};
    text_printf(&t, "%s\n%s", p->maker, p->source ? p->source : "");
    for (int i = 0; i < p->key_count; i++)
        text_printf(&t, "\n%s: %s", p->keys[i].name, p->keys[i].value);
    hash_hex(&(struct hash_piece){t.data, t.length}, 1, p->key);
    text_release(&t);
}

static const struct patch_trial *trial_of(const struct diagnosis *d, const char *key)
{
    for (int i = 0; i < d->trial_count; i++)
        if (strcmp(d->trials[i].key, key) == 0)
            return &d->trials[i];
    return NULL;
}

bool patch_usable(const struct patch *p)
{
    return p->title && (!p->trial || trial_usable(p->trial->verdict));
}

// What it brought where it was simulated. Else its own change as the trace was replayed with it; else what its finding promises,
// of which it may bring less.
static void patch_price(const struct result *r, const struct maker *by, const struct finding *f,
                        struct patch *p)
{
    struct figure time = {r->time.summary.median, r->time.provenance};
    double own = by->intervention < INTERVENTION_COUNT
                     ? replayed_ns(&r->counterfactuals, (enum intervention)by->intervention, time)
                     : (double)NAN;
    bool replayed = !isnan(own);
    p->at_most = !replayed || !by->whole;
    p->price = replayed ? PRICE_REPLAY : f->price;
    p->expected_time_ns = f->expected_time_ns;
    if (replayed)
        p->expected_time_ns = fmin(time.value, own);
    p->trial = trial_of(&r->diagnosis, p->key);
    if (p->trial && isfinite(p->trial->time_ns)) {
        p->at_most = false;
        p->price = PRICE_PATCH;
        p->expected_time_ns = p->trial->time_ns;
    }
}

// The first of a maker's causes is the one whose fix it is.
static bool is_first_cause(const char *causes, const char *cause)
{
    size_t n = strlen(cause);
    return strncmp(causes, cause, n) == 0 && (causes[n] == ' ' || causes[n] == '\0');
}

static void patch_make(const struct advising *w, size_t maker, const struct finding *f,
                       struct advice *out)
{
    struct patch p = {.maker = makers[maker].name, .finding = f, .diff = ""};
    struct making m = {.a = w->a,
                       .variant = w->variant,
                       .item = w->item,
                       .finding = f,
                       .result = out->result,
                       .t = w->tokens,
                       .out = &p};
    bool done = launch_find(&m) && makers[maker].make(&m);
    if (done && p.key_count > 0 && m.launch != m.item)
        done = refuse(&m, "the launch is one of several of the variant");
    if (done && m.edits.count > 0) {
        p.source = edits_apply(w->a, w->tokens->text, w->size_bytes, &m.edits);
        done = p.source || refuse(&m, "the changes overlap");
    }
    if (!done)
        p.title = NULL;
    if (done && p.source)
        p.diff =
            edits_diff(w->a, w->tokens->text, p.source, arena_printf(w->a, "a/%s", w->source_name),
                       arena_printf(w->a, "b/%s", w->source_name));
    free(m.edits.items);
    p.sole = makers[maker].sole && is_first_cause(makers[maker].causes, f->cause);
    patch_key(&p);
    patch_price(out->result, &makers[maker], f, &p);
    if (!is_listed(out, &p))
        out->patches[out->count++] = p;
}

static bool item_within(const struct yaml_node *root, const char *variant,
                        const struct yaml_node **out)
{
    const struct yaml_node *list = yaml_get(root, "variants");
    for (size_t i = 0; list && list->kind == YAML_LIST && i < list->count; i++) {
        const struct yaml_node *name = yaml_get(list->items[i], "name");
        if (name && name->kind == YAML_SCALAR && strcmp(name->scalar, variant) == 0) {
            *out = list->items[i];
            return true;
        }
    }
    return false;
}

// The experiment's file, and the variant's item in it; false: it is not as it was.
static bool item_find(struct arena *a, const struct experiment *e, const char *variant,
                      const struct yaml_node **out)
{
    struct yaml_node *root = NULL;
    struct error ignored = {0};
    return yaml_parse(a, e->path, e->text, strlen(e->text), &root, &ignored) &&
           item_within(root, variant, out);
}

static const struct variant_spec *variant_find(const struct experiment *e, const char *name)
{
    for (int i = 0; i < e->variant_count; i++)
        if (strcmp(e->variants[i].name, name) == 0)
            return &e->variants[i];
    return NULL;
}

bool advice_variant(struct arena *a, const struct experiment *e, const struct result *r,
                    const struct patch *p, struct experiment **out, int *variant, struct error *err)
{
    const struct yaml_node *item = NULL;
    struct yaml_node *root = NULL;
    struct patch_key keys[PATCH_KEYS_MAX + 1];
    const char *why = NULL, *name = arena_printf(a, "%s-%s", r->variant, p->maker);
    int count = 0;
    while (variant_find(e, name))
        name = arena_printf(a, "%s-", name);
    for (int i = 0; i < p->key_count; i++)
        keys[count++] = p->keys[i];
    if (!yaml_parse(a, e->path, e->text, strlen(e->text), &root, err))
        return false;
    if (!item_within(root, r->variant, &item))
        return fail(err, NOWHERE, "there is no variant '%s' in %s", r->variant, e->path);
    char *text = variant_insert(a, e->text, root, item, name, keys, count, &why);
    if (!text)
        return fail(err, NOWHERE, "%s", why);
    if (!experiment_parse(a, e->path, text, strlen(text), out, err))
        return false;
    *variant = (int)(variant_find(*out, name) - (*out)->variants);
    return true;
}

void advise_result(struct arena *a, const struct run *run, const struct experiment *e,
                   const struct result *r, struct advice *out)
{
    struct error ignored = {0};
    const char *text = NULL;
    struct token_list tokens;
    struct advising w = {.a = a, .variant = variant_find(e, r->variant), .tokens = &tokens};
    *out = (struct advice){.result = r};
    if (!w.variant || !r->diagnosed || r->library)
        return;
    out->source_path = w.variant->source ? w.variant->source : e->source;
    if (!out->source_path || !str_ends_with(out->source_path, ".cu") ||
        !item_find(a, e, r->variant, &w.item) ||
        !run_source_read(a, run, out->source_path, &text, &w.size_bytes, &ignored))
        return;
    w.source_name = path_name(out->source_path);
    tokens_read(text, w.size_bytes, &tokens);
    out->patches =
        ARENA_ARRAY(a, struct patch, (size_t)r->diagnosis.finding_count * COUNT_OF(makers) + 1);
    for (int i = 0; i < r->diagnosis.finding_count; i++) {
        const struct finding *f = &r->diagnosis.findings[i];
        for (size_t k = 0; !f->folded && f->cause && k < COUNT_OF(makers); k++)
            if (is_cause_of(makers[k].causes, f->cause))
                patch_make(&w, k, f, out);
    }
    tokens_release(&tokens);
}
