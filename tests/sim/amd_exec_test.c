// Kernels of amd_kernels.cu, compiled by clang for gfx90a and (results only) gfx1100, on the simulated AMD GPU: results
// against plain C, and what the checks report.
// SPDX-License-Identifier: Apache-2.0
#include "amd_support.h"

#include <math.h>

enum { COUNT = 1000, THREADS = 256 };

struct bench {
    struct arena arena;
    struct work_folder folder;
    struct gpu *gpu;
    struct sim *sim;
    struct amd_module *module;
    struct sim_report report;
    struct error err;
};
static struct bench bench;
static bool has_compiler;
static enum amd_arch arch;

static int open_chip(enum amd_arch wanted, const char *chip)
{
    struct bench *b = &bench;
    char *code = NULL;
    size_t size = 0;
    *b = (struct bench){.sim = NULL};
    arch = wanted;
    has_compiler = amd_clang_for(&b->arena, arch) != NULL;
    if (!has_compiler) {
        print_message("skip: no clang for %s\n", amd_arch_names[arch]);
        return 0;
    }
    if (!work_folder_open(&b->folder, &b->err))
        return 1;
    const char *object = path_join(&b->arena, b->folder.path, "kernels.o");
    bool done =
        amd_compile_for(&b->arena, arch, "tests/sim/amd_kernels.cu", b->folder.path, object) &&
        file_read(object, 1 << 24, &code, &size, &b->err) &&
        gpu_load(&b->arena, chip, &b->gpu, &b->err) && sim_open(b->gpu, &b->sim, &b->err) &&
        amd_module_load(b->sim, "amd_kernels.cu", code, size, &b->module, &b->err);
    if (!done)
        print_message("%s\n", b->err.message);
    free(code);
    return !done;
}

static int bench_open(void **state)
{
    (void)state;
    return open_chip(ARCH_GFX90A, "mi250x");
}

static int bench_open_gfx1100(void **state)
{
    (void)state;
    return open_chip(ARCH_GFX1100, "rx7900xtx");
}

static int bench_close(void **state)
{
    (void)state;
    if (has_compiler) {
        amd_module_unload(bench.module);
        sim_close(bench.sim);
        work_folder_close(&bench.folder);
    }
    arena_release(&bench.arena);
    return 0;
}

static uint64_t device_copy(const void *data, uint64_t size_bytes, const char *name)
{
    uint64_t address = 0;
    if (!sim_alloc(bench.sim, size_bytes, name, &address, &bench.err) ||
        (data && !sim_write(bench.sim, address, data, size_bytes, &bench.err)))
        fail_msg("%s", bench.err.message);
    return address;
}

static void device_read(uint64_t address, void *data, uint64_t size_bytes)
{
    if (!sim_read(bench.sim, address, data, size_bytes, &bench.err) ||
        !sim_free(bench.sim, address, &bench.err))
        fail_msg("%s", bench.err.message);
}

static bool launch_checked(const char *kernel, struct sim_launch l, const void *const *args,
                           int count)
{
    if (!has_compiler)
        skip();
    l.kernel = kernel;
    l.args = args;
    l.arg_count = count;
    error_clear(&bench.err);
    return amd_launch(bench.sim, bench.module, &l, &bench.arena, &bench.report, &bench.err);
}

static void launch(const char *kernel, uint32_t grid, uint32_t block, const void *const *args,
                   int count)
{
    struct sim_launch l = {.grid = {grid, 1, 1}, .block = {block, 1, 1}};
    if (!launch_checked(kernel, l, args, count))
        fail_msg("%s", bench.err.message);
}

// The number of the line of amd_kernels.cu that holds the text.
static int line_of(const char *text)
{
    char *source = NULL;
    size_t size = 0;
    if (!file_read("tests/sim/amd_kernels.cu", 1 << 20, &source, &size, &bench.err))
        fail_msg("%s", bench.err.message);
    int line = 1;
    const char *found = strstr(source, text);
    assert_non_null(found);
    for (const char *p = source; p < found; p++)
        line += *p == '\n';
    free(source);
    return line;
}

