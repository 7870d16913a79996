// Python's expressions, evaluated: Python's integers as far as 64 bits go, its division and remainder, its truth.
// SPDX-License-Identifier: Apache-2.0
#include "tune/python_tree.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct evaluator {
    struct arena *a;
    struct py_name names[PY_NAMES_MAX];
    int name_count;
    int64_t steps; // left: comprehensions may be within each other
    struct error *err;
};

static bool evaluate(struct evaluator *v, const struct py_expression *e, struct py_value *out);

static bool is_number(const struct py_value *v)
{
    return v->kind == PY_INTEGER || v->kind == PY_REAL;
}

static double real(const struct py_value *v)
{
    return v->kind == PY_INTEGER ? (double)v->i : v->d;
}

static struct py_value integer(int64_t i)
{
    return (struct py_value){.kind = PY_INTEGER, .i = i};
}

bool py_is_true(const struct py_value *v)
{
    switch (v->kind) {
    case PY_INTEGER:
        return v->i != 0;
    case PY_REAL:
        return v->d < 0 || v->d > 0;
    case PY_STRING:
        return *v->s != '\0';
    case PY_LIST:
        break;
    }
    return v->count > 0;
}

const char *py_text(struct arena *a, const struct py_value *v)
{
    switch (v->kind) {
    case PY_INTEGER:
        return arena_printf(a, "%" PRId64, v->i);
    case PY_REAL:
        return arena_printf(a, "%.15g", v->d);
    case PY_STRING:
        return v->s;
    case PY_LIST:
        break;
    }
    return "[]";
}

static bool fail_types(struct evaluator *v, const struct py_expression *e)
{
    return fail(v->err, e->at, "an operation on values that it is not for (strings, lists)");
}

static bool power(struct evaluator *v, const struct py_expression *e, int64_t base, int64_t times,
                  struct py_value *out)
{
    int64_t product = 1;
    for (int64_t i = 0; i < times && product != 0 && !(base == 1 || base == 0 || base == -1); i++)
        if (__builtin_mul_overflow(product, base, &product))
            return fail(v->err, e->at, "a power beyond 64 bits");
    if (base == 0 && times > 0)
        product = 0;
    else if (base == -1)
        product = times % 2 == 0 ? 1 : -1;
    *out = integer(product);
    return true;
}

// Python's: towards minus infinity, and the remainder has the divisor's sign.
static int64_t floor_quotient(int64_t x, int64_t y)
{
    int64_t q = x / y;
    return x % y != 0 && (x % y < 0) != (y < 0) ? q - 1 : q;
}

static bool of_integers(struct evaluator *v, const struct py_expression *e, int64_t x, int64_t y,
                        struct py_value *out)
{
    bool over = false;
    *out = integer(0);
    if ((e->op == OP_FLOOR || e->op == OP_REMAINDER) && (y == 0 || (x == INT64_MIN && y == -1)))
        return fail(v->err, e->at, "a division by zero, or beyond 64 bits");
    switch (e->op) {
    case OP_ADD:
        over = __builtin_add_overflow(x, y, &out->i);
        break;
    case OP_SUBTRACT:
        over = __builtin_sub_overflow(x, y, &out->i);
        break;
    case OP_MULTIPLY:
        over = __builtin_mul_overflow(x, y, &out->i);
        break;
    case OP_FLOOR:
        out->i = floor_quotient(x, y);
        break;
    case OP_REMAINDER:
        out->i = x - floor_quotient(x, y) * y;
        break;
    default:
        return power(v, e, x, y, out);
    }
    return !over || fail(v->err, e->at, "a number beyond 64 bits");
}

static bool of_reals(struct evaluator *v, const struct py_expression *e, double x, double y,
                     struct py_value *out)
{
    bool divides = e->op == OP_DIVIDE || e->op == OP_FLOOR || e->op == OP_REMAINDER;
    out->kind = PY_REAL;
    if (divides && !(y < 0 || y > 0))
        return fail(v->err, e->at, "a division by zero");
    out->d = e->op == OP_ADD         ? x + y
             : e->op == OP_SUBTRACT  ? x - y
             : e->op == OP_MULTIPLY  ? x * y
             : e->op == OP_DIVIDE    ? x / y
             : e->op == OP_FLOOR     ? floor(x / y)
             : e->op == OP_REMAINDER ? x - floor(x / y) * y
                                     : pow(x, y);
    return true;
}

static bool arithmetic(struct evaluator *v, const struct py_expression *e, struct py_value *out)
{
    struct py_value x, y;
    if (!evaluate(v, e->items[0], &x) || !evaluate(v, e->items[1], &y))
        return false;
    if (!is_number(&x) || !is_number(&y))
        return fail_types(v, e);
    bool whole = x.kind == PY_INTEGER && y.kind == PY_INTEGER && e->op != OP_DIVIDE &&
                 !(e->op == OP_POWER && y.i < 0);
    return whole ? of_integers(v, e, x.i, y.i, out) : of_reals(v, e, real(&x), real(&y), out);
}

