// ELF files of machine code (64 bits, little-endian): sections, their names, symbols. Any bytes may be given; what lies
// outside of the file is not there. Nothing is copied, so what is handed out lives as long as the bytes do.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BASE_ELF_H
#define RIDGE_BASE_ELF_H

#include "base/base.h"

#include <elf.h>

enum { ELF_MACHINE_CUDA = 190, ELF_MACHINE_AMDGPU = 224 };

struct elf {
    const uint8_t *bytes;
    size_t size_bytes;
    Elf64_Ehdr head;
};

// false: they are no such file.
bool elf_open(const void *bytes, size_t size_bytes, struct elf *out) CHECK_RESULT;
// Does its table of sections, and each section that has bytes, lie within it?
bool elf_is_whole(const struct elf *f);

// Of type SHT_NULL: there is none of that number, or its bytes lie outside of the file.
Elf64_Shdr elf_section(const struct elf *f, uint32_t index);
// Are there bytes of it in the file?
bool elf_has_bytes(const Elf64_Shdr *s);
// The first of that name that has bytes; 0, which is no section in any file: there is none.
uint32_t elf_find(const struct elf *f, const char *name);
// Text in a table of strings; NULL: it does not end there.
const char *elf_text(const struct elf *f, uint32_t table, uint64_t at);

bool elf_is_symbol_table(const Elf64_Shdr *s);
// Symbol `index` of a table of symbols. false: there is none.
bool elf_symbol(const struct elf *f, uint32_t table, uint64_t index, Elf64_Sym *out) CHECK_RESULT;
uint64_t elf_symbol_count(const struct elf *f, uint32_t table);
const char *elf_symbol_name(const struct elf *f, uint32_t table, const Elf64_Sym *s); // NULL: none

// The name of the next variable that the file defines: an object with a size that lies in a section. *at goes on
// (0 at first). NULL: there is none further.
const char *elf_next_variable(const struct elf *f, uint64_t *at);

#endif
