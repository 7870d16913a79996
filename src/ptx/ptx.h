// ptx: text of the PTX language -> checked module: tables of variables, functions, instructions,
// and the control-flow graph of each function. Accepts what NVRTC 12/13, clang 14 and later,
// Triton and Numba emit. Knows nothing of execution; the simulator reads these structs.
//   source text -> ptx_parse -> struct ptx_module -> ptx_build_graph -> blocks, post-dominators
// Everything lives in the arena given to ptx_parse; structs are plain and open, read-only after.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_PTX_H
#define RIDGE_PTX_H

#include "base/base.h"

/* ---- the tables ---------------------------------------------------------------------------- */

// opcodes.def: OPCODE(ID, "name", CLASS, decoder, "operands", "semantics"): the first word of an
// instruction. ptx_parse checks every instruction against its operands' signature (operands.c).
// CLASS drives the counting and the time model; decoder names the simulator's decode function
// (sim_decode_<decoder>; `none` = the simulator can't run it yet).
enum ptx_class {
    PTX_CLASS_FREE,    // vanishes in machine code: cvta, mov between registers, ld.param, pragma
    PTX_CLASS_INTEGER, // integer, logic, shift, compare, select, move of immediates
    PTX_CLASS_FLOAT,   // f16/f32/f64 add, mul, fma by type
    PTX_CLASS_SPECIAL, // rcp, sqrt, sin, ex2, lg2, tanh: the special-function unit
    PTX_CLASS_CONVERT,
    PTX_CLASS_MEMORY, // ld st and their kin; space by modifier
    PTX_CLASS_ATOMIC,
    PTX_CLASS_CONTROL, // bra call ret exit
    PTX_CLASS_BARRIER,
    PTX_CLASS_WARP, // shfl vote match redux activemask
    PTX_CLASS_TENSOR,
    PTX_CLASS_FENCE,
    PTX_CLASS_OTHER,
};
enum ptx_opcode {
#define OPCODE(id, name, class, decoder, operands, semantics) PTX_OP_##id,
#include "ptx/opcodes.def"
#undef OPCODE
    PTX_OP_COUNT
};
const char *ptx_opcode_name(enum ptx_opcode op);
enum ptx_class ptx_opcode_class(enum ptx_opcode op);

// modifiers.def: MODIFIER(ID, "text"): every dotted word after the opcode that is not a type, a
// state space or a vector width.
enum ptx_modifier {
    PTX_MOD_NONE,
#define MODIFIER(id, text) PTX_MOD_##id,
#include "ptx/modifiers.def"
#undef MODIFIER
    PTX_MOD_COUNT
};

// types.def: TYPE(ID, "text", bits, kind)
enum ptx_type_kind {
    PTX_KIND_NONE,
    PTX_KIND_BITS,
    PTX_KIND_UNSIGNED,
    PTX_KIND_SIGNED,
    PTX_KIND_FLOAT,
    PTX_KIND_PREDICATE,
    PTX_KIND_PACKED
};
enum ptx_type {
    PTX_TYPE_NONE,
#define TYPE(id, text, bits, kind) PTX_TYPE_##id,
#include "ptx/types.def"
#undef TYPE
    PTX_TYPE_COUNT
};
int ptx_type_bits(enum ptx_type t); // pred: 1
enum ptx_type_kind ptx_type_kind(enum ptx_type t);
const char *ptx_type_name(enum ptx_type t); // "f32", without the dot

enum ptx_space {
    PTX_SPACE_GENERIC, // no space written
    PTX_SPACE_REGISTER,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,         // .shared and .shared::cta
    PTX_SPACE_SHARED_CLUSTER, // .shared::cluster
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
    PTX_SPACE_PARAM, // .param, .param::entry, .param::func
    PTX_SPACE_COUNT
};
const char *ptx_space_name(enum ptx_space s);

// specials.def: SPECIAL(ID, "%name", components): %tid, %laneid, %clock64 ...
enum ptx_special {
#define SPECIAL(id, name, components) PTX_SREG_##id,
#include "ptx/specials.def"
#undef SPECIAL
    PTX_SREG_COUNT
};
const char *ptx_special_name(enum ptx_special s);

/* ---- a module ------------------------------------------------------------------------------- */

struct ptx_register {
    const char *name; // "%f12"
    enum ptx_type type;
};

// A place in an initialiser where an address goes.
struct ptx_relocation {
    size_t offset_bytes;
    int size_bytes; // 4 or 8
    const char *symbol;
    bool generic; // generic(symbol)
    int64_t addend;
};

struct ptx_variable {
    const char *name;
    enum ptx_space space; // GLOBAL, SHARED, LOCAL, CONST, PARAM
    enum ptx_type type;
    int vector;            // 1, 2 or 4
    int align_bytes;       // declared or natural
    int dimension_count;   // 0 = scalar
    int64_t dimensions[4]; // -1 = unsized []
    uint64_t size_bytes;   // 0 for unsized (dynamic shared memory)
    bool is_extern, is_visible, is_weak;
    const uint8_t *initial; // size_bytes bytes, or NULL = zeros
    struct ptx_relocation *relocations;
    size_t relocation_count;
    uint64_t param_offset_bytes; // PARAM of an entry: offset in the parameter block
    struct location at;
};

