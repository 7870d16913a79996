// What "verified" stands on: the reference came to its end, wrote what it must, an output is compared,
// and inputs are as they were. Each experiment here was once called right, or blamed on the kernel.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char kernels[] =
    "#define I (int)(blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define KERNEL extern \"C\" __global__ void\n"
    "KERNEL right(float *out, const float *in, int n) { if (I < n) out[I] = 2 * in[I]; }\n"
    "KERNEL empty(float *out, const float *in, int n) { }\n"
    "KERNEL spoils(float *out, float *in, int n)\n"
    "{ if (I < n) { out[I] = 2 * in[I]; if (I == 7) in[I] = 5; } }\n"
    "KERNEL evens(float *out, const float *in, int n) { if (I < n && I % 2 == 0) out[I] = 2 * "
    "in[I]; }\n"
    "KERNEL inplace(float *out, int n) { if (I < n) out[I] = 2 * out[I]; }\n"
    "KERNEL bytes(unsigned char *out, int n) { if (I < n) out[I] = (unsigned char)I; }\n"
    "KERNEL half_sum(float *part, const float *in, int n) { if (I < n) part[I] = in[I]; }\n"
    "KERNEL second(float *out, const float *part, int n, int twice)\n"
    "{ if (I < n) out[I] = twice * part[I]; }\n"
    "KERNEL scaled(float *out, const float *in, float a, int n) { if (I < n) out[I] = a * in[I]; "
    "}\n"
    "KERNEL scaled64(float *out, const float *in, double a, long long n)\n"
    "{ if (I < n) out[I] = (float)(a * in[I]); }\n"
    "KERNEL fat(float *out, const float *in, int n)\n"
    "{ __shared__ float s[15360]; s[threadIdx.x] = in[I]; __syncthreads(); out[I] = 2 * "
    "s[threadIdx.x]; }\n";

static const char reference[] =
    "#include <stdlib.h>\n"
    "void twice(float *out, const float *in, int n) { for (int i = 0; i < n; i++) out[i] = 2 * "
    "in[i]; }\n"
    "void nothing(float *out, const float *in, int n) { (void)out; (void)in; (void)n; }\n"
    "void leaves(float *out, const float *in, int n) { (void)out; (void)in; (void)n; exit(0); }\n"
    "void evens(float *out, const float *in, int n) { for (int i = 0; i < n; i += 2) out[i] = 2 * "
    "in[i]; }\n"
    "void still(float *out, int n) { (void)out; (void)n; }\n"
    "void bytes(unsigned char *out, int n) { for (int i = 0; i < n; i++) out[i] = (unsigned "
    "char)i; }\n"
    "void bytes_but_one(unsigned char *out, int n)\n"
    "{ for (int i = 0; i < n; i++) if (i != 165) out[i] = (unsigned char)i; }\n"
    "void scaled(float *out, const float *in, float a, int n)\n"
    "{ for (int i = 0; i < n; i++) out[i] = a * in[i]; }\n"
    "void scaled64(float *out, const float *in, double a, long long n)\n"
    "{ for (int i = 0; i < n; i++) out[i] = (float)(a * in[i]); }\n";

static const char constructor[] =
    "#include <unistd.h>\n"
    "__attribute__((constructor)) static void first(void) { _exit(0); }\n"
    "void twice(float *out, const float *in, int n) { for (int i = 0; i < n; i++) out[i] = 2 * "
    "in[i]; }\n";

struct rig {
    struct arena arena;
    const char *folder;
    struct loop_request request;
    struct loop_events events;
    struct run run;
    struct error err;
};

static void put(struct rig *r, const char *name, const char *text)
{
    struct error err = {0};
    if (!file_write(path_join(&r->arena, r->folder, name), text, strlen(text), &err))
        fail_msg("%s", err.message);
}

