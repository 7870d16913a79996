// When the recorder listens: programs of known cost, over minutes of a clock that the test moves on.
// SPDX-License-Identifier: Apache-2.0
#include "capture/share.h"
#include "base/base.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double ms = 1e6, s_ns = 1e9;

struct listened { // to a program
    double heard_ns, cost_ns, all_ns, first_off_ns;
    double most_ns; // cost in any second after the third
    uint64_t windows, periods;
};

// A program whose launches would cost so much of the time if all were recorded, from `from_s` on; before that nothing.
// Records come `late_ns` after they were made.
static struct listened listen(double intensity, double from_s, double seconds, double late_ns,
                              uint64_t seed)
{
    struct listened l = {.first_off_ns = NAN};
    struct share share;
    enum { LATE_MAX = 64 };
    struct {
        double made_ns, cost_ns;
    } late[LATE_MAX];
    int late_count = 0;
    double now = 1e15, begin = now, end = now + seconds * s_ns;
    double second_ns = begin, second_cost = 0;
    bool on = true;
    share_begin(&share, 0.03, seed, (uint64_t)now);
    struct share_step step = share_next(&share, (uint64_t)now, 0);
    while (now < end) {
        double next = (double)step.until_ns, came = 0;
        double active = fmax(0, next - fmax(now, begin + from_s * s_ns));
        if (on) {
            l.heard_ns += next - now;
            l.cost_ns += active * intensity;
            second_cost += active * intensity;
            assert_true(late_count < LATE_MAX);
            late[late_count].made_ns = next;
            late[late_count++].cost_ns = active * intensity;
        } else if (isnan(l.first_off_ns)) {
            l.first_off_ns = now - begin;
        }
        int left = 0;
        for (int i = 0; i < late_count; i++)
            if (next - late[i].made_ns >= late_ns)
                came += late[i].cost_ns;
            else
                late[left++] = late[i];
        late_count = left;
        now = next;
        if (now - second_ns >= s_ns) {
            if (second_ns > begin + 3 * s_ns)
                l.most_ns = fmax(l.most_ns, second_cost * s_ns / (now - second_ns));
            second_ns = now;
            second_cost = 0;
        }
        step = share_next(&share, (uint64_t)now, came);
        l.windows += step.on && !on;
        on = step.on;
    }
    l.all_ns = now - begin;
    l.periods = step.period;
    return l;
}

static void what_is_cheap_is_listened_to_all_the_time(void **state)
{
    (void)state;
    struct listened l = listen(0.025, 0, 60, 0, 1);
    assert_true(l.heard_ns >= l.all_ns);
    assert_true(isnan(l.first_off_ns));
}

static void the_budget_is_kept(void **state)
{
    (void)state;
    static const double intensities[] = {0.04, 0.075, 0.15, 0.5};
    static const double lates[] = {0, 30e6, 200e6}; // ns until records come
    for (size_t i = 0; i < COUNT_OF(intensities); i++)
        for (size_t k = 0; k < COUNT_OF(lates); k++) {
            struct listened l = listen(intensities[i], 0.5, 60, lates[k], 10 * i + k);
            double added = l.cost_ns / l.all_ns;
            print_message("intensity %.3f, records late by %3.0f ms: listened %.1f %%, adds %.2f "
                          "%%, most in a second %.2f %%\n",
                          intensities[i], lates[k] / ms, 100 * l.heard_ns / l.all_ns, 100 * added,
                          100 * l.most_ns / s_ns);
            assert_true(added <= 0.0305);
            assert_true(added >= 0.02); // and it is used
        }
}

static void the_beginning_is_listened_to_whole(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct listened l = listen(0.5, 2, 10, 0, seed);
        assert_true(l.first_off_ns >= 2 * s_ns + SHARE_FIRST_NS);
        assert_true(l.first_off_ns <= 2 * s_ns + SHARE_FIRST_NS + 300 * ms);
    }
}

static void windows_lie_at_different_places(void **state)
{
    (void)state;
    struct share share;
    double places[10] = {0};
    double count = 0;
    uint64_t now = 1000000000;
    share_begin(&share, 0.03, 7, now);
    struct share_step step = share_next(&share, now, 1e6);
    for (int i = 0; i < 20000; i++) {
        bool on = step.on;
        uint64_t from = now;
        now = step.until_ns;
        step = share_next(&share, now, on ? (double)(now - from) * 0.3 : 0);
        if (step.on && !on) {
            // against a program of a step of 25 ms
            places[(size_t)((double)(now % 25000000) / 2.5e6)]++;
            count++;
        }
    }
    for (size_t i = 0; i < COUNT_OF(places); i++) // 5 standard deviations
        assert_true(fabs(places[i] - count / 10) < 5 * sqrt(count / 10));
}

static void who_wakes_up_late_listens_as_long(void **state)
{
    (void)state;
    struct share share;
    uint64_t now = 1000000000;
    share_begin(&share, 0.03, 3, now);
    struct share_step step = share_next(&share, now, 1e6);
    for (int i = 0; i < 100 && step.on; i++) {
        now = step.until_ns;
        step = share_next(&share, now, 3e7);
    }
    assert_false(step.on);
    uint64_t planned = share.end_ns - share.start_ns;
    step = share_next(&share, step.until_ns + 500000000, 0); // the machine stood still
    if (!step.on) // it was the end of the period that was waited for
        step = share_next(&share, step.until_ns, 0);
    assert_true(step.on);
    assert_true(share.end_ns - share.start_ns >= planned || share.end_ns == share.until_ns);
    assert_true(share.until_ns >= share.end_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_cheap_is_listened_to_all_the_time),
        cmocka_unit_test(the_budget_is_kept),
        cmocka_unit_test(the_beginning_is_listened_to_whole),
        cmocka_unit_test(windows_lie_at_different_places),
        cmocka_unit_test(who_wakes_up_late_listens_as_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
