// Roofs: what `ridge probe` measured on a device of this machine, kept as YAML in the user's data
// folder, one file per device and driver, and put in the place of its chip's figures from then on:
//     device: "NVIDIA H200"
//     driver: "CUDA 13.0"
//     date: 2026-11-21T03:10:00Z
//     dram_read_gbps: 4542.13
// SPDX-License-Identifier: Apache-2.0
#include "gpu/roofs.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOFS_FILE_BYTES_MAX = 1 << 16 };
static const double value_max = 1e12;
static const double factor_max = 100; // a roof is nothing like its chip's figure: not of this chip

#define ROOF_FIELD(name) GPU_FIELD_##name
static const struct roof_info infos[ROOF_COUNT] = {
#define ROOF(name_, unit_, field_, conversion_, factor_, kernel_, shape_, work_, cc_, meaning_) \
    [ROOF_##name_] = {.name = #name_,                                                           \
                      .unit = (unit_),                                                          \
                      .meaning = (meaning_),                                                    \
                      .field = ROOF_FIELD(field_),                                              \
                      .conversion = ROOF_##conversion_,                                         \
                      .factor = (factor_),                                                      \
                      .kernel = #kernel_,                                                       \
                      .shape = ROOF_##shape_,                                                   \
                      .work = (work_),                                                          \
                      .cc_least = (cc_)},
#include "gpu/roofs.def"
#undef ROOF
};

static const char *const keys[] = {
    "device",
    "driver",
    "date",
#define ROOF(name, unit, field, conversion, factor, kernel, shape, work, cc, meaning) #name,
#include "gpu/roofs.def"
#undef ROOF
};

const struct roof_info *roof_info(enum roof_id id)
{
    return &infos[id];
}

const char *roof_name(enum roof_id id)
{
    return infos[id].name;
}

const char *roof_unit(enum roof_id id)
{
    return infos[id].unit;
}

const char *roof_meaning(enum roof_id id)
{
    return infos[id].meaning;
}

/* ---- a roof and its chip's figure -------------------------------------------------------------------- */

double roof_units_per_ns(enum roof_id id)
{
    static const double tera_per_giga = 1000;
    return infos[id].unit[0] == 'T' ? 1 / tera_per_giga : 1;
}

// SM cycles of the whole chip in a ns.
static double cycles_per_ns(const struct gpu *g)
{
    static const double mhz_per_ghz = 1000;
    return GPU(g, sm_count) * GPU(g, clock_mhz) / mhz_per_ghz;
}

static double roof_of_figure(const struct gpu *g, enum roof_id id, double figure)
{
    const struct roof_info *r = &infos[id];
    switch (r->conversion) {
    case ROOF_LANES:
        return figure * r->factor * cycles_per_ns(g) * roof_units_per_ns(id);
    case ROOF_CYCLES:
        return r->factor / figure * cycles_per_ns(g);
    case ROOF_SAME:
    case ROOF_BESIDE:
        break;
    }
    return figure;
}

static double figure_of_roof(const struct gpu *g, enum roof_id id, double roof)
{
    const struct roof_info *r = &infos[id];
    switch (r->conversion) {
    case ROOF_LANES:
        return roof / (r->factor * cycles_per_ns(g) * roof_units_per_ns(id));
    case ROOF_CYCLES:
        return r->factor / roof * cycles_per_ns(g);
    case ROOF_SAME:
    case ROOF_BESIDE:
        break;
    }
    return roof;
}

double roof_of_chip(const struct gpu *chip, enum roof_id id)
{
    enum gpu_field f = infos[id].field;
    return f == GPU_FIELD_COUNT ? (double)NAN : roof_of_figure(chip, id, chip->value[f]);
}

const char *roof_source(const struct gpu *chip, enum roof_id id)
{
    enum gpu_field f = infos[id].field;
    return f == GPU_FIELD_COUNT ? NULL : chip->source[f];
}

