// AMD's traces as timelines. No file of a real GPU was at hand: tests/import/traces/ and what is made here were written by
// hand after the schema that rocprofiler-sdk publishes (docs/rocprofv3-schema.json), the scripts of rocprof that write its
// JSON, and Perfetto's published messages.
// SPDX-License-Identifier: Apache-2.0
#include "capture/timeline.h"
#include "import/import.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct timeline timeline;

static int fresh(void **state)
{
    timeline = (struct timeline){.arena = &arena};
    return 0;
}

static int done(void **state)
{
    timeline_release(&timeline);
    arena_release(&arena);
    return 0;
}

static const char *named(int index)
{
    return timeline.names.items[index];
}

static void near(double got, double wanted)
{
    assert_true(got > wanted - 1 && got < wanted + 1);
}

static void sum_up_bytes(const char *data, size_t size, struct timeline_summary *out)
{
    struct error err = {0};
    assert_true(import_timeline_detect(data, size));
    if (!import_timeline(&timeline, "made", data, size, &err))
        fail_msg("%s", err.message);
    timeline_summarize(&arena, &timeline, out);
}

static void sum_up_file(const char *path, struct timeline_summary *out)
{
    char *data;
    size_t size;
    struct error err = {0};
    if (!file_read(path, 1 << 20, &data, &size, &err))
        fail_msg("%s", err.message);
    sum_up_bytes(data, size, out);
    free(data);
}

static void refused_bytes(const char *data, size_t size, const char *why)
{
    struct error err = {0};
    assert_true(import_timeline_detect(data, size));
    assert_false(import_timeline(&timeline, "made", data, size, &err));
    if (!strstr(err.message, why))
        fail_msg("\"%s\" lacks \"%s\"", err.message, why);
    assert_memory_equal(err.message, "made:", 5);
}

static void refused(const char *text, const char *why)
{
    refused_bytes(text, strlen(text), why);
}

// One kernel of 500 ns that a call within the range "step" launched, one copy of 100 ns: what all three files hold.
static void check_common(const struct timeline_summary *s)
{
    assert_int_equal(s->kernel_count, 1);
    assert_string_equal(named(s->kernels[0].name), "add(float*)");
    assert_int_equal(s->kernels[0].launches, 1);
    near(s->kernels[0].total_ns, 500);
    assert_int_equal(s->device_count, 1);
    assert_int_equal(s->move_count, 1);
    near(s->moves[0].total_ns, 100);
    assert_int_equal(timeline.processes.count, 1);
    assert_int_equal(timeline.processes.items[0].pid, 42);
    const struct range_sum *step = &s->ranges[s->range_count - 1];
    assert_string_equal(named(step->name), "step");
    assert_int_equal(step->count, 1);
    assert_int_equal(step->kernels, 1);
    near(step->kernel_ns, 500);
}

static void check_shape(const struct kernel_sum *k)
{
    assert_int_equal(k->grid[0], 256); // work-groups, of 65536 work-items
    assert_int_equal(k->grid[1], 1);
    assert_int_equal(k->block[0], 256);
    assert_int_equal(k->block[2], 1);
    assert_int_equal(k->shared_bytes, 64);
}

/* ---- rocprofv3's JSON ---------------------------------------------------------------------------------- */

static void rocprofv3_s_json_is_a_timeline(void **state)
{
    struct timeline_summary s;
    sum_up_file("tests/import/traces/rocprofv3.json", &s);
    check_common(&s);
    check_shape(&s.kernels[0]);
    assert_int_equal(s.kernels[0].registers, 32);
    assert_string_equal(timeline.processes.items[0].command, "./app --fast");
    // Its agents' handles are beyond 2^63.
    assert_string_equal(timeline.devices.items[s.devices[0].device].name, "MI300X");
    assert_int_equal(timeline.devices.items[s.devices[0].device].number, 0);
    assert_string_equal(named(s.moves[0].name), "copy host to device");
    near(s.moves[0].bytes, 4096);
    // A mark is no range; "epoch" was started on another thread, and any may end it.
    assert_int_equal(s.range_count, 2);
    assert_string_equal(named(s.ranges[0].name), "epoch");
    assert_int_equal(s.ranges[0].kernels, 1);
}

static void records_without_an_end_are_said(void **state)
{
    struct timeline_summary s;
    sum_up_file("tests/import/traces/rocprofv3.json", &s);
    assert_int_equal(timeline.troubles.count, 1);
    assert_non_null(strstr(timeline.troubles.items[0], "1 event without an end"));
}

#define SDK(lists) "{\"rocprofiler-sdk-tool\": [{\"buffer_records\": {" lists "}}]}"
#define DISPATCH(start, end)                                                                  \
    SDK("\"kernel_dispatch\": [{\"start_timestamp\": " start ", \"end_timestamp\": " end ", " \
        "\"dispatch_info\": {\"kernel_id\": 9}}]")

static void a_file_with_little_in_it_is_read(void **state)
{
    struct timeline_summary s;
    static const char text[] = DISPATCH("1", "3");
    sum_up_bytes(text, sizeof text - 1, &s);
    assert_string_equal(named(s.kernels[0].name), "kernel 9");
    near(s.kernels[0].total_ns, 2);
    assert_int_equal(s.kernels[0].grid[0], 0); // not known
    assert_int_equal(s.range_count, 0);
}

