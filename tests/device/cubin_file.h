// A cubin as ptxas lays it out, written by hand: two functions, each in a section of its own at address 0, and a line
// table of two sequences whose addresses are relocations.
// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_DEVICE_CUBIN_FILE_H
#define TESTS_DEVICE_CUBIN_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    CUBIN_FILE_BYTES_MAX = 4096,
    CUBIN_SECTIONS = 7,
    CUBIN_FIRST_LINE = 10,
    CUBIN_SECOND_LINE = 20
};

struct cubin_file_bytes {
    uint8_t data[CUBIN_FILE_BYTES_MAX];
    size_t count;
};

static inline size_t cubin_put(struct cubin_file_bytes *b, const void *data, size_t size_bytes)
{
    size_t at = b->count = (b->count + 7) / 8 * 8;
    memcpy(b->data + at, data, size_bytes);
    b->count += size_bytes;
    return at;
}

// DWARF 2: the file, then two sequences: the line at 0, the next line from 0x20 on, the end at 0x40.
static inline size_t cubin_line_table(uint8_t *out, const char *file, size_t address_at[2])
{
    size_t n = 4;
    const uint8_t head[] = {2, 0, 0, 0, 0, 0, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1};
    memcpy(out + n, head, sizeof head);
    size_t length_at = n + 2, after_length = n + 6;
    n += sizeof head;
    out[n++] = 0; // no folders
    memcpy(out + n, file, strlen(file) + 1);
    n += strlen(file) + 1;
    memset(out + n, 0, 4); // its folder, time and size; the end of files
    n += 4;
    out[length_at] = (uint8_t)(n - after_length);
    for (int i = 0; i < 2; i++) {
        const uint8_t address[] = {0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0};
        const uint8_t steps[] = {
            3,    (uint8_t)(i == 0 ? CUBIN_FIRST_LINE - 1 : CUBIN_SECOND_LINE - 1),
            1, // advance_line, copy
            2,    0x20,
            3,    1,
            1,    2,
            0x20, 0,
            1,    1};
        memcpy(out + n, address, sizeof address);
        address_at[i] = n + 3;
        n += sizeof address;
        memcpy(out + n, steps, sizeof steps);
        n += sizeof steps;
    }
    out[0] = (uint8_t)(n - 4);
    out[1] = out[2] = out[3] = 0;
    return n;
}

static inline void cubin_file_write(struct cubin_file_bytes *b, const char *first,
                                    const char *second, const char *file)
{
    enum { TEXT_1 = 5, TEXT_2 = 6 };
    char names[256] = "\0.debug_line\0.strtab";
    uint8_t lines[512], code[0x40] = {0};
    size_t address_at[2], size = cubin_line_table(lines, file, address_at), first_at = 21,
                          second_at = first_at + strlen(first) + 1,
                          names_bytes = second_at + strlen(second) + 1;
    memcpy(names + first_at, first, strlen(first) + 1);
    memcpy(names + second_at, second, strlen(second) + 1);
    Elf64_Sym symbols[3] = {
        {0},
        {.st_name = (uint32_t)first_at, .st_info = STT_FUNC, .st_shndx = TEXT_1, .st_size = 0x40},
        {.st_name = (uint32_t)second_at, .st_info = STT_FUNC, .st_shndx = TEXT_2, .st_size = 0x40}};
    Elf64_Rela moves[2] = {{.r_offset = address_at[0], .r_info = ELF64_R_INFO(1, 2)},
                           {.r_offset = address_at[1], .r_info = ELF64_R_INFO(2, 2)}};
    Elf64_Ehdr head = {.e_type = ET_EXEC,
                       .e_machine = 190,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = CUBIN_SECTIONS,
                       .e_shstrndx = 1,
                       .e_ehsize = sizeof head};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    b->count = sizeof head;
    (void)cubin_put(b, "whole\0\0", 8); // the mark of a file that fake_driver.c takes
    Elf64_Shdr s[CUBIN_SECTIONS] = {
        {0},
        {.sh_type = SHT_STRTAB,
         .sh_name = 13,
         .sh_offset = cubin_put(b, names, names_bytes),
         .sh_size = names_bytes},
        {.sh_type = SHT_SYMTAB,
         .sh_link = 1,
         .sh_offset = cubin_put(b, symbols, sizeof symbols),
         .sh_size = sizeof symbols},
        {.sh_type = SHT_PROGBITS,
         .sh_name = 1,
         .sh_offset = cubin_put(b, lines, size),
         .sh_size = size},
        {.sh_type = SHT_RELA,
         .sh_link = 2,
         .sh_info = 3,
         .sh_offset = cubin_put(b, moves, sizeof moves),
         .sh_size = sizeof moves},
        {.sh_type = SHT_PROGBITS,
         .sh_flags = SHF_EXECINSTR,
         .sh_offset = cubin_put(b, code, sizeof code),
         .sh_size = sizeof code},
        {.sh_type = SHT_PROGBITS,
         .sh_flags = SHF_EXECINSTR,
         .sh_offset = cubin_put(b, code, sizeof code),
         .sh_size = sizeof code},
    };
    head.e_shoff = cubin_put(b, s, sizeof s);
    memcpy(b->data, &head, sizeof head);
}

#endif
