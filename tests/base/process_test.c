// Programs and workers: every way they can end, no descriptor left behind, nothing of the parent's
// run twice. Also libraries opened at run time.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
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

static const double ns_per_s = 1e9;

// What must end by itself ends in milliseconds; these bound a hang, however loaded the machine is. A child that is
// waited for in vain sleeps longer than the patience.
enum { PATIENCE_S = 60 };
#define LONG_SLEEP "sleep 100"

static size_t open_descriptors(void)
{
    size_t count = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

static struct process_result run_shell(const char *script, const char *input, double timeout_s)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct process_spec spec = {.argv = argv,
                                .input = input,
                                .input_bytes = input ? strlen(input) : 0,
                                .timeout_s = timeout_s};
    struct process_result result;
    struct error err = {0};
    if (!process_run(&spec, &result, &err))
        fail_msg("%s", err.message);
    return result;
}

static void process_gives_both_streams_and_the_status(void **state)
{
    (void)state;
    struct process_result r = run_shell("cat; echo oops >&2; exit 3", "hello", 0);
    assert_int_equal(r.exit_status, 3);
    assert_int_equal(r.signal, 0);
    assert_false(r.timed_out);
    assert_string_equal(text_str(&r.out), "hello");
    assert_string_equal(text_str(&r.err_text), "oops\n");
    process_result_release(&r);
}

static void process_without_input_reads_nothing(void **state)
{
    (void)state;
    struct process_result r = run_shell("wc -c", NULL, PATIENCE_S);
    assert_int_equal(atoi(text_str(&r.out)), 0);
    process_result_release(&r);
}

static void process_passes_megabytes_through(void **state)
{
    (void)state;
    enum { SIZE = 3000000 };
    char *input = xcalloc(SIZE + 1, 1);
    memset(input, 'x', SIZE);
    struct process_result r = run_shell("tee /dev/stderr", input, 60);
    assert_int_equal(r.out.length, SIZE);
    assert_int_equal(r.err_text.length, SIZE);
    process_result_release(&r);
    r = run_shell("exit 0", input, 60); // one that wants no input must not kill us with SIGPIPE
    assert_int_equal(r.exit_status, 0);
    process_result_release(&r);
    free(input);
}

static void process_killed_by_a_signal_says_so(void **state)
{
    (void)state;
    struct process_result r = run_shell("kill -9 $$", NULL, 0);
    assert_int_equal(r.exit_status, -1);
    assert_int_equal(r.signal, SIGKILL);
    assert_false(r.timed_out);
    process_result_release(&r);
}

static void process_and_its_children_die_on_timeout(void **state)
{
    (void)state;
    static const double timeouts_s[] = {0.2, 2, 20}; // a loaded machine may begin the shell later
    for (size_t i = 0; i < COUNT_OF(timeouts_s); i++) {
        uint64_t start = clock_ns();
        struct process_result r =
            run_shell("echo begun; " LONG_SLEEP " & " LONG_SLEEP, NULL, timeouts_s[i]);
        assert_true((double)(clock_ns() - start) < PATIENCE_S * ns_per_s);
        assert_true(r.timed_out);
        assert_int_equal(r.exit_status, -1);
        bool begun = r.out.length > 0;
        if (begun)
            assert_string_equal(text_str(&r.out), "begun\n");
        process_result_release(&r);
        if (begun)
            return;
    }
    fail_msg("what was written before the timeout is lost");
}

static void a_grandchild_that_keeps_the_pipe_does_not_keep_us(void **state)
{
    (void)state;
    uint64_t start = clock_ns();
    struct process_result r = run_shell(LONG_SLEEP " & echo $!", NULL, 0);
    assert_true((double)(clock_ns() - start) < PATIENCE_S * ns_per_s);
    assert_int_equal(r.exit_status, 0);
    pid_t grandchild = (pid_t)atoi(text_str(&r.out));
    assert_true(grandchild > 1);
    assert_int_equal(kill(grandchild, SIGKILL), 0); // it was still there
    process_result_release(&r);
}

