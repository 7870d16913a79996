// collectives: what the links between several GPUs of one host deliver: collectives over a sweep of sizes, every pair by
// itself, judged against a roof that follows from the links and from how the collective is done. Results are verified,
// times measured, in a worker process. docs/scale.md, "Links measured".
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FLEET_COLLECTIVES_H
#define RIDGE_FLEET_COLLECTIVES_H

#include "device/device.h"
#include "fleet/links.h"
#include "stats/stats.h"

enum collective {
#define COLLECTIVE(id, name, words, bus, steps) COLLECTIVE_##id,
#include "fleet/collectives.def"
#undef COLLECTIVE
    COLLECTIVE_COUNT
};
struct collective_info {
    const char *name, *words;
};
const struct collective_info *collective_info(enum collective c);
double collective_bus(enum collective c, int devices);   // size over time times this
double collective_steps(enum collective c, int devices); // of a ring

enum { COLLECTIVE_SIZES = 6, COLLECTIVE_DEVICES_MOST = 16, COLLECTIVE_WORDS_BYTES = 256 };

struct collective_row {
    double size_bytes;
    struct summary time_ns; // of the slowest device
    bool verified;          // the sizes up to 4 MiB are
};
struct collective_pair { // one device's messages to another, nothing else under way
    int from, to;
    struct summary small_ns, large_ns; // of collectives_small_bytes, collectives_large_bytes
};
// Slower than all others together by at least 5 %, beyond the noise; the ratio is of times, others over these.
struct collective_slow {
    int device;   // -1: it is a pair
    int from, to; // the pair
    struct comparison against;
};
struct collectives { // plain data: it comes out of the worker as it is
    bool done;
    char why[COLLECTIVE_WORDS_BYTES]; // not done
    struct exchange_choice by;
    char wrong[COLLECTIVE_WORDS_BYTES]; // a collective whose result is wrong; "" = none
    int device_count;
    struct collective_row rows[COLLECTIVE_COUNT][COLLECTIVE_SIZES];
    int row_count[COLLECTIVE_COUNT]; // sums that go over the host end at 4 MiB
    struct collective_pair pairs[COLLECTIVE_DEVICES_MOST * COLLECTIVE_DEVICES_MOST];
    int pair_count;
    bool has_slow;
    struct collective_slow slow;
    bool multicast; // the user switched NVLink multicast on
};
double collectives_size(int number, int devices); // of the sweep's sizes, whole blocks
extern const double collectives_small_bytes, collectives_large_bytes;

// What the links carry one way, raw, as it is reported; not measured.
struct collective_roof {
    const char *how; // "ring over NVLink", "NVLS over NVLink", "ring over PCIe"; NULL = not known
    double gbps;     // of bus bandwidth; NAN = not known
};
struct collective_roof collective_roof(const struct topology *t, const struct collectives *c,
                                       enum collective which);

// By the model of links, with its start. 1 device: 0.
double collective_modelled_ns(const struct links *l, enum collective c, double size_bytes);

bool collectives_measure(struct device_info *const *devices, int count, const volatile bool *cancel,
                         struct collectives *out, struct error *err) CHECK_RESULT;

#endif
