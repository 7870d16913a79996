// The splitter alone: what must hold of shares whatever the rates, and how estimates follow noise and change.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/split.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DEVICES_MOST = 9, TRIALS = 2000 };

// Numbers that are the same on every machine.
struct chance {
    uint64_t at;
};

static double uniform(struct chance *c)
{
    uint32_t words[4];
    philox(15, 1, c->at++, words);
    return philox_uniform(words[0]);
}

static uint64_t below(struct chance *c, uint64_t most)
{
    return (uint64_t)(uniform(c) * (double)most);
}

struct drawn { // a splitter and a job
    struct split_device devices[DEVICES_MOST];
    struct split split;
    uint64_t units, shares[DEVICES_MOST], dealt;
};

// Rates over three orders of magnitude; some devices unknown, some lost, some with little memory.
static void draw(struct chance *c, bool plain, struct drawn *out)
{
    *out = (struct drawn){
        .split = {.count = 1 + (int)below(c, DEVICES_MOST), .granule = 1 + below(c, 64)}};
    out->split.devices = out->devices;
    out->units = 1 + below(c, uniform(c) < 0.5 ? 500 : 50000000);
    for (int i = 0; i < out->split.count; i++) {
        struct split_device *d = &out->devices[i];
        d->rate = plain || uniform(c) < 0.9 ? pow(10, 3 * uniform(c) - 3) : 0;
        d->lost = !plain && uniform(c) < 0.1;
        d->most = !plain && uniform(c) < 0.2 ? 1 + below(c, out->units) : 0;
    }
    out->dealt = split_shares(&out->split, out->units, out->shares);
}

static uint64_t room(const struct drawn *d, int i)
{
    const struct split_device *x = &d->devices[i];
    return x->lost ? 0 : x->most > 0 ? x->most / d->split.granule * d->split.granule : UINT64_MAX;
}

static void shares_are_all_that_fits_in_whole_granules(void **state)
{
    struct chance c = {0};
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct drawn d;
        uint64_t sum = 0, all = 0;
        int broken = 0, last = -1;
        draw(&c, false, &d);
        for (int i = 0; i < d.split.count; i++) {
            sum += d.shares[i];
            all = room(&d, i) > UINT64_MAX - all ? UINT64_MAX : all + room(&d, i);
            assert_true(d.shares[i] <= room(&d, i));
            last = d.shares[i] > 0 ? i : last;
        }
        for (int i = 0; i < d.split.count; i++)
            if (d.shares[i] % d.split.granule != 0) {
                broken++;
                assert_int_equal(i, last);
            }
        assert_true(sum == d.dealt);
        assert_true(sum == (all < d.units ? all : d.units));
        assert_true(broken <= 1);
    }
}

static double longest(const struct drawn *d, const uint64_t *granules)
{
    double most = 0;
    for (int i = 0; i < d->split.count; i++)
        most = fmax(most, (double)granules[i] / d->devices[i].rate);
    return most;
}

// The least longest time of all assignments of granules, by trying them.
static double least(const struct drawn *d, uint64_t *granules, int device, uint64_t left)
{
    double best = (double)INFINITY;
    if (device == d->split.count - 1) {
        granules[device] = left;
        return longest(d, granules);
    }
    for (uint64_t n = 0; n <= left; n++) {
        granules[device] = n;
        best = fmin(best, least(d, granules, device + 1, left - n));
    }
    return best;
}

static void no_other_shares_are_done_sooner(void **state)
{
    struct chance c = {.at = 1 << 20};
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        struct drawn d = {.split = {.count = 1 + (int)below(&c, 4), .granule = 3}};
        uint64_t tried[DEVICES_MOST] = {0}, granules = 1 + below(&c, 14);
        d.split.devices = d.devices;
        for (int i = 0; i < d.split.count; i++)
            d.devices[i].rate = pow(10, 2 * uniform(&c));
        (void)split_shares(&d.split, 3 * granules, d.shares);
        for (int i = 0; i < d.split.count; i++)
            d.shares[i] /= 3;
        double best = least(&d, tried, 0, granules);
        assert_true(longest(&d, d.shares) <= best * (1 + 1e-12));
    }
}

