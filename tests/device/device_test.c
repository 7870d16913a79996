// Devices: names, what is listed, the simulated GPU behind the common face, sums over launches.
// SPDX-License-Identifier: Apache-2.0
#include "device/support.h"

#include <math.h>

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* ---- names and inventory ------------------------------------------------------------------------- */

static void auto_is_the_simulated_h200(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct device_info info;
    if (!device_find(&a, "auto", &info, &err))
        fail_msg("%s", err.message);
    assert_string_equal(info.id, "sim:h200");
    assert_true(info.simulated);
    assert_string_equal(info.name, "NVIDIA H200 (simulated)");
    assert_true(fabs(info.facts.cc - 9.0) < 1e-9);
    assert_int_equal(info.facts.sm_count, 132);
    assert_int_equal(info.facts.warp_size, 32);
    arena_release(&a);
}

// Conditions like 'cc >= 9.0' mean NVIDIA's chips: the number of gfx90a is none of these.
static void compute_capability_is_zero_on_amds_chips(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct device_info info;
    (void)state;
    if (!device_find(&a, "sim:mi250x", &info, &err))
        fail_msg("%s", err.message);
    assert_true(info.facts.cc < 0.1);
    assert_int_equal(info.facts.warp_size, 64);
    arena_release(&a);
}

static const char *refuse_device(struct arena *a, const char *id)
{
    struct error err = {0};
    struct device_info info;
    assert_false(device_find(a, id, &info, &err));
    return arena_strdup(a, err.message);
}

static void unknown_device_is_refused_with_a_suggestion(void **state)
{
    struct arena a = {0};
    assert_has(refuse_device(&a, "h200"), "did you mean 'sim:h200'?");
    assert_has(refuse_device(&a, "sim:h20"), "did you mean 'sim:h200'?");
    assert_has(refuse_device(&a, "sim:h20"), "it is one of: auto, ");
    assert_has(refuse_device(&a, "hip:9"), "no device 'hip:9'");
    assert_has(refuse_device(&a, "cuda:99"), "no device 'cuda:99'");
    arena_release(&a);
}

static void inventory_lists_chips_and_says_of_each_missing_part_what_to_do(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct device_inventory inventory;
    if (!device_inventory(&a, &inventory, &err))
        fail_msg("%s", err.message);
    assert_true(inventory.device_count >= 1);
    bool found = false;
    for (int i = 0; i < inventory.device_count; i++)
        found = found || strcmp(inventory.devices[i].id, "sim:h200") == 0;
    assert_true(found);
    assert_true(inventory.part_count >= 7);
    for (int i = 0; i < inventory.part_count; i++) {
        const struct device_part *p = &inventory.parts[i];
        print_message("%s: %s\n", p->what, p->detail);
        assert_non_null(p->detail);
        assert_true((p->remedy != NULL) == !p->present);
    }
    arena_release(&a);
}

/* ---- sums ---------------------------------------------------------------------------------------- */

static void counters_of_launches_add_up_and_shares_are_weighted(void **state)
{
    struct counters sum = {0}, x = {0}, y = {0};
    counters_set(&x, COUNTER_WARP_INSTRUCTIONS, 300, PROVENANCE_SIMULATED);
    counters_set(&x, COUNTER_LANES_ACTIVE_PCT, 100, PROVENANCE_SIMULATED);
    counters_set(&x, COUNTER_REGISTERS_PER_THREAD, 40, PROVENANCE_MODELLED);
    counters_set(&x, COUNTER_BRANCHES, 5, PROVENANCE_SIMULATED);
    y = x;
    counters_set(&y, COUNTER_WARP_INSTRUCTIONS, 100, PROVENANCE_SIMULATED);
    counters_set(&y, COUNTER_LANES_ACTIVE_PCT, 20, PROVENANCE_MODELLED);
    counters_set(&y, COUNTER_REGISTERS_PER_THREAD, 24, PROVENANCE_SIMULATED);
    y.figure[COUNTER_BRANCHES].provenance = PROVENANCE_ABSENT;
    counters_accumulate(&sum, &x, true);
    counters_accumulate(&sum, &y, false);
    assert_true(counters_get(&sum, COUNTER_WARP_INSTRUCTIONS, 0) == 400);
    assert_true(counters_get(&sum, COUNTER_LANES_ACTIVE_PCT, 0) == 80);
    assert_int_equal(sum.figure[COUNTER_LANES_ACTIVE_PCT].provenance, PROVENANCE_MODELLED);
    assert_true(counters_get(&sum, COUNTER_REGISTERS_PER_THREAD, 0) == 40);
    assert_int_equal(sum.figure[COUNTER_REGISTERS_PER_THREAD].provenance, PROVENANCE_MODELLED);
    assert_false(counters_has(&sum, COUNTER_BRANCHES));
}

