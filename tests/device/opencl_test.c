// The OpenCL backend without an experiment: types of kernels' parameters, constants against Khronos' headers
// where they are installed, and memory, times and errors of the first device that is here.
// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include "device/opencl/opencl.h"

#ifdef __SANITIZE_ADDRESS__
// What pocl and its compiler never free: it compiles where its cache of kernels is empty. A leak of ours has no frame there.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libpocl\nleak:libLLVM\n";
}
#endif

// The backend's numbers by their names there, before CL's headers make macros of the names.
static const struct {
    const char *name;
    long long value;
} ours[] = {
#define CONSTANT(name, value) {#name, name},
#define STATUS(name, value, whose, meaning) {#name, name},
#include "device/opencl/constants.def"
#undef STATUS
#undef CONSTANT
};

#if __has_include(<CL/cl.h>) && __has_include(<CL/cl_ext.h>)
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
static void constants_are_those_of_khronos_headers(void **state)
{
    static const long long theirs[] = {
#define CONSTANT(name, value) (long long)(name),
#define STATUS(name, value, whose, meaning) (long long)(name),
#include "device/opencl/constants.def"
#undef STATUS
#undef CONSTANT
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(ours); i++)
        if (ours[i].value != theirs[i])
            fail_msg("%s is %lld, CL/cl.h has %lld", ours[i].name, ours[i].value, theirs[i]);
}
#else
static void constants_are_those_of_khronos_headers(void **state)
{
    (void)state;
    print_message("CL/cl.h is not here (opencl-c-headers): %s and %zu more are not compared\n",
                  ours[0].name, COUNT_OF(ours) - 1);
    skip();
}
#endif

