// Stores of words by columns: lanes on lines of the host's caches, one each or two, at the same place of each line. Where the
// next warps store to the same lines, as those of a transpose do, their words wait here until the lines are full: the lines
// are often a power of two apart, so that the host's first cache holds few of them at a time.
// Nothing else that an SM does may come between: warp_turn() says what.
// SPDX-License-Identifier: Apache-2.0
#include "base/prefetch.h"
#include "sim/run/exec.h"

enum { HOST_LINE = 4 * COLUMN_WORDS };

void columns_settle(struct core *core)
{
    struct columns *c = &core->columns;
    if (c->number == 0)
        return;
    core->lanes->columns(c->host, c->far, c->word, c->lines, c->filled);
    c->likely = c->stores > 1;
    c->number = 0;
}

// The last store went to these lines, too.
static bool columns_likely(struct columns *c, const struct mem_state *s, uint8_t *host)
{
    bool again = c->last_number == s->number && c->last_host == host;
    c->last_number = s->number;
    c->last_host = host;
    return again || c->likely;
}

static void columns_begin(struct columns *c, const struct mem_state *s, uint8_t *host)
{
    c->number = s->number;
    c->host = host;
    c->lines = s->columns;
    c->filled = c->stores = 0;
    c->fetched = 0;
    memcpy(c->far, s->delta.far, sizeof c->far);
}

// A few of the lines: all at once are more than the host can wait for at a time.
static inline void columns_fetch(struct columns *c)
{
    enum { FEW = 4 };
    unsigned end = c->fetched + FEW;
    for (; c->fetched < c->lines && c->fetched < end; c->fetched++)
        prefetch(c->host + c->far[c->fetched]);
}

bool columns_take(struct core *core, const struct mem_state *s, uint8_t *first, const uint32_t *row)
{
    struct columns *c = &core->columns;
    unsigned at = (unsigned)((uintptr_t)first % HOST_LINE / 4), words = s->columns == LANES ? 1 : 2;
    uint8_t *host = first - 4 * at;
    if (c->number != s->number || c->host != host) {
        columns_settle(core);
        if (at + words > COLUMN_WORDS || !columns_likely(c, s, host))
            return false;
        columns_begin(c, s, host);
    } else if (at + words > COLUMN_WORDS) {
        columns_settle(core);
        return false;
    }
    if (words == 1) {
        memcpy(c->word[at], row, LANES * sizeof *row);
    } else { // copies of a fixed size
        memcpy(c->word[at], row, LANES / 2 * sizeof *row);
        memcpy(c->word[at + 1], row + LANES / 2, LANES / 2 * sizeof *row);
    }
    c->filled |= ((1u << words) - 1) << at;
    c->stores++;
    columns_fetch(c);
    return true;
}
