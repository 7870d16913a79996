// What the registers of a function need of machine code's: needs.c judges them, registers.c puts them in order.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_PTX_NEEDS_H
#define RIDGE_PTX_NEEDS_H

#include "ptx/internal.h"

enum { STANDS = 3, NONE = -1, SEVERAL = -2 };

// What a register is, seen from its readers.
struct held {
    int definition;     // the instruction; NONE, SEVERAL
    int units;          // registers of 32 bits
    bool virtual;       // none of its own: readers read `stands`
    int stands[STANDS]; // registers; NONE
};

struct needs {
    const struct ptx_function *f;
    struct held *values;
    const struct ptx_made *made; // never NULL
    bool bases;                  // pointers that offsets are added to are in registers
    int *readers;                // by register: how many operands read it
    int *sums;                   // and how many of these are additions of 64 bits, or addresses
    int *stored;                 // and how many store it: what is stored is in a register
    uint64_t *live;              // by block: what is live at its beginning
    size_t words;
    int *found, found_count; // registers that were collected last
};

struct needs needs_new(const struct ptx_function *f, bool bases);
void needs_release(struct needs *n);

// Into `found`: what the instruction reads, what it writes; one register more, or what it stands for (depth: 0).
void needs_sources(struct needs *n, const struct ptx_instruction *in);
void needs_results(struct needs *n, const struct ptx_instruction *in);
void needs_add(struct needs *n, int reg, int depth);

// The instruction vanishes: its result needs no register.
bool needs_nothing(const struct needs *n, const struct ptx_instruction *in);

// Fills `live`; then adds to the set what is live behind the block.
void needs_live(struct needs *n);
void needs_live_behind(const struct needs *n, int block, uint64_t *set);

// By block: registers that numbers of 64 bits keep through the loops that it lies in; stretch: by block, a number for each stretch
// of straight code (kept.c).
void needs_kept(const struct needs *n, const int *stretch, int *kept);

static inline bool needs_has(const uint64_t *set, int reg)
{
    return set[reg / 64] >> (reg & 63) & 1;
}

static inline bool is_integer_type(enum ptx_type t)
{
    enum ptx_type_kind k = ptx_type_kind(t);
    return k == PTX_KIND_BITS || k == PTX_KIND_UNSIGNED || k == PTX_KIND_SIGNED;
}

static inline enum ptx_type type_at(const struct ptx_instruction *in, int i)
{
    return i < in->type_count ? in->types[i] : PTX_TYPE_NONE;
}

#endif
