// experiment: an experiment file (docs/experiment.md) -> checked structs; expressions; cases; buffer fills;
// the call of the C reference. Knows nothing of devices.
//   experiment_load -> experiment_cases -> experiment_resolve (one variant, one case, one device)
//   -> buffers_fill -> reference_run -> (device runs) -> output_compare
// What a variant calls of a library is text here; which libraries there are, devices know (device/library.h).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_EXPERIMENT_H
#define RIDGE_EXPERIMENT_H

#include "base/base.h"
#include "gpu/gpu.h"

/* ---- expressions ----------------------------------------------------------------------------- */

// Integers and doubles; + - * / % with the usual precedence, unary -, comparisons and && || ! ?:,
// parentheses, ceil_div min max log2 pow sqrt abs floor ceil, names. Integer arithmetic is 64-bit
// and checked: overflow and division by zero are errors. `/` of integers truncates; mixed is double.
struct expression; // parsed; arena-owned
bool expression_parse(struct arena *a, const char *text, struct location at,
                      struct expression **out, struct error *err) CHECK_RESULT;
const char *expression_text(const struct expression *e); // as written
// Names: parameters ("N") and facts of the device ("device.sm_count"). Unknown: error with
// suggestion.
struct scope {
    size_t count;
    const char **names;
    struct value *values;
};
bool expression_evaluate(const struct expression *e, const struct scope *scope, struct value *out,
                         struct error *err) CHECK_RESULT;

/* ---- the file, checked ------------------------------------------------------------------------- */

enum element_type {
    ELEMENT_F16,
    ELEMENT_BF16,
    ELEMENT_E4M3, // 8 bits: sign, 4 of exponent, 3 of fraction; no infinities
    ELEMENT_F32,
    ELEMENT_F64,
    ELEMENT_I8,
    ELEMENT_U8,
    ELEMENT_I16,
    ELEMENT_U16,
    ELEMENT_I32,
    ELEMENT_U32,
    ELEMENT_I64,
    ELEMENT_U64,
    ELEMENT_TYPE_COUNT
};
size_t element_bytes(enum element_type t);
const char *element_name(enum element_type t);
double element_load(enum element_type t, const void *from);
bool element_store(enum element_type t, double value,
                   void *to); // false: a finite value does not fit

enum fill_kind {
    FILL_NONE,
    FILL_UNIFORM,
    FILL_NORMAL,
    FILL_INTEGERS,
    FILL_CONSTANT,
    FILL_IOTA,
    FILL_ZIPF,
    FILL_STARTS,
    FILL_FILE,
    FILL_NPY,
    FILL_PERMUTATION,
    FILL_SORTED,
    FILL_LETTERS,
    FILL_CSR_COLUMNS
};
// How an output is compared: element by element; as the same elements in any order; or as those in
// ascending order, whatever the reference's order.
enum compare_kind { COMPARE_ELEMENTS, COMPARE_SET, COMPARE_SORTED };
bool fill_is_random(enum fill_kind fill); // it depends on the seed
struct buffer_spec {
    const char *name;
    enum element_type type;
    struct expression *count;
    enum fill_kind fill;
    struct expression *fill_args[2];
    const char
        *fill_path;  // FILL_FILE and FILL_NPY, absolute ({N} is a parameter's value); FILL_LETTERS
    int fill_buffer; // FILL_CSR_COLUMNS: where its rows begin
    enum compare_kind compare; // outputs
    const char *fill_text;     // as written; NULL without one
    bool output;
    bool written_some;                   // outputs: the reference writes a part of it
    bool scratch;                        // kernels may change it though it is no output
    double tolerance_rel, tolerance_abs; // outputs; both 0 = bit-exact
    double tolerance_ulp; // … and within so many representable numbers is right too
    struct location at;
};

// `library: NAME:FUNCTION`, as it was written.
struct library_call {
    const char *text;            // whole
    const char *name, *function; // before and after the last colon
    const char *directory;       // the experiment's
    struct location args_at;     // of `args`, or of the call where it has none
};

