// One experiment on several devices, a run each: how the chips differ, every variant's figures below one another, and
// which variant each device is best with, as far as that is known. For a terminal, as facts, as Markdown and as JSON.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"
#include "report/sheet.h"

#include <math.h>
#include <string.h>

struct devices_view {
    struct arena arena;
    const struct run *runs;
    int count;
    const struct gpu **chips; // NULL: no file describes it
};

static struct devices_view view_of(const struct run *runs, int count)
{
    struct devices_view v = {.runs = runs, .count = count};
    v.chips = ARENA_ARRAY(&v.arena, const struct gpu *, count);
    for (int d = 0; d < count; d++) {
        struct gpu *chip = NULL;
        struct error ignored = {0};
        if (!gpu_find_by_name(&v.arena, runs[d].header.device_name, &chip, &ignored))
            chip = NULL;
        v.chips[d] = chip;
    }
    return v;
}

/* ---- the chips ------------------------------------------------------------------------------------------ */

static const struct {
    enum gpu_field field;
    const char *words;
} chip_facts[] = {
    {GPU_FIELD_warp_size, "lanes of a warp or wave"},
    {GPU_FIELD_l1_line_bytes, "bytes of a line in L1"},
    {GPU_FIELD_l2_line_bytes, "bytes of a line in L2"},
    {GPU_FIELD_shared_banks, "banks of shared memory"},
    {GPU_FIELD_shared_bytes_per_block, "bytes of shared memory (LDS) per block"},
    {GPU_FIELD_sm_count, "SMs or CUs"},
    {GPU_FIELD_l1_bytes_per_sm, "bytes of L1 in each"},
    {GPU_FIELD_l2_bytes, "bytes of L2"},
};

static double chip_fact(const struct devices_view *v, int device, size_t fact)
{
    return v->chips[device] ? v->chips[device]->value[chip_facts[fact].field] : (double)NAN;
}

static bool chips_differ(const struct devices_view *v, size_t fact)
{
    double first = chip_fact(v, 0, fact);
    for (int d = 1; d < v->count; d++) {
        double other = chip_fact(v, d, fact);
        if (isnan(first) != isnan(other) || fabs(first - other) > 0)
            return true;
    }
    return false;
}

static const char *fact_cell(struct devices_view *v, int device, size_t fact)
{
    double value = chip_fact(v, device, fact);
    return isnan(value) ? "not known" : arena_printf(&v->arena, "%.0f", value);
}

static void add_chips(struct devices_view *v, const struct report_style *style, struct text *out)
{
    _Static_assert(1 + REPORT_DEVICES_MAX <= SHEET_COLUMNS_MAX, "a column each");
    const char *titles[SHEET_COLUMNS_MAX] = {"what differs"};
    const char *alike = "";
    for (int d = 0; d < v->count; d++)
        titles[1 + d] = arena_printf(&v->arena, ">%s", v->runs[d].header.device_id);
    struct sheet t = sheet_make(&v->arena, 1 + v->count, titles, (int)COUNT_OF(chip_facts));
    for (size_t f = 0; f < COUNT_OF(chip_facts); f++) {
        if (!chips_differ(v, f)) {
            if (!isnan(chip_fact(v, 0, f)))
                alike = arena_printf(&v->arena, "%s%s%s %s", alike, *alike ? ", " : "",
                                     fact_cell(v, 0, f), chip_facts[f].words);
            continue;
        }
        const char **cells = sheet_row(&t);
        cells[0] = chip_facts[f].words;
        for (int d = 0; d < v->count; d++)
            cells[1 + d] = fact_cell(v, d, f);
    }
    if (t.count > 0)
        add_sheet(&t, style, out);
    if (*alike)
        add_sentence(style, arena_printf(&v->arena, "Alike: %s.", alike), out);
}

/* ---- a variant's figures -------------------------------------------------------------------------------- */

static double sectors_of(const struct result *r)
{
    return counter_number(r, COUNTER_GLOBAL_LOAD_SECTORS) +
           counter_number(r, COUNTER_GLOBAL_STORE_SECTORS) +
           counter_number(r, COUNTER_GLOBAL_ATOMIC_SECTORS);
}

static double conflicts_of(const struct result *r)
{
    return counter_number(r, COUNTER_SHARED_LOAD_WAVEFRONTS) -
           counter_number(r, COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL) +
           counter_number(r, COUNTER_SHARED_STORE_WAVEFRONTS) -
           counter_number(r, COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL);
}

