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
// At the end: records of kernels and those dropped, on standard error.
// SPDX-License-Identifier: Apache-2.0
#include <cupti.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { KINDS_MAX = 8, BUFFER_ALIGNMENT = 8, US_PER_MS = 1000 };

static CUpti_ActivityKind kinds[KINDS_MAX];
static int kind_count;
static size_t buffer_bytes;
static atomic_ullong kernels, dropped_records, timeless, long_ones, switches;

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

static void CUPTIAPI request(uint8_t **buffer, size_t *bytes, size_t *records_max)
{
    *buffer = aligned_alloc(BUFFER_ALIGNMENT, buffer_bytes);
    *bytes = *buffer ? buffer_bytes : 0;
    *records_max = 0;
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                              size_t valid_bytes)
{
    CUpti_Activity *record = NULL;
    size_t dropped = 0;
    (void)bytes;
    while (valid_bytes > 0 &&
           cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
            record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
            const CUpti_ActivityKernel9 *k = (const void *)record;
            kernels++;
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

// Its unit is not a ns, and nothing here reads the times.
static uint64_t CUPTIAPI counter(void)
{
    return __builtin_ia32_rdtsc();
}

static void set_kinds(bool on)
{
    for (int i = 0; i < kind_count; i++)
        check(on ? cuptiActivityEnable(kinds[i]) : cuptiActivityDisable(kinds[i]), "kind");
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

static void say(void)
{
    ended = true;
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
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
    if (pinned > 0)
        set_attribute(CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, sizeof pinned, &pinned);
    if (per_thread == 0)
        set_attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, sizeof per_thread,
                      &per_thread);
}

int InitializeInjection(void);
int InitializeInjection(void) // the driver's cuInit calls it
{
    const char *list = getenv("WAY_KINDS");
    char *end = NULL;
    for (; list && *list && kind_count < KINDS_MAX; list = *end == ',' ? end + 1 : end)
        kinds[kind_count++] = (CUpti_ActivityKind)strtol(list, &end, 10);
    if (number("WAY_CALLS", 0) > 0)
        listen_to_calls();
    if (kind_count == 0)
        return 1;
    if (number("WAY_SYNC", 0) > 0)
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
    if (number("WAY_FLUSH_MS", 0) > 0)
        start_thread(flush_now_and_then);
    if (number("WAY_ON_MS", 0) > 0)
        start_thread(listen_now_and_then);
    atexit(say);
    return 1;
}
