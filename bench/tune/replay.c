// Recorded spaces (T4 files) searched again by each strategy with many seeds: how many evaluations until a point is
// within 95 % and 99 % of the optimum's speed. Nothing is run: the answers are those of the record.
// Usage: replay SEEDS FILE.json...
// SPDX-License-Identifier: Apache-2.0
#include "stats/stats.h"
#include "tune/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILE_BYTES_MAX = 1 << 30, LEVELS = 2 };

static const double levels[LEVELS] = {0.95, 0.99};

// The first evaluation at that share of the best speed.
static int first_at(const struct tuning *t, double best_ns, double level)
{
    for (int i = 0; i < t->count; i++)
        if (evaluation_is_right(&t->evaluations[i]) && best_ns / t->evaluations[i].time_ns >= level)
            return i + 1;
    return t->count + 1;
}

static bool has_ranks(const struct tuning *t)
{
    for (int i = 0; i < t->count; i++)
        if (t->evaluations[i].rank_ns > 0)
            return true;
    return false;
}

static bool search(const struct tuning *recorded, enum strategy strategy, int seeds,
                   struct error *err)
{
    double *counts[LEVELS], best_ns = recorded->evaluations[recorded->ties.fastest].time_ns;
    int runs = strategy == STRATEGY_exhaustive || strategy_is_ranked(strategy) ? 1 : seeds;
    bool done = true;
    for (int k = 0; k < LEVELS; k++)
        counts[k] = xcalloc((size_t)runs, sizeof *counts[k]);
    for (int seed = 0; done && seed < runs; seed++) {
        struct arena a = {0};
        struct tuning t;
        done = replay(&a, recorded, strategy, (uint64_t)seed + 1, recorded->space.count, &t, err);
        for (int k = 0; done && k < LEVELS; k++)
            counts[k][seed] = first_at(&t, best_ns, levels[k]);
        arena_release(&a);
    }
    if (done)
        printf("| %s |", strategy_name(strategy));
    for (int k = 0; k < LEVELS; k++) {
        if (done && runs > 1)
            printf(" %.0f (%.0f) |", stats_quantile(counts[k], (size_t)runs, 0.5),
                   stats_quantile(counts[k], (size_t)runs, 0.9));
        else if (done)
            printf(" %.0f |", counts[k][0]);
        free(counts[k]);
    }
    if (done)
        puts("");
    return done;
}

static bool one(const char *file, int seeds, struct error *err)
{
    struct arena a = {0};
    struct tuning t;
    char *text = NULL;
    size_t size_bytes = 0;
    int right = 0;
    bool done = file_read(file, FILE_BYTES_MAX, &text, &size_bytes, err) &&
                t4_parse(&a, file, text, size_bytes, &t, err);
    free(text);
    done = done && (t.ties.fastest >= 0 || fail(err, NOWHERE, "%s: no point is right", file));
    for (int i = 0; done && i < t.count; i++)
        right += evaluation_is_right(&t.evaluations[i]);
    if (done)
        printf("\n%s:%s, %s, %s, %s times: %d points, %d right\n\n"
               "| strategy | evaluations to 95 %%: median (90th percentile) | to 99 %% "
               "|\n|---|---:|---:|\n",
               t.experiment, t.variant, t.case_label, t.device_name, t.provenance, t.count, right);
    for (int s = 0; done && s < STRATEGY_COUNT; s++)
        if (!strategy_is_ranked((enum strategy)s) || has_ranks(&t))
            done = search(&t, (enum strategy)s, seeds, err);
    if (done && has_ranks(&t))
        printf("\npruned by: %s\n", t.pruning.rank_by ? t.pruning.rank_by : "recorded ranks");
    arena_release(&a);
    return done;
}

int main(int argc, char **argv)
{
    int64_t seeds = 0;
    struct error err = {0};
    if (argc < 3 || !str_to_i64(argv[1], &seeds) || seeds < 1 || seeds > 10000) {
        fputs("usage: replay SEEDS FILE.json...\n", stderr);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        if (!one(argv[i], (int)seeds, &err)) {
            fprintf(stderr, "replay: %s\n", err.message);
            return (int)err.kind;
        }
    return 0;
}
