// Simulation on the side: what was measured on a real GPU runs once more on the simulated one of the same chip, a
// sample of its blocks in a worker process, after the times were taken. It fills what hardware does not say: why warps
// wait, at which line, and what each fix is worth. A kernel that cannot be simulated within the limit costs a note.
// Worker's and parent's halves stand side by side.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_BLOCKS = 4, // a block may take a second
    PILOT_BLOCKS = 32,
    SAMPLE_WAVES = 2, // two groups of neighbours, each of a wave
    ASTRAY_LEAST = 100000,
    FEWER = 16,
    REPLAY_STEPS = 20000000, // two seconds of a core
    MEMORY_PART = 2          // of the free memory, one part of so many is taken at most
};

static const double default_limit_s = 6;
static const double simulating_part = 0.25; // of the limit; the rest is for replays
// What is simulated and replayed shall not depend on how busy a machine is: it goes by what two cores do in so long, reckoned
// from counts, and by the clock only where that is three times as slow.
static const double reckoned_s = 2;
static const double astray = 3; // times as many instructions as planned: blocks do unequal work
static const double replaying_least = 0.1, kept_back = 0.1; // of the limit
static const double filling_most = 0.05; // … filling the buffers once more may take
static const double ns_per_s = 1e9;

#define SAMPLE_ALIKE 0.6 // of the instructions that hardware counted, or as many more
#define SAMPLE_LEAST 0.5 // of the loads that hardware counted; or as many times more

double simulating_ns(double warp_instructions, double sectors)
{
    static const double instruction_ns = 40, sector_ns = 100;
    return warp_instructions * instruction_ns + sectors * sector_ns;
}

static double limit_of(const struct loop_request *r)
{
    return r->side_limit_s > 0 ? r->side_limit_s : default_limit_s;
}

/* ---- in the worker: which blocks ----------------------------------------------------------------- */

static uint64_t largest_grid(const struct resolved_variant *v)
{
    uint64_t most = 1;
    for (int i = 0; i < v->launch_count; i++) {
        const uint32_t *grid = v->launches[i].grid;
        uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
        most = v->launches[i].kind == LAUNCH_KERNEL && blocks > most ? blocks : most;
    }
    return most;
}

// Blocks that the chip holds at once, by their threads; of the smallest ones among the launches.
static uint64_t wave_blocks(const struct device_info *device, const struct resolved_variant *v)
{
    double threads_per_sm = GPU(device->gpu, max_warps_per_sm) * GPU(device->gpu, warp_size),
           per_sm = 1;
    for (int i = 0; i < v->launch_count; i++) {
        const uint32_t *block = v->launches[i].block;
        double threads = (double)block[0] * block[1] * block[2];
        if (v->launches[i].kind == LAUNCH_KERNEL && threads > 0)
            per_sm = fmax(per_sm, floor(threads_per_sm / threads));
    }
    per_sm = fmin(per_sm, GPU(device->gpu, max_blocks_per_sm));
    return (uint64_t)(per_sm * device->facts.sm_count);
}

// One block of so many runs: what `sample_share` of the simulator is the inverse of. 1 = all.
static uint64_t step_of(uint64_t grid, uint64_t blocks)
{
    return blocks > 0 && grid > blocks ? grid / blocks : 1;
}

static double share_of(uint64_t step)
{
    return step > 1 ? 1 / (double)step : 1;
}

static bool filled_once(const struct side_pass *p, double limit_s)
{
    return p->around_ns > filling_most * limit_s * ns_per_s;
}

// Large buffers are filled once: the second pass finds what the few blocks of the first have stored.
static bool fill(struct bench *b, struct side_pass *p, struct error *err)
{
    uint64_t began_ns = clock_ns();
    b->share_of = 1;
    if (p->passes > 1 && filled_once(p, p->request.timeout_s))
        return true;
    if (!bench_write(b, err))
        return false;
    p->around_ns = (double)(clock_ns() - began_ns);
    return true;
}