static void broken_json_of_rocprofv3_is_refused(void **state)
{
    refused("{\"rocprofiler-sdk-tool\": [{\"buffer_records\": {\"kernel_dispatch\": [",
            "if the program was killed while it wrote");
    refused("{\"rocprofiler-sdk-tool\": 7}", "rocprofiler-sdk-tool is no array");
    refused("{\"rocprofiler-sdk-tool\": [7]}", "buffer_records is missing");
    refused(SDK("\"kernel_dispatch\": {}"), "buffer_records.kernel_dispatch is no array");
    refused(SDK("\"kernel_dispatch\": []"), "no kernel, copy or range");
    refused(DISPATCH("5", "3"), "kernel_dispatch[0] ends at 3 ns, before it begins at 5 ns");
    refused(DISPATCH("-5", "3"), "kernel_dispatch[0]: start_timestamp");
    refused(DISPATCH("1.5", "3"), "not both whole numbers");
    refused(DISPATCH("\"one\"", "3"), "not both whole numbers");
    refused(DISPATCH("1", "99999999999999999999999"), "not both whole numbers");
    refused(DISPATCH("1", "18446744073709551615"), "later than any clock");
    assert_int_equal(timeline.work.count, 0);
}

/* ---- Chrome's format ----------------------------------------------------------------------------------- */

static void rocprof_s_json_is_a_timeline(void **state)
{
    struct timeline_summary s;
    sum_up_file("tests/import/traces/rocprof-chrome.json", &s);
    check_common(&s);
    assert_int_equal(s.range_count, 1);
    assert_int_equal(timeline.devices.items[s.devices[0].device].number, 0);
    assert_int_equal(timeline.work.items[1].stream, 1);
    assert_string_equal(named(s.moves[0].name), "copy host to device");
    assert_true(s.moves[0].bytes != s.moves[0].bytes); // not known
}

#define CHROME(events) "{\"traceEvents\": [" events "]}"
#define LABEL(pid, name)                                                                         \
    "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": " pid ", \"args\": {\"name\": \"" name \
    "\"}}"
#define SLICE(name, pid, tid, ts, dur, more)                                                  \
    "{\"ph\": \"X\", \"name\": \"" name "\", \"pid\": " pid ", \"tid\": " tid ", \"ts\": " ts \
    ", \"dur\": " dur more "}"

static void rocprofv2_s_times_are_microseconds(void **state)
{
    struct timeline_summary s;
    sum_up_file("tests/import/traces/rocprofv2.json", &s);
    assert_int_equal(s.kernel_count, 1);
    near(s.kernels[0].total_ns, 5000);
    const struct work *kernel = &timeline.work.items[1], *fill = &timeline.work.items[2];
    assert_int_equal(kernel->kind, WORK_KERNEL);
    assert_int_equal(timeline.devices.items[kernel->device].number, 1);
    assert_int_equal(fill->kind, WORK_FILL);
    assert_int_equal(fill->device, kernel->device);
    assert_int_equal(s.move_count, 2);
    assert_string_equal(named(s.moves[0].name), "fill");
    assert_string_equal(named(s.moves[1].name), "copy device to host");
    assert_int_equal(s.range_count, 1); // a call of HIP or HSA is none
    assert_string_equal(named(s.ranges[0].name), "step");
    assert_int_equal(s.ranges[0].kernels, 1);
}

// What traceconv makes of rocprofv3's Perfetto trace: fractions of us, and annotations within "debug".
static void converted_perfetto_traces_go_by_category(void **state)
{
    struct timeline_summary s;
    static const char text[] = CHROME(SLICE("add", "42", "9", "4.0", "0.5",
                                            ", \"cat\": \"kernel_dispatch\", \"args\": {\"debug\": "
                                            "{\"begin_ns\": 4000, \"end_ns\": 4500,"
                                            " \"agent\": 1, \"queue\": 3, \"corr_id\": 5, "
                                            "\"grid_size\": 512, \"workgroup_size\": 256}}"));
    sum_up_bytes(text, sizeof text - 1, &s);
    near(s.kernels[0].total_ns, 500);
    assert_int_equal(s.kernels[0].grid[0], 2);
    assert_int_equal(timeline.devices.items[0].number, 1);
    assert_int_equal(timeline.processes.items[0].pid, 42);
    timeline_release(&timeline);
    static const char plain[] =
        CHROME(SLICE("add", "42", "9", "4.25", "\"0.5\"", ", \"cat\": \"kernel_dispatch\""));
    sum_up_bytes(plain, sizeof plain - 1, &s);
    near(s.kernels[0].total_ns, 500);
    assert_int_equal(timeline.first_ns, 4250);
}

#define GPU_SLICE(ts, dur, more) CHROME(LABEL("6", "GPU0") "," SLICE("k", "6", "1", ts, dur, more))

