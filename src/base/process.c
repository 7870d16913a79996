// Programs run to their end, both streams captured. Standard input is a file in memory, not a pipe:
// nothing to feed while reading, and no SIGPIPE when the program does not want it. Between ridge and
// the program stands a guard, a process that leads the program's group: when ridge dies, kill -9
// included, the guard ends the group, and with it what the program started (cc's cc1).
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
    char **environment; // of the program; made before the fork
    int in_fd;
    int out[2], err[2], start[2]; // pipes; start reports a failure, or closes on exec
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

// Ours, with TMPDIR changed if that was asked for. The strings are environ's.
static char **environment_of(const struct process_spec *spec, char **tmpdir)
{
    static const char name[] = "TMPDIR=";
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = xcalloc(count + 2, sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (!spec->temporary_folder || !str_starts_with(environ[i], name))
            copy[kept++] = environ[i];
    struct text t = {0};
    if (spec->temporary_folder) {
        text_printf(&t, "%s%s", name, spec->temporary_folder);
        copy[kept++] = t.data;
    }
    *tmpdir = t.data;
    return copy;
}

static void end_group(int signal_number)
{
    (void)signal_number;
    kill(0, SIGKILL); // the guard too
}

// Ends as the program ended, so that the parent sees no guard.
static _Noreturn void guard_end(int status)
{
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    struct rlimit none = {0, 0}; // the core, if any, was the program's
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    kill(getpid(), WTERMSIG(status));
    _exit(EXIT_FAILURE);
}

// In the child: a process more, which returns and becomes the program; the child itself waits for it
// with nothing open, so that the ends of pipes are the program's alone. Async-signal-safe calls only.
static void guard_program(pid_t parent)
{
    pid_t guard = getpid();
    struct sigaction act = {.sa_handler = end_group};
    sigaction(SIGTERM, &act, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    pid_t program = _Fork();
    if (program == 0) {
        signal(SIGTERM, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != guard)
            _exit(EXIT_FAILURE);
    }
    if (program <= 0) // without a second process the program goes unguarded
        return;
    close_range(0, ~0u, 0);
    int status = 0;
    while (waitpid(program, &status, 0) < 0 && errno == EINTR) {
    }
    guard_end(status);
}

static _Noreturn void child_exec(const struct launch *l, pid_t parent)
{
    child_become(parent, l->in_fd, l->out[1], l->err[1]);
    guard_program(parent);
    struct start_failure failure = {.step = STEP_DIRECTORY};
    if (!l->spec->directory || chdir(l->spec->directory) == 0) {
        failure.step = STEP_EXEC;
        char *const *argv = NULL;
        memcpy(&argv, &l->spec->argv, sizeof argv); // execve's prototype predates const
        execve(l->program, argv, l->environment);
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
    if (c.end == CHILD_CANCELLED)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted while '%s' was running",
                       l->program);
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
    char *tmpdir = NULL;
    l.program = strchr(name, '/') ? name : program_find(&a, name);
    l.environment = environment_of(spec, &tmpdir);
    bool done =
        l.program ? launch_run(&l, result, err)
                  : fail_as(err, ERROR_SYSTEM, NOWHERE,
                            "the program '%s' is not in PATH; install it or add its folder", name);
    launch_release(&l);
    free(l.environment);
    free(tmpdir);
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

// The line of text that has one of the phrases, or NULL.
static const char *line_with(struct arena *a, const char *text, const char *const *phrases,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = strstr(text, phrases[i]);
        if (!at)
            continue;
        while (at > text && at[-1] != '\n')
            at--;
        return arena_strndup(a, at, strcspn(at, "\n"));
    }
    return NULL;
}

const char *process_trouble(struct arena *a, const struct process_result *result)
{
    // As gcc, clang, nvcc and the linkers say it.
    static const char *const phrases[] = {
        " signal terminated program ",
        "died due to signal ",
        ": internal compiler error: ",
        "unable to execute command: ",
        "LLVM ERROR: ",
        "error in backend",
        "std::bad_alloc",
        ": out of memory",
        "memory exhausted",
        ": Cannot allocate memory",
        ": No space left on device",
        ": Disk quota exceeded",
    };
    if (result->exit_status == 0)
        return NULL;
    const char *line = line_with(a, text_str(&result->err_text), phrases, COUNT_OF(phrases));
    if (line)
        return line;
    if (result->exit_status < 0)
        return arena_printf(a, "stopped by signal %d (%s)", result->signal,
                            sigdescr_np(result->signal));
    return result->err_text.length + result->out.length == 0
               ? arena_printf(a, "exit status %d without a message", result->exit_status)
               : NULL;
}
