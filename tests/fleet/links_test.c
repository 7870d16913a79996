// The model of the exchange between simulated GPUs: its limits by hand, and two H200s as they were measured.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/links.h"
#include "fleet/collectives.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A node of four: 100 GB/s and 1 us in it, 10 GB/s for each GPU and 8 us between nodes, small messages at a quarter.
static const char four[] = "name: Four\n"
                           "chips: [h200, h100]\n"
                           "gpus: {value: 4, source: test}\n"
                           "start_ns: {value: 5000, source: test}\n"
                           "link_gbps: {value: 100, source: test}\n"
                           "link_hop_ns: {value: 1000, source: test}\n"
                           "link_hop_small_ns: {value: 100, source: test}\n"
                           "small_share: {value: 0.25, source: test}\n";
static const char network[] = "network_gbps: {value: 10, source: test}\n"
                              "network_hop_ns: {value: 8000, source: test}\n"
                              "network_hop_small_ns: {value: 2000, source: test}\n";
static const double large = 1e9, tiny = 4;

static struct node *parse(struct arena *a, const char *text)
{
    struct error err = {0};
    struct node *n = NULL;
    assert_true(node_parse(a, "four.yaml", text, strlen(text), &n, &err));
    return n;
}

static struct links links_for(struct arena *a, int devices)
{
    struct error err = {0};
    struct links l;
    const struct node *n = parse(a, arena_printf(a, "%s%s", four, network));
    assert_true(links_make(&n, 1, devices, &l, &err));
    return l;
}

static bool near(double value, double wanted)
{
    return fabs(value - wanted) <= 1e-9 * wanted;
}

static void sums_of_one_node_take_a_ring_of_large_messages(void **state)
{
    struct arena a = {0};
    (void)state;
    struct links l = links_for(&a, 4);
    assert_int_equal(l.nodes, 1);
    assert_true(near(links_sum_ns(&l, large), 2 * 3 * 1000 + 2 * 0.75 * large / 100));
    assert_true(near(links_sum_ns(&l, tiny),
                     2 * 3 * 100 + 2 * 0.75 * tiny / 25)); // small ones: fewer ns per hop
    assert_true(near(links_spread_ns(&l, large), 3 * 1000 + large / 100));
    arena_release(&a);
}

static void sums_between_nodes_take_as_many_rails_as_the_emptiest_node_has(void **state)
{
    struct arena a = {0};
    (void)state;
    struct links full = links_for(&a, 8), part = links_for(&a, 5);
    assert_int_equal(full.rails, 4);
    assert_int_equal(part.rails, 1);
    // Four rails of 10 GB/s: 40, slower than the node's 100. 14 hops, 2 of them between nodes.
    assert_true(near(links_sum_ns(&full, large), 12 * 1000 + 2 * 8000 + 2 * 7.0 / 8 * large / 40));
    assert_true(near(links_sum_ns(&part, large), 6 * 1000 + 2 * 8000 + 2 * 4.0 / 5 * large / 10));
    arena_release(&a);
}

static void small_sums_of_many_nodes_take_a_tree(void **state)
{
    struct arena a = {0};
    (void)state;
    struct links l = links_for(&a, 1024);
    assert_int_equal(l.nodes, 256);
    assert_true(near(links_sum_ns(&l, tiny), 2 * 3 * 100 + 2 * 8 * 2000 + 2 * tiny / 10));
    // The ring would take 2046 hops.
    assert_true(links_sum_ns(&l, tiny) < 2.0 * 1023 * 100);
    arena_release(&a);
}

static void copies_take_the_busiest_device_and_each_kind_of_link(void **state)
{
    struct arena a = {0};
    (void)state;
    struct links l = links_for(&a, 8);
    const struct exchange_copy copies[] = {{0, 1, 0, 0, 50000000}, // in a node
                                           {2, 1, 0, 0, 50000000},
                                           {3, 4, 0, 0, 20000000}, // to the next
                                           {4, 3, 0, 0, 20000000}};
    assert_true(near(links_copies_ns(&l, copies, 2), 2 * 1000 + 100000000 / 100.0));
    assert_true(near(links_copies_ns(&l, copies, 4), 8000 + 20000000 / 10.0));
    assert_true(links_copies_ns(&l, copies, 0) == 0);
    arena_release(&a);
}

