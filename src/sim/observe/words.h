// What is said of a wrong access, of PTX's and of AMD's machine code alike.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_WORDS_H
#define RIDGE_SIM_WORDS_H

#include "sim/run/exec.h"

// Each gives a sentence without an end.
void words_misaligned(char *out, size_t size, enum touch touch, unsigned bytes, uint64_t address);
void words_global(char *out, size_t size, const struct space *space, enum touch touch,
                  unsigned bytes, uint64_t address);
void words_shared(char *out, size_t size, enum touch touch, unsigned bytes, int64_t at,
                  uint64_t limit);
void words_local(char *out, size_t size, enum touch touch, unsigned bytes, uint64_t at,
                 uint64_t limit);
void words_unwritten_global(char *out, size_t size, unsigned bytes, uint64_t address,
                            const struct allocation *a);
void words_unwritten_near(char *out, size_t size, unsigned bytes, const char *space, uint64_t at);
void words_race(char *out, size_t size, enum touch touch, bool shared, uint64_t address,
                const uint32_t thread[3], const uint32_t block[3], bool other_wrote);

#endif
