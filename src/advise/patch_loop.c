// Loops that wait: unrolled, or with several sums.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <string.h>

#define IN_FLIGHT 4.0 // loads of a thread

// Blanks between the line's start and the token; false: something else stands there.
static bool indentation_of(struct making *m, size_t token, const char **out)
{
    size_t begin = m->t->items[token].begin, start = begin;
    while (start > 0 && m->t->text[start - 1] != '\n')
        start--;
    for (size_t i = start; i < begin; i++)
        if (m->t->text[i] != ' ' && m->t->text[i] != '\t')
            return false;
    *out = arena_strndup(m->a, m->t->text + start, begin - start);
    return true;
}

static bool loop_of_finding(struct making *m, struct loop *l, const char **indentation)
{
    if (!loop_around(m->t, m->kernel.body, m->finding->line, l))
        return refuse(m, "no `for` of the kernel is around line %d", m->finding->line);
    if (l->at > 0 && m->t->items[l->at - 1].kind == TOKEN_DIRECTIVE)
        return refuse(m, "the loop of line %d has a pragma already", token_line(m->t, l->at));
    return indentation_of(m, l->at, indentation) ||
           refuse(m, "the loop of line %d does not begin its line", token_line(m->t, l->at));
}

static bool changes_in(const struct making *m, const struct loop *l, struct span part)
{
    for (size_t i = part.first; i < part.last; i++)
        if (m->t->items[i].kind == TOKEN_WORD &&
            (word_changes(m->t, l->step, i) || word_changes(m->t, l->body, i)))
            return true;
    return false;
}

// `row < rows && i < columns`: a test that no round changes stands before each of them all the same, and loads of later
// rounds start no earlier.
static bool has_fixed_test(const struct making *m, const struct loop *l)
{
    struct span part = {l->condition.first, l->condition.first};
    bool several = false, fixed = false;
    for (size_t i = l->condition.first; i < l->condition.last; i++) {
        if (!token_pair(m->t, i, "&&"))
            continue;
        part.last = i;
        fixed |= !changes_in(m, l, part);
        part.first = i + 2;
        several = true;
    }
    part.last = l->condition.last;
    return several && (fixed || !changes_in(m, l, part));
}

// The token behind the last of `[…][…]`, which begin at `at`.
static size_t behind_brackets(const struct making *m, size_t at, size_t end)
{
    int depth = 0;
    for (; at < end && (depth > 0 || token_is(m->t, at, '[')); at++)
        depth += token_is(m->t, at, '[') ? 1 : token_is(m->t, at, ']') ? -1 : 0;
    return at;
}

static bool assigns_elements(const struct making *m, struct span in, size_t array)
{
    for (size_t i = in.first; i + 1 < in.last; i++)
        if (token_same(m->t, i, array) && token_is(m->t, i + 1, '[') &&
            word_is_assigned(m->t, behind_brackets(m, i + 1, in.last) - 1))
            return true;
    return false;
}

// Such a loop goes around as often as the tile is larger than the block: once or twice.
static bool fills_shared(const struct making *m, const struct loop *l)
{
    for (size_t i = m->kernel.body.first; i < m->kernel.body.last; i++) {
        size_t name = i;
        if (!token_is_word(m->t, i, "__shared__"))
            continue;
        while (name + 1 < m->kernel.body.last && !token_is(m->t, name + 1, '[') &&
               !token_is(m->t, name + 1, ';'))
            name++;
        if (token_is(m->t, name + 1, '[') && assigns_elements(m, l->body, name))
            return true;
    }
    return false;
}

// By what was simulated; 0: it was not.
static double loads_in_flight(const struct result *r)
{
    const double *facts = r->facts.value;
    return r->facts.known && facts[FACT_LOAD_BATCHES] > 0
               ? facts[FACT_LOADS_BATCHED] / facts[FACT_LOAD_BATCHES]
               : 0;
}

