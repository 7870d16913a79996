// What the files of device share. Compilers: each finds itself (identity, version, what it can
// target) and turns one source into code; compile.c chooses, hashes and caches. Not for others.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_INTERNAL_H
#define RIDGE_DEVICE_INTERNAL_H

#include "device/device.h"
#include "ptx/ptx.h"

/* ---- asking a driver --------------------------------------------------------------------------- */

// What a driver says, asked in a worker process, as it may hang or crash there: body writes *answer, of size_bytes, by
// worker_send; where it sends none, *answer stays. false: the worker could not be started, or did not come to its end
// ("the CUDA driver hangs when asked for its GPUs": whose, what).
bool driver_ask(int (*body)(void *answer, int fd), void *answer, size_t size_bytes,
                const char *whose, const char *what, struct error *err) CHECK_RESULT;

// Of those listed the one of that id; id NULL: the first.
bool device_pick(const struct device_info *infos, int count, const char *id,
                 struct device_info *out);
// There is none of that kind, and why; what needs none. Returns false.
bool fail_no_gpu(const char *id, const struct error *why, struct error *err);

/* ---- the source -------------------------------------------------------------------------------- */

// `flags:`, understood (flags.def).
struct flag_set {
    const char **folders; // -I, absolute
    int folder_count;
    const char **defines; // "NAME=VALUE", "NAME"
    int define_count;
    const char *standard; // "c++17"
    bool fast_functions;  // sinf is __sinf
    bool ftz, approximate_division, approximate_root, no_contraction;
    int max_registers; // 0 = as many as there are
};
bool flags_read(struct arena *a, const struct compile_request *request, struct flag_set *out,
                struct error *err) CHECK_RESULT;
// For a key: all of them, and the request's own definitions.
void flags_identity(const struct flag_set *f, const struct compile_request *request,
                    struct text *out);
// The -I and -D of `flags:` and the request's own definitions, as every compiler takes them, from argv[count]
// on; the new count. At most flags_argument_count of them.
int flags_argument_count(const struct flag_set *f, const struct compile_request *request);
int flags_add(struct arena *a, const struct flag_set *f, const struct compile_request *request,
              const char **argv, int count);
// Those of arithmetic as nvcc and NVRTC spell them: at most FLAGS_ARITHMETIC_MAX.
enum { FLAGS_ARITHMETIC_MAX = 5 };
int flags_add_arithmetic(const struct flag_set *f, const char **argv, int count);

struct source {
    const char *path;      // absolute: in .loc, so that later readers find it from anywhere
    const char *directory; // of path
    const char *shown;     // as messages name it: relative to the working folder when below it
    const char *text;
    size_t size_bytes;
    char hash[33];      // of the text and of every file its #include lines reach
    const char **files; // those: paths, the source's first; none of machine code
    const char **texts; // of them
    size_t *sizes_bytes;
    size_t file_count;
    const char *const *folders; // of -I
    int folder_count;
    bool untold; // it may reach others: an include is named by a macro
    bool host;   // it has host code: main, a launch by <<<>>>, a header of the C++ library
    bool asks;   // which files exist matters, or one could not be read: its code is not kept
};
bool source_read(struct arena *a, const char *path, const char *text, const struct flag_set *flags,
                 struct source *out, struct error *err) CHECK_RESULT;
// Is it given as bytes, not as text? By the ending of its name (compile.c).
bool source_is_machine_code(const char *path);
// Which of the source's files that directive of file number `file` includes; SIZE_MAX = none. name: what it
// includes, or NULL.
size_t source_included(struct arena *a, const struct source *s, size_t file, const char *directive,
                       const char **name);
// "/a/c.h" of "/a/b/./../c.h": one file has one name, symbolic links aside.
const char *path_plain(struct arena *a, const char *path);
bool is_word_character(char c);
// Is the file among those that were hashed?
bool source_covers(const struct source *source, const char *path);
// Messages with the working folder taken off the front of file names.
const char *shorten_paths(struct arena *a, const char *message);

/* ---- compilers ----------------------------------------------------------------------------------- */

enum tool_kind { TOOL_NVRTC, TOOL_CLANG, TOOL_NVCC };
struct tool {
    enum tool_kind kind;
    const char *path;    // of the library or the program
    const char *version; // "NVRTC 13.0", "clang 14.0.6"
    int *archs;          // real architectures it can target, ascending: 80, 86, 90
    int arch_count;
    const char *support;  // text of what is given to every source (cuda_min.h …), part of the key
    const char *standard; // text of std_min.h, part of the key too; NULL: nvcc has its own
    const char *standard_path;
    const char *include; // NVRTC: the toolkit's include folder, or NULL; clang: path of cuda_min.h
};
// Fills in std_min.h.
bool tool_read_standard(struct arena *a, struct tool *tool, struct error *err) CHECK_RESULT;
// false with a reason in err: not here, or broken.
bool nvrtc_find(struct arena *a, struct tool *out, struct error *err) CHECK_RESULT;
// program: "clang" = the first of clang, clang-22 … clang-14; else that program.
bool clang_find(struct arena *a, const char *program, struct tool *out,
                struct error *err) CHECK_RESULT;
