// The loop on small experiments of its own: each way a variant can end costs that variant only, what
// is finished stays, and what is recorded is what happened. Runs on the simulated GPU, by clang.
// run-early: it takes long.
// SPDX-License-Identifier: Apache-2.0
#include "loop/loop.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] =
    "extern \"C\" __global__ void right(float *out, const float *in, int n)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n        out[i] = 2 * "
    "in[i];\n}\n"
    "extern \"C\" __global__ void strided(float *out, const float *in, int n)\n{\n"
    "    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 33 % n;\n    out[i] = 2 * in[i];\n}\n"
    "extern \"C\" __global__ void wrong(float *out, const float *in, int n)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = 2 * in[i] + (i == 5 ? 1.0f : "
    "0.0f);\n}\n"
    "extern \"C\" __global__ void half(float *out, const float *in, int n)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n / 2)\n        out[i] = 2 * "
    "in[i];\n}\n"
    "extern \"C\" __global__ void beyond(float *out, const float *in, int n)\n{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i + 1] = 2 * in[i];\n}\n"
    "extern \"C\" __global__ void endless(float *out, const float *in, int n)\n{\n"
    "    volatile float *o = out;\n    while (o[0] != 123.0f)\n        o[0] = in[0];\n}\n";

static const char reference[] = "void double_ref(float *out, const float *in, int n)\n{\n"
                                "    for (int i = 0; i < n; i++)\n        out[i] = 2 * in[i];\n}\n"
                                "void crash_ref(float *out, const float *in, int n)\n{\n"
                                "    (void)out; (void)in; (void)n; *(volatile int *)8 = 1;\n}\n"
                                "void hang_ref(float *out, const float *in, int n)\n{\n"
                                "    (void)out; (void)in; for (volatile int i = n; i; ) { }\n}\n";

struct rig {
    struct arena arena;
    struct loop_request request;
    struct loop_events events;
    bool alarm_after_first; // result: a second later
    struct run run;
    struct error err;
    int results, progress_calls;
    double last_share, last_left_s;
    bool phases_compile, phases_reference, phases_run;
    volatile bool cancel;
    bool kill_workers, stop_after_first;
};

// Kills the worker processes of this one, as a crash of theirs would end them.
static void kill_children(void)
{
    char list[512] = "";
    int fd = open("/proc/thread-self/children", O_RDONLY);
    ssize_t size = fd >= 0 ? read(fd, list, sizeof list - 1) : 0;
    for (const char *at = list; size > 0 && *at >= '0' && *at <= '9';) {
        int pid = 0;
        for (; *at >= '0' && *at <= '9'; at++)
            pid = 10 * pid + (*at - '0');
        at += *at == ' ';
        kill(pid, SIGSEGV);
    }
    if (fd >= 0)
        close(fd);
}

static bool on_result(void *context, const struct result *r, struct error *err)
{
    struct rig *rig = context;
    rig->results++;
    assert_non_null(r->variant);
    if (rig->alarm_after_first && rig->results == 1)
        (void)alarm(1);
    if (rig->stop_after_first)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "the journal's disk is full");
    return true;
}

static void on_progress(void *context, const struct run_progress *p)
{
    struct rig *rig = context;
    const char *phase = p->phase, *variant = p->variant;
    rig->progress_calls++;
    assert_true(p->share >= rig->last_share && p->share <= 1);
    assert_non_null(p->case_label);
    rig->last_share = p->share;
    rig->last_left_s = p->left_s;
    rig->phases_compile = rig->phases_compile || strcmp(phase, "compiling") == 0;
    rig->phases_reference = rig->phases_reference || strcmp(phase, "reference") == 0;
    bool runs = strcmp(phase, "verifying and counting") == 0;
    rig->phases_run = rig->phases_run || runs;
    if (rig->kill_workers && runs && variant && strcmp(variant, "endless") == 0)
        kill_children();
}

static void put(struct arena *a, const char *folder, const char *name, const char *text)
{
    struct error err = {0};
    if (!file_write(path_join(a, folder, name), text, strlen(text), &err))
        fail_msg("%s", err.message);
}

