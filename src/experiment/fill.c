// Host buffers of a case: inputs filled from Philox, outputs poisoned.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ZIPF = 1 << 24 };

struct filler {
    const struct buffer_spec *b;
    const struct resolved_buffer *r;
    uint64_t seed, stream;
    struct value args[2];
    double *zipf; // cumulative
    int64_t zipf_count;
    unsigned char *data;
};

static int64_t zipf_pick(const struct filler *f, double u)
{
    int64_t low = 0;
    int64_t high = f->zipf_count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (f->zipf[middle] > u) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static double normal(const uint32_t w[2])
{
    double u = 1 - philox_uniform(w[0]); // (0, 1]
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * philox_uniform(w[1]));
}

// Where row i begins: in the i-th of as many equal steps as there are rows, somewhere, to the power p.
static int64_t row_start(const struct filler *f, uint64_t i, double u)
{
    uint64_t rows = f->r->count - 1;
    if (i == 0 || i >= rows) {
        return i == 0 ? 0 : f->args[0].i;
    }
    double share = ((double)(i - 1) + u) / (double)rows, power = share;
    for (int64_t p = 1; p < f->args[1].i; p++) {
        power *= share;
    }
    return (int64_t)((double)f->args[0].i * power);
}

enum { ROW = 256 }; // elements made at a time

struct row {
    uint32_t words[2 * ROW];
    double real[ROW];
    int64_t whole[ROW];
};

static bool is_whole(const struct filler *f)
{
    enum fill_kind k = f->b->fill;
    return k == FILL_INTEGERS || k == FILL_IOTA || k == FILL_ZIPF || k == FILL_STARTS ||
           (k == FILL_CONSTANT && f->args[0].is_integer);
}

// NORMAL and INTEGERS take two words for an element, UNIFORM, ZIPF and STARTS one, the others none.
static void draw_words(const struct filler *f, uint64_t first, struct row *r)
{
    bool two = f->b->fill == FILL_NORMAL || f->b->fill == FILL_INTEGERS;
    uint64_t per_block = two ? 2 : 4;
    if (f->b->fill != FILL_CONSTANT && f->b->fill != FILL_IOTA) {
        philox_blocks(f->seed, f->stream, first / per_block, ROW / per_block, r->words);
    }
}

static void make_real(const struct filler *f, struct row *r)
{
    double a = f->args[0].d, b = f->args[1].d;
    for (int i = 0; i < ROW; i++) {
        r->real[i] = f->b->fill == FILL_UNIFORM  ? a + (b - a) * philox_uniform(r->words[i])
                     : f->b->fill == FILL_NORMAL ? a + b * normal(&r->words[2 * i])
                                                 : a;
    }
}

static void make_whole(const struct filler *f, uint64_t first, struct row *r)
{
    uint64_t low = (uint64_t)f->args[0].i, span = (uint64_t)f->args[1].i - low + 1;
    for (unsigned i = 0; i < ROW; i++) {
        uint64_t random = (uint64_t)r->words[2 * i] << 32 | r->words[2 * i + 1];
        if (f->b->fill == FILL_INTEGERS) {
            r->whole[i] = (int64_t)(low + (span == 0 ? random : random % span));
        } else if (f->b->fill == FILL_ZIPF) {
            r->whole[i] = zipf_pick(f, philox_uniform(r->words[i]));
        } else if (f->b->fill == FILL_STARTS) {
            r->whole[i] = row_start(f, first + i, philox_uniform(r->words[i]));
        } else {
            r->whole[i] = f->b->fill == FILL_IOTA ? (int64_t)(first + i) : f->args[0].i;
        }
    }
}

// Rows begin at multiples of ROW, as pieces do.
static void fill_piece(void *context, uint64_t first, uint64_t end)
{
    const struct filler *f = context;
    struct row row = {0};
    size_t n = element_bytes(f->r->type);
    bool whole = is_whole(f);
    for (uint64_t i = first; i < end; i += ROW) {
        size_t count = end - i < ROW ? (size_t)(end - i) : ROW;
        draw_words(f, i, &row);
        if (whole) {
            make_whole(f, i, &row);
            elements_store_integers(f->r->type, row.whole, count, f->data + i * n);
        } else {
            make_real(f, &row);
            elements_store(f->r->type, row.real, count, f->data + i * n);
        }
    }
}

