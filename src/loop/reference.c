// The reference, in a worker process: its outputs lie in shared memory. It must return, and write all that
// it should. Where its rows may be computed apart, further processes share them: what a reference keeps
// in static variables is each one's own.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// First byte of a message.
enum message {
    MESSAGE_ERROR = 'E',
    MESSAGE_PROGRESS = 'P',
    MESSAGE_FILES = 'F', // that the reference read
    MESSAGE_RETURNED = 'C'
};

struct reference_job {
    const struct job *job;
    const struct resolved_reference *reference;
    struct host_buffers *buffers;
    const struct job_progress *progress;
    struct text *files; // of the parent: what was read
};

/* ---- in the worker ---------------------------------------------------------------------------------- */

struct crew { // what the processes that share the rows have in common
    atomic_int next, done;
    atomic_bool failed;
    struct error err; // the first one's
};

static void crew_part(const struct reference_job *r, struct crew *crew)
{
    struct error err = {0};
    for (int i; (i = atomic_fetch_add(&crew->next, 1)) < r->reference->part_count;) {
        if (!reference_run(r->job->experiment, r->job->reference, r->reference, i, r->buffers,
                           &err)) {
            if (!atomic_exchange(&crew->failed, true))
                crew->err = err;
            return;
        }
        (void)atomic_fetch_add(&crew->done, 1);
    }
}

static _Noreturn void crew_child(const struct reference_job *r, struct crew *crew, pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    crew_part(r, crew);
    _exit(0);
}

static void tell_done(const struct reference_job *r, const struct crew *crew, int fd)
{
    double share = (double)atomic_load(&crew->done) / r->reference->part_count;
    (void)worker_send_kind(fd, MESSAGE_PROGRESS, &share, sizeof share);
}

// Waits for all; a signal that ended one of them ends us, so that the parent reports it.
static void crew_wait(const struct reference_job *r, const struct crew *crew, int count, int fd)
{
    static const struct timespec nap = {.tv_nsec = 20000000};
    enum { NAPS_PER_REPORT = 10 };
    for (int naps = 0; count > 0;) {
        int status = 0;
        pid_t child = waitpid(-1, &status, WNOHANG);
        if (child > 0) {
            count--;
            if (WIFSIGNALED(status))
                (void)raise(WTERMSIG(status));
            continue;
        }
        if (child < 0 && errno != EINTR)
            return;
        (void)nanosleep(&nap, NULL);
        if (++naps % NAPS_PER_REPORT == 0)
            tell_done(r, crew, fd);
    }
}

static bool run_python(const struct reference_job *r, int fd, struct error *err)
{
    struct text files = {0};
    bool done = reference_run_python(r->job->experiment, r->job->resolved, r->reference, r->buffers,
                                     job_timeout_s(r->job->request), &files, err);
    if (done)
        (void)worker_send_kind(fd, MESSAGE_FILES, text_str(&files), files.length);
    text_release(&files);
    return done;
}

static bool run_parts(const struct reference_job *r, int fd, bool *returned, struct error *err)
{
    int parts = r->reference->part_count, count = cpu_count() < parts ? cpu_count() : parts;
    *returned = true;
    if (r->job->experiment->reference.python)
        return run_python(r, fd, err);
    if (parts == 1)
        return reference_run(r->job->experiment, r->job->reference, r->reference, 0, r->buffers,
                             err);
    struct crew *crew =
        mmap(NULL, sizeof *crew, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (crew == MAP_FAILED)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "no memory for the reference's parts");
    pid_t parent = getpid();
    int started = 0;
    for (; started < count; started++) {
        pid_t child = fork();
        if (child == 0)
            crew_child(r, crew, parent);
        if (child < 0)
            break;
    }
    if (started == 0)
        crew_part(r, crew);
    crew_wait(r, crew, started, fd);
    if (atomic_load(&crew->failed))
        *err = crew->err;
    *returned = atomic_load(&crew->done) == parts;
    return !atomic_load(&crew->failed);
}

// Ended by exit() or by a constructor, the process has a good exit status and no message.
static int reference_body(void *context, int fd)
{
    const struct reference_job *r = context;
    worker_own_crashes();
    struct error err = {0};
    bool returned = false;
    // Called with what does not fit, it might do anything.
    bool fits = !r->job->signature || launch_check_args(r->job->code, r->job->signature, &err) ||
                error_context(&err, "in variant '%s', whose arguments the reference is called with",
                              r->job->variant->spec->name);
    bool done = fits && run_parts(r, fd, &returned, &err);
    if (!done)
        return worker_send_kind(fd, MESSAGE_ERROR, &err, sizeof err) ? 0 : 1;
    return !returned || worker_send_kind(fd, MESSAGE_RETURNED, "", 0) ? 0 : 1;
}

/* ---- in the parent ---------------------------------------------------------------------------------- */

struct inbox {
    const struct job_progress *progress;
    struct text *files;
    struct error err; // the worker's; kind NONE = none
    bool returned;    // … and the reference came to its end
};