static void rig_init(struct rig *r)
{
    *r = (struct rig){0};
    if (!program_find(&r->arena, "clang")) {
        print_message("clang is not here\n");
        arena_release(&r->arena);
        skip();
    }
    const char *tmp = getenv("TMPDIR");
    char *folder = arena_printf(&r->arena, "%s/verified-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    r->folder = folder;
    r->request =
        (struct loop_request){.experiment_path = folder, .device = "sim:h200", .compiler = "clang"};
    put(r, "k.cu", kernels);
    put(r, "ref.c", reference);
}

static void rig_release(struct rig *r)
{
    json_decref(r->run.header.environment);
    arena_release(&r->arena);
}

// more: lines of the buffer `out`.
static const char *experiment(struct rig *r, const char *call, const char *kernel, const char *more)
{
    return arena_printf(&r->arena,
                        "experiment: x\nsource: k.cu\nreference: %s\nparams: {N: 1024}\nbuffers:\n"
                        "  in: {type: f32, count: N, fill: 'uniform(1,2)'}\n"
                        "  out: {type: f32, count: N, output: true%s}\nvariants:\n"
                        "  - {name: v, kernel: %s, grid: 8, block: 128, args: [out, in, N]}\n",
                        call, more, kernel);
}

static bool rig_run(struct rig *r, const char *yaml)
{
    put(r, "experiment.yaml", yaml);
    return loop_run(&r->arena, &r->request, &r->events, &r->run, &r->err);
}

static void assert_has(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text ? text : "(null)");
}

static void must_be(const char *yaml_call, const char *kernel, const char *more,
                    enum result_status status, const char *why)
{
    struct rig r;
    rig_init(&r);
    if (!rig_run(&r, experiment(&r, yaml_call, kernel, more)))
        fail_msg("%s", r.err.message);
    const struct result *x = &r.run.results[0];
    if (x->status != status)
        fail_msg("status %d: %s", x->status, x->error ? x->error : "no error");
    assert_int_equal(x->verified, status == RESULT_OK);
    if (why)
        assert_has(x->error, why);
    rig_release(&r);
}

static void must_not_run_yaml(struct rig *r, const char *yaml, const char *why)
{
    if (rig_run(r, yaml))
        fail_msg("it ran, and variant v is %s",
                 r->run.results[0].verified ? "verified" : r->run.results[0].error);
    assert_int_equal(r->err.kind, ERROR_INPUT);
    assert_has(r->err.message, why);
    rig_release(r);
}

static void must_not_run(const char *call, const char *kernel, const char *more, const char *why)
{
    struct rig r;
    rig_init(&r);
    must_not_run_yaml(&r, experiment(&r, call, kernel, more), why);
}

/* ---- the reference ------------------------------------------------------------------------------- */

static void reference_without_an_output_is_an_error_of_the_experiment(void **state)
{
    struct rig r;
    rig_init(&r);
    must_not_run_yaml(&r,
                      "experiment: x\nsource: k.cu\nreference: ref.c:twice\nparams: {N: 1024}\n"
                      "buffers:\n  in: {type: f32, count: N, fill: 'uniform(1,2)'}\n"
                      "  out: {type: f32, count: N}\nvariants:\n"
                      "  - {name: v, kernel: empty, grid: 8, block: 128, args: [out, in, N]}\n",
                      "experiment.yaml:3:12: there is a reference, but no buffer has 'output: "
                      "true'");
}

static void reference_that_returns_at_once_proves_nothing(void **state)
{
    must_not_run("ref.c:nothing", "empty", "",
                 "experiment.yaml:7:3: the reference 'nothing' leaves 1024 of 1024 elements of the "
                 "output 'out' unwritten, first out[0]");
    must_not_run("ref.c:nothing", "empty", ", written: some",
                 "writes nothing to any output: a kernel that does nothing would be called right");
}

static void reference_that_ends_its_process_is_not_believed(void **state)
{
    must_not_run("ref.c:leaves", "empty", "", "ended its process before it returned");
}

