// The recorder inside a program: a fake driver loads it, a fake CUPTI feeds it (fake_gpu.c), and what it leaves is read.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "capture/stream.h"

#include <dirent.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { KINDS_MAX = 32 };
static struct arena arena;
static char folder[] = "/tmp/ridge-recorder-XXXXXX";
static const char *recorder_path;

// Runs a program of the words, NULL terminated.
static struct process_result run(const char *const *argv)
{
    struct process_result r;
    struct error err = {0};
    if (!process_run(&(struct process_spec){.argv = argv, .timeout_s = 60}, &r, &err))
        fail_msg("%s", err.message);
    return r;
}

static void compile(const char *out, const char *source, const char *flag, const char *define)
{
    const char *const argv[] = {"cc",    "-std=gnu17", "-pthread",
                                "-fPIC", "-Isrc",      define,
                                flag,    "-o",         path_join(&arena, folder, out),
                                source,  NULL};
    struct process_result r = run(argv);
    if (r.exit_status != 0)
        fail_msg("%s", text_str(&r.err_text));
    process_result_release(&r);
}

static int prepare(void **state)
{
    const char *build = getenv("BUILD");
    struct error err = {0};
    recorder_path = arena_printf(&arena, "%s/libridge-capture.so", build ? build : "build");
    char *whole = realpath(recorder_path, NULL);
    if (!whole || !mkdtemp(folder))
        return -1;
    recorder_path = arena_strdup(&arena, whole);
    free(whole);
    compile("libcuda.so.1", "tests/capture/fake_gpu.c", "-shared", "-DFAKE_CUDA");
    if (!dir_make(path_join(&arena, folder, "cupti"), &err))
        return -1;
    compile("cupti/libcupti.so.13", "tests/capture/fake_gpu.c", "-shared", "-DFAKE_CUPTI");
    compile("program", "tests/capture/program.c", "-pie", "-DPROGRAM");
    return 0;
}

static int clean(void **state)
{
    struct process_result r = run((const char *const[]){"rm", "-rf", folder, NULL});
    process_result_release(&r);
    arena_release(&arena);
    return 0;
}

/* ---- a program, watched --------------------------------------------------------------------- */

struct recording {
    struct event *events; // their tails lie in the arena
    size_t count, capacity;
    size_t of_kind[KINDS_MAX];
    bool damaged;
    uint64_t lost;
};
struct watched {
    struct process_result ended;
    struct recording *files;
    int file_count;
};

static void read_file(const char *path, struct recording *out)
{
    char *data;
    size_t size;
    struct error err = {0};
    struct stream_reader r;
    struct event e;
    assert_true(file_read(path, 1 << 28, &data, &size, &err));
    char *kept = arena_alloc(&arena, size);
    memcpy(kept, data, size);
    free(data);
    assert_true(stream_open(&r, path, kept, size, &err));
    while (stream_next(&r, &e)) {
        VEC_PUSH(out->events, out->count, out->capacity, e);
        out->of_kind[e.kind]++;
    }
    out->damaged = r.damaged;
    out->lost = r.lost;
}

// The program with that argument, `setting` in its environment. Each test has a folder of recordings of its own.
static struct watched watch(const char *how, const char *setting, const char *more)
{
    static int number;
    struct watched w = {0};
    struct error err = {0};
    const char *into = arena_printf(&arena, "%s/out%d", folder, number++);
    assert_true(dir_make(into, &err));
    const char *const argv[] = {"env",
                                arena_printf(&arena, "LD_LIBRARY_PATH=%s:%s/cupti", folder, folder),
                                arena_printf(&arena, "CUDA_INJECTION64_PATH=%s", recorder_path),
                                arena_printf(&arena, "RIDGE_CAPTURE_FOLDER=%s", into),
                                setting ? setting : "A=1",
                                more ? more : "B=1",
                                path_join(&arena, folder, "program"),
                                how,
                                NULL};
    w.ended = run(argv);
    DIR *d = opendir(into);
    w.files = ARENA_ARRAY(&arena, struct recording, 8);
    for (struct dirent *e; (e = readdir(d));)
        if (str_ends_with(e->d_name, ".ridgecap"))
            read_file(path_join(&arena, into, e->d_name), &w.files[w.file_count++]);
    closedir(d);
    return w;
}

