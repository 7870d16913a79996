// Kernels of tests/sim/programs.cu, as nvcc and clang compile them (see the head of that file),
// against plain C: results, and counters that follow from the code.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

static const char *const FILES[] = {"programs_nvcc.ptx", "programs_clang.ptx"};
#define EACH_COMPILER(b)                                                                      \
    for (size_t file_ = 0; file_ < COUNT_OF(FILES) && (bench_file(&(b), FILES[file_]), true); \
         bench_close(&(b)), file_++)

static float *floats(size_t n, uint32_t seed)
{
    float *f = xcalloc(n, sizeof(float));
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        f[i] = (float)(seed >> 20) / 16; // sums of a few thousand are exact
    }
    return f;
}

static void vector_add_gives_sums_and_masks_the_tail(void **state)
{
    enum { N = 1000 };
    float *a = floats(N, 1), *c = xcalloc(N, sizeof(float));
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t da = bench_buffer(&b, "a", a, N * 4), db = bench_buffer(&b, "b", a, N * 4);
        uint64_t dc = bench_buffer(&b, "c", NULL, N * 4);
        int n = N;
        bench_run(&b, "vector_add", GRID1(4, 256), ARGS(&dc, &da, &db, &n));
        bench_fetch(&b, dc, c, N * 4);
        for (int i = 0; i < N; i++)
            assert_true(c[i] == a[i] + a[i]);
        assert_counter(&b, GLOBAL_LOAD_REQUESTS, 2 * 32);
        assert_counter(&b, GLOBAL_LOAD_SECTORS, 2 * 125);
        assert_counter(&b, GLOBAL_LOAD_SECTORS_IDEAL, 2 * 125);
        assert_counter(&b, GLOBAL_STORE_SECTORS, 125);
        assert_counter(&b, FADD_F32, N);
        assert_counter(&b, FLOPS_F32, N);
        assert_counter(&b, DIVERGENT_BRANCHES, 1); // the last warp: 1000 = 31 * 32 + 8
    }
    free(a);
    free(c);
}

static void reductions_give_the_exact_sum(void **state)
{
    enum { N = 100000, BLOCKS = 40 };
    float *in = floats(N, 2), part[BLOCKS], sum;
    double want = 0, first = 0;
    for (int i = 0; i < N; i++)
        want += (double)in[i];
    for (int i = 0; i < 256; i++)
        first += (double)in[i];
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t din = bench_buffer(&b, "in", in, N * 4), dout = bench_buffer(&b, "out", NULL, 4);
        uint64_t dpart = bench_buffer(&b, "part", NULL, sizeof(part));
        int n = N;
        if (!sim_fill(b.sim, dout, 0, 4, &b.err))
            fail_msg("%s", b.err.message);
        bench_run(&b, "reduce_shuffle", GRID1(BLOCKS, 256), ARGS(&dout, &din, &n));
        bench_fetch(&b, dout, &sum, 4);
        assert_true(fabs((double)sum - want) <= 1e-6 * want);
        assert_counter(&b, GLOBAL_ATOMIC_REQUESTS, BLOCKS);
        assert_counter(&b, BARRIERS, BLOCKS * 8);
        bench_run(&b, "reduce_tree", GRID1(BLOCKS, 256), ARGS(&dpart, &din));
        bench_fetch(&b, dpart, part, sizeof(part));
        assert_true((double)part[0] == first);
        assert_counter(&b, BARRIERS, BLOCKS * 8 * 9);
    }
    free(in);
}

