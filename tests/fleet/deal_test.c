// Rounds over devices that exist here alone: they have a speed and a start-up cost, slow down, and die.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/deal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEVICES = 4, UNITS = 100000 };

struct fake {
    double rate, start_ns;
    int slow_from; // round; 0 = never
    double slow_by;
    int dies_in; // round; 0 = never; rounds count from 1
};
struct world {
    struct fake devices[DEVICES];
    int round;                 // at work, from 1
    unsigned char done[UNITS]; // in this round
    int waves, in_wave, rounds_seen;
    bool lost_or_twice;
};

static bool run(void *context, struct deal_share *shares, int count, struct error *err)
{
    struct world *w = context;
    (void)err;
    w->waves++;
    for (int i = 0; i < count; i++) {
        struct deal_share *s = &shares[i];
        const struct fake *d = &w->devices[s->device];
        double rate = d->slow_from > 0 && w->round >= d->slow_from ? d->rate / d->slow_by : d->rate;
        s->time_ns = d->start_ns + (double)(s->end - s->first) / rate;
        if (d->dies_in > 0 && w->round >= d->dies_in) {
            s->lost = true;
            s->why = "killed";
            continue;
        }
        for (uint64_t u = s->first; u < s->end; u++)
            w->done[u]++;
    }
    return true;
}

static bool end_round(void *context, int round, struct error *err)
{
    struct world *w = context;
    (void)err;
    assert_int_equal(round + 1, w->round);
    for (int u = 0; u < UNITS; u++)
        w->lost_or_twice = w->lost_or_twice || w->done[u] != 1;
    memset(w->done, 0, sizeof w->done);
    w->round++;
    w->rounds_seen++;
    return true;
}

static const struct deal_ops ops = {.run = run, .round = end_round};

struct rig {
    struct arena arena;
    struct world world;
    struct split_device devices[DEVICES];
    struct split split;
    struct deal deal;
    struct error err;
};

static int begin(void **state)
{
    struct rig *r = xcalloc(1, sizeof *r);
    static const struct fake fakes[DEVICES] = {
        {.rate = 4, .start_ns = 100}, {.rate = 2}, {.rate = 1, .start_ns = 500}, {.rate = 0.25}};
    memcpy(r->world.devices, fakes, sizeof fakes);
    r->world.round = 1;
    r->split = (struct split){.devices = r->devices, .count = DEVICES, .granule = 16};
    *state = r;
    return 0;
}

static int end(void **state)
{
    struct rig *r = *state;
    arena_release(&r->arena);
    free(r);
    return 0;
}

static bool deal(struct rig *r, int rounds, double balanced)
{
    struct deal_request q = {.units = UNITS, .rounds_most = rounds, .balanced = balanced};
    return deal_rounds(&r->arena, &q, &r->split, &ops, &r->world, &r->deal, &r->err);
}

static void times_become_equal_and_no_unit_is_lost(void **state)
{
    struct rig *r = *state;
    assert_true(deal(r, 20, 0.01));
    const struct deal_round *last = &r->deal.rounds[r->deal.round_count - 1];
    assert_false(r->world.lost_or_twice);
    assert_true(r->deal.settled && r->deal.round_count <= 6);
    assert_true(r->deal.rounds[0].imbalance >
                1.7); // equal shares: the slowest takes 2.8 times the mean
    assert_true(last->imbalance < 0.01);
    assert_true(last->time_ns <
                1.02 * (UNITS / 7.25 + 600)); // the rates' sum, and the start-up costs
    assert_int_equal(last->waves, 1);
}

static void shares_that_stay_are_settled(void **state)
{
    struct rig *r = *state;
    assert_true(deal(r, 60, 0)); // no imbalance is small enough
    const struct deal_round *last = &r->deal.rounds[r->deal.round_count - 1];
    assert_true(r->deal.settled && r->deal.round_count < 60);
    for (int i = 0; i < DEVICES; i++)
        assert_true(last->turns[i].units == (last - 1)->turns[i].units);
}

