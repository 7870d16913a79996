// Few bytes per lane and access: one instruction could move what several do.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/internal.h"

#include <math.h>

#define NARROW_BYTES 8.0       // a lane and access, at most
#define COALESCED_MIN_PCT 80.0 // else lanes are not side by side, and no vector fits
#define REUSE_MAX \
    1.6 // different lanes loaded it more often than that: the loads overlap, and registers help
#define LINE_SECTORS 4.0
#define SECTOR_BYTES 32.0
#define BYTES_ALONE \
    2.0 // a lane and access, fewer: fields that lie beside each other, which others load too
#define WORDS_FEW 0.5     // of the loads
#define AGAIN_FEW 0.1     // …
#define ACCESSES_MIN 0.02 // of all instructions; else arithmetic hides them

// A word for all lanes is a sector of which little is used, and no lane is beside another: those are left out.
static double used_pct(const struct search *s)
{
    double words = search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) *
                   search_fact(s, FACT_LOADS_ONE_WORD) / search_fact(s, FACT_LOADS);
    double sectors =
        search_get(s, COUNTER_GLOBAL_LOAD_SECTORS) + search_get(s, COUNTER_GLOBAL_STORE_SECTORS);
    double ideal = search_get(s, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL) +
                   search_get(s, COUNTER_GLOBAL_STORE_SECTORS_IDEAL);
    double all = 100 * ideal / sectors;
    if (!(words > 0) || !(words < sectors))
        return all;
    // On hardware the ideal is bytes over 32: an eighth for a word; the simulated GPU's is a sector.
    double least =
        s->in->counters->figure[COUNTER_GLOBAL_LOAD_SECTORS_IDEAL].provenance == PROVENANCE_MEASURED
            ? words / 8
            : words;
    return fmax(all, 100 * fmin(1, (ideal - least) / (sectors - words)));
}

// Fields of small structures, bytes of a pixel: each load leaves gaps that the others fill, all within a line.
static bool fields_side_by_side(const struct search *s)
{
    double sectors = search_get(s, COUNTER_GLOBAL_LOAD_SECTORS);
    double missed = sectors - search_get(s, COUNTER_L1_LOAD_SECTORS_HIT);
    double walking = search_fact(s, FACT_LOADS_WALKING);
    return walking == 0 && sectors <= LINE_SECTORS * search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) &&
           100 * search_get(s, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL) >= COALESCED_MIN_PCT * missed;
}

// Look-ups at loaded places lie where they lie, beside loads and stores that are side by side: those can be wider.
#define SCATTERED_FEW 0.1 // of the accesses that are no look-ups
static bool beside_lookups(const struct search *s)
{
    double gathered = search_fact(s, FACT_LOADS_GATHERED);
    double others = search_fact(s, FACT_ACCESSES) - gathered;
    double used = 100 * search_get(s, COUNTER_GLOBAL_STORE_SECTORS_IDEAL) /
                  search_get(s, COUNTER_GLOBAL_STORE_SECTORS);
    return gathered > 0 && others >= gathered && used >= COALESCED_MIN_PCT &&
           search_fact(s, FACT_LOADS_SCATTERED) - gathered <= SCATTERED_FEW * others;
}

static bool accesses_matter(const struct search *s)
{
    double requests =
        search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) + search_get(s, COUNTER_GLOBAL_STORE_REQUESTS);
    // A word for all lanes brings a sector, and stands in no vector's way, unless most loads are such.
    double words = search_fact(s, FACT_LOADS_ONE_WORD) / search_fact(s, FACT_LOADS);
    double moved = search_moved_bytes(s);
    if (words < WORDS_FEW)
        moved -= words * search_get(s, COUNTER_GLOBAL_LOAD_REQUESTS) * SECTOR_BYTES;
    // Rows that other blocks load too are as wide for all of them; what the block itself loads again, shifted, overlaps.
    double again = (search_fact(s, FACT_LOADS_AGAIN) + search_fact(s, FACT_LOADS_AGAIN_BLOCK)) /
                   search_fact(s, FACT_LOADS);
    bool overlaps = moved > REUSE_MAX * s->in->work_bytes && !(again < AGAIN_FEW); // false for NAN
    double bytes = search_fact(s, FACT_ACCESS_BYTES) / search_fact(s, FACT_ACCESSES);
    overlaps &= !(bytes < BYTES_ALONE);
    return !overlaps && requests >= ACCESSES_MIN * search_get(s, COUNTER_WARP_INSTRUCTIONS);
}

// Most loads are of rows whose places are loaded: each waits for its place first, and a wider one waits as long.
#define ROWS_MOST 0.5 // of the loads that are not of one word
static bool of_rows_found(const struct search *s)
{
    double others = search_fact(s, FACT_LOADS) - search_fact(s, FACT_LOADS_ONE_WORD);
    return search_fact(s, FACT_LOADS_ROWS_FOUND) > ROWS_MOST * others;
}

void find_narrow(const struct search *s)
{
    double bytes = search_fact(s, FACT_ACCESS_BYTES) / search_fact(s, FACT_ACCESSES);
    bool coalesced =
        used_pct(s) >= COALESCED_MIN_PCT || fields_side_by_side(s) || beside_lookups(s);
    if (!(bytes <= NARROW_BYTES) || !coalesced || !accesses_matter(s))
        return;
    struct finding f = {
        .class = FINDING_INSTRUCTIONS,
        .cause = "narrow",
        .title = arena_printf(s->a,
                              "Global accesses are narrow: %.1f bytes per lane, where one "
                              "instruction moves 16",
                              bytes),
        .fix = "Let each thread handle neighbouring elements and load and store them as vectors "
               "(float4, uint4): a quarter of the instructions, and more bytes in flight.",
        .expected_time_ns = (double)NAN,
        .gathered = of_rows_found(s),
    };
    finding_place(s, &f, weight_global);
    evidence_figure(&f, "bytes_per_lane", bytes, s->in->facts->provenance);
    evidence_add(s, &f, "global_load_requests");
    evidence_add(s, &f, "global_store_requests");
    finding_add(s, f);
}