static void histogram_counts_every_value(void **state)
{
    enum { N = 50000, BINS = 64 };
    uint32_t *in = xcalloc(N, 4), want[BINS] = {0}, got[BINS];
    for (uint32_t i = 0; i < N; i++) {
        in[i] = i * i * 2654435761u >> 7;
        want[in[i] % BINS]++;
    }
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t din = bench_buffer(&b, "in", in, N * 4);
        uint64_t dbins = bench_buffer(&b, "bins", NULL, sizeof(got));
        int n = N;
        if (!sim_fill(b.sim, dbins, 0, sizeof(got), &b.err))
            fail_msg("%s", b.err.message);
        bench_run(&b, "histogram", GRID1(13, 256), ARGS(&dbins, &din, &n));
        bench_fetch(&b, dbins, got, sizeof(got));
        assert_memory_equal(got, want, sizeof(got));
        assert_true(bench_counter(&b, COUNTER_SHARED_ATOMIC_REQUESTS) >= N / 32);
        assert_true(bench_counter(&b, COUNTER_SHARED_ATOMIC_WAVEFRONTS) >
                    bench_counter(&b, COUNTER_SHARED_ATOMIC_REQUESTS));
        assert_counter(&b, GLOBAL_ATOMIC_REQUESTS, 13 * 2);
    }
    free(in);
}

static void tiled_matmul_gives_the_exact_product(void **state)
{
    enum { N = 64 };
    float *a = floats(N * N, 3), *c = xcalloc(N * N, 4);
    for (int i = 0; i < N * N; i++)
        a[i] = (float)((int)a[i] % 16);
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t da = bench_buffer(&b, "a", a, N * N * 4),
                 dc = bench_buffer(&b, "c", NULL, N * N * 4);
        int n = N;
        bench_run(&b, "matmul_tiled", GRID2(N / 16, N / 16, 16, 16), ARGS(&dc, &da, &da, &n));
        bench_fetch(&b, dc, c, N * N * 4);
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                float sum = 0;
                for (int k = 0; k < N; k++)
                    sum += a[y * N + k] * a[k * N + x];
                assert_true(c[y * N + x] == sum);
            }
        assert_counter(&b, FLOPS_F32, 2LL * N * N * N);
        assert_counter(&b, FFMA_F32, 1LL * N * N * N);
        assert_counter(&b, BARRIERS, 16 * 8 * (N / 16) * 2);
        assert_counter(&b, SHARED_STORE_REQUESTS, 16 * 8 * (N / 16) * 2);
        // As in machine code: 16 words of b, and the 16 neighbouring words of a in four loads.
        assert_counter(&b, SHARED_LOAD_REQUESTS, 16 * 8 * (N / 16) * (16 + 4));
    }
    free(a);
    free(c);
}

static void a_lock_between_lanes_and_blocks_is_taken_by_each_once(void **state)
{
    enum { N = 3 * 96 };
    int order[N], seen[N];
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t dorder = bench_buffer(&b, "order", NULL, sizeof(order));
        b.launch.budget_warp_instructions = 10000000;
        bench_run(&b, "spin_lock", GRID1(3, 96), ARGS(&dorder));
        bench_fetch(&b, dorder, order, sizeof(order));
        memset(seen, 0, sizeof(seen));
        for (int i = 0; i < N; i++)
            seen[order[i]]++;
        for (int i = 0; i < N; i++)
            assert_int_equal(seen[i], 1);
    }
}

static void blocks_of_a_resident_grid_wait_for_one_another(void **state)
{
    enum { BLOCKS = 140 };
    int out[BLOCKS * 64], zero = 0;
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t arrived = bench_buffer(&b, "arrived", &zero, 4);
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof(out));
        bench_run(&b, "grid_barrier", GRID1(BLOCKS, 64), ARGS(&arrived, &dout));
        bench_fetch(&b, dout, out, sizeof(out));
        for (int i = 0; i < BLOCKS * 64; i++)
            assert_int_equal(out[i], BLOCKS);
    }
}

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void recursion_goes_as_deep_as_each_lane_needs(void **state)
{
    int out[70];
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof(out));
        bench_run(&b, "recursion", GRID1(2, 35), ARGS(&dout));
        bench_fetch(&b, dout, out, sizeof(out));
        for (int i = 0; i < 70; i++)
            assert_int_equal(out[i], fibonacci(i % 11));
    }
}

static float collatz(float x)
{
    int n = (int)x, k = 0;
    for (; n > 1; k++)
        n = n % 2 != 0 ? 3 * n + 1 : n / 2;
    return (float)k;
}

