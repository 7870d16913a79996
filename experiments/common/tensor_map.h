// Boxes of a matrix by its tensor map, and the mbarriers that they complete. Addresses are of shared memory.
// PTX ISA, "cp.async.bulk.tensor".
// SPDX-License-Identifier: Apache-2.0
#ifndef EXPERIMENTS_COMMON_TENSOR_MAP_H
#define EXPERIMENTS_COMMON_TENSOR_MAP_H

struct alignas(64) tensor_map {
    unsigned long long words[16];
};
#define MAP const __grid_constant__ tensor_map

static __device__ __forceinline__ void load_box(unsigned to, const tensor_map *map, unsigned bar, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                 "[%1, {%3, %4}], [%2];" ::"r"(to), "l"(map), "r"(bar), "r"(x), "r"(y)
                 : "memory");
}

static __device__ __forceinline__ void store_box(const tensor_map *map, unsigned from, int x, int y)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(from), "r"(x), "r"(y)
                 : "memory");
}

#endif
