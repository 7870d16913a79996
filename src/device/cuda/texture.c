// Texture and surface objects by the driver. Over a buffer's own rows, or over an array: a copy of the buffer in
// the driver's tiles, which is made before the steps run, and written back after them where a surface may have
// changed it. Objects and arrays live until the device is closed, one for each buffer and shape.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

enum { RESOURCE_ARRAY = 0, RESOURCE_LINEAR = 2, RESOURCE_ROWS = 3 };           // CUresourcetype
enum { SAMPLER_INTEGERS = 1, SAMPLER_NORMALIZED = 2, ARRAY_FOR_SURFACES = 2 }; // CU_TRSF_…
enum { SIDE_DEVICE = 2, SIDE_ARRAY = 3 };                                      // CUmemorytype

struct cuda_array {
    uint64_t address;
    struct resolved_texture shape; // size, type and channels count
    void *array;
    bool written; // by surfaces
    bool used;    // by the sequence at work
};
struct cuda_texture {
    uint64_t address;
    struct resolved_texture is;
    uint64_t object;
};

static int format_of(enum element_type t)
{
    static const int formats[ELEMENT_TYPE_COUNT] = {
        [ELEMENT_U8] = 0x01,  [ELEMENT_U16] = 0x02, [ELEMENT_U32] = 0x03, [ELEMENT_I8] = 0x08,
        [ELEMENT_I16] = 0x09, [ELEMENT_I32] = 0x0a, [ELEMENT_F16] = 0x10, [ELEMENT_F32] = 0x20};
    return formats[t]; // CUarray_format; the experiment takes no others
}

static bool is_same_shape(const struct resolved_texture *a, const struct resolved_texture *b)
{
    return a->type == b->type && a->rank == b->rank && a->channels == b->channels &&
           a->width == b->width && a->height == b->height;
}

static bool is_same(const struct resolved_texture *a, const struct resolved_texture *b)
{
    bool same = is_same_shape(a, b) && a->surface == b->surface && a->array == b->array &&
                a->linear_filter == b->linear_filter && a->normalized == b->normalized &&
                a->read_normalized == b->read_normalized;
    for (int i = 0; i < TEXTURE_RANK_MAX; i++)
        same = same && a->address[i] == b->address[i];
    return same;
}

/* ---- arrays ---------------------------------------------------------------------------------------- */

static struct cuda_array *array_find(struct cuda_device *c, const struct resolved_texture *t,
                                     uint64_t address)
{
    for (size_t i = 0; i < c->arrays.count; i++)
        if (c->arrays.items[i].address == address && is_same_shape(&c->arrays.items[i].shape, t))
            return &c->arrays.items[i];
    return NULL;
}

static bool array_open(struct cuda_device *c, const struct resolved_texture *t, uint64_t address,
                       void **array, struct error *err)
{
    struct cuda_array *known = array_find(c, t, address), fresh = {.address = address, .shape = *t};
    if (!known) {
        struct cuda_array_shape shape = {.width = t->width,
                                         .height = t->rank > 1 ? t->height : 0,
                                         .format = format_of(t->type),
                                         .channels = (unsigned)t->channels,
                                         .flags = ARRAY_FOR_SURFACES};
        if (!driver_check(&c->cu, c->cu.cuArray3DCreate_v2(&fresh.array, &shape), err,
                          "no array of %llu x %llu texels", (unsigned long long)t->width,
                          (unsigned long long)t->height))
            return false;
        VEC_PUSH(c->arrays.items, c->arrays.count, c->arrays.capacity, fresh);
        known = &c->arrays.items[c->arrays.count - 1];
    }
    known->written = (known->used && known->written) || t->surface;
    known->used = true;
    *array = known->array;
    return true;
}

static bool array_copy(struct cuda_device *c, const struct cuda_array *a, bool back,
                       struct error *err)
{
    struct cuda_copy_side buffer = {
        .memory = SIDE_DEVICE, .device = a->address, .pitch_bytes = a->shape.pitch_bytes};
    struct cuda_copy_side array = {.memory = SIDE_ARRAY, .array = a->array};
    struct cuda_copy_2d copy = {.from = back ? array : buffer,
                                .to = back ? buffer : array,
                                .width_bytes = a->shape.pitch_bytes,
                                .height = a->shape.height};
    return driver_check(&c->cu, c->cu.cuMemcpy2DAsync_v2(&copy, c->stream), err,
                        "a buffer cannot be copied %s its array", back ? "from" : "to");
}

