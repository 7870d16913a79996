// Ways to listen to what a GPU does, to compare what each adds per launch (bench/device/capture_ways.sh): a library for
// CUDA_INJECTION64_PATH that asks CUPTI for records, counts them and throws them away. Nothing of ridge is in it, so what it
// adds is CUPTI's alone. Read from the environment, here only:
//   WAY_KINDS         activity kinds, as "1,2,10"; none: CUPTI is not called
//   WAY_FLUSH_MS      how often a thread asks for records; 0: no thread
//   WAY_ON_MS         of each WAY_EVERY_MS so long kinds are enabled; 0: all the time
//   WAY_EVERY_MS
//   WAY_SYNC          1: they are switched on the program's thread, when one of its waits for a stream or the GPU has ended
//   WAY_SWITCH_FLUSH  1: records are asked for before each switch; 2: after it; 3: before they are switched off
//   WAY_CHECK         1: at the end also records without times, those longer than 1 ms, and switches
//   WAY_BUFFER_KIB    of each buffer that CUPTI writes records into (1024)
//   WAY_DEVICE_KIB    of CUPTI's buffers on the GPU; 0: its own choice
//   WAY_PINNED        1: those lie in the host's memory
//   WAY_PER_THREAD    0: threads share buffers
//   WAY_CALLS         1: an empty function is called before and after each launch
//   WAY_CLOCK         1: CUPTI asks the processor's counter for the time instead of the system
//   WAY_LATE_MS       kinds are enabled so long after the start of CUDA
//   WAY_HARDWARE      1: then kernels are timed by the GPU's event system (Blackwell)
//   WAY_SUBSCRIBE     1: there is a subscriber that asks for no callback; 2: for those of graphs' launches
//   WAY_ZEROED        1: buffers are cleared here, in a thread of their own, and not by CUPTI
//   WAY_DEVICE_FIRST  so many of CUPTI's buffers on the GPU are allocated at the beginning; 0: its own choice
//   WAY_PERIOD_MS     CUPTI's own thread hands over full buffers so often
//   WAY_GRAPHS        of each graph so manieth launch is recorded by its kernels, the others as a whole (kind 51 is enabled)
//   WAY_GRAPHS_AT     1: it is switched when the launch before has returned; otherwise when the launch begins
//   WAY_PROFILE_US    the thread that calls listen_now is interrupted so often, and where it was is told at the end
// listen_now(on) switches kinds in between, for a program that loads this (capture.cu, inside).
// At the end: records of kernels and those dropped, on standard error.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <cupti.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { KINDS_MAX = 8, BUFFER_ALIGNMENT = 8, US_PER_MS = 1000 };

static CUpti_ActivityKind kinds[KINDS_MAX];
static int kind_count;
static size_t buffer_bytes;
static atomic_ullong kernels, dropped_records, timeless, long_ones, switches;
static atomic_ullong of_graphs, whole_graphs, wrong_graphs, graphs_by_kernels, handed_over;

static long number(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtol(value, NULL, 10) : otherwise;
}

static void check(CUptiResult status, const char *what)
{
    const char *why = "";
    if (status == CUPTI_SUCCESS)
        return;
    cuptiGetResultString(status, &why);
    fprintf(stderr, "%s: %s\n", what, why);
}

// Buffers of zeros, made beside the program.
enum { CLEAN_MAX = 8 };
static struct {
    pthread_mutex_t lock;
    uint8_t *items[CLEAN_MAX];
    int count;
} clean = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void make_clean(void)
{
    for (bool more = true; more;) {
        uint8_t *one = aligned_alloc(BUFFER_ALIGNMENT, buffer_bytes);
        if (one)
            memset(one, 0, buffer_bytes);
        pthread_mutex_lock(&clean.lock);
        more = one && clean.count < CLEAN_MAX;
        if (more)
            clean.items[clean.count++] = one;
        pthread_mutex_unlock(&clean.lock);
        if (!more)
            free(one);
    }
}