static void release(struct watched *w)
{
    for (int i = 0; i < w->file_count; i++)
        free(w->files[i].events);
    process_result_release(&w->ended);
}

static const struct event *event_of(const struct recording *r, enum event_kind kind, size_t which)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->events[i].kind == kind && which-- == 0)
            return &r->events[i];
    fail_msg("no event of kind %d", (int)kind);
    return NULL;
}

// Sanitizers want to be the first library of a program; the fake driver's program knows none of them.
static void skip_under_sanitizers(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skip - a recorder with a sanitizer cannot be loaded into a program without\n");
    skip();
#endif
}

/* ---- the tests --------------------------------------------------------------------------------- */

static void work_of_the_gpu_is_recorded(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", NULL, NULL);
    assert_string_equal(text_str(&w.ended.out), "sum 4032\n");
    assert_int_equal(w.file_count, 1);
    const struct recording *r = &w.files[0];
    assert_false(r->damaged);
    assert_int_equal(r->of_kind[EVENT_KERNEL], 5);
    assert_int_equal(r->of_kind[EVENT_COPY], 2);
    assert_int_equal(r->of_kind[EVENT_NAME], 1);
    assert_int_equal(r->of_kind[EVENT_END], 1);
    const struct event *name = event_of(r, EVENT_NAME, 0), *k = event_of(r, EVENT_KERNEL, 0);
    assert_memory_equal(name->tail, "twice", 5);
    assert_int_equal(name->tail_bytes, 5);
    assert_int_equal(k->of.kernel.name, name->of.name.id);
    assert_int_equal(k->of.kernel.end_ns - k->of.kernel.start_ns, 10000);
    assert_int_equal(k->of.kernel.grid_x, 2);
    assert_int_equal(k->of.kernel.block_x, 32);
    assert_int_equal(event_of(r, EVENT_COPY, 1)->of.copy.kind, 2);
    assert_memory_equal(event_of(r, EVENT_DEVICE, 0)->tail, "Fake GPU", 8);
    release(&w);
}

static void launches_are_recorded_with_what_they_did(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", "RIDGE_CAPTURE_CALLS=1", NULL);
    const struct recording *r = &w.files[0];
    assert_int_equal(r->of_kind[EVENT_LAUNCH], 3); // one more failed
    assert_int_equal(r->of_kind[EVENT_GRAPH_LAUNCH], 1);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(event_of(r, EVENT_LAUNCH, i)->of.launch.correlation,
                         event_of(r, EVENT_KERNEL, i)->of.kernel.correlation);
    assert_int_equal(event_of(r, EVENT_GRAPH_LAUNCH, 0)->of.graph_launch.correlation,
                     event_of(r, EVENT_KERNEL, 4)->of.kernel.correlation);
    assert_int_equal(r->of_kind[EVENT_MODULE], 0); // only for saving kernels
    assert_int_equal(r->of_kind[EVENT_SAVED], 0);
    release(&w);
}

static void graphs_are_recorded_as_a_whole_where_that_is_asked_for(void **state)
{
    enum { LAUNCHES = 1000 };
    skip_under_sanitizers();
    struct watched w = watch("graphs", "RIDGE_CAPTURE_GRAPHS=whole", NULL);
    const struct recording *r = &w.files[0];
    assert_string_equal(text_str(&w.ended.out), "sum 4032\n");
    assert_int_equal(r->of_kind[EVENT_KERNEL], 3);
    assert_int_equal(r->of_kind[EVENT_GRAPH], LAUNCHES);
    const struct event_graph *g = &event_of(r, EVENT_GRAPH, LAUNCHES - 1)->of.graph;
    assert_int_equal(g->end_ns - g->start_ns, 20000);
    assert_int_equal(g->stream, 7);
    assert_int_equal(g->graph, event_of(r, EVENT_GRAPH, 0)->of.graph.graph);
    assert_true(g->correlation > event_of(r, EVENT_GRAPH, 0)->of.graph.correlation);
    release(&w);
    w = watch("graphs", "RIDGE_CAPTURE_GRAPHS=kernels", NULL);
    assert_int_equal(w.files[0].of_kind[EVENT_KERNEL], 3 + 2 * LAUNCHES);
    assert_int_equal(w.files[0].of_kind[EVENT_GRAPH], 0);
    release(&w);
    // Where kernels are saved they are told one by one.
    w = watch("graphs", "RIDGE_CAPTURE_GRAPHS=whole", "RIDGE_CAPTURE_KERNELS=none");
    assert_int_equal(w.files[0].of_kind[EVENT_GRAPH], 0);
    release(&w);
}

