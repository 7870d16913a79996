// The random kernels on the simulated H200: run_sim SEED MODULE.ptx... prints "number hash" a kernel;
// with --dump NUMBER before the seed every word of that kernel: "thread word value".
// SPDX-License-Identifier: Apache-2.0
#include "differential.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

struct bed { // a simulator with the two buffers
    struct arena arena;
    struct gpu *gpu;
    struct sim *sim;
    uint64_t in, out;
};

static uint32_t input[THREADS_MAX * IN_WORDS];
static uint8_t output[OUT_BYTES];

static bool kernel_run(struct bed *b, const struct sim_module *m, uint64_t seed, uint64_t number,
                       struct error *err)
{
    char name[32];
    static const uint32_t sums[SUM_WORDS] = {0, 0, 0, 0xffffffffu};
    struct arena arena = {0};
    struct sim_report report = {0};
    const void *args[] = {&b->in, &b->out};
    (void)snprintf(name, sizeof(name), "k%llu", (unsigned long long)number);
    struct sim_launch launch = {.module = m,
                                .kernel = name,
                                .grid = {grid_of(number), 1, 1},
                                .block = {block_of(number), 1, 1},
                                .args = args,
                                .arg_count = 2,
                                .threads = 1,
                                .no_caches = true,
                                .no_timing = true,
                                .budget_warp_instructions = 1000000};
    input_fill(seed, number, input);
    bool ok = sim_write(b->sim, b->in, input, sizeof(input), err) &&
              sim_fill(b->sim, b->out, 0xcd, OUT_BYTES, err) &&
              sim_write(b->sim, b->out + OUT_BYTES - sizeof(sums), sums, sizeof(sums), err) &&
              sim_launch(b->sim, &launch, &arena, &report, err) &&
              sim_read(b->sim, b->out, output, OUT_BYTES, err);
    arena_release(&arena);
    return ok;
}

static void kernel_dump(uint64_t number)
{
    for (uint32_t t = 0; t < block_of(number) * grid_of(number); t++)
        for (uint32_t w = 0; w < OUT_WORDS; w++) {
            uint32_t value = 0;
            memcpy(&value, output + ((size_t)t * OUT_WORDS + w) * 4, 4);
            printf("%u %u %08x\n", t, w, value);
        }
    for (uint32_t w = 0; w < SUM_WORDS; w++) {
        uint32_t value = 0;
        memcpy(&value, output + ((size_t)THREADS_MAX * OUT_WORDS + w) * 4, 4);
        printf("sum %u %08x\n", w, value);
    }
}

static bool module_run(struct bed *b, const char *path, uint64_t seed, const char *dump,
                       struct error *err)
{
    enum { TEXT_MAX = 64 << 20 };
    char *text = NULL;
    size_t size = 0;
    struct arena arena = {0};
    struct ptx_module *ptx = NULL;
    struct sim_module *m = NULL;
    const char *base = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    uint64_t first = strtoull(base + 1, NULL, 10) * KERNELS_PER_MODULE;
    bool ok = file_read(path, TEXT_MAX, &text, &size, err) &&
              ptx_parse(&arena, base, text, size, &ptx, err) &&
              sim_module_load(b->sim, ptx, &m, err);
    for (uint64_t i = 0; i < KERNELS_PER_MODULE && ok; i++) {
        uint64_t number = first + i;
        if (dump != NULL && number != strtoull(dump, NULL, 10))
            continue;
        if (!kernel_run(b, m, seed, number, err)) {
            printf("%llu %s\n", (unsigned long long)number, err->message);
            error_clear(err);
        } else if (dump != NULL) {
            kernel_dump(number);
        } else {
            printf("%llu %016llx\n", (unsigned long long)number,
                   (unsigned long long)output_hash(output, number));
        }
    }
    if (m != NULL)
        sim_module_unload(b->sim, m);
    arena_release(&arena);
    free(text);
    return ok;
}

int main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); // several at once may write to one file
    const char *dump = argc > 2 && strcmp(argv[1], "--dump") == 0 ? argv[2] : NULL;
    int at = dump != NULL ? 3 : 1;
    if (argc < at + 2) {
        fprintf(stderr, "usage: run_sim [--dump NUMBER] SEED MODULE.ptx...\n");
        return 2;
    }
    struct bed b = {0};
    struct error err = {0};
    uint64_t seed = strtoull(argv[at], NULL, 0);
    bool ok = gpu_load(&b.arena, "h200", &b.gpu, &err) && sim_open(b.gpu, &b.sim, &err) &&
              sim_alloc(b.sim, IN_BYTES, "in", &b.in, &err) &&
              sim_alloc(b.sim, OUT_BYTES, "out", &b.out, &err);
    for (int i = at + 1; i < argc && ok; i++)
        ok = module_run(&b, argv[i], seed, dump, &err);
    if (!ok)
        fprintf(stderr, "run_sim: %s\n", err.message);
    sim_close(b.sim);
    arena_release(&b.arena);
    return ok ? 0 : 1;
}
