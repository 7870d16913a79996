// What the ALU's tests share: from a mnemonic to the functions of every instruction set this host
// runs, operands that are random or on an edge, and the comparison of 32 lanes with an oracle.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TESTS_ALU_SUPPORT_H
#define RIDGE_TESTS_ALU_SUPPORT_H

#include "sim/alu/alu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> // last: its fail() hides base's

enum { ROUNDS = 400 };

struct mnemonic {
    char text[200];
    struct ptx_instruction in;
};

static inline enum ptx_type type_of_word(const char *word)
{
    for (int t = PTX_TYPE_NONE + 1; t < PTX_TYPE_COUNT; t++)
        if (strcmp(ptx_type_name((enum ptx_type)t), word) == 0)
            return (enum ptx_type)t;
    return PTX_TYPE_NONE;
}

// "add.s32" as the parser would give it; false if there is no such opcode.
static inline bool mnemonic_parse(struct mnemonic *m, const char *text)
{
    memset(m, 0, sizeof(*m));
    (void)snprintf(m->text, sizeof(m->text), "%s", text);
    char *next = strchr(m->text, '.');
    if (next != NULL)
        *next++ = '\0';
    int op = 0;
    while (op < PTX_OP_COUNT && strcmp(ptx_opcode_name((enum ptx_opcode)op), m->text) != 0)
        op++;
    if (op == PTX_OP_COUNT)
        return false;
    m->in.opcode = (enum ptx_opcode)op;
    while (next != NULL) {
        char *word = next;
        next = strchr(word, '.');
        if (next != NULL)
            *next++ = '\0';
        m->in.words[m->in.word_count++] = word;
        if (type_of_word(word) != PTX_TYPE_NONE && m->in.type_count < 4)
            m->in.types[m->in.type_count++] = type_of_word(word);
    }
    return true;
}

static inline struct alu_op alu_of(const char *text, enum sim_isa isa)
{
    struct mnemonic m;
    struct alu_op op = {0};
    const char *why = "no such opcode";
    if (!mnemonic_parse(&m, text) || !sim_alu_find(&m.in, isa, &op, &why))
        fail_msg("%s: %s", text, why);
    return op;
}

/* ---- operands -------------------------------------------------------------------------------- */

