// nvml: what the files that ask libnvidia-ml share.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_CUDA_NVML_H
#define RIDGE_DEVICE_CUDA_NVML_H

#include "device/cuda/cuda.h"

enum { NVML_DONE = 0, NVML_NOT_SUPPORTED = 3, NVML_GPU_IS_LOST = 15 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_TEMPERATURE_GPU = 0 };
enum { NVML_TEMPERATURE_SLOWDOWN = 1 };               // nvmlTemperatureThresholds_t
enum { NVML_CORRECTED = 0, NVML_UNCORRECTED = 1 };    // nvmlMemoryErrorType_t
enum { NVML_SINCE_LOADED = 0, NVML_OF_ITS_LIFE = 1 }; // nvmlEccCounterType_t
enum { NVML_FIELD_MEMORY_TEMPERATURE = 82 };          // NVML_FI_DEV_MEMORY_TEMP
enum { NVML_EVENT_XID = 8 };                          // nvmlEventTypeXidCriticalError
enum { NVML_VALUE_UNSIGNED = 1 };                     // nvmlValueType_t
enum { NVML_UUID_BYTES = 96, NVML_NAME_BYTES = 96, NVML_VERSION_BYTES = 80 };

struct nvml_memory {                      // nvmlMemory_t
    unsigned long long total, free, used; // used: and reserved
};
struct nvml_memory_v2 { // nvmlMemory_v2_t
    unsigned version;   // in
    unsigned long long total, reserved, free, used;
};
struct nvml_utilization { // nvmlUtilization_t
    unsigned gpu_pct, memory_pct;
};
struct nvml_process { // nvmlProcessInfo_t, version 2 on
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};
struct nvml_pci { // nvmlPciInfo_t
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
struct nvml_event { // nvmlEventData_t
    void *device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};
struct nvml_field { // nvmlFieldValue_t
    unsigned id, scope;
    long long timestamp_us, latency_us;
    int type, status;
    union {
        double d;
        unsigned u;
        unsigned long long large;
    } value;
};

struct nvml_functions {
#define NVML(name, further, parameters) int(*name) parameters;
#define NVML_OPTIONAL(name, parameters) int(*name) parameters;
#include "device/cuda/nvml.def"
#undef NVML
#undef NVML_OPTIONAL
};

struct nvml {
    struct telemetry head; // first: a struct telemetry * is a struct nvml *
    struct nvml_functions call;
    void *device;
    void *events; // an event set of this chip's XIDs; NULL = none, or not asked yet
    bool events_tried;
};

bool nvml_functions_load(struct nvml_functions *f, struct error *err) CHECK_RESULT;
// nvml_sample.c
bool nvml_chips(struct arena *a, struct telemetry_chip **out, int *count,
                struct error *err) CHECK_RESULT;
void nvml_sample(struct telemetry *t, struct telemetry_sample *out);
void nvml_events_close(struct nvml *n);

#endif