// The same of a major version from `since` on: where `program` is "clang" and that is older, the newest clang-NN.
bool clang_find_since(struct arena *a, const char *program, int since, struct tool *out,
                      struct error *err) CHECK_RESULT;
bool nvcc_find(struct arena *a, struct tool *out, struct error *err) CHECK_RESULT;

// A path in the text of a clang overlay.
void overlay_add_path(struct text *out, const char *path);
// The text without inline PTX; NULL: there is none in it.
const char *inline_ptx_replace(struct arena *a, const char *text, size_t size_bytes);

// A source under another name, where its path has characters that compilers cannot write into PTX.
struct alias {
    const struct source *real; // NULL: no other name is needed
    struct source source;      // as the compiler is to see it
    struct work_folder folder;
};
bool alias_open(struct arena *a, const struct source *s, struct alias *alias,
                struct error *err) CHECK_RESULT;
const char *alias_undo(struct arena *a, const struct alias *alias, const char *s, bool in_ptx);
void alias_close(struct alias *alias);

struct compile_job {
    const struct source *source;
    const struct alias *alias; // NULL: none
    const struct compile_request *request;
    const struct tool *tool;
    const char *arch; // "sm_86"
    bool arch_exact;  // it is the device's own: registers of its machine code are the device's
    double timeout_s;
    const struct flag_set *flags;
    bool without_host, only_needed;
    const struct device_side *side; // NULL: the source is compiled as it is
    bool *read_more; // out, optional: a file was read that the source's hash does not cover
};
// Is machine code asked for that NVRTC makes? Where registers are limited afterwards, its code is another.
bool job_takes_machine(const struct compile_job *job);
// Fill bytes, log and kernels of out. A compile error has the compiler's messages whole.
bool nvrtc_compile(struct arena *a, const struct compile_job *job, struct code_object *out,
                   struct error *err) CHECK_RESULT;
bool clang_compile(struct arena *a, const struct compile_job *job, struct code_object *out,
                   struct error *err) CHECK_RESULT;
// The overlay file of clang's standard headers, for a tool whose `include` is the core header.
void clang_write_overlay(struct arena *a, const struct tool *tool, struct text *out);
extern const char clang_system_folder[];
bool nvcc_compile(struct arena *a, const struct compile_job *job, struct code_object *out,
                  struct error *err) CHECK_RESULT;
// Where the job is to be done without host code, its side: files that are called folder/….
void device_side_make(struct arena *a, struct compile_job *job, const char *folder);
// A file in `folder` that includes the source and instantiates what is asked for; the source itself if
// nothing is.
const char *source_with_instances(struct arena *a, const struct compile_job *job,
                                  const char *folder);
// By a make rule: did the compiler read a file that the key does not cover, neither the tool's own nor
// below `folder` (ridge's own; NULL = none)?
bool rule_reads_more(struct arena *a, const struct compile_job *job, const char *rule_path,
                     const char *folder);
bool rule_names_more(struct arena *a, const struct compile_job *job, const char *rule,
                     const char *folder); // the same of the rule's text
// "x.cu does not compile with NVRTC 13.0:" and the messages, cut at a line's end if far too long.
bool fail_compile(struct arena *a, const struct compile_job *job, const char *messages,
                  struct error *err);