// CUPTI hands full buffers over on the program's threads: none is lost where they come faster than they can be read.
static void a_flood_of_launches_loses_none(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("many", NULL, NULL);
    const struct recording *r = &w.files[0];
    assert_int_equal(r->of_kind[EVENT_KERNEL], 400005);
    for (size_t i = 0; i < r->count; i++)
        if (r->events[i].kind == EVENT_KERNEL)
            assert_int_equal(r->events[i].of.kernel.end_ns - r->events[i].of.kernel.start_ns,
                             10000);
    assert_int_equal(r->of_kind[EVENT_NAME], 1);
    assert_int_equal(r->of_kind[EVENT_DROPPED], 0);
    release(&w);
}

static void names_that_differ_at_their_end_are_two(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", "FAKE_NAMES=1", NULL);
    const struct recording *r = &w.files[0];
    assert_int_equal(r->of_kind[EVENT_NAME], 2);
    assert_int_equal(event_of(r, EVENT_NAME, 0)->tail_bytes, 39);
    assert_memory_equal(event_of(r, EVENT_NAME, 1)->tail, "a_kernel_with_a_name_of_39_letters_x_b_",
                        39);
    assert_true(event_of(r, EVENT_KERNEL, 0)->of.kernel.name !=
                event_of(r, EVENT_KERNEL, 1)->of.kernel.name);
    release(&w);
}

// Each callback holds the program up: there are none where nobody asks who launched.
static void calls_are_listened_to_where_they_are_needed(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", NULL, NULL);
    assert_int_equal(w.files[0].of_kind[EVENT_KERNEL], 5);
    assert_int_equal(w.files[0].of_kind[EVENT_LAUNCH] + w.files[0].of_kind[EVENT_GRAPH_LAUNCH], 0);
    release(&w);
    w = watch("ranges", arena_printf(&arena, "NVTX_INJECTION64_PATH=%s", recorder_path), NULL);
    assert_int_equal(w.files[0].of_kind[EVENT_LAUNCH], 3);
    release(&w);
}

static void a_chosen_launch_is_saved_with_what_it_was_given(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", "RIDGE_CAPTURE_KERNELS=^tw", NULL);
    assert_string_equal(text_str(&w.ended.out), "sum 4032\n");
    const struct recording *r = &w.files[0];
    const struct event *m = event_of(r, EVENT_MODULE, 0), *l = event_of(r, EVENT_LAUNCH, 0);
    const struct event *in = event_of(r, EVENT_SAVED, 0), *out = event_of(r, EVENT_SAVED, 1);
    assert_memory_equal(m->tail, ".version 7.0\n", 13);
    assert_int_equal(event_of(r, EVENT_IMAGE, 0)->tail_bytes, m->tail_bytes);
    assert_true(r->of_kind[EVENT_LIBRARY] > 1);
    assert_int_equal(r->of_kind[EVENT_SAVED], 2);
    assert_int_equal(l->of.launch.ordinal, 1);
    assert_int_equal(event_of(r, EVENT_LAUNCH, 1)->of.launch.ordinal, 0);
    assert_int_equal(l->of.launch.parameters, 3);
    assert_int_equal(l->tail_bytes, 3 * 8 + 8 + 8 + 4);
    uint64_t second;
    uint32_t place[2], n;
    memcpy(place, l->tail + 16, sizeof place);
    assert_int_equal(place[0], 16);
    assert_int_equal(place[1], 4);
    memcpy(&second, l->tail + 32, sizeof second);
    memcpy(&n, l->tail + 40, sizeof n);
    assert_int_equal(n, 64);
    assert_int_equal(second, out->of.saved.address + 64); // inside of its allocation
    assert_int_equal(in->of.saved.bytes, 256);
    assert_int_equal(in->of.saved.changed, 0);
    assert_int_equal(out->of.saved.bytes, 320);
    assert_int_equal(out->of.saved.changed, 1);
    assert_int_equal(in->of.saved.correlation, l->of.launch.correlation);
    release(&w);
}

