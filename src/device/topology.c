// Topology by backend: each is asked about its own devices.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

const struct topology_path_info *topology_path_info(enum topology_path path)
{
    static const struct topology_path_info infos[] = {
#define PATH(id, nvml, name, words) {name, words, nvml},
#include "device/topology_paths.def"
#undef PATH
    };
    return &infos[path];
}

const struct topology_pair *topology_find(const struct topology *t, int one, int other)
{
    for (int i = 0; i < t->pair_count; i++) {
        const struct topology_pair *p = &t->pairs[i];
        if ((p->first == one && p->second == other) || (p->first == other && p->second == one))
            return p;
    }
    return NULL;
}

bool device_topology(struct arena *a, const struct device_info *infos, int count,
                     struct topology *out, struct error *err)
{
    *out = (struct topology){.gpus = ARENA_ARRAY(a, struct topology_gpu, count + 1),
                             .pairs = ARENA_ARRAY(a, struct topology_pair, count * count + 1)};
    for (size_t b = 0; backend_at(b); b++)
        if (backend_at(b)->topology && !backend_at(b)->topology(a, infos, count, out, err))
            return false;
    return true;
}
