// Ranks: what a launcher's environment says, which device is whose, and the deck that items of work are drawn from,
// by processes that die too.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/ranks.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static struct error err;

static const char *const variables[] = {"OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_LOCAL_RANK",
                                        "OMPI_MCA_orte_precondition_transports",
                                        "PMIX_NAMESPACE",
                                        "SLURM_PROCID",
                                        "SLURM_STEP_NUM_TASKS",
                                        "SLURM_LOCALID",
                                        "SLURM_JOB_ID",
                                        "SLURM_STEP_ID",
                                        "RIDGE_RANK",
                                        "RIDGE_RANKS",
                                        "RIDGE_LOCAL_RANK",
                                        "RIDGE_RANKS_JOB"};

static int clean(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        unsetenv(variables[i]);
    arena_release(&arena);
    error_clear(&err);
    return 0;
}

static void set(const char *name, const char *value)
{
    setenv(name, value, 1);
}

static struct ranks find(void)
{
    struct ranks r;
    if (!ranks_find(&arena, &r, &err))
        fail_msg("%s", err.message);
    return r;
}

static void without_a_launcher_a_process_is_alone(void **state)
{
    (void)state;
    struct ranks r = find();
    assert_null(r.launcher);
    assert_int_equal(r.rank, 0);
    assert_int_equal(r.count, 1);
}

static void open_mpi_says_who_we_are(void **state)
{
    (void)state;
    set("OMPI_COMM_WORLD_RANK", "5");
    set("OMPI_COMM_WORLD_SIZE", "8");
    set("OMPI_COMM_WORLD_LOCAL_RANK", "1");
    set("OMPI_MCA_orte_precondition_transports", "72dc73d0-8515f293");
    struct ranks r = find();
    assert_string_equal(r.launcher, "Open MPI 4");
    assert_int_equal(r.rank, 5);
    assert_int_equal(r.count, 8);
    assert_int_equal(r.local_rank, 1);
    assert_string_equal(r.job, "72dc73d0-8515f293");
    unsetenv("OMPI_MCA_orte_precondition_transports");
    set("PMIX_NAMESPACE", "prterun-node/1@2");
    r = find();
    assert_string_equal(r.launcher, "Open MPI 5");
    assert_string_equal(r.job, "prterun-node_1_2"); // a folder's name
}

static void slurm_counts_in_a_step_alone(void **state)
{
    (void)state;
    set("SLURM_PROCID", "0");
    set("SLURM_JOB_ID", "77");
    assert_int_equal(find().count, 1); // of a batch script
    set("SLURM_STEP_NUM_TASKS", "4");
    set("SLURM_STEP_ID", "2");
    set("SLURM_PROCID", "3");
    struct ranks r = find();
    assert_string_equal(r.launcher, "Slurm");
    assert_int_equal(r.rank, 3);
    assert_int_equal(r.local_rank, 3); // not said
    assert_string_equal(r.job, "77-2");
}

static void a_rank_beyond_the_number_is_refused(void **state)
{
    struct ranks r;
    (void)state;
    set("RIDGE_RANK", "4");
    set("RIDGE_RANKS", "4");
    set("RIDGE_RANKS_JOB", "x");
    assert_false(ranks_find(&arena, &r, &err));
    assert_non_null(strstr(err.message, "RIDGE_RANK is 4 and RIDGE_RANKS is 4"));
}

static const char *device_of(int local_rank, int count, const char *list)
{
    struct ranks r = {.rank = 10 + local_rank, .count = count, .local_rank = local_rank};
    const char *out = NULL;
    return ranks_device(&arena, &r, list, &out, &err) ? out : NULL;
}

static void each_rank_has_a_gpu_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(device_of(1, 4, "cuda:0,cuda:3"), "cuda:3");
    assert_null(device_of(2, 4, "cuda:0,cuda:3"));
    assert_non_null(strstr(err.message, "rank 12 is number 3 of its node, which has 2 GPUs"));
    assert_string_equal(device_of(5, 8, "sim:h200,sim:h100"), "sim:h100");
    assert_string_equal(device_of(3, 4, "sim:h200"), "sim:h200");
    assert_string_equal(device_of(0, 1, "cuda:0"), "cuda:0");
}

