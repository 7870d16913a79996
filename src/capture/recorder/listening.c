// Listening to the GPU's work: all the time, or, where RIDGE_CAPTURE_OVERHEAD says by how many percent recording may slow the
// program down, for as much of the time as that allows (capture/share.h). Kernels that are saved are never missed: then it is all.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"
#include "capture/share.h"

#include <stdlib.h>
#include <time.h>

enum { FLUSH_PERIOD_NS = 200000000, DEVICES_MAX = 64 };
static const double percent = 100;

static const struct {
    int kind;
    const char *name;
} kinds[] = {{ACTIVITY_KERNEL, "kernels"}, {ACTIVITY_COPY, "copies"}, {ACTIVITY_FILL, "fills"}};

static struct {
    atomic_bool in_parts, on, wanted, stop;
    bool switched; // once
    double budget;
    struct share share;
    uint64_t silent;             // windows in a row of which nothing came
    _Atomic uint64_t records;    // since the last window
    bool heard[COUNT_OF(kinds)]; // kinds that CUPTI has
    _Atomic uint64_t period;
    atomic_bool calls; // are listened to as well
    _Atomic uint64_t cost_ns, ends_ns[DEVICES_MAX];
} listening;

static void took(uint64_t ns)
{
    atomic_fetch_add_explicit(&listening.records, 1, memory_order_relaxed);
    ns += atomic_load_explicit(&listening.calls, memory_order_relaxed) ? SHARE_CALL_NS : 0;
    atomic_fetch_add_explicit(&listening.cost_ns, ns, memory_order_relaxed);
}

// Records of a device come about in the order of their starts.
void listening_took_kernel(uint32_t device, uint64_t start_ns, uint64_t end_ns, bool by_graph)
{
    if (!listening.in_parts || device >= DEVICES_MAX)
        return;
    uint64_t before_ns = atomic_load_explicit(&listening.ends_ns[device], memory_order_relaxed);
    if (end_ns > before_ns)
        atomic_store_explicit(&listening.ends_ns[device], end_ns, memory_order_relaxed);
    took(by_graph || start_ns > before_ns + SHARE_IDLE_NS ? SHARE_WAITED_NS : SHARE_QUEUED_NS);
}

void listening_took_move(void)
{
    if (listening.in_parts)
        took(SHARE_WAITED_NS);
}

// CUPTI loses records, and gives wrong times to those of graphs, if it is switched while work is under way (docs/capture.md): it
// is switched on the program's own thread, when that has waited for the GPU.
static void switch_kinds(bool on)
{
    uint64_t from_ns = recorder_clock_ns();
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (listening.heard[i])
            (void)(on ? recorder.cupti.cuptiActivityEnable(kinds[i].kind)
                      : recorder.cupti.cuptiActivityDisable(kinds[i].kind));
    atomic_store(&listening.on, on);
    struct event_listen event = {from_ns, recorder_clock_ns() - from_ns, on, listening.period};
    RECORD(LISTEN, event);
}

// One thread switches, others go on.
static void switch_once(void)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    if (atomic_load(&listening.wanted) == atomic_load(&listening.on) ||
        atomic_flag_test_and_set(&busy))
        return;
    bool on = atomic_load(&listening.wanted);
    if (on != atomic_load(&listening.on))
        switch_kinds(on);
    atomic_flag_clear(&busy);
}

void listening_waited(void)
{
    switch_once();
}

// CUPTI may hand over nothing any more after it was switched, while the program goes on to wait for its GPU. What comes of a
// window may come a window later.
static void look_for_silence(void)
{
    enum { SILENT_MOST = 5 };
    bool came = atomic_exchange(&listening.records, 0) > 0;
    listening.silent = came ? 0 : listening.silent + 1;
    if (listening.silent == SILENT_MOST)
        recorder_trouble("CUPTI handed over nothing of %d windows, though the program waited for "
                         "the GPU in each: work since may be missing",
                         SILENT_MOST);
}

bool listening_hears(void)
{
    return atomic_load(&listening.on);
}

// Waits until a thread of the program has switched. If none waits for the GPU for so long, the program does not lose time by
// being listened to, and goes on to be; not listening ends in any case.
static void bring_about(bool on)
{
    enum { LOOK_NS = 200000, LOOKS_OFF = 100, LOOKS_ON = 500 };
    const struct timespec look = {.tv_nsec = LOOK_NS};
    atomic_store(&listening.wanted, on);
    if (on) // of every kernel its call
        (void)callbacks_switch(true);
    (void)callbacks_hear_waits(true);
    for (int i = 0; i < (on ? LOOKS_ON : LOOKS_OFF) && atomic_load(&listening.on) != on &&
                    !atomic_load(&listening.stop);
         i++)
        nanosleep(&look, NULL);
    (void)callbacks_hear_waits(false);
    if (!on && !atomic_load(&listening.on))
        look_for_silence();
    if (on)
        switch_once();
    atomic_store(&listening.wanted, atomic_load(&listening.on));
    (void)callbacks_switch(atomic_load(&listening.on));
}

bool listening_start(void)
{
    const char *given = getenv("RIDGE_CAPTURE_OVERHEAD");
    double allowed = given ? strtod(given, NULL) : 0;
    bool any = false;
    bool in_parts = !recorder.saving && allowed > 0 && allowed < percent;
    atomic_store(&listening.in_parts, in_parts);
    listening.budget = allowed / percent;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        int enabled = recorder.cupti.cuptiActivityEnable(kinds[i].kind);
        if (enabled != CUPTI_DONE)
            recorder_trouble("no times of %s: cuptiActivityEnable returns %d", kinds[i].name,
                             enabled);
        listening.heard[i] = enabled == CUPTI_DONE;
        any |= listening.heard[i];
    }
    atomic_store(&listening.on, true);
    atomic_store(&listening.wanted, true);
    return any;
}

// Only now is CUPTI asked to call somebody, which another profiler in the program may want for itself.
static bool can_switch(void)
{
    if (listening.switched || callbacks_hear_waits(true)) {
        listening.switched = true;
        return true;
    }
    atomic_store(&listening.in_parts, false);
    recorder_trouble("it is listened to all the time, whatever that adds: CUPTI calls nobody when "
                     "the program has waited for the GPU");
    return false;
}

void listening_stop(void)
{
    atomic_store(&listening.stop, true);
}

long listening_step(void)
{
    uint64_t now_ns = recorder_clock_ns();
    if (!atomic_load(&listening.in_parts))
        return FLUSH_PERIOD_NS;
    if (listening.period == 0)
        share_begin(&listening.share, listening.budget, random_seed(), now_ns);
    bool on = atomic_load(&listening.on);
    atomic_store(&listening.calls, callbacks_switch(on));
    struct share_step step =
        share_next(&listening.share, now_ns, (double)atomic_exchange(&listening.cost_ns, 0));
    if (step.period != listening.period) {
        struct event_listen event = {now_ns, 0, on, step.period};
        listening.period = step.period;
        RECORD(LISTEN, event);
    }
    if (step.on != on && can_switch())
        bring_about(step.on);
    now_ns = recorder_clock_ns();
    return step.until_ns > now_ns ? (long)(step.until_ns - now_ns) : 0;
}
