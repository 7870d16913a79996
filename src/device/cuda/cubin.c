// A cubin is an ELF file in which every function has a section of its own, .text.NAME, all at address 0; the line
// table's addresses are relocations to the functions' symbols (CUDA Binary Utilities; read from files that ptxas 13.0
// and 12.x make). Each section is put at an address of its own here, so that one line table serves all functions.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cubin.h"

#include <elf.h>
#include <string.h>

enum { MACHINE_CUDA = 190, SECTION_SHIFT = 40, ADDRESS_BYTES = 8 };

struct cubin_file {
    const uint8_t *bytes;
    size_t size_bytes;
    Elf64_Ehdr head;
    Elf64_Shdr *sections; // those with bytes lie within the file
};

static bool is_inside(const struct cubin_file *f, uint64_t at, uint64_t size_bytes)
{
    return at <= f->size_bytes && size_bytes <= f->size_bytes - at;
}

static bool has_bytes(const Elf64_Shdr *s)
{
    return s->sh_type != SHT_NULL && s->sh_type != SHT_NOBITS;
}

static bool read_sections(struct arena *a, struct cubin_file *f, struct error *err)
{
    const Elf64_Ehdr *h = &f->head;
    if (f->size_bytes >= sizeof *h)
        memcpy(&f->head, f->bytes, sizeof *h);
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_machine != MACHINE_CUDA || h->e_shentsize != sizeof *f->sections)
        return fail(err, NOWHERE, "the driver's machine code is no cubin that is read here");
    if (!is_inside(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof *f->sections))
        return fail(err, NOWHERE, "the cubin is cut off: its sections lie beyond its end");
    f->sections = ARENA_ARRAY(a, Elf64_Shdr, h->e_shnum + 1u);
    memcpy(f->sections, f->bytes + h->e_shoff, h->e_shnum * sizeof *f->sections);
    for (int i = 0; i < h->e_shnum; i++)
        if (has_bytes(&f->sections[i]) &&
            !is_inside(f, f->sections[i].sh_offset, f->sections[i].sh_size))
            return fail(err, NOWHERE, "the cubin is cut off: a section lies beyond its end");
    return true;
}

// Text in a table of strings; NULL: it does not end there.
static const char *text_of(const struct cubin_file *f, uint32_t table, uint64_t at)
{
    if (table >= f->head.e_shnum || !has_bytes(&f->sections[table]))
        return NULL;
    const Elf64_Shdr *s = &f->sections[table];
    if (at >= s->sh_size)
        return NULL;
    const char *text = (const char *)f->bytes + s->sh_offset + at;
    return memchr(text, '\0', s->sh_size - at) ? text : NULL;
}

static int section_find(const struct cubin_file *f, const char *name)
{
    for (int i = 0; i < f->head.e_shnum; i++) {
        const char *is = text_of(f, f->head.e_shstrndx, f->sections[i].sh_name);
        if (is && has_bytes(&f->sections[i]) && strcmp(is, name) == 0)
            return i;
    }
    return -1;
}

static bool symbol_at(const struct cubin_file *f, uint32_t table, uint64_t index, Elf64_Sym *out)
{
    if (table >= f->head.e_shnum || f->sections[table].sh_type != SHT_SYMTAB ||
        index >= f->sections[table].sh_size / sizeof *out)
        return false;
    memcpy(out, f->bytes + f->sections[table].sh_offset + index * sizeof *out, sizeof *out);
    return true;
}

static uint64_t address_of(const Elf64_Sym *s)
{
    return ((uint64_t)s->st_shndx << SECTION_SHIFT) + s->st_value;
}

