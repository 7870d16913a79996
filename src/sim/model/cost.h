// How many cycles an instruction takes, of which unit of an SM, and when its result is there: the one place
// that says so. The replay (timing.c), the clock that kernels read (clock.c), the order of turns (turns.c) and the
// order of issue (schedule.c) ask here. Rates are the chip's file's; which instruction becomes what is pipes.def,
// decode/lower.def and decode/operations.def.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_COST_H
#define RIDGE_SIM_COST_H

#include "record/execution.h"
#include "sim/internal.h"

static inline double later(double a, double b)
{
    return a > b ? a : b;
}

static inline double sooner(double a, double b)
{
    return a < b ? a : b;
}

/* ---- rates: the chip's, as cycles and as units per cycle of one SM --------------------------------- */

struct rates {
    double none;                       // 0: of pipes that have no such figure
    double store_places, store_place;  // lines of a bank that wait to be sent, each further one
    double store_pass, own_pass, word; // of stores' flits, a scheduler's loads, wide loads: 0: none
    double granule;                    // sectors that device memory sends together
    double step_followers,
        step_power; // of SMs that wait for the same lines: a power of 1: not in step
    double lines, lsu_issue, lsu_store, l1_bytes, fill_bytes, wavefront;
    double l2_read_bytes, l2_flits, l2_atomics, l2_atomics_same;
    double dram_read_bytes, dram_write_bytes, constant, constant_latency;
    double f32_half, f64, f16, integer, wide, special, convert, warp;
    double wide_dispatch; // cycles of a scheduler
    double tensor_flops, mma_share, atomic_return;
    double swap_cycles,
        swap_latency; // of a turn of a loop that compares and swaps in shared memory
    double alu, f64_latency, special_latency, shared_latency, l1_latency, l2_latency, dram_latency;
    double uniform; // from a uniform register's number to its reader
    double guard;   // more to an instruction under a predicate than to one that computes with it
    double branch;  // from a branch to the next instruction; 0: not known
    double branch_parting, branch_back,
        match_value; // more of one whose lanes part, to a loop's begin; of a vote by value, each value
    double first_fetch, first_constant, constants_miss, warp_fetch, warp_exit,
        warp_drain; // of stalls alone; 0: not known
    double
        load_places, // instructions in the queue in front of the LSU; of stalls alone; 0: not known
        loads_in_flight, // whose data have not come; the same
        cross;           // more to another pipe than to its own; the same
    double bulk_start;   // a lane's bulk copy; 0: not known
    double barrier, barrier_warp, atomic_latency, warp_latency, tensor_latency;
    double block_launch, block_warp_launch, block_dispatch, block_first;
    double load_queue; // cycles of work the queue in front of the LSU holds
    double port_lines, flit_queue;
    double near_far, line_near, line_far, line_near_share, line_near_sms, line_spread, line_slow,
        line_slow_share;
    double load_knee, load_slope, load_slope_high;
    double warp_lanes, schedulers,
        turn;      // lanes of a warp; cycles between a warp's instructions at least
    double scalar; // AMD: of the scalar unit
    double memory_cache_bytes,
        memory_cache_latency;   // of the cache between L2 and device memory; 0: none
    double array_cache_latency; // of the cache between L1 and L2; 0: none
    struct {                    // NAN: not in the chip's file
        double cycles, latency;
    } operation[OPERATION_COUNT];
};

// What a kernel asks of the chip as a whole: how many SMs share it, and whether it also writes to memory.
struct demand {
    double sms;
    double
        shares; // of the busiest SM's size, in what all do: 72 where 12 of 132 have a second block
    bool mixed;
};
struct demand demand_of(const struct timing_input *in);
void rates_fill(struct rates *r, const struct gpu *g, struct demand d);

double dram_written(const struct l2_counts *c); // bytes, those that leave later too
// What is read and written at the memory's rates, for all SMs together.
double memory_least_ns(const struct gpu *g, const struct l2_counts *c);

/* ---- instructions ------------------------------------------------------------------------------- */

enum unit { // how an instruction is executed
    UNIT_NONE,
    UNIT_MATH,
    UNIT_LOAD,
    UNIT_STORE,
    UNIT_SHARED,
    UNIT_ATOMIC,
    UNIT_COPY,
    UNIT_CONSTANT,
    UNIT_TENSOR,
    UNIT_SCALAR,
    UNIT_WAIT,
};
enum server_id { // pipes that take one instruction after the other
    SERVER_NONE,
    SERVER_LSU,
    SERVER_FMA_HEAVY,
    SERVER_FMA_LITE,
    SERVER_F64,
    SERVER_F16,
    SERVER_INTEGER,
    SERVER_SPECIAL,
    SERVER_CONVERT,
    SERVER_WARP,
    SERVER_CONSTANT,
    SERVER_TENSOR,
    SERVER_SCALAR,
    SERVER_LDS,
    SERVER_COUNT
};
// Where a result is made, and where it is read: from one to another it takes longer.
enum side { SIDE_NONE, SIDE_INTEGER, SIDE_F32, SIDE_SPECIAL, SIDE_ACCESS };
enum touches { TOUCHES_NOTHING, TOUCHES_READ, TOUCHES_WRITE, TOUCHES_UPDATE, TOUCHES_ALL };