static void an_exchange_starts_once(void **state)
{
    struct arena a = {0};
    (void)state;
    struct links l = links_for(&a, 4);
    const struct exchange_sum sums[] = {{ELEMENT_F32, 1000000, NULL, NULL},
                                        {ELEMENT_F64, 1000000, NULL, NULL}};
    struct exchange e = {.sums = sums, .sum_count = 2};
    assert_true(
        near(links_exchange_ns(&l, &e), 5000 + links_sum_ns(&l, 4e6) + links_sum_ns(&l, 8e6)));
    // Broadcasts go around the ring one behind the other, an all-gather's blocks at the same time.
    const struct exchange_spread spreads[] = {{0, 0, 1000000, NULL}, {1, 0, 3000000, NULL}};
    e = (struct exchange){.spreads = spreads, .spread_count = 2};
    assert_true(near(links_exchange_ns(&l, &e), 5000 + links_spread_ns(&l, 4e6)));
    const struct exchange_gather gather = {1000000, NULL, NULL};
    e = (struct exchange){.gather = &gather};
    assert_true(near(links_exchange_ns(&l, &e), 5000 + links_spread_ns(&l, 3e6)));
    e = (struct exchange){0};
    assert_true(links_exchange_ns(&l, &e) == 0);
    arena_release(&a);
}

static void one_device_exchanges_nothing(void **state)
{
    struct arena a = {0};
    (void)state;
    struct links l = links_for(&a, 1);
    assert_true(links_sum_ns(&l, large) == 0 && links_spread_ns(&l, large) == 0);
    arena_release(&a);
}

static void unlike_nodes_are_as_slow_as_the_slowest(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct links l;
    (void)state;
    struct node *slow = parse(&a, four);
    slow->value[NODE_FIELD_link_gbps] = 40;
    const struct node *kinds[2] = {parse(&a, arena_printf(&a, "%s%s", four, network)), slow};
    assert_true(links_make(kinds, 2, 4, &l, &err));
    assert_true(near(l.link_gbps, 40));
    // The second has no network: four is all.
    assert_false(links_make(kinds, 2, 5, &l, &err));
    assert_string_equal(err.message,
                        "Four has 4 GPUs and its file no network to other nodes: 5 are too many");
    arena_release(&a);
}

static void refuses(const char *change, const char *said)
{
    struct arena a = {0};
    struct error err = {0};
    struct node *n = NULL;
    const char *text = arena_printf(&a, "%s%s", four, change);
    assert_false(node_parse(&a, "four.yaml", text, strlen(text), &n, &err));
    if (!strstr(err.message, said))
        fail_msg("'%s' does not say '%s'", err.message, said);
    arena_release(&a);
}

static void a_nodes_file_is_strict(void **state)
{
    (void)state;
    refuses("speed: {value: 3, source: test}\n", "unknown key 'speed'");
    refuses("network_gbps: {value: 3, source: test}\n",
            "'network_gbps' is there and 'network_hop_ns' is not");
    refuses("network_hop_ns: {value: 3, source: test}\n",
            "'network_hop_ns' is there and 'network_gbps' is not");
    refuses("validated_gpus: {value: 2}\n", "has no source");
    refuses("validated_gpus: {value: 2.5, source: test}\n", "must be a whole number of GPUs");
    refuses("validated_error_pct: {value: -1, source: test}\n", "must be more than zero");
}

static void every_node_file_reads_and_names_known_chips(void **state)
{
    static const char *const chips[] = {"h200", "h100", "a100", "v100", "rtx4090"};
    struct arena a = {0};
    struct error err = {0};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(chips); i++) {
        struct node *n = NULL;
        assert_true(node_of_chip(&a, chips[i], &n, &err));
        assert_non_null(n);
        for (int k = 0; k < NODE_FIELD_COUNT; k++)
            assert_true(isnan(n->value[k]) == (n->source[k] == NULL));
    }
    struct node *none = NULL;
    assert_true(node_of_chip(&a, "mi300x", &none, &err));
    assert_null(none);
    arena_release(&a);
}

