// What the simulator's parts agree on. Not for other modules.
//   exec.c      decodes functions to micro-ops and runs warps, blocks, SMs (the interpreter)
//   alu*.c      pure 32-lane functions for every arithmetic instruction
//   access*.c   from 32 addresses to sectors, lines, wavefronts
//   cache.c     L1 of an SM, L2 and DRAM of the chip
//   cost.c      how many cycles an instruction takes, of which unit
//   timing.c    replays the trace of some blocks against the chip's rates: the modelled time
// Convention: a 32-bit register of a warp is uint32_t[32], a 64-bit one uint64_t[32]; 8- and 16-bit
// registers live zero-extended in 32-bit ones; 128-bit ones are uint64_t[64], low halves first;
// a predicate is one uint32_t with a bit per lane.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_INTERNAL_H
#define RIDGE_SIM_INTERNAL_H

#include "sim/sim.h"

enum { LANES = 32, SECTOR_BYTES = 32, LINE_BYTES = 128, SECTORS_PER_LINE = 4 };

/* ---- run-time choice of vector code: files *_isa.c are compiled once for each ---------------- */

enum sim_isa { SIM_ISA_BASELINE, SIM_ISA_AVX2, SIM_ISA_AVX512, SIM_ISA_COUNT };
// The best this host runs; RIDGE_SIM_ISA=baseline|avx2|avx512 lowers it (for tests and bugs).
enum sim_isa sim_isa_best(void);

/* ---- alu: pure functions over 32 lanes -------------------------------------------------------- */

// Computes all 32 lanes, whatever the mask: the interpreter blends. d never aliases the sources
// partly (it may be the same register). Unused sources are NULL. A predicate source or result is a
// pointer to its uint32_t mask. imm: lop3's table, and what a row says.
typedef void (*alu_fn)(void *d, const void *a, const void *b, const void *c, const void *e,
                       uint32_t imm);
struct alu_op {
    alu_fn fn;
    int result_bits;    // 1 (predicate), 32, 64, 128; 8/16-bit values count as 32
    int source_count;   // of a b c e
    int source_bits[4]; // as result_bits
    uint32_t imm;       // handed to fn
    bool reads_carry,
        writes_carry; // add.cc addc …: the carry mask is passed as e (uint32_t *, in/out)
    int flops_f16, flops_f32, flops_f64; // a lane each; an FMA is two
    bool is_fadd, is_fmul, is_ffma;      // f32
};
// Finds the function for arith, carry, bits, compare (the bare comparison of setp/set: boolean
// combination is the interpreter's), move, convert, special instructions. false: not supported;
// *why is a static sentence.
bool sim_alu_find(const struct ptx_instruction *in, enum sim_isa isa, struct alu_op *out,
                  const char **why);

/* ---- access: from addresses to hardware transactions ------------------------------------------ */

enum touch { TOUCH_READ, TOUCH_WRITE, TOUCH_ATOMIC }; // what an access does

struct access_line {
    uint64_t address;     // of the line: multiple of 128
    uint8_t sectors;      // bit per 32-byte sector touched
    uint8_t full_sectors; // of those, every byte touched (stores: no partial write)
};
struct access {
    int sector_count, sector_ideal, line_count;
    struct access_line line[LANES * 2]; // in order of the first lane that touches it
};
// Global and local: bytes 1, 2, 4, 8, 16, 32 per lane, aligned to bytes. mask 0: all zero.
// ideal = ceil(distinct bytes / 32).
typedef void (*access_global_fn)(const uint64_t address[LANES], uint32_t mask, unsigned bytes,
                                 struct access *out);
// Shared: offsets within the block's shared memory. Rules and their sources in access_isa.c.
struct wavefronts {
    int count, ideal;
};
enum shared_kind { SHARED_LOAD, SHARED_STORE, SHARED_ATOMIC, SHARED_INCREMENT };
typedef struct wavefronts (*access_shared_fn)(const uint32_t offset[LANES], uint32_t mask,
                                              unsigned bytes, enum shared_kind kind);
struct access_functions {
    access_global_fn global;
    access_shared_fn shared;
};
const struct access_functions *sim_access_functions(enum sim_isa isa);

