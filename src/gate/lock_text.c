// ridge.lock as text: a head of `key value` lines, then experiment, case and variant, a figure per line,
// so that a review's diff shows what moved. Lines of source are named by their text, not their number: an
// edit above them changes nothing here.
// SPDX-License-Identifier: Apache-2.0
#include "gate/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, WORD_BYTES = 32 };

const struct lock_row lock_rows[LOCK_FIGURE_COUNT] = {
#define LOCK(id, name, unit, counters, of_line, increase) {name, unit, increase},
#include "gate/lock.def"
#undef LOCK
};

const char *lock_figure_name(enum lock_figure f)
{
    return lock_rows[f].name;
}

const char *lock_figure_increase(enum lock_figure f)
{
    return lock_rows[f].increase;
}

static const char banner[] =
    "# What these kernels do on the simulated GPU. `ridge gate` fails where a figure grows;\n"
    "# `ridge gate --update` writes this file anew. Commit it and review its changes.\n"
    "# A `line` has the figures of lines of source with that text: instructions, global sectors,\n"
    "# conflicts, divergent branches.\n";

/* ---- writing ---------------------------------------------------------------------------------------- */

static bool same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static void write_line(const struct lock_line *l, struct text *out)
{
    text_add(out, "      line");
    for (int f = 0; f < LOCK_LINE_FIGURES; f++)
        text_printf(out, " %.0f", l->value[f]);
    text_printf(out, " | %s\n", l->text);
}

static void write_entry(const struct lock_entry *e, struct text *out)
{
    text_printf(out, "    variant %s\n", e->variant);
    for (int f = 0; f < LOCK_FIGURE_COUNT; f++)
        if (isfinite(e->value[f]))
            text_printf(out, "      %s %.15g\n", lock_rows[f].name, e->value[f]);
    if (isfinite(e->time_ns))
        text_printf(out, "      time_ns %.1f\n", e->time_ns);
    for (int i = 0; i < e->line_count; i++)
        write_line(&e->lines[i], out);
}

void lock_write(const struct lock *l, struct text *out)
{
    text_add(out, banner);
    text_printf(
        out, "version %d\ndevice %s\ncompiler %s\nregister_counts %s\nmodel %s\nseed %" PRIu64 "\n",
        VERSION, l->device, l->compiler, l->registers, l->model, l->seed);
    for (int i = 0; i < l->count; i++) {
        const struct lock_entry *e = &l->entries[i], *before = i > 0 ? e - 1 : NULL;
        bool same_experiment = before && same(before->experiment, e->experiment);
        if (!same_experiment)
            text_printf(out, "\nexperiment %s\n", e->experiment);
        if (!same_experiment || !same(before->case_label, e->case_label))
            text_printf(out, "  case%s%s\n", *e->case_label ? " " : "", e->case_label);
        write_entry(e, out);
    }
}

/* ---- reading ------------------------------------------------------------------------------------------ */

struct reader {
    struct arena *a;
    struct lock *lock;
    struct location at;
    const char *experiment, *case_label;
    bool has_version;
    struct lock_entry *entries; // malloc'ed while they grow
    size_t count, capacity;
    struct lock_line *lines; // of the newest entry
    size_t line_count, line_capacity;
    struct error *err;
};

static void entry_close(struct reader *r)
{
    if (r->count == 0)
        return;
    struct lock_entry *e = &r->entries[r->count - 1];
    e->lines = ARENA_ARRAY(r->a, struct lock_line, r->line_count + 1);
    e->line_count = (int)r->line_count;
    for (size_t i = 0; i < r->line_count; i++)
        e->lines[i] = r->lines[i];
    r->line_count = 0;
}

static bool entry_open(struct reader *r, const char *variant)
{
    if (!r->experiment || !r->case_label)
        return fail(r->err, r->at, "'variant' stands before its 'experiment' and 'case'");
    entry_close(r);
    struct lock_entry e = {.experiment = r->experiment,
                           .case_label = r->case_label,
                           .variant = variant,
                           .time_ns = (double)NAN};
    for (int f = 0; f < LOCK_FIGURE_COUNT; f++)
        e.value[f] = (double)NAN;
    for (size_t i = 0; i < r->count; i++)
        if (same(r->entries[i].experiment, e.experiment) &&
            same(r->entries[i].case_label, e.case_label) && same(r->entries[i].variant, variant))
            return fail(r->err, r->at, "'%s' of this case is here twice", variant);
    VEC_PUSH(r->entries, r->count, r->capacity, e);
    return true;
}

static bool read_number(const struct reader *r, const char *text, double *out)
{
    return (str_to_double(text, out) && *out >= 0 && isfinite(*out)) ||
           fail(r->err, r->at, "'%s' is not a figure", text);
}

// "line 1 2 3 4 | text of the source".
static bool read_line(struct reader *r, const char *rest)
{
    struct lock_line line = {0};
    const char *bar = strstr(rest, "| ");
    if (r->count == 0 || !bar)
        return fail(r->err, r->at, "a 'line' belongs to a variant and reads: line FIGURES | TEXT");
    const char *c = rest;
    for (int f = 0; f < LOCK_LINE_FIGURES; f++) {
        size_t length = strcspn(c, " ");
        if (c >= bar || !read_number(r, arena_strndup(r->a, c, length), &line.value[f]))
            return fail(r->err, r->at, "a 'line' has %d figures before its text",
                        LOCK_LINE_FIGURES);
        c += length + strspn(c + length, " ");
    }
    if (c != bar)
        return fail(r->err, r->at, "a 'line' has %d figures before its text", LOCK_LINE_FIGURES);
    line.text = arena_strdup(r->a, bar + 2);
    VEC_PUSH(r->lines, r->line_count, r->line_capacity, line);
    return true;
}

