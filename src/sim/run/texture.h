// Textures and surfaces: what decode_texture.c leaves for texture.c.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_TEXTURE_H
#define RIDGE_SIM_TEXTURE_H

#include "sim/run/exec.h"

enum texture_access { TEXTURE_READ, SURFACE_READ, SURFACE_WRITE, SURFACE_WRITE_TEXELS };
enum surface_outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO };
struct texture_op { // the data's registers are in its struct mem_op
    enum texture_access access;
    enum surface_outside outside;
    int rank;
    bool whole;                                // coordinates are integers
    uint32_t handle, at[SIM_TEXTURE_RANK_MAX]; // rows
};

// A texture that was opened; `place` is where its texels lie for the caches.
struct texture {
    struct sim_texture is;
    uint64_t place;
};
const struct texture *texture_find(const struct sim *s, uint64_t handle); // NULL: none

#endif
