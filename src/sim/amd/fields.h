// Fields of words of machine code. For the decoders only.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_FIELDS_H
#define RIDGE_SIM_AMD_FIELDS_H

#include "sim/amd/isa.h"

#include <stdint.h>

static inline uint32_t bits(uint32_t word, unsigned low, unsigned count)
{
    return word >> low & ((1u << count) - 1);
}

static inline uint16_t field(uint32_t word, unsigned low, unsigned count)
{
    return (uint16_t)bits(word, low, count);
}

static inline uint8_t flags(uint32_t word, unsigned low, unsigned count)
{
    return (uint8_t)bits(word, low, count);
}

static inline int32_t signed_bits(uint32_t word, unsigned low, unsigned count)
{
    uint32_t sign = 1u << (count - 1);
    return (int32_t)((bits(word, low, count) ^ sign) - sign);
}

struct shape { // of an instruction
    enum amd_encoding encoding;
    unsigned opcode, words;
};

// Scalar and vector instructions of one word, which are divided alike in gfx9 and gfx11. false: it is none of them.
static inline bool short_shape(uint32_t w, struct shape *s)
{
    if (bits(w, 31, 1) == 0) {
        unsigned op = bits(w, 25, 6);
        *s = op == 0x3f   ? (struct shape){ENCODING_VOP1, bits(w, 9, 8), 1}
             : op == 0x3e ? (struct shape){ENCODING_VOPC, bits(w, 17, 8), 1}
                          : (struct shape){ENCODING_VOP2, op, 1};
        return true;
    }
    if (bits(w, 30, 2) == 2) {
        unsigned op = bits(w, 23, 7);
        *s = op == 0x7d             ? (struct shape){ENCODING_SOP1, bits(w, 8, 8), 1}
             : op == 0x7e           ? (struct shape){ENCODING_SOPC, bits(w, 16, 7), 1}
             : op == 0x7f           ? (struct shape){ENCODING_SOPP, bits(w, 16, 7), 1}
             : bits(w, 28, 4) == 11 ? (struct shape){ENCODING_SOPK, bits(w, 23, 5), 1}
                                    : (struct shape){ENCODING_SOP2, op, 1};
        return true;
    }
    return false;
}

#endif
