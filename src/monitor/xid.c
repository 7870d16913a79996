// XIDs: what the driver reports of a GPU's errors, as events. They arrive; this file says when they are over.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/internal.h"

#include <stdio.h>
#include <string.h>

struct xid_info xid_info(unsigned number)
{
    static const struct xid_info table[] = {
#define XID(number, ends, meaning) {number, XID_##ends, meaning},
#include "monitor/xid.def"
#undef XID
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].number == number)
            return table[i];
    return (struct xid_info){number, XID_NOTICE,
                             "not in ridge's table: see NVIDIA's catalogue of XID errors"};
}

// A free place: a new one, or that of the one that is over the longest, or the oldest.
static struct xid_seen *place_of(struct xid_log *log)
{
    struct xid_seen *oldest = &log->seen[0];
    if (log->count < XIDS_SEEN_MAX)
        return &log->seen[log->count++];
    for (int i = 1; i < log->count; i++) {
        struct xid_seen *x = &log->seen[i];
        if (oldest->active != x->active ? oldest->active : x->last_ns < oldest->last_ns)
            oldest = x;
    }
    return oldest;
}

struct xid_seen *xid_arrived(struct xid_log *log, unsigned number, uint64_t now_ns, const char *now)
{
    struct xid_seen *x = NULL;
    for (int i = 0; i < log->count && !x; i++)
        if (log->seen[i].number == number)
            x = &log->seen[i];
    if (!x) {
        x = place_of(log);
        *x = (struct xid_seen){.number = number};
        (void)snprintf(x->first, sizeof x->first, "%s", now);
    }
    (void)snprintf(x->last, sizeof x->last, "%s", now);
    x->count++;
    x->last_ns = now_ns;
    x->active = true;
    return x;
}

void xid_clear(struct xid_log *log, uint64_t now_ns, double clear_s, bool reset,
               void (*cleared)(void *context, const struct xid_seen *x), void *context)
{
    for (int i = 0; i < log->count; i++) {
        struct xid_seen *x = &log->seen[i];
        bool quiet = (double)(now_ns - x->last_ns) >= clear_s * monitor_ns_per_s;
        if (!x->active || !(xid_info(x->number).ends == XID_RESET ? reset : quiet || reset))
            continue;
        x->active = x->told = false;
        if (cleared)
            cleared(context, x);
    }
}
