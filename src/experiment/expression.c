// Expressions of the experiment file: recursive descent, evaluation in checked 64-bit integers.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum node_kind {
    NODE_NUMBER,
    NODE_NAME,
    NODE_NEGATE,
    NODE_NOT,
    NODE_BINARY,
    NODE_CHOICE,
    NODE_CALL
};
enum binary {
    OP_OR,
    OP_AND,
    OP_EQ,
    OP_NE,
    OP_LE,
    OP_GE,
    OP_LT,
    OP_GT,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD
};
enum function { FN_CEIL_DIV, FN_MIN, FN_MAX, FN_LOG2, FN_POW, FN_SQRT, FN_ABS, FN_FLOOR, FN_CEIL };

struct expression {
    enum node_kind kind;
    int op; // enum binary or enum function
    struct value value;
    const char *name;
    const struct expression *kids[3];
    const char *text; // of the whole
    struct location at;
};

static const struct {
    const char *text;
    int precedence;
    enum binary op;
} operators[] = {
    // longer ones first
    {"||", 1, OP_OR}, {"&&", 2, OP_AND}, {"==", 3, OP_EQ}, {"!=", 3, OP_NE}, {"<=", 4, OP_LE},
    {">=", 4, OP_GE}, {"<", 4, OP_LT},   {">", 4, OP_GT},  {"+", 5, OP_ADD}, {"-", 5, OP_SUB},
    {"*", 6, OP_MUL}, {"/", 6, OP_DIV},  {"%", 6, OP_MOD},
};

static const char *const function_names[] = {
#define FUNCTION(name, arguments) name,
#include "experiment/schema.def"
#undef FUNCTION
};
static const int function_arity[] = {
#define FUNCTION(name, arguments) arguments,
#include "experiment/schema.def"
#undef FUNCTION
};

enum { MAX_DEPTH = 100 };

struct parser {
    struct arena *a;
    const char *text, *p;
    struct location at;
    int depth;
    struct error *err;
};

const char *expression_text(const struct expression *e)
{
    return e->text;
}
struct location expression_location(const struct expression *e)
{
    return e->at;
}

static void skip_space(struct parser *p)
{
    while (*p->p == ' ' || *p->p == '\t' || *p->p == '\n') {
        p->p++;
    }
}

static struct location here(const struct parser *p)
{
    struct location at = p->at;
    if (at.column > 0) {
        at.column += (int)(p->p - p->text);
    }
    return at;
}

