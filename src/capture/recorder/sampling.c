// Launches, copies and fills are counted in rows of the recording's file, which stay if the program is killed; one of several of a
// row, chosen by chance, is timed by two events of its stream. Nothing is waited for: the events are read when later ones are
// recorded, and at the end. What that costs is measured, and held below a 200th of the program's time: launches are timed
// more rarely then. A kernel that waits some microseconds goes before the first event: without it a GPU that has nothing to do would
// pass that event while the host is still on its way to the launch.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/sampling.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DONE = 0, NOT_READY = 600 }; // CUresult
enum { KERNEL, COPY, FILL, GRAPH }; // enum work_kind
enum { ROWS_PER_EVENT = 128, ROWS_MAX = 1 << 16, HANDLES_MAX = 1 << 18 };
enum { BUCKETS = 1 << 13, KEY_WORDS = 7 };
enum { CONTEXTS_MAX = 64, CLOCKS = 256, READ_AT_ONCE = 4 };
enum { WAIT_NS = 4000, WAIT_STEP_NS = 1000, WAIT_MAX_NS = 30000, WAIT_COST_NS = 6000 };
enum { FIRST = 4 }; // of a row, that are all timed
enum { SPENT_PER = 200, SPENT_FREE_NS = 300000, LATER = 64 };
enum { STREAM_OWN = 2 }; // the last of the streams that are no handles: each context has its own

struct counted {
    struct stream_row *shared; // in the file
    uint64_t number;
    _Atomic uint64_t next; // the launch that is timed next
    atomic_bool busy;      // a thread times one
    uint64_t block_end, random;
    uint64_t seen; // launches that those that were timed stand for
    unsigned taken;
    struct counted *chain;
};
struct handle { // what a call was given, and its row
    uint64_t key[KEY_WORDS];
    struct counted *row;
    struct handle *chain;
};
enum { FREE, RUNS, ENDS };
struct clock { // two events
    void *from, *to;
    struct counted *row;
    struct context *context;
    uint64_t number, every; // the launch's, and how many it stands for
    bool waited;
    atomic_int state; // FREE, RUNS: its launch is under way, ENDS: it may be read
};
struct context {
    void *handle;
    pthread_mutex_t lock;
    bool ready;
    void *wait; // the kernel
    atomic_uint wait_ns;
    struct clock clocks[CLOCKS];
    int clock_count, oldest;
};

static struct {
    pthread_mutex_t lock;
    _Atomic(struct handle *) handles[BUCKETS];
    struct counted *rows[BUCKETS];
    size_t row_count, handle_count;
    struct stream_row *room; // of the file
    size_t room_count;
    bool full, counts_only;
    uint64_t began_ns;
    _Atomic uint64_t spent_ns;
    atomic_int captures;
    _Atomic uint64_t graphs_changed; // how often: their handles are given out again
    struct context *contexts[CONTEXTS_MAX];
    int context_count;
} sampling = {.lock = PTHREAD_MUTEX_INITIALIZER};
// Of this thread: a call of ours is under way, and the driver's own are not counted; what contexts took to begin, which no launch
// is to blame for.
static _Thread_local bool inside;
static _Thread_local uint64_t once_ns;

