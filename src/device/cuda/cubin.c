// A cubin is an ELF file in which every function has a section of its own, .text.NAME, all at address 0; the line
// table's addresses are relocations to the functions' symbols (CUDA Binary Utilities; read from files that ptxas 13.0
// and 12.x make). Each section is put at an address of its own here, so that one line table serves all functions.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cubin.h"
#include "base/elf.h"

#include <string.h>

enum { SECTION_SHIFT = 40, ADDRESS_BYTES = 8 };

static uint64_t address_of(const Elf64_Sym *s)
{
    return ((uint64_t)s->st_shndx << SECTION_SHIFT) + s->st_value;
}

static void read_functions(struct arena *a, const struct elf *f, struct cubin_lines *out)
{
    for (uint32_t t = 0; t < f->head.e_shnum; t++) {
        Elf64_Sym s;
        uint64_t count = elf_symbol_count(f, t);
        if (count == 0)
            continue;
        struct cubin_function *all =
            ARENA_ARRAY(a, struct cubin_function, (uint64_t)out->function_count + count + 1);
        if (out->function_count > 0)
            memcpy(all, out->functions, (size_t)out->function_count * sizeof *all);
        out->functions = all;
        for (uint64_t i = 0; elf_symbol(f, t, i, &s); i++) {
            const char *name = elf_symbol_name(f, t, &s);
            if (name && ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx < f->head.e_shnum)
                all[out->function_count++] =
                    (struct cubin_function){arena_strdup(a, name), address_of(&s), s.st_size};
        }
    }
}

// Where the section's relocations point, its bytes get the address of the symbol.
static void relocate(const struct elf *f, const Elf64_Shdr *relocations, uint8_t *bytes,
                     uint64_t size_bytes)
{
    bool adds = relocations->sh_type == SHT_RELA;
    uint64_t each = adds ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (uint64_t i = 0; i < relocations->sh_size / each; i++) {
        Elf64_Rela r = {0};
        Elf64_Sym s;
        memcpy(&r, f->bytes + relocations->sh_offset + i * each, each);
        if (r.r_offset > size_bytes || size_bytes - r.r_offset < ADDRESS_BYTES ||
            !elf_symbol(f, relocations->sh_link, ELF64_R_SYM(r.r_info), &s))
            continue;
        uint64_t address = address_of(&s) + (uint64_t)r.r_addend;
        memcpy(bytes + r.r_offset, &address, ADDRESS_BYTES);
    }
}

static struct dwarf_section read_section(struct arena *a, const struct elf *f, const char *name)
{
    uint32_t index = elf_find(f, name);
    const Elf64_Shdr s = elf_section(f, index);
    if (index == 0 || s.sh_flags & SHF_COMPRESSED)
        return (struct dwarf_section){NULL, 0};
    uint8_t *copy = arena_alloc(a, s.sh_size + 1);
    memcpy(copy, f->bytes + s.sh_offset, s.sh_size);
    for (uint32_t i = 0; i < f->head.e_shnum; i++) {
        const Elf64_Shdr r = elf_section(f, i);
        if ((r.sh_type == SHT_RELA || r.sh_type == SHT_REL) && r.sh_info == index)
            relocate(f, &r, copy, s.sh_size);
    }
    return (struct dwarf_section){copy, s.sh_size};
}

bool cubin_lines_read(struct arena *a, const void *bytes, size_t size_bytes,
                      struct cubin_lines *out, struct error *err)
{
    struct elf f;
    *out = (struct cubin_lines){0};
    if (!elf_open(bytes, size_bytes, &f) || f.head.e_machine != ELF_MACHINE_CUDA)
        return fail(err, NOWHERE, "the driver's machine code is no cubin that is read here");
    if (!elf_is_whole(&f))
        return fail(err, NOWHERE, "the cubin is cut off: its sections lie beyond its end");
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
