// Kernels of a module by the name the user writes, and their arguments checked against the code's
// parameters: the same for simulated and real devices.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_LISTED = 12, TARGET_ADDRESS_BYTES = 8 };

static void fail_no_kernel(struct arena *a, const struct code_kernel *kernels, int count,
                           const char *source, const char *wanted, struct location at,
                           struct error *err)
{
    const char **names = ARENA_ARRAY(a, const char *, count + 1);
    struct text list = {0};
    for (int i = 0; i < count; i++) {
        names[i] = kernel_plain_name(a, kernels[i].name);
        if (i < KERNELS_LISTED)
            text_printf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    if (count > KERNELS_LISTED)
        text_add(&list, ", ...");
    const char *near = str_nearest(wanted, names, (size_t)count);
    fail(err, at, "%s has no kernel '%s'%s%s%s; it has: %s", source, wanted,
         near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
         count > 0 ? text_str(&list)
                   : "none (name a template with its arguments: kernel: name<4, float>)");
    text_release(&list);
}

static void fail_several(struct arena *a, const struct code_kernel *kernels, int count,
                         const char *source, const char *wanted, enum kernel_match match,
                         struct location at, struct error *err)
{
    struct text list = {0};
    int listed = 0;
    const char *before = NULL;
    for (int i = 0; i < count; i++) {
        if (kernel_matches(a, kernels[i].name, wanted) != match)
            continue;
        const char *name = kernel_plain_name(a, kernels[i].name);
        if (strcmp(name, wanted) == 0 || (before && strcmp(before, name) == 0))
            name = kernels[i].name; // overloads differ in what is mangled only
        if (listed < KERNELS_LISTED)
            text_printf(&list, "%s%s", listed > 0 ? "; " : "", name);
        before = name;
        listed++;
    }
    (void)fail(err, at, "%s has several kernels '%s'; write the full name of one: %s%s", source,
               wanted, text_str(&list), listed > KERNELS_LISTED ? "; ..." : "");
    text_release(&list);
}

const struct code_kernel *kernel_find(struct arena *a, const struct code_kernel *kernels, int count,
                                      const char *source, const char *wanted, struct location at,
                                      struct error *err)
{
    const struct code_kernel *found = NULL;
    enum kernel_match best = MATCH_NONE;
    bool several = false;
    for (int i = 0; i < count; i++) {
        enum kernel_match match = kernel_matches(a, kernels[i].name, wanted);
        if (match == MATCH_NONE || match < best)
            continue;
        several = match == best;
        best = match;
        found = &kernels[i];
    }
    if (several)
        fail_several(a, kernels, count, source, wanted, best, at, err);
    else if (!found)
        fail_no_kernel(a, kernels, count, source, wanted, at, err);
    return several ? NULL : found;
}

bool kernel_arg(struct arena *a, const struct resolved_argument *x, const uint64_t *addresses,
                const struct object_encoder *objects, const void **out, struct error *err)
{
    if (x->kind == ARGUMENT_STRUCT) {
        uint8_t *bytes = arena_alloc(a, x->fields->size_bytes);
        struct_store(x->fields, addresses, bytes);
        *out = bytes;
        return true;
    }
    if (x->kind == ARGUMENT_TEXTURE) {
        uint64_t *handle = ARENA_NEW(a, uint64_t);
        *out = handle;
        return objects->texture(objects->context, x->texture, addresses[x->buffer], handle, err);
    }
    if (x->kind == ARGUMENT_BUFFER) {
        uint64_t *address = ARENA_NEW(a, uint64_t);
        *address = addresses[x->buffer] + x->inside_bytes;
        *out = address;
        return true;
    }
    if (x->kind != ARGUMENT_TENSOR_MAP) {
        *out = x->value;
        return true;
    }
    struct tensor_map_bytes *map = ARENA_NEW(a, struct tensor_map_bytes);
    *out = map;
    return objects->tensor(objects->context, x->tensor, addresses[x->buffer], map, err);
}

// The letter that a type's name begins with says what sort it is: f32, u64, s32; b32 holds anything, and
// so do the bytes of a struct.
static bool is_float_type(const struct code_parameter *p)
{
    return p->type && p->type[0] == 'f';
}

static bool is_whole_type(const struct code_parameter *p)
{
    return p->type && (p->type[0] == 'u' || p->type[0] == 's');
}

static bool is_bytes(const struct code_parameter *p) // a struct, or an array of one type
{
    return p->type && strcmp(p->type, "b8") == 0;
}

// Do they hold the same sort of number? Halves are declared as bits, and by some as u16.
static bool is_fitting(const struct resolved_argument *given, const struct code_parameter *p)
{
    if (given->kind == ARGUMENT_TENSOR_MAP)
        return p->size_bytes == TENSOR_MAP_BYTES;
    if (given->kind == ARGUMENT_STRUCT)
        return is_bytes(p) && p->size_bytes == given->fields->size_bytes &&
               p->align_bytes == given->fields->align_bytes;
    if (given->kind == ARGUMENT_BUFFER || given->kind == ARGUMENT_TEXTURE)
        return p->size_bytes == TARGET_ADDRESS_BYTES && !is_float_type(p);
    if (element_bytes(given->type) != p->size_bytes)
        return false;
    bool real = given->type == ELEMENT_F32 || given->type == ELEMENT_F64;
    bool half =
        given->type == ELEMENT_F16 || given->type == ELEMENT_BF16 || given->type == ELEMENT_E4M3;
    return half || (real ? !is_whole_type(p) : !is_float_type(p));
}

// The type that the experiment must write for the parameter; NULL: none does.
static const char *spelling_of(const struct code_parameter *p)
{
    static const char *const whole[] = {[1] = "u8", [2] = "i16", [4] = "i32", [8] = "i64"};
    if (is_float_type(p))
        return p->size_bytes == sizeof(double)  ? "f64"
               : p->size_bytes == sizeof(float) ? "f32"
                                                : "f16";
    return p->size_bytes < COUNT_OF(whole) ? whole[p->size_bytes] : NULL;
}

static const char *text_of(const struct resolved_argument *given)
{
    return given->text ? given->text : "the value";
}

// A real number that is whole and small enough for a whole type of that many bytes; or no real number.
static bool fits_whole(const struct resolved_argument *given, size_t size_bytes)
{
    double value = 0;
    float single = 0;
    if (given->type != ELEMENT_F32 && given->type != ELEMENT_F64)
        return true;
    if (given->type == ELEMENT_F32) {
        memcpy(&single, given->value, sizeof single);
        value = (double)single;
    } else {
        memcpy(&value, given->value, sizeof value);
    }
    return !(fabs(value - nearbyint(value)) > 0) &&
           fabs(value) < ldexp(1, (int)(8 * size_bytes) - (size_bytes > 1));
}

static bool fail_struct(const struct resolved_launch *l, int index, const struct code_parameter *p,
                        struct error *err)
{
    const struct resolved_struct *s = l->args[index].fields;
    return fail(err, l->at,
                "argument %d of kernel '%s' has %" PRIu64 " bytes aligned to %" PRIu64
                " in the kernel, but %" PRIu64 " aligned to %" PRIu64
                " here, with its fields %s: the order or the types of 'struct' are not the "
                "kernel's; 'at' moves a field, 'size' adds bytes at the end, 'align' is __align__",
                index + 1, l->kernel, p->size_bytes, p->align_bytes, s->size_bytes, s->align_bytes,
                text_of(&l->args[index]));
}

static bool fail_argument(struct arena *a, const struct resolved_launch *l, int index,
                          const struct code_parameter *p, struct error *err)
{
    const struct resolved_argument *given = &l->args[index];
    const char *type = spelling_of(p);
    const char *in_kernel = type ? type : arena_printf(a, "%" PRIu64 " bytes", p->size_bytes);
    if (given->kind == ARGUMENT_STRUCT)
        return fail_struct(l, index, p, err);
    bool pointer = type && strcmp(type, "i64") == 0;
    if (given->kind == ARGUMENT_TENSOR_MAP)
        return fail(err, l->at,
                    "argument %d of kernel '%s' is %s in the kernel, but a tensor map here: its "
                    "parameter is a struct of %d bytes, const __grid_constant__",
                    index + 1, l->kernel, in_kernel, TENSOR_MAP_BYTES);
    if (given->kind == ARGUMENT_TEXTURE)
        return fail(err, l->at,
                    "argument %d of kernel '%s' is %s in the kernel, but a %s here: its parameter "
                    "is a cuda%sObject_t",
                    index + 1, l->kernel, in_kernel,
                    given->texture->surface ? "surface" : "texture",
                    given->texture->surface ? "Surface" : "Texture");
    if (given->kind == ARGUMENT_BUFFER)
        return fail(err, l->at,
                    "argument %d of kernel '%s' is %s in the kernel, but a buffer here ('%s'): "
                    "the order or the number of 'args' is not the kernel's",
                    index + 1, l->kernel, in_kernel, text_of(given));
    if (!type)
        return fail(
            err, l->at,
            "argument %d of kernel '%s' has %s in the kernel, but %s (%s) has %zu; a struct "
            "by value is written {struct: [x, i32 4, f32 0.5]}",
            index + 1, l->kernel, in_kernel, text_of(given), element_name(given->type),
            element_bytes(given->type));
    if (is_whole_type(p) && !fits_whole(given, p->size_bytes))
        return fail(err, l->at,
                    "argument %d of kernel '%s' is %s in the kernel, which %s does not fit: give a "
                    "whole number of that size (floor(%s)), or change the parameter in the source",
                    index + 1, l->kernel, type, text_of(given), text_of(given));
    return fail(
        err, l->at,
        "argument %d of kernel '%s' is %s%s in the kernel, but %s is %s here; write {value: "
        "%s, type: %s}%s",
        index + 1, l->kernel, type, pointer ? " or a pointer" : "", text_of(given),
        element_name(given->type), text_of(given), type, pointer ? ", or a buffer" : "");
}

bool kernel_check_args(struct arena *a, const struct resolved_launch *l,
                       const struct code_kernel *k, struct error *err)
{
    if (l->arg_count != k->parameter_count)
        return fail(err, l->at, "kernel '%s' takes %d argument%s, this launch gives %d", l->kernel,
                    k->parameter_count, plural(k->parameter_count), l->arg_count);
    for (int i = 0; i < l->arg_count; i++)
        if (!is_fitting(&l->args[i], &k->parameters[i]))
            return fail_argument(a, l, i, &k->parameters[i], err);
    return true;
}

bool fail_no_variable(struct error *err, const struct set_spec *s, const char *source)
{
    return fail(err, s->at,
                "%s has no variable '%s' on the device; one that no kernel reads, and one that is "
                "static or in a namespace, cannot be set",
                source, s->variable);
}

bool fail_variable_size(struct error *err, const struct set_spec *s, uint64_t room,
                        uint64_t size_bytes)
{
    return fail(err, s->at, "the variable '%s' has %llu bytes, the buffer that it is set to %llu",
                s->variable, (unsigned long long)room, (unsigned long long)size_bytes);
}

bool launch_check_features(const struct resolved_launch *l, unsigned lacks, const char *device_id,
                           struct error *err)
{
    static const char *const words[FEATURE_COUNT] = {
        [FEATURE_CLUSTER] = "clusters",
        [FEATURE_COOPERATIVE] = "cooperative launches",
        [FEATURE_PERSIST] = "windows of the L2 ('persist')",
        [FEATURE_SET] = "variables that a launch sets ('set')",
        [FEATURE_TENSOR_MAP] = "tensor maps",
        [FEATURE_TEXTURE] = "textures and surfaces",
    };
    bool uses[FEATURE_COUNT] = {
        [FEATURE_CLUSTER] = l->cluster[0] > 1 || l->cluster[1] > 1 || l->cluster[2] > 1,
        [FEATURE_COOPERATIVE] = l->cooperative,
        [FEATURE_PERSIST] = l->persist_bytes > 0,
        [FEATURE_SET] = l->set_count > 0,
    };
    for (int i = 0; i < l->arg_count; i++) {
        uses[FEATURE_TENSOR_MAP] |= l->args[i].kind == ARGUMENT_TENSOR_MAP;
        uses[FEATURE_TEXTURE] |= l->args[i].kind == ARGUMENT_TEXTURE;
    }
    for (int f = 0; f < FEATURE_COUNT; f++)
        if (uses[f] && (lacks >> f & 1) != 0)
            return fail(err, l->at,
                        "%s: ridge has no %s there; 'requires: device.cc > 0' leaves the variant "
                        "out on what is not NVIDIA's",
                        device_id, words[f]);
    return true;
}

bool kernel_args(struct arena *a, const struct resolved_launch *l, const struct code_kernel *k,
                 const uint64_t *addresses, const struct object_encoder *objects,
                 const void *const **out, struct error *err)
{
    if (k->parameter_count != CODE_UNKNOWN && !kernel_check_args(a, l, k, err))
        return false;
    const void **args = ARENA_ARRAY(a, const void *, l->arg_count + 1);
    for (int i = 0; i < l->arg_count; i++) {
        const struct resolved_argument *given = &l->args[i];
        if (!kernel_arg(a, given, addresses, objects, &args[i], err))
            return false;
    }
    *out = args;
    return true;
}

const struct code_kernel *launch_kernel(const struct code_object *code,
                                        const struct resolved_launch *l)
{
    struct arena a = {0};
    struct error ignored = {0};
    const struct code_kernel *k = l->kind == LAUNCH_KERNEL && code->kernels_listed
                                      ? kernel_find(&a, code->kernels, code->kernel_count,
                                                    code->source, l->kernel, l->at, &ignored)
                                      : NULL;
    arena_release(&a);
    return k;
}

bool launch_check_args(const struct code_object *code, const struct resolved_launch *l,
                       struct error *err)
{
    struct arena a = {0};
    bool fits = true;
    if (code->kernels_listed) {
        const struct code_kernel *k =
            kernel_find(&a, code->kernels, code->kernel_count, code->source, l->kernel, l->at, err);
        fits = k && (k->parameter_count == CODE_UNKNOWN || kernel_check_args(&a, l, k, err));
    }
    arena_release(&a);
    return fits;
}
