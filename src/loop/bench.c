// A device with a case's buffers: what the workers that run, check and time variants share.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PART_BYTES_MAX = 32 << 20 };

// Shared memory between two pages that nobody may touch, its end at the second: a reference that
// writes past its output, or before it, ends there and not in what lies beside it.
static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t guarded_bytes(size_t size_bytes)
{
    size_t page = page_bytes();
    return (size_bytes + page - 1) / page * page;
}

static void *guarded_map(size_t size_bytes)
{
    size_t page = page_bytes(), inside = guarded_bytes(size_bytes);
    unsigned char *whole =
        mmap(NULL, inside + 2 * page, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED)
        return NULL;
    if (mprotect(whole + page, inside, PROT_READ | PROT_WRITE) == 0)
        return whole + page + inside - size_bytes;
    munmap(whole, inside + 2 * page);
    return NULL;
}

static void guarded_unmap(void *at, size_t size_bytes)
{
    size_t page = page_bytes(), inside = guarded_bytes(size_bytes);
    munmap((unsigned char *)at + size_bytes - inside - page, inside + 2 * page);
}

bool outputs_share(const struct resolved_case *c, const struct host_buffers *inputs,
                   struct host_buffers *out, struct error *err)
{
    *out = (struct host_buffers){xcalloc((size_t)c->buffer_count + 1, sizeof(void *)),
                                 c->buffer_count};
    for (int i = 0; i < c->buffer_count; i++) {
        out->data[i] = inputs->data[i];
        if (!c->buffers[i].output || c->buffers[i].size_bytes == 0)
            continue;
        void *shared = guarded_map(c->buffers[i].size_bytes);
        if (!shared) {
            (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "no memory for %llu bytes of '%s'",
                          (unsigned long long)c->buffers[i].size_bytes, c->buffers[i].name);
            outputs_unshare(c, inputs, out);
            return false;
        }
        parallel_copy(shared, inputs->data[i], c->buffers[i].size_bytes);
        out->data[i] = shared;
    }
    return true;
}

void outputs_unshare(const struct resolved_case *c, const struct host_buffers *inputs,
                     struct host_buffers *shared)
{
    for (int i = 0; i < shared->count; i++)
        if (shared->data[i] && shared->data[i] != inputs->data[i])
            guarded_unmap(shared->data[i], c->buffers[i].size_bytes);
    free(shared->data);
    *shared = (struct host_buffers){0};
}

void worker_own_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    struct sigaction plain = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        (void)sigaction(signals[i], &plain, NULL);
}

bool bench_open(struct bench *b, struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    b->addresses = ARENA_ARRAY(b->arena, uint64_t, c->buffer_count + 1);
    b->sizes = ARENA_ARRAY(b->arena, uint64_t, c->buffer_count + 1);
    if (!device_open(b->job->device, &b->device, err))
        return false;
    for (int i = 0; i < c->buffer_count; i++) {
        b->sizes[i] = c->buffers[i].size_bytes;
        if (!b->device->ops->memory->alloc(b->device, b->sizes[i], c->buffers[i].name,
                                           &b->addresses[i], err))
            return false;
    }
    return true;
}

void bench_turn(struct bench *b, const struct job *job)
{
    b->job = job;
    b->module = NULL;
    b->share_before = b->share_of = 0;
}

/* ---- a part at a time -------------------------------------------------------------------------------- */

// A device may copy several times as fast through memory that it has pinned; ordinary memory does too.
static bool open_part(struct bench *b)
{
    const struct device_memory_ops *memory = b->device->ops->memory;
    uint64_t largest = 1;
    for (int i = 0; i < b->job->resolved->buffer_count; i++)
        largest = b->sizes[i] > largest ? b->sizes[i] : largest;
    if (b->part)
        return true;
    b->part_bytes = largest < PART_BYTES_MAX ? largest : PART_BYTES_MAX;
    b->part = memory->pinned ? memory->pinned(b->device, b->part_bytes) : NULL;
    if (!b->part)
        b->part = arena_alloc(b->arena, b->part_bytes);
    return b->part != NULL;
}