enum ptx_operand_kind {
    PTX_OPERAND_REGISTER,
    PTX_OPERAND_IMMEDIATE, // integer or float literal, or a constant expression
    PTX_OPERAND_ADDRESS,   // [base + offset]
    PTX_OPERAND_SYMBOL,    // name of a variable or function as a value (mov, call); with offset
    PTX_OPERAND_LABEL,     // branch target
    PTX_OPERAND_SPECIAL,   // special register
    PTX_OPERAND_VECTOR,    // {a, b, ...}: elements
    PTX_OPERAND_PAIR,      // p|q: elements[0], elements[1]
    PTX_OPERAND_LIST,      // (a, b, ...): of a call
    PTX_OPERAND_SINK,      // _
};
struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;             // !p
    bool minus;               // -r
    int reg;                  // REGISTER: index into the function's registers; ADDRESS: base, or -1
    int component;            // of a vector register: .x .y .z .w = 0..3, else -1
    const char *selector;     // REGISTER: bytes or halves of it ("b0", "h32"), or NULL
    enum ptx_special special; // SPECIAL; component 0..2 or -1
    uint64_t bits;            // IMMEDIATE: two's complement integer, or the raw bits of a float
    enum ptx_type immediate_type; // S64 for integers, F32 for 0f…, F64 for 0d… and decimal floats
    int64_t offset;               // ADDRESS and SYMBOL; REGISTER: added to its value
    const char *symbol;           // ADDRESS with a symbol base, SYMBOL, LABEL
    const struct ptx_variable *variable; // resolved symbol, or NULL
    const struct ptx_function *function; // resolved symbol, or NULL
    int target; // LABEL: index of the instruction it stands before (may be instruction_count)
    struct ptx_operand *elements; // VECTOR, PAIR, LIST; ADDRESS of a tensor coordinate: elements
    int element_count;
};

enum { PTX_MODIFIERS_MAX = 14, PTX_OPERANDS_MAX = 12 };

struct ptx_instruction {
    enum ptx_opcode opcode;
    // Dotted words in the order written, types and spaces included, for printing.
    const char *words[PTX_MODIFIERS_MAX];
    int word_count;
    enum ptx_modifier modifiers[PTX_MODIFIERS_MAX]; // those that are modifiers
    int modifier_count;
    enum ptx_type types[4]; // in the order written: cvt.rn.f32.s32 has F32, S32
    int type_count;
    enum ptx_space spaces[2]; // in the order written: cp.async.cg.shared.global has SHARED, GLOBAL
    int space_count;
    int vector;               // .v2 .v4 .v8, else 1
    const char *unknown_word; // a dotted word in no table (then the simulator refuses it), or NULL
    int guard;                // register of @p, or -1
    bool guard_negated;
    bool nounroll; // .pragma "nounroll" stands before it
    struct ptx_operand operands[PTX_OPERANDS_MAX];
    int operand_count;
    bool writes_first; // the first operand is the result
    int line, column;  // in the PTX text
    int source_file;   // from .loc: index into the module's files, or -1
    int source_line;   // 0 = none
    // .loc with inlined_at: the place of the call in the outer function (what a user who marks
    // lines of the kernel expects is source_*; this is where the inlined call stands), 0 = none.
    int inlined_file, inlined_line;
    int place; // index into the module's places, or -1: with all the calls it was inlined through
};

// The state space that it names; none: generic.
static inline enum ptx_space ptx_space_of(const struct ptx_instruction *in)
{
    return in->space_count > 0 ? in->spaces[0] : PTX_SPACE_GENERIC;
}
bool ptx_has_modifier(const struct ptx_instruction *in, enum ptx_modifier m);
// Has ptxas's code of it a call, for numbers that a short way does not take or in any case? Exact divisions, roots and reciprocals of
// floats, divisions of 64 bits, calls.
bool ptx_calls_routine(const struct ptx_instruction *in);

struct ptx_block {
    int first, count; // instructions
    int *successors;
    int successor_count;
    int *predecessors;
    int predecessor_count;
    int postdominator; // immediate; -1 = the exit
    bool reachable;
};

struct ptx_branch_targets { // .branchtargets / .calltargets under a label
    const char *label;
    const char **names;
    int *targets;
    int count;
};

struct ptx_prototype { // .callprototype under a label
    const char *label;
    struct ptx_variable *results, *params;
    int result_count, param_count;
};

