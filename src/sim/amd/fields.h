// Fields of words of machine code. For the decoders only.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_FIELDS_H
#define RIDGE_SIM_AMD_FIELDS_H

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

#endif