static uint64_t part_at(const struct bench *b, int buffer, uint64_t at)
{
    uint64_t left = b->sizes[buffer] - at;
    return left < b->part_bytes ? left : b->part_bytes;
}

bool bench_read(struct bench *b, int buffer, bench_take take, void *context, struct error *err)
{
    size_t each = element_bytes(b->job->resolved->buffers[buffer].type);
    bool more = open_part(b);
    for (uint64_t at = 0; at < b->sizes[buffer] && more; at += b->part_bytes) {
        uint64_t size = part_at(b, buffer, at);
        if (!b->device->ops->memory->read(b->device, b->addresses[buffer] + at, b->part, size, err))
            return false;
        more = take(context, b->part, at / each, size / each);
    }
    return true;
}

struct reading { // of one buffer
    unsigned char *to;
    size_t each_bytes;
};

static bool keep_part(void *context, const void *part, uint64_t first, uint64_t count)
{
    const struct reading *r = context;
    parallel_copy(r->to + first * r->each_bytes, part, (size_t)count * r->each_bytes);
    return true;
}

bool bench_read_outputs(struct bench *b, struct host_buffers *out, struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    for (int i = 0; i < c->buffer_count; i++) {
        if (!c->buffers[i].output)
            continue;
        if (!out->data[i])
            out->data[i] = xcalloc(b->sizes[i] + 1, 1);
        struct reading r = {out->data[i], element_bytes(c->buffers[i].type)};
        if (!bench_read(b, i, keep_part, &r, err))
            return false;
    }
    return true;
}

static bool upload(struct bench *b, int buffer, struct error *err)
{
    const struct device_memory_ops *memory = b->device->ops->memory;
    const unsigned char *from = b->job->inputs->data[buffer];
    if (!memory->pinned || !open_part(b))
        return memory->write(b->device, b->addresses[buffer], from, b->sizes[buffer], err);
    for (uint64_t at = 0; at < b->sizes[buffer]; at += b->part_bytes) {
        uint64_t size = part_at(b, buffer, at);
        parallel_copy(b->part, from + at, size);
        if (!memory->write(b->device, b->addresses[buffer] + at, b->part, size, err))
            return false;
    }
    return true;
}

bool bench_write_one(struct bench *b, int buffer, struct error *err)
{
    return b->snapshot ? b->device->ops->memory->restore(b->device, b->addresses[buffer], err)
                       : upload(b, buffer, err);
}

bool bench_write(struct bench *b, struct error *err)
{
    const struct device_memory_ops *memory = b->device->ops->memory;
    struct error no_room = {0};
    for (int i = 0; i < b->job->resolved->buffer_count; i++)
        if (!bench_write_one(b, i, err))
            return false;
    bool kept = memory->snapshot != NULL;
    for (int i = 0; i < b->job->resolved->buffer_count && kept && !b->snapshot; i++)
        kept = memory->snapshot(b->device, b->addresses[i], &no_room);
    b->snapshot = kept;
    return true;
}

/* ---- a variant ------------------------------------------------------------------------------------------ */

bool bench_open_libraries(struct bench *b, struct result *r, struct error *err)
{
    const struct resolved_variant *v = b->job->variant;
    struct device_library library = {0};
    for (int i = 0; i < v->launch_count; i++) {
        if (v->launches[i].kind != LAUNCH_LIBRARY)
            continue;
        if (!b->device->ops->code->library(b->device, v->launches[i].library, &library, err))
            return false;
        r->library_version = library.version;
        if (!library.absent)
            continue;
        r->status = RESULT_SKIPPED;
        r->error = arena_printf(b->arena, "not available: %s", library.absent);
        return true;
    }
    return true;
}

