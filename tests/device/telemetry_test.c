// Telemetry: read by PCI address from NVML, with no device opened and no driver there; what a chip does not
// tell is not a zero.
// SPDX-License-Identifier: Apache-2.0
#include "device/support.h"
#include "support/fake.h"

#include <dlfcn.h>
#include <math.h>

static const struct device_info gpu = {
    .id = "cuda:0", .name = "a GPU", .backend = "cuda", .bus_id = "0000:4E:00.0"};

// The fake NVML under the real one's name, which the loader then gives to whoever asks for it.
static void *load_fake(struct arena *a)
{
    return fake_open(make_folder(a), "libnvidia-ml.so.1", "tests/device/fake_nvml.c");
}

static void telemetry_needs_no_device_at_work(void **state)
{
    struct arena a = {0};
    struct telemetry *t = NULL;
    struct device_state s;
    struct error err = {0};
    void *fake = load_fake(&a);
    if (!telemetry_open(&gpu, &t, &err))
        fail_msg("%s", err.message);
    telemetry_read(t, &s);
    assert_true(s.valid);
    assert_true(s.sm_mhz > 1700 && s.sm_mhz <= 1980);
    assert_true(s.memory_mhz == 3201 && s.power_w == 300 && s.temperature_c == 45);
    assert_null(s.throttled);

    int *power_is_reported = dlsym(fake, "power_is_reported");
    assert_non_null(power_is_reported);
    *power_is_reported = 0;
    telemetry_read(t, &s);
    assert_true(s.valid);
    assert_true(isnan(s.power_w)); // absent, not 0 W
    assert_true(s.temperature_c == 45);
    telemetry_close(t);
    const char *policy, *uuid;
    telemetry_words(&a, &gpu, &policy, &uuid);
    assert_non_null(policy);
    assert_string_equal(policy, "1980/3201 MHz, limit 700 W");
    assert_non_null(uuid); // though NVML and CUDA write the address with other numbers of zeros
    assert_string_equal(uuid, "GPU-fake");
    arena_release(&a);
}

static void a_simulated_device_has_none(void **state)
{
    struct arena a = {0};
    struct device_info info;
    struct device *d = NULL;
    struct telemetry *t = NULL;
    struct device_state s;
    struct error err = {0};
    if (!device_find(&a, "sim:h200", &info, &err) || !device_open(&info, &d, &err))
        fail_msg("%s", err.message);
    assert_false(telemetry_open(&info, &t, &err));
    assert_non_null(strstr(err.message, "sim:h200 has no clocks"));
    device_state(d, &s);
    assert_false(s.valid);
    const char *policy, *uuid;
    telemetry_words(&a, &info, &policy, &uuid);
    assert_null(policy);
    assert_null(uuid);
    device_close(d);
    telemetry_close(NULL);
    arena_release(&a);
}

// Where the optional concerns are missing, their faces are.
static void a_simulated_device_has_only_the_faces_it_can_fill(void **state)
{
    struct arena a = {0};
    struct device_info info;
    struct device *d = NULL;
    struct error err = {0};
    if (!device_find(&a, "sim:h200", &info, &err) || !device_open(&info, &d, &err))
        fail_msg("%s", err.message);
    assert_non_null(d->ops->memory);
    assert_non_null(d->ops->code);
    assert_null(d->ops->clock);
    assert_null(d->ops->counting);
    assert_null(d->ops->links);
    device_close(d);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(telemetry_needs_no_device_at_work),
        cmocka_unit_test(a_simulated_device_has_none),
        cmocka_unit_test(a_simulated_device_has_only_the_faces_it_can_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