static bool fill_from_file(const struct filler *f, const char *path, void *data, struct error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    if (!file_read(path, f->r->size_bytes + 1, &bytes, &size, err)) {
        return error_context(err, "in buffer '%s'", f->b->name);
    }
    bool ok = size == f->r->size_bytes;
    if (ok) {
        memcpy(data, bytes, size);
    }
    free(bytes);
    return ok ? true
              : fail(err, f->b->at, "buffer '%s' has %llu bytes, but the file '%s' has %zu",
                     f->b->name, (unsigned long long)f->r->size_bytes, path, size);
}

static bool zipf_table(struct filler *f, struct error *err)
{
    int64_t n = 0;
    if (!value_to_integer(&f->args[1], &n) || n < 1 || n > MAX_ZIPF) {
        return fail(err, f->b->at,
                    "zipf(s,n) of buffer '%s': n is %g; it must be a whole number from 1 to %d",
                    f->b->name, f->args[1].d, (int)MAX_ZIPF);
    }
    f->zipf = xcalloc((size_t)n, sizeof *f->zipf);
    f->zipf_count = n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += pow((double)(i + 1), -f->args[0].d);
        f->zipf[i] = sum;
    }
    for (int64_t i = 0; i < n; i++) {
        f->zipf[i] /= sum;
    }
    return true;
}

// The numbers that a fill names must be some of the buffer's type: 300 in a u8 would be 44.
static bool check_range(const struct filler *f, const char *what, int count, bool whole,
                        struct error *err)
{
    uint8_t scratch[8];
    for (int i = 0; i < count; i++) {
        struct value v = f->args[i];
        if (!whole && !v.is_integer) {
            v.d = floor(v.d);
        }
        int64_t n = 0;
        bool fits = element_is_float(f->r->type)
                        ? element_store(f->r->type, v.d, scratch)
                        : value_to_integer(&v, &n) && element_store_integer(f->r->type, n, scratch);
        if (!fits) {
            return fail(err, f->b->at, "%s of buffer '%s': %g does not fit %s", what, f->b->name,
                        f->args[i].d, element_name(f->r->type));
        }
    }
    return true;
}

static bool check_starts(struct filler *f, struct error *err)
{
    enum { POWER_MAX = 1000 };
    const struct buffer_spec *b = f->b;
    int64_t power = 0;
    if (element_is_float(b->type)) {
        return fail(err, b->at,
                    "starts(n,p) of buffer '%s': its type is %s; rows begin at whole "
                    "numbers: use i32, u32, i64 or u64",
                    b->name, element_name(b->type));
    }
    if (!check_range(f, "starts(n,p)", 1, true, err)) {
        return false;
    }
    if (!value_to_integer(&f->args[0], &f->args[0].i) || f->args[0].i < 0 ||
        !value_to_integer(&f->args[1], &power) || power < 1 || power > POWER_MAX) {
        return fail(
            err, b->at,
            "starts(n,p) of buffer '%s': n is %g and p is %g; n must be a whole number from 0 "
            "on, p one from 1 to %d",
            b->name, f->args[0].d, f->args[1].d, (int)POWER_MAX);
    }
    f->args[1].i = power;
    return true;
}

