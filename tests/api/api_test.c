// The library as a program has it, on the simulated H200: regions measured, wrong calls refused with a
// reason, what is compared and recorded. Compiled by clang.
// SPDX-License-Identifier: Apache-2.0
#include "journal/journal.h"
#include "ridge.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 4096 };

static const char kernels[] =
    "extern \"C\" __global__ void twice(float *out, const float *in, int n)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n        out[i] = 2 * in[i];\n}\n"
    "extern \"C\" __global__ void strided(float *out, const float *in, int n)\n{\n"
    "    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 33 % n;\n    out[i] = 2 * in[i];\n}\n"
    "extern \"C\" __global__ void beyond(float *out, const float *in, int n)\n{\n"
    "    out[blockIdx.x * blockDim.x + threadIdx.x + n] = in[0];\n}\n";

struct rig {
    struct arena arena;
    ridge *r;
    ridge_module *module;
    uint64_t in, out;
    const char *journal;
};

struct work { // of a region
    const struct rig *rig;
    const char *kernel;
    int times, calls, prepared, refuse;
};

static void ok(int status)
{
    if (status != RIDGE_OK)
        fail_msg("status %d: %s", status, ridge_error());
}

static void refused(int status, int wanted, const char *words)
{
    assert_int_equal(status, wanted);
    if (!strstr(ridge_error(), words))
        fail_msg("'%s' is not in: %s", words, ridge_error());
}

static const char *file_in(struct arena *a, const char *name)
{
    const char *folder = getenv("TMPDIR");
    return path_join(a, folder ? folder : "/tmp", name);
}

static struct rig *rig_open(const char *journal)
{
    struct rig *rig = xcalloc(1, sizeof *rig);
    struct error err = {0};
    float data[N];
    const char *source = file_in(&rig->arena, "api_kernels.cu");
    if (!program_find(&rig->arena, "clang"))
        skip();
    if (!file_write(source, kernels, strlen(kernels), &err))
        fail_msg("%s", err.message);
    rig->journal = file_in(&rig->arena, journal);
    (void)remove(rig->journal);
    struct ridge_options options = {
        .program = "api", .journal = rig->journal, .compiler = "clang", .threads = 1};
    ok(ridge_open("sim:h200", &options, &rig->r));
    ok(ridge_compile(rig->r, source, NULL, 0, &rig->module));
    ok(ridge_alloc(rig->r, "in", sizeof data, &rig->in));
    ok(ridge_alloc(rig->r, "out", sizeof data, &rig->out));
    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    ok(ridge_write(rig->r, rig->in, data, sizeof data));
    return rig;
}

static void rig_close(struct rig *rig)
{
    ok(ridge_close(rig->r));
    arena_release(&rig->arena);
    free(rig);
}

static int start(const struct rig *rig, const char *kernel, void *stream)
{
    struct ridge_argument arguments[] = {ridge_address(rig->out), ridge_address(rig->in),
                                         ridge_i32(N)};
    struct ridge_launch launch = {.kernel = kernel,
                                  .grid = {N / 256},
                                  .block = {256},
                                  .arguments = arguments,
                                  .argument_count = 3};
    return ridge_launch(rig->module, &launch, stream);
}

static int enqueue(void *user, void *stream)
{
    struct work *w = user;
    w->calls++;
    for (int i = 0; i < w->times; i++)
        if (start(w->rig, w->kernel, stream) != RIDGE_OK)
            return 1;
    return w->refuse;
}

static int prepare(void *user, void *stream)
{
    struct work *w = user;
    (void)stream;
    w->prepared++;
    return 0;
}

static int measure(struct rig *rig, const char *name, struct work *w,
                   const struct ridge_measure_options *options, ridge_result **out)
{
    struct ridge_region region = {
        .name = name, .enqueue = enqueue, .user = w, .work = {.bytes = 2.0 * 4 * N}};
    return ridge_measure(rig->r, &region, 1, NULL, options, out);
}

static struct ridge_summary summary_of(const ridge_result *x)
{
    struct ridge_summary s;
    ok(ridge_summarize(x, &s));
    return s;
}

/* ---- measuring --------------------------------------------------------------------------------- */

