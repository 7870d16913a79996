// AMD's traces in JSON as a timeline: rocprofv3's own results (`--output-format json`), and by chrome_timeline.c those in
// Chrome's trace format. Written from the schema and the sources that rocprofiler-sdk publishes; not tried with a file of
// a real GPU.
// SPDX-License-Identifier: Apache-2.0
#include "import/trace.h"

#include <string.h>

static const char sdk_key[] = "rocprofiler-sdk-tool", chrome_key[] = "traceEvents";
static const size_t max_bytes = (size_t)1 << 30;

struct agent {
    bool gpu;
    uint64_t number;
};
struct results { // of one process
    struct trace *trace;
    const json_t *root, *buffers, *names; // names: of kinds and their operations
    struct arena *arena;
    struct table agents, symbols, messages; // by their ids
    uint64_t process;
};

static const char *string_of(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static const char *key_of(struct arena *a, uint64_t id)
{
    return arena_printf(a, "%llu", (unsigned long long)id);
}

static uint64_t handle_of(const json_t *object, const char *key)
{
    return trace_whole_or_0(json_object_get(object, key), "handle");
}

/* ---- what records refer to --------------------------------------------------------------------------- */

// Older files do not number the GPUs: their order does.
static void agents_read(struct results *r)
{
    enum { TYPE_GPU = 2 }; // rocprofiler_agent_type_t
    const json_t *agents = json_object_get(r->root, "agents");
    uint64_t gpus = 0;
    for (size_t i = 0; i < json_array_size(agents); i++) {
        const json_t *from = json_array_get(agents, i);
        struct agent *a = ARENA_NEW(r->arena, struct agent);
        a->gpu = trace_whole_or_0(from, "type") == TYPE_GPU;
        if (!trace_whole(json_object_get(from, "logical_node_type_id"), &a->number))
            a->number = gpus;
        gpus += a->gpu;
        table_set(&r->agents, key_of(r->arena, handle_of(from, "id")), a);
        const char *name = string_of(from, "product_name");
        if (!*name)
            name = string_of(from, "name");
        if (a->gpu && *name) {
            struct timeline *t = r->trace->timeline;
            int device = timeline_device(t, a->number);
            if (!t->devices.items[device].name)
                t->devices.items[device].name = text_valid(t->arena, name);
        }
    }
}

static void symbols_read(struct results *r)
{
    const json_t *symbols = json_object_get(r->root, "kernel_symbols");
    const json_t *messages = json_object_get(json_object_get(r->root, "strings"), "marker_api");
    for (size_t i = 0; i < json_array_size(symbols); i++) {
        json_t *s = json_array_get(symbols, i);
        table_set(&r->symbols, key_of(r->arena, trace_whole_or_0(s, "kernel_id")), s);
    }
    for (size_t i = 0; i < json_array_size(messages); i++) {
        json_t *m = json_array_get(messages, i);
        table_set(&r->messages, key_of(r->arena, trace_whole_or_0(m, "key")),
                  json_object_get(m, "value"));
    }
}

static const struct agent *agent_of(const struct results *r, const json_t *object, const char *key)
{
    return table_get(&r->agents, key_of(r->arena, handle_of(object, key)));
}

// "" where the file does not name it.
static const char *operation_of(const struct results *r, const json_t *record)
{
    const json_t *kind = json_array_get(r->names, trace_whole_or_0(record, "kind"));
    const char *name = json_string_value(
        json_array_get(json_object_get(kind, "operations"), trace_whole_or_0(record, "operation")));
    return name ? name : "";
}

/* ---- records ------------------------------------------------------------------------------------------- */

static void extents_read(const json_t *dim3, uint64_t out[3])
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++)
        out[i] = trace_whole_or_0(dim3, axes[i]);
}

static void kernel_of(const struct results *r, const json_t *record, struct trace_event *e)
{
    static const char *const names[] = {"formatted_kernel_name", "demangled_kernel_name",
                                        "kernel_name"};
    const json_t *info = json_object_get(record, "dispatch_info");
    uint64_t id = trace_whole_or_0(info, "kernel_id");
    const json_t *symbol = table_get(&r->symbols, key_of(r->arena, id));
    const struct agent *agent = agent_of(r, info, "agent_id");
    e->kind = TRACE_KERNEL;
    for (size_t i = 0; i < COUNT_OF(names) && !*e->name; i++)
        e->name = string_of(symbol, names[i]);
    if (!*e->name)
        e->name = arena_printf(r->arena, "kernel %llu", (unsigned long long)id);
    e->device = agent ? agent->number : 0;
    if (e->stream == 0)
        e->stream = handle_of(info, "queue_id");
    extents_read(json_object_get(info, "grid_size"), e->items);
    extents_read(json_object_get(info, "workgroup_size"), e->group);
    e->registers = trace_whole_or_0(symbol, "arch_vgpr_count");
    e->shared_bytes = trace_whole_or_0(info, "group_segment_size");
}