static void reckon(struct side_pass *p, const struct device_report *report)
{
    const struct counters *c = &report->counters;
    double share = p->request.sample_share;
    p->instructions = share * counters_get(c, COUNTER_WARP_INSTRUCTIONS, 0);
    p->reckoned_ns =
        simulating_ns(p->instructions, share * counters_get(c, COUNTER_GLOBAL_LOAD_SECTORS, 0));
}

// Counts, and says how long the simulation itself took, without the buffers' filling.
static bool count_timed(struct bench *b, struct side_pass *p, struct device_report *report,
                        struct error *err)
{
    if (!p->request.warm && !fill(b, p, err))
        return false;
    uint64_t began_ns = clock_ns();
    bool done =
        p->request.warm ? bench_count(b, report, err) : bench_run(b, true, true, report, err);
    p->took_ns = (double)(clock_ns() - began_ns);
    reckon(p, report);
    return done;
}

// A few blocks first: what they show is there even if the limit ends what follows.
static void sample_first(struct bench *b, struct side_pass *p)
{
    const struct resolved_variant *v = b->job->variant;
    uint64_t grid = largest_grid(v);
    p->wanted = step_of(grid, SAMPLE_WAVES * wave_blocks(b->job->device, v));
    p->step = step_of(grid, FIRST_BLOCKS);
    p->pilot = step_of(grid, PILOT_BLOCKS);
    p->request.unpriced = true;
}

// Would so many times as much as the pass before end in time?
static bool fits(const struct side_pass *p, double times, double limit_s)
{
    return times * p->reckoned_ns <= simulating_part * reckoned_s * ns_per_s &&
           times * p->took_ns <= simulating_part * limit_s * ns_per_s;
}

// What starting costs is much of the time of a few blocks, and times so many no time of the grid's: 32 of them say more.
bool side_tries_more(const struct side_pass *p, double limit_s)
{
    return p->pilot < p->step && fits(p, (double)p->step / (double)p->pilot, limit_s);
}

// By the time that those took: two waves, or half as many and half of those, until their time fits; then replays, in what is
// left of the limit.
void side_plan(struct side_pass *p, double limit_s, double elapsed_ns)
{
    double limit_ns = limit_s * ns_per_s, all_ns = p->took_ns * (double)p->step;
    uint64_t step = p->wanted;
    while (step < p->step && !fits(p, (double)p->step / (double)step, limit_s))
        step *= 2;
    step = step < p->step ? step : p->step;
    p->request.budget_warp_instructions =
        (uint64_t)(astray * p->instructions * (double)p->step / (double)step) + ASTRAY_LEAST;
    p->step = step;
    double filling_ns = filled_once(p, limit_s) ? 0 : p->around_ns;
    double left_ns =
        limit_ns * (1 - kept_back) - elapsed_ns - filling_ns - all_ns / (double)p->step;
    p->request.replay_s = fmax(left_ns, replaying_least * limit_ns) / ns_per_s;
    p->request.replay_steps = REPLAY_STEPS;
    p->request.unpriced = false;
}

// The last pass. Where its blocks do far more than those before, fewer of them, down to those that are known to end.
static bool run_planned(struct bench *b, struct side_pass *p, struct device_report *report,
                        struct error *err)
{
    const uint64_t ended = p->step, budget = p->request.budget_warp_instructions;
    double limit_s = p->request.timeout_s;
    side_plan(p, limit_s, (double)(clock_ns() - p->began_ns));
    p->request.unpriced = b->job->trial;
    for (;;) {
        if (p->step >= ended)
            p->request.budget_warp_instructions = budget;
        p->request.sample_share = share_of(p->step);
        bool done = count_timed(b, p, report, err);
        if (done || p->step >= ended)
            return done;
        p->step = p->step * FEWER < ended ? p->step * FEWER : ended;
        *report = (struct device_report){0};
        *err = (struct error){0};
    }
}