static void a_device_that_slows_down_gives_to_the_others(void **state)
{
    struct rig *r = *state;
    r->world.devices[0].slow_from = 4;
    r->world.devices[0].slow_by = 8;
    r->split.adaptive = true;
    assert_true(deal(r, 8, 0));
    assert_int_equal(r->deal.round_count, 8);
    assert_false(r->world.lost_or_twice);
    assert_true(r->deal.rounds[2].imbalance < 0.02);
    assert_true(r->deal.rounds[3].imbalance > 1);    // it slows down in the middle of the round
    assert_true(r->deal.rounds[4].imbalance < 0.05); // adaptive: the next one knows
    assert_true(r->deal.rounds[4].turns[0].units < r->deal.rounds[2].turns[0].units / 4);
}

static void what_a_dead_device_had_is_done_by_the_others_in_the_same_round(void **state)
{
    struct rig *r = *state;
    r->world.devices[0].dies_in = 3;
    assert_true(deal(r, 6, 0));
    assert_false(r->world.lost_or_twice);
    assert_string_equal(r->deal.why[0], "killed");
    assert_null(r->deal.why[1]);
    assert_int_equal(r->deal.rounds[1].waves, 1);
    assert_int_equal(r->deal.rounds[2].waves, 2);
    assert_int_equal(r->deal.rounds[3].waves, 1);
    assert_int_equal(r->deal.rounds[2].turns[0].units, 0);
    assert_int_equal(r->deal.rounds[3].turns[0].units, 0);
}

static void devices_may_die_one_after_the_other(void **state)
{
    struct rig *r = *state;
    for (int i = 0; i < DEVICES - 1; i++)
        r->world.devices[i].dies_in = 2 + i;
    assert_true(deal(r, 6, 0));
    assert_false(r->world.lost_or_twice);
    assert_int_equal(r->deal.rounds[r->deal.round_count - 1].turns[DEVICES - 1].units, UNITS);
}

static void two_may_die_at_once(void **state)
{
    struct rig *r = *state;
    r->world.devices[0].dies_in = r->world.devices[1].dies_in = 2;
    assert_true(deal(r, 3, 0));
    assert_false(r->world.lost_or_twice);
    assert_int_equal(r->deal.rounds[1].waves, 3); // each one's range is divided
}

static void where_all_die_the_last_reason_is_said(void **state)
{
    struct rig *r = *state;
    for (int i = 0; i < DEVICES; i++)
        r->world.devices[i].dies_in = 2;
    assert_false(deal(r, 6, 0));
    assert_int_equal(r->err.kind, ERROR_SYSTEM);
    assert_string_equal(r->err.message, "every device is lost, the last one with: killed");
    assert_int_equal(r->world.rounds_seen, 1);
}

static void little_memory_takes_several_turns(void **state)
{
    struct rig *r = *state;
    for (int i = 0; i < DEVICES; i++)
        r->devices[i].most = 10000;
    assert_true(deal(r, 2, 0));
    assert_false(r->world.lost_or_twice);
    assert_int_equal(r->deal.rounds[0].waves, 3); // 40,000 units at once, of 100,000
    double sum = 0;
    for (int i = 0; i < DEVICES; i++)
        sum += (double)r->deal.rounds[1].turns[i].units;
    assert_float_equal(sum, UNITS, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(times_become_equal_and_no_unit_is_lost, begin, end),
        cmocka_unit_test_setup_teardown(shares_that_stay_are_settled, begin, end),
        cmocka_unit_test_setup_teardown(a_device_that_slows_down_gives_to_the_others, begin, end),
        cmocka_unit_test_setup_teardown(
            what_a_dead_device_had_is_done_by_the_others_in_the_same_round, begin, end),
        cmocka_unit_test_setup_teardown(devices_may_die_one_after_the_other, begin, end),
        cmocka_unit_test_setup_teardown(two_may_die_at_once, begin, end),
        cmocka_unit_test_setup_teardown(where_all_die_the_last_reason_is_said, begin, end),
        cmocka_unit_test_setup_teardown(little_memory_takes_several_turns, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
