// A reference in Python: python3 runs assets/reference.py in a process of its own, which calls the function. The
// buffers are files in memory that the process inherits; what it wrote to outputs is copied back. That the
// function returned is known only from the answer that the script leaves.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char script_name[] = "reference.py";
static const char install[] = "apt install python3-numpy, or write the reference in C";

// Python's own environment first (a virtual one, say), then the system's.
static const char *const interpreters[] = {"python3", "/usr/bin/python3"};
enum { NO_NUMPY = 3 }; // exit status of the script

static const char *find_interpreter(struct arena *a, size_t index)
{
    const char *name = interpreters[index];
    return *name != '/' ? program_find(a, name) : file_exists(name) ? name : NULL;
}

static const char *chosen; // of this process and its children, once looked for

// Runs the script on the file; *said gets its words.
static bool ask(struct arena *a, const char *python, const char *source, double timeout_s,
                int *status, const char **said, struct error *err)
{
    const char *script = data_path(a, script_name, err);
    const char *const argv[] = {python, "-B", script, "--look", source, NULL};
    struct process_spec spec = {.argv = argv, .timeout_s = timeout_s};
    struct process_result result = {0};
    if (script == NULL || !process_run(&spec, &result, err)) {
        return false;
    }
    *status = result.exit_status;
    *said = arena_strdup(a, text_str(&result.out));
    bool answered = result.exit_status == 0 || result.exit_status == NO_NUMPY;
    if (!answered) {
        (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "%s %s: %.300s", python,
                      result.timed_out ? "did not answer in time (--timeout gives it more)"
                                       : "fails",
                      text_str(&result.err_text));
    }
    process_result_release(&result);
    return answered;
}

bool python_look(struct arena *a, const struct experiment *e, double timeout_s, struct error *err)
{
    const char *source = e->reference.source, *said = "";
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(interpreters); i++) {
        const char *python = find_interpreter(a, i);
        int status = 0;
        if (python == NULL) {
            continue;
        }
        any = true;
        if (!ask(a, python, source, timeout_s, &status, &said, err)) {
            return error_context(err, "asking %s about the reference '%s'", python, source);
        }
        if (status == NO_NUMPY) {
            continue;
        }
        chosen = python;
        if (*said == '\0') {
            return true;
        }
        char *words = NULL;
        long line = strtol(said, &words, 10);
        words += strspn(words, " ");
        return fail(err, (struct location){.file = source, .line = (int)line},
                    "the reference is no Python that %s can read: %.*s", python,
                    (int)strcspn(words, "\n"), words);
    }
    return fail_as(err, ERROR_SYSTEM, e->reference.at,
                   any ? "the reference is written in Python, and the python3 here has no NumPy: %s"
                       : "the reference is written in Python, and there is no python3 here: %s",
                   install);
}

void reference_python_identity(struct arena *a, struct text *out)
{
    struct stat st;
    const char *path = chosen != NULL ? chosen : find_interpreter(a, 0);
    if (path != NULL && stat(path, &st) == 0) {
        text_printf(out, "%s %lld %lld", path, (long long)st.st_size, (long long)st.st_mtim.tv_sec);
    }
}

/* ---- the call ---------------------------------------------------------------------------------- */

struct call {
    const struct experiment *e;
    const struct host_buffers *buffers;
    const struct resolved_case *c;
    int *fds; // of buffers; -1 = not given
};

// A file in memory that the child inherits and cannot cut short.
static int open_memory(const void *data, uint64_t size_bytes)
{
    int fd = memfd_create("ridge-buffer", MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, (off_t)size_bytes) != 0) {
        return fd < 0 ? fd : (close(fd), -1);
    }
    void *map =
        size_bytes > 0 ? mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : NULL;
    if (map == MAP_FAILED || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
        (void)close(fd);
        return -1;
    }
    if (map != NULL) {
        memcpy(map, data, size_bytes);
        (void)munmap(map, size_bytes);
    }
    return fd;
}

static bool take_back(int fd, void *data, uint64_t size_bytes)
{
    void *map = size_bytes > 0 ? mmap(NULL, size_bytes, PROT_READ, MAP_SHARED, fd, 0) : NULL;
    if (map == MAP_FAILED) {
        return false;
    }
    if (map != NULL) {
        memcpy(data, map, size_bytes);
        (void)munmap(map, size_bytes);
    }
    return true;
}

static json_t *scalar_json(const struct resolved_argument *x)
{
    int64_t whole = 0;
    bool small = element_bytes(x->type) < sizeof whole;
    double value = element_load(x->type, x->value);
    if (x->type == ELEMENT_I64 || x->type == ELEMENT_U64) {
        memcpy(&whole, x->value, sizeof whole);
        return json_integer(whole);
    }
    if (element_is_float(x->type) || !small) { // infinities have no JSON
        char text[64];
        (void)snprintf(text, sizeof text, "%.17g", value);
        return json_string(text);
    }
    return json_integer((json_int_t)value);
}

static json_t *argument_json(const struct call *call, const struct resolved_argument *x)
{
    if (x->kind == ARGUMENT_STRUCT) {
        json_t *fields = json_array();
        for (int i = 0; i < x->fields->count; i++) {
            json_array_append_new(fields, argument_json(call, &x->fields->items[i]));
        }
        return json_pack("{s:o}", "fields", fields);
    }
    if (x->kind == ARGUMENT_SCALAR) {
        return json_pack("{s:o}", "value", scalar_json(x));
    }
    const struct resolved_buffer *b = &call->c->buffers[x->buffer];
    if (call->fds[x->buffer] < 0) {
        call->fds[x->buffer] = open_memory(call->buffers->data[x->buffer], b->size_bytes);
    }
    return json_pack("{s:s, s:i, s:s, s:I, s:b}", "name", b->name, "fd", call->fds[x->buffer],
                     "type", element_name(b->type), "count", (json_int_t)b->count, "output",
                     b->output);
}

