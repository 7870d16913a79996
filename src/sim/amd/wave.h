// What the parts of AMD's executor agree on: a wave, its work-group, a launch in progress.
// Scalar registers are indexed by an operand's code, so that VCC, M0 and EXEC are among them.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_WAVE_H
#define RIDGE_SIM_AMD_WAVE_H

#include "sim/amd/cache.h"
#include "sim/amd/isa.h"
#include "sim/amd/object.h"
#include "sim/internal.h"
#include "sim/observe/races.h"
#include "sim/sim.h"

#include <string.h>

enum {
    // 128 codes; what is written to OPERAND_NULL lies where nothing reads it; room for several registers from there on.
    WAVE_SCALARS = OPERAND_NULL + 16,
    WAVE_VECTORS = 512, // 256, then the accumulation registers
    FIRST_ACC = 256,
    LDS_BYTES_MAX = 64 * 1024,
    VIOLATIONS_MAX = 64, // places, not times
};
// Windows in the flat address space, as the hardware's: the upper halves of their addresses. A buffer resource whose
// base is the third is the wave's scratch.
#define LDS_WINDOW 0x00010000u
#define SCRATCH_WINDOW 0x00020000u
#define SCRATCH_RESOURCE UINT64_C(0x5c0000000000)

enum wave_state { WAVE_RUNS, WAVE_AT_BARRIER, WAVE_ENDED };

struct amd_module;
struct amd_run;
struct work_group {
    struct amd_run *run;
    uint32_t id[3];
    uint64_t linear, epoch;          // its number in the grid; barriers so far, from 1 on
    uint8_t *lds;                    // bytes, then a byte each: was it written?
    struct word_record *lds_records; // with SIM_CHECK_RACES
    uint64_t lds_bytes;
};

struct wave {
    struct work_group *group;
    uint32_t s[WAVE_SCALARS];
    uint32_t (*v)[WAVE_LANES]; // WAVE_VECTORS of them
    uint8_t *scratch;          // of lane i from i * scratch bytes on; NULL: none
    struct trace_warp *trace;  // NULL: it is not traced
    uint64_t pc, at;           // of the next instruction, and of this one
    uint32_t index;            // in the work-group
    enum wave_state state;
    bool scc, trapped;
    bool narrow; // 32 lanes, not 64: masks are single registers
    bool parted; // exec was narrowed, but not to nothing, and no branch was reached since
    uint32_t
        indexed;  // operands whose registers M0 is added to: bits of sources, then of the result
    bool stopped; // by a violation
    uint64_t counted_mask; // whose lanes are counted: lanes_on
    unsigned counted;
    uint64_t lanes;         // that began
    uint64_t barrier_lanes; // that were at the last barrier, where others were not; 0: all were
    uint64_t barrier_at;
};

enum amd_arithmetic {
    ARITHMETIC_NONE,
    ARITHMETIC_ADD,
    ARITHMETIC_MUL,
    ARITHMETIC_FMA,
    ARITHMETIC_SPECIAL,
    ARITHMETIC_COUNT
};

struct amd_traffic {
    uint64_t sectors, sectors_ideal, lines; // global memory: of 32 bytes, of 64 bytes
    uint64_t passes, passes_ideal;          // LDS
};

// Where the lanes of an instruction reached memory.
struct amd_touch {
    uint64_t address[WAVE_LANES], mask;
    unsigned bytes;
};

// What a request to global memory is before it comes to the caches: it follows from the lanes' addresses alone. All but the
// lines' numbers stay where every address moves by a multiple of AMD_SHAPE_BYTES.
struct amd_footprint {
    struct amd_lines lines; // as L1 has them, in the order in which lanes come to them
    unsigned sectors, sectors_ideal, lines_64; // of 32 bytes; of 64 bytes
    unsigned lines_128, passes;                // struct amd_access
};

// How the lanes of an instruction lay to one another when it last ran, and what followed from that (request_isa.c).
struct amd_shape;
struct amd_lds_shape;