// What two floats from a small generator are: all sizes, signs, denormals.
static uint32_t random_word(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed ^ *seed >> 15;
}

static void division_of_floats_is_rounded_correctly(void **state)
{
    float a[COUNT], b[COUNT], out[COUNT];
    uint32_t seed = 1;
    (void)state;
    if (!has_compiler)
        skip();
    for (int i = 0; i < COUNT; i++) {
        uint32_t x = random_word(&seed), y = random_word(&seed);
        memcpy(&a[i], &x, sizeof x);
        memcpy(&b[i], &y, sizeof y);
    }
    a[0] = 1.0F; // as of doubles below
    b[0] = 0x1.8p+127F;
    uint64_t o = device_copy(NULL, sizeof out, "out"), p = device_copy(a, sizeof a, "a"),
             q = device_copy(b, sizeof b, "b");
    int n = COUNT;
    launch("divide", 4, THREADS, (const void *const[]){&o, &p, &q, &n}, 4);
    device_read(o, out, sizeof out);
    for (int i = 0; i < COUNT; i++) {
        float wanted = a[i] / b[i];
        if (isnan(wanted))
            assert_true(isnan(out[i]));
        else if (memcmp(&wanted, &out[i], sizeof wanted) != 0)
            fail_msg("%a / %a is %a, not %a", (double)a[i], (double)b[i], (double)wanted,
                     (double)out[i]);
    }
}

static void division_of_doubles_is_rounded_correctly(void **state)
{
    double a[COUNT], b[COUNT], out[COUNT];
    uint32_t seed = 2;
    (void)state;
    if (!has_compiler)
        skip();
    for (int i = 0; i < COUNT; i++) {
        uint64_t x = (uint64_t)random_word(&seed) << 32 | random_word(&seed),
                 y = (uint64_t)random_word(&seed) << 32 | random_word(&seed);
        memcpy(&a[i], &x, sizeof x);
        memcpy(&b[i], &y, sizeof y);
    }
    a[0] = 1.5; // a denormal quotient of a denominator whose reciprocal is one too
    b[0] = 0x1.000007f8p+1023;
    uint64_t o = device_copy(NULL, sizeof out, "out"), p = device_copy(a, sizeof a, "a"),
             q = device_copy(b, sizeof b, "b");
    int n = COUNT;
    launch("divide_f64", 4, THREADS, (const void *const[]){&o, &p, &q, &n}, 4);
    device_read(o, out, sizeof out);
    for (int i = 0; i < COUNT; i++) {
        double wanted = a[i] / b[i];
        if (isnan(wanted))
            assert_true(isnan(out[i]));
        else if (memcmp(&wanted, &out[i], sizeof wanted) != 0)
            fail_msg("%a / %a is %a, not %a", a[i], b[i], wanted, out[i]);
    }
}

static void division_of_integers_is_exact(void **state)
{
    int a[COUNT], b[COUNT], out[COUNT], n = COUNT;
    uint32_t seed = 3;
    (void)state;
    if (!has_compiler)
        skip();
    for (int i = 0; i < COUNT; i++) {
        a[i] = (int)random_word(&seed);
        b[i] = (int)random_word(&seed) >> (random_word(&seed) % 31);
        b[i] += b[i] == 0 || b[i] == -1 ? 3 : 0;
    }
    uint64_t o = device_copy(NULL, sizeof out, "out"), p = device_copy(a, sizeof a, "a"),
             q = device_copy(b, sizeof b, "b");
    launch("divide_i32", 4, THREADS, (const void *const[]){&o, &p, &q, &n}, 4);
    device_read(o, out, sizeof out);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(out[i], (int)((unsigned)(a[i] / b[i]) + (unsigned)(a[i] % b[i])));
}

