/* A program for stream_test.sh: what the library does on a stream of the program's, on a device named on
 * the command line (a fake driver's there), with ranges of the program's by ridge and by NVTX. NVTX's header
 * is played: it defines the same weak variable and hands out the same tables.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ridge.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096 };

struct work {
    ridge_module *module;
    uint64_t out, in;
    void *stream; /* that it is to be called with */
    int calls, prepared, strange;
};

static void must(int status)
{
    if (status == RIDGE_OK)
        return;
    printf("failed: %s\n", ridge_error());
    exit(1);
}

static int enqueue(void *user, void *stream)
{
    struct work *w = user;
    struct ridge_argument arguments[3];
    struct ridge_launch launch = {0};
    arguments[0] = ridge_address(w->out);
    arguments[1] = ridge_address(w->in);
    arguments[2] = ridge_i32(N);
    launch.kernel = "twice";
    launch.grid[0] = N / 256;
    launch.block[0] = 256;
    launch.arguments = arguments;
    launch.argument_count = 3;
    w->calls++;
    w->strange += stream != w->stream;
    return ridge_launch(w->module, &launch, stream);
}

static int prepare(void *user, void *stream)
{
    struct work *w = user;
    w->prepared++;
    w->strange += stream != w->stream;
    return 0;
}

/* ---- NVTX 3's header, played -------------------------------------------------------------------------- */

typedef void function(void);
typedef const void *get_table(uint32_t id);
typedef int initialize(get_table *get);
__attribute__((weak, visibility("internal"))) initialize *InitializeInjectionNvtx2_fnptr;

static int (*nvtx_push)(const char *name);
static int (*nvtx_pop)(void);
static function **core[16];
static function *others[16];

static int table(int module, function ****out, unsigned *count)
{
    int i;
    for (i = 0; i < 16; i++)
        core[i] = &others[i];
    core[9] = (function **)(void *)&nvtx_push;
    core[11] = (function **)(void *)&nvtx_pop;
    *out = core;
    *count = 16;
    return module == 1;
}

static const void *tables(uint32_t id)
{
    static const struct {
        size_t size;
        int (*table)(int module, function ****out, unsigned *count);
    } callbacks = {sizeof callbacks, table};
    return id == 1 ? &callbacks : NULL;
}

/* ---- the test --------------------------------------------------------------------------------------------- */

static void print(const char *what, const ridge_result *x)
{
    struct ridge_summary s;
    must(ridge_summarize(x, &s));
    printf("%s: %s %s %.0f us, %s samples, batch %d%s%s\n", what, s.name, s.provenance,
           s.median_ns / 1e3, s.sample_count >= 30 ? "30 or more" : "few", s.batch,
           s.note ? ", " : "", s.note ? s.note : "");
}

int main(int argc, char **argv)
{
    int place = 0;
    struct work w = {0};
    struct ridge_region regions[2] = {{0}};
    struct ridge_measure_options options = {0};
    struct ridge_comparison c;
    ridge_result *results[2], *x;
    ridge *r, *second;
    if (argc < 3)
        return 2;
    InitializeInjectionNvtx2_fnptr = ridge_nvtx;
    must(ridge_open(argv[1], NULL, &r));
    must(ridge_open(argv[1], NULL, &second)); /* the driver has been started by now */
    must(ridge_close(second));
    must(ridge_compile(r, argv[2], NULL, 0, &w.module));
    must(ridge_alloc(r, "in", sizeof(float) * N, &w.in));
    must(ridge_alloc(r, "out", sizeof(float) * N, &w.out));
    w.stream = &place;
    regions[0].name = "a";
    regions[0].enqueue = enqueue;
    regions[0].prepare = prepare;
    regions[0].user = &w;
    regions[1] = regions[0];
    regions[1].name = "b";
    options.count = 1;
    options.time_limit_s = 20; /* never reached: the medians settle */
    ridge_range_push("outer");
    must(ridge_measure(r, regions, 2, &place, &options, results));
    ridge_range_pop();
    print("cold", results[0]);
    must(ridge_compare(results[0], results[1], &c));
    printf("like with like: %s\n", ridge_verdict_name(c.verdict));
    options.warm = 1;
    options.count = 0;
    regions[0].name = "warm";
    must(ridge_measure(r, regions, 1, &place, &options, results));
    print("warm", results[0]);
    printf("prepared: %s, strange streams: %d\n", w.prepared > 3 ? "yes" : "no", w.strange);

    if (InitializeInjectionNvtx2_fnptr && InitializeInjectionNvtx2_fnptr(tables) && nvtx_push) {
        nvtx_push("nvtx");
        nvtx_push("inner");
        must(ridge_result_open(r, "x", NULL, &x));
        nvtx_pop();
        nvtx_pop();
    } else {
        must(ridge_result_open(r, "x", NULL, &x));
    }
    must(ridge_begin(x, &place));
    must(enqueue(&w, &place));
    must(ridge_end(x, &place));
    print("course", x);
    must(ridge_record(x, NULL));
    must(ridge_close(r));
    return 0;
}
