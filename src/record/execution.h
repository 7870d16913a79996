// execution: what one execution of kernels left beside its counters: lines of source, where the time
// went, problems. A simulator or a profiler fills these; the rest of the record (record.h) is the loop's.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_RECORD_EXECUTION_H
#define RIDGE_RECORD_EXECUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "counters/counters.h"

// Where the cycles of resident warps went, by reason. stalls.def: STALL(ID, "name", "sampled", "meaning").
enum stall {
#define STALL(id, name, sampled, meaning) STALL_##id,
#include "record/stalls.def"
#undef STALL
    STALL_COUNT
};
const char *stall_name(enum stall s); // "long_scoreboard": the profiler's
const char *stall_meaning(enum stall s);
bool stall_find(const char *name, enum stall *out);
// By CUPTI's name of the reason; false: one of none of ours, or samples that another reason has too ("…_not_issued").
bool stall_find_sampled(const char *name, enum stall *out);
struct stall_table {
    // Of the whole chip; absent: not known. Measured ones are PC samples, whose shares are those of cycles.
    struct figure warp_cycles[STALL_COUNT];
};
bool stalls_known(const struct stall_table *t); // is any reason's figure there?
// Of all the cycles known, the share of one reason: 0..1; NAN where that is not known.
double stalls_share(const struct stall_table *t, enum stall s);
double stalls_cycles(const struct stall_table *t);              // all that are known; NAN: none is
enum stall stalls_most(const struct stall_table *t);            // the reason with most cycles
enum provenance stalls_provenance(const struct stall_table *t); // of the weakest figure
// Adds a further launch's: what is absent in either is absent in the sum.
void stalls_sum(struct stall_table *sum, const struct stall_table *more);

// How the GPU sampled stalls: CUPTI's PC sampling.
enum sampling_mode {
    SAMPLING_OFF,
    SAMPLING_KERNEL,     // one kernel at a time
    SAMPLING_CONTINUOUS, // kernels overlap as they would
    SAMPLING_MODE_COUNT
};
const char *sampling_mode_name(enum sampling_mode m); // "off", "kernel", "continuous"
bool sampling_mode_find(const char *name, enum sampling_mode *out);
struct stall_sampling {
    enum sampling_mode mode; // SAMPLING_OFF: nothing was sampled
    uint64_t samples;        // that the table of stalls holds
    uint64_t dropped;        // further ones, that the GPU had no room for
    double period_cycles;    // between two samples of an SM
};

// Counterfactuals: the modelled time of the same execution with one thing taken away or changed.
// interventions.def: INTERVENTION(ID, "name", standard value, "meaning").
enum intervention {
#define INTERVENTION(id, name, standard, meaning) INTERVENTION_##id,
#include "record/interventions.def"
#undef INTERVENTION
    INTERVENTION_COUNT
};
const char *intervention_name(enum intervention i);
const char *intervention_meaning(enum intervention i);
double intervention_standard(enum intervention i);
struct interventions { // several at once; NAN: that one stays as it is
    double to[INTERVENTION_COUNT];
};
struct interventions interventions_none(void);
// "conflicts=0,atomics=warp". text is not kept.
bool interventions_parse(const char *text, struct interventions *out,
                         struct error *err) CHECK_RESULT;
struct counterfactuals { // one intervention each, at its standard value
    struct figure
        time_ns[INTERVENTION_COUNT]; // absent: it changes nothing here, or was not replayed
    struct figure asked_ns; // all that was asked for by hand, together; absent: nothing was
    struct figure as_is_ns; // as it is, modelled: what the others are to be held against
};
// The time with the intervention, scaled to `time` (docs/diagnosis.md: Simulation on the side); NAN: not replayed, or the
// replay is of something else.
double replayed_ns(const struct counterfactuals *c, enum intervention i, struct figure time);
// The same of modelled times before and after any change. i: what it is most like; INTERVENTION_COUNT: nothing.
double changed_ns(double before_ns, double after_ns, enum intervention i, struct figure time);

// facts.def: FACT(ID, "name", "unit", "meaning").
enum fact {
#define FACT(id, name, unit, meaning) FACT_##id,
#include "record/facts.def"
#undef FACT
    FACT_COUNT
};
const char *fact_name(enum fact f);
struct facts {
    bool known;
    enum provenance provenance;
    double value[FACT_COUNT];
};