// SplitMix64 after Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA'14.
static inline u64 random64(void)
{
    static u64 state = 20260101;
    state += 0x9e3779b97f4a7c15;
    u64 z = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static const u64 EDGES[] = {
    0,
    1,
    2,
    3,
    15,
    16,
    17,
    24,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    // f16 and bf16 pairs
    0x7c00fc00,
    0x7e010001,
    0x3c00bc00,
    0x03ff0400,
    0x7bff7f80,
    0xff807fc0,
    0x80000000,
    0x00800001,
    // f32: 1, -1, 0.5, smallest, largest subnormal, smallest normal, largest, infinities, NaN
    0x3f800000,
    0xbf800000,
    0x3f000000,
    0x00000001,
    0x007fffff,
    0x807fffff,
    0x00800000,
    0x80800000,
    0x7f7fffff,
    0xff7fffff,
    0x7f800000,
    0xff800000,
    0x7fc00000,
    0xffc12345,
    0x7f800001,
    0x4b800000,
    0x4f000000,
    0xcf000000,
    0x4effffff,
    0x4f800000,
    0x5f000000,
    0x40490fdb,
    0x7e800000,
    0x7e800001,
    // f64: the same
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fe0000000000000,
    0x000fffffffffffff,
    0x800fffffffffffff,
    0x0010000000000000,
    0x8010000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0xfff8000000012345,
    0x7ff0000000000001,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000000000,
    0x43e0000000000000,
    0x3690000000000000,
    0x3810000000000000,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x3ff0000010000000,
};

// From two random words.
static inline u64 operand_of_words(u64 r, u64 choice)
{
    const u64 e = EDGES[r % COUNT_OF(EDGES)];
    switch (choice % 8) {
    case 0:
    case 1:
        return e;
    case 2: // around an edge
        return e + (r >> 60) - 8;
    case 3: // floats of like size, so that sums cancel
        return (r & 0x800fffff007fffff) | 0x3ff000003f800000;
    case 4: // few bits
        return r & (((u64)1 << (choice >> 8) % 64) - 1);
    case 5: // sums of floats a few exponents apart
        return (r & 0x83ffffff83ffffff) | 0x3c0000003c000000;
    default:
        return r;
    }
}

static inline u64 operand64(void)
{
    const u64 r = random64();
    return operand_of_words(r, random64());
}

struct operands {
    u64 wide[4][LANES]; // as 64-bit values; narrow: the low half of each
    u32 narrow[4][LANES];
    u32 mask[4];
};

static inline void operands_fill(struct operands *o)
{
    for (int s = 0; s < 4; s++) {
        for (int l = 0; l < LANES; l++) {
            o->wide[s][l] = operand64();
            o->narrow[s][l] = (u32)operand64();
        }
        o->mask[s] = (u32)random64();
    }
}

// An 8- or 16-bit register is zero above its bits.
static inline void operands_narrow(struct operands *o, int source, int bits)
{
    for (int l = 0; l < LANES; l++)
        o->narrow[source][l] &= ((u32)1 << bits) - 1;
}

static inline const void *source_row(const struct operands *o, const struct alu_op *op, int s)
{
    if (s >= op->source_count)
        return NULL;
    return op->source_bits[s] == 64   ? (const void *)o->wide[s]
           : op->source_bits[s] == 32 ? (const void *)o->narrow[s]
                                      : (const void *)&o->mask[s];
}

struct result {
    u64 lane[LANES]; // of a predicate: 0 or 1
    u32 carry;
};

static inline void alu_run(const struct alu_op *op, const struct operands *o, u32 carry,
                           struct result *r)
{
    _Alignas(64) u64 wide[2 * LANES] = {0};
    u32 *narrow = (u32 *)(void *)wide;
    const void *e = source_row(o, op, 3);
    r->carry = carry;
    if (op->reads_carry || op->writes_carry)
        e = &r->carry;
    op->fn(wide, source_row(o, op, 0), source_row(o, op, 1), source_row(o, op, 2), e, op->imm);
    for (int l = 0; l < LANES; l++)
        r->lane[l] = op->result_bits == 64   ? wide[l]
                     : op->result_bits == 32 ? ((const lane_u32 *)narrow)[l]
                                             : ((const lane_u32 *)narrow)[0] >> l & 1;
}

/* ---- oracles --------------------------------------------------------------------------------- */

// One lane: sources as their registers hold them (64-bit ones whole), a predicate as 0 or 1.
typedef u64 (*oracle_fn)(u64 x, u64 y, u64 z, u64 w);

static inline u64 source_lane(const struct operands *o, const struct alu_op *op, int s, int l)
{
    if (s >= op->source_count)
        return 0;
    return op->source_bits[s] == 64   ? o->wide[s][l]
           : op->source_bits[s] == 32 ? o->narrow[s][l]
                                      : o->mask[s] >> l & 1;
}

// source_bits: of the type, 8 or 16 where registers are zero above; 0 = as the register.
static inline void check_bits(const char *text, int bits, oracle_fn oracle)
{
    for (int isa = 0; isa <= (int)sim_isa_best(); isa++) {
        const struct alu_op op = alu_of(text, (enum sim_isa)isa);
        for (int round = 0; round < ROUNDS; round++) {
            struct operands o;
            operands_fill(&o);
            for (int s = 0; s < 4 && bits != 0; s++)
                operands_narrow(&o, s, bits);
            struct result r;
            alu_run(&op, &o, 0, &r);
            for (int l = 0; l < LANES; l++) {
                const u64 x = source_lane(&o, &op, 0, l), y = source_lane(&o, &op, 1, l);
                const u64 z = source_lane(&o, &op, 2, l), w = source_lane(&o, &op, 3, l);
                const u64 want = oracle(x, y, z, w);
                if (r.lane[l] != want)
                    fail_msg("%s (isa %d): %#llx %#llx %#llx %#llx gives %#llx, not %#llx", text,
                             isa, (unsigned long long)x, (unsigned long long)y,
                             (unsigned long long)z, (unsigned long long)w,
                             (unsigned long long)r.lane[l], (unsigned long long)want);
            }
        }
    }
}

static inline void check(const char *text, oracle_fn oracle)
{
    check_bits(text, 0, oracle);
}

#endif
