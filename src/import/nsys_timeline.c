// Nsight Systems' SQLite export as a timeline: when each kernel, copy and fill ran, on which GPU and stream.
// SPDX-License-Identifier: Apache-2.0
#include "import/nsys.h"
#include "import/trace.h"

struct reading {
    struct timeline *timeline;
    enum work_kind kind;
};

// Of globalPid and globalTid.
static uint64_t process_of(uint64_t global)
{
    enum { PID_SHIFT = 24, PID_MASK = 0xffffff };
    return global >> PID_SHIFT & PID_MASK;
}

// Columns: start, end, device, stream, process, then a kernel's name, grid, block, registers, shared bytes, graph, the
// time and the thread of the call, or bytes and kind.
static void take(void *context, sqlite3_stmt *s)
{
    struct reading *r = context;
    enum { NAME = 5, GRID = 6, BLOCK = 9, REGISTERS = 12, SHARED = 13, GRAPH = 14 };
    enum { CALL = 15, THREAD = 16 };
    enum { BYTES = 5, KIND = 6 };
    struct work w = {.kind = r->kind,
                     .start_ns = sqlite_at_least_0(s, 0),
                     .end_ns = sqlite_at_least_0(s, 1),
                     .stream = sqlite_at_least_0(s, 3)};
    const char *name = (const char *)sqlite3_column_text(s, NAME);
    uint64_t process = process_of(sqlite_at_least_0(s, 4));
    if (r->kind == WORK_KERNEL) {
        for (int i = 0; i < 3; i++) {
            w.grid[i] = sqlite_whole(s, GRID + i);
            w.block[i] = sqlite_whole(s, BLOCK + i);
        }
        w.registers = sqlite_whole(s, REGISTERS);
        w.shared_bytes = sqlite_whole(s, SHARED);
        w.by_graph = sqlite3_column_int64(s, GRAPH) > 0;
        w.call_ns = sqlite_at_least_0(s, CALL);
        w.thread = sqlite_at_least_0(s, THREAD);
        w.name = timeline_name(r->timeline, text_valid(r->timeline->arena, name ? name : ""));
    } else {
        w.bytes = sqlite3_column_type(s, BYTES) == SQLITE_NULL ? BYTES_UNKNOWN
                                                               : sqlite_at_least_0(s, BYTES);
        w.name = timeline_name(r->timeline, r->kind == WORK_FILL
                                                ? "fill"
                                                : timeline_direction(sqlite_at_least_0(s, KIND)));
    }
    w.process = timeline_process(r->timeline, process);
    w.device = timeline_device(r->timeline, sqlite_at_least_0(s, 2));
    timeline_add(r->timeline, w);
}

static void name_device(void *context, sqlite3_stmt *s)
{
    struct reading *r = context;
    const char *name = (const char *)sqlite3_column_text(s, 1);
    int device = timeline_device(r->timeline, sqlite_at_least_0(s, 0));
    r->timeline->devices.items[device].name = name ? text_valid(r->timeline->arena, name) : NULL;
}

// Columns: start, end, thread, is it of the whole process, name.
static void take_range(void *context, sqlite3_stmt *s)
{
    struct reading *r = context;
    struct timeline *t = r->timeline;
    const char *name = (const char *)sqlite3_column_text(s, 4);
    uint64_t thread = sqlite_at_least_0(s, 2);
    struct range x = {.name = timeline_name(t, text_valid(t->arena, name ? name : "")),
                      .process = timeline_process(t, process_of(thread)),
                      .thread = sqlite3_column_int(s, 3) ? 0 : thread,
                      .start_ns = sqlite_at_least_0(s, 0),
                      .end_ns = sqlite_at_least_0(s, 1)};
    timeline_add_range(t, x);
}

// NVTX_EVENTS: eventType 59 is a range of a thread, 60 one that any thread may end.
static bool ranges_read(struct reading *r, sqlite3 *db, const char *file, struct error *err)
{
    static const char table[] = "NVTX_EVENTS";
    if (!nsys_column(db, table, "eventType") || !nsys_column(db, table, "globalTid"))
        return true;
    bool strings = nsys_column(db, table, "textId");
    const char *sql = arena_printf(
        r->timeline->arena,
        "SELECT k.start, k.end, k.globalTid, k.eventType = 60, coalesce(%s%s) FROM NVTX_EVENTS k "
        "%s WHERE k.eventType IN (59, 60) AND k.end > k.start",
        nsys_either(db, table, "text"), strings ? ", t.value, ''" : ", ''",
        strings ? "LEFT JOIN StringIds t ON t.id = k.textId" : "");
    return nsys_rows(r, db, file, sql, take_range, err);
}

