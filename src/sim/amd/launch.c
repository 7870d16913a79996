// One launch: the kernel's arguments and packet in memory, work-groups and their waves in turns, the
// initial state of registers ("AMDGPU Usage": Initial Kernel Execution State), and the report.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/check.h"
#include "sim/amd/module.h"
#include "sim/amd/stretch.h"
#include "sim/run/exec.h"
#include "sim/amd/time.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    WAVE_TURN = 4096, // instructions before the next wave of the work-group has its turn
    PATIENCE = 4,     // turns of all that only look at memory, until one more work-group runs
    PACKET_BYTES = 64,
    TRAP_INLINE_PTX = 0x50, // ridge_inline_ptx of assets/amd_min.h
    FLOAT_MODE = 0xf0,      // round to nearest, denormals are kept
};

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

// NULL: none is known.
static const struct dwarf_place *place_of(const struct amd_module *m, uint64_t pc)
{
    return dwarf_place_at(&m->object.places, pc - m->address);
}

int amd_line_at(const struct amd_module *m, uint64_t pc)
{
    const struct dwarf_place *place = place_of(m, pc);
    return place && place->file ? place->line : 0;
}

void amd_thread_index(const struct amd_run *run, uint32_t thread, uint32_t out[3])
{
    const uint32_t *block = run->options->block;
    out[0] = thread % block[0];
    out[1] = thread / block[0] % block[1];
    out[2] = thread / block[0] / block[1];
}

// A loop that was unrolled has one line at many instructions: for people they are one.
static struct sim_violation *said_before(const struct amd_run *run, uint64_t at,
                                         const struct sim_violation *v)
{
    struct sim_report *r = run->report;
    for (int i = 0; i < r->violation_count; i++) {
        struct sim_violation *o = &r->violations[i];
        bool same_line = v->line > 0 && o->line == v->line && strcmp(o->file, v->file) == 0;
        if (o->kind == v->kind && (run->violation_at[i] == at || same_line))
            return o;
    }
    return NULL;
}

static void describe(const struct wave *w, const char *what, struct text *out)
{
    const struct amd_run *run = w->group->run;
    const char *why;
    uint64_t kernel = run->module->address + run->kernel->entry;
    const struct amd_instruction *in = amd_instruction_at(run->module, w->at, &why);
    text_printf(out, "%s, by '", what);
    if (in)
        amd_print(in, out);
    text_add(out, "'");
    if (!place_of(run->module, w->at))
        text_printf(out, " at byte %" PRIu64 " of the kernel", w->at - kernel);
}

struct sim_violation *amd_violate(struct wave *w, enum sim_violation_kind kind, unsigned lane,
                                  uint64_t address, const char *what)
{
    struct amd_run *run = w->group->run;
    struct sim_report *r = run->report;
    const struct dwarf_place *place = place_of(run->module, w->at);
    struct sim_violation v = {.kind = kind,
                              .kernel = run->kernel->name,
                              .file = place ? place->file : NULL,
                              .line = place ? place->line : 0,
                              .address = address,
                              .count = 1};
    struct sim_violation *before = said_before(run, w->at, &v);
    w->stopped |= violation_stops(kind);
    if (before)
        before->count++;
    if (before || r->violation_count == VIOLATIONS_MAX)
        return NULL;
    struct text t = {0};
    describe(w, what, &t);
    v.what = arena_strdup(run->arena, text_str(&t));
    text_release(&t);
    memcpy(v.block, w->group->id, sizeof v.block);
    amd_thread_index(run, w->index * lanes_of(w) + lane, v.thread);
    if (!r->violations)
        r->violations = ARENA_ARRAY(run->arena, struct sim_violation, VIOLATIONS_MAX);
    run->violation_at[r->violation_count] = w->at;
    r->violations[r->violation_count] = v;
    return &r->violations[r->violation_count++];
}

/* ---- checks before it starts --------------------------------------------------------------------------------------- */

static bool fail_launch(const struct amd_run *run, struct error *err, const char *what)
{
    return fail(err, (struct location){.file = run->module->name}, "kernel '%s': %s",
                run->kernel->name, what);
}

