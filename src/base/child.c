// A child process watched from the parent: its streams are read as they fill, its end is noticed
// even when a grandchild keeps the pipes open, and nothing waits without a limit: a process stuck
// in a GPU driver may outlive SIGKILL, and must cost us one variant, not the run.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    READ_STEP_BYTES = 64 * 1024,
    READ_STEPS_MAX = 32, // more than a pipe can hold: a look at the clock in between
    TICK_MS = 20,        // how late a cancellation or an end with open pipes is noticed
    CLOSED_TICK_MS = 1,  // all streams are closed: the end is near
    KILL_PATIENCE_MS = 10000,
    STANDARD_FDS = 3,
};

static const double ns_per_s = 1e9;
static const double ns_per_ms = 1e6;

static pthread_mutex_t fork_mutex = PTHREAD_MUTEX_INITIALIZER;

static const volatile bool *cancel_flag;

void cancel_on(const volatile bool *flag)
{
    cancel_flag = flag;
}

bool cancel_asked(void)
{
    return cancel_flag && *cancel_flag;
}

void child_lock(void)
{
    pthread_mutex_lock(&fork_mutex);
}

void child_unlock(void)
{
    pthread_mutex_unlock(&fork_mutex);
}

void fd_close(int *fd)
{
    int saved = errno;
    if (*fd >= 0)
        close(*fd); // never retried: Linux frees the number even on EINTR
    *fd = -1;
    errno = saved;
}

// A parent without standard streams would get their numbers for its own files.
bool fd_move_up(int *fd)
{
    if (*fd >= STANDARD_FDS)
        return true;
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, STANDARD_FDS);
    fd_close(fd);
    *fd = moved;
    return moved >= 0;
}

bool fd_pipe(int fds[2])
{
    if (pipe2(fds, O_CLOEXEC) != 0) {
        fds[0] = fds[1] = -1;
        return false;
    }
    if (fd_move_up(&fds[0]) && fd_move_up(&fds[1]))
        return true;
    fd_close(&fds[0]);
    fd_close(&fds[1]);
    return false;
}

bool fd_write_all(int fd, const void *data, size_t size_bytes)
{
    const char *at = data;
    while (size_bytes > 0) {
        ssize_t n = write(fd, at, size_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += n;
        size_bytes -= (size_t)n;
    }
    return true;
}

bool fd_read_all(int fd, void *data, size_t size_bytes, size_t *got)
{
    char *at = data;
    *got = 0;
    while (*got < size_bytes) {
        ssize_t n = read(fd, at + *got, size_bytes - *got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return true;
}

void child_become(pid_t parent, int in_fd, int out_fd, int err_fd)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGALRM};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) // it died before the line above
        _exit(EXIT_FAILURE);
    struct sigaction act = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &act, NULL);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    dup2(in_fd, STDIN_FILENO);
    dup2(out_fd, STDOUT_FILENO);
    dup2(err_fd, STDERR_FILENO);
}

enum reaping { STILL_RUNNING, HAS_ENDED, IS_LOST };

// Looks without reaping, so that the process group's number stays ours until its last use.
static enum reaping child_state(pid_t pid)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == EINTR ? STILL_RUNNING : IS_LOST;
    return info.si_pid == pid ? HAS_ENDED : STILL_RUNNING;
}

