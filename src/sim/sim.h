// sim: the simulated GPU. Runs PTX kernels on the CPU, warp by warp with lanes as vectors, and
// counts what the hardware would: requests, sectors, wavefronts, divergence, L1, L2, DRAM; checks
// every access; and models the time from a trace of some blocks. Deterministic: results, counters
// and times do not depend on the number of host threads, the host or the compiler.
//   sim_open -> sim_alloc, sim_write -> sim_module_load -> sim_launch -> sim_read -> sim_close
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_H
#define RIDGE_SIM_H

#include "base/base.h"
#include "counters/counters.h"
#include "gpu/gpu.h"
#include "ptx/ptx.h"
#include "record/execution.h"

struct sim;
struct sim_module;
struct sim_listener;

// `gpu` is borrowed and must outlive the simulator.
bool sim_open(const struct gpu *gpu, struct sim **out, struct error *err) CHECK_RESULT;
void sim_close(struct sim *s); // NULL is fine; releases modules and memory

/* ---- device memory: addresses are device addresses, same in every run ---------------------- */

// Device memory, 256-byte aligned, red zones between allocations. `name` (copied) is used in
// messages: "8 bytes past the end of 'out'". Fresh memory counts as uninitialised.
bool sim_alloc(struct sim *s, uint64_t size_bytes, const char *name, uint64_t *address,
               struct error *err) CHECK_RESULT;
bool sim_free(struct sim *s, uint64_t address, struct error *err) CHECK_RESULT;
bool sim_write(struct sim *s, uint64_t address, const void *data, uint64_t size_bytes,
               struct error *err) CHECK_RESULT;
bool sim_read(struct sim *s, uint64_t address, void *data, uint64_t size_bytes,
              struct error *err) CHECK_RESULT;
bool sim_fill(struct sim *s, uint64_t address, uint8_t byte, uint64_t size_bytes,
              struct error *err) CHECK_RESULT;
// Of the allocation with that address: bytes to the end of the last access by a launch that asked for it (`touched`).
uint64_t sim_touched(const struct sim *s, uint64_t address);
void sim_flush_caches(struct sim *s); // L1 and L2 empty, clean: the cold state

/* ---- modules and launches ------------------------------------------------------------------ */

// `ptx` is borrowed and must outlive the module. Globals get addresses and initial values.
// An instruction the simulator can't run is no error here, only when a launched kernel reaches it.
bool sim_module_load(struct sim *s, const struct ptx_module *ptx, struct sim_module **out,
                     struct error *err) CHECK_RESULT;
void sim_module_unload(struct sim *s, struct sim_module *m);
bool sim_module_symbol(const struct sim_module *m, const char *name, uint64_t *address,
                       uint64_t *size_bytes);

enum sim_check {
    SIM_CHECK_BOUNDS = 1, // always on: out of bounds, misaligned
    SIM_CHECK_UNINIT = 2, // reads of memory nothing wrote: global, shared, local
    SIM_CHECK_RACES = 4,  // shared and global races within a block, and between blocks
};

// What a kernel's parameter for a tensor map (CUtensorMap, 128 bytes) holds on the simulated GPU;
// NVIDIA's own layout is not public.
enum { SIM_TENSOR_RANK_MAX = 5, SIM_TENSOR_MAP_BYTES = 128 };
#define SIM_TENSOR_MAP_MAGIC UINT64_C(0x70616d2065676472)
struct sim_tensor_map {
    uint64_t magic, address;
    uint64_t dims[SIM_TENSOR_RANK_MAX];          // elements, innermost first
    uint64_t strides_bytes[SIM_TENSOR_RANK_MAX]; // [0] = the element's size
    uint16_t box[SIM_TENSOR_RANK_MAX];           // elements
    uint8_t rank;
    uint8_t swizzle_bytes; // 16 = none, 32, 64, 128
    uint8_t type;          // enum ptx_type, of reductions
};

// A texture or surface over device memory: rows of texels. A kernel's parameter holds its handle.
enum { SIM_TEXTURE_RANK_MAX = 2 };
enum sim_texture_mode { // of coordinates outside, in CUDA's order
    SIM_TEXTURE_WRAP,
    SIM_TEXTURE_CLAMP,
    SIM_TEXTURE_MIRROR,
    SIM_TEXTURE_BORDER
};
struct sim_texture {
    uint64_t address, width, height, pitch_bytes; // texels; height is 1 of one dimension
    enum ptx_type element;                        // f16 f32 s8 u8 s16 u16 s32 u32
    int rank, channels;
    enum sim_texture_mode mode[SIM_TEXTURE_RANK_MAX];
    bool surface;
    bool array; // for the caches its texels lie in tiles, as those of a CUDA array
    bool linear_filter, normalized; // normalized coordinates
    bool read_normalized;           // integers as 0 to 1, or -1 to 1
};
// Its handle: the same for the same texture, until the simulator is closed.
uint64_t sim_texture_open(struct sim *s, const struct sim_texture *t);

struct sim_line_code {
    int line;
    int loop; // of the machine code, the innermost one around them: 1 and up; 0: none
    int instructions;
    int moved; // those of them that came of other lines, but stand where this one does
};

