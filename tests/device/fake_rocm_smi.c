// librocm_smi64 for tests where there is none: two GPUs, at 0000:0b:00.0 and 0000:4e:00.0; the second is asked: 1200 MHz of
// 500, 1200 and 1700, 180 W of 300, 62 C at its hottest place. A test sets what is otherwise: smi_new_form (frequencies of
// ROCm 6 on), smi_silent (a number of smi_figure that the chip does not report).
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NOT_SUPPORTED = 2, SECOND = 1 };
enum smi_figure { NOTHING, CLOCK, POWER, JUNCTION, ID, START };
int smi_new_form, smi_silent;

int rsmi_init(uint64_t flags)
{
    (void)fprintf(
        stderr, "Exception caught: rsmi_init.\n"); // as the real one does where there is no driver
    return flags == 0 && smi_silent != START ? 0 : 8;
}

int rsmi_num_monitor_devices(uint32_t *count)
{
    *count = 2;
    return 0;
}

int rsmi_dev_pci_id_get(uint32_t device, uint64_t *bdf) // a partition's number is in bits 28 to 31
{
    *bdf = device == SECOND ? UINT64_C(0x10004e00) : UINT64_C(0x0b00);
    return 0;
}

int rsmi_dev_gpu_clk_freq_get(uint32_t device, int clock, char *out)
{
    const struct {
        uint32_t count, current;
        uint64_t hz[3];
    } system = {3, 1, {500000000, 1200000000, 1700000000}}, memory = {1, 0, {1600000000}};
    if (device != SECOND || smi_silent == CLOCK || (clock != 0 && clock != 4))
        return NOT_SUPPORTED;
    const void *from = clock == 0 ? (const void *)&system : &memory;
    if (!smi_new_form) {
        memcpy(out, from, sizeof system);
        return 0;
    }
    out[0] = clock == 0; // has_deep_sleep
    memcpy(out + 4, from, 8);
    memcpy(out + 16, (const char *)from + 8, sizeof system.hz);
    return 0;
}

int rsmi_dev_temp_metric_get(uint32_t device, uint32_t sensor, int metric, int64_t *out)
{
    static const int64_t now[] = {55000, 62000, 70000};
    if (device != SECOND || sensor > 2 || (sensor == 1 && smi_silent == JUNCTION))
        return NOT_SUPPORTED;
    *out = metric == 0 ? now[sensor] : metric == 5 ? 105000 : 0;
    return metric == 0 || metric == 5 ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t *microwatts)
{
    *microwatts = 180000000;
    return device == SECOND && sensor == 0 && smi_silent != POWER ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_power_cap_get(uint32_t device, uint32_t sensor, uint64_t *microwatts)
{
    *microwatts = 300000000;
    return device == SECOND && sensor == 0 && smi_silent != POWER ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_energy_count_get(uint32_t device, uint64_t *count, float *microjoules, uint64_t *ns)
{
    *count = 4000000;
    *microjoules = 15.25f;
    *ns = 1;
    return device == SECOND ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_busy_percent_get(uint32_t device, uint32_t *pct)
{
    *pct = 93;
    return device == SECOND ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_memory_total_get(uint32_t device, int type, uint64_t *bytes)
{
    *bytes = UINT64_C(1) << 36;
    return device == SECOND && type == 0 ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_memory_usage_get(uint32_t device, int type, uint64_t *bytes)
{
    *bytes = UINT64_C(1) << 30;
    return device == SECOND && type == 0 ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_ecc_count_get(uint32_t device, int block, uint64_t out[2])
{
    out[0] = 3;
    out[1] = 1;
    return device == SECOND && block == 1 ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_unique_id_get(uint32_t device, uint64_t *id)
{
    *id = UINT64_C(0xabcdef0123456700) + device;
    return smi_silent != ID ? 0 : NOT_SUPPORTED;
}

int rsmi_dev_name_get(uint32_t device, char *name, size_t size_bytes)
{
    (void)snprintf(name, size_bytes, "AMD Instinct MI250X %u", device);
    return 0;
}

int rsmi_version_str_get(int component, char *version, uint32_t size_bytes)
{
    (void)snprintf(version, size_bytes, "6.7.0");
    return component == 0 ? 0 : NOT_SUPPORTED;
}