static void take_message(void *context, const char *data, size_t size_bytes)
{
    struct inbox *box = context;
    const char *body = data + 1;
    double share = 0;
    if (size_bytes == 0)
        return;
    switch ((enum message)data[0]) {
    case MESSAGE_ERROR:
        if (size_bytes == 1 + sizeof box->err)
            memcpy(&box->err, body, sizeof box->err);
        break;
    case MESSAGE_PROGRESS:
        if (size_bytes == 1 + sizeof share) {
            memcpy(&share, body, sizeof share);
            if (box->progress && box->progress->call)
                box->progress->call(box->progress->context, share);
        }
        break;
    case MESSAGE_FILES:
        if (box->files) {
            text_clear(box->files);
            text_addn(box->files, body, size_bytes - 1);
        }
        break;
    case MESSAGE_RETURNED:
        box->returned = true;
        break;
    }
}

static bool call_once(struct reference_job *reference, const volatile bool *cancel,
                      struct error *err)
{
    struct arena a = {0};
    struct inbox box = {.progress = reference->progress, .files = reference->files};
    const struct reference_spec *r = &reference->job->experiment->reference;
    struct worker_spec spec = {.body = reference_body,
                               .context = reference,
                               .timeout_s = job_timeout_s(reference->job->request),
                               .on_message = take_message,
                               .message_context = &box,
                               .cancel = cancel};
    struct worker_result w;
    const char *who = arena_printf(&a, "the reference '%s' (%s)", r->function, r->source);
    bool done = worker_run(&spec, &w, err);
    if (done && w.end == WORKER_CANCELLED)
        done = fail_cancelled(err);
    else if (done && box.err.kind != ERROR_NONE) {
        *err = box.err; // the worker's, as it was
        done = false;
    } else if (done && w.end != WORKER_DONE) {
        done = fail(err, NOWHERE, "%s", worker_describe_end(&a, who, &w, spec.timeout_s));
        if (w.end == WORKER_CRASHED)
            error_context(
                err,
                "it gets the arguments of variant '%s', where 'reference' names none of its "
                "own: check that its parameters are these, in this order, and that it stays "
                "inside its outputs",
                reference->job->variant->spec->name);
    } else if (done && !box.returned)
        done = fail(err, NOWHERE,
                    "%s ended its process before it returned (exit status %d): a reference must "
                    "not call exit()",
                    who, w.exit_status);
    arena_release(&a);
    return done;
}

static bool fail_unwritten(const struct job *job, int buffer, struct unwritten u, struct error *err)
{
    const struct reference_spec *r = &job->experiment->reference;
    const struct resolved_buffer *b = &job->resolved->buffers[buffer];
    return fail(err, job->experiment->buffers[buffer].at,
                "the reference '%s' leaves %llu of %llu elements of the output '%s' unwritten, "
                "first %s[%llu]: write them in %s, or declare 'written: some' for this buffer",
                r->function, (unsigned long long)u.count, (unsigned long long)b->count, b->name,
                b->name, (unsigned long long)u.first, r->source);
}

// A second call with another poison separates what was written from what only looks like the first one.
static bool check_poison(struct reference_job *reference, const struct host_buffers *wanted,
                         const volatile bool *cancel, struct error *err)
{
    const struct job *job = reference->job;
    const struct resolved_case *c = job->resolved;
    bool again = false;
    for (int i = 0; i < c->buffer_count; i++) {
        const struct buffer_spec *b = &job->experiment->buffers[i];
        again = again || (b->output && b->fill == FILL_NONE && !b->written_some &&
                          output_unwritten(&c->buffers[i], wanted->data[i], NULL).count > 0);
    }
    if (!again)
        return true;
    struct host_buffers second;
    if (!outputs_share(c, job->inputs, &second, err))
        return false;
    for (int i = 0; i < c->buffer_count; i++)
        if (c->buffers[i].output && job->experiment->buffers[i].fill == FILL_NONE)
            output_poison(&c->buffers[i], second.data[i], POISON_SECOND);
    reference->buffers = &second;
    bool done = call_once(reference, cancel, err);
    for (int i = 0; i < c->buffer_count && done; i++) {
        const struct buffer_spec *b = &job->experiment->buffers[i];
        if (!b->output || b->fill != FILL_NONE || b->written_some)
            continue;
        struct unwritten u = output_unwritten(&c->buffers[i], wanted->data[i], second.data[i]);
        done = u.count == 0 || fail_unwritten(job, i, u, err);
    }
    outputs_unshare(c, job->inputs, &second);
    return done;
}

static bool fail_unchanged(const struct job *job, const struct buffer_spec *b, struct error *err)
{
    const struct reference_spec *r = &job->experiment->reference;
    struct arena a = {0};
    const char *remedy =
        r->kind == REFERENCE_VARIANT
            ? "fill it, or what the kernel computes it of, with other data"
            : arena_printf(&a, "write it in %s, or fill it with other data", r->source);
    (void)!fail(err, b->at,
                "the reference '%s' leaves the output '%s' as it was before: a kernel that does "
                "nothing would be called right; %s",
                r->function, b->name, remedy);
    arena_release(&a);
    return false;
}