// It was stopped at the job's limit of time.
bool fail_compiler_late(const struct compile_job *job, struct error *err);
// It failed for a reason of its own or of the system (process_trouble).
bool fail_compiler_trouble(const struct compile_job *job, const char *trouble, struct error *err);
// Headers both compilers accept though there is no toolkit (headers.def).
enum header_content {
    HEADER_CORE,
    HEADER_STD,
    HEADER_OWN,
    HEADER_CUB,
    HEADER_LIBRARY,
    HEADER_HOST
};
struct standard_header {
    const char *name;
    enum header_content content;
};
extern const struct standard_header standard_headers[];
extern const size_t standard_header_count;
// Takes ptxas -v lines out of a log; what they say of each kernel is appended to out->kernels.
const char *ptxas_log_take(struct arena *a, const char *log, struct code_object *out);
// A program of CUDA's toolkit: the one that the variable of the environment names, else from PATH or where toolkits are; NULL.
const char *toolkit_find(struct arena *a, const char *variable, const char *tool);
const char *nvdisasm_find(struct arena *a);
// ptxas (RIDGE_PTXAS names another, or "none"), or NULL; which file it is, for keys; and its report on the code (PTX), if it is installed: exact
// kernels for a device of that architecture.
const char *ptxas_find(struct arena *a);
void ptxas_identity(struct arena *a, struct text *out);
struct ptxas_job {
    const char *ptxas, *arch; // ptxas_find's, ptxas_arch's
    const char *option;       // beside the architecture
    const char *text;         // PTX
    size_t text_bytes;
    const char *folder, *file; // its own; what is written
    double timeout_s;
};
// false: it refuses the text, or does not end. said: optional, what it printed.
bool ptxas_make(struct arena *a, const struct ptxas_job *job, struct text *said);
void ptxas_ask(struct arena *a, const char *arch, struct code_object *code);
// PTX for another chip of the same number (sm_90a) keeps its letter; NULL: PTX for a later one does not run.
const char *ptxas_arch(const char *target, const char *device);
// Fills code_line of the kernels that are listed.
void ptxas_count(struct arena *a, const char *arch, struct code_object *code);
int arch_number(const char *arch); // "sm_90a" -> 90; 0 = not one

/* ---- the cache ------------------------------------------------------------------------------------ */

// name: 32 hex digits. false: not there, or not whole.
bool cache_get(struct arena *a, const char *name, struct code_object *out);
void cache_put(const char *name, const struct code_object *code); // best effort
// Machine code beside the PTX of that name.
bool cache_machine_get(struct arena *a, const char *name, struct code_object *out);
// A file of the cache as text: its first line, which holds the checksum of what follows, and reading it.
void cache_head_add(struct text *out, const char *body, size_t size_bytes);
bool cache_content_read(struct arena *a, const char *data, size_t size_bytes,
                        struct code_object *out);
// One small text remembered per identity of a file (path, size, time of change): versions.
const char *memo_get(struct arena *a, const char *path);
void memo_put(const char *path, const char *value);

/* ---- kernels ---------------------------------------------------------------------------------------- */

// Fills kernels and kernels_listed from the code; what is in `kernels` already (the compiler's report) is
// taken over by name.
void code_list_kernels(struct arena *a, struct code_object *code);
// By name only; false: the bytes are no code object of AMD's.
bool hsaco_list_kernels(struct arena *a, struct code_object *code);
void code_copy_kernels(struct arena *a, const struct code_object *code, struct code_kernel **out,
                       int *count);
// "blas::axpy<4, float>" of a mangled name; a name that is not mangled, or not understood, is itself.
const char *kernel_plain_name(struct arena *a, const char *name);
// How well the name in the code is what the user wrote: worst first.
enum kernel_match {
    MATCH_NONE,
    MATCH_PART,  // "axpy" for blas::axpy<4, float>, "blas::axpy" too
    MATCH_FIRST, // "axpy<4>": the first arguments, the others may be the template's own
    MATCH_LAST,  // "axpy<4, float>"
    MATCH_WHOLE, // "blas::axpy<4, float>"
    MATCH_CODE,  // as the code has it, mangled
    MATCH_COUNT
};
enum kernel_match kernel_matches(struct arena *a, const char *name, const char *wanted);
// The kernel of that name, or the only one whose plain name ("_Z5naivePf" -> "naive") it is; NULL
// with err set if there is none.
const struct code_kernel *kernel_find(struct arena *a, const struct code_kernel *kernels, int count,
                                      const char *source, const char *wanted, struct location at,
                                      struct error *err);
// Pointers to the values of the kernel's parameters; a mismatch is the user's to mend.
// `set` in an experiment names what cannot be set: always false.
bool fail_no_variable(struct error *err, const struct set_spec *s, const char *source);
bool fail_variable_size(struct error *err, const struct set_spec *s, uint64_t room,
                        uint64_t size_bytes);
enum { TENSOR_MAP_BYTES = 128 };
struct tensor_map_bytes {
    uint8_t bytes[TENSOR_MAP_BYTES];
};
// How a device writes down what a kernel's parameter holds of a buffer but its address.
struct object_encoder {
    bool (*tensor)(void *context, const struct resolved_tensor *tensor, uint64_t address,
                   struct tensor_map_bytes *out, struct error *err);
    bool (*texture)(void *context, const struct resolved_texture *texture, uint64_t address,
                    uint64_t *handle, struct error *err);
    void *context;
};
// Where the value of an argument lies.
bool kernel_arg(struct arena *a, const struct resolved_argument *x, const uint64_t *addresses,
                const struct object_encoder *objects, const void **out,
                struct error *err) CHECK_RESULT;
// Do the launch's arguments fit the kernel's parameters, which are known?
bool kernel_check_args(struct arena *a, const struct resolved_launch *l,
                       const struct code_kernel *k, struct error *err) CHECK_RESULT;
