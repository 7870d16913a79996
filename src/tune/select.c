// Which entry of the tuned table holds for a size on a device: current ones, the nearest case, the least time.
// SPDX-License-Identifier: Apache-2.0
#include "tune/table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

const char *tuned_choices_text(struct arena *a, const struct tuned_entry *e)
{
    const char *out = "";
    for (int i = 0; i < e->choice_count; i++)
        out = arena_printf(a, "%s%s%s=%s", out, i > 0 ? " " : "", e->choices[i].name,
                           e->choices[i].value);
    return out;
}

const char *tuned_sizes_text(struct arena *a, const struct tuned_entry *e)
{
    const char *out = "";
    for (int i = 0; i < e->size_count; i++)
        out = arena_printf(a, "%s%s%s=%.15g", out, i > 0 ? " " : "", e->sizes[i].name,
                           e->sizes[i].value);
    return out;
}

/* ---- current, or stale ----------------------------------------------------------------------------- */

// "CUDA 13.0" and "CUDA 13.1" are as good as each other; of a simulated device the model must be the same.
static bool same_platform(const char *x, const char *y)
{
    bool driver = str_starts_with(x, "CUDA ");
    size_t n = driver ? strcspn(x, ".") : strlen(x);
    return strncmp(x, y, n) == 0 && (y[n] == '\0' || (driver && y[n] == '.'));
}

enum stale {
    CURRENT,
    OTHER_SOURCE,
    OTHER_DRIVER,
    OTHER_CHIP,
    OTHER_SIZES,
    OTHER_OBJECTIVE,
    STALE_COUNT
};

static double size_of(const struct tuned_entry *e, const char *name)
{
    for (int i = 0; i < e->size_count; i++)
        if (strcmp(e->sizes[i].name, name) == 0)
            return e->sizes[i].value;
    return (double)NAN;
}

static bool is_same(double x, double y)
{
    return !(x < y) && !(x > y) && !isnan(x) && !isnan(y);
}

// INFINITY: the sizes cannot be held against each other.
static double octaves(const struct tuned_entry *e, const struct tuned_query *q)
{
    double sum = e->size_count == q->size_count ? 0 : (double)INFINITY;
    for (int i = 0; i < q->size_count; i++) {
        double x = q->sizes[i].value, y = size_of(e, q->sizes[i].name);
        sum += is_same(x, y) ? 0 : x > 0 && y > 0 ? fabs(log2(x / y)) : (double)INFINITY;
    }
    return sum;
}

static enum stale stale_of(const struct tuned_entry *e, const struct tuned_query *q)
{
    if (strcmp(e->device, q->device) != 0)
        return OTHER_CHIP;
    if (!same_platform(e->platform, q->platform))
        return OTHER_DRIVER;
    if (*e->source == '\0' || strcmp(e->source, q->source) != 0)
        return OTHER_SOURCE;
    if (!isfinite(octaves(e, q)))
        return OTHER_SIZES;
    return e->objective == q->objective ? CURRENT : OTHER_OBJECTIVE;
}

/* ---- the choice -------------------------------------------------------------------------------------- */

static double cost_of(const struct tuned_entry *e)
{
    const struct evaluation x = {
        .outcome = OUTCOME_CORRECT, .time_ns = e->time_ns, .energy_mj = e->energy_mj};
    return evaluation_cost(&x, e->objective);
}

// Nearer; else of the smaller case; else better by the objective; else first by its name, so that the table's order does not matter.
static bool is_better(const struct tuned_entry *x, const struct tuned_entry *y,
                      const struct tuned_query *q)
{
    double dx = octaves(x, q), dy = octaves(y, q);
    if (dx < dy || dx > dy)
        return dx < dy;
    for (int i = 0; i < q->size_count; i++) {
        double a = size_of(x, q->sizes[i].name), b = size_of(y, q->sizes[i].name);
        if (a < b || a > b)
            return a < b;
    }
    double cost_x = cost_of(x), cost_y = cost_of(y);
    if (cost_x < cost_y || cost_x > cost_y)
        return cost_x < cost_y;
    return strcmp(x->variant, y->variant) < 0;
}