static void region_is_measured_counted_and_does_its_work(void **state)
{
    struct rig *rig = rig_open("measured.sqlite");
    struct work fast = {.rig = rig, .kernel = "twice", .times = 1},
                slow = {.rig = rig, .kernel = "strided", .times = 1};
    struct ridge_region regions[] = {
        {.name = "fast", .enqueue = enqueue, .prepare = prepare, .user = &fast},
        {.name = "slow", .enqueue = enqueue, .user = &slow}};
    ridge_result *results[2];
    float out[N];
    const char *provenance;
    double sectors = 0;
    assert_int_equal(ridge_is_simulated(rig->r), 1);
    assert_string_equal(ridge_device(rig->r), "sim:h200");
    ok(ridge_measure(rig->r, regions, 2, NULL, NULL, results));
    struct ridge_summary s = summary_of(results[0]);
    assert_string_equal(s.name, "fast");
    assert_string_equal(s.provenance, "modelled");
    assert_int_equal(s.sample_count, 1);
    assert_true(s.median_ns > 0);
    assert_int_equal(fast.calls, 1);
    assert_int_equal(fast.prepared, 1);
    ok(ridge_get_counter(results[0], "global_load_sectors", &sectors, &provenance));
    assert_true(fabs(sectors - N * 4.0 / 32) < 0.5); // each sector once
    assert_string_equal(provenance, "simulated");
    ok(ridge_get_counter(results[1], "load_sectors_per_request", &sectors, NULL));
    assert_true(sectors > 30);
    ok(ridge_read(rig->r, out, rig->out, sizeof out));
    assert_true(fabsf(out[N - 1] - 2.0f * (N - 1)) < 0.5f);
    rig_close(rig);
}

static void launches_of_a_region_add_up_and_warm_is_not_cold(void **state)
{
    struct rig *rig = rig_open("sums.sqlite");
    struct work once = {.rig = rig, .kernel = "twice", .times = 1},
                thrice = {.rig = rig, .kernel = "twice", .times = 3};
    struct ridge_measure_options warm = {.warm = 1};
    ridge_result *one, *three, *again;
    double bytes = 0, more = 0;
    ok(measure(rig, "one", &once, NULL, &one));
    ok(measure(rig, "three", &thrice, NULL, &three));
    ok(ridge_get_counter(one, "global_load_requests", &bytes, NULL));
    ok(ridge_get_counter(three, "global_load_requests", &more, NULL));
    assert_true(fabs(more - 3 * bytes) < 0.5);
    assert_true(summary_of(three).median_ns > 2 * summary_of(one).median_ns);
    ok(measure(rig, "warm", &once, &warm, &again));
    assert_int_equal(once.calls, 3); // once cold; warm: once to warm up
    ok(ridge_get_counter(one, "dram_read_bytes", &bytes, NULL));
    ok(ridge_get_counter(again, "dram_read_bytes", &more, NULL));
    assert_true(bytes > 0 && more < bytes / 2);
    rig_close(rig);
}

static void region_between_begin_and_end_is_a_sample(void **state)
{
    struct rig *rig = rig_open("course.sqlite");
    ridge_result *x, *other;
    ok(ridge_result_open(rig->r, "step", "N=1", &x));
    ok(ridge_result_open(rig->r, "other", NULL, &other));
    for (int i = 0; i < 3; i++) {
        ok(ridge_begin(x, NULL));
        ok(start(rig, "twice", NULL));
        refused(ridge_begin(other, NULL), RIDGE_BAD_INPUT, "'step' is not ended");
        ok(ridge_end(x, NULL));
    }
    refused(ridge_end(x, NULL), RIDGE_BAD_INPUT, "'step' is not begun");
    assert_int_equal(summary_of(x).sample_count, 3);
    ok(ridge_begin(x, NULL));
    refused(ridge_end(x, NULL), RIDGE_BAD_INPUT, "ran no kernel");
    refused(ridge_add_sample(x, 5), RIDGE_BAD_INPUT, "are modelled, so a measured one");
    rig_close(rig);
}

/* ---- what goes wrong ---------------------------------------------------------------------------------- */