/* ---- caches -------------------------------------------------------------------------------- */

// One SM's L1: sectored, write-through; a store takes a line (what it writes is there). Size = the SM's
// unified memory less the shared memory its resident blocks hold.
struct l1;
struct l1 *l1_new(const struct gpu *gpu, uint64_t shared_bytes_in_use);
// Those of all SMs in one piece of memory, in large pages of the host: of l1_room_bytes() each, freed with it. Each is made
// when its SM first runs.
uint64_t l1_room_bytes(const struct gpu *gpu, uint64_t shared_bytes_in_use);
// In large pages of the host from their size on; released by free(). What is in it is not said.
void *large_new(size_t size);
struct l1 *l1_new_in(void *room, const struct gpu *gpu, uint64_t shared_bytes_in_use);
void l1_free(struct l1 *c);
void l1_reset(struct l1 *c);
size_t l1_sets_bytes(const struct l1 *c); // of its sets, where they are few; else 0
void l1_fetch(const struct l1 *c);        // into the host's caches
// Sectors (bits) of the line that hit; the others are fetched and are there afterwards.
uint8_t l1_load(struct l1 *c, uint64_t line_address, uint8_t sectors);
uint8_t l1_store(struct l1 *c, uint64_t line_address, uint8_t sectors); // as l1_store_bytes returns
void l1_drop(struct l1 *c, uint64_t line_address, uint8_t sectors);     // atomics: done in L2
// Stores of less than a sector leave a mask of the bytes they wrote: a load of only those hits. Bits of
// a line's bytes, lowest first.
struct line_bytes {
    uint64_t half[2];
};
uint8_t l1_in_part(struct l1 *c, uint64_t line_address); // sectors that hold some bytes, not all
uint8_t l1_load_bytes(struct l1 *c, uint64_t line_address, uint8_t sectors,
                      const struct line_bytes *wanted);
// Returns the sectors of the line that were readable before.
uint8_t l1_store_bytes(struct l1 *c, uint64_t line_address, const struct line_bytes *written);

enum { MERGE_LINES = 8 }; // of a store in part, at most, that a warp's next store may join
// What an SM sends to L2, in the order it does; replayed later in a fixed order over all SMs, so
// that the counts do not depend on host threads.
enum l2_kind {
    L2_READ,
    L2_WRITE,
    L2_ATOMIC,
    L2_MERGED
}; // the last: a read that another SM's brings along
struct l2_request {
    uint64_t line_address;
    uint32_t site; // index of the PTX instruction, for its statistics
    uint8_t sectors, full_sectors;
    uint8_t kind : 4;       // enum l2_kind
    uint8_t more_words : 3; // writes: of each sector in part, so many beside the first, in the mean
    uint8_t merged : 1;     // writes: joins what waits to be sent; no counter has it
    uint8_t sm_partition : 3; // which L2 partition the SM is near
    uint8_t stage : 5;        // of its warp (l2_stage())
};
// How far a warp is that loads: by the loads it has executed, this one with them, in powers of two, and whether its block is of
// the grid's first wave. First touches come first: of what a site asks of L2 the misses are not the same share in all of them.
enum { L2_STAGES = 32, L2_STAGES_OF_WAVE = L2_STAGES / 2 };
static inline unsigned l2_stage(uint32_t loads, bool first_wave)
{
    enum { BITS = 32 };
    unsigned power = loads > 0 ? BITS - (unsigned)__builtin_clz(loads) : 0;
    unsigned of_wave = power < L2_STAGES_OF_WAVE ? power : L2_STAGES_OF_WAVE - 1;
    return of_wave + (first_wave ? 0 : L2_STAGES_OF_WAVE);
}
struct l2_stage_sectors {
    uint64_t all, missed;
};
// What a store of a pattern of addresses sends to L2 each time, whatever L1 holds: all but where it is and who sends it.
enum { ACCESS_LINES = LANES * 2 };
struct store_plan {
    unsigned requests, sent, partial; // the last two: sectors, as in struct l1_answer
    bool row;                         // has so many requests that the log takes it as one record
    uint8_t alike;            // sectors of each request where all have the same, none whole; or 0
    uint8_t more_words;       // as in struct l2_request, of all requests
    bool bytes_alike;         // of all lines, where they are known
    uint64_t lines;           // the same in plans of the same lines; 0: not known
    uint64_t lowest, highest; // of the lines, as signed numbers
    uint64_t line[ACCESS_LINES]; // numbers of the access's lines, less the base's
    struct l2_request request[ACCESS_LINES];
    struct store_plan *next; // of those that are not used any more
    uint64_t retired;        // since this epoch
};
// bytes: of each line, of a store in part.
void store_plan_make(const struct access *access, const struct line_bytes *bytes, uint32_t site,
                     struct store_plan *out);
