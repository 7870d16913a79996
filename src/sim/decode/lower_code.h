// What ptxas makes of a function, reckoned by what ptxas does: which values are numbers, copies or the same as others; what is
// folded into what reads it; which branches become predicates; which loops are unrolled. The files that share this:
//   lower_code.c    blocks: dominators and loops; values: where each operand comes from, who reads it; lower_needed.c: what needs a branch
//   lower_forms.h   what a PTX instruction is
//   lower_absorb.c  what is folded into what reads it; lower_known.c: what numbers make
//   lower_made.c    machine instructions of each PTX instruction by itself and with what it absorbs; lower_wide.c: of 64 bits
//   lower_atomic.c  atomics
//   lower_divide.c  divisions, roots, powers, logarithms
//   lower_numbers.c numbers that need registers
//   lower_had.c     what another machine instruction has already, and what accesses need beside them
//   lower_wmma.c    fragments of matrices
//   lower_vectors.c registers beside each other; lower_locals.c: arrays in registers
//   lower_bytes.c   values of 8 and 16 bits
//   lower_bits.c    which bits may be set
//   lower_halves.c  bit operations of 64 bits, by their halves; lower_pairs.c: operations on single f16 that are one of pairs
//   lower_predicates.c  which branches become predicates
//   lower_flow.c    ends, what is brought into registers once
//   lower_kept.c    predicates that are kept in other registers
//   lower_agree.c   branches that lanes take alike
//   lower_waits.c   lanes that wait for each other; copies in a row
//   lower_loops.c   unrolled loops; lower_fixed.c: what a loop's turns have alike
//   observe/machine_code.c  how often all that is executed
// The rules are ptxas 13.0's for sm_90, found by programs that differ in one thing each (docs/differential.md).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_LOWER_CODE_H
#define RIDGE_SIM_LOWER_CODE_H

#include "sim/decode/decode.h"

enum value_kind {
    VALUE_NONE,
    VALUE_NUMBER, // bits
    VALUE_MADE,   // by instruction `at`
    VALUE_KEPT,   // of register `at`, which several instructions write
};
struct origin {
    enum value_kind kind;
    int at;
    uint64_t bits;
};

enum fate {
    FATE_MADE,   // machine instructions of its own
    FATE_COPY,   // of another value: no instruction
    FATE_SAME,   // as an earlier one's
    FATE_DEAD,   // nobody reads it
    FATE_FOLDED, // part of its readers
};

struct reader { // of a value
    int instruction, operand;
};

struct natural_loop {
    int head;         // block
    int around;       // the loop around it, or -1
    int branch;       // the instruction that goes back, if there is one only; -1
    int blocks;       // of it
    int copies;       // 1: not unrolled
    int turns;        // known beforehand; 0
    bool leave_apart; // lanes leave it at different turns
    bool has_inner;   // loops within
    bool from_number, to_number;
    bool written_out;                    // though it is left otherwise, too
    bool peeled;                         // one turn before the others, as the count is unsigned
    bool by_chain;                       // its rest is a loop of single turns, not straight code
    bool predicated_two, predicated_one; // the straight code of two turns, of one
    bool differs;                        // lanes leave it at different turns
    double shared;                       // machine instructions once for all copies
};

// Machine instructions that stand in another block than the PTX that needs them, or that a block has for itself.
struct brought {
    int block, instruction; // in whose line they count
    double slots;
};

struct number_kept { // in a register
    uint64_t bits;
    int block;
    int routines; // how many stand before it in the text
};
struct numbers_kept {
    struct number_kept list[128];
    int count, routines;
};

struct code {
    struct decoder *d;
    const struct ptx_function *f;
    struct timing_site *sites;
    int count;         // instructions
    bool *steps_apart; // differs, were lanes that left for the kernel's end no others
    bool *differs, *high;
    // by block
    int *dominator, *order, *number; // immediate; reverse postorder and its inverse
    int *loop_of;                    // innermost loop, or -1
    int *joined_to;    // after predication: the block that it is executed with; itself
    bool *joined_late; // once loops are unrolled
    bool *loads_about; // loads stand about its branch: predicates on longer sides
    bool *agree;       // those that run take its branch alike (lower_agree.c)
    bool *diverged;    // lanes may have diverged before it, and not met yet
    struct natural_loop *loops;
    int loop_count;
    // by instruction
    struct origin *sources; // of all, one after the other
    int *first_source;      // count + 1
    int *same;              // the instruction whose value it has
    enum fate *fate;
    struct reader *readers;
    int *first_reader; // count + 1
    struct brought *brought;
    int brought_count;
    int *joined; // a load of shared memory: the one that brings its data with its own; -1 = none
    int *
        together; // an access of 16 bits of shared memory: the one that has it with its own, itself; -1 = none
    uint8_t *element; // of those: which 16 bits of the whole access
    double *slots;    // machine instructions each time it is executed
    int *place;       // block by whose executions it counts
    bool *once;       // in a loop that is unrolled: once for all copies
    int *word_place;  // of a parameter of 32 bits: 1 + the block that it is loaded in
    double *moved;    // of those, moves of numbers, which a turn's copies have together
    bool *taken;      // it has absorbed one already
    uint8_t *
        halves; // of a bit operation of 64 bits: those that its readers fold, 1 the lower, 2 the upper
    // by register
    bool *several; // several instructions write it
};

static inline const struct ptx_instruction *at(const struct code *c, int i)
{
    return &c->f->instructions[i];
}

