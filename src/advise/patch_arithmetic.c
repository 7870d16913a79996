// Arithmetic that costs more than it must: f64 by accident, divisions, exact functions.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <string.h>

/* ---- f suffix --------------------------------------------------------------------------------------------- */

static bool is_f64_literal(const struct token_list *t, size_t i)
{
    const char *s = t->text + t->items[i].begin;
    size_t n = t->items[i].end - t->items[i].begin;
    if (t->items[i].kind != TOKEN_NUMBER || (n > 1 && s[0] == '0' && (s[1] | 0x20) == 'x'))
        return false;
    bool point = memchr(s, '.', n) || memchr(s, 'e', n) || memchr(s, 'E', n);
    return point && strchr("fFlLhH", s[n - 1]) == NULL;
}

static bool is_called_plainly(const struct token_list *t, size_t i)
{
    return t->items[i].kind == TOKEN_WORD && token_is(t, i + 1, '(') && !token_is(t, i - 1, '.') &&
           !token_is(t, i - 1, ':') && !token_is(t, i - 1, '>');
}

bool patch_suffix(struct making *m)
{
    static const char *const functions[] = {"exp",  "exp2", "exp10", "log",   "log2", "log10",
                                            "sqrt", "sin",  "cos",   "tan",   "tanh", "pow",
                                            "fabs", "fmin", "fmax",  "floor", "ceil", "rsqrt"};
    const struct token_list *t = m->t;
    int count = 0;
    for (size_t i = m->kernel.parameters.first; i < m->kernel.body.last; i++)
        if (token_is_word(t, i, "double"))
            return refuse(m, "the kernel says 'double' on line %d: that may be meant",
                          token_line(t, i));
    for (size_t i = m->kernel.body.first; i < m->kernel.body.last; i++) {
        bool function = false;
        for (size_t k = 0; k < COUNT_OF(functions); k++)
            function |= token_is_word(t, i, functions[k]) && is_called_plainly(t, i);
        if (!function && !is_f64_literal(t, i))
            continue;
        edit_after(m, i, "f");
        count++;
    }
    if (count == 0)
        return refuse(m, "the kernel's own text has no literal and no function of f64");
    return made(m, "Write f behind the literals and functions of the kernel",
                "Literals and functions of f32 keep the arithmetic on the f32 pipe.");
}

/* ---- approximations ------------------------------------------------------------------------------------- */

// 1 / sqrtf(x): the token behind the division sign is the function.
static bool is_reciprocal_root(const struct token_list *t, size_t i)
{
    static const char *const ones[] = {"1", "1.0f", "1.f", "1.0F"};
    bool root = token_is_word(t, i, "sqrtf") && i >= 2 && token_is(t, i - 1, '/');
    for (size_t k = 0; root && k < COUNT_OF(ones); k++) {
        const struct token *one = &t->items[i - 2];
        if (one->end - one->begin != strlen(ones[k]) ||
            memcmp(t->text + one->begin, ones[k], strlen(ones[k])) != 0)
            continue;
        return i == 2 || (!token_is(t, i - 3, '*') && !token_is(t, i - 3, '/'));
    }
    return false;
}

bool patch_intrinsic(struct making *m)
{
    static const char *const functions[] = {"expf", "exp10f", "logf", "log2f", "log10f",
                                            "sinf", "cosf",   "tanf", "powf"};
    const struct token_list *t = m->t;
    int count = 0;
    for (size_t i = m->kernel.body.first; i < m->kernel.body.last; i++) {
        for (size_t k = 0; k < COUNT_OF(functions); k++)
            if (token_is_word(t, i, functions[k]) && is_called_plainly(t, i)) {
                edit_before(m, i, "__");
                count++;
            }
        if (!is_reciprocal_root(t, i))
            continue;
        edit_add(&m->edits, t->items[i - 2].begin, t->items[i].end, "rsqrtf");
        count++;
    }
    if (count == 0)
        return refuse(m, "the kernel's own text calls no function that has an approximation");
    return made(
        m, "Use the hardware's approximations of the functions",
        "Approximate functions are one or two instructions each; the check decides whether their "
        "error is within the tolerance.");
}

