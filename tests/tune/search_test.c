// Spaces and strategies on synthetic landscapes: no point is asked for twice, budgets hold, the same seed asks the
// same questions, and each search finds what its landscape allows.
// SPDX-License-Identifier: Apache-2.0
#include "tune/tune.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 12, AXES = 3, VALUES = 5 };

static const char *const texts[SIDE] = {"0", "1", "2", "3", "4",  "5",
                                        "6", "7", "8", "9", "10", "11"};

// The cube of AXES axes without the choices whose indices add up to a multiple of `hole` (0 = none).
static struct search_space cube(struct arena *a, int side, int hole, bool ordered)
{
    struct axis *axes = ARENA_ARRAY(a, struct axis, AXES);
    uint16_t *items = ARENA_ARRAY(a, uint16_t, side * side * side * AXES);
    struct search_space s;
    int count = 0;
    static const char *const names[AXES] = {"A", "B", "C"};
    for (int i = 0; i < AXES; i++)
        axes[i] = (struct axis){names[i], texts, side, ordered};
    for (int i = side * side * side - 1; i >= 0; i--) { // in no good order
        uint16_t choice[AXES] = {(uint16_t)(i / side / side), (uint16_t)(i / side % side),
                                 (uint16_t)(i % side)};
        if (hole > 0 && (choice[0] + choice[1] + choice[2]) % hole == 0)
            continue;
        memcpy(&items[count++ * AXES], choice, sizeof choice);
    }
    search_space_make(a, axes, AXES, items, count, &s);
    return s;
}

// A bowl around (7, 2, 5) in which steps of every axis count.
static double bowl(const struct search_space *s, int point)
{
    static const double centre[AXES] = {7, 2, 5};
    const uint16_t *choice = search_space_point(s, point);
    double sum = 1000;
    for (int i = 0; i < AXES; i++)
        sum += (i + 1) * fabs(choice[i] - centre[i]) * 10;
    return sum;
}

// How many evaluations until the least value was told; -1 = never. Checks the protocol on the way.
static int until_least(const struct search_space *s, const struct search_options *o, int room,
                       double (*value)(const struct search_space *, int), int *asked_of_all)
{
    bool *seen = xcalloc((size_t)s->count, sizeof *seen);
    int points[64], count = 0, found = -1, asked = 0, least = 0;
    struct search *x = search_open(s, o);
    for (int i = 1; i < s->count; i++)
        if (value(s, i) < value(s, least))
            least = i;
    while ((count = search_ask(x, room, points)) > 0) {
        assert_true(count <= room);
        if (asked == 0 && o->start >= 0)
            assert_int_equal(points[0], o->start);
        for (int i = 0; i < count; i++) {
            assert_in_range(points[i], 0, s->count - 1);
            assert_false(seen[points[i]]);
            seen[points[i]] = true;
            asked++;
            if (points[i] == least && found < 0)
                found = asked;
        }
        for (int i = 0; i < count; i++)
            search_tell(x, points[i], value(s, points[i]));
    }
    search_close(x);
    free(seen);
    *asked_of_all = asked;
    return found;
}

static void a_space_is_sorted_and_finds_its_points(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, VALUES, 4, true);
    for (int i = 0; i < s.count; i++) {
        assert_int_equal(search_space_find(&s, search_space_point(&s, i)), i);
        if (i > 0)
            assert_true(memcmp(search_space_point(&s, i - 1), search_space_point(&s, i),
                               AXES * sizeof(uint16_t)) != 0);
    }
    assert_int_equal(search_space_find(&s, (uint16_t[]){0, 0, 0}), -1);
    assert_string_equal(search_space_label(&a, &s, search_space_find(&s, (uint16_t[]){1, 2, 3})),
                        "A=1 B=2 C=3");
    arena_release(&a);
}

static void a_point_given_twice_is_one(void **state)
{
    struct arena a = {0};
    struct axis axis = {"A", texts, 3, true};
    struct search_space s;
    search_space_make(&a, &axis, 1, (uint16_t[]){2, 0, 2, 0, 1}, 5, &s);
    assert_int_equal(s.count, 3);
    arena_release(&a);
}