static struct expression *node_new(struct parser *p, enum node_kind kind, int op)
{
    struct expression *e = ARENA_NEW(p->a, struct expression);
    e->kind = kind;
    e->op = op;
    e->text = p->text;
    e->at = here(p);
    return e;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool expression_mentions(const struct expression *e, const char *name)
{
    for (const char *s = e->text; *s != '\0';) {
        size_t n = 0;
        while (is_letter(s[n]) || is_digit(s[n]) || s[n] == '.') {
            n++;
        }
        if (n == strlen(name) && strncmp(s, name, n) == 0) {
            return true;
        }
        s += n > 0 ? n : 1;
    }
    return false;
}

bool is_identifier(const char *s)
{
    if (!is_letter(*s)) {
        return false;
    }
    for (; *s != '\0'; s++) {
        if (!is_letter(*s) && !is_digit(*s)) {
            return false;
        }
    }
    return true;
}

static bool unexpected(struct parser *p, const char *wanted)
{
    if (*p->p == '\0') {
        return fail(p->err, here(p), "the expression '%s' ends where %s is expected", p->text,
                    wanted);
    }
    return fail(p->err, here(p), "unexpected '%c' in the expression '%s'; %s is expected", *p->p,
                p->text, wanted);
}

static bool parse_choice(struct parser *p, const struct expression **out);

static bool parse_number(struct parser *p, const struct expression **out)
{
    struct expression *e = node_new(p, NODE_NUMBER, 0);
    const char *s = p->p;
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    while (is_digit(*s) || *s == '.' || is_letter(*s) ||
           ((*s == '+' || *s == '-') && !hex && s > p->p && (s[-1] == 'e' || s[-1] == 'E'))) {
        s++;
    }
    const char *word = arena_strndup(p->a, p->p, (size_t)(s - p->p));
    if (str_to_i64(word, &e->value.i)) {
        e->value.is_integer = true;
        e->value.d = (double)e->value.i;
    } else if (hex || !str_to_double(word, &e->value.d)) {
        return fail(p->err, here(p), "'%s' must be a number that a double holds", word);
    } else if (strpbrk(word, ".eE") == NULL) {
        return fail(p->err, here(p), "'%s' is too large for a 64-bit integer", word);
    }
    p->p = s;
    *out = e;
    return true;
}

static bool parse_call(struct parser *p, struct expression *e, const struct expression **out)
{
    size_t f = 0;
    while (f < COUNT_OF(function_names) && strcmp(function_names[f], e->name) != 0) {
        f++;
    }
    if (f == COUNT_OF(function_names)) {
        return fail_unknown(p->err, e->at, "function", e->name, function_names,
                            COUNT_OF(function_names));
    }
    e->kind = NODE_CALL;
    e->op = (int)f;
    p->p++;
    for (int i = 0; i < function_arity[f]; i++) {
        if (!parse_choice(p, &e->kids[i])) {
            return false;
        }
        skip_space(p);
        char wanted = i + 1 < function_arity[f] ? ',' : ')';
        if (*p->p != wanted) {
            return fail(p->err, here(p), "'%s' takes %d argument%s; '%c' is expected here", e->name,
                        function_arity[f], plural(function_arity[f]), wanted);
        }
        p->p++;
    }
    *out = e;
    return true;
}

static bool parse_primary(struct parser *p, const struct expression **out)
{
    if (is_digit(*p->p) || (*p->p == '.' && is_digit(p->p[1]))) {
        return parse_number(p, out);
    }
    if (*p->p == '(') {
        p->p++;
        if (!parse_choice(p, out)) {
            return false;
        }
        skip_space(p);
        if (*p->p != ')') {
            return unexpected(p, "')'");
        }
        p->p++;
        return true;
    }
    if (!is_letter(*p->p)) {
        return unexpected(p, "a number, a name or '('");
    }
    struct expression *e = node_new(p, NODE_NAME, 0);
    const char *start = p->p;
    while (is_letter(*p->p) || is_digit(*p->p) || *p->p == '.') {
        p->p++;
    }
    e->name = arena_strndup(p->a, start, (size_t)(p->p - start));
    skip_space(p);
    if (*p->p == '(') {
        return parse_call(p, e, out);
    }
    *out = e;
    return true;
}

static bool parse_unary(struct parser *p, const struct expression **out)
{
    skip_space(p);
    if (++p->depth > MAX_DEPTH) {
        return fail(p->err, here(p), "the expression is nested more than %d deep", (int)MAX_DEPTH);
    }
    bool ok = false;
    if (*p->p == '-' || (*p->p == '!' && p->p[1] != '=')) {
        struct expression *e = node_new(p, *p->p == '-' ? NODE_NEGATE : NODE_NOT, 0);
        p->p++;
        ok = parse_unary(p, &e->kids[0]);
        *out = e;
    } else {
        ok = parse_primary(p, out);
    }
    p->depth--;
    return ok;
}

static bool parse_binary(struct parser *p, int lowest, const struct expression **out)
{
    if (!parse_unary(p, out)) {
        return false;
    }
    for (;;) {
        skip_space(p);
        size_t k = 0;
        while (k < COUNT_OF(operators) && !str_starts_with(p->p, operators[k].text)) {
            k++;
        }
        if (k == COUNT_OF(operators) || operators[k].precedence < lowest) {
            return true;
        }
        struct expression *e = node_new(p, NODE_BINARY, (int)operators[k].op);
        p->p += strlen(operators[k].text);
        e->kids[0] = *out;
        if (!parse_binary(p, operators[k].precedence + 1, &e->kids[1])) {
            return false;
        }
        *out = e;
    }
}

static bool parse_choice(struct parser *p, const struct expression **out)
{
    if (!parse_binary(p, 1, out)) {
        return false;
    }
    skip_space(p);
    if (*p->p != '?') {
        return true;
    }
    if (++p->depth > MAX_DEPTH) {
        return fail(p->err, here(p), "the expression is nested more than %d deep", (int)MAX_DEPTH);
    }
    struct expression *e = node_new(p, NODE_CHOICE, 0);
    p->p++;
    e->kids[0] = *out;
    if (!parse_choice(p, &e->kids[1])) {
        return false;
    }
    skip_space(p);
    if (*p->p != ':') {
        return unexpected(p, "':'");
    }
    p->p++;
    p->depth--;
    *out = e;
    return parse_choice(p, &e->kids[2]);
}

bool expression_parse(struct arena *a, const char *text, struct location at,
                      struct expression **out, struct error *err)
{
    const char *copy = arena_strdup(a, text);
    struct parser p = {a, copy, copy, at, 0, err};
    const struct expression *e = NULL;
    enum { CHARACTERS_MAX = 4000 };
    if (strlen(copy) > CHARACTERS_MAX) {
        return fail(err, at, "the expression must have at most %d characters, not %zu",
                    CHARACTERS_MAX, strlen(copy));
    }
    if (!parse_choice(&p, &e)) {
        return false;
    }
    skip_space(&p);
    if (*p.p != '\0') {
        return unexpected(&p, "an operator or the end");
    }
    struct expression *root = ARENA_NEW(a, struct expression);
    *root = *e;
    *out = root;
    return true;
}

static bool give_integer(struct value *out, int64_t i)
{
    *out = (struct value){true, i, (double)i};
    return true;
}

static bool give_double(const struct expression *e, struct value *out, double d, struct error *err)
{
    *out = (struct value){false, 0, d};
    return isfinite(d) ? true
                       : fail(err, e->at, "the expression '%s' has no finite value", e->text);
}

static bool overflow(const struct expression *e, struct error *err)
{
    return fail(err, e->at, "the expression '%s' overflows a 64-bit integer", e->text);
}

static bool by_zero(const struct expression *e, struct error *err)
{
    return fail(err, e->at, "the expression '%s' divides by zero", e->text);
}

static bool integer_binary(const struct expression *e, int64_t a, int64_t b, struct value *out,
                           struct error *err)
{
    int64_t r = 0;
    bool bad = false;
    switch ((enum binary)e->op) {
    case OP_ADD:
        bad = __builtin_add_overflow(a, b, &r);
        break;
    case OP_SUB:
        bad = __builtin_sub_overflow(a, b, &r);
        break;
    case OP_MUL:
        bad = __builtin_mul_overflow(a, b, &r);
        break;
    case OP_DIV:
    case OP_MOD:
        if (b == 0) {
            return by_zero(e, err);
        }
        bad = a == INT64_MIN && b == -1;
        if (!bad) {
            r = e->op == (int)OP_DIV ? a / b : a % b;
        }
        break;
    case OP_EQ:
        r = a == b;
        break;
    case OP_NE:
        r = a != b;
        break;
    case OP_LE:
        r = a <= b;
        break;
    case OP_GE:
        r = a >= b;
        break;
    case OP_LT:
        r = a < b;
        break;
    case OP_GT:
        r = a > b;
        break;
    case OP_OR:
    case OP_AND:
        break;
    }
    return bad ? overflow(e, err) : give_integer(out, r);
}

static bool double_binary(const struct expression *e, double a, double b, struct value *out,
                          struct error *err)
{
    switch ((enum binary)e->op) {
    case OP_ADD:
        return give_double(e, out, a + b, err);
    case OP_SUB:
        return give_double(e, out, a - b, err);
    case OP_MUL:
        return give_double(e, out, a * b, err);
    case OP_DIV:
        return b == 0 ? by_zero(e, err) : give_double(e, out, a / b, err);
    case OP_MOD:
        return b == 0 ? by_zero(e, err) : give_double(e, out, fmod(a, b), err);
    case OP_EQ:
        return give_integer(out, a == b);
    case OP_NE:
        return give_integer(out, a != b);
    case OP_LE:
        return give_integer(out, a <= b);
    case OP_GE:
        return give_integer(out, a >= b);
    case OP_LT:
        return give_integer(out, a < b);
    case OP_GT:
        return give_integer(out, a > b);
    case OP_OR:
    case OP_AND:
        break;
    }
    return give_integer(out, 0);
}

static bool integer_power(const struct expression *e, int64_t base, int64_t exponent,
                          struct value *out, struct error *err)
{
    int64_t r = 1;
    while (exponent > 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(r, base, &r)) {
            return overflow(e, err);
        }
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) {
            return overflow(e, err);
        }
    }
    return give_integer(out, r);
}

