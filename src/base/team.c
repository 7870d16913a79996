// Threads of the host that wait for one job after the other, beside the one that gives them. A wake-up by the system takes as long
// as many a job, so both sides look for a moment first, where there is a processor for each.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { LOOKS = 32 }; // between two looks at the clock
static const uint64_t look_ns_most =
    100000; // a wake-up of a processor that sleeps takes about half of it

struct team {
    int others; // at most
    int count;  // that run
    bool looks; // there is a processor for each
    pthread_t *threads;
    team_body body;
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t start, finished;
    _Atomic uint64_t job; // its number
    _Atomic int working, next;
    _Atomic bool quit;
};

struct team *team_open(int others)
{
    struct team *c = xcalloc(1, sizeof *c);
    c->others = others > 0 ? others : 0;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_cond_init(&c->start, NULL);
    (void)pthread_cond_init(&c->finished, NULL);
    return c;
}

int team_size(const struct team *c)
{
    return c != NULL ? c->others + 1 : 1;
}

static inline void rest(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

static bool has_job(const struct team *c, uint64_t seen)
{
    return atomic_load_explicit(&c->job, memory_order_acquire) != seen || atomic_load(&c->quit);
}

static bool has_finished(const struct team *c)
{
    return atomic_load_explicit(&c->working, memory_order_acquire) == 0;
}

// Looks for a moment whether a job has come, or, by the one who gave it, whether it is done.
static void team_look(const struct team *c, bool for_job, uint64_t seen)
{
    if (!c->looks)
        return;
    for (uint64_t end = clock_ns() + look_ns_most; clock_ns() < end;)
        for (int i = 0; i < LOOKS; i++) {
            if (for_job ? has_job(c, seen) : has_finished(c))
                return;
            rest();
        }
}

static void *team_thread(void *argument)
{
    struct team *c = argument;
    int index = atomic_fetch_add(&c->next, 1) + 1;
    for (uint64_t seen = 0;; seen++) {
        team_look(c, true, seen);
        if (!has_job(c, seen)) {
            (void)pthread_mutex_lock(&c->lock);
            while (!has_job(c, seen))
                (void)pthread_cond_wait(&c->start, &c->lock);
            (void)pthread_mutex_unlock(&c->lock);
        }
        if (atomic_load(&c->quit))
            return NULL;
        c->body(c->context, index);
        if (atomic_fetch_sub(&c->working, 1) == 1) {
            (void)pthread_mutex_lock(&c->lock);
            (void)pthread_cond_signal(&c->finished);
            (void)pthread_mutex_unlock(&c->lock);
        }
    }
}

// A thread that can't be started is done without.
static void team_start(struct team *c)
{
    if (c->threads != NULL || c->others == 0)
        return;
    c->looks = c->others < cpu_count_known();
    c->threads = xcalloc((size_t)c->others, sizeof *c->threads);
    while (c->count < c->others && pthread_create(&c->threads[c->count], NULL, team_thread, c) == 0)
        c->count++;
    c->others = c->count;
}

bool team_begin(struct team *c, team_body body, void *context)
{
    if (c == NULL)
        return false;
    team_start(c);
    if (c->count == 0)
        return false;
    c->body = body;
    c->context = context;
    (void)pthread_mutex_lock(&c->lock);
    atomic_store(&c->working, c->count);
    atomic_fetch_add(&c->job, 1);
    (void)pthread_cond_broadcast(&c->start);
    (void)pthread_mutex_unlock(&c->lock);
    return true;
}

void team_end(struct team *c)
{
    if (c == NULL)
        return;
    team_look(c, false, 0);
    (void)pthread_mutex_lock(&c->lock);
    while (!has_finished(c))
        (void)pthread_cond_wait(&c->finished, &c->lock);
    (void)pthread_mutex_unlock(&c->lock);
}

void team_run(struct team *c, team_body body, void *context)
{
    bool beside = team_begin(c, body, context);
    body(context, 0);
    if (beside)
        team_end(c);
}

void team_close(struct team *c)
{
    if (c == NULL)
        return;
    (void)pthread_mutex_lock(&c->lock);
    atomic_store(&c->quit, true);
    (void)pthread_cond_broadcast(&c->start);
    (void)pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->count; i++)
        (void)pthread_join(c->threads[i], NULL);
    free(c->threads);
    (void)pthread_cond_destroy(&c->start);
    (void)pthread_cond_destroy(&c->finished);
    (void)pthread_mutex_destroy(&c->lock);
    free(c);
}