static void wrong_calls_say_what_is_wrong(void **state)
{
    struct rig *rig = rig_open("wrong.sqlite");
    ridge *none = NULL;
    ridge_module *m = NULL;
    ridge_result *x = NULL;
    double value = 0;
    refused(ridge_open("sim:h20", NULL, &none), RIDGE_BAD_INPUT, "did you mean 'sim:h200'?");
    assert_null(none);
    refused(ridge_open("cuda:99", NULL, &none), RIDGE_BAD_SYSTEM, "cuda:99");
    refused(ridge_open("sim:h200", NULL, NULL), RIDGE_BAD_INPUT, "out is NULL");
    refused(ridge_alloc(NULL, "a", 1, &rig->in), RIDGE_BAD_INPUT, "the device is NULL");
    refused(ridge_write(rig->r, rig->in, NULL, 4), RIDGE_BAD_INPUT, "data is NULL");
    refused(ridge_compile(rig->r, "/nowhere/k.cu", NULL, 0, &m), RIDGE_BAD_INPUT, "k.cu");
    refused(start(rig, "twise", NULL), RIDGE_BAD_INPUT, "did you mean 'twice'?");
    refused(ridge_measure(rig->r, NULL, 1, NULL, NULL, &x), RIDGE_BAD_INPUT, "regions is NULL");
    struct ridge_region nothing = {.name = "nothing"};
    refused(ridge_measure(rig->r, &nothing, 1, NULL, NULL, &x), RIDGE_BAD_INPUT,
            "no enqueue function");
    refused(ridge_measure(rig->r, &nothing, 0, NULL, NULL, &x), RIDGE_BAD_INPUT, "0 regions");
    ok(ridge_result_open(rig->r, "x", NULL, &x));
    refused(ridge_set_counter(x, "dram_read_byte", 1), RIDGE_BAD_INPUT,
            "did you mean 'dram_read_bytes'?");
    refused(ridge_set_counter(x, "load_sectors_per_request", 1), RIDGE_BAD_INPUT, "made of other");
    refused(ridge_get_counter(x, "no such thing", &value, NULL), RIDGE_BAD_INPUT, "no counter");
    refused(ridge_set_counter(x, "dram_read_bytes", -1), RIDGE_BAD_INPUT, "-1 is no value");
    refused(ridge_set_counter(x, "dram_read_bytes", (double)NAN), RIDGE_BAD_INPUT, "no value");
    refused(ridge_add_sample(x, -1), RIDGE_BAD_INPUT, "no time");
    struct work idle = {.rig = rig, .kernel = "twice", .times = 1};
    struct ridge_region odd = {
        .name = "odd", .enqueue = enqueue, .user = &idle, .work = {.bytes = (double)NAN}};
    refused(ridge_measure(rig->r, &odd, 1, NULL, NULL, &x), RIDGE_BAD_INPUT, "the work of region");
    odd.work = (struct ridge_work){.flops_f32 = -1};
    refused(ridge_measure(rig->r, &odd, 1, NULL, NULL, &x), RIDGE_BAD_INPUT, "the work of region");
    refused(ridge_measure(rig->r, &odd, INT32_MAX, NULL, NULL, &x), RIDGE_BAD_INPUT, "regions:");
    refused(ridge_compile(rig->r, "k.cu", (const char *const[]){"A"}, INT32_MAX, &m),
            RIDGE_BAD_INPUT, "definitions");
    rig_close(rig);
}

static void arguments_are_checked_against_the_kernel(void **state)
{
    struct rig *rig = rig_open("arguments.sqlite");
    struct ridge_argument wrong[] = {ridge_address(rig->out), ridge_address(rig->in), ridge_i64(N)};
    struct ridge_launch launch = {
        .kernel = "twice", .grid = {1}, .block = {32}, .arguments = wrong, .argument_count = 3};
    refused(ridge_launch(rig->module, &launch, NULL), RIDGE_BAD_INPUT, "argument 3");
    launch.argument_count = 2;
    refused(ridge_launch(rig->module, &launch, NULL), RIDGE_BAD_INPUT, "takes 3 arguments");
    launch.argument_count = 3;
    launch.argument_count = INT32_MAX; // not memory for so many
    refused(ridge_launch(rig->module, &launch, NULL), RIDGE_BAD_INPUT, "set argument_count");
    launch.argument_count = 3;
    wrong[2] = (struct ridge_argument){.type = (enum ridge_type)77};
    refused(ridge_launch(rig->module, &launch, NULL), RIDGE_BAD_INPUT, "argument 3");
    wrong[2] = ridge_i32(N);
    launch.block[0] = 4096;
    refused(ridge_launch(rig->module, &launch, NULL), RIDGE_BAD_INPUT, "block");
    rig_close(rig);
}

static int close_inside(void *user, void *stream)
{
    const struct work *w = user;
    (void)stream;
    refused(ridge_close(w->rig->r), RIDGE_BAD_INPUT, "inside a region's function");
    ridge_result *x;
    struct ridge_region again = {.name = "again", .enqueue = close_inside, .user = user};
    refused(ridge_measure(w->rig->r, &again, 1, NULL, NULL, &x), RIDGE_BAD_INPUT,
            "inside a region");
    return start(w->rig, "twice", NULL);
}

static void device_is_not_closed_under_a_region_at_work(void **state)
{
    struct rig *rig = rig_open("inside.sqlite");
    struct work w = {.rig = rig};
    ridge_result *x;
    struct ridge_region region = {.name = "closes", .enqueue = close_inside, .user = &w};
    ok(ridge_measure(rig->r, &region, 1, NULL, NULL, &x));
    rig_close(rig);
}

