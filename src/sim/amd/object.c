// The ELF file of a code object: sections placed in one image, relocations, kernels by their descriptors.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/object.h"
#include "base/elf.h"
#include "sim/amd/metadata.h"

#include <inttypes.h>
#include <string.h>

enum {
    DESCRIPTOR_BYTES = 64,
    GOT_ENTRY_BYTES = 8,
    IMAGE_BYTES_MAX = 1 << 26,
    RSRC3_ACCUM_MASK = 63,
};
enum relocation_kind { // "AMDGPU Usage": Relocation Records
    RELOCATION_ABS32_LO = 1,
    RELOCATION_ABS32_HI = 2,
    RELOCATION_ABS64 = 3,
    RELOCATION_REL32 = 4,
    RELOCATION_REL64 = 5,
    RELOCATION_ABS32 = 6,
    RELOCATION_GOTPCREL = 7,
    RELOCATION_GOTPCREL32_LO = 8,
    RELOCATION_GOTPCREL32_HI = 9,
    RELOCATION_REL32_LO = 10,
    RELOCATION_REL32_HI = 11,
    RELOCATION_RELATIVE64 = 13,
};

struct file {
    const char *name;
    struct elf elf;
    uint64_t *placed; // of each section: offset in the image; UINT64_MAX = not loaded
    uint64_t got;     // where the table of addresses starts in the image
    uint64_t address; // where the image will be
};

static bool fail_object(const struct file *f, const char *what, struct error *err)
{
    return fail(err, (struct location){.file = f->name}, "the code object %s", what);
}

// As a linker left it: addresses are those in the image.
static bool is_linked(const struct file *f)
{
    return f->elf.head.e_type == ET_DYN;
}

// "AMDGPU Usage": ELF header, EF_AMDGPU_MACH.
static bool read_arch(const struct file *f, struct amd_object *out, struct error *err)
{
    enum { MACH = 0xff };
    static const uint8_t machs[ARCH_COUNT] = {
        [ARCH_GFX90A] = 0x3f, [ARCH_GFX942] = 0x4c, [ARCH_GFX1100] = 0x41};
    for (int i = 0; i < ARCH_COUNT; i++)
        if ((f->elf.head.e_flags & MACH) == machs[i]) {
            out->arch = (enum amd_arch)i;
            return true;
        }
    return fail_object(f, "is for a chip that is not simulated (of AMD's: gfx90a, gfx942, gfx1100)",
                       err);
}

static bool read_head(struct file *f, const void *bytes, size_t size_bytes, struct error *err)
{
    if (!elf_open(bytes, size_bytes, &f->elf) || f->elf.head.e_machine != ELF_MACHINE_AMDGPU)
        return fail_object(f, "is no ELF file for AMD's GPUs", err);
    return elf_is_whole(&f->elf) ||
           fail_object(f, "is cut off: its sections lie beyond its end", err);
}

/* ---- the image --------------------------------------------------------------------------------------------------- */

static bool place_sections(struct arena *a, struct file *f, struct amd_object *out,
                           struct error *err)
{
    uint64_t end = 0;
    f->placed = ARENA_ARRAY(a, uint64_t, f->elf.head.e_shnum + 1u);
    for (uint32_t i = 0; i < f->elf.head.e_shnum; i++) {
        const Elf64_Shdr s = elf_section(&f->elf, i);
        f->placed[i] = UINT64_MAX;
        if (!(s.sh_flags & SHF_ALLOC))
            continue;
        uint64_t align = s.sh_addralign > 1 ? s.sh_addralign : 1;
        if (align > 4096 || (align & (align - 1)) != 0 || s.sh_size > IMAGE_BYTES_MAX ||
            s.sh_addr > IMAGE_BYTES_MAX)
            return fail_object(f, "has a section of a size or alignment that is not taken", err);
        uint64_t at = is_linked(f) ? s.sh_addr : (end + align - 1) & ~(align - 1);
        f->placed[i] = at;
        if (at + s.sh_size > end)
            end = at + s.sh_size;
        if ((s.sh_flags & SHF_EXECINSTR) && out->code_bytes == 0) {
            out->code_start = at;
            out->code_bytes = s.sh_size;
        }
        if (end > IMAGE_BYTES_MAX)
            return fail_object(f, "is larger than 64 MiB", err);
    }
    f->got = (end + GOT_ENTRY_BYTES - 1) / GOT_ENTRY_BYTES * GOT_ENTRY_BYTES;
    return true;
}