static bool unrolling_helps(struct making *m, const struct loop *l)
{
    int line = token_line(m->t, l->at);
    if (loads_in_flight(m->result) >= IN_FLIGHT)
        return refuse(m, "a thread has %.1f loads in flight already", loads_in_flight(m->result));
    if (has_fixed_test(m, l))
        return refuse(m,
                      "the loop of line %d tests in each round what no round changes: test that "
                      "before the loop",
                      line);
    if (fills_shared(m, l))
        return refuse(m, "the loop of line %d fills shared memory, in few rounds", line);
    return true;
}

bool patch_unroll(struct making *m)
{
    struct loop l;
    const char *indentation = NULL;
    if (!loop_of_finding(m, &l, &indentation) || !unrolling_helps(m, &l))
        return false;
    edit_before(m, l.at, arena_printf(m->a, "#pragma unroll 8\n%s", indentation));
    return made(
        m, arena_printf(m->a, "Unroll the loop of line %d by eight", token_line(m->t, l.at)),
        "Several rounds in a row let loads of later ones start before those of earlier ones are "
        "back, with fewer counts and branches.");
}

/* ---- sums -------------------------------------------------------------------------------------------------- */

struct sum_loop { // for (int k = first; k < end; k += step) sum += term;
    struct loop l;
    size_t counter, sum;
    struct span type, first, end, term;
    const char *step; // text
};

static bool header_read(struct making *m, struct sum_loop *s)
{
    const struct token_list *t = m->t;
    struct span f = s->l.first, c = s->l.condition, p = s->l.step;
    size_t equals = f.first;
    while (equals < f.last && !token_is(t, equals, '='))
        equals++;
    if (equals < f.first + 2 || equals + 1 >= f.last || t->items[equals - 1].kind != TOKEN_WORD)
        return false;
    s->counter = equals - 1;
    s->type = (struct span){f.first, equals - 1};
    s->first = (struct span){equals + 1, f.last};
    if (c.last < c.first + 3 || !token_same(t, c.first, s->counter) ||
        !token_is(t, c.first + 1, '<') || token_is(t, c.first + 2, '='))
        return false;
    s->end = (struct span){c.first + 2, c.last};
    bool plus = p.last == p.first + 3 &&
                ((token_pair(t, p.first, "++") && token_same(t, p.first + 2, s->counter)) ||
                 (token_pair(t, p.first + 1, "++") && token_same(t, p.first, s->counter)));
    bool by = p.last > p.first + 3 && token_same(t, p.first, s->counter) &&
              token_pair(t, p.first + 1, "+=");
    s->step = plus ? "1" : by ? span_text(m->a, t, (struct span){p.first + 3, p.last}) : NULL;
    return s->step && span_is_plain(t, s->end) &&
           (plus || span_is_plain(t, (struct span){p.first + 3, p.last}));
}

// The body is `sum += term;` of a variable that the term does not use.
static bool body_read(struct making *m, struct sum_loop *s)
{
    const struct token_list *t = m->t;
    struct span b = s->l.body;
    if (b.last < b.first + 5 || t->items[b.first].kind != TOKEN_WORD ||
        !token_pair(t, b.first + 1, "+=") || !token_is(t, b.last - 1, ';'))
        return false;
    s->sum = b.first;
    s->term = (struct span){b.first + 3, b.last - 1};
    for (size_t i = s->term.first; i < s->term.last; i++)
        if (token_is(t, i, ';') || token_is(t, i, '{') || token_is_word(t, i, "__shfl_down_sync") ||
            token_is_word(t, i, "atomicAdd") || t->items[i].kind == TOKEN_DIRECTIVE ||
            token_pair(t, i, "++") || token_pair(t, i, "--"))
            return false;
    return !word_within(t, s->term, s->sum) && !word_within(t, s->end, s->sum) &&
           word_within(t, s->term, s->counter) && !word_in_macro(t, s->counter) &&
           !word_in_macro(t, s->sum);
}

// Is the sum a local float of the kernel?
static bool is_local_float(const struct making *m, size_t word)
{
    for (size_t i = m->kernel.body.first; i + 1 < m->kernel.body.last; i++)
        if (token_is_word(m->t, i, "float"))
            for (size_t k = i + 1; k < m->kernel.body.last && !token_is(m->t, k, ';'); k++)
                if (m->t->items[k].kind == TOKEN_WORD && token_same(m->t, k, word) &&
                    (k == i + 1 || token_is(m->t, k - 1, ',')))
                    return true;
    return false;
}

