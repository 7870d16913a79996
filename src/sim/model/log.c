// An SM's log of requests to L2, in memory that is kept from launch to launch.
// SPDX-License-Identifier: Apache-2.0
#include "base/prefetch.h"
#include "sim/internal.h"

#include <stdlib.h>
#include <string.h>

void l2_log_release(struct l2_log *log)
{
    if (!log->lent)
        free(log->single);
    free(log->rows);
    *log = (struct l2_log){0};
}

void l2_log_start(struct l2_log *log)
{
    log->single_count = log->row_count = log->count = 0;
}

void l2_log_rewind(struct l2_log *log)
{
    log->replayed = log->next_single = log->next_row = 0;
    log->within = 0;
    log->places.plan = NULL; // another plan may be in that one's memory
}

void l2_log_prefetch(const struct l2_log *log)
{
    enum { HOST_LINE = 64, PART = 512 }; // bytes
    const char *single = (const char *)(log->single + log->next_single);
    for (size_t at = 0; at < PART; at += HOST_LINE)
        prefetch(single + at);
    prefetch(log->rows + log->next_row);
    prefetch((const char *)(log->rows + log->next_row) + HOST_LINE);
    prefetch(&log->places);
    prefetch(log->places.line);
}

static size_t grown(size_t capacity, size_t count)
{
    return 2 * capacity > count ? 2 * capacity : count;
}

static void singles_grow(struct l2_log *log, size_t count)
{
    size_t capacity = grown(log->single_capacity, count);
    struct l2_request *single = xcalloc(capacity, sizeof *single);
    if (log->single_count > 0)
        memcpy(single, log->single, log->single_count * sizeof *single);
    if (!log->lent)
        free(log->single);
    log->single = single;
    log->single_capacity = capacity;
    log->lent = false;
}

struct l2_request *l2_log_room(struct l2_log *log, size_t count)
{
    if (log->single_count + count > log->single_capacity)
        singles_grow(log, log->single_count + count);
    return log->single + log->single_count;
}

void l2_log_add(struct l2_log *log, const struct l2_request *r)
{
    *l2_log_room(log, 1) = *r;
    log->single_count++;
    log->count++;
}

void l2_log_grow_rows(struct l2_log *log)
{
    enum { ROWS_FIRST = 64 };
    log->row_capacity = grown(log->row_capacity, ROWS_FIRST);
    log->rows = xrealloc(log->rows, log->row_capacity * sizeof *log->rows);
}
