// The same results, counters and modelled times everywhere: for any number of host threads, with each
// instruction set of the host, and, by digests written down here, for any compiler of ridge and any
// host. And a simulator that launches for ever does not grow.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <malloc.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

enum { N = 1 << 16, SIDE = 256, MATMUL = 64 };

struct digest {
    uint64_t memory, counters, time; // hash64 of the output; of counters and sites; bits of the ns
};

static const struct {
    const char *kernel;
    struct shape shape;
    int inputs, n;
    size_t out_bytes;
    struct digest want;
} cases[] = {
    // Changed by a better model: run the test, see that the change is meant, write the new digest.
    {"transpose_naive",
     {{8, 8, 1}, {32, 32, 1}},
     1,
     SIDE,
     (size_t)N * 4,
     {0xce7eacc5835bf6f2, 0xa86772ab97680c42, 0x40aba4f9367e1c7f}},
    {"histogram",
     {{300, 1, 1}, {256, 1, 1}},
     1,
     N,
     256,
     {0xfdbbdcf4f064f618, 0xa3889dc0af05e52d, 0x40ab9cac4131cbb8}},
    {"reduce_shuffle",
     {{300, 1, 1}, {256, 1, 1}},
     1,
     N,
     4,
     {0x81ebede11034195b, 0xa064b8ebd80939d9, 0x40a8b62ec0b12196}},
    {"divergence",
     {{N / 256, 1, 1}, {256, 1, 1}},
     0,
     N,
     (size_t)N * 4,
     {0x2fdf3c8b5a35a53a, 0x8a751b46d82068dd, 0x40acc06fea03fc4c}},
    {"matmul_tiled",
     {{4, 4, 1}, {16, 16, 1}},
     2,
     MATMUL,
     (size_t)MATMUL *MATMUL * 4,
     {0x5a30bd6c0669156f, 0xace00d9e0479d7e3, 0x40b16c35f28a0715}},
    {"sum_doubles",
     {{1, 1, 1}, {64, 1, 1}},
     1,
     N / 128,
     64 * 8,
     {0x5774895b3cbf2a67, 0xf2b44e2f4ea937fa, 0x40edd2d7cf344e4e}},
    {"copy4",
     {{64, 1, 1}, {128, 1, 1}},
     1,
     N / 4,
     (size_t)N * 4,
     {0x1806e0f404075cea, 0x1fd3003f086a1923, 0x40a412db4da0a8c3}},
    {"recursion",
     {{2, 1, 1}, {35, 1, 1}},
     -1,
     0,
     2 * 35 * 4,
     {0x66c395a63a1324f5, 0x99c83ebbd08b0b52, 0x40bae212edb2774a}},
    {"spin_lock",
     {{3, 1, 1}, {96, 1, 1}},
     -1,
     0,
     512 * 4,
     {0xf5fd0bf279be3cb0, 0xa94e34aebf7c71d9, 0x40e1e7cc9b26c9b6}},
};

struct buffers {
    uint64_t in, out;
};

static struct buffers buffers_new(struct bench *b)
{
    float *in = xcalloc(N, sizeof(float));
    for (uint32_t i = 0, seed = 4; i < N; i++) {
        seed = seed * 1664525u + 1013904223u;
        in[i] = (float)(seed >> 20) / 16;
    }
    struct buffers made = {bench_buffer(b, "in", in, (size_t)N * 4),
                           bench_buffer(b, "out", NULL, (size_t)N * 4)};
    free(in);
    return made;
}

static void run_case(struct bench *b, size_t i, const struct buffers *of)
{
    int n = cases[i].n;
    sim_flush_caches(b->sim);
    if (!sim_fill(b->sim, of->out, 0, (size_t)N * 4, &b->err))
        fail_msg("%s", b->err.message);
    switch (cases[i].inputs) {
    case 2:
        bench_run(b, cases[i].kernel, cases[i].shape, ARGS(&of->out, &of->in, &of->in, &n));
        return;
    case 1:
        bench_run(b, cases[i].kernel, cases[i].shape, ARGS(&of->out, &of->in, &n));
        return;
    case 0:
        bench_run(b, cases[i].kernel, cases[i].shape, ARGS(&of->out, &n));
        return;
    default:
        bench_run(b, cases[i].kernel, cases[i].shape, ARGS(&of->out));
    }
}

