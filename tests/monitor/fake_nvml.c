// NVML for tests of the monitor: libnvidia-ml.so.1 whose figures are lines of a file, FAKE_NVML names it, read anew at
// each call, so that a test changes them while a monitor runs: "0.power_mw 300000" (GPU 0). A line that is missing has
// the default of a healthy H200 at work; "-" is a figure that the chip does not report, "lost" a chip that is gone.
// "gpus 2" are two of them. "0.slow_ms 50": a sample of it takes so long. "0.xid.1 79" is the first XID of GPU 0, delivered once to each event set.
// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DONE = 0, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, TIMED_OUT = 10, LOST = 15 };
enum { GPUS_MAX = 16 };

struct memory { // nvmlMemory_t
    unsigned long long total, free, used;
};
struct utilization { // nvmlUtilization_t
    unsigned gpu, memory;
};
struct process { // nvmlProcessInfo_t
    unsigned pid;
    unsigned long long used;
    unsigned instance, compute_instance;
};
struct pci { // nvmlPciInfo_t
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
struct event { // nvmlEventData_t
    void *device;
    unsigned long long type, data;
    unsigned instance, compute_instance;
};
struct field { // nvmlFieldValue_t
    unsigned id, scope;
    long long timestamp, latency;
    int type, status;
    union {
        double d;
        unsigned u;
        unsigned long long large;
    } value;
};
struct set {
    int gpu, delivered;
};

static int handles[GPUS_MAX]; // the address of one is a device

static int index_of(const void *device)
{
    return (int)((const int *)device - handles);
}

// The text behind "GPU.name" or "name" (gpu < 0) in the file; false: there is none.
static int line_of(int gpu, const char *name, char out[256])
{
    char key[128], line[512];
    const char *path = getenv("FAKE_NVML");
    FILE *f = path ? fopen(path, "r") : NULL;
    int found = 0;
    snprintf(key, sizeof key, gpu < 0 ? "%.0d%s " : "%d.%s ", gpu < 0 ? 0 : gpu, name);
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(out, 256, "%s", line + strlen(key));
            found = 1;
        }
    if (f)
        fclose(f);
    return found;
}

static int figure(const void *device, const char *name, unsigned long long otherwise,
                  unsigned long long *out)
{
    char text[256];
    if (line_of(index_of(device), "lost", text))
        return LOST;
    *out = otherwise;
    if (!line_of(index_of(device), name, text))
        return DONE;
    *out = strtoull(text, NULL, 10);
    return strcmp(text, "-") == 0 ? NOT_SUPPORTED : DONE;
}

static int small(const void *device, const char *name, unsigned otherwise, unsigned *out)
{
    unsigned long long large = 0;
    int status = figure(device, name, otherwise, &large);
    if (status == DONE)
        *out = (unsigned)large;
    return status;
}

int nvmlInit_v2(void)
{
    return DONE;
}

int nvmlSystemGetDriverVersion(char *version, unsigned size_bytes)
{
    snprintf(version, size_bytes, "999.1");
    return DONE;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    char text[256];
    *count = line_of(-1, "gpus", text) ? (unsigned)atoi(text) : 1;
    return DONE;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = &handles[index];
    return DONE;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device)
{
    unsigned domain = 0, bus = 0;
    if (sscanf(bus_id, "%x:%x", &domain, &bus) != 2 || bus < 0x4e || bus >= 0x4e + GPUS_MAX)
        return 6; // not found
    *device = &handles[bus - 0x4e];
    return DONE;
}

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci)
{
    memset(pci, 0, sizeof *pci);
    pci->bus = 0x4e + (unsigned)index_of(device);
    snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
    return DONE;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned size_bytes)
{
    snprintf(uuid, size_bytes, "GPU-00000000-0000-4000-8000-%012d", index_of(device));
    return DONE;
}

int nvmlDeviceGetName(void *device, char *name, unsigned size_bytes)
{
    char text[256];
    snprintf(name, size_bytes, "%s",
             line_of(index_of(device), "name", text) ? text : "NVIDIA H200");
    return DONE;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    return type == 1 ? small(device, "sm_mhz", 1980, mhz) : small(device, "memory_mhz", 3201, mhz);
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
    return type == 1 ? small(device, "sm_max_mhz", 1980, mhz)
                     : small(device, "memory_max_mhz", 3201, mhz);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    return small(device, "power_mw", 300000, milliwatts);
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *milliwatts)
{
    return small(device, "limit_mw", 700000, milliwatts);
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    return figure(device, "energy_mj", 123456789, millijoules);
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    (void)sensor;
    return small(device, "celsius", 45, celsius);
}

int nvmlDeviceGetTemperatureThreshold(void *device, int which, unsigned *celsius)
{
    return which == 1 ? small(device, "slowdown_celsius", 87, celsius) : NOT_SUPPORTED;
}

int nvmlDeviceGetFanSpeed(void *device, unsigned *percent)
{
    return small(device, "fan", 0, percent) == LOST ? LOST : NOT_SUPPORTED; // H200s have none
}

int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *reasons)
{
    return figure(device, "reasons", 0, reasons);
}

