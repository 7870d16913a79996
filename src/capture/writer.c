// Writing events into mapped pages of a file: no system call per event, and what is written outlives the process.
// Room is reserved before it is mapped, so that a full disk ends the recording and not the program.
// SPDX-License-Identifier: Apache-2.0
#include "capture/stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    WINDOW_BYTES = 1 << 20,
    PAGE_BYTES = 1 << 16
}; // PAGE_BYTES: of any system's pages a multiple

// Maps the part of the file that holds [at, at + bytes).
static bool window_move(struct stream_writer *w, uint64_t bytes)
{
    uint64_t from = w->at / PAGE_BYTES * PAGE_BYTES, size = WINDOW_BYTES;
    while (w->at + bytes > from + size)
        size *= 2;
    if (from + size > w->limit_bytes)
        size = w->limit_bytes - from;
    if (from > w->limit_bytes || w->at + bytes > from + size ||
        posix_fallocate(w->fd, (off_t)from, (off_t)size) != 0)
        return false;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, (off_t)from);
    if (map == MAP_FAILED)
        return false;
    if (w->window)
        munmap(w->window, w->window_bytes);
    w->window = map;
    w->window_at = from;
    w->window_bytes = size;
    return true;
}

bool stream_create(struct stream_writer *w, const char *path, uint64_t limit_bytes,
                   struct error *err)
{
    *w = (struct stream_writer){.limit_bytes = limit_bytes / PAGE_BYTES * PAGE_BYTES};
    pthread_mutex_init(&w->lock, NULL);
    w->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (w->fd < 0)
        return fail_errno(err, errno, "%s cannot be written", path);
    void *header = MAP_FAILED;
    if (w->limit_bytes > 0 && posix_fallocate(w->fd, 0, PAGE_BYTES) == 0)
        header = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
    if (header == MAP_FAILED) {
        close(w->fd);
        unlink(path);
        w->fd = -1;
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "%s: no room for it on the disk, or within the limit of %llu bytes", path,
                       (unsigned long long)limit_bytes);
    }
    w->header = header;
    *w->header = (struct stream_header){
        .magic = STREAM_MAGIC, .version = STREAM_VERSION, .byte_order = STREAM_BYTE_ORDER};
    w->at = sizeof *w->header;
    return true;
}

static void add_locked(struct stream_writer *w, const struct event_head *head, const void *fields,
                       size_t field_bytes, const void *tail, size_t tail_bytes)
{
    char *to = w->window + (w->at - w->window_at);
    _Atomic uint32_t *size = (_Atomic uint32_t *)(void *)to;
    memcpy(to + sizeof head->size_bytes, (const char *)head + sizeof head->size_bytes,
           sizeof *head - sizeof head->size_bytes);
    memcpy(to + sizeof *head, fields, field_bytes);
    if (tail_bytes > 0)
        memcpy(to + sizeof *head + field_bytes, tail, tail_bytes);
    atomic_store_explicit(size, head->size_bytes, memory_order_release);
    w->at += head->size_bytes;
}

static bool make_room(struct stream_writer *w, uint64_t bytes)
{
    bool inside = w->window && w->at + bytes <= w->window_at + w->window_bytes;
    return bytes <= UINT32_MAX && (inside || window_move(w, bytes));
}

bool stream_add(struct stream_writer *w, enum event_kind kind, const void *fields,
                size_t field_bytes, const void *tail, size_t tail_bytes)
{
    uint64_t bytes = sizeof(struct event_head) + field_bytes + tail_bytes;
    uint64_t padding = (STREAM_ALIGNMENT - bytes % STREAM_ALIGNMENT) % STREAM_ALIGNMENT;
    struct event_head head = {(uint32_t)(bytes + padding), (uint16_t)kind, (uint16_t)padding};
    bool done = false;
    pthread_mutex_lock(&w->lock);
    if (w->fd >= 0) {
        done = make_room(w, bytes + padding);
        if (done)
            add_locked(w, &head, fields, field_bytes, tail, tail_bytes);
        else
            w->header->lost++;
    }
    pthread_mutex_unlock(&w->lock);
    return done;
}

void *stream_reserve(struct stream_writer *w, enum event_kind kind, const void *fields,
                     size_t field_bytes, size_t tail_bytes)
{
    uint64_t bytes = sizeof(struct event_head) + field_bytes + tail_bytes;
    struct event_head head = {(uint32_t)bytes, (uint16_t)kind, 0};
    char *tail = NULL;
    assert(bytes % STREAM_ALIGNMENT == 0);
    pthread_mutex_lock(&w->lock);
    if (w->fd >= 0 && make_room(w, bytes)) {
        uint64_t at = w->at + sizeof head + field_bytes, from = at / PAGE_BYTES * PAGE_BYTES;
        void *map = mmap(NULL, at - from + tail_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd,
                         (off_t)from);
        if (map != MAP_FAILED) {
            tail = (char *)map + (at - from);
            add_locked(w, &head, fields, field_bytes, NULL, 0);
        }
    }
    if (w->fd >= 0 && !tail)
        w->header->lost++;
    pthread_mutex_unlock(&w->lock);
    return tail;
}

static void unmap(struct stream_writer *w)
{
    if (w->window)
        munmap(w->window, w->window_bytes);
    munmap(w->header, PAGE_BYTES);
    close(w->fd);
    w->window = NULL;
    w->header = NULL;
    w->fd = -1;
}

void stream_forget(struct stream_writer *w)
{
    pthread_mutex_init(&w->lock, NULL); // another thread of the parent may have held it
    if (w->fd >= 0)
        unmap(w);
}

void stream_close(struct stream_writer *w)
{
    pthread_mutex_lock(&w->lock);
    if (w->fd >= 0) {
        // Where it cannot be cut, zeros stay: readers end there.
        if (ftruncate(w->fd, (off_t)w->at) != 0)
            errno = 0;
        unmap(w);
    }
    pthread_mutex_unlock(&w->lock);
}
