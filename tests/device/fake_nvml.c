// NVML for tests where there is none: libnvidia-ml.so.1 of one GPU whose clock falls from 1980 MHz by
// 15 MHz a reading, down to 1755, at 300 W and 45 C. What the environment says: FAKE_STEADY (the clock stays),
// FAKE_LIMIT (of 500 W, not 700), FAKE_THROTTLED (by the power limit), FAKE_NO_ENERGY (no counter of energy).
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <time.h>

static int readings;
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
    (void)bus_id;
    *out = &device;
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
