// What a comparison with the reference does not see, where it takes no further run: arithmetic in less than the
// data's precision, and tolerances that let anything pass.
// SPDX-License-Identifier: Apache-2.0
#include "loop/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 4 << 20, F64_BITS = 53 };

/* ---- precision ---------------------------------------------------------------------------------------- */

// Significant bits of a type, 0 for those of whole numbers.
static int bits_of(enum element_type t)
{
    switch (t) {
    case ELEMENT_F64:
        return F64_BITS;
    case ELEMENT_F32:
        return 24;
    case ELEMENT_F16:
        return 11;
    case ELEMENT_BF16:
        return 8;
    case ELEMENT_E4M3:
        return 4;
    default:
        return 0;
    }
}

// The least precise of the case's floats; whole numbers of one or two bytes may hold any. 0 = not known.
static int data_bits(const struct resolved_case *c, const char **type)
{
    int least = 0;
    for (int i = 0; i < c->buffer_count; i++) {
        enum element_type t = c->buffers[i].type;
        int bits = bits_of(t);
        if (bits == 0 && element_bytes(t) < sizeof(float))
            return 0;
        if (bits > 0 && (least == 0 || bits < least)) {
            least = bits;
            *type = element_name(t);
        }
    }
    return least;
}

const char *honest_precision(struct arena *a, const struct experiment *e,
                             const struct resolved_case *c, const struct resolved_variant *v,
                             const struct code_object *code)
{
    const char *type = NULL;
    int allowed = data_bits(c, &type);
    if (v->spec->precision_bits > 0 && v->spec->precision_bits < allowed)
        allowed = v->spec->precision_bits;
    for (int i = 0; i < v->launch_count && allowed > 0; i++) {
        const struct code_kernel *k = launch_kernel(code, &v->launches[i]);
        // Functions of f64 begin with estimates in f32: only what never computes in f64 counts.
        int least = k && allowed == F64_BITS ? k->most_bits : k ? k->least_bits : 0;
        if (least == 0 || least >= allowed)
            continue;
        const char *place = k->least_file && k->least_line > 0
                                ? arena_printf(a, "%s:%d: ", k->least_file, k->least_line)
                                : "";
        return arena_printf(a,
                            "%sthe kernel '%s' computes in %s (%d significant bits), and the least "
                            "precise data of '%s' is %s (%d): a speed-up by precision is no "
                            "speed-up of the same job; where it is meant, say 'precision: %s' for "
                            "this variant",
                            place, v->launches[i].kernel, k->least, k->least_bits, e->name, type,
                            allowed, k->least);
    }
    return NULL;
}

const char *honest_waits(const struct resolved_variant *v, const struct code_object *code)
{
    for (int i = 0; i < v->launch_count; i++) {
        const struct code_kernel *k = launch_kernel(code, &v->launches[i]);
        if (k && k->waits)
            return v->launches[i].kernel;
    }
    return NULL;
}

/* ---- tolerance ------------------------------------------------------------------------------------------ */

struct trial { // an output that was not computed
    const struct buffer_spec *spec;
    const struct resolved_buffer *buffer;
    const unsigned char *wanted;
    const unsigned char *got; // NULL: zeros
};

// Passes as right, and is not: each part is looked at until one does not pass.
static bool passes(const struct trial *t)
{
    size_t each = element_bytes(t->buffer->type);
    uint64_t per_part = PART_BYTES / each;
    unsigned char *zeros = xcalloc(PART_BYTES, 1);
    bool pass = true, same = true;
    for (uint64_t at = 0; at < t->buffer->count && pass; at += per_part) {
        uint64_t count = t->buffer->count - at < per_part ? t->buffer->count - at : per_part;
        const unsigned char *got = t->got ? t->got + at * each : zeros;
        struct output_difference d = {0};
        output_compare(t->spec, got, t->wanted + at * each, at, count, &d);
        pass = d.wrong_count == 0;
        same = same && memcmp(got, t->wanted + at * each, (size_t)count * each) == 0;
    }
    free(zeros);
    return pass && !same;
}

static bool fail_loose(const struct trial *t, const char *what, struct error *err)
{
    return fail(err, t->spec->at,
                "%s would be called right for the output '%s': its tolerance is wider than what it "
                "is to find; tighten 'tolerance', or choose data with larger results",
                what, t->buffer->name);
}