static bool check_shape(struct amd_run *run, struct error *err)
{
    const struct sim_launch *o = run->options;
    uint64_t threads = (uint64_t)o->block[0] * o->block[1] * o->block[2];
    uint64_t most = (uint64_t)GPU(run->sim->gpu, max_threads_per_block);
    if (run->kernel->block_threads_max > 0 && run->kernel->block_threads_max < most)
        most = run->kernel->block_threads_max;
    for (int i = 0; i < 3; i++)
        if (o->grid[i] == 0 || o->block[i] == 0)
            return fail_launch(run, err, "the grid or the work-group is empty");
    if (threads > most)
        return fail(err, (struct location){.file = run->module->name},
                    "kernel '%s': %" PRIu64 " threads per work-group: at most %" PRIu64,
                    run->kernel->name, threads, most);
    if (run->kernel->lanes != amd_arch_lanes(run->module->object.arch))
        return fail_launch(run, err,
                           "it is compiled for waves of 64 lanes (-mwavefrontsize64), "
                           "which are not simulated on this chip");
    if (run->kernel->float_mode != FLOAT_MODE)
        return fail_launch(run, err,
                           "it flushes denormals or does not round to nearest, which is not "
                           "simulated for AMD's chips");
    if (run->kernel->listed && o->arg_count != run->kernel->user_parameter_count)
        return fail(err, (struct location){.file = run->module->name},
                    "kernel '%s' has %d parameters, %d arguments are given", run->kernel->name,
                    run->kernel->user_parameter_count, o->arg_count);
    if (!run->kernel->listed)
        return fail_launch(run, err, "the code object does not list its parameters (metadata)");
    if (run->kernel->scratch_bytes > LOCAL_BYTES_MAX)
        return fail_launch(run, err, "more than 512 KiB of scratch memory per thread");
    if (run->kernel->kernarg_bytes > PARAM_BYTES_MAX - PACKET_BYTES)
        return fail_launch(run, err, "too many bytes of parameters");
    run->block_threads = (uint32_t)threads;
    unsigned lanes = amd_arch_lanes(run->module->object.arch);
    run->waves = (uint32_t)((threads + lanes - 1) / lanes);
    return true;
}

static bool check_fit(struct amd_run *run, struct error *err)
{
    const struct amd_kernel *k = run->kernel;
    uint64_t lds = (uint64_t)k->lds_bytes + run->options->dynamic_shared_bytes;
    uint64_t most = (uint64_t)GPU(run->sim->gpu, shared_bytes_per_block);
    if (lds > most)
        return fail(err, (struct location){.file = run->module->name},
                    "kernel '%s': %" PRIu64 " bytes of LDS per work-group: at most %" PRIu64,
                    k->name, lds, most);
    const struct block_needs needs = {.threads = (int)run->block_threads,
                                      .registers = k->vector_registers - k->accumulators,
                                      .accumulators = k->accumulators,
                                      .scalars = k->scalar_registers,
                                      .shared_bytes = lds};
    if (!gpu_occupancy(run->sim->gpu, &needs, &run->report->occupancy))
        return fail_launch(run, err, "a work-group does not fit a CU");
    const struct sim_launch *o = run->options;
    uint64_t total = (uint64_t)o->grid[0] * o->grid[1] * o->grid[2],
             fit = (uint64_t)GPU(run->sim->gpu, sm_count) *
                   (uint64_t)run->report->occupancy.blocks_per_sm;
    if (o->cooperative && total > fit)
        return fail(err, (struct location){.file = run->module->name},
                    "kernel '%s': a cooperative launch of %" PRIu64 " work-groups: %" PRIu64
                    " run at the same time",
                    k->name, total, fit);
    return true;
}

/* ---- memory of the launch ------------------------------------------------------------------------------------------ */

static uint64_t hidden_value(const struct amd_run *run, const char *kind)
{
    static const char *const names[] = {"hidden_block_count_", "hidden_group_size_"};
    const struct sim_launch *o = run->options;
    const uint32_t *const values[] = {o->grid, o->block};
    for (int i = 0; i < 2; i++)
        if (str_starts_with(kind, names[i])) {
            int axis = kind[strlen(names[i])] - 'x';
            return axis >= 0 && axis < 3 ? values[i][axis] : 0;
        }
    if (strcmp(kind, "hidden_grid_dims") == 0)
        return o->grid[2] > 1 || o->block[2] > 1 ? 3 : o->grid[1] > 1 || o->block[1] > 1 ? 2 : 1;
    if (strcmp(kind, "hidden_dynamic_lds_size") == 0)
        return o->dynamic_shared_bytes;
    if (strcmp(kind, "hidden_shared_base") == 0)
        return LDS_WINDOW;
    return strcmp(kind, "hidden_private_base") == 0 ? SCRATCH_WINDOW : 0;
}