/* ---- two H200s ----------------------------------------------------------------------------------------- */

static const double measured_sizes[] = {262144, 4194304, 67108864, 268435456};
static const double measured_gbps[COLLECTIVE_COUNT][COUNT_OF(measured_sizes)] = {
#define SWEEP(id, ...) [COLLECTIVE_##id] = {__VA_ARGS__},
#define JOB(name, time_ns, summed, spread, copied)
#include "../../bench/scale/measured.def"
#undef SWEEP
#undef JOB
};
static const struct {
    const char *name;
    double measured_ns;
    double summed, spread, copied; // bytes; copied: each way
} measured_jobs[] = {
#define SWEEP(...)
#define JOB(...) {__VA_ARGS__},
#include "../../bench/scale/measured.def"
#undef SWEEP
#undef JOB
};

static double hold_against(const char *name, double size, double modelled_ns, double measured_ns)
{
    double error = modelled_ns / measured_ns - 1;
    printf("# %-36s %9.0f bytes: %6.1f us modelled, %6.1f us measured, %+5.1f %%\n", name, size,
           modelled_ns / 1e3, measured_ns / 1e3, 100 * error);
    return fabs(error);
}

static double hold_job(const struct links *l, size_t i)
{
    const struct exchange_copy copies[] = {{0, 1, 0, 0, (uint64_t)measured_jobs[i].copied},
                                           {1, 0, 0, 0, (uint64_t)measured_jobs[i].copied}};
    const struct exchange_spread spread = {0, 0, (uint64_t)measured_jobs[i].spread, NULL};
    const struct exchange_sum sum = {ELEMENT_U8, (uint64_t)measured_jobs[i].summed, NULL, NULL};
    const struct exchange e = {.sums = &sum,
                               .sum_count = measured_jobs[i].summed > 0,
                               .spreads = &spread,
                               .spread_count = measured_jobs[i].spread > 0,
                               .copies = copies,
                               .copy_count = measured_jobs[i].copied > 0 ? 2 : 0};
    double bytes = measured_jobs[i].summed + measured_jobs[i].spread + measured_jobs[i].copied;
    return hold_against(measured_jobs[i].name, bytes, links_exchange_ns(l, &e),
                        measured_jobs[i].measured_ns);
}

static void two_h200s_are_modelled_as_measured_within_what_the_file_says(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct node *n = NULL;
    struct links l;
    double worst = 0;
    (void)state;
    assert_true(node_of_chip(&a, "h200", &n, &err));
    const struct node *kind = n;
    assert_true(links_make(&kind, 1, 2, &l, &err));
    for (int c = 0; c < COLLECTIVE_COUNT; c++)
        for (size_t i = 0; i < COUNT_OF(measured_sizes); i++) {
            enum collective which = (enum collective)c;
            double size = measured_sizes[i];
            double measured_ns = size * collective_bus(which, 2) / measured_gbps[c][i];
            worst = fmax(worst, hold_against(collective_info(which)->name, size,
                                             collective_modelled_ns(&l, which, size), measured_ns));
        }
    for (size_t i = 0; i < COUNT_OF(measured_jobs); i++)
        worst = fmax(worst, hold_job(&l, i));
    assert_true(near(NODE(n, validated_gpus), 2));
    assert_true(near(NODE(n, validated_error_pct), ceil(100 * worst)));
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_one_node_take_a_ring_of_large_messages),
        cmocka_unit_test(sums_between_nodes_take_as_many_rails_as_the_emptiest_node_has),
        cmocka_unit_test(small_sums_of_many_nodes_take_a_tree),
        cmocka_unit_test(copies_take_the_busiest_device_and_each_kind_of_link),
        cmocka_unit_test(an_exchange_starts_once),
        cmocka_unit_test(one_device_exchanges_nothing),
        cmocka_unit_test(unlike_nodes_are_as_slow_as_the_slowest),
        cmocka_unit_test(a_nodes_file_is_strict),
        cmocka_unit_test(every_node_file_reads_and_names_known_chips),
        cmocka_unit_test(two_h200s_are_modelled_as_measured_within_what_the_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
