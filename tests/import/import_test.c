// Readers of other profilers' files: the fixtures beside this file, and what is said of bad ones.
// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"
#include "import/internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;
static struct error err;
static struct run run;

static int setup(void **state)
{
    error_clear(&err);
    run = (struct run){0};
    return 0;
}

static int teardown(void **state)
{
    json_decref(run.header.environment);
    arena_release(&arena);
    return 0;
}

static void load(const char *name, const char *chip)
{
    struct import_request request = {.chip = chip};
    const char *paths[] = {arena_printf(&arena, "tests/import/%s", name)};
    if (!import_files(&arena, &request, paths, 1, &run, &err))
        fail_msg("%s", err.message);
}

static void reject(const char *format, const char *text, const char *message)
{
    struct import_request request = {.format = format};
    assert_false(import_bytes(&arena, &request, "f.csv", text, strlen(text), &run, &err));
    assert_string_equal(err.message, message);
    assert_int_equal(err.kind, ERROR_INPUT);
}

static double counter(int result, enum counter_id id)
{
    assert_int_equal(run.results[result].counters.figure[id].provenance, PROVENANCE_MEASURED);
    return run.results[result].counters.figure[id].value;
}

static void near_check(double got, double wanted, int line)
{
    if (!(fabs(got - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("line %d: %.17g is not %.17g", line, got, wanted);
}
#define NEAR(got, wanted) near_check(got, wanted, __LINE__)

static void ncu_raw_scales_units_and_makes_launches_samples(void **state)
{
    load("ncu_raw.csv", "h200");
    assert_int_equal(run.result_count, 2);
    assert_string_equal(run.results[0].variant, "transpose(float *, const float *, int)");
    assert_int_equal(run.results[0].time.summary.count, 2);
    NEAR(run.results[0].time.summary.median, 25600);
    NEAR(counter(0, COUNTER_GLOBAL_LOAD_REQUESTS), 131072);
    NEAR(counter(0, COUNTER_GLOBAL_LOAD_SECTORS), 524288);
    NEAR(counter(0, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL), 524288);
    NEAR(counter(0, COUNTER_DRAM_READ_BYTES), 16.9e6);
    NEAR(counter(0, COUNTER_BLOCK_THREADS), 1024);
    assert_true(run.results[1].diagnosed);
    assert_string_equal(run.results[1].diagnosis.limiter, "dram");
    assert_string_equal(run.header.device_id, "cuda:0");
}

static void ncu_raw_without_a_chip_is_not_diagnosed(void **state)
{
    load("ncu_raw.csv", NULL);
    assert_false(run.results[0].diagnosed);
}

static void ncu_details_passes_over_rules_and_words(void **state)
{
    load("ncu_details.csv", NULL);
    assert_int_equal(run.result_count, 1);
    NEAR(run.results[0].time.summary.median, 21058944);
    NEAR(counter(0, COUNTER_WARP_INSTRUCTIONS), 16105472);
    NEAR(counter(0, COUNTER_REGISTERS_PER_THREAD), 32);
    NEAR(counter(0, COUNTER_GRID_BLOCKS), 1024);
}

static void nsys_stats_keeps_the_interval_from_fastest_to_slowest(void **state)
{
    load("nsys_kernels.csv", NULL);
    assert_int_equal(run.result_count, 2);
    NEAR(run.results[0].time.summary.median, 240);
    NEAR(run.results[0].time.summary.low, 200);
    NEAR(run.results[0].time.summary.high, 300);
    assert_int_equal(run.results[0].time.summary.count, 1);
    NEAR(counter(0, COUNTER_GRID_BLOCKS), 65536);
    NEAR(counter(0, COUNTER_BLOCK_THREADS), 256);
}

static void nsys_sqlite_takes_every_launch_and_the_chip(void **state)
{
    load("nsys.sqlite", NULL);
    assert_int_equal(run.result_count, 2);
    assert_string_equal(run.results[0].variant, "scale(float *)");
    assert_int_equal(run.results[0].time.summary.count, 2);
    NEAR(run.results[0].time.summary.median, 110);
    NEAR(counter(0, COUNTER_REGISTERS_PER_THREAD), 32);
    assert_string_equal(run.results[1].variant, "[CUDA memcpy Host-to-Device]");
    assert_string_equal(run.results[1].case_label, "memory operations");
    assert_string_equal(run.header.device_name, "NVIDIA H200");
}

static void rocprofv3_counters_time_a_dispatch_once(void **state)
{
    load("rocprofv3_counters.csv", NULL);
    assert_int_equal(run.result_count, 1);
    assert_int_equal(run.results[0].time.summary.count, 2);
    NEAR(run.results[0].time.summary.median, 6000);
    NEAR(counter(0, COUNTER_DRAM_READ_BYTES), 1024 * 4096.5);
    NEAR(counter(0, COUNTER_GRID_BLOCKS), 16384);
    NEAR(counter(0, COUNTER_SHARED_BYTES_PER_BLOCK), 512);
}

// Eight VGPRs and 16 SGPRs: all 32 waves of a CU; work-groups of a wave, 16384 over 304 CUs of 32.
static void rocprofv3_of_a_known_chip_has_occupancy_calculated(void **state)
{
    load("rocprofv3_counters.csv", "mi300x");
    const struct figure *f = run.results[0].counters.figure;
    NEAR(f[COUNTER_OCCUPANCY_THEORETICAL_PCT].value, 100);
    NEAR(f[COUNTER_WAVES].value, 16384 / (304.0 * 32));
    assert_int_equal(f[COUNTER_OCCUPANCY_THEORETICAL_PCT].provenance, PROVENANCE_MODELLED);
}

// Instructions of 64 lanes each, an FMA two operations; matrix instructions count 512 operations.
static void rocprofv3_counts_of_arithmetic_are_operations(void **state)
{
    load("rocprofv3_arithmetic.csv", NULL);
    NEAR(counter(0, COUNTER_FLOPS_F32), 64 * (10 + 20 + 2 * 30));
    NEAR(counter(0, COUNTER_FLOPS_F64), 64 * (1 + 2 + 2 * 3));
    NEAR(counter(0, COUNTER_FLOPS_F16), 64 * (4 + 5 + 2 * 6));
    NEAR(counter(0, COUNTER_FADD_F32), 640);
    NEAR(counter(0, COUNTER_FMUL_F32), 1280);
    NEAR(counter(0, COUNTER_FFMA_F32), 1920);
    NEAR(counter(0, COUNTER_SPECIAL_OPS), 64 * 6);
    NEAR(counter(0, COUNTER_FLOPS_TENSOR), 512 * 10);
    NEAR(counter(0, COUNTER_GLOBAL_LOAD_REQUESTS), 7);
    NEAR(counter(0, COUNTER_GLOBAL_STORE_REQUESTS), 8);
    NEAR(counter(0, COUNTER_GLOBAL_ATOMIC_REQUESTS), 9);
    NEAR(counter(0, COUNTER_VECTOR_MEMORY_INSTRUCTIONS), 24);
}

static void rocprof_stats_give_the_mean(void **state)
{
    load("rocprof_stats.csv", NULL);
    NEAR(run.results[0].time.summary.median, 5000);
}

static void rocprof_compute_reads_a_workloads_folder(void **state)
{
    load("vcopy/", NULL);
    assert_int_equal(run.result_count, 2);
    assert_string_equal(run.header.experiment, "vcopy");
    assert_string_equal(run.header.title, "imported from vcopy (rocprof-compute)");
    assert_string_equal(run.header.device_name, "AMD MI300X (gfx942)");
    assert_int_equal(run.results[0].time.summary.count, 2);
    NEAR(run.results[0].time.summary.median, 21000);
    NEAR(counter(0, COUNTER_GRID_BLOCKS), 4096);
    NEAR(counter(0, COUNTER_REGISTERS_PER_THREAD), 8);
    NEAR(counter(0, COUNTER_SHARED_BYTES_PER_BLOCK), 512);
    NEAR(counter(0, COUNTER_WARP_INSTRUCTIONS), 327680);
    NEAR(counter(0, COUNTER_DRAM_READ_BYTES), 8388608);
    NEAR(counter(0, COUNTER_DRAM_WRITE_BYTES), 8388608);
    NEAR(counter(1, COUNTER_DRAM_READ_BYTES), 512);
}

static void rejects_a_folder_without_a_workload(void **state)
{
    struct import_request request = {0};
    const char *paths[] = {"tests/base"};
    assert_false(import_files(&arena, &request, paths, 1, &run, &err));
    assert_string_equal(err.message,
                        "tests/base: this folder holds no pmc_perf.csv or results_pmc_perf_*.csv, "
                        "so it is no workload of rocprof-compute: name another tool's file itself");
}

static void rejects_a_sysinfo_that_was_cut_off(void **state)
{
    reject(NULL, "workload_name,command,gpu_arch\n",
           "f.csv:1: sysinfo.csv has a header and no row, so it was cut off: profile again");
}

static void nvbench_reads_text_seconds_and_skipped_states(void **state)
{
    load("nvbench.json", NULL);
    assert_int_equal(run.result_count, 2);
    NEAR(run.results[0].time.summary.median, 1e6);
    NEAR(run.results[0].time.summary.stddev, 1e4);
    assert_string_equal(run.results[0].case_label, "N=1024");
    assert_int_equal(run.results[1].status, RESULT_SKIPPED);
    assert_string_equal(run.results[1].error, "nvbench skipped it: too big");
}

static void google_benchmark_takes_repetitions_not_aggregates(void **state)
{
    load("google_benchmark.json", NULL);
    assert_int_equal(run.result_count, 1);
    assert_int_equal(run.results[0].time.summary.count, 2);
    NEAR(run.results[0].time.summary.median, 2000);
}

static void ncu_summaries_are_one_figure_with_its_extremes(void **state)
{
    static const char text[] =
        "\"Process ID\";\"Kernel Name\";\"Invocations\";\"Metric Name\";\"Metric Unit\";"
        "\"Minimum\";\"Maximum\";\"Average\"\n"
        "\"7\";\"k\";\"3\";\"gpu__time_duration.sum\";\"usecond\";\"1,5\";\"1.002,5\";\"2,5\"\n";
    struct import_request request = {0};
    if (!import_bytes(&arena, &request, "f.csv", text, strlen(text), &run, &err))
        fail_msg("%s", err.message);
    NEAR(run.results[0].time.summary.median, 2500);
    NEAR(run.results[0].time.summary.low, 1500);
    NEAR(run.results[0].time.summary.high, 1002500);
}

static void numbers_of_locales(void **state)
{
    static const struct {
        const char *text;
        bool decimal_comma;
        double value;
    } rows[] = {{"4,963,609,951.19", false, 4963609951.19},
                {"1,024", false, 1024},
                {"1,5", false, 1.5},
                {"1.024", false, 1.024},
                {"1.024", true, 1024},
                {"1.234.567,89", true, 1234567.89},
                {"12 345", false, 12345},
                {"1\xe2\x80\xaf"
                 "234,5",
                 true, 1234.5},
                {"0.00000000e+00", false, 0},
                {"-3", false, -3}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double value = 0;
        assert_int_equal(number_read(rows[i].text, rows[i].decimal_comma, &value), NUMBER_OK);
        NEAR(value, rows[i].value);
    }
    double value;
    assert_int_equal(number_read("n/a", false, &value), NUMBER_ABSENT);
    assert_int_equal(number_read("12x", false, &value), NUMBER_BAD);
}

static void units_scale(void **state)
{
    NEAR(unit_factor("msecond"), 1e6);
    NEAR(unit_factor("us"), 1e3);
    NEAR(unit_factor("Gbyte"), 1e9);
    NEAR(unit_factor("byte/block"), 1);
    NEAR(unit_factor("%"), 1);
}

static void volumes_of_locales(void **state)
{
    NEAR(volume_read("(32, 8, 1)"), 256);
    NEAR(volume_read("4096,2,1"), 8192);
    NEAR(volume_read(" 1024    2    1"), 2048);
    NEAR(volume_read("(1.024, 2, 1)"), 2048);
    NEAR(volume_read("(1,024, 2, 1)"), 2048);
    NEAR(volume_read("(1,024,000, 2, 1)"), 2048000);
    assert_true(volume_read("none") == 0);
}

static void take(const char *text)
{
    struct import_request request = {0};
    if (!import_bytes(&arena, &request, "f.csv", text, strlen(text), &run, &err))
        fail_msg("%s", err.message);
}

// As ncu writes it under LC_ALL=de_DE: fields part at ';', several kernels and launches.
static void ncu_raw_of_a_german_locale(void **state)
{
    take("\"ID\";\"Kernel Name\";\"Block Size\";\"Grid Size\";\"gpu__time_duration.sum\";"
         "\"dram__bytes_read.sum\"\n"
         "\"\";\"\";\"\";\"\";\"usecond\";\"Mbyte\"\n"
         "\"0\";\"k(int)\";\"(256, 1, 1)\";\"(1.024, 1, 1)\";\"1.234,5\";\"16,9\"\n"
         "\"1\";\"k(int)\";\"(256, 1, 1)\";\"(1.024, 1, 1)\";\"1.234,5\";\"16,9\"\n"
         "\"2\";\"h(int)\";\"(256, 1, 1)\";\"(1.024, 1, 1)\";\"234,567\";\"1.016,9\"\n");
    assert_int_equal(run.result_count, 2);
    assert_int_equal(run.results[0].time.summary.count, 2);
    NEAR(run.results[0].time.summary.median, 1234500);
    NEAR(counter(0, COUNTER_GRID_BLOCKS), 1024);
    NEAR(counter(0, COUNTER_DRAM_READ_BYTES), 16.9e6);
    NEAR(run.results[1].time.summary.median, 234567);
    NEAR(counter(1, COUNTER_DRAM_READ_BYTES), 1016.9e6);
}

// The decimal comma shows only in "1.234,5": it holds for "234,567" of the same file too.
static void ncu_details_of_a_german_locale(void **state)
{
    take("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
         "\"0\",\"k\",\"Duration\",\"usecond\",\"1.234,5\"\n"
         "\"1\",\"h\",\"Duration\",\"usecond\",\"234,567\"\n");
    NEAR(run.results[0].time.summary.median, 1234500);
    NEAR(run.results[1].time.summary.median, 234567);
}

static void ncu_raw_without_units_is_in_single_ones(void **state)
{
    take("ID,Kernel Name,gpu__time_duration.sum,dram__bytes_read.sum\n"
         "0,k,\"1,234.5\",\"1,048,576\"\n");
    NEAR(run.results[0].time.summary.median, 1234.5);
    NEAR(counter(0, COUNTER_DRAM_READ_BYTES), 1048576);
}

static void figures_that_are_nan_are_absent(void **state)
{
    take("ID,Kernel Name,gpu__time_duration.sum,dram__bytes_read.sum,smsp__inst_executed.sum\n"
         "0,k,NaN,-nan,Inf\n");
    assert_int_equal(run.results[0].time.provenance, PROVENANCE_ABSENT);
    assert_false(counters_has(&run.results[0].counters, COUNTER_DRAM_READ_BYTES));
    assert_false(counters_has(&run.results[0].counters, COUNTER_WARP_INSTRUCTIONS));
}

static void launches_of_no_time_are_left_out(void **state)
{
    take("ID,Kernel Name,gpu__time_duration.sum\n0,k,0\n1,k,5\n2,z,0\n");
    assert_int_equal(run.results[0].time.summary.count, 1);
    assert_string_equal(run.results[0].title,
                        "1 of 2 launches took 0 ns by the tool's clock: left out");
    assert_int_equal(run.results[1].time.provenance, PROVENANCE_ABSENT);
}

static void rejects_a_time_that_cannot_be(void **state)
{
    reject(NULL, "ID,Kernel Name,gpu__time_duration.sum\n0,k,-5\n",
           "a launch took -5 ns, which cannot be: export the file again\n  in kernel 'k' of f.csv");
}

static void rejects_a_sum_that_cannot_be(void **state)
{
    reject(
        NULL, "Total Time (ns),Instances,Med (ns),Name\n7,7,1e29,k\n",
        "a launch took 1e+29 ns, which cannot be: export the file again\n  in kernel 'k' of f.csv");
}

static void rejects_a_huge_metric(void **state)
{
    reject(NULL, "ID,Kernel Name,smsp__inst_executed.sum\n0,k,1e308\n",
           "f.csv:2: the value of 'smsp__inst_executed.sum' is '1e308', which is no number: export "
           "the file again");
}

static void rejects_an_unknown_file(void **state)
{
    reject(NULL, "hello\n",
           "f.csv: this is no file of a profiler that ridge knows: it reads nsys-sqlite, nvbench, "
           "google-benchmark, ncu, nsys-stats, rocprof-compute, rocprof; where it is one of them, "
           "say which with "
           "--format");
}

static void rejects_an_unknown_format(void **state)
{
    reject("nvbnch", "hello\n",
           "there is no format 'nvbnch' (did you mean 'nvbench'?): it is one of nsys-sqlite, "
           "nvbench, google-benchmark, ncu, nsys-stats, rocprof-compute, rocprof");
}

static void rejects_an_open_quote(void **state)
{
    reject(NULL, "\"ID\",\"Kernel Name\"\n\"0\",\"scale",
           "f.csv:2: a quoted field has no closing quote, so the file was cut off or is not CSV: "
           "export it again");
}

static void rejects_a_row_without_a_kernel(void **state)
{
    reject(NULL, "ID,Kernel Name,smsp__inst_executed.sum\n0,k,1\n1\n",
           "f.csv:3: the row has no 'Kernel Name' (1 of 3 fields), so it was cut off: export the "
           "file again");
}

static void rejects_a_metric_that_is_no_number(void **state)
{
    reject(
        NULL, "ID,Kernel Name,smsp__inst_executed.sum\n0,k,1x\n",
        "f.csv:2: the value of 'smsp__inst_executed.sum' is '1x', which is no number: export the "
        "file again");
}

static void rejects_a_file_without_kernels(void **state)
{
    reject(NULL, "ID,Kernel Name\n",
           "f.csv: no kernel is in this ncu file: profile a program that launches one");
}

static void rejects_json_that_is_cut_off(void **state)
{
    reject("nvbench", "{\"benchmarks\":\n",
           "f.csv:2: not JSON: unexpected token near end of file: export the file again");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(ncu_raw_scales_units_and_makes_launches_samples),
        TEST(ncu_raw_without_a_chip_is_not_diagnosed),
        TEST(ncu_details_passes_over_rules_and_words),
        TEST(nsys_stats_keeps_the_interval_from_fastest_to_slowest),
        TEST(nsys_sqlite_takes_every_launch_and_the_chip),
        TEST(rocprofv3_counters_time_a_dispatch_once),
        TEST(rocprofv3_counts_of_arithmetic_are_operations),
        TEST(rocprofv3_of_a_known_chip_has_occupancy_calculated),
        TEST(rocprof_stats_give_the_mean),
        TEST(rocprof_compute_reads_a_workloads_folder),
        TEST(rejects_a_folder_without_a_workload),
        TEST(rejects_a_sysinfo_that_was_cut_off),
        TEST(nvbench_reads_text_seconds_and_skipped_states),
        TEST(google_benchmark_takes_repetitions_not_aggregates),
        TEST(ncu_summaries_are_one_figure_with_its_extremes),
        TEST(numbers_of_locales),
        TEST(units_scale),
        TEST(volumes_of_locales),
        TEST(ncu_raw_of_a_german_locale),
        TEST(ncu_details_of_a_german_locale),
        TEST(ncu_raw_without_units_is_in_single_ones),
        TEST(figures_that_are_nan_are_absent),
        TEST(launches_of_no_time_are_left_out),
        TEST(rejects_a_time_that_cannot_be),
        TEST(rejects_a_sum_that_cannot_be),
        TEST(rejects_a_huge_metric),
        TEST(rejects_an_unknown_file),
        TEST(rejects_an_unknown_format),
        TEST(rejects_an_open_quote),
        TEST(rejects_a_row_without_a_kernel),
        TEST(rejects_a_metric_that_is_no_number),
        TEST(rejects_a_file_without_kernels),
        TEST(rejects_json_that_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