static bool check_arguments(struct filler *f, struct error *err)
{
    const struct buffer_spec *b = f->b;
    if ((b->fill == FILL_CONSTANT && !check_range(f, "constant(v)", 1, true, err)) ||
        (b->fill == FILL_UNIFORM && !check_range(f, "uniform(a,b)", 2, false, err))) {
        return false;
    }
    if (b->fill == FILL_UNIFORM && !(f->args[0].d <= f->args[1].d)) {
        return fail(err, b->at, "uniform(a,b) of buffer '%s': %g is more than %g", b->name,
                    f->args[0].d, f->args[1].d);
    }
    if (b->fill == FILL_INTEGERS) {
        uint8_t scratch[8];
        for (int i = 0; i < 2; i++) {
            bool fits = value_to_integer(&f->args[i], &f->args[i].i) &&
                        (element_is_float(b->type) ||
                         element_store_integer(b->type, f->args[i].i, scratch));
            if (!fits) {
                return fail(err, b->at, "integers(lo,hi) of buffer '%s': %g is no %s", b->name,
                            f->args[i].d, element_name(b->type));
            }
        }
        if (f->args[0].i > f->args[1].i) {
            return fail(err, b->at, "integers(lo,hi) of buffer '%s': %g is more than %g", b->name,
                        f->args[0].d, f->args[1].d);
        }
    }
    return (b->fill != FILL_STARTS || check_starts(f, err)) &&
           (b->fill != FILL_ZIPF || zipf_table(f, err));
}

static bool fill_buffer(struct filler *f, const struct scope *scope,
                        const struct resolved_case *all, void *const *filled, unsigned char *data,
                        struct error *err)
{
    if (f->b->fill == FILL_NONE) {
        if (f->b->output) {
            output_poison(f->r, data, POISON_FIRST);
        }
        return true;
    }
    if (f->b->fill == FILL_FILE) {
        struct arena a = {0};
        bool ok = fill_from_file(f, path_of_case(&a, f->b->fill_path, scope), data, err);
        arena_release(&a);
        return ok;
    }
    struct shape whole = {f->b, f->r, all->buffers, filled, data, NULL, f->seed, f->stream, {{0}}};
    struct arena a = {0};
    bool is_whole = false, ok = true;
    for (int i = 0; i < 2; i++) {
        if (f->b->fill_args[i] != NULL &&
            !expression_evaluate(f->b->fill_args[i], scope, &f->args[i], err)) {
            return error_context(err, "in the fill of buffer '%s'", f->b->name);
        }
    }
    memcpy(whole.args, f->args, sizeof whole.args);
    if (f->b->fill_path != NULL) {
        whole.path = path_of_case(&a, f->b->fill_path, scope);
    }
    ok = fill_whole(&whole, &is_whole, err);
    arena_release(&a);
    if (!ok || is_whole) {
        return ok;
    }
    ok = check_arguments(f, err);
    if (ok) {
        f->data = data;
        parallel_for(f->r->count, ELEMENTS_PER_PIECE, fill_piece, f);
    }
    free(f->zipf);
    return ok;
}

bool fill_is_random(enum fill_kind fill)
{
    return fill == FILL_UNIFORM || fill == FILL_NORMAL || fill == FILL_INTEGERS ||
           fill == FILL_ZIPF || fill == FILL_PERMUTATION || fill == FILL_SORTED ||
           fill == FILL_LETTERS || fill == FILL_STARTS || fill == FILL_CSR_COLUMNS;
}

bool buffers_fill(const struct experiment *e, const struct resolved_case *c,
                  const struct case_point *point, uint64_t seed, struct host_buffers *out,
                  struct error *err)
{
    struct arena a = {0};
    struct scope scope;
    scope_build(&a, e, point, NULL, &scope);
    *out = (struct host_buffers){xcalloc((size_t)c->buffer_count + 1, sizeof(void *)),
                                 c->buffer_count};
    bool ok = true;
    for (int i = 0; ok && i < c->buffer_count; i++) {
        struct filler f = {
            .b = &e->buffers[i], .r = &c->buffers[i], .seed = seed, .stream = (uint64_t)i};
        out->data[i] = calloc(c->buffers[i].size_bytes, 1);
        ok = out->data[i] != NULL ? fill_buffer(&f, &scope, c, out->data, out->data[i], err)
                                  : fail_as(err, ERROR_SYSTEM, f.b->at,
                                            "not enough memory for buffer '%s' (%llu bytes)",
                                            f.b->name, (unsigned long long)f.r->size_bytes);
    }
    arena_release(&a);
    if (!ok) {
        buffers_release(out);
    }
    return ok;
}

void buffers_release(struct host_buffers *b)
{
    for (int i = 0; i < b->count; i++) {
        free(b->data[i]);
    }
    free(b->data);
    *b = (struct host_buffers){0};
}
