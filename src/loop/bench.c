// A device with a case's buffers: what the workers that run, check and time variants share.
// SPDX-License-Identifier: Apache-2.0
#include "loop/internal.h"

#include <math.h>
#include <signal.h>

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
        if (!b->device->ops->alloc(b->device, b->sizes[i], c->buffers[i].name, &b->addresses[i],
                                   err))
            return false;
    }
    return true;
}

bool bench_write(struct bench *b, struct error *err)
{
    for (int i = 0; i < b->job->resolved->buffer_count; i++)
        if (!b->device->ops->write(b->device, b->addresses[i], b->job->inputs->data[i], b->sizes[i],
                                   err))
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
        if (!b->device->ops->library(b->device, v->launches[i].library, &library, err))
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
           b->device->ops->load(b->device, b->job->code, &b->module, err);
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

bool bench_check(struct bench *b, struct result *r, struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    struct host_buffers got = {.data = ARENA_ARRAY(b->arena, void *, c->buffer_count + 1),
                               .count = c->buffer_count};
    for (int i = 0; i < c->buffer_count; i++) {
        if (!c->buffers[i].output)
            continue;
        got.data[i] = arena_alloc(b->arena, b->sizes[i]);
        if (!b->device->ops->read(b->device, b->addresses[i], got.data[i], b->sizes[i], err))
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
    return true;
}
