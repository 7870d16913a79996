// Picks the build of lanes_isa.c for this host.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

extern const struct lanes_functions lanes_functions_baseline;
#if defined(__x86_64__)
extern const struct lanes_functions lanes_functions_avx2, lanes_functions_avx512,
    lanes_functions_newer;
#endif

bool lanes_newer(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("gfni") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vpopcntdq");
#else
    return false;
#endif
}

const struct lanes_functions *lanes_functions_of(enum sim_isa isa, bool newer)
{
#if defined(__x86_64__)
    if (isa == SIM_ISA_AVX512)
        return newer ? &lanes_functions_newer : &lanes_functions_avx512;
    if (isa == SIM_ISA_AVX2)
        return &lanes_functions_avx2;
#endif
    (void)isa;
    (void)newer;
    return &lanes_functions_baseline;
}

const struct lanes_functions *lanes_functions(enum sim_isa isa)
{
    return lanes_functions_of(isa, lanes_newer());
}
