/* A launch that gives way to heat: full intensity as long as the chip keeps what `ridge tune` saw, bursts or half of the
 * SMs when it is slowed down for its temperature or power so far that these take no longer. ridge_adapt_* decides by the
 * times; clock, power and temperature of each choice are in its log.
 *
 *   ridge tune examples/thermal -p STEPS=1024 && thermal [DEVICE [KERNELS.cu [RUNS [HEAT [STEPS]]]]]
 *
 * HEAT multiplies the times of `full`, to see without a hot chip what is chosen then. STEPS is how long a burst is (1024;
 * 64 is enough for a simulated chip): a pass of a few microseconds is no longer than what timing it takes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ridge.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 262144, BURSTS = 8, TEXT = 64, SHARE_OF_SMS = 66 /* half of an H200's */ };

static void must(int status)
{
    if (status != RIDGE_OK) {
        fprintf(stderr, "thermal: %s\n", ridge_error());
        exit(status);
    }
}

static int number(ridge *r, const struct ridge_selection *s, const char *name, int otherwise)
{
    const char *text = ridge_selected(r, s, name);
    return text ? atoi(text) : otherwise;
}

static ridge_module *compile(ridge *r, const struct ridge_selection *s, const char *kernels)
{
    char define[TEXT];
    const char *defines[1];
    ridge_module *module;
    sprintf(define, "PAUSE_NS=%d",
            strcmp(s->variant, "bursts") == 0 ? number(r, s, "PAUSE_NS", 2000) : 0);
    defines[0] = define;
    must(ridge_compile(r, kernels, defines, 1, &module));
    return module;
}

static void enqueue(ridge *r, const struct ridge_selection *s, ridge_module *module, int steps,
                    uint64_t out, uint64_t in)
{
    int block = number(r, s, "BLOCK", 256);
    struct ridge_argument arguments[5];
    struct ridge_launch launch = {0};
    arguments[0] = ridge_address(out);
    arguments[1] = ridge_address(in);
    arguments[2] = ridge_i32(N);
    arguments[3] = ridge_i32(BURSTS);
    arguments[4] = ridge_i32(steps);
    launch.kernel = "work";
    launch.grid[0] = (unsigned)(strcmp(s->variant, "half") == 0 ? SHARE_OF_SMS : N / block);
    launch.block[0] = (unsigned)block;
    launch.arguments = arguments;
    launch.argument_count = 5;
    must(ridge_launch(module, &launch, NULL));
}

static void print_times(const ridge_watch *watch)
{
    static const char *const variants[] = {"full", "bursts", "half"};
    struct ridge_watched x;
    size_t i;
    for (i = 0; i < sizeof variants / sizeof *variants; i++)
        if (ridge_watch_figures(watch, variants[i], &x) == RIDGE_OK)
            printf("%s: %d passes, %.2f us\n", variants[i], (int)x.passes, x.median_ns / 1e3);
}

int main(int argc, char **argv)
{
    static const struct ridge_fallback fallbacks[] = {{0.0, "full", "BLOCK=256"}};
    char steps_size[TEXT];
    const char *sizes[] = {"N=262144", "BURSTS=8", NULL};
    const char *device = argc > 1 ? argv[1] : "auto", *kernels = argc > 2 ? argv[2] : "kernels.cu";
    int runs = argc > 3 ? atoi(argv[3]) : 100, steps = argc > 5 ? atoi(argv[5]) : 1024, i, anew = 1;
    double heat = argc > 4 ? atof(argv[4]) : 1, time_ns;
    struct ridge_select_query query = {0};
    struct ridge_adapt_options options = {0};
    struct ridge_watch_options watching = {0};
    const struct ridge_selection *s;
    ridge_adaptive *adaptive;
    ridge_module *module = NULL;
    ridge_watch *watch;
    uint64_t in, out;
    float *data = calloc(N, sizeof *data);
    ridge *r;

    if (!data)
        return RIDGE_BAD_SYSTEM;
    sprintf(steps_size, "STEPS=%d", steps);
    sizes[2] = steps_size;
    must(ridge_open(device, NULL, &r));
    query.experiment = "thermal";
    query.sizes = sizes;
    query.size_count = 3;
    query.source = kernels;
    query.fallbacks = fallbacks;
    query.fallback_count = 1;
    options.hold_s = 1e-3; /* a program that runs for days takes the default, a minute */
    watching.overhead = 1; /* every pass is timed, as all of them are looked at */
    must(ridge_adapt_open(r, &query, &options, &adaptive));
    must(ridge_watch_open(r, &watching, &watch));
    must(ridge_alloc(r, "in", N * sizeof *data, &in));
    must(ridge_alloc(r, "out", N * sizeof *data, &out));
    must(ridge_write(r, in, data, N * sizeof *data));
    for (i = 0; i < runs; i++) {
        s = ridge_adapt_selection(adaptive);
        if (anew) {
            module = compile(r, s, kernels);
            printf("run %d: %s\n", i, s->variant);
            anew = 0;
        }
        must(ridge_watch_begin(watch, s->variant, NULL));
        enqueue(r, s, module, steps, out, in);
        must(ridge_watch_end(watch, NULL, &time_ns));
        if (isnan(time_ns)) /* this pass was not timed */
            continue;
        must(ridge_adapt_add(adaptive, strcmp(s->variant, "full") == 0 ? heat * time_ns : time_ns,
                             &anew));
    }
    printf("%d choices\n", ridge_adapt_choices(adaptive));
    print_times(watch);
    must(ridge_watch_close(watch));
    ridge_adapt_close(adaptive);
    must(ridge_close(r));
    free(data);
    return 0;
}
