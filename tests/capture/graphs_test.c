// What ran in graphs that were recorded as a whole: estimates from launches that were recorded by their kernels, by hand and in
// programs that are made up.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "capture/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct timeline timeline;
static struct timeline_summary sums;

static int fresh(void **state)
{
    timeline = (struct timeline){.arena = &arena};
    (void)timeline_process(&timeline, 1);
    (void)timeline_device(&timeline, 0);
    return 0;
}

static int done(void **state)
{
    timeline_release(&timeline);
    return 0;
}

static int clean(void **state)
{
    arena_release(&arena);
    return 0;
}

static void near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9 * fmax(1, fabs(wanted)))
        fail_msg("%.12g is not %.12g", value, wanted);
}

static uint64_t now_ns;
static void kernel(const char *name, uint64_t correlation, uint64_t ns)
{
    timeline_add(&timeline, (struct work){.kind = WORK_KERNEL,
                                          .start_ns = now_ns,
                                          .end_ns = now_ns + ns,
                                          .name = timeline_name(&timeline, name),
                                          .correlation = correlation});
    now_ns += ns + 100;
}

static void copy(uint64_t correlation, uint64_t ns, uint64_t bytes)
{
    timeline_add(&timeline, (struct work){.kind = WORK_COPY,
                                          .start_ns = now_ns,
                                          .end_ns = now_ns + ns,
                                          .name = timeline_name(&timeline, "copy"),
                                          .bytes = bytes,
                                          .correlation = correlation});
    now_ns += ns + 100;
}

static void whole(uint64_t graph, uint64_t correlation, uint64_t ns)
{
    const char *name = arena_printf(&arena, "graph %llu", (unsigned long long)graph);
    timeline_add(&timeline, (struct work){.kind = WORK_GRAPH,
                                          .start_ns = now_ns,
                                          .end_ns = now_ns + ns,
                                          .name = timeline_name(&timeline, name),
                                          .bytes = BYTES_UNKNOWN,
                                          .correlation = correlation,
                                          .graph = graph});
    now_ns += ns + 100;
}

static void look(uint64_t graph, uint64_t correlation, uint64_t from)
{
    struct graph_look l = {.graph = graph, .correlation = correlation, .from = from};
    VEC_PUSH(timeline.looks.items, timeline.looks.count, timeline.looks.capacity, l);
}

static const struct kernel_sum *kernel_named(const char *name)
{
    for (size_t i = 0; i < sums.kernel_count; i++)
        if (strcmp(timeline.names.items[sums.kernels[i].name], name) == 0)
            return &sums.kernels[i];
    fail_msg("no kernel %s", name);
    return NULL;
}

// Launches 1 to 6 of graph 9; 1 is looked at for itself, 3 for 2 and 4, 5 for 6. Launch 20 is no graph's.
static void a_look_stands_for_its_block(void **state)
{
    look(9, 5, 5);
    look(9, 1, 1);
    look(9, 3, 2);
    kernel("a", 1, 1000);
    kernel("a", 3, 100);
    kernel("b", 3, 50);
    kernel("b", 3, 60);
    copy(3, 10, 4096);
    kernel("a", 5, 140);
    kernel("a", 20, 7);
    whole(9, 2, 300);
    whole(9, 4, 300);
    whole(9, 6, 200);
    timeline_summarize(&arena, &timeline, &sums);
    const struct kernel_sum *a = kernel_named("a"), *b = kernel_named("b");
    assert_int_equal(sums.kernel_count, 2); // the graph itself is no row
    assert_int_equal(a->seen, 4);
    assert_int_equal(a->launches, 7);
    near(a->total_ns, 1000 + 100 + 140 + 7 + 2 * 100 + 1 * 140);
    // Neighbours differ by 40, one difference: t of one degree of freedom; 2 and 1 launches are stood for.
    near(a->total_margin_ns / sqrt(40 * 40 / 2.0 * (2 * 3 + 1 * 2)), 12.706204736174694);
    near(a->launches_margin, 0);
    assert_int_equal(b->launches, 6);
    near(b->total_ns, 110 + 2 * 110);
    assert_true(b->launches_margin > 0); // launch 5 had none
    assert_int_equal(sums.move_count, 1);
    assert_int_equal(sums.moves[0].count, 3);
    near(sums.moves[0].bytes, 3 * 4096);
    assert_int_equal(sums.graphs_whole, 3);
    assert_int_equal(sums.graphs_by_kernels, 3);
    // Of the device: what was measured of the whole graphs, and what ran in them.
    assert_int_equal(sums.devices[0].kernels, 13);
    assert_int_equal(sums.devices[0].moves, 3);
    near(sums.devices[0].busy_ns, 1000 + 100 + 50 + 60 + 10 + 140 + 7 + 300 + 300 + 200);
    near(sums.devices[0].kernel_sum_ns, a->total_ns + b->total_ns);
    // A second summary is the same.
    double total_ns = a->total_ns;
    timeline_summarize(&arena, &timeline, &sums);
    near(kernel_named("a")->total_ns, total_ns);
}

static void one_look_says_nothing_of_its_error(void **state)
{
    look(9, 1, 1);
    kernel("a", 1, 100);
    whole(9, 2, 300);
    timeline_summarize(&arena, &timeline, &sums);
    near(kernel_named("a")->total_ns, 200);
    assert_true(isnan(kernel_named("a")->total_margin_ns));
}