static void a_program_that_cannot_start_is_an_error(void **state)
{
    (void)state;
    struct process_result r;
    struct error err = {0};
    const char *const missing[] = {"no-such-program-here", NULL};
    assert_false(process_run(&(struct process_spec){.argv = missing}, &r, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(err.message, "the program 'no-such-program-here' is not in PATH; install "
                                     "it or add its folder");
    const char *const folder[] = {"/tmp", NULL};
    assert_false(process_run(&(struct process_spec){.argv = folder}, &r, &err));
    assert_string_equal(err.message, "cannot start '/tmp': Permission denied");
    const char *const pwd[] = {"pwd", NULL};
    struct process_spec spec = {.argv = pwd, .directory = "/no/such"};
    assert_false(process_run(&spec, &r, &err));
    assert_non_null(strstr(err.message, "in the folder '/no/such': No such file or directory"));
    spec.directory = "/";
    assert_true(process_run(&spec, &r, &err));
    assert_string_equal(text_str(&r.out), "/\n");
    process_result_release(&r);
}

static void programs_are_found_in_path(void **state)
{
    (void)state;
    struct arena a = {0};
    assert_true(str_ends_with(program_find(&a, "sh"), "/sh"));
    assert_null(program_find(&a, "no-such-program-here"));
    assert_null(program_find(&a, "/tmp"));
    assert_string_equal(program_find(&a, "/bin/sh"), "/bin/sh");
    arena_release(&a);
}

struct inbox {
    struct text all;
    size_t count;
};

static void keep_message(void *context, const char *data, size_t size_bytes)
{
    struct inbox *box = context;
    text_addn(&box->all, data, size_bytes);
    text_add(&box->all, "|");
    box->count++;
}

static struct worker_result run_worker(int (*body)(void *, int), double timeout_s,
                                       struct inbox *box, const volatile bool *cancel)
{
    struct worker_spec spec = {.body = body,
                               .timeout_s = timeout_s,
                               .on_message = box ? keep_message : NULL,
                               .message_context = box,
                               .cancel = cancel};
    struct worker_result result;
    struct error err = {0};
    if (!worker_run(&spec, &result, &err))
        fail_msg("%s", err.message);
    return result;
}

static int send_three(void *context, int fd)
{
    (void)context;
    printf("lost\n"); // to /dev/null
    return worker_send(fd, "one", 3) && worker_send(fd, NULL, 0) && worker_send(fd, "three", 5) ? 0
                                                                                                : 1;
}

static void worker_messages_arrive_whole_and_in_order(void **state)
{
    (void)state;
    struct inbox box = {0};
    struct worker_result r = run_worker(send_three, 10, &box, NULL);
    assert_int_equal(r.end, WORKER_DONE);
    assert_int_equal(box.count, 3);
    assert_string_equal(text_str(&box.all), "one||three|");
    text_release(&box.all);
}

enum { LARGE_BYTES = 5000000 };

static int send_large(void *context, int fd)
{
    (void)context;
    char *data = xcalloc(LARGE_BYTES, 1);
    memset(data, 'y', LARGE_BYTES);
    return worker_send(fd, data, LARGE_BYTES) && worker_send(fd, "z", 1) ? 0 : 1;
}

static void worker_messages_may_be_larger_than_a_pipe(void **state)
{
    (void)state;
    struct inbox box = {0};
    struct worker_result r = run_worker(send_large, 60, &box, NULL);
    assert_int_equal(r.end, WORKER_DONE);
    assert_int_equal(box.count, 2);
    assert_int_equal(box.all.length, LARGE_BYTES + 3);
    text_release(&box.all);
}

static int send_half(void *context, int fd)
{
    (void)context;
    if (!worker_send(fd, "whole", 5))
        return 1;
    uint64_t size = 100;
    if (write(fd, &size, sizeof size) < 0 || write(fd, "half", 4) < 0)
        return 1;
    raise(SIGKILL);
    return 0;
}

static void a_message_cut_by_a_crash_is_dropped(void **state)
{
    (void)state;
    struct inbox box = {0};
    struct worker_result r = run_worker(send_half, 10, &box, NULL);
    assert_int_equal(r.end, WORKER_CRASHED);
    assert_int_equal(r.signal, SIGKILL);
    assert_string_equal(text_str(&box.all), "whole|");
    text_release(&box.all);
}

static int send_garbage(void *context, int fd)
{
    (void)context;
    uint64_t size = UINT64_MAX / 3;
    if (write(fd, &size, sizeof size) < 0)
        return 1;
    sleep(100);
    return 0;
}

static void a_worker_that_sends_garbage_counts_as_crashed(void **state)
{
    (void)state;
    assert_int_equal(run_worker(send_garbage, 50, NULL, NULL).end, WORKER_CRASHED);
}

static int exit_with_words(void *context, int fd)
{
    (void)context;
    (void)fd;
    for (int i = 0; i < 20000; i++)
        fprintf(stderr, "line %d\n", i);
    return 7;
}

static void worker_status_and_the_tail_of_its_errors_are_kept(void **state)
{
    (void)state;
    struct worker_result r = run_worker(exit_with_words, 50, NULL, NULL);
    assert_int_equal(r.end, WORKER_EXITED);
    assert_int_equal(r.exit_status, 7);
    assert_int_equal(strlen(r.stderr_tail), sizeof r.stderr_tail - 1);
    assert_true(str_ends_with(r.stderr_tail, "line 19998\nline 19999\n"));
}

static int hang(void *context, int fd)
{
    (void)fd;
    (void)context;
    signal(SIGTERM, SIG_IGN);
    if (fork() == 0) // a child of the worker's hangs with it
        sleep(100);
    sleep(100);
    return 0;
}

static void several_workers_are_watched_at_once(void **state)
{
    (void)state;
    enum { WORKERS = 3 };
    struct inbox box[WORKERS] = {0};
    struct worker_spec spec[WORKERS];
    struct worker *w[WORKERS];
    struct worker_result r;
    struct error err = {0};
    int left = WORKERS, streams[WORKER_STREAMS];
    for (int i = 0; i < WORKERS; i++) {
        spec[i] = (struct worker_spec){.body = i == 0 ? hang : send_three,
                                       .timeout_s = i == 0 ? 0.5 : 50,
                                       .on_message = keep_message,
                                       .message_context = &box[i]};
        w[i] = worker_start(&spec[i], &err);
        assert_non_null(w[i]);
        assert_true(worker_pid(w[i]) > 0);
        worker_streams(w[i], streams);
        assert_true(streams[0] >= 0 && streams[1] >= 0);
    }
    while (left > 0)
        for (int i = 0; i < WORKERS; i++) {
            if (!w[i] || !worker_ended(w[i]))
                continue;
            assert_true(worker_finish(w[i], &r, &err));
            assert_int_equal(r.end, i == 0 ? WORKER_TIMED_OUT : WORKER_DONE);
            assert_string_equal(text_str(&box[i].all), i == 0 ? "" : "one||three|");
            text_release(&box[i].all);
            w[i] = NULL;
            left--;
        }
}
static void a_worker_that_is_not_waited_for_is_killed(void **state)
{
    (void)state;
    struct worker_spec spec = {.body = hang};
    struct worker_result r;
    struct error err = {0};
    struct worker *w = worker_start(&spec, &err);
    assert_non_null(w);
    pid_t pid = worker_pid(w);
    assert_true(worker_finish(w, &r, &err));
    assert_int_equal(r.end, WORKER_CANCELLED);
    assert_int_equal(kill(pid, 0), -1);
}
static void a_hanging_worker_is_killed_in_time(void **state)
{
    (void)state;
    uint64_t start = clock_ns();
    assert_int_equal(run_worker(hang, 0.2, NULL, NULL).end, WORKER_TIMED_OUT);
    double passed_s = (double)(clock_ns() - start) / ns_per_s;
    assert_true(passed_s > 0.19 && passed_s < PATIENCE_S);
}

static volatile bool cancelled;

static void set_cancelled(int signal_number)
{
    (void)signal_number;
    cancelled = true;
}

static void a_cancelled_worker_is_killed(void **state)
{
    (void)state;
    cancelled = false;
    struct sigaction act = {.sa_handler = set_cancelled}, old;
    sigaction(SIGALRM, &act, &old);
    alarm(1);
    struct worker_result r = run_worker(hang, PATIENCE_S, NULL, &cancelled);
    sigaction(SIGALRM, &old, NULL);
    assert_int_equal(r.end, WORKER_CANCELLED); // before its time is over
}

static int abort_now(void *context, int fd)
{
    (void)context;
    (void)fd;
    fprintf(stderr, "about to abort\n");
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void a_crash_is_reported_with_its_signal(void **state)
{
    (void)state;
    struct worker_result r = run_worker(abort_now, 20, NULL, NULL);
    assert_int_equal(r.end, WORKER_CRASHED);
    assert_int_equal(r.signal, SIGABRT);
    assert_string_equal(r.stderr_tail, "about to abort\n");
}

static int run_a_program(void *context, int fd)
{
    (void)context;
    struct process_result r = run_shell("echo nested", NULL, 10);
    bool sent = worker_send(fd, r.out.data, r.out.length);
    process_result_release(&r);
    return sent ? 0 : 1;
}

static void a_worker_may_run_programs_itself(void **state)
{
    (void)state;
    struct inbox box = {0};
    assert_int_equal(run_worker(run_a_program, 20, &box, NULL).end, WORKER_DONE);
    assert_string_equal(text_str(&box.all), "nested\n|");
    text_release(&box.all);
}

static int report_exit(void *context, int fd)
{
    (void)context;
    (void)fd;
    return 0;
}

// In a process of its own: what it has not flushed yet and its exit handler must show once.
static void say_goodbye(void)
{
    printf("goodbye\n");
}

static int parent_with_buffers(void *context, int fd)
{
    (void)context;
    FILE *log = fdopen(fd, "w");
    if (!log || dup2(fd, STDOUT_FILENO) < 0)
        return 1;
    fprintf(log, "buffered\n");
    printf("also buffered\n");
    atexit(say_goodbye);
    struct worker_spec spec = {.body = report_exit, .timeout_s = 10};
    struct worker_result result;
    struct error err = {0};
    if (!worker_run(&spec, &result, &err) || result.end != WORKER_DONE)
        return 1;
    fflush(log);
    fflush(stdout);
    return 0;
}

static void worker_leaves_the_parents_buffers_and_exit_handlers_alone(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(fds[0]);
        _exit(parent_with_buffers(NULL, fds[1]));
    }
    close(fds[1]);
    char all[200] = "";
    size_t length = 0;
    for (ssize_t n = 1; n > 0 && length < sizeof all - 1; length += (size_t)n) {
        n = read(fds[0], all + length, sizeof all - 1 - length);
        if (n <= 0)
            break;
    }
    close(fds[0]);
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_string_equal(all, "buffered\nalso buffered\n");
}

static void no_descriptor_is_left_behind(void **state)
{
    (void)state;
    size_t before = open_descriptors();
    for (int i = 0; i < 20; i++) {
        struct inbox box = {0};
        run_worker(send_three, 10, &box, NULL);
        text_release(&box.all);
        struct process_result r = run_shell("echo x", "input", 10);
        process_result_release(&r);
        struct error err = {0};
        const char *const folder[] = {"/tmp", NULL};
        assert_false(process_run(&(struct process_spec){.argv = folder}, &r, &err));
    }
    run_worker(hang, 0.05, NULL, NULL);
    assert_int_equal(open_descriptors(), before);
}

// Workers that begin together and end together: each says that it has begun, and ends when it is let go.
struct meeting {
    int begun[2], let_go[2];
    enum worker_end ends[4];
};

struct guest {
    pthread_t thread;
    struct meeting *meeting;
    enum worker_end *end;
};

static int meet(void *context, int fd)
{
    const struct meeting *m = context;
    char byte = 0;
    (void)fd;
    return write(m->begun[1], "b", 1) == 1 && read(m->let_go[0], &byte, 1) == 1 ? 0 : 1;
}

static void *run_guest(void *context)
{
    const struct guest *g = context;
    struct worker_spec spec = {.body = meet, .context = g->meeting, .timeout_s = PATIENCE_S};
    struct worker_result result;
    struct error err = {0};
    *g->end = worker_run(&spec, &result, &err) ? result.end : WORKER_EXITED;
    return NULL;
}

static void workers_of_several_threads_do_not_wait_for_each_other(void **state)
{
    (void)state;
    enum { GUESTS = COUNT_OF(((struct meeting *)0)->ends) };
    struct meeting m;
    struct guest guests[GUESTS];
    assert_int_equal(pipe(m.begun) | pipe(m.let_go), 0);
    for (size_t i = 0; i < GUESTS; i++) {
        guests[i] = (struct guest){.meeting = &m, .end = &m.ends[i]};
        assert_int_equal(pthread_create(&guests[i].thread, NULL, run_guest, &guests[i]), 0);
    }
    for (size_t i = 0; i < GUESTS; i++) { // all are at work at once
        struct pollfd wait = {.fd = m.begun[0], .events = POLLIN};
        char byte = 0;
        assert_int_equal(poll(&wait, 1, PATIENCE_S * 1000), 1);
        assert_int_equal(read(m.begun[0], &byte, 1), 1);
    }
    struct process_result r = run_shell("exit 0", NULL, PATIENCE_S);
    assert_false(r.timed_out);
    process_result_release(&r);
    assert_int_equal(write(m.let_go[1], "gggg", GUESTS), GUESTS);
    for (size_t i = 0; i < GUESTS; i++) {
        pthread_join(guests[i].thread, NULL);
        assert_int_equal(m.ends[i], WORKER_DONE);
    }
    for (int i = 0; i < 2; i++) {
        close(m.begun[i]);
        close(m.let_go[i]);
    }
}

static void an_ignored_sigchld_is_an_error_not_a_wrong_status(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    struct worker_spec spec = {.body = report_exit, .timeout_s = 10};
    struct worker_result result;
    struct error err = {0};
    bool done = worker_run(&spec, &result, &err);
    signal(SIGCHLD, SIG_DFL);
    assert_false(done);
    assert_non_null(strstr(err.message, "SIGCHLD"));
}

static void trouble_of_a_compiler_is_distinguished_from_its_judgement(void **state)
{
    (void)state;
    static const struct {
        const char *script, *trouble; // NULL: it is about the source
    } rows[] = {
        {"exit 0", NULL},
        {"echo 'cc1: out of memory' >&2", NULL}, // it went well
        {"echo 'k.c:3:1: error: expected ;' >&2; exit 1", NULL},
        {"echo 'k.c:3:2: error: #error out of memory' >&2; exit 1", NULL},
        {"exit 1", "exit status 1 without a message"},
        {"kill -9 $$", "stopped by signal 9 (Killed)"},
        {"echo a >&2; echo 'gcc: fatal error: Killed signal terminated program cc1' >&2; exit 1",
         "gcc: fatal error: Killed signal terminated program cc1"},
        {"echo 'cc1: out of memory allocating 9 bytes' >&2; exit 1",
         "cc1: out of memory allocating 9 bytes"},
        {"echo 'ld: final link failed: No space left on device' >&2; exit 1",
         "ld: final link failed: No space left on device"},
        {"echo 'k.c:1:1: internal compiler error: Segmentation fault' >&2; exit 4",
         "k.c:1:1: internal compiler error: Segmentation fault"},
        {"echo 'nvcc error : cicc died due to signal 9 (Kill signal)' >&2; exit 9",
         "nvcc error : cicc died due to signal 9 (Kill signal)"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct process_result r = run_shell(rows[i].script, NULL, 0);
        const char *trouble = process_trouble(&a, &r);
        if (rows[i].trouble)
            assert_string_equal(trouble ? trouble : "(none)", rows[i].trouble);
        else
            assert_null(trouble);
        process_result_release(&r);
    }
    arena_release(&a);
}

static void libraries_open_and_missing_ones_are_named(void **state)
{
    (void)state;
    struct error err = {0};
    const char *const names[] = {"libno-such-thing.so.9", "libm.so.6", NULL};
    const char *const folders[] = {"/no/such/folder", NULL};
    void *library = library_open(names, folders, &err);
    assert_non_null(library);
    double (*cosine)(double) = NULL;
    assert_true(library_symbol(library, "cos", &cosine, sizeof cosine, &err));
    assert_true(cosine(0) == 1);
    assert_false(library_symbol(library, "no_such_function", &cosine, sizeof cosine, &err));
    assert_string_equal(err.message, "the library has no function 'no_such_function'");
    const char *const missing[] = {"libno-such-a.so", "libno-such-b.so", NULL};
    assert_null(library_open(missing, NULL, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_string_equal(err.message,
                        "no library could be opened; tried libno-such-a.so, libno-such-b.so");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process_gives_both_streams_and_the_status),
        cmocka_unit_test(process_without_input_reads_nothing),
        cmocka_unit_test(process_passes_megabytes_through),
        cmocka_unit_test(process_killed_by_a_signal_says_so),
        cmocka_unit_test(process_and_its_children_die_on_timeout),
        cmocka_unit_test(a_grandchild_that_keeps_the_pipe_does_not_keep_us),
        cmocka_unit_test(a_program_that_cannot_start_is_an_error),
        cmocka_unit_test(programs_are_found_in_path),
        cmocka_unit_test(worker_messages_arrive_whole_and_in_order),
        cmocka_unit_test(worker_messages_may_be_larger_than_a_pipe),
        cmocka_unit_test(a_message_cut_by_a_crash_is_dropped),
        cmocka_unit_test(a_worker_that_sends_garbage_counts_as_crashed),
        cmocka_unit_test(worker_status_and_the_tail_of_its_errors_are_kept),
        cmocka_unit_test(several_workers_are_watched_at_once),
        cmocka_unit_test(a_worker_that_is_not_waited_for_is_killed),
        cmocka_unit_test(a_hanging_worker_is_killed_in_time),
        cmocka_unit_test(a_cancelled_worker_is_killed),
        cmocka_unit_test(a_crash_is_reported_with_its_signal),
        cmocka_unit_test(a_worker_may_run_programs_itself),
        cmocka_unit_test(worker_leaves_the_parents_buffers_and_exit_handlers_alone),
        cmocka_unit_test(no_descriptor_is_left_behind),
        cmocka_unit_test(workers_of_several_threads_do_not_wait_for_each_other),
        cmocka_unit_test(an_ignored_sigchld_is_an_error_not_a_wrong_status),
        cmocka_unit_test(trouble_of_a_compiler_is_distinguished_from_its_judgement),
        cmocka_unit_test(libraries_open_and_missing_ones_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
