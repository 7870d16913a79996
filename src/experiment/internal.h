// experiment, inside: what its files share.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_EXPERIMENT_INTERNAL_H
#define RIDGE_EXPERIMENT_INTERNAL_H

#include "experiment/experiment.h"

bool expression_mentions(const struct expression *e, const char *name);
struct location expression_location(const struct expression *e);

// device NULL: the parameters only.
void scope_build(struct arena *a, const struct experiment *e, const struct case_point *point,
                 const struct device_facts *device, struct scope *out);
bool value_to_integer(const struct value *v, int64_t *out);
// "N=1 K=2", or "no parameters".
const char *point_label(struct arena *a, const struct experiment *e, const struct value *values);

// What a reference whose rows are computed apart may name in its arguments.
#define FIRST_ROW "first_row"
#define END_ROW "end_row"
enum { SCOPE_NAMES_MAX = 24 }; // that scope_set may add

// What turns a case's expressions into numbers.
struct resolver {
    struct arena *a;
    const struct experiment *e;
    const char *where; // the case, for messages
    struct scope scope;
    struct error *err;
    bool supported; // `requires` holds: what the device needs is checked
};
bool evaluate_integer(struct resolver *r, const struct expression *x, const char *what,
                      int64_t *out);
// Adds the name to what expressions know, or gives it another value.
void scope_set(struct resolver *r, const char *name, int64_t value);
void scope_set_value(struct resolver *r, const char *name, const struct value *value);
const struct axis_spec *axis_find(const struct variant_spec *v, const char *name); // or NULL
int axis_choice(const struct variant_spec *v, int axis);
// Makes the names of kernels from their patterns, as the variant's choice is.
void name_kernels(struct arena *a, struct variant_spec *v);
// Those of the axes that are numbers, with their chosen values.
void scope_set_axes(struct resolver *r, const struct variant_spec *v);
struct resolver resolver_new(struct arena *a, const struct experiment *e,
                             const struct case_point *point, const struct device_facts *device,
                             struct error *err);
bool resolve_buffer(struct resolver *r, const struct buffer_spec *b, struct resolved_buffer *out);

struct loader {
    struct arena *a;
    struct experiment *e;
    struct error *err;
    const char *const *names; // known here beside parameters and buffers: loops' variables
    int name_count;
    const struct variant_spec *tuned; // whose axes are known too; NULL = none
};
// schema.def says which keys a map may have at that place.
enum key_place {
    KEYS_TOP,
    KEYS_REFERENCE,
    KEYS_PARALLEL,
    KEYS_BUFFER,
    KEYS_TOLERANCE,
    KEYS_GATE,
    KEYS_SPLIT,
    KEYS_WORK,
    KEYS_VARIANT,
    KEYS_LAUNCH,
    KEYS_LOOP,
    KEYS_SET,
    KEYS_ARGUMENT,
    KEYS_STRUCT,
    KEYS_TENSOR_MAP,
    KEYS_TEXTURE,
    KEYS_SURFACE,
    KEYS_COPY,
    KEYS_PERSIST
};
bool check_keys(struct loader *l, const struct yaml_node *node, const char *what,
                enum key_place place);
bool load_expression(struct loader *l, const struct yaml_node *node, const char *what,
                     struct expression **out);
bool load_type(struct loader *l, const struct yaml_node *node, enum element_type *out);
// `source`: a file, or a list of them, one for each kind of device.
bool load_sources(struct loader *l, const struct yaml_node *node, const char **first,
                  const char *const **all);
bool load_file_name(struct loader *l, const struct yaml_node *node, const char *what,
                    const char **out);
bool load_name(struct loader *l, const struct yaml_node *node, const char *what, const char **out);
int buffer_find(const struct experiment *e, const char *name);
bool is_identifier(const char *s);
// Appends to the flags that are there: a list, or a line of them.
bool load_flags(struct loader *l, const struct yaml_node *node, const struct flag_spec *before,
                struct flag_spec *out);
bool load_variants(struct loader *l, const struct yaml_node *node);
// reference.c: `reference`, before the buffers; its arguments, after the variants.
bool load_reference(struct loader *l, const struct yaml_node *node);
// python.c: is python3 with NumPy here, and is the file Python?
bool python_look(struct arena *a, const struct experiment *e, double timeout_s,
                 struct error *err) CHECK_RESULT;
// `verify: self`, in a reference's place.
bool load_verify(struct loader *l, const struct yaml_node *node);
// `patterns`: a list of names, or none; without it the usual ones.
bool load_patterns(struct loader *l, const struct yaml_node *node);
bool load_reference_args(struct loader *l, const struct yaml_node *node);
bool load_expectations(struct loader *l, const struct yaml_node *node, struct variant_spec *v);
// sets.c
bool load_sets(struct loader *l, const struct yaml_node *node, struct launch_spec *out);
bool npy_read(const char *path, const struct resolved_buffer *b, void *to, struct error *err);
// fill_more.c: a buffer that is filled as a whole. *done: its fill is one of those.
struct shape {
    const struct buffer_spec *b;
    const struct resolved_buffer *r, *all; // of the case
    void *const *filled;                   // the buffers before it
    void *data;
    const char *path;
    uint64_t seed, stream;
    struct value args[2];
};
bool fill_whole(const struct shape *s, bool *done, struct error *err);
// "x_{N}.npy" with the parameter's value.
const char *path_of_case(struct arena *a, const char *pattern, const struct scope *scope);
bool load_data_path(struct loader *l, const struct yaml_node *node, const char *what,
                    const char *name, const char **out);