bool honest_tolerance(const struct experiment *e, const struct resolved_case *c,
                      const struct host_buffers *inputs, const struct host_buffers *wanted,
                      struct error *err)
{
    for (int i = 0; i < c->buffer_count; i++) {
        const struct buffer_spec *b = &e->buffers[i];
        bool loose = b->tolerance_abs > 0 || b->tolerance_rel > 0 || b->tolerance_ulp > 0;
        struct trial t = {b, &c->buffers[i], wanted->data[i], NULL};
        if (!b->output || !loose || b->compare != COMPARE_ELEMENTS || c->buffers[i].count == 0)
            continue;
        if (passes(&t))
            return fail_loose(&t, "zeros", err);
        for (int k = 0; k < c->buffer_count; k++) {
            char what[128];
            if (e->buffers[k].output || e->buffers[k].fill == FILL_NONE ||
                c->buffers[k].type != t.buffer->type || c->buffers[k].count < t.buffer->count)
                continue;
            t.got = inputs->data[k];
            (void)snprintf(what, sizeof what, "a copy of the input '%s'", c->buffers[k].name);
            if (passes(&t))
                return fail_loose(&t, what, err);
        }
    }
    return true;
}

/* ---- work ----------------------------------------------------------------------------------------------- */

// What steps of the driver write, and constants that are set, pass no kernel.
static double bytes_outside(const struct resolved_case *c, const struct resolved_variant *v)
{
    double sum = 0;
    for (int i = 0; i < v->launch_count; i++) {
        const struct resolved_launch *l = &v->launches[i];
        if (l->kind == LAUNCH_ZERO)
            sum += (double)c->buffers[l->zero_buffer].size_bytes;
        for (int k = 0; k < l->set_count; k++)
            sum += (double)c->buffers[l->sets[k].buffer].size_bytes;
    }
    return sum;
}

static double sum_of(const struct counters *c, const enum counter_id *ids, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counters_get(c, ids[i], 0);
    return sum;
}

const char *honest_bytes(struct arena *a, const struct resolved_case *c,
                         const struct resolved_variant *v, const struct counters *counted)
{
    // What is read at all passes the L2.
    static const enum counter_id sectors[] = {COUNTER_L2_READ_SECTORS, COUNTER_L2_WRITE_SECTORS,
                                              COUNTER_L2_ATOMIC_SECTORS};
    static const double sector_bytes = 32, least_share = 0.75;
    double bytes = sector_bytes * sum_of(counted, sectors, COUNT_OF(sectors)) + bytes_outside(c, v);
    char moved[32], stated[32];
    if (!(bytes < least_share * c->work_bytes))
        return NULL;
    return arena_printf(a,
                        "it moves %s, and the experiment's 'work' says that the job takes %s: it "
                        "leaves work out, or 'work' states too much",
                        format_bytes(bytes, moved), format_bytes(c->work_bytes, stated));
}

const char *honest_flops(struct arena *a, const struct resolved_case *c,
                         const struct counters *counted)
{
    // An operation of any sort stands for one of the job's; one of the special-function unit for a polynomial, so
    // that a kernel of intrinsics does less than half of what a job of functions states.
    static const enum counter_id operations[] = {COUNTER_FLOPS_F16,   COUNTER_FLOPS_F32,
                                                 COUNTER_FLOPS_F64,   COUNTER_FLOPS_TENSOR,
                                                 COUNTER_SPECIAL_OPS, COUNTER_INTEGER_OPS};
    static const double least_share = 0.1;
    double done = sum_of(counted, operations, COUNT_OF(operations));
    if (!(done < least_share * c->work_flops)) // NAN: not stated
        return NULL;
    return arena_printf(a,
                        "it does %.4g operations of any sort, and the experiment's 'work' says "
                        "that the job takes %.4g flops: it leaves work out, or 'work' states too "
                        "much; the result is rejected",
                        done, c->work_flops);
}

/* ---- times ---------------------------------------------------------------------------------------------- */

double honest_least(const double *times_ns, int count)
{
    double least = (double)INFINITY;
    for (int i = 0; i < count; i++)
        least = fmin(least, times_ns[i]);
    return least;
}

bool honest_slower_on_new(const double *seen_ns, const double *fresh_ns, int count)
{
    // A single cold run varies by some percent and by the events' resolution of half a microsecond.
    static const double factor = 1.3, slack_ns = 2000;
    int slower = 0; // a lucky run is one of many, and so is an unlucky one
    for (int i = 0; i < count; i++)
        slower += fresh_ns[i] > factor * seen_ns[i] + slack_ns;
    return count > 0 && 2 * slower >= count &&
           honest_least(fresh_ns, count) > factor * honest_least(seen_ns, count) + slack_ns;
}