static void waves_of_64_lanes_sum_by_shuffles(void **state)
{
    float in[512], out[8];
    (void)state;
    if (!has_compiler)
        skip();
    for (int i = 0; i < 512; i++)
        in[i] = (float)(i % 7);
    uint64_t o = device_copy(NULL, sizeof out, "out"), p = device_copy(in, sizeof in, "in");
    launch("sum_wave", 2, THREADS, (const void *const[]){&o, &p}, 2);
    device_read(o, out, sizeof out);
    for (int wave = 0; wave < 8; wave++) {
        float sum = 0;
        for (int i = 0; i < 64; i++)
            sum += in[64 * wave + i];
        assert_true(out[wave] == sum);
    }
}

static void thirty_two_lanes_reduce_what_the_active_ones_have(void **state)
{
    enum { THREADS_OF_THREE = 96, WARP = 32 };
    unsigned all[THREADS_OF_THREE], some[THREADS_OF_THREE];
    (void)state;
    if (!has_compiler)
        skip();
    uint64_t o = device_copy(NULL, sizeof all, "all"), p = device_copy(NULL, sizeof some, "some");
    launch("reduced", 1, THREADS_OF_THREE, (const void *const[]){&o, &p}, 2);
    device_read(o, all, sizeof all);
    device_read(p, some, sizeof some);
    for (unsigned i = 0; i < THREADS_OF_THREE; i++) {
        unsigned first = i / WARP * WARP, sum = 0, most = 0;
        for (unsigned k = first; k < first + WARP; k++) {
            sum += k;
            most = k % 3 == 0 && (k ^ 5) > most ? k ^ 5 : most;
        }
        assert_int_equal(all[i], sum);
        assert_int_equal(some[i], i % 3 == 0 ? most : 0);
    }
}

static void work_groups_sum_in_lds_between_barriers(void **state)
{
    float in[1024], out[4];
    (void)state;
    if (!has_compiler)
        skip();
    for (int i = 0; i < 1024; i++)
        in[i] = (float)(i % 5);
    uint64_t o = device_copy(NULL, sizeof out, "out"), p = device_copy(in, sizeof in, "in");
    launch("sum_block", 4, THREADS, (const void *const[]){&o, &p}, 2);
    device_read(o, out, sizeof out);
    for (int group = 0; group < 4; group++) {
        float sum = 0;
        for (int i = 0; i < 256; i++)
            sum += in[256 * group + i];
        assert_true(out[group] == sum);
    }
    unsigned waves = 4 * THREADS / amd_arch_lanes(arch);
    assert_true(counters_get(&bench.report.counters, COUNTER_BARRIERS, 0) == waves * 9);
    assert_true(counters_get(&bench.report.counters, COUNTER_GLOBAL_LOAD_REQUESTS, 0) == waves);
    assert_true(counters_get(&bench.report.counters, COUNTER_SHARED_BYTES_PER_BLOCK, 0) == 1024);
}

static void atomics_count_every_lane(void **state)
{
    unsigned in[COUNT], bins[16] = {0}, wanted[16] = {0};
    int n = COUNT;
    (void)state;
    if (!has_compiler)
        skip();
    for (unsigned i = 0; i < COUNT; i++) {
        in[i] = i * i;
        wanted[i * i % 16]++;
    }
    uint64_t o = device_copy(bins, sizeof bins, "bins"), p = device_copy(in, sizeof in, "in");
    launch("count", 4, THREADS, (const void *const[]){&o, &p, &n}, 3);
    device_read(o, bins, sizeof bins);
    assert_memory_equal(bins, wanted, sizeof bins);
}