bool side_next(struct bench *b, struct side_pass *p, struct device_report *report, struct result *r,
               struct error *err)
{
    bool first = p->passes++ == 0;
    p->more = first || side_tries_more(p, p->request.timeout_s);
    if (first) {
        p->began_ns = clock_ns();
        p->request = *b->job->request;
        p->job = *b->job;
        p->job.request = &p->request;
        b->job = &p->job;
        sample_first(b, p);
    } else if (p->more) {
        p->step = p->pilot;
    }
    p->request.sample_share = share_of(p->step);
    bool done = p->more ? count_timed(b, p, report, err) : run_planned(b, p, report, err);
    r->side = (struct side_simulation){b->job->device->id, p->request.sample_share, !p->more};
    return done;
}

/* ---- in the parent ------------------------------------------------------------------------------- */

static void note_left_out(struct arena *a, struct result *r, const char *why)
{
    r->note = note_join(a, r->note, arena_printf(a, "not simulated on the side: %s", why));
}

// Why there is nothing to run, or nothing to run it on; NULL: `out` is the simulated GPU.
static const char *why_not(struct arena *a, const struct job *job, struct device_info *out)
{
    const struct gpu *chip = job->device->chip;
    struct error err = {0};
    uint64_t bytes = 0, most = memory_free_bytes() / MEMORY_PART;
    char needed[32], there[32];
    if (job->code->format != CODE_PTX)
        return arena_printf(a, "its code is not PTX but %s", code_format_name(job->code->format));
    if (!chip || !device_find(a, arena_printf(a, "sim:%s", chip->id), out, &err))
        return arena_printf(a, "there is no model of %s (`ridge devices` lists the simulated GPUs)",
                            job->device->name);
    for (int i = 0; i < job->resolved->buffer_count; i++)
        bytes += job->resolved->buffers[i].size_bytes;
    if (most > 0 && bytes > most)
        return arena_printf(a,
                            "its buffers need %s of the host's memory once more, and %s may be "
                            "taken",
                            format_bytes((double)bytes, needed), format_bytes((double)most, there));
    return NULL;
}

static bool is_missing(const struct counters *side, const struct counters *into, enum counter_id i)
{
    return into->figure[i].provenance == PROVENANCE_ABSENT && counters_has(side, i);
}

// CUPTI has no counter of barriers, and none of the turns that atomics in shared memory take. Of a warp and of a request they
// are as simulated: so many of the grid's warps, of the requests that hardware counted.
static void take_uncounted(const struct counters *side, struct counters *into)
{
    const enum counter_id turns = COUNTER_SHARED_ATOMIC_WAVEFRONTS,
                          requests = COUNTER_SHARED_ATOMIC_REQUESTS;
    if (is_missing(side, into, COUNTER_BARRIERS))
        into->figure[COUNTER_BARRIERS] = side->figure[COUNTER_BARRIERS];
    double counted = counters_get(into, requests, 0), simulated = counters_get(side, requests, 0);
    if (is_missing(side, into, turns) && counted > 0 && simulated > 0)
        counters_set(into, turns, side->figure[turns].value * counted / simulated,
                     PROVENANCE_MODELLED);
}

// A local array that the driver keeps in registers is other code, which says nothing of blocks.
static bool is_other_code(const struct counters *side, const struct counters *into)
{
    return counters_get(side, COUNTER_LOCAL_LOAD_SECTORS, 0) > 0 &&
           counters_get(into, COUNTER_LOCAL_LOAD_SECTORS, 1) == 0;
}

// The sampled blocks may be alike where those of the grid are not: then all of them together execute other than the sample says.
static void balance_by_all(const struct counters *side, struct counters *into)
{
    double scaled = counters_get(side, COUNTER_WARP_INSTRUCTIONS, 0),
           counted = counters_get(into, COUNTER_WARP_INSTRUCTIONS, 0);
    struct figure *balance = &into->figure[COUNTER_BLOCK_BALANCE_PCT];
    double alike = scaled < counted ? scaled / counted : counted / scaled;
    if (balance->provenance != PROVENANCE_ABSENT && scaled > 0 && counted > 0 &&
        alike < SAMPLE_ALIKE && !is_other_code(side, into))
        balance->value = fmin(balance->value, 100 * alike);
}