static void write_parameters(struct amd_run *run, uint8_t *to)
{
    const struct amd_kernel *k = run->kernel;
    int user = 0;
    for (int i = 0; i < k->parameter_count; i++) {
        const struct amd_parameter *p = &k->parameters[i];
        if (p->offset > k->kernarg_bytes || k->kernarg_bytes - p->offset < p->size_bytes)
            continue;
        uint64_t hidden = 0;
        if (!str_starts_with(p->kind, "hidden_")) {
            memcpy(to + p->offset, run->options->args[user++], p->size_bytes);
        } else if (p->size_bytes <= sizeof hidden) {
            hidden = hidden_value(run, p->kind);
            memcpy(to + p->offset, &hidden, p->size_bytes);
        }
    }
}

// The packet that starts a kernel ("HSA Platform System Architecture", kernel dispatch packet): sizes of
// work-groups in 16 bits from byte 4, of the grid in work-items from byte 12.
static void write_packet(const struct amd_run *run, uint8_t *to)
{
    const struct sim_launch *o = run->options;
    for (unsigned i = 0; i < 3; i++) {
        uint16_t group = (uint16_t)o->block[i];
        uint32_t grid = o->grid[i] * o->block[i];
        memcpy(to + 4 + 2 * i, &group, sizeof group);
        memcpy(to + 12 + 4 * i, &grid, sizeof grid);
    }
    memcpy(to + 24, &run->kernel->scratch_bytes, 4);
    memcpy(to + 40, &run->kernarg_address, 8);
}

static void launch_memory(struct amd_run *run)
{
    struct sim *s = run->sim;
    uint8_t *host = space_host(&s->space, s->params_address);
    run->packet_address = s->params_address;
    run->kernarg_address = s->params_address + PACKET_BYTES;
    memset(host, 0, PARAM_BYTES_MAX);
    write_packet(run, host);
    write_parameters(run, host + PACKET_BYTES);
    space_mark_written(&s->space, s->params_address, PARAM_BYTES_MAX);
    amd_check_open(run);
}

/* ---- waves --------------------------------------------------------------------------------------------------------- */

static void user_registers(struct wave *w)
{
    const struct amd_run *run = w->group->run;
    const struct amd_kernel *k = run->kernel;
    unsigned at = 0;
    if (k->resource) {
        set_pair(w, at, SCRATCH_RESOURCE);
        w->s[at + 2] = k->scratch_bytes;
        at += 4;
    }
    const struct {
        bool has;
        uint64_t value;
    } pairs[] = {{k->dispatch_packet, run->packet_address},
                 {k->queue, run->packet_address},
                 {k->kernarg, run->kernarg_address},
                 {k->dispatch_id, 0},
                 {k->flat_scratch, 0}};
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if (pairs[i].has) {
            set_pair(w, at, pairs[i].value);
            at += 2;
        }
    if (k->scratch_size)
        w->s[at++] = k->scratch_bytes;
    at = k->user_scalars > at ? k->user_scalars : at;
    for (int i = 0; i < 3; i++)
        if (k->group_id[i])
            w->s[at++] = w->group->id[i];
    if (k->group_info)
        w->s[at++] = run->waves;
    if (k->scratch_offset)
        w->s[at++] = 0;
}

// Ids of the work-items: x, y and z in ten bits each of v0. Those of all work-groups are the same.
static void know_threads(struct amd_run *run)
{
    const uint32_t *block = run->options->block;
    unsigned lanes = amd_arch_lanes(run->module->object.arch);
    run->threads = amd_lines_new(run->waves, sizeof *run->threads);
    for (uint32_t thread = 0; thread < run->block_threads; thread++)
        run->threads[thread / lanes][thread % lanes] = thread % block[0] |
                                                       thread / block[0] % block[1] << 10 |
                                                       thread / block[0] / block[1] << 20;
}

