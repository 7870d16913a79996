// NVML for tests where there is none: libnvidia-ml.so.1 of one GPU whose clock falls from 1980 MHz by
// 15 MHz a reading, down to 1755, at 300 W and 45 C. What the environment says: FAKE_STEADY (the clock stays),
// FAKE_LIMIT (of 500 W, not 700), FAKE_THROTTLED (by the power limit), FAKE_NO_ENERGY (no counter of energy), FAKE_NVLINKS
// (that are up, one more is down), FAKE_DIRECT (they end at the GPU of bus 1 or 0, not at a switch).
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int readings;
static int devices[256]; // by the bus of their PCI address
static int device;
int power_is_reported = 1; // a test switches it off

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *version, unsigned size_bytes)
{
    static const char own[] = "999.1";
    for (unsigned i = 0; i < sizeof own && i < size_bytes; i++)
        version[i] = own[i];
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **out)
{
    *out = &devices[strtol(bus_id + 5, NULL, 16) & 255]; // behind the domain of four digits
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 1;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out)
{
    (void)index;
    *out = &device;
    return 0;
}

int nvmlDeviceGetUUID(void *gpu, char *uuid, unsigned size_bytes)
{
    static const char own[] = "GPU-fake";
    (void)gpu;
    for (unsigned i = 0; i < sizeof own && i < size_bytes; i++)
        uuid[i] = own[i];
    return 0;
}

int nvmlDeviceGetPciInfo_v3(void *gpu,
                            char *pci) // the address lies behind 16 characters and 5 numbers
{
    static const char own[] = "00000000:4e:00.0";
    (void)gpu;
    for (unsigned i = 0; i < sizeof own; i++)
        pci[36 + i] = own[i];
    return 0;
}

int nvmlDeviceGetClockInfo(void *gpu, int which, unsigned *mhz)
{
    (void)gpu;
    readings += which == 1 && !getenv("FAKE_STEADY"); // the SMs'
    *mhz = which == 1 ? 1980 - 15 * (unsigned)(readings < 15 ? readings : 15) : 3201;
    return 0;
}

int nvmlDeviceGetPowerUsage(void *gpu, unsigned *milliwatts)
{
    (void)gpu;
    *milliwatts = 300000;
    return power_is_reported ? 0 : 3; // not supported
}

int nvmlDeviceGetClock(void *gpu, int type, int which, unsigned *mhz)
{
    (void)gpu;
    *mhz = which != 1 ? 0 : type == 1 ? 1980 : 3201;
    return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(void *gpu, unsigned *milliwatts)
{
    (void)gpu;
    *milliwatts = getenv("FAKE_LIMIT") ? 500000 : 700000;
    return 0;
}

int nvmlDeviceGetTemperature(void *gpu, int sensor, unsigned *celsius)
{
    (void)gpu;
    (void)sensor;
    *celsius = 45;
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *millijoules)
{
    (void)gpu;
    if (getenv("FAKE_NO_ENERGY"))
        return 3;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    // 300 W, in steps of 20 ms.
    *millijoules =
        ((unsigned long long)now.tv_sec * 50 + (unsigned long long)now.tv_nsec / 20000000) * 6000;
    return 0;
}

int nvmlDeviceGetCurrentClocksEventReasons(void *gpu, unsigned long long *reasons)
{
    (void)gpu;
    *reasons = getenv("FAKE_THROTTLED") ? 0x04 : 0;
    return 0;
}

/* ---- links -------------------------------------------------------------------------------------- */

int nvmlDeviceGetNvLinkState(void *gpu, unsigned link, int *active)
{
    unsigned count = getenv("FAKE_NVLINKS") ? (unsigned)atoi(getenv("FAKE_NVLINKS")) : 0;
    (void)gpu;
    *active = link < count;
    return count == 0 ? 3 : link <= count ? 0 : 2; // not supported; invalid argument
}

int nvmlDeviceGetNvLinkRemoteDeviceType(void *gpu, unsigned link, int *type)
{
    (void)gpu, (void)link;
    *type = getenv("FAKE_DIRECT") ? 0 : 2;
    return 0;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *gpu, unsigned link, char *pci)
{
    (void)link;
    memcpy(pci + 36, gpu == &devices[0] ? "00000000:01:00.0" : "00000000:00:00.0", 17);
    return 0;
}

int nvmlDeviceGetFieldValues(void *gpu, int count, char *field)
{
    int id, speed_mbps = 26562, is_unsigned = 1, status = 0;
    (void)gpu;
    memcpy(&id, field, sizeof id);
    if (count != 1 || id != 164) // of NVLink's speed alone
        return 3;
    memcpy(field + 24, &is_unsigned, sizeof is_unsigned);
    memcpy(field + 28, &status, sizeof status);
    memcpy(field + 32, &speed_mbps, sizeof speed_mbps);
    return 0;
}

int nvmlDeviceGetTopologyCommonAncestor(void *gpu, void *other, int *level)
{
    *level = gpu == other ? 0 : 50;
    return 0;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *gpu, unsigned *generation)
{
    *generation = gpu == &devices[1] ? 4 : 5;
    return 0;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *gpu, unsigned *generation)
{
    (void)gpu;
    *generation = 5;
    return 0;
}

int nvmlDeviceGetCurrPcieLinkWidth(void *gpu, unsigned *lanes)
{
    (void)gpu;
    *lanes = 16;
    return 0;
}

int nvmlDeviceGetMaxPcieLinkWidth(void *gpu, unsigned *lanes)
{
    return nvmlDeviceGetCurrPcieLinkWidth(gpu, lanes);
}
