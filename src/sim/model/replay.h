// The replay of the model of time, shared by its files (what an instruction takes: cost.h):
//   timing.c         blocks, and from one SM to the chip
//   timing_warp.c    one instruction of a warp
//   timing_units.c   the SM's units
//   timing_memory.c  caches, device memory, atomics, shared memory
//   timing_stalls.c  why a warp does not issue
//   timing_sync.c    phases of mbarriers and of barriers of some warps
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_REPLAY_H
#define RIDGE_SIM_REPLAY_H

#include "sim/model/cost.h"

#include <math.h>

enum {
    FILL_TABLE = 8192, // sectors on their way remembered (direct mapped)
    SCHEDULERS_MAX = 8,
    LAST_NONE = -1,    // no register
    LAST_UNKNOWN = -2, // not looked at yet
};

/* ---- servers: one thing at a time, first come first served ------------------------------------ */

struct server {
    double free_at, busy;
};

static inline double server_take(struct server *s, double at, double cycles)
{
    double start = later(at, s->free_at);
    s->free_at = start + cycles;
    s->busy += cycles;
    return start;
}

// The load/store unit's data stage: what is taken of each few cycles to come. A line that is not there yet takes its turn when it
// has come, and what others find in the meantime goes before it.
enum { STAGE_CYCLES = 16, STAGE_SPANS = 4096 };
struct stage {
    uint64_t span[STAGE_SPANS]; // whose cycles `taken` counts; another number: nothing is taken
    double taken[STAGE_SPANS];
};
// Takes cycles from `at` on, where they are free; returns the end of the last of them. start: of the first.
double stage_take(struct stage *s, double at, double cycles, double *start);

/* ---- the SM ------------------------------------------------------------------------------------ */

enum { GROUPS = 64 };   // of copies, each with an arrival of its own
struct copy_groups {    // of a warp: until when its copies are on their way
    double open;        // of those in no group yet
    double end[GROUPS]; // of the last groups, each with all before it
    unsigned count;
};

struct barrier_phase { // of a barrier, in a block that runs
    uint32_t left;     // what has not arrived
    double over;       // when the last did
    bool copied;       // the last is a copy
    int sleeper;       // the first warp that waits for its end; -1
};

enum { NO_WARP = -1, NOBODY = -1 };
// A warp's stores to shared memory that wait in the queue: ptxas 13.0 writes their registers again behind few of them.
enum { NEAR_STORES = 8 };
enum { TOGETHER = 16 }; // loads of an unrolled loop's turns that its code has in a row
struct warp_state {
    double at;                    // earliest time of its next issue
    int last;                     // the register its next instruction waits for longest (LAST_…)
    double last_ready;            // when the instruction can read it
    const struct trace_op *op;    // what issues next …
    const struct site_cost *cost; // … unless last is LAST_UNKNOWN (warp_look)
    size_t next;
    const struct trace_warp *trace;
    double issued;              // when the last one issued
    double *ready;              // a register each
    double *queued;             // of the cycles until then, those in front of a busy pipe
    int32_t *maker;             // the site whose result it is; NOBODY's: none yet
    double since;               // up to here its cycles have their reasons …
    double sampled;             // … and a sampler that much of its time
    double throttled;           // up to here the next instruction waits for a place in a queue …
    double fixed;               // up to here it waits by a fixed count, if it waits
    double paced[SERVER_COUNT]; // until then for the pipe that an earlier one of its own took
    double near_loads;          // what it loads from shared memory is there
    double near_stores[NEAR_STORES]; // its last stores to it have left the queue …
    unsigned near_stored;            // … of so many
    int block;                       // slot
    int scheduler;
    uint32_t loads;  // executed
    bool first_wave; // its block is of
    bool entered, waiting, done;
    bool asleep;           // until a phase is over
    int next_sleeper;      // that waits for the same; -1
    uint32_t barrier_site; // where it waits
    double started;
    double ran;          // when its last instruction issued that takes a unit
    double drained;      // when its last store has left the SM
    double kept;         // … and its last reduction is answered
    uint32_t sent_site;  // of the last store or reduction, plus one; 0: none
    struct loads_ahead { // loads of an unrolled loop that have begun with those of a turn before
        struct {
            const struct trace_op *op;
            double ready;
        } at[TOGETHER];
        int count;
        int loaded;          // the register of the first of those that began together last …
        double loaded_ready; // … and when it is there
    } ahead[LOAD_LEVELS];
    struct early_state {  // instructions that begin in front of a side way (decode_early.c)
        double from;      // … no earlier than this,
        double open;      // the last of them then,
        double slack;     // in cycles that the warp waited for operands since,
        double idle_from; // while its scheduler had nobody
        double free_at;   // since then the warp could issue
        bool behind;      // a side way
        bool now;         // the next instruction is one
    } early;
    size_t turns_end;             // up to here the turns stand in a row
    struct copy_groups copies[2]; // of cp.async; bulk copies. AMD: counted by vmcnt; lgkmcnt
};