static struct gpu *apply(struct arena *a, const struct gpu *chip, const struct roofs *roofs)
{
    struct gpu *g = ARENA_NEW(a, struct gpu);
    *g = *chip;
    const char *source = arena_printf(a, "measured by ridge probe, %.10s", roofs->date);
    for (int i = 0; i < ROOF_COUNT; i++) {
        const struct roof_info *r = &infos[i];
        if (r->field == GPU_FIELD_COUNT || r->conversion == ROOF_BESIDE || isnan(roofs->value[i]))
            continue;
        g->value[r->field] = figure_of_roof(chip, (enum roof_id)i, roofs->value[i]);
        g->source[r->field] = source;
    }
    return g;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

// "NVIDIA H200, CUDA 13.0" -> roofs/nvidia-h200-cuda-13-0.yaml
const char *roofs_path(struct arena *a, const char *device, const char *driver)
{
    char *name = arena_printf(a, "%s %s", device, driver);
    size_t n = 0;
    for (const char *c = name; *c; c++) {
        if (isalnum((unsigned char)*c))
            name[n++] = (char)tolower((unsigned char)*c);
        else if (n > 0 && name[n - 1] != '-')
            name[n++] = '-';
    }
    name[n] = '\0';
    return user_data_path(a, arena_printf(a, "roofs/%s.yaml", name));
}

static void add_quoted(struct text *out, const char *key, const char *value)
{
    text_printf(out, "%s: \"", key);
    for (; *value; value++)
        if (*value != '"' && *value != '\\' && (unsigned char)*value >= ' ')
            text_addn(out, value, 1);
    text_add(out, "\"\n");
}

bool roofs_write(struct arena *a, const struct roofs *roofs, const char **path, struct error *err)
{
    struct text t = {0};
    *path = roofs_path(a, roofs->device, roofs->driver);
    text_add(&t,
             "# Measured by `ridge probe`, which writes it anew; without this file the chip's own "
             "figures hold.\n");
    add_quoted(&t, "device", roofs->device);
    add_quoted(&t, "driver", roofs->driver);
    add_quoted(&t, "date", roofs->date);
    for (int i = 0; i < ROOF_COUNT; i++)
        if (!isnan(roofs->value[i]))
            text_printf(&t, "%s: %.6g\n", infos[i].name, roofs->value[i]);
    bool done = dir_make(path_dir(a, *path), err) && file_write(*path, t.data, t.length, err);
    text_release(&t);
    return done;
}

static bool identity(const struct yaml_node *root, const char *key, const char **out,
                     struct error *err)
{
    const struct yaml_node *node = yaml_get(root, key);
    if (!node)
        return fail(err, root->at, "'%s' is missing", key);
    return yaml_string(node, key, out, err);
}

bool roofs_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                 struct roofs *out, struct error *err)
{
    struct yaml_node *root = NULL;
    if (!yaml_parse(a, file, text, size_bytes, &root, err) ||
        !yaml_check_keys(root, "a file of roofs", keys, COUNT_OF(keys), err) ||
        !identity(root, "device", &out->device, err) ||
        !identity(root, "driver", &out->driver, err) || !identity(root, "date", &out->date, err))
        return false;
    for (int i = 0; i < ROOF_COUNT; i++) {
        const struct yaml_node *node = yaml_get(root, infos[i].name);
        out->value[i] = (double)NAN;
        if (!node)
            continue;
        if (!yaml_double(node, infos[i].name, &out->value[i], err))
            return false;
        if (!(out->value[i] > 0) || out->value[i] > value_max)
            return fail(err, node->at, "'%s' must be more than zero and at most %g, not '%s'",
                        infos[i].name, value_max, node->scalar);
    }
    return true;
}

// Roofs that are nothing like the chip's own figures are another chip's, or a broken file's.
static bool is_plausible(const struct roofs *roofs, const struct gpu *chip, const char *path,
                         struct error *err)
{
    const struct location at = {.file = path};
    for (int i = 0; i < ROOF_COUNT; i++) {
        double own = roof_of_chip(chip, (enum roof_id)i), ratio = roofs->value[i] / own;
        if (isfinite(ratio) && (ratio > factor_max || ratio < 1 / factor_max))
            return fail(err, at, "'%s' is %g %s, but its chip has about %g", infos[i].name,
                        roofs->value[i], infos[i].unit, own);
    }
    return true;
}

static bool is_of(const struct roofs *roofs, const struct gpu *chip, const char *device_name,
                  const char *driver, const char *path, struct error *err)
{
    const struct location at = {.file = path};
    if (strcmp(roofs->device, device_name) != 0 || strcmp(roofs->driver, driver) != 0)
        return fail(err, at, "these are the roofs of %s with %s", roofs->device, roofs->driver);
    return is_plausible(roofs, chip, path, err);
}

static bool roofs_read(struct arena *a, const char *path, struct roofs *out, struct error *err)
{
    char *text = NULL;
    size_t size_bytes = 0;
    bool done = file_read(path, ROOFS_FILE_BYTES_MAX, &text, &size_bytes, err) &&
                roofs_parse(a, path, text, size_bytes, out, err);
    free(text);
    return done;
}

const struct gpu *roofs_of_device(struct arena *a, const struct gpu *chip, const char *device_name,
                                  const char *driver, const char *id, const char **warning)
{
    const char *path = roofs_path(a, device_name, driver);
    struct roofs roofs = {0};
    struct error err = {0};
    if (!file_exists(path))
        return chip;
    if (roofs_read(a, path, &roofs, &err) && is_of(&roofs, chip, device_name, driver, path, &err))
        return apply(a, chip, &roofs);
    *warning = arena_printf(
        a, "%.*s; the measured roofs of %s are ignored: `ridge probe` measures them anew",
        (int)strcspn(err.message, "\n"), err.message, id);
    return chip;
}

const struct gpu *roofs_known(struct arena *a, const struct gpu *chip, const char *device_name)
{
    const char *folder = user_data_path(a, "roofs");
    const struct gpu *found = chip;
    const char *newest = "";
    DIR *dir = folder ? opendir(folder) : NULL;
    if (!dir)
        return chip;
    // readdir of a stream of our own is safe between threads (POSIX.1-2024).
    for (struct dirent *entry; (entry = readdir(dir));) { // NOLINT(concurrency-mt-unsafe)
        struct roofs roofs = {0};
        struct error unusable = {0}; // `ridge devices` reports files that are broken
        const char *path = path_join(a, folder, entry->d_name);
        if (!str_ends_with(entry->d_name, ".yaml") || !roofs_read(a, path, &roofs, &unusable))
            continue;
        bool same =
            device_name ? strcmp(roofs.device, device_name) == 0 : gpu_is_named(chip, roofs.device);
        if (!same || strcmp(roofs.date, newest) <= 0 ||
            !is_plausible(&roofs, chip, path, &unusable))
            continue;
        newest = roofs.date;
        found = apply(a, chip, &roofs);
    }
    (void)closedir(dir);
    return found;
}
