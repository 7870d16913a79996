// Telemetry of NVIDIA's GPUs by NVML: clocks, power, temperature, energy, reasons for slower clocks. It
// asks by PCI address and needs no context. What a chip does not report stays NAN.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nvml.h"

#include <stdio.h>
#include <stdlib.h>

enum { NVML_CLOCK_ID_TARGET = 1 }; // what applications are given, where the chip can

static bool symbol_load(void *library, const char *name, const char *further, void *out,
                        size_t size_bytes, struct error *err)
{
    struct error ignored = {0};
    return library_symbol(library, name, out, size_bytes, further ? &ignored : err) ||
           (further && library_symbol(library, further, out, size_bytes, err));
}

bool nvml_functions_load(struct nvml_functions *f, struct error *err)
{
    static const char *const names[] = {"libnvidia-ml.so.1", NULL};
    static const char *const usual[] = {"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib", NULL};
    struct error ignored = {0};
    void *library = library_open(names, NULL, &ignored);
    if (!library)
        library = library_open(names, usual, &ignored);
    if (!library)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "libnvidia-ml.so.1 is not here: it comes with NVIDIA's driver");
#define NVML(name, further, parameters)                                       \
    if (!symbol_load(library, #name, further, &f->name, sizeof f->name, err)) \
        return false;
#define NVML_OPTIONAL(name, parameters)                                         \
    if (!symbol_load(library, #name, NULL, &f->name, sizeof f->name, &ignored)) \
        f->name = NULL;
#include "device/cuda/nvml.def"
#undef NVML
#undef NVML_OPTIONAL
    return f->nvmlInit_v2() == NVML_DONE ||
           fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "libnvidia-ml.so.1 was found, but does not start: no usable GPU");
}

bool nvml_version(char *out, unsigned size_bytes, struct error *err)
{
    struct nvml_functions f;
    return nvml_functions_load(&f, err) &&
           (f.nvmlSystemGetDriverVersion(out, size_bytes) == NVML_DONE ||
            fail_as(err, ERROR_SYSTEM, NOWHERE,
                    "libnvidia-ml.so.1 was found, but does not start: no usable GPU"));
}

static bool nvml_open(const struct device_info *info, struct telemetry **out, struct error *err)
{
    struct nvml *n = xcalloc(1, sizeof *n);
    n->head.ops = &nvml_telemetry;
    bool done = nvml_functions_load(&n->call, err);
    if (done)
        done = (info->bus_id &&
                n->call.nvmlDeviceGetHandleByPciBusId_v2(info->bus_id, &n->device) == NVML_DONE) ||
               fail_as(err, ERROR_SYSTEM, NOWHERE, "NVML does not know the GPU at %s",
                       info->bus_id ? info->bus_id : "an unknown PCI address");
    if (!done) {
        free(n);
        return false;
    }
    *out = &n->head;
    return true;
}

static void nvml_close(struct telemetry *t)
{
    nvml_events_close((struct nvml *)t);
    free(t); // NVML stays initialised: others in the process may use it
}

// Bits of nvmlClocksThrottleReasons that slow a kernel down, by what causes them.
static const struct {
    uint64_t mask;
    const char *name;
} throttles[] = {
    {0x04, "power limit"},
    {0x08 | 0x80, "hardware slowdown"},
    {0x20 | 0x40, "heat"},
};

static void nvml_read(struct telemetry *t, struct device_state *out)
{
    static const double mw_per_w = 1000;
    const struct nvml_functions *f = &((struct nvml *)t)->call;
    void *device = ((struct nvml *)t)->device;
    unsigned value = 0;
    unsigned long long large = 0;
    out->valid = f->nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &value) == NVML_DONE;
    if (out->valid)
        out->sm_mhz = value;
    if (f->nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEMORY, &value) == NVML_DONE)
        out->memory_mhz = value;
    if (f->nvmlDeviceGetPowerUsage(device, &value) == NVML_DONE)
        out->power_w = value / mw_per_w;
    if (f->nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value) == NVML_DONE)
        out->temperature_c = value;
    if (f->nvmlDeviceGetTotalEnergyConsumption(device, &large) == NVML_DONE)
        out->energy_mj = (double)large;
    large = 0;
    if (f->nvmlDeviceGetCurrentClocksEventReasons(device, &large) != NVML_DONE)
        return;
    for (size_t i = 0; i < COUNT_OF(throttles) && !out->throttled; i++)
        if (large & throttles[i].mask)
            out->throttled = throttles[i].name;
}

static void nvml_policy(struct telemetry *t, char *out, size_t size_bytes)
{
    enum { MW_PER_W = 1000 };
    const struct nvml_functions *f = &((struct nvml *)t)->call;
    void *device = ((struct nvml *)t)->device;
    unsigned sm = 0, memory = 0, limit_mw = 0;
    int used = 0;
    out[0] = '\0';
    if (f->nvmlDeviceGetClock &&
        f->nvmlDeviceGetClock(device, NVML_CLOCK_SM, NVML_CLOCK_ID_TARGET, &sm) == NVML_DONE &&
        f->nvmlDeviceGetClock(device, NVML_CLOCK_MEMORY, NVML_CLOCK_ID_TARGET, &memory) ==
            NVML_DONE)
        used = snprintf(out, size_bytes, "%u/%u MHz", sm, memory);
    if (f->nvmlDeviceGetEnforcedPowerLimit &&
        f->nvmlDeviceGetEnforcedPowerLimit(device, &limit_mw) == NVML_DONE)
        (void)snprintf(out + used, size_bytes - (size_t)used, "%slimit %u W", used ? ", " : "",
                       limit_mw / MW_PER_W);
}

const struct telemetry_ops nvml_telemetry = {.open = nvml_open,
                                             .read = nvml_read,
                                             .close = nvml_close,
                                             .policy = nvml_policy,
                                             .chips = nvml_chips,
                                             .sample = nvml_sample};
