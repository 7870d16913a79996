// topology: how the GPUs of this machine are linked, as the driver and the vendor's library report it; nothing is
// measured.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_TOPOLOGY_H
#define RIDGE_DEVICE_TOPOLOGY_H

#include "base/base.h"

struct device_info;

// What a path over PCIe between two GPUs passes (topology_paths.def).
enum topology_path {
#define PATH(id, nvml, name, words) TOPOLOGY_##id,
#include "device/topology_paths.def"
#undef PATH
    TOPOLOGY_PATH_COUNT
};
struct topology_path_info {
    const char *name, *words;
    int nvml; // nvmlGpuTopologyLevel_t
};
const struct topology_path_info *topology_path_info(enum topology_path path);

enum { TOPOLOGY_UNKNOWN = -1 }; // of every int below
struct topology_gpu {
    int device; // of the infos asked about
    int pcie_generation, pcie_generation_max, pcie_lanes, pcie_lanes_max; // now, and the most
    int numa_node;      // of the host, that it is nearest to
    int nvlinks;        // that are up
    double nvlink_gbps; // of one of them, one way, raw; NAN = not known
};
struct topology_pair {
    int first, second;       // of the infos
    int peer;                // 1: both reach the other's memory; 0: not
    int rank;                // of the link's performance, by the driver: 0 is the best
    int atomics;             // 1: both have atomics on the other's memory
    int nvlinks;             // between them, directly or through switches
    int nvswitch;            // 1: through switches
    double nvlink_gbps;      // of all of these, one way, raw; NAN = not known
    enum topology_path path; // TOPOLOGY_PATH_COUNT = not known
};
struct topology { // arena-owned
    struct topology_gpu *gpus;
    int gpu_count;
    struct topology_pair *pairs;
    int pair_count;
    const char *note; // why some of it is not known; NULL = nothing to say
};
// Of those devices that have a backend which knows links; none of them: nothing.
bool device_topology(struct arena *a, const struct device_info *infos, int count,
                     struct topology *out, struct error *err) CHECK_RESULT;
// NULL = there is none of these two, in either order.
const struct topology_pair *topology_find(const struct topology *t, int one, int other);

#endif
