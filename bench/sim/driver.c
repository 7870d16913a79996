// The simulated H200's speed on the kernels of kernels.cu, every counter on, each result checked
// against C. One line per kernel: name, host threads, seconds (least of REPEATS), warp instructions, lane
// instructions, modelled microseconds. With a share below 1 (--sample-blocks' figure) the line's
// counters are scaled up, to be held beside the full run's.
//   driver COMPILER(auto|nvrtc|clang) THREADS [CHECKS [SHARE [KERNEL [CHIP OBJECT]]]]
// THREADS "twin": one, while another process does the same. What both together do is the most that two threads can: less than twice
// as much where the host's processors share a core, its caches or its memory.
// CHIP and OBJECT: one of AMD's, and the kernels' machine code for it; KERNEL is then a name or "all".
// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"
#include "sim/amd/amd.h"
#include "sim/sim.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 5, ROWS = 1024, COUNT = 1 << 22, SIDE = 256, BUFFERS = 3 };

struct work {
    const char *kernel;
    uint32_t grid[2], block[2];
    int n;
    size_t words[BUFFERS]; // of the output first, then the inputs
    bool (*right)(const uint32_t *const *words, size_t count);
};

static double as_float(uint32_t word)
{
    float value = 0;
    memcpy(&value, &word, sizeof(value));
    return (double)value;
}

static bool transposed(const uint32_t *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words[0][i % ROWS * ROWS + i / ROWS] != words[1][i])
            return false;
    return true;
}

static bool summed(const uint32_t *const *words, size_t count)
{
    for (size_t b = 0; b < count; b++) {
        double want = 0;
        for (size_t i = 0; i < 256; i++)
            want += as_float(words[1][b * 256 + i]);
        if (!(fabs(want - as_float(words[0][b])) <= 1e-4 * fabs(want) + 1e-4))
            return false;
    }
    return true;
}

static bool counted(const uint32_t *const *words, size_t count)
{
    uint32_t want[256] = {0};
    for (size_t i = 0; i < COUNT; i++)
        want[words[1][i] * 2654435761U >> 24]++;
    return count == 256 && memcmp(want, words[0], sizeof(want)) == 0;
}

static bool multiplied(const uint32_t *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double want = 0, size = 0;
        for (size_t k = 0; k < SIDE; k++) {
            double term =
                as_float(words[1][i / SIDE * SIDE + k]) * as_float(words[2][k * SIDE + i % SIDE]);
            want += term;
            size += fabs(term);
        }
        if (!(fabs(want - as_float(words[0][i])) <= 1e-5 * size))
            return false;
    }
    return true;
}

static const struct work works[] = {
    {"transpose_naive", {64, 64}, {16, 16}, ROWS, {ROWS * ROWS, ROWS *ROWS}, transposed},
    {"transpose_tiled", {64, 64}, {16, 16}, ROWS, {ROWS * ROWS, ROWS *ROWS}, transposed},
    {"reduce_tree", {COUNT / 256, 1}, {256, 1}, COUNT, {COUNT / 256, COUNT}, summed},
    {"histogram", {256, 1}, {256, 1}, COUNT, {256, COUNT}, counted},
    {"matmul_tiled", {16, 16}, {16, 16}, SIDE, {SIDE * SIDE, SIDE *SIDE, SIDE *SIDE}, multiplied},
};

struct options {
    int threads;
    bool twin;
    unsigned checks;
    double share;
};

struct code { // one of them
    struct sim_module *ptx;
    struct amd_module *amd;
};

static bool run(struct sim *sim, const struct code *code, const struct work *w,
                const struct options *o, struct error *err)
{
    uint64_t address[BUFFERS] = {0};
    uint32_t *words[BUFFERS] = {0};
    uint32_t state = 12345;
    bool ok = true;
    for (int b = 0; b < BUFFERS && ok && w->words[b] > 0; b++) {
        size_t size = w->words[b] * sizeof(uint32_t);
        words[b] = calloc(w->words[b], sizeof(uint32_t));
        for (size_t i = 0; b > 0 && words[b] != NULL && i < w->words[b]; i++) {
            state = state * 1664525U + 1013904223U;
            words[b][i] = 0x3f800000U + (state >> 9); // a float from 1 to 2
        }
        ok = words[b] != NULL && sim_alloc(sim, size, w->kernel, &address[b], err) &&
             sim_write(sim, address[b], words[b], size, err);
    }
    double best_ns = HUGE_VAL;
    struct arena arena = {0};
    struct sim_report report = {0};
    for (int i = 0; i < REPEATS && ok; i++) {
        const void *args[4] = {&address[0], &address[1], &address[2], &w->n};
        struct sim_launch launch = {
            .module = code->ptx, .kernel = w->kernel, .args = args, .arg_count = 4};
        if (w->words[2] == 0)
            args[2] = &w->n, launch.arg_count = 3;
        for (int d = 0; d < 2; d++) {
            launch.grid[d] = w->grid[d];
            launch.block[d] = w->block[d];
        }
        launch.grid[2] = launch.block[2] = 1;
        launch.threads = o->threads;
        launch.checks = o->checks;
        launch.sample_share = o->share;
        arena_release(&arena);
        sim_flush_caches(sim);
        ok = sim_fill(sim, address[0], 0, w->words[0] * sizeof(uint32_t), err) &&
             (code->amd ? amd_launch(sim, code->amd, &launch, &arena, &report, err)
                        : sim_launch(sim, &launch, &arena, &report, err));
        best_ns = fmin(best_ns, (double)report.host_ns);
    }
    if (ok && (o->share <= 0 || o->share >= 1)) {
        ok = sim_read(sim, address[0], words[0], w->words[0] * sizeof(uint32_t), err);
        if (ok && !w->right((const uint32_t *const *)words, w->words[0]))
            ok = fail_as(err, ERROR_CHECK, NOWHERE, "%s: wrong result", w->kernel);
    }
    if (ok)
        printf("%s %d %.6f %.0f %.0f %.3f %.0f %.0f\n", w->kernel, o->threads, best_ns * 1e-9,
               counters_get(&report.counters, COUNTER_WARP_INSTRUCTIONS, -1),
               counters_get(&report.counters, COUNTER_THREAD_INSTRUCTIONS, -1),
               report.time.time_ns * 1e-3,
               counters_get(&report.counters, COUNTER_L2_READ_SECTORS, 0),
               counters_get(&report.counters, COUNTER_DRAM_READ_BYTES, 0));
    arena_release(&arena);
    for (int b = 0; b < BUFFERS; b++) {
        struct error ignored = {0};
        if (address[b] != 0)
            (void)!sim_free(sim, address[b], &ignored);
        free(words[b]);
    }
    return ok;
}

