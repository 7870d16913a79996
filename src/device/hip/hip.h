// What the files of the HIP backend share (device/hip; nobody else includes it). AMD's runtime has the functions
// of CUDA's driver under its own names, so devices are worked by device/cuda; here is what differs.
//   hip.c      the runtime opened, its devices and their figures, the backend's row
//   hiprtc.c   .cu to machine code by hipRTC, in a worker
//   rocm_smi.c clocks, power, temperature by librocm_smi64
//   rocprofiler.c  hardware counters by rocprofiler-sdk
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_HIP_H
#define RIDGE_DEVICE_HIP_H

#include "device/cuda/cuda.h"

// hipDeviceAttribute_t, the same from ROCm 5 on.
enum hip_attribute {
    HIP_CLOCK_KHZ = 5,
    HIP_L2_BYTES = 19,
    HIP_MAX_THREADS_PER_BLOCK = 56,
    HIP_MULTIPROCESSORS = 63,
    HIP_SHARED_BYTES_PER_BLOCK = 74,
    HIP_WARP_SIZE = 87
};

// The first of those libraries: by the loader, then in ROCm's folders (RIDGE_ROCM_PATH, ROCM_PATH, /opt/rocm).
void *hip_library(const char *const *names, struct error *err);
// "gfx90a" of what hipGetDeviceProperties fills, whose layout differs from ROCm to ROCm: the first text of that
// form. "" = none.
void hip_arch_of(const char *properties, size_t size_bytes, char out[16]);

// device_backend's `compile`.
bool hip_compile(struct arena *a, const struct device_info *info,
                 const struct compile_request *request, const struct source *source,
                 const struct flag_set *flags, struct code_object *out,
                 struct error *err) CHECK_RESULT;
// cuda_dialect's `tools`.
bool hip_tools(struct arena *a, const struct device_info *info, struct code_object *out,
               struct error *err) CHECK_RESULT;
// A line of `ridge devices`.
void hiprtc_part(struct parts *p);

#endif
