// A call in a process of its own: its output in a file of its own, its progress over the worker's pipe, and the
// limits it is held to. Whatever it does, the server goes on.
// SPDX-License-Identifier: Apache-2.0
#include "agent/internal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const int percents = 100; // of all that a call does

// What a call's process sends, by its first byte.
enum { SENT_PROGRESS = 'P', SENT_RESULT = 'R', SENT_TOO_MUCH = 'L' };

/* ---- in the call's process --------------------------------------------------------------------------------- */

static int progress_fd = -1;

void agent_progress(double share, const char *message)
{
    static const uint64_t every_ns = 250000000;
    static uint64_t said_ns;
    uint64_t now = clock_ns();
    if (progress_fd < 0 || (said_ns > 0 && now - said_ns < every_ns))
        return;
    struct text t = {0};
    said_ns = now;
    text_printf(&t, "%.0f %s", percents * share, message);
    (void)worker_send_kind(progress_fd, SENT_PROGRESS, t.data, t.length);
    text_release(&t);
}

static void output_send(int fd, int output, size_t most_bytes)
{
    struct stat s;
    if (fstat(output, &s) != 0)
        return;
    size_t size = (size_t)s.st_size;
    if (size > most_bytes) {
        (void)worker_send_kind(fd, SENT_TOO_MUCH, "", 0);
        return;
    }
    void *bytes = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, output, 0) : NULL;
    if (bytes != MAP_FAILED)
        (void)worker_send_kind(fd, SENT_RESULT, bytes ? bytes : "", size);
}

static int call_body(void *context, int fd)
{
    const struct call *c = context;
    int output = memfd_create("output", MFD_CLOEXEC);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0)
        return EXIT_FAILURE;
    progress_fd = fd;
    int status = c->server->perform(c->line.argc, c->line.argv);
    progress_fd = -1;
    (void)fflush(stdout);
    output_send(fd, output, c->server->limits.result_bytes);
    return status;
}

/* ---- in the server ------------------------------------------------------------------------------------------ */

static void take_progress(struct call *c, const char *words)
{
    char *end;
    long percent = strtol(words, &end, 10);
    if (percent <= c->percent || percent > percents) // it only grows
        return;
    c->percent = (int)percent;
    c->on_progress(c, c->percent, *end ? end + 1 : end);
}

static void on_message(void *context, const char *data, size_t size_bytes)
{
    struct call *c = context;
    if (size_bytes == 0)
        return;
    if (data[0] == SENT_PROGRESS) {
        struct text words = {0};
        text_addn(&words, data + 1, size_bytes - 1);
        take_progress(c, text_str(&words));
        text_release(&words);
    } else if (data[0] == SENT_RESULT) {
        text_addn(&c->output, data + 1, size_bytes - 1);
    } else if (data[0] == SENT_TOO_MUCH) {
        c->too_much = true;
    }
}

bool call_start(struct call *c, struct error *err)
{
    c->spec = (struct worker_spec){.body = call_body,
                                   .context = c,
                                   .timeout_s = c->server->limits.call_s,
                                   .on_message = on_message,
                                   .message_context = c,
                                   .cancel = &c->cancel};
    c->worker = worker_start(&c->spec, err);
    return c->worker != NULL;
}

// Now and then: a look into /proc costs a millisecond or so.
static bool over_limit(struct call *c)
{
    static const uint64_t every_ns = 500000000;
    const struct agent_limits *l = &c->server->limits;
    uint64_t now = clock_ns();
    char held[32], most[32];
    if (now - c->looked_ns < every_ns)
        return false;
    c->looked_ns = now;
    struct process_tree t = process_tree(worker_pid(c->worker));
    if (t.processes > l->processes)
        (void)snprintf(c->over, sizeof c->over, "it had %d processes, and %d are allowed",
                       t.processes, l->processes);
    else if (t.memory_bytes > l->memory_bytes)
        (void)snprintf(c->over, sizeof c->over, "it held %s of memory, and %s are allowed",
                       format_bytes((double)t.memory_bytes, held),
                       format_bytes((double)l->memory_bytes, most));
    return c->over[0] != '\0';
}

bool call_ended(struct call *c)
{
    if (worker_ended(c->worker))
        return true;
    c->cancel = c->cancel || over_limit(c);
    return false;
}

enum call_end call_finish(struct call *c, struct text *said)
{
    struct worker_result r;
    struct error err = {0};
    bool done = worker_finish(c->worker, &r, &err);
    c->worker = NULL;
    text_add(said, done ? r.stderr_tail : err.message);
    c->exit_status = r.exit_status;
    if (c->over[0])
        return CALL_OVER_LIMIT;
    if (!done)
        return CALL_CRASHED;
    switch (r.end) {
    case WORKER_DONE:
    case WORKER_EXITED:
        return CALL_DONE;
    case WORKER_TIMED_OUT:
        return CALL_TIMED_OUT;
    case WORKER_CANCELLED:
        return CALL_CANCELLED;
    case WORKER_CRASHED:
        break;
    }
    return CALL_CRASHED;
}

void call_release(struct call *c)
{
    struct text ignored = {0};
    if (c->worker) {
        c->cancel = true;
        (void)!call_ended(c);
        (void)call_finish(c, &ignored);
    }
    text_release(&ignored);
    text_release(&c->output);
    json_decref(c->id);
    json_decref(c->token);
    json_decref(c->arguments);
    arena_release(&c->arena);
    free(c);
}

/* ---- processes ------------------------------------------------------------------------------------------------ */

struct seen_process {
    pid_t pid, parent;
    uint64_t memory_bytes;
    bool counted;
};

// Of /proc/PID/stat: the parent is the second word after the name, which may hold anything; the resident pages the
// twenty-second.
static bool process_look(const char *pid, struct seen_process *out)
{
    enum { PARENT_AT = 1, RESIDENT_AT = 21 };
    char path[64], line[1024];
    (void)snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
    if (f)
        (void)fclose(f);
    line[n] = '\0';
    char *at = strrchr(line, ')');
    if (!at)
        return false;
    *out = (struct seen_process){.pid = (pid_t)strtol(pid, NULL, 10)};
    at += 2;
    for (int word = 0; at && word <= RESIDENT_AT; word++) {
        if (word == PARENT_AT)
            out->parent = (pid_t)strtol(at, NULL, 10);
        if (word == RESIDENT_AT)
            out->memory_bytes = strtoull(at, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return true;
}

struct process_tree process_tree(pid_t root)
{
    struct process_tree sum = {0};
    struct seen_process *all = NULL, one;
    size_t count = 0, capacity = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) // one thread reads here
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && process_look(e->d_name, &one))
            VEC_PUSH(all, count, capacity, one);
    if (d)
        (void)closedir(d);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            bool belongs = all[i].pid == root;
            for (size_t k = 0; k < count && !belongs && !all[i].counted; k++)
                belongs = all[k].counted && all[k].pid == all[i].parent;
            if (!belongs || all[i].counted)
                continue;
            all[i].counted = more = true;
            sum.processes++;
            sum.memory_bytes += all[i].memory_bytes;
        }
    }
    free(all);
    return sum;
}