// Hardware's own counters stand alone: what one counts and the other scales up does not make a ratio. What is a ratio by
// itself, and what hardware counts none of, comes along.
static void take_counters(const struct counters *side, struct counters *into)
{
    take_uncounted(side, into);
    if (into->figure[COUNTER_BLOCK_BALANCE_PCT].provenance == PROVENANCE_ABSENT) {
        into->figure[COUNTER_BLOCK_BALANCE_PCT] = side->figure[COUNTER_BLOCK_BALANCE_PCT];
        balance_by_all(side, into);
    }
    if (counters_has(into, COUNTER_WARP_INSTRUCTIONS))
        return;
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (into->figure[i].provenance == PROVENANCE_ABSENT)
            into->figure[i] = side->figure[i];
}

// A sample of blocks that do unequal work is not the grid: hardware counted all of it.
static void note_other_work(struct arena *a, const struct result *side, struct result *r)
{
    double scaled = counters_get(&side->counters, COUNTER_GLOBAL_LOAD_REQUESTS, 0),
           counted = counters_get(&r->counters, COUNTER_GLOBAL_LOAD_REQUESTS, 0);
    if (side->side.blocks_share < 1 && scaled > 0 && counted > 0 &&
        (scaled < SAMPLE_LEAST * counted || counted < SAMPLE_LEAST * scaled))
        r->note = note_join(
            a, r->note,
            arena_printf(a,
                         "on %s: by the sample of its blocks the grid loads %.2g times as often as "
                         "the GPU counted: blocks do unequal work, and what fixes are worth is of "
                         "the sampled ones",
                         side->side.device, scaled / counted));
}

void side_take(struct arena *a, const struct result *side, double limit_s, struct result *r)
{
    note_other_work(a, side, r);
    take_counters(&side->counters, &r->counters);
    if (!stalls_known(&r->stalls))
        r->stalls = side->stalls;
    if (r->sampling.mode != SAMPLING_OFF)
        r->line_count =
            lines_sampled(a, side->lines, side->line_count, r->lines, r->line_count, &r->lines);
    else if (r->line_count == 0) {
        r->lines = side->lines;
        r->line_count = side->line_count;
    }
    r->facts = side->facts;
    r->counterfactuals = side->counterfactuals;
    r->fidelity = side->fidelity;
    r->side = side->side;
    if (side->note)
        r->note = note_join(a, r->note, arena_printf(a, "on %s: %s", r->side.device, side->note));
    if (!r->side.replayed)
        r->note = note_join(a, r->note,
                            arena_printf(a,
                                         "what fixes are worth was not replayed within %g s: "
                                         "--side-limit gives it more time",
                                         limit_s));
}

// How many registers the driver gave the kernel, where all launches are of one: how many warps an SM holds goes by them.
static const struct code_object *code_as_loaded(struct arena *a, const struct job *job,
                                                const struct counters *measured)
{
    const struct resolved_variant *v = job->variant;
    const struct figure *registers = &measured->figure[COUNTER_REGISTERS_PER_THREAD];
    const struct code_kernel *one = NULL;
    for (int i = 0; i < v->launch_count; i++) {
        const struct code_kernel *k = launch_kernel(job->code, &v->launches[i]);
        if (v->launches[i].kind == LAUNCH_KERNEL && (!k || (one && one != k)))
            return job->code;
        one = v->launches[i].kind == LAUNCH_KERNEL ? k : one;
    }
    if (!one || registers->provenance != PROVENANCE_MEASURED)
        return job->code;
    struct code_object *code = ARENA_NEW(a, struct code_object);
    *code = *job->code;
    code->kernels = ARENA_ARRAY(a, struct code_kernel, code->kernel_count);
    for (int i = 0; i < code->kernel_count; i++)
        code->kernels[i] = job->code->kernels[i];
    code->kernels[one - job->code->kernels].registers = (int)registers->value;
    return code;
}