static void broken_traces_in_chrome_s_format_are_refused(void **state)
{
    refused("{\"traceEvents\": [{}", "if the program was killed while it wrote");
    refused("{\"traceEvents\": {}}", "traceEvents is no array");
    refused(CHROME("{}"), "no kernel, copy or range");
    refused(CHROME(SLICE("page", "1", "1", "1", "2", "")), "rocprof --hip-trace");
    refused(GPU_SLICE("5", "-2", ""), "traceEvents[1]: ts and dur");
    refused(GPU_SLICE("1e300", "2", ""), "traceEvents[1]: ts and dur");
    refused(GPU_SLICE("\"now\"", "2", ""), "traceEvents[1]: ts and dur");
    refused(GPU_SLICE("[]", "2", ""), "traceEvents[1]: ts and dur");
    refused(GPU_SLICE("18446744073709551615", "2", ""), "traceEvents[1]: ts and dur");
    refused(GPU_SLICE("9000000000000000", "2", ""), "later than any clock");
    refused(GPU_SLICE("5", "1", ", \"args\": {\"BeginNs\": \"9\", \"EndNs\": \"3\"}"),
            "traceEvents[1] ends at 3 ns, before it begins at 9 ns");
    refused(GPU_SLICE("5", "1", ", \"args\": {\"BeginNs\": \"-9\", \"EndNs\": \"3\"}"),
            "BeginNs is no whole number");
    assert_int_equal(timeline.work.count, 0);
}

/* ---- Perfetto -------------------------------------------------------------------------------------------- */

static void rocprofv3_s_perfetto_trace_is_a_timeline(void **state)
{
    struct timeline_summary s;
    sum_up_file("fuzz/corpus/perfetto/slices", &s);
    check_common(&s);
    check_shape(&s.kernels[0]);
    assert_int_equal(timeline.devices.items[s.devices[0].device].number, 1);
    assert_string_equal(named(s.moves[0].name), "copy device to host");
    near(s.moves[0].bytes, 4096);
}

static void a_perfetto_trace_cut_anywhere_is_read_so_far_or_refused(void **state)
{
    char *data;
    size_t size, refusals = 0;
    struct error err = {0};
    assert_true(file_read("fuzz/corpus/perfetto/slices", 1 << 20, &data, &size, &err));
    for (size_t n = 4; n < size; n++) {
        struct timeline t = {.arena = &arena};
        err = (struct error){0};
        char *cut = xcalloc(n, 1);
        memcpy(cut, data, n);
        if (import_timeline_detect(cut, n) && !import_timeline(&t, "made", cut, n, &err))
            refusals += strstr(err.message, "cut off") || strstr(err.message, "no kernel");
        assert_true(t.work.count < 2);
        free(cut);
        timeline_release(&t);
    }
    assert_true(refusals > size - 20);
    free(data);
}

// Four kernels of names 1: the second is of another sequence, the fourth's packet voids the names.
static void names_end_where_their_sequence_begins_anew(void **state)
{
    struct timeline_summary s;
    sum_up_file("fuzz/corpus/perfetto/cleared", &s);
    assert_int_equal(s.kernel_count, 1);
    assert_string_equal(named(s.kernels[0].name), "k");
    assert_int_equal(s.kernels[0].launches, 2);
}

static void broken_perfetto_traces_are_refused(void **state)
{
    static const char compressed[] = "\x0a\x05\x92\x03\x02xx";
    static const char group[] = "\x0a\x02\x0b\x0c";
    refused_bytes(compressed, sizeof compressed - 1, "compressed");
    assert_false(import_timeline_detect(group, sizeof group - 1));
    static const char endless[] = "\x0a\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    refused_bytes(endless, sizeof endless - 1, "packet[0] is cut off");
    static const char longer[] = "\x0a\xff\xff\xff\xff\x0f\x08\x01";
    refused_bytes(longer, sizeof longer - 1, "packet[0] is cut off");
    char *data;
    size_t size;
    struct error err = {0};
    assert_true(file_read("fuzz/corpus/perfetto/backwards", 1 << 20, &data, &size, &err));
    refused_bytes(data, size, "packet[0] ends at 3 ns, before it begins at 9 ns");
    free(data);
}

static void other_files_are_none(void **state)
{
    static const char *const others[] = {"", "{", "{\"a\": 1}", "\n[]", "RIDGECAP", "\x0a"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_false(import_timeline_detect(others[i], strlen(others[i])));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, done)
    const struct CMUnitTest tests[] = {
        TEST(rocprofv3_s_json_is_a_timeline),
        TEST(records_without_an_end_are_said),
        TEST(a_file_with_little_in_it_is_read),
        TEST(broken_json_of_rocprofv3_is_refused),
        TEST(rocprof_s_json_is_a_timeline),
        TEST(rocprofv2_s_times_are_microseconds),
        TEST(converted_perfetto_traces_go_by_category),
        TEST(broken_traces_in_chrome_s_format_are_refused),
        TEST(rocprofv3_s_perfetto_trace_is_a_timeline),
        TEST(a_perfetto_trace_cut_anywhere_is_read_so_far_or_refused),
        TEST(names_end_where_their_sequence_begins_anew),
        TEST(broken_perfetto_traces_are_refused),
        TEST(other_files_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
