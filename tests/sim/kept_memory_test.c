// What a launch needs in large pieces it takes from what earlier ones gave back: the system would clear each page anew, and take
// it back at the end.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"
#include "sim/run/exec.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define OTHER_ALLOCATOR 1
#endif
#endif
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OTHER_ALLOCATOR 1
#endif

enum { LARGE = 48 * 1024 };
static int large; // pieces taken

#ifndef OTHER_ALLOCATOR
extern void *__libc_calloc(size_t n,
                           size_t size); // NOLINT(bugprone-reserved-identifier): glibc's own
void *calloc(size_t n, size_t size)
{
    __atomic_fetch_add(&large, n * size >= LARGE, __ATOMIC_RELAXED);
    return __libc_calloc(n, size);
}
#endif

static void launches_take_no_large_pieces_of_cleared_memory(void **state)
{
    enum { COUNT = 1 << 16 };
    (void)state;
#ifdef OTHER_ALLOCATOR
    skip();
#endif
    for (int threads = 1; threads <= 2; threads++) {
        struct bench b;
        int n = 256;
        bench_file(&b, "programs_nvcc.ptx");
        uint64_t in = bench_buffer(&b, "in", NULL, (size_t)COUNT * 4),
                 out = bench_buffer(&b, "out", NULL, (size_t)COUNT * 4);
        b.launch.threads = threads;
        for (int k = 0; k < 3; k++) {
            if (k == 0)
                assert_true(large > 0); // they are seen: the first launch's, bench_buffer's
            large = 0;
            bench_run(&b, "transpose_naive", (struct shape){{8, 8, 1}, {32, 32, 1}},
                      ARGS(&out, &in, &n));
        }
        assert_int_equal(large, 0);
        bench_close(&b);
    }
}

// A launch of one wave has no earlier block to say how much room its traced warps need.
static void traced_warps_have_the_room_that_the_last_launch_took(void **state)
{
    enum { COUNT = 1 << 10 };
    (void)state;
    struct bench b;
    int n = 32;
    bench_file(&b, "programs_nvcc.ptx");
    uint64_t in = bench_buffer(&b, "in", NULL, (size_t)COUNT * 4),
             out = bench_buffer(&b, "out", NULL, (size_t)COUNT * 4);
    struct shape shape = {{1, 1, 1}, {32, 32, 1}};
    bench_run(&b, "transpose_naive", shape, ARGS(&out, &in, &n));
    size_t first = b.module->programs[0]->traced_ops;
    assert_true(first > 0);
    n = 0; // nothing is in bounds: less to do
    bench_run(&b, "transpose_naive", shape, ARGS(&out, &in, &n));
    assert_true(b.module->programs[0]->traced_ops > 0);
    assert_true(b.module->programs[0]->traced_ops <= first);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traced_warps_have_the_room_that_the_last_launch_took),
        cmocka_unit_test(launches_take_no_large_pieces_of_cleared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
