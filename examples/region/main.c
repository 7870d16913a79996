/* The loop inside a program: two kernels timed on one stream, compared, recorded in ridge's journal.
 *
 *     cc main.c $(pkg-config --cflags --libs ridge) -o region     (ridge installed)
 *     cc main.c -I../../include -L../../build -lridge -Wl,-rpath,../../build -o region
 *     ./region sim:h200        simulated: times modelled, counters simulated
 *     ./region cuda:0          a real GPU: both measured
 *     ridge show               what was recorded
 *
 * The kernels are compiled by ridge, so that the program runs on the simulated GPU too. One with kernels
 * of its own launches them in enqueue(), on the stream it is given: examples/stream.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ridge.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1024, TILE_X = 32, TILE_Y = 8 };

struct copy {
    ridge_module *module;
    const char *kernel;
    uint64_t out, in;
};

static void must(int status)
{
    if (status == RIDGE_OK)
        return;
    fprintf(stderr, "region: %s\n", ridge_error());
    exit(status);
}

/* Puts one run of the region on the stream. */
static int enqueue(void *user, void *stream)
{
    const struct copy *c = user;
    struct ridge_argument arguments[3];
    struct ridge_launch launch = {0};
    arguments[0] = ridge_address(c->out);
    arguments[1] = ridge_address(c->in);
    arguments[2] = ridge_i32(N);
    launch.kernel = c->kernel;
    launch.grid[0] = N / TILE_X;
    launch.grid[1] = N / TILE_Y;
    launch.block[0] = TILE_X;
    launch.block[1] = TILE_Y;
    launch.arguments = arguments;
    launch.argument_count = 3;
    return ridge_launch(c->module, &launch, stream);
}

static void print(const ridge_result *x)
{
    struct ridge_summary s;
    const char *provenance = "";
    double sectors = 0;
    must(ridge_summarize(x, &s));
    must(ridge_get_counter(x, "load_sectors_per_request", &sectors, &provenance));
    printf("%-18s %8.2f us %s (95%% interval %.2f to %.2f, %lu samples)\n", s.name,
           s.median_ns / 1e3, s.provenance, s.low_ns / 1e3, s.high_ns / 1e3,
           (unsigned long)s.sample_count);
    if (sectors > 0)
        printf("%-18s %8.1f sectors per load request (%s)\n", "", sectors, provenance);
    if (s.note)
        printf("%-18s %s\n", "", s.note);
}

static float check_copy(ridge *r, const struct copy *c, const float *in, float *out)
{
    float worst = 0;
    int i;
    must(ridge_read(r, out, c->out, sizeof *out * N * N));
    for (i = 0; i < N * N; i++)
        if (out[i] != in[i])
            worst = 1;
    return worst;
}

int main(int argc, char **argv)
{
    const char *device = argc > 1 ? argv[1] : "auto", *kernels = argc > 2 ? argv[2] : "kernels.cu";
    float *data = malloc(sizeof *data * N * N), *back = malloc(sizeof *back * N * N);
    struct ridge_measure_options options = {0};
    struct ridge_region regions[2] = {{0}};
    struct ridge_comparison c;
    struct copy columns = {0}, rows;
    ridge_result *results[2];
    ridge *r;
    int i;

    must(ridge_open(device, NULL, &r));
    printf("ridge %s on %s (%s)\n", ridge_version(), ridge_device(r), ridge_device_name(r));

    must(ridge_alloc(r, "in", sizeof *data * N * N, &columns.in));
    must(ridge_alloc(r, "out", sizeof *data * N * N, &columns.out));
    for (i = 0; i < N * N; i++)
        data[i] = (float)(i % 4093);
    must(ridge_write(r, columns.in, data, sizeof *data * N * N));
    must(ridge_compile(r, kernels, NULL, 0, &columns.module));
    rows = columns;
    columns.kernel = "by_columns";
    rows.kernel = "by_rows";

    regions[0].name = columns.kernel;
    regions[0].enqueue = enqueue;
    regions[0].user = &columns;
    regions[0].work.bytes = 2.0 * sizeof *data * N * N; /* read once, written once */
    regions[1].name = rows.kernel;
    regions[1].enqueue = enqueue;
    regions[1].user = &rows;
    regions[1].work = regions[0].work;
    options.case_label = "N=1024";
    options.count = 1;
    ridge_range_push("copy"); /* the results' names: copy/by_columns, copy/by_rows */
    must(ridge_measure(r, regions, 2, NULL, &options, results));
    ridge_range_pop();
    print(results[0]);
    print(results[1]);
    if (check_copy(r, &rows, data, back) > 0) {
        fprintf(stderr, "region: the copy is wrong\n");
        return 1;
    }

    must(ridge_compare(results[0], results[1], &c));
    printf("by_rows: %.2fx (%.2f to %.2f), %s\n", c.ratio, c.low, c.high,
           ridge_verdict_name(c.verdict));

    must(ridge_record(results[0], NULL));
    must(ridge_record(results[1], results[0]));
    printf("recorded as run %ld in %s\n", (long)ridge_run_id(r), ridge_journal_path(r));
    must(ridge_close(r));
    free(data);
    free(back);
    return 0;
}
