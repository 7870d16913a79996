// A device with a case's buffers: what the workers that run, check and time variants share.
// SPDX-License-Identifier: Apache-2.0
#include "loop/internal.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK_BYTES = 16 << 20 }; // of an input that is read back

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
        memcpy(shared, inputs->data[i], c->buffers[i].size_bytes);
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

bool bench_write(struct bench *b, struct error *err)
{
    for (int i = 0; i < b->job->resolved->buffer_count; i++)
        if (!b->device->ops->memory->write(b->device, b->addresses[i], b->job->inputs->data[i],
                                           b->sizes[i], err))
            return false;
    return true;
}

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
                                    .addresses = b->addresses,
                                    .sizes_bytes = b->sizes,
                                    .buffer_count = b->job->resolved->buffer_count};
}

static const char *describe_difference(struct arena *a, const struct resolved_case *c,
                                       const struct output_difference *w)
{
    const struct resolved_buffer *b = &c->buffers[w->buffer];
    if (w->wrong_count == w->unwritten_count)
        return arena_printf(
            a, "wrong result: %llu of %llu elements of '%s' were never written, first %s[%llu]",
            (unsigned long long)w->unwritten_count, (unsigned long long)w->count, b->name, b->name,
            (unsigned long long)w->index);
    if (w->extra)
        return arena_printf(
            a,
            "wrong result: %s[%llu] was written (it is %.9g), and the reference leaves it; %llu of "
            "%llu elements are wrong",
            b->name, (unsigned long long)w->index, w->got, (unsigned long long)w->wrong_count,
            (unsigned long long)w->count);
    struct text t = {0};
    text_printf(&t, "wrong result: %s[%llu] is %.9g, the reference says %.9g (", b->name,
                (unsigned long long)w->index, w->got, w->wanted);
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

// What a kernel only reads is as it was. Read back a part at a time.
static bool check_input(struct bench *b, int buffer, void *part, struct result *r,
                        struct error *err)
{
    const struct resolved_buffer *in = &b->job->resolved->buffers[buffer];
    const unsigned char *before = b->job->inputs->data[buffer];
    struct output_difference d = {.buffer = buffer};
    size_t each = element_bytes(in->type);
    for (uint64_t at = 0; at < in->size_bytes; at += CHUNK_BYTES) {
        uint64_t size = in->size_bytes - at < CHUNK_BYTES ? in->size_bytes - at : CHUNK_BYTES;
        if (!b->device->ops->memory->read(b->device, b->addresses[buffer] + at, part, size, err))
            return false;
        input_compare(in, part, before + at, at / each, size / each, &d);
    }
    if (d.wrong_count == 0)
        return true;
    r->verified = false;
    r->status = RESULT_WRONG;
    r->error = arena_printf(
        b->arena,
        "the input '%s' was changed: %s[%llu] is %.9g and was %.9g; %llu of %llu elements differ; "
        "a buffer that kernels may change is declared 'output: true' or 'scratch: true'",
        in->name, in->name, (unsigned long long)d.index, d.got, d.wanted,
        (unsigned long long)d.wrong_count, (unsigned long long)d.count);
    return true;
}

static bool check_inputs(struct bench *b, struct result *r, struct error *err)
{
    void *part = xcalloc(CHUNK_BYTES, 1);
    bool done = true;
    for (int i = 0; i < b->job->resolved->buffer_count && done && r->verified; i++) {
        const struct buffer_spec *s = &b->job->experiment->buffers[i];
        if (s->fill != FILL_NONE && !s->output && !s->scratch)
            done = check_input(b, i, part, r, err);
    }
    free(part);
    return done;
}

bool bench_check(struct bench *b, struct result *r, struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    struct host_buffers got = {.data = ARENA_ARRAY(b->arena, void *, c->buffer_count + 1),
                               .count = c->buffer_count};
    for (int i = 0; i < c->buffer_count; i++) {
        if (!c->buffers[i].output)
            continue;
        got.data[i] = arena_alloc(b->arena, b->sizes[i]);
        if (!b->device->ops->memory->read(b->device, b->addresses[i], got.data[i], b->sizes[i],
                                          err))
            return false;
    }
    struct output_difference worst = {0};
    r->checked = true;
    r->verified = outputs_compare(b->job->experiment, c, &got, b->job->wanted, &worst);
    r->worst_relative_error = worst.relative;
    r->worst_absolute_error = worst.absolute;
    if (!r->verified) {
        r->status = RESULT_WRONG;
        r->error = describe_difference(b->arena, c, &worst);
    }
    return !r->verified || check_inputs(b, r, err);
}