struct pipe_info { // a row of pipes.def
    const char *name;
    enum unit unit;
    enum server_id first, second;
    size_t lanes, latency; // offsets in struct rates
    enum stall reader;
    int compiler_cycles, compiler_pace, fixed_cycles;
    enum touches touches;
};
const struct pipe_info *pipe_info(enum timing_pipe pipe);

struct site_cost {                          // of one instruction of the program, once for a launch
    double slots;                           // of its scheduler
    double next;                            // until the warp may issue again
    double cycles, latency;                 // of its server; from there to its result
    double special_cycles, special_latency; // of the special-function unit beside
    bool slow_way;                          // the warp goes on when its result is there
    double turn_slots; // of each turn of a loop that swaps in shared memory; 0: all else
    double hold;       // of its warp, behind its slots
    double number;     // the same, for its number from a uniform register
    double under;      // more from a predicate than where it guards: what is under it takes so long
    double sequence;   // of a sequence measured whole: one after the other at this rate; 0: none
    int16_t moved;     // as struct timing_site has it
    double pace;       // until the warp's next one of the same pipe may issue …
    uint8_t paced;     // … of enum server_id: special functions' where a chain has one
    uint8_t side;      // of enum side
    uint8_t room;      // for loads that begin with those of later turns: registers; 0: it is none
    uint8_t level;     // … 1 and up, by how many loads its place comes of
    bool in_ring;      // … and its argument is its own result of a turn before: decode_rings.c
    bool tested;       // a special function whose argument is tested first, and scaled
    int fixed;         // cycles behind its slots that its warp waits by a fixed count, if it waits
    uint8_t pipe, unit, first, second;
    uint8_t reader, throttle; // enum stall: what waits for its result, and for its place in a queue
    bool rare;    // it does more than take its unit and bring its results: timing_warp.c asks what
    bool early;   // as struct timing_site has it …
    uint8_t head; // … and this
    bool near;    // it loads from shared memory
};
struct site_cost site_cost(const struct rates *r, const struct timing_site *t);
// What an instruction waits for a result longer than ones on the same side do.
double side_cycles(const struct rates *r, const struct site_cost *maker,
                   const struct site_cost *reader);
// Is a register among both?
static inline bool registers_meet(const uint16_t *a, int a_count, const uint16_t *b, int b_count)
{
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            if (a[i] == b[j])
                return true;
    return false;
}
// Does its code branch to a call, for numbers that the short way does not take? ptxas moves nothing over that.
bool has_slow_way(const struct timing_site *t);
// schedule.c: the places in the order of issue that the program's sites would have if they were these.
void timing_schedule_of(const struct program *p, struct timing_site *sites);

/* ---- accesses ----------------------------------------------------------------------------------- */

// Of the load/store unit's stages: the tags, a few lines per cycle, and the data, a pass of the banks each.
static inline double stages_cycles(const struct rates *r, double lines, double passes)
{
    double tags = lines / r->lines, data = passes * r->wavefront;
    return tags > data ? tags : data;
}

// Lanes side by side that begin in the midst of a sector have five of them, which take a quarter more than a line's four. Of more
// lines the tags and the banks say it alone, whatever sectors they have.
static inline double side_by_side_cycles(unsigned lines, unsigned sectors)
{
    return lines <= 2 ? (double)sectors * SECTOR_BYTES / LINE_BYTES : 0;
}

// What an access sends through the SM's port to L2: a request for each line; of stores and atomics a flit for
// each sector, and of stores one more for each line that is written in part.
static inline double port_requests(unsigned lines)
{
    return lines;
}

static inline double port_store_flits(unsigned lines, unsigned sectors, unsigned partial_sectors)
{
    return sectors + (lines < partial_sectors ? lines : partial_sectors);
}
// The texture units filter so many lanes per cycle; a chip's file that does not say: no more than the tags take.
unsigned texture_filter_cycles(const struct gpu *g, int lanes);

/* ---- turns: every simulated chip has these, in whole cycles --------------------------------------- */

struct turn_costs {
    struct rates r; // only those of the stages and the port
    uint32_t l1_latency, memory_latency, memory_bytes_per_cycle, queue_cycles, schedulers;
    uint32_t tags_low,
        tags_high;        // bits of a line's number that say where its tag is; 0: not known
    uint32_t merge_lines; // of a warp's store in part, that wait for its next one
    // What so many requests take of the port, and sectors of the memory.
    uint32_t port_cycles[ACCESS_LINES + 1];
    uint32_t memory_cycles[ACCESS_LINES * SECTORS_PER_LINE + 1];
};
struct turn_costs turn_costs(const struct gpu *g, unsigned warps); // resident on an SM

#endif