/* ---- division by what does not change --------------------------------------------------------------- */

enum { WORDS_MAX = 8 };
struct division { // by one word
    size_t sign[WORDS_MAX];
    int count;
    bool in_loop;
};

static bool is_in_loop(const struct making *m, size_t token)
{
    struct loop l;
    return loop_around(m->t, m->kernel.body, token_line(m->t, token), &l) &&
           l.body.first <= token && token < l.body.last;
}

// Divisions by the word itself, of a sign of "/" or "/ and %".
static struct division divisions_by(const struct making *m, size_t word, bool remainder)
{
    const struct token_list *t = m->t;
    struct division d = {0};
    for (size_t i = m->kernel.body.first + 1; i + 1 < m->kernel.body.last; i++) {
        bool sign = token_is(t, i, '/') || (remainder && token_is(t, i, '%'));
        if (!sign || t->items[i + 1].kind != TOKEN_WORD || !token_same(t, i + 1, word) ||
            token_is(t, i + 2, '[') || token_is(t, i + 2, '(') || token_is(t, i + 2, '.') ||
            token_pair(t, i + 2, "->") || d.count == WORDS_MAX)
            continue;
        d.in_loop |= is_in_loop(m, i);
        d.sign[d.count++] = i;
    }
    return d;
}

static void reciprocal_write(struct making *m, const struct division *d, size_t word, size_t behind)
{
    char *name = token_text(m->a, m->t, word);
    edit_after(m, behind,
               arena_printf(m->a, "\n    const float %s_reciprocal = 1.0f / %s;", name, name));
    for (int i = 0; i < d->count; i++) {
        edit_token(m, d->sign[i], "*");
        edit_token(m, d->sign[i] + 1, arena_printf(m->a, "%s_reciprocal", name));
    }
}

static bool has_type(const struct token_list *t, struct span type, const char *word)
{
    for (size_t i = type.first; i < type.last; i++)
        if (token_is_word(t, i, word))
            return true;
    return false;
}

static bool reciprocal_made(struct making *m, size_t word)
{
    return made(
        m, arena_printf(m->a, "Multiply by the reciprocal of '%s'", token_text(m->a, m->t, word)),
        "One division before, and a product each time, in place of a division each time; the "
        "check decides whether the last bit matters.");
}

// Of a local variable, declared as `float x = …;` and not changed.
static bool reciprocal_of_local(struct making *m)
{
    const struct token_list *t = m->t;
    for (size_t i = m->kernel.body.first; i + 2 < m->kernel.body.last; i++) {
        struct span behind = {i + 2, m->kernel.body.last};
        if (!token_is_word(t, i, "float") || t->items[i + 1].kind != TOKEN_WORD ||
            !token_is(t, i + 2, '=') || word_changes(t, behind, i + 1) || word_in_macro(t, i + 1))
            continue;
        struct division d = divisions_by(m, i + 1, false);
        size_t end = i + 2;
        while (end < m->kernel.body.last && !token_is(t, end, ';') && !token_is(t, end, ','))
            end = token_is(t, end, '(') ? token_closing(t, end, m->kernel.body.last) + 1 : end + 1;
        if (d.count == 0 || (d.count < 2 && !d.in_loop) || end >= m->kernel.body.last ||
            !token_is(t, end, ';') || d.sign[0] < end)
            continue;
        reciprocal_write(m, &d, i + 1, end);
        return reciprocal_made(m, i + 1);
    }
    return false;
}