static const char *call_text(struct arena *a, const struct call *call,
                             const struct resolved_reference *r, int answer)
{
    json_t *args = json_array();
    for (int i = 0; i < r->arg_count; i++) {
        json_array_append_new(args, argument_json(call, &r->whole.args[i]));
    }
    json_t *job = json_pack("{s:s, s:s, s:i, s:o}", "file", call->e->reference.source, "function",
                            call->e->reference.function, "answer", answer, "args", args);
    char *text = json_dumps(job, JSON_COMPACT);
    const char *copy = text != NULL ? arena_strdup(a, text) : NULL;
    free(text);
    json_decref(job);
    return copy;
}

static json_t *read_answer(int fd)
{
    enum { ANSWER_BYTES_MAX = 16 << 20 };
    struct stat st;
    json_t *answer = NULL;
    if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size < ANSWER_BYTES_MAX) {
        char *text = xcalloc((size_t)st.st_size + 1, 1);
        if (pread(fd, text, (size_t)st.st_size, 0) == st.st_size) {
            answer = json_loads(text, 0, NULL);
        }
        free(text);
    }
    return answer;
}

// What it printed last, indented; "" if nothing.
static const char *last_words(struct arena *a, const struct process_result *result)
{
    enum { WORDS_MAX = 400 };
    const char *text = text_str(&result->err_text);
    size_t length = result->err_text.length;
    while (length > 0 && text[length - 1] == '\n') {
        length--;
    }
    size_t from = length > WORDS_MAX ? length - WORDS_MAX : 0;
    return length > 0 ? arena_printf(a, ":\n%.*s", (int)(length - from), text + from) : "";
}

static bool judge(struct arena *a, const struct call *call, const struct process_result *result,
                  const json_t *answer, struct text *files, struct error *err)
{
    const struct reference_spec *r = &call->e->reference;
    const char *wrong = json_string_value(json_object_get(answer, "error"));
    const char *file = json_string_value(json_object_get(answer, "file"));
    const json_t *list = json_object_get(answer, "files"), *item = NULL;
    size_t i = 0;
    if (wrong != NULL) {
        int line = (int)json_integer_value(json_object_get(answer, "line"));
        return fail(err, (struct location){.file = file != NULL ? file : r->source, .line = line},
                    "the reference '%s': %s", r->function, wrong);
    }
    if (result->exit_status < 0) {
        return fail(err, (struct location){.file = r->source},
                    "python3 was ended in the reference '%s' by signal %d (%s)%s", r->function,
                    result->signal, sigdescr_np(result->signal), last_words(a, result));
    }
    if (!json_is_true(json_object_get(answer, "returned"))) {
        return fail(err, (struct location){.file = r->source},
                    "the reference '%s' ended its process before it returned (exit status %d)%s",
                    r->function, result->exit_status, last_words(a, result));
    }
    json_array_foreach(list, i, item)
    {
        text_printf(files, "%s\n", json_string_value(item));
    }
    return true;
}

static bool run(struct arena *a, const struct call *call, const struct resolved_reference *r,
                double timeout_s, struct text *files, struct error *err)
{
    int fd = memfd_create("ridge-answer", 0);
    const char *text = fd >= 0 ? call_text(a, call, r, fd) : NULL;
    const char *script = data_path(a, script_name, err);
    const char *python = chosen != NULL ? chosen : find_interpreter(a, 0);
    if (script == NULL) {
        return false;
    }
    if (text == NULL || python == NULL) {
        return fail_as(err, ERROR_SYSTEM, call->e->reference.at,
                       "python3 cannot be given the call of the reference '%s'",
                       call->e->reference.function);
    }
    const char *const argv[] = {python, "-B", script, NULL};
    struct process_spec spec = {.argv = argv,
                                .input = text,
                                .input_bytes = strlen(text),
                                .timeout_s = timeout_s,
                                .directory = call->e->directory};
    struct process_result result = {0};
    bool done = process_run(&spec, &result, err);
    if (done) {
        json_t *answer = read_answer(fd);
        done = judge(a, call, &result, answer, files, err);
        json_decref(answer);
        process_result_release(&result);
    }
    (void)close(fd);
    return done;
}

bool reference_run_python(const struct experiment *e, const struct resolved_case *c,
                          const struct resolved_reference *r, struct host_buffers *buffers,
                          double timeout_s, struct text *files, struct error *err)
{
    struct arena a = {0};
    struct call call = {e, buffers, c, ARENA_ARRAY(&a, int, c->buffer_count + 1)};
    for (int i = 0; i < c->buffer_count; i++) {
        call.fds[i] = -1;
    }
    bool done = run(&a, &call, r, timeout_s, files, err);
    for (int i = 0; i < c->buffer_count; i++) {
        if (call.fds[i] < 0) {
            continue;
        }
        if (done && c->buffers[i].output &&
            !take_back(call.fds[i], buffers->data[i], c->buffers[i].size_bytes)) {
            done = fail_as(err, ERROR_SYSTEM, NOWHERE, "no memory for %llu bytes of '%s'",
                           (unsigned long long)c->buffers[i].size_bytes, c->buffers[i].name);
        }
        (void)close(call.fds[i]);
    }
    arena_release(&a);
    return done;
}
