// Two sets of times compared: a percentile bootstrap of the ratio of medians (Efron and Tibshirani
// 1993, 13), with a fixed seed so that the same samples always get the same verdict.
// SPDX-License-Identifier: Apache-2.0
#include "stats/internal.h"

#include "base/base.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000, WORDS_PER_BLOCK = 4, WORD_BITS = 32 };

static const uint64_t bootstrap_seed = 0x7269646765; // "ridge"
static const double interval_tail = 0.025;           // a 95 % interval is shown
// The verdict asks for more: of comparisons of a kernel with itself no more than 1 in 100 may be
// called different.
static const double verdict_tail = 0.005;

// One side of the comparison: its samples in order, and how often a resample drew each.
struct side {
    double *sorted;
    size_t count;
    uint32_t *drawn;
    uint64_t stream;
};

static struct side side_init(const double *samples, size_t count, uint64_t stream)
{
    return (struct side){.sorted = doubles_sorted(samples, count),
                         .count = count,
                         .drawn = xcalloc(count, sizeof(uint32_t)),
                         .stream = stream};
}

static void side_release(struct side *s)
{
    free(s->sorted);
    free(s->drawn);
}

static void side_draw(struct side *s, uint64_t resample)
{
    memset(s->drawn, 0, s->count * sizeof *s->drawn);
    size_t blocks = (s->count + WORDS_PER_BLOCK - 1) / WORDS_PER_BLOCK;
    for (size_t block = 0; block < blocks; block++) {
        uint32_t words[WORDS_PER_BLOCK];
        philox(bootstrap_seed, s->stream, resample * blocks + block, words);
        size_t left = s->count - block * WORDS_PER_BLOCK;
        for (size_t i = 0; i < WORDS_PER_BLOCK && i < left; i++)
            s->drawn[((uint64_t)words[i] * s->count) >> WORD_BITS]++;
    }
}

// The samples are in order already, so counting the draws finds the median without sorting.
static double side_resampled_median(struct side *s, uint64_t resample)
{
    if (s->count == 1)
        return s->sorted[0];
    side_draw(s, resample);
    size_t lower = (s->count - 1) / 2, upper = s->count / 2;
    size_t at = 0, passed = s->drawn[0];
    while (passed <= lower)
        passed += s->drawn[++at];
    double low = s->sorted[at];
    while (passed <= upper)
        passed += s->drawn[++at];
    return 0.5 * (low + s->sorted[at]);
}

static double time_ratio(double base, double fresh)
{
    return base == fresh ? 1.0 : base / fresh; // two times of zero are alike
}

static enum verdict judge(double ratio, double low, double high, double min_effect)
{
    if (fabs(ratio - 1) < min_effect)
        return VERDICT_SAME;
    if (low > 1)
        return VERDICT_FASTER;
    return high < 1 ? VERDICT_SLOWER : VERDICT_SAME;
}

struct comparison stats_compare(const double *base, size_t base_count, const double *fresh,
                                size_t fresh_count, double min_effect)
{
    assert(base_count >= 1 && fresh_count >= 1);
    struct side b = side_init(base, base_count, 0), f = side_init(fresh, fresh_count, 1);
    struct comparison c = {
        .ratio = time_ratio(sorted_median(b.sorted, b.count), sorted_median(f.sorted, f.count))};
    size_t resamples = base_count == 1 && fresh_count == 1 ? 1 : RESAMPLES;
    double *ratios = xcalloc(resamples, sizeof *ratios);
    for (size_t i = 0; i < resamples; i++)
        ratios[i] = time_ratio(side_resampled_median(&b, i), side_resampled_median(&f, i));
    doubles_sort(ratios, resamples);
    c.low = sorted_quantile(ratios, resamples, interval_tail);
    c.high = sorted_quantile(ratios, resamples, 1 - interval_tail);
    c.verdict = judge(c.ratio, sorted_quantile(ratios, resamples, verdict_tail),
                      sorted_quantile(ratios, resamples, 1 - verdict_tail), min_effect);
    free(ratios);
    side_release(&b);
    side_release(&f);
    return c;
}

const char *verdict_name(enum verdict v)
{
    switch (v) {
    case VERDICT_SAME:
        return "no difference";
    case VERDICT_FASTER:
        return "faster";
    case VERDICT_SLOWER:
        return "slower";
    }
    return "";
}
