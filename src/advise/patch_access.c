// How a kernel reaches memory: pointers that do not overlap, four elements as one access.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <string.h>

/* ---- __restrict__ ----------------------------------------------------------------------------------------- */

static bool is_restricted(const struct token_list *t, struct span type)
{
    for (size_t i = type.first; i < type.last; i++)
        if (token_is_word(t, i, "__restrict__") || token_is_word(t, i, "__restrict"))
            return true;
    return false;
}

// The buffer of a parameter; -1: it is none, or not its beginning.
static int buffer_of(const struct making *m, int index)
{
    return index < m->spec->arg_count && m->spec->args[index].kind == ARGUMENT_BUFFER &&
                   !m->spec->args[index].inside
               ? m->spec->args[index].buffer
               : -1;
}

// Does the loop store through one of the pointers, so that loads behind it have to wait?
static bool stores_within(const struct making *m, const struct loop *l, const struct parameter *p,
                          int count)
{
    const struct token_list *t = m->t;
    for (size_t i = l->body.first; i < l->body.last; i++)
        for (int k = 0; k < count; k++) {
            if (!p[k].pointer || t->items[i].kind != TOKEN_WORD || !token_same(t, i, p[k].name) ||
                !token_is(t, i + 1, '['))
                continue;
            size_t close = token_closing(t, i + 1, l->body.last);
            if (close < l->body.last && word_is_assigned(t, close))
                return true;
        }
    return false;
}

bool patch_no_alias(struct making *m)
{
    struct parameter p[PARAMETERS_MAX];
    struct loop l;
    int count = kernel_parameters(m->t, &m->kernel, p), pointers = 0, changed = 0;
    if (!loop_around(m->t, m->kernel.body, m->finding->line, &l) || !stores_within(m, &l, p, count))
        return refuse(
            m,
            "no loop around line %d stores through a pointer, which is what keeps loads from "
            "moving",
            m->finding->line);
    for (int i = 0; i < count; i++) {
        if (!p[i].pointer)
            continue;
        pointers++;
        for (int k = 0; k < i; k++)
            if (p[k].pointer && (buffer_of(m, i) < 0 || buffer_of(m, i) == buffer_of(m, k)))
                return refuse(
                    m, "two pointers of the kernel get the same buffer, or other than buffers");
        if (is_restricted(m->t, p[i].type))
            continue;
        edit_before(m, p[i].name, "__restrict__ ");
        changed++;
    }
    if (pointers < 2 || changed == 0)
        return refuse(m, pointers < 2 ? "the kernel has no two pointers in its parameters"
                                      : "the pointers are __restrict__ already");
    return made(
        m, "Say that the kernel's pointers do not overlap (__restrict__)",
        "What no store can change may stay in a register, be loaded earlier, and through the "
        "read-only path.");
}

/* ---- four elements per thread ---------------------------------------------------------------------------- */

struct elementwise { // i = block * size + thread; if (i < limit) work
    size_t index;
    struct span type, limit, work;
    size_t from, to; // tokens that are replaced
};

static const char *vector_of(const struct making *m, const struct parameter *p)
{
    static const char *const types[][2] = {
        {"float", "float4"}, {"int", "int4"}, {"unsigned", "uint4"}};
    const struct token_list *t = m->t;
    const char *found = NULL;
    for (size_t i = p->type.first; i < p->type.last; i++)
        for (size_t k = 0; k < COUNT_OF(types); k++)
            if (token_is_word(t, i, types[k][0]))
                found = found && k == 1 ? found : types[k][1]; // unsigned int
    for (size_t i = p->type.first; i < p->type.last; i++)
        if (token_is_word(t, i, "long") || token_is_word(t, i, "short") ||
            token_is_word(t, i, "char") || token_is_word(t, i, "volatile"))
            return NULL;
    return found;
}

// `TYPE i = blockIdx.x * blockDim.x + threadIdx.x;`, whatever the order.
static bool index_read(const struct making *m, struct elementwise *e, size_t *next)
{
    static const char *const wanted[] = {"blockIdx", "blockDim", "threadIdx"};
    const struct token_list *t = m->t;
    size_t first = m->kernel.body.first, equals = first, end;
    int seen[3] = {0};
    while (equals < m->kernel.body.last && t->items[equals].kind == TOKEN_WORD)
        equals++;
    if (!token_is(t, equals, '=') || equals < first + 2)
        return false;
    for (end = equals + 1; end < m->kernel.body.last && !token_is(t, end, ';'); end++) {
        bool known = t->items[end].kind == TOKEN_MARK || token_is_word(t, end, "x") ||
                     token_is_word(t, end, "int") || token_is_word(t, end, "size_t");
        for (size_t k = 0; k < COUNT_OF(wanted); k++)
            if (token_is_word(t, end, wanted[k])) {
                seen[k]++;
                known = true;
            }
        if (!known)
            return false;
    }
    e->index = equals - 1;
    e->type = (struct span){first, equals - 1};
    *next = end + 1;
    return seen[0] == 1 && seen[1] == 1 && seen[2] == 1;
}