static void thread_ids(struct wave *w)
{
    const struct amd_run *run = w->group->run;
    uint32_t left = run->block_threads - w->index * lanes_of(w);
    uint64_t exec = left < WAVE_LANES ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    memcpy(w->v[0], run->threads[w->index], sizeof *run->threads);
    w->lanes = w->narrow ? (uint32_t)exec : exec;
    set_lane_mask(w, OPERAND_EXEC, w->lanes);
}

// Those that the kernel was given: compilers use no others.
static void clear_registers(const struct wave *w, const struct amd_kernel *k)
{
    const int plain = k->vector_registers - k->accumulators, acc = k->accumulators;
    const amd_clear_function clear = *w->group->run->functions.clear;
    clear(w->v, (unsigned)(plain < FIRST_ACC ? plain : FIRST_ACC), lanes_of(w));
    clear(w->v + FIRST_ACC, (unsigned)(acc < FIRST_ACC ? acc : FIRST_ACC), lanes_of(w));
}

static void wave_start(struct wave *w, struct work_group *group, uint32_t index)
{
    struct amd_run *run = group->run;
    uint32_t(*v)[WAVE_LANES] = w->v;
    uint8_t *scratch = w->scratch;
    if (scratch)
        memset(scratch, 0, (size_t)2 * WAVE_LANES * run->kernel->scratch_bytes);
    memset(
        w, 0,
        run->wave_bytes); // of a size that the compiler does not see: string instructions start slowly
    w->group = group;
    w->v = v;
    w->scratch = scratch;
    w->index = index;
    w->narrow = amd_arch_lanes(run->module->object.arch) < WAVE_LANES;
    clear_registers(w, run->kernel);
    w->pc = run->module->address + run->kernel->entry;
    w->s[OPERAND_M0] = UINT32_MAX;
    user_registers(w);
    thread_ids(w);
}

// Neither a trace nor checks look at each of its instructions.
static bool goes_straight(const struct wave *w, uint8_t decoded)
{
    return decoded >= DECODED_STRAIGHT && !w->trace && w->barrier_lanes == 0 && w->indexed == 0 &&
           !w->group->run->check_races;
}

// One instruction, or several of those that go straight, at most as many. Returns how many.
static unsigned step(struct wave *w, unsigned most)
{
    const char *why = NULL;
    struct amd_run *run = w->group->run;
    const struct amd_module *m = run->module;
    uint64_t offset = w->pc - m->address - m->object.code_start;
    w->at = w->pc;
    const struct amd_instruction *in = offset < m->object.code_bytes && m->decoded[offset / 4]
                                           ? &m->instructions[offset / 4]
                                           : amd_instruction_at(m, w->pc, &why);
    if (!in || offset % 4 != 0) {
        amd_violate(w, SIM_UNSUPPORTED, 0, 0, in ? "the program left its code" : why);
        return 1;
    }
    run->site = &run->sites[offset / 4];
    if (goes_straight(w, m->decoded[offset / 4]))
        return (*run->functions.straight)(w, most);
    run->site->instructions++;
    run->site->lanes += lanes_on(w);
    w->pc += in->size_bytes;
    run->counts.instructions++;
    if (w->trace)
        amd_time_step(w);
    if (w->barrier_lanes != 0)
        amd_check_lanes(w, in);
    if (in->encoding <= ENCODING_SOPP)
        amd_run_scalar(w, in);
    else if (in->encoding == ENCODING_SMEM || in->encoding >= ENCODING_DS)
        amd_run_memory(w, in);
    else
        amd_run_vector(w, in);
    if (w->trapped)
        amd_violate(w, SIM_TRAP, 0, 0,
                    in->constant == TRAP_INLINE_PTX
                        ? "here the source has inline PTX, which AMD's chips do not run"
                        : "the kernel trapped");
    return 1;
}

static void take_turn(struct wave *w)
{
    struct amd_run *run = w->group->run;
    uint64_t budget = run->options->budget_warp_instructions;
    for (unsigned i = 0; i < WAVE_TURN && w->state == WAVE_RUNS && !w->stopped;)
        i += step(w, WAVE_TURN - i);
    if (budget > 0 && run->counts.instructions > budget && !w->stopped)
        amd_violate(w, SIM_BUDGET, 0, 0, "more instructions than the budget allows");
}

