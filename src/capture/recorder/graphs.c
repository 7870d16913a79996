// Graphs: timing each kernel of one adds a tenth to its time on an H200, timing a launch from its beginning to its end
// adds nothing that could be seen (docs/capture.md). So a graph's first two launches are recorded by their kernels, and of every
// 2, 4, 8, 16, and from then on 32 launches one, drawn at random; the others as a whole. CUPTI's kind of records for whole
// graphs, while it is enabled, takes the place of those of their kernels: it is disabled around a launch's call.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { GRAPHS_MAX = 1 << 12, BLOCK_MOST = 32 };

static struct {
    pthread_mutex_t lock;
    struct graph {
        uint32_t number; // CUPTI's; 0: none
        uint64_t launches, block_end, look, from;
    } known[GRAPHS_MAX];
    int count;
    uint64_t random;
} graphs = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    atomic_bool wanted; // records of whole graphs
    int looks;          // launches that are under way, to be recorded by their kernels
} whole = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t draw(uint64_t below) // xorshift64*: the program's rand() is its own
{
    graphs.random ^= graphs.random >> 12;
    graphs.random ^= graphs.random << 25;
    graphs.random ^= graphs.random >> 27;
    return (graphs.random * UINT64_C(2685821657736338717) >> 32) % below;
}

bool graphs_can_be_whole(void)
{
    const char *given = getenv("RIDGE_CAPTURE_GRAPHS");
    return !recorder.saving && recorder.cupti.graph_number &&
           !(given && strcmp(given, "kernels") == 0);
}

void graphs_start(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    graphs.random = ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid()) | 1;
    atomic_store(&whole.wanted, recorder.cupti.cuptiActivityEnable(ACTIVITY_GRAPH) == CUPTI_DONE);
}

static void look_begins(void)
{
    pthread_mutex_lock(&whole.lock);
    if (whole.looks++ == 0)
        recorder.cupti.cuptiActivityDisable(ACTIVITY_GRAPH);
    pthread_mutex_unlock(&whole.lock);
}

static void look_ends(void)
{
    pthread_mutex_lock(&whole.lock);
    if (--whole.looks == 0)
        recorder.cupti.cuptiActivityEnable(ACTIVITY_GRAPH);
    pthread_mutex_unlock(&whole.lock);
}

// NULL: there is no room for another.
static struct graph *graph_of(uint32_t number)
{
    size_t at = number % GRAPHS_MAX;
    while (graphs.known[at].number != 0 && graphs.known[at].number != number)
        at = (at + 1) % GRAPHS_MAX;
    if (graphs.known[at].number == 0) {
        if (graphs.count == GRAPHS_MAX - 1)
            return NULL;
        graphs.count++;
        graphs.known[at].number = number;
    }
    return &graphs.known[at];
}

static bool is_look(uint32_t number, uint64_t correlation, struct event_graph_look *out)
{
    pthread_mutex_lock(&graphs.lock);
    struct graph *g = graph_of(number);
    bool look = !g;
    if (g) {
        uint64_t launch = g->launches++;
        if (launch == g->block_end) {
            uint64_t size = launch < 2 ? 1 : launch < BLOCK_MOST ? launch : BLOCK_MOST;
            g->block_end += size;
            g->look = launch + draw(size);
            g->from = correlation;
        }
        look = launch == g->look;
        *out = (struct event_graph_look){correlation, number, g->from};
    }
    pthread_mutex_unlock(&graphs.lock);
    return look;
}

static _Thread_local bool looking;

void graphs_before(void *graph, uint64_t correlation)
{
    struct event_graph_look look = {.correlation = correlation, .from = correlation};
    uint32_t number = 0;
    if (!atomic_load(&whole.wanted) || looking)
        return;
    looking = recorder.cupti.graph_number(graph, &number) != CUPTI_DONE || number == 0 ||
              is_look(number, correlation, &look);
    if (!looking)
        return;
    look_begins();
    if (look.graph != 0)
        RECORD(GRAPH_LOOK, look);
}

void graphs_after(void)
{
    if (looking)
        look_ends();
    looking = false;
}

void graphs_forget(void)
{
    pthread_mutex_init(&graphs.lock, NULL); // another thread of the parent may have held them
    pthread_mutex_init(&whole.lock, NULL);
    whole.looks = 0;
    looking = false;
}
