// What the execution tests share: a chip, a module from a file of this folder, buffers, launches.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TESTS_EXEC_SUPPORT_H
#define RIDGE_TESTS_EXEC_SUPPORT_H

#include "sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> // last: its fail() hides base's

struct bench { // one simulated GPU with one module
    struct arena arena;
    struct gpu *gpu;
    struct sim *sim;
    struct ptx_module *ptx;
    struct sim_module *module;
    char *text;
    struct sim_report report;
    struct error err;
    struct sim_launch launch; // options for the next one
};

static inline void bench_parse(struct bench *b, const char *name, const char *text, size_t size)
{
    if (!gpu_load(&b->arena, "h200", &b->gpu, &b->err) || !sim_open(b->gpu, &b->sim, &b->err) ||
        !ptx_parse(&b->arena, name, text, size, &b->ptx, &b->err) ||
        !sim_module_load(b->sim, b->ptx, &b->module, &b->err))
        fail_msg("%s", b->err.message);
}

static inline void bench_text(struct bench *b, const char *text)
{
    memset(b, 0, sizeof(*b));
    bench_parse(b, "test.ptx", text, strlen(text));
}

static inline void bench_file(struct bench *b, const char *name)
{
    char path[256];
    size_t size = 0;
    memset(b, 0, sizeof(*b));
    (void)snprintf(path, sizeof(path), "tests/sim/%s", name);
    if (!file_read(path, 1 << 24, &b->text, &size, &b->err))
        fail_msg("%s", b->err.message);
    bench_parse(b, name, b->text, size);
}

static inline void bench_close(struct bench *b)
{
    sim_close(b->sim);
    arena_release(&b->arena);
    free(b->text);
}

static inline uint64_t bench_buffer(struct bench *b, const char *name, const void *data,
                                    size_t size)
{
    uint64_t address = 0;
    bool ok = sim_alloc(b->sim, size, name, &address, &b->err);
    if (ok && data != NULL)
        ok = sim_write(b->sim, address, data, size, &b->err);
    if (!ok)
        fail_msg("%s", b->err.message);
    return address;
}

static inline void bench_fetch(struct bench *b, uint64_t address, void *data, size_t size)
{
    if (!sim_read(b->sim, address, data, size, &b->err))
        fail_msg("%s", b->err.message);
}

struct shape {
    uint32_t grid[3], block[3];
};
#define GRID1(g, t) ((struct shape){{(g), 1, 1}, {(t), 1, 1}})
#define GRID2(gx, gy, tx, ty) ((struct shape){{(gx), (gy), 1}, {(tx), (ty), 1}})

// Launches with up to six arguments, ended by NULL.
static inline bool bench_try(struct bench *b, const char *kernel, struct shape shape,
                             const void *const *args)
{
    struct sim_launch l = b->launch;
    l.module = b->module;
    l.kernel = kernel;
    memcpy(l.grid, shape.grid, sizeof(l.grid));
    memcpy(l.block, shape.block, sizeof(l.block));
    l.args = args;
    while (args[l.arg_count] != NULL)
        l.arg_count++;
    error_clear(&b->err);
    return sim_launch(b->sim, &l, &b->arena, &b->report, &b->err);
}
#define ARGS(...) ((const void *const[]){__VA_ARGS__, NULL})

static inline void bench_run(struct bench *b, const char *kernel, struct shape shape,
                             const void *const *args)
{
    if (!bench_try(b, kernel, shape, args))
        fail_msg("%s", b->err.message);
}

static inline double bench_counter(const struct bench *b, enum counter_id id)
{
    assert_true(counters_has(&b->report.counters, id));
    return counters_get(&b->report.counters, id, -1);
}
#define assert_counter(b, id, value) \
    assert_int_equal((long long)bench_counter((b), COUNTER_##id), (long long)(value))

#endif
