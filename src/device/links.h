// links: copies between a device's memory and what lies outside it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_LINKS_H
#define RIDGE_DEVICE_LINKS_H

#include "base/base.h"

struct device;

// Copies that leave the device's own memory.
enum device_link {
    LINK_PINNED_IN,   // host memory that the driver pinned, to the device
    LINK_PINNED_OUT,  // and back
    LINK_PAGEABLE_IN, // plain host memory
    LINK_PAGEABLE_OUT,
    LINK_PEER_IN, // another GPU's memory
};

struct device_link_ops {
    // The least time of a few copies of size_bytes to or from `address`. NAN: there is no other GPU that
    // can be asked.
    bool (*time)(struct device *d, enum device_link way, uint64_t address, uint64_t size_bytes,
                 double *time_ns, struct error *err);
};

#endif