// `if (i < n) …` to the end of the body, or `if (i >= n) return; …`.
static bool guard_read(const struct making *m, struct elementwise *e, size_t i)
{
    const struct token_list *t = m->t;
    size_t end = m->kernel.body.last;
    if (!token_is_word(t, i, "if") || !token_is(t, i + 1, '(') || !token_same(t, i + 2, e->index))
        return false;
    size_t close = token_closing(t, i + 1, end);
    bool below = token_is(t, i + 3, '<') && !token_is(t, i + 4, '=');
    bool beyond = token_pair(t, i + 3, ">=");
    if (close >= end || (!below && !beyond))
        return false;
    e->limit = (struct span){i + (below ? 4 : 5), close};
    e->from = i;
    e->to = end;
    if (beyond) {
        bool braced = token_is(t, close + 1, '{');
        size_t leaves = close + (braced ? 2 : 1);
        e->work = (struct span){leaves + (braced ? 3 : 2), end};
        return token_is_word(t, leaves, "return") && token_is(t, leaves + 1, ';');
    }
    bool braced = token_is(t, close + 1, '{');
    size_t last = braced ? token_closing(t, close + 1, end) : end - 1;
    e->work = braced ? (struct span){close + 2, last} : (struct span){close + 1, end};
    return last == end - 1;
}

// The array whose subscript the token is, by parameter; -1: the index is used otherwise.
static int subscript_of(const struct making *m, const struct parameter *p, int count, size_t i)
{
    if (!token_is(m->t, i - 1, '[') || !token_is(m->t, i + 1, ']'))
        return -1;
    for (int k = 0; k < count; k++)
        if (p[k].pointer && token_same(m->t, i - 2, p[k].name))
            return k;
    return -1;
}

struct accesses {
    bool used[PARAMETERS_MAX], loaded[PARAMETERS_MAX], stored[PARAMETERS_MAX];
};

// Every use of the index is a subscript of a parameter, and nothing else of the work knows which thread it is.
static bool work_read(struct making *m, const struct elementwise *e, const struct parameter *p,
                      int count, struct accesses *out)
{
    static const char *const others[] = {"threadIdx",  "blockIdx", "return", "__syncthreads",
                                         "__shared__", "asm",      "goto",   "if",
                                         "for",        "while"};
    const struct token_list *t = m->t;
    bool conditional = false;
    for (size_t i = e->work.first; i < e->work.last; i++) {
        for (size_t k = 0; k < COUNT_OF(others); k++)
            if (token_is_word(t, i, others[k])) {
                conditional = conditional || k >= 7;
                if (k < 7)
                    return refuse(m, "the kernel's work says '%s'", others[k]);
            }
        if (t->items[i].kind == TOKEN_DIRECTIVE)
            return refuse(m, "a line of the preprocessor stands in the kernel's work");
        for (int k = 0; k < count; k++)
            if (p[k].pointer && t->items[i].kind == TOKEN_WORD && token_same(t, i, p[k].name) &&
                !(token_is(t, i + 1, '[') && token_same(t, i + 2, e->index) &&
                  token_is(t, i + 3, ']')))
                return refuse(m, "'%s' is used on line %d other than by the thread's own index",
                              token_text(m->a, t, i), token_line(t, i));
        if (t->items[i].kind != TOKEN_WORD || !token_same(t, i, e->index))
            continue;
        int array = subscript_of(m, p, count, i);
        if (array < 0)
            return refuse(m, "'%s' is used on line %d other than as an index",
                          token_text(m->a, t, i), token_line(t, i));
        bool equals = token_is(t, i + 2, '=') && !token_pair(t, i + 2, "==");
        bool steps = token_is(t, i + 3, '=') && !token_is(t, i + 2, '=') &&
                     !token_is(t, i + 2, '<') && !token_is(t, i + 2, '>') &&
                     !token_is(t, i + 2, '!');
        out->used[array] = true;
        out->stored[array] |= equals || steps;
        out->loaded[array] |= !equals;
    }
    for (int k = 0; k < count; k++)
        out->loaded[k] |= conditional && out->used[k];
    return true;
}