struct draining { // a warp that has ended, its stores have not
    uint32_t site;
    double since, until, sampled;
};

struct block_slot {
    uint64_t number;      // of blocks that ran
    int running, waiting; // warps not ended; of those, waiting at the barrier
    double last_arrival;
    int traced; // the block of the trace that runs in it
    struct barrier_phase *phases;
    double free_at; // all its warps have ended and their stores left
    uint32_t
        swapped; // the word that its warps compared and swapped last, as trace_op has it; 0: none …
    double swaps_end; // … and when the last of them is through
};

struct fill { // a line on its way
    uint32_t line;
    float sectors; // that were asked for until now
    double arrives;
};

// Of a line that some traced operation misses in L1.
struct line_order {
    uint32_t line;       // plus one; 0: nothing is here
    struct first_touch { // of the whole, and of each sector, by operations that want that one alone
        uint16_t early;  // misses that the replay met at another operation than the trace did
        bool met;
    } whole, sector[SECTORS_PER_LINE];
};

static const double SAME_TIME = 1e-9; // cycles: what rounding may add
enum { PLACES_MAX = 1024 };
enum {
    NO_LINE,
    LINE_SCHEDULERS,
    LINE_QUEUES = LINE_SCHEDULERS + SCHEDULERS_MAX,
    LINE_COUNT = LINE_QUEUES + SERVER_COUNT
};

// Units whose time a site's instructions take: the pipes, then these.
enum {
    TIME_ISSUE = SERVER_COUNT,
    TIME_PORT,
    TIME_FILL,
    TIME_L2,
    TIME_FLITS,
    TIME_DRAM,
    TIME_ATOMIC,
    UNIT_TIMES
};

// The registers that each site's instructions wait for: those that they read, then those that they write. struct timing_site has
// them too, on many lines of the host's cache.
struct operands {
    struct site_operands {
        uint32_t first;           // of `registers`
        uint16_t count, guard_at; // the place of its guard; NO_GUARD
        uint16_t sources;
    } * sites;
    uint16_t *registers;
};
enum { NO_GUARD = UINT16_MAX };
struct operands operands_of(const struct timing_input *in);
void operands_release(struct operands *o);
// reads.c: what reading many registers takes of the scheduler.
void reads_charge(const struct timing_input *in, struct site_cost *costs);

