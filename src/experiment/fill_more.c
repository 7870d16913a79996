// Fills that are not made element by element: permutations, sorted numbers, letters, columns of sparse matrices,
// NumPy's files. A function of seed and buffer, as the others are.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_at(const struct shape *s, uint64_t i)
{
    uint32_t w[4];
    philox(s->seed, s->stream, i, w);
    return (uint64_t)w[0] << 32 | w[1];
}

static void store(const struct shape *s, uint64_t i, int64_t v)
{
    unsigned char *to = (unsigned char *)s->data + i * element_bytes(s->r->type);
    if (element_is_float(s->r->type)) {
        (void)!element_store(s->r->type, (double)v, to);
    } else {
        (void)!element_store_integer(s->r->type, v, to);
    }
}

static bool fits(const struct shape *s, uint64_t largest)
{
    uint8_t scratch[8];
    return largest <= INT64_MAX &&
           (element_is_float(s->r->type)
                ? element_store(s->r->type, (double)largest, scratch) &&
                      element_load(s->r->type, scratch) == (double)largest
                : element_store_integer(s->r->type, (int64_t)largest, scratch));
}

static bool fail_type(const struct shape *s, uint64_t largest, struct error *err)
{
    return fail(err, s->b->at, "buffer '%s': %" PRIu64 " does not fit %s", s->r->name, largest,
                element_name(s->r->type));
}

// 0 to n-1 in random order.
static bool fill_permutation(const struct shape *s, struct error *err)
{
    uint64_t n = s->r->count;
    if (!fits(s, n - 1)) {
        return fail_type(s, n - 1, err);
    }
    uint64_t *order = xcalloc(n, sizeof *order);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = random_at(s, i) % (i + 1); // as the deck is built: Fisher, Yates
        order[i] = order[k];
        order[k] = i;
    }
    for (uint64_t i = 0; i < n; i++) {
        store(s, i, (int64_t)order[i]);
    }
    free(order);
    return true;
}