struct sim_launch {
    const struct sim_module *module;
    const char *kernel;
    uint32_t grid[3], block[3]; // blocks, threads
    uint32_t cluster[3];        // blocks; 0 = as the kernel says (.reqnctapercluster), else 1
    uint32_t dynamic_shared_bytes;
    bool cooperative; // all blocks run at the same time, or it is an error; grid-wide barriers
    const void *const *args; // one pointer per parameter, to a value of the parameter's size
    int arg_count;
    int registers_per_thread; // from a real compiler; 0 = use ptx_register_estimate
    // How many machine instructions a real compiler makes of lines of the PTX, by line; 0 of them = the lowering pass
    // says.
    const struct sim_line_code *line_codes;
    int line_code_count;
    // Options; zero means the default.
    int threads;                       // host threads; 0 = all
    unsigned checks;                   // enum sim_check bits; BOUNDS is always on
    uint64_t budget_warp_instructions; // 0 = none: ends with an error when exceeded
    double sample_share; // 0 or 1 = all blocks; 0.1 = about a tenth (results are then partial!)
    bool
        sample_judged; // … or as many as it takes to know what all of them count (report: `sample`)
    bool reverse_blocks;   // the grid's last blocks start first; clusters keep their ranks
    bool no_caches;        // leave L1, L2, DRAM and the modelled time absent
    bool no_timing;        // no trace, no modelled time
    bool touched;          // how far each allocation is reached into (sim_touched)
    bool facts;            // also what the trace shows
    bool counterfactuals;  // … and the times with each inefficiency taken away
    double replay_s;       // those take so long at most: less of the trace is replayed; 0 = all
    uint64_t replay_steps; // … and so many steps of the model, the same on every machine; 0 = all
    const struct interventions *change; // … and with these, together; NULL = none
    void (*progress)(void *context, uint64_t blocks_done, uint64_t blocks_total); // may be NULL
    void *progress_context;
    int (*printf_sink)(void *context, const char *data,
                       size_t size_bytes); // of device printf; NULL = dropped
    void *printf_context;
    const struct sim_listener
        *listener; // hears the launch's events too; NULL = none (private: tests)
    void *listener_context;
};

// What one PTX instruction did, over the whole launch.
struct sim_site {
    const struct ptx_instruction *instruction;
    const struct ptx_function *function;
    uint64_t executed; // by warps
    uint64_t lanes;    // executed times active lanes
    uint64_t issued,
        issued_lanes;   // the same of the machine instructions that the lowering pass makes of it
    uint64_t divergent; // branches whose lanes diverged
    uint64_t requests;  // memory: with at least one lane active
    uint64_t sectors, sectors_ideal, lines; // global and local
    uint64_t l1_hit_sectors;                // global loads
    uint64_t l2_sectors, l2_hit_sectors;    // those sent on to L2; found there
    uint64_t l2_coming_sectors; // of these, those that are on their way from device memory
    uint64_t wavefronts, wavefronts_ideal; // shared
    uint64_t same_address_depth; // atomics: largest number of lanes on one address, summed
};

enum sim_violation_kind {
    SIM_OUT_OF_BOUNDS,
    SIM_MISALIGNED,
    SIM_UNINITIALISED,
    SIM_RACE,
    SIM_BARRIER_DIVERGENCE,
    SIM_BARRIER_EXITED, // a note: no wrong result comes of it
    SIM_SHUFFLE_MASK,
    SIM_TRAP,
    SIM_ASSERT,
    SIM_UNSUPPORTED,
    SIM_BUDGET,
    SIM_DEADLOCK,
};
bool violation_stops(enum sim_violation_kind kind); // the launch ends with it
struct sim_violation {
    enum sim_violation_kind kind;
    const char *kernel;
    const char *file; // source file and line when .loc gives one, else the PTX's
    int line;
    uint32_t block[3], thread[3];
    bool has_other;
    uint32_t other_block[3], other_thread[3]; // races: the other side
    int other_line;
    uint64_t address;
    const char *what; // one sentence: "writes 4 bytes 8 bytes past the end of 'out' (16384 bytes)"
    uint64_t count;   // times seen at this site
};

struct sim_report { // arena-owned
    struct counters counters;
    struct sim_site *sites; // of the kernel and every function it may call, in PTX order
    int site_count;
    struct line *lines; // sorted by file, line
    int line_count;
    struct sim_violation *violations;
    int violation_count;
    struct time_breakdown time;
    struct stall_table stalls;              // of the whole launch; the lines have their own
    struct facts facts;                     // where they or counterfactuals were asked for
    struct counterfactuals counterfactuals; // where they were asked for, and the time is modelled
    struct run_fidelity fidelity; // what the kernel went through, and how far that was compared
    const char *time_missing; // the figure that the chip's file lacks for a modelled time, or NULL
    bool groups_wait;    // no time: AMD's work-groups wait for others, by turns of the simulator
    bool time_of_pieces; // blocks are too long for the trace: a part of one stands for all
    struct occupancy occupancy;
    int registers_per_thread;
    bool registers_modelled; // the count is an estimate
    uint64_t blocks_run, blocks_total;
    struct block_sample sample; // where a judged one was asked for
    bool sample_fails; // it shows that all blocks have to run (sample.whole): figures are no good
    uint64_t host_ns;
};

// Runs the kernel. true: ran to its end with no violation of a kind that stops a kernel
// (out of bounds, misaligned, trap, unsupported instruction, budget, deadlock). On such a violation
// returns false with kind ERROR_CHECK, message "file:line: kernel 'k': what (block (x,y,z), thread
// (x,y,z), address 0x…)"; the report still holds everything counted. Others (races, uninitialised
// reads, barrier divergence) are only listed in the report.
bool sim_launch(struct sim *s, const struct sim_launch *launch, struct arena *a,
                struct sim_report *report, struct error *err) CHECK_RESULT;

#endif