// A tensor map: how the copy engine of compute capability 9.0 sees a buffer. Innermost dimension first,
// as in CUDA's cuTensorMapEncodeTiled.
enum { TENSOR_RANK_MAX = 5 };
enum tensor_swizzle { // the pattern that the pieces of 16 bytes of a box are written in
    TENSOR_SWIZZLE_NONE,
    TENSOR_SWIZZLE_32B,
    TENSOR_SWIZZLE_64B,
    TENSOR_SWIZZLE_128B
};
struct tensor_spec {
    int rank;
    struct expression *dims[TENSOR_RANK_MAX], *box[TENSOR_RANK_MAX]; // elements
    struct expression *strides[TENSOR_RANK_MAX]; // elements, of dimension 1 on; NULL = dense
    enum tensor_swizzle swizzle;
};
struct resolved_tensor {
    enum element_type type;
    int rank;
    uint64_t dims[TENSOR_RANK_MAX];          // elements
    uint64_t strides_bytes[TENSOR_RANK_MAX]; // [0] = the element's size
    uint32_t box[TENSOR_RANK_MAX];           // elements
    enum tensor_swizzle swizzle;
};

// A texture or a surface over a buffer, as rows of texels.
enum { TEXTURE_RANK_MAX = 2 };
enum texture_address { // of coordinates outside, in CUDA's order (CUaddress_mode)
    TEXTURE_WRAP,
    TEXTURE_CLAMP,
    TEXTURE_MIRROR,
    TEXTURE_BORDER
};
struct texture_spec {
    int rank, channels;                        // channels: elements per texel, 1, 2 or 4
    struct expression *size[TEXTURE_RANK_MAX]; // texels
    enum texture_address address[TEXTURE_RANK_MAX];
    bool surface;
    bool array; // the kernel gets a copy of the buffer, in tiles; else the buffer's own rows
    bool linear_filter, normalized; // normalized coordinates
    bool read_normalized;           // integers as 0 to 1, or -1 to 1
};
struct resolved_texture {
    enum element_type type;
    int rank, channels;
    uint64_t width, height; // texels; height is 1 of one dimension
    uint64_t pitch_bytes;   // of a row in the buffer
    enum texture_address address[TEXTURE_RANK_MAX];
    bool surface, array, linear_filter, normalized, read_normalized;
};

// A word is what a library may know (`transa: true`, `math: tf32`): no buffer, parameter or expression.
enum argument_kind {
    ARGUMENT_BUFFER,
    ARGUMENT_SCALAR,
    ARGUMENT_TENSOR_MAP,
    ARGUMENT_TEXTURE, // or a surface
    ARGUMENT_STRUCT,
    ARGUMENT_WORD
};
struct argument_spec {
    enum argument_kind kind;
    const char *name; // named arguments of a library's call, else NULL
    struct location name_at;
    const char *text;             // named ones: as written; a map's is its 'value'
    int buffer;                   // index: BUFFER, TENSOR_MAP and TEXTURE
    struct tensor_spec *tensor;   // TENSOR_MAP
    struct texture_spec *texture; // TEXTURE
    struct struct_spec *fields;   // STRUCT
    struct expression *offset;    // a field's, in bytes; NULL = where C puts it
    struct expression *inside;    // BUFFER: bytes from its beginning; NULL = 0
    enum element_type type;       // SCALAR: "N" is i32 unless written "N: i64" or a double -> f32;
    bool typed;                   // the type was written. Named and untyped: i64 or f64
    struct expression *value;
    struct location at;
};

struct struct_spec { // a struct by value: {struct: [x, i32 4, f32 0.5]}
    struct argument_spec *items;
    int count;
    struct expression *size_bytes, *align_bytes; // NULL = as C pads and aligns it
};

struct set_spec { // a variable of the module, which gets a buffer's contents before any launch
    const char *variable;
    int buffer;
    struct location at;
};

struct loop_spec { // over values, or from a first one while a condition holds
    const char *name;
    struct expression **values;
    int value_count;
    struct expression *from, *condition, *next;
    struct location at;
};