static void atomics_of_64_bits_in_lds_keep_all_lanes(void **state)
{
    enum { WORDS = 128 };
    uint64_t in[WORDS], out[6], seen[WORDS], wanted[6] = {0, 0, UINT64_MAX, 0, UINT64_MAX, 7};
    uint32_t seed = 5;
    int firsts = 0;
    (void)state;
    if (!has_compiler)
        skip();
    for (int i = 0; i < WORDS; i++) {
        in[i] = (uint64_t)random_word(&seed) << 32 | random_word(&seed);
        wanted[0] = in[i] > wanted[0] ? in[i] : wanted[0];
        wanted[1] |= in[i];
        wanted[2] &= in[i];
        wanted[3] ^= in[i];
    }
    uint64_t o = device_copy(NULL, sizeof out, "out"), p = device_copy(NULL, sizeof seen, "seen"),
             q = device_copy(in, sizeof in, "in");
    launch("wide_atomics", 1, WORDS, (const void *const[]){&o, &p, &q}, 3);
    device_read(o, out, sizeof out);
    device_read(p, seen, sizeof seen);
    assert_memory_equal(out, wanted, sizeof out);
    for (int i = 0; i < WORDS; i++) {
        assert_true(seen[i] == 0 || seen[i] == UINT64_MAX);
        firsts += seen[i] == 0;
    }
    assert_int_equal(firsts, 1);
}

static void each_thread_has_its_own_scratch(void **state)
{
    int in[128], out[128], at = 3;
    (void)state;
    if (!has_compiler)
        skip();
    for (int i = 0; i < 128; i++)
        in[i] = 10 * i;
    uint64_t o = device_copy(NULL, sizeof out, "out"), p = device_copy(in, sizeof in, "in");
    launch("on_stack", 1, 128, (const void *const[]){&o, &p, &at}, 3);
    device_read(o, out, sizeof out);
    for (int t = 0; t < 128; t++) {
        int own[16], sum = 0;
        for (int i = 0; i < 16; i++)
            own[i] = in[t] + i;
        own[(at + t) & 15] = -1;
        for (int i = 0; i < 16; i++)
            sum += own[(i * at) & 15];
        assert_int_equal(out[t], sum);
    }
}

static void lanes_leave_a_loop_at_different_times(void **state)
{
    int out[COUNT], n = COUNT;
    (void)state;
    if (!has_compiler)
        skip();
    uint64_t o = device_copy(NULL, sizeof out, "out");
    launch("collatz", 4, THREADS, (const void *const[]){&o, &n}, 2);
    device_read(o, out, sizeof out);
    for (int i = 0; i < COUNT; i++) {
        int steps = 0;
        for (long long v = i + 1; v != 1; v = v % 2 == 0 ? v / 2 : 3 * v + 1)
            steps++;
        assert_int_equal(out[i], steps);
    }
    assert_true(counters_get(&bench.report.counters, COUNTER_LANES_ACTIVE_PCT, 100) < 90);
}

static void indices_have_three_dimensions(void **state)
{
    enum { ALL = 2 * 3 * 2 * 5 * 3 * 4 };
    unsigned out[ALL];
    (void)state;
    if (!has_compiler)
        skip();
    uint64_t o = device_copy(NULL, sizeof out, "out");
    struct sim_launch l = {.grid = {2, 3, 2}, .block = {5, 3, 4}};
    assert_true(launch_checked("indices", l, (const void *const[]){&o}, 1));
    device_read(o, out, sizeof out);
    for (unsigned i = 0; i < ALL; i++)
        assert_int_equal(out[i], i / 60 << 16 | i % 60);
}

static void work_groups_may_wait_for_later_ones(void **state)
{
    enum { GROUPS = 300 };
    int out[GROUPS];
    unsigned none = 0;
    (void)state;
    if (!has_compiler)
        skip();
    for (int cooperative = 0; cooperative < 2; cooperative++) {
        uint64_t o = device_copy(NULL, sizeof out, "out"),
                 p = device_copy(&none, sizeof none, "arrived");
        struct sim_launch l = {
            .grid = {GROUPS, 1, 1}, .block = {128, 1, 1}, .cooperative = cooperative != 0};
        l.budget_warp_instructions = 10000000;
        assert_true(launch_checked("last_first", l, (const void *const[]){&o, &p}, 2));
        assert_true(bench.report.groups_wait && !bench.report.time.valid);
        device_read(o, out, sizeof out);
        assert_true(sim_free(bench.sim, p, &bench.err));
        assert_int_equal(out[0], GROUPS - 1);
    }
}

