// A patch written down: the experiment's folder copied, the patched source beside the others, and the variant that uses
// it. Only files of the copy are written; one that is there is never replaced but the copy's own experiment file.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_BYTES_MAX = 64 << 20, FILES_MAX = 500, DEPTH_MAX = 6 };
static const char copy_mark[] = "# A copy that `ridge explain --apply` made of ";

struct copying {
    struct arena *a;
    const char *from, *to; // absolute
    bool elsewhere;        // not beside the original: paths that leave the folder are made absolute
    int files;
};

// `#include "../x.h"` as it is found from the original's folder.
static char *includes_mended(struct arena *a, const char *text, const char *directory)
{
    static const char include[] = "#include \"../";
    struct text out = {0};
    const char *at;
    while ((at = strstr(text, include)) != NULL) {
        size_t head = (size_t)(at - text) + strlen("#include \"");
        text_addn(&out, text, head);
        text_printf(&out, "%s/", directory);
        text += head;
    }
    text_add(&out, text);
    char *done = arena_strdup(a, text_str(&out));
    text_release(&out);
    return done;
}

static bool file_copy(struct copying *c, const char *from, const char *to, struct error *err)
{
    char *data = NULL;
    size_t size = 0;
    if (++c->files > FILES_MAX)
        return fail(err, NOWHERE, "'%s' has more than %d files: it is not copied", c->from,
                    FILES_MAX);
    if (!file_read(from, FILE_BYTES_MAX, &data, &size, err))
        return false;
    const char *text = data;
    bool is_text = memchr(data, '\0', size) == NULL;
    if (c->elsewhere && is_text) {
        text = includes_mended(c->a, data, path_dir(c->a, from));
        size = strlen(text);
    }
    bool done = file_write(to, text, size, err);
    free(data);
    return done;
}

static bool folder_copy(struct copying *c, const char *from, const char *to, int depth,
                        struct error *err)
{
    DIR *d = opendir(from);
    bool done = dir_make(to, err);
    if (!d || !done) {
        if (d)
            (void)closedir(d);
        return !d ? fail_as(err, ERROR_SYSTEM, NOWHERE, "%s: the folder cannot be read", from)
                  : done;
    }
    const struct dirent *entry;
    while (done && (entry = readdir(d)) != NULL) { // NOLINT(concurrency-mt-unsafe)
        struct stat s;
        char *source = path_join(c->a, from, entry->d_name),
             *target = path_join(c->a, to, entry->d_name);
        if (entry->d_name[0] == '.' || stat(source, &s) != 0)
            continue;
        if (S_ISDIR(s.st_mode) && depth < DEPTH_MAX && strcmp(source, c->to) != 0)
            done = folder_copy(c, source, target, depth + 1, err);
        else if (S_ISREG(s.st_mode))
            done = file_copy(c, source, target, err);
    }
    (void)closedir(d);
    return done;
}

/* ---- the copy's file ------------------------------------------------------------------------------------- */

static bool has_outer_path(const struct yaml_node *n)
{
    if (n->kind == YAML_SCALAR)
        return str_starts_with(n->scalar, "../");
    for (size_t i = 0; i < n->count; i++)
        if (has_outer_path(n->items[i]))
            return true;
    return false;
}

static bool yaml_of(struct arena *a, const char *path, const char **text, struct yaml_node **root,
                    struct error *err)
{
    char *data = NULL;
    size_t size = 0;
    if (!file_read(path, FILE_BYTES_MAX, &data, &size, err))
        return false;
    *text = arena_strndup(a, data, size);
    free(data);
    return yaml_parse(a, path, *text, strlen(*text), root, err);
}

// The copy's experiment file: made from the original, or that of an earlier patch.
static bool copy_open(struct copying *c, const struct experiment *e, const char **text,
                      struct yaml_node **root, struct error *err)
{
    const char *path = path_join(c->a, c->to, "experiment.yaml");
    if (!file_exists(path)) {
        struct yaml_node *own = NULL;
        if (file_exists(c->to))
            return fail(err, NOWHERE,
                        "'%s' is there, and no copy of an experiment: name another folder "
                        "with --output",
                        c->to);
        if (!yaml_parse(c->a, e->path, e->text, strlen(e->text), &own, err))
            return false;
        if (c->elsewhere && has_outer_path(own))
            return fail(err, NOWHERE,
                        "'%s' names files outside of its folder: put the copy beside it, "
                        "--output %s-advice",
                        e->path, c->from);
        char *marked = arena_printf(c->a, "%s%s\n%s", copy_mark, e->path, e->text);
        if (!folder_copy(c, c->from, c->to, 0, err) ||
            !file_write(path, marked, strlen(marked), err))
            return false;
    }
    if (!yaml_of(c->a, path, text, root, err))
        return false;
    return str_starts_with(*text, copy_mark) ||
           fail(err, NOWHERE,
                "'%s' is no copy that --apply made: name another folder with --output", c->to);
}