static void faulty_kernel_ends_the_measuring_and_the_device_goes_on(void **state)
{
    struct rig *rig = rig_open("faulty.sqlite");
    struct work bad = {.rig = rig, .kernel = "beyond", .times = 1},
                refusing = {.rig = rig, .kernel = "twice", .times = 1, .refuse = 7},
                idle = {.rig = rig, .kernel = "twice"},
                good = {.rig = rig, .kernel = "twice", .times = 1};
    ridge_result *x;
    refused(measure(rig, "bad", &bad, NULL, &x), RIDGE_FAILED_CHECK, "kernel 'beyond'");
    refused(RIDGE_FAILED_CHECK, RIDGE_FAILED_CHECK, "in region 'bad'");
    refused(measure(rig, "refusing", &refusing, NULL, &x), RIDGE_FAILED_CHECK, "returned 7");
    refused(measure(rig, "idle", &idle, NULL, &x), RIDGE_BAD_INPUT, "ran no kernel");
    ok(measure(rig, "good", &good, NULL, &x));
    rig_close(rig);
}

/* ---- comparing ------------------------------------------------------------------------------------------ */

static ridge_result *samples(struct rig *rig, const char *name, double about_ns)
{
    ridge_result *x;
    ok(ridge_result_open(rig->r, name, NULL, &x));
    for (int i = 0; i < 40; i++)
        ok(ridge_add_sample(x, about_ns + (i * 7) % 11));
    return x;
}

static void verdict_is_that_of_the_samples(void **state)
{
    struct rig *rig = rig_open("verdict.sqlite");
    ridge_result *base = samples(rig, "base", 1000), *half = samples(rig, "half", 500),
                 *same = samples(rig, "same", 1001), *empty, *modelled;
    struct work w = {.rig = rig, .kernel = "twice", .times = 1};
    struct ridge_comparison c;
    ok(ridge_compare(base, half, &c));
    assert_int_equal(c.verdict, RIDGE_FASTER);
    assert_true(c.low <= c.ratio && c.ratio <= c.high && fabs(c.ratio - 2) < 0.05);
    ok(ridge_compare(half, base, &c));
    assert_int_equal(c.verdict, RIDGE_SLOWER);
    assert_string_equal(ridge_verdict_name(c.verdict), "slower");
    ok(ridge_compare(base, same, &c));
    assert_int_equal(c.verdict, RIDGE_SAME);
    ok(ridge_result_open(rig->r, "empty", NULL, &empty));
    refused(ridge_compare(base, empty, &c), RIDGE_BAD_INPUT, "'empty' has no times");
    ok(measure(rig, "modelled", &w, NULL, &modelled));
    refused(ridge_compare(base, modelled, &c), RIDGE_BAD_INPUT, "say nothing of each other");
    rig_close(rig);
}

/* ---- recording ------------------------------------------------------------------------------------------- */

static void journal_has_what_was_recorded(void **state)
{
    struct rig *rig = rig_open("recorded.sqlite");
    struct work fast = {.rig = rig, .kernel = "twice", .times = 1},
                slow = {.rig = rig, .kernel = "strided", .times = 1};
    struct ridge_measure_options options = {.case_label = "N=4096 mode=a"};
    ridge_result *first, *second;
    struct error err = {0};
    struct journal *j = NULL;
    struct run run = {0};
    assert_true(ridge_run_id(rig->r) == 0);
    assert_null(ridge_journal_path(rig->r));
    ridge_range_push("solve");
    ridge_range_push("inner");
    ok(measure(rig, "slow", &slow, &options, &first));
    ridge_range_pop();
    ok(measure(rig, "fast", &fast, &options, &second));
    ridge_range_pop();
    ok(ridge_record(first, NULL));
    ok(ridge_record(second, first));
    refused(ridge_record(second, NULL), RIDGE_BAD_INPUT, "recorded before");
    refused(ridge_add_sample(second, 1), RIDGE_BAD_INPUT, "has been recorded");
    int64_t id = ridge_run_id(rig->r);
    assert_string_equal(ridge_journal_path(rig->r), rig->journal);
    struct arena a = {0};
    const char *journal = arena_strdup(&a, rig->journal);
    rig_close(rig);

    if (!journal_open(journal, true, &j, &err) || !journal_get_run(j, &a, id, NULL, &run, &err))
        fail_msg("%s", err.message);
    assert_string_equal(run.header.experiment, "api");
    assert_string_equal(run.header.device_id, "sim:h200");
    assert_string_equal(run.header.cache_state, "cold");
    assert_int_equal(run.result_count, 2);
    const struct result *r = &run.results[1];
    assert_string_equal(run.results[0].variant, "solve/inner/slow");
    assert_string_equal(r->variant, "solve/fast");
    assert_string_equal(r->from, "solve/inner/slow");
    assert_int_equal(r->time.provenance, PROVENANCE_MODELLED);
    assert_true(r->speedup.valid && r->speedup.comparison.verdict == VERDICT_FASTER);
    assert_true(r->diagnosed && r->diagnosis.limiter && r->diagnosis.throughput_gbps > 0);
    assert_true(run.results[0].line_count > 0);
    assert_true(counters_has(&r->counters, COUNTER_GLOBAL_LOAD_SECTORS));
    assert_int_equal(r->param_count, 1);
    assert_string_equal(r->params[0].name, "N");
    assert_int_equal(r->params[0].value.i, 4096);
    json_decref(run.header.environment);
    journal_close(j);
    arena_release(&a);
}