static void neighbours_of_numbers_step_over_holes_and_words_are_all_near(void **state)
{
    struct arena a = {0};
    int out[64];
    struct search_space s = cube(&a, VALUES, 4, true), words = cube(&a, VALUES, 0, false);
    int at = search_space_find(&s, (uint16_t[]){1, 1, 1});
    int count = search_space_neighbours(&s, at, true, out);
    // One up is a hole (1+1+2), so the next is two up; one down is there.
    assert_int_equal(count, 6);
    bool two_up = false;
    for (int i = 0; i < count; i++)
        two_up = two_up || out[i] == search_space_find(&s, (uint16_t[]){1, 1, 3});
    assert_true(two_up);
    assert_int_equal(search_space_neighbours(&words, 0, true, out), AXES * (VALUES - 1));
    assert_int_equal(search_space_neighbours(&words, 0, false, out), AXES * (VALUES - 1));
    assert_true(search_space_neighbour_max(&words) >= AXES * (VALUES - 1));
    arena_release(&a);
}

static void every_strategy_asks_each_point_once_and_all_of_a_small_space(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, 4, 5, true);
    double *ranks = ARENA_ARRAY(&a, double, s.count);
    for (int i = 0; i < s.count; i++)
        ranks[i] = bowl(&s, i);
    for (int k = 0; k < STRATEGY_COUNT; k++)
        for (int room = 1; room <= 8; room += 7) {
            struct search_options o = {
                .strategy = (enum strategy)k, .seed = 3, .start = 7, .ranks = ranks};
            int asked = 0;
            assert_true(until_least(&s, &o, room, bowl, &asked) > 0);
            assert_int_equal(asked, s.count);
        }
    arena_release(&a);
}

static void a_budget_is_kept(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, SIDE, 0, true);
    double *ranks = ARENA_ARRAY(&a, double, s.count);
    for (int i = 0; i < s.count; i++)
        ranks[i] = bowl(&s, i);
    for (int k = 0; k < STRATEGY_COUNT; k++) {
        struct search_options o = {
            .strategy = (enum strategy)k, .start = -1, .most = 37, .ranks = ranks};
        int asked = 0;
        until_least(&s, &o, 8, bowl, &asked);
        assert_int_equal(asked, 37);
    }
    arena_release(&a);
}

static void the_same_seed_asks_the_same_and_another_one_other_points(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, SIDE, 0, true);
    struct search_options o = {.strategy = STRATEGY_random, .seed = 1, .start = -1};
    int first[8], second[8], third[8];
    struct search *x = search_open(&s, &o), *y = search_open(&s, &o);
    o.seed = 2;
    struct search *z = search_open(&s, &o);
    assert_int_equal(search_ask(x, 8, first), 8);
    assert_int_equal(search_ask(y, 8, second), 8);
    assert_int_equal(search_ask(z, 8, third), 8);
    assert_memory_equal(first, second, sizeof first);
    assert_memory_not_equal(first, third, sizeof first);
    search_close(x);
    search_close(y);
    search_close(z);
    arena_release(&a);
}

static void local_search_walks_into_a_bowl_long_before_chance_does(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, SIDE, 0, true);
    int sum_local = 0, sum_random = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct search_options o = {.strategy = STRATEGY_local, .seed = seed, .start = 0};
        sum_local += until_least(&s, &o, 8, bowl, &asked);
        o.strategy = STRATEGY_random;
        sum_random += until_least(&s, &o, 8, bowl, &asked);
    }
    assert_true(sum_local * 4 < sum_random);
    arena_release(&a);
}

static void bayesian_search_finds_a_bowl_s_ground_long_before_chance_does(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, SIDE, 0, true);
    int sum_bayes = 0, sum_random = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct search_options o = {
            .strategy = STRATEGY_bayesian, .seed = seed, .start = 0, .most = 120};
        int found = until_least(&s, &o, 4, bowl, &asked);
        assert_true(found > 0);
        sum_bayes += found;
        o.strategy = STRATEGY_random;
        o.most = 0;
        sum_random += until_least(&s, &o, 4, bowl, &asked);
    }
    assert_true(sum_bayes * 4 < sum_random);
    arena_release(&a);
}