// Where a buffer lies while a variant runs: on the device, or in memory of the host: ordinary, pinned, or
// pinned and mapped, which kernels reach by its address.
enum buffer_memory { MEMORY_DEVICE, MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_MAPPED };
const char *buffer_memory_name(enum buffer_memory m);
struct copy_spec { // {copy: {from: x, to: dx, offset: 0, bytes: 4*N}}
    int from, to;
    struct expression *offset, *bytes; // NULL = 0; = all there is
};
struct persist_spec { // bytes at a buffer's start that the L2 is to keep
    int buffer;
    struct expression *bytes; // NULL = all
    struct location at;
};
enum { STREAMS_MAX = 32 }; // of a variant, the main one included

enum launch_kind { LAUNCH_KERNEL, LAUNCH_ZERO, LAUNCH_LIBRARY, LAUNCH_COPY };
struct launch_spec {
    enum launch_kind kind;
    const char *kernel;
    const char *kernel_pattern;            // "copy<{TILE}>", of which `kernel` is made; NULL = none
    const struct library_call *library;    // LAUNCH_LIBRARY
    struct expression *grid[3], *block[3]; // absent dimensions are NULL = 1
    struct expression *cluster[3];         // blocks that run together; absent is NULL = 1
    struct expression *shared_bytes;       // NULL = 0
    bool cooperative;                      // all blocks run at the same time: grid-wide barriers
    struct argument_spec *args;
    int arg_count;
    struct set_spec *sets;
    int set_count;
    int zero_buffer;                    // LAUNCH_ZERO
    const struct copy_spec *copy;       // LAUNCH_COPY
    const struct persist_spec *persist; // or NULL
    int stream;                         // of the variant's
    uint32_t after;                     // streams whose earlier steps it waits for: bits
    bool untimed;                       // run, and not part of the time
    const struct loop_spec **loops;     // outermost first; the same pointer = the same loop
    int loop_count;
    struct location at;
};

struct expectation_spec { // "time: -50%" (relative change against `from`), or "x: 4" … "<= 4"
    const char *what;     // "time", a counter or a derived counter
    const char *text;     // as written
    enum { EXPECT_CHANGE, EXPECT_FACTOR, EXPECT_VALUE } kind; // -50% | 2x | = value
    double low, high; // EXPECT_CHANGE -0.5: held when the actual change is at least as large,
                      // see loop's judge; EXPECT_VALUE: bounds (either may be infinite)
    struct location at;
};

// Parses "-50%", "2x", "<= 4", ">= 90" or a number; `at` is where messages point to.
bool expectation_parse(struct arena *a, const char *what, const char *text, struct location at,
                       struct expectation_spec *out, struct error *err) CHECK_RESULT;

enum { AXES_MAX = 12, AXIS_VALUES_MAX = 1024 };
struct axis_spec { // `tune: {TILE: [8, 16, 32]}`: what may be chosen
    const char *name;
    const char *const *texts; // as written
    struct value *values;     // NULL: they are words ("float"), which expressions do not know
    int value_count;
    int otherwise; // the value where nothing is chosen: the define's of its name, else the first
    struct location at;
};

struct define_spec {
    const char *name, *value; // -DNAME=VALUE; values may be expressions of parameters: `expression`
    struct expression *expression; // or NULL
};

struct
    flag_spec { // of the compiler, as nvcc spells them; what they may be, the device's compilers know
    const char **items;
    int count;
    struct location at;
};

