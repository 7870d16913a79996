// Other profilers' databases as timelines: made here, with the columns that their versions have.
// SPDX-License-Identifier: Apache-2.0
#include "capture/timeline.h"
#include "import/import.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static struct timeline timeline;
static char folder[] = "/tmp/ridge-databases-XXXXXX";

static int prepare(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int clean(void **state)
{
    arena_release(&arena);
    return rmdir(folder);
}

static int fresh(void **state)
{
    timeline = (struct timeline){.arena = &arena};
    return 0;
}

static int done(void **state)
{
    timeline_release(&timeline);
    return 0;
}

static void sum_up(const char *sql, struct timeline_summary *out)
{
    const char *path = path_join(&arena, folder, "made.db");
    sqlite3 *db;
    char *why = NULL, *data;
    size_t size;
    struct error err = {0};
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s", why);
    sqlite3_close(db);
    assert_true(file_read(path, 1 << 24, &data, &size, &err));
    assert_true(import_timeline_detect(data, size));
    if (!import_timeline(&timeline, path, data, size, &err))
        fail_msg("%s", err.message);
    free(data);
    assert_int_equal(unlink(path), 0);
    timeline_summarize(&arena, &timeline, out);
}

static const char *named(int index)
{
    return timeline.names.items[index];
}

// Process 5's thread 7 is 5 << 24 | 7; a call of the runtime has a row of the driver's with the same correlation.
static void near(double got, double wanted)
{
    assert_true(got > wanted - 1 && got < wanted + 1);
}

static void ranges_of_nsys_have_the_kernels_that_they_launched(void **state)
{
    static const char sql[] =
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES(1, 'add'), (2, 'epoch');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId, correlationId,"
        " globalPid, demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
        "(1000, 1100, 0, 7, 31, 83886080, 1, 1, 1, 1, 32, 1, 1),"
        "(2000, 2200, 0, 7, 32, 83886080, 1, 1, 1, 1, 32, 1, 1);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, correlationId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(500, 510, 83886087, 31),"
        "(501, 509, 83886087, 31), (600, 610, 83886088, 32), (500, 510, 100663303, 32);"
        "CREATE TABLE NVTX_EVENTS(start, end, eventType, text, textId, globalTid);"
        "INSERT INTO NVTX_EVENTS VALUES(400, 700, 59, 'step', NULL, 83886087),"
        "(300, 800, 60, NULL, 2, 83886087), (550, NULL, 34, 'mark', NULL, 83886087);";
    struct timeline_summary s;
    sum_up(sql, &s);
    assert_int_equal(s.kernels[0].launches, 2);
    assert_int_equal(s.range_count, 2);
    assert_string_equal(named(s.ranges[0].name), "epoch");
    assert_int_equal(s.ranges[0].kernels, 2); // any thread's
    assert_string_equal(named(s.ranges[1].name), "step");
    assert_int_equal(s.ranges[1].kernels, 1);
    near(s.ranges[1].kernel_ns, 100);
}

// The columns that are read, of the schema that rocprofv3 of ROCm 7 writes.
#define ROCPD(x)                                                                                   \
    "CREATE TABLE rocpd_info_agent" x "(id, type, type_index, product_name);"                      \
    "CREATE TABLE rocpd_info_process" x "(id, pid, command);"                                      \
    "CREATE TABLE rocpd_info_kernel_symbol" x "(id, display_name, kernel_name, arch_vgpr_count);"  \
    "CREATE TABLE rocpd_kernel_dispatch" x "(id, pid, agent_id, kernel_id, stream_id, start, end," \
    " group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x,"      \
    " grid_size_y, grid_size_z);"                                                                  \
    "CREATE TABLE rocpd_memory_copy" x "(id, pid, start, end, dst_agent_id, src_agent_id, size,"   \
    " stream_id);"

static void rocprof_s_databases_are_timelines(void **state)
{
    static const char sql[] = ROCPD("_0a_1")
        ROCPD("_0a_2") "INSERT INTO rocpd_info_agent_0a_1 VALUES(1, 'CPU', 0, 'EPYC'), (2, 'GPU', "
                       "0, 'MI300X');"
                       "INSERT INTO rocpd_info_agent_0a_2 VALUES(1, 'GPU', 1, 'MI300X');"
                       "INSERT INTO rocpd_info_process_0a_1 VALUES(1, 42, './app --fast');"
                       "INSERT INTO rocpd_info_process_0a_2 VALUES(1, 43, './app --slow');"
                       "INSERT INTO rocpd_info_kernel_symbol_0a_1 VALUES(7, 'add(float*)', "
                       "'_Z3addPf', 32);"
                       "INSERT INTO rocpd_info_kernel_symbol_0a_2 VALUES(7, NULL, '_Z3mulPf', 16);"
                       "INSERT INTO rocpd_kernel_dispatch_0a_1 VALUES(1, 1, 2, 7, 3, 1000, 1500, "
                       "64, 256, 1, 1,"
                       " 65536, 1, 1), (2, 1, 2, 7, 3, 1600, 1500, 64, 256, 1, 1, 65536, 1, 1);"
                       "INSERT INTO rocpd_kernel_dispatch_0a_2 VALUES(1, 1, 1, 7, 3, 1000, 1100, "
                       "0, 0, 1, 1, 9, 1, 1);"
                       "INSERT INTO rocpd_memory_copy_0a_1 VALUES(1, 1, 500, 900, 2, 1, 4096, 3),"
                       " (2, 1, 1700, 1800, 1, 2, 64, 3);";
    struct timeline_summary s;
    sum_up(sql, &s);
    assert_int_equal(s.kernel_count, 2);
    assert_string_equal(named(s.kernels[0].name), "add(float*)");
    assert_int_equal(s.kernels[0].launches, 1);
    assert_int_equal(s.kernels[0].grid[0], 256);
    assert_int_equal(s.kernels[0].registers, 32);
    assert_string_equal(named(s.kernels[1].name), "_Z3mulPf");
    assert_int_equal(s.device_count, 2);
    assert_string_equal(timeline.devices.items[s.devices[0].device].name, "MI300X");
    assert_string_equal(timeline.processes.items[0].command, "./app --fast");
    assert_int_equal(s.move_count, 2);
    assert_string_equal(named(s.moves[0].name), "copy host to device");
    assert_string_equal(named(s.moves[1].name), "copy device to host");
}

// What both schemas have of a program that names ranges by roctx: a range of thread 77 around the call that launches,
// one of the process, and a call of HIP, which is no range.
#define ROCTX                                                                                     \
    "CREATE TABLE rocpd_info_agent(id, type, type_index, product_name);"                          \
    "CREATE TABLE rocpd_info_process(id, pid, command);"                                          \
    "CREATE TABLE rocpd_info_thread(id, tid);"                                                    \
    "CREATE TABLE rocpd_info_kernel_symbol(id, display_name, kernel_name, arch_vgpr_count);"      \
    "CREATE TABLE rocpd_string(id, string);"                                                      \
    "CREATE TABLE rocpd_event(id, stack_id, extdata);"                                            \
    "INSERT INTO rocpd_info_agent VALUES(2, 'GPU', 0, 'MI300X');"                                 \
    "INSERT INTO rocpd_info_process VALUES(1, 42, './app');"                                      \
    "INSERT INTO rocpd_info_thread VALUES(9, 77);"                                                \
    "INSERT INTO rocpd_info_kernel_symbol VALUES(7, 'add', '_Z3add', 32);"                        \
    "INSERT INTO rocpd_string VALUES(1, 'roctxThreadRangeA'), (2, 'roctxProcessRangeA'),"         \
    " (3, 'hipLaunchKernel');"                                                                    \
    "INSERT INTO rocpd_event VALUES(11, 5, '{\"message\": \"step\"}'), (12, 6, 'no JSON'), (13, " \
    "8, '{}'),"                                                                                   \
    " (14, 8, '{}');"

static void check_roctx(const char *sql)
{
    struct timeline_summary s;
    sum_up(sql, &s);
    assert_int_equal(s.kernel_count, 1);
    assert_int_equal(s.kernels[0].launches, 1);
    near(s.kernels[0].total_ns, 500);
    assert_string_equal(timeline.devices.items[0].name, "MI300X");
    assert_int_equal(timeline.processes.items[0].pid, 42);
    assert_int_equal(s.move_count, 1);
    near(s.moves[0].total_ns, 100);
    assert_int_equal(s.range_count, 2);
    assert_string_equal(named(s.ranges[0].name), "roctxProcessRangeA");
    assert_int_equal(s.ranges[0].kernels, 1);
    assert_string_equal(named(s.ranges[1].name), "step");
    assert_int_equal(s.ranges[1].kernels, 1);
    near(s.ranges[1].kernel_ns, 500);
}

static void ranges_of_roctx_have_the_kernels_that_they_launched(void **state)
{
    check_roctx(
        ROCTX "CREATE TABLE rocpd_region(id, pid, tid, start, end, name_id, event_id);"
              "CREATE TABLE rocpd_kernel_dispatch(id, pid, tid, agent_id, kernel_id, stream_id,"
              " start, end, group_segment_size, workgroup_size_x, workgroup_size_y,"
              " workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id);"
              "CREATE TABLE rocpd_memory_copy(id, pid, start, end, dst_agent_id, src_agent_id,"
              " size, stream_id);"
              "INSERT INTO rocpd_region VALUES(5, 1, 9, 1000, 2000, 1, 11),"
              " (6, 1, 9, 500, 3000, 2, 12), (8, 1, 9, 1100, 1200, 3, 13);"
              "INSERT INTO rocpd_kernel_dispatch VALUES(1, 1, 9, 2, 7, 3, 4000, 4500, 0, 64, 1, 1,"
              " 64, 1, 1, 14);"
              "INSERT INTO rocpd_memory_copy VALUES(1, 1, 5000, 5100, 2, 2, 64, 3);");
}

static void schema_4_has_its_times_in_tables_of_their_own(void **state)
{
    check_roctx(
        ROCTX "CREATE TABLE rocpd_track(id, pid, tid, agent_id, stream_id);"
              "CREATE TABLE rocpd_timestamp(id, value);"
              "CREATE TABLE rocpd_region(id, track_id, name_id, start_id, end_id, event_id);"
              "CREATE TABLE rocpd_kernel_dispatch(id, track_id, kernel_id, start_id, end_id,"
              " group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z,"
              " grid_size_x, grid_size_y, grid_size_z, event_id);"
              "CREATE TABLE rocpd_memory_copy(id, track_id, start_id, end_id, dst_agent_id,"
              " src_agent_id, size);"
              "INSERT INTO rocpd_track VALUES(1, 1, 9, NULL, NULL), (2, 1, 9, 2, 3);"
              "INSERT INTO rocpd_timestamp VALUES(1, 1000), (2, 2000), (3, 500), (4, 3000),"
              " (5, 1100), (6, 1200), (7, 4000), (8, 4500), (9, 5000), (10, 5100);"
              "INSERT INTO rocpd_region VALUES(5, 1, 1, 1, 2, 11), (6, 1, 2, 3, 4, 12),"
              " (8, 1, 3, 5, 6, 13);"
              "INSERT INTO rocpd_kernel_dispatch VALUES(1, 2, 7, 7, 8, 0, 64, 1, 1, 64, 1, 1, 14);"
              "INSERT INTO rocpd_memory_copy VALUES(1, 2, 9, 10, 2, 2, 64);");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)
    const struct CMUnitTest tests[] = {
        TEST(rocprof_s_databases_are_timelines),
        TEST(ranges_of_roctx_have_the_kernels_that_they_launched),
        TEST(schema_4_has_its_times_in_tables_of_their_own),
        TEST(ranges_of_nsys_have_the_kernels_that_they_launched),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