struct replay {
    const struct timing_input *in;
    struct rates r;
    struct site_cost *costs; // one per site
    struct operands operands;
    bool any_early; // an instruction begins in front of a side way (decode_early.c)
    double
        idle[SCHEDULERS_MAX]; // cycles in which a scheduler had nobody, but for those taken since
    struct server issue[SCHEDULERS_MAX], pipe[SERVER_COUNT], sequence;
    struct stage *stage; // of the load/store unit; NULL: a warp's clock, which waits for nobody
    struct server tags;  // in front of it
    struct server own[SCHEDULERS_MAX]; // a scheduler's way to what its loads find
    int scheduler;                     // of the warp whose operation executes
    int slot;                          // … and its block's
    struct server fill, port, l2, memory_cache, dram, atomic, shared_only, barrier_unit;
    struct server
        stores; // what leaves through the port where it does not keep loads from leaving: with turns
    double atomics_done; // when the last of them is
    double atomic_turns; // of a sector of an atomic, on average: 1 or less
    double hot_share, hot_turn,
        hot_apart; // of a sector of an atomic, turns of the busiest place: of all SMs', of this SM's; are there many such places? 0 to 1
    double apart,
        apart_first; // how far SMs that began together are from each other: a share of the time since; cycles, as
    // device memory does not serve all at first
    double hot_turns;    // of other SMs' atomics, that one of this SM waits for
    double constants;    // the program's constants have come; 0: nobody asked
    struct server flits; // the SM's share of what the L2 takes in: runs ahead of the port
    double sms;          // at work
    double memory_load, memory_load_at; // bytes per cycle to and from device memory, lately; when
    bool memory_written;                // dirty lines leave the L2 in this kernel
    double memory_cache_owed; // hits of the cache in front of device memory, as a fraction
    double array_cache_owed;  // the same of the array's L1, in front of L2
    double fetched;           // bytes from device memory for a byte that missed L2
    double scattered;         // what granules fetched for one sector each cost, beside neighbours
    double scattered_writes;  // what sectors that are written back alone cost, beside whole lines
    double next_dispatch;
    double slots_most; // no instruction takes its scheduler for longer
    int schedulers;
    struct warp_state *warps; // blocks_per_sm * warps_per_block
    struct block_slot *slots;
    uint32_t *queue; // of runnable warps (timing.c)
    uint64_t *queue_at;
    int queue_room;
    // Warps that wait for nothing but their scheduler, or for room in a unit's queue, are in its line, out of the queue, all
    // but the first of them.
    uint8_t *line_of;     // of each warp: NO_LINE, or one of lines
    uint16_t *waiting_in; // of each slot, in each line
    int *by_age;          // slots, the one whose block began first at the front
    size_t warp_count;
    struct line_of_warps {
        int count, first; // NO_WARP: nobody waits
        int last;         // the warp that went last
    } lines[LINE_COUNT];
    bool turns;  // a block's warps go in turn, older blocks' before others'; else by their numbers
    bool yields; // others go before the warp that steps

    struct fill *fills;       // FILL_TABLE
    struct line_order *order; // a power of two of them
    uint32_t order_mask;
    double
        *coming_credit; // one per site: L2 hits owed whose sectors are still on their way there …
    double *far_share;  // … which, with the misses, are that share of the sectors
    double *miss_credit; // one per site: L2 misses owed; NULL: what was fetched before is in L2
    unsigned load_stage; // of the warp whose operation executes (l2_stage())
    double write_share;  // of the bytes stored, those that go on to device memory
    double write_lone;   // what the L2 does for a sector stored, beside taking it in: cycles
    double warp_cycles;
    // A sampler looks at one resident warp at a time (timing_stalls.c): of each site its time, by reason; NULL: nobody asks.
    double (*stalls)[STALL_COUNT];
    double now, sampled; // up to now; its time for each warp that was there all along
    int resident;        // warps
    double resident_cycles;
    struct draining *draining; // a warp each
    struct queue_places {
        double *at;     // PLACES_MAX: when the last instructions left the queue …
        uint64_t count; // … of so many
    } loads, sends,     // in front of the load/store unit
        flying;         // loads whose data have not come
    double held
        [SCHEDULERS_MAX]; // of its busy cycles, those in which a wide product keeps it behind its turn
    uint32_t **arrivals; // of each phase of each traced block
    struct barrier_phase *phases;
    uint64_t steps;       // taken
    uint64_t ran;         // operations
    uint64_t *ran_before; // … at the start of each block
    uint64_t blocks_started;
    double *starts; // of the first `starts_count` blocks
    uint64_t blocks_to_run;
    double end;
    struct gap { // in front of each site's instruction, since the warp's one before
        double cycles;
        uint64_t count;
    } * gaps;
    double (*taken)
        [UNIT_TIMES]; // of each site, what its instructions took of each unit; NULL: nobody asks
    double noted[UNIT_TIMES]; // of each unit, what all took up to the last instruction
    double start;             // of the operation that executes: when its pipe takes it
    double ready;             // of the operation that executed: when its result is there
    double whole; // instructions of a mean block over those replayed of one: 1 but for a cut trace
};

