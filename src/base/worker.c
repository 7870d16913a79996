// A worker: a forked child that runs one function and sends whole messages back, each one its size
// in eight bytes and then its bytes. Whatever happens to it (a crash, a hang, an exit deep inside a
// driver) is an outcome, not an error of ours.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t message_max_bytes = (uint64_t)1 << 31; // a larger size is garbage

enum { TAIL_SLACK = 8 }; // the tail's buffer is cut back when it is this many times too long

struct inbox {
    struct text bytes; // what has come and was not handed on
    const struct worker_spec *spec;
};

// Hands on every whole message. Refuses sizes no worker of ours would send: its memory is broken.
static bool inbox_take(void *context, const char *data, size_t size_bytes)
{
    struct inbox *box = context;
    text_addn(&box->bytes, data, size_bytes);
    size_t at = 0;
    uint64_t size = 0;
    while (box->bytes.length - at >= sizeof size) {
        memcpy(&size, box->bytes.data + at, sizeof size);
        if (size > message_max_bytes)
            return false;
        if (box->bytes.length - at - sizeof size < size)
            break;
        if (box->spec->on_message)
            box->spec->on_message(box->spec->message_context, box->bytes.data + at + sizeof size,
                                  (size_t)size);
        at += sizeof size + (size_t)size;
    }
    if (at > 0) {
        box->bytes.length -= at;
        memmove(box->bytes.data, box->bytes.data + at, box->bytes.length);
    }
    return true;
}

static void keep_tail(struct text *t, size_t size_bytes)
{
    if (t->length <= size_bytes)
        return;
    memmove(t->data, t->data + t->length - size_bytes, size_bytes);
    t->length = size_bytes;
    t->data[size_bytes] = '\0';
}

static bool tail_take(void *context, const char *data, size_t size_bytes)
{
    enum { TAIL_BYTES = sizeof((struct worker_result *)0)->stderr_tail - 1 };
    struct text *t = context;
    text_addn(t, data, size_bytes);
    if (t->length > (size_t)TAIL_BYTES * TAIL_SLACK)
        keep_tail(t, TAIL_BYTES);
    return true;
}

// Never returns through exit: the parent's exit handlers and unwritten stdio buffers are not ours.
static _Noreturn void worker_child(const struct worker_spec *spec, pid_t parent, int message_fd,
                                   int err_fd, int null_fd)
{
    child_become(parent, null_fd, null_fd, err_fd);
    child_unlock();
    _exit(spec->body(spec->context, message_fd));
}

// Forks; in the parent only the ends it reads are left, in *message_fd and *err_fd.
static pid_t worker_fork(const struct worker_spec *spec, int *message_fd, int *err_fd,
                         struct error *err)
{
    int messages[2] = {-1, -1}, errors[2] = {-1, -1};
    pid_t parent = getpid(), pid = -1;
    child_lock();
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool ready = null_fd >= 0 && fd_move_up(&null_fd) && fd_pipe(messages) && fd_pipe(errors);
    if (ready)
        pid = fork();
    if (pid == 0) {
        fd_close(&messages[0]);
        fd_close(&errors[0]);
        worker_child(spec, parent, messages[1], errors[1], null_fd);
    }
    int saved = errno;
    fd_close(&messages[1]);
    fd_close(&errors[1]);
    fd_close(&null_fd);
    if (pid < 0) {
        fd_close(&messages[0]);
        fd_close(&errors[0]);
    }
    child_unlock();
    *message_fd = messages[0];
    *err_fd = errors[0];
    if (pid < 0)
        fail_errno(err, saved, "cannot start a worker process");
    return pid;
}

