// Files and paths: whole or not at all, and what the messages say.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    char dir[64];
};

static int make_folder(void **state)
{
    struct fixture *f = xcalloc(1, sizeof *f);
    memcpy(f->dir, "/tmp/ridge-file-test-XXXXXX", sizeof "/tmp/ridge-file-test-XXXXXX");
    *state = f;
    return mkdtemp(f->dir) ? 0 : -1;
}

// Every test's files lie directly in its folder or in a/b/c below it.
static int remove_folder(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    struct process_result result;
    const char *const argv[] = {"rm", "-rf", "--", f->dir, NULL};
    bool done = process_run(&(struct process_spec){.argv = argv}, &result, &err);
    if (done)
        process_result_release(&result);
    arena_release(&f->arena);
    free(f);
    return done ? 0 : -1;
}

static size_t files_in(const char *dir)
{
    size_t count = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *entry = readdir(d); entry; entry = readdir(d))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(d);
    return count;
}

static void expect_content(const char *path, const char *content)
{
    struct error err = {0};
    char *data = NULL;
    size_t size = 0;
    assert_true(file_read(path, 1000, &data, &size, &err));
    assert_int_equal(size, strlen(content));
    assert_string_equal(data, content);
    free(data);
}

static void write_then_read_gives_the_same_bytes(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    const char *path = path_join(&f->arena, f->dir, "x");
    assert_true(file_write(path, "one\n", 4, &err));
    expect_content(path, "one\n");
    assert_true(file_write(path, "", 0, &err));
    expect_content(path, "");
    assert_int_equal(files_in(f->dir), 1);
}

static void half_written_files_of_the_dead_are_removed(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    const char *path = path_join(&f->arena, f->dir, "x");
    const char *left = path_join(&f->arena, f->dir, ".ridge-0123456789abcdef.tmp");
    int fd = open(left, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0); // as its writer does while it lives
    assert_true(file_write(path, "one", 3, &err));
    assert_int_equal(files_in(f->dir), 2);
    close(fd);
    assert_true(file_write(path, "two", 3, &err));
    assert_int_equal(files_in(f->dir), 1);
    expect_content(path, "two");
}

// Versioned libraries were taken for objects that an earlier ridge had left.
static void libraries_beside_what_is_written_stay(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    assert_true(file_write(path_join(&f->arena, f->dir, "libx.so.6"), "x", 1, &err));
    assert_true(file_write(path_join(&f->arena, f->dir, "report.html"), "y", 1, &err));
    assert_int_equal(files_in(f->dir), 2);
}

static void what_is_no_regular_file_is_refused_at_once(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    char *data = NULL;
    size_t size = 0;
    const char *path = path_join(&f->arena, f->dir, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(file_read(path, 1000, &data, &size, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.message, "it is a pipe, and a regular file is needed"));
    assert_false(file_read("/dev/zero", 1000, &data, &size, &err));
    assert_non_null(strstr(err.message, "it is a device"));
}

static void write_keeps_the_mode_and_follows_a_link(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    const char *path = path_join(&f->arena, f->dir, "x");
    const char *link = path_join(&f->arena, f->dir, "link");
    assert_true(file_write(path, "one", 3, &err));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("x", link), 0);
    assert_true(file_write(link, "two", 3, &err));
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    expect_content(path, "two");
}