static double instructions_of(const struct result *r)
{
    return counter_number(r, COUNTER_WARP_INSTRUCTIONS);
}

static const char *const figure_titles[] = {"variant",  "device",  "right",    ">time",
                                            ">instr.",  ">load %", ">store %", ">confl. %",
                                            ">lanes %", ">memory"};

static const char *right_word(const struct result *r)
{
    return r->status == RESULT_FAILED    ? "failed"
           : r->status == RESULT_SKIPPED ? "-"
                                         : verified_word(r);
}

static void figures_fill(struct arena *a, const struct result *r, const char **cells)
{
    char b[CELL_SIZE];
    const double time = result_time_ns(r), memory = result_dram_bytes(r);
    cells[0] = right_word(r);
    cells[1] = isfinite(time) ? arena_strdup(a, show_time(time, b)) : "-";
    cells[2] = arena_strdup(a, show_count(instructions_of(r), b));
    cells[3] = arena_strdup(a, show_fixed(derived_number(r, DERIVED_LOAD_EFFICIENCY_PCT), 0, b));
    cells[4] = arena_strdup(a, show_fixed(derived_number(r, DERIVED_STORE_EFFICIENCY_PCT), 0, b));
    cells[5] = arena_strdup(a, show_fixed(derived_number(r, DERIVED_SHARED_CONFLICT_PCT), 1, b));
    cells[6] = arena_strdup(a, show_fixed(counter_number(r, COUNTER_LANES_ACTIVE_PCT), 0, b));
    cells[7] = isfinite(memory) ? arena_strdup(a, show_bytes(memory, b)) : "-";
}

static void add_figures(struct devices_view *v, const char *label, const struct report_style *style,
                        struct text *out)
{
    const struct run *first = &v->runs[0];
    struct sheet t = sheet_make(&v->arena, (int)COUNT_OF(figure_titles), figure_titles,
                                first->result_count * v->count);
    for (int i = 0; i < first->result_count; i++) {
        const struct result *named = &first->results[i];
        if (!same_text(named->case_label, label))
            continue;
        for (int d = 0; d < v->count; d++) {
            const struct result *r = find_result(&v->runs[d], named->variant, label);
            const char *device = v->runs[d].header.device_id;
            if (!r)
                continue;
            const char **cells = sheet_row(&t);
            bool fact = style && style->plain;
            cells[0] = fact     ? arena_printf(&v->arena, "%s on %s", named->variant, device)
                       : d == 0 ? named->variant
                                : "";
            cells[1] = fact ? "" : device;
            figures_fill(&v->arena, r, cells + 2);
        }
    }
    add_sheet(&t, style, out);
}

/* ---- which is best -------------------------------------------------------------------------------------- */

// What variants are held against each other by where no time is known.
static const struct {
    const char *key, *words;
    double (*of)(const struct result *r);
} counted[] = {
    {"warp_instructions", "instructions", instructions_of},
    {"global_sectors", "sectors of global memory", sectors_of},
    {"shared_conflicts", "passes lost to bank conflicts", conflicts_of},
};

struct least { // of one figure, in one case on one device
    double value;
    const char *names; // of the variants that have it
    int count, of;     // of: how many have the figure at all
};

static bool is_right(const struct result *r, const char *label)
{
    return r->status == RESULT_OK && r->verified && !r->library && same_text(r->case_label, label);
}

static struct least least_of(struct arena *a, const struct run *run, const char *label,
                             double (*of)(const struct result *r))
{
    struct least l = {.value = (double)INFINITY, .names = ""};
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        double value = is_right(r, label) ? of(r) : (double)NAN;
        l.of += isfinite(value);
        if (!isfinite(value) || value > l.value)
            continue;
        bool tie = l.count > 0 && !(value < l.value);
        l.names = tie ? arena_printf(a, "%s, %s", l.names, r->variant) : r->variant;
        l.count = tie ? l.count + 1 : 1;
        l.value = value;
    }
    return l;
}

static const char *counts_sentence(struct arena *a, const struct run *run, const char *label)
{
    enum { NAMES_MAX = 3 };
    char b[CELL_SIZE];
    const char *words = "";
    for (size_t i = 0; i < COUNT_OF(counted); i++) {
        struct least l = least_of(a, run, label, counted[i].of);
        if (l.count == 0 || l.count == l.of) // it tells none apart
            continue;
        if (l.count > NAMES_MAX)
            l.names = arena_printf(a, "%d variants", l.count);
        words = arena_printf(a, "%s%s fewest %s: %s (%s)", words, *words ? ";" : "",
                             counted[i].words, l.names, show_count(l.value, b));
    }
    return words;
}

