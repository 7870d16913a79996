// The kernels of AMD's code objects: ELF files in which each kernel has a descriptor, a symbol NAME.kd. Any bytes
// may be given.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static const char descriptor_ending[] = ".kd";

struct image {
    const char *bytes;
    size_t size_bytes;
};

// `count` things of `each` bytes from `at` on, whole within the image?
static bool is_inside(const struct image *m, uint64_t at, uint64_t count, uint64_t each)
{
    return at <= m->size_bytes && (each == 0 || count <= (m->size_bytes - at) / each);
}

static bool read_header(const struct image *m, Elf64_Ehdr *out)
{
    enum { MACHINE_AMDGPU = 224 };
    if (m->size_bytes < sizeof *out)
        return false;
    memcpy(out, m->bytes, sizeof *out);
    return memcmp(out->e_ident, ELFMAG, SELFMAG) == 0 && out->e_ident[EI_CLASS] == ELFCLASS64 &&
           out->e_ident[EI_DATA] == ELFDATA2LSB && out->e_machine == MACHINE_AMDGPU &&
           out->e_shentsize == sizeof(Elf64_Shdr) &&
           is_inside(m, out->e_shoff, out->e_shnum, sizeof(Elf64_Shdr));
}

static Elf64_Shdr section_at(const struct image *m, const Elf64_Ehdr *h, size_t index)
{
    Elf64_Shdr s;
    memcpy(&s, m->bytes + h->e_shoff + index * sizeof s, sizeof s);
    return s;
}

// The symbol's name, or NULL.
static const char *name_of(const struct image *m, const Elf64_Shdr *strings, uint32_t at)
{
    if (at >= strings->sh_size || !is_inside(m, strings->sh_offset, strings->sh_size, 1))
        return NULL;
    const char *name = m->bytes + strings->sh_offset + at;
    return memchr(name, '\0', strings->sh_size - at) ? name : NULL;
}

static bool is_listed(const struct code_object *code, const char *name, size_t length)
{
    for (int i = 0; i < code->kernel_count; i++)
        if (strlen(code->kernels[i].name) == length &&
            strncmp(code->kernels[i].name, name, length) == 0)
            return true;
    return false;
}

static void list_symbols(struct arena *a, const struct image *m, const Elf64_Shdr *symbols,
                         const Elf64_Shdr *strings, struct code_object *code)
{
    size_t count = symbols->sh_size / sizeof(Elf64_Sym);
    struct code_kernel *list =
        ARENA_ARRAY(a, struct code_kernel, count + (size_t)code->kernel_count + 1);
    if (code->kernel_count > 0)
        memcpy(list, code->kernels, (size_t)code->kernel_count * sizeof *list);
    code->kernels = list;
    for (size_t i = 0; i < count; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, m->bytes + symbols->sh_offset + i * sizeof symbol, sizeof symbol);
        const char *name = name_of(m, strings, symbol.st_name);
        if (!name || !str_ends_with(name, descriptor_ending))
            continue;
        size_t length = strlen(name) - strlen(descriptor_ending);
        if (length > 0 && !is_listed(code, name, length))
            list[code->kernel_count++] = (struct code_kernel){
                .name = arena_strndup(a, name, length),
                .parameter_count = CODE_UNKNOWN,
                .registers = CODE_UNKNOWN,
                .shared_bytes = CODE_UNKNOWN,
                .spill_bytes = CODE_UNKNOWN,
            };
    }
}

bool hsaco_list_kernels(struct arena *a, struct code_object *code)
{
    const struct image m = {code->bytes, code->size_bytes};
    Elf64_Ehdr h;
    code->kernel_count = 0;
    if (!read_header(&m, &h))
        return false;
    for (size_t i = 0; i < h.e_shnum; i++) {
        Elf64_Shdr symbols = section_at(&m, &h, i);
        if ((symbols.sh_type != SHT_SYMTAB && symbols.sh_type != SHT_DYNSYM) ||
            symbols.sh_link >= h.e_shnum || !is_inside(&m, symbols.sh_offset, symbols.sh_size, 1))
            continue;
        Elf64_Shdr strings = section_at(&m, &h, symbols.sh_link);
        list_symbols(a, &m, &symbols, &strings, code);
    }
    return true;
}
