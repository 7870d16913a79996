// Memory: arenas (one lifetime, released all at once), allocation that never returns NULL, growing
// arrays. Out of memory ends the process with one line: no caller could do better.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ARENA_ALIGNMENT = 16,
    ARENA_CHUNK_BYTES = 16 * 1024,
    VEC_FIRST_CAPACITY = 8,
};

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, capacity;
    _Alignas(ARENA_ALIGNMENT) unsigned char bytes[];
};

_Noreturn void out_of_memory(void)
{
    static const char line[] = "ridge: out of memory\n";
    ssize_t written = write(STDERR_FILENO, line, sizeof line - 1); // stdio could need memory
    (void)written;                                                 // nothing is left to do about it
    abort();
}

void *xcalloc(size_t n, size_t size_bytes)
{
    void *p = calloc(n ? n : 1, size_bytes ? size_bytes : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *xrealloc(void *p, size_t size_bytes)
{
    void *grown = realloc(p, size_bytes ? size_bytes : 1);
    if (!grown)
        out_of_memory();
    return grown;
}

char *xstrdup(const char *s)
{
    size_t size = strlen(s) + 1;
    return memcpy(xcalloc(size, 1), s, size);
}

void vec_reserve(void **items, size_t *capacity, size_t count, size_t item_size_bytes)
{
    if (count <= *capacity)
        return;
    size_t grown = *capacity ? *capacity : VEC_FIRST_CAPACITY;
    while (grown < count)
        grown *= 2;
    size_t size = 0;
    if (__builtin_mul_overflow(grown, item_size_bytes, &size))
        out_of_memory();
    *items = xrealloc(*items, size);
    *capacity = grown;
}

void arena_release(struct arena *a)
{
    struct arena_chunk *chunk = a->chunks;
    while (chunk) {
        struct arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    a->chunks = NULL;
}

// A fresh chunk becomes the first. One made for a single large piece goes second instead, so that
// the room left in the first is not lost.
static struct arena_chunk *arena_grow(struct arena *a, size_t size_bytes)
{
    bool large = size_bytes > ARENA_CHUNK_BYTES / 4;
    size_t capacity = large ? size_bytes : ARENA_CHUNK_BYTES;
    struct arena_chunk *chunk = xcalloc(1, sizeof *chunk + capacity);
    chunk->capacity = capacity;
    if (large && a->chunks) {
        chunk->next = a->chunks->next;
        a->chunks->next = chunk;
    } else {
        chunk->next = a->chunks;
        a->chunks = chunk;
    }
    return chunk;
}

void *arena_alloc(struct arena *a, size_t size_bytes)
{
    if (size_bytes > SIZE_MAX / 2)
        out_of_memory();
    size_t size = (size_bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    if (size == 0)
        size = ARENA_ALIGNMENT;
    struct arena_chunk *chunk = a->chunks;
    if (!chunk || chunk->capacity - chunk->used < size)
        chunk = arena_grow(a, size);
    void *p = chunk->bytes + chunk->used;
    chunk->used += size;
    return p;
}

char *arena_copy(struct arena *a, const char *bytes, size_t size_bytes)
{
    char *copy = arena_alloc(a, size_bytes + 1);
    memcpy(copy, bytes, size_bytes);
    return copy;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    return arena_copy(a, s, strnlen(s, n));
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, fmt);
    text_vprintf(&t, fmt, args);
    va_end(args);
    char *s = arena_strndup(a, text_str(&t), t.length);
    text_release(&t);
    return s;
}
