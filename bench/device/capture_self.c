// Where the recorder's own time goes: a libcupti between it and the real one, which reads a clock around every function that
// either calls of the other. Named by RIDGE_CAPTURE_CUPTI; the real one by SELF_CUPTI (libcupti.so.13). At the end a CSV row
// per function goes to the file SELF_OUT: what, on the program's first thread or another, calls, total us, mean ns. A
// function's time holds that of what it calls, and two reads of the clock, whose own cost is the first row.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <cupti.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS                                                                          \
    F(cuptiGetVersion, (uint32_t * a), (a))                                                \
    F(cuptiGetTimestamp, (uint64_t * a), (a))                                              \
    F(cuptiEnableCallback,                                                                 \
      (uint32_t a, CUpti_SubscriberHandle b, CUpti_CallbackDomain c, CUpti_CallbackId d),  \
      (a, b, c, d))                                                                        \
    F(cuptiActivityEnable, (CUpti_ActivityKind a), (a))                                    \
    F(cuptiActivityGetNextRecord, (uint8_t * a, size_t b, CUpti_Activity * *c), (a, b, c)) \
    F(cuptiActivityGetNumDroppedRecords, (CUcontext a, uint32_t b, size_t * c), (a, b, c)) \
    F(cuptiActivityFlushAll, (uint32_t a), (a))

enum row {
    CLOCK,
    CALLED_BEFORE,
    CALLED_AFTER,
    REQUEST,
    COMPLETE,
#define F(name, parameters, arguments) ROW_##name,
    FUNCTIONS
#undef F
        ROWS
};
static const char *const names[ROWS] = {"clock",
                                        "callback before a call",
                                        "callback after a call",
                                        "a buffer is asked for",
                                        "a buffer is handed over",
#define F(name, parameters, arguments) #name,
                                        FUNCTIONS
#undef F
};
static struct {
    atomic_ullong calls, ns;
} rows[ROWS][2];
static CUpti_CallbackFunc callback;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;

static unsigned long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec;
}

static void spent(enum row row, unsigned long long from)
{
    static _Thread_local int other = -1;
    unsigned long long to = now();
    if (other < 0)
        other = gettid() != getpid();
    atomic_fetch_add_explicit(&rows[row][other].calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&rows[row][other].ns, to - from, memory_order_relaxed);
}

static void *real(const char *name)
{
    static void *library;
    const char *path = getenv("SELF_CUPTI");
    if (!library)
        library = dlopen(path ? path : "libcupti.so.13", RTLD_NOW);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        _exit(97);
    }
    return function;
}

#define F(name, parameters, arguments)            \
    CUptiResult name parameters                   \
    {                                             \
        static CUptiResult(*function) parameters; \
        if (!function)                            \
            *(void **)&function = real(#name);    \
        unsigned long long from = now();          \
        CUptiResult status = function arguments;  \
        spent(ROW_##name, from);                  \
        return status;                            \
    }
FUNCTIONS
#undef F

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                            const void *data)
{
    unsigned long long from = now();
    callback(user, domain, id, data);
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
        spent(((const CUpti_CallbackData *)data)->callbackSite == CUPTI_API_ENTER ? CALLED_BEFORE
                                                                                  : CALLED_AFTER,
              from);
}

static void CUPTIAPI requested(uint8_t **buffer, size_t *bytes, size_t *records_max)
{
    unsigned long long from = now();
    request(buffer, bytes, records_max);
    spent(REQUEST, from);
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                               size_t valid_bytes)
{
    unsigned long long from = now();
    complete(context, stream, buffer, bytes, valid_bytes);
    spent(COMPLETE, from);
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc function,
                           void *user)
{
    CUptiResult (*subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *);
    *(void **)&subscribe = real("cuptiSubscribe");
    callback = function;
    return subscribe(subscriber, called, user);
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r,
                                           CUpti_BuffersCallbackCompleteFunc c)
{
    CUptiResult (*listen)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
    *(void **)&listen = real("cuptiActivityRegisterCallbacks");
    request = r;
    complete = c;
    return listen(requested, completed);
}

static void say(void)
{
    const char *path = getenv("SELF_OUT");
    FILE *out = path ? fopen(path, "a") : stderr;
    if (!out)
        return;
    fprintf(out, "what,thread,calls,total_us,mean_ns\n");
    for (int row = 0; row < ROWS; row++)
        for (int other = 0; other < 2; other++)
            if (rows[row][other].calls > 0)
                fprintf(out, "%s,%s,%llu,%.1f,%.1f\n", names[row], other ? "another" : "first",
                        (unsigned long long)rows[row][other].calls,
                        (double)rows[row][other].ns / 1e3,
                        (double)rows[row][other].ns / (double)rows[row][other].calls);
    if (path)
        fclose(out);
}

// Before the recorder asks to be called at the end, so it is called after it.
__attribute__((constructor)) static void begin(void)
{
    for (int i = 0; i < 1000; i++)
        spent(CLOCK, now());
    atexit(say);
}
