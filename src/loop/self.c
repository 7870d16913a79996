// `verify: self`: without a reference, a variant's outputs are held against those of its own further runs: with
// the blocks in reverse order (simulated; a GPU orders them as it likes), and by another compiler. That is
// no proof of a right result. It finds what depends on the order of blocks, on what memory held
// before, or on what a compiler may choose.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 3 };

struct self_run { // after the first
    const char *how;
    bool reverse, poison, second; // … the outputs hold another poison; the second compiler's code
};

static bool is_poisoned(const struct job *job, int buffer)
{
    const struct buffer_spec *s = &job->experiment->buffers[buffer];
    return s->output && s->fill == FILL_NONE && !s->written_some;
}

// What nobody writes differs from run to run.
static bool write_second_poison(struct bench *b, struct error *err)
{
    for (int i = 0; i < b->job->resolved->buffer_count; i++) {
        if (!is_poisoned(b->job, i) || b->sizes[i] == 0)
            continue;
        void *data = xcalloc(b->sizes[i], 1);
        output_poison(&b->job->resolved->buffers[i], data, POISON_SECOND);
        bool done =
            b->device->ops->memory->write(b->device, b->addresses[i], data, b->sizes[i], err);
        free(data);
        if (!done)
            return false;
    }
    return true;
}

// Elements that hold what the buffer held before, in both runs.
static bool check_written(struct bench *b, const struct host_buffers *first, struct result *r,
                          struct error *err)
{
    const struct resolved_case *c = b->job->resolved;
    struct host_buffers second = {xcalloc((size_t)c->buffer_count + 1, sizeof(void *)),
                                  c->buffer_count};
    bool done = bench_read_outputs(b, &second, err);
    for (int i = 0; i < c->buffer_count && done && r->status == RESULT_OK; i++) {
        if (!is_poisoned(b->job, i))
            continue;
        struct unwritten u = output_unwritten(&c->buffers[i], first->data[i], second.data[i]);
        if (u.count == 0)
            continue;
        r->status = RESULT_WRONG;
        r->error =
            arena_printf(b->arena,
                         "wrong result: %llu of %llu elements of '%s' were never written, "
                         "first %s[%llu]; where that is meant, declare 'written: some'",
                         (unsigned long long)u.count, (unsigned long long)c->buffers[i].count,
                         c->buffers[i].name, c->buffers[i].name, (unsigned long long)u.first);
    }
    buffers_release(&second);
    return done;
}

// A kernel that does nothing gives the same each time.
static void check_changed(struct bench *b, const struct host_buffers *first, struct result *r)
{
    const struct resolved_case *c = b->job->resolved;
    for (int i = 0; i < c->buffer_count; i++)
        if (c->buffers[i].output &&
            memcmp(first->data[i], b->job->inputs->data[i], c->buffers[i].size_bytes) != 0)
            return;
    r->status = RESULT_WRONG;
    r->error = "wrong result: no output was changed";
}

static bool run_once(struct bench *b, const struct self_run *s, bench_run_function run,
                     struct result *r, struct error *err)
{
    struct error why = {0};
    struct device_module *first = b->module;
    if (!bench_write(b, err) || (s->poison && !write_second_poison(b, err)))
        return false;
    if (s->second && !b->device->ops->code->load(b->device, b->job->second, &b->module, err))
        return false;
    b->reverse_blocks = s->reverse;
    bool ran = run(b, &why);
    b->reverse_blocks = false;
    b->module = first;
    if (ran)
        return true;
    r->status = RESULT_FAILED;
    r->error = arena_printf(b->arena, "a further run, %s, fails: %s", s->how, why.message);
    return true;
}

// The runs that follow, into `out`; how many.
static int plan_runs(struct bench *b, struct self_run *out)
{
    int count = 0;
    const struct code_object *second = b->job->second;
    bool simulated = b->job->device->simulated;
    out[count++] = (struct self_run){.how = simulated ? "with its blocks in reverse order"
                                                      : "straight after the first",
                                     .reverse = simulated,
                                     .poison = true};
    if (!simulated)
        out[count++] = (struct self_run){.how = "after that"};
    if (second)
        out[count++] = (struct self_run){
            .how = arena_printf(b->arena, "compiled by %s", second->compiler), .second = true};
    return count;
}

static const char *describe(struct bench *b, const struct self_run *runs, int count)
{
    struct text t = {0};
    text_printf(&t, "%d runs (", count + 1);
    if (b->job->device->simulated)
        text_add(&t, "blocks in order and in reverse order");
    else
        text_printf(&t, "%d by %s", b->job->second ? count : count + 1, b->job->code->compiler);
    if (b->job->second)
        text_printf(&t, ", %s", runs[count - 1].how);
    text_add(&t, b->job->second ? ")" : ", no second compiler)");
    const char *s = arena_strdup(b->arena, text_str(&t));
    text_release(&t);
    return s;
}

static bool hold_against(struct bench *b, const struct host_buffers *first, bench_run_function run,
                         struct result *r, struct error *err)
{
    const struct job *job = b->job;
    struct self_run runs[RUNS_MAX];
    int count = plan_runs(b, runs);
    struct job against = *job;
    against.wanted = first;
    bool done = true;
    check_changed(b, first, r);
    for (int i = 0; i < count && done && r->status == RESULT_OK; i++) {
        struct result one = {.status = RESULT_OK};
        done = run_once(b, &runs[i], run, r, err);
        if (!done || r->status != RESULT_OK)
            break;
        if (runs[i].poison && !(done = check_written(b, first, r, err)))
            break;
        b->job = &against;
        b->against = "the first run";
        done = r->status != RESULT_OK || bench_check(b, &one, err);
        b->job = job;
        b->against = NULL;
        if (done && one.status != RESULT_OK) {
            r->status = one.status;
            r->error = arena_printf(b->arena, "not the same in a further run, %s: %s", runs[i].how,
                                    one.error);
        }
    }
    if (done && r->status == RESULT_OK)
        r->self_check = describe(b, runs, count);
    return done;
}

bool bench_self(struct bench *b, bench_run_function run, struct result *r, struct error *err)
{
    int count = b->job->resolved->buffer_count;
    struct host_buffers first = {xcalloc((size_t)count + 1, sizeof(void *)), count};
    bool done = bench_read_outputs(b, &first, err) && hold_against(b, &first, run, r, err);
    buffers_release(&first);
    return done;
}