// What holds it back there; "": not known.
static const char *held_back(struct arena *a, const struct result *r)
{
    const char *why = r->diagnosed ? r->diagnosis.limiter_why : NULL;
    return why ? arena_printf(a, ": %s", why) : "";
}

// Of what other devices run fastest: how much slower it is here, and what holds it back.
static void add_reasons(struct devices_view *v, const char *label, int device,
                        const struct report_style *style, struct text *out)
{
    char b[CELL_SIZE], times[CELL_SIZE];
    const struct run *run = &v->runs[device];
    const struct result *best = run_best(run, label, run->header.objective);
    for (int d = 0; d < v->count && best; d++) {
        const struct result *theirs = run_best(&v->runs[d], label, v->runs[d].header.objective);
        const struct result *here = NULL;
        for (int i = 0; i < run->result_count && theirs; i++)
            if (is_right(&run->results[i], label) &&
                same_text(run->results[i].variant, theirs->variant))
                here = &run->results[i];
        double ratio = here ? result_time_ns(here) / result_time_ns(best) : (double)NAN;
        if (!here || here == best || !(ratio > 1))
            continue;
        const struct diagnosis *found = &here->diagnosis;
        bool has_finding =
            here->diagnosed && found->finding_count > 0 && !found->findings[0].folded;
        add_sentence(style,
                     arena_printf(&v->arena,
                                  "%s, the fastest on %s, takes %s here, %s times as long%s%s%s",
                                  here->variant, v->runs[d].header.device_id,
                                  show_time(result_time_ns(here), b), show_fixed(ratio, 2, times),
                                  held_back(&v->arena, here), has_finding ? ". " : "",
                                  has_finding ? found->findings[0].title : ""),
                     out);
    }
}

static const char *best_sentence(struct arena *a, const struct run *run, const char *label)
{
    char b[CELL_SIZE];
    const struct run_header *h = &run->header;
    const struct result *best = run_best(run, label, h->objective);
    if (best)
        return arena_printf(a, "%s: ship %s, the fastest, %s %s%s", h->device_id, best->variant,
                            show_time(result_time_ns(best), b),
                            provenance_name(best->time.provenance), held_back(a, best));
    const char *counts = counts_sentence(a, run, label);
    return arena_printf(a, "%s: which is fastest is not known, no variant has a time%s%s",
                        h->device_id, *counts ? ". Of those that are right," : "", counts);
}

/* ---- what did not run, what is missing ------------------------------------------------------------------- */

static void add_troubles(struct devices_view *v, const char *label,
                         const struct report_style *style, struct text *out)
{
    for (int d = 0; d < v->count; d++)
        for (int i = 0; i < v->runs[d].result_count; i++) {
            const struct result *r = &v->runs[d].results[i];
            if (!same_text(r->case_label, label) || r->status == RESULT_OK)
                continue;
            const char *why = r->error ? r->error : "the result is not the reference's";
            add_sentence(style,
                         arena_printf(&v->arena, "%s on %s: %s: %.*s", r->variant,
                                      v->runs[d].header.device_id,
                                      r->status == RESULT_SKIPPED  ? "skipped"
                                      : r->status == RESULT_FAILED ? "failed"
                                                                   : "wrong",
                                      (int)strcspn(why, "\n"), why),
                         out);
        }
}

// A device's notes are mostly the same of all its variants.
static void add_notes(struct devices_view *v, const struct report_style *style, struct text *out)
{
    for (int d = 0; d < v->count; d++)
        for (int i = 0; i < v->runs[d].result_count; i++) {
            const char *note = v->runs[d].results[i].note;
            bool said = !note;
            for (int k = 0; k < i && !said; k++)
                said = same_text(v->runs[d].results[k].note, note);
            if (!said)
                add_sentence(style,
                             arena_printf(&v->arena, "%s: %s", v->runs[d].header.device_id, note),
                             out);
        }
}