// What one instruction did in memory, for the model of time.
struct amd_access {
    unsigned sectors, sectors_ideal, lines;        // lines of 128 bytes
    unsigned l2_sectors, l2_hit_sectors, l2_lines; // those that the array's L1 has count as hits
    unsigned passes,
        passes_ideal; // through the banks; of global memory pieces of 64 bytes; atomics: lanes on one address
    uint32_t first_sector;
    bool store;
};

struct amd_counts { // instructions of waves, and what they did
    uint64_t instructions, lanes;
    uint64_t scalar, scalar_memory, vector, vector_lanes, vector_memory, lds, branches;
    uint64_t load_requests, store_requests, atomic_requests;
    uint64_t lds_loads, lds_stores, lds_atomics, barriers;
    uint64_t divergent_branches;
    uint64_t flops_f16, flops_f32, flops_f64, flops_tensor, matrix, special, f32[ARITHMETIC_COUNT];
    struct amd_traffic traffic[TOUCH_KINDS];
    struct amd_cache_counts caches;
};

// What one instruction did, over the whole launch.
struct amd_site {
#define LINE_FIELD(name, unit, meaning) uint64_t name;
#include "record/line_fields.def"
#undef LINE_FIELD
};

// What is compiled once for each instruction set of the host (files *_isa.c).
typedef void (*amd_vector_function)(struct wave *w, const struct amd_instruction *in);
// Of a word of the code. From straight on it goes without the wave's loop (amd_straight_function): a vector instruction with
// plans; idle: it only takes time; a scalar one, or one of memory.
enum amd_decoded {
    DECODED_NOT,
    DECODED_OTHER,
    DECODED_STRAIGHT,
    DECODED_IDLE,
    DECODED_SCALAR,
    DECODED_MEMORY,
    DECODED_REQUEST // of memory: amd_is_request
};
// Such instructions one after another and through branches, from the wave's pc on, at most as many. Returns how many.
typedef unsigned (*amd_straight_function)(struct wave *w, unsigned most);
// Zeros in the first lanes of as many registers. A wave of 32 lanes writes none of the others: they stay zero.
typedef void (*amd_clear_function)(uint32_t (*v)[WAVE_LANES], unsigned count, unsigned lanes);
// A memory instruction as a whole (amd_is_request), counted now or by amd_requests_settle; false: nothing is done, it is for lanes
// one by one.
typedef bool (*amd_request_function)(struct wave *w, const struct amd_instruction *in);
struct amd_counting {
    // past_l1: it must not find lines there.
    void (*global)(struct amd_run *run, const struct amd_touch *t, enum touch_kind kind,
                   bool past_l1, struct amd_traffic *out);
    // What it does before it comes to counters and caches, with room for its lines.
    void (*look)(const struct amd_run *run, const struct amd_touch *t, enum touch_kind kind,
                 uint64_t line[AMD_LINES_MAX], uint8_t sectors[AMD_LINES_MAX],
                 struct amd_footprint *out);
    void (*lds)(const uint32_t address[WAVE_LANES], uint64_t mask, unsigned bytes, bool atomic,
                struct amd_traffic *out);
};
struct amd_functions {
    const amd_vector_function *vector;
    const amd_straight_function *straight;
    const amd_clear_function *clear;
    const amd_request_function *request;
    const struct amd_counting *counting;
    const struct lanes_functions *lanes;
};
struct amd_functions amd_functions_of(enum sim_isa isa);

struct amd_near { // the allocation that was found last: offsets from DEVICE_BASE
    uint64_t start, size;
    bool read_only, all_written;
};

