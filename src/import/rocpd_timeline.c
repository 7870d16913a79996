// rocprofv3's databases (rocpd, SQLite) as a timeline: kernels and copies of AMD's GPUs. Its tables end in the process's
// number of that run; a file may hold several. Written from the schemas 3 and 4 that rocprofiler-sdk publishes; not tried
// with a file of a real GPU.
// SPDX-License-Identifier: Apache-2.0
#include "import/nsys.h"

#include <stdlib.h>
#include <string.h>

static const char dispatches[] = "rocpd_kernel_dispatch";

struct reading {
    struct timeline *timeline;
    struct {
        const char **items;
        size_t count, capacity;
    } suffixes;
};

// Columns: start, end, GPU, stream, process, its command, the GPU's name.
static struct work head_of(const struct reading *r, sqlite3_stmt *s)
{
    enum { DEVICE = 2, STREAM = 3, PROCESS = 4, COMMAND = 5, GPU_NAME = 6 };
    struct timeline *t = r->timeline;
    const char *command = (const char *)sqlite3_column_text(s, COMMAND);
    const char *gpu = (const char *)sqlite3_column_text(s, GPU_NAME);
    struct work w = {.start_ns = sqlite_at_least_0(s, 0),
                     .end_ns = sqlite_at_least_0(s, 1),
                     .stream = sqlite_at_least_0(s, STREAM)};
    w.process = timeline_process(t, sqlite_at_least_0(s, PROCESS));
    w.device = timeline_device(t, sqlite_at_least_0(s, DEVICE));
    if (command && *command)
        t->processes.items[w.process].command = text_valid(t->arena, command);
    if (gpu && !t->devices.items[w.device].name)
        t->devices.items[w.device].name = text_valid(t->arena, gpu);
    return w;
}

// … then name, grid in work-items, work-group, registers, bytes of LDS, and of the call that launched it start and thread.
static void take_kernel(void *context, sqlite3_stmt *s)
{
    enum { NAME = 7, GRID = 8, BLOCK = 11, REGISTERS = 14, LDS = 15, CALL = 16, THREAD = 17 };
    struct reading *r = context;
    struct work w = head_of(r, s);
    const char *name = (const char *)sqlite3_column_text(s, NAME);
    for (int i = 0; i < 3; i++) {
        w.block[i] = sqlite_whole(s, BLOCK + i);
        w.grid[i] = w.block[i] > 0 ? sqlite_whole(s, GRID + i) / w.block[i] : 0;
    }
    w.registers = sqlite_whole(s, REGISTERS);
    w.shared_bytes = sqlite_whole(s, LDS);
    w.call_ns = sqlite_at_least_0(s, CALL);
    w.thread = sqlite_at_least_0(s, THREAD);
    w.name = timeline_name(r->timeline, text_valid(r->timeline->arena, name ? name : "kernel"));
    timeline_add(r->timeline, w);
}

// … then bytes, and whether it came from and went to a GPU.
static void take_copy(void *context, sqlite3_stmt *s)
{
    enum { BYTES = 7, FROM = 8, TO = 9 };
    enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 8, HOST_TO_HOST = 9 };
    struct reading *r = context;
    struct work w = head_of(r, s);
    bool from = sqlite3_column_int(s, FROM), to = sqlite3_column_int(s, TO);
    w.kind = WORK_COPY;
    w.bytes = sqlite_at_least_0(s, BYTES);
    w.name = timeline_name(r->timeline, timeline_direction(from && to ? DEVICE_TO_DEVICE
                                                           : from     ? DEVICE_TO_HOST
                                                           : to       ? HOST_TO_DEVICE
                                                                      : HOST_TO_HOST));
    timeline_add(r->timeline, w);
}

static void take_suffix(void *context, sqlite3_stmt *s)
{
    struct reading *r = context;
    const char *name = (const char *)sqlite3_column_text(s, 0);
    if (name && !strchr(name, '"'))
        VEC_PUSH(r->suffixes.items, r->suffixes.count, r->suffixes.capacity,
                 arena_strdup(r->timeline->arena, name + sizeof dispatches - 1));
}