static bool read_figure(struct reader *r, const char *word, const char *rest)
{
    const char *names[LOCK_FIGURE_COUNT + 1];
    struct lock_entry *e = r->count > 0 ? &r->entries[r->count - 1] : NULL;
    for (int f = 0; f < LOCK_FIGURE_COUNT; f++) {
        names[f] = lock_rows[f].name;
        if (e && strcmp(word, names[f]) == 0)
            return read_number(r, rest, &e->value[f]);
    }
    if (e && strcmp(word, "time_ns") == 0)
        return read_number(r, rest, &e->time_ns);
    names[LOCK_FIGURE_COUNT] = "time_ns";
    const char *near = str_nearest(word, names, COUNT_OF(names));
    return fail(r->err, r->at,
                "'%s' is unknown here%s%s%s; `ridge gate --update` writes the file anew", word,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

static bool read_version(struct reader *r, const char *rest)
{
    int64_t version;
    if (!str_to_i64(rest, &version) || version < 1)
        return fail(r->err, r->at, "'%s' is no version", rest);
    if (version > VERSION)
        return fail(r->err, r->at, "version %s was written by a newer ridge: use that one", rest);
    r->has_version = true;
    return true;
}

static bool read_head(struct reader *r, const char *word, const char *rest, bool *known)
{
    const struct {
        const char *word, **to;
    } texts[] = {{"device", &r->lock->device},
                 {"compiler", &r->lock->compiler},
                 {"register_counts", &r->lock->registers},
                 {"model", &r->lock->model}};
    int64_t seed;
    *known = true;
    if (strcmp(word, "version") == 0)
        return read_version(r, rest);
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (strcmp(word, texts[i].word) == 0) {
            *texts[i].to = arena_strdup(r->a, rest);
            return *rest || fail(r->err, r->at, "'%s' has no value", word);
        }
    if (strcmp(word, "seed") == 0) {
        if (!str_to_i64(rest, &seed) || seed < 0)
            return fail(r->err, r->at, "'%s' is no seed", rest);
        r->lock->seed = (uint64_t)seed;
        return true;
    }
    *known = false;
    return true;
}

static bool read_row(struct reader *r, char *row)
{
    char *word = row + strspn(row, " ");
    if (*word == '\0' || *word == '#')
        return true;
    size_t length = strcspn(word, " ");
    const char *rest = word + length + strspn(word + length, " ");
    word[length] = '\0';
    bool known = true;
    if (!r->experiment) { // the head comes first
        if (!read_head(r, word, rest, &known) || known)
            return r->err->kind == ERROR_NONE;
    }
    if (strcmp(word, "experiment") == 0) {
        r->experiment = arena_strdup(r->a, rest);
        r->case_label = NULL;
        return *rest || fail(r->err, r->at, "'experiment' has no name");
    }
    if (strcmp(word, "case") == 0) {
        r->case_label = arena_strdup(r->a, rest);
        return true;
    }
    if (strcmp(word, "variant") == 0)
        return entry_open(r, arena_strdup(r->a, rest));
    return strcmp(word, "line") == 0 ? read_line(r, rest) : read_figure(r, word, rest);
}

static bool head_is_whole(struct reader *r)
{
    const struct lock *l = r->lock;
    const char *missing = !r->has_version ? "version"
                          : !l->device    ? "device"
                          : !l->compiler  ? "compiler"
                          : !l->registers ? "register_counts"
                          : !l->model     ? "model"
                                          : NULL;
    return !missing || fail(r->err, (struct location){.file = r->at.file},
                            "'%s' is missing: this is no ridge.lock, or only a part of one; `ridge "
                            "gate --update` writes it anew",
                            missing);
}

bool lock_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                struct lock *out, struct error *err)
{
    struct reader r = {.a = a, .lock = out, .at = {.file = arena_strdup(a, file)}, .err = err};
    *out = (struct lock){0};
    error_clear(err);
    bool done = memchr(text, '\0', size_bytes) == NULL ||
                fail(err, r.at, "this is no text: it holds bytes of value 0");
    char *copy = arena_strndup(a, text, size_bytes);
    for (char *row = copy; done && *row;) {
        char *end = row + strcspn(row, "\n");
        bool last = *end == '\0';
        *end = '\0';
        r.at.line++;
        if (end > row && end[-1] == '\r')
            end[-1] = '\0';
        done = read_row(&r, row);
        row = last ? end : end + 1;
    }
    entry_close(&r);
    out->entries = ARENA_ARRAY(a, struct lock_entry, r.count + 1);
    out->count = (int)r.count;
    for (size_t i = 0; i < r.count; i++)
        out->entries[i] = r.entries[i];
    free(r.entries);
    free(r.lines);
    return done && head_is_whole(&r);
}