struct variant_spec {
    const char *name;
    const char *title;      // optional
    int from;               // index of an earlier variant, or -1
    const char *hypothesis; // optional
    const char *bottleneck; // optional: what held the earlier one back, for the Markdown template
    struct expectation_spec *expectations;
    int expectation_count;
    const char *source;         // own file, or NULL = the experiment's; absolute path
    const char *const *sources; // as the experiment's
    struct flag_spec flags;     // the experiment's, then its own
    const char *directory;      // that its flags are relative to; NULL: the experiment's
    bool graph;                 // its steps are one CUDA graph
    const char **streams;       // by name, the first is that of steps that name none
    int stream_count;           // 1: the first alone
    enum buffer_memory *memory; // by buffer; NULL = all on the device
    const char *precision;      // the lowest type it is meant to compute in; NULL = its data's
    int precision_bits;         // that type's significant bits
    struct launch_spec *launches;
    int launch_count;
    struct define_spec *defines;
    int define_count;
    const char *requires; // "cc >= 9.0" or NULL
    struct expression *requires_expression;
    struct axis_spec *axes; // `tune`
    int axis_count;
    struct expression **where; // which choices make sense: all of them must hold
    int where_count;
    const uint16_t *choice; // a value of each axis; NULL = each axis' `otherwise`
    int twin; // the same variant of another revision (experiment_join): its index + 1; 0 = none
    struct location at;
};

struct parameter_spec {
    const char *name;
    struct value *values; // the axis
    int value_count;
    struct location at;
};

struct work_spec {
    const char *name; // "bytes", "flops", "flops_f32", …
    struct expression *value;
};

// `reference: FILE.c:FUNCTION` or `reference: {call: FILE.c:FUNCTION, args: [...]}`, {variant: NAME} or
// {expected: {BUFFER: FILE.npy}}. `verify: self`: there is none, and each variant is held against itself.
enum reference_kind {
    REFERENCE_NONE,
    REFERENCE_CALL,
    REFERENCE_VARIANT,
    REFERENCE_FILES,
    REFERENCE_SELF
};
struct reference_spec {
    enum reference_kind kind;
    const char *source,
        *function; // of the C or Python file; else the experiment's file, and a name for messages
    bool python;   // REFERENCE_CALL: of a Python file
    int variant;   // REFERENCE_VARIANT
    const char **files;         // REFERENCE_FILES: by buffer, as fill_path
    struct argument_spec *args; // stated, or those of the first kernel launch of `args_of`
    int arg_count;
    const char *args_of; // NULL: they are stated
    const char
        *rows;   // `parallel`: the parameter that counts rows, which may be computed apart; or NULL
    bool *split; // by buffer: a part gets its own rows of it; NULL = rows are named in args
    struct location at;
};

// `split: {over: N, granule: 1024}`: how the job is divided over devices (docs/scale.md).
enum split_way {
    SPLIT_OWN,     // scratch: each part has one of its own size
    SPLIT_WHOLE,   // an input that every part has whole
    SPLIT_ROWS,    // a part has its share of the slowest dimension: contiguous
    SPLIT_COLUMNS, // … of the fastest
    SPLIT_ADD      // an output that every part computes whole; the sum is what counts
};
struct split_spec {
    int param;                         // that is divided
    struct expression *granule, *halo; // NULL = 1, = 0
    enum split_way *ways;              // by buffer
    bool *gather;                      // by buffer: an output that every device needs whole
    bool *broadcast; // by buffer: a whole input that the first device sends to all
    bool *panels; // by buffer: a whole input of which each device has a panel and sends it to all
    bool *turn;   // by buffer: an output divided by columns, of which every device needs rows
    struct location at;
};

// `gate: {percent: 3, ns: 50, counters_percent: 0}`: how much worse a result may get. A time may grow by
// the larger of the two.
struct gate_tolerance {
    double percent, ns, counters_percent;
};

struct experiment {
    const char *path; // of the YAML file
    const char *directory;
    const char *name, *title;
    const char *source; // absolute path of the default source, or NULL
    // A source for each kind of device, `source` the first of them: NULL terminated; NULL where there is one.
    const char *const *sources;
    struct flag_spec flags;
    struct reference_spec reference;
    unsigned patterns; // of inputs, a bit each, that its kernels must bear
    struct parameter_spec *params;
    int param_count;
    struct buffer_spec *buffers;
    int buffer_count;
    struct work_spec *work;
    int work_count;
    struct variant_spec *variants;
    int variant_count;
    struct gate_tolerance gate;
    const struct split_spec *split; // NULL = not stated
    const char *text;               // of the file
};