bool bench_load(struct bench *b, struct error *err)
{
    return !variant_has(b->job->variant->spec, LAUNCH_KERNEL) ||
           b->device->ops->code->load(b->device, b->job->code, &b->module, err);
}

struct device_sequence bench_sequence(const struct bench *b)
{
    const struct resolved_variant *v = b->job->variant;
    struct device_launch *launches = ARENA_ARRAY(b->arena, struct device_launch, v->launch_count);
    for (int i = 0; i < v->launch_count; i++)
        launches[i] = (struct device_launch){
            .kind = v->launches[i].kind, .module = b->module, .launch = &v->launches[i]};
    return (struct device_sequence){.launches = launches,
                                    .launch_count = v->launch_count,
                                    .graph = v->spec->graph,
                                    .stream_count = v->spec->stream_count,
                                    .memory = v->spec->memory,
                                    .addresses = b->addresses,
                                    .sizes_bytes = b->sizes,
                                    .buffer_count = b->job->resolved->buffer_count};
}

const char *difference_describe(struct arena *a, const struct resolved_case *c, const char *against,
                                const struct output_difference *w)
{
    const struct resolved_buffer *b = &c->buffers[w->buffer];
    const char *who = against ? against : "the reference";
    if (w->wrong_count == w->unwritten_count)
        return arena_printf(
            a, "wrong result: %llu of %llu elements of '%s' were never written, first %s[%llu]",
            (unsigned long long)w->unwritten_count, (unsigned long long)w->count, b->name, b->name,
            (unsigned long long)w->index);
    if (w->extra)
        return arena_printf(
            a,
            "wrong result: %s[%llu] was written (it is %.9g), and %s leaves it; %llu of "
            "%llu elements are wrong",
            b->name, (unsigned long long)w->index, w->got, who, (unsigned long long)w->wrong_count,
            (unsigned long long)w->count);
    if (w->order == ORDER_DESCENDS)
        return arena_printf(a,
                            "wrong result: %s[%llu] is %.9g, less than %.9g before it: the output "
                            "is not in ascending order (compare: sorted)",
                            b->name, (unsigned long long)w->index, w->got, w->wanted);
    struct text t = {0};
    text_printf(&t, "wrong result: %s%s[%llu] is %.9g, %s says %.9g (",
                w->order == ORDER_SORTED ? "in ascending order, " : "", b->name,
                (unsigned long long)w->index, w->got, who, w->wanted);
    if (b->type > ELEMENT_F64) // integers: off by a number
        text_printf(&t, "off by %.9g", w->absolute);
    else if (isfinite(w->relative))
        text_printf(&t, "relative error %.2g", w->relative);
    else
        text_printf(&t, "absolute error %.2g", w->absolute);
    if (b->type <= ELEMENT_F64 && isfinite(w->ulp) && w->ulp > 0)
        text_printf(&t, ", %.3g ulp", w->ulp);
    text_printf(&t, "); %llu of %llu elements are wrong", (unsigned long long)w->wrong_count,
                (unsigned long long)w->count);
    if (w->unwritten_count > 0)
        text_printf(&t, ", %llu of them were never written",
                    (unsigned long long)w->unwritten_count);
    const char *s = arena_strdup(a, text_str(&t));
    text_release(&t);
    return s;
}

/* ---- checking ------------------------------------------------------------------------------------------- */

struct checking { // of one buffer
    const struct bench *bench;
    struct output_difference found;
};

static bool check_input_part(void *context, const void *part, uint64_t first, uint64_t count)
{
    struct checking *c = context;
    int i = c->found.buffer;
    const struct resolved_buffer *in = &c->bench->job->resolved->buffers[i];
    const unsigned char *before = c->bench->job->inputs->data[i];
    input_compare(in, part, before + first * element_bytes(in->type), first, count, &c->found);
    return true;
}

