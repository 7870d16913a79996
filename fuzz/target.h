// What fuzz targets share: libFuzzer's entry point, and the end of one whose property does not hold.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FUZZ_TARGET_H
#define RIDGE_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds)
{
    if (!holds)
        abort();
}

#endif