void cuda_arrays_begin(struct cuda_device *c)
{
    for (size_t i = 0; i < c->arrays.count; i++)
        c->arrays.items[i].used = false;
}

bool cuda_arrays_load(struct cuda_device *c, struct error *err)
{
    for (size_t i = 0; i < c->arrays.count; i++)
        if (c->arrays.items[i].used && !array_copy(c, &c->arrays.items[i], false, err))
            return false;
    return true;
}

bool cuda_arrays_store(struct cuda_device *c, struct error *err)
{
    bool any = false;
    for (size_t i = 0; i < c->arrays.count; i++) {
        const struct cuda_array *a = &c->arrays.items[i];
        if (!a->used || !a->written)
            continue;
        any = true;
        if (!array_copy(c, a, true, err))
            return false;
    }
    return !any || driver_check(&c->cu, c->cu.cuStreamSynchronize(c->stream), err,
                                "a buffer cannot be copied from its array");
}

/* ---- objects --------------------------------------------------------------------------------------- */

static struct cuda_sampler sampler_of(const struct resolved_texture *t)
{
    struct cuda_sampler s = {.filter = t->linear_filter};
    bool integers = t->type != ELEMENT_F16 && t->type != ELEMENT_F32 && !t->read_normalized;
    for (int i = 0; i < (int)COUNT_OF(s.address); i++)
        s.address[i] = (int)(i < t->rank ? t->address[i] : TEXTURE_CLAMP);
    s.flags = (integers ? SAMPLER_INTEGERS : 0) | (t->normalized ? SAMPLER_NORMALIZED : 0);
    return s;
}

static bool resource_of(struct cuda_device *c, const struct resolved_texture *t, uint64_t address,
                        struct cuda_resource *out, struct error *err)
{
    memset(out, 0, sizeof *out);
    if (t->array) {
        out->kind = RESOURCE_ARRAY;
        return array_open(c, t, address, &out->of.array, err);
    }
    out->kind = t->rank > 1 ? RESOURCE_ROWS : RESOURCE_LINEAR;
    if (t->rank > 1) {
        out->of.rows.address = address;
        out->of.rows.format = format_of(t->type);
        out->of.rows.channels = (unsigned)t->channels;
        out->of.rows.width = t->width;
        out->of.rows.height = t->height;
        out->of.rows.pitch_bytes = t->pitch_bytes;
    } else {
        out->of.linear.address = address;
        out->of.linear.format = format_of(t->type);
        out->of.linear.channels = (unsigned)t->channels;
        out->of.linear.size_bytes = t->pitch_bytes;
    }
    return true;
}

bool cuda_texture(void *context, const struct resolved_texture *t, uint64_t address,
                  uint64_t *handle, struct error *err)
{
    struct cuda_device *c = context;
    struct cuda_texture fresh = {.address = address, .is = *t};
    struct cuda_resource resource;
    const char *what = t->surface ? "surface" : "texture";
    for (size_t i = 0; i < c->textures.count; i++)
        if (c->textures.items[i].address == address && is_same(&c->textures.items[i].is, t)) {
            void *array = NULL;
            *handle = c->textures.items[i].object;
            return !t->array || array_open(c, t, address, &array, err);
        }
    if (!c->cu.cuTexObjectCreate || !c->cu.cuSurfObjectCreate || !c->cu.cuArray3DCreate_v2 ||
        !c->cu.cuMemcpy2DAsync_v2)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "NVIDIA's driver has no %s objects: update it",
                       what);
    if (!resource_of(c, t, address, &resource, err))
        return false;
    struct cuda_sampler sampler = sampler_of(t);
    int status = t->surface ? c->cu.cuSurfObjectCreate(&fresh.object, &resource)
                            : c->cu.cuTexObjectCreate(&fresh.object, &resource, &sampler, NULL);
    if (!driver_check(&c->cu, status, err, "a %s object cannot be made", what))
        return false;
    VEC_PUSH(c->textures.items, c->textures.count, c->textures.capacity, fresh);
    *handle = fresh.object;
    return true;
}

void cuda_textures_close(struct cuda_device *c)
{
    for (size_t i = 0; i < c->textures.count; i++) {
        const struct cuda_texture *t = &c->textures.items[i];
        (void)(t->is.surface ? c->cu.cuSurfObjectDestroy(t->object)
                             : c->cu.cuTexObjectDestroy(t->object));
    }
    for (size_t i = 0; i < c->arrays.count; i++)
        (void)c->cu.cuArrayDestroy(c->arrays.items[i].array);
    free(c->textures.items);
    free(c->arrays.items);
}