bool store_plans_meet(const struct store_plan *a, const struct store_plan *b); // the same lines
// All lines of a warp's access at once: goes through L1, and leaves what L1 does not answer as requests for L2 in `out`, one for
// each of its lines at most.
struct l1_lines {
    const struct access *access;
    uint64_t base; // added to the lines' addresses
    uint64_t
        next; // the base of the next such access, as far as can be guessed: only for the host's caches
    uint32_t site;
    uint8_t sm_partition, stage; // as a request has them
};
struct l1_question {
    struct l1_lines lines;
    // Bytes of each line that the lanes touch, asked for when first wanted; NULL: sectors count whole.
    const struct line_bytes *(*bytes)(void *context);
    void *context;
    const struct store_plan *plan; // of a store's pattern that came before; or NULL
    uint64_t merged; // stores: lines, a bit each, of which all sectors wait to be sent
    enum touch touch;
    bool bypass; // loads: not through L1
};
struct l1_answer {
    size_t requests;
    // Sectors: found; sent on, of stores those not merged; of these touched in part.
    unsigned hits, sent, partial;
};
// Into `answer`: a struct returned is copied by the host in pieces that it has only just written in others, and waits for them.
void l1_ask(struct l1 *c, const struct l1_question *q, struct l2_request *out,
            struct l1_answer *answer);
// Of a load that does not bypass it and for which L1 needs no bytes, as it holds none of its sectors in part. false: it holds some.
bool l1_load_lines(struct l1 *c, const struct l1_lines *lines, struct l2_request *out,
                   struct l1_answer *answer);
// A store with a plan, `base` added to its lines' addresses: L1 takes note of what it writes. What it sends is the plan's.
// bytes: of each line; they are not looked at where all sectors are written whole.
void l1_store_row(struct l1 *c, const struct store_plan *plan, const struct access *access,
                  uint64_t base, const struct line_bytes *bytes);
