// A module of the simulated GPU, and which of its launches are sampled. Not for others.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_SIM_MODULE_H
#define RIDGE_DEVICE_SIM_MODULE_H

#include "device/internal.h"

struct amd_module;
struct ptx_module;
struct sim_module;

struct device_module {
    struct sim_module *code; // PTX …
    const struct ptx_module *ptx;
    struct amd_module *amd; // … or AMD's machine code
    struct device_module *next;
    const char *source;
    struct code_kernel *kernels;
    int kernel_count;
};

// sim_sample.c: why the sequence's launch is not sampled; SAMPLE_WHOLE_NOT: it is tried.
enum sample_whole sim_sample_not(const struct device_sequence *s, int launch,
                                 const struct device_run_options *o, struct arena *a);

#endif