// timing_warp.c
// Runs the warp's next instruction if it can start now; else moves the warp to when it can.
enum step {
    STEP_RAN,
    STEP_MOVED,
    STEP_TURN, // moved; it waits for nothing but its turn at the scheduler …
    STEP_QUEUE // … or for room in its unit's queue
};
enum step warp_step(struct replay *p, struct warp_state *w);
// What it executes next, and which register that waits for longest. Its own instructions alone change either.
void warp_look(const struct replay *p, struct warp_state *w);
// timing_units.c
// Starts the instruction at `at`; returns when its results may be read.
double op_execute(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                  double at);
static inline bool has_queue(unsigned unit)
{
    const unsigned units = 1u << UNIT_LOAD | 1u << UNIT_STORE | 1u << UNIT_ATOMIC |
                           1u << UNIT_SHARED | 1u << UNIT_COPY;
    return (units >> unit & 1) != 0;
}
static inline bool
has_line(unsigned unit) // a queue of its own: what is stored waits for the port too
{
    const unsigned units = 1u << UNIT_LOAD | 1u << UNIT_SHARED | 1u << UNIT_COPY;
    return (units >> unit & 1) != 0;
}
// A full queue in front of the load/store unit keeps further memory instructions from issuing: until when.
static inline double queue_wait(const struct replay *p, const struct site_cost *c, double at)
{
    bool store = c->unit == UNIT_STORE || c->unit == UNIT_ATOMIC;
    if (!has_queue(c->unit))
        return at;
    at = later(at, p->pipe[c->first].free_at - p->r.load_queue);
    const struct server *port = p->turns && c->unit == UNIT_STORE ? &p->stores : &p->port;
    return store ? later(at, port->free_at - p->r.load_queue) : at;
}
// What needs the data stage at once: a request's start there, behind its turn at the tags.
double lsu_take(struct replay *p, double at, double cycles);
double pipe_take(struct replay *p, struct server *pipe, double at, double cycles); // of any pipe
double coming_share(const struct rates *r, const struct sim_site *s); // of the L2's sectors
double far_share(const struct rates *r, const struct sim_site *s);    // … and those that miss
// timing_memory.c: each starts at `at` and returns when its result is there, a store's when it has left the SM
double load_global(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                   double at);
double store_global(struct replay *p, const struct trace_op *op, double at);
double ramp_ns(const struct replay *p);
double atomic_global(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                     double at);
double access_shared(struct replay *p, const struct trace_op *op, const struct site_cost *c,
                     double at);
double copy_bulk(struct replay *p, const struct trace_op *op, const struct site_cost *c, double at);
// Which lines the trace's operations miss: the first warp that comes to one in the replay need not be who did in the trace.
void order_init(struct replay *p);
// timing_sync.c
void phases_init(struct replay *p);
void phases_release(struct replay *p);
void phases_start(struct replay *p, struct block_slot *s);
// The instruction that the warp just executed arrives at phases of barriers, which may wake others, and waits for some.
// false: the warp sleeps until its phase is over.
bool phases_step(struct replay *p, int warp, const struct trace_op *op);
// Wakes all who sleep in the slot: what they wait for is not in the trace. false: nobody does.
bool phases_give_up(struct replay *p, int slot);
// uneven.c: cycles of the chip where the grid's blocks have unequal work.
struct
    uneven_part { // of a block's operations: those that all warps execute, those of loops and of some warps only
    double operations; // of a warp, on average
    double
        alone; // cycles from an operation to the warp's next, in a block that has the SM for itself
    double full; // cycles for an operation, of the unit that these keep busiest
};
struct uneven_replay {
    uint64_t blocks;            // replayed …
    double cycles;              // … within
    double block_launch;        // from a block's end to the next in its place
    double block_dispatch, sms; // from a start to the SM's next; SMs at work
    struct uneven_part all, more;
    int one;           // the traced block that had the SM for itself …
    double one_cycles; // … so long
};
bool uneven_work(const struct timing_input *in);
double uneven_blocks(const struct timing_input *in); // that `work` is of
double uneven_cycles(const struct timing_input *in, struct uneven_replay r, double otherwise);
// The block of the trace with the longest warp.
int uneven_longest(const struct timing_input *in);
// How many times an even SM's work the traced blocks' SM has, at least one: others ask less of what all share, or have ended.
double uneven_asks(const struct timing_input *in);
// timing.c
void queue_add(struct replay *p, int warp); // of the warps that go on at their time
// timing_stalls.c
// Time goes on to `now`. A step at the time of the one before adds nothing.
static inline void sampling_go_on(struct replay *p, double now)
{
    now = later(now, p->now);
    if (p->resident > 0)
        p->sampled += (now - p->now) / p->resident;
    p->now = now;
}
// The warp is there from now on; it has ended, and goes at the time that is returned; it goes.
void sampling_enter(struct replay *p, struct warp_state *w);
double sampling_leave(struct replay *p, int warp, uint32_t site);
void sampling_drained(struct replay *p, int warp);
// The warp's cycles up to `until` had that reason, at that site; those counted before stay as they are.
void stall_add(struct replay *p, struct warp_state *w, uint32_t site, enum stall reason,
               double until);
