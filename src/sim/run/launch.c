// One launch: checked, spread over simulated SMs in waves, run by host threads, its L2 requests
// replayed in a fixed order.
//   wave   the blocks all SMs hold at once; block k of it is on SM k mod (number of SMs)
//   epoch  SMs run alone until they end or have done so much; then all pause, and their L2
//          requests are merged in an order that does not depend on host threads
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"
#include "sim/run/cluster.h"
#include "sim/run/sample.h"
#include "sim/run/stretch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ---- checks -------------------------------------------------------------------------------- */

enum {
    STATIC_SHARED_MAX = 48 * 1024
}; // of a kernel, on every GPU: CUDA C++ Programming Guide, 5.4

static bool fail_unknown_kernel(const struct ptx_module *m, const char *name, struct error *err)
{
    const char **names = xcalloc((size_t)m->function_count + 1, sizeof(*names));
    size_t count = 0;
    for (int i = 0; i < m->function_count; i++)
        if (m->functions[i].is_entry)
            names[count++] = m->functions[i].name;
    const char *near = str_nearest(name, names, count);
    if (near == NULL && count == 1)
        near = names[0];
    struct location at = {.file = m->name};
    if (near != NULL)
        (void)fail(err, at, "no kernel '%s' (did you mean '%s'?)", name, near);
    else
        (void)fail(err, at, "no kernel '%s' among the module's %zu", name, count);
    free(names);
    return false;
}

static const uint32_t GRID_MAX[3] = {0x7fffffff, 65535, 65535}, BLOCK_MAX[3] = {1024, 1024, 64};
static const char AXIS[3] = "xyz";

static bool check_shape(const struct launch *l, const struct ptx_function *f, struct error *err)
{
    const struct sim_launch *o = l->options;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (o->grid[i] == 0 || o->grid[i] > GRID_MAX[i])
            return fail(err, f->at, "kernel '%s': grid.%c is %u: must be 1 to %u", f->name, AXIS[i],
                        o->grid[i], GRID_MAX[i]);
        if (o->block[i] == 0 || o->block[i] > BLOCK_MAX[i])
            return fail(err, f->at, "kernel '%s': block.%c is %u: must be 1 to %u", f->name,
                        AXIS[i], o->block[i], BLOCK_MAX[i]);
        if (f->reqntid[0] != 0 && f->reqntid[i] != 0 && o->block[i] != (uint32_t)f->reqntid[i])
            return fail(err, f->at, "kernel '%s': block.%c is %u, the kernel requires %d", f->name,
                        AXIS[i], o->block[i], f->reqntid[i]);
        threads *= o->block[i];
    }
    uint64_t limit = (uint64_t)GPU(l->gpu, max_threads_per_block);
    if (f->maxntid[0] != 0) {
        uint64_t own = 1;
        for (int i = 0; i < 3; i++)
            own *= f->maxntid[i] > 0 ? (uint64_t)f->maxntid[i] : 1;
        limit = own < limit ? own : limit;
    }
    if (threads > limit)
        return fail(err, f->at, "kernel '%s': %llu threads per block: at most %llu", f->name,
                    (unsigned long long)threads, (unsigned long long)limit);
    if (o->arg_count != f->param_count)
        return fail(err, f->at, "kernel '%s' has %d parameters, %d arguments are given", f->name,
                    f->param_count, o->arg_count);
    return true;
}

// The kernel's own clusters (.reqnctapercluster), or the launch's.
static bool launch_clusters(struct launch *l, const struct ptx_function *f, struct error *err)
{
    l->cluster_blocks = 1;
    for (int i = 0; i < 3; i++) {
        uint32_t own = f->cluster[i] > 0 ? (uint32_t)f->cluster[i] : 0,
                 asked = l->options->cluster[i];
        if (own > 0 && asked > 1 && own != asked)
            return fail(err, f->at,
                        "kernel '%s': cluster.%c is %u in the kernel and %u in the launch", f->name,
                        AXIS[i], own, asked);
        l->cluster[i] = own > 0 ? own : asked > 1 ? asked : 1;
        l->cluster_blocks *= l->cluster[i];
        if (l->options->grid[i] % l->cluster[i] != 0)
            return fail(err, f->at,
                        "kernel '%s': grid.%c is %u: must be a multiple of its cluster's %u",
                        f->name, AXIS[i], l->options->grid[i], l->cluster[i]);
    }
    if (l->cluster_blocks > CLUSTER_BLOCKS_MAX)
        return fail(err, f->at, "kernel '%s': clusters of %u blocks: at most %d", f->name,
                    l->cluster_blocks, CLUSTER_BLOCKS_MAX);
    if (l->cluster_blocks > 1 && l->gpu->cc_major < 9)
        return fail(err, f->at, "kernel '%s' needs clusters of blocks: compute capability 9.0",
                    f->name);
    return true;
}