// How far the simulated GPU's figures were compared with hardware. fidelity.def: FIDELITY(ID, "name", "meaning").
enum fidelity {
#define FIDELITY(id, name, meaning) FIDELITY_##id,
#include "record/fidelity.def"
#undef FIDELITY
    FIDELITY_COUNT
};
const char *fidelity_name(enum fidelity f); // "exact", "validated", "not validated"
bool fidelity_find(const char *name, enum fidelity *out);
// paths.def: PATH(ID, "name", RESULTS, TIME, figure, "what it rests on").
enum fidelity_path {
#define PATH(id, name, results, time, figure, rests_on) PATH_##id,
#include "record/paths.def"
#undef PATH
    PATH_COUNT
};
const char *fidelity_path_name(enum fidelity_path p);  // "global loads"
const char *fidelity_path_basis(enum fidelity_path p); // "requests, sectors and caches"
struct path_use {
    double warp_instructions; // 0: not taken, and the rest means nothing
    enum fidelity results, time;
};
struct run_fidelity {              // of one variant: all launches of a sequence
    bool known;                    // of simulated runs
    bool timed;                    // a time was modelled, of every launch
    double time_error_median_pct;  // of the chip's validation kernels; NAN: it has none
    const char *time_error_source; // where that was measured; NULL: it was not
    struct path_use path[PATH_COUNT];
};
// Adds a further launch's, or another variant's: of each path the weaker fidelity stays.
void fidelity_sum(struct run_fidelity *sum, const struct run_fidelity *more);
// Of the warp instructions, the share whose time is validated, 0..100; NAN where nothing ran.
double fidelity_timed_pct(const struct run_fidelity *f);
// One sentence without an end: "results exact; time validated for 98 % of the instructions (…), not validated: bulk copies".
void fidelity_say(const struct run_fidelity *f, struct text *out);

// Where a share of the blocks was asked for (--sample-blocks): how many ran, and why all of them, where they did. sample.def:
// WHOLE(ID, "word", "reason").
enum sample_whole {
    SAMPLE_WHOLE_NOT,
#define WHOLE(id, word, reason) SAMPLE_WHOLE_##id,
#include "record/sample.def"
#undef WHOLE
    SAMPLE_WHOLE_COUNT
};
const char *sample_whole_word(enum sample_whole w); // "few"; NULL: not
const char *sample_whole_reason(enum sample_whole w);
bool sample_whole_find(const char *word, enum sample_whole *out);
struct block_sample { // of one launch, or of all of a sequence
    double asked;     // the share; 0: nothing was asked
    double blocks_run, blocks;
    enum sample_whole whole; // of the first launch that ran whole
    // That counters and time may be off by, as the sample itself shows; absent: unknown, or all ran.
    struct figure error_pct;
};
void sample_sum(struct block_sample *sum, const struct block_sample *more);
// "12 % of the blocks run", "all blocks run: too few blocks for a sample".
void sample_say(const struct block_sample *s, struct text *out);

// What the instructions of one line of source did, over all launches of a sequence.
struct line {
    const char *file;
    int line;
#define LINE_FIELD(name, unit, meaning) uint64_t name;
#include "record/line_fields.def"
#undef LINE_FIELD
    struct stall_table stalls; // of the warps at this line
};
int line_order(const void *a, const void *b);             // by file, then line; for qsort
void line_sum(struct line *sum, const struct line *more); // of the same place
// Sorts them and sums those of one place; how many are left.
int lines_merge(struct line *lines, int count);
// The counts of one list with the PC samples of another, both in line_order: a line without samples has none of any
// reason; one that was only sampled has no counts. How many there are.
int lines_sampled(struct arena *a, const struct line *counted, int counted_count,
                  const struct line *sampled, int sampled_count, struct line **out);

// A share of the modelled time: how long the resource was busy on the modelled SM's critical time.
enum breakdown_part {
    BREAKDOWN_ISSUE,
    BREAKDOWN_F32,
    BREAKDOWN_F64,
    BREAKDOWN_INTEGER,
    BREAKDOWN_SPECIAL,
    BREAKDOWN_LSU,
    BREAKDOWN_SHARED,
    BREAKDOWN_L1_FILL,
    BREAKDOWN_L2,
    BREAKDOWN_DRAM,
    BREAKDOWN_ATOMIC,
    BREAKDOWN_COUNT
};
struct time_breakdown {
    bool valid;
    double time_ns;                                 // modelled duration of the kernel
    double launch_ns;                               // of that, launch overhead
    double busy_ns[BREAKDOWN_COUNT];                // each resource's busy time
    double occupancy_pct;                           // warps active on average, modelled
    double waiting_memory_pct, waiting_barrier_pct; // of the warps' time
    double traced_share;                            // of the blocks of one SM that were traced
    uint64_t steps; // that its replay took: what it costs to ask the model
};

struct problem {         // found while running: out of bounds, a race …
    const char *kind;    // "out-of-bounds"
    const char *message; // as sim.h's violations: "file:line: kernel 'k': …"
    bool stops;          // the kernel could not go on
    bool note;           // the result is as good as without it
};

// A note and one more: "note; text", the note alone where it says the text already, the text where there is no note.
// In the arena, or one of the two.
#define NOTES_BETWEEN "; "
const char *note_join(struct arena *a, const char *note, const char *text);

#endif
