// The tables of docs/scale.md, "Modelled": two H200s as modelled and as measured, and a job of 1 s that sums 1 GB on 1 to 1024
// GPUs. tests/fleet/modelled_test.sh holds the page to them. model [CHIP]
// SPDX-License-Identifier: Apache-2.0
#include "fleet/collectives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 4 };
static const double sizes[SIZES] = {262144, 4194304, 67108864, 268435456};
static const struct {
    enum collective which;
    double gbps[SIZES];
} sweeps[] = {
#define SWEEP(id, ...) {COLLECTIVE_##id, {__VA_ARGS__}},
#define JOB(name, time_ns, summed, spread, copied)
#include "measured.def"
#undef SWEEP
#undef JOB
};
static const struct {
    const char *name;
    double measured_ns, summed, spread, copied;
} jobs[] = {
#define SWEEP(...)
#define JOB(...) {__VA_ARGS__},
#include "measured.def"
#undef SWEEP
#undef JOB
};

static struct links links_for(const struct node *node, int devices)
{
    struct error err = {0};
    struct links l;
    if (links_make(&node, 1, devices, &l, &err))
        return l;
    fprintf(stderr, "%s\n", err.message);
    exit(3);
}

static void print_cell(double modelled_ns, double measured_ns)
{
    printf(" %.3g, %.3g us (%+.0f %%) |", modelled_ns / 1e3, measured_ns / 1e3,
           100 * (modelled_ns / measured_ns - 1));
}

static void print_sweeps(const struct links *l)
{
    printf("| exchange | 262 kB: model, measured | 4.19 MB | 67.1 MB | 268 MB "
           "|\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(sweeps); i++) {
        printf("| %s |", collective_info(sweeps[i].which)->name);
        for (int k = 0; k < SIZES; k++)
            print_cell(collective_modelled_ns(l, sweeps[i].which, sizes[k]),
                       sizes[k] * collective_bus(sweeps[i].which, 2) / sweeps[i].gbps[k]);
        printf("\n");
    }
}

static double job_ns(const struct links *l, size_t i)
{
    const struct exchange_copy copies[] = {{0, 1, 0, 0, (uint64_t)jobs[i].copied},
                                           {1, 0, 0, 0, (uint64_t)jobs[i].copied}};
    const struct exchange_spread spread = {0, 0, (uint64_t)jobs[i].spread, NULL};
    const struct exchange_sum sum = {ELEMENT_U8, (uint64_t)jobs[i].summed, NULL, NULL};
    const struct exchange e = {.sums = &sum,
                               .sum_count = jobs[i].summed > 0,
                               .spreads = &spread,
                               .spread_count = jobs[i].spread > 0,
                               .copies = copies,
                               .copy_count = jobs[i].copied > 0 ? 2 : 0};
    return links_exchange_ns(l, &e);
}

static void print_jobs(const struct links *l)
{
    printf("\n| job | model, measured |\n|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(jobs); i++) {
        printf("| %s |", jobs[i].name);
        print_cell(job_ns(l, i), jobs[i].measured_ns);
        printf("\n");
    }
}

static void print_scaling(const struct node *node)
{
    static const int counts[] = {1, 2, 8, 16, 64, 256, 1024};
    static const double work_ns = 1e9, bytes = 1e9;
    printf("\n| GPUs | nodes | W/p | all-reduce of 1 GB | efficiency, after the kernels | beside "
           "them |\n"
           "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct links l = links_for(node, counts[i]);
        double share = work_ns / counts[i];
        double exchange = collective_modelled_ns(&l, COLLECTIVE_ALL_REDUCE, bytes);
        printf("| %d | %d | %.4g ms | %.3g ms | %.0f %% | %.0f %% |\n", counts[i], l.nodes,
               share / 1e6, exchange / 1e6, 100 * share / (share + exchange),
               100 * share / fmax(share, exchange));
    }
}

int main(int argc, char **argv)
{
    struct arena a = {0};
    struct error err = {0};
    struct node *node = NULL;
    if (!node_of_chip(&a, argc > 1 ? argv[1] : "h200", &node, &err) || !node) {
        fprintf(stderr, "%s\n", node ? err.message : "no node has such a chip");
        return 3;
    }
    struct links two = links_for(node, 2);
    print_sweeps(&two);
    print_jobs(&two);
    print_scaling(node);
    arena_release(&a);
    return 0;
}