// One launch.
struct amd_run {
    struct sim *sim;
    struct amd_functions functions; // of this host
    const struct sim_launch *options;
    const struct amd_module *module;
    const struct amd_kernel *kernel;
    struct arena *arena;
    struct sim_report *report;
    struct amd_counts counts;
    struct amd_site *sites, *site; // of each word of the code; of the instruction
    // Of each word of the code, made where they are needed.
    struct amd_shape **shapes;
    struct amd_lds_shape **lds_shapes;
    struct amd_stretch **stretches; // stretch.h
    struct amd_caches *caches;      // NULL: they are not counted
    unsigned l1;                    // of the wave: a number of `caches`
    struct amd_touch touch[2];      // of the instruction; the second of those with two places
    uint32_t block_threads, waves;
    size_t wave_bytes;               // of struct wave
    uint32_t (*threads)[WAVE_LANES]; // v0 of each wave of a work-group, at the start
    uint64_t kernarg_address, packet_address;
    bool progressed; // since it was cleared: something else than looking at what others write
    bool waited;     // a work-group waited for another
    struct amd_timing *timing; // NULL: no time is asked for
    uint64_t dirty_before;     // bytes of the caches, at the start
    struct amd_access access;  // of the instruction
    bool check_uninitialised, check_races;
    struct races races;
    uint64_t violation_at[VIOLATIONS_MAX]; // instructions of the report's
    struct amd_near near, scalar_near; // of vector memory instructions and others; of scalar loads
};

// The instruction at pc, decoded once; NULL: why.
const struct amd_instruction *amd_instruction_at(const struct amd_module *m, uint64_t pc,
                                                 const char **why);

// Adds what is wrong in a lane to the report; one entry per place and kind. Stops the wave if that kind stops
// launches. NULL: it has its entry.
struct sim_violation *amd_violate(struct wave *w, enum sim_violation_kind kind, unsigned lane,
                                  uint64_t address, const char *what);

/* ---- scalars ------------------------------------------------------------------------------------------ */

static inline uint64_t pair_of(const struct wave *w, unsigned code)
{
    return w->s[code] | (uint64_t)w->s[code + 1] << 32;
}
static inline void set_pair(struct wave *w, unsigned code, uint64_t value)
{
    w->s[code] = (uint32_t)value;
    w->s[code + 1] = (uint32_t)(value >> 32);
}
// Masks of a bit per lane.
static inline uint64_t lane_mask(const struct wave *w, unsigned code)
{
    return w->narrow ? w->s[code] : pair_of(w, code);
}
static inline void set_lane_mask(struct wave *w, unsigned code, uint64_t value)
{
    w->s[code] = (uint32_t)value;
    if (!w->narrow)
        w->s[code + 1] = (uint32_t)(value >> 32);
}
static inline uint64_t exec_of(const struct wave *w)
{
    return lane_mask(w, OPERAND_EXEC);
}
static inline unsigned lanes_of(const struct wave *w)
{
    return w->narrow ? WAVE_LANES / 2 : WAVE_LANES;
}
// Lanes that exec has on; counted anew only where it changed.
static inline unsigned lanes_on(struct wave *w)
{
    uint64_t exec = exec_of(w);
    if (exec != w->counted_mask) {
        w->counted_mask = exec;
        w->counted = (unsigned)__builtin_popcountll(exec);
    }
    return w->counted;
}
// What a scalar operand is worth to an instruction that takes it as that type.
uint64_t amd_scalar_value(const struct wave *w, const struct amd_instruction *in, unsigned code,
                          enum amd_type type);
// The same; registers and the constants 0 to 64 are the most.
static inline uint64_t scalar_value(const struct wave *w, const struct amd_instruction *in,
                                    unsigned code, enum amd_type type)
{
    if (code < OPERAND_ZERO)
        return amd_type_words(type) == 2 ? pair_of(w, code) : w->s[code];
    return code <= OPERAND_SIXTY_FOUR ? code - OPERAND_ZERO : amd_scalar_value(w, in, code, type);
}

// The thread's indices in its work-group, by its number.
void amd_thread_index(const struct amd_run *run, uint32_t thread, uint32_t out[3]);
// Of the instruction at pc; 0: none is known.
int amd_line_at(const struct amd_module *m, uint64_t pc);

// Is the access to pass its CU's L1? gfx942: those whose scope is the agent or the system (sc1).
static inline bool amd_passes_l1(const struct amd_instruction *in)
{
    return in->arch == ARCH_GFX942 ? in->scc : in->glc;
}