/* ---- the simulated GPU at work ------------------------------------------------------------------- */

enum { N = 1024 };

struct rig {
    struct arena arena;
    struct device_info info;
    struct device *device;
    struct device_module *module;
    uint64_t addresses[2], sizes[2];
    struct error err;
    struct device_report report;
};

static void rig_init(struct rig *r, const char *source)
{
    *r = (struct rig){.sizes = {N * sizeof(int), N * sizeof(int)}};
    need_compiler(&r->arena, "clang");
    struct compile_request q =
        request_for(write_source(&r->arena, make_folder(&r->arena), "k.cu", source), "clang");
    struct code_object code;
    bool ready = code_compile(&r->arena, &q, &code, &r->err) &&
                 device_find(&r->arena, "sim:h200", &r->info, &r->err) &&
                 device_open(&r->info, &r->device, &r->err) &&
                 r->device->ops->code->load(r->device, &code, &r->module, &r->err);
    static int zeros[N];
    for (int i = 0; ready && i < 2; i++)
        ready =
            r->device->ops->memory->alloc(r->device, r->sizes[i], i == 0 ? "out" : "in",
                                          &r->addresses[i], &r->err) &&
            r->device->ops->memory->write(r->device, r->addresses[i], zeros, sizeof zeros, &r->err);
    if (!ready)
        fail_msg("%s", r->err.message);
}

static struct resolved_launch launch_of(const char *kernel, struct resolved_argument *args,
                                        int count)
{
    return (struct resolved_launch){.kind = LAUNCH_KERNEL,
                                    .kernel = kernel,
                                    .grid = {N / 128, 1, 1},
                                    .block = {128, 1, 1},
                                    .args = args,
                                    .arg_count = count};
}

static bool rig_run(struct rig *r, struct resolved_launch *launches, int count)
{
    struct device_launch l[4];
    for (int i = 0; i < count; i++)
        l[i] = (struct device_launch){
            .kind = launches[i].kind, .module = r->module, .launch = &launches[i]};
    struct device_sequence sequence = {.launches = l,
                                       .launch_count = count,
                                       .addresses = r->addresses,
                                       .sizes_bytes = r->sizes,
                                       .buffer_count = (int)COUNT_OF(r->sizes)};
    struct device_run_options options = {
        .cold = true, .count = true, .checks = SIM_CHECK_UNINIT | SIM_CHECK_RACES};
    return r->device->ops->code->run(r->device, &sequence, &options, &r->arena, &r->report,
                                     &r->err);
}

static void rig_release(struct rig *r)
{
    device_close(r->device);
    arena_release(&r->arena);
}

static struct resolved_argument buffers[2] = {
    {.kind = ARGUMENT_BUFFER, .buffer = 0, .type = ELEMENT_I32},
    {.kind = ARGUMENT_BUFFER, .buffer = 1, .type = ELEMENT_I32}};