static void a_cooperative_launch_must_fit_the_chip(void **state)
{
    unsigned none = 0;
    (void)state;
    if (!has_compiler)
        skip();
    uint64_t p = device_copy(&none, sizeof none, "arrived");
    struct sim_launch l = {.grid = {110 * 8 * 4, 1, 1}, .block = {256, 1, 1}, .cooperative = true};
    assert_false(launch_checked("last_first", l, (const void *const[]){&p, &p}, 2));
    assert_non_null(strstr(bench.err.message, "a cooperative launch of 3520 work-groups: "));
    assert_true(sim_free(bench.sim, p, &bench.err));
}

static void a_store_beyond_a_buffer_stops_the_launch(void **state)
{
    int n = 60;
    (void)state;
    if (!has_compiler)
        skip();
    uint64_t o = device_copy(NULL, 256, "results");
    struct sim_launch l = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    assert_false(launch_checked("beyond", l, (const void *const[]){&o, &n}, 2));
    assert_int_equal(bench.err.kind, ERROR_CHECK);
    assert_non_null(strstr(bench.err.message, ", 0 bytes past the end of 'results' (256 bytes)"));
    assert_non_null(strstr(bench.err.message,
                           arch == ARCH_GFX1100 ? "global_store_b32" : "global_store_dword"));
    assert_non_null(strstr(bench.err.message, "thread (4,0,0)"));
    assert_int_equal(bench.report.violations[0].line,
                     line_of("extern \"C\" __global__ void beyond") + 2);
}

static void a_read_of_what_nothing_wrote_is_reported(void **state)
{
    (void)state;
    if (!has_compiler)
        skip();
    uint64_t o = device_copy(NULL, 256, "out"), p = device_copy(NULL, 256, "in");
    struct sim_launch l = {.grid = {1, 1, 1}, .block = {64, 1, 1}, .checks = SIM_CHECK_UNINIT};
    assert_true(launch_checked("unwritten", l, (const void *const[]){&o, &p}, 2));
    assert_int_equal(bench.report.violation_count, 1);
    assert_int_equal(bench.report.violations[0].kind, SIM_UNINITIALISED);
    assert_int_equal(bench.report.violations[0].count, 64);
}

static void a_wrong_number_of_arguments_is_an_error(void **state)
{
    (void)state;
    if (!has_compiler)
        skip();
    uint64_t o = device_copy(NULL, 256, "out");
    struct sim_launch l = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    assert_false(launch_checked("unwritten", l, (const void *const[]){&o}, 1));
    assert_non_null(strstr(bench.err.message, "has 2 parameters, 1 arguments are given"));
}

static void counts_stand_at_their_lines_of_source(void **state)
{
    int apart = 2, lds_apart = 32;
    (void)state;
    uint64_t o = device_copy(NULL, 64 * 16 * sizeof(float), "out"),
             p = device_copy(NULL, 64 * 16 * sizeof(float), "in");
    launch("spread", 1, 64, (const void *const[]){&o, &p, &apart, &lds_apart}, 4);
    assert_true(sim_free(bench.sim, o, &bench.err) && sim_free(bench.sim, p, &bench.err));
    const struct {
        const char *text;
        uint64_t requests, sectors, shared, passes, barriers;
    } rows[] = {
        {"tile[threadIdx.x * lds_apart] = in[threadIdx.x * apart]", 1, 16, 1, 64, 0},
        {"out[threadIdx.x * apart] = tile[(63 - threadIdx.x) * lds_apart]", 1, 16, 1, 64, 0},
        {"__syncthreads(); // of spread", 0, 0, 0, 0, 1},
    };
    uint64_t instructions = 0;
    for (int i = 0; i < bench.report.line_count; i++) {
        const struct line *l = &bench.report.lines[i];
        assert_non_null(strstr(l->file, "tests/sim/amd_kernels.cu"));
        instructions += l->instructions;
        for (size_t k = 0; k < COUNT_OF(rows); k++) {
            if (l->line != line_of(rows[k].text))
                continue;
            assert_int_equal(l->global_requests, rows[k].requests);
            assert_int_equal(l->global_sectors, rows[k].sectors);
            assert_int_equal(l->shared_requests, rows[k].shared);
            assert_int_equal(l->shared_wavefronts, rows[k].passes);
            assert_int_equal(l->barriers, rows[k].barriers);
        }
    }
    assert_true(bench.report.line_count >= 3);
    assert_true((double)instructions ==
                counters_get(&bench.report.counters, COUNTER_WARP_INSTRUCTIONS, 0));
}