// names: variants by kernel name, each answering the first.
static void rig_init(struct rig *r, const char *reference_name, const char *const *names,
                     const char *more)
{
    *r = (struct rig){0};
    if (!program_find(&r->arena, "clang")) {
        print_message("clang is not here\n");
        arena_release(&r->arena);
        skip();
    }
    const char *tmp = getenv("TMPDIR");
    char *folder = arena_printf(&r->arena, "%s/loop-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    struct text t = {0};
    text_printf(
        &t,
        "experiment: double\ntitle: Twice a vector\nsource: k.cu\nreference: ref.c:%s\n"
        "params:\n  N: [1024]\n"
        "buffers:\n  in:\n    type: f32\n    count: N\n    fill: uniform(-1,1)\n"
        "  out:\n    type: f32\n    count: N\n    output: true\n    tolerance: {rel: 0, abs: 0}\n"
        "work:\n  bytes: 2*N*4\nvariants:\n",
        reference_name);
    for (int i = 0; names[i]; i++) {
        text_printf(&t, "  - name: %s\n", names[i]);
        if (i > 0)
            text_printf(&t,
                        "    from: %s\n    hypothesis: It is better.\n    expect: {time: -50%%}\n",
                        names[0]);
        text_printf(&t,
                    "    kernel: %s\n    grid: [ceil_div(N,128)]\n    block: [128]\n    args: "
                    "[out, in, N]\n",
                    names[i]);
    }
    text_add(&t, more ? more : "");
    put(&r->arena, folder, "experiment.yaml", t.data);
    put(&r->arena, folder, "k.cu", kernels);
    put(&r->arena, folder, "bad.cu",
        "__global__ void bad(float *out, const float *in, int n) { nonsense; }\n");
    put(&r->arena, folder, "ref.c", reference);
    text_release(&t);
    r->request =
        (struct loop_request){.experiment_path = folder, .device = "sim:h200", .compiler = "clang"};
    r->events = (struct loop_events){
        .progress = on_progress, .result = on_result, .context = r, .cancel = &r->cancel};
}

static bool rig_run(struct rig *r)
{
    return loop_run(&r->arena, &r->request, &r->events, &r->run, &r->err);
}

static void rig_must_run(struct rig *r)
{
    if (!rig_run(r))
        fail_msg("%s", r->err.message);
}

static void rig_release(struct rig *r)
{
    json_decref(r->run.header.environment);
    arena_release(&r->arena);
}

static void assert_has(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text ? text : "(null)");
}

static void assert_fine(const struct result *r)
{
    if (r->status != RESULT_OK)
        fail_msg("%s: %s", r->variant, r->error);
    assert_true(r->checked && r->verified);
    assert_null(r->error);
    assert_int_equal(r->time.provenance, PROVENANCE_MODELLED);
    assert_true(r->time.summary.median > 0);
    assert_true(r->diagnosed);
}

static void assert_not_timed(const struct result *r)
{
    assert_int_equal(r->time.provenance, PROVENANCE_ABSENT);
    assert_false(r->diagnosed);
    assert_false(r->speedup.valid);
}

/* ---- the plain way ----------------------------------------------------------------------------- */