/* ---- comparisons --------------------------------------------------------------------------------- */

static bool equal(const struct py_value *x, const struct py_value *y)
{
    if (is_number(x) && is_number(y))
        return x->kind == PY_INTEGER && y->kind == PY_INTEGER
                   ? x->i == y->i
                   : !(real(x) < real(y)) && !(real(x) > real(y));
    return x->kind == PY_STRING && y->kind == PY_STRING && strcmp(x->s, y->s) == 0;
}

static bool compare(struct evaluator *v, const struct py_expression *e, enum compare how,
                    const struct py_value *x, const struct py_value *y, bool *out)
{
    *out = false;
    if (how == CMP_EQ || how == CMP_NE) {
        *out = equal(x, y) == (how == CMP_EQ);
        return true;
    }
    if (how == CMP_IN || how == CMP_NOT_IN) {
        bool among = false;
        for (int i = 0; y->kind == PY_LIST && i < y->count; i++)
            among = among || equal(x, &y->items[i]);
        *out = among == (how == CMP_IN);
        return y->kind == PY_LIST || fail_types(v, e);
    }
    double order = 0;
    if (is_number(x) && is_number(y))
        order = (real(x) > real(y)) - (real(x) < real(y));
    else if (x->kind == PY_STRING && y->kind == PY_STRING)
        order = strcmp(x->s, y->s);
    else
        return fail_types(v, e);
    *out = how == CMP_LT   ? order < 0
           : how == CMP_LE ? order <= 0
           : how == CMP_GT ? order > 0
                           : order >= 0;
    return true;
}

// a < b <= c: each with its neighbour, until one does not hold.
static bool chain(struct evaluator *v, const struct py_expression *e, struct py_value *out)
{
    struct py_value x, y;
    bool holds = true;
    if (!evaluate(v, e->items[0], &x))
        return false;
    for (int i = 1; holds && i < e->count; i++) {
        if (!evaluate(v, e->items[i], &y) || !compare(v, e, e->compares[i], &x, &y, &holds))
            return false;
        x = y;
    }
    *out = integer(holds);
    return true;
}

/* ---- lists and functions --------------------------------------------------------------------------- */

static bool list(struct evaluator *v, const struct py_expression *e, struct py_value *out)
{
    *out = (struct py_value){.kind = PY_LIST, .count = e->count};
    out->items = ARENA_ARRAY(v->a, struct py_value, e->count + 1);
    for (int i = 0; i < e->count; i++)
        if (!evaluate(v, e->items[i], &out->items[i]))
            return false;
    return true;
}

static bool each(struct evaluator *v, const struct py_expression *e, struct py_value *out)
{
    struct py_value over, condition = integer(1);
    if (!evaluate(v, e->items[1], &over))
        return false;
    if (over.kind != PY_LIST || v->name_count == PY_NAMES_MAX)
        return fail_types(v, e);
    *out = (struct py_value){.kind = PY_LIST};
    out->items = ARENA_ARRAY(v->a, struct py_value, over.count + 1);
    int slot = v->name_count++;
    bool done = true;
    for (int i = 0; done && i < over.count; i++) {
        v->names[slot] = (struct py_name){e->name, over.items[i]};
        done = (e->count < 3 || evaluate(v, e->items[2], &condition)) &&
               (!py_is_true(&condition) || evaluate(v, e->items[0], &out->items[out->count]));
        out->count += done && py_is_true(&condition);
    }
    v->name_count = slot;
    return done;
}

static bool range(struct evaluator *v, const struct py_expression *e, const struct py_value *x,
                  int count, struct py_value *out)
{
    int64_t from = count > 1 ? x[0].i : 0, to = count > 1 ? x[1].i : x[0].i;
    int64_t step = count > 2 ? x[2].i : 1;
    for (int i = 0; i < count; i++)
        if (x[i].kind != PY_INTEGER || x[i].i > INT32_MAX || x[i].i < -INT32_MAX)
            return fail(v->err, e->at, "range() takes whole numbers of 32 bits");
    if (step == 0)
        return fail(v->err, e->at, "range() with a step of 0");
    *out = (struct py_value){.kind = PY_LIST};
    int64_t span = step > 0 ? to - from : from - to, size = step > 0 ? step : -step;
    int64_t length = span > 0 ? (span + size - 1) / size : 0;
    if (length > PY_LIST_MAX)
        return fail(v->err, e->at, "range() of more than %d numbers", PY_LIST_MAX);
    out->items = ARENA_ARRAY(v->a, struct py_value, length + 1);
    for (int64_t i = from; out->count < (int)length; i += step)
        out->items[out->count++] = integer(i);
    return true;
}