// What a kernel only reads is as it was.
static bool check_input(struct bench *b, int buffer, struct result *r, struct error *err)
{
    struct checking c = {b, {.buffer = buffer}};
    const struct output_difference *d = &c.found;
    if (!bench_read(b, buffer, check_input_part, &c, err))
        return false;
    if (d->wrong_count == 0)
        return true;
    r->verified = false;
    r->status = RESULT_WRONG;
    r->error = arena_printf(
        b->arena,
        "the input '%s' was changed: %s[%llu] is %.9g and was %.9g; %llu of %llu elements differ; "
        "a buffer that kernels may change is declared 'output: true' or 'scratch: true'",
        b->job->resolved->buffers[buffer].name, b->job->resolved->buffers[buffer].name,
        (unsigned long long)d->index, d->got, d->wanted, (unsigned long long)d->wrong_count,
        (unsigned long long)d->count);
    return true;
}

static bool check_inputs(struct bench *b, struct result *r, struct error *err)
{
    for (int i = 0; i < b->job->resolved->buffer_count && r->verified; i++) {
        const struct buffer_spec *s = &b->job->experiment->buffers[i];
        if (s->fill != FILL_NONE && !s->output && !s->scratch && !check_input(b, i, r, err))
            return false;
    }
    return true;
}

static bool check_output_part(void *context, const void *part, uint64_t first, uint64_t count)
{
    struct checking *c = context;
    const struct job *job = c->bench->job;
    int i = c->found.buffer;
    const unsigned char *wanted = job->wanted->data[i];
    size_t each = element_bytes(job->resolved->buffers[i].type);
    output_compare(&job->experiment->buffers[i], part, wanted + first * each, first, count,
                   &c->found);
    return true;
}

// `compare: set` and `sorted` see all elements at once.
static bool check_whole(struct checking *c, struct error *err)
{
    const struct bench *b = c->bench;
    int i = c->found.buffer;
    const struct resolved_buffer *r = &b->job->resolved->buffers[i];
    void *got = xcalloc(b->sizes[i] + 1, 1);
    bool done = b->device->ops->memory->read(b->device, b->addresses[i], got, b->sizes[i], err);
    if (done)
        output_compare_whole(&b->job->experiment->buffers[i], got, b->job->wanted->data[i],
                             r->count, &c->found);
    free(got);
    return done;
}

// Of several outputs, the largest of each figure.
static void take_errors(struct result_errors *into, const struct output_errors *e)
{
    double count = (double)e->count, rms = sqrt(e->squares / count);
    double wanted = sqrt(e->wanted_squares / count);
    if (e->count == 0)
        return;
    into->known = true;
    into->max_ulp = fmax(into->max_ulp, e->ulp_max);
    into->rms_ulp = fmax(into->rms_ulp, sqrt(e->ulp_squares / count));
    into->rms_relative = fmax(into->rms_relative, rms > 0 ? rms / wanted : 0);
}

bool bench_check(struct bench *b, struct result *r, struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    struct output_difference worst = {.buffer = -1};
    r->checked = r->verified = true;
    r->errors = (struct result_errors){0};
    for (int i = 0; i < c->buffer_count; i++) {
        struct checking one = {b, {.buffer = i}};
        if (!c->buffers[i].output)
            continue;
        bool whole = b->job->experiment->buffers[i].compare != COMPARE_ELEMENTS;
        if (whole ? !check_whole(&one, err) : !bench_read(b, i, check_output_part, &one, err))
            return false;
        r->verified = r->verified && one.found.wrong_count == 0;
        output_take_worst(&worst, &one.found);
        take_errors(&r->errors, &one.found.errors);
    }
    r->worst_relative_error = worst.relative;
    r->worst_absolute_error = worst.absolute;
    if (!r->verified) {
        r->status = RESULT_WRONG;
        r->error = difference_describe(b->arena, c, b->against, &worst);
    }
    return !r->verified || check_inputs(b, r, err);
}