static void reference_whose_constructor_ends_the_process_is_not_believed(void **state)
{
    struct rig r;
    rig_init(&r);
    put(&r, "ref.c", constructor);
    must_not_run_yaml(&r, experiment(&r, "ref.c:twice", "empty", ""),
                      "ended its process before it returned (exit status 0)");
}

static void elements_the_reference_leaves_are_said_unless_they_are_declared(void **state)
{
    must_not_run("ref.c:evens", "evens", "",
                 "leaves 512 of 1024 elements of the output 'out' unwritten, first out[1]");
    must_be("ref.c:evens", "evens", ", written: some", RESULT_OK, NULL);
    must_be("ref.c:evens", "right", ", written: some", RESULT_WRONG, "out[1] was written (it is ");
    must_be("ref.c:evens", "empty", ", written: some", RESULT_WRONG, "were never written");
}

static void output_in_place_that_the_reference_leaves_proves_nothing(void **state)
{
    struct rig r;
    rig_init(&r);
    must_not_run_yaml(&r,
                      "experiment: x\nsource: k.cu\nreference: ref.c:still\nparams: {N: 1024}\n"
                      "buffers:\n  out: {type: f32, count: N, fill: 'uniform(1,2)', output: true}\n"
                      "variants:\n"
                      "  - {name: v, kernel: inplace, grid: 8, block: 128, args: [out, N]}\n",
                      "the reference 'still' leaves the output 'out' as it was before");
}

// 165 in a u8 is what an unwritten one holds: a second poison shows it.
static void values_that_look_like_poison_are_distinguished_from_unwritten_ones(void **state)
{
    static const char yaml[] =
        "experiment: x\nsource: k.cu\nreference: ref.c:%s\nparams: {N: 1024}\n"
        "buffers:\n  out: {type: u8, count: N, output: true}\nvariants:\n"
        "  - {name: v, kernel: bytes, grid: 8, block: 128, args: [out, N]}\n";
    struct rig r;
    rig_init(&r);
    if (!rig_run(&r, arena_printf(&r.arena, yaml, "bytes")))
        fail_msg("%s", r.err.message);
    assert_true(r.run.results[0].verified);
    rig_release(&r);
    rig_init(&r);
    must_not_run_yaml(&r, arena_printf(&r.arena, yaml, "bytes_but_one"),
                      "leaves 1 of 1024 elements of the output 'out' unwritten, first out[165]");
}

/* ---- what was compiled before -------------------------------------------------------------------------- */

static const char by_header[] = "#define NAME \"factor.h\"\n#include NAME\n"
                                "void twice(float *out, const float *in, int n)\n"
                                "{ for (int i = 0; i < n; i++) out[i] = FACTOR * in[i]; }\n";

// The only object in the cache of references.
static const char *object_path(struct rig *r)
{
    const char *folder = user_cache_path(&r->arena, "reference"), *found = NULL;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (str_ends_with(e->d_name, ".so")) {
            assert_null(found);
            found = path_join(&r->arena, folder, e->d_name);
        }
    closedir(d);
    assert_non_null(found);
    return found;
}

static void cached_init(struct rig *r)
{
    rig_init(r);
    setenv("RIDGE_CACHE", path_join(&r->arena, r->folder, "cache"), 1);
}

static enum result_status again(struct rig *r)
{
    r->err = (struct error){0};
    if (!rig_run(r, experiment(r, "ref.c:twice", "right", "")))
        fail_msg("%s", r->err.message);
    enum result_status status = r->run.results[0].status;
    json_decref(r->run.header.environment);
    r->run = (struct run){0};
    return status;
}

static void reference_is_compiled_again_when_a_header_changes(void **state)
{
    struct rig r;
    cached_init(&r);
    put(&r, "ref.c", by_header);
    put(&r, "factor.h", "#define FACTOR 2\n");
    assert_int_equal(again(&r), RESULT_OK);
    put(&r, "factor.h", "#define FACTOR 3\n");
    assert_int_equal(again(&r), RESULT_WRONG);
    unsetenv("RIDGE_CACHE");
    rig_release(&r);
}

