// Listening to the GPU's work: all the time, or, where RIDGE_CAPTURE_OVERHEAD says by how many percent recording may slow the
// program down, for as much of the time as that allows (capture/share.h). Kernels that are saved are never missed: then it is all.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"
#include "capture/share.h"

#include <math.h>
#include <stdlib.h>

enum { FLUSH_PERIOD_NS = 200000000, DEVICES_MAX = 64 };
static const double percent = 100;

static const struct {
    int kind;
    const char *name;
} kinds[] = {{ACTIVITY_KERNEL, "kernels"}, {ACTIVITY_COPY, "copies"}, {ACTIVITY_FILL, "fills"}};

static struct {
    bool in_parts, on, begun;
    double budget;
    struct share share;
    bool heard[COUNT_OF(kinds)]; // kinds that CUPTI has
    uint64_t period;
    atomic_bool calls; // are listened to as well
    _Atomic uint64_t cost_ns, ends_ns[DEVICES_MAX];
} listening;

static void took(uint64_t ns)
{
    ns += atomic_load_explicit(&listening.calls, memory_order_relaxed) ? SHARE_CALL_NS : 0;
    atomic_fetch_add_explicit(&listening.cost_ns, ns, memory_order_relaxed);
}

// Records of a device come about in the order of their starts.
void listening_took_kernel(uint32_t device, uint64_t start_ns, uint64_t end_ns)
{
    if (!listening.in_parts || device >= DEVICES_MAX)
        return;
    uint64_t before_ns = atomic_load_explicit(&listening.ends_ns[device], memory_order_relaxed);
    if (end_ns > before_ns)
        atomic_store_explicit(&listening.ends_ns[device], end_ns, memory_order_relaxed);
    took(start_ns > before_ns + SHARE_IDLE_NS ? SHARE_WAITED_NS : SHARE_QUEUED_NS);
}

void listening_took_move(void)
{
    if (listening.in_parts)
        took(SHARE_WAITED_NS);
}

// Launches only: what the program names is recorded all the time.
static void listen(bool on, uint64_t period)
{
    uint64_t from_ns = recorder_clock_ns();
    if (on != listening.on) {
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
            if (listening.heard[i])
                (void)(on ? recorder.cupti.cuptiActivityEnable(kinds[i].kind)
                          : recorder.cupti.cuptiActivityDisable(kinds[i].kind));
        (void)callbacks_switch(on);
    }
    listening.on = on;
    listening.period = period;
    struct event_listen event = {from_ns, recorder_clock_ns() - from_ns, on, period};
    RECORD(LISTEN, event);
}

bool listening_start(void)
{
    const char *given = getenv("RIDGE_CAPTURE_OVERHEAD");
    double allowed = given ? strtod(given, NULL) : 0;
    bool any = false;
    listening.in_parts = !recorder.saving && allowed > 0 && allowed < percent;
    listening.budget = allowed / percent;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        int enabled = recorder.cupti.cuptiActivityEnable(kinds[i].kind);
        if (enabled != CUPTI_DONE)
            recorder_trouble("no times of %s: cuptiActivityEnable returns %d", kinds[i].name,
                             enabled);
        listening.heard[i] = enabled == CUPTI_DONE;
        any |= listening.heard[i];
    }
    listening.on = true;
    return any;
}

long listening_step(void)
{
    struct share *s = &listening.share;
    uint64_t now_ns = recorder_clock_ns();
    if (!listening.in_parts)
        return FLUSH_PERIOD_NS;
    if (!listening.begun) {
        share_begin(s, listening.budget, random_seed(), now_ns);
        listening.begun = true;
    }
    atomic_store(&listening.calls, callbacks_switch(listening.on));
    struct share_step step =
        share_next(s, now_ns, (double)atomic_exchange(&listening.cost_ns, 0));
    if (step.on != listening.on || step.period != listening.period)
        listen(step.on, step.period);
    return step.until_ns > now_ns ? (long)(step.until_ns - now_ns) : 0;
}