static bool find_suffixes(struct reading *r, sqlite3 *db, const char *file, struct error *err)
{
    return nsys_rows(r, db, file,
                     "SELECT name FROM sqlite_schema WHERE type = 'table' AND"
                     " name GLOB 'rocpd_kernel_dispatch*' ORDER BY name",
                     take_suffix, err);
}

// A table's rows with start, end, process, thread, GPU and stream beside its other columns: schema 3 has them in the table,
// schema 4 in those of timestamps and tracks.
static const char *rows_of(struct arena *a, sqlite3 *db, const char *table, const char *x)
{
    const char *name = arena_printf(a, "%s%s", table, x);
    if (nsys_column(db, name, "start"))
        return arena_printf(a, "\"%s\"", name);
    if (!nsys_column(db, name, "start_id"))
        return NULL;
    return arena_printf(a,
                        "(SELECT o.*, b.value AS start, e.value AS end, t.pid AS pid, t.tid AS tid,"
                        " t.agent_id AS agent_id, t.stream_id AS stream_id FROM \"%s\" o"
                        " JOIN \"rocpd_timestamp%s\" b ON b.id = o.start_id"
                        " JOIN \"rocpd_timestamp%s\" e ON e.id = o.end_id"
                        " LEFT JOIN \"rocpd_track%s\" t ON t.id = o.track_id)",
                        name, x, x, x);
}

static bool has_regions(sqlite3 *db, struct arena *a, const char *x)
{
    return rows_of(a, db, "rocpd_region", x) &&
           nsys_column(db, arena_printf(a, "rocpd_region%s", x), "event_id") &&
           nsys_column(db, arena_printf(a, "rocpd_event%s", x), "stack_id") &&
           nsys_column(db, arena_printf(a, "rocpd_string%s", x), "string") &&
           nsys_column(db, arena_printf(a, "rocpd_info_thread%s", x), "tid") &&
           nsys_column(db, arena_printf(a, "%s%s", dispatches, x), "event_id");
}

static bool kernels_read(struct reading *r, sqlite3 *db, const char *file, const char *x,
                         const char *rows, struct error *err)
{
    struct arena *a = r->timeline->arena;
    const char *call = "0, 0", *joined = "";
    if (has_regions(db, a, x)) { // of the call that launched it: the region of the same correlation
        call = "c.start, h.tid";
        joined = arena_printf(a,
                              " LEFT JOIN \"rocpd_event%s\" v ON v.id = k.event_id"
                              " LEFT JOIN %s c ON c.id = v.stack_id AND EXISTS (SELECT 1 FROM"
                              " \"rocpd_event%s\" w WHERE w.id = c.event_id AND"
                              " w.stack_id = v.stack_id)"
                              " LEFT JOIN \"rocpd_info_thread%s\" h ON h.id = c.tid",
                              x, rows_of(a, db, "rocpd_region", x), x, x);
    }
    return nsys_rows(
        r, db, file,
        arena_printf(
            a,
            "SELECT k.start, k.end, a.type_index, k.stream_id, p.pid, p.command, a.product_name,"
            " coalesce(s.display_name, s.kernel_name), k.grid_size_x, k.grid_size_y, k.grid_size_z,"
            " k.workgroup_size_x, k.workgroup_size_y, k.workgroup_size_z, s.arch_vgpr_count,"
            " k.group_segment_size, %s FROM %s k"
            " LEFT JOIN \"rocpd_info_kernel_symbol%s\" s ON s.id = k.kernel_id"
            " LEFT JOIN \"rocpd_info_agent%s\" a ON a.id = k.agent_id"
            " LEFT JOIN \"rocpd_info_process%s\" p ON p.id = k.pid%s WHERE k.end > k.start",
            call, rows, x, x, x, joined),
        take_kernel, err);
}

