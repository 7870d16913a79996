// Spare memory: pieces that one piece of work gives back and the next one takes again. The system clears each page that it
// hands out anew, and takes pages back that nobody holds.
// Pieces are as large as powers of two; those of one size are in a list.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"
#include "base/prefetch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZES = 48,     // powers of two
    ALIGNMENT = 64, // of a piece, and the bytes of its head
    KEPT_MOST = 64 << 20,
};

struct piece { // stands before its bytes
    struct piece *next;
    struct spare *owner;
    int size; // its power of two
};
struct spare {
    pthread_mutex_t lock;
    struct piece *free[SIZES];
    size_t kept;
};

struct spare *spare_open(void)
{
    struct spare *s = xcalloc(1, sizeof *s);
    (void)pthread_mutex_init(&s->lock, NULL);
    return s;
}

void spare_close(struct spare *s)
{
    if (!s)
        return;
    for (int i = 0; i < SIZES; i++)
        while (s->free[i]) {
            struct piece *p = s->free[i];
            s->free[i] = p->next;
            free(p);
        }
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

static int size_of(size_t bytes)
{
    int size = 6;
    while (size < SIZES - 1 && (size_t)1 << size < bytes)
        size++;
    return size;
}

static struct piece *piece_kept(struct spare *s, int size)
{
    if (!s)
        return NULL;
    (void)pthread_mutex_lock(&s->lock);
    struct piece *p = s->free[size];
    if (p) {
        s->free[size] = p->next;
        if (p->next)
            prefetch(p->next); // it is taken next, and its head read then
        s->kept -= (size_t)1 << size;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return p;
}

void *spare_take(struct spare *s, size_t size_bytes)
{
    int size = size_of(size_bytes);
    struct piece *p = piece_kept(s, size);
    if (!p) {
        p = aligned_alloc(ALIGNMENT, ALIGNMENT + ((size_t)1 << size));
        if (!p)
            out_of_memory();
        *p = (struct piece){.owner = s, .size = size};
    }
    return (char *)p + ALIGNMENT;
}

void *spare_take_zeros(struct spare *s, size_t size_bytes)
{
    return memset(spare_take(s, size_bytes), 0, size_bytes);
}

static struct piece *piece_of(void *bytes)
{
    return (struct piece *)(void *)((char *)bytes - ALIGNMENT);
}

void *spare_grow(struct spare *s, void *bytes, size_t size_bytes)
{
    size_t had = bytes ? (size_t)1 << piece_of(bytes)->size : 0;
    if (bytes && had >= size_bytes)
        return bytes;
    void *grown = spare_take(s, size_bytes);
    if (bytes)
        memcpy(grown, bytes, had);
    spare_give(bytes);
    return grown;
}

void spare_give(void *bytes)
{
    if (!bytes)
        return;
    struct piece *p = piece_of(bytes);
    struct spare *s = p->owner;
    bool kept = false;
    if (s) {
        (void)pthread_mutex_lock(&s->lock);
        kept = s->kept + ((size_t)1 << p->size) <= KEPT_MOST;
        if (kept) {
            s->kept += (size_t)1 << p->size;
            p->next = s->free[p->size];
            s->free[p->size] = p;
        }
        (void)pthread_mutex_unlock(&s->lock);
    }
    if (!kept)
        free(p);
}
