// What the decoder's files share: the state while one function becomes micro-ops.
//   decode.c      a kernel's functions, memory layout, registers' rows, constants, segments
//   schedule.c    the order that the model of time issues in
//   decode_ops.c  one instruction to its micro-ops, and its facts for counting and timing
//   decode_memory.c  those that touch memory
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_DECODE_H
#define RIDGE_SIM_DECODE_H

#include "sim/run/exec.h"

struct constant {
    uint32_t row;
    uint8_t width; // bits: 32 or 64
    uint64_t value;
};

// A branch whose target is known when the function is complete.
struct fixup {
    size_t uop;
    int target, reconverge; // instructions; instruction_count = the end
    int meet;               // … where those meet before that stay in a loop; -1: nowhere
};

struct decoder {
    struct sim_module *module;
    struct program *program;
    enum sim_isa isa;
    const struct ptx_function *f;
    struct function *out;
    struct uop *uops;
    size_t uop_count, uop_capacity;
    uint32_t *uop_of;   // first micro-op of each instruction, and of the end
    uint32_t *row;      // of each register, NO_ROW = none yet
    int *definition;    // instruction that alone writes the register without a guard, or -1
    bool *constant_reg; // always holds the same, known at launch: no register at all
    uint8_t *read;      // how often by instructions; 255: as often or more
    uint64_t *block_use, *block_def; // bits per register, of the block being looked at
    uint32_t carry;                  // row of the carry flag
    uint32_t temp;                   // rows for intermediate values, TEMP_ROWS of 256 bytes
    int temps_used;
    struct constant *constants;
    size_t constant_count, constant_capacity;
    struct slot *slots[4]; // launch, warp, block, frame
    size_t slot_count[4], slot_capacity[4];
    struct fixup *fixups;
    size_t fixup_count, fixup_capacity;
    uint32_t *local_at; // of f->variables; then params, results
    int instruction;    // being decoded
    size_t segment_head;
    bool segment_open;
};
enum { SLOTS_LAUNCH, SLOTS_WARP, SLOTS_BLOCK, SLOTS_FRAME };
enum { TEMP_ROWS = 8, TEMP_BYTES = 2 * ROW64 };

// Special registers that differ with the time they are read at.
static inline bool special_is_nanoseconds(enum ptx_special s)
{
    return s == PTX_SREG_GLOBALTIMER || s == PTX_SREG_GLOBALTIMER_LO ||
           s == PTX_SREG_GLOBALTIMER_HI;
}
static inline bool special_is_clock(enum ptx_special s)
{
    return s == PTX_SREG_CLOCK || s == PTX_SREG_CLOCK_HI || s == PTX_SREG_CLOCK64 ||
           special_is_nanoseconds(s);
}

static inline uint64_t round_up(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit * unit;
}

// decode.c
bool in_has(const struct ptx_instruction *in, const char *word); // a dotted word
struct uop *emit(struct decoder *d, uop_fn run);                 // with the instruction's guard
struct uop *emit_always(struct decoder *d, uop_fn run);
uint32_t temp_row(struct decoder *d);
unsigned reg_bits(const struct decoder *d, int reg); // 1, 32, 64 or 128: of its row
uint32_t constant_row(struct decoder *d, uint64_t value, unsigned width);
uint32_t row_more(struct decoder *d, uint32_t bytes); // a new one, behind all others
// The row of a source of so many bits (1 for predicates); value_bits: of an immediate.
uint32_t source_row(struct decoder *d, const struct ptx_operand *op, unsigned bits,
                    enum ptx_type type);
uint32_t result_row(struct decoder *d, const struct ptx_operand *op); // NO_ROW for _
uint32_t slot_row(struct decoder *d, int when, struct slot s);
void add_fixup(struct decoder *d, const struct uop *u, int target, int reconverge);
int branch_reconvergence(const struct decoder *d, int instruction);
int branch_meeting(const struct decoder *d,
                   int instruction); // decode_meet.c: an instruction, or -1
// decode_layout.c
void shared_layout(struct program *p);
void local_layout(struct decoder *d);
bool variable_within(const struct ptx_variable *v, const struct ptx_variable *array, int count);
bool variable_local(const struct decoder *d, const struct ptx_variable *v, uint32_t *at);
bool shared_offset(const struct program *p, const struct ptx_variable *v, uint64_t *offset);
uint32_t local_room(struct decoder *d, uint32_t bytes, uint32_t align); // of a frame: its offset
// decode_registers.c
void registers_place(struct decoder *d);
uint32_t constant_definition(struct decoder *d, int reg); // its row
bool instruction_is_free_constant(const struct decoder *d, const struct ptx_instruction *in);
void clear_list(struct decoder *d); // of rows that are read before they are written

