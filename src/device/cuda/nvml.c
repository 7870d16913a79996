// The state of the chip by NVML: clocks, power, temperature, energy, reasons for slower clocks. What
// a chip does not tell is 0.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "device/cuda/probe_libs.h"

#include <stdlib.h>

enum { NVML_DONE = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_TEMPERATURE_GPU = 0 };

struct nvml {
    void *device;
    int (*nvmlInit_v2)(void);
    int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *bus_id, void **device);
    int (*nvmlDeviceGetClockInfo)(void *device, int type, unsigned *mhz);
    int (*nvmlDeviceGetPowerUsage)(void *device, unsigned *milliwatts);
    int (*nvmlDeviceGetTemperature)(void *device, int sensor, unsigned *celsius);
    int (*nvmlDeviceGetTotalEnergyConsumption)(void *device, unsigned long long *millijoules);
    int (*reasons)(void *device, unsigned long long *reasons);
};

static bool functions_load(struct nvml *n, struct error *err)
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
#define SYMBOL(name) library_symbol(library, #name, &n->name, sizeof n->name, err)
    return SYMBOL(nvmlInit_v2) && SYMBOL(nvmlDeviceGetHandleByPciBusId_v2) &&
           SYMBOL(nvmlDeviceGetClockInfo) && SYMBOL(nvmlDeviceGetPowerUsage) &&
           SYMBOL(nvmlDeviceGetTemperature) && SYMBOL(nvmlDeviceGetTotalEnergyConsumption) &&
           // Renamed in CUDA 12.2; drivers have both for now.
           (library_symbol(library, "nvmlDeviceGetCurrentClocksEventReasons", &n->reasons,
                           sizeof n->reasons, &ignored) ||
            library_symbol(library, "nvmlDeviceGetCurrentClocksThrottleReasons", &n->reasons,
                           sizeof n->reasons, err));
#undef SYMBOL
}

bool nvml_open(const char *pci_bus_id, struct nvml **out, struct error *err)
{
    struct nvml *n = xcalloc(1, sizeof *n);
    *out = NULL;
    if (functions_load(n, err) && n->nvmlInit_v2() == NVML_DONE &&
        n->nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id, &n->device) == NVML_DONE) {
        *out = n;
        return true;
    }
    free(n);
    return err->kind != ERROR_NONE ? false
                                   : fail_as(err, ERROR_SYSTEM, NOWHERE,
                                             "NVML does not know the GPU at %s", pci_bus_id);
}

void nvml_close(struct nvml *n)
{
    free(n); // NVML stays initialised: others in the process may use it
}

void nvml_read(struct nvml *n, struct nvml_sample *out)
{
    unsigned sm = 0, memory = 0, power = 0, temperature = 0;
    unsigned long long energy = 0, reasons = 0;
    bool known = n->nvmlDeviceGetClockInfo(n->device, NVML_CLOCK_SM, &sm) == NVML_DONE;
    (void)n->nvmlDeviceGetClockInfo(n->device, NVML_CLOCK_MEMORY, &memory);
    (void)n->nvmlDeviceGetPowerUsage(n->device, &power);
    (void)n->nvmlDeviceGetTemperature(n->device, NVML_TEMPERATURE_GPU, &temperature);
    (void)n->nvmlDeviceGetTotalEnergyConsumption(n->device, &energy);
    (void)n->reasons(n->device, &reasons);
    *out = (struct nvml_sample){.sm_mhz = sm,
                                .memory_mhz = memory,
                                .power_w = power / 1000.0,
                                .temperature_c = temperature,
                                .energy_mj = (double)energy,
                                .throttle_reasons = reasons,
                                .valid = known};
}