// An SM's requests of an epoch. Those of a store whose plan is known are one record: the plan stays as it is until they have been
// replayed.
struct l2_row {
    const struct store_plan *plan;
    uint64_t base;  // added to its lines' addresses
    uint64_t after; // as many single requests
};
struct l2_log {
    struct l2_request *single;
    struct l2_row *rows;
    size_t single_count, single_capacity, row_count, row_capacity;
    size_t count; // of all requests
    uint8_t sm_partition;
    bool lent; // `single` is a piece of the room of all logs
    // While it is replayed: the next request of each kind, and how many of that row's have been.
    size_t replayed, next_single, next_row;
    unsigned within;
    struct l2_places {                 // of the row replayed last: where its lines are
        const struct store_plan *plan; // NULL: none yet
        uint64_t base, far; // a bit a line: its home is the other partition, or one of the others
        uint64_t own;       // where several threads replay: a bit a line that this one has
        bool apart;         // no two in the same set
        struct l2_place {
            uint32_t home, tag; // the set, of all partitions'
        } line[ACCESS_LINES];
    } places;
};
void l2_log_release(struct l2_log *log);
void l2_log_start(struct l2_log *log);  // empty
void l2_log_rewind(struct l2_log *log); // to be replayed
// What is replayed next is on its way to the host's cache: a round's part is too short for the host to see that it is read in
// order.
void l2_log_prefetch(const struct l2_log *log);
// Where the next `count` single requests go: the caller adds to both counts.
struct l2_request *l2_log_room(struct l2_log *log, size_t count);
void l2_log_add(struct l2_log *log, const struct l2_request *r);
void l2_log_grow_rows(struct l2_log *log);
static inline void l2_log_row(struct l2_log *log, const struct store_plan *plan, uint64_t base)
{
    if (log->row_count == log->row_capacity)
        l2_log_grow_rows(log);
    log->rows[log->row_count++] = (struct l2_row){plan, base, log->single_count};
    log->count += plan->requests;
}
struct l2_counts {                        // chip-wide
    uint64_t read_sectors, write_sectors; // at the slices, fabric copies included
    uint64_t copy_read_sectors;           // of those read: at a line's home, for another partition
    uint64_t atomic_sectors, hit_sectors; // the same; hits of all three
    uint64_t dram_read_bytes, dram_write_bytes;
    // Sectors that were written back, or fetched to be merged with what was written of them: a third for each sector of the
    // line that was not.
    uint64_t lone_written_thirds, lone_merged_thirds;
    uint64_t dirty_bytes; // left in L2 when the launch ended: written back later …
    uint64_t dirty_written_thirds, dirty_merged_thirds; // … and the same of these
};
struct l2;
struct l2 *l2_new(const struct gpu *gpu);
// For so much of the chip: of the sets.
struct l2 *l2_new_share(const struct gpu *gpu, double share);
uint32_t l2_partitions(const struct l2 *c);
uint32_t l2_home(const struct l2 *c, uint64_t line); // of a line's number, the partition
void l2_free(struct l2 *c);
uint64_t l2_dirty_bytes(const struct l2 *c);
// Of those, what is written back alone, and is fetched for what was written in part: thirds as in l2_counts.
void l2_dirty_alone(const struct l2 *c, struct team *team, uint64_t *written, uint64_t *merged);
uint64_t l2_dirty_bytes_max(const struct l2 *c); // about: sectors written in part count less
uint64_t l2_lines(const struct l2 *c);
uint64_t l2_lines_used(const struct l2 *c); // that ever held something since it was flushed
void l2_flush(struct l2 *c);                // writes nothing back: the cold state before a launch
// Feeds requests in order; adds to counts; hit sectors of each request are added to
// site_hits[request.site] when site_hits is not NULL.
void l2_replay(struct l2 *c, const struct l2_request *requests, size_t count,
               struct l2_counts *counts, uint64_t *site_hits);
// The same, and which sectors were found there that device memory had been asked for at about the same time, by another
// SM: they are still on their way. By site, in halves: the SMs' logs have no times, and what was asked for in the same
// round of them counts whole, in the one before half.
struct l2_arrivals {
    struct l2_asked {   // direct mapped, by line, of each slice of the sets apart (l2_slices.h)
        uint64_t line;  // its number + 1; 0 = none
        uint32_t round; // its last bits
        uint16_t sm;
        uint8_t sectors; // that it asked for; a granule may bring more
    } * asked;
    uint32_t round;
    uint16_t sm; // whose requests are replayed
    uint64_t *site_halves;
    struct l2_stage_sectors *stages; // L2_STAGES of each site, of loads; NULL: not wanted
};
enum { L2_ASKED = 1 << 16 };
void l2_replay_round(struct l2 *c, const struct l2_request *requests, size_t count,
                     struct l2_counts *counts, uint64_t *site_hits, struct l2_arrivals *arrivals);
// The SMs' logs in rounds, each SM's share of a round in proportion to its own number, so that all come to their end together.
struct merging;
struct l2_round {
    struct l2_counts *counts;
    uint64_t *site_hits;
    struct l2_arrivals *arrivals;
    struct merging *merging; // NULL: nothing merges
    size_t merging_round;    // the first; afterwards, and that of the arrivals, the next
    size_t site_count;
    struct team *team;   // that may take part; NULL: the caller alone
    struct spare *spare; // for what they need; NULL: it is not kept
};
void l2_replay_logs(struct l2 *c, struct l2_log *const *logs, int count, struct l2_round *round);
// merging.c: reads of neighbouring SMs for one line that leave at about the same time go to L2 as one.
struct merging *merging_new(const struct gpu *gpu); // NULL: the chip's file has none
void merging_free(struct merging *m);
int merging_sms(const struct merging *m); // neighbours whose reads merge; NULL: 1
// Marks those of the SM's requests of a round that merge with what its neighbours asked for in this round or the last.
void merging_round(struct merging *m, int sm, size_t round, struct l2_request *requests,
                   size_t count);