bool load_fill(struct loader *l, const struct yaml_node *node, struct buffer_spec *b);
// tune.c: the axes of `tune` and the conditions of `where`; before the defines and the steps, which name axes.
bool load_tune(struct loader *l, const struct yaml_node *node, struct variant_spec *v);
bool load_call_keys(struct loader *l, const struct yaml_node *node, struct launch_spec *out);
// loops.c: the steps of a variant; unrolled in a case.
bool load_steps(struct loader *l, const struct yaml_node *node, struct variant_spec *v);
bool resolve_steps(struct resolver *r, const struct variant_spec *v,
                   const struct device_facts *limits, struct resolved_variant *out);
bool resolve_launch(struct resolver *r, const struct launch_spec *s, const struct device_facts *d,
                    struct resolved_launch *out);
bool load_launch(struct loader *l, const struct yaml_node *node, struct launch_spec *out);
bool load_dimensions(struct loader *l, const struct yaml_node *node, const char *what,
                     struct expression *out[3]);
// split.c: `split`, after the buffers.
bool load_split(struct loader *l, const struct yaml_node *node);
// tensor.c: {tensor_map: a, dims: [K, M], box: [64, 128], swizzle: 128B}, and its figures in a case.
bool load_tensor_map(struct loader *l, const struct yaml_node *node, struct argument_spec *out);
bool tensor_resolve(struct resolver *r, const struct argument_spec *s,
                    struct resolved_argument *out);
// texture.c: {texture: image, size: [W, H], filter: linear} and {surface: out, size: [W, H]}.
bool load_texture(struct loader *l, const struct yaml_node *node, struct argument_spec *out);
bool texture_resolve(struct resolver *r, const struct argument_spec *s,
                     struct resolved_argument *out);
// copies.c: `memory` of a variant, {copy: {from: x, to: dx}}, and whether all steps reach their buffers.
bool load_memory(struct loader *l, const struct yaml_node *node, struct variant_spec *v);
bool load_copy(struct loader *l, const struct yaml_node *node, struct launch_spec *out);
bool check_memory(struct loader *l, const struct variant_spec *v);
bool copy_resolve(struct resolver *r, const struct copy_spec *s, struct location at,
                  struct resolved_copy *out);
// streams.c: `stream` and `after` of a step, and `persist`.
bool load_streams(struct loader *l, const struct yaml_node *node, struct variant_spec *v,
                  struct launch_spec *out);
bool check_streams(struct loader *l, const struct variant_spec *v);
bool load_persist(struct loader *l, const struct yaml_node *node, const struct persist_spec **out);
bool persist_resolve(struct resolver *r, const struct persist_spec *s, struct resolved_launch *out);
// An identifier that names no buffer and no parameter.
bool is_word(const struct loader *l, const char *text);
// structs.c: {struct: [x, i32 4, f32 0.5]}, and its layout in a case.
bool load_struct(struct loader *l, const struct yaml_node *node, struct argument_spec *out);
bool struct_resolve(struct resolver *r, const struct argument_spec *s,
                    struct resolved_argument *out);
bool resolve_argument(struct resolver *r, const struct argument_spec *s,
                      struct resolved_argument *out);
// The type that "f32 0.5" begins with; the rest is *value. false: it begins with none.
bool split_typed(const char *s, enum element_type *type, const char **value);
bool load_args(struct loader *l, const struct yaml_node *node, struct launch_spec *out);
bool load_argument(struct loader *l, const struct yaml_node *node, struct argument_spec *out);
// library.c: the keys `library` and `args` of a step.
bool load_library_keys(struct loader *l, const struct yaml_node *node, struct launch_spec *out);

// A loop over a buffer deals pieces of so many elements to the host's threads.
// Elements of 8 or 16 bits that are floating-point numbers, each of which a float holds exactly.
void elements_widen(enum element_type t, const void *from, size_t count, float *to);

enum { ELEMENTS_PER_PIECE = 1 << 16 };

// The bits an unwritten element of an output holds.
uint64_t poison_bits(enum element_type t, enum poison poison);
bool element_is_float(enum element_type t);
// Stores at most 8 bytes in the machine's order. False: a finite number became infinite.
bool element_store_integer(enum element_type t, int64_t value, void *to); // false: does not fit
// Many, as those do one by one.
void elements_store(enum element_type t, const double *values, size_t count, void *to);
void elements_store_integers(enum element_type t, const int64_t *values, size_t count, void *to);
uint64_t element_bits(const void *p, size_t bytes);

#endif
