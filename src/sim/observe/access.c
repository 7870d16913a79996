// Which build of the vector code this host runs. The files *_isa.c are compiled once for each
// instruction set (Makefile, ISAS); on other processors than x86-64 there is only the baseline.
// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern const struct access_functions sim_access_functions_baseline;
#if defined(__x86_64__)
extern const struct access_functions sim_access_functions_avx2;
extern const struct access_functions sim_access_functions_avx512;
#endif

static const char *const ISA_NAMES[SIM_ISA_COUNT] = {
    [SIM_ISA_BASELINE] = "baseline",
    [SIM_ISA_AVX2] = "avx2",
    [SIM_ISA_AVX512] = "avx512",
};

// The features each build is compiled with (Makefile, ISA_FLAGS).
static enum sim_isa isa_of_host(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
        return SIM_ISA_BASELINE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        return SIM_ISA_AVX2;
    return SIM_ISA_AVX512;
#else
    return SIM_ISA_BASELINE;
#endif
}

enum sim_isa sim_isa_best(void)
{
    enum sim_isa best = isa_of_host();
    const char *wanted = getenv("RIDGE_SIM_ISA"); // NOLINT(concurrency-mt-unsafe): never set here
    for (int isa = 0; wanted && isa < (int)best; isa++)
        if (strcmp(wanted, ISA_NAMES[isa]) == 0)
            return (enum sim_isa)isa;
    return best;
}

const struct access_functions *sim_access_functions(enum sim_isa isa)
{
    switch (isa) {
#if defined(__x86_64__)
    case SIM_ISA_AVX2:
        return &sim_access_functions_avx2;
    case SIM_ISA_AVX512:
        return &sim_access_functions_avx512;
#else
    case SIM_ISA_AVX2:
    case SIM_ISA_AVX512:
#endif
    case SIM_ISA_BASELINE:
    case SIM_ISA_COUNT:
        break;
    }
    assert(isa == SIM_ISA_BASELINE);
    return &sim_access_functions_baseline;
}