// Its offset in the image; false: it is not in it.
static bool symbol_place(const struct file *f, const Elf64_Sym *s, uint64_t *out)
{
    if (s->st_shndx == SHN_UNDEF || s->st_shndx >= f->elf.head.e_shnum ||
        f->placed[s->st_shndx] == UINT64_MAX)
        return false;
    *out = is_linked(f) ? s->st_value : f->placed[s->st_shndx] + s->st_value;
    return true;
}

static bool relocate(const struct file *f, const struct amd_object *o, uint64_t at,
                     const Elf64_Rela *r, uint64_t symbol, struct error *err)
{
    uint64_t target = f->address + symbol + (uint64_t)r->r_addend, here = f->address + at;
    uint64_t entry = f->got + GOT_ENTRY_BYTES * ELF64_R_SYM(r->r_info);
    uint64_t by_table = f->address + entry + (uint64_t)r->r_addend - here, value;
    unsigned size = 4;
    switch (ELF64_R_TYPE(r->r_info)) {
    case RELOCATION_ABS32_LO:
    case RELOCATION_ABS32:
        value = target;
        break;
    case RELOCATION_ABS32_HI:
        value = target >> 32;
        break;
    case RELOCATION_REL32:
    case RELOCATION_REL32_LO:
        value = target - here;
        break;
    case RELOCATION_REL32_HI:
        value = (target - here) >> 32;
        break;
    case RELOCATION_GOTPCREL:
    case RELOCATION_GOTPCREL32_LO:
        value = by_table;
        break;
    case RELOCATION_GOTPCREL32_HI:
        value = by_table >> 32;
        break;
    case RELOCATION_ABS64:
        value = target;
        size = 8;
        break;
    case RELOCATION_REL64:
        value = target - here;
        size = 8;
        break;
    case RELOCATION_RELATIVE64:
        value = f->address + (uint64_t)r->r_addend;
        size = 8;
        break;
    default:
        return fail_object(f, "has a relocation of a kind that is not taken", err);
    }
    if (at > o->image_bytes || o->image_bytes - at < size)
        return fail_object(f, "has a relocation beyond its sections", err);
    memcpy(o->image + at, &value, size);
    return true;
}

static bool relocate_section(const struct file *f, const Elf64_Shdr *s, const struct amd_object *o,
                             struct error *err)
{
    bool linked = is_linked(f);
    if (!linked && (s->sh_info >= f->elf.head.e_shnum || f->placed[s->sh_info] == UINT64_MAX))
        return true; // of what is not loaded: debug information
    for (uint64_t i = 0; i < s->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;
        Elf64_Sym symbol;
        uint64_t place = 0;
        memcpy(&r, f->elf.bytes + s->sh_offset + i * sizeof r, sizeof r);
        bool named = ELF64_R_SYM(r.r_info) != 0;
        if (named && !elf_symbol(&f->elf, s->sh_link, ELF64_R_SYM(r.r_info), &symbol))
            return fail_object(f, "has a relocation without its symbol", err);
        if (named && !symbol_place(f, &symbol, &place)) {
            const char *name = elf_symbol_name(&f->elf, s->sh_link, &symbol);
            return fail(
                err, (struct location){.file = f->name},
                "the code object needs '%s', which is not in it: a function of AMD's device "
                "libraries, or one that the source declares only",
                name ? name : "?");
        }
        if (!relocate(f, o, linked ? r.r_offset : f->placed[s->sh_info] + r.r_offset, &r, place,
                      err))
            return false;
    }
    return true;
}

// The table of addresses (GOT): an entry for each symbol of a relocatable object.
static void fill_got(const struct file *f, uint32_t symbols, const struct amd_object *o)
{
    Elf64_Sym s;
    for (uint64_t i = 0; elf_symbol(&f->elf, symbols, i, &s); i++) {
        uint64_t place = 0;
        if (!symbol_place(f, &s, &place))
            continue;
        uint64_t value = f->address + place;
        memcpy(o->image + f->got + GOT_ENTRY_BYTES * i, &value, sizeof value);
    }
}