// What a device may lack.
enum launch_feature {
    FEATURE_CLUSTER,
    FEATURE_COOPERATIVE,
    FEATURE_PERSIST,
    FEATURE_SET,
    FEATURE_TENSOR_MAP,
    FEATURE_TEXTURE,
    FEATURE_COUNT
};
// lacks: their bits.
bool launch_check_features(const struct resolved_launch *l, unsigned lacks, const char *device_id,
                           struct error *err) CHECK_RESULT;
bool kernel_args(struct arena *a, const struct resolved_launch *l, const struct code_kernel *k,
                 const uint64_t *addresses, const struct object_encoder *objects,
                 const void *const **out, struct error *err) CHECK_RESULT;

/* ---- what kernels print (capture.c) -------------------------------------------------------------- */

struct capture {
    int stream; // STDOUT_FILENO …
    int saved, file;
};
void capture_begin(struct capture *p, int stream);
// What was printed, at most 4 KiB; NULL = nothing.
const char *capture_end(struct capture *p, struct arena *a);

/* ---- backends --------------------------------------------------------------------------------------- */

struct parts { // of `ridge devices`
    struct arena *arena;
    struct device_part *items;
    size_t count, capacity;
};
void parts_add(struct parts *p, const char *what, bool present, const char *detail,
               const char *remedy);
// Has a vendor's library asked in a worker: one that hangs, crashes or starts threads does it there. `body` returns
// what one of the two below does.
void part_ask(struct parts *p, const char *what, int (*body)(void *context, int fd),
              const char *remedy);
int PRINTF_LIKE(2, 3) part_here(int fd, const char *fmt, ...);
int PRINTF_LIKE(2, 3) part_missing(int fd, const char *fmt, ...);
// The first of those files in CUDA's folders, or NULL.
const char *find_in_folders(struct arena *a, const char *const *names);

struct library_rules {   // what a library takes; a row of a backend's table
    const char *name;    // before the colon of `library: NAME:FUNCTION`
    bool is_file_ending; // … or what NAME ends in: ".so"
    bool (*check)(struct arena *a, const struct experiment *e, const struct launch_spec *s,
                  struct error *err);
    // Optional.
    bool (*check_case)(const struct resolved_case *c, const struct resolved_launch *l,
                       struct error *err);
};

bool library_is(const struct library_rules *rules, const struct library_call *call);

struct device_backend {   // a row of backends.def
    const char *name;     // and the beginning of its ids, before the colon
    const char *fallback; // the id that `auto` is where no row has a device, or NULL
    const struct device_ops *ops;
    const struct telemetry_ops *telemetry; // optional
    // Its devices, best first. Real ones: false says why there are none.
    bool (*list)(struct arena *a, struct device_info **out, int *count, struct error *err);
    // The device of an id that begins with the name; `which` is what follows the colon, NULL without
    // one.
    bool (*find)(struct arena *a, const char *id, const char *which, struct device_info *out,
                 struct error *err);
    void (*parts)(struct parts *p); // optional: the libraries it needs
    // Optional: adds its own devices among those, and how they are linked.
    bool (*topology)(struct arena *a, const struct device_info *infos, int count,
                     struct topology *out, struct error *err);
    // Optional: its devices take one language that no other does, and compile it themselves.
    const char *source_ending; // ".cl"
    bool (*compile)(struct arena *a, const struct device_info *info,
                    const struct compile_request *request, const struct source *source,
                    const struct flag_set *flags, struct code_object *out, struct error *err);
    bool (*compiles)(const struct device_info *info); // … for that device; NULL: for all
    const struct library_rules *const
        *libraries; // optional: that variants may call; NULL terminated
};
#define BACKEND(name) extern const struct device_backend backend_##name;
#include "device/backends.def"
#undef BACKEND
const struct device_backend *backend_at(size_t index); // NULL after the last
const struct device_backend *
backend_of(const struct device_info *info); // NULL: none of this version
extern const char fallback_device[];        // needs no GPU
// All devices there are, into out->devices; and what the backends need.
bool devices_list(struct arena *a, struct device_inventory *out, struct error *err) CHECK_RESULT;
void devices_parts(struct parts *p);
// An id that no backend has: an error with a suggestion and the list of simulated devices.
bool fail_unknown_device(struct arena *a, const char *id, struct error *err);
// Of a chip's figures.
struct device_facts device_facts_of(const struct gpu *g);
const char *environment(const char *name);  // NULL if unset or empty
const char *signal_name(int signal_number); // "SIGSEGV (segmentation fault)"
// Folders where CUDA's libraries may lie, NULL terminated; RIDGE_CUDA_PATH first.
const char *const *cuda_folders(struct arena *a);

#endif