struct ptx_function {
    const char *name;
    bool is_entry; // .entry
    bool has_body; // false: .extern or a forward declaration
    bool is_extern, is_visible, is_weak, is_noreturn;
    struct ptx_variable *params; // .param, or .reg parameters of old code
    int param_count;
    struct ptx_variable *results;
    int result_count;
    uint64_t param_bytes; // of the parameter block of an entry
    struct ptx_register *registers;
    int register_count;
    struct ptx_variable *variables; // .shared, .local, .param declared inside, any scope
    int variable_count;
    struct ptx_instruction *instructions;
    int instruction_count;
    struct ptx_branch_targets *branch_targets;
    int branch_target_count;
    struct ptx_prototype *prototypes;
    int prototype_count;
    int maxntid[3], reqntid[3], minnctapersm, maxnreg; // 0 = not stated
    int cluster[3];
    struct ptx_block *blocks; // after ptx_build_graph, in order of address; block 0 is the entry
    int block_count;
    int *block_of; // instruction -> block
    struct location at;
};

struct ptx_place { // of .loc
    int file, line;
    int caller; // index of the place that it was inlined at, always a smaller one; -1 = none
};

struct ptx_module {
    const char *name; // as given to ptx_parse
    const char *text; // NUL terminated
    int version_major, version_minor;
    const char *target; // "sm_90"
    int address_size;   // 64
    const char **files; // .file table, indexed by source_file; NULL = gap
    int file_count;
    struct ptx_place *places; // 0 of them: the text has no .loc
    int place_count;
    struct ptx_variable *variables; // of module scope
    int variable_count;
    struct ptx_function *functions;
    int function_count;
};

// How many branches jump from a block, or from one behind it, back to it or to what lies before it: the loops that it is in.
int ptx_loop_depth(const struct ptx_function *f, int block);

// Parses and resolves every symbol; graphs are built for every function with a body.
// name: shown in messages. Errors carry line, column and caret.
bool ptx_parse(struct arena *a, const char *name, const char *text, size_t size_bytes,
               struct ptx_module **module, struct error *err) CHECK_RESULT;
const struct ptx_function *ptx_function_find(const struct ptx_module *m, const char *name);
const struct ptx_variable *ptx_variable_find(const struct ptx_module *m, const char *name);
// The user's line: what a toolkit's headers define (half-precision arithmetic, atomics, shuffles) counts
// where the user calls it, through however many calls it was inlined. Without .loc, the line of PTX.
void ptx_user_place(const struct ptx_module *m, const struct ptx_instruction *in, const char **file,
                    int *line);
// Prints a module as PTX that parses to the same module again. Bodies come flat: scopes are left out,
// and a name that several of them declared gets a number; comments, pragmas and debug sections go.
void ptx_print(const struct ptx_module *m, struct text *out);
void ptx_print_instruction(const struct ptx_function *f, const struct ptx_instruction *in,
                           struct text *out);
// What is known of the machine code that ptxas makes of a function; each may be NULL.
struct ptx_made {
    const int *copies; // by block, of how many turns of a loop of one block it makes straight code
    const int
        *joined; // by instruction, a load: the one in front of it that brings its data, too; -1
    const uint8_t *turns; // by instruction, a load: in how many turns of an unrolled loop it is one
};
// 32-bit registers that a thread would need: most values live at once in an order that hides latencies (registers.c).
// A model: ptxas schedules and allocates otherwise; provenance is `modelled`. Takes tens of milliseconds for long kernels.
// made: NULL = nothing is known of the machine code.
int ptx_register_estimate(const struct ptx_function *f, const struct ptx_made *made);
// Of each of PTX's registers, how many of 32 bits machine code has for it: 0 of predicates, copies, what all threads share (needs.c).
void ptx_register_units(const struct ptx_function *f, uint8_t *units);
// Of each block, how many registers hold values at its beginning: those that it reads, and that are read behind it.
void ptx_registers_held(const struct ptx_function *f, int *held);
// The same, but for pointers: parameters are in the constant bank, and what all threads step alike is in uniform registers.
void ptx_registers_turned(const struct ptx_function *f, int *held);
// Up to how many ptxas moves loads ahead where a thread needs so many at least: the next step of occupancy.
int ptx_register_room(int need);

// Does a result's low half come from its operands' low halves alone?
bool ptx_keeps_low(const struct ptx_instruction *in);
// By register (register_count of them, false at first): may the high half of what it holds count? (halves.c)
void ptx_high_halves(const struct ptx_function *f, bool *high);

// What a kernel's instructions say of it, those of the functions it calls by name included (traits.c).
struct ptx_traits {
    // The type of fewest significant bits that it computes in or rounds to: F64, F32, TF32, F16, BF16, E4M3 or
    // E5M2; NONE: no floats. Loads and conversions to a wider type do not count.
    enum ptx_type least;
    const struct ptx_instruction *least_at; // the first of them
    enum ptx_type most;                     // of most bits
    const struct ptx_instruction *waits_at; // sleeps or reads a clock; NULL = it does not
};
struct ptx_traits ptx_traits_of(const struct ptx_module *m, const struct ptx_function *kernel);
int ptx_significant_bits(enum ptx_type t); // the implied one too: f32 has 24; 0 = no float

#endif