static void set_end(struct worker_result *result, const struct child *c)
{
    switch (c->end) {
    case CHILD_TIMED_OUT:
        result->end = WORKER_TIMED_OUT;
        return;
    case CHILD_CANCELLED:
        result->end = WORKER_CANCELLED;
        return;
    case CHILD_REFUSED: // only corrupted memory sends such bytes
        result->end = WORKER_CRASHED;
        return;
    case CHILD_ENDED:
        break;
    }
    if (WIFSIGNALED(c->status)) {
        result->end = WORKER_CRASHED;
        result->signal = WTERMSIG(c->status);
        return;
    }
    result->exit_status = WEXITSTATUS(c->status);
    result->end = result->exit_status == 0 ? WORKER_DONE : WORKER_EXITED;
}

struct worker {
    struct child child;
    struct inbox box;
    struct text tail;
};

struct worker *worker_start(const struct worker_spec *spec, struct error *err)
{
    struct worker *w = xcalloc(1, sizeof *w);
    struct error ignored = {0};
    struct child *c = &w->child;
    w->box.spec = spec;
    *c = (struct child){.timeout_s = spec->timeout_s,
                        .began_ns = spec->began_ns,
                        .cancel = spec->cancel,
                        .kill_group = true};
    c->streams[0] = (struct child_stream){-1, inbox_take, &w->box};
    c->streams[1] = (struct child_stream){-1, tail_take, &w->tail};
    c->pid = worker_fork(spec, &c->streams[0].fd, &c->streams[1].fd, err);
    if (c->pid > 0 && child_begin(c, err))
        return w;
    if (c->pid > 0)
        (void)!child_finish(c, &ignored);
    free(w);
    return NULL;
}

pid_t worker_pid(const struct worker *w)
{
    return w->child.pid;
}

void worker_streams(const struct worker *w, int fds[WORKER_STREAMS])
{
    _Static_assert((int)WORKER_STREAMS == (int)CHILD_STREAMS, "the streams of a worker");
    for (int i = 0; i < WORKER_STREAMS; i++)
        fds[i] = w->child.streams[i].fd;
}

bool worker_ended(struct worker *w)
{
    return child_step(&w->child);
}

void workers_wait(struct worker *const *workers, int count)
{
    enum { TICK_MS = 20, CLOSED_TICK_MS = 1 }; // closed: the end is near
    struct pollfd *polled = xcalloc((size_t)count * WORKER_STREAMS + 1, sizeof *polled);
    nfds_t n = 0;
    int tick_ms = TICK_MS;
    for (int i = 0; i < count; i++) {
        bool open = false;
        for (int k = 0; workers[i] && k < WORKER_STREAMS; k++)
            if (workers[i]->child.streams[k].fd >= 0) {
                polled[n++] =
                    (struct pollfd){.fd = workers[i]->child.streams[k].fd, .events = POLLIN};
                open = true;
            }
        if (workers[i] && !open)
            tick_ms = CLOSED_TICK_MS;
    }
    (void)poll(polled, n, tick_ms);
    free(polled);
}

bool worker_finish(struct worker *w, struct worker_result *result, struct error *err)
{
    *result = (struct worker_result){0};
    bool done = child_finish(&w->child, err);
    if (done)
        set_end(result, &w->child);
    keep_tail(&w->tail, sizeof result->stderr_tail - 1);
    memcpy(result->stderr_tail, text_str(&w->tail), w->tail.length + 1);
    text_release(&w->box.bytes);
    text_release(&w->tail);
    free(w);
    return done;
}

bool worker_run(const struct worker_spec *spec, struct worker_result *result, struct error *err)
{
    *result = (struct worker_result){0};
    struct worker *w = worker_start(spec, err);
    if (!w)
        return false;
    child_wait(&w->child);
    return worker_finish(w, result, err);
}

bool worker_send(int fd, const void *data, size_t size_bytes)
{
    uint64_t size = size_bytes;
    return fd_write_all(fd, &size, sizeof size) && fd_write_all(fd, data, size_bytes);
}

bool worker_send_kind(int fd, char kind, const void *data, size_t size_bytes)
{
    uint64_t size = sizeof kind + (uint64_t)size_bytes;
    return fd_write_all(fd, &size, sizeof size) && fd_write_all(fd, &kind, sizeof kind) &&
           fd_write_all(fd, data, size_bytes);
}