// Who writes each register: those of register r are list[first[r]] and on, up to first[r + 1]. The caller's to free.
struct writers {
    int *first, *list;
};

// The branches that decide whether each block is executed: those of block b are list[first[b]] and on, up to first[b + 1]. The
// caller's to free.
struct deciders {
    int *first, *list;
    bool *chooses; // by loop: within its turns
};

// lower_needed.c
struct deciders code_deciders(const struct code *c);
bool code_may_be_needless(const struct code *c, const struct deciders *d, int i);
void code_drop_loops(struct code *c, const bool *live);
// lower_code.c
struct writers code_writers(const struct code *c);
bool dominates(const struct code *c, int a, int b);
// decode_ahead.c: the block whose lanes part at its end and meet again at this one, after a way ahead without loops; -1.
int parting_of(const struct code *c, int block);
int common_dominator(const struct code *c, int a, int b);
bool in_loop(const struct code *c, int block, int loop);
const struct origin *source_of(const struct code *c, int instruction, int operand);
// instruction: whose they are; -1: the block's.
void code_bring(struct code *c, int block, int instruction, double slots);
int reader_count(const struct code *c, int instruction);
int def_of(const struct code *c, struct origin v); // the instruction, copies followed; -1
// lower.c: without what is around it.
void lower_alone(const struct decoder *d, const struct ptx_instruction *in, struct timing_site *t);
// lower_around.c: machine instructions beside the one that PTX names.
int lower_beside(const struct ptx_instruction *in);
// lower_absorb.c
void code_absorb(struct code *c);
bool code_counts_in_sum(const struct code *c, int k); // popc of 64 bits
bool code_is_choice_in_sum(const struct code *c, int k);
// Do two shifts and what joins them, of which `part` is one, rotate a value?
bool code_rotates(const struct code *c, int part, int join);
// lower_halves.c: fills c->halves; machine instructions of a bit operation of 64 bits.
void code_halves(struct code *c);
double code_half_slots(const struct code *c, int i);
bool code_is_rotation(const struct code *c, int i); // of 64 bits, its shifts folded
double code_rotation_slots(const struct code *c, int i);
// lower_made.c
void code_slots(struct code *c);
// lower_wide.c: of 64 bits; alone: by itself. Is it part of a shift alone, which a sum takes in? What is made apart of a product.
double code_wide(const struct code *c, int i, double alone);
bool code_is_in_shift(const struct code *c, int i);
void code_product_parts(struct code *c, int i);
// lower_atomic.c
double code_atomic(const struct code *c, int i); // beside the one that does it
bool code_is_combined(const struct code *c, int i);
void code_atomic_time(const struct code *c, int i); // the same in the model of time
bool code_is_uniform_place(const struct code *c,
                           int sum); // parameter and number that it is done at
// lower_divide.c: of a division of words; of a function of f32 that scales; more where a parameter is divided. alone: by itself.
double code_division(struct code *c, int i, double alone);
double code_scaled(struct code *c, int i, double alone);
double code_divided(const struct code *c, int i);
bool is_never_small(const struct code *c, struct origin v, int deep);
// lower_numbers.c: machine instructions more for numbers.
double code_numbers(struct code *c, int i, struct numbers_kept *kept);
// lower_bytes.c: machine instructions more, or fewer, for values narrower than a register.
double code_bytes(const struct code *c, int i);
void code_bytes_time(const struct code *c, int i); // the same in the model of time
bool code_absorbs_bytes(const struct code *c, int k, int reader);
bool is_whole_mask(const struct code *c, int i); // that takes nothing away
// lower_bits.c: bits that may be set; is the `or` a sum (deep: 0)?
uint32_t code_bits(const struct code *c, struct origin v);
bool code_joins(const struct code *c, int i, int deep);
// lower_had.c: has another machine instruction what it makes? Machine instructions that an access needs beside it.
bool code_is_had(const struct code *c, int i);
double code_needed_beside(const struct code *c, int i);
double code_bound_slots(const struct code *c, int i); // of a least or most that all lanes have
// lower_wmma.c. alone: by itself.
double code_fragments(struct code *c, int i, double alone);
// lower_locals.c: arrays of a thread that are kept in registers.
void code_locals(struct code *c);
// lower_vectors.c: moves of what a vector's store needs elsewhere.
void code_vectors(struct code *c);
// lower_predicates.c
void code_predicates(struct code *c);
// lower_weights.c: what ptxas counts of the block when it chooses between a branch to it and predicates.
double code_weigh(const struct code *c, int block);
bool code_is_long(const struct code *c, int block);
// lower_flow.c
int before_loops(const struct code *c, int block);
void code_flow(struct code *c);
// lower_fixed.c
void code_fixed(struct code *c);
// lower_kept.c
void code_kept(struct code *c);
// lower_agree.c. next: by block, where its ways meet. agree: by block, filled: those that run take its branch alike.
void code_agree(struct code *c, const int *next, bool *agree);
// lower_waits.c
void code_waits(struct code *c);
void code_copies(const struct code *c); // which cp.async stand behind others
// Is the block executed with the one before it in the text, or entered from what that is executed with alone?
bool code_goes_on(const struct code *c, int b);
// lower_pairs.c
void code_pairs(struct code *c);
// decode_merge.c
void merge_shared(struct code *c);
void merge_turns(struct code *c);
// lower_loops.c
void code_loops(struct code *c);
bool code_is_fixed(const struct code *c, struct origin v, int loop); // in all turns of it
// lower_code.c: of a function that is decoded. What is kept of it is the program's.
struct code *code_of(struct decoder *d);

#endif