uint64_t launch_own_shared(const struct launch *l)
{
    return l->shared_bytes - l->program->shared_reserved_bytes;
}

static bool launch_occupancy(struct launch *l, const struct ptx_function *f,
                             struct occupancy *occupancy, struct error *err)
{
    uint64_t limit = (uint64_t)GPU(l->gpu, shared_bytes_per_block);
    uint64_t shared_bytes = launch_own_shared(l);
    uint64_t fixed = shared_bytes - l->options->dynamic_shared_bytes;
    if (fixed > STATIC_SHARED_MAX)
        return fail(err, f->at,
                    "kernel '%s': %llu bytes of static shared memory, and ptxas takes no more than "
                    "%d: declare it 'extern __shared__' and give its size with the launch "
                    "(shared_bytes)",
                    f->name, (unsigned long long)fixed, STATIC_SHARED_MAX);
    if (shared_bytes > limit)
        return fail(err, f->at,
                    "kernel '%s': %llu bytes of shared memory per block (%u dynamic): at most %llu",
                    f->name, (unsigned long long)shared_bytes, l->options->dynamic_shared_bytes,
                    (unsigned long long)limit);
    int registers = l->options->registers_per_thread;
    if (registers <= 0) { // a compiler would spill rather than make a kernel that can't start
        registers = program_registers(l->program);
        double schedulers = GPU(l->gpu, schedulers_per_sm); // each has its part of the registers
        double warps = ceil(l->warps_per_block / schedulers) * schedulers;
        int most = (int)(GPU(l->gpu, registers_per_sm) / (warps * LANES));
        int each = (int)GPU(l->gpu, max_registers_per_thread);
        int unit = (int)GPU(l->gpu, register_unit) / (int)LANES; // a warp's are allocated in units
        most -= unit > 0 ? most % unit : 0;
        most = most < each ? most : each;
        registers = registers < most ? registers : most;
        l->registers_modelled = true;
    }
    l->registers = registers;
    const struct block_needs needs = {
        .threads = (int)l->block_threads, .registers = registers, .shared_bytes = shared_bytes};
    if (gpu_occupancy(l->gpu, &needs, occupancy))
        return true;
    return fail(
        err, f->at,
        "kernel '%s': a block of %u threads with %d registers each and %llu bytes of shared "
        "memory doesn't fit an SM of %s",
        f->name, l->block_threads, registers, (unsigned long long)shared_bytes, l->gpu->name);
}

/* ---- preparing ----------------------------------------------------------------------------- */

static struct program *launch_program(const struct sim *s, const struct sim_launch *o,
                                      const struct ptx_function *f)
{
    // A launch does not change the module but for this cache: the simulator's own handle has it.
    struct sim_module *m = NULL;
    for (size_t i = 0; i < s->module_count; i++)
        if (s->modules[i] == o->module)
            m = s->modules[i];
    assert(m != NULL);
    for (size_t i = 0; i < m->program_count; i++)
        if (m->programs[i]->kernel == f)
            return m->programs[i];
    struct program *p = program_new(m, f, s->isa);
    VEC_PUSH(m->programs, m->program_count, m->program_capacity, p);
    return p;
}