static bool make_image(struct arena *a, struct file *f, struct amd_object *out, struct error *err)
{
    uint64_t entries = 0;
    const uint32_t count = f->elf.head.e_shnum;
    for (uint32_t i = 0; i < count && !is_linked(f); i++)
        if (elf_section(&f->elf, i).sh_type == SHT_SYMTAB && elf_symbol_count(&f->elf, i) > entries)
            entries = elf_symbol_count(&f->elf, i);
    out->image_bytes = f->got + GOT_ENTRY_BYTES * (entries + 1);
    out->image = arena_alloc(a, out->image_bytes);
    memset(out->image, 0, out->image_bytes);
    for (uint32_t i = 0; i < count; i++) {
        const Elf64_Shdr s = elf_section(&f->elf, i);
        if (f->placed[i] != UINT64_MAX && elf_has_bytes(&s) && s.sh_size > 0)
            memcpy(out->image + f->placed[i], f->elf.bytes + s.sh_offset, s.sh_size);
        if (s.sh_type == SHT_SYMTAB && !is_linked(f))
            fill_got(f, i, out);
    }
    for (uint32_t i = 0; i < count; i++) {
        const Elf64_Shdr s = elf_section(&f->elf, i);
        if (s.sh_type == SHT_RELA && !relocate_section(f, &s, out, err))
            return false;
    }
    return true;
}

/* ---- kernels ------------------------------------------------------------------------------------------------------ */

static uint32_t word_at(const uint8_t *p, unsigned offset)
{
    uint32_t w;
    memcpy(&w, p + offset, sizeof w);
    return w;
}

// "AMDGPU Usage": Kernel Descriptor.
static void read_descriptor(enum amd_arch arch, const uint8_t *d, struct amd_kernel *k)
{
    enum { RSRC3 = 44, RSRC1 = 48, RSRC2 = 52, PROPERTIES = 56, ENTRY = 16 };
    uint32_t rsrc1 = word_at(d, RSRC1), rsrc2 = word_at(d, RSRC2), has = word_at(d, PROPERTIES);
    int64_t entry;
    memcpy(&entry, d + ENTRY, sizeof entry);
    k->entry = k->descriptor + (uint64_t)entry;
    k->lds_bytes = word_at(d, 0);
    k->scratch_bytes = word_at(d, 4);
    k->kernarg_bytes = word_at(d, 8);
    int all = 8 * (int)((rsrc1 & 63) + 1),
        plain = 4 * (int)((word_at(d, RSRC3) & RSRC3_ACCUM_MASK) + 1);
    bool gfx9 = arch != ARCH_GFX1100; // later ones give every wave all scalar registers
    k->vector_registers = all;
    k->accumulators = gfx9 && all > plain ? all - plain : 0;
    k->scalar_registers = gfx9 ? 8 * (int)((rsrc1 >> 6 & 15) + 1) : 0;
    k->float_mode = rsrc1 >> 12 & 0xff;
    k->scratch_offset = rsrc2 & 1;
    k->user_scalars = rsrc2 >> 1 & 31;
    for (int i = 0; i < 3; i++)
        k->group_id[i] = rsrc2 >> (7 + i) & 1;
    k->group_info = rsrc2 >> 10 & 1;
    k->resource = has & 1;
    k->dispatch_packet = has >> 1 & 1;
    k->queue = has >> 2 & 1;
    k->kernarg = has >> 3 & 1;
    k->dispatch_id = has >> 4 & 1;
    k->flat_scratch = has >> 5 & 1;
    k->scratch_size = has >> 6 & 1;
    k->lanes = gfx9 || !(has >> 10 & 1) ? 64 : 32;
}

static bool has_kernel(const struct amd_object *o, const char *name)
{
    for (int i = 0; i < o->kernel_count; i++)
        if (strcmp(o->kernels[i].name, name) == 0)
            return true;
    return false;
}

static bool add_symbol(struct arena *a, const struct file *f, uint32_t table, const Elf64_Sym *s,
                       struct amd_object *out, struct error *err)
{
    static const char ending[] = ".kd";
    const char *name = elf_symbol_name(&f->elf, table, s);
    uint64_t place = 0;
    if (!name || !*name || !symbol_place(f, s, &place) || place > out->image_bytes)
        return true;
    bool object = ELF64_ST_TYPE(s->st_info) == STT_OBJECT;
    if (object && !str_ends_with(name, ending))
        out->variables[out->variable_count++] =
            (struct amd_symbol){arena_strdup(a, name), place, s->st_size};
    if (!str_ends_with(name, ending) || strlen(name) <= strlen(ending))
        return true;
    name = arena_strndup(a, name, strlen(name) - strlen(ending));
    if (has_kernel(out, name))
        return true;
    if (out->image_bytes - place < DESCRIPTOR_BYTES)
        return fail_object(f, "is cut off in a kernel's descriptor", err);
    struct amd_kernel *k = &out->kernels[out->kernel_count++];
    *k = (struct amd_kernel){.name = name, .descriptor = place};
    read_descriptor(out->arch, out->image + place, k);
    if (k->entry < out->code_start || k->entry - out->code_start >= out->code_bytes ||
        k->entry % 4 != 0)
        return fail_object(f, "has a kernel that starts outside of its code", err);
    return true;
}

