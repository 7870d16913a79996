// A recorded session, asked again: the strategy is real, the answers are those of the record.
// SPDX-License-Identifier: Apache-2.0
#include "tune/tune.h"

#include <math.h>

enum { ASK = 8 };

bool replay(struct arena *a, const struct tuning *recorded, enum strategy strategy, uint64_t seed,
            int most, struct tuning *out, struct error *err)
{
    int count = recorded->space.count, ranked = 0, points[ASK], asked = 0;
    double *ranks = ARENA_ARRAY(a, double, count + 1);
    *out = *recorded;
    out->strategy = strategy;
    out->seed = seed;
    out->most = most > 0 && most < count ? most
                : most > 0               ? count
                                         : strategy_default_most(strategy, count);
    out->evaluations = ARENA_ARRAY(a, struct evaluation, out->most + 1);
    out->count = 0;
    for (int i = 0; i < count; i++) { // evaluations are in the order of points
        ranks[i] = recorded->evaluations[i].rank_ns;
        ranked += ranks[i] > 0;
    }
    if (strategy_is_ranked(strategy) && ranked == 0)
        return fail(err, NOWHERE,
                    "strategy '%s' needs ranks, and the recorded session has none (measurements "
                    "'rank_time')",
                    strategy_name(strategy));
    struct search_options o = {.strategy = strategy,
                               .seed = seed,
                               .start = -1,
                               .most = out->most,
                               .ranks = ranks,
                               .audit = strategy_default_audit(strategy, out->most)};
    struct search *x = search_open(&out->space, &o);
    while ((asked = search_ask(x, ASK, points)) > 0)
        for (int i = 0; i < asked; i++) {
            struct evaluation e = recorded->evaluations[points[i]];
            e.audited = search_audits(x);
            out->evaluations[out->count++] = e;
            search_tell(x, points[i], evaluation_cost(&e, out->objective));
        }
    search_close(x);
    ties_find(a, out->evaluations, out->count, out->objective, &out->ties);
    out->pruning.ranked = ranked;
    if (strategy_is_ranked(strategy))
        pruning_report(out, ranks);
    else
        out->pruning.rank_by = NULL;
    return true;
}
