// Picks the build of the files *_isa.c for this host.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/wave.h"
#include "sim/run/exec.h"

#define BUILD_OF(isa)                                          \
    extern const amd_vector_function amd_run_vector_##isa;     \
    extern const amd_straight_function amd_run_straight_##isa; \
    extern const amd_clear_function amd_clear_##isa;           \
    extern const amd_request_function amd_run_request_##isa;   \
    extern const struct amd_counting amd_counting_##isa;
#define FUNCTIONS_OF(isa)                                                                         \
    {                                                                                             \
        &amd_run_vector_##isa, &amd_run_straight_##isa, &amd_clear_##isa, &amd_run_request_##isa, \
            &amd_counting_##isa, NULL                                                             \
    }

BUILD_OF(baseline)
#if defined(__x86_64__)
BUILD_OF(avx2)
BUILD_OF(avx512)
#endif

struct amd_functions amd_functions_of(enum sim_isa isa)
{
    struct amd_functions all = FUNCTIONS_OF(baseline);
#if defined(__x86_64__)
    if (isa == SIM_ISA_AVX512)
        all = (struct amd_functions)FUNCTIONS_OF(avx512);
    else if (isa == SIM_ISA_AVX2)
        all = (struct amd_functions)FUNCTIONS_OF(avx2);
#endif
    all.lanes = lanes_functions(isa);
    return all;
}