// The term with the counter so many steps on.
static char *term_text(struct making *m, const struct sum_loop *s, int steps)
{
    struct text out = {0};
    const struct token_list *t = m->t;
    size_t at = t->items[s->term.first].begin;
    for (size_t i = s->term.first; i < s->term.last; i++) {
        if (t->items[i].kind != TOKEN_WORD || !token_same(t, i, s->counter))
            continue;
        text_addn(&out, t->text + at, t->items[i].begin - at);
        char *name = token_text(m->a, t, i);
        if (strcmp(s->step, "1") == 0)
            text_printf(&out, "(%s + %d)", name, steps);
        else
            text_printf(&out, "(%s + %d * (%s))", name, steps, s->step);
        at = t->items[i].end;
    }
    text_addn(&out, t->text + at, t->items[s->term.last - 1].end - at);
    char *done = arena_strdup(m->a, text_str(&out));
    text_release(&out);
    return done;
}

static char *sums_text(struct making *m, const struct sum_loop *s, const char *in)
{
    struct text o = {0};
    const struct token_list *t = m->t;
    char *k = token_text(m->a, t, s->counter), *sum = token_text(m->a, t, s->sum);
    char *type = span_text(m->a, t, s->type), *end = span_text(m->a, t, s->end);
    text_printf(&o, "float %s_1 = 0, %s_2 = 0, %s_3 = 0;\n", sum, sum, sum);
    text_printf(&o, "%s%s %s_4 = %s;\n", in, type, k, span_text(m->a, t, s->first));
    text_printf(&o, "%sfor (; %s_4 + 3 * (%s) < %s; %s_4 += 4 * (%s)) {\n", in, k, s->step, end, k,
                s->step);
    text_printf(&o, "%s    const %s %s = %s_4;\n", in, type, k, k);
    text_printf(&o, "%s    %s += %s;\n", in, sum, span_text(m->a, t, s->term));
    for (int i = 1; i < 4; i++)
        text_printf(&o, "%s    %s_%d += %s;\n", in, sum, i, term_text(m, s, i));
    text_printf(&o, "%s}\n%sfor (%s %s = %s_4; %s < %s; %s += %s)\n", in, in, type, k, k, k, end, k,
                s->step);
    text_printf(&o, "%s    %s += %s;\n", in, sum, span_text(m->a, t, s->term));
    text_printf(&o, "%s%s += %s_1 + %s_2 + %s_3;", in, sum, sum, sum, sum);
    char *done = arena_strdup(m->a, text_str(&o));
    text_release(&o);
    return done;
}

bool patch_sums(struct making *m)
{
    struct sum_loop s = {0};
    const char *indentation = NULL;
    if (!loop_of_finding(m, &s.l, &indentation))
        return false;
    if (!header_read(m, &s) || !body_read(m, &s))
        return refuse(m, "the loop of line %d is no plain `for (…; k < n; k += …) sum += term;`",
                      token_line(m->t, s.l.at));
    if (!is_local_float(m, s.sum))
        return refuse(m, "'%s' is no f32 variable of the kernel", token_text(m->a, m->t, s.sum));
    if (word_changes(m->t, s.term, s.counter) || indentation[0] == '\0')
        return refuse(m, "the loop's counter changes in its body");
    // `if (…) for (…)` has no room for declarations.
    size_t before = s.l.at - 1;
    if (!token_is(m->t, before, ';') && !token_is(m->t, before, '{') &&
        !token_is(m->t, before, '}'))
        return refuse(m, "the loop of line %d is part of another statement",
                      token_line(m->t, s.l.at));
    size_t last = s.l.braced ? s.l.body.last : s.l.body.last - 1;
    edit_add(&m->edits, m->t->items[s.l.at].begin, m->t->items[last].end,
             sums_text(m, &s, indentation));
    return made(
        m,
        arena_printf(m->a, "Sum in four variables in the loop of line %d",
                     token_line(m->t, s.l.at)),
        "Four sums need not wait for each other, and the loads of four rounds are on their way at "
        "once; the order of the sum changes, and with it the last bits.");
}