/* ---- the deck ---------------------------------------------------------------------------------------------- */

static void deck_new(struct deck *d, int count)
{
    const char *base = getenv("TMPDIR");
    const char *folder =
        arena_printf(&arena, "%s/ranks-%d/job", base ? base : "/tmp", (int)getpid());
    if (!deck_open(&arena, folder, count, d, &err))
        fail_msg("%s", err.message);
}

static struct drawn draw(struct deck *d)
{
    struct drawn drawn;
    if (!deck_draw(d, &drawn, &err))
        fail_msg("%s", err.message);
    return drawn;
}

static void deck_gone(struct deck *d)
{
    deck_close(d);
    deck_end(d);
    (void)remove(path_join(&arena, d->folder, "over"));
    (void)remove(d->folder);
    (void)remove(path_dir(&arena, d->folder));
}

static void an_item_is_drawn_once_and_its_answer_is_read_by_all(void **state)
{
    struct deck mine, other;
    size_t size = 0;
    (void)state;
    deck_new(&mine, 2);
    deck_new(&other, 2);
    assert_int_equal(draw(&mine).item, 0);
    assert_int_equal(draw(&other).item, 1);
    assert_int_equal(draw(&mine).item, -1);
    assert_int_equal(draw(&mine).left, 2); // others are at it
    assert_null(deck_answer(&other, 0, &size));
    assert_true(deck_put(&mine, 0, "done", 4, &err));
    char *answer = deck_answer(&other, 0, &size);
    assert_string_equal(answer, "done");
    free(answer);
    assert_int_equal(draw(&mine).left, 1);
    assert_true(deck_put(&other, 1, "", 0, &err));
    assert_int_equal(draw(&mine).left, 0);
    deck_close(&other);
    deck_gone(&mine);
}

// A process draws the item and is killed. In a child of its own: flock's locks go with the last of its file's owners.
static void draw_and_die(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct deck d;
        struct drawn drawn;
        const char *base = getenv("TMPDIR");
        const char *folder =
            arena_printf(&arena, "%s/ranks-%d/job", base ? base : "/tmp", (int)getppid());
        bool done = deck_open(&arena, folder, 1, &d, &err) && deck_draw(&d, &drawn, &err);
        (void)!write(ready[1], done && drawn.item == 0 ? "y" : "n", 1);
        pause();
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(ready[0]);
    struct deck d;
    deck_new(&d, 1);
    assert_int_equal(draw(&d).item, -1); // while it lives
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    deck_close(&d);
}

static void what_a_dead_rank_had_is_drawn_again_and_counted(void **state)
{
    struct deck d;
    (void)state;
    deck_new(&d, 1);
    draw_and_die();
    draw_and_die();
    struct drawn drawn = draw(&d);
    assert_int_equal(drawn.item, 0);
    assert_int_equal(drawn.tries, 2);
    deck_gone(&d);
}

static void who_comes_after_the_end_finds_nothing_to_do(void **state)
{
    struct deck d, late;
    (void)state;
    deck_new(&d, 2);
    for (int i = 0; i < 2; i++)
        assert_true(deck_put(&d, draw(&d).item, "x", 1, &err));
    deck_end(&d);
    deck_new(&late, 2);
    assert_int_equal(draw(&late).left, 0);
    assert_int_equal(draw(&late).item, -1);
    deck_close(&late);
    deck_gone(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_launcher_a_process_is_alone, clean, clean),
        cmocka_unit_test_setup_teardown(open_mpi_says_who_we_are, clean, clean),
        cmocka_unit_test_setup_teardown(slurm_counts_in_a_step_alone, clean, clean),
        cmocka_unit_test_setup_teardown(a_rank_beyond_the_number_is_refused, clean, clean),
        cmocka_unit_test_setup_teardown(each_rank_has_a_gpu_of_its_own, clean, clean),
        cmocka_unit_test_setup_teardown(an_item_is_drawn_once_and_its_answer_is_read_by_all, clean,
                                        clean),
        cmocka_unit_test_setup_teardown(what_a_dead_rank_had_is_drawn_again_and_counted, clean,
                                        clean),
        cmocka_unit_test_setup_teardown(who_comes_after_the_end_finds_nothing_to_do, clean, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