static void launch_parameters(struct launch *l, const struct ptx_function *f)
{
    uint8_t *params = space_host(&l->sim->space, l->params_address);
    memset(params, 0, PARAM_BYTES_MAX);
    for (int i = 0; i < f->param_count; i++)
        memcpy(params + f->params[i].param_offset_bytes, l->options->args[i],
               f->params[i].size_bytes);
    space_mark_written(&l->sim->space, l->params_address, PARAM_BYTES_MAX);
}

// Rows whose value the launch fixes go into the functions' constants.
static void launch_constants(struct launch *l)
{
    const uint8_t *params = space_host(&l->sim->space, l->params_address);
    struct core core = {.launch = l};
    struct sm sm = {.launch = l};
    struct block block = {.sm = &sm};
    struct warp w = {.core = &core, .block = &block};
    for (int i = 0; i < l->program->function_count; i++) {
        const struct function *fn = &l->program->functions[i];
        for (int j = 0; j < fn->launch_slot_count; j++) {
            const struct slot *s = &fn->launch_slots[j];
            uint8_t *row = fn->constants + (s->row - fn->constants_at);
            uint64_t value = 0;
            if (s->source == SLOT_PARAM) {
                unsigned shift = 64 - 8u * s->bytes;
                memcpy(&value, params + s->offset, s->bytes);
                if (s->sign)
                    value = (uint64_t)((int64_t)(value << shift) >> shift);
                if (s->narrow16)
                    value &= 0xffff;
            } else {
                value = special_value(&w, s->special, s->component, 0);
            }
            for (int lane = 0; lane < LANES; lane++)
                memcpy(row + (size_t)lane * (s->width / 8u), &value, s->width / 8u);
        }
    }
}

// All blocks of a cooperative launch run at the same time: they may wait for each other.
static bool launch_cooperation(const struct launch *l, const struct ptx_function *f,
                               struct error *err)
{
    uint64_t most = (uint64_t)l->sm_count * (uint64_t)l->resident;
    most -= most % l->cluster_blocks;
    if (!l->options->cooperative || l->grid_blocks <= most)
        return true;
    return fail(
        err, f->at,
        "kernel '%s': a cooperative launch of %llu blocks: at most %llu fit at the same time "
        "on %s (%d on each of %d SMs): use a smaller grid and a loop, like %d*device.sm_count",
        f->name, (unsigned long long)l->grid_blocks, (unsigned long long)most, l->gpu->name,
        l->resident, l->sm_count, l->resident);
}

static bool launch_system_memory(struct launch *l, struct error *err)
{
    struct sim *s = l->sim;
    if (l->program->uses_workspace && l->options->cooperative) { // as the driver: else it is NULL
        if (s->workspace_address == 0 &&
            !space_alloc(&s->space, 4096, "grid workspace", &s->workspace_address, err))
            return false;
        memset(space_host(&s->space, s->workspace_address), 0, 4096);
        space_mark_written(&s->space, s->workspace_address, 4096);
        l->workspace_address = s->workspace_address;
    }
    if (l->program->uses_heap && s->heap_address == 0) {
        if (!space_alloc(&s->space, HEAP_BYTES, "device heap", &s->heap_address, err))
            return false;
        s->heap_next = s->heap_address;
    }
    return true;
}

static void launch_caches(struct launch *l, const struct occupancy *occupancy)
{
    struct sim *s = l->sim;
    uint64_t unit = (uint64_t)GPU(l->gpu, shared_unit_bytes);
    uint64_t a_block = (launch_own_shared(l) + unit - 1) / unit * unit +
                       (uint64_t)GPU(l->gpu, shared_reserved_bytes);
    uint64_t in_use = a_block * (uint64_t)occupancy->blocks_per_sm;
    if (l->options->no_caches)
        return;
    if (s->l1_count != l->sm_count || s->l1_shared_bytes != in_use) {
        free(s->l1);
        free(s->l1_room);
        s->l1_count = l->sm_count;
        s->l1 = xcalloc((size_t)l->sm_count, sizeof(void *));
        s->l1_shared_bytes = in_use;
        s->l1_each = l1_room_bytes(l->gpu, in_use);
        s->l1_room = large_new((uint64_t)l->sm_count * s->l1_each);
    }
}