// The same of requests of a row, `from` to `to`: writes, which end what is on its way.
void merging_row(struct merging *m, int sm, size_t round, const struct l2_row *row, unsigned from,
                 unsigned to);

/* ---- a listener of the caller's (struct sim_launch) ------------------------------------------ */

struct event;        // observe/events.h
struct timing_input; // below
struct sim_listener {
    void (*event)(void *context, const struct event *e); // workers of a launch call it at once
    void (*timing)(void *context, const struct timing_input *in); // what the time is modelled from
};

/* ---- trace and timing ---------------------------------------------------------------------- */

// One warp instruction of a traced block, in the order the warp executed it.
struct trace_op {
#define FIELD(type, name, meaning) type name;
#include "sim/observe/trace.def"
#undef FIELD
};
// What an instruction has to do with phases of its block's barriers (mbarriers, and barriers of some of the warps),
// and what a bulk copy moves. Records of an instruction stand in a row.
enum { NO_PHASE = -1 };
struct trace_sync {
    int32_t phase;         // of the block's, numbered as they came up; NO_PHASE: what a copy moves
    bool waits;            // for the phase's end; else: is part of what ends it
    bool more;             // the next record is this instruction's too
    uint8_t touch;         // enum touch, of global memory
    uint32_t first_sector; // as an operation's
    uint32_t lines, sectors;
};
struct trace_warp {
    struct trace_op *ops;
    size_t count, capacity;
};
struct trace_block {
    uint32_t block_index;
    struct trace_warp *warps;
    int warp_count;
    struct trace_op *room; // of its warps' first operations; NULL: each has its own. trace.c
    size_t room_ops;
    int phase_count;                // of its barriers
    struct trace_barrier *barriers; // trace.c
    int barrier_count;
};
// The traced blocks are those of one SM (trace.c says which), in order of their start, until the memory for the trace is
// used up; a block is traced whole or not at all, except the first, which may be cut.
struct trace {
    struct trace_block *blocks;
    int block_count;
    struct trace_sync *syncs;
    size_t sync_count, sync_capacity;
    bool cut; // the first block was longer than the trace may be: timed by what there is of it
};

// Static facts of a site the timing needs; filled by the decoder. Registers are numbered as in the
// PTX function (calls: each function has its own numbers, see register_base).
enum timing_pipe {
#define PIPE(id, unit, server, other, lanes, latency, reader, compiler, pace, fixed, touches, \
             path, meaning)                                                                   \
    PIPE_##id,
