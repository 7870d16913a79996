// The execution core's own contract: device memory, decoded programs, warps, SMs. Private to
// memory.c decode*.c exec.c control.c loadstore.c atomic.c warpops.c barrier.c launch.c check.c.
//   struct space     the device's address range and its allocations
//   struct program   a kernel and all it may call as micro-ops (struct uop); constant after decoding
//   struct launch    one sim_launch in progress
//   struct core      a host thread: counts per site, caches, scratch
//   struct sm        a simulated SM: L1, log of L2 requests, resident blocks and their warps
// A warp's registers are a byte array (a frame): row of 128 bytes a 32-bit register, 256 a 64-bit
// one, 4 bytes a predicate; operands of micro-ops are offsets into it. Constants, parameters and
// special registers are rows too, so that every source is just an offset. Offset 0 holds the
// predicate that is always true, the guard of instructions without one.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_EXEC_H
#define RIDGE_SIM_EXEC_H

#include <stdatomic.h>
#include <string.h>

#include "sim/internal.h"
#include "sim/alu/tensor_math.h"
#include "sim/model/cost.h"
#include "sim/observe/races.h"

#define ALL_LANES 0xffffffffu
enum { HEAP_CLASSES = 23 }; // of the device's malloc: up to 4 MiB
enum { ROW32 = 128, ROW64 = 256, BARRIERS = 16, VECTOR_MAX = 8, ALWAYS = 0 };

// Device addresses: the same in every run. Shared and local memory have windows in the generic
// space; the windows' offsets are the addresses in those spaces.
#define DEVICE_BASE 0x700000000000u
#define SHARED_WINDOW 0x600000000000u
#define LOCAL_WINDOW 0x500000000000u
#define WINDOW_BYTES 0x1000000u
// The system's part of a block's shared memory, before the kernel's: its size, and how much of it
// kernels may use (%reserved_smem_offset_cap and _end; an H200 says 1024 and 288, and 0 for the others).
enum { SHARED_RESERVED = 1024, SHARED_RESERVED_END = 288 };
#define CODE_BASE 0x400000000000u // "addresses" of functions: CODE_BASE + 16 * function index