// As PyTorch's compiler and Triton look for them.
static void folders_of_triton_s_caches_are_recorded(void **state)
{
    skip_under_sanitizers();
    struct error err = {0};
    const char *home = path_join(&arena, folder, "home");
    const char *own = path_join(&arena, home, ".triton/cache");
    const char *compiler = path_join(&arena, folder, "torchinductor_a_b/triton");
    assert_true(dir_make(own, &err) && dir_make(compiler, &err));
    setenv("LOGNAME", "a:b", 1);
    setenv("TMPDIR", folder, 1);
    unsetenv("TRITON_HOME");
    struct watched w =
        watch("0", "RIDGE_CAPTURE_KERNELS=^tw", arena_printf(&arena, "HOME=%s", home));
    assert_int_equal(w.files[0].of_kind[EVENT_CACHE], 2);
    const struct event *first = event_of(&w.files[0], EVENT_CACHE, 0),
                       *second = event_of(&w.files[0], EVENT_CACHE, 1);
    assert_memory_equal(first->tail, own, first->tail_bytes);
    assert_memory_equal(second->tail, compiler, second->tail_bytes);
    release(&w);
    setenv("TRITON_CACHE_DIR", own, 1);
    setenv("TORCHINDUCTOR_CACHE_DIR", path_dir(&arena, compiler), 1);
    w = watch("0", "RIDGE_CAPTURE_KERNELS=^tw", "HOME=/nowhere");
    assert_int_equal(w.files[0].of_kind[EVENT_CACHE], 2);
    unsetenv("TRITON_CACHE_DIR");
    unsetenv("TORCHINDUCTOR_CACHE_DIR");
    unsetenv("TMPDIR");
    release(&w);
}

// Ended in another order than they began, in domains, by registered strings.
static void ranges_of_nvtx_are_recorded(void **state)
{
    skip_under_sanitizers();
    struct watched w =
        watch("ranges", arena_printf(&arena, "NVTX_INJECTION64_PATH=%s", recorder_path), NULL);
    assert_string_equal(text_str(&w.ended.out), "sum 4032\n");
    const struct recording *r = &w.files[0];
    static const struct {
        const char *name;
        bool of_a_thread;
    } wanted[] = {{"inner", true}, {"library: step", true}, {"outer", true}, {"whole", false}};
    assert_int_equal(r->of_kind[EVENT_RANGE], COUNT_OF(wanted));
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        const struct event *e = event_of(r, EVENT_RANGE, i), *name = NULL;
        for (size_t k = 0; !name; k++)
            if (event_of(r, EVENT_NAME, k)->of.name.id == e->of.range.name)
                name = event_of(r, EVENT_NAME, k);
        assert_int_equal(name->tail_bytes, strlen(wanted[i].name));
        assert_memory_equal(name->tail, wanted[i].name, name->tail_bytes);
        assert_int_equal(e->of.range.thread != 0, wanted[i].of_a_thread);
        assert_true(e->of.range.end_ns >= e->of.range.start_ns && e->of.range.start_ns > 0);
    }
    release(&w);
}

static void which_launch_is_saved_can_be_said(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", "RIDGE_CAPTURE_KERNELS=twice", "RIDGE_CAPTURE_LAUNCH=3");
    assert_int_equal(event_of(&w.files[0], EVENT_LAUNCH, 2)->of.launch.ordinal, 3);
    assert_int_equal(event_of(&w.files[0], EVENT_SAVED, 1)->of.saved.changed, 0); // as it was
    release(&w);
    w = watch("0", "RIDGE_CAPTURE_KERNELS=other", NULL);
    assert_int_equal(w.files[0].of_kind[EVENT_LAUNCH], 3);
    assert_int_equal(w.files[0].of_kind[EVENT_SAVED], 0);
    release(&w);
}

static void a_launch_that_is_too_large_is_not_saved(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", "RIDGE_CAPTURE_KERNELS=twice", "RIDGE_CAPTURE_SAVED=1000");
    assert_string_equal(text_str(&w.ended.out), "sum 4032\n");
    assert_int_equal(w.files[0].of_kind[EVENT_SAVED], 0);
    const struct event *e = event_of(&w.files[0], EVENT_TROUBLE, 0);
    assert_non_null(
        strstr(arena_strndup(&arena, e->tail, e->tail_bytes), "2 allocations of 576 bytes"));
    release(&w);
}