static void variants_are_verified_timed_counted_diagnosed_and_judged(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"strided", "right", NULL}, NULL);
    rig_must_run(&r);
    assert_int_equal(r.run.result_count, 2);
    assert_int_equal(r.results, 2);
    const struct result *x = &r.run.results[0], *y = &r.run.results[1];
    assert_fine(x);
    assert_fine(y);
    assert_null(x->from);
    assert_string_equal(y->from, "strided");
    assert_string_equal(y->case_label, "N=1024");
    assert_true(counters_get(&y->counters, COUNTER_GLOBAL_LOAD_SECTORS, 0) == 1024 * 4 / 32);
    assert_true(counters_get(&x->counters, COUNTER_GLOBAL_LOAD_SECTORS, 0) == 1024);
    assert_true(y->speedup.valid);
    assert_string_equal(y->speedup.versus, "strided");
    assert_int_equal(y->expectation_count, 1);
    assert_int_not_equal(y->expectations[0].verdict, EXPECTATION_UNKNOWN);
    assert_true(y->line_count > 0);
    assert_string_equal(y->lines[0].file, "k.cu"); // relative to the experiment
    assert_true(y->diagnosis.floor_ns > 0);
    assert_int_equal(strlen(y->code_key), 32);
    assert_true(r.phases_compile && r.phases_reference && r.phases_run);
    assert_string_equal(r.run.header.device_id, "sim:h200");
    assert_string_equal(r.run.header.cache_state, "cold");
    rig_release(&r);
}

static void seed_given_is_the_seed_recorded_and_a_fresh_one_differs(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"right", NULL}, NULL);
    r.request.has_seed = true;
    r.request.seed = 42;
    rig_must_run(&r);
    assert_int_equal(r.run.results[0].seed, 42);
    rig_release(&r);
    uint64_t seeds[2];
    for (int i = 0; i < 2; i++) {
        rig_init(&r, "double_ref", (const char *const[]){"right", NULL}, NULL);
        rig_must_run(&r);
        seeds[i] = r.run.results[0].seed;
        rig_release(&r);
    }
    assert_true(seeds[0] != seeds[1]);
}

static void same_run_twice_gives_the_same_figures(void **state)
{
    json_t *json[2];
    for (int i = 0; i < 2; i++) {
        struct rig r;
        rig_init(&r, "double_ref", (const char *const[]){"strided", "right", NULL}, NULL);
        r.request.has_seed = true;
        r.request.threads = i == 0 ? 1 : 2;
        rig_must_run(&r);
        json[i] = json_pack("[o, o]", result_to_json(&r.run.results[0]),
                            result_to_json(&r.run.results[1]));
        for (size_t k = 0; k < 2; k++) // when it was done is the host's
            assert_int_equal(json_object_del(json_array_get(json[i], k), "phases"), 0);
        rig_release(&r);
    }
    assert_true(json_equal(json[0], json[1]));
    json_decref(json[0]);
    json_decref(json[1]);
}

static void warm_caches_read_less_from_device_memory_than_cold(void **state)
{
    double bytes[2];
    for (int warm = 0; warm < 2; warm++) {
        struct rig r;
        rig_init(&r, "double_ref", (const char *const[]){"right", NULL}, NULL);
        r.request.warm = warm;
        rig_must_run(&r);
        assert_fine(&r.run.results[0]);
        bytes[warm] = counters_get(&r.run.results[0].counters, COUNTER_DRAM_READ_BYTES, -1);
        rig_release(&r);
    }
    assert_true(bytes[0] >= 4096);
    assert_true(bytes[1] < bytes[0]);
}

// Modelled: 4 KiB each way at the chip file's rate, beside kernels that take as long as before.
static void copies_are_part_of_the_time_where_they_are_asked_for(void **state)
{
    double time_ns[2];
    for (int copies = 0; copies < 2; copies++) {
        struct rig r;
        rig_init(&r, "double_ref", (const char *const[]){"right", NULL}, NULL);
        r.request.with_transfers = copies;
        rig_must_run(&r);
        assert_fine(&r.run.results[0]);
        time_ns[copies] = r.run.results[0].time.summary.median;
        struct transfers t = transfers_of(&r.run.results[0].counters);
        assert_true(t.h2d_bytes == (copies ? 4096 : 0) && t.d2h_bytes == t.h2d_bytes);
        assert_true(fabs(t.h2d_ns - t.h2d_bytes / 55.4) < 1e-6);
        rig_release(&r);
    }
    assert_true(fabs(time_ns[1] - time_ns[0] - 2 * 4096 / 55.4) < 1e-6);
}