static const char *sql_of(struct arena *a, sqlite3 *db, const char *table, enum work_kind kind)
{
    const char *common =
        arena_printf(a, "k.start, k.end, %s, %s, %s", nsys_either(db, table, "deviceId"),
                     nsys_either(db, table, "streamId"), nsys_either(db, table, "globalPid"));
    if (kind != WORK_KERNEL)
        return arena_printf(a, "SELECT %s, %s, %s FROM %s k WHERE k.end > k.start", common,
                            nsys_either(db, table, "bytes"), nsys_either(db, table, "copyKind"),
                            table);
    static const char runtime[] = "CUPTI_ACTIVITY_KIND_RUNTIME";
    bool calls = nsys_column(db, runtime, "correlationId") &&
                 nsys_column(db, runtime, "globalTid") && nsys_column(db, table, "globalPid") &&
                 nsys_column(db, table, "correlationId");
    const char *name = nsys_column(db, table, "demangledName") ? "demangledName" : "shortName";
    return arena_printf(
        a,
        "SELECT %s, coalesce(t.value, 'kernel ' || k.%s), gridX, gridY, gridZ, blockX, blockY,"
        " blockZ, %s, %s + %s, %s, %s FROM %s k LEFT JOIN StringIds t ON t.id = k.%s%s"
        " WHERE k.end > k.start",
        common, name, nsys_either(db, table, "registersPerThread"),
        nsys_either(db, table, "staticSharedMemory"), nsys_either(db, table, "dynamicSharedMemory"),
        nsys_either(db, table, "graphNodeId"), calls ? "c.start, c.globalTid" : "0, 0", table, name,
        calls ? " LEFT JOIN (SELECT correlationId, globalTid, globalTid >> 24 AS process,"
                " min(start) AS start FROM CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY 1, 3) c"
                " ON c.correlationId = k.correlationId AND c.process = k.globalPid >> 24"
              : "");
}

static bool tables_read(struct timeline *t, sqlite3 *db, const char *file, struct error *err)
{
    static const struct {
        const char *table;
        enum work_kind kind;
    } tables[] = {{"CUPTI_ACTIVITY_KIND_KERNEL", WORK_KERNEL},
                  {"CUPTI_ACTIVITY_KIND_MEMCPY", WORK_COPY},
                  {"CUPTI_ACTIVITY_KIND_MEMSET", WORK_FILL}};
    struct reading r = {.timeline = t};
    bool done = nsys_column(db, "StringIds", "value") ||
                fail(err, (struct location){.file = file},
                     "the table StringIds with the kernels' names is missing: export the file "
                     "again with `nsys export --type sqlite`");
    for (size_t i = 0; done && i < COUNT_OF(tables); i++) {
        r.kind = tables[i].kind;
        done = !nsys_column(db, tables[i].table, NULL) ||
               nsys_rows(&r, db, file, sql_of(t->arena, db, tables[i].table, r.kind), take, err);
    }
    return done && ranges_read(&r, db, file, err) &&
           (!nsys_column(db, "TARGET_INFO_GPU", "name") ||
            !nsys_column(db, "TARGET_INFO_GPU", "id") ||
            nsys_rows(&r, db, file, "SELECT id, name FROM TARGET_INFO_GPU", name_device, err));
}

static bool database_read(struct timeline *t, const struct source *s, struct error *err)
{
    sqlite3 *db;
    bool rocpd = false;
    bool done = nsys_open(s, &db, err) && rocpd_read(t, db, s->file, &rocpd, err) &&
                (rocpd || tables_read(t, db, s->file, err));
    sqlite3_close(db);
    return done;
}

bool import_timeline_detect(const char *data, size_t size_bytes)
{
    struct source s = {.data = data, .size_bytes = size_bytes};
    return nsys_sqlite_detect(&s) || trace_json_detect(&s) || perfetto_detect(&s);
}

bool import_timeline(struct timeline *t, const char *file, const char *data, size_t size_bytes,
                     struct error *err)
{
    struct source s = {.file = file, .data = data, .size_bytes = size_bytes};
    return trace_json_detect(&s) ? trace_json_read(t, &s, err)
           : perfetto_detect(&s) ? perfetto_read(t, &s, err)
                                 : database_read(t, &s, err);
}