#define NO_ROW UINT32_MAX // an operand that is not there: _, or p of p|q alone
// How setp combines the comparison with its third source.
enum combine { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

enum atomic_kind {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS,
};
enum shuffle_mode { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX };
enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum redux_flags { REDUX_SIGNED = 1, REDUX_FLOAT = 2, REDUX_ABS = 4, REDUX_NAN = 8 };
enum redux_kind { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR };
enum barrier_reduction { BARRIER_PLAIN, BARRIER_POPC, BARRIER_AND, BARRIER_OR };
// struct path's barrier: not a block's but other lanes of the warp.
enum { WAIT_NOTHING = -1, WAIT_WARP = BARRIERS };
enum barrier_flags { BARRIER_COUNTED = 1, BARRIER_ARRIVE = 2, BARRIER_ALIGNED = 4 };

/* ---- device memory (memory.c) ------------------------------------------------------------- */

struct allocation {
    uint64_t start, size; // offsets from DEVICE_BASE
    uint64_t committed;   // bytes from start, whole pages
    char *name;
    bool freed; // in quarantine: accesses are reported as use after free
    bool read_only;
    _Atomic uint64_t touched; // bytes from start to the end of the last access, where asked for
    bool all_written;         // a launch without SIM_CHECK_UNINIT ran: taken as written throughout
};
// A bit for each granule that was read, of groups of blocks in turn (footprint.c).
enum { FOOTPRINT_SETS = 2 };
struct granules { // of an allocation: read by the blocks that ran; by all, at least and at most
    double ran, least, most;
};
struct footprint {
    _Atomic uint64_t *read[FOOTPRINT_SETS];
    struct granules granules; // once all have run
    bool counted;
};
struct space {
    uint8_t *host;   // where DEVICE_BASE lies on the host
    uint8_t *shadow; // a byte per 4 bytes: bit i set = byte i was written
    uint64_t reserved;
    struct allocation *items; // sorted by start
    size_t count, capacity;
    size_t quarantined;
};
bool space_init(struct space *m, struct error *err) CHECK_RESULT;
void space_release(struct space *m);
bool space_alloc(struct space *m, uint64_t size_bytes, const char *name, uint64_t *address,
                 struct error *err) CHECK_RESULT;
bool space_free(struct space *m, uint64_t address, struct error *err) CHECK_RESULT;
// The allocation with `address` inside, or NULL; freed ones are found too.
const struct allocation *space_find(const struct space *m, uint64_t address);
// The allocation an address out of bounds most likely meant: the nearest.
const struct allocation *space_nearest(const struct space *m, uint64_t address);
bool space_check(const struct space *m, uint64_t address, uint64_t size_bytes, const char *what,
                 struct error *err) CHECK_RESULT;
void space_mark_written(struct space *m, uint64_t address, uint64_t size_bytes);
static inline uint8_t *space_host(const struct space *m, uint64_t address)
{
    return m->host + (address - DEVICE_BASE);
}

/* ---- programs (decode*.c) ------------------------------------------------------------------- */

struct warp;
struct uop;
// Runs one micro-op; returns the next one, or NULL when the warp's turn ends (warp->pc is set).
typedef const struct uop *(*uop_fn)(struct warp *w, const struct uop *u);
struct uop {
    uop_fn run;
    alu_fn fn;
    uint32_t d, a, b, c, e; // offsets in the frame
    uint32_t imm;
    uint32_t guard, guard_flip; // lanes that take part: guard ^ guard_flip
    uint32_t site;
    uint32_t extra;   // index: of struct mem_op, segment, branch or call
    uint32_t more;    // what the handler's comment says
    uint16_t small;   // "
    uint16_t stretch; // that begins here, of op_stretch: its number; of op_alus: micro-ops
};

struct mem_op {
    enum ptx_space space;
    int64_t offset;
    uint32_t base; // row of the address register
    uint8_t sum;   // 0, or of affine rows that only addresses are: 1 + its number
    uint32_t kept; // of such: where the row is in what is kept
    uint32_t
        seen; // of such: where in what is kept the number of the pattern is that its row was seen to have
    bool base64;    // the register is 64 bits wide
    uint8_t bytes;  // of an element
    uint8_t vector; // elements
    uint8_t width;  // of the element's registers in bits: 32, 64 or 128
    bool sign;      // loads: extended with the sign
    bool narrow16;  // into 16 bits
    bool plain;     // loads, stores: one 32-bit word, nothing special
    bool bypass_l1; // .cg .cv .volatile .relaxed …
    bool reduction; // atomics: the result is not used
    bool increment; // … and the constant 1 is added to a 32-bit integer
    bool ordered;   // volatile, relaxed, acquire, release: synchronises
    bool releases;  // release, acq_rel: orders what the thread did before
    // Shared loads that ptxas joins (decode_merge.c): the first stands for the whole access of
    // `merged` bytes from `merge_start` (as offset), the others follow it.
    uint8_t merged;
    bool follows;
    int64_t merge_start;
    uint32_t reg[VECTOR_MAX]; // rows of the elements' registers
    bool results;             // atomics of vectors: old values go to
    uint32_t result[VECTOR_MAX];
};

struct segment { // a run of instructions that a warp executes with one mask
    int first_site, count;
    int16_t poll; // its number, from 1, in a loop that only waits (decode_poll.c); 0: in none
    // A region that the machine schedules as a whole (decode_region.c): its segments stand in a row.
    int place;        // in its region, from 0
    int region_count; // of the first: instructions of the region
};

struct branch {           // brx.idx
    const int32_t *table; // targets, relative to the branch's micro-op
    int table_count;
};

struct call {
    int function; // index in the program, -1 = indirect or external
    int external; // index of an external function, -1 = none
    int arg_count, result_count;
    const uint32_t *args, *arg_sizes; // offsets in the caller's local frame, bytes
    const uint32_t *results, *result_sizes;
};

enum slot_source { SLOT_PARAM, SLOT_SPECIAL, SLOT_LOCAL, SLOT_WORKSPACE };
struct slot { // a row whose value is known only at launch, of the warp, or of the frame
    uint32_t row;
    uint8_t width; // bits
    enum slot_source source;
    enum ptx_special special;
    int component;
    uint32_t offset; // PARAM: in the parameter block; LOCAL: in the frame's local memory
    uint8_t bytes;   // PARAM
    bool sign, narrow16;
};

struct row_span {
    uint32_t row, bytes;
};

// What differs from block to block by one number for all lanes (decode_affine.c).
struct affine {
    struct uop *uops; // in order; what they give that others read: `rows`
    int uop_count;
    struct affine_row {
        uint32_t row, base; // base: of a block at place 0, in what is kept for a warp
        bool wide;
    } * rows;
    int row_count,
        made; // the first so many are made, the others only addresses are, which add what they need
    struct affine_bound { // a row of 32 bits that becomes wider
        uint32_t row;
        bool sign;
    } * bounds;
    int bound_count;
    struct slot *slots; // of blocks, that all this depends on
    int slot_count;
    uint32_t bytes; // that are kept for each warp of a block
};
enum { AFFINE_SLOTS = 8, AFFINE_ROWS = 16 };
struct function {
    const struct ptx_function *ptx;
    struct uop *uops;
    int uop_count;
    uint32_t frame_bytes;
    uint32_t constants_at, constants_bytes; // region of constant rows, copied into each frame
    uint8_t *constants;
    struct slot *launch_slots, *warp_slots, *block_slots, *frame_slots;
    int launch_slot_count, warp_slot_count, block_slot_count, frame_slot_count;
    struct uop *once; // what is the same for all blocks: run when a warp gets its place
    int once_count;
    struct affine affine;
    struct row_span *clear; // registers that may be read before they are written
    int clear_count;
    uint32_t local_bytes;
    enum { DEPTH_UNKNOWN, DEPTH_ASKED, DEPTH_KNOWN } depth;
    uint64_t chain_bytes; // local memory with the deepest chain of calls, when depth is known
    const uint32_t *formals, *formal_sizes, *returns, *return_sizes; // offsets in local memory
    int formal_count, return_count;
    int site_base, register_base;
    const struct code *code; // what ptxas makes of it, reckoned (decode/lower_code.h)
    int *held; // by block: registers that hold values at its beginning (ptx_registers_held)
};

// What the decoder knows of an instruction, for counting and reporting.
struct site_info {
    const struct ptx_instruction *in;
    const struct ptx_function *function;
    int segment; // whose counts are this site's
    int mem;     // index of its struct mem_op, or -1
    int guarded; // index of its lanes' counter, or -1 = the segment's lanes
    uint8_t flops_f16, flops_f32, flops_f64;
    uint32_t tensor_flops; // of a warp
    bool is_fadd, is_fmul, is_ffma, is_integer, is_special, is_branch, is_barrier;
    // Of an atomic on shared memory that the machine does by a loop that compares and swaps: instructions of a turn. 0: of all else
    uint8_t swap_turn;
    uint8_t routine; // enum routine that it calls for some numbers
    uint8_t
        turns; // of a loop that one machine instruction loads for (decode_merge.c); 0 and 1: each
    bool copies_on;       // of cp.async: behind another with no access of shared memory between
    bool loads_matrix;    // by LDSM, which the hardware does not count as a load
    const char *why;      // it can't be run, or NULL
    enum ptx_space space; // of a memory access
    enum { SITE_OTHER, SITE_LOAD, SITE_STORE, SITE_ATOMIC, SITE_TEXTURE, SITE_SURFACE } access;
};

struct program {
    const struct ptx_module *module;
    const struct ptx_function *kernel;
    struct arena arena;
    struct function *functions; // [0] is the kernel
    int function_count;
    struct segment *segments;
    struct branch *branches;
    struct call *calls;
    struct mem_op *mem_ops;
    struct matrix_op *matrix_ops;   // tensor.h
    struct async_op *async_ops;     // async.h
    struct texture_op *texture_ops; // texture.h
    struct stretch *stretches;      // stretch.h
    size_t segment_count, branch_count, call_count, mem_count, matrix_count, async_count,
        texture_count, stretch_count;
    size_t segment_capacity, branch_capacity, call_capacity, mem_capacity, matrix_capacity,
        async_capacity, texture_capacity, stretch_capacity;
    uint32_t stretch_groups, stretch_members; // of all stretches
    struct site_info *sites;
    struct timing_site *timing;
    int site_count, register_count, guarded_count;
    int registers_estimated;     // what program_registers() says; 0: not asked yet
    struct shared_place *shared; // variables and where they lie
    size_t shared_count, shared_capacity;
    uint64_t shared_bytes;          // static, the system's included
    uint64_t shared_reserved_bytes; // the system's, if the kernel names it
    uint64_t dynamic_shared_at;
    bool uses_local;      // local memory or calls
    bool claims;          // a loop takes what atomics give it: who comes first has the work
    bool recursive;       // or calls through pointers: depth unknown
    uint64_t local_bytes; // a thread needs, if not recursive
    bool order_shows;     // results could depend on the order of blocks: run SMs one by one
    bool blocks_meet;     // what a block does could depend on what others have done
    bool uses_heap, uses_workspace;
    bool reads_clock;
    uint64_t
        fetched; // 1 + the flushes of the caches that there were when L2 was asked for its code; 0: never
    size_t traced_ops; // of a traced warp of the last launch, on average; 0: none yet
};
struct sim_module {
    struct sim *sim;
    const struct ptx_module *ptx;
    struct module_variable *variables; // as ptx->variables
    struct program **programs;
    size_t program_count, program_capacity;
};
struct module_variable {
    uint64_t address; // 0 = none (shared, extern)
};
// Decodes `kernel` and all it may reach; never fails for what can't be run (see op_unsupported).
struct program *program_new(struct sim_module *m, const struct ptx_function *kernel,
                            enum sim_isa isa);
void program_free(struct program *p);
// Registers that a thread of the kernel would need; asked once. lower_loops.c: it knows which loops ptxas unrolls.
int program_registers(struct program *p);
int program_function(const struct program *p, const struct ptx_function *f); // index, or -1
uint64_t module_variable_address(const struct sim_module *m, const struct ptx_variable *v);
int module_function_index(const struct ptx_module *m, const struct ptx_function *f);

/* ---- external functions (external.c) --------------------------------------------------------- */

int external_find(const char *name); // -1 = not known
bool external_order_shows(int external);
bool external_uses_heap(int external);
const struct uop *external_call(struct warp *w, const struct uop *u, const struct call *call,
                                uint32_t mask);

/* ---- vector helpers (lanes_isa.c) --------------------------------------------------------------- */

struct word_turns {
    unsigned in_bank, on_word;
};
struct mem_state;
struct stretch;
struct stretch_state;
struct group_state;
enum { COLUMN_WORDS = 16 }; // of a line of the host's caches
struct lanes_functions {
    // Bit i: value[i] - base differs from delta[i].
    uint32_t (*mismatch32)(const uint32_t *value, uint32_t base, const uint32_t *delta);
    uint32_t (*mismatch64)(const uint64_t *value, uint64_t base, const uint64_t *delta);
    void (*blend32)(uint32_t *d, const uint32_t *s, uint32_t mask);
    void (*blend64)(uint64_t *d, const uint64_t *s, uint32_t mask);
    // d[i] = 4 bytes at base + offset[i], all lanes (offset signed in gather32).
    void (*gather32)(uint32_t *d, const uint8_t *base, const uint32_t *offset);
    void (*gather32_far)(uint32_t *d, const uint8_t *base, const uint64_t *offset);
    // Words of shared memory at from + offset, a row of 32 or 64 bits, if the pattern holds (mismatch32); false if not.
    bool (*load32)(uint32_t *d, const uint8_t *from, const void *offset, bool wide,
                   const struct mem_state *s);
    // Lanes on words of shared memory, 32 bits each: the most on one word, and in a bank the most words, or lanes. counts: a
    // place for each word, all 0. False: one is misaligned or beyond `limit`, the last that there may be.
    bool (*count_words)(const uint32_t *offset, uint32_t mask, uint32_t limit, uint8_t *counts,
                        bool all_lanes, struct word_turns *out);
    void (*narrow)(uint32_t *d, const uint64_t *s); // low halves
    // Of a row of 32 or 64 bits, in 32 bits.
    void (*offsets)(uint32_t *d, const void *row, bool wide, uint32_t more);
    void (*add64)(uint64_t *d, const uint64_t *s, uint64_t more);
    // The least of 64 values, of those with a bit; UINT64_MAX: of none.
    uint64_t (*least64)(const uint64_t *value, uint64_t bits);
    // Words to `lines` lines of the host, 16 or 32, at host + far[i]: word[w][i] is the line's word w; filled: those there are, a bit each.
    void (*columns)(uint8_t *host, const uint64_t *far, uint32_t word[COLUMN_WORDS][LANES],
                    unsigned lines, uint32_t filled);
};
const struct lanes_functions *lanes_functions(enum sim_isa isa); // of this host
// newer: with instructions that not every processor with AVX-512 has; this host's does where lanes_newer() is true.
const struct lanes_functions *lanes_functions_of(enum sim_isa isa, bool newer);
bool lanes_newer(void);

/* ---- running ------------------------------------------------------------------------------------ */

// Events of the interpreter and who hears them: observe/events.h.
enum event_kind {
    EVENT_BLOCK,   // a block starts
    EVENT_SEGMENT, // arithmetic: a run of instructions with one mask
    EVENT_GUARD,   // an instruction of it with a guard: the lanes that take part
    EVENT_GLOBAL,  // accesses, by space
    EVENT_SHARED,
    EVENT_LOCAL,
    EVENT_TEXTURE, // and surfaces
    EVENT_COPY,    // global memory that an asynchronous bulk copy reads or writes
    EVENT_MBARRIER, // one of the block's own is made, comes closer to the end of its phase, is waited for
    EVENT_BARRIER,
    EVENT_BRANCH, // that diverges
    EVENT_ORDER,  // a fence
    EVENT_VALUES, // unlike ones among lanes: of a vote by value, of where constants are loaded from
    EVENT_KINDS
};
enum mbarrier_step { // what happens to an mbarrier
    STEP_MADE,
    STEP_ARRIVED, // threads or bytes
    STEP_LOOKED,  // its phase is not over
    STEP_OVER,    // the phase that was waited for is
};
enum { LISTENERS_MAX = 8 };
struct event;
struct audience {
    uint32_t heard; // kinds with a listener: bits
    uint32_t bare;  // kinds that nobody hears, or the trace alone, which then needs no event
    bool plain; // accesses of global memory: the caches, the order of turns and at most the trace
    uint8_t count[EVENT_KINDS];
    void (*hear[EVENT_KINDS][LISTENERS_MAX])(struct warp *w, struct event *e);
};

enum {
    WARPS_NOTED = 64
}; // of an SM, by their place; those that share one spoil each other's guess
enum { WINDOW_WORDS = 32 }; // that are read at once: shared memory has room for them behind its end
// HALVES: each half of the warp contiguous, words of 32 bits. PAIRS: lanes 16 apart are on neighbouring words of 32 bits, no
// two on the same.
enum pattern_shape { SHAPE_OTHER, SHAPE_CONTIGUOUS, SHAPE_UNIFORM, SHAPE_HALVES, SHAPE_PAIRS };

// Words that lanes stored to lines of the host's caches and that are not in memory yet (columns.c).
struct columns {
    uint64_t number; // of the stores' pattern; 0: none are here
    uint8_t *host;   // the first lane's line
    uint32_t filled; // words of each line that are here: bits
    unsigned lines;
    unsigned stores;  // that they come from
    unsigned fetched; // lines that are on their way to the host's first cache
    bool likely;      // the stores before went to the same lines, several of them
    uint64_t last_number;
    uint8_t *last_host;  // where a store went whose words were not kept
    uint64_t far[LANES]; // of each line, from the first
    _Alignas(64) uint32_t word[COLUMN_WORDS][LANES];
};

// What a pattern does where its first lane lies at one place of a line.
struct phase {
    // Of stores; right where `planned`: not where the phase came up only once.
    struct store_plan *plan;
    struct line_bytes *written; // NULL: no store of less than whole sectors
    uint32_t stages;            // cycles of the load/store unit, for the order of turns
    uint32_t port, memory;      // cycles that the plan takes of the way to L2 and of the memory
    int passes;                 // through the L1 data stage
    bool planned;
    uint64_t times;       // that it came up, where only it counted that
    struct access access; // addresses of lines less the first lane's line
};
// The last access of a site: most sites repeat it shifted, so that what depends only on the
// differences of addresses is kept.
struct mem_state {
    // the pattern: differences to the first lane's address
    union {
        _Alignas(64) uint64_t far[LANES];
        uint32_t near[LANES];
    } delta;
    _Alignas(
        64) uint32_t word[LANES]; // `window`: which of the words from the lowest on is each lane's
    // counts, `requests` to `depth` in a row; a generic access may add to those of several spaces
    uint64_t requests, sectors, sectors_ideal, lines, l1_hit_sectors, l2_sectors; // global
    uint64_t data_passes; // global: through the L1 data stage
    uint64_t shared_requests, wavefronts, wavefronts_ideal;
    uint64_t shared_depth; // atomics: of `depth`, what is on shared memory
    uint64_t shared_turns; // of a loop that compares and swaps there
    uint64_t local_requests, local_sectors, local_ideal;
    uint64_t depth;
    // the allocation found last, as offsets from DEVICE_BASE: 0, 0 = none
    uint64_t low, high;
    uint64_t before[WARPS_NOTED]; // global loads: the first address of the warps' last ones
    // the pattern
    uint64_t number; // no other's of any site; 0 = none
    uint32_t mask;   // 0 = none; of the lanes compared
    uint32_t key;    // address of the first lane modulo LINE_BYTES (global), 4 (shared)
    enum pattern_shape shape;
    unsigned
        columns; // lines of the host that the lanes are on, at the same place of each; 0: otherwise
    int64_t lowest, highest;  // of the differences; highest with the bytes of the access
    uint64_t bits;            // or of all differences
    struct wavefronts passes; // shared
    // global: a phase for each place in a line, worked out when it first comes up
    struct phase *phase;  // of `key`
    struct phase *phases; // LINE_BYTES / phase_bytes of them
    unsigned phase_bytes;
    uint64_t known[2];                    // a bit a phase
    uint64_t line_base;                   // global: of the last access, whose line it is
    const struct store_plan *plan_before; // of another phase, the last one made
    bool window; // shared: the lanes' words lie within WINDOW_WORDS of the lowest
};

struct segment_count {
    uint64_t executed, lanes;
};

struct frame {
    struct frame *caller;
    const struct function *function;
    const struct uop *resume; // in the caller
    const struct uop *caller_reconverge;
    const struct call *call;
    uint8_t *regs;
    uint32_t local_base; // in the thread's local memory
    uint32_t local_more; // bytes of alloca
    struct frame *next_free;
};

struct path {            // lanes of a warp that run together
    struct path *parent; // takes over when its children have come to its pc
    int children;
    uint32_t mask;
    const struct uop *pc, *reconverge;
    const struct uop *meet;   // in a loop: where it waits for those it diverged from; NULL: nowhere
    struct frame *frame;      // now
    struct frame *base_frame; // when it began
    uint32_t below;           // scratch of paths_release: lanes of the paths under it
    int barrier;              // waits at this one; -1 = no
    const struct uop *barrier_uop; // bar.red: where its result goes
    struct path *next_free;
};

struct trace_look { // a wait for an mbarrier that found the phase not over, in a traced warp
    uint32_t site;  // + 1; 0: none
    size_t segment; // where its segment is in the trace
};

struct trace_region {           // that a traced warp is in
    const struct segment *head; // NULL: in none
    int place;                  // of the last segment that has run
    uint64_t run;               // bits: places that have
    size_t base;                // where the region is in the trace
};

struct trace_poll {                // a loop that only waits, while a traced warp is in it
    const struct segment *segment; // its first; NULL: in none
    int turns;                     // kept
    size_t last;                   // where the last of them is in the trace
};

// A warp's last store in part: its lines may wait to be sent when its next store comes.
struct store_waiting {
    uint64_t line[MERGE_LINES]; // addresses
    uint32_t sectors;           // that were stored: four bits for each line
    uint32_t count, site;
};

struct warp { // what each turn looks at lies together, in two of the host's lines
    _Alignas(64) uint8_t *regs;
    uint32_t mask;
    uint32_t lanes; // that exist
    const struct uop *pc, *reconverge;
    struct frame *frame;
    struct path *path; // running; NULL: pick one of the others
    struct core *core;
    struct block *block;
    int64_t turn;      // instructions left of this turn
    uint64_t executed; // warp instructions
    uint64_t wake;     // when what it asked for in this turn is there, in cycles of the SM
    const struct audience *audience;
    int other_count;
    uint32_t exited;
    bool waiting; // all leaves wait at barriers
    bool done;
    bool cluster_waiting; // all its lanes, at the cluster's barrier
    bool forced;          // a path goes on though lanes it waits for never come
    uint32_t loads;       // executed, but of shared memory
    uint32_t looks;       // at what others write, since it wrote itself
    uint8_t *affine;      // kept for its place in a block
    struct trace_warp *trace;
    int backward; // branches while other paths wait
    int index;    // in the block
    struct path root_path;
    uint8_t *local;
    uint8_t *local_shadow;      // SIM_CHECK_UNINIT: as the device's, a byte per word
    uint32_t sync_epoch;        // warp instructions that order its lanes
    struct path *others[LANES]; // leaves that don't run now
    struct warp_clock *clock;   // NULL as launch->clock
    size_t trace_base;          // where the running segment's instructions are in it
    uint32_t trace_first;       // its first site
    struct trace_region region;
    struct trace_poll poll; // the loop that it waits in
    struct trace_look look;
    uint32_t cluster_parity;         // of the phase of the cluster's barrier that a lane arrived at
    uint32_t products;               // groups of wgmma committed
    uint32_t bulk_groups, bulk_read; // groups of bulk copies committed, those known to have read
    uint64_t proxy_fence;            // when its last was, as races.time
    struct frame root;
    struct store_waiting stored;
};

// Cycles until a warp looks again at what it waits for: more than one turn of all warps of an SM takes, or
// younger ones would never have a turn.
enum { LOOK_CYCLES = 256 };

struct barrier {
    uint32_t arrived, expected; // threads; 0 expected = all that have not exited
    uint32_t count_true;        // bar.red
    bool all_true, any_true;
    struct warp *first; // to arrive, at this site: for messages
    uint32_t first_site, first_lane;
};

struct cluster {                   // its barrier; of one block where none is asked for
    uint32_t arrived, left, phase; // threads; left: that have not exited
};

struct routine_calls {
    uint64_t warps, lanes;
};

enum { WARPS_PER_BLOCK_MAX = 1024 / LANES };
// Which word of shared memory a block's warps compare and swap, each with all its lanes: how many lanes each had, the last time.
struct swapped_word {
    uint32_t site; // plus one; 0: none yet
    uint32_t offset;
    unsigned lanes; // of all warps
    uint8_t warp_lanes[WARPS_PER_BLOCK_MAX];
};

struct block {
    struct sm *sm;
    struct cluster *cluster, own_cluster;
    struct warp *warps;
    int warp_count, warps_left;
    uint64_t executed, longest; // by warps that ended; by one of them, at most
    uint32_t index[3];
    uint64_t linear;
    uint32_t threads_left;
    uint32_t exited; // threads
    uint8_t *shared;
    uint8_t *shared_shadow;             // SIM_CHECK_UNINIT: a byte per byte
    struct word_record *shared_records; // SIM_CHECK_RACES: one per 4 bytes
    struct proxies *proxies;            // SIM_CHECK_RACES
    struct barrier barriers[BARRIERS];
    uint32_t threads_waiting; // at any barrier
    uint64_t barrier_epoch;
    int traced; // its place in the trace, while its warps are traced
    bool live;
    bool affine;                // what is affine in its place holds:
    uint64_t more[AFFINE_ROWS]; // by row, what is to be added
    struct clock_arrival {      // of the last two barriers
        uint64_t barrier;
        double last;
    } arrivals[2];
    struct swapped_word swapped;
};

struct violation {
    enum sim_violation_kind kind;
    uint32_t site;
    uint32_t block[3], thread[3];
    bool has_other;
    uint32_t other_block[3], other_thread[3];
    uint32_t other_site;
    uint64_t address, count;
    uint64_t order; // the block's place in the grid
    char *what;
};

struct residence { // the memory of an SM's resident blocks
    struct block *blocks;
    size_t block_count;
    struct warp *warps;
    uint8_t *frames, *shared, *shared_shadow, *local, *local_shadow;
    uint8_t *affine; // what is kept for all blocks (affine.c)
    struct word_record *records;
    struct turn_order *order;
    uint64_t *held;     // bits: warps that wait at barriers; one that does may have none
    size_t local_bytes; // of the mapping
    size_t warp_count;
    struct residence *next_free;
};

enum { LOGS_PER_SM = 2, LOG_FIRST = 1280 }; // requests that a log has room for at first
struct sm_logs {                            // kept from launch to launch
    struct l2_log log, sent;
};

struct sm {
    int index;
    struct launch *launch;
    struct l1 *l1;
    struct l2_log log, sent; // of this epoch; of the last, being replayed
    struct residence *home;  // NULL = nothing resident
    int block_count, blocks_left;
    uint64_t epoch_instructions;
    uint64_t instructions;
    uint64_t now; // cycles, roughly: which warp's turn it is follows from them (sm.c)
    uint32_t busy,
        stages; // cycles that the running turn's requests take; of these, of the load/store unit itself
    struct sm_clock *clock;
    uint64_t port_free,
        memory_free; // when the way to L2 and the memory are done with what was asked
    bool stopped;    // by a violation
    // Signs of a standstill: warps that only look at what others are to change.
    uint64_t changes;       // of memory, of waiting warps
    uint64_t watches;       // accesses that wait for a change: volatile loads, cas, exch
    uint64_t works;         // turns of warps without such an access
    uint64_t cluster_waits; // warps that found the barrier of their cluster closed
    bool has_cluster_waits; // a warp has waited at it, in a cluster of one block too
    bool stalled;
    bool pending; // blocks of this wave not done
    struct violation *violations;
    size_t violation_count, violation_capacity;
    bool traced;         // one of some SMs, as long as there is room
    struct trace *trace; // the launch's; NULL: of others
    size_t trace_ops, trace_room;
};

enum { TRACED_SMS = 8 };

// Atomics on few addresses queue where these lie: what each slice of the L2 was asked. A line's lanes go
// in turns; each turn costs its sectors, of which those after the first cost less where all their words
// are asked for (the chip's file says how much).
enum { ATOMIC_REACH_LINES = 4 };
struct atomic_heat {
    uint64_t sectors, whole; // first or in part; further ones, whole
    uint64_t f32;            // of requests whose lanes are all on one address, f32
};
struct atomic_reach { // of the latter, in a wave of blocks: between which words of the place
    uint16_t first, end;
};

struct core { // of a host thread
    _Alignas(64) uint64_t address[LANES];
    uint64_t scratch[LANES * 2];
    struct access access_out;
    struct launch *launch;
    struct sm *sm; // the one it runs now
    const char *ahead,
        *ahead_end; // of the L1 that it may need next: not yet on its way to the host's cache
    struct segment_count *segments;
    struct mem_state *mem;
    uint64_t *guarded_lanes;
    uint64_t *divergent;             // by site
    struct routine_calls *routines;  // by site
    struct atomic_heat *atomic_heat; // by place of the L2
    struct atomic_reach *atomic_reach;
    uint8_t *word_lanes;        // a place for each word of a block's shared memory, all 0
    struct frame **free_frames; // by function
    struct path *free_paths;
    struct residence *free_residences;             // of SMs whose blocks have ended
    struct arena arena;                            // of frames, paths, plans
    struct store_plan *plans_retired, *plans_last; // the first is the oldest
    uint64_t plan_lines;  // the last number of lines that plans have in common
    uint64_t patterns;    // the last number of a pattern
    uint64_t plans_epoch; // the last in which plans were made
    unsigned plans_made;  // in it
    uint64_t blocks_done;
    uint64_t blocks_executed, block_executed_max; // instructions of those blocks; of one, at most
    // Of stretches (stretch.h): by number; by group; by load, what it counts.
    struct stretch_state *stretches;
    struct group_state *stretch_groups;
    struct wavefronts *stretch_passes;
    bool (*stretch_run)(struct warp *w, const struct stretch *s, const struct group_state *g);
    const struct lanes_functions *lanes;
    tensor_multiply multiply; // of floating-point matrices
    const struct access_functions *access;
    struct columns columns;
    uint64_t sms_ran; // in the last epoch
};

struct launch {
    struct sim *sim;
    const struct sim_launch *options;
    struct program *program;
    const struct gpu *gpu;
    enum sim_isa isa;
    struct turn_costs turn;
    struct clock_model
        *clock; // NULL: no instruction reads a clock, or the chip has no modelled time
    unsigned checks;
    bool serial; // SMs one by one: atomics need no host atomics
    uint32_t block_threads, warps_per_block;
    uint32_t cluster[3], cluster_blocks; // shape and size; 1 = none
    struct cluster *clusters;            // NULL if none
    uint64_t shared_bytes;               // static and dynamic, the system's included
    uint64_t local_bytes;                // a thread
    uint64_t grid_blocks, blocks_total;  // of those that run
    uint64_t places; // of blocks, in waves; those of SMs that do not run stay empty
    // A share of the blocks: of block_step groups of neighbours the first runs (1 = all do), or, of a grid too short for
    // that, all blocks of some pairs of SMs, of those that have any (0 = all do). Pairs merge reads.
    uint64_t block_group, block_step;
    int16_t *
        sample_order; // by SM: its pair's number among those that run, -1: it does not; NULL: all run
    struct sample *sample;          // judged; NULL: it is not, or all run
    enum sample_whole sample_whole; // why all run
    double
        misses_share; // of what misses L2 in the sample, in proportion to the blocks, what does so of all
    _Atomic uint64_t
        *footprint_sent;         // … and sectors that each site sends to L2 for each allocation
    struct footprint *footprint; // of each allocation, where a share runs; NULL: all do
    int sm_count, resident;      // blocks per SM
    int registers;
    bool registers_modelled;
    uint64_t epoch_limit;  // instructions of an SM
    bool standstill;       // nothing changed anywhere in the last epoch: see paths_release
    uint64_t epoch;        // its number
    uint64_t changes;      // of all SMs, up to the last epoch
    uint64_t instructions; // the same
    uint64_t params_address, workspace_address;
    struct sm *sms;
    struct core *cores;
    int core_count;
    int threads;       // that it may take; of them as many run as there are SMs with blocks
    struct team *team; // … and what else they do; NULL: the caller's alone
    struct audience audience, audience_traced; // of blocks that are traced
    struct l2_counts l2, l2_whole;             // of the blocks that ran; of all
    uint64_t *site_l2_hits;
    struct l2_arrivals arrivals;
    // Of a long grid whose last wave is not a whole one, what its sites had found, and what was coming, before that.
    uint64_t *steady_hits, *steady_halves;
    struct merging *merging;         // NULL: nothing merges
    size_t merging_rounds;           // so far
    struct trace traces[TRACED_SMS]; // the first is SM 0's; trace.c
    struct grid_work work;
    struct atomic_heat *atomic_heat;         // of all places, up to the last wave; NULL: no atomics
    double *atomic_place_turns;              // … and what each was asked
    double atomic_turns, atomic_turns_waves; // of all; of each wave's place that has the most
    double atomic_turns_hot;                 // where most queue, at the end
    unsigned slices;                         // of the L2; 0: not known
    struct races races;                      // SIM_CHECK_RACES
    uint64_t wave_first, wave_count;
};

struct sim {
    const struct gpu *gpu;
    struct space space;
    enum sim_isa isa;
    struct l2 *l2;
    uint64_t flushes;            // of the caches
    struct l1 **l1;              // of the last launch, by SM
    struct sm_logs *logs;        // the same
    struct l2_request *log_room; // their first memory
    int log_count;
    int l1_count;
    struct l2_asked *
        asked; // of l2_arrivals, kept: rounds go on from launch to launch, none is taken for an old one
    uint32_t asked_round; // the last
    uint8_t *l1_room;     // where they lie, l1_each bytes each
    uint64_t l1_each;
    uint64_t l1_shared_bytes;
    struct amd_caches *amd_caches; // NULL: nothing of AMD's was launched yet
    uint64_t params_address, workspace_address, heap_address, heap_next;
    uint64_t heap_free[HEAP_CLASSES]; // lists of freed pieces (external.c)
    struct sim_module **modules;
    size_t module_count, module_capacity;
    struct texture *textures; // texture.h
    size_t texture_count, texture_capacity;
    uint64_t array_bytes; // that arrays have for the caches
    struct spare *spare;  // what a launch needs and the next one needs again
};

enum {
    LONG_WAVES = 8, // grids of so many waves have time to become steady
    SAMPLE_PAIR = 2,
    TURN_INSTRUCTIONS = 4096,      // a warp runs at most so long before the next one
    STALL_ROUNDS = 64,             // of an SM's warps, nothing but watching: the SM pauses
    SPIN_BRANCHES = 256,           // backward branches before the other side of a divergence runs
    EPOCH_REQUESTS = 32 * 1024,    // of an SM to L2 before all SMs pause
    EPOCH_INSTRUCTIONS = 4 << 20,  // of an SM …
    EPOCH_CLAIMED = 16 << 10,      // … that shares work with the others: program.claims
    LOCAL_STACK_BYTES = 64 * 1024, // per thread, if calls are recursive
    LOCAL_BYTES_MAX = 512 * 1024,  // per thread: what GPUs have
    PARAM_BYTES_MAX = 32764,
    HEAP_BYTES = 8 << 20,
    TRACE_OPS = 3000000,
};

/* ---- access to registers -------------------------------------------------------------------- */

static inline uint32_t *row32(const struct warp *w, uint32_t at)
{
    return (uint32_t *)(void *)(w->regs + at);
}
static inline uint64_t *row64(const struct warp *w, uint32_t at)
{
    return (uint64_t *)(void *)(w->regs + at);
}
static inline uint32_t guard_mask(const struct warp *w, const struct uop *u)
{
    return w->mask & (*row32(w, u->guard) ^ u->guard_flip);
}
static inline int lane_count(uint32_t mask)
{
    return mask == ALL_LANES ? LANES : __builtin_popcount(mask);
}
// Bits of a line's sector mask; the baseline has no instruction for it.
static inline unsigned sector_count(unsigned sectors)
{
    return (unsigned)(0x4332322132212110u >> (4 * sectors) & 15);
}
static inline int lane_first(uint32_t mask)
{
    return __builtin_ctz(mask);
}
#define EACH_LANE(lane, mask)                                                 \
    for (uint32_t m_##lane = (mask), lane = 0;                                \
         m_##lane != 0 && ((lane = (uint32_t)__builtin_ctz(m_##lane)), true); \
         m_##lane &= m_##lane - 1)

// Of a sample of pairs of SMs, the number of the SM's pair among those that run; -1: it does not.
static inline int sample_order(const struct launch *l, int sm)
{
    return l->sample_order[sm];
}
static inline uint32_t warp_thread(const struct warp *w, uint32_t lane)
{
    return (uint32_t)w->index * LANES + lane;
}

/* ---- between the files ----------------------------------------------------------------------- */

// exec.c
void warp_start(struct warp *w); // at the kernel's first micro-op
void warp_run(struct warp *w);   // one turn
struct frame *frame_new(struct warp *w, int function, struct frame *caller);
void frame_free(struct warp *w, struct frame *f);
void frame_prepare(struct frame *f);                    // constants
void frame_fill(struct warp *w, struct frame *f);       // what depends on the warp and the frame
void frame_fill_block(struct warp *w, struct frame *f); // what depends on the block
uint64_t slot_of_block(const struct warp *w, const struct slot *s);
// affine.c
size_t affine_head_bytes(const struct affine *a); // of what is kept before that of warps
void affine_learn(struct warp *w, struct frame *f, uint8_t *head); // when a warp gets its place
void affine_block(struct block *b, uint8_t *head);                 // when a block begins
void affine_run(struct warp *w, struct frame *f);                  // its warps' rows
COLD const struct uop *warp_stop(struct warp *w,
                                 const struct uop *u); // after a violation that stops
enum ptx_space address_space(uint64_t address);        // GLOBAL, SHARED or LOCAL
// model/clock.c
struct clock_model *clock_model_new(const struct launch *l); // NULL: none is needed, or none can be
void clock_model_free(struct clock_model *m);
void warp_clock_free(struct warp_clock *c);
// The clock at an instruction of the running segment.
uint64_t clock_read(struct warp *w, uint32_t site, bool nanoseconds);
void clock_sleep(struct warp *w, uint32_t site, uint32_t ns);
// Its lanes wait at no barrier any more, or not all of them.
static inline void warp_released(struct warp *w)
{
    struct residence *r = w->block->sm->home;
    size_t place = (size_t)(w - r->warps);
    w->waiting = false;
    r->held[place / 64] &= ~((uint64_t)1 << place % 64);
}
// control.c
const struct uop *path_end(struct warp *w); // the running lanes came to their reconvergence
// The running lanes wait at a barrier; result: the barrier.red that wants its result, or NULL.
const struct uop *path_block(struct warp *w, int barrier, const struct uop *resume,
                             const struct uop *result);
// The running lanes wait for what others do: these get their turn first; goes on at u.
const struct uop *path_yield(struct warp *w, const struct uop *u);
// The path others[other] is where the running one is, and becomes a part of it if both end alike.
void path_merge(struct warp *w, int other);
bool path_meets(struct warp *w, const struct uop *u); // … at `u`; true: another one runs
// Lets lanes that wait for the rest of their warp go on alone: the rest waits for them.
bool paths_release(struct warp *w);
bool path_pick(struct warp *w); // makes a path that does not wait the running one
const struct uop *lanes_exit(struct warp *w, uint32_t mask, const struct uop *next);
void warp_leaves(struct warp *w); // of one that is whole: all of it exits
// barrier.c
void barriers_recheck(struct block *b); // after threads exited
void barrier_in_pieces(struct warp *w, const struct uop *u, uint32_t mask);
void cluster_check(struct block *b);     // cluster.c: ends the phase of the cluster's barrier
COLD void barriers_stuck(struct sm *sm); // nothing runs any more: reports why
// trace.c
void trace_release(struct trace *t);
void traces_begin(struct launch *l); // which SMs are traced
void traces_end(struct launch *l);   // they go
int trace_sm(uint64_t sms, int i);   // of so many SMs the i-th of them
// check.c: violations. The address goes into the report, the words into its sentence.
COLD void violation_add(struct warp *w, enum sim_violation_kind kind, uint32_t site, uint32_t lane,
                        uint64_t address, const char *fmt, ...) PRINTF_LIKE(6, 7);
// What is wrong with an access: out of bounds, misaligned, null, freed.
COLD void violation_global(struct warp *w, const struct uop *u, uint32_t lane, uint64_t address,
                           unsigned bytes, enum touch touch);
COLD void violation_shared(struct warp *w, const struct uop *u, uint32_t mask,
                           const uint32_t *offset, int64_t more, unsigned bytes, enum touch touch);
COLD void violation_local(struct warp *w, const struct uop *u, uint32_t lane, uint64_t offset,
                          unsigned bytes, enum touch touch);
// What a store is about to write for a lane: m->bytes times m->vector bytes, 64 at most.
void stored_value(const struct warp *w, const struct mem_op *m, uint32_t lane, uint8_t *out);
void check_mark(uint8_t *shadow, uint64_t at, unsigned bytes); // as written
void check_mark_local(struct warp *w, uint32_t mask, const uint64_t *offset, unsigned bytes);
// atomic.c: where atomics queue, wave by wave
void atomics_begin(struct launch *l);
void atomics_wave_ends(struct launch *l);
void atomics_end(struct launch *l);
// a after it
uint64_t atomic_value(enum atomic_kind kind, enum ptx_type type, uint64_t a, uint64_t b);
// loadstore.c: an access's pattern, within bounds; NULL after a violation.
struct mem_state *global_pattern(struct warp *w, const struct uop *u, uint32_t mask,
                                 const uint64_t *address, unsigned bytes, enum touch touch);
// The same, and the event sent: counted, through the caches, traced, checked.
const struct mem_state *global_account(struct warp *w, const struct uop *u, uint32_t mask,
                                       const uint64_t *address, unsigned bytes, enum touch touch);
// more: added to all offsets.
const struct mem_state *shared_account(struct warp *w, const struct uop *u, uint32_t mask,
                                       const uint32_t *offset, int64_t more, unsigned bytes,
                                       enum shared_kind kind);
// columns.c. A store of 32 words, the first lane's at `first` of the host, that may wait; false: it is to be done now.
bool columns_take(struct core *core, const struct mem_state *s, uint8_t *first,
                  const uint32_t *row);
void columns_settle(struct core *core); // what waits goes to memory
// Counts of the phases of patterns: at the launch's end.
void patterns_settle(struct core *core);
bool lane_bounded(const struct space *space, uint64_t address, unsigned bytes, bool write);
// The value of a special register in a lane.
uint64_t special_value(const struct warp *w, enum ptx_special special, int component,
                       uint32_t lane);
// launch.c
uint64_t launch_own_shared(const struct launch *l); // bytes of a block, without the system's
// A request for L2 of this epoch.
void sm_log(struct sm *sm, uint64_t line, uint8_t sectors, uint8_t full, enum l2_kind kind,
            uint32_t site);
// sm.c
void sm_run(struct core *core, struct sm *sm);      // an epoch
bool sm_report_budget(struct sm *sm, uint64_t ran); // false: nothing runs there
bool sm_report_standstill(struct sm *sm);           // the same
void residence_free(struct residence *r);
// report.c
bool report_fill(struct launch *l, struct arena *a, struct sim_report *report, struct error *err);

// Handlers, named by the decoder.
// clang-format off
#define HANDLERS(X) \
    X(segment) X(alu) X(alu_carry) X(compare) X(copy32) X(copy64) X(copy128) X(copy_pred) \
    X(not_pred) X(pack) X(unpack) X(narrow) X(widen) X(widen_sign) X(clock) X(sleep) X(count_guard) X(routine) \
    X(unsupported) X(trap) X(nop) X(branch) X(branch_uniform) X(branch_table) X(ret) \
    X(end) X(exit) X(call) X(call_indirect) X(call_external) X(ld_global) X(st_global) \
    X(ld_shared) X(st_shared) X(ld_local) X(st_local) X(ld_generic) X(st_generic) \
    X(ld_const) X(ld_row) X(st_row) X(copy_async) X(isspacep) X(fence) X(proxy_fence) X(bulk_commit) X(bulk_wait) X(to_window) \
    X(atomic_global) X(atomic_shared) X(atomic_generic) X(shfl) X(vote) X(match) X(redux) \
    X(activemask) X(elect) X(barrier) X(barrier_warp) \
    X(mma) X(mma_quads) X(wgmma) X(wgmma_commit) X(wgmma_wait) X(movmatrix) X(wmma_memory) X(ldmatrix) X(mbarrier) X(mbarrier_wait) \
    X(pending_count) X(bulk) X(tensor_copy) X(store_async) X(mapa) X(getctarank) X(cluster_barrier) \
    X(video) X(ld_cluster) X(st_cluster) X(alloca) X(stack) X(add_rows) X(video_word) X(video_multiply) X(row_to_local) X(local_to_row) X(meet) \
    X(texture) X(stretch) X(alus)
// clang-format on
// A byte of a thread's local memory: word i of all lanes is row i.
uint8_t *local_at(const struct warp *w, uint64_t offset, uint32_t lane);
#define X(name) const struct uop *op_##name(struct warp *w, const struct uop *u);
HANDLERS(X)
#undef X

// All that is left of it is together, in its kernel, and none of its block waits at a barrier.
static inline bool warp_is_whole(const struct warp *w)
{
    return w->path == &w->root_path && w->root_path.parent == NULL && w->other_count == 0 &&
           w->frame == &w->root && w->block->threads_waiting == 0;
}
// Its next turn does nothing but end it.
static inline bool warp_is_over(const struct warp *w)
{
    const struct uop *u = w->pc;
    if (u->run == op_branch_uniform)
        u += (int32_t)u->d;
    return u->run == op_end && u != w->reconverge && warp_is_whole(w);
}

#endif