static void pruning_asks_the_best_ranked_first_and_keeps_some_questions_for_chance(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, SIDE, 0, true);
    double *ranks = ARENA_ARRAY(&a, double, s.count);
    int points[8], asked = 0, chance = 0, count = 0, worst_ranked = 0;
    for (int i = 0; i < s.count; i++)
        ranks[i] = i % 2 ? (double)NAN : s.count - i;
    struct search_options o = {
        .strategy = STRATEGY_pruned, .start = -1, .most = 40, .ranks = ranks, .audit = 10};
    struct search *x = search_open(&s, &o);
    while ((count = search_ask(x, 8, points)) > 0)
        for (int i = 0; i < count; i++, asked++) {
            chance += search_audits(x);
            if (!search_audits(x)) {
                assert_true(ranks[points[i]] <=
                            60 + 1e-9); // the 30 best of every second one; NAN is not
            } else {
                worst_ranked += isnan(ranks[points[i]]) || ranks[points[i]] > 60;
            }
            search_tell(x, points[i], 1);
        }
    search_close(x);
    assert_int_equal(asked, 40);
    assert_int_equal(chance, 10);
    assert_int_equal(worst_ranked, 10);
    arena_release(&a);
}

// Two valleys; the deep one is far from the start.
static double two_valleys(const struct search_space *s, int point)
{
    const uint16_t *c = search_space_point(s, point);
    double near = 100 + c[0] + c[1] + c[2];
    double far = 50 + 20 * (abs(c[0] - 10) + abs(c[1] - 10) + abs(c[2] - 10));
    return near < far ? near : far;
}

static void local_search_leaves_a_valley_that_is_not_the_deepest(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, SIDE, 0, true);
    int sum = 0, asked = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct search_options o = {.strategy = STRATEGY_local, .seed = seed, .start = 0};
        int found = until_least(&s, &o, 4, two_valleys, &asked);
        assert_true(found > 0);
        sum += found;
    }
    assert_true(sum / 10 < s.count / 2);
    arena_release(&a);
}

static double mostly_broken(const struct search_space *s, int point)
{
    return point % 3 == 0 ? bowl(s, point) : (double)NAN;
}

static void points_that_cannot_run_end_no_search(void **state)
{
    struct arena a = {0};
    struct search_space s = cube(&a, VALUES, 0, true);
    double *ranks = ARENA_ARRAY(&a, double, s.count);
    for (int i = 0; i < s.count; i++)
        ranks[i] = mostly_broken(&s, i);
    for (int k = 0; k < STRATEGY_COUNT; k++) {
        struct search_options o = {
            .strategy = (enum strategy)k, .start = 1, .most = 60, .ranks = ranks};
        struct search *x = search_open(&s, &o);
        int points[8], count = 0, asked = 0;
        while ((count = search_ask(x, 8, points)) > 0)
            for (int i = 0; i < count; i++, asked++)
                search_tell(x, points[i], mostly_broken(&s, points[i]));
        assert_int_equal(asked, 60);
        search_close(x);
    }
    arena_release(&a);
}

static void a_strategy_has_a_name_that_finds_it(void **state)
{
    enum strategy s;
    struct error err = {0};
    for (int k = 0; k < STRATEGY_COUNT; k++) {
        assert_true(strategy_find(strategy_name((enum strategy)k), &s, &err));
        assert_int_equal(s, k);
    }
    assert_false(strategy_find("randm", &s, &err));
    assert_non_null(strstr(err.message, "did you mean 'random'?"));
}

/* ---- ties ------------------------------------------------------------------------------------------- */

static struct evaluation timed(int point, double low, double median, double high)
{
    return (struct evaluation){.point = point,
                               .outcome = OUTCOME_CORRECT,
                               .time_ns = median,
                               .low_ns = low,
                               .high_ns = high};
}