// All waves wait or have ended: those that wait go on. false: all have ended.
static bool pass_barrier(struct wave *waves, uint32_t count)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        any |= waves[i].state == WAVE_AT_BARRIER;
        if (waves[i].state == WAVE_AT_BARRIER)
            waves[i].state = WAVE_RUNS;
    }
    return any;
}

// A work-group that runs, with what it holds.
struct resident {
    struct work_group group;
    struct wave *waves;
    unsigned cu;
    bool runs;
};

static void group_start(struct amd_run *run, struct resident *r, uint64_t i)
{
    const struct sim_launch *o = run->options;
    uint64_t n = o->reverse_blocks ? run->report->blocks_total - 1 - i : i;
    struct work_group *g = &r->group;
    g->linear = n;
    g->id[0] = (uint32_t)(n % o->grid[0]);
    g->id[1] = (uint32_t)(n / o->grid[0] % o->grid[1]);
    g->id[2] = (uint32_t)(n / o->grid[0] / o->grid[1]);
    g->epoch = 1;
    r->cu = (unsigned)(i % (uint64_t)GPU(run->sim->gpu, sm_count));
    r->runs = true;
    if (g->lds)
        memset(g->lds, 0, (run->check_uninitialised ? 2 : 1) * g->lds_bytes);
    if (g->lds_records)
        races_forget(&run->races, g->lds_records, g->lds_bytes / 4 + 1);
    for (uint32_t k = 0; k < run->waves; k++)
        wave_start(&r->waves[k], g, k);
    if (r->cu == 0)
        amd_time_group(run, g, r->waves);
}

// A turn of each of its waves. false: something stopped it.
static bool group_turn(struct amd_run *run, struct resident *r)
{
    bool runs = false;
    for (uint32_t i = 0; i < run->waves; i++) {
        struct wave *w = &r->waves[i];
        run->l1 = run->caches ? amd_l1_of(run->caches, r->cu, i) : 0;
        if (w->state == WAVE_RUNS)
            take_turn(w);
        if (w->stopped)
            return false;
        runs |= w->state == WAVE_RUNS;
    }
    if (!runs && !pass_barrier(r->waves, run->waves)) {
        r->runs = false;
        amd_time_group_end(run, &r->group, r->waves);
        run->report->blocks_run++;
    }
    r->group.epoch += !runs;
    return true;
}

static struct wave *waves_new(const struct amd_run *run)
{
    struct wave *waves = xcalloc(run->waves, sizeof *waves);
    for (uint32_t i = 0; i < run->waves; i++) {
        waves[i].v = amd_lines_new(WAVE_VECTORS, sizeof *waves[i].v);
        if (run->kernel->scratch_bytes > 0)
            waves[i].scratch = xcalloc(2 * WAVE_LANES, run->kernel->scratch_bytes);
    }
    return waves;
}

static void waves_free(const struct amd_run *run, struct wave *waves)
{
    for (uint32_t i = 0; i < run->waves; i++) {
        amd_lines_free(waves[i].v);
        free(waves[i].scratch);
    }
    free(waves);
}

static void resident_open(struct amd_run *run, struct resident *r)
{
    struct work_group *g = &r->group;
    *r = (struct resident){.group = {.run = run}, .waves = waves_new(run)};
    g->lds_bytes = (uint64_t)run->kernel->lds_bytes + run->options->dynamic_shared_bytes;
    g->lds = g->lds_bytes > 0 ? amd_lines_new(2, g->lds_bytes) : NULL;
    if (run->check_races)
        g->lds_records = xcalloc(g->lds_bytes / 4 + 1, sizeof *g->lds_records);
}

static void resident_close(struct amd_run *run, struct resident *r)
{
    waves_free(run, r->waves);
    amd_lines_free(r->group.lds);
    free(r->group.lds_records);
}

