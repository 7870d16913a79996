// Sampling by made-up clocks: a subject that is surely slower than what is asked about is sampled no longer, and the
// others are as they would be without it.
// SPDX-License-Identifier: Apache-2.0
#include "loop/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { FAST, SLOW, SUBJECTS };

// Spread over six percent, no two alike for long.
static bool take(void *context, int subject, const struct device_run_options *options, int count,
                 double *times_ns, struct error *err)
{
    static const double run_ns[SUBJECTS] = {1e5, 3e5};
    unsigned *turn = context;
    (void)options;
    (void)err;
    for (int i = 0; i < count; i++)
        times_ns[i] = run_ns[subject] * (1 + 0.06 * ((*turn)++ * 7919 % 1009U) / 1009);
    return true;
}

static void sample(double cut_ns, double race_beyond, size_t counts[SUBJECTS])
{
    struct arena a = {0};
    struct error err = {0};
    struct device_info info;
    struct device *device = NULL;
    unsigned turn = 0;
    static const struct sampling_ops ops = {.take = take};
    struct sampled subjects[SUBJECTS] = {
        {.name = "fast", .batch_max_cold = 1, .batch_max = 1, .queue_max = 1},
        {.name = "slow", .batch_max_cold = 1, .batch_max = 1, .queue_max = 1}};
    assert_true(device_find(&a, "sim:h200", &info, &err) && device_open(&info, &device, &err));
    struct sampling s = {.ops = &ops,
                         .context = &turn,
                         .device = device,
                         .subjects = subjects,
                         .count = SUBJECTS,
                         .samples_max = 200,
                         .settle = 1e-9, // never: the number of samples ends it
                         .limit_s = 60,
                         .cut_ns = cut_ns,
                         .race_beyond = race_beyond};
    assert_true(sampling_run(&s, &err));
    for (int i = 0; i < SUBJECTS; i++) {
        counts[i] = subjects[i].good.count;
        sampled_release(&subjects[i]);
    }
    device_close(device);
    arena_release(&a);
}

static void without_a_limit_all_are_sampled_alike(void **state)
{
    size_t counts[SUBJECTS];
    sample(0, 0, counts);
    assert_int_equal(counts[FAST], 200);
    assert_int_equal(counts[SLOW], 200);
}

static void what_is_surely_slower_is_sampled_no_longer(void **state)
{
    size_t counts[SUBJECTS];
    sample(2.9e5, 0, counts);
    assert_int_equal(counts[FAST], 200);
    assert_in_range(counts[SLOW], 6, 30);
}

static void what_is_clearly_slower_is_sampled_in_one_block(void **state)
{
    size_t counts[SUBJECTS];
    sample(2e5, 0, counts);
    assert_int_equal(counts[FAST], 200);
    assert_in_range(counts[SLOW], 3, 5);
}

// The fastest is known once it has an interval: six samples, of two blocks.
static void in_a_race_what_is_slower_than_the_fastest_is_cut(void **state)
{
    size_t counts[SUBJECTS];
    sample(0, 1.02, counts);
    assert_int_equal(counts[FAST], 200);
    assert_in_range(counts[SLOW], 6, 10);
    sample(0, 4, counts);
    assert_int_equal(counts[SLOW], 200);
}

static void what_may_be_as_fast_goes_on(void **state)
{
    size_t counts[SUBJECTS];
    sample(3.1e5, 0, counts);
    assert_int_equal(counts[SLOW], 200);
}

enum { ALIKE = 5, ROUNDS = 8, BLOCKS_KEPT = ALIKE * ROUNDS };
struct order { // of the last blocks
    int subjects[BLOCKS_KEPT];
    unsigned count;
};

static bool take_in_order(void *context, int subject, const struct device_run_options *options,
                          int count, double *times_ns, struct error *err)
{
    struct order *o = context;
    (void)options;
    (void)err;
    for (int i = 0; i < count; i++)
        times_ns[i] = 1e5;
    o->subjects[o->count++ % BLOCKS_KEPT] = subject;
    return true;
}

