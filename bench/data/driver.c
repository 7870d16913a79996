// What verifying costs the host: filling buffers, the poison, comparing outputs and inputs, in
// nanoseconds an element and in seconds, for each kind of fill. Medians of three. Digests say whether
// the values are those of another version (hash64 of the buffer).
// Usage, in the root of the sources: build/bench/data/driver [ELEMENTS] (default 2^26)
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 };

static const char head[] = "experiment: data\n"
                           "source: driver.c\nreference: driver.c:main\n"
                           "params: {N: 0}\n"
                           "buffers:\n";

static const struct {
    const char *type, *fill;
} kinds[] = {
    {"f32", "uniform(-1,1)"},
    {"f64", "uniform(-1,1)"},
    {"bf16", "uniform(-1,1)"},
    {"f16", "uniform(-2,3)"},
    {"i32", "uniform(-1000,1000)"},
    {"f32", "normal(0,1)"},
    {"u8", "integers(0,255)"},
    {"i32", "integers(-7,90)"},
    {"f32", "integers(0,9)"},
    {"u32", "zipf(1.1,4096)"},
    {"u16", "iota"},
    {"f32", "constant(0.5)"},
};

static double median(double t[ROUNDS])
{
    for (int i = 1; i < ROUNDS; i++)
        for (int k = i; k > 0 && t[k] < t[k - 1]; k--) {
            double x = t[k];
            t[k] = t[k - 1];
            t[k - 1] = x;
        }
    return t[ROUNDS / 2];
}

static double since(uint64_t start_ns)
{
    return (double)(clock_ns() - start_ns);
}

static void row(const char *what, const char *type, double ns, uint64_t count, uint64_t digest)
{
    printf("| %s | %s | %.2f | %.3f |", what, type, ns / (double)count, ns / 1e9);
    if (digest != 0)
        printf(" %016" PRIx64 " |\n", digest);
    else
        printf(" |\n");
}

static int measure(struct arena *a, const char *path, int kind, uint64_t n, struct error *err)
{
    struct experiment *e = NULL;
    struct case_point *cases = NULL;
    int count = 0;
    struct resolved_case c;
    const struct device_facts device = {.cc = 9};
    struct text t = {0};
    text_printf(&t, "%s  x: {type: %s, count: N, fill: '%s'}\n", head, kinds[kind].type,
                kinds[kind].fill);
    text_printf(&t, "  y: {type: %s, count: N, output: true, tolerance: {rel: 1.0e-2}}\n",
                kinds[kind].type);
    text_add(&t, "variants: [{name: a, kernel: k, grid: 1, block: 1, args: [x, y]}]\n");
    const char *override = arena_printf(a, "N=%" PRIu64, n);
    if (!file_write(path, text_str(&t), t.length, err) || !experiment_load(a, path, &e, err) ||
        !experiment_cases(a, e, &override, 1, &cases, &count, err) ||
        !experiment_resolve_case(a, e, cases, &device, &c, err))
        return 1;
    text_release(&t);
    double fill[ROUNDS], compare[ROUNDS], input[ROUNDS], poison[ROUNDS], search[ROUNDS];
    uint64_t digest = 0, differences = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct host_buffers b;
        uint64_t start = clock_ns();
        if (!buffers_fill(e, &c, cases, 1, &b, err))
            return 1;
        fill[i] = since(start);
        digest = hash64(b.data[0], c.buffers[0].size_bytes, 0);
        // An output that is near, not equal: what a sum in another order gives.
        void *near = malloc(c.buffers[0].size_bytes);
        memcpy(near, b.data[0], c.buffers[0].size_bytes);
        for (uint64_t k = 0; k < n; k += 3)
            ((unsigned char *)near)[k * element_bytes(c.buffers[0].type)] ^= 1;
        struct host_buffers got = {.data = (void *[]){NULL, near}, .count = 2};
        struct host_buffers wanted = {.data = (void *[]){NULL, b.data[0]}, .count = 2};
        struct output_difference d = {0};
        start = clock_ns();
        (void)outputs_compare(e, &c, &got, &wanted, &d);
        compare[i] = since(start);
        differences = d.wrong_count;
        d = (struct output_difference){0};
        memcpy(near, b.data[0], c.buffers[0].size_bytes);
        start = clock_ns();
        input_compare(&c.buffers[0], near, b.data[0], 0, n, &d);
        input[i] = since(start);
        start = clock_ns();
        output_poison(&c.buffers[1], near, POISON_FIRST);
        poison[i] = since(start);
        start = clock_ns();
        (void)output_unwritten(&c.buffers[1], near, NULL);
        search[i] = since(start);
        free(near);
        buffers_release(&b);
    }
    row(arena_printf(a, "fill %s (and poison)", kinds[kind].fill), kinds[kind].type, median(fill),
        n, digest);
    if (kind == 0 || strcmp(kinds[kind].type, kinds[kind - 1].type) != 0) {
        row(arena_printf(a, "compare (%" PRIu64 " wrong)", differences), kinds[kind].type,
            median(compare), n, 0);
        row("compare an input", kinds[kind].type, median(input), n, 0);
        row("poison", kinds[kind].type, median(poison), n, 0);
        row("look for the poison", kinds[kind].type, median(search), n, 0);
    }
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)1 << 26;
    struct arena a = {0};
    struct error err = {0};
    char path[] = "bench/data/driver-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    if (fd < 0 || n == 0) {
        (void)fprintf(stderr, "usage: driver [ELEMENTS]\n");
        return 2;
    }
    printf("%" PRIu64 " elements, %d processors\n\n", n, cpu_count());
    printf("| what | type | ns/element | s | digest |\n|---|---|---:|---:|---|\n");
    int status = 0;
    for (size_t i = 0; i < COUNT_OF(kinds) && status == 0; i++)
        status = measure(&a, path, (int)i, n, &err);
    if (status != 0)
        (void)fprintf(stderr, "%s\n", err.message);
    (void)remove(path);
    arena_release(&a);
    return status;
}