// Work-groups that the chip holds at once.
static uint64_t resident_most(const struct amd_run *run)
{
    uint64_t most =
        (uint64_t)GPU(run->sim->gpu, sm_count) * (uint64_t)run->report->occupancy.blocks_per_sm;
    return most < run->report->blocks_total ? most : run->report->blocks_total;
}

// Work-groups run one after another. One that does nothing but look at memory may wait for a later one: that then runs
// beside it, as many as the chip holds. Those of a cooperative launch run together from the start.
static void run_grid(struct amd_run *run)
{
    const struct sim_launch *o = run->options;
    uint64_t total = (uint64_t)o->grid[0] * o->grid[1] * o->grid[2], next = 0, ended = 0, since = 0;
    run->report->blocks_total = total;
    run->waited = o->cooperative;
    uint64_t most = resident_most(run), count = 0, wanted = o->cooperative ? most : 1;
    struct resident *all = xcalloc(most, sizeof *all);
    bool goes_on = true;
    while (goes_on && ended < total) {
        for (; count < wanted; count++)
            resident_open(run, &all[count]);
        uint64_t before = ended;
        run->progressed = false;
        for (uint64_t i = 0; i < count && goes_on; i++) {
            if (!all[i].runs && next < total)
                group_start(run, &all[i], next++);
            if (!all[i].runs)
                continue;
            goes_on = group_turn(run, &all[i]);
            ended += !all[i].runs;
            if (o->progress && !all[i].runs && ended % 256 == 1)
                o->progress(o->progress_context, ended - 1, total);
        }
        since = ended > before || run->progressed ? 0 : since + 1;
        if (since >= PATIENCE && next < total && wanted < most) {
            run->waited = true;
            wanted++;
            since = 0;
        }
    }
    for (uint64_t i = 0; i < count; i++)
        resident_close(run, &all[i]);
    free(all);
}

/* ---- the report ------------------------------------------------------------------------------------------------------ */

static void fill_cache_counters(const struct amd_run *run, struct counters *out)
{
    const struct amd_cache_counts *k = &run->counts.caches;
    const bool array = amd_caches_have_array(run->caches),
               memory = amd_caches_have_memory(run->caches);
    const struct {
        enum counter_id id;
        uint64_t value;
        bool absent;
    } all[] = {
        {COUNTER_L1_LOAD_SECTORS_HIT, k->l1_hit_sectors, false},
        {COUNTER_L2_READ_SECTORS, k->l2_sectors[TOUCH_LOADS], false},
        {COUNTER_L2_WRITE_SECTORS, k->l2_sectors[TOUCH_STORES], false},
        {COUNTER_L2_ATOMIC_SECTORS, k->l2_sectors[TOUCH_ATOMICS], false},
        {COUNTER_L2_SECTORS_HIT, k->l2_hit_sectors, false},
        {COUNTER_DRAM_READ_BYTES, k->dram_read_bytes, false},
        {COUNTER_DRAM_WRITE_BYTES, k->dram_write_bytes, false},
        {COUNTER_ARRAY_LOAD_SECTORS_HIT, k->array_hit_sectors, !array},
        {COUNTER_MEMORY_CACHE_READ_BYTES, k->memory_cache_bytes, !memory},
        {COUNTER_MEMORY_CACHE_HIT_BYTES, k->memory_cache_hit_bytes, !memory},
    };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (!all[i].absent)
            counters_set(out, all[i].id, (double)all[i].value, PROVENANCE_SIMULATED);
}