static double counted(enum counter_id id)
{
    return counters_get(&bench.report.counters, id, -1);
}

static void launch_spread(int apart, int lds_apart)
{
    uint64_t o = device_copy(NULL, 64 * 16 * sizeof(float), "out"),
             p = device_copy(NULL, 64 * 16 * sizeof(float), "in");
    launch("spread", 1, 64, (const void *const[]){&o, &p, &apart, &lds_apart}, 4);
    assert_true(sim_free(bench.sim, o, &bench.err) && sim_free(bench.sim, p, &bench.err));
}

static void sectors_and_lines_of_a_request_are_distinct_ones(void **state)
{
    static const struct {
        int apart;
        double sectors, lines;
    } rows[] = {{1, 8, 4}, {2, 16, 8}, {8, 64, 32}, {16, 64, 64}, {0, 1, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        launch_spread(rows[i].apart, 1);
        assert_true(counted(COUNTER_GLOBAL_LOAD_REQUESTS) == 1);
        assert_true(counted(COUNTER_GLOBAL_LOAD_SECTORS) == rows[i].sectors);
        assert_true(counted(COUNTER_GLOBAL_STORE_SECTORS) == rows[i].sectors);
        assert_true(counted(COUNTER_GLOBAL_LOAD_LINES_64) == rows[i].lines);
        assert_true(counted(COUNTER_GLOBAL_STORE_LINES_64) == rows[i].lines);
        assert_true(counted(COUNTER_GLOBAL_LOAD_SECTORS_IDEAL) == (rows[i].apart > 0 ? 8 : 1));
    }
}

static void a_request_goes_through_the_caches(void **state)
{
    static const struct {
        int apart;
        double lines;
    } rows[] = {{1, 4}, {16, 64}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows) && has_compiler; i++) {
        sim_flush_caches(bench.sim);
        launch_spread(rows[i].apart, 1);
        assert_true(counted(COUNTER_L1_LOAD_SECTORS_HIT) == 0);
        assert_true(counted(COUNTER_L2_READ_SECTORS) == 2 * rows[i].lines);
        assert_true(counted(COUNTER_L2_WRITE_SECTORS) == counted(COUNTER_GLOBAL_STORE_SECTORS));
        assert_true(counted(COUNTER_L2_SECTORS_HIT) == 0);
        assert_true(counted(COUNTER_DRAM_READ_BYTES) == 64 * rows[i].lines);
        assert_true(counted(COUNTER_DRAM_WRITE_BYTES) == 0);
    }
}

static void lanes_of_one_bank_take_turns(void **state)
{
    static const struct {
        int apart;
        double passes;
    } rows[] = {{1, 2}, {2, 4}, {4, 8}, {32, 64}, {33, 2}, {0, 2}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        launch_spread(1, rows[i].apart);
        assert_true(counted(COUNTER_SHARED_LOAD_WAVEFRONTS) == rows[i].passes);
        assert_true(counted(COUNTER_SHARED_STORE_WAVEFRONTS) == rows[i].passes);
        assert_true(counted(COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL) == 2);
    }
}