static void a_faster_device_never_gets_less(void **state)
{
    struct chance c = {.at = 2 << 20};
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct drawn d;
        draw(&c, true, &d);
        d.units = d.units / d.split.granule * d.split.granule;
        (void)split_shares(&d.split, d.units, d.shares);
        for (int i = 0; i < d.split.count; i++)
            for (int k = 0; k < d.split.count; k++)
                if (d.devices[i].rate > d.devices[k].rate)
                    assert_true(d.shares[i] >= d.shares[k]);
    }
}

static void only_ratios_of_rates_count(void **state)
{
    struct chance c = {.at = 3 << 20};
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        struct drawn d;
        uint64_t again[DEVICES_MOST];
        draw(&c, true, &d);
        for (int i = 0; i < d.split.count; i++)
            d.devices[i].rate *= 1024; // a power of two: exact
        (void)split_shares(&d.split, d.units, again);
        assert_memory_equal(again, d.shares, sizeof *again * (size_t)d.split.count);
    }
}

static void a_device_that_nobody_measured_gets_a_mean_share(void **state)
{
    struct split_device devices[] = {{.rate = 1}, {.rate = 3}, {.rate = 0}};
    struct split s = {.devices = devices, .count = 3};
    uint64_t shares[3];
    (void)state;
    assert_true(split_shares(&s, 600, shares) == 600);
    assert_true(shares[0] == 100 && shares[1] == 300 && shares[2] == 200);
}

static void nothing_is_dealt_where_all_are_lost(void **state)
{
    struct split_device devices[] = {{.rate = 1, .lost = true}, {.lost = true}};
    struct split s = {.devices = devices, .count = 2};
    uint64_t shares[2] = {7, 7};
    (void)state;
    assert_true(split_shares(&s, 600, shares) == 0);
    assert_true(shares[0] == 0 && shares[1] == 0);
}

static void counts_beyond_doubles_lose_no_unit(void **state)
{
    struct split_device devices[] = {{.rate = 1}, {.rate = 1. / 3}, {.rate = 7}};
    struct split s = {.devices = devices, .count = 3};
    uint64_t shares[3], units = ((uint64_t)1 << 62) + 12345;
    (void)state;
    s.granule = 1 << 20;
    assert_true(split_shares(&s, units, shares) == units);
    assert_true(shares[0] + shares[1] + shares[2] == units);
}

/* ---- estimates ---------------------------------------------------------------------------------------- */

struct estimate {
    struct split_device device;
    struct split split;
};

static void estimate_begin(struct estimate *e, double weight, bool adaptive)
{
    *e = (struct estimate){.split = {.count = 1, .weight = weight, .adaptive = adaptive}};
    e->split.devices = &e->device;
}

static void see(struct estimate *e, double rate, double noise)
{
    split_observe(&e->split, 0, 1000000, 1000000 / rate, noise);
}

static void the_first_measurement_is_the_estimate(void **state)
{
    struct estimate e;
    (void)state;
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        estimate_begin(&e, 0.1, adaptive);
        see(&e, 4, 0);
        assert_float_equal(e.device.rate, 4, 1e-12);
    }
}

static int updates_to_90_pct(double weight, bool adaptive)
{
    struct estimate e;
    int n = 0;
    estimate_begin(&e, weight, adaptive);
    for (int i = 0; i < 20; i++)
        see(&e, 2, 0.005);
    for (; e.device.rate > 1.1 && n < 1000; n++)
        see(&e, 1, 0.005);
    return n;
}

static void weights_take_in_a_change_as_the_formula_says(void **state)
{
    (void)state;
    assert_int_equal(split_updates(0.1, 0.9), 22);
    assert_int_equal(split_updates(0.5, 0.9), 4);
    assert_int_equal(split_updates(0.9, 0.9), 1);
    assert_int_equal(split_updates(1, 0.9), 1);
    assert_int_equal(updates_to_90_pct(0.1, false), 22);
    assert_int_equal(updates_to_90_pct(0.5, false), 4);
    assert_int_equal(updates_to_90_pct(0, false), 4); // the default
}

static void an_adaptive_weight_takes_in_a_change_at_once(void **state)
{
    (void)state;
    assert_int_equal(updates_to_90_pct(0, true), 1);
}