static bool list_symbols(struct arena *a, const struct file *f, struct amd_object *out,
                         struct error *err)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < f->elf.head.e_shnum; i++)
        count += elf_symbol_count(&f->elf, i);
    out->kernels = ARENA_ARRAY(a, struct amd_kernel, count + 1);
    out->variables = ARENA_ARRAY(a, struct amd_symbol, count + 1);
    for (uint32_t i = 0; i < f->elf.head.e_shnum; i++) {
        Elf64_Sym s;
        for (uint64_t n = 0; elf_symbol(&f->elf, i, n, &s); n++)
            if (!add_symbol(a, f, i, &s, out, err))
                return false;
    }
    return true;
}

static void read_notes(struct arena *a, const struct file *f, struct amd_object *out)
{
    for (uint32_t i = 0; i < f->elf.head.e_shnum; i++) {
        const Elf64_Shdr s = elf_section(&f->elf, i);
        if (s.sh_type == SHT_NOTE)
            metadata_read_notes(a, f->elf.bytes + s.sh_offset, s.sh_size, out);
    }
}

/* ---- lines of source ----------------------------------------------------------------------------------------------- */

// Addresses become offsets in the image, places in other sections offsets there.
static void relocate_copy(const struct file *f, const Elf64_Shdr *s, uint8_t *copy, uint64_t size)
{
    for (uint64_t i = 0; i < s->sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;
        Elf64_Sym symbol;
        memcpy(&r, f->elf.bytes + s->sh_offset + i * sizeof r, sizeof r);
        uint64_t place = 0, kind = ELF64_R_TYPE(r.r_info);
        unsigned bytes = kind == RELOCATION_ABS64 ? 8 : kind == RELOCATION_ABS32 ? 4 : 0;
        if (bytes == 0 || r.r_offset > size || size - r.r_offset < bytes ||
            !elf_symbol(&f->elf, s->sh_link, ELF64_R_SYM(r.r_info), &symbol))
            continue;
        uint64_t value =
            (uint64_t)r.r_addend + (symbol_place(f, &symbol, &place) ? place : symbol.st_value);
        memcpy(copy + r.r_offset, &value, bytes);
    }
}

static struct dwarf_section read_section(struct arena *a, const struct file *f, const char *name)
{
    uint32_t index = elf_find(&f->elf, name);
    const Elf64_Shdr s = elf_section(&f->elf, index);
    if (index == 0 || s.sh_flags & SHF_COMPRESSED)
        return (struct dwarf_section){NULL, 0};
    uint8_t *copy = arena_alloc(a, s.sh_size + 1);
    memcpy(copy, f->elf.bytes + s.sh_offset, s.sh_size);
    for (uint32_t i = 0; i < f->elf.head.e_shnum && f->elf.head.e_type == ET_REL; i++) {
        const Elf64_Shdr r = elf_section(&f->elf, i);
        if (r.sh_type == SHT_RELA && r.sh_info == index)
            relocate_copy(f, &r, copy, s.sh_size);
    }
    return (struct dwarf_section){copy, s.sh_size};
}

static void read_lines(struct arena *a, const struct file *f, struct amd_object *out)
{
    const struct dwarf_sections sections = {read_section(a, f, ".debug_line"),
                                            read_section(a, f, ".debug_line_str"),
                                            read_section(a, f, ".debug_str")};
    dwarf_lines_read(a, &sections, &out->places);
}

bool amd_object_read(struct arena *a, const char *name, const void *bytes, size_t size_bytes,
                     uint64_t address, struct amd_object *out, struct error *err)
{
    struct file f = {.name = name, .address = address};
    *out = (struct amd_object){0};
    if (!read_head(&f, bytes, size_bytes, err) || !read_arch(&f, out, err) ||
        !place_sections(a, &f, out, err) || !make_image(a, &f, out, err) ||
        !list_symbols(a, &f, out, err))
        return false;
    read_notes(a, &f, out);
    read_lines(a, &f, out);
    return true;
}
