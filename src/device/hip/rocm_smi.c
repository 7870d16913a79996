// Telemetry of AMD's GPUs by librocm_smi64: clocks, power, temperature, energy, memory, errors. It asks by PCI address and
// needs no runtime. What a chip does not report stays NAN. Not tried on hardware: docs/amd.md.
// SPDX-License-Identifier: Apache-2.0
#include "device/hip/rocm_smi.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 96, NO_POWER_LIMIT = 0 };
static const double micro = 1e-6, milli = 1e-3;

struct smi_functions {
#define SMI(name, parameters) int(*name) parameters;
#define SMI_OPTIONAL(name, parameters) int(*name) parameters;
#include "device/hip/rocm_smi.def"
#undef SMI
#undef SMI_OPTIONAL
};

struct smi {
    struct telemetry head; // first: a struct telemetry * is a struct smi *
    struct smi_functions call;
    uint32_t device;
};

/* ---- the library ----------------------------------------------------------------------------------- */

// Where it finds no driver the library complains on stderr, which is ridge's to speak on.
static int start_quietly(const struct smi_functions *f)
{
    (void)fflush(stderr);
    int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool quiet = saved >= 0 && nowhere >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
    int status = f->rsmi_init(0);
    if (quiet)
        (void)dup2(saved, STDERR_FILENO);
    if (nowhere >= 0)
        (void)close(nowhere);
    if (saved >= 0)
        (void)close(saved);
    return status;
}

static bool smi_load(struct smi_functions *f, struct error *err)
{
    // Debian numbers it by itself.
    static const char *const names[] = {"librocm_smi64.so.7", "librocm_smi64.so.6",
                                        "librocm_smi64.so.5", "librocm_smi64.so.1",
                                        "librocm_smi64.so",   NULL};
    struct error ignored = {0};
    void *library = hip_library(names, &ignored);
    if (!library)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "librocm_smi64 is not here: it comes with AMD's ROCm");
