// What graphs launch: their kernels are asked for when they are made ready, and recorded by their number. A launch of one is then
// one more of each of its kernels.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/sampling.h"

#include <stdlib.h>
#include <string.h>

enum { NODE_KERNEL = 0, NODE_GRAPH = 4, NODE_CONDITIONAL = 13, DEEPEST = 8 };

static struct {
    pthread_mutex_t lock;
    struct ready {
        const void *graph;
        uint64_t number;
    } * items;
    size_t count, capacity;
    uint64_t last;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct kinds { // of launches in one graph
    struct event_graph_kernel *items;
    size_t count, capacity;
    bool hidden; // it has nodes that are not looked into
};

static void add_kernel(struct kinds *k, const struct event_graph_kernel *e)
{
    for (size_t i = 0; i < k->count; i++) {
        struct event_graph_kernel *x = &k->items[i];
        uint64_t launches = x->launches;
        x->launches = e->launches;
        bool same = memcmp(x, e, sizeof *x) == 0;
        x->launches = launches + same;
        if (same)
            return;
    }
    if (k->count == k->capacity) {
        size_t more = k->capacity ? 2 * k->capacity : 64;
        struct event_graph_kernel *items = realloc(k->items, more * sizeof *items);
        if (!items)
            return;
        k->items = items;
        k->capacity = more;
    }
    k->items[k->count++] = *e;
}

static void add_nodes(struct kinds *k, void *graph, uint64_t number, int depth)
{
    const struct driver_functions *d = &recorder.driver;
    size_t count = 0;
    if (!d->graph_nodes || !d->node_type || !d->node_kernel ||
        d->graph_nodes(graph, NULL, &count) != 0 || count == 0)
        return;
    void **nodes = calloc(count, sizeof *nodes);
    if (!nodes || d->graph_nodes(graph, nodes, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        int type = -1;
        void *inner = NULL;
        struct kernel_node n = {0};
        if (d->node_type(nodes[i], &type) != 0)
            continue;
        k->hidden |= type == NODE_CONDITIONAL;
        if (type == NODE_GRAPH && depth < DEEPEST && d->node_graph &&
            d->node_graph(nodes[i], &inner) == 0)
            add_nodes(k, inner, number, depth + 1);
        if (type != NODE_KERNEL || d->node_kernel(nodes[i], &n) != 0)
            continue;
        struct event_graph_kernel e = {.graph = number,
                                       .name = sampling_name(n.function ? n.function : n.kernel),
                                       .grid_x = n.grid[0],
                                       .grid_y = n.grid[1],
                                       .grid_z = n.grid[2],
                                       .block_x = n.block[0],
                                       .block_y = n.block[1],
                                       .block_z = n.block[2],
                                       .shared_bytes = n.shared_bytes,
                                       .launches = 1};
        add_kernel(k, &e);
    }
    free(nodes);
}

static uint64_t number_new(const void *ready)
{
    pthread_mutex_lock(&known.lock);
    size_t at = 0;
    while (at < known.count && known.items[at].graph != ready)
        at++;
    if (at == known.capacity) {
        size_t more = known.capacity ? 2 * known.capacity : 64;
        struct ready *items = realloc(known.items, more * sizeof *items);
        if (items) {
            known.items = items;
            known.capacity = more;
        }
    }
    uint64_t number = at < known.capacity ? ++known.last : 0;
    if (number != 0)
        known.items[at] = (struct ready){ready, number};
    known.count += number != 0 && at == known.count;
    pthread_mutex_unlock(&known.lock);
    return number;
}

void graphs_made(void *ready, void *graph)
{
    struct kinds k = {0};
    if (atomic_load_explicit(&recorder.off, memory_order_relaxed) || !sampling_wanted())
        return;
    uint64_t number = number_new(ready);
    if (number == 0)
        return;
    sampling_forget_graphs(); // rows are found by handles
    add_nodes(&k, graph, number, 0);
    for (size_t i = 0; i < k.count; i++)
        RECORD(GRAPH_KERNEL, k.items[i]);
    if (k.hidden)
        recorder_trouble("kernels that graph %llu launches by a condition are not counted",
                         (unsigned long long)number);
    free(k.items);
}

void graphs_forget(void *ready)
{
    if (atomic_load_explicit(&recorder.off, memory_order_relaxed))
        return;
    pthread_mutex_lock(&known.lock);
    for (size_t i = 0; i < known.count; i++)
        if (known.items[i].graph == ready)
            known.items[i] = known.items[--known.count];
    pthread_mutex_unlock(&known.lock);
    sampling_forget_graphs();
}

uint64_t graphs_number(const void *ready)
{
    uint64_t number = 0;
    pthread_mutex_lock(&known.lock);
    for (size_t i = 0; number == 0 && i < known.count; i++)
        number = known.items[i].graph == ready ? known.items[i].number : 0;
    pthread_mutex_unlock(&known.lock);
    return number;
}