static const struct yaml_node *item_named(const struct yaml_node *root, const char *name)
{
    const struct yaml_node *list = yaml_get(root, "variants");
    for (size_t i = 0; list && list->kind == YAML_LIST && i < list->count; i++) {
        const struct yaml_node *n = yaml_get(list->items[i], "name");
        if (n && n->kind == YAML_SCALAR && strcmp(n->scalar, name) == 0)
            return list->items[i];
    }
    return NULL;
}

// What the patch promises, as the file's `expect`; NULL: under one percent.
static const char *promise_of(struct arena *a, const struct result *r, const struct patch *p)
{
    double time = r->time.summary.median, percent = 100 * (1 - p->expected_time_ns / time);
    bool known = r->time.provenance != PROVENANCE_ABSENT && isfinite(percent) && percent >= 1;
    return known ? arena_printf(a, "{time: -%.0f%%}", percent) : NULL;
}

static bool variant_write(struct copying *c, const struct experiment *e,
                          const struct advice *advice, const struct patch *p, struct applied *out,
                          struct error *err)
{
    const char *text = NULL, *why = NULL, *promise = promise_of(c->a, advice->result, p);
    const char *from = advice->result->variant;
    struct yaml_node *root = NULL;
    struct patch_key keys[PATCH_KEYS_MAX + 4];
    int count = 0;
    if (!copy_open(c, e, &text, &root, err))
        return false;
    out->variant = arena_printf(c->a, "%s-%s", from, p->maker);
    for (int n = 2; item_named(root, out->variant); n++)
        out->variant = arena_printf(c->a, "%s-%s-%d", from, p->maker, n);
    const struct yaml_node *of = item_named(root, from);
    if (!of)
        return fail(err, NOWHERE, "the copy in '%s' has no variant '%s'", c->to, from);
    keys[count++] = (struct patch_key){"from", from};
    const char *why_so =
        promise && p->at_most
            ? arena_printf(c->a, "%s What is expected is the most it can bring.", p->why)
            : p->why;
    keys[count++] = (struct patch_key){"hypothesis", yaml_quoted(c->a, why_so)};
    if (promise)
        keys[count++] = (struct patch_key){"expect", promise};
    if (p->source) {
        out->source = arena_printf(c->a, "%s.cu", out->variant);
        keys[count++] = (struct patch_key){"source", out->source};
    }
    for (int i = 0; i < p->key_count; i++)
        keys[count++] = p->keys[i];
    char *file = variant_insert(c->a, text, root, of, out->variant, keys, count, &why);
    if (!file)
        return fail(err, NOWHERE, "%s", why);
    const char *source = p->source ? path_join(c->a, c->to, out->source) : NULL;
    if (source && file_exists(source))
        return fail(err, NOWHERE, "'%s' is there already", source);
    const char *patched =
        p->source && c->elsewhere
            ? includes_mended(c->a, p->source, path_dir(c->a, advice->source_path))
            : p->source;
    return (!source || file_write(source, patched, strlen(patched), err)) &&
           file_write(path_join(c->a, c->to, "experiment.yaml"), file, strlen(file), err);
}

// Both folders by their real names, so that a copy within the original is not copied into itself.
static bool places_settle(struct copying *c, struct error *err)
{
    char *from = realpath(c->from, NULL), *parent = realpath(path_dir(c->a, c->to), NULL);
    if (from)
        c->from = arena_strdup(c->a, from);
    if (parent)
        c->to = path_join(c->a, arena_strdup(c->a, parent), path_name(c->to));
    c->elsewhere = !from || !parent || strcmp(path_dir(c->a, from), parent) != 0;
    bool found = from != NULL;
    free(from);
    free(parent);
    return found || fail(err, NOWHERE, "the experiment's folder '%s' is gone", c->from);
}

bool advice_apply(struct arena *a, const struct run *run, const struct experiment *e,
                  const struct advice *advice, int patch, const char *folder, struct applied *out,
                  struct error *err)
{
    const struct patch *p = &advice->patches[patch];
    struct copying c = {.a = a, .from = e->directory, .to = folder};
    struct experiment *check = NULL;
    *out = (struct applied){.folder = folder};
    if (!p->title)
        return fail(err, NOWHERE, "there is no patch '%s' of '%s': %s", p->maker,
                    advice->result->variant, p->refusal);
    if (!run_source_unchanged(run, e->path, err) ||
        !run_source_unchanged(run, advice->source_path, err))
        return error_context(err, "run the experiment again, then apply its advice");
    if (!places_settle(&c, err))
        return false;
    return variant_write(&c, e, advice, p, out, err) &&
           (experiment_load(a, folder, &check, err) ||
            error_context(err, "in the copy with the patch"));
}
