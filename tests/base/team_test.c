// A team: each of its threads does each job once, and all have done so before the next one begins.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

enum { OTHERS = 3, JOBS = 300 };

struct seen {
    _Atomic int times[OTHERS + 1];
};

static void see(void *context, int index)
{
    struct seen *s = context;
    atomic_fetch_add(&s->times[index], 1);
}

static void everyone_does_each_job_once(void **state)
{
    (void)state;
    struct team *t = team_open(OTHERS);
    struct seen s = {0};
    assert_int_equal(team_size(t), OTHERS + 1);
    for (int job = 1; job <= JOBS; job++) {
        if (job % 100 == 0) // they have gone to sleep meanwhile
            (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        team_run(t, see, &s);
        for (int i = 0; i <= OTHERS; i++)
            assert_int_equal(s.times[i], job);
    }
    team_close(t);
}

static void others_begin_while_the_giver_does_something_else(void **state)
{
    (void)state;
    struct team *t = team_open(OTHERS);
    struct seen s = {0};
    assert_true(team_begin(t, see, &s));
    (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    team_end(t);
    assert_int_equal(s.times[0], 0);
    for (int i = 1; i <= OTHERS; i++)
        assert_int_equal(s.times[i], 1);
    team_close(t);
}

static void without_others_the_giver_does_it(void **state)
{
    (void)state;
    struct team *none = team_open(0);
    struct seen s = {0};
    assert_int_equal(team_size(none), 1);
    assert_int_equal(team_size(NULL), 1);
    assert_false(team_begin(none, see, &s));
    assert_false(team_begin(NULL, see, &s));
    team_run(none, see, &s);
    team_run(NULL, see, &s);
    assert_int_equal(s.times[0], 2);
    team_close(none);
    team_close(NULL);
    team_close(team_open(OTHERS)); // that never had a job
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyone_does_each_job_once),
        cmocka_unit_test(others_begin_while_the_giver_does_something_else),
        cmocka_unit_test(without_others_the_giver_does_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
