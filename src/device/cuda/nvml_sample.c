// All that NVML reports of a chip at once, for who watches it: no context is made. What a chip, a driver or a
// right does not give stays unknown.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvml.h"

#include <math.h>
#include <stdlib.h>

/* ---- the chips there are --------------------------------------------------------------------------- */

static bool chip_describe(struct arena *a, const struct nvml_functions *f, unsigned index,
                          struct telemetry_chip *out)
{
    char uuid[NVML_UUID_BYTES] = "", name[NVML_NAME_BYTES] = "", driver[NVML_VERSION_BYTES] = "";
    struct nvml_pci pci = {.bus_id = ""};
    void *device = NULL;
    if (f->nvmlDeviceGetHandleByIndex_v2(index, &device) != NVML_DONE ||
        f->nvmlDeviceGetUUID(device, uuid, sizeof uuid) != NVML_DONE ||
        f->nvmlDeviceGetPciInfo_v3(device, &pci) != NVML_DONE)
        return false;
    if (!f->nvmlDeviceGetName || f->nvmlDeviceGetName(device, name, sizeof name) != NVML_DONE)
        name[0] = '\0';
    if (f->nvmlSystemGetDriverVersion(driver, sizeof driver) != NVML_DONE)
        driver[0] = '\0';
    *out = (struct telemetry_chip){.uuid = arena_strndup(a, uuid, sizeof uuid),
                                   .name = arena_strndup(a, name, sizeof name),
                                   .bus_id = arena_strndup(a, pci.bus_id, sizeof pci.bus_id),
                                   .driver = arena_strndup(a, driver, sizeof driver),
                                   .backend = "cuda",
                                   .index = (int)index};
    return true;
}

bool nvml_chips(struct arena *a, struct telemetry_chip **out, int *count, struct error *err)
{
    struct nvml_functions f;
    unsigned all = 0;
    *out = NULL;
    *count = 0;
    if (!nvml_functions_load(&f, err))
        return false;
    if (!f.nvmlDeviceGetCount_v2 || !f.nvmlDeviceGetHandleByIndex_v2 || !f.nvmlDeviceGetUUID ||
        !f.nvmlDeviceGetPciInfo_v3 || f.nvmlDeviceGetCount_v2(&all) != NVML_DONE)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "libnvidia-ml.so.1 lists no GPUs: its driver is too old, or not running");
    *out = ARENA_ARRAY(a, struct telemetry_chip, all + 1);
    for (unsigned i = 0; i < all; i++)
        *count += chip_describe(a, &f, i, &(*out)[*count]);
    return *count > 0 || fail_as(err, ERROR_SYSTEM, NOWHERE, "NVML finds no GPU");
}

/* ---- figures --------------------------------------------------------------------------------------- */