bool sampling_wanted(void)
{
    static atomic_int known; // 1: no, 2: yes
    int now = atomic_load_explicit(&known, memory_order_relaxed);
    if (now == 0) {
        const char *given = getenv("RIDGE_CAPTURE_SAMPLED");
        now = given && *given ? 2 : 1;
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return now == 2;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ (x >> 29);
}

static uint64_t random_below(struct counted *row, uint64_t limit)
{
    row->random = mix(row->random + UINT64_C(0x632be59bd9b4e019));
    return (row->random >> 11) % limit;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

uint64_t sampling_name(void *function)
{
    const struct driver_functions *d = &recorder.driver;
    const char *name = NULL;
    if (!function || !((d->function_name && d->function_name(&name, function) == DONE && name) ||
                       (d->kernel_name && d->kernel_name(&name, function) == DONE && name)))
        name = "(a kernel whose name the driver does not say)";
    return recorder_name(name);
}

static struct stream_row *row_room(void)
{
    if (sampling.room_count == 0 && sampling.row_count < ROWS_MAX) {
        struct event_counts event = {sampling.row_count, ROWS_PER_EVENT};
        sampling.room = stream_reserve(&recorder.out, EVENT_COUNTS, &event, sizeof event,
                                       ROWS_PER_EVENT * sizeof *sampling.room);
        sampling.room_count = sampling.room ? ROWS_PER_EVENT : 0;
    }
    if (sampling.room_count == 0)
        return NULL;
    sampling.room_count--;
    return sampling.room++;
}

// The row of what the fields before the counts say, under the lock.
static struct counted *row_of(const struct stream_row *is)
{
    uint64_t hash = 0;
    const size_t bytes = offsetof(struct stream_row, launches);
    for (size_t i = 0; i < bytes / sizeof hash; i++)
        hash = mix(hash ^ ((const uint64_t *)(const void *)is)[i]);
    struct counted **bucket = &sampling.rows[hash % BUCKETS], *row = *bucket;
    while (row && memcmp(row->shared, is, bytes) != 0)
        row = row->chain;
    if (row)
        return row;
    struct stream_row *shared = row_room();
    row = shared ? calloc(1, sizeof *row) : NULL;
    if (!row) {
        if (!sampling.full)
            recorder_trouble("launches beyond %zu kinds of them are not counted",
                             sampling.row_count);
        sampling.full = true;
        return NULL;
    }
    *shared = *is;
    shared->first_ns = recorder_clock_ns();
    *row = (struct counted){.shared = shared,
                            .number = sampling.row_count++,
                            .random = hash ^ clock_ns(),
                            .block_end = 1,
                            .chain = *bucket};
    *bucket = row;
    return row;
}

static struct counted *row_new(const uint64_t key[KEY_WORDS], struct stream_row is, void *what,
                               _Atomic(struct handle *) *bucket)
{
    int device = 0;
    const struct driver_functions *d = &recorder.driver;
    if (d->device && d->device(&device) == DONE)
        recorder_device((uint32_t)device);
    is.device = (uint64_t)device;
    if (is.kind == KERNEL)
        is.name = sampling_name(what);
    if (is.kind == GRAPH)
        is.graph = graphs_number(what);
    pthread_mutex_lock(&sampling.lock);
    struct counted *row = row_of(&is);
    struct handle *h = row && sampling.handle_count < HANDLES_MAX ? calloc(1, sizeof *h) : NULL;
    if (h) {
        sampling.handle_count++;
        memcpy(h->key, key, sizeof h->key);
        h->row = row;
        h->chain = atomic_load(bucket);
        atomic_store_explicit(bucket, h, memory_order_release);
    }
    pthread_mutex_unlock(&sampling.lock);
    return row;
}

static struct counted *row_find(const struct stream_row *is, void *what, void *stream)
{
    const struct driver_functions *d = &recorder.driver;
    void *context = NULL;
    if ((uintptr_t)stream <= STREAM_OWN && d->context)
        d->context(&context);
    uint64_t times = is->kind == GRAPH ? atomic_load(&sampling.graphs_changed) : 0;
    const uint64_t key[KEY_WORDS] = {(uint64_t)(uintptr_t)what ^ is->kind << 60 ^ is->name << 48,
                                     (uint64_t)(uintptr_t)stream,
                                     (uint64_t)(uintptr_t)context ^ mix(times),
                                     is->grid_x | is->grid_y << 32,
                                     is->grid_z | is->block_x << 32,
                                     is->block_y | is->block_z << 32,
                                     is->shared_bytes};
    uint64_t hash = 0;
    for (int i = 0; i < KEY_WORDS; i++)
        hash = mix(hash ^ key[i]);
    _Atomic(struct handle *) *bucket = &sampling.handles[hash % BUCKETS];
    for (struct handle *h = atomic_load_explicit(bucket, memory_order_acquire); h; h = h->chain)
        if (memcmp(h->key, key, sizeof key) == 0)
            return h->row;
    struct stream_row row = *is;
    row.stream = (uint64_t)(uintptr_t)stream;
    return row_new(key, row, what, bucket);
}

// Handles stay in memory, as other threads may look at them.
void sampling_forget_names(void)
{
    if (atomic_load_explicit(
            &recorder.off, memory_order_relaxed)) // a child of fork: who held the lock is not there
        return;
    pthread_mutex_lock(&sampling.lock);
    for (size_t i = 0; i < BUCKETS; i++)
        atomic_store_explicit(&sampling.handles[i], NULL, memory_order_relaxed);
    pthread_mutex_unlock(&sampling.lock);
}

void sampling_forget_graphs(void)
{
    atomic_fetch_add(&sampling.graphs_changed, 1);
}

/* ---- contexts, and the kernel that waits ---------------------------------------------------------------------- */

static const char wait_code[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
                                ".visible .entry ridge_wait(.param .u32 ns)\n{\n"
                                ".reg .u32 %r<2>;\n.reg .u64 %rd<4>;\n.reg .pred %p<2>;\n"
                                "ld.param.u32 %r1, [ns];\ncvt.u64.u32 %rd1, %r1;\n"
                                "mov.u64 %rd2, %globaltimer;\nadd.u64 %rd1, %rd1, %rd2;\n"
                                "again:\nmov.u64 %rd3, %globaltimer;\n"
                                "setp.lt.u64 %p1, %rd3, %rd1;\n@%p1 bra again;\nret;\n}\n";

static bool launch_wait(const struct context *c, void *stream, unsigned ns)
{
    void *values[] = {&ns};
    return c->wait &&
           recorder.driver.launch(c->wait, 1, 1, 1, 1, 1, 1, 0, stream, values, NULL) == DONE;
}

static int floats_rise(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// How far two events are apart beyond what the kernel between them took: the one that waits takes what it is told to, and its own
// beginning and end. Not waited for longer than some milliseconds: others' kernels may hold the GPU.
static void find_apart(const struct context *c)
{
    enum { TIMES = 15, POLLS = 200, POLL_NS = 25000, BEFORE_NS = 20000, BETWEEN_NS = 5000 };
    const struct driver_functions *d = &recorder.driver;
    static const double ms_ns = 1e6;
    float between[TIMES];
    void *stream = NULL, *from = NULL, *to = NULL;
    int found = 0, device = 0;
    bool works = d->stream_new && d->stream_new(&stream, 1) == DONE &&
                 d->event_new(&from, 0) == DONE && d->event_new(&to, 0) == DONE;
    for (int i = 0; works && i < TIMES; i++) {
        works = launch_wait(c, stream, BEFORE_NS) && launch_wait(c, stream, WAIT_NS) &&
                d->event_record(from, stream) == DONE && launch_wait(c, stream, BETWEEN_NS) &&
                d->event_record(to, stream) == DONE;
        bool behind = works && d->event_over(from) == NOT_READY;
        for (int p = 0; works && p < POLLS && d->event_over(to) == NOT_READY; p++)
            nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
        works = works && d->event_over(to) == DONE;
        if (works && behind && d->event_between(&between[found], from, to) == DONE)
            found++;
    }
    if (works && d->event_free && d->stream_free) {
        d->event_free(from);
        d->event_free(to);
        d->stream_free(stream);
    }
    if (found < TIMES / 3 || !d->device || d->device(&device) != DONE) {
        recorder_trouble(
            "what events add to times could not be found out: they are some 2 us longer");
        return;
    }
    qsort(between, (size_t)found, sizeof *between, floats_rise);
    double median_ns = (double)between[found / 2] * ms_ns;
    struct event_apart event = {(uint64_t)device,
                                median_ns > BETWEEN_NS ? (uint64_t)(median_ns - BETWEEN_NS) : 0};
    RECORD(APART, event);
}

static void context_begin(struct context *c)
{
    const struct driver_functions *d = &recorder.driver;
    void *module = NULL;
    c->ready = true;
    c->wait_ns = WAIT_NS;
    c->wait = NULL;
    if (!d->load || !d->function || !d->launch || d->load(&module, wait_code) != DONE ||
        d->function(&c->wait, module, "ridge_wait") != DONE) {
        c->wait = NULL;
        recorder_trouble("no times of launches that found the GPU idle: the kernel that would "
                         "wait before them cannot be loaded");
        return;
    }
    find_apart(c);
}

// The current one, locked; NULL: none, or another thread is there.
static struct context *context_enter(void)
{
    struct context *c = NULL;
    void *handle = NULL;
    if (!recorder.driver.context || recorder.driver.context(&handle) != DONE || !handle ||
        pthread_mutex_trylock(&sampling.lock) != 0)
        return NULL;
    for (int i = 0; !c && i < sampling.context_count; i++)
        c = sampling.contexts[i]->handle == handle ? sampling.contexts[i] : NULL;
    if (!c && sampling.context_count < CONTEXTS_MAX && (c = calloc(1, sizeof *c))) {
        c->handle = handle;
        pthread_mutex_init(&c->lock, NULL);
        sampling.contexts[sampling.context_count++] = c;
    }
    pthread_mutex_unlock(&sampling.lock);
    if (!c || pthread_mutex_trylock(&c->lock) != 0)
        return NULL;
    if (!c->ready) {
        uint64_t before = clock_ns();
        context_begin(c);
        once_ns += clock_ns() - before;
    }
    return c;
}

/* ---- clocks ------------------------------------------------------------------------------------------------- */

// Of those that ran, the oldest first; `most`: so many are looked at.
static void clocks_read(struct context *c, int most)
{
    static const double ms_ns = 1e6;
    const int first = c->oldest;
    for (int looked = 0, i = 0; i < c->clock_count && looked < most; i++) {
        struct clock *k = &c->clocks[(first + i) % c->clock_count];
        float ms = 0;
        if (k->state != ENDS)
            continue;
        looked++;
        int over = recorder.driver.event_over(k->to);
        if (over == NOT_READY)
            continue;
        if (over == DONE && recorder.driver.event_between(&ms, k->from, k->to) == DONE && ms > 0) {
            struct event_timed event = {k->row->number, (uint64_t)((double)ms * ms_ns), k->every,
                                        k->waited};
            RECORD(TIMED, event);
        }
        k->state = FREE;
        c->oldest = (int)(k - c->clocks + 1) % c->clock_count;
    }
}

static struct clock *clock_take(struct context *c)
{
    const struct driver_functions *d = &recorder.driver;
    for (int i = 0; i < c->clock_count; i++)
        if (c->clocks[i].state == FREE && c->clocks[i].to)
            return &c->clocks[i];
    struct clock *k = c->clock_count < CLOCKS ? &c->clocks[c->clock_count] : NULL;
    if (!k || !d->event_new || !d->event_record || !d->event_over || !d->event_between ||
        d->event_new(&k->from, 0) != DONE || d->event_new(&k->to, 0) != DONE)
        return NULL;
    c->clock_count++;
    return k;
}

// NULL: this launch is not timed.
static struct clock *clock_start(struct counted *row, void *stream, uint64_t number)
{
    const struct driver_functions *d = &recorder.driver;
    enum { RELAXED = 2 };
    int captured = 0, mode = RELAXED;
    if (!d->capturing || !d->capture_mode || d->capturing(stream, &captured) != DONE ||
        captured != 0)
        return NULL;
    d->capture_mode(&mode); // calls that another thread's capture would refuse
    struct context *c = context_enter();
    struct clock *k = NULL;
    if (c) {
        clocks_read(c, READ_AT_ONCE);
        k = clock_take(c);
        if (k) {
            // Also where the GPU has work: it may come to its end just then, and the kernel goes before, as it did when it was found
            // out how far events are apart.
            k->waited = launch_wait(c, stream, c->wait_ns);
            k->row = row;
            k->context = c;
            k->number = number;
            k->every = number + 1 - row->seen;
            k->state = d->event_record(k->from, stream) == DONE ? RUNS : FREE;
            k = k->state == RUNS ? k : NULL;
        }
        pthread_mutex_unlock(&c->lock);
    }
    d->capture_mode(&mode);
    return k;
}

// The GPU must not have passed the first event yet: the time would have the host's way to the launch in it.
static void clock_stop(struct clock *k, void *stream, bool launched)
{
    enum { RELAXED = 2 };
    int mode = RELAXED;
    recorder.driver.capture_mode(&mode);
    bool recorded = launched && recorder.driver.event_record(k->to, stream) == DONE;
    bool behind = recorded && recorder.driver.event_over(k->from) == NOT_READY;
    recorder.driver.capture_mode(&mode);
    if (recorded && !behind && k->waited && k->context->wait_ns < WAIT_MAX_NS)
        k->context->wait_ns += WAIT_STEP_NS;
    if (behind) {
        k->row->taken++;
        k->row->seen = k->number + 1;
    }
    k->state = behind ? ENDS : FREE;
}

/* ---- which ---------------------------------------------------------------------------------------------------- */

static uint64_t every_of(const struct counted *row)
{
    static const struct {
        unsigned below;
        uint64_t every;
    } steps[] = {{FIRST, 1}, {12, 8}, {48, 32}, {128, 128}};
    uint64_t every = 256;
    for (size_t i = COUNT_OF(steps); i-- > 0;)
        every = row->taken < steps[i].below ? steps[i].every : every;
    return every;
}

// A thread that was put aside meanwhile has not cost the program that.
static void spend(uint64_t ns)
{
    enum { MOST_NS = 50000 };
    atomic_fetch_add(&sampling.spent_ns, ns < MOST_NS ? ns : MOST_NS);
}

static bool affordable(uint64_t now_ns)
{
    if (sampling.counts_only)
        return false;
    uint64_t spent = atomic_load_explicit(&sampling.spent_ns, memory_order_relaxed);
    uint64_t most = SPENT_FREE_NS + (now_ns - sampling.began_ns) / SPENT_PER;
    return spent < most;
}

// Launches of a row come in blocks, of each of which one is timed, chosen by chance. It stands for those since the last one that was:
// of blocks for which there was no time none is.
static void time_launch(struct counting *c, uint64_t number)
{
    struct counted *row = c->row;
    uint64_t now = clock_ns(), once_before = once_ns, block = every_of(row);
    if (affordable(now))
        c->clock = clock_start(row, c->stream, number);
    else
        block = block < LATER ? LATER : block;
    row->block_end = number >= row->block_end ? number + 1 : row->block_end;
    atomic_store(&row->next, row->block_end + random_below(row, block));
    row->block_end += block;
    row->shared->last_ns = recorder_clock_ns();
    if (!sampling.counts_only)
        spend(clock_ns() - now - (once_ns - once_before));
    spend(c->clock ? WAIT_COST_NS : 0);
    if (!c->clock)
        atomic_store(&row->busy, false);
}

static _Atomic uint64_t *shared_count(uint64_t *place)
{
    return (_Atomic uint64_t *)place;
}

static void begin(struct counting *c, const struct stream_row *is, void *what, void *stream,
                  bool timed)
{
    *c = (struct counting){.stream = stream};
    if (atomic_load_explicit(&recorder.off, memory_order_relaxed) || !recorder.sampled || inside)
        return;
    inside = true;
    int captured = 0;
    int captures = atomic_load_explicit(&sampling.captures, memory_order_relaxed);
    if (captures > 0 && recorder.driver.capturing &&
        (recorder.driver.capturing(stream, &captured) != DONE || captured != 0)) {
        inside = false; // it goes into a graph
        return;
    }
    c->row = row_find(is, what, stream);
    if (c->row) {
        uint64_t number = atomic_fetch_add_explicit(shared_count(&c->row->shared->launches), 1,
                                                    memory_order_relaxed);
        if (timed && captures == 0 &&
            number >= atomic_load_explicit(&c->row->next, memory_order_relaxed) &&
            !atomic_exchange(&c->row->busy, true))
            time_launch(c, number);
    }
    inside = false;
}

void counting_launch(struct counting *c, void *function, const unsigned grid[3],
                     const unsigned block[3], unsigned shared_bytes, void *stream)
{
    struct stream_row is = {.kind = KERNEL,
                            .grid_x = grid[0],
                            .grid_y = grid[1],
                            .grid_z = grid[2],
                            .block_x = block[0],
                            .block_y = block[1],
                            .block_z = block[2],
                            .shared_bytes = shared_bytes};
    begin(c, &is, function, stream, true);
}

void counting_graph(struct counting *c, void *graph, void *stream)
{
    struct stream_row is = {.kind = GRAPH};
    begin(c, &is, graph, stream, true);
}

void counting_move(struct counting *c, unsigned direction, uint64_t bytes, void *stream, bool timed)
{
    struct stream_row is = {.kind = direction < COPY_DIRECTIONS ? COPY : FILL,
                            .name = direction < COPY_DIRECTIONS ? direction : 0};
    begin(c, &is, NULL, stream, timed);
    c->bytes = bytes;
}

int counting_end(struct counting *c, int status)
{
    if (!c->row)
        return status;
    if (status != DONE)
        atomic_fetch_sub_explicit(shared_count(&c->row->shared->launches), 1, memory_order_relaxed);
    else if (c->bytes > 0)
        atomic_fetch_add_explicit(shared_count(&c->row->shared->bytes), c->bytes,
                                  memory_order_relaxed);
    if (c->clock) {
        uint64_t before = clock_ns();
        inside = true;
        clock_stop(c->clock, c->stream, status == DONE);
        inside = false;
        spend(clock_ns() - before);
        atomic_store(&c->row->busy, false);
    }
    return status;
}

void sampling_pause(int change)
{
    if (atomic_fetch_add(&sampling.captures, change) <= 0 && change < 0)
        atomic_fetch_add(&sampling.captures, 1); // an end without a beginning
}

/* ---- beginning and end ------------------------------------------------------------------------------------------ */

void sampling_start(void)
{
    struct event_counts none = {
        0, 0}; // also where nothing is launched it is known how this was recorded
    RECORD(COUNTS, none);
    if (!hooks_stand())
        recorder_trouble("launches of process %llu: LD_PRELOAD was taken away before it began, and "
                         "only --exact does without",
                         (unsigned long long)getpid());
    sampling.began_ns = clock_ns();
    const char *how = getenv("RIDGE_CAPTURE_SAMPLED");
    sampling.counts_only = how && strcmp(how, "counts") == 0;
}

static void contexts_read(bool forget)
{
    for (int i = 0; i < sampling.context_count; i++) {
        struct context *c = sampling.contexts[i];
        struct timespec until;
        void *before = NULL;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        if (pthread_mutex_timedlock(&c->lock, &until) != 0)
            continue;
        if (c->ready && c->clock_count > 0 && recorder.driver.enter &&
            recorder.driver.enter(c->handle) == DONE) {
            clocks_read(c, CLOCKS);
            recorder.driver.leave(&before);
        }
        if (forget) {
            memset(c->clocks, 0, sizeof c->clocks);
            c->clock_count = c->oldest = 0;
            c->ready = false;
        }
        pthread_mutex_unlock(&c->lock);
    }
}

void sampling_forget_contexts(void)
{
    if (atomic_load_explicit(&recorder.off, memory_order_relaxed) || !recorder.sampled)
        return;
    inside = true;
    contexts_read(true);
    inside = false;
    sampling_forget_names();
}

void sampling_end(void)
{
    inside = true;
    contexts_read(false);
    inside = false;
}
