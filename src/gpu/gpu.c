// A chip's file (gpus/<id>.yaml): who it is in four words, then one row of gpu_fields.def a number,
// each `name: {value: 132, source: "data sheet"}`. Strict: an unknown key, a number without a source
// or a needed field left out is an error, so that no figure is ever made up by a default.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"
#include "gpu/figure.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHIP_FILE_BYTES_MAX = 1 << 20,
    IDENTITY_KEYS = 4, // name, vendor, arch, compute_capability
};

static const struct gpu_field_info FIELDS[GPU_FIELD_COUNT] = {
#define FIELD(name_, unit_, need_, meaning_) \
    [GPU_FIELD_##                            \
        name_] = {.name = #name_, .unit = (unit_), .meaning = (meaning_), .need = GPU_##need_},
#include "gpu/gpu_fields.def"
#undef FIELD
};

static const char *const KEYS[] = {
    "name",
    "vendor",
    "arch",
    "compute_capability",
#define FIELD(name_, unit_, need_, meaning_) #name_,
#include "gpu/gpu_fields.def"
#undef FIELD
};

const struct gpu_field_info *gpu_field_info(enum gpu_field f)
{
    assert((int)f >= 0 && f < GPU_FIELD_COUNT);
    return &FIELDS[f];
}

static const struct {
    const char *words;
    enum gpu_field field;
} tensor_types[TENSOR_TYPE_COUNT] = {
#define TENSOR_TYPE(name, words, field) [TENSOR_##name] = {words, GPU_FIELD_##field},
#include "gpu/tensor_types.def"
#undef TENSOR_TYPE
};

bool tensor_type_of(const char *word, enum tensor_type *out)
{
    size_t n = strlen(word);
    for (int i = 0; i < TENSOR_TYPE_COUNT; i++) {
        const char *at = tensor_types[i].words;
        for (; at != NULL; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
            if (strncmp(at, word, n) == 0 && (at[n] == ' ' || at[n] == '\0')) {
                *out = (enum tensor_type)i;
                return true;
            }
    }
    return false;
}

double tensor_rate(const struct gpu *g, const double operations[TENSOR_TYPE_COUNT],
                   const char **source)
{
    static const double per_ns = 1000; // of TFLOP/s
    double most = 0, all = 0, time_ns = 0, bf16 = g->value[tensor_types[TENSOR_BF16].field];
    *source = g->source[tensor_types[TENSOR_BF16].field];
    for (int i = 0; i < TENSOR_TYPE_COUNT; i++) {
        enum gpu_field f = tensor_types[i].field;
        bool known = !isnan(g->value[f]);
        if (!(operations[i] > 0))
            continue;
        all += operations[i];
        time_ns += operations[i] / ((known ? g->value[f] : bf16) * per_ns);
        if (known && operations[i] > most) {
            most = operations[i];
            *source = g->source[f];
        }
    }
    return all > 0 ? all / time_ns : bf16 * per_ns;
}

double gpu_get(const struct gpu *g, enum gpu_field f)
{
    assert((int)f >= 0 && f < GPU_FIELD_COUNT);
    assert(FIELDS[f].need != GPU_NEEDED || !isnan(g->value[f]));
    return g->value[f];
}

double gpu_dram_ramp_ns(const struct gpu *g, double bytes)
{
    double share = bytes / GPU(g, dram_ramp_bytes);
    return GPU(g, dram_ramp_ns) * sqrt(share > 1 ? 1 : share);
}

const char *gpu_model_name(struct arena *a, const char *device_id)
{
    enum { SHOWN = 12, CHIP_BYTES_MAX = 1 << 20 };
    struct error ignored = {0};
    char *chip = NULL, hash[33];
    size_t size = 0;
    const char *colon = strchr(device_id, ':'), *name = colon ? colon + 1 : device_id;
    const char *path = data_path(a, arena_printf(a, "gpus/%s.yaml", name), &ignored);
    if (!path || !file_read(path, CHIP_BYTES_MAX, &chip, &size, &ignored))
        size = 0;
    const struct hash_piece pieces[] = {{RIDGE_VERSION, sizeof RIDGE_VERSION},
                                        {chip ? chip : "", size}};
    hash_hex(pieces, COUNT_OF(pieces), hash);
    free(chip);
    return arena_printf(a, RIDGE_VERSION " %.*s", SHOWN, hash);
}

bool gpu_is_simulated(const struct gpu *g)
{
    return strcmp(g->vendor, "nvidia") == 0;
}

const struct gpu_words *gpu_words(const struct gpu *g)
{
    static const struct gpu_words nvidia = {"SM",    "an SM",  "scheduler", "warp",         "warps",
                                            "block", "blocks", "registers", "shared memory"};
    static const struct gpu_words cdna = {"CU",         "a CU",        "SIMD",  "wave", "waves",
                                          "work-group", "work-groups", "VGPRs", "LDS"};
    static const struct gpu_words rdna = {"WGP",        "a WGP",       "SIMD",  "wave", "waves",
                                          "work-group", "work-groups", "VGPRs", "LDS"};
    if (strcmp(g->vendor, "amd") != 0)
        return &nvidia;
    return str_starts_with(g->arch, "gfx9") ? &cdna : &rdna;
}

/* ---- one figure -------------------------------------------------------------------------------- */

static bool field_parse(const struct yaml_node *node, enum gpu_field f, struct gpu *g,
                        struct error *err)
{
    if (node->kind == YAML_SCALAR)
        return fail(err, node->at, "'%s' must be {value: %s, source: \"where it is from\"}",
                    FIELDS[f].name, node->scalar[0] ? node->scalar : "…");
    // Only what the system takes of a block's shared memory may be nothing.
    const struct figure_rule rule = {FIELDS[f].name, FIELDS[f].unit,
                                     .may_be_zero = f == GPU_FIELD_shared_reserved_bytes};
    return figure_parse(node, &rule, &g->value[f], &g->source[f], err);
}

/* ---- a file ------------------------------------------------------------------------------------- */

static bool identity_string(const struct yaml_node *root, const char *key, const char **out,
                            struct error *err)
{
    char what[64];
    (void)snprintf(what, sizeof what, "'%s'", key);
    const struct yaml_node *node = yaml_get(root, key);
    if (!node)
        return fail(err, root->at, "%s is missing", what);
    if (!yaml_string(node, what, out, err))
        return false;
    if (!(*out)[0])
        return fail(err, node->at, "%s is empty", what);
    return true;
}

// "9.0": major and minor, one or two digits each. NVIDIA's own: no other chip has one, so that conditions like
// `cc >= 9.0` do not hold there.
static bool capability_parse(const struct yaml_node *root, struct gpu *g, struct error *err)
{
    const char *text = "";
    const struct yaml_node *given = yaml_get(root, "compute_capability");
    if (strcmp(g->vendor, "nvidia") != 0) {
        if (given)
            return fail(err, given->at,
                        "'compute_capability' is of NVIDIA's chips, and 'vendor' is '%s': leave it "
                        "out",
                        g->vendor);
        return true;
    }
    if (!identity_string(root, "compute_capability", &text, err))
        return false;
    size_t major = strspn(text, "0123456789");
    size_t minor = text[major] == '.' ? strspn(text + major + 1, "0123456789") : 0;
    if (major < 1 || major > 2 || minor < 1 || minor > 2 || text[major + 1 + minor])
        return fail(err, given->at, "'compute_capability' must be like 9.0, not '%s'", text);
    g->cc_major = (int)strtol(text, NULL, 10);
    g->cc_minor = (int)strtol(text + major + 1, NULL, 10);
    return true;
}

// Compilers know sm_90 and sm_90a; of other vendors any name will do.
static bool arch_check(const struct yaml_node *root, const struct gpu *g, struct error *err)
{
    const char *number = str_starts_with(g->arch, "sm_") ? g->arch + 3 : "";
    size_t digits = strspn(number, "0123456789");
    if (!gpu_is_simulated(g) || (digits >= 2 && digits <= 3 && strlen(number) <= digits + 1))
        return true;
    return fail(err, yaml_get(root, "arch")->at, "'arch' must be like sm_90, not '%s'", g->arch);
}

// Figures that contradict each other: mistakes of typing, caught where they are made.
static bool consistency_check(const struct yaml_node *root, const struct gpu *g, struct error *err)
{
    static const struct {
        enum gpu_field small, large;
    } at_most[] = {
        {GPU_FIELD_warp_size, GPU_FIELD_max_threads_per_block},
        {GPU_FIELD_register_unit, GPU_FIELD_registers_per_sm},
        {GPU_FIELD_shared_bytes_per_block, GPU_FIELD_shared_bytes_per_sm},
        {GPU_FIELD_shared_bytes_per_sm, GPU_FIELD_l1_bytes_per_sm},
        {GPU_FIELD_schedulers_per_sm, GPU_FIELD_max_warps_per_sm},
        {GPU_FIELD_l2_bytes, GPU_FIELD_dram_bytes},
    };
    for (size_t i = 0; i < COUNT_OF(at_most); i++) {
        bool unified = strcmp(g->vendor, "amd") != 0; // AMD's L1 is apart from the LDS
        if (at_most[i].large == GPU_FIELD_l1_bytes_per_sm && !unified)
            continue;
        const char *small = FIELDS[at_most[i].small].name, *large = FIELDS[at_most[i].large].name;
        if (g->value[at_most[i].small] > g->value[at_most[i].large])
            return fail(err, yaml_get(root, small)->at, "'%s' (%.0f) is more than '%s' (%.0f)",
                        small, g->value[at_most[i].small], large, g->value[at_most[i].large]);
    }
    return true;
}

bool gpu_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
               struct gpu **out, struct error *err)
{
    struct yaml_node *root = NULL;
    if (!yaml_parse(a, file, text, size_bytes, &root, err) ||
        !yaml_check_keys(root, "a chip's file", KEYS, COUNT_OF(KEYS), err))
        return false;
    struct gpu *g = ARENA_NEW(a, struct gpu);
    g->id = figures_id(a, file);
    if (!identity_string(root, "name", &g->name, err) ||
        !identity_string(root, "vendor", &g->vendor, err) ||
        !identity_string(root, "arch", &g->arch, err) || !arch_check(root, g, err) ||
        !capability_parse(root, g, err))
        return false;
    for (int f = 0; f < GPU_FIELD_COUNT; f++) {
        const struct yaml_node *node = yaml_get(root, FIELDS[f].name);
        g->value[f] = (double)NAN;
        if (node) {
            if (!field_parse(node, (enum gpu_field)f, g, err))
                return false;
        } else if (FIELDS[f].need == GPU_NEEDED ||
                   (FIELDS[f].need == GPU_SIMULATED && gpu_is_simulated(g))) {
            return fail(err, root->at, "'%s' is missing: %s", FIELDS[f].name, FIELDS[f].meaning);
        }
    }
    if (!consistency_check(root, g, err))
        return false;
    *out = g;
    return true;
}

/* ---- the folder of chips ------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool gpu_list(struct arena *a, const char *const **ids, struct error *err)
{
    const char *folder = data_path(a, "gpus", err);
    if (!folder)
        return false;
    DIR *dir = opendir(folder);
    if (!dir)
        return fail_errno(err, errno, "cannot read the folder '%s'", folder);
    const char **found = NULL;
    size_t count = 0, capacity = 0;
    // readdir of a stream of our own is safe between threads (POSIX.1-2024).
    for (struct dirent *entry; (entry = readdir(dir));) // NOLINT(concurrency-mt-unsafe)
        if (entry->d_name[0] != '.' && str_ends_with(entry->d_name, FIGURES_SUFFIX))
            VEC_PUSH(found, count, capacity, figures_id(a, entry->d_name));
    (void)closedir(dir);
    if (count)
        qsort(found, count, sizeof *found, by_name);
    const char **list = ARENA_ARRAY(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        list[i] = found[i];
    free(found);
    *ids = list;
    return true;
}

static bool fail_unknown_chip(const char *id, const char *const *ids, struct error *err)
{
    size_t count = 0;
    struct text known = {0};
    for (; ids[count]; count++)
        text_printf(&known, "%s%s", count ? ", " : "", ids[count]);
    const char *nearest = str_nearest(id, ids, count);
    if (nearest)
        fail(err, NOWHERE, "unknown chip '%s' (did you mean '%s'?); known: %s", id, nearest,
             text_str(&known));
    else
        fail(err, NOWHERE, "unknown chip '%s'; known: %s", id, text_str(&known));
    text_release(&known);
    return false;
}

bool gpu_load(struct arena *a, const char *id, struct gpu **out, struct error *err)
{
    static const char *const none[] = {NULL};
    const char *const *ids = none;
    if (!gpu_list(a, &ids, err))
        return false;
    const char *const *at = ids;
    while (*at && strcmp(*at, id) != 0)
        at++;
    if (!*at)
        return fail_unknown_chip(id, ids, err);
    char *folder = data_path(a, "gpus", err);
    if (!folder)
        return false;
    const char *path = path_join(a, folder, arena_printf(a, "%s" FIGURES_SUFFIX, id));
    char *data = NULL;
    size_t size_bytes = 0;
    if (!file_read(path, CHIP_FILE_BYTES_MAX, &data, &size_bytes, err))
        return false;
    bool ok = gpu_parse(a, path, data, size_bytes, out, err);
    free(data);
    return ok;
}

// Letters and digits only, in lower case: "NVIDIA GeForce RTX 4090" -> "nvidiageforcertx4090".
static char *squeezed(struct arena *a, const char *name)
{
    char *out = arena_alloc(a, strlen(name) + 1);
    size_t n = 0;
    for (; *name; name++) {
        if ((*name >= '0' && *name <= '9') || (*name >= 'a' && *name <= 'z'))
            out[n++] = *name;
        else if (*name >= 'A' && *name <= 'Z')
            out[n++] = (char)(*name - 'A' + 'a');
    }
    return out;
}

bool gpu_is_named(const struct gpu *g, const char *device_name)
{
    struct arena a = {0};
    bool named = strstr(squeezed(&a, device_name), g->id) != NULL;
    arena_release(&a);
    return named;
}

bool gpu_find_by_name(struct arena *a, const char *device_name, struct gpu **out, struct error *err)
{
    const char *const *ids, *best = NULL;
    *out = NULL;
    if (!gpu_list(a, &ids, err))
        return false;
    const char *name = squeezed(a, device_name);
    for (; *ids; ids++)
        if (strstr(name, *ids) && (!best || strlen(*ids) > strlen(best)))
            best = *ids;
    return !best || gpu_load(a, best, out, err);
}