// *why: it cannot be; NULL: `got` is what was simulated. measured: what hardware counted.
static bool side_simulate(struct arena *a, const struct job *job, const struct counters *measured,
                          struct result *got, struct job_facts *facts, const char **why,
                          const volatile bool *cancel, struct error *err)
{
    struct device_info device = {0};
    struct loop_request request = *job->request;
    struct job side = *job;
    *why = why_not(a, job, &device);
    if (*why)
        return true;
    request.timeout_s = limit_of(job->request);
    request.checks = 0;
    request.sample_judged = false; // as many blocks as time allows, whatever they say of the others
    request.change = NULL;
    side.request = &request;
    side.device = &device;
    side.code = code_as_loaded(a, job, measured);
    side.wanted = NULL;
    side.side = true;
    *facts = (struct job_facts){.longest = -1};
    return jobs_run(a, &side, &got, &facts, 1, NULL, cancel, err);
}

bool side_run(struct arena *a, const struct job *job, struct result *r, struct job_facts *facts,
              const volatile bool *cancel, struct error *err)
{
    struct result got = {.variant = r->variant, .status = RESULT_OK};
    const char *why = NULL;
    if (!side_simulate(a, job, &r->counters, &got, facts, &why, cancel, err))
        return false;
    if (!why && got.status == RESULT_OK)
        side_take(a, &got, limit_of(job->request), r);
    else
        note_left_out(a, r, why ? why : got.error);
    return true;
}

bool side_time(struct arena *a, const struct job *job, struct result *out,
               const volatile bool *cancel, struct error *err)
{
    struct job_facts facts;
    const char *why = NULL;
    *out = (struct result){.variant = job->variant->spec->name, .status = RESULT_OK};
    if (!side_simulate(a, job, &(struct counters){0}, out, &facts, &why, cancel, err))
        return false;
    if (why) {
        out->status = RESULT_FAILED;
        out->error = why;
    }
    return true;
}

// The side's notes are the last ones.
static const char *note_without_side(struct arena *a, const struct result *r)
{
    const char *const begins[] = {
        "not simulated on the side: ",
        "what fixes are worth was not replayed within ",
        r->side.device ? arena_printf(a, "on %s: ", r->side.device) : NULL,
    };
    const char *end = r->note ? r->note + strlen(r->note) : NULL;
    for (size_t i = 0; i < COUNT_OF(begins); i++) {
        const char *at = r->note && begins[i] ? strstr(r->note, begins[i]) : NULL;
        end = at && at < end ? at : end;
    }
    if (!r->note || end <= r->note + strlen(NOTES_BETWEEN))
        return end == r->note ? NULL : r->note;
    return *end ? arena_strndup(a, r->note, (size_t)(end - r->note) - strlen(NOTES_BETWEEN))
                : r->note;
}

// What hardware did not say is the simulation's; occupancy is calculated from what the driver said.
static void forget(struct arena *a, struct result *r)
{
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (r->counters.figure[i].provenance != PROVENANCE_MEASURED &&
            i != COUNTER_OCCUPANCY_THEORETICAL_PCT && i != COUNTER_WAVES)
            r->counters.figure[i] = (struct figure){0};
    if (r->sampling.mode == SAMPLING_OFF) {
        r->stalls = (struct stall_table){0};
        r->lines = NULL;
        r->line_count = 0;
    }
    r->facts = (struct facts){0};
    r->counterfactuals = (struct counterfactuals){0};
    r->fidelity = (struct run_fidelity){0};
    r->note = note_without_side(a, r);
    r->side = (struct side_simulation){0};
}

bool side_renew(struct arena *a, const struct job *job, struct result *r, struct job_facts *facts,
                const volatile bool *cancel, struct error *err)
{
    const struct counters before = r->counters;
    forget(a, r);
    if (!side_run(a, job, r, facts, cancel, err))
        return false;
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (r->counters.figure[i].provenance == PROVENANCE_ABSENT)
            r->counters.figure[i] = before.figure[i];
    return true;
}