static struct digest digest_of(struct bench *b, size_t i, const struct buffers *of)
{
    struct digest d = {0, 0, 0};
    void *data = xcalloc(cases[i].out_bytes, 1);
    bench_fetch(b, of->out, data, cases[i].out_bytes);
    d.memory = hash64(data, cases[i].out_bytes, 0);
    free(data);
    for (int c = 0; c < COUNTER_COUNT; c++) {
        if (counter_info((enum counter_id)c)->by == COUNTED_AMD)
            continue;
        struct figure f = b->report.counters.figure[c];
        bool whole = f.provenance == PROVENANCE_SIMULATED || c == COUNTER_WARP_INSTRUCTIONS ||
                     c == COUNTER_THREAD_INSTRUCTIONS;
        int64_t value = whole ? (int64_t)f.value : 0;
        d.counters = hash64(&value, sizeof(value), d.counters);
    }
    for (int s = 0; s < b->report.site_count; s++) {
        const struct sim_site *x = &b->report.sites[s];
        uint64_t sums[] = {x->executed,   x->lanes,          x->divergent,      x->sectors,
                           x->l2_sectors, x->l2_hit_sectors, x->l1_hit_sectors, x->wavefronts};
        d.counters = hash64(sums, sizeof(sums), d.counters);
    }
    memcpy(&d.time, &b->report.time.time_ns, sizeof(d.time));
    return d;
}

static void digest_equal(size_t i, const char *isa, int threads, struct digest got)
{
    struct digest want = cases[i].want;
    if (got.memory != want.memory || got.counters != want.counters || got.time != want.time)
        fail_msg("%s, %s, %d threads: {0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016" PRIx64 "}",
                 cases[i].kernel, isa, threads, got.memory, got.counters, got.time);
}

static void outcomes_are_the_same_everywhere(void **state)
{
    static const char *const ISAS[] = {"baseline", "avx2", "avx512"};
    static const int THREADS[] = {1, 2, 5};
    for (size_t k = 0; k < COUNT_OF(ISAS) * COUNT_OF(THREADS); k++) {
        const char *isa = ISAS[k / COUNT_OF(THREADS)];
        struct bench b;
        assert_int_equal(setenv("RIDGE_SIM_ISA", isa, 1), 0); // more than there is: the best
        bench_file(&b, "programs_nvcc.ptx");
        struct buffers of = buffers_new(&b);
        b.launch.threads = THREADS[k % COUNT_OF(THREADS)];
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            run_case(&b, i, &of);
            digest_equal(i, isa, b.launch.threads, digest_of(&b, i, &of));
        }
        bench_close(&b);
    }
    assert_int_equal(unsetenv("RIDGE_SIM_ISA"), 0);
}

// The replay of what warps wait for has a thread of its own where there are several, and enough to replay: here 64 turns.
static void stalls_are_the_same_for_any_number_of_threads(void **state)
{
    struct stall_table stalls[2];
    double time_ns[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct bench b;
        bench_file(&b, "programs_nvcc.ptx");
        struct buffers of = buffers_new(&b);
        int n = N;
        b.launch.threads = k + 1;
        bench_run(&b, "histogram", (struct shape){{4, 1, 1}, {256, 1, 1}},
                  ARGS(&of.out, &of.in, &n));
        stalls[k] = b.report.stalls;
        time_ns[k] = b.report.time.time_ns;
        bench_close(&b);
    }
    double all = 0;
    for (int s = 0; s < STALL_COUNT; s++) {
        all += stalls[0].warp_cycles[s].value;
        assert_true(stalls[0].warp_cycles[s].value == stalls[1].warp_cycles[s].value);
    }
    assert_true(all > 0 && time_ns[0] == time_ns[1]);
}

static void sampled_blocks_are_scaled_to_all(void **state)
{
    struct bench b;
    bench_file(&b, "programs_nvcc.ptx");
    struct buffers of = buffers_new(&b);
    run_case(&b, 0, &of);
    struct counters whole = b.report.counters;
    assert_int_equal(b.report.blocks_run, 64);
    b.launch.sample_share = 0.25;
    run_case(&b, 0, &of);
    assert_int_equal(b.report.blocks_run, 16);
    for (int c = COUNTER_WARP_INSTRUCTIONS; c <= COUNTER_GLOBAL_STORE_SECTORS; c++) {
        struct figure f = b.report.counters.figure[c];
        assert_true(f.value == whole.figure[c].value); // blocks are alike
        assert_int_equal(f.provenance, PROVENANCE_MODELLED);
    }
    assert_true(b.report.time.valid);
    bench_close(&b);
}