static void launches_run_in_order_and_times_add_up(void **state)
{
    struct rig r;
    rig_init(&r, "__global__ void add(int *out) { out[blockIdx.x * 128 + threadIdx.x] += 7; }\n"
                 "__global__ void twice(int *out) { out[blockIdx.x * 128 + threadIdx.x] *= 2; }\n");
    struct resolved_launch launches[] = {launch_of("add", buffers, 1),
                                         {.kind = LAUNCH_ZERO, .zero_buffer = 0},
                                         launch_of("add", buffers, 1),
                                         launch_of("twice", buffers, 1)};
    if (!rig_run(&r, launches, 4))
        fail_msg("%s", r.err.message);
    int out[N];
    assert_true(r.device->ops->memory->read(r.device, r.addresses[0], out, sizeof out, &r.err));
    for (int i = 0; i < N; i++)
        assert_int_equal(out[i], 14);
    assert_int_equal(r.report.step_count, 4);
    assert_int_equal(r.report.time_ns.provenance, PROVENANCE_MODELLED);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        assert_true(r.report.steps[i].time_ns.value > 0);
        sum += r.report.steps[i].time_ns.value;
    }
    assert_true(fabs(sum - r.report.time_ns.value) < 1e-6 * sum);
    assert_true(counters_get(&r.report.counters, COUNTER_GLOBAL_STORE_REQUESTS, 0) == 3 * N / 32);
    assert_int_equal(r.report.problem_count, 0);
    rig_release(&r);
}

static void lines_of_launches_are_merged_by_place(void **state)
{
    struct rig r;
    rig_init(
        &r, "__global__ void add(int *out)\n{\n    out[blockIdx.x * 128 + threadIdx.x] += 7;\n}\n");
    struct resolved_launch launches[] = {launch_of("add", buffers, 1),
                                         launch_of("add", buffers, 1)};
    assert_true(rig_run(&r, launches, 2));
    int seen = 0;
    for (int i = 0; i < r.report.line_count; i++) {
        const struct line *l = &r.report.lines[i];
        assert_true(str_ends_with(l->file, "/k.cu"));
        if (l->line != 3)
            continue;
        seen++;
        assert_int_equal(l->global_requests, 2 * 2 * N / 32);
    }
    assert_int_equal(seen, 1);
    rig_release(&r);
}

static void access_out_of_bounds_names_kernel_line_buffer_and_thread(void **state)
{
    struct rig r;
    rig_init(&r, "__global__ void beyond(int *out)\n{\n    out[blockIdx.x * 128 + threadIdx.x + 1] "
                 "= 1;\n}\n");
    struct resolved_launch launch = launch_of("beyond", buffers, 1);
    assert_false(rig_run(&r, &launch, 1));
    assert_int_equal(r.err.kind, ERROR_CHECK);
    assert_has(r.err.message, "k.cu:3: kernel 'beyond': ");
    assert_has(r.err.message, "'out'");
    assert_has(r.err.message, "thread (127,0,0)");
    assert_int_equal(r.report.problem_count, 1);
    assert_string_equal(r.report.problems[0].kind, "out-of-bounds");
    assert_true(r.report.problems[0].stops);
    rig_release(&r);
}

static void kernel_is_found_by_its_plain_name_or_the_error_lists_those_there_are(void **state)
{
    struct rig r;
    rig_init(
        &r, "__global__ void naive(int *out) { *out = 1; }\n"
            "extern \"C\" __global__ void tiled(int *out) { *out = 2; }\n"
            "template <int K> __global__ void many(int *out) { *out = K; }\n"
            "template __global__ void many<1>(int *);\ntemplate __global__ void many<2>(int *);\n");
    struct resolved_launch launch = launch_of("naiv", buffers, 1);
    assert_false(rig_run(&r, &launch, 1));
    assert_has(r.err.message, "k.cu has no kernel 'naiv' (did you mean 'naive'?); it has: ");
    assert_has(r.err.message, "tiled");
    launch.kernel = "many";
    assert_false(rig_run(&r, &launch, 1));
    assert_has(r.err.message, "has several kernels 'many'");
    launch.kernel = "_Z4manyILi2EEvPi";
    assert_true(rig_run(&r, &launch, 1));
    launch.kernel = "naive";
    assert_true(rig_run(&r, &launch, 1));
    launch.kernel = "tiled";
    assert_true(rig_run(&r, &launch, 1));
    rig_release(&r);
}