static int by_real(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Numbers from a to b in ascending order.
static bool fill_sorted(const struct shape *s, struct error *err)
{
    uint64_t n = s->r->count;
    double a = s->args[0].d, b = s->args[1].d;
    uint8_t scratch[8];
    bool real = element_is_float(s->r->type);
    if (!(a <= b)) {
        return fail(err, s->b->at, "sorted(a,b) of buffer '%s': %g is more than %g", s->r->name, a,
                    b);
    }
    for (int i = 0; i < 2; i++) {
        int64_t whole = 0;
        if (real ? !element_store(s->r->type, s->args[i].d, scratch)
                 : !value_to_integer(&s->args[i], &whole) ||
                       !element_store_integer(s->r->type, whole, scratch)) {
            return fail(err, s->b->at, "sorted(a,b) of buffer '%s': %g is no %s", s->r->name,
                        s->args[i].d, element_name(s->r->type));
        }
    }
    double *list = xcalloc(n, sizeof *list);
    static const double two53 = 9007199254740992.0;
    for (uint64_t i = 0; i < n; i++) {
        double u = (double)(random_at(s, i) >> 11) / two53;
        list[i] = real ? a + (b - a) * u : a + (double)(int64_t)((b - a + 1) * u);
    }
    qsort(list, n, sizeof *list, by_real);
    for (uint64_t i = 0; i < n; i++) {
        if (real) {
            (void)!element_store(s->r->type, list[i],
                                 (unsigned char *)s->data + i * element_bytes(s->r->type));
        } else {
            store(s, i, (int64_t)list[i]);
        }
    }
    free(list);
    return true;
}

// Bytes out of a set of letters.
static bool fill_letters(const struct shape *s, struct error *err)
{
    size_t n = strlen(s->b->fill_path);
    if (element_bytes(s->r->type) != 1) {
        return fail(err, s->b->at, "letters(...) fills u8 and i8; buffer '%s' is %s", s->r->name,
                    element_name(s->r->type));
    }
    for (uint64_t i = 0; i < s->r->count; i++) {
        ((char *)s->data)[i] = s->b->fill_path[random_at(s, i) % n];
    }
    return true;
}

static int64_t whole_at(const struct resolved_buffer *b, const void *data, uint64_t i)
{
    return (int64_t)element_load(b->type, (const unsigned char *)data + i * element_bytes(b->type));
}

// Each row's columns in ascending order, spread over the width: one from each of as many equal parts, so
// that they differ where there are enough.
static bool fill_csr_columns(const struct shape *s, struct error *err)
{
    const struct resolved_buffer *rows = &s->all[s->b->fill_buffer];
    const void *begins = s->filled[s->b->fill_buffer];
    int64_t columns = 0;
    if (!value_to_integer(&s->args[1], &columns) || columns < 1) {
        return fail(err, s->b->at, "csr_columns(rows,n) of buffer '%s': %g is no number of columns",
                    s->r->name, s->args[1].d);
    }
    if (!fits(s, (uint64_t)columns - 1)) {
        return fail_type(s, (uint64_t)columns - 1, err);
    }
    uint64_t end = (uint64_t)whole_at(rows, begins, rows->count - 1);
    if (end != s->r->count) {
        return fail(err, s->b->at,
                    "the rows in '%s' have %" PRIu64 " elements, buffer '%s' has "
                    "%" PRIu64,
                    rows->name, end, s->r->name, s->r->count);
    }
    for (uint64_t row = 0; row + 1 < rows->count; row++) {
        uint64_t first = (uint64_t)whole_at(rows, begins, row),
                 length = (uint64_t)whole_at(rows, begins, row + 1) - first;
        for (uint64_t k = 0; k < length; k++) {
            uint64_t low = (uint64_t)((__uint128_t)columns * k / length),
                     high = (uint64_t)((__uint128_t)columns * (k + 1) / length);
            uint64_t span = high > low ? high - low : 1;
            store(s, first + k, (int64_t)(low + random_at(s, first + k) % span));
        }
    }
    return true;
}

bool fill_whole(const struct shape *s, bool *done, struct error *err)
{
    *done = true;
    switch (s->b->fill) {
    case FILL_PERMUTATION:
        return fill_permutation(s, err);
    case FILL_SORTED:
        return fill_sorted(s, err);
    case FILL_LETTERS:
        return fill_letters(s, err);
    case FILL_CSR_COLUMNS:
        return fill_csr_columns(s, err);
    case FILL_NPY:
        return npy_read(s->path, s->r, s->data, err);
    case FILL_NONE:
    case FILL_UNIFORM:
    case FILL_NORMAL:
    case FILL_INTEGERS:
    case FILL_CONSTANT:
    case FILL_IOTA:
    case FILL_ZIPF:
    case FILL_STARTS:
    case FILL_FILE:
        break;
    }
    *done = false;
    return true;
}

const char *path_of_case(struct arena *a, const char *pattern, const struct scope *scope)
{
    struct text t = {0};
    for (const char *s = pattern; *s != '\0';) {
        const char *close = *s == '{' ? strchr(s, '}') : NULL;
        size_t i = 0, n = close != NULL ? (size_t)(close - s - 1) : 0;
        while (close != NULL && i < scope->count &&
               (strlen(scope->names[i]) != n || strncmp(scope->names[i], s + 1, n) != 0)) {
            i++;
        }
        if (close == NULL || i == scope->count) {
            text_addn(&t, s++, 1);
            continue;
        }
        const struct value *v = &scope->values[i];
        if (v->is_integer) {
            text_printf(&t, "%" PRId64, v->i);
        } else {
            text_printf(&t, "%g", v->d);
        }
        s = close + 1;
    }
    const char *path = arena_strdup(a, text_str(&t));
    text_release(&t);
    return path;
}