// The BSYNC where lanes wait for each other keeps its warp as a branch does. With turns: no time of a kernel has it.
void rejoin_explain(struct replay *p, struct warp_state *w, uint32_t site);
// Behind a branch; so many cycles because its lanes part.
void branch_explain(struct replay *p, struct warp_state *w, uint32_t site, double part);
// Of a sequence of the site `maker` that stands in the way until then, queued cycles of them.
void sequence_explain(struct replay *p, struct warp_state *w, uint32_t site, uint32_t maker,
                      double queued, double until);
// timing.c: a replay of so many of the SM's blocks. sampled: what warps wait for is kept, too. false: there are no warps.
bool replay_init(struct replay *p, const struct timing_input *in, uint64_t blocks, bool sampled);
void replay_run(struct replay *p);
void replay_release(struct replay *p);
// timing_chip.c: what it says of a grid that gives the busiest SM `sm_blocks`.
void time_fill(struct time_breakdown *out, const struct replay *p, uint64_t sm_blocks);
void stalls_fill(const struct replay *p, uint64_t sm_blocks, struct stall_table *sites);
double stall_share(const struct replay *p, enum stall reason); // of the warps' cycles
// Of an atomic: are all of its lanes on shared memory?
static inline bool is_in_shared(const struct trace_op *op)
{
    return op->lanes > 0 && op->lines == 0 && op->wavefronts > 0;
}
// Is it a loop that compares and swaps there?
static inline bool is_swap_loop(const struct site_cost *c, const struct trace_op *op)
{
    return c->turn_slots > 0 && is_in_shared(op);
}

// Until when the queue is full for the warp's next instruction, at `at`; `room`: as the one that holds cycles of work has it.
double queue_room(const struct replay *p, const struct warp_state *w, double at, double room);
// The instruction is in the queue in front of the load/store unit.
void queue_note(struct replay *p, struct warp_state *w, const struct site_cost *c, double ready);
// Until when its own earlier accesses of shared memory keep a barrier, or a store to it.
double near_wait(const struct warp_state *w, const struct site_cost *c);
// A launch's first warps wait for code and constants that no cache has, before the replay begins.
void sampling_first(struct replay *p, const struct trace_warp *w, double share);
// Why the instruction at `site` issues at `at` and no sooner: its operands (the last of them: w->last), a full
// queue, others' turns.
void stall_explain(struct replay *p, struct warp_state *w, uint32_t site, double at);

// The operation's records, or NULL.
static inline const struct trace_sync *syncs_of(const struct replay *p, const struct trace_op *op)
{
    enum timing_pipe pipe = (enum timing_pipe)p->costs[op->site].pipe;
    bool may = pipe == PIPE_MBARRIER || pipe == PIPE_BULK_COPY || pipe == PIPE_BARRIER;
    return may && op->first_sector > 0 && p->in->trace != NULL
               ? &p->in->trace->syncs[op->first_sector - 1]
               : NULL;
}

// It goes out, and nobody waits for its result.
static inline bool is_sent(const struct site_cost *c)
{
    return c->unit == UNIT_STORE || c->pipe == PIPE_GLOBAL_REDUCTION;
}

// What issues next: the trace is in PTX's order.
// What issues at a place of the trace.
static inline const struct trace_op *op_at(const struct replay *p, const struct trace_warp *t,
                                           size_t place)
{
    const struct trace_op *op = &t->ops[place];
    return op + p->costs[op->site].moved;
}

static inline const struct trace_op *op_next(const struct replay *p, const struct warp_state *w)
{
    return op_at(p, w->trace, w->next);
}

#endif
