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

// Searches until the best level is reached; the number of evaluations to each level.
static void count_to(const struct tuning *t, const double *ranks, enum strategy strategy,
                     uint64_t seed, double counts[LEVELS])
{
    enum { ASK = 8 }; // as the tuner asks
    int points[ASK], asked = 0, told = 0, reached = 0;
    double best_ns = t->evaluations[t->ties.fastest].time_ns;
    struct search_options o = {.strategy = strategy, .seed = seed, .start = -1, .ranks = ranks};
    struct search *x = search_open(&t->space, &o);
    while (reached < LEVELS && (asked = search_ask(x, ASK, points)) > 0)
        for (int i = 0; i < asked; i++) {
            const struct evaluation *e = &t->evaluations[points[i]];
            bool right = evaluation_is_right(e);
            search_tell(x, points[i], right ? e->time_ns : (double)NAN);
            told++;
            while (right && reached < LEVELS && best_ns / e->time_ns >= levels[reached])
                counts[reached++] = told;
        }
    search_close(x);
}

static bool has_ranks(const struct tuning *t)
{
    for (int i = 0; i < t->count; i++)
        if (t->evaluations[i].rank_ns > 0)
            return true;
    return false;
}

static void search(const struct tuning *t, const double *ranks, enum strategy strategy, int seeds)
{
    int runs = strategy == STRATEGY_exhaustive || strategy_is_ranked(strategy) ? 1 : seeds;
    double *counts[LEVELS];
    for (int k = 0; k < LEVELS; k++)
        counts[k] = xcalloc((size_t)runs, sizeof *counts[k]);
    for (int seed = 0; seed < runs; seed++) {
        double found[LEVELS];
        count_to(t, ranks, strategy, (uint64_t)seed + 1, found);
        for (int k = 0; k < LEVELS; k++)
            counts[k][seed] = found[k];
    }
    printf("| %s |", strategy_name(strategy));
    for (int k = 0; k < LEVELS; k++) {
        if (runs > 1)
            printf(" %.0f (%.0f) |", stats_quantile(counts[k], (size_t)runs, 0.5),
                   stats_quantile(counts[k], (size_t)runs, 0.9));
        else
            printf(" %.0f |", counts[k][0]);
        free(counts[k]);
    }
    puts("");
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
    double *ranks = ARENA_ARRAY(&a, double, t.count + 1);
    for (int i = 0; i < t.count; i++)
        ranks[i] = t.evaluations[i].rank_ns;
    for (int s = 0; done && s < STRATEGY_COUNT; s++)
        if (!strategy_is_ranked((enum strategy)s) || has_ranks(&t))
            search(&t, ranks, (enum strategy)s, seeds);
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