// All blocks of a product read the same two matrices: a share of them reads nearly all of both, and no more is to come.
// Blocks of a transpose share nothing.
static void reads_of_a_sample_grow_no_further_than_the_data(void **state)
{
    enum { BYTES = SIDE * SIDE * 4, TILES = SIDE / 16 };
    static const struct {
        const char *kernel;
        struct shape shape;
        bool two_inputs;
    } launches[] = {
        {"matmul_tiled", {{TILES, TILES, 1}, {16, 16, 1}}, true},
        {"transpose_tiled", {{SIDE / 32, SIDE / 32, 1}, {32, 32, 1}}, false},
    };
    for (size_t k = 0; k < COUNT_OF(launches); k++) {
        double bytes[2];
        for (int sampled = 0; sampled < 2; sampled++) {
            struct bench b;
            bench_file(&b, "programs_nvcc.ptx");
            uint64_t out = bench_buffer(&b, "out", NULL, BYTES);
            uint64_t in = bench_buffer(&b, "in", NULL, BYTES),
                     more = bench_buffer(&b, "more", NULL, BYTES);
            int n = SIDE;
            b.launch.sample_share = sampled ? 0.125 : 1;
            if (launches[k].two_inputs)
                bench_run(&b, launches[k].kernel, launches[k].shape, ARGS(&out, &in, &more, &n));
            else
                bench_run(&b, launches[k].kernel, launches[k].shape, ARGS(&out, &in, &n));
            bytes[sampled] = bench_counter(&b, COUNTER_DRAM_READ_BYTES);
            bench_close(&b);
        }
        if (!(bytes[0] > 0 && bytes[1] >= 0.9 * bytes[0] && bytes[1] <= 1.1 * bytes[0]))
            fail_msg("%s: %.0f bytes read, by the sample %.0f", launches[k].kernel, bytes[0],
                     bytes[1]);
    }
}

// 256 blocks on 132 SMs: those that run have SMs with as many blocks as the whole grid has there, and what others would have
// brought to the L2 is no miss. Misses of the two loads grow each as its
// matrix does: the time was 4.4 % off where they grew alike. Of a tenth of the blocks as neighbours, one on an SM each, the time was 7 % too long.
static void a_sample_of_a_short_grid_is_of_whole_sms(void **state)
{
    enum { BYTES = SIDE * SIDE * 4, TILES = SIDE / 16 };
    double value[2][4];
    (void)state;
    for (int sampled = 0; sampled < 2; sampled++) {
        struct bench b;
        bench_file(&b, "programs_nvcc.ptx");
        uint64_t c = bench_buffer(&b, "c", NULL, BYTES), in = bench_buffer(&b, "a", NULL, BYTES),
                 more = bench_buffer(&b, "b", NULL, BYTES);
        int n = SIDE;
        b.launch.sample_share = sampled ? 0.1 : 1;
        bench_run(&b, "matmul_tiled", (struct shape){{TILES, TILES, 1}, {16, 16, 1}},
                  ARGS(&c, &in, &more, &n));
        value[sampled][0] = b.report.time.time_ns;
        value[sampled][1] = bench_counter(&b, COUNTER_L2_READ_SECTORS);
        value[sampled][2] = bench_counter(&b, COUNTER_L2_SECTORS_HIT);
        value[sampled][3] = bench_counter(&b, COUNTER_WARP_INSTRUCTIONS);
        assert_int_equal(b.report.blocks_run,
                         sampled ? 28 : TILES * TILES); // 7 pairs of the 66
        bench_close(&b);
    }
    for (int i = 0; i < 4; i++)
        if (!(fabs(value[1][i] / value[0][i] - 1) < 0.03))
            fail_msg("value %d: %.0f of all blocks, %.0f by the sample", i, value[0][i],
                     value[1][i]);
}

static uint64_t coming_sectors(const struct bench *b)
{
    uint64_t sum = 0;
    for (int i = 0; i < b->report.site_count; i++)
        sum += b->report.sites[i].l2_coming_sectors;
    return sum;
}

