// The journal: what is recorded comes back whole; a result is recorded whole or not at all, whoever
// else writes and whatever kills the writer; what cannot be read is said. In SQLite's file, or in schemas of the
// PostgreSQL server that RIDGE_TEST_POSTGRES names (tests/journal/postgres_test.sh starts one and runs this).
// SPDX-License-Identifier: Apache-2.0
#include "journal/internal.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[4096];
static struct arena arena;
static struct error err;

static const char *server; // its address, NULL: SQLite
static int schemas;

static const char *file(void)
{
    return server ? arena_printf(&arena, "%s?options=-csearch_path%%3Dt%d", server, schemas)
                  : path_join(&arena, folder, "journal.sqlite");
}

static const char *shown(void)
{
    return journal_shown(&arena, file());
}

// What the server answers to a statement.
static const char *ask_server(const char *sql)
{
    const char *const argv[] = {"psql", "-AtXq", "-v", "ON_ERROR_STOP=1", "-c", sql, file(), NULL};
    struct process_spec spec = {.argv = argv};
    struct process_result r;
    assert_true(process_run(&spec, &r, &err));
    if (r.exit_status != 0)
        fail_msg("%s: %s", sql, text_str(&r.err_text));
    const char *text = text_str(&r.out);
    text = arena_strndup(&arena, text, strcspn(text, "\n"));
    process_result_release(&r);
    return text;
}

static int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/journal-XXXXXX", tmp ? tmp : "/tmp");
    error_clear(&err);
    schemas++;
    if (server)
        (void)ask_server(arena_printf(&arena, "CREATE SCHEMA t%d", schemas));
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    struct process_spec spec = {.argv = argv};
    struct process_result r;
    if (process_run(&spec, &r, &err))
        process_result_release(&r);
    arena_release(&arena);
    return 0;
}

static struct journal *opened(bool read_only)
{
    struct journal *j = NULL;
    if (!journal_open(file(), read_only, &j, &err))
        fail_msg("%s", err.message);
    return j;
}

static int64_t begun(struct journal *j)
{
    struct run_header h = sample_header();
    int64_t id = 0;
    if (!journal_begin_run(j, &h, &id, &err))
        fail_msg("%s", err.message);
    return id;
}

static void add(struct journal *j, int64_t run, const struct result *r)
{
    if (!journal_add_result(j, run, r, &err))
        fail_msg("%s", err.message);
}

static void get(struct journal *j, int64_t id, struct run *run)
{
    if (!journal_get_run(j, &arena, id, NULL, run, &err))
        fail_msg("%s", err.message);
}

