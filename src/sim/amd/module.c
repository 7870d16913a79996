// A code object in the device's memory, and its instructions, decoded when they are first reached.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/module.h"
#include "sim/run/exec.h"

#include <stdlib.h>
#include <string.h>

bool amd_is_simulated(const char *arch)
{
    for (int i = 0; i < ARCH_COUNT; i++)
        if (strcmp(arch, amd_arch_names[i]) == 0)
            return true;
    return false;
}

// The image's size does not depend on where it is: first it is measured, then made for its place.
static bool place_image(struct amd_module *m, const char *name, const void *bytes,
                        size_t size_bytes, struct error *err)
{
    struct space *space = &m->sim->space;
    if (!amd_object_read(&m->arena, name, bytes, size_bytes, 0, &m->object, err) ||
        !space_alloc(space, m->object.image_bytes, "the code object", &m->address, err) ||
        !amd_object_read(&m->arena, name, bytes, size_bytes, m->address, &m->object, err))
        return false;
    const char *arch = amd_arch_names[m->object.arch];
    if (strcmp(m->sim->gpu->arch, arch) != 0)
        return fail(err, (struct location){.file = name}, "the code object is for %s, and %s is %s",
                    arch, m->sim->gpu->name, m->sim->gpu->arch);
    memcpy(space_host(space, m->address), m->object.image, m->object.image_bytes);
    space_mark_written(space, m->address, m->object.image_bytes);
    for (int i = 0; i < m->object.variable_count; i++)
        m->object.variables[i].address += m->address;
    return true;
}

bool amd_module_load(struct sim *s, const char *name, const void *bytes, size_t size_bytes,
                     struct amd_module **out, struct error *err)
{
    struct amd_module *m = xcalloc(1, sizeof *m);
    m->sim = s;
    m->name = arena_strdup(&m->arena, name);
    if (!place_image(m, m->name, bytes, size_bytes, err)) {
        amd_module_unload(m);
        return false;
    }
    size_t words = m->object.code_bytes / 4 + 1;
    m->instructions = ARENA_ARRAY(&m->arena, struct amd_instruction, words);
    m->decoded = arena_alloc(&m->arena, words);
    memset(m->decoded, 0, words);
    *out = m;
    return true;
}

void amd_module_unload(struct amd_module *m)
{
    struct error ignored = {0};
    if (!m)
        return;
    if (m->address != 0)
        (void)!space_free(&m->sim->space, m->address, &ignored);
    arena_release(&m->arena);
    free(m);
}

const struct amd_object *amd_module_object(const struct amd_module *m)
{
    return &m->object;
}

// What traps, and what changes the meaning of registers' numbers, is for the wave's loop.
static enum amd_decoded decoded_as(const struct amd_instruction *in)
{
    if (in->plans > 0)
        return DECODED_STRAIGHT;
    if (amd_is_idle(in))
        return DECODED_IDLE;
    if (in->encoding <= ENCODING_SOPP)
        return in->id == AMD_s_trap || in->id == AMD_s_code_end || in->id == AMD_s_set_gpr_idx_on ||
                       in->id == AMD_s_set_gpr_idx_off
                   ? DECODED_OTHER
                   : DECODED_SCALAR;
    if (in->encoding != ENCODING_SMEM && in->encoding < ENCODING_DS)
        return DECODED_OTHER;
    return amd_is_request(in) ? DECODED_REQUEST : DECODED_MEMORY;
}

const struct amd_instruction *amd_instruction_at(const struct amd_module *m, uint64_t pc,
                                                 const char **why)
{
    uint64_t offset = pc - m->address - m->object.code_start, index = offset / 4;
    *why = "the program left its code";
    if (offset >= m->object.code_bytes || offset % 4 != 0)
        return NULL;
    if (m->decoded[index])
        return &m->instructions[index];
    if (!amd_decode(m->object.arch, m->object.image + m->object.code_start + offset,
                    m->object.code_bytes - offset, &m->instructions[index], why))
        return NULL;
    amd_plan(&m->instructions[index]);
    const struct amd_instruction *in = &m->instructions[index];
    m->decoded[index] = (uint8_t)decoded_as(in);
    return in;
}
