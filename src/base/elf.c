// Headers of sections are copied out one by one: in the file they may lie at any address.
// SPDX-License-Identifier: Apache-2.0
#include "base/elf.h"

#include <string.h>

// `count` things of `each` bytes from `at` on, whole within the file?
static bool is_inside(const struct elf *f, uint64_t at, uint64_t count, uint64_t each)
{
    return at <= f->size_bytes && count <= (f->size_bytes - at) / each;
}

bool elf_open(const void *bytes, size_t size_bytes, struct elf *out)
{
    *out = (struct elf){.bytes = bytes, .size_bytes = size_bytes};
    const Elf64_Ehdr *h = &out->head;
    if (size_bytes < sizeof *h)
        return false;
    memcpy(&out->head, bytes, sizeof *h);
    return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64 &&
           h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_shentsize == sizeof(Elf64_Shdr);
}

bool elf_has_bytes(const Elf64_Shdr *s)
{
    return s->sh_type != SHT_NULL && s->sh_type != SHT_NOBITS;
}

static Elf64_Shdr header_at(const struct elf *f, uint32_t index)
{
    Elf64_Shdr s;
    memcpy(&s, f->bytes + f->head.e_shoff + index * sizeof s, sizeof s);
    return s;
}

static bool has_table(const struct elf *f)
{
    return is_inside(f, f->head.e_shoff, f->head.e_shnum, sizeof(Elf64_Shdr));
}

static bool is_there(const struct elf *f, const Elf64_Shdr *s)
{
    return !elf_has_bytes(s) || is_inside(f, s->sh_offset, s->sh_size, 1);
}

bool elf_is_whole(const struct elf *f)
{
    if (!has_table(f))
        return false;
    for (uint32_t i = 0; i < f->head.e_shnum; i++) {
        const Elf64_Shdr s = header_at(f, i);
        if (!is_there(f, &s))
            return false;
    }
    return true;
}

Elf64_Shdr elf_section(const struct elf *f, uint32_t index)
{
    if (index >= f->head.e_shnum || !has_table(f))
        return (Elf64_Shdr){.sh_type = SHT_NULL};
    const Elf64_Shdr s = header_at(f, index);
    return is_there(f, &s) ? s : (Elf64_Shdr){.sh_type = SHT_NULL};
}

const char *elf_text(const struct elf *f, uint32_t table, uint64_t at)
{
    const Elf64_Shdr s = elf_section(f, table);
    if (!elf_has_bytes(&s) || at >= s.sh_size)
        return NULL;
    const char *text = (const char *)f->bytes + s.sh_offset + at;
    return memchr(text, '\0', s.sh_size - at) ? text : NULL;
}

uint32_t elf_find(const struct elf *f, const char *name)
{
    for (uint32_t i = 1; i < f->head.e_shnum; i++) {
        const Elf64_Shdr s = elf_section(f, i);
        const char *is = elf_has_bytes(&s) ? elf_text(f, f->head.e_shstrndx, s.sh_name) : NULL;
        if (is && strcmp(is, name) == 0)
            return i;
    }
    return 0;
}

bool elf_is_symbol_table(const Elf64_Shdr *s)
{
    return s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM;
}

uint64_t elf_symbol_count(const struct elf *f, uint32_t table)
{
    const Elf64_Shdr s = elf_section(f, table);
    return elf_is_symbol_table(&s) ? s.sh_size / sizeof(Elf64_Sym) : 0;
}

bool elf_symbol(const struct elf *f, uint32_t table, uint64_t index, Elf64_Sym *out)
{
    if (index >= elf_symbol_count(f, table))
        return false;
    memcpy(out, f->bytes + elf_section(f, table).sh_offset + index * sizeof *out, sizeof *out);
    return true;
}

const char *elf_symbol_name(const struct elf *f, uint32_t table, const Elf64_Sym *s)
{
    return elf_text(f, elf_section(f, table).sh_link, s->st_name);
}

const char *elf_next_variable(const struct elf *f, uint64_t *at)
{
    uint32_t table = 0;
    Elf64_Sym s;
    while (table < f->head.e_shnum && elf_section(f, table).sh_type != SHT_SYMTAB)
        table++;
    while (elf_symbol(f, table, *at, &s)) {
        ++*at;
        const char *name = elf_symbol_name(f, table, &s);
        if (name && ELF64_ST_TYPE(s.st_info) == STT_OBJECT && s.st_size > 0 &&
            s.st_shndx != SHN_UNDEF)
            return name;
    }
    return NULL;
}