// path: a folder with experiment.yaml in it, or the file, or the name of a shipped experiment.
// Strict: unknown keys, duplicate names, wrong types, `from` that is no earlier variant, missing
// source files, outputs without reference … are errors with line, column, caret and suggestion.
bool experiment_load(struct arena *a, const char *path, struct experiment **out,
                     struct error *err) CHECK_RESULT;

// The same from the text of a file named `file`, which other files are looked for beside.
bool experiment_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                      struct experiment **out, struct error *err) CHECK_RESULT;

// Both revisions of an experiment as one, so that they are measured in turns: `now`, then the variants of
// `before` named "NAME@SUFFIX". Variants of the same name are twins where the reference is the same. Fails
// where parameters or buffers differ: the two do not do the same job.
bool experiment_join(struct arena *a, const struct experiment *now, const struct experiment *before,
                     const char *suffix, struct experiment **out, struct error *err) CHECK_RESULT;

/* ---- cases --------------------------------------------------------------------------------- */

struct case_point {
    struct value *values; // one per parameter, in the experiment's order
    const char *label;    // "N=4096" ("N=4096 K=33")
};
// The product of the axes; overrides: "N=2048" or "N=1024,2048" strings from the command line.
bool experiment_cases(struct arena *a, const struct experiment *e, const char *const *overrides,
                      int override_count, struct case_point **cases, int *count,
                      struct error *err) CHECK_RESULT;
// "in case N=4096", as error_context adds it; nothing where there are no parameters. Returns false.
bool case_context(struct error *err, const struct case_point *point);

// Device facts visible to expressions as device.<name>; `requires` sees cc too.
struct device_facts {
    double cc; // 9.0; 0 = unknown
    int sm_count, warp_size, max_threads_per_block;
    int64_t shared_bytes_per_block, l2_bytes, memory_bytes;
};

struct resolved_buffer {
    const char *name;
    enum element_type type;
    uint64_t count, size_bytes;
    bool output;
};
struct resolved_argument {
    enum argument_kind kind;
    const char *name; // as argument_spec's
    int buffer;
    enum element_type type;
    uint8_t value[8];                       // SCALAR: the bytes
    uint64_t inside_bytes;                  // BUFFER: from its beginning
    const char *text;                       // as written: the buffer's name or the expression
    const struct resolved_tensor *tensor;   // TENSOR_MAP
    const struct resolved_texture *texture; // TEXTURE
    const struct resolved_struct *fields;   // STRUCT
    struct location at;
};
struct resolved_struct {
    struct resolved_argument *items;
    uint64_t *offsets; // of the items, in bytes
    int count;
    uint64_t size_bytes, align_bytes;
    bool as_c; // every field lies where C puts it
};
// The bytes of a struct: `addresses` are what buffers stand for. `out` has size_bytes.
void struct_store(const struct resolved_struct *s, const uint64_t *addresses, uint8_t *out);
struct resolved_copy {
    int from, to;
    uint64_t offset_bytes, size_bytes;
};
struct resolved_launch {
    enum launch_kind kind;
    const char *kernel;
    const struct library_call *library;
    uint32_t grid[3], block[3], shared_bytes;
    uint32_t cluster[3]; // 0 or 1 = none
    bool cooperative;
    struct resolved_argument *args;
    int arg_count;
    const struct set_spec *sets;
    int set_count;
    int zero_buffer;
    struct resolved_copy copy;
    int persist_buffer; // of persist_bytes; 0 = none
    uint64_t persist_bytes;
    int stream;
    uint32_t after;
    bool untimed;
    struct location at;
};
struct resolved_variant {
    const struct variant_spec *spec;
    struct resolved_launch *launches; // loops unrolled
    int launch_count;
    const char **defines; // "NAME=VALUE"
    int define_count;
    bool supported; // `requires` holds
};
struct resolved_case {
    const struct case_point *point;
    struct resolved_buffer *buffers;
    int buffer_count;
    double work_bytes, work_flops; // NAN when not stated; flops sums all kinds
    double work_flops_f16, work_flops_f32, work_flops_f64, work_flops_tensor; // NAN when not stated
    double work_tensor[TENSOR_TYPE_COUNT]; // work_flops_tensor by type of the operands
};
bool experiment_resolve_case(struct arena *a, const struct experiment *e,
                             const struct case_point *point, const struct device_facts *device,
                             struct resolved_case *out, struct error *err) CHECK_RESULT;