static void journal_that_cannot_be_written_is_an_error(void **state)
{
    ridge *r;
    ridge_result *x;
    struct ridge_options options = {.journal = "/proc/none/journal.sqlite"};
    ok(ridge_open("sim:h200", &options, &r));
    ok(ridge_result_open(r, "x", NULL, &x));
    ok(ridge_add_sample(x, 10));
    refused(ridge_record(x, NULL), RIDGE_BAD_SYSTEM, "cannot open the journal");
    assert_true(ridge_run_id(r) == 0);
    ok(ridge_close(r));
    ok(ridge_close(NULL));
}

static void shares_follow_what_devices_did(void **state)
{
    ridge_shares *s = NULL;
    struct ridge_shares_options o = {.granule = 10};
    uint64_t shares[3], dealt = 0;
    (void)state;
    ok(ridge_shares_open(3, &o, &s));
    ok(ridge_split(s, 300, shares, NULL));
    assert_true(shares[0] == 100 && shares[1] == 100 && shares[2] == 100);
    ok(ridge_shares_add(s, 0, 100, 1000, 0));
    ok(ridge_shares_add(s, 1, 100, 3000, 0));
    ok(ridge_shares_add(s, 2, 100, 3000, 0));
    assert_float_equal(ridge_shares_rate(s, 0), 1e8, 1);
    ok(ridge_split(s, 500, shares, &dealt));
    assert_true(shares[0] == 300 && shares[1] == 100 && shares[2] == 100 && dealt == 500);
    ok(ridge_shares_limit(s, 0, 205));
    ok(ridge_shares_lose(s, 2));
    ok(ridge_split(s, 500, shares, &dealt));
    assert_true(shares[0] == 200 && shares[1] == 300 && shares[2] == 0 && dealt == 500);
    ok(ridge_shares_lose(s, 1));
    ok(ridge_split(s, 500, shares, &dealt));
    assert_true(shares[0] == 200 && dealt == 200); // the rest does not fit at once
    ok(ridge_shares_lose(s, 0));
    refused(ridge_split(s, 500, shares, &dealt), RIDGE_BAD_SYSTEM, "every device is lost");
    refused(ridge_shares_add(s, 3, 1, 1, 0), RIDGE_BAD_INPUT,
            "there is no device 3: they are 0 to 2");
    refused(ridge_shares_add(s, 0, 1, -1, 0), RIDGE_BAD_INPUT, "must be above 0");
    assert_true(isnan(ridge_shares_rate(s, 3)));
    ridge_shares_close(s);
    ridge_shares_close(NULL);
    o.weight = 2;
    refused(ridge_shares_open(2, &o, &s), RIDGE_BAD_INPUT, "the weight is 2");
    refused(ridge_shares_open(0, NULL, &s), RIDGE_BAD_INPUT, "at least 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_follow_what_devices_did),
        cmocka_unit_test(region_is_measured_counted_and_does_its_work),
        cmocka_unit_test(launches_of_a_region_add_up_and_warm_is_not_cold),
        cmocka_unit_test(region_between_begin_and_end_is_a_sample),
        cmocka_unit_test(wrong_calls_say_what_is_wrong),
        cmocka_unit_test(arguments_are_checked_against_the_kernel),
        cmocka_unit_test(device_is_not_closed_under_a_region_at_work),
        cmocka_unit_test(faulty_kernel_ends_the_measuring_and_the_device_goes_on),
        cmocka_unit_test(verdict_is_that_of_the_samples),
        cmocka_unit_test(journal_has_what_was_recorded),
        cmocka_unit_test(journal_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