static void add_run_numbers(struct devices_view *v, const struct report_style *style,
                            struct text *out)
{
    const char *words = "";
    for (int d = 0; d < v->count; d++)
        if (v->runs[d].header.id > 0)
            words = arena_printf(&v->arena, "%s%srun %lld is %s's", words, *words ? ", " : "",
                                 (long long)v->runs[d].header.id, v->runs[d].header.device_id);
    if (*words)
        add_sentence(style, arena_printf(&v->arena, "In the journal: %s (`ridge show`).", words),
                     out);
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

static void add_case(struct devices_view *v, const char *label, const struct report_style *style,
                     struct text *out)
{
    if (label && *label)
        add_heading(style, 2, label, out);
    add_figures(v, label, style, out);
    for (int d = 0; d < v->count; d++) {
        add_sentence(style, best_sentence(&v->arena, &v->runs[d], label), out);
        add_reasons(v, label, d, style, out);
    }
    add_troubles(v, label, style, out);
}

void report_devices(const struct run *runs, int count, const struct report_style *style,
                    struct text *out)
{
    struct devices_view v = view_of(runs, count);
    const char *title = runs[0].header.title ? runs[0].header.title : runs[0].header.experiment;
    add_heading(style, 1, arena_printf(&v.arena, "%s, on %d devices", title, count), out);
    for (int d = 0; d < count; d++)
        add_sentence(
            style,
            arena_printf(&v.arena, "%s: %s", runs[d].header.device_id, runs[d].header.device_name),
            out);
    add_chips(&v, style, out);
    for (int i = 0; i < runs[0].result_count; i++)
        if (first_of_case(&runs[0], i))
            add_case(&v, runs[0].results[i].case_label, style, out);
    add_sentence(
        style,
        "instr.: of warps or waves. load %, store %: of the sectors of 32 bytes, those needed. "
        "confl. %: of the passes through shared memory, those due to bank conflicts. "
        "lanes %: active. memory: read and written.",
        out);
    add_notes(&v, style, out);
    add_run_numbers(&v, style, out);
    arena_release(&v.arena);
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static json_t *known_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *devices_to_json(struct devices_view *v)
{
    json_t *list = json_array();
    for (int d = 0; d < v->count; d++) {
        const struct run_header *h = &v->runs[d].header;
        json_t *chip = json_object();
        for (size_t f = 0; f < COUNT_OF(chip_facts); f++)
            json_object_set_new(chip, gpu_field_info(chip_facts[f].field)->name,
                                known_number(chip_fact(v, d, f)));
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o}", "id", h->device_id, "name", h->device_name,
                            "run", h->id > 0 ? json_integer(h->id) : json_null(), "chip", chip));
    }
    return list;
}

// What a device is best with in a case: by its times, else the least of each count.
static json_t *best_to_json(struct devices_view *v, int device, const char *label)
{
    const struct run *run = &v->runs[device];
    const struct result *best = run_best(run, label, run->header.objective);
    json_t *least = json_object();
    for (size_t i = 0; i < COUNT_OF(counted) && !best; i++) {
        struct least l = least_of(&v->arena, run, label, counted[i].of);
        json_t *names = json_array();
        for (int k = 0; k < run->result_count && l.count > 0; k++) {
            const struct result *r = &run->results[k];
            double value = is_right(r, label) ? counted[i].of(r) : (double)NAN;
            if (isfinite(value) && !(value > l.value))
                json_array_append_new(names, json_string(r->variant));
        }
        json_object_set_new(
            least, counted[i].key,
            json_pack("{s:o, s:o}", "value", known_number(l.value), "variants", names));
    }
    return json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:o}", "case", show_text(label), "device",
                     run->header.device_id, "variant", best ? best->variant : NULL, "provenance",
                     best ? provenance_name(best->time.provenance) : NULL, "time_ns",
                     known_number(best ? result_time_ns(best) : (double)NAN), "least", least);
}

json_t *report_devices_json(const struct run *runs, int count)
{
    struct devices_view v = view_of(runs, count);
    json_t *all = json_array(), *best = json_array();
    for (int d = 0; d < count; d++)
        json_array_append_new(all, run_to_json(&runs[d]));
    for (int i = 0; i < runs[0].result_count; i++)
        for (int d = 0; d < count && first_of_case(&runs[0], i); d++)
            json_array_append_new(best, best_to_json(&v, d, runs[0].results[i].case_label));
    json_t *j = json_pack("{s:s, s:i, s:s, s:o, s:o, s:o}", "ridge", RIDGE_VERSION, "schema",
                          RECORD_SCHEMA, "experiment", show_text(runs[0].header.experiment),
                          "devices", devices_to_json(&v), "best", best, "runs", all);
    arena_release(&v.arena);
    return j;
}