static void verify_only_checks_and_neither_times_nor_counts(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"right", "wrong", NULL}, NULL);
    r.request.verify_only = true;
    rig_must_run(&r);
    assert_true(r.run.results[0].verified);
    assert_not_timed(&r.run.results[0]);
    assert_int_equal(r.run.results[1].status, RESULT_WRONG);
    rig_release(&r);
}

static void chosen_variant_runs_with_the_one_it_answers(void **state)
{
    struct rig r;
    const char *const chosen[] = {"right"};
    rig_init(&r, "double_ref", (const char *const[]){"strided", "half", "right", NULL}, NULL);
    r.request.variants = chosen;
    r.request.variant_count = 1;
    rig_must_run(&r);
    assert_int_equal(r.run.result_count, 2);
    assert_string_equal(r.run.results[0].variant, "strided");
    assert_string_equal(r.run.results[1].variant, "right");
    assert_true(r.run.results[1].speedup.valid);
    rig_release(&r);
}

static void jobs_run_case_by_case_in_the_order_of_the_variants(void **state)
{
    static const char *const wanted[] = {"strided N=512", "right N=512", "strided N=1024",
                                         "right N=1024"};
    struct rig r;
    struct error err = {0};
    char *text = NULL;
    size_t size_bytes = 0;
    rig_init(&r, "double_ref", (const char *const[]){"strided", "right", NULL}, NULL);
    const char *path = path_join(&r.arena, r.request.experiment_path, "experiment.yaml");
    if (!file_read(path, 1 << 16, &text, &size_bytes, &err))
        fail_msg("%s", err.message);
    char *axis = strstr(text, "[1024]");
    assert_non_null(axis);
    const char *both = arena_printf(&r.arena, "%.*s[512, 1024]%s", (int)(axis - text), text,
                                    axis + strlen("[1024]"));
    free(text);
    put(&r.arena, r.request.experiment_path, "experiment.yaml", both);
    rig_must_run(&r);
    assert_int_equal(r.run.result_count, COUNT_OF(wanted));
    for (int i = 0; i < r.run.result_count; i++) {
        const struct result *x = &r.run.results[i];
        assert_string_equal(arena_printf(&r.arena, "%s %s", x->variant, x->case_label), wanted[i]);
        assert_fine(x);
        assert_true(x->speedup.valid == (i % 2 == 1)); // against its own case's first
    }
    rig_release(&r);
}

static void unknown_variant_is_refused_with_a_suggestion(void **state)
{
    struct rig r;
    const char *const chosen[] = {"rigth"};
    rig_init(&r, "double_ref", (const char *const[]){"strided", "right", NULL}, NULL);
    r.request.variants = chosen;
    r.request.variant_count = 1;
    assert_false(rig_run(&r));
    assert_string_equal(r.err.message,
                        "experiment 'double' has no variant 'rigth' (did you mean 'right'?)");
    rig_release(&r);
}

/* ---- every way to fail costs that variant only ----------------------------------------------- */

static void wrong_result_is_shown_with_its_worst_element_and_never_timed(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"wrong", "right", NULL}, NULL);
    rig_must_run(&r);
    const struct result *w = &r.run.results[0];
    assert_int_equal(w->status, RESULT_WRONG);
    assert_true(w->checked && !w->verified);
    assert_has(w->error, "wrong result: out[5] is ");
    assert_has(w->error, "the reference says ");
    assert_has(w->error, "1 of 1024 elements are wrong");
    assert_true(fabs(w->worst_absolute_error - 1) < 1e-6);
    assert_not_timed(w);
    assert_fine(&r.run.results[1]);
    assert_false(r.run.results[1].speedup.valid); // nothing to compare with
    assert_int_equal(r.run.results[1].expectations[0].verdict, EXPECTATION_UNKNOWN);
    rig_release(&r);
}

static void elements_never_written_are_said(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"half", NULL}, NULL);
    rig_must_run(&r);
    assert_has(r.run.results[0].error,
               "wrong result: 512 of 1024 elements of 'out' were never written, first out[512]");
    rig_release(&r);
}