int nvmlDeviceGetUtilizationRates(void *device, struct utilization *rates)
{
    unsigned slow_ms = 0;
    int status = small(device, "busy", 62, &rates->gpu);
    if (small(device, "slow_ms", 0, &slow_ms) == DONE && slow_ms > 0)
        usleep(slow_ms * 1000);
    return status == DONE ? small(device, "memory_busy", 30, &rates->memory) : status;
}

struct memory_v2 { // nvmlMemory_v2_t
    unsigned version;
    unsigned long long total, reserved, free, used;
};
int nvmlDeviceGetMemoryInfo_v2(void *device, struct memory_v2 *memory)
{
    if (memory->version != (sizeof *memory | 2U << 24))
        return 25; // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
    int status = figure(device, "used_bytes", 34359738368ULL, &memory->used);
    memory->total = 150754820096ULL;
    memory->reserved = 644940800;
    memory->free = memory->total - memory->reserved - memory->used;
    return status;
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory) // of drivers before 510
{
    struct memory_v2 now = {.version = sizeof now | 2U << 24};
    int status = nvmlDeviceGetMemoryInfo_v2(device, &now);
    *memory =
        (struct memory){.total = now.total, .free = now.free, .used = now.used + now.reserved};
    return status;
}

int nvmlDeviceGetFieldValues(void *device, int count, struct field *values)
{
    for (int i = 0; i < count; i++) {
        values[i].type = 1;
        values[i].status = values[i].id == 82
                               ? small(device, "memory_celsius", 51, &values[i].value.u)
                               : NOT_SUPPORTED;
    }
    return DONE;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *generation)
{
    return small(device, "pcie_generation", 5, generation);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *generation)
{
    return small(device, "pcie_generation_max", 5, generation);
}

int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *lanes)
{
    return small(device, "pcie_width", 16, lanes);
}

int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *lanes)
{
    return small(device, "pcie_width_max", 16, lanes);
}

int nvmlDeviceGetPcieReplayCounter(void *device, unsigned *count)
{
    return small(device, "pcie_replays", 0, count);
}

int nvmlDeviceGetTotalEccErrors(void *device, int error, int counter, unsigned long long *count)
{
    return figure(device,
                  error == 0     ? counter == 0 ? "ecc_corrected" : "ecc_corrected_life"
                  : counter == 0 ? "ecc_uncorrected"
                                 : "ecc_uncorrected_life",
                  0, count);
}

int nvmlDeviceGetRemappedRows(void *device, unsigned *corrected, unsigned *uncorrected,
                              unsigned *pending, unsigned *failed)
{
    (void)small(device, "rows_corrected", 0, corrected);
    (void)small(device, "rows_pending", 0, pending);
    (void)small(device, "rows_failed", 0, failed);
    return small(device, "rows_uncorrected", 0, uncorrected);
}

int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *active)
{
    unsigned links = 0, up = 0;
    char name[32];
    int status = small(device, "nvlinks", 18, &links);
    if (status != DONE || link >= links)
        return status == DONE ? 2 : status; // invalid argument
    snprintf(name, sizeof name, "nvlink.%u", link);
    status = small(device, name, 1, &up);
    *active = (int)up;
    return status;
}

int nvmlDeviceGetNvLinkErrorCounter(void *device, unsigned link, int counter,
                                    unsigned long long *count)
{
    char name[48];
    snprintf(name, sizeof name, "nvlink_errors.%u.%d", link, counter);
    return figure(device, name, 0, count);
}

// "0.processes 4242:1073741824 4343:-": numbers and bytes.
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, struct process *out)
{
    char text[256];
    unsigned n = 0, room = *count;
    *count = 0;
    if (!line_of(index_of(device), "processes", text))
        return DONE;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "), n++) {
        if (n >= room)
            return INSUFFICIENT_SIZE;
        const char *bytes = strchr(word, ':') + 1;
        out[n] = (struct process){.pid = (unsigned)strtoul(word, NULL, 10),
                                  .used = *bytes == '-' ? ~0ULL : strtoull(bytes, NULL, 10)};
    }
    *count = n;
    return DONE;
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count, struct process *out)
{
    (void)device;
    (void)out;
    *count = 0;
    return DONE;
}

int nvmlEventSetCreate(void **set)
{
    *set = calloc(1, sizeof(struct set));
    return *set ? DONE : 999;
}

int nvmlEventSetFree(void *set)
{
    free(set);
    return DONE;
}

int nvmlDeviceRegisterEvents(void *device, unsigned long long types, void *set)
{
    ((struct set *)set)->gpu = index_of(device);
    return types == 8 ? DONE : NOT_SUPPORTED;
}

int nvmlEventSetWait_v2(void *set, struct event *out, unsigned timeout_ms)
{
    struct set *s = set;
    char name[32], text[256];
    (void)timeout_ms;
    snprintf(name, sizeof name, "xid.%d", s->delivered + 1);
    if (!line_of(s->gpu, name, text))
        return TIMED_OUT;
    s->delivered++;
    *out = (struct event){.device = &handles[s->gpu], .type = 8, .data = strtoull(text, NULL, 10)};
    return DONE;
}