static bool give_rounded(const struct expression *e, double d, struct value *out, struct error *err)
{
    if (!(fabs(d) < 9.2e18)) {
        return overflow(e, err);
    }
    return give_integer(out, (int64_t)d);
}

static bool ceil_div(const struct expression *e, struct value a, struct value b, struct value *out,
                     struct error *err)
{
    if (b.d == 0) {
        return by_zero(e, err);
    }
    if (!a.is_integer || !b.is_integer) {
        return give_rounded(e, ceil(a.d / b.d), out, err);
    }
    if (a.i == INT64_MIN && b.i == -1) {
        return overflow(e, err);
    }
    int64_t q = a.i / b.i;
    bool up = a.i % b.i != 0 && ((a.i < 0) == (b.i < 0));
    return give_integer(out, up ? q + 1 : q);
}

static bool call(const struct expression *e, struct value a, struct value b, struct value *out,
                 struct error *err)
{
    bool integers = a.is_integer && b.is_integer;
    switch ((enum function)e->op) {
    case FN_CEIL_DIV:
        return ceil_div(e, a, b, out, err);
    case FN_MIN:
        *out = (integers ? b.i < a.i : b.d < a.d) ? b : a;
        return true;
    case FN_MAX:
        *out = (integers ? b.i > a.i : b.d > a.d) ? b : a;
        return true;
    case FN_POW:
        return integers && b.i >= 0 ? integer_power(e, a.i, b.i, out, err)
                                    : give_double(e, out, pow(a.d, b.d), err);
    case FN_LOG2:
        return give_double(e, out, log2(a.d), err);
    case FN_SQRT:
        return give_double(e, out, sqrt(a.d), err);
    case FN_ABS:
        if (!a.is_integer) {
            return give_double(e, out, fabs(a.d), err);
        }
        return a.i == INT64_MIN ? overflow(e, err) : give_integer(out, a.i < 0 ? -a.i : a.i);
    case FN_FLOOR:
        return a.is_integer ? give_integer(out, a.i) : give_rounded(e, floor(a.d), out, err);
    case FN_CEIL:
        return a.is_integer ? give_integer(out, a.i) : give_rounded(e, ceil(a.d), out, err);
    }
    return overflow(e, err);
}

