// What lies around the kernel: copies from and to the host, exchanges with other GPUs, and clocks that
// power or heat hold down.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>
#include <string.h>

#define MOVING_SHARE_MIN 0.1 // of the time: less is not worth the streams
#define LINK_REACHED_MIN 0.8 // of the link's rate: less, and the host's memory is not pinned
#define CLOCK_SLOWED 0.97    // of the full clock

// What a direction takes at the link's rate; as it did where that is not known, or faster.
static double at_link_ns(const struct search *s, double bytes, double time_ns)
{
    double least = bytes / s->in->gpu->value[GPU_FIELD_host_link_gbps];
    return isnan(least) ? time_ns : fmin(time_ns, least);
}

void find_transfers(const struct search *s)
{
    const struct transfers *t = &s->in->transfers;
    double kernels = s->in->time_ns.value, copies = t->h2d_ns + t->d2h_ns;
    double share = copies / (kernels + s->moved_ns);
    if (!(share >= MOVING_SHARE_MIN))
        return;
    double link = s->in->gpu->value[GPU_FIELD_host_link_gbps];
    double rate = (t->h2d_bytes + t->d2h_bytes) / copies;
    double in = at_link_ns(s, t->h2d_bytes, t->h2d_ns),
           out = at_link_ns(s, t->d2h_bytes, t->d2h_ns);
    bool slow = rate < LINK_REACHED_MIN * link;
    // Both directions and the kernels at once: the longest remains.
    double together = fmax(fmax(in, out), kernels);
    struct finding f = {
        .cause = "transfers",
        .class = FINDING_TRANSFER,
        .title = slow ? arena_printf(s->a,
                                     "Copies between host and device are %.0f %% of the time, at "
                                     "%.1f of the link's %.1f GB/s",
                                     100 * share, rate, link)
                      : arena_printf(s->a,
                                     "Copies between host and device are %.0f %% of the time, one "
                                     "after the other with the kernels",
                                     100 * share),
        .fix = slow
                   ? "Pin the host's memory (cudaHostAlloc, cudaHostRegister), then copy in pieces "
                     "on streams of their own while the kernels work on others; or keep the data "
                     "on the device from kernel to kernel."
                   : "Copy in pieces on streams of their own while the kernels work on others; or "
                     "keep the data on the device from kernel to kernel.",
        .expected_time_ns = together - copies, // finding_add adds all that is moved
    };
    evidence_figure(&f, "h2d_ns", t->h2d_ns, t->provenance);
    evidence_figure(&f, "d2h_ns", t->d2h_ns, t->provenance);
    evidence_figure(&f, "h2d_bytes", t->h2d_bytes, t->provenance);
    evidence_figure(&f, "d2h_bytes", t->d2h_bytes, t->provenance);
    evidence_figure(&f, "host_link_gbps", link, PROVENANCE_MODELLED);
    finding_add(s, f);
}

void find_communication(const struct search *s)
{
    const struct transfers *t = &s->in->transfers;
    double rest = s->in->time_ns.value + t->h2d_ns + t->d2h_ns;
    double share = t->peer_ns / (rest + t->peer_ns);
    if (!(share >= MOVING_SHARE_MIN))
        return;
    struct finding f = {
        .cause = "communication",
        .class = FINDING_COMMUNICATION,
        .title =
            arena_printf(s->a, "Exchanges with other GPUs are %.0f %% of the time", 100 * share),
        .fix = "Compute the borders first and exchange them while the inside is computed; exchange "
               "larger pieces less often.",
        .expected_time_ns = fmax(rest, t->peer_ns) - s->moved_ns,
    };
    evidence_figure(&f, "peer_ns", t->peer_ns, t->provenance);
    finding_add(s, f);
}

static const char *clock_fix(const char *reason)
{
    if (strstr(reason, "power"))
        return "Raise the power limit if you may (nvidia-smi -pl), or spend less energy on a "
               "result: "
               "fewer bytes moved, fewer instructions. Compare variants at one locked clock "
               "(nvidia-smi -lgc).";
    if (strstr(reason, "heat"))
        return "Cool it better: air flow, fans, neighbours, the room. Until then compare variants "
               "at "
               "one locked clock (nvidia-smi -lgc).";
    return "Look for its cause (nvidia-smi -q -d PERFORMANCE): power supply, cables, an external "
           "brake.";
}

// What device memory explains of the time stays, it has a clock of its own; the rest goes with the
// SMs' clock.
void find_power(const struct search *s)
{
    const struct clock_state *c = &s->in->state;
    double full = GPU(s->in->gpu, clock_mhz), time = s->in->time_ns.value;
    if (!c->throttled || !(c->sm_mhz > 0) || c->sm_mhz >= CLOCK_SLOWED * full)
        return;
    double dram = s->bounds->by[RESOURCE_DRAM].time_ns;
    double launch = s->bounds->by[RESOURCE_LAUNCH].time_ns;
    double stays = fmin(time, (isnan(dram) ? 0 : dram) + (isnan(launch) ? 0 : launch));
    struct finding f = {
        .cause = "clocks",
        .class = FINDING_POWER,
        .title = arena_printf(s->a, "The chip ran at %.0f of %.0f MHz: %s", c->sm_mhz, full,
                              c->throttled),
        .fix = clock_fix(c->throttled),
        .expected_time_ns = stays + (time - stays) * c->sm_mhz / full,
    };
    evidence_figure(&f, "sm_mhz", c->sm_mhz, PROVENANCE_MEASURED);
    if (c->power_w > 0)
        evidence_figure(&f, "power_w", c->power_w, PROVENANCE_MEASURED);
    if (c->temperature_c > 0)
        evidence_figure(&f, "temperature_c", c->temperature_c, PROVENANCE_MEASURED);
    finding_add(s, f);
}
