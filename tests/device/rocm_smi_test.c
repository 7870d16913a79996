// Telemetry of AMD's GPUs with a fake librocm_smi64: by PCI address, in both forms of its frequencies; what a chip does not
// report is not a zero. What is taken of the library is held to AMD's header where that is installed (librocm-smi-dev).
// SPDX-License-Identifier: Apache-2.0
#include "device/support.h"
#include "support/fake.h"

#include "device/hip/rocm_smi.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const struct device_info gpu = {
    .id = "hip:0", .name = "a GPU", .backend = "hip", .bus_id = "0000:4e:00.0"};

static int *form, *silent;

static int load_fake(void **state)
{
    static struct arena arena;
    (void)state;
    void *fake =
        fake_open(make_folder(&arena), "librocm_smi64.so.7", "tests/device/fake_rocm_smi.c");
    form = dlsym(fake, "smi_new_form");
    silent = dlsym(fake, "smi_silent");
    return !form || !silent;
}

static struct telemetry *opened(void)
{
    struct telemetry *t = NULL;
    struct error err = {0};
    if (!telemetry_open(&gpu, &t, &err))
        fail_msg("%s", err.message);
    return t;
}

static void state_of_the_chip_at_the_address_is_read(void **state)
{
    struct device_state s;
    (void)state;
    for (int i = 0; i < 2; i++) { // both forms of frequencies
        *form = i;
        struct telemetry *t = opened();
        telemetry_read(t, &s);
        assert_true(s.valid);
        assert_true(s.sm_mhz == 1200 && s.memory_mhz == 1600);
        assert_true(s.power_w == 180 && s.temperature_c == 62);
        assert_true(fabs(s.energy_mj - 61000) < 1e-6);
        assert_null(s.throttled); // rocm_smi says nothing of it
        telemetry_close(t);
    }
    *form = 0;
}

static void what_the_library_prints_as_it_starts_is_not_shown(void **state)
{
    (void)state;
    FILE *said = tmpfile();
    (void)fflush(stderr);
    int saved = dup(STDERR_FILENO);
    assert_true(said && saved >= 0 && dup2(fileno(said), STDERR_FILENO) >= 0);
    telemetry_close(opened());
    (void)fprintf(stderr, "ours\n"); // arrives again
    (void)fflush(stderr);
    (void)dup2(saved, STDERR_FILENO);
    (void)close(saved);
    char text[200];
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    (void)fclose(said);
    assert_string_equal(text, "ours\n");
}

static void what_the_chip_does_not_report_is_absent(void **state)
{
    enum { CLOCK = 1, POWER, JUNCTION };
    struct device_state s;
    struct telemetry *t = opened();
    (void)state;
    *silent = POWER;
    telemetry_read(t, &s);
    assert_true(s.valid && isnan(s.power_w) && s.temperature_c == 62);
    *silent = JUNCTION; // the edge's, then
    telemetry_read(t, &s);
    assert_true(s.temperature_c == 55);
    *silent = CLOCK;
    telemetry_read(t, &s);
    assert_false(s.valid);
    assert_true(isnan(s.sm_mhz));
    *silent = 0;
    telemetry_close(t);
}

static void all_that_it_reports_is_sampled(void **state)
{
    struct telemetry_sample s;
    struct telemetry *t = opened();
    (void)state;
    const struct {
        enum telemetry_field field;
        double value; // NAN: the fake has no function for it
    } rows[] = {{TELEMETRY_sm_clock_mhz, 1200},
                {TELEMETRY_sm_clock_max_mhz, 1700},
                {TELEMETRY_memory_clock_mhz, 1600},
                {TELEMETRY_power_w, 180},
                {TELEMETRY_power_limit_w, 300},
                {TELEMETRY_energy_j, 61},
                {TELEMETRY_temperature_c, 62},
                {TELEMETRY_temperature_slowdown_c, 105},
                {TELEMETRY_memory_temperature_c, 70},
                {TELEMETRY_busy_pct, 93},
                {TELEMETRY_memory_busy_pct, (double)NAN},
                {TELEMETRY_memory_used_bytes, 1 << 30},
                {TELEMETRY_memory_total_bytes, 64.0 * (1 << 30)},
                {TELEMETRY_ecc_corrected_errors, 3},
                {TELEMETRY_ecc_uncorrected_errors, 1},
                {TELEMETRY_fan_pct, (double)NAN},
                {TELEMETRY_pcie_replays, (double)NAN}};
    telemetry_sample_read(t, &s);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double v = s.value[rows[i].field];
        if (isnan(rows[i].value) ? !isnan(v) : !(fabs(v - rows[i].value) < 1e-6))
            fail_msg("%s is %g", telemetry_field_info(rows[i].field)->name, v);
    }
    assert_false(s.reasons_known || s.links_known || s.processes_known || s.xids_known || s.lost);
    telemetry_close(t);
}

