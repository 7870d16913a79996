// The names and sums of the record.
// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const double speedup_min_effect = 0.01;

/* ---- names ---------------------------------------------------------------------------------------- */

const char *resource_name(enum resource r)
{
    static const char *const names[] = {
#define RESOURCE(id, name, label) name,
#include "record/resources.def"
#undef RESOURCE
    };
    return names[r];
}

const char *resource_label(enum resource r)
{
    static const char *const labels[] = {
#define RESOURCE(id, name, label) label,
#include "record/resources.def"
#undef RESOURCE
    };
    return labels[r];
}

const char *finding_class_name(enum finding_class c)
{
    static const char *const names[] = {
#define FINDING_CLASS(id, name) name,
#include "record/classes.def"
#undef FINDING_CLASS
    };
    return names[c];
}

const char *expectation_verdict_name(enum expectation_verdict v)
{
    switch (v) {
    case EXPECTATION_HELD:
        return "held";
    case EXPECTATION_MISSED:
        return "missed";
    case EXPECTATION_OPPOSITE:
        return "opposite direction";
    case EXPECTATION_UNKNOWN:
        return "unknown";
    }
    return NULL;
}

const char *finding_price_name(enum finding_price p)
{
    static const char *const names[] = {
        [PRICE_BOUNDS] = "bounds", [PRICE_REPLAY] = "replay", [PRICE_PATCH] = "patch"};
    return names[p];
}

bool finding_price_find(const char *name, enum finding_price *out)
{
    for (int p = PRICE_BOUNDS; name && p <= PRICE_PATCH; p++)
        if (strcmp(finding_price_name((enum finding_price)p), name) == 0) {
            *out = (enum finding_price)p;
            return true;
        }
    return false;
}

static const struct {
    const char *name;
    bool usable;
} trial_rows[] = {
#define TRIAL(id, name, usable, meaning) {name, usable},
#include "record/trials.def"
#undef TRIAL
};

const char *trial_verdict_name(enum trial_verdict v)
{
    return trial_rows[v].name;
}

bool trial_usable(enum trial_verdict v)
{
    return trial_rows[v].usable;
}

/* ---- stalls --------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *sampled, *meaning;
} stall_rows[] = {
#define STALL(id, name, sampled, meaning) {name, sampled, meaning},
#include "record/stalls.def"
#undef STALL
};

const char *stall_name(enum stall s)
{
    return stall_rows[s].name;
}

const char *stall_meaning(enum stall s)
{
    return stall_rows[s].meaning;
}

bool stall_find(const char *name, enum stall *out)
{
    for (int i = 0; i < STALL_COUNT; i++)
        if (strcmp(stall_rows[i].name, name) == 0) {
            *out = (enum stall)i;
            return true;
        }
    return false;
}

bool stall_find_sampled(const char *name, enum stall *out)
{
    static const char prefix[] = "stalled_";
    const char *reason = strstr(name, prefix);
    for (int i = 0; reason && i < STALL_COUNT; i++)
        if (strcmp(stall_rows[i].sampled, reason + strlen(prefix)) == 0) {
            *out = (enum stall)i;
            return true;
        }
    return false;
}

bool stalls_known(const struct stall_table *t)
{
    for (int i = 0; i < STALL_COUNT; i++)
        if (t->warp_cycles[i].provenance != PROVENANCE_ABSENT)
            return true;
    return false;
}

double stalls_cycles(const struct stall_table *t)
{
    double all = 0;
    for (int i = 0; i < STALL_COUNT; i++)
        if (t->warp_cycles[i].provenance != PROVENANCE_ABSENT)
            all += t->warp_cycles[i].value;
    return stalls_known(t) ? all : (double)NAN;
}

enum stall stalls_most(const struct stall_table *t)
{
    int most = 0;
    for (int i = 1; i < STALL_COUNT; i++)
        if (t->warp_cycles[i].provenance != PROVENANCE_ABSENT &&
            (t->warp_cycles[most].provenance == PROVENANCE_ABSENT ||
             t->warp_cycles[i].value > t->warp_cycles[most].value))
            most = i;
    return (enum stall)most;
}

enum provenance stalls_provenance(const struct stall_table *t)
{
    enum provenance weakest = PROVENANCE_ABSENT;
    for (int i = 0; i < STALL_COUNT; i++)
        if (t->warp_cycles[i].provenance > weakest) // the enum's order
            weakest = t->warp_cycles[i].provenance;
    return weakest;
}

double stalls_share(const struct stall_table *t, enum stall s)
{
    double all = stalls_cycles(t);
    return t->warp_cycles[s].provenance != PROVENANCE_ABSENT && all > 0
               ? t->warp_cycles[s].value / all
               : (double)NAN;
}

void stalls_sum(struct stall_table *sum, const struct stall_table *more)
{
    for (int i = 0; i < STALL_COUNT; i++) {
        struct figure *s = &sum->warp_cycles[i];
        const struct figure *m = &more->warp_cycles[i];
        if (s->provenance == PROVENANCE_ABSENT || m->provenance == PROVENANCE_ABSENT) {
            *s = (struct figure){.provenance = PROVENANCE_ABSENT};
            continue;
        }
        s->value += m->value;
        if (m->provenance > s->provenance) // the weaker of the two: the enum's order
            s->provenance = m->provenance;
    }
}

static const char *const sampling_mode_names[] = {"off", "kernel", "continuous"};

const char *sampling_mode_name(enum sampling_mode m)
{
    return sampling_mode_names[m];
}

bool sampling_mode_find(const char *name, enum sampling_mode *out)
{
    for (int i = 0; i < SAMPLING_MODE_COUNT; i++)
        if (strcmp(sampling_mode_names[i], name) == 0) {
            *out = (enum sampling_mode)i;
            return true;
        }
    return false;
}

bool result_errors_any(const struct result_errors *e)
{
    bool any = false;
#define ERROR_FIGURE(name, label, column, meaning) any = any || e->name != 0;
#include "record/errors.def"
#undef ERROR_FIGURE
    return e->known && any;
}

/* ---- lines ---------------------------------------------------------------------------------------- */

