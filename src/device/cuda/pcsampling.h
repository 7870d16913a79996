// CUPTI's PC sampling: which instruction a warp was at, and what it waited for, every so many cycles. Its structures
// are declared here, from CUPTI's documentation, so that no toolkit is needed to build; tests/device/layout_test.sh
// holds them to the headers.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_CUDA_PCSAMPLING_H
#define RIDGE_DEVICE_CUDA_PCSAMPLING_H

#include "base/base.h"
#include "record/execution.h"

/* ---- samples -------------------------------------------------------------------------------------- */

struct pc_place { // an instruction
    const char *function;
    uint64_t offset; // in the function
    uint64_t samples[STALL_COUNT];
};
struct pc_samples { // arena-owned
    struct pc_place *places;
    size_t count, capacity;
    uint64_t total, dropped;
    uint64_t
        unnamed; // of code that CUPTI does not know: kernels loaded before it was enabled, the driver's own
};

struct pcsampling;
// Samples this context's kernels from now on, each between pcsampling_begin and _end, an SM every 2^period_log2 cycles
// (PERIOD_LOG2_MIN to _MAX). Once for all passes, and before the sampled modules are loaded: enabled anew for each pass, after modules
// were loaded and ranges counted, an H200 gave no samples. err says what is off.
enum { PERIOD_LOG2_MIN = 5, PERIOD_LOG2_MAX = 31 };
bool pcsampling_open(void *cu_context, enum sampling_mode mode, unsigned period_log2,
                     struct pcsampling **out, struct error *err) CHECK_RESULT;
// Around a launch; the kernel must have ended before the end.
bool pcsampling_begin(struct pcsampling *s, struct error *err) CHECK_RESULT;
bool pcsampling_end(struct pcsampling *s, struct error *err) CHECK_RESULT;
uint64_t pcsampling_total(const struct pcsampling *s); // fetched so far
// Ends the sampling and adds all samples to `out`; s is gone, whatever is returned.
bool pcsampling_close(struct pcsampling *s, struct arena *a, struct pc_samples *out,
                      struct error *err) CHECK_RESULT;

/* ---- CUPTI's structures ----------------------------------------------------------------------------- */

enum pc_attribute { // CUpti_PCSamplingConfigurationAttributeType
    PC_PERIOD = 1,
    PC_HARDWARE_BUFFER = 4,
    PC_MODE = 5,
    PC_START_STOP = 6,
    PC_BUFFER = 8,
};
enum pc_mode { PC_CONTINUOUS = 1, PC_KERNEL_SERIALIZED = 2 };
enum { PC_REASON_NAME_BYTES = 128 }; // CUPTI_STALL_REASON_STRING_SIZE

struct pc_reason_samples {
    uint32_t reason, samples;
};
struct pc_data { // CUpti_PCSamplingPCData
    size_t size;
    uint64_t cubin_crc, offset;
    uint32_t function_index, unused;
    char *function;
    size_t reason_count;
    struct pc_reason_samples *reasons;
    uint32_t correlation;
};
struct pc_buffer { // CUpti_PCSamplingData
    size_t size, room;
    uint64_t total, dropped;
    size_t count, remaining;
    uint64_t range;
    struct pc_data *data;
    uint64_t of_others;
    uint8_t full;
};
struct pc_attribute_value { // CUpti_PCSamplingConfigurationInfo
    int attribute, status;
    union {
        uint64_t whole[3];
        uint32_t number;
        int mode;
        void *buffer;
    } value;
};
struct pc_context {
    size_t size;
    void *reserved, *context;
};
struct pc_reason_count {
    size_t size;
    void *reserved, *context;
    size_t *count;
};
struct pc_reasons {
    size_t size;
    void *reserved, *context;
    size_t count;
    uint32_t *index;
    char **name;
};
struct pc_configuration {
    size_t size;
    void *reserved, *context;
    size_t count;
    struct pc_attribute_value *values;
};
struct pc_get {
    size_t size;
    void *reserved, *context, *buffer;
};

#endif
