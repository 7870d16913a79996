// node: how the GPUs of a node are linked, and nodes to each other (gpus/nodes/*.yaml, each figure with its source), for the
// exchange between simulated GPUs.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_GPU_NODE_H
#define RIDGE_GPU_NODE_H

#include "base/base.h"

enum node_field {
#define FIELD(name, unit, need, meaning) NODE_FIELD_##name,
#include "gpu/node_fields.def"
#undef FIELD
    NODE_FIELD_COUNT
};
struct node {
    const char *id;     // "hgx-h200": the file's name
    const char *name;   // "HGX H200"
    const char **chips; // whose node it is: "h200"
    int chip_count;
    double value[NODE_FIELD_COUNT]; // in the field's unit; NAN = not known
    const char *source[NODE_FIELD_COUNT];
};
#define NODE(n, field) ((n)->value[NODE_FIELD_##field])

bool node_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                struct node **out, struct error *err) CHECK_RESULT;
// The first by name whose chips have this one. None: *out is NULL and true is returned.
bool node_of_chip(struct arena *a, const char *chip, struct node **out,
                  struct error *err) CHECK_RESULT;

#endif
