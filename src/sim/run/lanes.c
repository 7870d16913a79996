// Picks the build of lanes_isa.c for this host.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

extern const struct lanes_functions lanes_functions_baseline;
#if defined(__x86_64__)
extern const struct lanes_functions lanes_functions_avx2, lanes_functions_avx512;
#endif

const struct lanes_functions *lanes_functions(enum sim_isa isa)
{
#if defined(__x86_64__)
    if (isa == SIM_ISA_AVX512)
        return &lanes_functions_avx512;
    if (isa == SIM_ISA_AVX2)
        return &lanes_functions_avx2;
#endif
    (void)isa;
    return &lanes_functions_baseline;
}
