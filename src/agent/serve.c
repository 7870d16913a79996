// The server: reads messages as they come, begins calls when it is their turn, and writes answers as they are done.
// One thread; nothing waits but poll.
// SPDX-License-Identifier: Apache-2.0
#include "agent/internal.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 * 1024,
    TICK_MS = 50,           // how late the end of a call or of its time is noticed
    IDLE_MS = 500,          // how late the program's wish to stop is, at worst
    OUTBOX_FULL = 16 << 20, // a client that does not read is not read from
    CALLS_MAX = 256,
};
static const double end_patience_s = 10; // after the input's end, for calls in flight

struct serving {
    const struct agent_server *server;
    int in_fd, out_fd; // in_fd -1: it has ended
    struct line_reader reader;
    struct text outbox; // of which so many bytes are written:
    size_t sent;
    struct session_state state;
    struct call *calls[CALLS_MAX]; // in the order of arrival
    int count;
    uint64_t ended_ns; // when the input did
    bool reader_gone;  // nobody reads the answers any more
};

static void send_json(struct serving *v, json_t *json)
{
    char *line = json ? json_dumps(json, JSON_COMPACT) : NULL;
    if (line) {
        text_add(&v->outbox, line);
        text_add(&v->outbox, "\n");
    }
    free(line);
    json_decref(json);
}

static void send_progress(struct call *c, int percent, const char *message)
{
    if (c->token && !c->cancel)
        send_json(c->context, protocol_progress(c, percent, message));
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static struct call *call_of(const struct serving *v, const json_t *id, int *index)
{
    for (int i = 0; i < v->count; i++)
        if (json_equal(v->calls[i]->id, id)) {
            *index = i;
            return v->calls[i];
        }
    return NULL;
}

static void call_drop(struct serving *v, int index)
{
    call_release(v->calls[index]);
    v->count--;
    memmove(&v->calls[index], &v->calls[index + 1],
            (size_t)(v->count - index) * sizeof v->calls[0]);
}

static void call_add(struct serving *v, struct call *c)
{
    const struct agent_limits *l = &v->server->limits;
    if (v->count >= l->calls + l->waiting || v->count >= CALLS_MAX) {
        send_json(v, protocol_refuse(c, "too many calls wait already: ask again when some of them "
                                        "are answered"));
        call_release(c);
        return;
    }
    c->on_progress = send_progress;
    c->context = v;
    v->calls[v->count++] = c;
}

// Those that run kernels take turns: what two measure at once is the time of neither.
static void calls_begin(struct serving *v)
{
    int running = 0;
    bool device_taken = false;
    for (int i = 0; i < v->count; i++) {
        running += v->calls[i]->worker != NULL;
        device_taken = device_taken || (v->calls[i]->worker && !v->calls[i]->tool->reads_only);
    }
    for (int i = 0; i < v->count && running < v->server->limits.calls; i++) {
        struct call *c = v->calls[i];
        struct error err = {0};
        if (c->worker || (device_taken && !c->tool->reads_only))
            continue;
        if (!call_start(c, &err)) {
            send_json(v, protocol_refuse(c, err.message));
            call_drop(v, i--);
            continue;
        }
        running++;
        device_taken = device_taken || !c->tool->reads_only;
    }
}

static void calls_step(struct serving *v)
{
    for (int i = 0; i < v->count; i++) {
        struct call *c = v->calls[i];
        struct text said = {0};
        if (!c->worker || !call_ended(c))
            continue;
        enum call_end end = call_finish(c, &said);
        if (!c->dropped)
            send_json(v, protocol_call_answer(c, end, text_str(&said)));
        text_release(&said);
        call_drop(v, i--);
    }
}

/* ---- messages ------------------------------------------------------------------------------------------- */

// A cancelled call gets no answer; one that is not there, or has ended, is none's business.
static void take_cancelled(struct serving *v, const struct message *m)
{
    int index;
    struct call *c = call_of(v, json_object_get(m->params, "requestId"), &index);
    if (!c)
        return;
    if (!c->worker) {
        call_drop(v, index);
        return;
    }
    c->cancel = c->dropped = true;
}

static void take_request(struct serving *v, const struct message *m)
{
    struct call *call = NULL;
    int index;
    if (call_of(v, m->id, &index)) {
        send_json(v, rpc_error(m->id, RPC_REQUEST, "a request with this id is in work", NULL));
        return;
    }
    json_t *answer = protocol_answer(v->server, &v->state, m, &call);
    if (answer)
        send_json(v, answer);
    else
        call_add(v, call);
}

static void take_line(void *context, const char *line, size_t size_bytes)
{
    struct serving *v = context;
    struct message m;
    if (!line) {
        char most[32], why[128];
        (void)snprintf(why, sizeof why, "a message may have %s at most",
                       format_bytes((double)v->reader.most_bytes, most));
        send_json(v, rpc_error(NULL, RPC_REQUEST, why, NULL));
        return;
    }
    message_read(line, size_bytes, &m);
    switch (m.kind) {
    case MESSAGE_REQUEST:
        take_request(v, &m);
        break;
    case MESSAGE_NOTIFICATION:
        if (strcmp(m.method, "notifications/cancelled") == 0)
            take_cancelled(v, &m);
        break;
    case MESSAGE_RESPONSE: // nothing is asked of clients
        break;
    case MESSAGE_BAD:
        send_json(v, rpc_error(m.id, m.code, m.why, NULL));
        break;
    }
    message_release(&m);
}

static bool input_read(struct serving *v, struct error *err)
{
    char bytes[READ_BYTES];
    ssize_t n = read(v->in_fd, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n < 0)
        return fail_errno(err, errno, "cannot read requests from standard input");
    if (n > 0) {
        lines_take(&v->reader, bytes, (size_t)n, take_line, v);
        return true;
    }
    lines_end(&v->reader, take_line, v);
    v->in_fd = -1;
    v->ended_ns = clock_ns();
    return true;
}

// As much as a pipe that poll calls writable takes without waiting.
static bool output_write(struct serving *v, struct error *err)
{
    size_t left = v->outbox.length - v->sent;
    ssize_t n = write(v->out_fd, v->outbox.data + v->sent, left < PIPE_BUF ? left : PIPE_BUF);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n < 0 && errno == EPIPE) {
        v->reader_gone = true;
        return true;
    }
    if (n < 0)
        return fail_errno(err, errno, "cannot write answers to standard output");
    v->sent += (size_t)n;
    if (v->sent == v->outbox.length) {
        text_clear(&v->outbox);
        v->sent = 0;
    }
    return true;
}