static void compile_error_costs_its_variant_only(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"right", NULL},
             "  - name: bad\n    from: right\n    hypothesis: None.\n    source: bad.cu\n    "
             "kernel: bad\n"
             "    grid: [1]\n    block: [32]\n    args: [out, in, N]\n");
    rig_must_run(&r);
    assert_fine(&r.run.results[0]);
    assert_int_equal(r.run.results[1].status, RESULT_FAILED);
    assert_has(r.run.results[1].error, "bad.cu does not compile with clang");
    assert_has(r.run.results[1].error, "bad.cu:1:");
    assert_false(r.run.results[1].checked);
    rig_release(&r);
}

static void access_out_of_bounds_costs_its_variant_only(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"beyond", "right", NULL}, NULL);
    rig_must_run(&r);
    const struct result *x = &r.run.results[0];
    assert_int_equal(x->status, RESULT_FAILED);
    assert_has(x->error, "kernel 'beyond': ");
    assert_has(x->error, "k.cu:");
    assert_int_equal(x->problem_count, 1);
    assert_not_timed(x);
    assert_fine(&r.run.results[1]);
    rig_release(&r);
}

static void endless_kernel_is_stopped_and_costs_its_variant_only(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"right", "endless", "strided", NULL}, NULL);
    r.request.timeout_s = 10; // it covers compiling, which takes a second on a loaded machine
    rig_must_run(&r);
    assert_int_equal(r.run.result_count, 3);
    assert_int_equal(r.run.results[1].status, RESULT_FAILED);
    assert_has(r.run.results[1].error, "variant 'endless' did not end within 10 s and was stopped");
    assert_fine(&r.run.results[2]);
    rig_release(&r);
}

static void budget_of_instructions_ends_a_kernel_with_a_reason(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"endless", NULL}, NULL);
    r.request.budget_warp_instructions = 100000;
    rig_must_run(&r);
    assert_int_equal(r.run.results[0].status, RESULT_FAILED);
    assert_string_equal(r.run.results[0].problems[0].kind, "budget");
    rig_release(&r);
}

static void worker_that_crashes_costs_its_variant_only(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"right", "endless", "strided", NULL}, NULL);
    if (access("/proc/thread-self/children", R_OK) != 0) {
        print_message("this kernel does not list children\n");
        rig_release(&r);
        skip();
    }
    r.kill_workers = true;
    r.request.timeout_s = 60;
    rig_must_run(&r);
    assert_int_equal(r.run.results[1].status, RESULT_FAILED);
    assert_has(r.run.results[1].error,
               "variant 'endless' crashed its process (Segmentation fault)");
    assert_fine(&r.run.results[2]);
    rig_release(&r);
}

/* ---- what ends the run ------------------------------------------------------------------------ */

static void reference_that_crashes_is_one_clear_error(void **state)
{
    struct rig r;
    rig_init(&r, "crash_ref", (const char *const[]){"right", NULL}, NULL);
    assert_false(rig_run(&r));
    assert_has(r.err.message, "the reference 'crash_ref' (");
    assert_has(r.err.message, "crashed its process (Segmentation fault)");
    assert_has(r.err.message, "in case N=1024");
    rig_release(&r);
}

static void reference_that_hangs_is_one_clear_error(void **state)
{
    struct rig r;
    rig_init(&r, "hang_ref", (const char *const[]){"right", NULL}, NULL);
    r.request.timeout_s = 10;
    assert_false(rig_run(&r));
    assert_has(r.err.message, "the reference 'hang_ref' (");
    assert_has(r.err.message, "did not end within 10 s");
    rig_release(&r);
}

static void without_verification_the_reference_is_not_run(void **state)
{
    struct rig r;
    rig_init(&r, "crash_ref", (const char *const[]){"right", NULL}, NULL);
    r.request.no_verify = true;
    rig_must_run(&r);
    assert_int_equal(r.run.results[0].status, RESULT_OK);
    assert_false(r.run.results[0].checked);
    rig_release(&r);
}

