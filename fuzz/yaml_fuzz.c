// Any bytes as a YAML file: parsed, walked, read against a schema. Whatever comes out must be a tree
// with places inside the text, or an error with a message.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

// Every complaint a schema can make about the node, for its text and caret.
static void complain(const struct yaml_node *node)
{
    static const char *const allowed[] = {"kernel", "block", "grid"};
    struct error err = {0};
    const char *text = NULL;
    double number = 0;
    int64_t whole = 0;
    bool truth = false;
    if (yaml_string(node, "it", &text, &err)) // a scalar may still hold a control character
        require(node->kind == YAML_SCALAR);
    else
        require(err.message[0] != '\0');
    if (!yaml_double(node, "it", &number, &err))
        require(err.message[0] != '\0');
    if (yaml_i64(node, "it", &whole, &err))
        require(yaml_double(node, "it", &number, &err));
    if (!yaml_bool(node, "it", &truth, &err))
        require(err.message[0] != '\0');
    if (!yaml_check_keys(node, "it", allowed, COUNT_OF(allowed), &err))
        require(err.message[0] != '\0');
}

static void walk(const struct yaml_node *node)
{
    require(node->at.line >= 1 && node->at.column >= 1);
    complain(node);
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == YAML_MAP) {
            require(node->keys[i]->kind == YAML_SCALAR);
            require(yaml_get(node, node->keys[i]->scalar) == node->items[i]);
        }
        walk(node->items[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct yaml_node *root = NULL;
    char *text = xcalloc(size + 1, 1);
    if (size > 0)
        memcpy(text, data, size);
    if (yaml_parse(&a, "fuzz.yaml", text, size, &root, &err))
        walk(root);
    else
        require(err.kind != ERROR_NONE && str_starts_with(err.message, "fuzz.yaml"));
    free(text);
    arena_release(&a);
    return 0;
}
