// A job over simulated GPUs, by the library: what is forked is forked while no other thread runs. Under a sanitizer's
// allocator, whose locks a child inherits as they are, the workers hang otherwise.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet.h"

#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static int threads_at_first, forks, forks_beside_threads;

static int threads(void)
{
    int count = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; dir && (e = readdir(dir));)
        count += e->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return count;
}

// A thread that was joined may be listed for a moment more.
static void before_fork(void)
{
    enum { LOOKS = 20, LOOK_NS = 1000000 };
    const struct timespec moment = {.tv_nsec = LOOK_NS};
    bool beside = true;
    for (int i = 0; i < LOOKS && beside; i++) {
        if (i > 0)
            (void)nanosleep(&moment, NULL);
        beside = threads() > threads_at_first;
    }
    forks++;
    forks_beside_threads += beside;
}

static void workers_are_forked_while_no_other_thread_runs(void **state)
{
    enum { DEVICES = 4, UNITS = 65536 };
    static const char *const overrides[] = {"N=65536", "steps=50"};
    struct arena a = {0};
    struct error err = {0};
    struct loop_request run = {.experiment_path = "tests/fleet/job",
                               .compiler = "clang",
                               .overrides = overrides,
                               .override_count = 2};
    struct fleet_request q = {.run = &run};
    struct fleet_events events = {0};
    struct fleet_report report;
    uint64_t done = 0;
    (void)state;
    if (!program_find(&a, "clang")) {
        print_message("clang is not here\n");
        skip();
    }
    threads_at_first = threads(); // a sanitizer has some of its own
    assert_int_equal(pthread_atfork(before_fork, NULL, NULL), 0);
    assert_true(fleet_devices(&a, "sim:h200x4", &q.devices, &err));
    if (!fleet_run(&a, &q, &events, &report, &err))
        fail_msg("%s", err.message);
    assert_int_equal(report.device_count, DEVICES);
    assert_true(report.checked);
    for (int i = 0; i < DEVICES; i++)
        done += report.deal.rounds[0].turns[i].units;
    assert_int_equal(done, UNITS);
    assert_true(forks >= DEVICES);
    assert_int_equal(forks_beside_threads, 0);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_are_forked_while_no_other_thread_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