// Takes what is there now. False: refused.
static bool stream_drain(struct child_stream *s, char *step)
{
    for (int i = 0; s->fd >= 0 && i < READ_STEPS_MAX; i++) {
        ssize_t n = read(s->fd, step, READ_STEP_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (n <= 0)
            fd_close(&s->fd);
        else if (!s->take(s->context, step, (size_t)n))
            return false;
    }
    return true;
}

static bool streams_drain(struct child *c, char *step)
{
    for (int i = 0; i < CHILD_STREAMS; i++)
        if (!stream_drain(&c->streams[i], step))
            return false;
    return true;
}

// Sleeps until a stream has something, or a tick, or the end of the child's time.
static void streams_wait(const struct child *c, double most_ms)
{
    struct pollfd fds[CHILD_STREAMS];
    bool open = false;
    for (int i = 0; i < CHILD_STREAMS; i++) {
        fds[i] = (struct pollfd){.fd = c->streams[i].fd, .events = POLLIN};
        open = open || c->streams[i].fd >= 0;
    }
    int tick = open ? TICK_MS : CLOSED_TICK_MS;
    if (most_ms < tick)
        tick = most_ms > 0 ? (int)most_ms + 1 : 0;
    poll(fds, CHILD_STREAMS, tick); // EINTR is as good as a tick
}

static double left_ms(const struct child *c)
{
    uint64_t from = c->began_ns && *c->began_ns > c->start_ns ? *c->began_ns : c->start_ns;
    double passed_ns = (double)(clock_ns() - from);
    return c->timeout_s > 0 ? (c->timeout_s * ns_per_s - passed_ns) / ns_per_ms : (double)TICK_MS;
}

// The state is asked for before the streams are read, so that nothing it wrote is left behind.
bool child_step(struct child *c)
{
    enum reaping state = child_state(c->pid);
    c->lost = state == IS_LOST;
    c->end = CHILD_ENDED;
    if (!streams_drain(c, c->step)) {
        c->end = CHILD_REFUSED;
        return true;
    }
    if (state != STILL_RUNNING)
        return true;
    if ((c->cancel && *c->cancel) || cancel_asked())
        c->end = CHILD_CANCELLED;
    else if (left_ms(c) <= 0)
        c->end = CHILD_TIMED_OUT;
    return c->end != CHILD_ENDED;
}

static void child_kill(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL); // in case it had no group of its own yet
}

// After SIGKILL: gives up on one that the kernel cannot end; it stays a zombie of ours at worst.
static void reap_killed(pid_t pid, int *status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int waited_ms = 0; waited_ms < KILL_PATIENCE_MS; waited_ms++) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return;
        nanosleep(&pause, NULL);
    }
}

static bool set_nonblocking(struct child *c)
{
    for (int i = 0; i < CHILD_STREAMS; i++) {
        int fd = c->streams[i].fd;
        int flags = fd >= 0 ? fcntl(fd, F_GETFL) : 0;
        if (fd >= 0 && (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0))
            return false;
    }
    return true;
}

bool child_begin(struct child *c, struct error *err)
{
    setpgid(c->pid, c->pid); // the child does the same: whoever comes first
    c->start_ns = clock_ns();
    c->end = CHILD_CANCELLED; // until a step says more
    if (!set_nonblocking(c))
        return fail_errno(err, errno, "cannot watch a child process");
    c->step = xcalloc(READ_STEP_BYTES, 1);
    return true;
}

bool child_finish(struct child *c, struct error *err)
{
    c->status = 0;
    if (c->end != CHILD_ENDED) {
        child_kill(c->pid);
        reap_killed(c->pid, &c->status);
    } else if (!c->lost) {
        if (c->kill_group)
            kill(-c->pid, SIGKILL);
        while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR) {
        }
    }
    for (int i = 0; i < CHILD_STREAMS; i++)
        fd_close(&c->streams[i].fd);
    free(c->step);
    c->step = NULL;
    if (c->end == CHILD_ENDED && c->lost)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "the exit status of a child process was lost; do not ignore SIGCHLD or wait "
                       "for all children in this process");
    return true;
}

void child_wait(struct child *c)
{
    while (!child_step(c))
        streams_wait(c, left_ms(c));
}

bool child_watch(struct child *c, struct error *err)
{
    struct error ignored = {0};
    if (!child_begin(c, err)) {
        (void)!child_finish(c, &ignored);
        return false;
    }
    child_wait(c);
    return child_finish(c, err);
}