#include "sim/model/pipes.def"
#undef PIPE
    PIPE_COUNT
};
// Operations whose machine code is measured as a whole (decode/operations.def).
enum timed_operation {
    OPERATION_NONE,
#define OPERATION(name, calls) OPERATION_##name,
#include "sim/decode/operations.def"
#undef OPERATION
    OPERATION_COUNT
};
// What divisions and roots call for numbers that their short way does not take (decode/routines.def).
enum routine {
    ROUTINE_NONE,
#define ROUTINE(id, opcode, type, slots, cycles) ROUTINE_##id,
#include "sim/decode/routines.def"
#undef ROUTINE
    ROUTINE_COUNT
};
static inline unsigned routine_slots(enum routine routine) // machine instructions of a call
{
    static const uint8_t slots_of[ROUTINE_COUNT] = {
#define ROUTINE(id, opcode, type, slots, cycles) [ROUTINE_##id] = slots,
#include "sim/decode/routines.def"
#undef ROUTINE
    };
    return slots_of[routine];
}
static inline double routine_cycles(enum routine routine)
{
    static const uint8_t cycles_of[ROUTINE_COUNT] = {
#define ROUTINE(id, opcode, type, slots, cycles) [ROUTINE_##id] = cycles,
#include "sim/decode/routines.def"
#undef ROUTINE
    };
    return cycles_of[routine];
}
enum { GROUPS_NONE = 255 };
enum wait_counter { WAIT_COUNTER_NONE, WAIT_COUNTER_VECTOR, WAIT_COUNTER_SCALAR }; // vmcnt, lgkmcnt
enum { TIMING_REGISTERS_MAX = 136 }; // wgmma's accumulators and operands
enum { SWAP_TURN = 5 };              // machine instructions of a turn that swaps a word of 32 bits
// What the first instruction of a region is to those that begin in front of a side way (decode_early.c).
enum head {
    HEAD_NONE,   // not the first
    HEAD_BEGINS, // they begin no earlier than here
    HEAD_SIDE,   // of a side way
    HEAD_BEHIND  // a side way: such instructions are in it
};
struct timing_site {
    enum timing_pipe pipe;
    uint8_t source_count, result_count;
    uint16_t source[TIMING_REGISTERS_MAX]; // registers read, the guard and address bases included
    uint16_t result[TIMING_REGISTERS_MAX];
    uint8_t bytes;         // per lane, of a memory access
    uint8_t issue_slots;   // machine instructions it becomes on its pipe (lower.def); 0 reads as 1
    uint8_t special_slots; // and on the special-function unit
    uint8_t other_slots;   // and of those that only take a scheduler's time
    bool takes_number;     // that UMOV brings into uniform registers just before it
    bool last_guarded;     // the last of the chain is under a predicate that the one before sets
    bool in_ring;          // a special function whose argument is its own result of a turn before
    uint8_t chain; // … so many of them wait for each other, one after the other; 0: all of its pipe
    uint8_t operation; // enum timed_operation: a sequence that the chip's file may have figures of
    uint8_t routine;   // enum routine: a traced operation whose `wavefronts` are not 0 needs it
    bool folds;        // an earlier instruction is part of it
    uint32_t tensor_flops; // per warp, of a matrix instruction
    int16_t moved;         // the site that issues in this one's place, less this one: schedule.c
    bool group;            // a matrix instruction of a warp group: wgmma
    uint8_t
        swap_turn;  // a loop that swaps in shared memory: a turn's machine instructions; 0: others
    uint16_t guard; // 1 + the predicate register it is under; 0: none
    uint16_t
        under; // of a selection that vanishes: 1 + the predicate that what it selects is made under; 0: none
    bool early;     // begins in front of a side way: decode_early.c
    enum head head; // of a region's first site
    uint32_t loop;  // loads moved to the first of several turns: 1 + the loop's branch; 0: others
    uint32_t
        beside; // a load moved to another in front of a side way: 1 + that one: decode_ahead.c; 0: others
    bool leads; // there are such loads beside this one
    uint32_t
        sinks_past; // 1 + the branch at its block's end that it stands behind: decode_sink.c; 0: others
    uint8_t loop_room;  // registers that loads of several turns may take together
    uint8_t loop_level; // such a load: 1, or one more than that which its place comes of …
    uint8_t place_from; // … which is so many sites in front of it; 0: none
    bool when_used;     // such loads of a later turn begin when those of the turn before have come
    bool shared_by_turns; // of a loop that ptxas unrolls: once for four turns: decode_unroll.c
    bool side_step;       // under a predicate, where PTX has a branch around it: decode_region.c
    bool jumped;          // such a one that warps without lanes for it jump over all the same
    bool rejoins;  // a branch behind which lanes wait for each other: each side issues the BSYNC
    bool polls;    // in a loop that only waits: its turns are the interpreter's
    bool constant; // of the program's own constants, the same for all lanes
    // A load of the turn before the one that uses it: 1 + the register that keeps when this turn's comes; 0: others.
    uint16_t for_next_turn;
    bool one_for_all;  // an atomic that one lane does for all that run: lower_around.c
    bool synchronises; // relaxed or acquire: looks at what others write
    bool bulk;         // of bulk copies, not of cp.async: their groups are others
    bool after_copies; // an arrival that comes when the warp's earlier copies are there
    // AMD's machine code: what counts the operation, and how many s_waitcnt leaves on their way.
    uint8_t counter; // enum wait_counter
    uint8_t vector_left, scalar_left;
    uint8_t groups_left; // on their way after a wait for copies; GROUPS_NONE: none at all
};
// Loads of an unrolled loop one behind the other, each at a place that the one before has loaded, that begin with those of other
// turns.
enum { LOAD_LEVELS = 3 };
// Lanes of a warp exchange values.
static inline bool is_among_lanes(enum timing_pipe pipe)
{
    return pipe == PIPE_WARP || pipe == PIPE_SHUFFLE;
}