static void result_that_cannot_be_recorded_ends_the_run_and_stays(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"right", "strided", NULL}, NULL);
    r.stop_after_first = true;
    assert_false(rig_run(&r));
    assert_string_equal(r.err.message, "the journal's disk is full");
    assert_int_equal(r.run.result_count, 1);
    rig_release(&r);
}

static struct rig *interrupted;
static uint64_t interrupted_at_ns;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    interrupted->cancel = true;
    interrupted_at_ns = clock_ns();
}

static void run_that_is_interrupted_before_its_first_variant_says_only_that(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"right", NULL}, NULL);
    r.cancel = true;
    assert_false(rig_run(&r));
    assert_string_equal(r.err.message, "interrupted");
    assert_int_equal(r.run.result_count, 0);
    rig_release(&r);
}

static void interrupted_run_ends_at_once_and_keeps_what_is_finished(void **state)
{
    struct rig r;
    rig_init(&r, "double_ref", (const char *const[]){"right", "endless", NULL}, NULL);
    interrupted = &r;
    signal(SIGALRM, on_alarm);
    r.alarm_after_first = true;
    assert_false(rig_run(&r));
    assert_true(clock_ns() - interrupted_at_ns < 60000000000u); // its own limit is 600 s
    assert_string_equal(r.err.message, "interrupted");
    assert_int_equal(r.run.result_count, 1);
    assert_fine(&r.run.results[0]);
    rig_release(&r);
}

static bool send_result(void *context, const struct result *r, struct error *err)
{
    (void)r;
    (void)err;
    return write(*(int *)context, "r", 1) == 1;
}

static void killed_run_has_handed_on_every_finished_result(void **state)
{
    struct rig r;
    int fds[2];
    char byte = 0;
    rig_init(&r, "double_ref", (const char *const[]){"right", "strided", "endless", NULL}, NULL);
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        r.events = (struct loop_events){.result = send_result, .context = &fds[1]};
        _exit(rig_run(&r) ? 0 : 1);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    kill(pid, SIGKILL);
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(read(fds[0], &byte, 1), 0); // its worker died with it, the pipe is closed
    close(fds[0]);
    rig_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_are_verified_timed_counted_diagnosed_and_judged),
        cmocka_unit_test(seed_given_is_the_seed_recorded_and_a_fresh_one_differs),
        cmocka_unit_test(same_run_twice_gives_the_same_figures),
        cmocka_unit_test(warm_caches_read_less_from_device_memory_than_cold),
        cmocka_unit_test(copies_are_part_of_the_time_where_they_are_asked_for),
        cmocka_unit_test(verify_only_checks_and_neither_times_nor_counts),
        cmocka_unit_test(chosen_variant_runs_with_the_one_it_answers),
        cmocka_unit_test(jobs_run_case_by_case_in_the_order_of_the_variants),
        cmocka_unit_test(unknown_variant_is_refused_with_a_suggestion),
        cmocka_unit_test(wrong_result_is_shown_with_its_worst_element_and_never_timed),
        cmocka_unit_test(elements_never_written_are_said),
        cmocka_unit_test(compile_error_costs_its_variant_only),
        cmocka_unit_test(access_out_of_bounds_costs_its_variant_only),
        cmocka_unit_test(endless_kernel_is_stopped_and_costs_its_variant_only),
        cmocka_unit_test(budget_of_instructions_ends_a_kernel_with_a_reason),
        cmocka_unit_test(worker_that_crashes_costs_its_variant_only),
        cmocka_unit_test(reference_that_crashes_is_one_clear_error),
        cmocka_unit_test(reference_that_hangs_is_one_clear_error),
        cmocka_unit_test(without_verification_the_reference_is_not_run),
        cmocka_unit_test(result_that_cannot_be_recorded_ends_the_run_and_stays),
        cmocka_unit_test(run_that_is_interrupted_before_its_first_variant_says_only_that),
        cmocka_unit_test(interrupted_run_ends_at_once_and_keeps_what_is_finished),
        cmocka_unit_test(killed_run_has_handed_on_every_finished_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