bool patch_reciprocal(struct making *m)
{
    struct parameter p[PARAMETERS_MAX];
    int count = kernel_parameters(m->t, &m->kernel, p);
    for (int i = 0; i < count; i++) {
        if (p[i].pointer || !has_type(m->t, p[i].type, "float") || word_in_macro(m->t, p[i].name) ||
            word_changes(m->t, m->kernel.body, p[i].name))
            continue;
        struct division d = divisions_by(m, p[i].name, false);
        if (d.count == 0 || (d.count < 2 && !d.in_loop))
            continue;
        reciprocal_write(m, &d, p[i].name, m->kernel.body.first - 1);
        return reciprocal_made(m, p[i].name);
    }
    return reciprocal_of_local(m) ||
           refuse(m, "no division by an f32 variable that stays as it is, in a loop or twice");
}

/* ---- integer division by an argument ---------------------------------------------------------------- */

// The argument's expression as the file has it: "N", or "N/2" of {value: N/2, type: i64} or of "i64 N/2"; NULL: it is
// another kind.
static const char *argument_text(const struct making *m, int index)
{
    const struct yaml_node *args = yaml_get(m->launch, "args");
    if (!args || args->kind != YAML_LIST || (size_t)index >= args->count ||
        index >= m->spec->arg_count || m->spec->args[index].kind != ARGUMENT_SCALAR)
        return NULL;
    const struct yaml_node *n = args->items[index];
    n = n->kind == YAML_MAP ? yaml_get(n, "value") : n;
    if (!n || n->kind != YAML_SCALAR)
        return NULL;
    const char *type = element_name(m->spec->args[index].type);
    size_t length = strlen(type);
    bool typed = str_starts_with(n->scalar, type) && n->scalar[length] == ' ';
    return typed ? n->scalar + length + 1 : n->scalar;
}

// `defines` of the variant with one more; NULL: not written as {A: 1}.
static const char *defines_with(struct making *m, const char *name, const char *value)
{
    const struct yaml_node *old = yaml_get(m->item, "defines");
    struct text t = {0};
    text_add(&t, "{");
    for (size_t i = 0; old && old->kind == YAML_MAP && i < old->count; i++)
        text_printf(&t, "%s: %s, ", old->keys[i]->scalar,
                    yaml_quoted(m->a, old->items[i]->scalar ? old->items[i]->scalar : ""));
    text_printf(&t, "%s: %s}", name, yaml_quoted(m->a, value));
    char *done = arena_strdup(m->a, text_str(&t));
    text_release(&t);
    return done;
}

static bool is_integer_type(const struct token_list *t, struct span type)
{
    static const char *const words[] = {"int",     "unsigned", "long",    "size_t", "uint32_t",
                                        "int32_t", "uint64_t", "int64_t", "short"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (has_type(t, type, words[i]))
            return true;
    return false;
}

bool patch_divisor(struct making *m)
{
    struct parameter p[PARAMETERS_MAX];
    int count = kernel_parameters(m->t, &m->kernel, p);
    for (int i = 0; i < count; i++) {
        const char *value = argument_text(m, i);
        if (p[i].pointer || !is_integer_type(m->t, p[i].type) || !value ||
            word_in_macro(m->t, p[i].name) || word_changes(m->t, m->kernel.body, p[i].name))
            continue;
        struct division d = divisions_by(m, p[i].name, true);
        if (d.count == 0)
            continue;
        char *name = token_text(m->a, m->t, p[i].name),
             *known = arena_printf(m->a, "%s_KNOWN", name);
        for (int k = 0; k < d.count; k++)
            edit_token(m, d.sign[k] + 1,
                       arena_printf(m->a, "(%s)%s", span_text(m->a, m->t, p[i].type), known));
        key_set(m, "defines", defines_with(m, known, value));
        return made(
            m, arena_printf(m->a, "Make '%s' a constant of the compiler where it divides", name),
            "The compiler turns a division by a number that it knows into a product.");
    }
    return refuse(m, "no division by an integer argument that stays as it is");
}
