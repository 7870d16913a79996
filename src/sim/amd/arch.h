// The architectures of AMD's chips whose machine code the simulated GPU runs.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_AMD_ARCH_H
#define RIDGE_SIM_AMD_ARCH_H

enum amd_arch { ARCH_GFX90A, ARCH_GFX942, ARCH_COUNT };
extern const char *const amd_arch_names[ARCH_COUNT]; // "gfx90a" …

#endif