static void the_program_ends_as_it_would(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("7", NULL, NULL);
    assert_int_equal(w.ended.exit_status, 7);
    assert_int_equal(w.ended.err_text.length, 0);
    release(&w);
    w = watch("abort", NULL, NULL);
    assert_int_equal(w.ended.signal, SIGABRT);
    release(&w);
}

static void a_killed_program_leaves_what_was_handed_over(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("kill", NULL, NULL);
    assert_int_equal(w.ended.signal, SIGKILL);
    assert_int_equal(w.files[0].of_kind[EVENT_KERNEL], 5);
    assert_int_equal(w.files[0].of_kind[EVENT_END], 0);
    assert_false(w.files[0].damaged);
    release(&w);
}

static void a_fork_leaves_its_parents_file_alone(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("fork", NULL, NULL);
    assert_int_equal(w.file_count, 1);
    assert_int_equal(w.files[0].of_kind[EVENT_END], 1);
    assert_int_equal(w.files[0].of_kind[EVENT_KERNEL], 5);
    release(&w);
}

static void every_process_that_uses_the_gpu_has_a_file(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("child", NULL, NULL);
    assert_int_equal(w.file_count, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(w.files[i].of_kind[EVENT_KERNEL], 5);
    release(&w);
}

static void the_limit_is_kept_and_what_is_lost_counted(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", "RIDGE_CAPTURE_LIMIT=65536", NULL);
    assert_int_equal(w.files[0].lost, 0);
    release(&w);
    w = watch("0", "RIDGE_CAPTURE_LIMIT=100", NULL); // not even the header
    assert_string_equal(text_str(&w.ended.out), "sum 4032\n");
    assert_int_equal(w.ended.exit_status, 0);
    assert_int_equal(w.file_count, 0);
    release(&w);
}

// The sentence of the recording's only trouble.
static const char *trouble(const struct watched *w)
{
    assert_int_equal(w->file_count, 1);
    const struct event *e = event_of(&w->files[0], EVENT_TROUBLE, 0);
    return arena_strndup(&arena, e->tail, e->tail_bytes);
}

static void what_is_missing_is_a_sentence_and_the_program_runs_on(void **state)
{
    skip_under_sanitizers();
    struct watched w = watch("0", "FAKE_SUBSCRIBED=1", "RIDGE_CAPTURE_CALLS=1");
    assert_non_null(strstr(trouble(&w), "another profiler listens"));
    assert_int_equal(w.files[0].of_kind[EVENT_KERNEL], 5);
    release(&w);
    w = watch("0", "FAKE_OLD=1", NULL);
    assert_non_null(strstr(trouble(&w), "CUDA 12.0"));
    assert_string_equal(text_str(&w.ended.out), "sum 4032\n");
    release(&w);
    w = watch("0", arena_printf(&arena, "LD_LIBRARY_PATH=%s", folder), NULL);
    assert_string_equal(text_str(&w.ended.out), "sum 4032\n");
    release(&w);
    w = watch("0", "FAKE_DROPS=1", NULL);
    assert_int_equal(event_of(&w.files[0], EVENT_DROPPED, 0)->of.dropped.records, 3);
    release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_of_the_gpu_is_recorded),
        cmocka_unit_test(launches_are_recorded_with_what_they_did),
        cmocka_unit_test(graphs_are_recorded_as_a_whole_where_that_is_asked_for),
        cmocka_unit_test(a_flood_of_launches_loses_none),
        cmocka_unit_test(names_that_differ_at_their_end_are_two),
        cmocka_unit_test(calls_are_listened_to_where_they_are_needed),
        cmocka_unit_test(a_chosen_launch_is_saved_with_what_it_was_given),
        cmocka_unit_test(folders_of_triton_s_caches_are_recorded),
        cmocka_unit_test(ranges_of_nvtx_are_recorded),
        cmocka_unit_test(which_launch_is_saved_can_be_said),
        cmocka_unit_test(a_launch_that_is_too_large_is_not_saved),
        cmocka_unit_test(the_program_ends_as_it_would),
        cmocka_unit_test(a_killed_program_leaves_what_was_handed_over),
        cmocka_unit_test(a_fork_leaves_its_parents_file_alone),
        cmocka_unit_test(every_process_that_uses_the_gpu_has_a_file),
        cmocka_unit_test(the_limit_is_kept_and_what_is_lost_counted),
        cmocka_unit_test(what_is_missing_is_a_sentence_and_the_program_runs_on),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