static void *aligned_zeros(size_t bytes)
{
    bytes = (bytes + 63) / 64 * 64;
    void *p = aligned_alloc(64, bytes);
    if (p == NULL)
        abort();
    return memset(p, 0, bytes);
}

static void core_init(struct core *c, struct launch *l)
{
    const struct program *p = l->program;
    *c = (struct core){.launch = l};
    c->segments = xcalloc(p->segment_count + 1, sizeof(*c->segments));
    c->mem = aligned_zeros((p->mem_count + 1) * sizeof(*c->mem));
    c->stretches = xcalloc(p->stretch_count + 1, sizeof(*c->stretches));
    c->stretch_groups = aligned_zeros(((size_t)p->stretch_groups + 1) * sizeof(*c->stretch_groups));
    c->stretch_passes = xcalloc((size_t)p->stretch_members + 1, sizeof(*c->stretch_passes));
    c->stretch_run = stretch_function(l->isa);
    c->guarded_lanes = xcalloc((size_t)p->guarded_count + 1, sizeof(uint64_t));
    c->divergent = xcalloc((size_t)p->site_count + 1, sizeof(uint64_t));
    c->routines = xcalloc((size_t)p->site_count + 1, sizeof(*c->routines));
    c->atomic_heat = xcalloc(ATOMIC_PLACES, sizeof(*c->atomic_heat));
    c->atomic_reach = xcalloc(ATOMIC_PLACES, sizeof(*c->atomic_reach));
    c->word_lanes = xcalloc(l->shared_bytes / 4 + 1, 1);
    c->free_frames = xcalloc((size_t)p->function_count + 1, sizeof(void *));
    c->lanes = lanes_functions(l->isa);
    c->multiply = tensor_multiply_float(l->isa);
    c->access = sim_access_functions(l->isa);
}

static void core_release(struct core *c)
{
    while (c->free_residences != NULL) {
        struct residence *r = c->free_residences;
        c->free_residences = r->next_free;
        residence_free(r);
    }
    arena_release(&c->arena);
    free(c->segments);
    free(c->mem);
    free(c->stretches);
    free(c->stretch_groups);
    free(c->stretch_passes);
    free(c->guarded_lanes);
    free(c->divergent);
    free(c->routines);
    free(c->atomic_heat);
    free(c->atomic_reach);
    free(c->word_lanes);
    free(c->free_frames);
}

static void logs_open(struct sim *s, int sms)
{
    s->logs = xcalloc((size_t)sms, sizeof(*s->logs));
    s->log_count = sms;
    s->log_room = large_new((size_t)sms * LOGS_PER_SM * LOG_FIRST * sizeof(*s->log_room));
    for (int i = 0; i < sms; i++) {
        struct l2_request *first = s->log_room + (size_t)i * LOGS_PER_SM * LOG_FIRST;
        struct l2_log lent = {
            .single_capacity = LOG_FIRST, .lent = true, .sm_partition = (uint8_t)(i & 1)};
        s->logs[i].log = s->logs[i].sent = lent;
        s->logs[i].log.single = first;
        s->logs[i].sent.single = first + LOG_FIRST;
    }
}

// Besides the caller's. Where SMs run one by one, what comes after them has another one all the same.
static int threads_more(const struct launch *l)
{
    return l->core_count == 1 && l->threads > 1 ? 1 : l->core_count - 1;
}

static void launch_cores(struct launch *l)
{
    int threads = l->options->threads > 0 ? l->options->threads : cpu_count_known();
    l->threads = threads;
    uint64_t busy =
        l->blocks_total < (uint64_t)l->sm_count ? l->blocks_total : (uint64_t)l->sm_count;
    l->serial =
        l->program->order_shows || l->clusters != NULL || (l->checks & SIM_CHECK_RACES) != 0;
    if (l->serial || threads < 1)
        threads = 1;
    l->core_count = (uint64_t)threads < busy ? threads : (int)busy;
    l->serial |= l->core_count == 1;
    l->team = threads_more(l) > 0 ? team_open(threads_more(l)) : NULL;
    l->cores = aligned_alloc(64, (size_t)l->core_count * sizeof(*l->cores));
    if (l->cores == NULL)
        abort();
    for (int i = 0; i < l->core_count; i++)
        core_init(&l->cores[i], l);
    l->sms = spare_take(l->sim->spare, (size_t)l->sm_count * sizeof(*l->sms));
    if (l->sim->log_count == 0)
        logs_open(l->sim, l->sm_count);
    for (int i = 0; i < l->sm_count; i++) {
        const struct sm_logs *kept = &l->sim->logs[i];
        l->sms[i] = (struct sm){.index = i, .launch = l, .log = kept->log, .sent = kept->sent};
        l2_log_start(&l->sms[i].log);
        l2_log_start(&l->sms[i].sent);
    }
    traces_begin(l);
    listeners_choose(l);
}

