// telemetry: clocks, power and temperature of a chip as it is now. Needs no device at work: no context, no
// memory on it, and whoever computes on it is not disturbed.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_TELEMETRY_H
#define RIDGE_DEVICE_TELEMETRY_H

#include "base/base.h"

struct device_info;

// The chip as it is now; figures that are not known are NAN.
struct device_state {
    bool valid;
    double sm_mhz, memory_mhz, power_w, temperature_c;
    double energy_mj;      // since some time in the past
    const char *throttled; // why it runs slower than it could ("power limit", "heat"), or NULL
};

struct telemetry_ops;
struct telemetry { // of one chip: the head of every backend's own struct
    const struct telemetry_ops *ops;
};
struct telemetry_ops {
    // false: the library is not here, or does not know this chip; err says which.
    bool (*open)(const struct device_info *info, struct telemetry **out, struct error *err);
    // `out` holds nothing but NAN: what the chip does not report is left so.
    void (*read)(struct telemetry *t, struct device_state *out);
    void (*close)(struct telemetry *t);
    // Optional: what the chip's clocks and power are set to, in words; "" = not known.
    void (*policy)(struct telemetry *t, char *out, size_t size_bytes);
};
bool telemetry_open(const struct device_info *info, struct telemetry **out,
                    struct error *err) CHECK_RESULT;
void telemetry_read(struct telemetry *t, struct device_state *out);
void telemetry_close(struct telemetry *t); // NULL is fine
// What somebody set the clocks and the power limit to: "1980/3201 MHz, limit 700 W"; NULL = not known.
// Asked in a worker: the caller's process stays without NVML.
const char *telemetry_policy(struct arena *a, const struct device_info *info);

#endif