// Vector memory operations that s_waitcnt lets be on their way.
static inline unsigned amd_wait_vector(const struct amd_instruction *in)
{
    unsigned c = (unsigned)in->constant;
    return in->arch == ARCH_GFX1100 ? c >> 10 & 63 : (c & 15) | (c >> 14 & 3) << 4;
}
// The same of LDS and scalar loads; the largest number waits for none.
static inline unsigned amd_wait_scalar_none(const struct amd_instruction *in)
{
    return in->arch == ARCH_GFX1100 ? 63 : 15;
}
static inline unsigned amd_wait_scalar(const struct amd_instruction *in)
{
    unsigned c = (unsigned)in->constant;
    return in->arch == ARCH_GFX1100 ? c >> 4 & 63 : c >> 8 & 15;
}
// What it does to memory.
static inline enum touch_kind amd_kind_of(const struct amd_instruction *in)
{
    static const uint8_t kinds[] = {
        [ACTION_STORE] = TOUCH_STORES,          [ACTION_STORE_HIGH] = TOUCH_STORES,
        [ACTION_STORE_TWO] = TOUCH_STORES,      [ACTION_ATOMIC] = TOUCH_ATOMICS,
        [ACTION_ATOMIC_RETURN] = TOUCH_ATOMICS, [ACTION_PERMUTE_BACK] = TOUCH_LOADS};
    return (enum touch_kind)kinds[amd_rows[in->id].action];
}
// Coherent loads and atomics may be a loop that waits for another work-group.
static inline bool amd_is_look(const struct amd_instruction *in, enum touch_kind kind)
{
    return in->encoding != ENCODING_DS &&
           (kind == TOUCH_ATOMICS || (kind == TOUCH_LOADS && amd_passes_l1(in)));
}
// Is it of words, for all lanes at once?
bool amd_is_request(const struct amd_instruction *in);
static inline bool amd_is_idle(const struct amd_instruction *in)
{
    return in->id == AMD_s_waitcnt || in->id == AMD_s_nop || in->id == AMD_s_delay_alu ||
           in->id == AMD_s_clause;
}
// Does it wait until all that was stored is there? gfx11 counts stores by themselves.
static inline bool amd_waits_for_stores(const struct amd_instruction *in)
{
    return in->arch == ARCH_GFX1100 ? in->id == AMD_s_waitcnt_vscnt && in->constant == 0
                                    : in->id == AMD_s_waitcnt && amd_wait_vector(in) == 0;
}

void amd_run_scalar(struct wave *w, const struct amd_instruction *in);
static inline void amd_run_vector(struct wave *w, const struct amd_instruction *in)
{
    (*w->group->run->functions.vector)(w, in);
}
void amd_run_matrix(struct wave *w, const struct amd_instruction *in);
void amd_run_wmma(struct wave *w, const struct amd_instruction *in);
void amd_run_memory(struct wave *w, const struct amd_instruction *in);
// What the instruction did in memory: run->touch, or what is known of it already.
void amd_count_touches(struct amd_run *run, const struct amd_instruction *in);
void amd_count_traffic(struct amd_run *run, struct amd_site *site, const struct amd_instruction *in,
                       const struct amd_traffic *own);
// As many memory instructions, whatever they reached.
void amd_count_requests(struct amd_run *run, struct amd_site *site,
                        const struct amd_instruction *in, uint64_t times);
// What is kept with the shapes of a word's instruction is counted; of all of the launch's.
void amd_requests_settle(struct amd_run *run, const struct amd_instruction *in, size_t word);
void amd_requests_settle_all(struct amd_run *run);
void amd_know_arithmetic(void); // before a launch
void amd_count_arithmetic(struct amd_run *run, enum amd_id id, uint64_t lanes);
// What an atomic operation leaves in memory.
uint64_t amd_atomic(enum memory_flag operation, unsigned bytes, uint64_t old, uint64_t value,
                    uint64_t compare);

#endif
