// What the recorder needs of NVTX, declared here so that no toolkit is needed to build. tests/capture/layout_test.sh holds
// it to a toolkit's headers.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CAPTURE_NVTX_MIN_H
#define RIDGE_CAPTURE_NVTX_MIN_H

#include <stddef.h>
#include <stdint.h>

enum { TABLE_CALLBACKS = 1 };                  // NVTX_ETID_CALLBACKS
enum { MESSAGE_WIDE = 2, MESSAGE_HANDLE = 3 }; // NVTX_MESSAGE_TYPE_UNICODE, …_REGISTERED

struct nvtx_attributes { // nvtxEventAttributes_t
    uint16_t version, size_bytes;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};
struct nvtx_callbacks { // NvtxExportTableCallbacks
    size_t size_bytes;
    // 1: *table has *count pointers to pointers to functions.
    int (*table)(uint32_t module, void (****table)(void), unsigned *count);
};

#endif
