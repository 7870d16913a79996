// Hardware counters of AMD's GPUs by rocprofiler-sdk: what hip.c asks of rocprofiler.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_HIP_ROCPROFILER_H
#define RIDGE_DEVICE_HIP_ROCPROFILER_H

#include "device/hip/hip.h"

// Registers with the library, once per process and before AMD's runtime is opened: it takes no counting context later.
// What is missing is said when counters are asked for.
void rocprofiler_register(void);

extern const struct cuda_counting rocprofiler_counting;
// A line of `ridge devices`.
void rocprofiler_part(struct parts *p);

#endif
