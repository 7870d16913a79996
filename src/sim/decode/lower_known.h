// What ptxas works out of numbers, for lower_code.c; false: it is left. Apart from lower_code.h, as rounding to 16 bits is the ALU's.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_LOWER_KNOWN_H
#define RIDGE_SIM_LOWER_KNOWN_H

#include "ptx/ptx.h"

// Of two: whole numbers; comparisons, sums and products of f32, words of two halves. Of one: conversions and signs.
bool numbers_make(const struct ptx_instruction *in, uint64_t a, uint64_t b, uint64_t *made);
bool numbers_decide(const struct ptx_instruction *in, uint64_t a, uint64_t b, uint64_t *made);
bool number_becomes(const struct ptx_instruction *in, uint64_t from, uint64_t *made);

#endif