static void fill_counters(const struct amd_run *run)
{
    const struct amd_counts *c = &run->counts;
    const struct amd_traffic *loads = &c->traffic[TOUCH_LOADS], *stores = &c->traffic[TOUCH_STORES],
                             *atomics = &c->traffic[TOUCH_ATOMICS];
    const struct gpu *gpu = run->sim->gpu;
    struct sim_report *r = run->report;
    const struct {
        enum counter_id id;
        double value;
    } all[] = {
        {COUNTER_WARP_INSTRUCTIONS, (double)c->instructions},
        {COUNTER_BRANCHES, (double)c->branches},
        {COUNTER_BARRIERS, (double)c->barriers},
        {COUNTER_GLOBAL_LOAD_REQUESTS, (double)c->load_requests},
        {COUNTER_GLOBAL_STORE_REQUESTS, (double)c->store_requests},
        {COUNTER_GLOBAL_ATOMIC_REQUESTS, (double)c->atomic_requests},
        {COUNTER_SHARED_LOAD_REQUESTS, (double)c->lds_loads},
        {COUNTER_SHARED_STORE_REQUESTS, (double)c->lds_stores},
        {COUNTER_SHARED_ATOMIC_REQUESTS, (double)c->lds_atomics},
        {COUNTER_DIVERGENT_BRANCHES, (double)c->divergent_branches},
        {COUNTER_GLOBAL_LOAD_SECTORS, (double)loads->sectors},
        {COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, (double)loads->sectors_ideal},
        {COUNTER_GLOBAL_STORE_SECTORS, (double)stores->sectors},
        {COUNTER_GLOBAL_STORE_SECTORS_IDEAL, (double)stores->sectors_ideal},
        {COUNTER_GLOBAL_ATOMIC_SECTORS, (double)atomics->sectors},
        {COUNTER_GLOBAL_LOAD_LINES_64, (double)loads->lines},
        {COUNTER_GLOBAL_STORE_LINES_64, (double)stores->lines},
        {COUNTER_SHARED_LOAD_WAVEFRONTS, (double)loads->passes},
        {COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL, (double)loads->passes_ideal},
        {COUNTER_SHARED_STORE_WAVEFRONTS, (double)stores->passes},
        {COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL, (double)stores->passes_ideal},
        {COUNTER_SHARED_ATOMIC_WAVEFRONTS, (double)atomics->passes},
        {COUNTER_FLOPS_F16, (double)c->flops_f16},
        {COUNTER_FLOPS_F32, (double)c->flops_f32},
        {COUNTER_FLOPS_F64, (double)c->flops_f64},
        {COUNTER_FLOPS_TENSOR, (double)c->flops_tensor},
        {COUNTER_FADD_F32, (double)c->f32[ARITHMETIC_ADD]},
        {COUNTER_FMUL_F32, (double)c->f32[ARITHMETIC_MUL]},
        {COUNTER_FFMA_F32, (double)c->f32[ARITHMETIC_FMA]},
        {COUNTER_SPECIAL_OPS, (double)c->special},
        {COUNTER_VECTOR_INSTRUCTIONS, (double)c->vector},
        {COUNTER_SCALAR_INSTRUCTIONS, (double)c->scalar},
        {COUNTER_VECTOR_MEMORY_INSTRUCTIONS, (double)c->vector_memory},
        {COUNTER_SCALAR_MEMORY_INSTRUCTIONS, (double)c->scalar_memory},
        {COUNTER_LDS_INSTRUCTIONS, (double)c->lds},
        {COUNTER_BLOCK_THREADS, run->block_threads},
        {COUNTER_GRID_BLOCKS, (double)r->blocks_total},
        {COUNTER_SHARED_BYTES_PER_BLOCK,
         (double)run->kernel->lds_bytes + run->options->dynamic_shared_bytes},
        {COUNTER_REGISTERS_PER_THREAD, run->kernel->vector_registers},
        {COUNTER_OCCUPANCY_THEORETICAL_PCT, r->occupancy.pct},
        {COUNTER_WAVES,
         (double)r->blocks_total / (GPU(gpu, sm_count) * r->occupancy.blocks_per_sm)},
    };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        counters_set(&r->counters, all[i].id, all[i].value, PROVENANCE_SIMULATED);
    if (run->caches)
        fill_cache_counters(run, &r->counters);
    if (c->vector > 0)
        counters_set(&r->counters, COUNTER_LANES_ACTIVE_PCT,
                     100 * (double)c->vector_lanes /
                         (amd_arch_lanes(run->module->object.arch) * (double)c->vector),
                     PROVENANCE_SIMULATED);
}