int line_order(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int by_file = strcmp(x->file, y->file);
    return by_file != 0 ? by_file : (x->line > y->line) - (x->line < y->line);
}

void line_sum(struct line *sum, const struct line *more)
{
#define LINE_FIELD(name, unit, meaning) sum->name += more->name;
#include "record/line_fields.def"
#undef LINE_FIELD
    stalls_sum(&sum->stalls, &more->stalls);
}

int lines_merge(struct line *lines, int count)
{
    int kept = 0;
    qsort(lines, (size_t)count, sizeof *lines, line_order);
    for (int i = 0; i < count; i++) {
        if (kept > 0 && line_order(&lines[kept - 1], &lines[i]) == 0)
            line_sum(&lines[kept - 1], &lines[i]);
        else
            lines[kept++] = lines[i];
    }
    return kept;
}

static void stalls_take(struct stall_table *into, const struct stall_table *from)
{
    for (int i = 0; i < STALL_COUNT; i++)
        into->warp_cycles[i] =
            from ? from->warp_cycles[i] : (struct figure){0, PROVENANCE_MEASURED};
}

int lines_sampled(struct arena *a, const struct line *counted, int counted_count,
                  const struct line *sampled, int sampled_count, struct line **out)
{
    struct line *all = ARENA_ARRAY(a, struct line, counted_count + sampled_count + 1);
    int count = 0, s = 0;
    for (int i = 0; i < counted_count; i++) {
        while (s < sampled_count && line_order(&sampled[s], &counted[i]) < 0)
            all[count++] = sampled[s++];
        bool same = s < sampled_count && line_order(&sampled[s], &counted[i]) == 0;
        all[count] = counted[i];
        stalls_take(&all[count++].stalls, same ? &sampled[s++].stalls : NULL);
    }
    while (s < sampled_count)
        all[count++] = sampled[s++];
    *out = all;
    return count;
}

/* ---- two results ---------------------------------------------------------------------------------- */

static bool is_timed(const struct result *r)
{
    return r && r->status == RESULT_OK && r->time.provenance != PROVENANCE_ABSENT &&
           r->time.summary.count > 0;
}

void result_compare(const struct result *base, struct result *fresh)
{
    fresh->speedup = (struct speedup){0};
    // Times of different origin (a clock's, a model's) are not compared.
    if (!is_timed(base) || !is_timed(fresh) || base->time.provenance != fresh->time.provenance)
        return;
    fresh->speedup.valid = true;
    fresh->speedup.versus = base->variant;
    fresh->speedup.comparison =
        stats_compare(base->time.samples_ns, base->time.summary.count, fresh->time.samples_ns,
                      fresh->time.summary.count, speedup_min_effect);
}