// A file size limit stands in for the full disk: both make write() fail half way.
static void a_write_that_fails_leaves_the_old_file_and_nothing_else(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    const char *path = path_join(&f->arena, f->dir, "x");
    assert_true(file_write(path, "old", 3, &err));
    enum { SIZE = 1 << 20, LIMIT = 4096 };
    char *big = xcalloc(SIZE, 1);
    struct rlimit old;
    getrlimit(RLIMIT_FSIZE, &old);
    struct rlimit small = {.rlim_cur = LIMIT, .rlim_max = old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool done = file_write(path, big, SIZE, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    free(big);
    assert_false(done);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_non_null(strstr(err.message, "cannot write '"));
    assert_non_null(strstr(err.message, "File too large; the file size limit"));
    expect_content(path, "old");
    assert_int_equal(files_in(f->dir), 1);
}

static void a_full_disk_is_named_and_the_way_out_too(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(file_write("/dev/full", "x", 1, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(err.message, "cannot write '/dev/full': No space left on device; free some "
                                     "space there or write elsewhere");
    assert_true(file_write("/dev/null", "x", 1, &err));
}

static void what_cannot_be_written_is_trouble_of_the_system(void **state)
{
    (void)state;
    struct error err = {0};
    assert_false(file_write("/no/such/folder/x", "x", 1, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(err.message, "cannot write '/no/such/folder/x': No such file or directory; "
                                     "its folder does not exist: make it, or name another");
    assert_false(file_write("/tmp", "x", 1, &err));
    assert_string_equal(err.message, "cannot write '/tmp': Is a directory; name a file in it");
}

static void read_refuses_missing_large_and_unreadable_things(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    char *data = NULL;
    size_t size = 0;
    assert_false(file_read("/no/such", 10, &data, &size, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_string_equal(err.message,
                        "cannot read '/no/such': No such file or directory; check the path");
    assert_false(file_read(f->dir, 10, &data, &size, &err));
    assert_non_null(strstr(err.message, "Is a directory"));
    const char *path = path_join(&f->arena, f->dir, "x");
    assert_true(file_write(path, "12345", 5, &err));
    assert_false(file_read(path, 4, &data, &size, &err));
    assert_non_null(strstr(err.message, "it is larger than 4 bytes"));
    assert_null(data);
    assert_false(file_read("/dev/zero", 100000, &data, &size, &err));
}

static void folders_are_made_with_their_parents(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    const char *deep = path_join(&f->arena, f->dir, "a/b/c");
    assert_true(dir_make(deep, &err));
    assert_true(dir_make(deep, &err));
    assert_true(dir_make(path_join(&f->arena, deep, ""), &err));
    assert_true(file_exists(deep));
    const char *file = path_join(&f->arena, f->dir, "x");
    assert_true(file_write(file, "", 0, &err));
    assert_false(dir_make(path_join(&f->arena, file, "y"), &err));
    assert_non_null(strstr(err.message, "x': Not a directory"));
}

static void paths_join_and_split(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_string_equal(path_join(&a, "d", "n"), "d/n");
    assert_string_equal(path_join(&a, "d/", "n"), "d/n");
    assert_string_equal(path_join(&a, "d", "/n"), "/n");
    assert_string_equal(path_join(&a, "", "n"), "n");
    assert_string_equal(path_dir(&a, "a/b/c"), "a/b");
    assert_string_equal(path_dir(&a, "/c"), "/");
    assert_string_equal(path_dir(&a, "c"), ".");
    assert_string_equal(path_name("a/b/c"), "c");
    assert_string_equal(path_name("c"), "c");
    arena_release(&a);
}

static void data_path_prefers_the_chosen_folder(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    assert_true(file_write(path_join(&f->arena, f->dir, "thing"), "", 0, &err));
    setenv("RIDGE_DATA_DIR", f->dir, 1);
    char *path = data_path(&f->arena, "thing", &err);
    assert_non_null(path);
    assert_string_equal(path, path_join(&f->arena, f->dir, "thing"));
    assert_null(data_path(&f->arena, "no-such-thing", &err));
    assert_non_null(strstr(err.message, "'no-such-thing' is in none of ridge's data folders ("));
    assert_non_null(strstr(err.message, f->dir));
    unsetenv("RIDGE_DATA_DIR");
}

static void user_folders_follow_the_environment(void **state)
{
    (void)state;
    struct arena a = {0};
    setenv("HOME", "/home/u", 1);
    unsetenv("XDG_DATA_HOME");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("RIDGE_HOME");
    unsetenv("RIDGE_CACHE");
    assert_string_equal(user_data_path(&a, "j"), "/home/u/.local/share/ridge/j");
    assert_string_equal(user_cache_path(&a, "c"), "/home/u/.cache/ridge/c");
    setenv("XDG_DATA_HOME", "/data", 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_string_equal(user_data_path(&a, "j"), "/data/ridge/j");
    assert_string_equal(user_cache_path(&a, "c"), "/home/u/.cache/ridge/c");
    setenv("RIDGE_HOME", "/r", 1);
    assert_string_equal(user_data_path(&a, "j"), "/r/j");
    arena_release(&a);
}

// By the folder: a user's file may be called as a library's.
static void headers_of_libraries_are_known_by_their_folder(void **state)
{
    struct fixture *f = *state;
    static const char *const own[] = {"cuda_tiles.h",
                                      "sm_90.hpp",
                                      "device_queue.h",
                                      "math_functions.h",
                                      "/home/me/kernels/cuda_tiles.h",
                                      "/home/me/kernels/include/device_sort.h",
                                      "/home/me/cuda/sm_copy.h",
                                      "include/cooperative_groups.h"};
    static const char *const others[] = {
        "/usr/local/cuda/lib64/../include/cooperative_groups.h",
        "/usr/lib/llvm-19/lib/clang/19/include/__clang_cuda_math.h",
        "/home/me/llvm/lib/clang/19/include/__clang_cuda_math.h",
        "/home/me/venv/lib/python3/site-packages/triton/language/core.py",
        "/home/me/cccl/include/cub/block/block_reduce.cuh",
        "/home/me/.local/share/ridge/cuda_min.h"};
    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (path_is_foreign(own[i]))
            fail_msg("%s is the user's", own[i]);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (!path_is_foreign(others[i]))
            fail_msg("%s is a library's", others[i]);
    struct error err = {0};
    const char *header = path_join(&f->arena, f->dir, "a/include/cuda_fp16.hpp");
    assert_true(dir_make(path_join(&f->arena, f->dir, "a/include/"), &err));
    assert_false(path_is_foreign(header));
    // Now the folder is a toolkit's.
    const char *runtime = path_join(&f->arena, f->dir, "a/include/cuda_runtime_api.h");
    assert_true(file_write(runtime, "", 0, &err));
    assert_true(path_is_foreign(header));
    assert_true(path_is_foreign(path_join(&f->arena, f->dir, "a/include/crt/sm_70_rt.hpp")));
    assert_int_equal(setenv("RIDGE_DATA_DIR", f->dir, 1), 0);
    assert_true(path_is_foreign(path_join(&f->arena, f->dir, "cuda_min.h")));
    assert_int_equal(unsetenv("RIDGE_DATA_DIR"), 0);
    assert_false(path_is_foreign(path_join(&f->arena, f->dir, "cuda_min.h")));
}

// A file that was just written is never from a later second than now: runs are compared with their sources.
static void now_is_not_behind_the_clock_of_files(void **state)
{
    struct fixture *f = *state;
    const char *path = path_join(&f->arena, f->dir, "now");
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    for (uint64_t end = clock_ns() + 1200000000; clock_ns() < end;) { // a second ends within it
        struct stat st;
        char written[32], now[32];
        struct tm utc;
        assert_int_equal(pwrite(fd, "x", 1, 0), 1);
        assert_int_equal(fstat(fd, &st), 0); // asked for, the next time is a fine one
        time_utc_iso(now);
        assert_non_null(gmtime_r(&st.st_mtim.tv_sec, &utc));
        assert_true(strftime(written, sizeof written, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0);
        assert_true(strcmp(written, now) <= 0);
    }
    assert_int_equal(close(fd), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(write_then_read_gives_the_same_bytes, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(half_written_files_of_the_dead_are_removed, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(libraries_beside_what_is_written_stay, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(what_is_no_regular_file_is_refused_at_once, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(headers_of_libraries_are_known_by_their_folder, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(write_keeps_the_mode_and_follows_a_link, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_write_that_fails_leaves_the_old_file_and_nothing_else,
                                        make_folder, remove_folder),
        cmocka_unit_test(a_full_disk_is_named_and_the_way_out_too),
        cmocka_unit_test(what_cannot_be_written_is_trouble_of_the_system),
        cmocka_unit_test_setup_teardown(read_refuses_missing_large_and_unreadable_things,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(folders_are_made_with_their_parents, make_folder,
                                        remove_folder),
        cmocka_unit_test(paths_join_and_split),
        cmocka_unit_test_setup_teardown(now_is_not_behind_the_clock_of_files, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(data_path_prefers_the_chosen_folder, make_folder,
                                        remove_folder),
        cmocka_unit_test(user_folders_follow_the_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
