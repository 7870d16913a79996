// Programs run to their end, both streams captured. Standard input is a file in memory, not a pipe:
// nothing to feed while reading, and no SIGPIPE when the program does not want it.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CAPTURE_MAX_BYTES = 64 * 1024 * 1024,
    EXIT_NOT_STARTED = 127, // as the shell says
};

// What the child could not do before exec.
struct start_failure {
    enum start_step { STEP_DIRECTORY, STEP_EXEC } step;
    int errno_value;
};

struct launch {
    const struct process_spec *spec;
    const char *program;
    int in_fd;
    int out[2], err[2], start[2]; // pipes; start tells a failure, or closes on exec
};

static bool capture(void *context, const char *data, size_t size_bytes)
{
    struct text *t = context;
    size_t room = CAPTURE_MAX_BYTES - t->length;
    text_addn(t, data, size_bytes < room ? size_bytes : room); // the rest is read and dropped
    return true;
}

// -1 with errno on failure.
static int open_input(const struct process_spec *spec)
{
    int fd = spec->input ? memfd_create("ridge-input", MFD_CLOEXEC)
                         : open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !fd_move_up(&fd))
        return -1;
    if (spec->input &&
        (!fd_write_all(fd, spec->input, spec->input_bytes) || lseek(fd, 0, SEEK_SET) != 0))
        fd_close(&fd);
    return fd;
}

static void launch_release(struct launch *l)
{
    fd_close(&l->in_fd);
    for (int i = 0; i < 2; i++) {
        fd_close(&l->out[i]);
        fd_close(&l->err[i]);
        fd_close(&l->start[i]);
    }
}

static _Noreturn void child_exec(const struct launch *l, pid_t parent)
{
    child_become(parent, l->in_fd, l->out[1], l->err[1]);
    struct start_failure failure = {.step = STEP_DIRECTORY};
    if (!l->spec->directory || chdir(l->spec->directory) == 0) {
        failure.step = STEP_EXEC;
        char *const *argv = NULL;
        memcpy(&argv, &l->spec->argv, sizeof argv); // execv's prototype predates const
        execv(l->program, argv);
    }
    failure.errno_value = errno;
    fd_write_all(l->start[1], &failure, sizeof failure);
    _exit(EXIT_NOT_STARTED);
}

// Forks; in the parent only the ends it reads are left open.
static pid_t launch_fork(struct launch *l, struct error *err)
{
    pid_t parent = getpid(), pid = -1;
    child_lock();
    l->in_fd = open_input(l->spec);
    bool ready = l->in_fd >= 0 && fd_pipe(l->out) && fd_pipe(l->err) && fd_pipe(l->start);
    if (ready)
        pid = fork();
    if (pid == 0)
        child_exec(l, parent);
    int saved = errno;
    fd_close(&l->in_fd);
    fd_close(&l->out[1]);
    fd_close(&l->err[1]);
    fd_close(&l->start[1]);
    child_unlock();
    if (pid < 0)
        fail_errno(err, saved, "cannot start '%s'", l->program);
    return pid;
}

static bool fail_start(const struct launch *l, struct start_failure failure, struct error *err)
{
    switch (failure.step) {
    case STEP_DIRECTORY:
        return fail_errno(err, failure.errno_value, "cannot run '%s' in the folder '%s'",
                          l->program, l->spec->directory);
    case STEP_EXEC:
        break;
    }
    return fail_errno(err, failure.errno_value, "cannot start '%s'", l->program);
}

static bool launch_run(struct launch *l, struct process_result *result, struct error *err)
{
    struct child c = {.timeout_s = l->spec->timeout_s};
    c.pid = launch_fork(l, err);
    if (c.pid < 0)
        return false;
    struct start_failure failure;
    size_t got = 0;
    bool failed = fd_read_all(l->start[0], &failure, sizeof failure, &got) && got == sizeof failure;
    c.streams[0] = (struct child_stream){l->out[0], capture, &result->out};
    c.streams[1] = (struct child_stream){l->err[0], capture, &result->err_text};
    l->out[0] = l->err[0] = -1; // child_watch closes them
    if (!child_watch(&c, err))
        return false;
    if (failed)
        return fail_start(l, failure, err);
    result->timed_out = c.end == CHILD_TIMED_OUT;
    if (WIFEXITED(c.status) && !result->timed_out)
        result->exit_status = WEXITSTATUS(c.status);
    else
        result->signal = result->timed_out ? SIGKILL : WTERMSIG(c.status);
    return true;
}

bool process_run(const struct process_spec *spec, struct process_result *result, struct error *err)
{
    *result = (struct process_result){.exit_status = -1};
    struct arena a = {0};
    const char *name = spec->argv[0];
    struct launch l = {
        .spec = spec, .in_fd = -1, .out = {-1, -1}, .err = {-1, -1}, .start = {-1, -1}};
    l.program = strchr(name, '/') ? name : program_find(&a, name);
    bool done =
        l.program ? launch_run(&l, result, err)
                  : fail_as(err, ERROR_SYSTEM, NOWHERE,
                            "the program '%s' is not in PATH; install it or add its folder", name);
    launch_release(&l);
    arena_release(&a);
    if (!done)
        process_result_release(result);
    return done;
}

void process_result_release(struct process_result *result)
{
    text_release(&result->out);
    text_release(&result->err_text);
}