static void damaged_reference_is_built_anew(void **state)
{
    struct rig r;
    cached_init(&r);
    assert_int_equal(again(&r), RESULT_OK);
    const char *object = object_path(&r);
    struct stat before, after;
    assert_int_equal(stat(object, &before), 0);
    assert_int_equal(again(&r), RESULT_OK);
    assert_int_equal(stat(object, &after), 0);
    assert_true(before.st_ino == after.st_ino); // it was used as it is
    assert_int_equal(truncate(object, before.st_size / 2), 0);
    assert_int_equal(again(&r), RESULT_OK);
    assert_int_equal(stat(object, &after), 0);
    assert_true(after.st_size == before.st_size);
    unsetenv("RIDGE_CACHE");
    rig_release(&r);
}

// Another experiment's object in its place, with a sum that fits: code that calls anything right.
static void reference_that_others_may_write_is_not_loaded(void **state)
{
    struct rig r;
    struct stat st;
    cached_init(&r);
    assert_int_equal(again(&r), RESULT_OK);
    const char *object = object_path(&r);
    assert_int_equal(stat(path_dir(&r.arena, object), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(object, &st), 0);
    ino_t inode = st.st_ino;
    assert_int_equal(chmod(object, 0777), 0);
    assert_int_equal(again(&r), RESULT_OK);
    assert_int_equal(stat(object, &st), 0);
    assert_true(st.st_ino != inode && (st.st_mode & 0777) == 0700);
    if (geteuid() == 0) {
        inode = st.st_ino;
        assert_int_equal(chown(object, 65534, 65534), 0);
        assert_int_equal(again(&r), RESULT_OK);
        assert_int_equal(stat(object, &st), 0);
        assert_true(st.st_ino != inode && st.st_uid == 0);
    }
    unsetenv("RIDGE_CACHE");
    rig_release(&r);
}

static void copy(struct rig *r, const char *from, const char *to)
{
    char *data = NULL;
    size_t size = 0;
    assert_true(file_read(from, 1 << 24, &data, &size, &r->err));
    assert_true(file_write(to, data, size, &r->err));
    assert_int_equal(chmod(to, 0700), 0);
    free(data);
}

// In a folder of another user a wrong object with a right sum may come at any time: nothing there is believed.
static void reference_in_a_folder_of_others_is_not_loaded(void **state)
{
    struct rig r;
    if (geteuid() != 0)
        skip();
    cached_init(&r);
    put(&r, "ref.c", by_header);
    put(&r, "factor.h", "#define FACTOR 3\n");
    assert_int_equal(again(&r), RESULT_WRONG);
    const char *object = object_path(&r), *kept = path_join(&r.arena, r.folder, "kept");
    const char *sum = arena_printf(&r.arena, "%s.sum", object);
    copy(&r, object, kept);
    copy(&r, sum, arena_printf(&r.arena, "%s.sum", kept));
    assert_true(unlink(object) == 0 && unlink(sum) == 0);
    put(&r, "factor.h", "#define FACTOR 2\n");
    assert_int_equal(again(&r), RESULT_OK);
    object = object_path(&r);
    copy(&r, kept, object);
    copy(&r, arena_printf(&r.arena, "%s.sum", kept), arena_printf(&r.arena, "%s.sum", object));
    assert_int_equal(again(&r), RESULT_WRONG); // it is taken in a folder of one's own
    const char *folder = path_dir(&r.arena, object);
    assert_int_equal(chown(folder, 65534, 65534), 0);
    assert_int_equal(again(&r), RESULT_OK);
    assert_int_equal(chown(folder, 0, 0), 0);
    assert_int_equal(chown(path_dir(&r.arena, folder), 65534, 65534), 0);
    assert_int_equal(again(&r), RESULT_OK);
    struct stat st;
    assert_int_equal(stat(path_join(&r.arena, path_dir(&r.arena, folder), "work"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    unsetenv("RIDGE_CACHE");
    rig_release(&r);
}

/* ---- inputs ----------------------------------------------------------------------------------------- */

static void kernel_that_changes_its_input_is_wrong(void **state)
{
    must_be("ref.c:twice", "spoils", "", RESULT_WRONG,
            "the input 'in' was changed: in[7] is 5 and was ");
    struct rig r;
    rig_init(&r);
    r.request.checks = ~0u; // --check
    assert_true(rig_run(&r, experiment(&r, "ref.c:twice", "spoils", "")));
    assert_int_equal(r.run.results[0].status, RESULT_WRONG);
    rig_release(&r);
    rig_init(&r);
    assert_true(rig_run(
        &r, "experiment: x\nsource: k.cu\nreference: ref.c:twice\nparams: {N: 1024}\nbuffers:\n"
            "  in: {type: f32, count: N, fill: 'uniform(1,2)', scratch: true}\n"
            "  out: {type: f32, count: N, output: true}\nvariants:\n"
            "  - {name: v, kernel: spoils, grid: 8, block: 128, args: [out, in, N]}\n"));
    assert_true(r.run.results[0].verified);
    rig_release(&r);
}

/* ---- the reference's arguments ---------------------------------------------------------------------- */

static const char two_launches[] =
    "experiment: x\nsource: k.cu\nreference: %s\nparams: {N: 1024}\nbuffers:\n"
    "  in: {type: f32, count: N, fill: 'uniform(1,2)'}\n"
    "  part: {type: f32, count: N}\n"
    "  out: {type: f32, count: N, output: true}\nvariants:\n  - name: v\n    launches:\n"
    "      - {kernel: half_sum, grid: 8, block: 128, args: [part, in, N]}\n"
    "      - {kernel: second, grid: 8, block: 128, args: [out, part, N, 2]}\n";

static void reference_is_called_with_the_arguments_that_are_stated(void **state)
{
    struct rig r;
    rig_init(&r);
    if (!rig_run(&r,
                 arena_printf(&r.arena, two_launches, "{call: ref.c:twice, args: [out, in, N]}")))
        fail_msg("%s", r.err.message);
    assert_true(r.run.results[0].verified);
    rig_release(&r);
}

static void output_that_the_reference_is_not_given_is_said(void **state)
{
    struct rig r;
    rig_init(&r);
    must_not_run_yaml(&r, arena_printf(&r.arena, two_launches, "ref.c:twice"),
                      "experiment.yaml:8:3: buffer 'out' is an output, but not among the arguments "
                      "of the reference 'twice' (part, in, N, those of the first kernel of variant "
                      "'v'): state them with reference: {call: ref.c:twice, args: [...]}");
}

/* ---- scalars ------------------------------------------------------------------------------------------- */

static void scalar_must(const char *kernel, const char *call, const char *args, const char *why)
{
    struct rig r;
    rig_init(&r);
    const char *yaml = arena_printf(
        &r.arena,
        "experiment: x\nsource: k.cu\nreference: ref.c:%s\nparams: {N: 1024, X: 1.5}\nbuffers:\n"
        "  in: {type: f32, count: N, fill: 'uniform(1,2)'}\n"
        "  out: {type: f32, count: N, output: true}\nvariants:\n"
        "  - {name: v, kernel: %s, grid: 8, block: 128, args: %s}\n",
        call, kernel, args);
    if (why) {
        must_not_run_yaml(&r, yaml, why);
        return;
    }
    if (!rig_run(&r, yaml))
        fail_msg("%s", r.err.message);
    if (!r.run.results[0].verified)
        fail_msg("%s", r.run.results[0].error);
    rig_release(&r);
}

static void scalar_of_another_type_than_the_kernels_names_the_right_spelling(void **state)
{
    scalar_must("scaled", "scaled", "[out, in, 2, N]",
                "argument 3 of kernel 'scaled' is f32 in the kernel, but 2 is i32 here; write "
                "{value: 2, type: f32}");
    scalar_must("scaled", "scaled", "[out, in, {value: 2, type: f32}, N]", NULL);
    scalar_must("scaled", "scaled", "[out, in, 2.0, N]", NULL);
    scalar_must("right", "twice", "[out, in, 1.5]",
                "argument 3 of kernel 'right' is i32 in the kernel, which 1.5 does not fit: give a "
                "whole number of that size (floor(1.5)), or change the parameter in the source");
    scalar_must("right", "twice", "[out, in, 1e30]", "i32 in the kernel, which 1e30 does not fit");
    scalar_must("right", "twice", "[out, in, X]", "i32 in the kernel, which X does not fit");
    scalar_must("right", "twice", "[out, in, 2.0]",
                "but 2.0 is f32 here; write {value: 2.0, type: i32}");
    scalar_must("right", "twice", "[out, in, {value: 1.5, type: i32}]",
                "the argument 1.5 is 1.5 with N=1024 X=1.5: that does not fit i32");
    scalar_must("scaled64", "scaled64", "[out, in, 2.5, {value: N, type: i64}]",
                "argument 3 of kernel 'scaled64' is f64 in the kernel, but 2.5 is f32 here; write "
                "{value: 2.5, type: f64}");
    scalar_must("scaled64", "scaled64", "[out, in, {value: 2.5, type: f64}, N]",
                "argument 4 of kernel 'scaled64' is i64 or a pointer in the kernel, but N is i32 "
                "here; write {value: N, type: i64}, or a buffer");
    scalar_must("scaled64", "scaled64", "[out, in, {value: 2.5, type: f64}, {value: N, type: i64}]",
                NULL);
    scalar_must("scaled", "scaled", "[out, in, {value: 1e39, type: f32}, N]",
                "that does not fit f32");
    scalar_must("right", "twice", "[out, N, in]",
                "argument 2 of kernel 'right' is i64 or a pointer");
}

static void more_static_shared_memory_than_any_gpu_has_is_refused(void **state)
{
    struct rig r;
    rig_init(&r);
    if (!rig_run(&r, experiment(&r, "ref.c:twice", "fat", "")))
        fail_msg("%s", r.err.message);
    assert_int_equal(r.run.results[0].status, RESULT_FAILED);
    assert_has(r.run.results[0].error, "kernel 'fat': 61440 bytes of static shared memory");
    rig_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_without_an_output_is_an_error_of_the_experiment),
        cmocka_unit_test(reference_that_returns_at_once_proves_nothing),
        cmocka_unit_test(reference_that_ends_its_process_is_not_believed),
        cmocka_unit_test(reference_whose_constructor_ends_the_process_is_not_believed),
        cmocka_unit_test(elements_the_reference_leaves_are_said_unless_they_are_declared),
        cmocka_unit_test(output_in_place_that_the_reference_leaves_proves_nothing),
        cmocka_unit_test(values_that_look_like_poison_are_distinguished_from_unwritten_ones),
        cmocka_unit_test(reference_is_compiled_again_when_a_header_changes),
        cmocka_unit_test(damaged_reference_is_built_anew),
        cmocka_unit_test(reference_in_a_folder_of_others_is_not_loaded),
        cmocka_unit_test(reference_that_others_may_write_is_not_loaded),
        cmocka_unit_test(kernel_that_changes_its_input_is_wrong),
        cmocka_unit_test(reference_is_called_with_the_arguments_that_are_stated),
        cmocka_unit_test(output_that_the_reference_is_not_given_is_said),
        cmocka_unit_test(scalar_of_another_type_than_the_kernels_names_the_right_spelling),
        cmocka_unit_test(more_static_shared_memory_than_any_gpu_has_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