static void copy_of(const struct results *r, const json_t *record, struct trace_event *e)
{
    const struct agent *from = agent_of(r, record, "src_agent_id"),
                       *to = agent_of(r, record, "dst_agent_id");
    bool down = from && from->gpu, up = to && to->gpu;
    e->kind = TRACE_COPY;
    e->name = !from || !to ? operation_of(r, record)
              : down       ? up ? "device to device" : "device to host"
              : up         ? "host to device"
                           : "host to host";
    e->device = up ? to->number : 0;
    e->source = down ? from->number : e->device;
    if (!trace_whole(json_object_get(record, "bytes"), &e->bytes))
        e->bytes = BYTES_UNKNOWN;
}

// roctx: a range's record lasts from its beginning to its end; marks and names of threads are none.
static void range_of(const struct results *r, const json_t *record, struct trace_event *e)
{
    const char *operation = operation_of(r, record);
    const json_t *message = table_get(&r->messages, key_of(r->arena, e->correlation));
    if (*operation &&
        (!strstr(operation, "Range") || strstr(operation, "Pop") || strstr(operation, "Stop")))
        return;
    e->kind = TRACE_RANGE;
    e->name = json_is_string(message) ? json_string_value(message) : operation;
    if (strstr(operation, "ProcessRange") || strstr(operation, "RangeStart"))
        e->thread = 0;
}

static bool record_read(struct results *r, const json_t *record, const char *list, size_t index,
                        void (*fill)(const struct results *r, const json_t *record,
                                     struct trace_event *e),
                        struct error *err)
{
    struct trace_event e = {
        .kind = fill ? TRACE_OTHER : TRACE_CALL,
        .name = "",
        .process = r->process,
        .thread = trace_whole_or_0(record, "thread_id"),
        .stream = handle_of(record, "stream_id"),
        .correlation = trace_whole_or_0(json_object_get(record, "correlation_id"), "internal")};
    if (!trace_whole(json_object_get(record, "start_timestamp"), &e.start_ns) ||
        !trace_whole(json_object_get(record, "end_timestamp"), &e.end_ns))
        return fail(
            err, (struct location){.file = r->trace->file},
            "%s[%zu]: start_timestamp and end_timestamp are not both whole numbers of ns of "
            "64 bits, so the file is broken: write it again with `rocprofv3 "
            "--output-format json`",
            list, index);
    if (fill)
        fill(r, record, &e);
    return trace_add(r->trace, &e, list, index, err);
}

static bool records_read(struct results *r, struct error *err)
{
    static const struct {
        const char *list;
        void (*fill)(const struct results *r, const json_t *record, struct trace_event *e);
    } lists[] = {{"kernel_dispatch", kernel_of},
                 {"memory_copy", copy_of},
                 {"hip_api", NULL},
                 {"marker_api", range_of}};
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        const json_t *list = json_object_get(r->buffers, lists[i].list);
        if (list && !json_is_array(list))
            return fail(err, (struct location){.file = r->trace->file},
                        "buffer_records.%s is no array, so this is not JSON of rocprofv3: write it "
                        "again with `rocprofv3 --output-format json`",
                        lists[i].list);
        for (size_t k = 0; k < json_array_size(list); k++)
            if (!record_read(r, json_array_get(list, k), lists[i].list, k, lists[i].fill, err))
                return false;
    }
    return true;
}

static void command_read(struct results *r)
{
    const json_t *metadata = json_object_get(r->root, "metadata");
    const json_t *words = json_object_get(metadata, "command");
    struct text command = {0};
    r->process = trace_whole_or_0(metadata, "pid");
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (word)
            text_printf(&command, "%s%s", command.length > 0 ? " " : "", word);
    }
    if (command.length > 0) {
        struct timeline *t = r->trace->timeline;
        int process = timeline_process(t, r->process);
        t->processes.items[process].command = text_valid(t->arena, text_str(&command));
    }
    text_release(&command);
}

