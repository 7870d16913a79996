// The architectures of AMD's chips whose machine code the simulated GPU runs.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_ARCH_H
#define RIDGE_SIM_AMD_ARCH_H

enum amd_arch { ARCH_GFX90A, ARCH_GFX942, ARCH_GFX1100, ARCH_COUNT };
// Lanes of its waves.
static inline unsigned amd_arch_lanes(enum amd_arch arch)
{
    return arch == ARCH_GFX1100 ? 32 : 64;
}
extern const char *const amd_arch_names[ARCH_COUNT]; // "gfx90a" …

#endif