// A look whose records are missing, or that was recorded as a whole after all, is none; then the graph is a row by itself.
static void a_graph_that_nothing_is_known_of_is_a_row(void **state)
{
    look(9, 1, 1);
    look(9, 2, 2);
    whole(9, 2, 300);
    kernel("a", 2, 40); // of the same launch: not sure what of it is missing
    whole(9, 3, 300);
    timeline_summarize(&arena, &timeline, &sums);
    const struct kernel_sum *g = kernel_named("graph 9");
    assert_int_equal(g->launches, 2);
    near(g->total_ns, 600);
    near(kernel_named("a")->total_ns, 40);
    assert_int_equal(sums.devices[0].kernels, 3);
}

static void graphs_of_one_number_in_two_processes_are_two(void **state)
{
    int other = timeline_process(&timeline, 2);
    look(9, 1, 1);
    kernel("a", 1, 100);
    whole(9, 2, 300);
    look(9, 1, 1);
    timeline.looks.items[1].process = other;
    kernel("b", 1, 70);
    timeline.work.items[2].process = other;
    whole(9, 2, 300);
    timeline.work.items[3].process = other;
    timeline_summarize(&arena, &timeline, &sums);
    near(kernel_named("a")->total_ns, 200);
    near(kernel_named("b")->total_ns, 140);
}

static void ranges_have_the_kernels_of_whole_graphs(void **state)
{
    int name = timeline_name(&timeline, "step");
    look(9, 1, 1);
    kernel("a", 1, 100);
    kernel("a", 1, 120);
    whole(9, 2, 300);
    timeline.work.items[2].thread = 3;
    timeline.work.items[2].call_ns = 50;
    timeline_add_range(&timeline, (struct range){name, 0, 3, 40, 60});
    timeline_summarize(&arena, &timeline, &sums);
    assert_int_equal(sums.range_count, 1);
    assert_int_equal(sums.ranges[0].kernels, 2);
    near(sums.ranges[0].kernel_ns, 220);
}

/* ---- programs that are made up --------------------------------------------------------------------- */

static uint64_t state_of_draw;
static double draw(void) // 0 to 1
{
    state_of_draw ^= state_of_draw << 13;
    state_of_draw ^= state_of_draw >> 7;
    state_of_draw ^= state_of_draw << 17;
    return (double)(state_of_draw >> 11) / (double)(UINT64_C(1) << 53);
}

enum shape { NOISE, TREND, PHASES, SAWTOOTH, SHAPES };
static uint64_t length_of(enum shape shape, int launch, int launches)
{
    double at = (double)launch / launches;
    double noise = 1 + 0.1 * (draw() - 0.5);
    switch (shape) {
    case NOISE:
        return (uint64_t)(10000 * (1 + draw()));
    case TREND:
        return (uint64_t)(10000 * (1 + at) * noise);
    case PHASES:
        return (uint64_t)((at < 0.4 ? 10000 : 30000) * noise);
    case SAWTOOTH:
        return (uint64_t)(10000 * (1 + launch % 50 / 25.0) * noise);
    case SHAPES:
        break;
    }
    return 0;
}

// As the recorder draws: blocks of 1, 1, 2, 4, 8, 16, and then 32 launches.
static double made_up(enum shape shape, int launches, double *margin_ns, double *total_ns)
{
    double all_ns = 0;
    fresh(NULL);
    for (int i = 0, end = 0, at = 0, from = 0; i < launches; i++) {
        uint64_t ns = length_of(shape, i, launches);
        if (i == end) {
            int size = i < 2 ? 1 : i < 32 ? i : 32;
            from = i;
            end += size;
            at = i + (int)(draw() * size);
        }
        all_ns += (double)ns;
        if (i == at) {
            look(4, (uint64_t)i + 1, (uint64_t)from + 1);
            kernel("a", (uint64_t)i + 1, ns);
        } else {
            whole(4, (uint64_t)i + 1, ns);
        }
    }
    timeline_summarize(&arena, &timeline, &sums);
    *margin_ns = kernel_named("a")->total_margin_ns;
    *total_ns = all_ns;
    double estimate_ns = kernel_named("a")->total_ns;
    assert_int_equal(kernel_named("a")->launches, launches);
    done(NULL);
    return estimate_ns;
}

// 95 % intervals hold in 95 % of the programs; of 80, 70 and fewer are a chance of 1 in 1,000.
static void intervals_hold(void **state)
{
    enum { PROGRAMS = 80, LEAST = 70 };
    for (enum shape shape = 0; shape < SHAPES; shape++) {
        int within = 0;
        double sum = 0, widest = 0;
        for (int i = 0; i < PROGRAMS; i++) {
            double margin_ns, all_ns;
            state_of_draw = UINT64_C(88172645463325252) + (uint64_t)i * 7919 + (uint64_t)shape;
            double estimate_ns = made_up(shape, 200 + 40 * i, &margin_ns, &all_ns);
            within += fabs(estimate_ns - all_ns) <= margin_ns;
            sum += estimate_ns / all_ns;
            widest = fmax(widest, margin_ns / all_ns);
        }
        print_message("shape %d: %d of %d within, mean %.4f, widest %.3f\n", (int)shape, within,
                      (int)PROGRAMS, sum / PROGRAMS, widest);
        assert_true(within >= LEAST);
        assert_true(fabs(sum / PROGRAMS - 1) < 0.02);
        assert_true(widest < 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_look_stands_for_its_block, fresh, done),
        cmocka_unit_test_setup_teardown(one_look_says_nothing_of_its_error, fresh, done),
        cmocka_unit_test_setup_teardown(a_graph_that_nothing_is_known_of_is_a_row, fresh, done),
        cmocka_unit_test_setup_teardown(graphs_of_one_number_in_two_processes_are_two, fresh, done),
        cmocka_unit_test_setup_teardown(ranges_have_the_kernels_of_whole_graphs, fresh, done),
        cmocka_unit_test(intervals_hold),
    };
    return cmocka_run_group_tests(tests, NULL, clean);
}
