// The symbol table of a cubin, where variables are objects with a size that lie in a section.
// SPDX-License-Identifier: Apache-2.0
#include "capture/elf.h"

#include <elf.h>
#include <string.h>

struct part { // of the file
    const char *data;
    size_t size_bytes;
};

static bool part_of(const char *data, size_t size_bytes, size_t offset, size_t bytes,
                    struct part *out)
{
    if (offset > size_bytes || bytes > size_bytes - offset)
        return false;
    *out = (struct part){data + offset, bytes};
    return true;
}

static bool section_at(const char *data, size_t size_bytes, const Elf64_Ehdr *head, size_t index,
                       Elf64_Shdr *out)
{
    struct part p;
    if (index >= head->e_shnum || head->e_shentsize != sizeof *out || head->e_shoff > size_bytes ||
        !part_of(data, size_bytes, head->e_shoff + index * sizeof *out, sizeof *out, &p))
        return false;
    memcpy(out, p.data, sizeof *out);
    return true;
}

// The symbols, and the text that their names lie in.
static bool find_symbols(const char *data, size_t size_bytes, struct part *symbols,
                         struct part *names)
{
    Elf64_Ehdr head;
    Elf64_Shdr table, text;
    if (size_bytes < sizeof head)
        return false;
    memcpy(&head, data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    for (size_t i = 0; section_at(data, size_bytes, &head, i, &table); i++)
        if (table.sh_type == SHT_SYMTAB)
            return section_at(data, size_bytes, &head, table.sh_link, &text) &&
                   part_of(data, size_bytes, table.sh_offset, table.sh_size, symbols) &&
                   part_of(data, size_bytes, text.sh_offset, text.sh_size, names);
    return false;
}

bool elf_next_variable(const char *data, size_t size_bytes, size_t *at, const char **name)
{
    struct part symbols = {0}, names = {0};
    Elf64_Sym s;
    if (!find_symbols(data, size_bytes, &symbols, &names))
        return false;
    while (*at < symbols.size_bytes / sizeof s) {
        memcpy(&s, symbols.data + (*at)++ * sizeof s, sizeof s);
        if (ELF64_ST_TYPE(s.st_info) != STT_OBJECT || s.st_size == 0 || s.st_shndx == SHN_UNDEF ||
            s.st_name >= names.size_bytes ||
            !memchr(names.data + s.st_name, '\0', names.size_bytes - s.st_name))
            continue;
        *name = names.data + s.st_name;
        return true;
    }
    return false;
}
