// elf: the variables that machine code defines, by the symbols of its ELF file.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_ELF_H
#define RIDGE_CAPTURE_ELF_H

#include <stdbool.h>
#include <stddef.h>

// The name of the next variable, which lies in the data with its NUL; *at goes on (0 at first). false: there is none further,
// or the data are no 64-bit ELF file.
bool elf_next_variable(const char *data, size_t size_bytes, size_t *at, const char **name);

#endif
