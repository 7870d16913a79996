// A driver for tests where there is none: as much of libcuda.so.1 as `ridge devices` asks. What the
// environment says: FAKE_NAME, FAKE_CC (90), FAKE_INIT (a status), FAKE_HANG, FAKE_COUNT. Compiled
// twice and linked: -DFAKE_REST makes every other function of driver.def.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef FAKE_REST
#define DRIVER(name, parameters)         \
    __attribute__((weak)) int name(void) \
    {                                    \
        return 801; /* not supported */  \
    }
#include "device/driver.def"
#else

static int number(const char *name, int otherwise)
{
    const char *value = getenv(name);
    return value ? atoi(value) : otherwise;
}

int cuInit(unsigned flags)
{
    (void)flags;
    if (getenv("FAKE_HANG"))
        pause();
    if (getenv("FAKE_CRASH"))
        abort();
    return number("FAKE_INIT", 0);
}

int cuDriverGetVersion(int *version)
{
    *version = 12040;
    return 0;
}

int cuGetErrorName(int status, const char **name)
{
    *name = status == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_OTHER";
    return 0;
}

int cuGetErrorString(int status, const char **text)
{
    *text = status == 100 ? "no CUDA-capable device is detected" : "other";
    return 0;
}

int cuDeviceGetCount(int *count)
{
    *count = number("FAKE_COUNT", 1);
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int size_bytes, int device)
{
    (void)device;
    const char *given = getenv("FAKE_NAME");
    snprintf(name, (size_t)size_bytes, "%s", given ? given : "NVIDIA H200");
    return 0;
}

int cuDeviceTotalMem_v2(size_t *size_bytes, int device)
{
    (void)device;
    *size_bytes = (size_t)24 << 30;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const struct {
        int attribute, value;
    } known[] = {
        {1, 1024},    {10, 32},      {13, 2000000}, {16, 77},     {36, 8000000},
        {37, 384},    {38, 1 << 25}, {39, 1536},    {81, 102400}, {82, 65536},
        {97, 101376}, {106, 24},     {111, 1024},
    };
    (void)device;
    if (attribute == 75 || attribute == 76) {
        int cc = number("FAKE_CC", 90);
        *value = attribute == 75 ? cc / 10 : cc % 10;
        return 0;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return 0;
        }
    return 1;
}
#endif