// decode_ops.c
void branch_around(struct decoder *d, const struct ptx_instruction *in); // where its guard says
void decode_instruction(struct decoder *d, const struct ptx_instruction *in);
bool ends_segment(const struct ptx_instruction *in); // lanes may change behind it
// The function's register; those of carries stand behind all functions': -1.
int own_register(const struct function *own, uint16_t reg); // decode_sink.c
void sinks_find(struct program *p);                         // decode_sink.c: when regions are known
void rings_find(struct program *p);                         // decode_rings.c
void timing_schedule(struct program *p);                    // after all else
void loops_unroll(struct program *p);                       // decode_unroll.c
void early_find(struct program *p);                         // decode_early.c: after loads_ahead()
void loads_ahead(struct program *p);                        // decode_ahead.c
void lower(struct decoder *d);                              // lower.c
void lower_around(const struct decoder *d);                 // lower_around.c
// lower_narrow.c: 64 bits of which 32 count.
void lower_narrow(const struct decoder *d, struct timing_site *sites);
bool block_is_short(const struct timing_site *sites, const struct ptx_block *b, bool jumps,
                    bool loads); // decode_region.c: predicates take the place of its branch
bool block_ends_thread(const struct ptx_function *f,
                       int block); // there is nothing but ret or exit in it
void timing_fill(struct decoder *d, const struct ptx_instruction *in, struct timing_site *t);
// Adds the program's register to a site's sources or results, once and as far as they go.
void timing_register(uint16_t *list, uint8_t *count, int reg);
struct site_info *site_of(struct decoder *d); // of the instruction being decoded
void unsupported(struct decoder *d, const char *why);
int word_index(const struct ptx_instruction *in, const char *const *words, size_t count);
// decode_hoist.c: when all is decoded
void values_hoist(struct decoder *d);
struct steadiness {               // by row / ROW32, of `rows` of them
    const bool *steady, *uniform; // the same for all blocks; for all lanes, too
    const int *reg_of;            // of the registers that one instruction writes, or -1
    size_t rows;
};
// Simple arithmetic for all lanes, into a register that nothing else writes.
bool uop_may_move(const struct decoder *d, const struct steadiness *s, const struct uop *u);
void uops_drop(struct decoder *d, const bool *gone); // those that stay move together
struct alu_op alu_named(const struct decoder *d, enum ptx_opcode opcode, const char *first,
                        const char *second, enum ptx_type type); // one that there is
void affine_take(struct decoder *d, const struct steadiness *s); // decode_affine.c
void stretches_find(struct decoder *d);                          // decode_stretch.c: at last
void polls_find(struct decoder *d);   // decode_poll.c: when all is decoded
void claims_find(struct decoder *d);  // decode_poll.c
void regions_find(struct program *p); // decode_region.c: when all functions are decoded
void carries_link(struct program *p); // decode_carry.c: before them
// decode_uniform.c: of each register, may lanes of a warp have different values in it? Without those that are gone: lanes with nothing left to
// do part from none where they leave. To be freed.
bool *registers_differing(const struct decoder *d, bool without_gone);
// decode_call.c
void decode_call(struct decoder *d, const struct ptx_instruction *in);
int formal_registers(
    const struct ptx_function *f);    // the body's first registers: parameters, results
void formals_take(struct decoder *d); // at the function's start
void formals_give(struct decoder *d); // before its end
// decode_memory.c
int atomic_word(const struct ptx_instruction *in); // enum atomic_kind, or -1
void decode_ld(struct decoder *d, const struct ptx_instruction *in);
void decode_st(struct decoder *d, const struct ptx_instruction *in);
void decode_cp(struct decoder *d, const struct ptx_instruction *in);
void decode_atomic(struct decoder *d, const struct ptx_instruction *in);
// Row and offset of an address operand.
void address_of(struct decoder *d, const struct ptx_operand *op, uint32_t *row, bool *wide,
                int64_t *offset);
struct mem_op mem_new(struct decoder *d, const struct ptx_instruction *in,
                      const struct ptx_operand *address);
// Where a result overwrites the address register before the last element is read: a copy of it.
void address_apart(struct decoder *d, const struct ptx_operand *results,
                   const struct ptx_operand *address, struct mem_op *m);
uint32_t mem_add(struct decoder *d, struct mem_op m); // its index; it is the site's
// decode_tensor.c
void decode_mma(struct decoder *d, const struct ptx_instruction *in);
void decode_wmma(struct decoder *d, const struct ptx_instruction *in);
void decode_ldmatrix(struct decoder *d, const struct ptx_instruction *in);
void decode_movmatrix(struct decoder *d, const struct ptx_instruction *in);
void decode_wgmma(struct decoder *d, const struct ptx_instruction *in);
// video.c
void decode_video(struct decoder *d, const struct ptx_instruction *in);
// decode_texture.c
void decode_texture(struct decoder *d, const struct ptx_instruction *in);
// decode_async.c
void decode_mbarrier(struct decoder *d, const struct ptx_instruction *in);
void decode_mapa(struct decoder *d, const struct ptx_instruction *in);
void decode_cluster_barrier(struct decoder *d, const struct ptx_instruction *in);
void decode_store_async(struct decoder *d, const struct ptx_instruction *in);
bool decode_copy(struct decoder *d,
                 const struct ptx_instruction *in); // false: no bulk, no mbarrier

#endif