static void launch_checks(struct launch *l)
{
    struct space *m = &l->sim->space;
    if ((l->checks & SIM_CHECK_RACES) != 0) {
        const struct allocation *last = &m->items[m->count - 1];
        races_init(&l->races, last->start + last->size, l->grid_blocks, LANES);
    }
    for (size_t i = 0; i < m->count && (l->checks & SIM_CHECK_UNINIT) == 0; i++)
        m->items[i].all_written = true;
}

static bool launch_local(struct launch *l, const struct ptx_function *f, struct error *err)
{
    const struct program *p = l->program;
    uint64_t own = p->functions[0].local_bytes, need = (p->local_bytes + 15) / 16 * 16;
    if (p->recursive)
        need = own < LOCAL_STACK_BYTES ? LOCAL_STACK_BYTES : (own + 15) / 16 * 16;
    if (need > LOCAL_BYTES_MAX)
        return fail(
            err, f->at,
            "kernel '%s' needs %llu bytes of local memory per thread, GPUs have %d: make its "
            "arrays smaller or put them in global memory",
            f->name, (unsigned long long)need, LOCAL_BYTES_MAX);
    l->local_bytes = p->uses_local ? need : 0;
    return true;
}

// In a large page: each request comes by another place of it.
enum { ASKED_BYTES = 2 << 20 };
_Static_assert(ASKED_BYTES >= L2_ASKED * sizeof(struct l2_asked), "all of it");

static bool launch_init(struct launch *l, struct sim *s, const struct sim_launch *o,
                        struct sim_report *report, struct error *err)
{
    *l = (struct launch){.sim = s,
                         .options = o,
                         .gpu = s->gpu,
                         .isa = s->isa,
                         .checks = o->checks | SIM_CHECK_BOUNDS,
                         .params_address = s->params_address};
    const struct ptx_function *f = ptx_function_find(o->module->ptx, o->kernel);
    if (f == NULL || !f->is_entry || !f->has_body)
        return fail_unknown_kernel(o->module->ptx, o->kernel, err);
    if (!check_shape(l, f, err) || !launch_clusters(l, f, err))
        return false;
    if (f->param_bytes > PARAM_BYTES_MAX)
        return fail(err, f->at, "kernel '%s': more than %d bytes of parameters", f->name,
                    PARAM_BYTES_MAX);
    l->block_threads = o->block[0] * o->block[1] * o->block[2];
    l->warps_per_block = (l->block_threads + LANES - 1) / LANES;
    l->grid_blocks = (uint64_t)o->grid[0] * o->grid[1] * o->grid[2];
    l->block_step = l->block_group = 1;
    l->blocks_total = l->places = l->grid_blocks;
    l->program = launch_program(s, o, f);
    l->shared_bytes = l->program->dynamic_shared_at + o->dynamic_shared_bytes;
    l->sm_count = (int)GPU(l->gpu, sm_count);
    if (!launch_occupancy(l, f, &report->occupancy, err))
        return false;
    l->resident = report->occupancy.blocks_per_sm;
    if (!launch_cooperation(l, f, err) || !launch_system_memory(l, err))
        return false;
    uint64_t each = (l->grid_blocks + (uint64_t)l->sm_count - 1) / (uint64_t)l->sm_count;
    unsigned blocks = each < (unsigned)l->resident ? (unsigned)each : (unsigned)l->resident;
    l->turn = turn_costs(l->gpu, blocks * l->warps_per_block);
    l->clock = clock_model_new(l);
    sample_plan(l);
    if (!launch_local(l, f, err))
        return false;
    launch_parameters(l, f);
    launch_constants(l);
    launch_caches(l, &report->occupancy);
    if (l->cluster_blocks > 1) {
        l->clusters = xcalloc(l->grid_blocks / l->cluster_blocks, sizeof(*l->clusters));
        for (uint64_t i = 0; i < l->grid_blocks / l->cluster_blocks; i++)
            l->clusters[i].left = l->cluster_blocks * l->block_threads;
    }
    footprint_open(l);
    launch_cores(l);
    launch_checks(l);
    l->work.group_blocks = (l->grid_blocks + WORK_GROUPS - 1) / WORK_GROUPS;
    l->work.count = (l->grid_blocks + l->work.group_blocks - 1) / l->work.group_blocks;
    l->work.groups = xcalloc(l->work.count, sizeof *l->work.groups);
    l->site_l2_hits = xcalloc((size_t)l->program->site_count + 1, sizeof(uint64_t));
    l->arrivals.site_halves = xcalloc((size_t)l->program->site_count + 1, sizeof(uint64_t));
    if (l->sample == NULL)
        l->arrivals.stages =
            xcalloc(((size_t)l->program->site_count + 1) * L2_STAGES, sizeof *l->arrivals.stages);
    if (s->asked == NULL)
        s->asked = memset(large_new(ASKED_BYTES), 0, ASKED_BYTES);
    l->arrivals.asked = s->asked;
    l->arrivals.round = s->asked_round + 2; // no round before is the one before
    l->merging = merging_new(l->gpu);
    l->merging_rounds = 1;
    return true;
}