// Beside a process that runs the same again and again, from its first time on until we are done.
static bool run_beside_twin(struct sim *sim, const struct code *code, const struct work *w,
                            const struct options *o, struct error *err)
{
    int ready[2];
    char byte = 0;
    (void)fflush(stdout);
    if (pipe(ready) != 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "no pipe to the twin");
    pid_t twin = fork();
    if (twin == 0) {
        (void)!freopen("/dev/null", "w", stdout);
        while (run(sim, code, w, o, err) && (byte != 0 || write(ready[1], "", 1) == 1))
            byte = 1;
        _exit(1);
    }
    (void)close(ready[1]);
    bool ok = twin > 0 && read(ready[0], &byte, 1) == 1;
    (void)close(ready[0]);
    if (!ok)
        (void)fail_as(err, ERROR_SYSTEM, NOWHERE, "%s: the twin did not run", w->kernel);
    ok = ok && run(sim, code, w, o, err);
    if (twin > 0) {
        (void)kill(twin, SIGKILL);
        (void)waitpid(twin, NULL, 0);
    }
    return ok;
}

static bool load_ptx(struct arena *a, const char *compiler, struct sim **sim, struct code *out,
                     struct error *err)
{
    struct compile_request request = {
        .source_path = "bench/sim/kernels.cu", .arch = "sm_90", .compiler = compiler};
    struct code_object code = {0};
    struct gpu *gpu = NULL;
    struct ptx_module *ptx = NULL;
    bool ok = code_compile(a, &request, &code, err) &&
              ptx_parse(a, "kernels.ptx", code.bytes, code.size_bytes, &ptx, err) &&
              gpu_load(a, "h200", &gpu, err) && sim_open(gpu, sim, err) &&
              sim_module_load(*sim, ptx, &out->ptx, err);
    if (ok)
        fprintf(stderr, "%s\n", code.compiler);
    return ok;
}

static bool load_object(struct arena *a, const char *chip, const char *path, struct sim **sim,
                        struct code *out, struct error *err)
{
    enum { OBJECT_MAX = 1 << 26 };
    struct gpu *gpu = NULL;
    char *bytes = NULL;
    size_t size = 0;
    bool ok = file_read(path, OBJECT_MAX, &bytes, &size, err) && gpu_load(a, chip, &gpu, err) &&
              sim_open(gpu, sim, err) && amd_module_load(*sim, path, bytes, size, &out->amd, err);
    free(bytes);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: driver COMPILER THREADS [CHECKS [SHARE [KERNEL]]]\n");
        return 2;
    }
    bool twin = strcmp(argv[2], "twin") == 0;
    struct options o = {.threads = twin ? 1 : atoi(argv[2]),
                        .twin = twin,
                        .checks = argc > 3 ? (unsigned)atoi(argv[3]) : 0,
                        .share = argc > 4 ? atof(argv[4]) : 0};
    struct arena arena = {0};
    struct sim *sim = NULL;
    struct code code = {.ptx = NULL};
    struct error err = {0};
    bool ok = argc > 7 ? load_object(&arena, argv[6], argv[7], &sim, &code, &err)
                       : load_ptx(&arena, argv[1], &sim, &code, &err);
    for (size_t i = 0; ok && i < sizeof(works) / sizeof(works[0]); i++)
        if (argc <= 5 || strcmp(argv[5], "all") == 0 || strcmp(argv[5], works[i].kernel) == 0)
            ok = (o.twin ? run_beside_twin : run)(sim, &code, &works[i], &o, &err);
    if (!ok)
        fprintf(stderr, "driver: %s\n", err.message);
    if (code.amd)
        amd_module_unload(code.amd);
    sim_close(sim);
    arena_release(&arena);
    return ok ? 0 : 1;
}