static void *clean_ahead(void *unused)
{
    while (true) {
        make_clean();
        usleep(5000);
    }
    return unused;
}

static uint8_t *a_clean_one(void)
{
    pthread_mutex_lock(&clean.lock);
    uint8_t *one = clean.count > 0 ? clean.items[--clean.count] : NULL;
    pthread_mutex_unlock(&clean.lock);
    return one ? one : calloc(1, buffer_bytes);
}

static void CUPTIAPI request(uint8_t **buffer, size_t *bytes, size_t *records_max)
{
    *buffer =
        number("WAY_ZEROED", 0) > 0 ? a_clean_one() : aligned_alloc(BUFFER_ALIGNMENT, buffer_bytes);
    *bytes = *buffer ? buffer_bytes : 0;
    *records_max = 0;
}

// Numbers of graphs: of kernels' records, of graphs', and of what CUPTI calls the graph that is launched.
enum { NUMBERS_MAX = 16 };
static struct {
    const char *of;
    atomic_uint known[NUMBERS_MAX];
} numbers[3] = {{.of = "kernels'"}, {.of = "graphs'"}, {.of = "launched"}};

static void number_seen(int of, uint32_t id)
{
    for (int i = 0; i < NUMBERS_MAX; i++) {
        unsigned none = 0;
        if (numbers[of].known[i] == id ||
            atomic_compare_exchange_strong(&numbers[of].known[i], &none, id))
            return;
    }
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                              size_t valid_bytes)
{
    CUpti_Activity *record = NULL;
    size_t dropped = 0;
    (void)bytes;
    handed_over++;
    while (valid_bytes > 0 &&
           cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE) {
            const CUpti_ActivityGraphTrace2 *g = (const void *)record;
            whole_graphs++;
            number_seen(1, g->graphId);
            wrong_graphs += g->end <= g->start || g->end > g->start + 10000000;
        } else if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
                   record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
            const CUpti_ActivityKernel9 *k = (const void *)record;
            kernels++;
            of_graphs += k->graphId != 0;
            if (k->graphId != 0)
                number_seen(0, k->graphId);
            timeless += k->end <= k->start;
            long_ones += k->end > k->start + 1000000;
        }
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
        dropped_records += dropped;
    free(buffer);
}

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void *data)
{
    (void)user, (void)domain, (void)id, (void)data;
}

static CUpti_SubscriberHandle subscriber;

static void listen_to_calls(void)
{
    static const CUpti_CallbackId ids[] = {
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz};
    check(cuptiSubscribe(&subscriber, called, NULL), "subscribe");
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]), "callback");
}

// A graph's launches, counted by its handle.
enum { GRAPHS_MAX = 256 };
static long launch_of(const void *graph)
{
    static struct {
        const void *_Atomic graph;
        atomic_long launches;
    } known[GRAPHS_MAX];
    for (size_t i = (uintptr_t)graph / 64 % GRAPHS_MAX, tried = 0; tried < GRAPHS_MAX;
         i = (i + 1) % GRAPHS_MAX, tried++) {
        const void *none = NULL;
        if (known[i].graph == graph ||
            atomic_compare_exchange_strong(&known[i].graph, &none, graph) || none == graph)
            return known[i].launches++;
    }
    return 1;
}

// Of all threads' launches at once: by their kernels so long as one of them is to be.
static void whole(bool on)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int others;
    pthread_mutex_lock(&lock);
    bool change = on ? --others == 0 : others++ == 0;
    if (change)
        check(on ? cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)
                 : cuptiActivityDisable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE),
              "graphs");
    pthread_mutex_unlock(&lock);
}