// What is in L2 since an earlier launch has come long ago, whoever asked for it in the same round then.
static void what_an_earlier_launch_asked_for_has_come(void **state)
{
    struct bench b;
    int n = SIDE;
    bench_file(&b, "programs_nvcc.ptx");
    struct buffers of = buffers_new(&b);
    const struct shape shape = {{SIDE / 16, SIDE / 16, 1}, {16, 16, 1}};
    sim_flush_caches(b.sim);
    for (int k = 0; k < 3; k++) {
        bench_run(&b, "matmul_tiled", shape, ARGS(&of.out, &of.in, &of.in, &n));
        if (k == 0)
            assert_true(coming_sectors(&b) > 0);
        else
            assert_int_equal(coming_sectors(&b), 0);
    }
    bench_close(&b);
}

static size_t resident_bytes(void)
{
    unsigned long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &pages, &resident), 2);
    assert_int_equal(fclose(f), 0);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

// What is allocated and not freed, in every thread's arena; from the totals at the end of glibc's own
// account. 0 with another C library.
static size_t allocated_bytes(void)
{
#ifdef __GLIBC__
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    assert_non_null(f);
    assert_int_equal(malloc_info(0, f), 0);
    assert_int_equal(fclose(f), 0);
    const char *end = NULL; // after the last arena
    for (const char *at = text; (at = strstr(at, "</heap>")) != NULL; at += 7)
        end = at;
    assert_non_null(end);
    size_t fast = 0, rest = 0, mapped = 0, whole = 0;
    assert_int_equal(sscanf(end,
                            "</heap> <total type=\"fast\" count=\"%*u\" size=\"%zu\"/>"
                            " <total type=\"rest\" count=\"%*u\" size=\"%zu\"/>"
                            " <total type=\"mmap\" count=\"%*u\" size=\"%zu\"/>"
                            " <system type=\"current\" size=\"%zu\"/>",
                            &fast, &rest, &mapped, &whole),
                     4);
    free(text);
    return whole - fast - rest + mapped;
#else
    return 0;
#endif
}

// What is lost at every launch shows in every part of them; what an allocator, a thread or the kernel (a huge page)
// takes once shows in one. The resident pages alone would not show a small loss: it fits into what was freed before.
static void memory_stays_flat_over_a_thousand_launches(void **state)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    skip(); // they keep what was freed, or what was accessed, so that the process grows
#endif
    enum {
        SETTLED = 200,
        PARTS = 4,
        PART = 200,
        MORE_ALLOCATED = PART * 8,
        MORE_RESIDENT = 1 << 18
    };
    struct bench b;
    bench_file(&b, "programs_nvcc.ptx");
    struct buffers of = buffers_new(&b);
    struct arena kept = b.arena;
    size_t allocated = 0, resident = 0;
    int grew_allocated = 0, grew_resident = 0; // in so many parts
    for (int k = 1; k <= SETTLED + PARTS * PART; k++) {
        b.arena = (struct arena){0}; // of this launch's report
        run_case(&b, 6, &of);
        arena_release(&b.arena);
        if (k < SETTLED || (k - SETTLED) % PART != 0)
            continue;
        size_t allocated_now = allocated_bytes(), resident_now = resident_bytes();
        print_message("%d launches: %zu bytes allocated, %zu resident\n", k, allocated_now,
                      resident_now);
        grew_allocated += k > SETTLED && allocated_now > allocated + MORE_ALLOCATED;
        grew_resident += k > SETTLED && resident_now > resident + MORE_RESIDENT;
        allocated = allocated_now;
        resident = resident_now;
    }
    assert_in_range(grew_allocated, 0, PARTS - 1);
    assert_in_range(grew_resident, 0, PARTS - 1);
    b.arena = kept;
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_are_the_same_everywhere),
        cmocka_unit_test(stalls_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(sampled_blocks_are_scaled_to_all),
        cmocka_unit_test(reads_of_a_sample_grow_no_further_than_the_data),
        cmocka_unit_test(a_sample_of_a_short_grid_is_of_whole_sms),
        cmocka_unit_test(what_an_earlier_launch_asked_for_has_come),
        cmocka_unit_test(memory_stays_flat_over_a_thousand_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