static void ties_overlap_the_fastest_and_the_first_in_order_is_chosen(void **state)
{
    struct arena a = {0};
    struct ties ties;
    struct evaluation e[] = {timed(9, 100, 101, 102), timed(4, 101.5, 104, 105),
                             timed(7, 102.5, 103, 104), timed(5, 101.2, 101.4, 101.6)};
    ties_find(&a, e, COUNT_OF(e), OBJECTIVE_TIME, &ties);
    assert_int_equal(ties.fastest, 0);
    assert_int_equal(ties.count, 3); // 7's interval begins beyond 9's end
    assert_int_equal(e[ties.chosen].point, 4);
    arena_release(&a);
}

static void times_without_noise_tie_within_the_stated_share(void **state)
{
    struct arena a = {0};
    struct ties ties;
    struct evaluation e[] = {timed(3, 1000, 1000, 1000), timed(2, 1004.9, 1004.9, 1004.9),
                             timed(1, 1005.1, 1005.1, 1005.1)};
    ties_find(&a, e, COUNT_OF(e), OBJECTIVE_TIME, &ties);
    assert_int_equal(ties.count, 2);
    assert_int_equal(e[ties.chosen].point, 2);
    arena_release(&a);
}

static void what_is_wrong_never_ties(void **state)
{
    struct arena a = {0};
    struct ties ties;
    struct evaluation e[] = {timed(0, 1, 1, 1), timed(1, 5, 5, 5)};
    e[0].outcome = OUTCOME_CORRECTNESS;
    ties_find(&a, e, COUNT_OF(e), OBJECTIVE_TIME, &ties);
    assert_int_equal(e[ties.chosen].point, 1);
    e[1].outcome = OUTCOME_COMPILE;
    ties_find(&a, e, COUNT_OF(e), OBJECTIVE_TIME, &ties);
    assert_int_equal(ties.chosen, -1);
    arena_release(&a);
}

// The answers come in another order on another machine: the choice is the same.
static void the_choice_does_not_depend_on_the_order_of_evaluations(void **state)
{
    struct arena a = {0};
    struct ties ties;
    struct evaluation e[] = {timed(9, 99, 100, 101), timed(4, 99, 100, 101),
                             timed(6, 99, 100, 101)};
    for (int turn = 0; turn < 3; turn++) {
        struct evaluation first = e[0];
        memmove(&e[0], &e[1], 2 * sizeof e[0]);
        e[2] = first;
        ties_find(&a, e, COUNT_OF(e), OBJECTIVE_TIME, &ties);
        assert_int_equal(e[ties.chosen].point, 4);
    }
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_space_is_sorted_and_finds_its_points),
        cmocka_unit_test(a_point_given_twice_is_one),
        cmocka_unit_test(neighbours_of_numbers_step_over_holes_and_words_are_all_near),
        cmocka_unit_test(every_strategy_asks_each_point_once_and_all_of_a_small_space),
        cmocka_unit_test(a_budget_is_kept),
        cmocka_unit_test(the_same_seed_asks_the_same_and_another_one_other_points),
        cmocka_unit_test(local_search_walks_into_a_bowl_long_before_chance_does),
        cmocka_unit_test(bayesian_search_finds_a_bowl_s_ground_long_before_chance_does),
        cmocka_unit_test(pruning_asks_the_best_ranked_first_and_keeps_some_questions_for_chance),
        cmocka_unit_test(local_search_leaves_a_valley_that_is_not_the_deepest),
        cmocka_unit_test(points_that_cannot_run_end_no_search),
        cmocka_unit_test(a_strategy_has_a_name_that_finds_it),
        cmocka_unit_test(ties_overlap_the_fastest_and_the_first_in_order_is_chosen),
        cmocka_unit_test(times_without_noise_tie_within_the_stated_share),
        cmocka_unit_test(what_is_wrong_never_ties),
        cmocka_unit_test(the_choice_does_not_depend_on_the_order_of_evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