static bool least(struct evaluator *v, const struct py_expression *e, const struct py_value *x,
                  int count, bool most, struct py_value *out)
{
    if (count == 0 || !is_number(&x[0]))
        return fail_types(v, e);
    *out = x[0];
    for (int i = 1; i < count; i++) {
        if (!is_number(&x[i]))
            return fail_types(v, e);
        if (most ? real(&x[i]) > real(out) : real(&x[i]) < real(out))
            *out = x[i];
    }
    return true;
}

static bool call(struct evaluator *v, const struct py_expression *e, struct py_value *out)
{
    struct py_value x;
    if (!list(v, e, &x))
        return false;
    bool min = strcmp(e->name, "min") == 0, max = strcmp(e->name, "max") == 0;
    if (strcmp(e->name, "range") == 0 && x.count >= 1 && x.count <= 3)
        return range(v, e, x.items, x.count, out);
    if ((min || max) && x.count == 1 && x.items[0].kind == PY_LIST)
        return least(v, e, x.items[0].items, x.items[0].count, max, out);
    if (min || max)
        return least(v, e, x.items, x.count, max, out);
    if (x.count != 1)
        return fail(v->err, e->at, "%s() takes one value", e->name);
    *out = x.items[0];
    if (strcmp(e->name, "list") == 0)
        return out->kind == PY_LIST || fail_types(v, e);
    if (strcmp(e->name, "len") == 0) {
        *out = integer(x.items[0].count);
        return x.items[0].kind == PY_LIST || fail_types(v, e);
    }
    if (!is_number(out) || (out->kind == PY_INTEGER && out->i == INT64_MIN))
        return fail_types(v, e);
    if (strcmp(e->name, "abs") == 0) {
        out->i = out->i < 0 ? -out->i : out->i;
        out->d = fabs(out->d);
        return true;
    }
    if (out->kind == PY_REAL && !(fabs(out->d) < 9e18)) // int()
        return fail(v->err, e->at, "a number beyond 64 bits");
    *out = integer(out->kind == PY_REAL ? (int64_t)out->d : out->i);
    return true;
}

static bool named(struct evaluator *v, const struct py_expression *e, struct py_value *out)
{
    const char *names[PY_NAMES_MAX];
    for (int i = v->name_count - 1; i >= 0; i--) {
        names[i] = v->names[i].name;
        if (strcmp(names[i], e->name) == 0) {
            *out = v->names[i].value;
            return true;
        }
    }
    return fail_unknown(v->err, e->at, "name", e->name, names, (size_t)v->name_count);
}

static bool evaluate(struct evaluator *v, const struct py_expression *e, struct py_value *out)
{
    struct py_value x;
    if (--v->steps < 0)
        return fail(v->err, e->at, "an expression that does not end soon");
    switch (e->op) {
    case OP_CONSTANT:
        *out = e->constant;
        return true;
    case OP_NAME:
        return named(v, e, out);
    case OP_LIST:
        return list(v, e, out);
    case OP_EACH:
        return each(v, e, out);
    case OP_CALL:
        return call(v, e, out);
    case OP_OR:
    case OP_AND:
        return evaluate(v, e->items[0], out) &&
               (py_is_true(out) == (e->op == OP_OR) || evaluate(v, e->items[1], out));
    case OP_NOT:
        if (!evaluate(v, e->items[0], &x))
            return false;
        *out = integer(!py_is_true(&x));
        return true;
    case OP_IF:
        return evaluate(v, e->items[0], &x) && evaluate(v, e->items[py_is_true(&x) ? 1 : 2], out);
    case OP_COMPARE:
        return chain(v, e, out);
    case OP_NEGATE:
        if (!evaluate(v, e->items[0], out))
            return false;
        if (!is_number(out) || (out->kind == PY_INTEGER && out->i == INT64_MIN))
            return fail_types(v, e);
        out->i = -out->i;
        out->d = -out->d;
        return true;
    case OP_ADD:
    case OP_SUBTRACT:
    case OP_MULTIPLY:
    case OP_DIVIDE:
    case OP_FLOOR:
    case OP_REMAINDER:
    case OP_POWER:
        break;
    }
    return arithmetic(v, e, out);
}

bool py_evaluate(struct arena *a, const struct py_expression *e, const struct py_name *names,
                 int name_count, struct py_value *out, struct error *err)
{
    enum { STEPS_MAX = 200000 };
    struct evaluator v = {.a = a, .name_count = name_count, .steps = STEPS_MAX, .err = err};
    if (name_count > PY_NAMES_MAX)
        return fail(err, e->at, "more than %d names", PY_NAMES_MAX);
    for (int i = 0; i < name_count; i++)
        v.names[i] = names[i];
    return evaluate(&v, e, out);
}
