// Loops that wait: unrolled, or with several sums.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <string.h>

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

bool patch_unroll(struct making *m)
{
    struct loop l;
    const char *indentation = NULL;
    if (!loop_of_finding(m, &l, &indentation))
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
