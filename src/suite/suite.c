// The list of a suite: paths, folders and suite files to experiments.
// SPDX-License-Identifier: Apache-2.0
#include "suite/suite.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_BYTES_MAX = 1 << 20 };

struct gatherer {
    struct arena *a;
    struct suite *suite;
    size_t count, capacity;
    struct suite_item *items; // malloc'ed while it grows
    struct error *err;
};

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- the suite's file ------------------------------------------------------------------------------ */

// {N: [1024, 2048]} to "N=1024,2048".
static bool read_params(struct gatherer *g, const struct yaml_node *node, struct suite_item *item)
{
    if (!node)
        return true;
    if (!yaml_expect(node, YAML_MAP, "'params'", g->err))
        return false;
    const char **list = ARENA_ARRAY(g->a, const char *, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_node *axis = node->items[i];
        const char *text = arena_printf(g->a, "%s=", node->keys[i]->scalar), *value;
        size_t count = axis->kind == YAML_LIST ? axis->count : 1;
        if (count == 0)
            return fail(g->err, axis->at, "parameter '%s' has no values", node->keys[i]->scalar);
        for (size_t k = 0; k < count; k++) {
            const struct yaml_node *it = axis->kind == YAML_LIST ? axis->items[k] : axis;
            if (!yaml_string(it, "a parameter's value", &value, g->err))
                return false;
            text = arena_printf(g->a, "%s%s%s", text, k > 0 ? "," : "", value);
        }
        list[item->override_count++] = text;
    }
    item->overrides = list;
    return true;
}

static bool read_variants(struct gatherer *g, const struct yaml_node *node, struct suite_item *item)
{
    if (!node)
        return true;
    if (!yaml_expect(node, YAML_LIST, "'variants'", g->err))
        return false;
    item->variants = ARENA_ARRAY(g->a, const char *, node->count + 1);
    for (size_t i = 0; i < node->count; i++)
        if (!yaml_string(node->items[i], "a variant's name", &item->variants[item->variant_count++],
                         g->err))
            return false;
    return true;
}

static bool read_item(struct gatherer *g, const struct yaml_node *node, const char *folder)
{
    static const char *const keys[] = {"path", "params", "variants"};
    struct suite_item item = {0};
    const char *path;
    bool map = node->kind == YAML_MAP;
    if (map &&
        (!yaml_check_keys(node, "an experiment of the suite", keys, COUNT_OF(keys), g->err) ||
         !read_params(g, yaml_get(node, "params"), &item) ||
         !read_variants(g, yaml_get(node, "variants"), &item)))
        return false;
    const struct yaml_node *named = map ? yaml_get(node, "path") : node;
    if (!named)
        return fail(g->err, node->at, "'path' is missing: the experiment's folder");
    if (!yaml_string(named, "the experiment's path", &path, g->err))
        return false;
    // A name without a slash that is no folder beside the file is a shipped experiment's.
    item.path = path_join(g->a, folder, path);
    if (!strchr(path, '/') && !file_exists(item.path))
        item.path = path;
    VEC_PUSH(g->items, g->count, g->capacity, item);
    return true;
}

static bool read_suite(struct gatherer *g, const char *file, const char *text, size_t size_bytes)
{
    static const char *const keys[] = {"suite", "experiments"};
    struct yaml_node *root = NULL;
    if (!yaml_parse(g->a, file, text, size_bytes, &root, g->err) ||
        !yaml_expect(root, YAML_MAP, "the suite", g->err) ||
        !yaml_check_keys(root, "the suite", keys, COUNT_OF(keys), g->err))
        return false;
    const struct yaml_node *name = yaml_get(root, "suite"), *list = yaml_get(root, "experiments");
    const char *folder = path_dir(g->a, file);
    if (!name || !list)
        return fail(g->err, root->at, "'%s' is missing",
                    name ? "experiments: [...]" : "suite: NAME");
    if (!yaml_string(name, "'suite'", &g->suite->name, g->err) ||
        !yaml_expect(list, YAML_LIST, "'experiments'", g->err))
        return false;
    if (!*g->suite->name || strpbrk(g->suite->name, ":/\n"))
        return fail(g->err, name->at, "'suite' must be a name without ':', '/' or line break");
    if (list->count == 0)
        return fail(g->err, list->at, "the suite has no experiments");
    g->suite->folder = folder;
    for (size_t i = 0; i < list->count; i++)
        if (!read_item(g, list->items[i], folder))
            return false;
    return true;
}