static void launch_release(struct launch *l)
{
    for (int i = 0; i < l->core_count; i++)
        core_release(&l->cores[i]);
    free(l->cores);
    for (int i = 0; i < l->sm_count && l->sms != NULL; i++) {
        struct sm *sm = &l->sms[i];
        for (size_t j = 0; j < sm->violation_count; j++)
            free(sm->violations[j].what);
        free(sm->violations);
        l->sim->logs[i] = (struct sm_logs){.log = sm->log, .sent = sm->sent};
        free(sm->clock);
        if (sm->home != NULL)
            residence_free(sm->home);
    }
    spare_give(l->sms);
    races_release(&l->races);
    free(l->clusters);
    footprint_close(l);
    sample_release(l);
    free(l->sample_order);
    free(l->site_l2_hits);
    free(l->arrivals.site_halves);
    free(l->arrivals.stages);
    free(l->steady_hits);
    free(l->steady_halves);
    free(l->work.groups);
    merging_free(l->merging);
    traces_end(l);
    clock_model_free(l->clock);
    team_close(l->team);
}

/* ---- the chip ------------------------------------------------------------------------------ */

void sm_log(struct sm *sm, uint64_t line, uint8_t sectors, uint8_t full, enum l2_kind kind,
            uint32_t site)
{
    struct l2_request r = {.line_address = line,
                           .site = site,
                           .sectors = sectors,
                           .full_sectors = full & sectors,
                           .kind = kind & 15,
                           .sm_partition = (unsigned)sm->index & 1u};
    l2_log_add(&sm->log, &r);
}

// The SMs' requests of an epoch, by this thread or by the whole team.
static void launch_replay(struct launch *l, struct team *team)
{
    if (l->sample != NULL && !sample_hears(l)) {
        for (int i = 0; i < l->sm_count; i++)
            l2_log_start(&l->sms[i].sent);
        return;
    }
    struct l2_log **logs = xcalloc((size_t)l->sm_count, sizeof *logs);
    for (int i = 0; i < l->sm_count; i++)
        logs[i] = &l->sms[i].sent;
    struct l2_round round = {.counts = &l->l2,
                             .site_hits = l->site_l2_hits,
                             .arrivals = &l->arrivals,
                             .merging = l->merging,
                             .merging_round = l->merging_rounds,
                             .site_count = (size_t)l->program->site_count,
                             .team = team,
                             .spare = l->sim->spare};
    l2_replay_logs(l->sim->l2, logs, l->sm_count, &round);
    l->merging_rounds = round.merging_round;
    l->sim->asked_round = l->arrivals.round;
    for (int i = 0; i < l->sm_count; i++)
        l2_log_start(logs[i]);
    free(logs);
}

