// Loops over large arrays on the host's processors. A piece begins at a multiple of its loop's grain,
// however many threads there are, so what is made piece by piece is the same on every machine.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64 };

static const uint64_t copy_grain_bytes = 1 << 20;

struct parallel_loop {
    uint64_t count, grain;
    parallel_body body;
    void *context;
    _Atomic uint64_t next; // piece
};

static void *take_pieces(void *argument)
{
    struct parallel_loop *l = argument;
    for (;;) {
        uint64_t first = atomic_fetch_add(&l->next, 1) * l->grain;
        if (first >= l->count)
            return NULL;
        uint64_t left = l->count - first;
        l->body(l->context, first, first + (left < l->grain ? left : l->grain));
    }
}

// One file and a system call are read for it: once for each process is enough.
int cpu_count_known(void)
{
    static _Atomic int known;
    int count = atomic_load(&known);
    if (count == 0) {
        count = cpu_count();
        atomic_store(&known, count);
    }
    return count;
}

void parallel_for(uint64_t count, uint64_t grain, parallel_body body, void *context)
{
    struct parallel_loop l = {.count = count, .grain = grain, .body = body, .context = context};
    uint64_t pieces = count / grain + (count % grain != 0);
    uint64_t most = (uint64_t)cpu_count_known();
    most = most < THREADS_MAX ? most : THREADS_MAX;
    pthread_t threads[THREADS_MAX];
    int started = 0;
    // The caller is one of them; a thread that cannot be started is done without.
    while ((uint64_t)started + 1 < most && (uint64_t)started + 1 < pieces &&
           pthread_create(&threads[started], NULL, take_pieces, &l) == 0)
        started++;
    (void)take_pieces(&l);
    for (int i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}

struct copy {
    unsigned char *to;
    const unsigned char *from;
};

static void copy_piece(void *context, uint64_t first, uint64_t end)
{
    const struct copy *c = context;
    memcpy(c->to + first, c->from + first, end - first);
}

void parallel_copy(void *to, const void *from, size_t size_bytes)
{
    struct copy c = {to, from};
    parallel_for(size_bytes, copy_grain_bytes, copy_piece, &c);
}

struct hashing {
    const unsigned char *data;
    uint64_t *sums; // of each piece
};

static void hash_piece(void *context, uint64_t first, uint64_t end)
{
    const struct hashing *h = context;
    h->sums[first / copy_grain_bytes] = hash64(h->data + first, end - first, first);
}

void hash_hex_large(const void *data, size_t size_bytes, char out[33])
{
    size_t pieces = size_bytes / copy_grain_bytes + 1;
    uint64_t *sums = xcalloc(pieces, sizeof *sums);
    struct hashing h = {data, sums};
    parallel_for(size_bytes, copy_grain_bytes, hash_piece, &h);
    uint64_t size = size_bytes;
    const struct hash_piece parts[] = {{&size, sizeof size}, {sums, pieces * sizeof *sums}};
    hash_hex(parts, COUNT_OF(parts), out);
    free(sums);
}
