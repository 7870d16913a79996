// The entry point that the CUDA driver calls in a program whose environment names this library in
// CUDA_INJECTION64_PATH: opens CUPTI, begins to listen, and ends with the program. RIDGE_CAPTURE_FOLDER says where the
// recording goes (one file per process), RIDGE_CAPTURE_LIMIT how long it may become, RIDGE_CAPTURE_CUPTI which CUPTI
// is tried; saving.c has those that say which kernels are saved.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/sampling.h"
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct recorder recorder = {.out = {.fd = -1}, .off = true};

static const uint64_t limit_default_bytes = UINT64_C(1) << 30;

__attribute__((visibility("default"))) int InitializeInjection(void);

uint64_t recorder_clock_ns(void)
{
    uint64_t now = 0;
    if (recorder.cupti.cuptiGetTimestamp) {
        recorder.cupti.cuptiGetTimestamp(&now);
    } else {
        struct timespec wall;
        clock_gettime(CLOCK_REALTIME, &wall);
        now = (uint64_t)wall.tv_sec * UINT64_C(1000000000) + (uint64_t)wall.tv_nsec;
    }
    return now;
}

// The kernel is asked once per thread. In a child of fork the number is another, and nothing is recorded.
uint64_t recorder_thread(void)
{
    static _Thread_local uint64_t known;
    if (known == 0)
        known = (uint64_t)gettid();
    return known;
}

void recorder_trouble(const char *fmt, ...)
{
    char words[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    struct event_trouble event = {recorder_clock_ns()};
    RECORD_TEXT(TROUBLE, event, words);
}

/* ---- names --------------------------------------------------------------------------------------- */

uint64_t recorder_name(const char *name)
{
    // Names that were written. Where two share a place the one that came last is kept, and the other is written again
    // at its next use: readers take the first.
    static _Atomic uint64_t known[1 << 14];
    uint64_t id = UINT64_C(14695981039346656037), word; // as FNV-1a, but eight bytes at a time
    const char *from = name;
    for (size_t left = strlen(name), bytes; left > 0; left -= bytes, from += bytes) {
        bytes = left < sizeof word ? left : sizeof word;
        word = 0;
        memcpy(&word, from, bytes);
        id = (id ^ word) * UINT64_C(1099511628211);
        id ^= id >> 32;
    }
    _Atomic uint64_t *place = &known[id % COUNT_OF(known)];
    if (atomic_load(place) != id) {
        struct event_name event = {id};
        if (RECORD_TEXT(NAME, event, name))
            atomic_store(place, id);
    }
    return id;
}

/* ---- libraries ------------------------------------------------------------------------------------- */

// A program that has a CUPTI of its own (PyTorch has) keeps it: two in one process do not work.
static void *cupti_library(struct error *err)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL};
    const char *given = getenv("RIDGE_CAPTURE_CUPTI");
    given = given && *given ? given : NULL;
    const char *all[COUNT_OF(names) + 1] = {given};
    for (size_t i = 0; names[i]; i++) {
        void *here = library_loaded(names[i]);
        if (here)
            return here;
    }
    memcpy(&all[given ? 1 : 0], names, sizeof names);
    return library_open(all, NULL, err);
}

static bool cupti_open(struct error *err)
{
    void *library = cupti_library(err);
    struct cupti_functions *c = &recorder.cupti;
    uint32_t version = 0;
#define CUPTI(name, parameters)                                                       \
    if (!library || !library_symbol(library, #name, &c->name, sizeof c->name, err)) { \
        *c = (struct cupti_functions){0};                                             \
        return false;                                                                 \
    }
#include "capture/recorder/cupti.def"
#undef CUPTI
    if (c->cuptiGetVersion(&version) != CUPTI_DONE || version < CUPTI_VERSION_LEAST)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "CUPTI's version is %u: that of CUDA 12.0 (%d) or later is needed", version,
                       CUPTI_VERSION_LEAST);
    return true;
}

static void driver_open(void)
{
    struct error ignored = {0};
    void *library = library_loaded("libcuda.so.1");
    struct driver_functions *d = &recorder.driver;
#define DRIVER(member, symbol, parameters)                                                   \
    if (library && !library_symbol(library, symbol, &d->member, sizeof d->member, &ignored)) \
        d->member = NULL;
#include "capture/recorder/driver.def"
#undef DRIVER
}

/* ---- beginning and end ----------------------------------------------------------------------------- */

static void record_process(void)
{
    char line[4096];
    struct timespec wall;
    struct event_process event = {.pid = (uint64_t)getpid(), .parent = (uint64_t)getppid()};
    uint32_t version = 0;
    FILE *f = fopen("/proc/self/cmdline", "re");
    size_t length = f ? fread(line, 1, sizeof line, f) : 0;
    if (f && fclose(f) != 0)
        length = 0;
    if (recorder.cupti.cuptiGetVersion)
        recorder.cupti.cuptiGetVersion(&version);
    clock_gettime(CLOCK_REALTIME, &wall);
    event.clock_ns = recorder_clock_ns();
    event.wall_ns = (uint64_t)wall.tv_sec * UINT64_C(1000000000) + (uint64_t)wall.tv_nsec;
    event.cupti_version = version;
    stream_add(&recorder.out, EVENT_PROCESS, &event, sizeof event, line, length);
}

static void at_end(void)
{
    if (atomic_exchange(&recorder.off, true))
        return;
    if (recorder.sampled)
        sampling_end();
    else
        activities_end();
    struct event_end event = {recorder_clock_ns()};
    RECORD(END, event);
    stream_close(&recorder.out);
}

static void in_child(void)
{
    atomic_store(&recorder.off, true);
    stream_forget(&recorder.out);
    activities_forget();
}

static bool file_open(const char *folder, struct error *err)
{
    char path[4096];
    uint64_t limit = limit_default_bytes;
    const char *given = getenv("RIDGE_CAPTURE_LIMIT");
    int64_t number;
    if (given && str_to_i64(given, &number) && number > 0)
        limit = (uint64_t)number;
    snprintf(path, sizeof path, "%s/%d.ridgecap", folder, (int)getpid());
    return stream_create(&recorder.out, path, limit, err);
}

// 1: the driver goes on, whatever became of this.
int InitializeInjection(void)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    const char *folder = getenv("RIDGE_CAPTURE_FOLDER");
    struct error err = {0};
    if (!folder || atomic_flag_test_and_set(&begun) || !file_open(folder, &err))
        return 1;
    recorder.sampled = sampling_wanted() && !getenv("RIDGE_CAPTURE_KERNELS");
    bool opened = recorder.sampled || cupti_open(&err);
    record_process();
    if (!opened) {
        recorder_trouble("nothing was recorded: %s", err.message);
        stream_close(&recorder.out);
        return 1;
    }
    driver_open();
    if (!recorder.sampled)
        saving_start(folder);
    else
        sampling_start();
    atomic_store(&recorder.off, false);
    bool listens = recorder.sampled || activities_start();
    listens = (!recorder.sampled && callbacks_start()) || listens;
    if (listens)
        pthread_atfork(NULL, NULL, in_child);
    if (atexit(at_end) != 0)
        recorder_trouble("the end of the program is not recorded");
    return 1;
}