// Grid and block are checked: positive, within CUDA's limits (2^31-1, 65535, 65535; 1024 threads),
// not absurd: "grid is 0 blocks in x (ceil_div(N,32) with N=0)".
bool experiment_resolve_variant(struct arena *a, const struct experiment *e, int variant,
                                const struct case_point *point, const struct device_facts *device,
                                struct resolved_variant *out, struct error *err) CHECK_RESULT;

/* ---- tuning --------------------------------------------------------------------------------- */

// All choices of a variant's axes for which its `where` holds in that case on that device, in the order of
// the file, the last axis the fastest. One choice is axis_count values; without axes there is one choice.
struct choice_list { // arena-owned
    uint16_t *items;
    int count;
    int64_t product; // of the axes, before `where`
};
bool experiment_choices(struct arena *a, const struct experiment *e, int variant,
                        const struct case_point *point, const struct device_facts *device,
                        struct choice_list *out, struct error *err) CHECK_RESULT;
// "TILE=16 ROWS=8"; "" without axes.
const char *choice_label(struct arena *a, const struct variant_spec *v, const uint16_t *choice);
// The experiment with one more variant for each of the choices, which answer nobody: "tiled[TILE=16 ROWS=8]".
// They follow the experiment's own.
struct experiment *experiment_at_choices(struct arena *a, const struct experiment *e, int variant,
                                         const uint16_t *choices, int count);
// Gives the variant of an experiment whose variants are the caller's other values for its axes (a tuner's file), and
// no `where`. All its axes must be there, and no others.
bool experiment_give_axes(struct arena *a, struct experiment *e, int variant,
                          const char *const *names, const char *const *const *values,
                          const int *value_counts, int count, struct error *err) CHECK_RESULT;
// The experiment with that choice in the variant's place.
struct experiment *experiment_chosen(struct arena *a, const struct experiment *e, int variant,
                                     const uint16_t *choice);

/* ---- data ------------------------------------------------------------------------------------ */

// Host copies of all buffers of a case: inputs filled (Philox: seed, buffer number), outputs
// poisoned (a NaN pattern for floats, 0xA5 bytes for integers).
struct host_buffers {
    void **data;
    int count;
};
bool buffers_fill(const struct experiment *e, const struct resolved_case *c,
                  const struct case_point *point, uint64_t seed, struct host_buffers *out,
                  struct error *err) CHECK_RESULT;
void buffers_release(struct host_buffers *b);

// Patterns of inputs, beside the random ones (patterns.def).
enum input_pattern {
#define PATTERN(id, name, usual, meaning) PATTERN_##id,
#include "experiment/patterns.def"
#undef PATTERN
    PATTERN_COUNT
};
const char *pattern_name(enum input_pattern p);
const char *pattern_meaning(enum input_pattern p);
unsigned patterns_usual(void);
// Turns contents that are just filled into the pattern's: the buffers of uniform, normal and integers. *changed: there
// was such a buffer.
bool buffers_pattern(const struct experiment *e, const struct resolved_case *c,
                     const struct case_point *point, enum input_pattern p, uint64_t seed,
                     struct host_buffers *contents, bool *changed, struct error *err) CHECK_RESULT;

// "unknown buffer 'inn' (did you mean 'in'?)"; or_param: parameters are possible too.
bool fail_unknown_buffer(struct arena *a, const struct experiment *e, struct location at,
                         const char *name, bool or_param, struct error *err);