static void eight_bytes_per_lane_take_four_passes(void **state)
{
    (void)state;
    uint64_t o = device_copy(NULL, 512, "out"), p = device_copy(NULL, 512, "in");
    launch("pairs", 1, 64, (const void *const[]){&o, &p}, 2);
    assert_true(counted(COUNTER_SHARED_LOAD_REQUESTS) == 1);
    assert_true(counted(COUNTER_SHARED_LOAD_WAVEFRONTS) == 4);
    assert_true(counted(COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL) == 4);
}

// Levels of cache that MI250X does not have: absent there, as if nobody counted them.
// A wave that is traced for the model of time goes through its code one instruction at a time, others as far as they come; with
// checks each lane of a request is looked at by itself.
static void counts_do_not_depend_on_the_trace_or_on_checks(void **state)
{
    enum { WAYS = 3, GROUPS = 300 };
    const struct sim_launch ways[WAYS] = {
        {.no_timing = false}, {.no_timing = true}, {.no_timing = true, .checks = SIM_CHECK_UNINIT}};
    static float in[GROUPS * THREADS];
    double counts[WAYS][COUNTER_COUNT];
    struct sim_report reports[WAYS];
    (void)state;
    if (!has_compiler)
        skip();
    uint64_t o = device_copy(NULL, GROUPS * sizeof *in, "out"),
             p = device_copy(in, sizeof in, "in");
    for (int way = 0; way < WAYS; way++) {
        struct sim_launch l = ways[way];
        memcpy(l.grid, (const uint32_t[]){GROUPS, 1, 1}, sizeof l.grid);
        memcpy(l.block, (const uint32_t[]){THREADS, 1, 1}, sizeof l.block);
        sim_flush_caches(bench.sim);
        assert_true(launch_checked("sum_block", l, (const void *const[]){&o, &p}, 2));
        reports[way] = bench.report;
        for (int i = 0; i < COUNTER_COUNT; i++)
            counts[way][i] = i == COUNTER_OCCUPANCY_ACHIEVED_PCT // there with times only
                                 ? 0
                                 : counted((enum counter_id)i);
        assert_memory_equal(counts[way], counts[0], sizeof counts[0]);
        assert_int_equal(reports[way].line_count, reports[0].line_count);
        for (size_t i = 0; i < (size_t)reports[0].line_count; i++) {
            const struct line *a = &reports[0].lines[i], *b = &reports[way].lines[i];
            assert_int_equal(a->line, b->line);
#define LINE_FIELD(name, unit, meaning) assert_int_equal(a->name, b->name);
#include "record/line_fields.def"
#undef LINE_FIELD
        }
    }
    assert_true(counted(COUNTER_VECTOR_INSTRUCTIONS) > 0 && reports[0].line_count > 0);
}

static bool is_of_other_chips(enum counter_id id)
{
    return id == COUNTER_ARRAY_LOAD_SECTORS_HIT || id == COUNTER_MEMORY_CACHE_READ_BYTES ||
           id == COUNTER_MEMORY_CACHE_HIT_BYTES;
}

