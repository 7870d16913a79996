// How often a gate calls like slower, on made-up series that wander as a GPU's times do: what two blocks of one kernel
// differ by, drift, a walk, a step of the clock, samples that depend on their neighbours. 1 % is promised.
// run-early: it takes long.
// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// How often is the plain build's to say; an instrumented one takes the same way through the code in fewer trials.
// Of so many trials with a chance of 1 % more than `most` alarms happen once in a thousand times.
enum { ALL_TRIALS = 200, ALL_MOST = 7 };
#ifdef __SANITIZE_ADDRESS__
enum { TRIALS = 40, ALARMS_MOST = 3 };
#else
enum { TRIALS = ALL_TRIALS, ALARMS_MOST = ALL_MOST };
#endif
enum { SIDES = 2, BLOCKS_MAX = 8, SAMPLES_MAX = 40 };

static const double base_ns = 10000;

struct series {
    const char *name;
    double sample;    // noise of a sample, a share
    double neighbour; // how much of it a sample has from the one before
    double block;     // noise of a block
    double walk;      // of a random walk from block to block, which both sides see
    double drift;     // from the first round to the last
    double step;      // at a round that is drawn
    double second;    // the second one of a round is slower
};
static const struct series all[] = {
    {.name = "like each other", .sample = 0.004},
    {.name = "blocks differ", .sample = 0.004, .block = 0.003},
    {.name = "blocks differ by more than samples", .sample = 0.001, .block = 0.004},
    {.name = "samples depend on neighbours", .sample = 0.004, .neighbour = 0.7, .block = 0.001},
    {.name = "drift", .sample = 0.004, .block = 0.002, .drift = 0.02},
    {.name = "a walk", .sample = 0.003, .block = 0.001, .walk = 0.004},
    {.name = "a step of the clock", .sample = 0.003, .block = 0.001, .step = 0.03},
    {.name = "the second one is slower", .sample = 0.003, .block = 0.001, .second = 0.003},
};

struct layout {
    int blocks, block_samples;
};
static const struct layout many = {8, 5}, few = {2, 20}; // as it is sampled, and as it was once

struct chance {
    uint64_t stream, index;
};

static double uniform(struct chance *c)
{
    uint32_t w[4];
    philox(14, c->stream, c->index++, w);
    return philox_uniform(w[0]) + 0x1p-33;
}

static double normal(struct chance *c)
{
    return normal_quantile(uniform(c));
}

struct sides {
    double samples[SIDES][SAMPLES_MAX];
    struct chip_sample chip[SIDES][BLOCKS_MAX];
};

static void sample_round(const struct series *s, const struct layout *l, struct chance *c,
                         int round, double level, int first, struct sides *out)
{
    for (int turn = 0; turn < SIDES; turn++) {
        int side = turn ? !first : first;
        double noise = 0, block = s->block * normal(c) + (turn ? s->second : 0);
        out->chip[side][round] = (struct chip_sample){.at_s = 0.01 * (SIDES * round + turn),
                                                      .sample = (size_t)(round * l->block_samples)};
        for (int i = 0; i < l->block_samples; i++) {
            double fresh = s->sample * normal(c) * sqrt(1 - s->neighbour * s->neighbour);
            noise = i > 0 ? s->neighbour * noise + fresh : s->sample * normal(c);
            out->samples[side][round * l->block_samples + i] =
                base_ns * (1 + level + block + noise);
        }
    }
}

static void sample_all(const struct series *s, const struct layout *l, uint64_t trial,
                       struct sides *out)
{
    struct chance c = {.stream = trial};
    int step_at = (int)(uniform(&c) * l->blocks);
    double walk = 0;
    int first = 0;
    for (int round = 0; round < l->blocks; round++) {
        walk += s->walk * normal(&c);
        double level = walk + s->drift * round / l->blocks + (round >= step_at ? s->step : 0);
        first = round % 2 ? !first : uniform(&c) < 0.5; // as sampling.c orders them
        sample_round(s, l, &c, round, level, first, out);
    }
}

static enum gate_verdict judge(struct sides *x, const struct layout *l, bool by_blocks,
                               double growth)
{
    struct arena a = {0};
    struct error err = {0};
    struct experiment e = {.name = "copy", .path = "copy.yaml"};
    struct run runs[SIDES];
    struct result results[SIDES];
    size_t count = (size_t)(l->blocks * l->block_samples);
    for (int side = 0; side < SIDES; side++) {
        for (size_t i = 0; side == 1 && i < count; i++)
            x->samples[side][i] *= 1 + growth;
        results[side] = (struct result){
            .variant = "kernel",
            .time = {PROVENANCE_MEASURED, stats_summary(x->samples[side], count), x->samples[side]},
            .conditions = {.chip = x->chip[side], .chip_count = by_blocks ? l->blocks : 0}};
        runs[side] = (struct run){.header = {.device_id = "cuda:0", .device_name = "GPU"},
                                  .results = &results[side],
                                  .result_count = 1};
    }
    struct gate_subject s = {.experiment = &e, .run = &runs[1], .before = &runs[0]};
    struct gate_report r = {0};
    assert_true(gate_runs(&a, &s, 1, &r, &err));
    enum gate_verdict v = r.entries[0].verdict;
    arena_release(&a);
    return v;
}

static int alarms_of(const struct series *s, const struct layout *l, int trials, bool by_blocks,
                     double growth)
{
    struct sides x;
    int alarms = 0;
    for (int i = 0; i < trials; i++) {
        sample_all(s, l, (uint64_t)i, &x);
        alarms += judge(&x, l, by_blocks, growth) == GATE_REGRESSED;
    }
    return alarms;
}

static void like_is_called_slower_once_in_a_hundred_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        int alarms = alarms_of(&all[i], &many, TRIALS, true, 0);
        print_message("%-36s %d of %d\n", all[i].name, alarms, TRIALS);
        assert_in_range(alarms, 0, ALARMS_MOST);
    }
}

// What this test is for: taken one by one, samples promise more than they hold.
static void samples_of_blocks_that_differ_do_not_hold_it(void **state)
{
    (void)state;
    int alarms = alarms_of(&all[1], &few, ALL_TRIALS, false, 0);
    print_message("two long blocks, by samples: %d of %d\n", alarms, ALL_TRIALS);
    assert_true(alarms > 2 * ALL_MOST);
}

static void two_percent_are_seen(void **state)
{
    (void)state;
    enum { FEW = 100 };
    assert_true(alarms_of(&all[1], &many, FEW, true, 0.02) >= FEW * 99 / 100);
    assert_true(alarms_of(&all[3], &many, FEW, true, 0.02) >= FEW * 99 / 100);
}

static void too_few_blocks_are_not_judged(void **state)
{
    (void)state;
    struct sides x;
    sample_all(&all[0], &few, 1, &x);
    assert_int_equal(judge(&x, &few, true, 0.5), GATE_NOISY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_is_called_slower_once_in_a_hundred_times),
        cmocka_unit_test(samples_of_blocks_that_differ_do_not_hold_it),
        cmocka_unit_test(two_percent_are_seen),
        cmocka_unit_test(too_few_blocks_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
