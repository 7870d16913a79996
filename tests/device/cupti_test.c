// Counters by CUPTI, against a library that counts as CUPTI does: only what is asked for in one call.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cupti.h"
#include "device/support.h"
#include "support/fake.h"

static bool one_launch(void *context, struct error *err)
{
    return cupti_range_begin(*(struct cupti **)context, 0, err) &&
           cupti_range_end(*(struct cupti **)context, err);
}

static void assert_counted(const struct counters *c, enum counter_id id)
{
    if (!(counters_get(c, id, -1) > 0))
        fail_msg("%s is %g", counter_info(id)->name, counters_get(c, id, -1));
}

// The fake library's counters of one launch; the caller closes.
static struct cupti *open_and_count(struct arena *a, struct counters *counted)
{
    struct cupti *c = NULL;
    struct error err = {0};
    const char *folder = make_folder(a);
    (void)fake_open(folder, "libcupti.so.13", "tests/device/fake_cupti.c");
    assert_int_equal(setenv("RIDGE_CUDA_PATH", folder, 1), 0);
    if (!cupti_open(NULL, 0, &c, &err) || !cupti_count(c, one_launch, &c, 1, counted, &err))
        fail_msg("%s", err.message);
    return c;
}

// One call for each metric made the passes of each other's: on an H200, 58 in place of 10, and no instructions counted.
static void all_counters_are_asked_for_in_one_call(void **state)
{
    struct arena a = {0};
    struct counters counted;
    struct cupti *c = open_and_count(&a, &counted);
    assert_counted(&counted, COUNTER_WARP_INSTRUCTIONS);
    assert_counted(&counted, COUNTER_FLOPS_F32);
    assert_counted(&counted, COUNTER_INTEGER_OPS);
    assert_counted(&counted, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL);
    assert_counted(&counted, COUNTER_GLOBAL_STORE_SECTORS_IDEAL);
    assert_counted(&counted, COUNTER_L2_SECTORS_HIT);
    assert_int_equal(counted.figure[COUNTER_BARRIERS].provenance, PROVENANCE_ABSENT);
    cupti_close(c);
    arena_release(&a);
    (void)state;
}

static void another_profilers_pass_is_waited_for(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct counters counted;
    assert_int_equal(setenv("FAKE_CUPTI_BUSY", "3", 1), 0);
    struct cupti *c = open_and_count(&a, &counted);
    assert_counted(&counted, COUNTER_WARP_INSTRUCTIONS);
    assert_int_equal(setenv("FAKE_CUPTI_BUSY", "1000", 1), 0); // for longer than anybody waits
    assert_false(cupti_count(c, one_launch, &c, 1, &counted, &err));
    assert_non_null(strstr(err.message, "start a pass"));
    assert_int_equal(unsetenv("FAKE_CUPTI_BUSY"), 0);
    cupti_close(c);
    arena_release(&a);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_counters_are_asked_for_in_one_call),
        cmocka_unit_test(another_profilers_pass_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