// Does one of the variant's steps launch a kernel, or call a library?
bool variant_has(const struct variant_spec *v, enum launch_kind kind);

// The reference as a shared object, compiled with $CC or cc, -O2: in the user's cache, or where that
// cannot be written, in a folder that lives until reference_release.
struct reference_code { // zeroed before
    const char *path;
    struct work_folder folder;
};
bool reference_build(struct arena *a, const struct experiment *e, double timeout_s,
                     struct reference_code *code, struct error *err) CHECK_RESULT;
// Does what was built open, and have the function? In a process of its own.
bool reference_look(const struct experiment *e, const struct reference_code *code, double timeout_s,
                    struct error *err) CHECK_RESULT;
void reference_release(struct reference_code *code); // one that was never built too
// The arguments that the reference is called with: once, or for each part of its rows.
struct reference_part {
    struct resolved_argument *args;
    const uint64_t *offsets_bytes; // by buffer
};
struct resolved_reference {
    struct reference_part *parts;
    int part_count;
    int arg_count;
    struct reference_part whole; // all rows in one call
};
bool experiment_resolve_reference(struct arena *a, const struct experiment *e,
                                  const struct case_point *point, const struct device_facts *device,
                                  struct resolved_reference *out, struct error *err) CHECK_RESULT;
// The outputs that REFERENCE_FILES names.
bool reference_read(const struct experiment *e, const struct case_point *point,
                    const struct resolved_case *c, struct host_buffers *wanted,
                    struct error *err) CHECK_RESULT;
// Calls the reference through libffi: plain C; pointers to host buffers and scalars of the arguments'
// types. Outputs land in `buffers`. That it returned is known only where this function returns: a
// reference may end its process.
bool reference_run(const struct experiment *e, const struct reference_code *code,
                   const struct resolved_reference *r, int part, struct host_buffers *buffers,
                   struct error *err) CHECK_RESULT;

// The same of a Python file, by python3 in a process of its own that inherits the buffers. What it read on
// the way is added to `files`, a path a line.
bool reference_run_python(const struct experiment *e, const struct resolved_case *c,
                          const struct resolved_reference *r, struct host_buffers *buffers,
                          double timeout_s, struct text *files, struct error *err) CHECK_RESULT;
// Which python3 that is, for keys of caches.
void reference_python_identity(struct arena *a, struct text *out);

// An unwritten element of an output holds a poison; the second one is for a second run of the
// reference, as an element that holds the first one may have been written.
enum poison { POISON_FIRST, POISON_SECOND };
void output_poison(const struct resolved_buffer *b, void *data, enum poison poison);
// Elements that hold the first poison after the first call and, unless that is NULL, the second one
// after the second call.
struct unwritten {
    uint64_t count, first;
};
struct unwritten output_unwritten(const struct resolved_buffer *b, const void *first,
                                  const void *second);

// An element: right; wrong because nobody wrote it; wrong.
enum output_rank { RANK_RIGHT, RANK_UNWRITTEN, RANK_WRONG };

enum output_order {
    ORDER_AS_IS,
    ORDER_SORTED,
    ORDER_DESCENDS
};                     // `compare: set`, `compare: sorted`
struct output_errors { // of a floating-point output, all elements
    uint64_t count;
    double ulp_max, ulp_squares, squares, wanted_squares; // sums of squares
};
struct output_difference { // the worst element of one output buffer
    int buffer;
    enum output_rank rank;
    uint64_t index;
    double got, wanted, absolute, relative, ulp;
    uint64_t wrong_count, unwritten_count, count;
    bool extra; // written, and the reference leaves it (`written: some`)
    // SORTED: `index` is of both in ascending order. DESCENDS: got is less than what stands before it, wanted.
    enum output_order order;
    struct output_errors errors;
};
// A whole output that is compared in another way than element by element.
void output_compare_whole(const struct buffer_spec *b, const void *got, const void *wanted,
                          uint64_t count, struct output_difference *d);