static void chips_are_listed_with_their_addresses(void **state)
{
    enum { ID = 4 };
    struct arena a = {0};
    struct telemetry_chip *chips = NULL;
    struct telemetry *t = NULL;
    struct error err = {0};
    const char *policy, *uuid;
    int count = 0;
    (void)state;
    if (!telemetry_chips(&a, &chips, &count,
                         &err)) // NVIDIA's library is not here, and that is no error
        fail_msg("%s", err.message);
    assert_int_equal(count, 2);
    assert_string_equal(chips[0].bus_id, "0000:0b:00.0");
    assert_string_equal(chips[1].bus_id, "0000:4e:00.0");
    assert_string_equal(chips[1].uuid, "GPU-abcdef0123456701");
    assert_string_equal(chips[1].name, "AMD Instinct MI250X 1");
    assert_string_equal(chips[1].driver, "6.7.0");
    assert_string_equal(chips[1].backend, "hip");
    assert_int_equal(chips[1].index, 1);
    if (!telemetry_open_chip(&chips[1], &t, &err))
        fail_msg("%s", err.message);
    telemetry_close(t);
    telemetry_words(&a, &gpu, &policy, &uuid);
    assert_string_equal(policy, "limit 300 W");
    assert_string_equal(uuid, "GPU-abcdef0123456701");
    *silent = ID; // a Radeon
    assert_true(telemetry_chips(&a, &chips, &count, &err));
    assert_string_equal(chips[1].uuid, "0000:4e:00.0");
    *silent = 0;
    arena_release(&a);
}

static void a_chip_that_is_not_there_is_an_error(void **state)
{
    enum { START = 5 };
    struct device_info other = gpu;
    struct telemetry *t = NULL;
    struct error err = {0};
    (void)state;
    other.bus_id = "0000:4f:00.0";
    assert_false(telemetry_open(&other, &t, &err));
    assert_non_null(strstr(err.message, "librocm_smi64 does not know the GPU at 0000:4f:00.0"));
    other.bus_id = NULL;
    err = (struct error){0};
    assert_false(telemetry_open(&other, &t, &err));
    assert_non_null(strstr(err.message, "an unknown PCI address"));
    *silent = START;
    err = (struct error){0};
    assert_false(telemetry_open(&gpu, &t, &err));
    assert_non_null(strstr(err.message, "does not start"));
    *silent = 0;
}

// A frequency whose place is beyond their number is not known; nor is one of no frequencies.
static void frequencies_that_make_no_sense_are_absent(void **state)
{
    const struct {
        uint32_t head[4];
        uint64_t hz[2];
        double now, most;
    } rows[] = {
        {{2, 7, 100000000, 0}, {200000000}, (double)NAN, 200},
        {{0, 0, 0, 0}, {0}, (double)NAN, (double)NAN},
        {{34, 0, 0, 0}, {0}, (double)NAN, (double)NAN},
        {{1, 0, 800000000, 0}, {0}, 800, 800},                    // the old form, of one
        {{1, 1, 0, 0}, {800000000}, 800, 800},                    // the new one, of one
        {{0xabcdef00, 2, 1, 0}, {5000000, 900000000}, 900, 900}}; // bytes behind its flag are open
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char bytes[SMI_FREQUENCIES_BYTES] = {0};
        double now, most;
        memcpy(bytes, rows[i].head, sizeof rows[i].head);
        memcpy(bytes + sizeof rows[i].head, rows[i].hz, sizeof rows[i].hz);
        smi_clock_of(bytes, &now, &most);
        assert_true(isnan(rows[i].now) ? isnan(now) : now == rows[i].now);
        assert_true(isnan(rows[i].most) ? isnan(most) : most == rows[i].most);
    }
}

static void addresses_are_numbers_of_bus_device_and_function(void **state)
{
    uint64_t bdf = 0;
    (void)state;
    assert_true(smi_bdf_of("0001:4E:1f.7", &bdf));
    assert_true(bdf == (UINT64_C(1) << 32 | 0x4e << 8 | 0x1f << 3 | 7));
    assert_false(smi_bdf_of("4e:00", &bdf));
    assert_false(smi_bdf_of(NULL, &bdf));
}

/* ---- AMD's header ------------------------------------------------------------------------------------ */