static void instructions_and_operations_are_counted_by_kind(void **state)
{
    enum { STEPS = 3 };
    int n = STEPS;
    (void)state;
    uint64_t o = device_copy(NULL, 4096, "out"), q = device_copy(NULL, 4096, "wide"),
             p = device_copy(NULL, 4096, "in");
    launch("arithmetic", 1, 64, (const void *const[]){&o, &q, &p, &n}, 4);
    assert_true(counted(COUNTER_FLOPS_F64) == 64);
    assert_true(counted(COUNTER_FMUL_F32) == 32 * STEPS);
    assert_true(counted(COUNTER_FFMA_F32) >= 32); // once, or in each step
    assert_true(counted(COUNTER_FLOPS_F32) ==
                counted(COUNTER_FMUL_F32) + 2 * counted(COUNTER_FFMA_F32));
    assert_true(counted(COUNTER_DIVERGENT_BRANCHES) == 1);
    double kinds = counted(COUNTER_VECTOR_INSTRUCTIONS) + counted(COUNTER_SCALAR_INSTRUCTIONS) +
                   counted(COUNTER_VECTOR_MEMORY_INSTRUCTIONS) +
                   counted(COUNTER_SCALAR_MEMORY_INSTRUCTIONS) + counted(COUNTER_LDS_INSTRUCTIONS);
    assert_true(kinds == counted(COUNTER_WARP_INSTRUCTIONS));
    for (int i = 0; i < COUNTER_COUNT; i++) {
        const struct counter_info *info = counter_info((enum counter_id)i);
        bool absent = counted((enum counter_id)i) < 0;
        bool expected = info->by & COUNTED_AMD && !is_of_other_chips((enum counter_id)i);
        if (absent == expected)
            fail_msg("%s is %s", info->name, absent ? "absent" : "counted");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(division_of_floats_is_rounded_correctly),
        cmocka_unit_test(division_of_doubles_is_rounded_correctly),
        cmocka_unit_test(division_of_integers_is_exact),
        cmocka_unit_test(waves_of_64_lanes_sum_by_shuffles),
        cmocka_unit_test(thirty_two_lanes_reduce_what_the_active_ones_have),
        cmocka_unit_test(work_groups_sum_in_lds_between_barriers),
        cmocka_unit_test(atomics_count_every_lane),
        cmocka_unit_test(atomics_of_64_bits_in_lds_keep_all_lanes),
        cmocka_unit_test(each_thread_has_its_own_scratch),
        cmocka_unit_test(lanes_leave_a_loop_at_different_times),
        cmocka_unit_test(indices_have_three_dimensions),
        cmocka_unit_test(a_read_of_what_nothing_wrote_is_reported),
        cmocka_unit_test(a_wrong_number_of_arguments_is_an_error),
        cmocka_unit_test(counts_stand_at_their_lines_of_source),
        cmocka_unit_test(sectors_and_lines_of_a_request_are_distinct_ones),
        cmocka_unit_test(a_request_goes_through_the_caches),
        cmocka_unit_test(lanes_of_one_bank_take_turns),
        cmocka_unit_test(eight_bytes_per_lane_take_four_passes),
        cmocka_unit_test(instructions_and_operations_are_counted_by_kind),
        cmocka_unit_test(counts_do_not_depend_on_the_trace_or_on_checks),
        cmocka_unit_test(work_groups_may_wait_for_later_ones),
        cmocka_unit_test(a_cooperative_launch_must_fit_the_chip),
        cmocka_unit_test(a_store_beyond_a_buffer_stops_the_launch),
    };
    const struct CMUnitTest of_gfx1100[] = {
        cmocka_unit_test(division_of_floats_is_rounded_correctly),
        cmocka_unit_test(division_of_doubles_is_rounded_correctly),
        cmocka_unit_test(division_of_integers_is_exact),
        cmocka_unit_test(thirty_two_lanes_reduce_what_the_active_ones_have),
        cmocka_unit_test(counts_do_not_depend_on_the_trace_or_on_checks),
        cmocka_unit_test(work_groups_sum_in_lds_between_barriers),
        cmocka_unit_test(atomics_count_every_lane),
        cmocka_unit_test(atomics_of_64_bits_in_lds_keep_all_lanes),
        cmocka_unit_test(each_thread_has_its_own_scratch),
        cmocka_unit_test(lanes_leave_a_loop_at_different_times),
        cmocka_unit_test(indices_have_three_dimensions),
        cmocka_unit_test(a_read_of_what_nothing_wrote_is_reported),
        cmocka_unit_test(a_store_beyond_a_buffer_stops_the_launch),
    };
    int failed = cmocka_run_group_tests(tests, bench_open, bench_close);
    return failed + cmocka_run_group_tests(of_gfx1100, bench_open_gfx1100, bench_close);
}