// The first column of the first row, of a connection of its own.
static const char *ask(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    if (server)
        return ask_server(sql);
    assert_int_equal(sqlite3_open(file(), &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 5000);
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    const char *text = "";
    if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_text(s, 0))
        text = arena_strdup(&arena, (const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    sqlite3_close(db);
    return text;
}

static int schema_version(void)
{
    return atoi(ask(server ? "SELECT version FROM ridge_journal" : "PRAGMA user_version"));
}

static void set_schema_version(int version)
{
    (void)ask(arena_printf(
        &arena, server ? "UPDATE ridge_journal SET version = %d" : "PRAGMA user_version = %d",
        version));
}

// A journal whose writer is in the middle of a transaction.
static struct journal *in_a_transaction(const char *sql)
{
    struct journal *j = NULL;
    if (!journal_open(file(), false, &j, &err) || !j->engine->exec(j, j->engine->begin) ||
        !journal_write(j, &err, sql, ""))
        return NULL;
    return j;
}

static void recorded_run_comes_back_whole(void **state)
{
    struct journal *j = opened(false);
    int64_t id = begun(j);
    struct result first = sample_result(), second = sample_result();
    second.variant = "rows";
    second.from = "tiled";
    struct result results[] = {first, second};
    add(j, id, &results[0]);
    add(j, id, &results[1]);
    assert_true(journal_end_run(j, id, "close to peak", &err));
    struct run got, given = {sample_header(), results, 2, "close to peak"};
    given.header.id = id;
    get(j, id, &got);
    json_t *a = run_to_json(&given), *b = run_to_json(&got);
    char *want = json_dumps(a, JSON_INDENT(1)), *have = json_dumps(b, JSON_INDENT(1));
    assert_string_equal(have, want);
    free(want);
    free(have);
    json_decref(a);
    json_decref(b);
    json_decref(got.header.environment);
    journal_close(j);
}

static void what_is_searched_has_a_row_each(void **state)
{
    struct journal *j = opened(false);
    int64_t id = begun(j);
    struct result r = sample_result();
    add(j, id, &r);
    journal_close(j);
    assert_string_equal(ask("SELECT count(*) FROM samples"), "3");
    assert_string_equal(ask("SELECT time_ns FROM samples WHERE n = 2"), "999999.5");
    assert_string_equal(ask("SELECT count(*) FROM counters"), "3");
    assert_string_equal(ask("SELECT value || ' ' || provenance FROM counters WHERE name = 'waves'"),
                        "1.5 modelled");
    assert_string_equal(ask("SELECT count(*) FROM findings"), "2");
    assert_string_equal(
        ask("SELECT file || ':' || line || ' ' || class FROM findings WHERE rank = 0"),
        "transpose.cu:7 bandwidth");
    assert_string_equal(ask("SELECT actual || ' ' || verdict FROM expectations WHERE rank = 0"),
                        "-61% held");
    assert_string_equal(ask("SELECT actual FROM expectations WHERE rank = 1"), "");
    assert_string_equal(ask("SELECT time_provenance FROM results"), "measured");
}

static void figures_that_are_absent_are_null_in_their_rows(void **state)
{
    struct journal *j = opened(false);
    struct result r = {.variant = "v",
                       .case_label = "N=1",
                       .status = RESULT_FAILED,
                       .error = "it failed",
                       .worst_relative_error = (double)NAN,
                       .worst_absolute_error = (double)NAN};
    add(j, begun(j), &r);
    journal_close(j);
    assert_string_equal(ask("SELECT count(*) FROM results WHERE time_ns IS NULL AND floor_ns IS "
                            "NULL AND verified IS NULL AND time_provenance IS NULL"),
                        "1");
    assert_string_equal(ask("SELECT count(*) FROM counters"), "0");
}

static void a_file_is_wal_and_a_new_journal_of_version_4(void **state)
{
    struct journal *j = opened(false);
    if (!server)
        assert_string_equal(ask("PRAGMA journal_mode"), "wal");
    assert_int_equal(schema_version(), 4);
    journal_close(j);
}

static const char *write_source(const char *name, const char *text)
{
    const char *path = path_join(&arena, folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    return path;
}

static struct run_header header_of_now(void)
{
    struct run_header h = sample_header();
    char now[32];
    time_utc_iso(now);
    h.started = arena_strdup(&arena, now);
    h.experiment_path = path_join(&arena, folder, "experiment.yaml");
    return h;
}

static int64_t run_of_source(struct journal *j, const char *file_name)
{
    struct run_header h = header_of_now();
    struct line line = {.file = file_name, .line = 1, .instructions = 1};
    struct result r = sample_result();
    int64_t id = 0;
    r.lines = &line;
    r.line_count = 1;
    assert_true(journal_begin_run(j, &h, &id, &err));
    add(j, id, &r);
    return id;
}

static void sources_are_kept_once_and_come_back_after_an_edit(void **state)
{
    struct journal *j = opened(false);
    struct run got;
    const char *text;
    size_t size;
    const char *path = write_source("k.cu", "first\n");
    int64_t one = run_of_source(j, "k.cu"), two = run_of_source(j, "k.cu");
    assert_string_equal(ask("SELECT count(*) FROM sources"), "1");
    assert_string_equal(ask("SELECT count(*) FROM run_sources"), "2");
    (void)write_source("k.cu", "second\n");
    get(j, one, &got);
    json_decref(got.header.environment);
    assert_int_equal(got.source_count, 1);
    assert_true(run_source_read(&arena, &got, path, &text, &size, &err));
    assert_string_equal(text, "first\n");
    assert_int_equal(unlink(path), 0);
    get(j, two, &got);
    json_decref(got.header.environment);
    assert_true(run_source_read(&arena, &got, path, &text, &size, &err));
    assert_string_equal(text, "first\n");
    journal_close(j);
}

// Without a copy the file is believed only if nobody touched it since.
static void a_source_edited_after_the_run_is_refused(void **state)
{
    struct run run = {.header = header_of_now()};
    const char *text;
    size_t size;
    const char *path = write_source("k.cu", "text\n");
    run.header.started = "2020-01-01T00:00:00Z";
    assert_false(run_source_read(&arena, &run, path, &text, &size, &err));
    assert_non_null(strstr(err.message, "was edited after the run began"));
    error_clear(&err);
    run.header.started = "2120-01-01T00:00:00Z";
    assert_true(run_source_read(&arena, &run, path, &text, &size, &err));
}

static void sources_are_bounded_and_the_oldest_run_s_go_first(void **state)
{
    struct journal *j = opened(false);
    struct run got;
    j->sources_bytes_max = 20;
    (void)write_source("k.cu", "0123456789a\n");
    int64_t old = run_of_source(j, "k.cu");
    (void)write_source("k.cu", "0123456789b\n");
    int64_t new = run_of_source(j, "k.cu");
    get(j, old, &got);
    json_decref(got.header.environment);
    assert_int_equal(got.source_count, 0);
    get(j, new, &got);
    json_decref(got.header.environment);
    assert_int_equal(got.source_count, 1);
    assert_string_equal(ask("SELECT sum(size_bytes) FROM sources"), "12");
    journal_close(j);
}

static void a_journal_of_version_2_gets_the_sources_tables(void **state)
{
    struct journal *j = opened(false);
    int64_t id = begun(j);
    struct run got;
    journal_close(j);
    (void)ask("DROP TABLE baseline_runs");
    (void)ask("DROP TABLE baselines");
    (void)ask("DROP TABLE run_sources");
    (void)ask("DROP TABLE sources");
    set_schema_version(2);
    j = opened(true);
    get(j, id, &got);
    json_decref(got.header.environment);
    assert_int_equal(got.source_count, 0);
    journal_close(j);
    j = opened(false);
    (void)write_source("k.cu", "text\n");
    get(j, run_of_source(j, "k.cu"), &got);
    json_decref(got.header.environment);
    assert_int_equal(got.source_count, 1);
    assert_int_equal(schema_version(), 4);
    journal_close(j);
}

static void a_journal_of_version_3_gets_the_baselines_tables(void **state)
{
    struct journal *j = opened(false);
    int64_t id = begun(j);
    struct journal_baseline *all;
    int count;
    bool found;
    journal_close(j);
    (void)ask("DROP TABLE baseline_runs");
    (void)ask("DROP TABLE baselines");
    set_schema_version(3);
    j = opened(true); // not upgraded, and has none
    assert_true(journal_baselines(j, &arena, NULL, &all, &count, &err));
    assert_int_equal(count, 0);
    journal_close(j);
    j = opened(false);
    assert_int_equal(schema_version(), 4);
    const struct journal_baseline b = {.name = "main", .suite = "all", .runs = &id, .run_count = 1};
    assert_true(journal_add_baseline(j, &b, false, &err));
    assert_true(journal_remove_baseline(j, "main", &found, &err));
    assert_true(found);
    journal_close(j);
}

static void a_baseline_is_a_name_of_runs(void **state)
{
    struct journal *j = opened(false);
    int64_t runs[] = {begun(j), begun(j)};
    struct journal_baseline b = {.name = "main", .suite = "all", .runs = runs, .run_count = 2};
    struct journal_baseline *all;
    int count;
    bool found;
    assert_true(journal_add_baseline(j, &b, false, &err));
    assert_false(journal_add_baseline(j, &b, false, &err)); // the name is taken …
    assert_non_null(strstr(err.message, "there is a baseline 'main'"));
    error_clear(&err);
    b.run_count = 1;
    assert_true(journal_add_baseline(j, &b, true, &err)); // … unless it is replaced
    b.name = "other";
    assert_true(journal_add_baseline(j, &b, false, &err));
    assert_true(journal_baselines(j, &arena, NULL, &all, &count, &err));
    assert_int_equal(count, 2);
    assert_string_equal(all[1].name, "other");
    assert_true(journal_baselines(j, &arena, "main", &all, &count, &err));
    assert_int_equal(count, 1);
    assert_int_equal(all[0].run_count, 1);
    assert_int_equal(all[0].runs[0], runs[0]);
    assert_string_equal(all[0].suite, "all");
    assert_int_equal(strlen(all[0].saved), strlen("2026-11-20T21:00:00Z"));
    assert_true(journal_remove_baseline(j, "main", &found, &err));
    assert_true(found);
    assert_true(journal_remove_baseline(j, "main", &found, &err));
    assert_false(found);
    int64_t nowhere = 99;
    b = (struct journal_baseline){"x", "all", NULL, &nowhere, 1};
    assert_false(journal_add_baseline(j, &b, false, &err)); // no such run: nothing is left of it
    error_clear(&err);
    assert_true(journal_baselines(j, &arena, "x", &all, &count, &err));
    assert_int_equal(count, 0);
    journal_close(j);
}

static void run_is_unfinished_until_it_ends(void **state)
{
    struct journal *j = opened(false);
    struct journal_entry *entries;
    struct journal_filter all = {0};
    int count;
    int64_t id = begun(j);
    struct result r = sample_result();
    add(j, id, &r);
    assert_true(journal_list(j, &arena, &all, &entries, &count, &err));
    assert_int_equal(count, 1);
    assert_false(entries[0].finished);
    assert_int_equal(entries[0].result_count, 1);
    assert_true(journal_end_run(j, id, NULL, &err));
    assert_true(journal_list(j, &arena, &all, &entries, &count, &err));
    assert_true(entries[0].finished);
    journal_close(j);
}

static void list_is_newest_first_filtered_and_limited(void **state)
{
    struct journal *j = opened(false);
    struct journal_entry *entries;
    int count;
    static const char *const names[] = {"a", "b", "a"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct run_header h = sample_header();
        int64_t id;
        h.experiment = names[i];
        assert_true(journal_begin_run(j, &h, &id, &err));
    }
    struct journal_filter filter = {.experiment = "a"};
    assert_true(journal_list(j, &arena, &filter, &entries, &count, &err));
    assert_int_equal(count, 2);
    assert_int_equal(entries[0].id, 3);
    assert_int_equal(entries[1].id, 1);
    filter = (struct journal_filter){.limit = 1};
    assert_true(journal_list(j, &arena, &filter, &entries, &count, &err));
    assert_int_equal(count, 1);
    filter = (struct journal_filter){.device = "cuda:0"};
    assert_true(journal_list(j, &arena, &filter, &entries, &count, &err));
    assert_int_equal(count, 0);
    struct run run;
    assert_true(journal_get_run(j, &arena, 0, "b", &run, &err));
    assert_int_equal(run.header.id, 2);
    json_decref(run.header.environment);
    assert_false(journal_get_run(j, &arena, 0, "c", &run, &err));
    assert_non_null(strstr(err.message, "has no run of 'c': `ridge run 'c'` makes one"));
    journal_close(j);
}

static void best_is_the_fastest_that_is_right(void **state)
{
    struct journal *j = opened(false);
    int64_t id = begun(j);
    double slow[] = {2000}, fast[] = {1000}, wrong[] = {10};
    struct result r = sample_result();
    r.variant = "slow";
    r.time = (struct time_result){PROVENANCE_MODELLED, stats_summary(slow, 1), slow};
    add(j, id, &r);
    r.variant = "fast";
    r.time = (struct time_result){PROVENANCE_MODELLED, stats_summary(fast, 1), fast};
    add(j, id, &r);
    r.variant = "wrong";
    r.status = RESULT_WRONG;
    r.verified = false;
    r.time = (struct time_result){PROVENANCE_MODELLED, stats_summary(wrong, 1), wrong};
    add(j, id, &r);
    struct journal_entry *entries;
    struct journal_filter all = {0};
    int count;
    assert_true(journal_list(j, &arena, &all, &entries, &count, &err));
    assert_string_equal(entries[0].best_variant, "fast");
    assert_true(entries[0].best_speedup == 2);
    assert_int_equal(entries[0].best_provenance, PROVENANCE_MODELLED);
    assert_int_equal(entries[0].verified_count, 2);
    assert_int_equal(entries[0].failed_count, 1);
    journal_close(j);
}

static void result_that_cannot_be_recorded_leaves_nothing_behind(void **state)
{
    struct journal *j = opened(false);
    int64_t id = begun(j);
    struct result good = sample_result(), bad = sample_result();
    struct expectation_result nameless[] = {{NULL, "-50%", "-61%", EXPECTATION_HELD}};
    bad.expectations = nameless; // the last row written; the table wants a name
    bad.expectation_count = 1;
    add(j, id, &good);
    assert_false(journal_add_result(j, id, &bad, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(ask("SELECT count(*) FROM results"), "1");
    assert_string_equal(ask("SELECT count(*) FROM samples"), "3");
    add(j, id, &good); // and the journal goes on
    assert_string_equal(ask("SELECT count(*) FROM results"), "2");
    journal_close(j);
}

static void result_of_no_run_is_refused(void **state)
{
    struct journal *j = opened(false);
    struct result r = sample_result();
    assert_false(journal_add_result(j, 17, &r, &err));
    assert_non_null(strcasestr(err.message, "foreign key constraint"));
    journal_close(j);
}

static void killed_writer_leaves_what_it_committed(void **state)
{
    journal_close(opened(false));
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct journal *j = NULL;
        struct run_header h = sample_header();
        struct result r = sample_result();
        int64_t id;
        if (!journal_open(file(), false, &j, &err) || !journal_begin_run(j, &h, &id, &err) ||
            !journal_add_result(j, id, &r, &err) ||
            !in_a_transaction("INSERT INTO results(run, variant, case_label, status, detail)"
                              " VALUES(1, 'half', '', 'ok', '{}')"))
            _exit(1);
        (void)!write(ready[1], "x", 1);
        pause();
    }
    char byte;
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(ready[0]);
    struct journal *j = opened(false);
    struct run run;
    get(j, 1, &run);
    assert_int_equal(run.result_count, 1);
    assert_string_equal(run.results[0].variant, "tiled");
    json_decref(run.header.environment);
    int64_t id = begun(j);
    struct result r = sample_result();
    add(j, id, &r);
    journal_close(j);
}

// Several processes open a journal that is not there yet, and write at the same time.
static void writers_at_the_same_time_lose_nothing(void **state)
{
    enum { WRITERS = 4, RESULTS = 8 };
    pid_t pids[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        pids[w] = fork();
        assert_true(pids[w] >= 0);
        if (pids[w] > 0)
            continue;
        struct journal *j = NULL;
        struct run_header h = sample_header();
        struct result r = sample_result();
        int64_t id;
        bool done = journal_open(file(), false, &j, &err) && journal_begin_run(j, &h, &id, &err);
        for (int i = 0; done && i < RESULTS; i++)
            done = journal_add_result(j, id, &r, &err);
        done = done && journal_end_run(j, id, NULL, &err);
        if (!done)
            fprintf(stderr, "writer: %s\n", err.message);
        _exit(done ? 0 : 1);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        assert_int_equal(waitpid(pids[w], &status, 0), pids[w]);
        assert_int_equal(status, 0);
    }
    struct journal *j = opened(true);
    for (int64_t id = 1; id <= WRITERS; id++) {
        struct run run;
        get(j, id, &run);
        assert_int_equal(run.result_count, RESULTS);
        json_decref(run.header.environment);
    }
    journal_close(j);
    if (!server)
        assert_string_equal(ask("PRAGMA integrity_check"), "ok");
}

static void reader_reads_while_another_writes(void **state)
{
    struct journal *writer = opened(false);
    int64_t id = begun(writer);
    struct result r = sample_result();
    add(writer, id, &r);
    struct journal *other = in_a_transaction("DELETE FROM counters");
    assert_non_null(other);
    struct journal *reader = opened(true);
    struct run run;
    get(reader, id, &run);
    assert_int_equal(run.result_count, 1);
    json_decref(run.header.environment);
    journal_close(other);
    journal_close(reader);
    journal_close(writer);
}

static void refused(bool read_only, enum error_kind kind, const char *message)
{
    struct journal *j = NULL;
    assert_false(journal_open(file(), read_only, &j, &err));
    assert_null(j);
    assert_int_equal(err.kind, kind);
    assert_string_equal(err.message, message);
}

static void journal_of_a_newer_ridge_is_refused(void **state)
{
    journal_close(opened(false));
    set_schema_version(7);
    const char *message = arena_printf(&arena,
                                       "the journal %s was written by a newer ridge (schema 7, "
                                       "this one knows 4): use that one, or "
                                       "name another file with --journal or RIDGE_JOURNAL",
                                       shown());
    refused(false, ERROR_INPUT, message);
    refused(true, ERROR_INPUT, message);
}

static void journal_to_be_read_is_not_made(void **state)
{
    if (server) {
        refused(true, ERROR_INPUT,
                arena_printf(&arena, "the journal %s is empty: nothing was recorded yet", shown()));
        assert_string_equal(ask("SELECT to_regclass('runs') IS NULL"), "t");
        return;
    }
    refused(true, ERROR_INPUT,
            arena_printf(&arena, "there is no journal at %s: `ridge run` makes one", file()));
    assert_false(file_exists(file()));
}

static void tables_of_another_program_stay_as_they_are(void **state)
{
    (void)ask("CREATE TABLE shopping(what TEXT)");
    refused(false, ERROR_INPUT,
            arena_printf(&arena,
                         server ? "the database %s has tables of another program: nothing was "
                                  "changed; name another database, or a schema of ridge's own with "
                                  "?options=-csearch_path%%3Dridge"
                                : "the file %s is a database of another program, not a journal of "
                                  "ridge: nothing was changed; name another file with --journal or "
                                  "RIDGE_JOURNAL",
                         shown()));
    (void)ask("DROP TABLE shopping");
    journal_close(opened(false));
}

static void file_that_is_no_journal_stays_as_it_is(void **state)
{
    static const char text[] = "a shopping list that is longer than the header of a database file, "
                               "so that nobody takes it for an empty one";
    char *now = NULL;
    size_t size;
    assert_true(file_write(file(), text, sizeof text - 1, &err));
    refused(false, ERROR_SYSTEM,
            arena_printf(&arena,
                         "cannot open the journal %s: file is not a database: move the file away, "
                         "or name another with --journal or RIDGE_JOURNAL",
                         file()));
    assert_true(file_read(file(), 4096, &now, &size, &err));
    assert_string_equal(now, text);
    free(now);
}

static void damaged_results_and_runs_are_said(void **state)
{
    struct journal *j = opened(false);
    struct result r = sample_result();
    struct run run;
    add(j, begun(j), &r);
    (void)ask("UPDATE results SET detail = substr(detail, 1, 100)");
    assert_false(journal_get_run(j, &arena, 1, NULL, &run, &err));
    assert_string_equal(
        err.message,
        arena_printf(&arena, "the journal %s holds a damaged result of run 1", shown()));
    (void)ask("UPDATE runs SET header = '{'");
    assert_false(journal_get_run(j, &arena, 1, NULL, &run, &err));
    assert_string_equal(err.message,
                        arena_printf(&arena, "the journal %s holds a damaged run 1", shown()));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    journal_close(j);
}

static void text_that_looks_like_sql_is_text(void **state)
{
    struct journal *j = opened(false);
    struct result r = sample_result();
    r.variant = "x'); DROP TABLE results; --";
    add(j, begun(j), &r);
    struct run run;
    get(j, 1, &run);
    assert_string_equal(run.results[0].variant, r.variant);
    json_decref(run.header.environment);
    journal_close(j);
}

static void environment_names_the_journal(void **state)
{
    struct journal *j = NULL;
    setenv("RIDGE_JOURNAL", path_join(&arena, folder, "sub/named.sqlite"), 1);
    assert_true(journal_open(NULL, false, &j, &err));
    assert_string_equal(journal_path(j), path_join(&arena, folder, "sub/named.sqlite"));
    unsetenv("RIDGE_JOURNAL");
    journal_close(j);
}

// From a file to the journal under test, twice.
static void a_copied_journal_has_all_once(void **state)
{
    const char *path = path_join(&arena, folder, "from.sqlite");
    struct journal *from = NULL, *to = opened(false);
    struct journal_copied copied;
    struct run got;
    int64_t ids[2];
    assert_true(journal_open(path, false, &from, &err));
    assert_true(journal_is_file(path));
    assert_false(journal_is_file(folder));
    (void)begun(to); // numbers differ
    (void)write_source("k.cu", "text\n");
    for (int i = 0; i < 2; i++) { // the same header twice: two runs
        ids[i] = run_of_source(from, "k.cu");
        assert_true(journal_end_run(from, ids[i], "close to peak", &err));
    }
    for (int i = 0; i < 2; i++) {
        if (!journal_copy(from, to, &copied, &err))
            fail_msg("%s", err.message);
        assert_int_equal(copied.run_count, i == 0 ? 2 : 0);
        assert_int_equal(copied.result_count, i == 0 ? 2 : 0);
        assert_int_equal(copied.there_count, i == 0 ? 0 : 2);
    }
    get(to, 3, &got);
    assert_int_equal(got.result_count, 1);
    assert_int_equal(got.source_count, 1);
    assert_string_equal(got.sources[0].text, "text\n");
    assert_string_equal(got.stop_reason, "close to peak");
    assert_string_equal(ask("SELECT count(*) FROM samples"), "6");
    json_decref(got.header.environment);
    journal_close(from);
    journal_close(to);
}

static void an_address_is_shown_without_password_and_settings(void **state)
{
    static const char *const shows[][2] = {
        {"journal.sqlite", "journal.sqlite"},
        {"postgresql://lab@db:5432/ridge", "postgresql://lab@db:5432/ridge"},
        {"postgres://lab:secret@db/ridge?password=secret", "postgresql://lab@db/ridge"},
        {"postgresql://lab:se/cr@et?@db/ridge", "postgresql://lab@db/ridge"},
        {"postgresql:///ridge?host=/tmp&password=secret", "postgresql:///ridge"},
        {"postgresql://:secret@db:1/x", "postgresql://@db:1/x"},
    };
    for (size_t i = 0; i < COUNT_OF(shows); i++)
        assert_string_equal(journal_shown(&arena, shows[i][0]), shows[i][1]);
    assert_false(journal_is_address("postgresql.sqlite"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

// A runner of the journal that RIDGE_JOURNAL names, for postgres_test.sh: a run of so many results, a line when the
// first is recorded.
static int write_results(int count)
{
    struct journal *j = NULL;
    struct run_header h = sample_header();
    struct result r = sample_result();
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    int64_t id = 0;
    bool done = journal_open(NULL, false, &j, &err) && journal_begin_run(j, &h, &id, &err);
    for (int i = 0; done && i < count; i++) {
        r.variant = arena_printf(&arena, "v%d", i);
        done = journal_add_result(j, id, &r, &err);
        if (i == 0)
            (void)!write(STDOUT_FILENO, "begun\n", 6);
        nanosleep(&pause, NULL);
    }
    done = done && journal_end_run(j, id, NULL, &err);
    if (!done)
        fprintf(stderr, "writer: %s\n", err.message);
    else
        printf("run %lld kept %d\n", (long long)id, journal_kept(j)->result_count);
    journal_close(j);
    arena_release(&arena);
    json_decref(h.environment);
    return done ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(recorded_run_comes_back_whole),
        TEST(what_is_searched_has_a_row_each),
        TEST(figures_that_are_absent_are_null_in_their_rows),
        TEST(a_file_is_wal_and_a_new_journal_of_version_4),
        TEST(sources_are_kept_once_and_come_back_after_an_edit),
        TEST(a_source_edited_after_the_run_is_refused),
        TEST(sources_are_bounded_and_the_oldest_run_s_go_first),
        TEST(a_journal_of_version_2_gets_the_sources_tables),
        TEST(a_journal_of_version_3_gets_the_baselines_tables),
        TEST(a_baseline_is_a_name_of_runs),
        TEST(run_is_unfinished_until_it_ends),
        TEST(list_is_newest_first_filtered_and_limited),
        TEST(best_is_the_fastest_that_is_right),
        TEST(result_that_cannot_be_recorded_leaves_nothing_behind),
        TEST(result_of_no_run_is_refused),
        TEST(killed_writer_leaves_what_it_committed),
        TEST(writers_at_the_same_time_lose_nothing),
        TEST(reader_reads_while_another_writes),
        TEST(journal_of_a_newer_ridge_is_refused),
        TEST(journal_to_be_read_is_not_made),
        TEST(tables_of_another_program_stay_as_they_are),
        TEST(damaged_results_and_runs_are_said),
        TEST(text_that_looks_like_sql_is_text),
        TEST(a_copied_journal_has_all_once),
        TEST(an_address_is_shown_without_password_and_settings),
    };
    const struct CMUnitTest of_files[] = {
        TEST(file_that_is_no_journal_stays_as_it_is),
        TEST(environment_names_the_journal),
    };
    server = getenv("RIDGE_TEST_POSTGRES");
    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return write_results(atoi(argv[2]));
    int failed = cmocka_run_group_tests_name(server ? "PostgreSQL" : "SQLite", tests, NULL, NULL);
    return failed + (server ? 0 : cmocka_run_group_tests(of_files, NULL, NULL));
}
