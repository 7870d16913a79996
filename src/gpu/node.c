// A node's file: its name, whose node it is, then one row of node_fields.def a number. As strict as a chip's: nothing is made
// up by a default.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/node.h"
#include "gpu/figure.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODE_FOLDER "gpus/nodes"

enum { NODE_FILE_BYTES_MAX = 1 << 20 };

enum node_need { NODE_OPTIONAL, NODE_NEEDED };
static const struct {
    const char *name, *unit, *meaning;
    enum node_need need;
} fields[NODE_FIELD_COUNT] = {
#define FIELD(name, unit, need, meaning) {#name, unit, meaning, NODE_##need},
#include "gpu/node_fields.def"
#undef FIELD
};

static const char *const keys[] = {
    "name",
    "chips",
#define FIELD(name, unit, need, meaning) #name,
#include "gpu/node_fields.def"
#undef FIELD
};

static bool field_parse(const struct yaml_node *node, enum node_field f, struct node *out,
                        struct error *err)
{
    const struct figure_rule rule = {.name = fields[f].name, .unit = fields[f].unit};
    if (!figure_parse(node, &rule, &out->value[f], &out->source[f], err))
        return false;
    return strcmp(rule.unit, "share") != 0 || out->value[f] <= 1 ||
           fail(err, yaml_get(node, "value")->at,
                "the value of '%s' must be a share of up to 1, not '%s'", rule.name,
                yaml_get(node, "value")->scalar);
}

static bool chips_parse(struct arena *a, const struct yaml_node *root, struct node *out,
                        struct error *err)
{
    const struct yaml_node *chips = yaml_get(root, "chips");
    if (!chips)
        return fail(err, root->at, "'chips' is missing: the chips whose node it is, as [h200]");
    if (!yaml_expect(chips, YAML_LIST, "'chips'", err))
        return false;
    out->chips = ARENA_ARRAY(a, const char *, chips->count + 1);
    out->chip_count = (int)chips->count;
    for (int i = 0; i < out->chip_count; i++)
        if (!yaml_string(chips->items[i], "a chip of 'chips'", &out->chips[i], err))
            return false;
    return true;
}

// A network has all of its figures or none.
static bool network_check(const struct yaml_node *root, const struct node *n, struct error *err)
{
    static const enum node_field network[] = {NODE_FIELD_network_gbps, NODE_FIELD_network_hop_ns,
                                              NODE_FIELD_network_hop_small_ns};
    for (size_t i = 1; i < COUNT_OF(network); i++)
        if (isnan(n->value[network[i]]) != isnan(n->value[network[0]]))
            return fail(err, root->at, "'%s' is there and '%s' is not: a network needs both",
                        fields[network[isnan(n->value[network[i]]) ? 0 : i]].name,
                        fields[network[isnan(n->value[network[i]]) ? i : 0]].name);
    return true;
}

bool node_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                struct node **out, struct error *err)
{
    struct yaml_node *root = NULL;
    if (!yaml_parse(a, file, text, size_bytes, &root, err) ||
        !yaml_check_keys(root, "a node's file", keys, COUNT_OF(keys), err))
        return false;
    struct node *n = ARENA_NEW(a, struct node);
    n->id = figures_id(a, file);
    const struct yaml_node *name = yaml_get(root, "name");
    if (!name)
        return fail(err, root->at, "'name' is missing");
    if (!yaml_string(name, "'name'", &n->name, err) || !chips_parse(a, root, n, err))
        return false;
    for (int f = 0; f < NODE_FIELD_COUNT; f++) {
        const struct yaml_node *node = yaml_get(root, fields[f].name);
        n->value[f] = (double)NAN;
        if (node && !field_parse(node, (enum node_field)f, n, err))
            return false;
        if (!node && fields[f].need == NODE_NEEDED)
            return fail(err, root->at, "'%s' is missing: %s", fields[f].name, fields[f].meaning);
    }
    if (!network_check(root, n, err))
        return false;
    *out = n;
    return true;
}

/* ---- the folder of nodes -------------------------------------------------------------------------- */

static bool is_of(const struct node *n, const char *chip)
{
    for (int i = 0; i < n->chip_count; i++)
        if (strcmp(n->chips[i], chip) == 0)
            return true;
    return false;
}

// Of a file: kept where it is the chip's and its name is before that of the one that is kept.
static bool take_file(struct arena *a, const char *folder, const char *name, const char *chip,
                      struct node **best, struct error *err)
{
    const char *path = path_join(a, folder, name);
    char *data = NULL;
    size_t size_bytes = 0;
    struct node *n = NULL;
    if (!file_read(path, NODE_FILE_BYTES_MAX, &data, &size_bytes, err))
        return false;
    bool done = node_parse(a, path, data, size_bytes, &n, err);
    free(data);
    if (done && n && is_of(n, chip) && (!*best || strcmp(n->id, (*best)->id) < 0))
        *best = n;
    return done;
}

bool node_of_chip(struct arena *a, const char *chip, struct node **out, struct error *err)
{
    struct error none = {0};
    const char *folder = data_path(a, NODE_FOLDER, &none);
    *out = NULL;
    if (!folder)
        return true;
    DIR *dir = opendir(folder);
    if (!dir)
        return errno == ENOENT || fail_errno(err, errno, "cannot read the folder '%s'", folder);
    bool done = true;
    // readdir of a stream of our own is safe between threads (POSIX.1-2024).
    for (struct dirent *entry; done && (entry = readdir(dir));) // NOLINT(concurrency-mt-unsafe)
        if (entry->d_name[0] != '.' && str_ends_with(entry->d_name, FIGURES_SUFFIX))
            done = take_file(a, folder, entry->d_name, chip, out, err);
    (void)closedir(dir);
    return done;
}