static void lanes_call_different_functions_through_pointers(void **state)
{
    float out[128];
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof(out));
        bench_run(&b, "pointers", GRID1(2, 64), ARGS(&dout));
        bench_fetch(&b, dout, out, sizeof(out));
        for (int i = 0; i < 128; i++) {
            float x = (float)i;
            assert_true(out[i] == (i % 3 == 0 ? x + 1 : i % 3 == 1 ? x * 2 : collatz(x)));
        }
    }
}

static int divergence(int i)
{
    int r = 0;
    for (int k = 0; k < i % 7 + 1; k++) {
        if ((i + k) % 3 == 0)
            continue;
        if (k == 5)
            break;
        switch ((i + k) % 5) {
        case 0:
            r += 3;
            break;
        case 1:
            r ^= i;
            r *= 2;
            break;
        case 2:
            r *= 2;
            break;
        case 3:
            r = i % 2 != 0 ? r - k : r + k * k;
            break;
        default:
            r = r * 31 + k;
        }
        if (r > 100000)
            return -r;
    }
    return r;
}

static void divergent_loops_and_switches_match_plain_c(void **state)
{
    enum { N = 1000 };
    int out[N];
    struct bench b;
    EACH_COMPILER(b)
    {
        int n = N;
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof(out));
        bench_run(&b, "divergence", GRID1(8, 128), ARGS(&dout, &n));
        bench_fetch(&b, dout, out, sizeof(out));
        for (int i = 0; i < N; i++)
            assert_int_equal(out[i], divergence(i));
        assert_true(bench_counter(&b, COUNTER_DIVERGENT_BRANCHES) > 0);
        assert_true(bench_counter(&b, COUNTER_LANES_ACTIVE_PCT) < 100);
    }
}

static void local_arrays_are_each_lanes_own(void **state)
{
    int out[96];
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof(out));
        bench_run(&b, "local_array", GRID1(3, 32), ARGS(&dout));
        bench_fetch(&b, dout, out, sizeof(out));
        for (int i = 0; i < 96; i++) {
            uint32_t a[40], sum = 0;
            for (int k = 0; k < 40; k++)
                a[(k * 7 + i) % 40] = (uint32_t)(k * i);
            for (int k = 0; k < 40; k++)
                sum = sum * 3 + a[k ^ (i & 7)];
            assert_int_equal(out[i], (int)sum);
        }
        assert_true(bench_counter(&b, COUNTER_LOCAL_STORE_SECTORS) >= 40 * 3 * 4);
        assert_counter(&b, GLOBAL_LOAD_REQUESTS, 0);
    }
}

static void dynamic_shared_memory_lies_behind_the_static(void **state)
{
    float out[64];
    int n = 64;
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof(out));
        b.launch.dynamic_shared_bytes = 64 * 4;
        bench_run(&b, "dynamic_shared", GRID1(1, 64), ARGS(&dout, &n));
        bench_fetch(&b, dout, out, sizeof(out));
        for (int i = 0; i < 64; i++)
            assert_true(out[i] == (float)(63 - i) * 2);
        assert_counter(&b, SHARED_BYTES_PER_BLOCK, 256);
        b.launch.dynamic_shared_bytes = 63 * 4;
        assert_false(bench_try(&b, "dynamic_shared", GRID1(1, 64), ARGS(&dout, &n)));
        assert_non_null(strstr(b.err.message, "of shared memory at 252: the block has 252 bytes"));
    }
}

static void ballots_and_shuffles_see_all_lanes(void **state)
{
    static const int TABLE[4] = {3, 1, 4, 1};
    uint32_t out[64];
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof(out));
        bench_run(&b, "ballots", GRID1(1, 64), ARGS(&dout));
        bench_fetch(&b, dout, out, sizeof(out));
        for (uint32_t i = 0; i < 64; i++) {
            uint32_t ballot = 0, j = i ^ 5;
            for (uint32_t k = 0; k < 32; k++) {
                uint32_t t = i / 32 * 32 + k;
                ballot |= (uint32_t)((t & (uint32_t)TABLE[t % 4]) != 0) << k;
            }
            assert_int_equal(out[i], ballot + j * j);
        }
    }
}