static void fill_lines(const struct amd_run *run, const struct stall_table *stalls)
{
    const struct amd_object *o = &run->module->object;
    struct sim_report *r = run->report;
    size_t words = o->code_bytes / 4, count = 0;
    for (size_t i = 0; i < words; i++)
        count += run->sites[i].instructions > 0;
    r->lines = ARENA_ARRAY(run->arena, struct line, count + 1);
    for (size_t i = 0; i < words; i++) {
        const struct amd_site *site = &run->sites[i];
        const struct dwarf_place *place =
            site->instructions > 0 ? dwarf_place_at(&o->places, o->code_start + 4 * i) : NULL;
        if (!place)
            continue;
        r->lines[r->line_count++] = (struct line){
            .file = place->file,
            .line = place->line,
#define LINE_FIELD(name, unit, meaning) .name = site->name,
#include "record/line_fields.def"
#undef LINE_FIELD
        };
        if (stalls)
            r->lines[r->line_count - 1].stalls = stalls[i];
    }
    r->line_count = lines_merge(r->lines, r->line_count);
}

static bool finish(struct amd_run *run, struct error *err)
{
    struct sim_report *r = run->report;
    bool stopped = false;
    for (int i = 0; i < r->violation_count; i++)
        stopped |= violation_stops(r->violations[i].kind);
    fill_counters(run);
    fill_lines(run, stopped ? NULL : amd_time_fill(run));
    r->registers_per_thread = run->kernel->vector_registers;
    for (int i = 0; i < r->violation_count; i++) {
        const struct sim_violation *v = &r->violations[i];
        if (violation_stops(v->kind))
            return fail_as(
                err, ERROR_CHECK,
                (struct location){.file = v->file ? v->file : run->module->name, .line = v->line},
                "kernel '%s': %s: work-group (%u,%u,%u), thread (%u,%u,%u)", v->kernel, v->what,
                v->block[0], v->block[1], v->block[2], v->thread[0], v->thread[1], v->thread[2]);
    }
    return true;
}

static bool find_kernel(struct amd_run *run, struct error *err)
{
    const struct amd_object *o = &run->module->object;
    for (int i = 0; i < o->kernel_count; i++)
        if (strcmp(o->kernels[i].name, run->options->kernel) == 0) {
            run->kernel = &o->kernels[i];
            return true;
        }
    return fail(err, (struct location){.file = run->module->name},
                "no kernel '%s' among the %d of the code object", run->options->kernel,
                o->kernel_count);
}

// A kernel begins with empty L1s; L2 keeps what it has.
static void open_caches(struct amd_run *run)
{
    struct sim *s = run->sim;
    if (run->options->no_caches)
        return;
    if (!s->amd_caches)
        s->amd_caches = amd_caches_new(s->gpu);
    run->caches = s->amd_caches;
    if (run->caches)
        amd_l1_drop_all(run->caches);
    run->dirty_before = run->caches ? amd_caches_dirty(run->caches) : 0;
}

static void shapes_free(struct amd_run *run, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        amd_lines_free(run->shapes[i]);
        amd_lines_free(run->lds_shapes[i]);
    }
    free(run->shapes);
    free(run->lds_shapes);
}

bool amd_launch(struct sim *s, const struct amd_module *m, const struct sim_launch *options,
                struct arena *a, struct sim_report *report, struct error *err)
{
    struct amd_run run = {.sim = s, .module = m, .options = options, .arena = a, .report = report};
    uint64_t start = clock_ns();
    *report = (struct sim_report){0};
    if (!find_kernel(&run, err) || !check_shape(&run, err) || !check_fit(&run, err))
        return false;
    run.functions = amd_functions_of(s->isa);
    run.wave_bytes = sizeof(struct wave);
    amd_know_arithmetic();
    launch_memory(&run);
    open_caches(&run);
    const size_t words = m->object.code_bytes / 4 + 1;
    run.sites = xcalloc(words, sizeof *run.sites);
    run.shapes = xcalloc(words, sizeof *run.shapes);
    run.lds_shapes = xcalloc(words, sizeof *run.lds_shapes);
    run.stretches = xcalloc(words, sizeof *run.stretches);
    amd_time_open(&run);
    know_threads(&run);
    run_grid(&run);
    amd_stretches_count(&run);
    amd_requests_settle_all(&run);
    if (run.caches)
        amd_caches_settle(run.caches, &run.counts.caches);
    bool done = finish(&run, err);
    shapes_free(&run, words);
    amd_stretches_free(&run);
    free(run.sites);
    amd_lines_free(run.threads);
    amd_check_close(&run);
    amd_time_close(&run);
    report->host_ns = clock_ns() - start;
    return done;
}
