// links: how long devices of described nodes (gpu/node.h) take for an exchange, by a model: rings and trees of messages that
// cost a hop each and their bytes over a bandwidth. Nothing is run, nothing is measured. docs/scale.md, "Modelled".
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_FLEET_LINKS_H
#define RIDGE_FLEET_LINKS_H

#include "device/device.h"
#include "device/exchange.h"
#include "gpu/node.h"

enum links_protocol { LINKS_LARGE, LINKS_SMALL, LINKS_PROTOCOLS };

// Devices fill nodes in their order. Of unlike ones every figure is the slowest.
struct links {
    int devices, per_node, nodes;
    int rails; // rings between nodes, each by a network adapter of its own: the GPUs of the emptiest node
    double start_ns, link_gbps, network_gbps; // network: of each GPU
    double hop_ns[LINKS_PROTOCOLS],
        network_hop_ns[LINKS_PROTOCOLS];           // of a message, beside its bytes
    double share[LINKS_PROTOCOLS];                 // of the bandwidth
    const char *name;                              // of the first device\'s nodes
    int kinds;                                     // of nodes
    double validated_devices, validated_error_pct; // NAN = not held against anything
};
bool links_make(const struct node *const *kinds, int kind_count, int devices, struct links *out,
                struct error *err) CHECK_RESULT;

// Simulated devices, by the files of their chips' nodes. *why: a sentence where there are none, or they do not go so far; else
// NULL.
bool links_of(struct arena *a, const struct device_info *const *infos, int count, struct links *out,
              const char **why, struct error *err) CHECK_RESULT;

// Without the start.
double links_sum_ns(const struct links *l, double bytes); // to all, of so many bytes each
double links_spread_ns(const struct links *l,
                       double bytes); // around a ring, over each of its links
double links_copies_ns(const struct links *l, const struct exchange_copy *copies, int count);
// All of it, one behind the other, and the start once; 0 where there is nothing to exchange.
double links_exchange_ns(const struct links *l, const struct exchange *e);

#endif