#define SMI(name, parameters)                                           \
    if (!library_symbol(library, #name, &f->name, sizeof f->name, err)) \
        return false;
#define SMI_OPTIONAL(name, parameters)                                       \
    if (!library_symbol(library, #name, &f->name, sizeof f->name, &ignored)) \
        f->name = NULL;
#include "device/hip/rocm_smi.def"
#undef SMI
#undef SMI_OPTIONAL
    return start_quietly(f) == SMI_DONE ||
           fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "librocm_smi64 was found, but does not start: no usable GPU");
}

static int part_body(void *context, int fd)
{
    (void)context;
    struct smi_functions f;
    struct error err = {0};
    uint32_t count = 0;
    if (!smi_load(&f, &err))
        return part_missing(fd, "%s", err.message);
    return f.rsmi_num_monitor_devices(&count) == SMI_DONE
               ? part_here(fd, "watches %" PRIu32 " GPUs", count)
               : part_missing(fd, "librocm_smi64 does not say how many GPUs there are");
}

void rocm_smi_part(struct parts *p)
{
    part_ask(p, "ROCm SMI (librocm_smi64)", part_body,
             "comes with AMD's ROCm: clocks, power and temperature of AMD's GPUs");
}

bool smi_bdf_of(const char *bus_id, uint64_t *out)
{
    static const char marks[] = {':', ':', '.', '\0'};
    unsigned long parts[COUNT_OF(marks)]; // domain, bus, device, function
    const char *at = bus_id;
    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        char *end = NULL;
        if (!at || !isxdigit((unsigned char)*at))
            return false;
        parts[i] = strtoul(at, &end, 16);
        if (*end != marks[i])
            return false;
        at = end + 1;
    }
    *out = (uint64_t)parts[0] << 32 | (parts[1] & 255) << 8 | (parts[2] & 31) << 3 | (parts[3] & 7);
    return true;
}

// Later versions keep a partition's number in bits 28 to 31.
static bool bdf_same(uint64_t x, uint64_t y)
{
    const uint64_t partition = UINT64_C(15) << 28;
    return (x & ~partition) == (y & ~partition);
}

static bool smi_find(const struct smi_functions *f, uint64_t wanted, uint32_t *out)
{
    uint32_t count = 0;
    uint64_t bdf = 0;
    if (f->rsmi_num_monitor_devices(&count) != SMI_DONE)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (f->rsmi_dev_pci_id_get(i, &bdf) == SMI_DONE && bdf_same(bdf, wanted)) {
            *out = i;
            return true;
        }
    return false;
}

static bool smi_open(const struct device_info *info, struct telemetry **out, struct error *err)
{
    struct smi *s = xcalloc(1, sizeof *s);
    uint64_t bdf = 0;
    s->head.ops = &rocm_smi_telemetry;
    bool done = smi_load(&s->call, err);
    if (done)
        done = (smi_bdf_of(info->bus_id, &bdf) && smi_find(&s->call, bdf, &s->device)) ||
               fail_as(err, ERROR_SYSTEM, NOWHERE, "librocm_smi64 does not know the GPU at %s",
                       info->bus_id ? info->bus_id : "an unknown PCI address");
    if (!done) {
        free(s);
        return false;
    }
    *out = &s->head;
    return true;
}

static void smi_close(struct telemetry *t)
{
    free(t); // the library stays initialised: others in the process may use it
}

/* ---- figures --------------------------------------------------------------------------------------- */

void smi_clock_of(const void *frequencies, double *now, double *most)
{
    enum { FREQUENCIES_MAX = 33, FLAG_BYTES = 4, HZ_PER_MHZ = 1000000 };
    const char *from = frequencies;
    uint8_t first = 0;
    uint32_t head[2] = {0}; // how many, and which
    uint64_t hz = 0, largest = 0;
    *now = *most = (double)NAN;
    memcpy(&first, from, sizeof first);
    memcpy(head, from, sizeof head);
    // Of the older form a 1 in front is the number of frequencies, and what follows is 0: the only one's place.
    bool flagged = first <= 1 && head[1] >= 1 && head[1] <= FREQUENCIES_MAX;
    if (flagged)
        memcpy(head, from + FLAG_BYTES, sizeof head);
    from += flagged ? 2 * sizeof head : sizeof head;
    if (head[0] == 0 || head[0] > FREQUENCIES_MAX)
        return;
    for (uint32_t i = 0; i < head[0]; i++) {
        memcpy(&hz, from + i * sizeof hz, sizeof hz);
        largest = hz > largest ? hz : largest;
        if (i == head[1])
            *now = (double)hz / HZ_PER_MHZ;
    }
    *most = (double)largest / HZ_PER_MHZ;
}

static void read_clock(const struct smi *s, int clock, double *now, double *most)
{
    char frequencies[SMI_FREQUENCIES_BYTES] = {0};
    *now = *most = (double)NAN;
    if (s->call.rsmi_dev_gpu_clk_freq_get(s->device, clock, frequencies) == SMI_DONE)
        smi_clock_of(frequencies, now, most);
}

static double read_temperature(const struct smi *s, uint32_t sensor, int metric)
{
    int64_t value = 0;
    return s->call.rsmi_dev_temp_metric_get(s->device, sensor, metric, &value) == SMI_DONE
               ? (double)value * milli
               : (double)NAN;
}

// The hottest place, where the chip reports it; data centre chips have no sensor at the edge.
static double read_chip_temperature(const struct smi *s, int metric)
{
    double c = read_temperature(s, SMI_JUNCTION, metric);
    return isnan(c) ? read_temperature(s, SMI_EDGE, metric) : c;
}

static double read_power(const struct smi *s)
{
    uint64_t value = 0;
    int type = 0;
    if ((s->call.rsmi_dev_power_get &&
         s->call.rsmi_dev_power_get(s->device, &value, &type) == SMI_DONE) ||
        (s->call.rsmi_dev_power_ave_get &&
         s->call.rsmi_dev_power_ave_get(s->device, 0, &value) == SMI_DONE))
        return (double)value * micro;
    return (double)NAN;
}

static double read_power_limit(const struct smi *s)
{
    uint64_t value = NO_POWER_LIMIT;
    bool known = s->call.rsmi_dev_power_cap_get &&
                 s->call.rsmi_dev_power_cap_get(s->device, 0, &value) == SMI_DONE;
    return known && value != NO_POWER_LIMIT ? (double)value * micro : (double)NAN;
}

static double read_energy_j(const struct smi *s)
{
    uint64_t count = 0, ns = 0;
    float microjoules = 0;
    bool known =
        s->call.rsmi_dev_energy_count_get &&
        s->call.rsmi_dev_energy_count_get(s->device, &count, &microjoules, &ns) == SMI_DONE;
    return known && microjoules > 0 ? (double)count * (double)microjoules * micro : (double)NAN;
}

static void smi_read(struct telemetry *t, struct device_state *out)
{
    const struct smi *s = (const struct smi *)t;
    double most = 0;
    read_clock(s, SMI_CLOCK_SYSTEM, &out->sm_mhz, &most);
    read_clock(s, SMI_CLOCK_MEMORY, &out->memory_mhz, &most);
    out->valid = !isnan(out->sm_mhz);
    out->power_w = read_power(s);
    out->temperature_c = read_chip_temperature(s, SMI_TEMPERATURE_NOW);
    out->energy_mj = read_energy_j(s) / milli;
}

static void smi_policy(struct telemetry *t, char *out, size_t size_bytes)
{
    double limit_w = read_power_limit((const struct smi *)t);
    out[0] = '\0';
    if (!isnan(limit_w))
        (void)snprintf(out, size_bytes, "limit %.0f W", limit_w);
}

static void read_counts(const struct smi *s, double *value)
{
    const struct smi_functions *f = &s->call;
    uint32_t pct = 0;
    uint64_t large = 0, most = 0;
    int64_t speed = 0;
    struct smi_errors errors = {0};
    if (f->rsmi_dev_busy_percent_get && f->rsmi_dev_busy_percent_get(s->device, &pct) == SMI_DONE)
        value[TELEMETRY_busy_pct] = pct;
    if (f->rsmi_dev_memory_busy_percent_get &&
        f->rsmi_dev_memory_busy_percent_get(s->device, &pct) == SMI_DONE)
        value[TELEMETRY_memory_busy_pct] = pct;
    if (f->rsmi_dev_memory_total_get &&
        f->rsmi_dev_memory_total_get(s->device, SMI_VRAM, &large) == SMI_DONE)
        value[TELEMETRY_memory_total_bytes] = (double)large;
    if (f->rsmi_dev_memory_usage_get &&
        f->rsmi_dev_memory_usage_get(s->device, SMI_VRAM, &large) == SMI_DONE)
        value[TELEMETRY_memory_used_bytes] = (double)large;
    if (f->rsmi_dev_pci_replay_counter_get &&
        f->rsmi_dev_pci_replay_counter_get(s->device, &large) == SMI_DONE)
        value[TELEMETRY_pcie_replays] = (double)large;
    if (f->rsmi_dev_fan_speed_get && f->rsmi_dev_fan_speed_max_get &&
        f->rsmi_dev_fan_speed_get(s->device, 0, &speed) == SMI_DONE &&
        f->rsmi_dev_fan_speed_max_get(s->device, 0, &most) == SMI_DONE && most > 0)
        value[TELEMETRY_fan_pct] = 100 * (double)speed / (double)most;
    if (f->rsmi_dev_ecc_count_get &&
        f->rsmi_dev_ecc_count_get(s->device, SMI_BLOCK_MEMORY, &errors) == SMI_DONE) {
        value[TELEMETRY_ecc_corrected_errors] = (double)errors.corrected;
        value[TELEMETRY_ecc_uncorrected_errors] = (double)errors.uncorrected;
    }
}

static void smi_sample(struct telemetry *t, struct telemetry_sample *out)
{
    const struct smi *s = (const struct smi *)t;
    double *value = out->value;
    read_clock(s, SMI_CLOCK_SYSTEM, &value[TELEMETRY_sm_clock_mhz],
               &value[TELEMETRY_sm_clock_max_mhz]);
    read_clock(s, SMI_CLOCK_MEMORY, &value[TELEMETRY_memory_clock_mhz],
               &value[TELEMETRY_memory_clock_max_mhz]);
    value[TELEMETRY_power_w] = read_power(s);
    value[TELEMETRY_power_limit_w] = read_power_limit(s);
    value[TELEMETRY_energy_j] = read_energy_j(s);
    value[TELEMETRY_temperature_c] = read_chip_temperature(s, SMI_TEMPERATURE_NOW);
    value[TELEMETRY_temperature_slowdown_c] = read_chip_temperature(s, SMI_TEMPERATURE_CRITICAL);
    value[TELEMETRY_memory_temperature_c] = read_temperature(s, SMI_MEMORY, SMI_TEMPERATURE_NOW);
    read_counts(s, value);
}

/* ---- the chips there are --------------------------------------------------------------------------- */

static void smi_describe(struct arena *a, const struct smi_functions *f, uint32_t device,
                         uint64_t bdf, struct telemetry_chip *out)
{
    char name[NAME_BYTES] = "", driver[NAME_BYTES] = "";
    uint64_t id = 0;
    if (!f->rsmi_dev_name_get || f->rsmi_dev_name_get(device, name, sizeof name - 1) != SMI_DONE)
        name[0] = '\0';
    if (!f->rsmi_version_str_get ||
        f->rsmi_version_str_get(SMI_DRIVER, driver, sizeof driver - 1) != SMI_DONE)
        driver[0] = '\0';
    const char *bus_id =
        arena_printf(a, "%04x:%02x:%02x.%x", (unsigned)(bdf >> 32), (unsigned)(bdf >> 8 & 255),
                     (unsigned)(bdf >> 3 & 31), (unsigned)(bdf & 7));
    bool known =
        f->rsmi_dev_unique_id_get && f->rsmi_dev_unique_id_get(device, &id) == SMI_DONE && id != 0;
    *out = (struct telemetry_chip){.uuid = known ? arena_printf(a, "GPU-%016" PRIx64, id)
                                                 : bus_id, // Radeons have none
                                   .name = arena_strdup(a, name),
                                   .bus_id = bus_id,
                                   .driver = arena_strdup(a, driver),
                                   .backend = backend_hip.name,
                                   .index = (int)device};
}

static bool smi_chips(struct arena *a, struct telemetry_chip **out, int *count, struct error *err)
{
    struct smi_functions f = {0};
    uint32_t all = 0;
    uint64_t bdf = 0;
    *out = NULL;
    *count = 0;
    if (!smi_load(&f, err))
        return false;
    if (f.rsmi_num_monitor_devices(&all) != SMI_DONE)
        all = 0;
    *out = ARENA_ARRAY(a, struct telemetry_chip, all + 1);
    for (uint32_t i = 0; i < all; i++)
        if (f.rsmi_dev_pci_id_get(i, &bdf) == SMI_DONE)
            smi_describe(a, &f, i, bdf, &(*out)[(*count)++]);
    return *count > 0 || fail_as(err, ERROR_SYSTEM, NOWHERE, "librocm_smi64 finds no GPU");
}

const struct telemetry_ops rocm_smi_telemetry = {.open = smi_open,
                                                 .read = smi_read,
                                                 .close = smi_close,
                                                 .policy = smi_policy,
                                                 .chips = smi_chips,
                                                 .sample = smi_sample};