/* ---- the loop -------------------------------------------------------------------------------------------- */

static bool is_over(const struct serving *v)
{
    static const double ns_per_s = 1e9;
    if ((v->server->cancel && *v->server->cancel) || v->reader_gone)
        return true;
    if (v->in_fd >= 0)
        return false;
    bool patient = (double)(clock_ns() - v->ended_ns) < end_patience_s * ns_per_s;
    return !((v->count > 0 && patient) || v->outbox.length > 0);
}

static bool serve_step(struct serving *v, struct error *err)
{
    struct pollfd fds[2 + CALLS_MAX * WORKER_STREAMS];
    bool full = v->outbox.length > OUTBOX_FULL;
    int running = 0;
    fds[0] = (struct pollfd){.fd = full ? -1 : v->in_fd, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = v->out_fd, .events = v->outbox.length > 0 ? POLLOUT : 0};
    for (int i = 0; i < v->count; i++) {
        int streams[WORKER_STREAMS];
        if (!v->calls[i]->worker)
            continue;
        worker_streams(v->calls[i]->worker, streams);
        for (int k = 0; k < WORKER_STREAMS; k++)
            fds[2 + running * WORKER_STREAMS + k] =
                (struct pollfd){.fd = streams[k], .events = POLLIN};
        running++;
    }
    int n = poll(fds, (nfds_t)(2 + running * WORKER_STREAMS), running > 0 ? TICK_MS : IDLE_MS);
    if (n < 0 && errno != EINTR)
        return fail_errno(err, errno, "cannot wait for requests");
    if (n < 0)
        return true;
    if (fds[0].revents && !input_read(v, err))
        return false;
    if (fds[1].revents & POLLOUT)
        return output_write(v, err);
    v->reader_gone = v->reader_gone || (fds[1].revents & (POLLERR | POLLNVAL));
    return true;
}

bool agent_serve(const struct agent_server *server, int in_fd, int out_fd, struct error *err)
{
    struct serving *v = xcalloc(1, sizeof *v);
    *v = (struct serving){.server = server,
                          .in_fd = in_fd,
                          .out_fd = out_fd,
                          .reader = {.most_bytes = server->limits.message_bytes}};
    bool done = true;
    while (done && !is_over(v)) {
        calls_begin(v);
        done = serve_step(v, err);
        calls_step(v);
    }
    while (v->count > 0)
        call_drop(v, v->count - 1);
    lines_release(&v->reader);
    text_release(&v->outbox);
    free(v);
    return done;
}