static void doubles_keep_their_precision(void **state)
{
    enum { N = 20, T = 40 };
    double in[N * T], out[T];
    int n = N;
    for (int i = 0; i < N * T; i++)
        in[i] = 1.0 / (i + 3);
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t din = bench_buffer(&b, "in", in, sizeof(in));
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof(out));
        bench_run(&b, "sum_doubles", GRID1(1, T), ARGS(&dout, &din, &n));
        bench_fetch(&b, dout, out, sizeof(out));
        for (int t = 0; t < T; t++) {
            double s = 0;
            for (int i = 0; i < N; i++)
                s = fma(s, 0.5, in[i * T + t]);
            assert_true(out[t] == s);
        }
        assert_counter(&b, FLOPS_F64, 2 * N * T);
        assert_counter(&b, GLOBAL_LOAD_SECTORS, N * (T * 8 / 32));
    }
}

static void vectors_of_four_are_one_request(void **state)
{
    enum { N = 300 };
    float *in = floats(4 * N, 9), *out = xcalloc(4 * N, 4);
    int n = N;
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t din = bench_buffer(&b, "in", in, N * 16);
        uint64_t dout = bench_buffer(&b, "out", NULL, N * 16);
        bench_run(&b, "copy4", GRID1(3, 128), ARGS(&dout, &din, &n));
        bench_fetch(&b, dout, out, N * 16);
        assert_memory_equal(in, out, N * 16);
        if (file_ == 1)
            continue; // clang 14 copies the struct in halves
        assert_counter(&b, GLOBAL_LOAD_REQUESTS, 10);
        assert_counter(&b, GLOBAL_LOAD_SECTORS, N / 2);
        assert_counter(&b, GLOBAL_STORE_REQUESTS, 10);
    }
    free(in);
    free(out);
}

static void what_only_amds_chips_count_is_absent(void **state)
{
    const float in[4] = {1, 2, 3, 4};
    int n = 1;
    struct bench b;
    EACH_COMPILER(b)
    {
        uint64_t din = bench_buffer(&b, "in", in, sizeof in);
        uint64_t dout = bench_buffer(&b, "out", NULL, sizeof in);
        bench_run(&b, "copy4", GRID1(1, 32), ARGS(&dout, &din, &n));
        for (int i = 0; i < COUNTER_COUNT; i++) {
            const struct counter_info *info = counter_info((enum counter_id)i);
            bool counted = counters_has(&b.report.counters, (enum counter_id)i);
            if (counted != ((info->by & COUNTED_PTX) != 0))
                fail_msg("%s is %s", info->name, counted ? "counted" : "absent");
        }
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_add_gives_sums_and_masks_the_tail),
        cmocka_unit_test(reductions_give_the_exact_sum),
        cmocka_unit_test(histogram_counts_every_value),
        cmocka_unit_test(tiled_matmul_gives_the_exact_product),
        cmocka_unit_test(a_lock_between_lanes_and_blocks_is_taken_by_each_once),
        cmocka_unit_test(blocks_of_a_resident_grid_wait_for_one_another),
        cmocka_unit_test(recursion_goes_as_deep_as_each_lane_needs),
        cmocka_unit_test(lanes_call_different_functions_through_pointers),
        cmocka_unit_test(divergent_loops_and_switches_match_plain_c),
        cmocka_unit_test(local_arrays_are_each_lanes_own),
        cmocka_unit_test(dynamic_shared_memory_lies_behind_the_static),
        cmocka_unit_test(ballots_and_shuffles_see_all_lanes),
        cmocka_unit_test(doubles_keep_their_precision),
        cmocka_unit_test(vectors_of_four_are_one_request),
        cmocka_unit_test(what_only_amds_chips_count_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