// Most of a log is where a replay is, which begins anew with each.
enum { L2_LOG_KEPT = offsetof(struct l2_log, replayed) };

static void launch_swap_logs(struct launch *l)
{
    for (int i = 0; i < l->sm_count; i++) {
        struct sm *sm = &l->sms[i];
        unsigned char log[L2_LOG_KEPT];
        memcpy(log, &sm->log, L2_LOG_KEPT);
        memcpy(&sm->log, &sm->sent, L2_LOG_KEPT);
        memcpy(&sm->sent, log, L2_LOG_KEPT);
        l2_log_start(&sm->log);
    }
}

// An epoch's SMs. Each host thread has a part of them that it takes first, the same one each time: their caches, registers and
// requests are then in that processor's caches mostly. What is left of others' it takes after that.
struct sm_part {
    _Alignas(64) int next; // a line of the host's cache: threads do not take each other's
    int end;
};
struct epoch {
    struct launch *launch;
    struct sm_part *parts; // a core each
};

static void core_epoch(const struct epoch *e, int index)
{
    struct launch *l = e->launch;
    struct core *core = &l->cores[index];
    for (int k = 0; k < l->core_count; k++) {
        struct sm_part *part = &e->parts[(index + k) % l->core_count];
        int i;
        while ((i = __atomic_fetch_add(&part->next, 1, __ATOMIC_RELAXED)) < part->end)
            if (l->sms[i].pending && !l->sms[i].stopped) {
                sm_run(core, &l->sms[i]);
                core->sms_ran++;
            }
    }
}

static void core_work(void *context, int index)
{
    core_epoch(context, index);
}

// Each core's part of the SMs: as many as it ran in the last epoch, of which one of them had a replay to do, too. What the others
// would take of its part has its caches in another processor.
static void parts_deal(struct launch *l, struct sm_part *parts, uint64_t sms)
{
    uint64_t cores = (uint64_t)l->core_count;
    uint64_t ran = 0, upto = 0, next = 0;
    for (uint64_t i = 0; i < cores; i++)
        ran += l->cores[i].sms_ran;
    bool as_before = l->epoch > 1 && ran > 0; // the first has nothing to replay
    for (uint64_t i = 0; i < cores; i++) {
        upto += l->cores[i].sms_ran;
        uint64_t end = i + 1 == cores ? sms : as_before ? sms * upto / ran : sms * (i + 1) / cores;
        parts[i] = (struct sm_part){(int)next, (int)end};
        next = end;
        l->cores[i].sms_ran = 0;
    }
}

// All SMs run to their end or pause; the last epoch's requests are replayed meanwhile.
static void launch_epoch(struct launch *l)
{
    uint64_t sms = (uint64_t)l->sm_count, cores = (uint64_t)l->core_count;
    sms = l->wave_count < sms ? l->wave_count : sms;
    struct epoch e = {l, spare_take(l->sim->spare, cores * sizeof *e.parts)};
    parts_deal(l, e.parts, sms);
    launch_swap_logs(l);
    l->epoch++;
    bool beside = l->core_count > 1 && team_begin(l->team, core_work, &e);
    launch_replay(l, NULL);
    core_epoch(&e, 0);
    if (beside)
        team_end(l->team);
    spare_give(e.parts);
}

static uint64_t launch_instructions(const struct launch *l)
{
    uint64_t sum = 0;
    for (int i = 0; i < l->sm_count; i++)
        sum += l->sms[i].instructions;
    return sum;
}

static bool launch_over_budget(struct launch *l)
{
    uint64_t budget = l->options->budget_warp_instructions, ran = launch_instructions(l);
    if (budget == 0 || ran <= budget)
        return false;
    for (int i = 0; i < l->sm_count; i++)
        if (l->sms[i].home != NULL && sm_report_budget(&l->sms[i], ran))
            return true;
    return false; // it ended just now
}