// The work with each element of an array by another name: "NAME_4.one[i_k]", or "NAME[i_k]".
static void add_work(struct making *m, const struct elementwise *e, bool vectors, struct text *out)
{
    const struct token_list *t = m->t;
    char *index = token_text(m->a, t, e->index);
    size_t at = t->items[e->work.first].begin;
    for (size_t i = e->work.first; i < e->work.last; i++) {
        if (t->items[i].kind != TOKEN_WORD || !token_same(t, i, e->index))
            continue;
        size_t array = t->items[i - 2].end;
        text_addn(out, t->text + at, array - at);
        text_printf(out, vectors ? "_4.one[%s_k]" : "[%s_k]", index);
        at = t->items[i + 1].end;
    }
    text_addn(out, t->text + at, t->items[e->work.last - 1].end - at);
}

static char *vector_text(struct making *m, const struct elementwise *e, const struct parameter *p,
                         int count, const struct accesses *x)
{
    struct text o = {0};
    const struct token_list *t = m->t;
    char *i = token_text(m->a, t, e->index), *type = span_text(m->a, t, e->type);
    char *limit = span_text(m->a, t, e->limit);
    text_printf(&o, "if (4 * %s + 3 < %s) {\n", i, limit);
    for (int k = 0; k < count; k++)
        if (x->used[k]) {
            const char *v = vector_of(m, &p[k]), *name = token_text(m->a, t, p[k].name);
            char *one = arena_strndup(m->a, v, strlen(v) - 1);
            text_printf(
                &o,
                "        union {\n            %s all;\n            %s one[4];\n        } %s_4;\n",
                v, strcmp(one, "uint") == 0 ? "unsigned" : one, name);
            if (x->loaded[k])
                text_printf(&o, "        %s_4.all = ((const %s *)%s)[%s];\n", name, v, name, i);
        }
    text_printf(&o, "#pragma unroll\n        for (int %s_k = 0; %s_k < 4; %s_k++) {\n            ",
                i, i, i);
    add_work(m, e, true, &o);
    text_add(&o, "\n        }\n");
    for (int k = 0; k < count; k++)
        if (x->stored[k]) {
            const char *name = token_text(m->a, t, p[k].name);
            text_printf(&o, "        ((%s *)%s)[%s] = %s_4.all;\n", vector_of(m, &p[k]), name, i,
                        name);
        }
    text_printf(&o,
                "    } else {\n        for (%s %s_k = 4 * %s; %s_k < %s; %s_k++) {\n            ",
                type, i, i, i, limit, i);
    add_work(m, e, false, &o);
    text_add(&o, "\n        }\n    }");
    char *done = arena_strdup(m->a, text_str(&o));
    text_release(&o);
    return done;
}

bool patch_vector(struct making *m)
{
    struct parameter p[PARAMETERS_MAX];
    struct elementwise e = {0};
    struct accesses x = {0};
    const char *grid[3], *block[3];
    size_t next = 0;
    int count = kernel_parameters(m->t, &m->kernel, p);
    if (launch_dimensions(m, "grid", grid) != 1 || launch_dimensions(m, "block", block) != 1)
        return refuse(m, "the launch has more than one dimension");
    if (count < 1 || !index_read(m, &e, &next) || !guard_read(m, &e, next) ||
        e.work.first >= e.work.last || !span_is_plain(m->t, e.limit) ||
        word_within(m->t, e.limit, e.index))
        return refuse(
            m, "the kernel is not of the form `int i = blockIdx.x * blockDim.x + threadIdx.x; "
               "if (i < n) …`");
    if (word_in_macro(m->t, e.index) || !work_read(m, &e, p, count, &x))
        return m->out->refusal ? false : refuse(m, "a macro uses the thread's index");
    for (int k = 0; k < count; k++)
        if (x.used[k] && (!vector_of(m, &p[k]) || buffer_of(m, k) < 0))
            return refuse(m, "'%s' is no pointer to a buffer of elements of 4 bytes",
                          token_text(m->a, m->t, p[k].name));
    edit_add(&m->edits, m->t->items[e.from].begin, m->t->items[e.to - 1].end,
             vector_text(m, &e, p, count, &x));
    key_set(m, "grid",
            arena_printf(m->a, "[%s]",
                         yaml_quoted(m->a, arena_printf(m->a, "ceil_div(%s,4)", grid[0]))));
    return made(
        m, "Give each thread four neighbouring elements, loaded and stored as one",
        "Sixteen bytes per lane and access: a quarter of the memory instructions and of the "
        "addresses, and more bytes on their way.");
}
