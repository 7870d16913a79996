// A variant that keeps its results, or knows its inputs again, is right and fast on what it has seen. So it gets
// what it has not seen: another seed's contents, in other memory.
// SPDX-License-Identifier: Apache-2.0
#include "loop/witness.h"

#include <stdlib.h>

static uint64_t case_bytes(const struct resolved_case *c)
{
    uint64_t sum = 0;
    for (int i = 0; i < c->buffer_count; i++)
        sum += c->buffers[i].size_bytes;
    return sum;
}

static bool take_buffers(struct witness *w)
{
    const struct device_memory_ops *memory = w->device->ops->memory;
    const struct resolved_case *c = w->job->resolved;
    struct error no_room = {0};
    w->addresses = ARENA_ARRAY(w->arena, uint64_t, c->buffer_count + 1);
    for (int i = 0; i < c->buffer_count; i++) {
        const char *name = arena_printf(w->arena, "%s, a second one", c->buffers[i].name);
        if (memory->alloc(w->device, c->buffers[i].size_bytes, name, &w->addresses[i], &no_room))
            continue;
        while (i-- > 0)
            (void)memory->release(w->device, w->addresses[i], &no_room);
        return false;
    }
    return true;
}

bool witness_open(struct witness *w, const struct bench *b, struct error *err)
{
    uint64_t free_bytes = memory_free_bytes(), needed = 2 * case_bytes(b->job->resolved);
    *w = (struct witness){.arena = b->arena, .device = b->device, .job = b->job};
    if (b->device->info->simulated)
        needed *= 2; // its buffers are the host's memory too
    if (free_bytes > 0 && needed > free_bytes)
        return true;
    w->open = take_buffers(w);
    return !w->open || witness_fill(w, 0, err);
}

bool witness_fill(struct witness *w, int round, struct error *err)
{
    static const uint64_t step = 0x9E3779B97F4A7C15; // 2^64 by the golden ratio: far apart
    const struct job *j = w->job;
    if (w->contents.data)
        buffers_release(&w->contents);
    w->snapshot = false; // of the round before
    uint64_t seed = (j->seed + ((uint64_t)round + 1) * step) >> 11;
    return buffers_fill(j->experiment, j->resolved, j->point, seed, &w->contents, err);
}

bool witness_bench(struct witness *w, const struct bench *b, struct job *job, struct bench *out,
                   struct error *err)
{
    *job = *b->job;
    job->inputs = &w->contents;
    job->wanted = NULL; // the contents have no reference
    *out = *b;
    out->job = job;
    out->addresses = w->addresses;
    out->snapshot = w->snapshot; // not that of the first set
    bool done = bench_write(out, err);
    w->snapshot = out->snapshot;
    return done;
}

static bool compare_states(struct witness *w, const struct bench *b, struct host_buffers *first,
                           const char **why, struct error *err)
{
    struct job job;
    struct bench used, anew;
    struct result r = {.status = RESULT_OK};
    if (!witness_bench(w, b, &job, &used, err) || !bench_run_uncounted(&used, err) ||
        !bench_read_outputs(&used, first, err) || !witness_bench(w, b, &job, &anew, err) ||
        !bench_load(&anew, err) || !bench_run_uncounted(&anew, err))
        return false;
    job.wanted = first;
    if (!bench_check(&anew, &r, err))
        return false;
    if (r.status != RESULT_OK)
        *why = "its results depend on what it ran before: on fresh inputs, the code that ran and a "
               "copy of it that was just loaded give different outputs; a variable of the program "
               "(like __device__ float kept[…]) carries results from launch to launch";
    return true;
}

bool witness_state(struct witness *w, const struct bench *b, const char **why, struct error *err)
{
    int count = b->job->resolved->buffer_count;
    struct host_buffers first = {xcalloc((size_t)count + 1, sizeof(void *)), count};
    *why = NULL;
    bool done = compare_states(w, b, &first, why, err);
    buffers_release(&first);
    return done;
}

void witness_close(struct witness *w)
{
    struct error ignored = {0};
    for (int i = 0; w->open && i < w->job->resolved->buffer_count; i++)
        (void)w->device->ops->memory->release(w->device, w->addresses[i], &ignored);
    if (w->contents.data)
        buffers_release(&w->contents);
    w->open = false;
}