static bool process_read(struct trace *t, const json_t *root, struct error *err)
{
    struct arena scratch = {0};
    struct results r = {.trace = t,
                        .root = root,
                        .buffers = json_object_get(root, "buffer_records"),
                        .names =
                            json_object_get(json_object_get(root, "strings"), "buffer_records"),
                        .arena = &scratch};
    bool done = json_is_object(r.buffers) ||
                fail(err, (struct location){.file = t->file},
                     "buffer_records is missing in %s: write the file again with `rocprofv3 "
                     "--output-format json`",
                     sdk_key);
    if (done) {
        command_read(&r);
        agents_read(&r);
        symbols_read(&r);
        done = records_read(&r, err);
    }
    table_release(&r.agents);
    table_release(&r.symbols);
    table_release(&r.messages);
    arena_release(&scratch);
    return done;
}

static bool sdk_read(struct trace *t, const json_t *tool, struct error *err)
{
    if (json_is_object(tool))
        return process_read(t, tool, err);
    if (!json_is_array(tool))
        return fail(err, (struct location){.file = t->file},
                    "%s is no array, so this is not JSON of rocprofv3: write it again with "
                    "`rocprofv3 --output-format json`",
                    sdk_key);
    for (size_t i = 0; i < json_array_size(tool); i++)
        if (!process_read(t, json_array_get(tool, i), err))
            return false;
    return true;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

bool trace_json_detect(const struct source *s)
{
    size_t at = 0;
    while (at < s->size_bytes && s->data[at] && strchr(" \t\r\n", s->data[at]))
        at++;
    return at < s->size_bytes && s->data[at] == '{' &&
           (memmem(s->data, s->size_bytes, sdk_key, sizeof sdk_key - 1) ||
            memmem(s->data, s->size_bytes, chrome_key, sizeof chrome_key - 1));
}

// Handles are unsigned and may be beyond what the parser takes as a number: whole numbers of 19 digits and more become text.
static void numbers_quote(struct text *out, const char *data, size_t size)
{
    enum { LONG_DIGITS = 19 };
    bool quoted = false;
    for (size_t i = 0; i < size;) {
        size_t n = 0;
        char before = i > 0 ? data[i - 1] : ' ';
        while (!quoted && i + n < size && data[i + n] >= '0' && data[i + n] <= '9')
            n++;
        char after = i + n < size ? data[i + n] : ' ';
        if (n >= LONG_DIGITS && !strchr(".-+eE", before) && !strchr(".eE", after)) {
            text_add(out, "\"");
            text_addn(out, data + i, n);
            text_add(out, "\"");
        } else if (n > 0) {
            text_addn(out, data + i, n);
        } else if (quoted && data[i] == '\\' && i + 1 < size) {
            text_addn(out, data + i, n = 2);
        } else {
            quoted ^= data[i] == '"';
            text_addn(out, data + i, n = 1);
        }
        i += n;
    }
}

static json_t *parse(const struct source *s, json_error_t *why)
{
    json_t *root = json_loadb(s->data, s->size_bytes, 0, why);
    if (root || json_error_code(why) != json_error_numeric_overflow)
        return root;
    struct text quoted = {0};
    numbers_quote(&quoted, s->data, s->size_bytes);
    root = json_loadb(text_str(&quoted), quoted.length, 0, why);
    text_release(&quoted);
    return root;
}

bool trace_json_read(struct timeline *timeline, const struct source *s, struct error *err)
{
    json_error_t why;
    struct trace t;
    if (s->size_bytes > max_bytes)
        return fail(err, (struct location){.file = s->file},
                    "larger than 1 GiB: a trace of that length is read as a database (`rocprofv3 "
                    "--output-format rocpd`)");
    json_t *root = parse(s, &why);
    if (!root)
        return fail(err, (struct location){.file = s->file, .line = why.line, .column = why.column},
                    "not JSON: %s: if the program was killed while it wrote, trace it again",
                    why.text);
    trace_open(&t, timeline, s->file);
    const json_t *tool = json_object_get(root, sdk_key);
    bool done =
        tool ? sdk_read(&t, tool, err) : chrome_read(&t, json_object_get(root, chrome_key), err);
    done = trace_close(&t, done,
                       tool ? "rocprofv3 --sys-trace --output-format json"
                            : "rocprof --hip-trace --roctx-trace",
                       err);
    json_decref(root);
    return done;
}
