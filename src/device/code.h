// code: the one door between source and device. A compiler makes a code object, a backend loads one;
// nobody else looks into its bytes: the kernels it holds, with their parameters and what they need, are
// listed beside them.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_CODE_H
#define RIDGE_DEVICE_CODE_H

#include "base/base.h"
#include "experiment/experiment.h"

struct device_info;

struct compile_request {
    const char *source_path; // .cu, .cl, or code that is compiled already: .ptx, .cubin
    const char
        *source_text; // in place of what that file holds; NVRTC alone takes it. NULL: the file's
    const char *const *defines; // "NAME=VALUE"
    int define_count;
    const char *const *flags; // as nvcc spells them: "-I", "../include", "--use_fast_math"
    int flag_count;
    const char *flags_directory; // that -I is relative to
    struct location flags_at;
    // Optional: whose own compiler is taken, where it has one, and whose language it must be.
    const struct device_info *device;
    const char *arch;             // "sm_90": the device's; the compiler's best not above it is used
    const char *const *instances; // templates to instantiate: "blas::axpy<4, float>"
    int instance_count;
    // Kernels and variables that are needed, by name; a source whose device side does not compile whole is
    // tried with these and what they need alone.
    const char *const *needed;
    int needed_count;
    // "auto", "nvrtc", "clang", "nvcc"; auto = nvcc if there for a source with host code, else NVRTC if
    // there, else clang
    const char *compiler;
    double timeout_s; // 0 = 60
    bool machine;     // beside PTX the machine code, where the compiler makes that anyway
};

enum code_format { CODE_PTX, CODE_CUBIN, CODE_HSACO, CODE_LIBRARY, CODE_OPENCL };
// "ptx", "cubin", "hsaco", "library", "opencl": source that each process compiles for itself.
const char *code_format_name(enum code_format f);

struct code_parameter {
    uint64_t offset, size_bytes; // in the kernel's block of parameters
    uint64_t align_bytes;        // of a struct by value: what its address is a multiple of
    const char *type; // "u64", "f32"; "b8" where it is an array of bytes: a struct by value
};
enum { CODE_UNKNOWN = -1 };
struct code_line { // of PTX
    int line;
    int loop; // of the machine code, the innermost one around what was made: 1 and up; 0: none
    int instructions;
    int moved; // those of them that came of other lines, but stand in this one's basic block
};
struct code_kernel {
    const char *name; // in the code: mangled where the source is C++
    struct code_parameter *parameters;
    int parameter_count; // CODE_UNKNOWN: they cannot be listed
    // Exact, from the machine code's compiler; CODE_UNKNOWN: it was not asked.
    int registers, shared_bytes, spill_bytes;
    // How many machine instructions ptxas makes of each line of the PTX in each loop, by line, without those of which it
    // makes none; 0 of them: it was not asked.
    struct code_line *lines;
    int line_count;
    // Of its instructions (ptx_traits); NULL: unknown, or it has none of the kind.
    const char *least; // "f16": the type of fewest significant bits that it computes in
    int least_bits;    // those; 0 = no floats, or unknown
    int most_bits;     // of the type of most
    const char *least_file;
    int least_line; // 0 = not known
    bool waits;     // sleeps or reads a clock
};
struct code_object { // arena-owned
    enum code_format format;
    const char *bytes; // NUL terminated beyond its end
    size_t size_bytes;
    // Optional, where it was asked for: what the compiler made of the PTX for exactly this chip. A device loads it in place
    // of `bytes`, so that its driver need not compile.
    const char *machine;
    size_t machine_bytes;
    const char *source;   // the source's path as messages name it
    char key[33];         // content hash: source, defines, arch, compiler and its version, header
    const char *compiler; // "NVRTC 13.0", "clang 14.0.6", "none (PTX given)"
    const char *arch;     // really used
    const char *log;      // warnings, or ""
    bool from_cache;
    bool
        kernels_listed; // all kernels are there; false: a format or a version that is not read here
    struct code_kernel *kernels;
    int kernel_count;
    const char *counted; // which ptxas the kernels' lines are of; NULL: they have none
};
// Source to code that a device loads, with line information, cached by content in the user's cache folder
// (a broken or truncated cache file is compiled anew; an unwritable cache is only slower). Compiler
// errors carry the user's own file and line, all of them, as the compiler said them.
bool code_compile(struct arena *a, const struct compile_request *request, struct code_object *out,
                  struct error *err) CHECK_RESULT;
// Of a source, all that it includes and its flags, whatever is defined and whoever compiles it: 32 hex digits.
bool code_source_hash(struct arena *a, const struct compile_request *request, char out[33],
                      struct error *err) CHECK_RESULT;
// Is the source in a language that the device takes? By the ending of its name.
bool device_takes_source(const struct device_info *info, const char *path);
// A source and all that it includes; arena-owned.
struct source;
bool declared_read(struct arena *a, const struct compile_request *request,
                   const struct source **out, struct error *err) CHECK_RESULT;
// The kernels that a source declares (not those of PTX), as written; arena-owned.
struct declared_parameter {
    const char *name, *type; // "" = it has none; "float", "unsigned int", "T"
    bool pointer, constant;
    bool indirect; // a pointer to pointers
};
struct declared_kernel {
    const char *name;                // "blas::axpy"
    const char *template_parameters; // "int N, typename T", or NULL
    struct declared_parameter *parameters;
    int parameter_count;
    bool two_dimensional; // its body asks for an index in y
    bool dynamic_shared;
    int max_threads; // of __launch_bounds__, where that is a number; 0 = not said
    const char *file;
    int line;
};
void declared_kernels_list(struct arena *a, const struct source *source,
                           struct declared_kernel **out, int *count);
// How the source's host code launches a kernel: the first <<<>>> that fits, its numbers as expressions of an experiment
// file over the host's sizes. NULL = absent or not understood.
struct declared_size {
    const char *name;
    double value;
    bool known; // the host says it; else value is 0
};
struct declared_launch {
    bool found;
    const char *file;
    int line;
    const char *grid[3], *block[3], *shared_bytes;
    const char **arguments; // of whole and floating-point values
    bool *zeroed;           // of the arguments: the function sets that memory first (cudaMemset)
    int argument_count;
    const char *template_arguments; // "float, 128", of a template, launched or not
    const char *template_guesses;   // "T = float": those that nothing in the source says
    struct declared_size *sizes;
    int size_count;
};
void declared_launch_find(struct arena *a, const struct source *source,
                          const struct declared_kernel *kernel, struct declared_launch *out);
// What C++ calls a type, as an element of a buffer: "float4" is 4 f32; by the source's aliases too.
bool declared_element(struct arena *a, const struct source *source, const char *type,
                      enum element_type *element, int *elements);
// The machine code by source line, as the toolkit's disassembler prints it: for reading. Each instruction is given with its
// function's name in the code and the user's line; false: it is not taken. Returns NULL, or why there is none.
struct code_disassembly {
    bool (*instruction)(void *context, const char *function, const char *file, int line,
                        const char *text);
    void *context;
};
const char *code_disassemble(struct arena *a, const struct code_object *code, const char *arch,
                             const struct code_disassembly *to);
// Is it NVRTC that compiled it (code_object.compiler; NULL: nothing did)?
bool compiler_is_nvrtc(const char *compiler);
// "k.ptx", or "PTX of k.cu by clang 14": how messages about the code itself name it.
const char *code_name(struct arena *a, const struct code_object *code);

#endif