static void gathered(struct gatherer *g)
{
    struct suite_item *kept = ARENA_ARRAY(g->a, struct suite_item, g->count + 1);
    for (size_t i = 0; i < g->count; i++)
        kept[i] = g->items[i];
    free(g->items);
    g->suite->items = kept;
    g->suite->count = (int)g->count;
}

bool suite_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                 struct suite *out, struct error *err)
{
    struct gatherer g = {.a = a, .suite = out, .err = err};
    *out = (struct suite){0};
    bool done = read_suite(&g, file, text, size_bytes);
    gathered(&g);
    return done;
}

/* ---- paths ------------------------------------------------------------------------------------------- */

static bool add_suite_file(struct gatherer *g, const char *file)
{
    char *text = NULL;
    size_t size = 0;
    bool done =
        file_read(file, FILE_BYTES_MAX, &text, &size, g->err) && read_suite(g, file, text, size);
    free(text);
    return done;
}

// A YAML file whose top level says `suite:`. What cannot be read is reported by whoever opens it next.
static bool is_suite_file(struct arena *a, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    struct yaml_node *root = NULL;
    struct error ignored = {0};
    if (is_folder(path) || !file_exists(path) ||
        !file_read(path, FILE_BYTES_MAX, &text, &size, &ignored))
        return false;
    bool suite = yaml_parse(a, path, text, size, &root, &ignored) && root &&
                 root->kind == YAML_MAP && yaml_get(root, "suite");
    free(text);
    return suite;
}

static int not_hidden(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

// The experiments in a folder's folders, by name.
static bool add_folder(struct gatherer *g, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, not_hidden, alphasort);
    size_t before = g->count;
    for (int i = 0; i < count; i++) {
        struct suite_item item = {.path = path_join(g->a, folder, entries[i]->d_name)};
        if (file_exists(path_join(g->a, item.path, "experiment.yaml")))
            VEC_PUSH(g->items, g->count, g->capacity, item);
        free(entries[i]);
    }
    free(entries);
    return g->count > before ||
           fail(g->err, NOWHERE,
                "the folder '%s' holds no experiment.yaml and no suite.yaml, and no folder in it "
                "does; `ridge new NAME` makes an experiment to start from",
                folder);
}

