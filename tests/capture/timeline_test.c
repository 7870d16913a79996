// From recordings to what GPUs did: sums, covered times and gaps of works that are laid out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "capture/stream.h"
#include "capture/timeline.h"
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/ridge-timeline-XXXXXX";
static struct arena arena;
static struct stream_writer writer;
static struct timeline timeline;
static const char *path;

static int prepare(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int clean(void **state)
{
    arena_release(&arena);
    return rmdir(folder);
}

static void near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9)
        fail_msg("%g is not %g", value, wanted);
}

#define ADD(NAME, name, ...)                                                           \
    assert_true(stream_add(&writer, EVENT_##NAME, &(struct event_##name){__VA_ARGS__}, \
                           sizeof(struct event_##name), NULL, 0))

// A recording whose clock shows `clock_ns` at the wall clock's 1,000,000 + late_ns.
static void begin(uint64_t pid, uint64_t clock_ns, uint64_t late_ns)
{
    struct error err = {0};
    path = arena_printf(&arena, "%s/%llu", folder, (unsigned long long)pid);
    assert_true(stream_create(&writer, path, 1 << 20, &err));
    struct event_process p = {pid, 1, clock_ns, 1000000 + late_ns, 130000};
    assert_true(stream_add(&writer, EVENT_PROCESS, &p, sizeof p, "prog\0--fast", 12));
}

static void name(uint64_t id, const char *words)
{
    struct event_name n = {id};
    assert_true(stream_add(&writer, EVENT_NAME, &n, sizeof n, words, strlen(words)));
}

static void kernel(uint64_t id, uint64_t start_ns, uint64_t end_ns, uint64_t stream, uint64_t grid)
{
    ADD(KERNEL, kernel, .start_ns = start_ns, .end_ns = end_ns, .name = id, .stream = stream,
        .grid_x = grid, .grid_y = 1, .grid_z = 1, .block_x = 128, .block_y = 1, .block_z = 1);
}

static void copy(uint64_t start_ns, uint64_t end_ns, uint64_t bytes)
{
    ADD(COPY, copy, .start_ns = start_ns, .end_ns = end_ns, .bytes = bytes, .kind = 1);
}

static void end(void)
{
    char *data;
    size_t size;
    struct error err = {0};
    stream_close(&writer);
    assert_true(file_read(path, 1 << 24, &data, &size, &err));
    if (!capture_timeline_add(&timeline, path, data, size, &err))
        fail_msg("%s", err.message);
    free(data);
    assert_int_equal(unlink(path), 0);
}

static int fresh(void **state)
{
    timeline = (struct timeline){.arena = &arena};
    return 0;
}

static int done(void **state)
{
    timeline_release(&timeline);
    return 0;
}

static const char *named(int index)
{
    return index < 0 ? "" : timeline.names.items[index];
}

static void kernels_are_summed_by_name(void **state)
{
    struct timeline_summary s;
    begin(1, 100, 0);
    struct event_device d = {0};
    assert_true(stream_add(&writer, EVENT_DEVICE, &d, sizeof d, "Fake GPU", 8));
    name(7, "gemm");
    name(8, "fill"); // as a fill is called, too
    for (uint64_t i = 0; i < 4; i++)
        kernel(7, 1000 + 100 * i, 1010 + 100 * i + i, 1, i < 2 ? 5 : 6); // 10 to 13 ns
    kernel(8, 2000, 2030, 1, 1);
    ADD(FILL, fill, .start_ns = 2040, .end_ns = 2050, .bytes = 64);
    ADD(KERNEL, kernel, .start_ns = 0, .end_ns = 0, .name = 7); // CUPTI does not know when
    end();
    timeline_summarize(&arena, &timeline, &s);
    assert_int_equal(s.kernel_count, 2);
    assert_string_equal(named(s.kernels[0].name), "gemm");
    assert_int_equal(s.kernels[0].launches, 4);
    near(s.kernels[0].total_ns, 46);
    near(s.kernels[0].median_ns, 11.5);
    near(s.kernels[0].max_ns, 13);
    near(s.kernels[0].share_pct, 100 * 46.0 / 76);
    assert_int_equal(s.kernels[0].shapes, 2);
    assert_int_equal(s.kernels[0].grid[0], 6);
    assert_int_equal(s.move_count, 1);
    near(s.moves[0].bytes, 64);
    assert_string_equal(timeline.devices.items[s.devices[0].device].name, "Fake GPU");
    assert_string_equal(timeline.processes.items[0].command, "prog --fast");
    assert_int_equal(timeline.processes.items[0].timeless, 1);
}

static void busy_time_overlap_and_gaps_of_a_device(void **state)
{
    struct timeline_summary s;
    begin(1, 100, 0);
    name(7, "a");
    name(8, "b");
    kernel(7, 1000, 1100, 1, 1);
    kernel(8, 1050, 1150, 2, 1); // 50 ns at once
    copy(1120, 1200, 800);       // 30 ns beside a kernel, 50 alone
    kernel(7, 1260, 1300, 1, 1); // after 60 ns of nothing
    kernel(8, 1400, 1410, 1, 1); // after 100
    end();
    timeline_summarize(&arena, &timeline, &s);
    assert_int_equal(s.device_count, 1);
    const struct device_sum *d = &s.devices[0];
    near(d->span_ns, 410);
    near(d->kernel_ns, 200);
    near(d->kernel_sum_ns, 250);
    near(d->move_ns, 80);
    near(d->both_ns, 30);
    near(d->busy_ns, 250);
    near(d->idle_ns, 160);
    assert_int_equal(d->gaps, 2);
    near(d->longest[0].length_ns, 100);
    assert_string_equal(named(d->longest[0].before), "a");
    assert_string_equal(named(d->longest[0].after), "b");
    near(d->longest[1].length_ns, 60);
    assert_int_equal(d->streams, 3); // the copies' is 0
    assert_int_equal(s.worth[0].kind, WORTH_IDLE);
    near(s.worth[0].share_pct, 100 * 160.0 / 410);
    assert_int_equal(s.worth[1].kind, WORTH_KERNEL);
    assert_string_equal(named(s.worth[1].name), "a");
    near(s.worth[1].time_ns, 140);
    assert_int_equal(s.worth[3].kind, WORTH_MOVES);
    near(s.worth[3].time_ns, 50);
}

static void what_is_above_the_floor_ranks_kernels_whose_floor_is_known(void **state)
{
    static const struct kernel_floor near_it = {.time_ns = 50, .floor_ns = 45, .limiter = "dram"},
                                     unknown = {.why = "its output differs"},
                                     above_its_time = {.time_ns = 10, .floor_ns = 12};
    struct timeline_summary s;
    begin(1, 100, 0);
    name(7, "a");
    name(8, "b");
    kernel(7, 1000, 1300, 1, 1);
    kernel(8, 1300, 1400, 1, 1);
    end();
    timeline_summarize(&arena, &timeline, &s);
    assert_false(s.floors);
    near(s.worth[0].gain_ns, 300);
    timeline_set_floor(&s, 0, &near_it);
    timeline_set_floor(&s, 1, &unknown);
    assert_true(s.floors);
    assert_int_equal(s.worth_count, 2);
    assert_string_equal(named(s.worth[0].name), "b"); // all of it
    near(s.worth[0].gain_ns, 100);
    near(s.worth[1].gain_ns, 30); // a tenth
    near(s.worth[1].time_ns, 300);
    near(s.worth[1].share_pct, 100 * 30.0 / 400);
    timeline_set_floor(&s, 1, &above_its_time);
    near(s.worth[1].gain_ns, 0);
}

static void only_the_longest_gaps_are_kept_in_order(void **state)
{
    struct timeline_summary s;
    static const uint64_t gaps[] = {5, 80, 10, 70, 20, 60, 30, 90};
    uint64_t at = 1000;
    begin(1, 100, 0);
    name(7, "a");
    for (size_t i = 0; i < COUNT_OF(gaps); i++) {
        kernel(7, at, at + 10, 1, 1);
        at += 10 + gaps[i];
    }
    kernel(7, at, at + 10, 1, 1);
    end();
    timeline_summarize(&arena, &timeline, &s);
    static const double longest[GAPS_SHOWN] = {90, 80, 70, 60, 30};
    assert_int_equal(s.devices[0].gaps, COUNT_OF(gaps));
    assert_int_equal(s.devices[0].longest_count, GAPS_SHOWN);
    for (int i = 0; i < GAPS_SHOWN; i++)
        near(s.devices[0].longest[i].length_ns, longest[i]);
}

static void processes_are_brought_onto_one_clock(void **state)
{
    struct timeline_summary s;
    begin(1, 100, 500);
    name(7, "a");
    kernel(7, 600, 700, 1, 1); // 500 after its beginning
    ADD(LAUNCH, launch, .time_ns = 900, .end_ns = 950);
    ADD(DROPPED, dropped, .records = 4);
    ADD(END, end, 2000);
    end();
    begin(2, 50000, 300); // began 200 before, with another clock
    name(9, "a");         // the same kernel
    kernel(9, 50900, 51000, 1, 1);
    end();
    timeline_summarize(&arena, &timeline, &s);
    assert_int_equal(s.kernel_count, 1);
    assert_int_equal(s.kernels[0].launches, 2);
    near(s.devices[0].start_ns, 0);
    near(s.devices[0].span_ns, 300); // 1000 to 1100 and 1200 to 1300
    near(s.devices[0].idle_ns, 100);
    assert_int_equal(s.devices[0].streams, 2); // one of each
    assert_int_equal(timeline.processes.items[0].launches, 1);
    assert_int_equal(timeline.processes.items[0].call_ns, 50);
    assert_int_equal(timeline.processes.items[0].dropped, 4);
    assert_true(timeline.processes.items[0].ended);
    assert_false(timeline.processes.items[1].ended);
}

static void launch(uint64_t correlation, uint64_t thread, uint64_t time_ns)
{
    ADD(LAUNCH, launch, .correlation = correlation, .thread = thread, .time_ns = time_ns,
        .end_ns = time_ns + 1);
}

static void launched(uint64_t correlation, uint64_t start_ns, uint64_t end_ns)
{
    ADD(KERNEL, kernel, .start_ns = start_ns, .end_ns = end_ns, .name = 9,
        .correlation = correlation, .grid_x = 1, .grid_y = 1, .grid_z = 1, .block_x = 1,
        .block_y = 1, .block_z = 1);
}

// By the time and thread of the call that launched it, whenever the GPU ran it.
static void kernels_are_counted_in_the_ranges_that_launched_them(void **state)
{
    struct timeline_summary s;
    begin(60, 100, 0);
    name(1, "step");
    name(2, "all");
    name(9, "k");
    launched(5, 3000, 3010); // its call is told later
    launch(5, 7, 250);
    launch(6, 7, 1250);
    launch(7, 8, 260); // of another thread
    launched(6, 4000, 4100);
    launched(7, 5000, 6000);
    ADD(RANGE, range, .start_ns = 200, .end_ns = 300, .thread = 7, .name = 1);
    ADD(RANGE, range, .start_ns = 210, .end_ns = 290, .thread = 7, .name = 1); // within itself
    ADD(RANGE, range, .start_ns = 1200, .end_ns = 1300, .thread = 7, .name = 1);
    ADD(RANGE, range, .start_ns = 150, .end_ns = 1000, .name = 2); // of the process
    ADD(RANGE, range, .start_ns = 20, .end_ns = 1000, .name = 2);  // before the recording
    end();
    timeline_summarize(&arena, &timeline, &s);
    assert_int_equal(s.range_count, 2);
    assert_string_equal(timeline.names.items[s.ranges[0].name], "all");
    assert_int_equal(s.ranges[0].count, 1);
    assert_int_equal(s.ranges[0].kernels, 2);
    near(s.ranges[0].total_ns, 850);
    near(s.ranges[0].kernel_ns, 1010);
    assert_int_equal(s.ranges[1].count, 3);
    assert_int_equal(s.ranges[1].kernels, 2);
    near(s.ranges[1].total_ns, 280);
    near(s.ranges[1].kernel_ns, 110);
}

static void a_recording_without_work_has_no_sums(void **state)
{
    struct timeline_summary s;
    begin(1, 100, 0);
    struct event_trouble t = {5};
    stream_add(&writer, EVENT_TROUBLE, &t, sizeof t, "no CUPTI", 8);
    end();
    timeline_summarize(&arena, &timeline, &s);
    assert_int_equal(s.kernel_count + s.device_count + s.worth_count, 0);
    assert_string_equal(timeline.troubles.items[0], "no CUPTI");
}

// Of kernels that were queued recording costs little.
static void what_recording_may_have_added_is_reckoned(void **state)
{
    struct timeline_summary s;
    begin(1, 100, 0);
    name(7, "gemm");
    kernel(7, 1000, 11000, 1, 5);  // the first: nothing ran before
    kernel(7, 12000, 22000, 1, 5); // queued
    kernel(7, 25000, 35000, 1, 5); // 3,000 later: queued
    kernel(7, 38001, 48001, 1, 5); // later: it found the GPU idle
    copy(48001, 60000, 100);
    kernel(7, 61000, 71000, 1, 5); // behind a copy
    ADD(KERNEL, kernel, .start_ns = 71500, .end_ns = 101000, .name = 7, .graph = 5, .node = 1,
        .grid_x = 1, .block_x = 32);
    end();
    timeline_summarize(&arena, &timeline, &s);
    assert_int_equal(s.dear, 3);
    near(s.recording_pct, 7.5);
    timeline.processes.items[0].file = NULL; // as of another tool's recording
    timeline_summarize(&arena, &timeline, &s);
    near(s.recording_pct, 0);
}

// A graph that was recorded as a whole is a row; one that begins on the host (no GPU is told) is the process's first GPU's.
static void whole_graphs_are_rows(void **state)
{
    struct timeline_summary s;
    begin(31, 100, 0);
    name(7, "gemm");
    kernel(7, 1000, 1010, 1, 1);
    ADD(GRAPH, graph, .start_ns = 2000, .end_ns = 2300, .stream = 1, .correlation = 8, .graph = 4);
    ADD(GRAPH, graph, .start_ns = 9000, .end_ns = 9100, .stream = 1, .correlation = 9, .graph = 4,
        .device = INT32_MAX);
    ADD(GRAPH, graph, .start_ns = 9300, .end_ns = 9350, .stream = 1, .correlation = 10, .graph = 5);
    ADD(GRAPH, graph, .start_ns = 0, .end_ns = 0, .correlation = 11, .graph = 5); // not known when
    ADD(GRAPH_LAUNCH, graph_launch, .time_ns = 1500, .end_ns = 1600, .correlation = 8, .thread = 3);
    ADD(RANGE, range, .start_ns = 1400, .end_ns = 1700, .thread = 3, .name = 7);
    end();
    timeline_summarize(&arena, &timeline, &s);
    assert_int_equal(s.kernel_count, 3);
    assert_string_equal(named(s.kernels[0].name), "graph 4 of process 31");
    assert_int_equal(s.kernels[0].launches, 2);
    near(s.kernels[0].total_ns, 400);
    assert_string_equal(named(s.kernels[1].name), "graph 5 of process 31");
    assert_int_equal(s.whole_graphs, 3);
    assert_int_equal(s.device_count, 1);
    assert_int_equal(s.devices[0].kernels, 4);
    near(s.devices[0].busy_ns, 460);
    assert_int_equal(s.dear, 1); // what found the GPU idle
    assert_int_equal(s.dear_graphs, 1);
    near(s.recording_pct, 100.0 * (2500 + 10000) / 8350);
    assert_int_equal(timeline.processes.items[0].timeless, 1);
    assert_int_equal(timeline.processes.items[0].graph_launches, 3);
    assert_int_equal(s.range_count, 1);
    assert_int_equal(s.ranges[0].kernels, 1);
    near(s.ranges[0].kernel_ns, 300);
}

// Rows that are counted in while the program runs, and what was timed of them.
static struct stream_row *rows_begin(uint64_t first, uint64_t rows)
{
    struct event_counts e = {first, rows};
    struct stream_row *r = stream_reserve(&writer, EVENT_COUNTS, &e, sizeof e, rows * sizeof *r);
    assert_non_null(r);
    return r;
}

static void launches_are_counted_and_their_total_estimated(void **state)
{
    struct estimates s;
    begin(31, 100, 0);
    struct stream_row *r = rows_begin(0, 4);
    r[0] = (struct stream_row){.kind = WORK_KERNEL,
                               .name = 7,
                               .grid_x = 2,
                               .block_x = 32,
                               .stream = 1,
                               .launches = 100,
                               .first_ns = 200};
    r[1] = (struct stream_row){.kind = WORK_KERNEL,
                               .name = 7,
                               .grid_x = 4,
                               .block_x = 32,
                               .stream = 2,
                               .launches = 2,
                               .first_ns = 300};
    r[2] = (struct stream_row){
        .kind = WORK_COPY, .name = 1, .stream = 1, .launches = 5, .bytes = 80, .first_ns = 300};
    name(7, "gemm");
    // The first two each; then one of 49 by chance, twice: the mean is (20 + 24 + 49 * (30 + 34)) / 100.
    ADD(TIMED, timed, .row = 0, .elapsed_ns = 20, .every = 1);
    ADD(TIMED, timed, .row = 0, .elapsed_ns = 24, .every = 1);
    ADD(TIMED, timed, .row = 0, .elapsed_ns = 30, .every = 49);
    ADD(TIMED, timed, .row = 0, .elapsed_ns = 34, .every = 49);
    ADD(TIMED, timed, .row = 1, .elapsed_ns = 40, .every = 1);
    ADD(TIMED, timed, .row = 1, .elapsed_ns = 60, .every = 1);
    ADD(TIMED, timed, .row = 9, .elapsed_ns = 60, .every = 1); // of no row
    ADD(TIMED, timed, .row = 0, .elapsed_ns = 60, .every = 0); // for nothing
    ADD(END, end, .clock_ns = 1200);
    end();
    timeline_estimate(&arena, &timeline, &s);
    assert_int_equal(s.kernel_count, 1);
    const struct estimate *k = &s.kernels[0];
    assert_string_equal(named(k->name), "gemm");
    assert_int_equal(k->launches, 102);
    assert_int_equal(k->timed, 6);
    assert_int_equal(k->shapes, 2);
    assert_int_equal(k->grid[0], 2);
    near(k->total_ns, 20 + 24 + 49 * 64 + 100);
    // Deviations within those that stand for equally many: 8 of the first two, 49^2 * 8 of the others, each times 2 / 1, with one
    // degree of freedom each; 4 of 100 were timed. The second kind was timed whole.
    const double first = 16, others = 49 * 49 * 16, both = first + others;
    double t = student_quantile(0.975, both * both / (first * first + others * others));
    if (fabs(k->around_ns - t * sqrt(both * 0.96)) > 1e-6)
        fail_msg("%.9g is not %.9g", k->around_ns, t * sqrt(both * 0.96));
    near(k->median_ns, 32);
    near(k->min_ns, 20);
    near(k->max_ns, 60);
    assert_int_equal(s.move_count, 1);
    assert_int_equal(s.moves[0].launches, 5);
    assert_int_equal(s.moves[0].untimed, 5);
    assert_true(isnan(s.moves[0].total_ns));
    assert_int_equal(s.device_count, 1);
    assert_int_equal(s.devices[0].streams, 2);
    near(s.devices[0].span_ns, 1000); // from the first launch to the end
    assert_int_equal(timeline.processes.items[0].launches, 102);
}

static void what_was_not_timed_is_not_in_the_total(void **state)
{
    struct estimates s;
    begin(31, 100, 0);
    name(7, "gemm");
    struct stream_row *r = rows_begin(0, 2);
    r[0] = (struct stream_row){.kind = WORK_KERNEL, .name = 7, .grid_x = 2, .launches = 10};
    r[1] = (struct stream_row){.kind = WORK_KERNEL, .name = 7, .grid_x = 3, .launches = 7};
    rows_begin(5, 1)[0] =
        (struct stream_row){.kind = WORK_KERNEL, .launches = 9}; // after a gap: damaged
    ADD(APART, apart, .device = 0, .beyond_ns = 2730);           // 2100 of them are the events'
    ADD(TIMED, timed, .row = 0, .elapsed_ns = 2120, .every = 8);
    end();
    timeline_estimate(&arena, &timeline, &s);
    assert_int_equal(s.kernel_count, 1);
    assert_int_equal(s.kernels[0].launches, 17);
    assert_int_equal(s.kernels[0].untimed, 7);
    near(s.kernels[0].total_ns, 200);
    assert_true(isnan(s.kernels[0].around_ns)); // one alone has no interval
}

static void kernels_of_graphs_are_counted_by_launches_of_the_graph(void **state)
{
    struct estimates s;
    begin(31, 100, 0);
    name(7, "gemm");
    name(8, "norm");
    ADD(GRAPH_KERNEL, graph_kernel, .graph = 1, .name = 7, .launches = 3);
    ADD(GRAPH_KERNEL, graph_kernel, .graph = 1, .name = 8, .launches = 1);
    ADD(GRAPH_KERNEL, graph_kernel, .graph = 2, .name = 8, .launches = 50);
    struct stream_row *r = rows_begin(0, 2);
    r[0] = (struct stream_row){.kind = WORK_GRAPH, .graph = 1, .launches = 10};
    r[1] = (struct stream_row){.kind = WORK_KERNEL, .name = 7, .launches = 2};
    ADD(TIMED, timed, .row = 0, .elapsed_ns = 900, .every = 1);
    end();
    timeline_estimate(&arena, &timeline, &s);
    assert_int_equal(s.graph_count, 1);
    assert_string_equal(named(s.graphs[0].name), "graph 1 of process 31");
    near(s.graphs[0].total_ns, 9000);
    near(s.graphs[0].share_pct, 100);
    assert_int_equal(s.kernel_count, 2);
    assert_string_equal(named(s.kernels[0].name), "gemm");
    assert_int_equal(s.kernels[0].launches, 2);
    assert_int_equal(s.kernels[0].by_graphs, 30);
    assert_int_equal(s.kernels[1].by_graphs, 10);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)
    const struct CMUnitTest tests[] = {
        TEST(kernels_are_summed_by_name),
        TEST(whole_graphs_are_rows),
        TEST(launches_are_counted_and_their_total_estimated),
        TEST(what_was_not_timed_is_not_in_the_total),
        TEST(kernels_of_graphs_are_counted_by_launches_of_the_graph),
        TEST(busy_time_overlap_and_gaps_of_a_device),
        TEST(what_is_above_the_floor_ranks_kernels_whose_floor_is_known),
        TEST(only_the_longest_gaps_are_kept_in_order),
        TEST(processes_are_brought_onto_one_clock),
        TEST(kernels_are_counted_in_the_ranges_that_launched_them),
        TEST(a_recording_without_work_has_no_sums),
        cmocka_unit_test_setup_teardown(what_recording_may_have_added_is_reckoned, fresh, done),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