#if __has_include(<rocm_smi/rocm_smi.h>)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wundef"
#include <rocm_smi/rocm_smi.h>
#pragma GCC diagnostic pop
_Static_assert((int)SMI_DONE == (int)RSMI_STATUS_SUCCESS, "status");
_Static_assert(sizeof(rsmi_status_t) == sizeof(int), "a status");
_Static_assert((int)SMI_CLOCK_SYSTEM == (int)RSMI_CLK_TYPE_SYS, "clock");
_Static_assert((int)SMI_CLOCK_MEMORY == (int)RSMI_CLK_TYPE_MEM, "clock");
_Static_assert((int)SMI_EDGE == (int)RSMI_TEMP_TYPE_EDGE, "sensor");
_Static_assert((int)SMI_JUNCTION == (int)RSMI_TEMP_TYPE_JUNCTION, "sensor");
_Static_assert((int)SMI_MEMORY == (int)RSMI_TEMP_TYPE_MEMORY, "sensor");
_Static_assert((int)SMI_TEMPERATURE_NOW == (int)RSMI_TEMP_CURRENT, "metric");
_Static_assert((int)SMI_TEMPERATURE_CRITICAL == (int)RSMI_TEMP_CRITICAL, "metric");
_Static_assert((int)SMI_VRAM == (int)RSMI_MEM_TYPE_VRAM, "memory");
_Static_assert((int)SMI_BLOCK_MEMORY == (int)RSMI_GPU_BLOCK_UMC, "block");
_Static_assert((int)SMI_DRIVER == (int)RSMI_SW_COMP_DRIVER, "component");
_Static_assert(sizeof(rsmi_frequencies_t) <= SMI_FREQUENCIES_BYTES, "room for frequencies");
_Static_assert(sizeof(rsmi_error_count_t) == sizeof(struct smi_errors), "counts of errors");
_Static_assert(sizeof(rsmi_clk_type_t) == sizeof(int), "an enumeration is passed as an int");

// Of functions: are they of that type? The library is not linked.
#define IS(function, ...) \
    _Generic(&(function), rsmi_status_t(*)(__VA_ARGS__) : true, default : false)

// Called as rocm_smi.def declares them: the same number of parameters, of the same sizes.
static void header_has_the_signatures_that_are_called(void **state)
{
    (void)state;
    assert_true(IS(rsmi_init, uint64_t));
    assert_true(IS(rsmi_num_monitor_devices, uint32_t *));
    assert_true(IS(rsmi_dev_pci_id_get, uint32_t, uint64_t *));
    assert_true(IS(rsmi_dev_gpu_clk_freq_get, uint32_t, rsmi_clk_type_t, rsmi_frequencies_t *));
    assert_true(
        IS(rsmi_dev_temp_metric_get, uint32_t, uint32_t, rsmi_temperature_metric_t, int64_t *));
    assert_true(IS(rsmi_dev_power_ave_get, uint32_t, uint32_t, uint64_t *));
    assert_true(IS(rsmi_dev_power_cap_get, uint32_t, uint32_t, uint64_t *));
    assert_true(IS(rsmi_dev_energy_count_get, uint32_t, uint64_t *, float *, uint64_t *));
    assert_true(IS(rsmi_dev_fan_speed_get, uint32_t, uint32_t, int64_t *));
    assert_true(IS(rsmi_dev_fan_speed_max_get, uint32_t, uint32_t, uint64_t *));
    assert_true(IS(rsmi_dev_busy_percent_get, uint32_t, uint32_t *));
    assert_true(IS(rsmi_dev_memory_busy_percent_get, uint32_t, uint32_t *));
    assert_true(IS(rsmi_dev_memory_total_get, uint32_t, rsmi_memory_type_t, uint64_t *));
    assert_true(IS(rsmi_dev_memory_usage_get, uint32_t, rsmi_memory_type_t, uint64_t *));
    assert_true(IS(rsmi_dev_pci_replay_counter_get, uint32_t, uint64_t *));
    assert_true(IS(rsmi_dev_ecc_count_get, uint32_t, rsmi_gpu_block_t, rsmi_error_count_t *));
    assert_true(IS(rsmi_dev_unique_id_get, uint32_t, uint64_t *));
    assert_true(IS(rsmi_dev_name_get, uint32_t, char *, size_t));
    assert_true(IS(rsmi_version_str_get, rsmi_sw_component_t, char *, uint32_t));
}
#else
static void header_has_the_signatures_that_are_called(void **state)
{
    (void)state;
    print_message("rocm_smi/rocm_smi.h is not here (librocm-smi-dev): nothing is compared\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_of_the_chip_at_the_address_is_read),
        cmocka_unit_test(what_the_library_prints_as_it_starts_is_not_shown),
        cmocka_unit_test(what_the_chip_does_not_report_is_absent),
        cmocka_unit_test(all_that_it_reports_is_sampled),
        cmocka_unit_test(chips_are_listed_with_their_addresses),
        cmocka_unit_test(a_chip_that_is_not_there_is_an_error),
        cmocka_unit_test(frequencies_that_make_no_sense_are_absent),
        cmocka_unit_test(addresses_are_numbers_of_bus_device_and_function),
        cmocka_unit_test(header_has_the_signatures_that_are_called),
    };
    return cmocka_run_group_tests(tests, load_fake, NULL);
}
