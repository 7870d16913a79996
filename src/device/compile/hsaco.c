// The kernels of AMD's code objects: ELF files in which each kernel has a descriptor, a symbol NAME.kd. Any bytes
// may be given.
// SPDX-License-Identifier: Apache-2.0
#include "base/elf.h"
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

static const char descriptor_ending[] = ".kd";

static bool is_listed(const struct code_object *code, const char *name, size_t length)
{
    for (int i = 0; i < code->kernel_count; i++)
        if (strlen(code->kernels[i].name) == length &&
            strncmp(code->kernels[i].name, name, length) == 0)
            return true;
    return false;
}

static void list_symbols(struct arena *a, const struct elf *f, uint32_t table,
                         struct code_object *code)
{
    Elf64_Sym symbol;
    struct code_kernel *list = ARENA_ARRAY(
        a, struct code_kernel, elf_symbol_count(f, table) + (size_t)code->kernel_count + 1);
    if (code->kernel_count > 0)
        memcpy(list, code->kernels, (size_t)code->kernel_count * sizeof *list);
    code->kernels = list;
    for (uint64_t i = 0; elf_symbol(f, table, i, &symbol); i++) {
        const char *name = elf_symbol_name(f, table, &symbol);
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
    struct elf f;
    code->kernel_count = 0;
    if (!elf_open(code->bytes, code->size_bytes, &f) || f.head.e_machine != ELF_MACHINE_AMDGPU ||
        !elf_is_whole(&f))
        return false;
    for (uint32_t i = 0; i < f.head.e_shnum; i++)
        if (elf_symbol_count(&f, i) > 0)
            list_symbols(a, &f, i, code);
    return true;
}