size_t samples_independent(const struct time_result *time, const struct conditions *c, double *out)
{
    size_t count = time->summary.count, blocks = 0;
    for (int i = 0; i < c->chip_count; i++) {
        size_t first = c->chip[i].sample;
        size_t end = i + 1 < c->chip_count ? c->chip[i + 1].sample : count;
        if (first < end && end <= count) // none of a block that was set aside are among them
            out[blocks++] = stats_quantile(&time->samples_ns[first], end - first, 0.5);
    }
    if (blocks == 0)
        memcpy(out, time->samples_ns, sizeof *out * count);
    return blocks > 0 ? blocks : count;
}

/* ---- sources ---------------------------------------------------------------------------------------- */

// The experiment's path may be its folder or its YAML file.
const char *run_source_path(struct arena *a, const struct run_header *h, const char *file)
{
    const char *path = h->experiment_path;
    if (!path)
        return path_join(a, ".", file);
    bool yaml = str_ends_with(path, ".yaml") || str_ends_with(path, ".yml");
    return path_join(a, yaml ? path_dir(a, path) : path, file);
}

// Of "2026-11-20T21:00:00Z"; false: it is something else.
static bool seconds_of(const char *utc, time_t *out)
{
    struct tm t = {0};
    const char *end = utc ? strptime(utc, "%Y-%m-%dT%H:%M:%S", &t) : NULL;
    *out = end ? timegm(&t) : 0;
    return end && *end == 'Z';
}

static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    return strcmp(a, b) == 0 || (stat(a, &one) == 0 && stat(b, &other) == 0 &&
                                 one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

static const char *path_resolved(struct arena *a, const char *folder, const char *path)
{
    const char *there = path && path[0] != '/' ? path_join(a, folder, path) : NULL;
    return there && file_exists(there) ? there : path;
}

void run_paths_resolve(struct arena *a, struct run *r)
{
    const char *folder = r->header.folder;
    if (!folder || same_file(folder, "."))
        return;
    r->header.experiment_path = path_resolved(a, folder, r->header.experiment_path);
    for (int i = 0; i < r->source_count; i++)
        r->sources[i].path = path_resolved(a, folder, r->sources[i].path);
}

static const struct source_text *kept_source(const struct run *r, const char *path)
{
    for (int i = 0; i < r->source_count; i++)
        if (same_file(r->sources[i].path, path))
            return &r->sources[i];
    return NULL;
}

// By its text where the run has that, else by the time it was written, which counts seconds.
static bool is_unchanged(const struct run *r, const struct source_text *kept, const char *path,
                         const struct stat *file)
{
    time_t began;
    char *now = NULL;
    size_t size_bytes = 0;
    struct error ignored = {0};
    if (!kept)
        return seconds_of(r->header.started, &began) && file->st_mtime <= began;
    bool same = file_read(path, RUN_SOURCE_BYTES_MAX, &now, &size_bytes, &ignored) &&
                size_bytes == kept->size_bytes && memcmp(now, kept->text, size_bytes) == 0;
    free(now);
    return same;
}

bool run_source_unchanged(const struct run *r, const char *path, struct error *err)
{
    struct stat file;
    const struct source_text *kept = kept_source(r, path);
    if (stat(path, &file) != 0)
        return fail(err, NOWHERE,
                    "the source '%s' is not there any more, so its lines cannot be shown; restore "
                    "it or run the experiment again",
                    path);
    return is_unchanged(r, kept, path, &file) ||
           fail(err, NOWHERE,
                "the source '%s' was edited after the run began, so the counters belong to other "
                "lines%s; run the experiment again",
                path, kept ? "" : ", and the journal kept no copy");
}

const char *note_join(struct arena *a, const char *note, const char *text)
{
    if (!note || strstr(note, text))
        return note ? note : text;
    return arena_printf(a, "%s" NOTES_BETWEEN "%s", note, text);
}

bool run_source_read(struct arena *a, const struct run *r, const char *path, const char **text,
                     size_t *size_bytes, struct error *err)
{
    const struct source_text *kept = kept_source(r, path);
    char *read = NULL;
    if (kept) {
        *text = kept->text;
        *size_bytes = kept->size_bytes;
        return true;
    }
    if (!run_source_unchanged(r, path, err) ||
        !file_read(path, RUN_SOURCE_BYTES_MAX, &read, size_bytes, err))
        return false;
    *text = arena_strndup(a, read, *size_bytes);
    free(read);
    return true;
}

const struct result *run_result(const struct run *r, const char *variant, const char *case_label)
{
    for (int i = 0; i < r->result_count; i++)
        if (strcmp(r->results[i].variant, variant) == 0 &&
            strcmp(r->results[i].case_label, case_label) == 0)
            return &r->results[i];
    return NULL;
}
