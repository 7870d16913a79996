// telemetry: clocks, power, temperature, links, errors and processes of a chip as it is now. Needs no device at
// work: no context, no memory on it, and whoever computes on it is not disturbed.
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

/* ---- all that a chip reports (ridge monitor) ------------------------------------------------------- */

enum telemetry_field { // telemetry.def
#define TELEMETRY(name, kind, meaning) TELEMETRY_##name,
#include "device/telemetry.def"
#undef TELEMETRY
    TELEMETRY_FIELD_COUNT
};
enum telemetry_kind { TELEMETRY_GAUGE, TELEMETRY_COUNTER };
struct telemetry_field_info {
    const char *name, *meaning;
    enum telemetry_kind kind;
};
const struct telemetry_field_info *telemetry_field_info(enum telemetry_field field);

enum telemetry_reason { // reasons.def
#define REASON(name, nvml, slows, words) REASON_##name,
#include "device/reasons.def"
#undef REASON
    REASON_COUNT
};
struct telemetry_reason_info {
    const char *name, *words;
    bool slows; // a kernel at work
};
const struct telemetry_reason_info *telemetry_reason_info(enum telemetry_reason reason);

enum { TELEMETRY_LINKS_MAX = 18, TELEMETRY_PROCESSES_MAX = 64, TELEMETRY_XIDS_MAX = 16 };
enum telemetry_link_error { LINK_REPLAY, LINK_RECOVERY, LINK_CRC, LINK_ERROR_COUNT };

struct telemetry_link { // of NVLink
    bool known, up;
    double errors[LINK_ERROR_COUNT]; // NAN = not known
};
struct telemetry_process {
    unsigned pid;
    double memory_bytes; // NAN = not known
};
struct telemetry_sample {
    double value[TELEMETRY_FIELD_COUNT]; // NAN = not known
    bool lost;                           // the driver does not reach the chip any more
    bool reasons_known, links_known, processes_known, xids_known;
    unsigned reasons; // 1 << enum telemetry_reason
    struct telemetry_link links[TELEMETRY_LINKS_MAX];
    int process_count; // computing or drawing; all of them, though only the first so many are listed
    struct telemetry_process processes[TELEMETRY_PROCESSES_MAX];
    int xid_count; // that arrived since the sample before
    unsigned xids[TELEMETRY_XIDS_MAX];
};
struct telemetry_chip { // arena-owned: one that can be watched
    const char *uuid, *name, *bus_id, *driver;
    const char *backend;
    int index; // as the vendor's own tools count, behind the chips of other vendors
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
    // Optional: the chips that the library knows. No driver of programs is opened.
    bool (*chips)(struct arena *a, struct telemetry_chip **out, int *count, struct error *err);
    // Optional: `out` holds nothing but NAN and zeros.
    void (*sample)(struct telemetry *t, struct telemetry_sample *out);
};
bool telemetry_open(const struct device_info *info, struct telemetry **out,
                    struct error *err) CHECK_RESULT;
void telemetry_read(struct telemetry *t, struct device_state *out);
void telemetry_close(struct telemetry *t); // NULL is fine
// The chips of all backends that can be watched; false, err says why, where there is none.
bool telemetry_chips(struct arena *a, struct telemetry_chip **out, int *count,
                     struct error *err) CHECK_RESULT;
bool telemetry_open_chip(const struct telemetry_chip *chip, struct telemetry **out,
                         struct error *err) CHECK_RESULT;
void telemetry_sample_clear(struct telemetry_sample *out); // nothing is known
void telemetry_sample_read(struct telemetry *t, struct telemetry_sample *out);
// What somebody set the clocks and the power limit to, "1980/3201 MHz, limit 700 W", and the chip's UUID; NULL = not
// known. Asked in a worker: the caller's process stays without NVML.
void telemetry_words(struct arena *a, const struct device_info *info, const char **policy,
                     const char **uuid);

#endif
