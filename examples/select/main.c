/* A launch that adapts: which kernel, and with which parameters, is asked of ridge_select() at run time. It answers from
 * what `ridge tune` found on this chip for a size near the one at hand, else by compute capability.
 *
 *   ridge tune examples/select && select [DEVICE [KERNELS.cu [ROWS]]]
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ridge.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 256, TEXT = 64 };

static void must(int status)
{
    if (status != RIDGE_OK) {
        fprintf(stderr, "select: %s\n", ridge_error());
        exit(status);
    }
}

static int number(ridge *r, const struct ridge_selection *s, const char *name, int otherwise)
{
    const char *text = ridge_selected(r, s, name);
    return text ? atoi(text) : otherwise;
}

/* Sums the rows with what was selected. */
static void run(ridge *r, const struct ridge_selection *s, const char *kernels, int rows,
                uint64_t out, uint64_t in)
{
    int by_group = strcmp(s->variant, "row-per-group") == 0;
    int lanes = by_group ? number(r, s, "LANES", 8) : 1, block = number(r, s, "BLOCK", 128);
    char define[TEXT];
    const char *defines[1];
    struct ridge_argument arguments[4];
    struct ridge_launch launch = {0};
    ridge_module *module;
    sprintf(define, "LANES=%d", by_group ? lanes : 8);
    defines[0] = define;
    must(ridge_compile(r, kernels, defines, 1, &module));
    arguments[0] = ridge_address(out);
    arguments[1] = ridge_address(in);
    arguments[2] = ridge_i32(rows);
    arguments[3] = ridge_i32(N);
    launch.kernel = by_group ? "row_per_group" : "row_per_thread";
    launch.grid[0] = (unsigned)((rows * lanes + block - 1) / block);
    launch.block[0] = (unsigned)block;
    launch.arguments = arguments;
    launch.argument_count = 4;
    must(ridge_launch(module, &launch, NULL));
}

int main(int argc, char **argv)
{
    static const struct ridge_fallback fallbacks[] = {{7.0, "row-per-group", "LANES=8 BLOCK=128"},
                                                      {0.0, "row-per-thread", "BLOCK=128"}};
    const char *device = argc > 1 ? argv[1] : "auto", *kernels = argc > 2 ? argv[2] : "kernels.cu";
    int rows = argc > 3 ? atoi(argv[3]) : 4096, i, wrong = 0;
    char size[TEXT];
    const char *sizes[2];
    struct ridge_select_query query = {0};
    struct ridge_selection s;
    uint64_t in, out;
    float *data, *sums;
    ridge *r;

    if (rows < 1) {
        fprintf(stderr, "select: ROWS must be a number from 1 on\n");
        return RIDGE_BAD_INPUT;
    }
    data = malloc(sizeof *data * (size_t)rows * N);
    sums = malloc(sizeof *sums * (size_t)rows);
    if (!data || !sums)
        return RIDGE_BAD_SYSTEM;
    must(ridge_open(device, NULL, &r));
    sprintf(size, "ROWS=%d", rows);
    sizes[0] = size;
    sizes[1] = "N=256";
    query.experiment = "row-sums";
    query.sizes = sizes;
    query.size_count = 2;
    query.source = kernels;
    query.fallbacks = fallbacks;
    query.fallback_count = 2;
    must(ridge_select(r, &query, &s));
    printf("%s %s\n", s.variant, s.parameters);
    if (s.tuned)
        printf("tuned at %s, %.2f us %s there\n", s.case_label, s.time_ns / 1e3, s.provenance);
    else
        printf("fallback: %s\n", s.why);

    must(ridge_alloc(r, "in", sizeof *data * (size_t)rows * N, &in));
    must(ridge_alloc(r, "out", sizeof *sums * (size_t)rows, &out));
    for (i = 0; i < rows * N; i++)
        data[i] = (float)(i / N % 7);
    must(ridge_write(r, in, data, sizeof *data * (size_t)rows * N));
    run(r, &s, kernels, rows, out, in);
    must(ridge_read(r, sums, out, sizeof *sums * (size_t)rows));
    for (i = 0; i < rows; i++)
        if (sums[i] != (float)(N * (i % 7))) /* small whole numbers: exact in any order */
            wrong++;
    printf("%d of %d sums are right\n", rows - wrong, rows);
    must(ridge_close(r));
    free(data);
    free(sums);
    return wrong > 0;
}