// Each row of the table; *lost where the driver said so.
static void fields_read(const struct nvml *n, double *value, bool *lost)
{
    const struct nvml_functions *f = &n->call;
    unsigned u = 0;
    unsigned long long large = 0;
    int status;
#define UNSIGNED(field, function, factor)                   \
    status = f->function ? f->function(n->device, &u) : -1; \
    if (status == NVML_DONE)                                \
        value[TELEMETRY_##field] = u * (double)(factor);    \
    *lost |= status == NVML_GPU_IS_LOST;
#define UNSIGNED_OF(field, function, what, factor)                \
    status = f->function ? f->function(n->device, what, &u) : -1; \
    if (status == NVML_DONE)                                      \
        value[TELEMETRY_##field] = u * (double)(factor);          \
    *lost |= status == NVML_GPU_IS_LOST;
#define LARGE(field, function, factor)                          \
    status = f->function ? f->function(n->device, &large) : -1; \
    if (status == NVML_DONE)                                    \
        value[TELEMETRY_##field] = (double)large * (double)(factor);
#define ECC(field, error, since)                                                      \
    if (f->nvmlDeviceGetTotalEccErrors &&                                             \
        f->nvmlDeviceGetTotalEccErrors(n->device, error, since, &large) == NVML_DONE) \
        value[TELEMETRY_##field] = (double)large;
#include "device/cuda/nvml_fields.def"
#undef UNSIGNED
#undef UNSIGNED_OF
#undef LARGE
#undef ECC
}

// What programs use. The older call counts what the driver keeps for itself too (615 MiB on an idle H200).
static void memory_read(const struct nvml *n, double *value)
{
    const struct nvml_functions *f = &n->call;
    struct nvml_memory_v2 now = {.version = (unsigned)sizeof now | 2U << 24};
    struct nvml_memory memory;
    if (f->nvmlDeviceGetMemoryInfo_v2 &&
        f->nvmlDeviceGetMemoryInfo_v2(n->device, &now) == NVML_DONE)
        memory = (struct nvml_memory){.total = now.total, .used = now.used};
    else if (!f->nvmlDeviceGetMemoryInfo ||
             f->nvmlDeviceGetMemoryInfo(n->device, &memory) != NVML_DONE)
        return;
    value[TELEMETRY_memory_used_bytes] = (double)memory.used;
    value[TELEMETRY_memory_total_bytes] = (double)memory.total;
}

// Those that come several from one call.
static void groups_read(const struct nvml *n, double *value)
{
    const struct nvml_functions *f = &n->call;
    struct nvml_utilization busy;
    struct nvml_field field = {.id = NVML_FIELD_MEMORY_TEMPERATURE};
    unsigned corrected, uncorrected, pending, failed;
    if (f->nvmlDeviceGetUtilizationRates &&
        f->nvmlDeviceGetUtilizationRates(n->device, &busy) == NVML_DONE) {
        value[TELEMETRY_busy_pct] = busy.gpu_pct;
        value[TELEMETRY_memory_busy_pct] = busy.memory_pct;
    }
    memory_read(n, value);
    if (f->nvmlDeviceGetRemappedRows &&
        f->nvmlDeviceGetRemappedRows(n->device, &corrected, &uncorrected, &pending, &failed) ==
            NVML_DONE) {
        value[TELEMETRY_remapped_corrected_rows] = corrected;
        value[TELEMETRY_remapped_uncorrected_rows] = uncorrected;
        value[TELEMETRY_remapping_pending_flag] = pending != 0;
        value[TELEMETRY_remapping_failed_flag] = failed != 0;
    }
    if (f->nvmlDeviceGetFieldValues &&
        f->nvmlDeviceGetFieldValues(n->device, 1, &field) == NVML_DONE &&
        field.status == NVML_DONE && field.type == NVML_VALUE_UNSIGNED)
        value[TELEMETRY_memory_temperature_c] = field.value.u;
}

static void reasons_read(const struct nvml *n, struct telemetry_sample *out)
{
    static const unsigned masks[] = {
#define REASON(name, nvml, slows, words) nvml,
#include "device/reasons.def"
#undef REASON
    };
    unsigned long long reasons = 0;
    out->reasons_known =
        n->call.nvmlDeviceGetCurrentClocksEventReasons(n->device, &reasons) == NVML_DONE;
    for (unsigned i = 0; out->reasons_known && i < COUNT_OF(masks); i++)
        out->reasons |= (reasons & masks[i] ? 1u : 0u) << i;
}

/* ---- links, processes, events ---------------------------------------------------------------------- */

static void links_read(const struct nvml *n, struct telemetry_sample *out)
{
    static const int counters[LINK_ERROR_COUNT] = {
        [LINK_REPLAY] = 0, [LINK_RECOVERY] = 1, [LINK_CRC] = 2}; // nvmlNvLinkErrorCounter_t
    const struct nvml_functions *f = &n->call;
    for (unsigned i = 0; f->nvmlDeviceGetNvLinkState && i < TELEMETRY_LINKS_MAX; i++) {
        struct telemetry_link *link = &out->links[i];
        unsigned long long count;
        int active = 0;
        link->known = f->nvmlDeviceGetNvLinkState(n->device, i, &active) == NVML_DONE;
        link->up = active != 0;
        out->links_known |= link->known;
        if (!link->known)
            return; // a chip without NVLink, or with no more of them
        for (int e = 0; f->nvmlDeviceGetNvLinkErrorCounter && e < LINK_ERROR_COUNT; e++)
            if (f->nvmlDeviceGetNvLinkErrorCounter(n->device, i, counters[e], &count) == NVML_DONE)
                link->errors[e] = (double)count;
    }
}

static void process_add(struct telemetry_sample *out, const struct nvml_process *p)
{
    for (int i = 0; i < out->process_count && i < TELEMETRY_PROCESSES_MAX; i++)
        if (out->processes[i].pid == p->pid)
            return; // computes and draws
    if (out->process_count < TELEMETRY_PROCESSES_MAX)
        out->processes[out->process_count] = (struct telemetry_process){
            .pid = p->pid,
            .memory_bytes = p->used_bytes == ~0ULL ? (double)NAN : (double)p->used_bytes};
    out->process_count++;
}

static void processes_read(const struct nvml *n, struct telemetry_sample *out)
{
    int (*const ask[])(void *, unsigned *,
                       struct nvml_process *) = {n->call.nvmlDeviceGetComputeRunningProcesses_v3,
                                                 n->call.nvmlDeviceGetGraphicsRunningProcesses_v3};
    enum { ROOM = 512 };
    struct nvml_process *all = xcalloc(ROOM, sizeof *all);
    for (size_t k = 0; k < COUNT_OF(ask); k++) {
        unsigned count = ROOM;
        if (!ask[k] || ask[k](n->device, &count, all) != NVML_DONE)
            continue;
        out->processes_known = true;
        for (unsigned i = 0; i < count && i < ROOM; i++)
            process_add(out, &all[i]);
    }
    free(all);
}

static void events_open(struct nvml *n)
{
    const struct nvml_functions *f = &n->call;
    n->events_tried = true;
    if (!f->nvmlEventSetCreate || !f->nvmlEventSetFree || !f->nvmlDeviceRegisterEvents ||
        !f->nvmlEventSetWait_v2 || f->nvmlEventSetCreate(&n->events) != NVML_DONE)
        n->events = NULL;
    if (n->events && f->nvmlDeviceRegisterEvents(n->device, NVML_EVENT_XID, n->events) != NVML_DONE)
        nvml_events_close(n);
}

void nvml_events_close(struct nvml *n)
{
    if (n->events)
        (void)n->call.nvmlEventSetFree(n->events);
    n->events = NULL;
}

// What has arrived by now; nothing is waited for.
static void events_read(struct nvml *n, struct telemetry_sample *out)
{
    struct nvml_event event;
    if (!n->events_tried)
        events_open(n);
    out->xids_known = n->events != NULL;
    while (n->events && out->xid_count < TELEMETRY_XIDS_MAX &&
           n->call.nvmlEventSetWait_v2(n->events, &event, 0) == NVML_DONE)
        if (event.type == NVML_EVENT_XID)
            out->xids[out->xid_count++] = (unsigned)event.data;
}

void nvml_sample(struct telemetry *t, struct telemetry_sample *out)
{
    struct nvml *n = (struct nvml *)t;
    fields_read(n, out->value, &out->lost);
    events_read(n, out); // also of a chip that is lost: they say why
    if (out->lost)
        return;
    groups_read(n, out->value);
    reasons_read(n, out);
    links_read(n, out);
    processes_read(n, out);
}