// A kernel that does nothing must not be right: something has to differ from before the call.
static bool check_changed(const struct job *job, const struct host_buffers *wanted,
                          struct error *err)
{
    const struct resolved_case *c = job->resolved;
    const struct reference_spec *r = &job->experiment->reference;
    bool any = false;
    for (int i = 0; i < c->buffer_count; i++) {
        const struct buffer_spec *b = &job->experiment->buffers[i];
        if (!b->output)
            continue;
        bool changed = memcmp(wanted->data[i], job->inputs->data[i], c->buffers[i].size_bytes) != 0;
        any = any || changed;
        if (!changed && !b->written_some)
            return fail_unchanged(job, b, err);
    }
    return any || fail(err, r->at,
                       "the reference '%s' (%s) writes nothing to any output: a kernel that does "
                       "nothing would be called right; choose data with something to write",
                       r->function, r->source);
}

bool reference_job_run(const struct job *job, const struct resolved_reference *resolved,
                       struct host_buffers *wanted, const struct job_progress *progress,
                       const volatile bool *cancel, struct error *err)
{
    struct text files = {0};
    struct reference_job reference = {job, resolved, wanted, progress, &files};
    struct arena a = {0};
    static const double ns_per_s = 1e9;
    struct reference_cache cache = {.arena = &a, .job = job, .resolved = resolved};
    bool done = reference_cached(&cache, wanted);
    if (!done) {
        uint64_t start = clock_ns();
        done = call_once(&reference, cancel, err) &&
               check_poison(&reference, wanted, cancel, err) && check_changed(job, wanted, err);
        if (done)
            reference_keep(&cache, wanted, text_str(&files),
                           (double)(clock_ns() - start) / ns_per_s);
    }
    text_release(&files);
    arena_release(&a);
    return done;
}

/* ---- a variant as the reference ------------------------------------------------------------------- */

struct variant_job {
    const struct job *job;
    struct host_buffers *wanted;
};

static bool capture(struct bench *b, struct host_buffers *wanted, struct error *err)
{
    struct result r = {.status = RESULT_OK};
    if (!bench_open(b, err) || !bench_open_libraries(b, &r, err))
        return false;
    if (r.status == RESULT_SKIPPED)
        return fail(err, NOWHERE, "%s", r.error);
    return bench_load(b, err) && bench_write(b, err) && bench_run_uncounted(b, err) &&
           bench_read_outputs(b, wanted, err);
}

static int variant_body(void *context, int fd)
{
    const struct variant_job *v = context;
    struct arena a = {0};
    struct error err = {0};
    struct bench b = {.job = v->job, .arena = &a, .fd = fd};
    worker_own_crashes();
    bool done = capture(&b, v->wanted, &err);
    bool sent = done ? worker_send_kind(fd, MESSAGE_RETURNED, "", 0)
                     : worker_send_kind(fd, MESSAGE_ERROR, &err, sizeof err);
    return sent ? 0 : 1;
}

static bool check_written(const struct job *job, const struct host_buffers *wanted,
                          struct error *err)
{
    for (int i = 0; i < job->resolved->buffer_count; i++) {
        const struct buffer_spec *b = &job->experiment->buffers[i];
        if (!b->output || b->fill != FILL_NONE || b->written_some)
            continue;
        struct unwritten u = output_unwritten(&job->resolved->buffers[i], wanted->data[i], NULL);
        if (u.count == job->resolved->buffers[i].count) // what is like the poison by chance is few
            return fail_unwritten(job, i, u, err);
    }
    return check_changed(job, wanted, err);
}

bool reference_variant_run(const struct job *job, struct host_buffers *wanted,
                           const volatile bool *cancel, struct error *err)
{
    struct variant_job v = {job, wanted};
    struct arena a = {0};
    struct inbox box = {.returned = false};
    struct worker_spec spec = {.body = variant_body,
                               .context = &v,
                               .timeout_s = job_timeout_s(job->request),
                               .on_message = take_message,
                               .message_context = &box,
                               .cancel = cancel};
    struct worker_result w;
    const char *who =
        arena_printf(&a, "the variant '%s', which is the reference,", job->variant->spec->name);
    bool done = worker_run(&spec, &w, err);
    if (done && w.end == WORKER_CANCELLED)
        done = fail_cancelled(err);
    else if (done && box.err.kind != ERROR_NONE) {
        *err = box.err;
        done =
            error_context(err, "in variant '%s', which is the reference", job->variant->spec->name);
    } else if (done && !box.returned)
        done = fail(err, NOWHERE, "%s", worker_describe_end(&a, who, &w, spec.timeout_s));
    arena_release(&a);
    return done && check_written(job, wanted, err);
}