static bool add_path(struct gatherer *g, const char *path)
{
    const char *inside = path_join(g->a, path, "suite.yaml");
    if (is_folder(path) && file_exists(inside))
        return add_suite_file(g, inside);
    if (is_folder(path) && !file_exists(path_join(g->a, path, "experiment.yaml")))
        return add_folder(g, path);
    if (is_suite_file(g->a, path))
        return add_suite_file(g, path);
    struct suite_item item = {.path = path};
    VEC_PUSH(g->items, g->count, g->capacity, item);
    return true;
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static bool open_item(struct gatherer *g, struct suite_item *item)
{
    struct case_point *cases;
    int count = 0;
    if (!experiment_load(g->a, item->path, &item->experiment, g->err) ||
        !experiment_cases(g->a, item->experiment, item->overrides, item->override_count, &cases,
                          &count, g->err))
        return false;
    item->jobs =
        count * (item->variant_count > 0 ? item->variant_count : item->experiment->variant_count);
    return true;
}

static bool open_items(struct gatherer *g)
{
    struct suite *s = g->suite;
    struct table seen = {0};
    bool done = true;
    for (int i = 0; done && i < s->count; i++) {
        struct suite_item *item = &s->items[i];
        done = open_item(g, item);
        const struct suite_item *before = done ? table_get(&seen, item->experiment->name) : NULL;
        if (before)
            done =
                fail(g->err, NOWHERE,
                     "the experiment '%s' is in the suite twice, as '%s' and '%s': name it once, "
                     "with all its cases",
                     item->experiment->name, before->path, item->path);
        if (done)
            table_set(&seen, item->experiment->name, item);
    }
    table_release(&seen);
    return done;
}

// Of "experiments/" or "." the folder's own name.
static const char *name_of(struct arena *a, const char *path)
{
    char *real = realpath(path, NULL);
    const char *name = arena_strdup(a, path_name(real ? real : path));
    free(real);
    return name;
}

bool suite_open(struct arena *a, const char *const *paths, int path_count, struct suite *out,
                struct error *err)
{
    struct gatherer g = {.a = a, .suite = out, .err = err};
    *out = (struct suite){0};
    bool done = true;
    for (int i = 0; done && i < path_count; i++)
        done = add_path(&g, paths[i]);
    gathered(&g);
    if (done && !out->folder)
        out->folder = is_folder(paths[0]) ? paths[0] : path_dir(a, paths[0]);
    if (done && !out->name)
        out->name = name_of(a, paths[0]);
    return done && open_items(&g);
}

/* ---- a part of it ---------------------------------------------------------------------------------------- */

// The variants that the pattern's part behind the colon matches are added to those kept.
static void keep_variants(struct arena *a, struct suite_item *item, const char *pattern,
                          struct suite_item *kept)
{
    const struct experiment *e = item->experiment;
    if (!kept->variants)
        kept->variants = ARENA_ARRAY(a, const char *, e->variant_count + 1);
    for (int i = 0; i < e->variant_count; i++) {
        const char *name = e->variants[i].name;
        bool allowed = item->variant_count == 0, known = false;
        for (int k = 0; k < item->variant_count; k++)
            allowed = allowed || strcmp(item->variants[k], name) == 0;
        for (int k = 0; k < kept->variant_count; k++)
            known = known || strcmp(kept->variants[k], name) == 0;
        if (allowed && !known && fnmatch(pattern, name, 0) == 0)
            kept->variants[kept->variant_count++] = name;
    }
}

// Does it match "EXPERIMENT"? Of "EXPERIMENT:VARIANT" its variants are kept.
static bool matches(struct arena *a, struct suite_item *item, const char *pattern,
                    struct suite_item *kept, bool *whole)
{
    const char *colon = strchr(pattern, ':');
    const char *name = colon ? arena_strndup(a, pattern, (size_t)(colon - pattern)) : pattern;
    if (fnmatch(name, item->experiment->name, 0) != 0)
        return false;
    if (!colon) {
        *whole = true;
        return true;
    }
    keep_variants(a, item, colon + 1, kept);
    return kept->variant_count > 0;
}

bool suite_only(struct arena *a, struct suite *s, const char *const *patterns, int count,
                struct error *err)
{
    bool *used = ARENA_ARRAY(a, bool, count + 1);
    int kept_count = 0;
    for (int i = 0; count > 0 && i < s->count; i++) {
        struct suite_item *item = &s->items[i], kept = *item;
        bool any = false, whole = false;
        int all = item->variant_count > 0 ? item->variant_count : item->experiment->variant_count;
        kept.variants = NULL;
        kept.variant_count = 0;
        for (int k = 0; k < count; k++)
            if (matches(a, item, patterns[k], &kept, &whole))
                any = used[k] = true;
        if (!any)
            continue;
        kept.partial = kept.variant_count < all;
        if (!whole)
            kept.jobs = item->jobs / all * kept.variant_count;
        s->items[kept_count++] = whole ? *item : kept;
    }
    for (int k = 0; k < count; k++)
        if (!used[k])
            return fail(err, NOWHERE,
                        "option --only: '%s' matches no experiment of the suite (a pattern is "
                        "EXPERIMENT or EXPERIMENT:VARIANT, * and ? as in the shell)",
                        patterns[k]);
    s->count = count > 0 ? kept_count : s->count;
    return true;
}

bool suite_shard(struct suite *s, const char *text, struct error *err)
{
    enum { SHARDS_MAX = 10000 };
    const char *slash = strchr(text, '/');
    char first[16] = "";
    int64_t index = 0, of = 0;
    size_t length = slash ? (size_t)(slash - text) : sizeof first;
    if (length < sizeof first)
        memcpy(first, text, length);
    if (!slash || !str_to_i64(first, &index) || !str_to_i64(slash + 1, &of) || index < 1 ||
        of < index || of > SHARDS_MAX)
        return fail(err, NOWHERE, "option --shard: '%s' is no part: 2/8 is the second of eight",
                    text);
    int kept = 0;
    for (int i = 0; i < s->count; i++)
        if (i % (int)of == (int)index - 1)
            s->items[kept++] = s->items[i];
    s->count = kept;
    return true;
}