static inline bool is_global_atomic(enum timing_pipe pipe)
{
    return pipe == PIPE_GLOBAL_ATOMIC || pipe == PIPE_GLOBAL_REDUCTION;
}

// How many machine instructions it becomes; what vanishes in its readers is none.
static inline unsigned site_slots(const struct timing_site *t)
{
    unsigned own = t->issue_slots > 0 ? t->issue_slots : 1;
    return t->pipe == PIPE_NONE ? 0 : own + t->special_slots + t->other_slots;
}

// A division or root of f64 becomes that of f32 (decode/lower.c); false: it is neither.
bool lower_to_f32(struct timing_site *t);

// What the blocks of a grid executed, in groups of neighbours so that long grids take no more memory than others, and what
// those of the trace did.
struct block_work {
    uint64_t executed, longest; // by all warps; by the one that executed most
};
struct work_sum {
    uint64_t blocks, executed, longest,
        longest_most; // sums over the blocks that ran; of one, at most
};
enum { WORK_GROUPS = 8192 };
struct grid_work {
    struct work_sum *groups; // NULL: not known
    uint64_t group_blocks, count;
    struct block_work *traced; // one for each traced block
    uint64_t traced_count;
};

struct timing_input {
    const struct gpu *gpu;
    const struct program *program; // whose order of issue a change may free; NULL: none of PTX
    const struct trace *trace;
    const struct timing_site *sites;
    int site_count, register_count; // largest register number + 1
    const struct sim_site *stats;   // totals per site, for L2 hit shares
    int warps_per_block, blocks_per_sm;
    uint64_t grid_blocks;
    // Of each of so many sites L2_STAGES: the share of its sectors that miss L2 there, over that of all of them; those of sites
    // that a change adds are like the ones they stand for, in the same order. NULL: the same in all stages.
    const float *stage_missed;
    size_t stage_sites;
    struct l2_counts l2;
    double memory_cache_share; // of what missed L2, found in the cache in front of device memory
    double
        array_cache_share; // of loads that missed L1 and need nothing behind L2, found in the array's L1
    double atomic_turns, atomic_turns_hot; // sectors of atomics; those one by one where most queue
    const struct counters *counters;
    const struct grid_work *work; // NULL: all blocks as those of the trace
    // What a replay changes is neither: the operations of those blocks, and how many there were. NULL: stats, and the grid.
    const struct sim_site *work_stats;
    uint64_t work_blocks;
    double asks;         // of the chip's rates, in parts of an even SM; 0: as uneven_asks() has it
    uint64_t ops_max;    // warp instructions replayed at most; 0 = the model's own limit
    struct team *team;   // threads of the host beside the caller's; NULL: none
    struct spare *spare; // for what a replay needs; NULL: it is not kept
};
// Where a line's atomics queue, of so many slices of L2 (0: not known): a place of ATOMIC_PLACES. atomic.c
enum { ATOMIC_PLACES = 1024 };
unsigned atomic_place(unsigned slices, uint64_t line);

// Models the kernel's duration. Mechanisms and sources are described in timing.c and the files beside it (replay.h).
// The first figure of the model that the chip's file lacks; NULL: none, the chip is modelled.
const char *timing_missing(const struct gpu *g);
// stalls: NULL, or a table for each site, filled where the time is valid: the warps' cycles at it.
void sim_timing_model(const struct timing_input *in, struct time_breakdown *out,
                      struct stall_table *stalls);
// What the trace shows beside the counters, and, where the launch asks for counterfactuals, the same execution's time
// with each intervention that changes anything, over time_ns. Fills the report's facts and counterfactuals.
void sim_counterfactuals(const struct timing_input *in, double time_ns,
                         const struct sim_launch *asked, struct sim_report *report);

#endif
