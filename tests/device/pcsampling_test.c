// PC samples against a library that has them as CUPTI does, and with what can be off: each is an error that says so.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/pcsampling.h"
#include "device/support.h"
#include "support/fake.h"

static struct arena arena;

static bool sample(enum sampling_mode mode, struct pc_samples *out, struct error *err)
{
    struct pcsampling *s = NULL;
    struct error ignored = {0};
    *out = (struct pc_samples){0};
    error_clear(err);
    if (!pcsampling_open(NULL, mode, 7, &s, err))
        return false;
    bool ran = pcsampling_begin(s, err) && pcsampling_end(s, err);
    return pcsampling_close(s, &arena, out, ran ? err : &ignored) && ran;
}

static const struct pc_place *place_of(const struct pc_samples *s, const char *function,
                                       uint64_t offset)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->places[i].function, function) == 0 && s->places[i].offset == offset)
            return &s->places[i];
    fail_msg("no place %s + %d", function, (int)offset);
    return NULL;
}

static void samples_are_those_of_each_instruction(void **state)
{
    struct error err = {0};
    (void)state;
    for (int mode = SAMPLING_KERNEL; mode < SAMPLING_MODE_COUNT; mode++) {
        struct pc_samples s;
        if (!sample((enum sampling_mode)mode, &s, &err))
            fail_msg("%s", err.message);
        assert_int_equal(s.count, 3);
        const struct pc_place *waits = place_of(&s, "plain", 0);
        assert_int_equal(waits->samples[STALL_LONG_SCOREBOARD],
                         3000);                                    // not those without issue again
        const struct pc_place *rest = place_of(&s, "plain", 0x20); // of two records
        assert_int_equal(rest->samples[STALL_SELECTED], 2000);
        assert_int_equal(place_of(&s, "other", 0)->samples[STALL_LONG_SCOREBOARD], 3000);
        assert_int_equal(s.total, 8000);
        assert_int_equal(s.dropped, 0);
    }
}

static void a_reason_of_a_later_chip_is_misc(void **state)
{
    struct error err = {0};
    struct pc_samples s;
    (void)state;
    assert_int_equal(setenv("FAKE_PC", "later", 1), 0);
    assert_true(sample(SAMPLING_KERNEL, &s, &err));
    assert_int_equal(place_of(&s, "plain", 0x20)->samples[STALL_MISC], 1000);
    assert_int_equal(place_of(&s, "plain", 0x20)->samples[STALL_SELECTED], 1000);
}

static void dropped_samples_are_counted(void **state)
{
    struct error err = {0};
    struct pc_samples s;
    (void)state;
    assert_int_equal(setenv("FAKE_PC", "dropped", 1), 0);
    assert_true(sample(SAMPLING_KERNEL, &s, &err));
    assert_int_equal(s.dropped, 10); // of two fetches
}

static void what_is_off_is_said(void **state)
{
    static const struct {
        const char *off, *said;
    } known[] = {
        {"denied", "NVreg_RestrictProfilingToAdminUsers=0"},
        {"busy", "another profiler is using the GPU (CUPTI status 26)"},
        {"unsupported", "this GPU does not sample"},
        {"old", "NVIDIA's driver is too old for this libcupti"},
        {"no-reasons", "CUPTI reports 0 stall reasons"},
        {"many-reasons", "CUPTI reports 100000 stall reasons"},
        {"setting", "CUPTI cannot configure sampling: CUPTI_ERROR_OF_THE_FAKE (7)"},
        {"full-status", "buffer of samples is full"},
        {"full", "buffer of samples is full"},
        {"many", "not understood: 100000 instructions where there is room for 4096"},
        {"reasons", "not understood: 1000 reasons of 4 at an instruction of 'plain'"},
        {"endless", "do not end"},
        {"cut-rest", "not understood: 100000 instructions"},
        {"end", "CUPTI cannot end sampling: CUPTI_ERROR_OF_THE_FAKE (999)"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct error err = {0};
        struct pc_samples s;
        assert_int_equal(setenv("FAKE_PC", known[i].off, 1), 0);
        if (sample(SAMPLING_KERNEL, &s, &err))
            fail_msg("%s: no error", known[i].off);
        if (!strstr(err.message, known[i].said))
            fail_msg("%s: %s", known[i].off, err.message);
    }
    struct error err = {0};
    struct pc_samples s;
    assert_int_equal(unsetenv("FAKE_PC"), 0);
    if (!sample(SAMPLING_KERNEL, &s, &err)) // nothing stays behind
        fail_msg("%s", err.message);
}

static int setup(void **state)
{
    const char *folder = make_folder(&arena);
    (void)state;
    (void)fake_open(folder, "libcupti.so.13", "tests/device/fake_pcsampling.c");
    return setenv("RIDGE_CUDA_PATH", folder, 1);
}

static int teardown(void **state)
{
    (void)state;
    arena_release(&arena);
    return unsetenv("FAKE_PC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_those_of_each_instruction),
        cmocka_unit_test(a_reason_of_a_later_chip_is_misc),
        cmocka_unit_test(dropped_samples_are_counted),
        cmocka_unit_test(what_is_off_is_said),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