static bool lookup(const struct expression *e, const struct scope *scope, struct value *out,
                   struct error *err)
{
    for (size_t i = 0; i < scope->count; i++) {
        if (strcmp(scope->names[i], e->name) == 0) {
            *out = scope->values[i];
            return true;
        }
    }
    return fail_unknown(err, e->at, "name", e->name, scope->names, scope->count);
}

static bool binary(const struct expression *e, const struct scope *scope, struct value *out,
                   struct error *err)
{
    struct value a;
    struct value b;
    if (!expression_evaluate(e->kids[0], scope, &a, err)) {
        return false;
    }
    if (e->op == (int)OP_AND || e->op == (int)OP_OR) {
        bool first = a.d != 0;
        if (first == (e->op == (int)OP_OR)) {
            return give_integer(out, first);
        }
        return expression_evaluate(e->kids[1], scope, &b, err) && give_integer(out, b.d != 0);
    }
    if (!expression_evaluate(e->kids[1], scope, &b, err)) {
        return false;
    }
    return a.is_integer && b.is_integer ? integer_binary(e, a.i, b.i, out, err)
                                        : double_binary(e, a.d, b.d, out, err);
}

bool expression_evaluate(const struct expression *e, const struct scope *scope, struct value *out,
                         struct error *err)
{
    struct value a = {0};
    struct value b = {true, 0, 0};
    switch (e->kind) {
    case NODE_NUMBER:
        *out = e->value;
        return true;
    case NODE_NAME:
        return lookup(e, scope, out, err);
    case NODE_BINARY:
        return binary(e, scope, out, err);
    default:
        break;
    }
    if (!expression_evaluate(e->kids[0], scope, &a, err)) {
        return false;
    }
    if (e->kind == NODE_CHOICE) {
        return expression_evaluate(e->kids[a.d != 0 ? 1 : 2], scope, out, err);
    }
    if (e->kind == NODE_NOT) {
        return give_integer(out, a.d == 0);
    }
    if (e->kind == NODE_NEGATE) {
        if (!a.is_integer) {
            return give_double(e, out, -a.d, err);
        }
        return a.i == INT64_MIN ? overflow(e, err) : give_integer(out, -a.i);
    }
    if (e->kids[1] != NULL && !expression_evaluate(e->kids[1], scope, &b, err)) {
        return false;
    }
    if (e->kids[1] == NULL) {
        b = a;
    }
    return call(e, a, b, out, err);
}
