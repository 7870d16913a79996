// Picks the build of the files *_isa.c for this host.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/wave.h"

#define ROWS(isa)                                    \
    extern const amd_vector_function amd_run_vector_##isa; \
    static const struct amd_functions functions_##isa = {.vector = &amd_run_vector_##isa};

ROWS(baseline)
#if defined(__x86_64__)
ROWS(avx2)
ROWS(avx512)
#endif

const struct amd_functions *amd_functions_of(enum sim_isa isa)
{
#if defined(__x86_64__)
    if (isa == SIM_ISA_AVX512)
        return &functions_avx512;
    if (isa == SIM_ISA_AVX2)
        return &functions_avx2;
#endif
    (void)isa;
    return &functions_baseline;
}