static const char *why_of(struct arena *a, const struct tuned_query *q,
                          const int counts[STALE_COUNT])
{
    static const char *const words[STALE_COUNT] = {[OTHER_SOURCE] = "of another source",
                                                   [OTHER_DRIVER] = "of another driver or model",
                                                   [OTHER_CHIP] = "of another chip",
                                                   [OTHER_SIZES] =
                                                       "of sizes that cannot be compared",
                                                   [OTHER_OBJECTIVE] = "of another objective"};
    const char *out = "";
    for (int i = CURRENT + 1; i < STALE_COUNT; i++)
        if (counts[i] > 0 &&
            !(i == OTHER_OBJECTIVE && counts[CURRENT] > 0)) // those are no worse for it
            out = arena_printf(a, "%s%s%d %s", out, *out ? ", " : "", counts[i], words[i]);
    if (counts[CURRENT] > 0)
        return *out ? arena_printf(a, "not used: %s", out) : "";
    return *out ? arena_printf(a, "no current entry of %s: %s", q->experiment, out)
                : arena_printf(a, "the tuned table has no entry of %s: `ridge tune` makes them",
                               q->experiment);
}

void tuned_select(struct arena *a, const struct tuned_table *t, const struct tuned_query *q,
                  struct tuned_answer *out)
{
    int counts[STALE_COUNT] = {0};
    *out = (struct tuned_answer){0};
    for (int i = 0; i < t->count; i++) {
        const struct tuned_entry *e = &t->entries[i];
        if (strcmp(e->experiment, q->experiment) != 0 ||
            (q->variant && strcmp(e->variant, q->variant) != 0))
            continue;
        enum stale stale = stale_of(e, q);
        counts[stale]++;
        if (stale == CURRENT && (!out->entry || is_better(e, out->entry, q)))
            out->entry = e;
    }
    out->octaves = out->entry ? octaves(out->entry, q) : (double)NAN;
    out->why = why_of(a, q, counts);
}

/* ---- a C header -------------------------------------------------------------------------------------- */

static void add_identifier(struct text *out, const char *s)
{
    for (; *s; s++) {
        char c = isalnum((unsigned char)*s) ? (char)toupper((unsigned char)*s) : '_';
        text_addn(out, &c, 1);
    }
}

static void add_string(struct text *out, const char *s)
{
    text_add(out, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\')
            text_printf(out, "\\%c", *s);
        else if ((unsigned char)*s < ' ')
            text_printf(out, "\\%03o", (unsigned)(unsigned char)*s);
        else
            text_addn(out, s, 1);
    text_add(out, "\"");
}

static void add_macros(const struct tuned_entry *e, struct text *out)
{
    struct arena a = {0};
    for (int i = 0; i < e->choice_count; i++) {
        const char *by = e->objective == OBJECTIVE_TIME
                             ? ""
                             : arena_printf(&a, "_by_%s", objective_name(e->objective));
        text_add(out, "#define RIDGE_TUNED_");
        add_identifier(out,
                       arena_printf(&a, "%s_%s_%s_%s%s_%s", e->experiment, e->variant, e->device,
                                    tuned_sizes_text(&a, e), by, e->choices[i].name));
        text_printf(out, " %s\n", e->choices[i].value);
    }
    arena_release(&a);
}

void tuned_header(const struct tuned_table *t, struct text *out)
{
    struct arena a = {0};
    text_add(
        out,
        "/* Made by `ridge tuned --header`: what `ridge tune` chose. A macro per choice, named\n"
        " * RIDGE_TUNED_<EXPERIMENT>_<VARIANT>_<DEVICE>_<CASE>_<AXIS> (what was tuned for energy: "
        "..._BY_ENERGY_<AXIS>),\n * and the table. It holds for the\n"
        " * source, driver and chip that stand in it, and for no others. */\n"
        "#ifndef RIDGE_TUNED_H\n#define RIDGE_TUNED_H\n\n");
    for (int i = 0; i < t->count; i++)
        add_macros(&t->entries[i], out);
    text_add(
        out,
        "\nstruct ridge_tuned {\n"
        "    const char *experiment, *variant, *sizes, *choices; /* \"N=1024\", \"TILE=32\" */\n"
        "    const char *device, *platform, *source, *provenance, *objective;\n"
        "    double cc, time_ns;\n};\n"
        "static const struct ridge_tuned ridge_tuned[] = {\n");
    for (int i = 0; i < t->count; i++) {
        const struct tuned_entry *e = &t->entries[i];
        const char *const texts[] = {e->experiment,
                                     e->variant,
                                     tuned_sizes_text(&a, e),
                                     tuned_choices_text(&a, e),
                                     e->device,
                                     e->platform,
                                     e->source,
                                     e->provenance,
                                     objective_name(e->objective)};
        text_add(out, "    {");
        for (size_t k = 0; k < COUNT_OF(texts); k++) {
            add_string(out, texts[k]);
            text_add(out, ", ");
        }
        text_printf(out, "%.1f, %.17g},\n", e->cc, e->time_ns);
    }
    text_add(out, "    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};\n\n#endif\n");
    arena_release(&a);
}
