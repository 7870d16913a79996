// What the recorder needs of CUPTI and of the driver's calls, declared here so that no toolkit is needed to build:
// beginnings of records whose further members differ between versions, and numbers. tests/capture/layout_test.sh holds
// them to a toolkit's headers.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_CUPTI_MIN_H
#define RIDGE_CAPTURE_CUPTI_MIN_H

#include <stddef.h>
#include <stdint.h>

enum { CUPTI_DONE = 0, CUPTI_NO_MORE_RECORDS = 12, CUPTI_OTHER_SUBSCRIBER = 39 }; // CUptiResult
// cuptiGetVersion of the first CUPTI whose kernel records end as below: CUDA 12.0's.
enum { CUPTI_VERSION_LEAST = 19 };
enum {
    ACTIVITY_COPY = 1,
    ACTIVITY_FILL = 2,
    ACTIVITY_KERNEL = 10,
    ACTIVITY_GRAPH = 51
}; // CUpti_ActivityKind
enum { ACTIVITY_FLUSH_FORCED = 1 };
enum { DOMAIN_DRIVER = 1, DOMAIN_RESOURCE = 3 }; // CUpti_CallbackDomain
enum { SITE_ENTER = 0, SITE_EXIT = 1 };          // CUpti_ApiCallbackSite
enum { RESOURCE_MODULE_LOADED = 6, RESOURCE_MODULE_UNLOAD = 7 };

// CUpti_ActivityKernel8 and later.
struct activity_kernel {
    int kind;
    uint8_t cache, shared_config;
    uint16_t registers;
    int partitioned_requested, partitioned_executed;
    uint64_t start_ns, end_ns, completed_ns;
    uint32_t device, context, stream;
    int32_t grid[3], block[3], static_shared_bytes, dynamic_shared_bytes;
    uint32_t local_bytes_per_thread, local_bytes, correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued_ns, submitted_ns;
    uint8_t launch_type, carveout_requested, carveout, padding;
    uint32_t shared_executed_bytes;
    uint64_t node;
    int limit_config;
    uint32_t graph;
};
struct activity_copy { // CUpti_ActivityMemcpy4 and later
    int kind;
    uint8_t copy_kind, from_kind, to_kind, flags;
    uint64_t bytes, start_ns, end_ns;
    uint32_t device, context, stream, correlation;
};
struct activity_fill { // CUpti_ActivityMemset2 and later
    int kind;
    uint32_t value;
    uint64_t bytes, start_ns, end_ns;
    uint32_t device, context, stream, correlation;
};
struct activity_graph { // CUpti_ActivityGraphTrace and later
    int kind;
    uint32_t correlation;
    uint64_t start_ns, end_ns;
    uint32_t device, graph, context, stream;
};

struct callback_data { // CUpti_CallbackData
    int site;
    const char *function;
    const void *parameters;
    void *status; // CUresult *, at the exit
    const char *symbol;
    void *context;
    uint32_t context_id;
    uint64_t *kept; // between enter and exit
    uint32_t correlation;
};
struct resource_data { // CUpti_ResourceData
    void *context, *handle, *descriptor;
};
struct module_data { // CUpti_ModuleResourceData
    uint32_t module;
    size_t size_bytes;
    const char *image;
};

// Parameters of the driver's calls (generated_cuda_meta.h).
struct call_launch { // cuLaunchKernel; cuLaunchCooperativeKernel lacks the last
    void *function;
    unsigned grid[3], block[3], shared_bytes;
    void *stream, **parameters, **extra;
};
struct launch_attribute { // CUlaunchAttribute
    int id, unused;
    union {
        char size[64];
        unsigned cluster[3];
        int flag;
    } value;
};
enum { LAUNCH_ATTRIBUTE_COOPERATIVE = 2, LAUNCH_ATTRIBUTE_CLUSTER = 4 };
struct launch_config { // CUlaunchConfig
    unsigned grid[3], block[3], shared_bytes;
    void *stream;
    const struct launch_attribute *attributes;
    unsigned attribute_count;
};
struct call_launch_ex {
    const struct launch_config *config;
    void *function, **parameters, **extra;
};
struct call_graph_launch {
    void *graph, *stream;
};
struct call_load { // cuModuleLoad and its kin, cuLibraryLoadData and cuLibraryLoadFromFile
    void *handle;
    const void *image; // or a path
};

struct kernel_node { // CUDA_KERNEL_NODE_PARAMS_v2
    void *function;
    unsigned grid[3], block[3], shared_bytes;
    void **values, **extra, *kernel, *context;
};
struct copy_2d { // CUDA_MEMCPY2D
    size_t from_x_bytes, from_y;
    int from_type;
    const void *from_host;
    uint64_t from;
    void *from_array;
    size_t from_pitch_bytes, to_x_bytes, to_y;
    int to_type;
    void *to_host;
    uint64_t to;
    void *to_array;
    size_t to_pitch_bytes, width_bytes, height;
};
struct copy_3d { // CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER
    size_t from_x_bytes, from_y, from_z, from_level;
    int from_type;
    const void *from_host;
    uint64_t from;
    void *from_array, *from_context;
    size_t from_pitch_bytes, from_height, to_x_bytes, to_y, to_z, to_level;
    int to_type;
    void *to_host;
    uint64_t to;
    void *to_array, *to_context;
    size_t to_pitch_bytes, to_height, width_bytes, height, depth;
};

typedef void (*buffer_request)(uint8_t **buffer, size_t *size_bytes, size_t *records_max);
typedef void (*buffer_complete)(void *context, uint32_t stream, uint8_t *buffer, size_t size_bytes,
                                size_t valid_bytes);
typedef void (*callback_function)(void *user, int domain, uint32_t id, const void *data);

#endif
