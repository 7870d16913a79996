// replay: a launch that was saved of a running program becomes a folder that `ridge run` takes: its code, what it was
// given, and what it left as the expected outputs.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_REPLAY_H
#define RIDGE_REPLAY_H

#include "base/base.h"

/* ---- launches of a recording (recording.c) ------------------------------------------------------ */

struct saved_allocation {
    uint64_t address, size_bytes;
    const char *before, *after; // files; after is NULL: the launch did not change it
};
struct saved_variable { // of the kernel's module
    const char *name;   // as the linker knows it
    uint64_t size_bytes;
    const char *before; // a file
    bool changed;       // by the launch
};
struct saved_parameter {
    uint64_t offset, size_bytes;
    const char *bytes;
};
struct saved_launch {
    const char *name; // as the linker knows it
    uint64_t ordinal, correlation;
    uint64_t grid[3], block[3], cluster[3], shared_bytes;
    bool cooperative;
    struct saved_parameter *parameters;
    size_t parameter_count;
    struct {
        struct saved_allocation *items;
        size_t count, capacity;
    } allocations;
    struct {
        struct saved_variable *items;
        size_t count, capacity;
    } variables;
};
struct code_image {
    const char *data;
    size_t size_bytes;
};
struct
    saved { // of a process; strings and lists of launches lie in the arena, images in the data it was read from
    struct arena *arena;
    const char *command, *device;
    struct {
        struct saved_launch *items;
        size_t count, capacity;
    } launches;
    struct {
        struct code_image *items;
        size_t count, capacity;
    } images; // as CUPTI and the program's calls have them
    struct {
        const char **items;
        size_t count, capacity;
    } files, caches, troubles; // files: that may hold code; caches: folders of Triton's
};
// The files of allocations are looked for beside `file`. `data` must stay.
bool saved_read(struct saved *s, const char *file, const char *data, size_t size_bytes,
                struct error *err) CHECK_RESULT;
void saved_release(struct saved *s);

/* ---- code (fatbin.c, code.c) ----------------------------------------------------------------------- */

enum { FATBIN_PTX = 1, FATBIN_ELF = 2 };
struct fatbin_section {
    int kind;                       // FATBIN_PTX …
    uint32_t architecture;          // 90
    const char *data;               // as it lies there
    size_t size_bytes, plain_bytes; // plain_bytes: uncompressed
    bool lz4, zstd;                 // compressed by it
};
// The section at *at, which moves on (0 at first). false: there is no further one, or it does not lie within the data.
bool fatbin_next(const char *data, size_t size_bytes, size_t *at, struct fatbin_section *out);
// Its text, uncompressed, NUL terminated, in the arena. Of compressed ones libzstd or liblz4 is needed.
bool fatbin_unpack(struct arena *a, const struct fatbin_section *s, const char **data,
                   size_t *size_bytes, struct error *err) CHECK_RESULT;
bool fatbin_detect(const char *data, size_t size_bytes);

struct found_code {
    const char *ptx;     // NULL: none was found
    const char *machine; // a cubin; NULL: none was found
    size_t ptx_bytes, machine_bytes;
    int other_machines; // modules of other machine code that have it too, loaded before
    const char *why;    // no PTX: one sentence
};
// The PTX of the kernel, of the newest architecture: in the program's images, beside machine code of the same bytes (files
// that were loaded, Triton's caches), in its files.
void code_find(struct saved *s, const char *kernel, struct found_code *out);

/* ---- the folder (experiment.c) ----------------------------------------------------------------------- */

struct replayed {
    const char *folder;
    const char *name;
    size_t buffers, outputs;
    uint64_t size_bytes;
    bool ptx;
    const char **notes; // what to know before it is trusted
    size_t note_count, note_capacity;
};
// Makes the folder, which must not exist, and moves the files of the allocations there. anonymise: with other contents
// (internal.h), which what was launched computes the expected outputs of.
bool replay_write(struct saved *s, const struct saved_launch *l, const char *folder,
                  const char *name, bool anonymise, struct replayed *out,
                  struct error *err) CHECK_RESULT;
void replayed_release(struct replayed *r);
// One tar file of these folders within `folder`; it must not exist (pack.c).
bool replay_pack(const char *folder, const char *const *kernels, size_t count, const char *path,
                 struct error *err) CHECK_RESULT;
// A word for the kernel's name: "_Z5twicePKfPfi" is twice.
const char *replay_name(struct arena *a, const char *kernel);

#endif