static void parameters_have_the_sizes_of_their_types(void **state)
{
    static const struct {
        const char *type;
        bool pointer, known;
        uint64_t size_bytes;
        const char *as;
    } rows[] = {
        {"float", false, true, 4, "f32"},
        {"uint", false, true, 4, "u32"},
        {"long", false, true, 8, "s64"},
        {"half", false, true, 2, "b16"},
        {"float4", false, true, 16, "b8"},
        {"uchar3", false, true, 4, "b8"},
        {"double16", false, true, 128, "b8"},
        {"float*", true, true, 8, "u64"},
        {"struct pair", false, false, 0, NULL},
        {"float5", false, false, 0, NULL},
        {"", false, false, 0, NULL},
        {"4", false, false, 0, NULL},
        {"image2d_t", false, false, 0, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct code_parameter p = {0};
        bool known = opencl_parameter_of(rows[i].type, rows[i].pointer, &p);
        assert_int_equal(known, rows[i].known);
        if (!known)
            continue;
        assert_int_equal(p.size_bytes, rows[i].size_bytes);
        assert_string_equal(p.type, rows[i].as);
    }
}

// The first OpenCL device, or the test is skipped with the reason.
static struct device *open_first(struct arena *a, struct device_info *info)
{
    struct device *d = NULL;
    struct error err = {0};
    if (!device_find(a, "opencl:0", info, &err) || !device_open(info, &d, &err)) {
        print_message("%s\n", err.message);
        arena_release(a);
        skip();
    }
    return d;
}

static void buffers_are_read_and_written_at_offsets(void **state)
{
    struct arena a = {0};
    struct device_info info;
    struct device *d = open_first(&a, &info);
    const struct device_memory_ops *memory = d->ops->memory;
    struct error err = {0};
    uint64_t first = 0, second = 0;
    uint32_t words[4] = {1, 2, 3, 4}, got[2] = {0};
    (void)state;
    assert_true(memory->alloc(d, sizeof words, "first", &first, &err));
    assert_true(memory->alloc(d, sizeof words, "second", &second, &err));
    assert_true(memory->write(d, second, words, sizeof words, &err));
    assert_true(memory->read(d, second + 8, got, sizeof got, &err));
    assert_int_equal(got[0], 3);
    assert_int_equal(got[1], 4);
    assert_true(memory->release(d, first, &err));
    assert_false(memory->release(d, first, &err));
    assert_non_null(strstr(err.message, "is not allocated"));
    error_clear(&err);
    assert_false(memory->read(d, first, got, sizeof got, &err));
    assert_non_null(strstr(err.message, "CL_INVALID_MEM_OBJECT"));
    device_close(d);
    arena_release(&a);
}

static void buffer_that_is_too_large_says_what_there_is(void **state)
{
    struct arena a = {0};
    struct device_info info;
    struct device *d = open_first(&a, &info);
    struct error err = {0};
    uint64_t address = 0;
    (void)state;
    assert_false(d->ops->memory->alloc(d, (uint64_t)1 << 43, "huge", &address, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_non_null(
        strstr(err.message, "opencl:0 has no room for buffer 'huge' (8.80 TB): a buffer"));
    assert_non_null(strstr(err.message, "--param"));
    device_close(d);
    arena_release(&a);
}

static const char kernels[] = "__kernel void add(__global int *x, int by)\n"
                              "{\n"
                              "    x[get_global_id(0)] += by;\n"
                              "}\n";

struct work { // a launch of `add` on a buffer of 256
    struct device *d;
    struct resolved_argument args[2];
    struct resolved_launch launch, untimed;
    struct device_launch launches[2];
    uint64_t address, size_bytes;
    struct device_sequence sequence;
};

static void work_open(struct work *w, struct arena *a, const struct device_info *info)
{
    const char *folder = make_folder(a);
    struct compile_request request = {.source_path = write_source(a, folder, "add.cl", kernels),
                                      .device = info};
    struct code_object code;
    struct device_module *module = NULL;
    struct error err = {0};
    static const int one = 1;
    if (!code_compile(a, &request, &code, &err) ||
        !w->d->ops->code->load(w->d, &code, &module, &err))
        fail_msg("%s", err.message);
    assert_int_equal(code.format, CODE_OPENCL);
    assert_int_equal(code.kernel_count, 1);
    assert_int_equal(code.kernels[0].parameter_count, 2);
    w->size_bytes = 256 * sizeof one;
    assert_true(w->d->ops->memory->alloc(w->d, w->size_bytes, "x", &w->address, &err));
    w->args[0] = (struct resolved_argument){.kind = ARGUMENT_BUFFER, .buffer = 0};
    w->args[1] = (struct resolved_argument){.kind = ARGUMENT_SCALAR, .type = ELEMENT_I32};
    memcpy(w->args[1].value, &one, sizeof one);
    w->launch = (struct resolved_launch){.kind = LAUNCH_KERNEL,
                                         .kernel = "add",
                                         .grid = {4, 1, 1},
                                         .block = {64, 1, 1},
                                         .args = w->args,
                                         .arg_count = 2};
    w->untimed = w->launch;
    w->untimed.untimed = true;
    w->launches[0] = (struct device_launch){.module = module, .launch = &w->launch};
    w->launches[1] = (struct device_launch){.module = module, .launch = &w->untimed};
    w->sequence = (struct device_sequence){.launches = w->launches,
                                           .launch_count = 2,
                                           .stream_count = 1,
                                           .addresses = &w->address,
                                           .sizes_bytes = &w->size_bytes,
                                           .buffer_count = 1};
}

static void samples_run_the_sequence_as_often_as_asked(void **state)
{
    struct arena a = {0};
    struct device_info info;
    struct work w = {.d = open_first(&a, &info)};
    struct error err = {0};
    double times_ns[3] = {0};
    int x[256] = {0};
    struct device_run_options warm = {.batch = 4};
    (void)state;
    work_open(&w, &a, &info);
    assert_true(w.d->ops->memory->write(w.d, w.address, x, sizeof x, &err));
    assert_true(w.d->ops->clock->measure(w.d, &w.sequence, &warm, 3, times_ns, &err));
    assert_true(w.d->ops->memory->read(w.d, w.address, x, sizeof x, &err));
    assert_int_equal(x[0], 3 * (1 + 4) * 2); // one run before each sample, two launches a run
    assert_int_equal(x[255], x[0]);
    for (int i = 0; i < 3; i++)
        assert_true(times_ns[i] > 0);
    device_close(w.d);
    arena_release(&a);
}

static void cold_runs_of_a_batch_have_buffers_of_their_own(void **state)
{
    struct arena a = {0};
    struct device_info info;
    struct work w = {.d = open_first(&a, &info)};
    struct error err = {0};
    double time_ns = 0;
    int x[256] = {0};
    struct device_run_options cold = {.batch = 3, .cold = true};
    (void)state;
    work_open(&w, &a, &info);
    assert_true(w.d->ops->memory->write(w.d, w.address, x, sizeof x, &err));
    assert_true(w.d->ops->clock->measure(w.d, &w.sequence, &cold, 1, &time_ns, &err));
    assert_true(w.d->ops->memory->read(w.d, w.address, x, sizeof x, &err));
    assert_int_equal(x[0], 2);
    device_close(w.d);
    arena_release(&a);
}

static void run_reports_each_step(void **state)
{
    struct arena a = {0};
    struct device_info info;
    struct work w = {.d = open_first(&a, &info)};
    struct device_report report = {0};
    struct error err = {0};
    int x[256] = {0};
    struct device_run_options counted = {.count = true};
    (void)state;
    work_open(&w, &a, &info);
    assert_true(w.d->ops->memory->write(w.d, w.address, x, sizeof x, &err));
    assert_true(w.d->ops->code->run(w.d, &w.sequence, &counted, &a, &report, &err));
    assert_int_equal(report.step_count, 2);
    assert_int_equal(report.steps[0].time_ns.provenance, PROVENANCE_MEASURED);
    assert_true(report.steps[1].untimed);
    assert_true(counters_get(&report.counters, COUNTER_GRID_BLOCKS, 0) == 4);
    assert_non_null(strstr(report.note, "no hardware counters"));
    w.launch.block[0] = 1 << 20; // more than any device has
    assert_false(w.d->ops->code->run(w.d, &w.sequence, &counted, &a, &report, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_non_null(strstr(err.message, "blocks of 1048576 x 1 x 1 threads on opencl:0"));
    device_close(w.d);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_those_of_khronos_headers),
        cmocka_unit_test(parameters_have_the_sizes_of_their_types),
        cmocka_unit_test(buffers_are_read_and_written_at_offsets),
        cmocka_unit_test(buffer_that_is_too_large_says_what_there_is),
        cmocka_unit_test(samples_run_the_sequence_as_often_as_asked),
        cmocka_unit_test(cold_runs_of_a_batch_have_buffers_of_their_own),
        cmocka_unit_test(run_reports_each_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