// An epoch passed in which no warp ran an instruction, twice in a row: only waits are left.
static bool launch_stuck(struct launch *l, bool standstill_before)
{
    uint64_t ran = launch_instructions(l);
    bool still = l->standstill && standstill_before && ran == l->instructions;
    l->instructions = ran;
    for (int i = 0; i < l->sm_count && still; i++)
        if (l->sms[i].home != NULL && sm_report_standstill(&l->sms[i]))
            return true;
    return false;
}

// true: a violation ends the launch, or the wave is done.
static bool launch_wave_over(struct launch *l, bool *stop)
{
    bool pending = false, stalled = true, before = l->standstill;
    uint64_t changes = 0;
    *stop = launch_over_budget(l);
    for (int i = 0; i < l->sm_count; i++) {
        *stop |= l->sms[i].stopped;
        pending |= l->sms[i].pending;
        stalled &= !l->sms[i].pending || l->sms[i].stalled;
        changes += l->sms[i].changes;
    }
    l->standstill = stalled && changes == l->changes;
    l->changes = changes;
    *stop |= launch_stuck(l, before);
    return *stop || !pending;
}

static void launch_drain(struct launch *l)
{
    launch_swap_logs(l);
    launch_replay(l, l->team);
}

static uint64_t *counts_copy(const uint64_t *from, int count)
{
    uint64_t *to = xcalloc((size_t)count + 1, sizeof *to);
    memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

// The few blocks of a last wave meet in other ways than those before: what they wait for says nothing of the grid's steps.
static void launch_note_steady(struct launch *l)
{
    launch_drain(l);
    l->steady_hits = counts_copy(l->site_l2_hits, l->program->site_count);
    l->steady_halves = counts_copy(l->arrivals.site_halves, l->program->site_count);
}

// false: a violation ended the launch.
static bool launch_waves(struct launch *l, uint64_t from)
{
    uint64_t wave = (uint64_t)l->sm_count * (uint64_t)l->resident;
    wave -= wave % l->cluster_blocks; // all blocks of a cluster run at the same time
    bool stop = false;
    for (uint64_t first = from; first < l->places && !stop; first += wave) {
        l->wave_first = first;
        l->wave_count = l->places - first < wave ? l->places - first : wave;
        if (l->wave_count < wave && first >= LONG_WAVES * wave && l->steady_hits == NULL)
            launch_note_steady(l);
        for (int i = 0; i < l->sm_count; i++)
            l->sms[i].pending = (uint64_t)i < l->wave_count && sample_sm_runs(l, i);
        do {
            uint64_t budget = l->options->budget_warp_instructions;
            uint64_t most = l->program->claims ? EPOCH_CLAIMED : EPOCH_INSTRUCTIONS;
            uint64_t left = budget == 0 ? most : budget - launch_instructions(l) + 1;
            l->epoch_limit = left < most ? left : most;
            launch_epoch(l);
        } while (!launch_wave_over(l, &stop));
        atomics_wave_ends(l);
        if (sample_is_judged(l) && !stop) {
            launch_drain(l);
            sample_wave_ends(l);
        }
        if (l->options->progress != NULL)
            l->options->progress(l->options->progress_context, first + l->wave_count, l->places);
    }
    return !stop;
}

static void launch_run(struct launch *l)
{
    atomics_begin(l);
    uint64_t first = 0;
    while (launch_waves(l, first) && sample_goes_on(l, &first)) {
    }
    launch_drain(l);
    atomics_end(l);
}

bool sim_launch(struct sim *s, const struct sim_launch *options, struct arena *a,
                struct sim_report *report, struct error *err)
{
    struct launch l;
    uint64_t start = clock_ns();
    *report = (struct sim_report){0};
    if (!launch_init(&l, s, options, report, err)) {
        launch_release(&l);
        return false;
    }
    launch_run(&l);
    for (int i = 0; i < l.core_count; i++)
        core_settle(&l.cores[i]);
    sample_settle(&l);
    bool ok = report_fill(&l, a, report, err);
    launch_release(&l);
    report->host_ns = clock_ns() - start;
    return ok;
}