static atomic_bool listens; // to graphs too
static void CUPTIAPI graph_called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                  const void *data)
{
    static _Thread_local bool by_kernels;
    const CUpti_CallbackData *d = data;
    const cuGraphLaunch_params *p = d->functionParams;
    long every = number("WAY_GRAPHS", 0), ahead = number("WAY_GRAPHS_AT", 0);
    (void)user, (void)domain, (void)id;
    if (every == 0 || !listens)
        return;
    if (d->callbackSite == CUPTI_API_ENTER && ahead == 0) {
        uint32_t id = 0;
        by_kernels = launch_of(p->hGraph) % every == 0;
        if (cuptiGetGraphExecId(p->hGraph, &id) == CUPTI_SUCCESS)
            number_seen(2, id);
        if (by_kernels)
            whole(false);
    } else if (d->callbackSite == CUPTI_API_EXIT) {
        graphs_by_kernels += by_kernels;
        if (by_kernels)
            whole(true);
        by_kernels = ahead > 0 && launch_of(p->hGraph) % every == 0; // the next launch
        if (by_kernels)
            whole(false);
    }
}

static void listen_to_graphs(void)
{
    static const CUpti_CallbackId ids[] = {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                           CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};
    check(cuptiSubscribe(&subscriber, graph_called, NULL), "subscribe");
    for (size_t i = 0; number("WAY_SUBSCRIBE", 0) > 1 && i < sizeof ids / sizeof ids[0]; i++)
        check(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]), "callback");
}

// Its unit is not a ns, and nothing here reads the times.
static uint64_t CUPTIAPI counter(void)
{
    return __builtin_ia32_rdtsc();
}

static void set_kinds(bool on)
{
    for (int i = 0; i < kind_count; i++)
        check(on ? cuptiActivityEnable(kinds[i]) : cuptiActivityDisable(kinds[i]), "kind");
    listens = on;
}

/* ---- where a thread is ----------------------------------------------------------------------------- */

enum { SAMPLES_MAX = 100000, PLACE_BYTES = 160, GRAIN = 64 };
static struct {
    uintptr_t *at; // two halves: not recorded, recorded
    atomic_int count[2];
    atomic_int on;
} profile;

static void interrupted(int signal, siginfo_t *info, void *context)
{
    const ucontext_t *c = context;
    int on = profile.on, place = profile.count[on];
    (void)signal, (void)info;
    if (place < SAMPLES_MAX) {
        profile.at[on * SAMPLES_MAX + place] = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
        profile.count[on] = place + 1;
    }
}

static void profile_start(void)
{
    struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 5};
    struct sigaction act = {.sa_sigaction = interrupted, .sa_flags = SA_SIGINFO | SA_RESTART};
    long ns = number("WAY_PROFILE_US", 0) * 1000;
    struct itimerspec every = {{0, ns}, {0, ns}};
    timer_t timer;
    profile.at = calloc(2 * SAMPLES_MAX, sizeof *profile.at);
    to._sigev_un._tid = gettid();
    sigaction(SIGRTMIN + 5, &act, NULL);
    if (profile.at && timer_create(CLOCK_MONOTONIC, &to, &timer) == 0)
        timer_settime(timer, 0, &every, NULL);
}

static int by_place(const void *a, const void *b)
{
    return strcmp(a, b);
}

// Places of GRAIN bytes with the name of the library and of the exported symbol before them; sorted, so that uniq -c counts.
static void profile_say(int on)
{
    static char places[SAMPLES_MAX][PLACE_BYTES];
    int count = profile.count[on];
    for (int i = 0; i < count; i++) {
        uintptr_t at = profile.at[on * SAMPLES_MAX + i];
        Dl_info of = {0};
        if (!dladdr((void *)at, &of) || !of.dli_fname)
            snprintf(places[i], PLACE_BYTES, "? %#lx", (unsigned long)(at & ~0xfffull));
        else
            snprintf(places[i], PLACE_BYTES, "%s %#lx %s",
                     strrchr(of.dli_fname, '/') ? strrchr(of.dli_fname, '/') + 1 : of.dli_fname,
                     (unsigned long)((at - (uintptr_t)of.dli_fbase) / GRAIN * GRAIN),
                     of.dli_sname ? of.dli_sname : "-");
    }
    qsort(places, (size_t)count, PLACE_BYTES, by_place);
    for (int i = 0; i < count; i++)
        fprintf(stderr, "%s %s\n", on ? "on" : "off", places[i]);
}