// What a place in a round costs hits all alike; and what is settled at once is in eight blocks all the same.
static void each_second_round_is_the_first_reversed(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct device_info info;
    struct device *device = NULL;
    struct order o = {.count = 0};
    static const struct sampling_ops ops = {.take = take_in_order};
    struct sampled subjects[ALIKE] = {{0}};
    (void)state;
    for (int i = 0; i < ALIKE; i++)
        subjects[i] =
            (struct sampled){.name = "", .batch_max_cold = 1, .batch_max = 1, .queue_max = 1};
    assert_true(device_find(&a, "sim:h200", &info, &err) && device_open(&info, &device, &err));
    struct sampling s = {.ops = &ops,
                         .context = &o,
                         .device = device,
                         .subjects = subjects,
                         .count = ALIKE,
                         .samples_max = 200,
                         .limit_s = 60,
                         .seed = 7};
    assert_true(sampling_run(&s, &err));
    int rounds = (int)subjects[0].good_blocks;
    assert_int_equal(rounds, ROUNDS);
    for (int i = 0; i < ALIKE; i++) {
        assert_int_equal(subjects[i].good_blocks, rounds);
        sampled_release(&subjects[i]);
    }
    for (unsigned r = 0; r < ROUNDS; r += 2)
        for (unsigned i = 0; i < ALIKE; i++)
            assert_int_equal(o.subjects[(o.count + r * ALIKE + i) % BLOCKS_KEPT],
                             o.subjects[(o.count + (r + 2) * ALIKE - 1 - i) % BLOCKS_KEPT]);
    device_close(device);
    arena_release(&a);
}

static int looks;

static void count_look(struct telemetry *t, struct device_state *out)
{
    (void)t;
    (void)out;
    looks++;
}

static void nothing_to_close(struct telemetry *t)
{
    (void)t;
}

// To ask a chip about its state takes longer than a block of short kernels: in a race that is done fifty times per second
// at most, else once per block beside the first.
static size_t sample_watched(double race_beyond, double *took_s)
{
    static const struct telemetry_ops watch_ops = {.read = count_look, .close = nothing_to_close};
    static struct telemetry watch = {&watch_ops};
    static const struct sampling_ops ops = {.take = take};
    struct arena a = {0};
    struct error err = {0};
    struct device_info info;
    struct device *device = NULL;
    unsigned turn = 0;
    struct sampled subject = {.name = "", .batch_max_cold = 1, .batch_max = 1, .queue_max = 1};
    assert_true(device_find(&a, "sim:h200", &info, &err) && device_open(&info, &device, &err));
    device->telemetry = &watch;
    device->telemetry_tried = true;
    looks = 0;
    struct sampling s = {.ops = &ops,
                         .context = &turn,
                         .device = device,
                         .subjects = &subject,
                         .count = 1,
                         .samples_max = 500,
                         .settle = 1e-9,
                         .limit_s = 60,
                         .race_beyond = race_beyond};
    uint64_t began_ns = clock_ns();
    assert_true(sampling_run(&s, &err));
    *took_s = (double)(clock_ns() - began_ns) / 1e9;
    size_t blocks = subject.good_blocks;
    sampled_release(&subject);
    device_close(device);
    arena_release(&a);
    return blocks;
}

static void in_a_race_the_chip_is_looked_at_now_and_then(void **state)
{
    double took_s = 0;
    (void)state;
    assert_in_range(sample_watched(1.02, &took_s), 100, 500);
    assert_in_range(looks, 1, 1 + (int)(took_s / 0.02));
    size_t blocks = sample_watched(0, &took_s);
    assert_in_range(looks, blocks, blocks + 1 + (size_t)(took_s / 0.001));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_limit_all_are_sampled_alike),
        cmocka_unit_test(what_is_surely_slower_is_sampled_no_longer),
        cmocka_unit_test(what_is_clearly_slower_is_sampled_in_one_block),
        cmocka_unit_test(in_a_race_what_is_slower_than_the_fastest_is_cut),
        cmocka_unit_test(what_may_be_as_fast_goes_on),
        cmocka_unit_test(in_a_race_the_chip_is_looked_at_now_and_then),
        cmocka_unit_test(each_second_round_is_the_first_reversed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
