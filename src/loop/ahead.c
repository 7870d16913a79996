// Sources that differ by their definitions alone, as points of a tuner's space do, compiled at the same time, by as many
// processes as there are processors, into the cache. Whoever needs one then finds it there. What does not compile
// is met again, and reported, by who needs it.
// SPDX-License-Identifier: Apache-2.0
#include "loop/request.h"
#include "loop/stage.h"

#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 64, LEAST = 4 }; // fewer sources are not worth the processes

struct share { // of the list, of one worker
    const struct compile_request *requests;
    int count, first, step;
};

static bool same_words_in(const char *const *a, const char *const *b, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static bool is_same(const struct compile_request *a, const struct compile_request *b)
{
    return strcmp(a->source_path, b->source_path) == 0 && a->define_count == b->define_count &&
           a->instance_count == b->instance_count && a->flag_count == b->flag_count &&
           same_words_in(a->defines, b->defines, a->define_count) &&
           same_words_in(a->instances, b->instances, a->instance_count) &&
           same_words_in(a->flags, b->flags, a->flag_count);
}

static int compile_body(void *context, int fd)
{
    const struct share *s = context;
    (void)fd;
    for (int i = s->first; i < s->count; i += s->step) {
        struct arena a = {0};
        struct code_object code;
        struct error ignored = {0};
        (void)!code_compile(&a, &s->requests[i], &code, &ignored);
        arena_release(&a);
    }
    return 0;
}

static void wait_all(struct worker **workers, int count)
{
    int left = count;
    struct worker_result result;
    struct error ignored = {0};
    for (int i = 0; i < count; i++)
        left -= workers[i] == NULL;
    while (left > 0) {
        workers_wait(workers, count);
        for (int i = 0; i < count; i++) {
            if (!workers[i] || !worker_ended(workers[i]))
                continue;
            (void)!worker_finish(workers[i], &result, &ignored);
            workers[i] = NULL;
            left--;
        }
    }
}

static void compile_all(const struct loop *l, const struct compile_request *requests, int count)
{
    struct worker *workers[WORKERS_MAX] = {NULL};
    struct share shares[WORKERS_MAX];
    struct worker_spec specs[WORKERS_MAX];
    struct error ignored = {0};
    int most = cpu_count() < WORKERS_MAX ? cpu_count() : WORKERS_MAX;
    int started = count < most ? count : most;
    for (int i = 0; i < started; i++) {
        shares[i] = (struct share){requests, count, i, started};
        specs[i] = (struct worker_spec){
            .body = compile_body, .context = &shares[i], .cancel = l->events->cancel};
        workers[i] = worker_start(&specs[i], &ignored);
    }
    wait_all(workers, started);
}

void stage_compile_ahead(struct loop *l, struct stage *s, const bool *wanted)
{
    const struct experiment *e = l->plan.experiment;
    struct compile_request *list =
        ARENA_ARRAY(&s->arena, struct compile_request, e->variant_count + 1);
    int count = 0;
    for (int i = 0; i < e->variant_count; i++) {
        bool known = !wanted[i] || !variant_has(&e->variants[i], LAUNCH_KERNEL);
        if (known)
            continue;
        list[count] = loop_compile_request(&s->arena, e, i, &s->variants[i], l->device, l->request);
        known = !list[count].source_path;
        for (int k = 0; k < count && !known; k++)
            known = is_same(&list[k], &list[count]);
        count += !known;
    }
    if (count >= LEAST && cpu_count() > 1)
        compile_all(l, list, count);
}
