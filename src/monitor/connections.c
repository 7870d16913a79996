// The connections of the server, so that none is held for long: one that has not sent a whole request in time is closed,
// however slowly it goes on sending. The fuller the server, the less patience it has.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/connections.h"

#include <stdlib.h>
#include <sys/socket.h>

static const double crowded_patience_s = 2;

void connections_init(struct connections *c, unsigned limit, double patience_s)
{
    *c = (struct connections){.limit = limit, .patience_s = patience_s};
    c->places = xcalloc(limit, sizeof *c->places);
    pthread_mutex_init(&c->lock, NULL);
}

void connections_release(struct connections *c)
{
    pthread_mutex_destroy(&c->lock);
    free(c->places);
}

struct connection *connection_add(struct connections *c, int fd, uint64_t now_ns)
{
    struct connection *found = NULL;
    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < c->limit && !found; i++) {
        unsigned at = (c->next + i) % c->limit;
        if (c->places[at].used)
            continue;
        found = &c->places[at];
        c->next = (at + 1) % c->limit;
    }
    if (found) {
        *found = (struct connection){.used = true, .fd = fd, .since_ns = now_ns};
        c->figures.connections++;
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}

void connection_served(struct connections *c, struct connection *x, uint64_t now_ns)
{
    pthread_mutex_lock(&c->lock);
    x->since_ns = now_ns;
    c->figures.requests++;
    pthread_mutex_unlock(&c->lock);
}

void connection_remove(struct connections *c, struct connection *x)
{
    pthread_mutex_lock(&c->lock);
    x->used = false;
    c->figures.connections--;
    pthread_mutex_unlock(&c->lock);
}

struct serve_figures connections_figures(struct connections *c)
{
    pthread_mutex_lock(&c->lock);
    struct serve_figures now = c->figures;
    pthread_mutex_unlock(&c->lock);
    return now;
}

void connections_expire(struct connections *c, uint64_t now_ns)
{
    pthread_mutex_lock(&c->lock);
    bool crowded = c->figures.connections > c->limit / 4 * 3;
    double patience_s =
        crowded && c->patience_s > crowded_patience_s ? crowded_patience_s : c->patience_s;
    for (unsigned i = 0; i < c->limit; i++) {
        struct connection *x = &c->places[i];
        // since_ns may be later than now_ns, which was read without the lock.
        if (!x->used || x->closing || (double)now_ns - (double)x->since_ns < patience_s * 1e9)
            continue;
        // The descriptor is ours to name while the place is used: the server gives the place back before it
        // closes it.
        x->closing = shutdown(x->fd, SHUT_RDWR) == 0;
        c->figures.expired++;
    }
    pthread_mutex_unlock(&c->lock);
}