// What is wanted, and what is so; the program's threads bring the one to the other.
static atomic_bool wanted = true, is_on = true;

static void CUPTIAPI waited(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void *data)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    (void)user, (void)domain, (void)id, (void)data;
    if (wanted == is_on || atomic_flag_test_and_set(&busy))
        return;
    if (wanted != is_on) {
        set_kinds(wanted);
        is_on = wanted;
    }
    atomic_flag_clear(&busy);
}

static void hear_waits(bool on)
{
    for (CUpti_CallbackId id = CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED;
         id <= CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED; id++)
        check(cuptiEnableCallback(on, subscriber, CUPTI_CB_DOMAIN_SYNCHRONIZE, id), "waits");
}

static void switch_kinds(bool on)
{
    long flush = number("WAY_SWITCH_FLUSH", 0);
    if (flush == 1 || (flush == 3 && !on))
        cuptiActivityFlushAll(0);
    switches++;
    if (number("WAY_SYNC", 0) > 0) {
        wanted = on;
        hear_waits(true);
        for (int i = 0; i < 50 && is_on != on; i++)
            usleep(200);
        hear_waits(false);
        wanted = (bool)is_on; // nobody waited
    } else {
        set_kinds(on);
    }
    if (flush == 2)
        cuptiActivityFlushAll(0);
}

static void *flush_now_and_then(void *unused)
{
    useconds_t period = (useconds_t)number("WAY_FLUSH_MS", 0) * US_PER_MS;
    while (true) {
        usleep(period);
        if (listens)
            cuptiActivityFlushAll(0);
    }
    return unused;
}

static void *listen_later(void *unused)
{
    usleep((useconds_t)number("WAY_LATE_MS", 0) * US_PER_MS);
    if (number("WAY_HARDWARE", 0) > 0) // it is refused before the driver has started
        check(cuptiActivityEnableHWTrace(1), "hardware");
    set_kinds(true);
    return unused;
}

static atomic_bool ended; // a switch while the program ends may crash it

static void *listen_now_and_then(void *unused)
{
    useconds_t on = (useconds_t)number("WAY_ON_MS", 0) * US_PER_MS;
    useconds_t every = (useconds_t)number("WAY_EVERY_MS", 200) * US_PER_MS;
    for (bool listens = false; on < every; listens = !listens) {
        usleep(listens ? every - on : on);
        if (!ended)
            switch_kinds(listens);
    }
    return unused;
}

static void start_thread(void *(*body)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL) == 0)
        pthread_detach(thread);
}

// What each thread of the process has cost: ticks of its own and of the system, and how often it slept.
static void say_threads(void)
{
    char path[64], line[512];
    FILE *list = popen("ls /proc/$PPID/task", "r");
    while (list && fgets(line, sizeof line, list)) {
        int task = atoi(line);
        long sleeps = -1;
        snprintf(path, sizeof path, "/proc/self/task/%d/status", task);
        FILE *f = fopen(path, "r");
        while (f && fgets(line, sizeof line, f))
            sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps);
        if (f)
            fclose(f);
        snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", task);
        f = fopen(path, "r");
        if (f && fgets(line, sizeof line, f))
            fprintf(stderr, "thread %d sleeps %ld ran_ns,waited_ns,times %s", task, sleeps, line);
        if (f)
            fclose(f);
    }
    if (list)
        pclose(list);
}