static bool copies_read(struct reading *r, sqlite3 *db, const char *file, const char *x,
                        struct error *err)
{
    struct arena *a = r->timeline->arena;
    const char *rows = rows_of(a, db, "rocpd_memory_copy", x);
    return !rows ||
           nsys_rows(r, db, file,
                     arena_printf(a,
                                  "SELECT k.start, k.end, CASE WHEN t.type = 'GPU' THEN"
                                  " t.type_index ELSE f.type_index END, k.stream_id, p.pid,"
                                  " p.command, NULL, k.size, f.type = 'GPU', t.type = 'GPU'"
                                  " FROM %s k"
                                  " LEFT JOIN \"rocpd_info_agent%s\" f ON f.id = k.src_agent_id"
                                  " LEFT JOIN \"rocpd_info_agent%s\" t ON t.id = k.dst_agent_id"
                                  " LEFT JOIN \"rocpd_info_process%s\" p ON p.id = k.pid"
                                  " WHERE k.end > k.start",
                                  rows, x, x, x),
                     take_copy, err);
}

// Columns: start, end, process, thread, whether any thread may end it, name.
static void take_range(void *context, sqlite3_stmt *s)
{
    enum { START, END, PROCESS, THREAD, ANY_THREAD, NAME };
    struct reading *r = context;
    struct timeline *t = r->timeline;
    const char *name = (const char *)sqlite3_column_text(s, NAME);
    struct range x = {.name = timeline_name(t, text_valid(t->arena, name ? name : "")),
                      .process = timeline_process(t, sqlite_at_least_0(s, PROCESS)),
                      .start_ns = sqlite_at_least_0(s, START),
                      .end_ns = sqlite_at_least_0(s, END)};
    if (!sqlite3_column_int(s, ANY_THREAD))
        x.thread = sqlite_at_least_0(s, THREAD);
    timeline_add_range(t, x);
}

// roctx: regions named after its functions, with the program's words in their event.
static bool ranges_read(struct reading *r, sqlite3 *db, const char *file, const char *x,
                        struct error *err)
{
    struct arena *a = r->timeline->arena;
    if (!has_regions(db, a, x))
        return true;
    return nsys_rows(
        r, db, file,
        arena_printf(a,
                     "SELECT k.start, k.end, p.pid, h.tid, n.string LIKE 'roctxProcess%%',"
                     " coalesce(CASE WHEN json_valid(v.extdata) THEN"
                     " json_extract(v.extdata, '$.message') END, n.string) FROM %s k"
                     " JOIN \"rocpd_string%s\" n ON n.id = k.name_id"
                     " LEFT JOIN \"rocpd_event%s\" v ON v.id = k.event_id"
                     " LEFT JOIN \"rocpd_info_thread%s\" h ON h.id = k.tid"
                     " LEFT JOIN \"rocpd_info_process%s\" p ON p.id = k.pid"
                     " WHERE n.string LIKE 'roctx%%Range%%' AND k.end > k.start",
                     rows_of(a, db, "rocpd_region", x), x, x, x, x),
        take_range, err);
}

static bool tables_read(struct reading *r, sqlite3 *db, const char *file, const char *x,
                        struct error *err)
{
    const char *kernels = rows_of(r->timeline->arena, db, dispatches, x);
    if (!kernels)
        return fail(err, (struct location){.file = file},
                    "the table %s%s has no times: this version of rocpd is not read", dispatches,
                    x);
    return kernels_read(r, db, file, x, kernels, err) && copies_read(r, db, file, x, err) &&
           ranges_read(r, db, file, x, err);
}

bool rocpd_read(struct timeline *t, sqlite3 *db, const char *file, bool *found, struct error *err)
{
    struct reading r = {.timeline = t};
    bool done = find_suffixes(&r, db, file, err);
    *found = r.suffixes.count > 0;
    for (size_t i = 0; done && i < r.suffixes.count; i++)
        done = tables_read(&r, db, file, r.suffixes.items[i], err);
    free(r.suffixes.items);
    return done;
}
