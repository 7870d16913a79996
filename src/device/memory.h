// memory: buffers in a device's own memory. Addresses are the device's.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_MEMORY_H
#define RIDGE_DEVICE_MEMORY_H

#include "base/base.h"

struct device;

struct device_memory_ops {
    bool (*alloc)(struct device *d, uint64_t size_bytes, const char *name, uint64_t *address,
                  struct error *err);
    bool (*release)(struct device *d, uint64_t address, struct error *err);
    bool (*write)(struct device *d, uint64_t address, const void *data, uint64_t size_bytes,
                  struct error *err);
    bool (*read)(struct device *d, uint64_t address, void *data, uint64_t size_bytes,
                 struct error *err);
    // Optional: memory of the host that is copied from and to fastest, until the device is closed; NULL
    // = there is none.
    void *(*pinned)(struct device *d, uint64_t size_bytes);
    // Optional: keeps a copy of a buffer's content on the device; puts it back.
    bool (*snapshot)(struct device *d, uint64_t address, struct error *err);
    bool (*restore)(struct device *d, uint64_t address, struct error *err);
};

#endif