static void say(void)
{
    ended = true;
    if (number("WAY_CHECK", 0) > 1)
        say_threads();
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    if (number("WAY_CHECK", 0) > 0)
        fprintf(stderr,
                "of graphs %llu graphs whole %llu wrong %llu by kernels %llu buffers %llu\n",
                (unsigned long long)of_graphs, (unsigned long long)whole_graphs,
                (unsigned long long)wrong_graphs, (unsigned long long)graphs_by_kernels,
                (unsigned long long)handed_over);
    for (int of = 0; of < 3 && number("WAY_CHECK", 0) > 0; of++) {
        fprintf(stderr, "numbers %s:", numbers[of].of);
        for (int i = 0; i < NUMBERS_MAX && numbers[of].known[i]; i++)
            fprintf(stderr, " %u", (unsigned)numbers[of].known[i]);
        fprintf(stderr, "\n");
    }
    for (int on = 0; on < 2; on++)
        profile_say(on);
    fprintf(stderr, "%llu,%llu\n", (unsigned long long)kernels,
            (unsigned long long)dropped_records);
    if (number("WAY_CHECK", 0) > 0)
        fprintf(stderr, "timeless %llu long %llu switches %llu\n", (unsigned long long)timeless,
                (unsigned long long)long_ones, (unsigned long long)switches);
}

static void set_attribute(CUpti_ActivityAttribute which, size_t bytes, void *value)
{
    check(cuptiActivitySetAttribute(which, &bytes, value), "attribute");
}

static void set_attributes(void)
{
    size_t device_bytes = (size_t)number("WAY_DEVICE_KIB", 0) << 10;
    uint8_t pinned = (uint8_t)number("WAY_PINNED", 0);
    uint8_t per_thread = (uint8_t)number("WAY_PER_THREAD", 1);
    if (device_bytes > 0)
        set_attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, sizeof device_bytes, &device_bytes);
    size_t first = (size_t)number("WAY_DEVICE_FIRST", 0);
    uint8_t zeroed = 1;
    if (first > 0)
        set_attribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_PRE_ALLOCATE_VALUE, sizeof first, &first);
    if (number("WAY_ZEROED", 0) > 0)
        set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, sizeof zeroed, &zeroed);
    if (pinned > 0)
        set_attribute(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, sizeof pinned, &pinned);
    if (per_thread == 0)
        set_attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, sizeof per_thread,
                      &per_thread);
}

int InitializeInjection(void);
int InitializeInjection(void) // the driver's cuInit calls it
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&begun))
        return 1;
    const char *list = getenv("WAY_KINDS");
    char *end = NULL;
    for (; list && *list && kind_count < KINDS_MAX; list = *end == ',' ? end + 1 : end)
        kinds[kind_count++] = (CUpti_ActivityKind)strtol(list, &end, 10);
    if (number("WAY_CALLS", 0) > 0)
        listen_to_calls();
    if (kind_count == 0)
        return 1;
    if (number("WAY_SUBSCRIBE", 0) > 0)
        listen_to_graphs();
    else if (number("WAY_SYNC", 0) > 0)
        check(cuptiSubscribe(&subscriber, waited, NULL), "subscribe");
    buffer_bytes = (size_t)number("WAY_BUFFER_KIB", 1024) << 10;
    set_attributes();
    if (number("WAY_CLOCK", 0) > 0)
        check(cuptiActivityRegisterTimestampCallback(counter), "clock");
    check(cuptiActivityRegisterCallbacks(request, complete), "callbacks");
    if (number("WAY_LATE_MS", 0) > 0)
        start_thread(listen_later);
    else
        set_kinds(true);
    if (number("WAY_ZEROED", 0) > 0) {
        make_clean();
        start_thread(clean_ahead);
    }
    if (number("WAY_PERIOD_MS", 0) > 0)
        check(cuptiActivityFlushPeriod((uint32_t)number("WAY_PERIOD_MS", 0)), "period");
    if (number("WAY_FLUSH_MS", 0) > 0)
        start_thread(flush_now_and_then);
    if (number("WAY_ON_MS", 0) > 0)
        start_thread(listen_now_and_then);
    atexit(say);
    return 1;
}

void listen_now(int on);
void listen_now(int on)
{
    static bool timed;
    InitializeInjection();
    if (!timed && number("WAY_PROFILE_US", 0) > 0)
        profile_start();
    timed = true;
    profile.on = 0;
    if (is_on != (bool)on)
        set_kinds(on);
    is_on = on;
    profile.on = on;
}