// true if every output is within its tolerance: |got - wanted| <= abs + rel * |wanted|; NaN only
// equals NaN; elements that still hold the poison count as unwritten (and wrong). worst is filled
// either way for the worst buffer; it names an unwritten element, the first, only if all wrong ones
// are.
bool outputs_compare(const struct experiment *e, const struct resolved_case *c,
                     const struct host_buffers *got, const struct host_buffers *wanted,
                     struct output_difference *worst);
// A part of an output, from element `first` on, at `got` and `wanted`: into d, which holds the buffer's
// earlier parts ({.buffer = i} before the first one).
void output_compare(const struct buffer_spec *b, const void *got, const void *wanted,
                    uint64_t first, uint64_t count, struct output_difference *d);
// The worse of two buffers' differences; worst->buffer is -1 before the first one.
void output_take_worst(struct output_difference *worst, const struct output_difference *d);
// A part of an input, from element `first` on, after a run: the elements that differ from before. Adds
// to d's counts; the first of them is described.
void input_compare(const struct resolved_buffer *b, const void *got, const void *before,
                   uint64_t first, uint64_t count, struct output_difference *d);

/* ---- a part of a case (split.c) ---------------------------------------------------------------- */

struct resolved_split {
    uint64_t units;   // of the whole: the parameter's value
    uint64_t granule; // parts begin at multiples of it
    uint64_t halo;    // units beyond its own that a part has on each side, in whole granules
};
// Fails where the experiment does not say how it is divided.
bool experiment_resolve_split(struct arena *a, const struct experiment *e,
                              const struct case_point *point, struct resolved_split *out,
                              struct error *err) CHECK_RESULT;
struct part_range {
    uint64_t first, end;           // units that are its own
    uint64_t halo_first, halo_end; // … and with those that it has beside them
};
struct part_range part_range_of(const struct resolved_split *s, uint64_t first, uint64_t end);
// The case of a part: the parameter counts its units, halo included.
void experiment_part_point(struct arena *a, const struct experiment *e,
                           const struct case_point *whole, const struct part_range *r,
                           struct case_point *out);
// A part's buffers, filled: what is divided and what is whole is the whole's, the rest is as in any case.
// The caller's to part_release, before the whole's are: undivided inputs and those with rows are not copied.
bool part_fill(const struct experiment *e, const struct resolved_split *s,
               const struct resolved_case *whole, const struct host_buffers *inputs,
               const struct part_range *r, const struct resolved_case *part,
               const struct case_point *point, uint64_t seed, struct host_buffers *out,
               struct error *err) CHECK_RESULT;
void part_release(const struct experiment *e, struct host_buffers *b);
// The whole's outputs, put together from those of parts: floats that are added are summed in double, in the
// order they are taken, and rounded once.
struct joined {
    struct host_buffers outputs; // of joined_end; inputs are NULL
    void **sums;                 // by buffer: double, or uint64_t that wraps around
};
// Elements to sums of them (double, or uint64_t that wraps around), and those to elements, rounded once.
void elements_add(enum element_type type, uint64_t count, const void *from, void *sums);
void elements_round(enum element_type type, uint64_t count, const void *sums, void *to);
// j is {0}, or of a round before of the same case, whose memory is used again.
void joined_begin(const struct experiment *e, const struct resolved_case *whole,
                  const struct host_buffers *inputs, struct joined *j);
void joined_take(struct joined *j, const struct experiment *e, const struct resolved_split *s,
                 const struct resolved_case *whole, const struct part_range *r,
                 const struct resolved_case *part, const struct host_buffers *outputs);
void joined_end(struct joined *j, const struct experiment *e, const struct resolved_case *whole);
void joined_release(struct joined *j, const struct resolved_case *whole);

/* ---- NumPy's files (npy.c) ------------------------------------------------------------------- */

struct npy {
    enum element_type type;
    uint64_t count;
    const char *data; // in the file's
};
// path: for messages.
bool npy_parse(const char *path, const char *data, size_t size_bytes, struct npy *out,
               struct error *err) CHECK_RESULT;

#endif