static void read_functions(struct arena *a, const struct cubin_file *f, struct cubin_lines *out)
{
    for (uint32_t t = 0; t < f->head.e_shnum; t++) {
        Elf64_Sym s;
        if (f->sections[t].sh_type != SHT_SYMTAB)
            continue;
        uint64_t count = f->sections[t].sh_size / sizeof s;
        struct cubin_function *all =
            ARENA_ARRAY(a, struct cubin_function, (uint64_t)out->function_count + count + 1);
        if (out->function_count > 0)
            memcpy(all, out->functions, (size_t)out->function_count * sizeof *all);
        out->functions = all;
        for (uint64_t i = 0; symbol_at(f, t, i, &s); i++) {
            const char *name = text_of(f, f->sections[t].sh_link, s.st_name);
            if (name && ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx < f->head.e_shnum)
                all[out->function_count++] =
                    (struct cubin_function){arena_strdup(a, name), address_of(&s), s.st_size};
        }
    }
}

// Where the section's relocations point, its bytes get the address of the symbol.
static void relocate(const struct cubin_file *f, const Elf64_Shdr *relocations, uint8_t *bytes,
                     uint64_t size_bytes)
{
    bool adds = relocations->sh_type == SHT_RELA;
    uint64_t each = adds ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t i = 0; i < relocations->sh_size / each; i++) {
        Elf64_Rela r = {0};
        Elf64_Sym s;
        memcpy(&r, f->bytes + relocations->sh_offset + i * each, each);
        if (r.r_offset > size_bytes || size_bytes - r.r_offset < ADDRESS_BYTES ||
            !symbol_at(f, relocations->sh_link, ELF64_R_SYM(r.r_info), &s))
            continue;
        uint64_t address = address_of(&s) + (uint64_t)r.r_addend;
        memcpy(bytes + r.r_offset, &address, ADDRESS_BYTES);
    }
}

static struct dwarf_section read_section(struct arena *a, const struct cubin_file *f,
                                         const char *name)
{
    int index = section_find(f, name);
    if (index < 0 || f->sections[index].sh_flags & SHF_COMPRESSED)
        return (struct dwarf_section){NULL, 0};
    const Elf64_Shdr *s = &f->sections[index];
    uint8_t *copy = arena_alloc(a, s->sh_size + 1);
    memcpy(copy, f->bytes + s->sh_offset, s->sh_size);
    for (int i = 0; i < f->head.e_shnum; i++) {
        const Elf64_Shdr *r = &f->sections[i];
        if ((r->sh_type == SHT_RELA || r->sh_type == SHT_REL) && r->sh_info == (uint32_t)index)
            relocate(f, r, copy, s->sh_size);
    }
    return (struct dwarf_section){copy, s->sh_size};
}

bool cubin_lines_read(struct arena *a, const void *bytes, size_t size_bytes,
                      struct cubin_lines *out, struct error *err)
{
    struct cubin_file f = {.bytes = bytes, .size_bytes = size_bytes};
    *out = (struct cubin_lines){0};
    if (!read_sections(a, &f, err))
        return false;
    const struct dwarf_sections sections = {read_section(a, &f, ".debug_line"),
                                            read_section(a, &f, ".debug_line_str"),
                                            read_section(a, &f, ".debug_str")};
    read_functions(a, &f, out);
    dwarf_lines_read(a, &sections, &out->places);
    return true;
}

static const struct cubin_function *function_find(const struct cubin_lines *c, const char *name)
{
    for (int i = 0; i < c->function_count; i++)
        if (strcmp(c->functions[i].name, name) == 0)
            return &c->functions[i];
    return NULL;
}

bool cubin_has_function(const struct cubin_lines *c, const char *function)
{
    return function_find(c, function) != NULL;
}

const struct dwarf_place *cubin_place_at(const struct cubin_lines *c, const char *function,
                                         uint64_t offset)
{
    const struct cubin_function *f = function_find(c, function);
    if (!f || offset >> SECTION_SHIFT != 0)
        return NULL;
    const struct dwarf_place *place = dwarf_place_at(&c->places, f->base + offset);
    return place && place->at >> SECTION_SHIFT == f->base >> SECTION_SHIFT ? place : NULL;
}