// Variance of an average of independent noise: weight / (2 - weight) of the noise's.
static void noise_is_damped_as_the_formula_says(void **state)
{
    static const double weights[] = {0.1, 0.5};
    struct chance c = {.at = 4 << 20};
    (void)state;
    for (size_t w = 0; w < COUNT_OF(weights); w++) {
        struct estimate e;
        double sum = 0, wanted = 1. / 12 * weights[w] / (2 - weights[w]);
        enum { COUNT = 20000 };
        estimate_begin(&e, weights[w], false);
        see(&e, 10, 0);
        for (int i = 0; i < COUNT; i++) {
            see(&e, 10 + uniform(&c) - 0.5, 0);
            sum += (e.device.rate - 10) * (e.device.rate - 10);
        }
        assert_true(fabs(sum / COUNT / wanted - 1) < 0.06);
    }
}

static double mean_square_error(double weight, bool adaptive, double noise, double drift)
{
    struct chance c = {.at = 5 << 20};
    struct estimate e;
    double sum = 0, rate = 10;
    enum { COUNT = 4000, BEFORE = 50 };
    estimate_begin(&e, weight, adaptive);
    for (int i = 0; i < COUNT; i++) {
        double sway = sqrt(12) * (uniform(&c) - 0.5); // variance 1
        rate += drift * rate * (i / 500 % 2 ? -1 : 1);
        see(&e, rate * (1 + noise * sway), noise);
        sum += i < BEFORE ? 0 : (e.device.rate - rate) * (e.device.rate - rate) / (rate * rate);
    }
    return sum / (COUNT - BEFORE);
}

// Steady and noisy: it averages long. Drifting: it follows. A fixed weight is good at one of the two.
static void an_adaptive_weight_is_near_the_best_fixed_one(void **state)
{
    double steady = mean_square_error(0, true, 0.03, 0);
    double drifting = mean_square_error(0, true, 0.01, 0.005);
    (void)state;
    assert_true(steady < 0.5 * mean_square_error(0.5, false, 0.03, 0));
    assert_true(drifting < 0.1 * mean_square_error(0.1, false, 0.01, 0.005));
    assert_true(drifting < 1.5 * mean_square_error(0.5, false, 0.01, 0.005));
}

static void what_is_no_measurement_changes_nothing(void **state)
{
    struct estimate e;
    (void)state;
    estimate_begin(&e, 0, false);
    see(&e, 4, 0);
    split_observe(&e.split, 0, 0, 10, 0);
    split_observe(&e.split, 0, 10, 0, 0);
    split_observe(&e.split, 0, 10, -1, 0);
    split_observe(&e.split, 0, 10, (double)NAN, 0);
    split_observe(&e.split, 0, 10, (double)INFINITY, 0);
    assert_float_equal(e.device.rate, 4, 1e-12);
}

static void imbalance_is_the_longest_over_the_mean(void **state)
{
    const double times[] = {10, 20, 0, 30};
    (void)state;
    assert_float_equal(split_imbalance(times, 4), 0.5, 1e-12); // 30 / 20 - 1: one has done nothing
    assert_float_equal(split_imbalance(times, 1), 0, 1e-12);
    assert_float_equal(split_imbalance(NULL, 0), 0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_all_that_fits_in_whole_granules),
        cmocka_unit_test(no_other_shares_are_done_sooner),
        cmocka_unit_test(a_faster_device_never_gets_less),
        cmocka_unit_test(only_ratios_of_rates_count),
        cmocka_unit_test(a_device_that_nobody_measured_gets_a_mean_share),
        cmocka_unit_test(nothing_is_dealt_where_all_are_lost),
        cmocka_unit_test(counts_beyond_doubles_lose_no_unit),
        cmocka_unit_test(the_first_measurement_is_the_estimate),
        cmocka_unit_test(weights_take_in_a_change_as_the_formula_says),
        cmocka_unit_test(an_adaptive_weight_takes_in_a_change_at_once),
        cmocka_unit_test(noise_is_damped_as_the_formula_says),
        cmocka_unit_test(an_adaptive_weight_is_near_the_best_fixed_one),
        cmocka_unit_test(what_is_no_measurement_changes_nothing),
        cmocka_unit_test(imbalance_is_the_longest_over_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
