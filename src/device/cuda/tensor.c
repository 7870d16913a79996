// Tensor maps by the driver (cuTensorMapEncodeTiled, CUDA 12).
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <string.h>

enum { INTERLEAVE_NONE = 0, PROMOTION_256B = 3, FILL_ZEROS = 0 }; // of CUtensorMap…'s enumerations

// CUtensorMapDataType, or -1: a type of the same size serves where nothing is added up.
static int data_type(enum element_type t)
{
    switch (t) {
    case ELEMENT_I8:
    case ELEMENT_U8:
    case ELEMENT_E4M3:
        return 0;
    case ELEMENT_I16:
    case ELEMENT_U16:
        return 1;
    case ELEMENT_U32:
        return 2;
    case ELEMENT_I32:
        return 3;
    case ELEMENT_U64:
        return 4;
    case ELEMENT_I64:
        return 5;
    case ELEMENT_F16:
        return 6;
    case ELEMENT_F32:
        return 7;
    case ELEMENT_F64:
        return 8;
    case ELEMENT_BF16:
        return 9;
    case ELEMENT_TYPE_COUNT:
        break;
    }
    return -1;
}

static bool encode(void *context, const struct resolved_tensor *t, uint64_t address,
                   struct tensor_map_bytes *out, struct error *err)
{
    const struct cuda_device *c = context;
    static const uint32_t one[TENSOR_RANK_MAX] = {1, 1, 1, 1, 1};
    _Alignas(64) struct tensor_map_bytes map = {{0}};
    if (c->cu.cuTensorMapEncodeTiled == NULL)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "NVIDIA's driver is older than CUDA 12 and has no tensor maps: update it");
    int status = c->cu.cuTensorMapEncodeTiled(&map, data_type(t->type), (unsigned)t->rank,
                                              device_pointer(address), t->dims,
                                              t->strides_bytes + 1, t->box, one, INTERLEAVE_NONE,
                                              (int)t->swizzle, PROMOTION_256B, FILL_ZEROS);
    *out = map;
    return driver_check(&c->cu, status, err, "a tensor map cannot be made");
}

struct object_encoder cuda_object_encoder(struct cuda_device *c)
{
    return (struct object_encoder){encode, cuda_texture, c};
}
