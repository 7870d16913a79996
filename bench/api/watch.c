// What watching regions costs: watch DEVICE. A pass that is not timed, in ns; on a real GPU also a stream of kernels with
// their region watched and without, in turns: by how much the watched one is slower, and what ridge itself reckons.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "stats/stats.h"

#include <ridge.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PASSES = 5000000, LAUNCHES = 20000, TURNS = 9, N = 1 << 22 };

static const char source[] = "extern \"C\" __global__ void twice(float *x, int n)\n{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n        x[i] = 2 * x[i];\n}\n";

static void ok(int status)
{
    if (status == RIDGE_OK)
        return;
    fprintf(stderr, "%s\n", ridge_error());
    exit(3);
}

static void untimed(ridge *r)
{
    ridge_watch *w;
    struct ridge_watched x;
    ok(ridge_watch_open(r, NULL, &w));
    uint64_t began = clock_ns();
    for (int i = 0; i < PASSES; i++) {
        ok(ridge_watch_begin(w, "region", NULL));
        ok(ridge_watch_end(w, NULL, NULL));
    }
    double each = (double)(clock_ns() - began) / PASSES;
    ok(ridge_watch_figures(w, "region", &x));
    printf("%.0f ns per pass, %llu of %llu timed, overhead by its own account %.2f %%\n", each,
           (unsigned long long)x.timed, (unsigned long long)x.passes, 100 * x.overhead);
    ok(ridge_watch_close(w));
}

// LAUNCHES kernels and a wait at the end, in ns.
static double stream_ns(ridge_module *m, uint64_t address, ridge *r, ridge_watch *w)
{
    const struct ridge_argument arguments[] = {ridge_address(address), ridge_i32(N)};
    const struct ridge_launch launch = {.kernel = "twice",
                                        .grid = {N / 256},
                                        .block = {256},
                                        .arguments = arguments,
                                        .argument_count = 2};
    float first;
    uint64_t began = clock_ns();
    for (int i = 0; i < LAUNCHES; i++) {
        if (w)
            ok(ridge_watch_begin(w, "twice", NULL));
        ok(ridge_launch(m, &launch, NULL));
        if (w)
            ok(ridge_watch_end(w, NULL, NULL));
    }
    ok(ridge_read(r, &first, address, sizeof first));
    return (double)(clock_ns() - began);
}

static void on_gpu(ridge *r)
{
    char path[] = "/tmp/ridge-watch-XXXXXX.cu";
    double plain[TURNS], watched[TURNS];
    uint64_t address;
    ridge_module *m;
    ridge_watch *w;
    struct ridge_watched x;
    int fd = mkstemps(path, 3);
    if (fd < 0 || write(fd, source, sizeof source - 1) < 0)
        exit(3);
    ok(ridge_compile(r, path, NULL, 0, &m));
    ok(ridge_alloc(r, "x", N * sizeof(float), &address));
    ok(ridge_watch_open(r, NULL, &w));
    (void)stream_ns(m, address, r, NULL);
    for (int i = 0; i < TURNS; i++) {
        plain[i] = stream_ns(m, address, r, NULL);
        watched[i] = stream_ns(m, address, r, w);
    }
    struct comparison c = stats_compare(plain, TURNS, watched, TURNS, 0);
    ok(ridge_watch_figures(w, "twice", &x));
    printf(
        "%d kernels of %.2f us: %.2f %% slower when watched (%.2f to %.2f), %llu of %llu timed, by "
        "its own account %.2f %%\n",
        LAUNCHES, stats_quantile(plain, TURNS, 0.5) / LAUNCHES / 1e3, 100 * (1 / c.ratio - 1),
        100 * (1 / c.high - 1), 100 * (1 / c.low - 1), (unsigned long long)x.timed,
        (unsigned long long)x.passes, 100 * x.overhead);
    ok(ridge_watch_close(w));
    (void)unlink(path);
}

int main(int argc, char **argv)
{
    ridge *r;
    ok(ridge_open(argc > 1 ? argv[1] : "sim:h200", NULL, &r));
    untimed(r);
    if (!ridge_is_simulated(r))
        on_gpu(r);
    ok(ridge_close(r));
    return 0;
}
