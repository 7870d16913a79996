// exchange: what several GPUs send each other, run and timed: by NCCL, by copies between them, or over the host's memory.
// All of one process: whoever works on one of the devices selects it first. Or, by NCCL alone, each of a process of its
// own (struct exchange_team), which all do the same at the same time.
//   select each, as it is opened -> open -> run, measure, any number of times -> close
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_EXCHANGE_H
#define RIDGE_DEVICE_EXCHANGE_H

#include "base/base.h"
#include "device/run.h"

struct device;

enum exchange_way { // exchange_ways.def
#define WAY(id, name, words) EXCHANGE_##id,
#include "device/exchange_ways.def"
#undef WAY
    EXCHANGE_WAY_COUNT
};
const char *exchange_way_name(enum exchange_way way);
const char *exchange_way_words(enum exchange_way way);

// Devices are counted as they were given to `open`; addresses are each device's own.
struct exchange_sum { // every device's `from`, added, is every device's `to`
    enum element_type type;
    uint64_t count;
    const uint64_t *from, *to; // by device
};
struct
    exchange_spread { // what one device has goes to all, itself among them where the addresses differ
    int from;
    uint64_t from_address, size_bytes;
    const uint64_t *to; // by device
};
struct exchange_copy {
    int from, to;
    uint64_t from_address, to_address, size_bytes;
};
struct exchange_gather { // every device's block, in the devices' order, is every device's `to`
    uint64_t block_bytes;
    const uint64_t *from, *to; // by device
};
struct exchange_scatter { // of the sum of every device's `from` each gets its block
    enum element_type type;
    uint64_t block_count;      // elements
    const uint64_t *from, *to; // by device
};
struct exchange {
    const struct exchange_sum *sums;
    int sum_count;
    const struct exchange_spread *spreads;
    int spread_count;
    const struct exchange_copy *copies;
    int copy_count;
    const struct exchange_gather *gather;   // NULL = none
    const struct exchange_scatter *scatter; // NULL = none
};

enum { EXCHANGE_ID_BYTES = 128 };
struct exchange_team { // of processes with a device each
    int own;           // which of the devices is this process's; the others are NULL
    unsigned char id
        [EXCHANGE_ID_BYTES]; // the same in all: one of them made it by `meet`, and is there until all are open
};
struct device_info;
bool device_exchanges(const struct device_info *info); // its backend can
struct device_exchange;
struct device_exchange_ops {
    // The calling thread's device from here on.
    bool (*select)(struct device *d, struct error *err);
    bool (*meet)(unsigned char id[EXCHANGE_ID_BYTES], struct error *err);
    // team NULL: all devices are this process's. false: that way cannot be had here; err says why.
    bool (*open)(struct device *const *devices, int count, const struct exchange_team *team,
                 enum exchange_way way, struct device_exchange **out, struct error *err);
    const char *(*version)(const struct device_exchange *x); // "NCCL 2.27.3"; NULL = nothing to say
    // Once, to its end, after all that the devices have been given.
    bool (*run)(struct device_exchange *x, const struct exchange *e, struct error *err);
    // Times of one round, of the slowest device, by its clock: the exchange (NULL = none) at the same time as the
    // devices' sequences (NULL = none). A sample is several rounds, one behind the other. Of a team: of the own device,
    // which begins when an exchange of all has ended.
    bool (*measure)(struct device_exchange *x, const struct exchange *e,
                    const struct device_sequence *sequences, int count, double *times_ns,
                    struct error *err);
    void (*close)(struct device_exchange *x); // NULL is fine
};

enum { EXCHANGE_TEXT_BYTES = 512 };
struct exchange_choice {
    enum exchange_way way;
    char version[EXCHANGE_TEXT_BYTES]; // of the library; "" = none
    char instead[EXCHANGE_TEXT_BYTES]; // why no better way was taken; "" = it is the best
};
// The best way that can be had. false: there is none, and err says why of each. Of a team there is one way.
bool exchange_open_best(const struct device_exchange_ops *ops, struct device *const *devices,
                        int count, const struct exchange_team *team, struct exchange_choice *chosen,
                        struct device_exchange **out, struct error *err) CHECK_RESULT;

#endif