static void arguments_that_do_not_fit_the_kernel_are_refused(void **state)
{
    struct rig r;
    rig_init(&r, "extern \"C\" __global__ void k(int *out, long long n) { *out = (int)n; }\n");
    struct resolved_argument args[2] = {
        buffers[0], {.kind = ARGUMENT_SCALAR, .type = ELEMENT_I32, .value = {9}, .text = "n"}};
    struct resolved_launch launch = launch_of("k", args, 1);
    assert_false(rig_run(&r, &launch, 1));
    assert_has(r.err.message, "kernel 'k' takes 2 arguments, this launch gives 1");
    launch.arg_count = 2;
    assert_false(rig_run(&r, &launch, 1));
    assert_has(r.err.message, "argument 2 of kernel 'k' is i64 or a pointer in the kernel, but n "
                              "is i32 here; write {value: n, type: i64}");
    args[1].type = ELEMENT_I64;
    assert_true(rig_run(&r, &launch, 1));
    rig_release(&r);
}

static void printf_of_kernels_is_kept(void **state)
{
    struct rig r;
    rig_init(&r, "extern \"C\" __global__ void k(int *out) { if (threadIdx.x + blockIdx.x == 0) "
                 "printf(\"n = %d\\n\", out[0] + 5); }\n");
    struct resolved_launch launch = launch_of("k", buffers, 1);
    if (!rig_run(&r, &launch, 1))
        fail_msg("%s", r.err.message);
    assert_string_equal(r.report.printed, "n = 5\n");
    rig_release(&r);
}

static void race_between_threads_is_a_problem_that_does_not_stop(void **state)
{
    struct rig r;
    rig_init(
        &r, "extern \"C\" __global__ void k(int *out)\n{\n    __shared__ int s[128];\n"
            "    s[threadIdx.x] = threadIdx.x;\n    out[threadIdx.x] = s[127 - threadIdx.x];\n}\n");
    struct resolved_launch launch = launch_of("k", buffers, 1);
    launch.grid[0] = 1;
    if (!rig_run(&r, &launch, 1))
        fail_msg("%s", r.err.message);
    assert_true(r.report.problem_count >= 1);
    assert_string_equal(r.report.problems[0].kind, "race");
    assert_false(r.report.problems[0].stops);
    assert_has(r.report.problems[0].message, "kernel 'k': ");
    rig_release(&r);
}

static void a_report_keeps_each_reason_once(void **state)
{
    struct arena a = {0};
    struct device_report report = {0};
    report_note(&a, &report, "the trace was cut");
    report_note(&a, &report, "no counters");
    report_note(&a, &report, "the trace was cut");
    assert_string_equal(report.note, "the trace was cut; no counters");
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_keeps_each_reason_once),
        cmocka_unit_test(auto_is_the_simulated_h200),
        cmocka_unit_test(compute_capability_is_zero_on_amds_chips),
        cmocka_unit_test(unknown_device_is_refused_with_a_suggestion),
        cmocka_unit_test(inventory_lists_chips_and_says_of_each_missing_part_what_to_do),
        cmocka_unit_test(counters_of_launches_add_up_and_shares_are_weighted),
        cmocka_unit_test(launches_run_in_order_and_times_add_up),
        cmocka_unit_test(lines_of_launches_are_merged_by_place),
        cmocka_unit_test(access_out_of_bounds_names_kernel_line_buffer_and_thread),
        cmocka_unit_test(kernel_is_found_by_its_plain_name_or_the_error_lists_those_there_are),
        cmocka_unit_test(arguments_that_do_not_fit_the_kernel_are_refused),
        cmocka_unit_test(printf_of_kernels_is_kept),
        cmocka_unit_test(race_between_threads_is_a_problem_that_does_not_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
