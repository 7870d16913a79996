// A source file with the counters of each line beside it.
// SPDX-License-Identifier: Apache-2.0
#include "report/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTER_COLUMNS = 44, STALL_NAME_COLUMNS = 20 };

struct lines_view {
    const struct run *run;
    const struct result *result;
    const struct report_style *style;
    double warp_lanes; // of the chip; 32 where it has no file
    double whole;      // all lines' warp cycles; NAN where they are not known
    const char *listing;
};

static double warp_lanes_of(const struct run *r)
{
    struct arena a = {0};
    struct gpu *chip = NULL;
    struct error ignored = {0};
    double lanes = 32;
    if (r->header.device_name && gpu_find_by_name(&a, r->header.device_name, &chip, &ignored) &&
        chip)
        lanes = GPU(chip, warp_size);
    arena_release(&a);
    return lanes;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

static void add_counters(const struct line *l, double warp_lanes, struct text *out)
{
    char a[CELL_SIZE];
    add_cell(out, show_count((double)l->instructions, a), 8, true);
    add_cell(out, show_fixed(100.0 * share(l->lanes, l->instructions) / warp_lanes, 0, a), 7, true);
    add_cell(out, show_fixed(share(l->global_sectors, l->global_requests), 1, a), 9, true);
    add_cell(out, show_fixed(share(l->shared_wavefronts, l->shared_requests), 1, a), 9, true);
    add_cell(out, l->branches > 0 ? show_count((double)l->divergent_branches, a) : "-", 11, true);
}

// Of the warps' cycles those at this line, and what most of them went to: "  41.2  long_scoreboard".
static void add_stalls(const struct line *l, double whole, struct text *out)
{
    char a[CELL_SIZE];
    double cycles = l ? stalls_cycles(&l->stalls) : (double)NAN;
    text_add(out, "  ");
    add_cell(out, cycles > 0 ? show_fixed(100 * cycles / whole, 1, a) : "", 6, true);
    text_add(out, " ");
    add_cell(out, cycles > 0 ? stall_name(stalls_most(&l->stalls)) : "", STALL_NAME_COLUMNS, false);
}

static void add_plain_figure(const char *what, double value, int decimals, struct text *out)
{
    char a[CELL_SIZE];
    if (isfinite(value))
        text_printf(out, ", %s %s", what, show_fixed(value, decimals, a));
}

// "line 14, instructions 8.19 k, lanes active percent 100, sectors per request 4.0: ", in words.
static void add_plain_line(const struct line *l, int number, const struct lines_view *v,
                           struct text *out)
{
    char a[CELL_SIZE];
    text_printf(out, "line %d", number);
    if (l) {
        if (l->instructions > 0) // else it was only sampled
            text_printf(out, ", instructions %s", show_count((double)l->instructions, a));
        add_plain_figure("lanes active percent",
                         100.0 * share(l->lanes, l->instructions) / v->warp_lanes, 0, out);
        add_plain_figure("sectors per request", share(l->global_sectors, l->global_requests), 1,
                         out);
        add_plain_figure("wavefronts per request", share(l->shared_wavefronts, l->shared_requests),
                         1, out);
        if (l->branches > 0)
            add_plain_figure("divergent branches", (double)l->divergent_branches, 0, out);
        double cycles = stalls_cycles(&l->stalls);
        add_plain_figure("time percent", 100 * cycles / v->whole, 1, out);
        if (cycles > 0)
            text_printf(out, ", most of it %s", stall_name(stalls_most(&l->stalls)));
    }
    text_add(out, ": ");
}

static void add_line(const struct line *l, int number, const struct lines_view *v, struct text *out)
{
    const char *bar = v->style->unicode ? " \u2502" : " |";
    if (v->style->plain) {
        add_plain_line(l, number, v, out);
        return;
    }
    if (l && l->instructions > 0) // else it was only sampled
        add_counters(l, v->warp_lanes, out);
    else
        add_repeat(out, " ", COUNTER_COLUMNS);
    if (v->whole > 0)
        add_stalls(l, v->whole, out);
    text_printf(out, "%s%5d%s ", bar, number, bar);
}

static const struct line *find_line(const struct result *r, const char *file, int number)
{
    for (int i = 0; i < r->line_count; i++) {
        if (r->lines[i].line == number && same_text(r->lines[i].file, file))
            return &r->lines[i];
    }
    return NULL;
}

bool listing_find(const char **at, const char *file, int line, struct listing_row *row)
{
    while (listing_next(at, row))
        if (row->line == line && row->file_bytes == strlen(file) &&
            memcmp(row->file, file, row->file_bytes) == 0)
            return true;
    return false;
}

// What the line was compiled to, below it.
static void add_instructions(const struct lines_view *v, const char *file, int number,
                             struct text *out)
{
    const char *at = v->listing;
    struct listing_row row = {0};
    size_t indent = COUNTER_COLUMNS + (v->whole > 0 ? 10 + STALL_NAME_COLUMNS : 0);
    while (at && listing_find(&at, file, number, &row)) {
        if (v->style->plain)
            text_printf(out, "line %d, %s: ", number, row.machine ? "SASS" : "PTX");
        else {
            add_repeat(out, " ", indent);
            text_printf(out, "%s      %s   ", v->style->unicode ? " \u2502" : " |",
                        v->style->unicode ? "\u2502" : "|");
        }
        text_addn(out, row.text, row.text_bytes);
        text_add(out, "\n");
    }
}

static void annotate_source(const struct lines_view *v, const char *file, const char *source,
                            struct text *out)
{
    const struct result *r = v->result;
    struct text head = {0};
    text_printf(&head, "%s, variant ", file);
    add_name(&head, r->variant);
    text_printf(&head, ", %s", show_text(r->case_label));
    add_ink(out, v->style, INK_BOLD, text_str(&head));
    text_release(&head);
    text_printf(out, " (counters %s", provenance_name(result_lines_counted(r)));
    if (v->whole > 0)
        text_printf(out, "; time by line %s", provenance_name(stalls_provenance(&r->stalls)));
    text_add(out, ")\n");
    if (!v->style->plain)
        text_printf(out,
                    "executed  lanes  sectors/ wavefr./  divergent%s\n"
                    "  instr.      %%  request  request   branches%s\n",
                    v->whole > 0 ? "    time most of it" : "",
                    v->whole > 0 ? "       % reason" : "");
    int number = 1;
    for (const char *p = source; *p; number++) {
        size_t length = strcspn(p, "\n");
        add_line(find_line(r, file, number), number, v, out);
        size_t shown = length > 0 && p[length - 1] == '\r' ? length - 1 : length;
        for (size_t i = 0; i < shown; i++) // a source may hold anything: the terminal stays tame
            text_addn(out, (unsigned char)p[i] < ' ' && p[i] != '\t' ? "?" : &p[i], 1);
        text_add(out, "\n");
        if (v->style->verbose)
            add_instructions(v, file, number, out);
        p += length + (p[length] == '\n');
    }
}

// Why there is PTX alone.
static void annotate_machine(const struct lines_view *v, struct text *out)
{
    size_t bytes = 0;
    const char *why = v->style->verbose ? listing_why_no_machine(v->listing, &bytes) : NULL;
    if (!why)
        return;
    text_add(out, v->style->plain ? "machine code: not shown, " : "\nMachine code is not shown: ");
    text_addn(out, why, bytes);
    text_add(out, "\n");
}

static bool seen_before(const struct result *r, int index)
{
    for (int i = 0; i < index; i++) {
        if (same_text(r->lines[i].file, r->lines[index].file))
            return true;
    }
    return false;
}

static bool annotate_file(const struct lines_view *v, const char *file, struct text *out,
                          struct error *err)
{
    struct arena a = {0};
    const char *source = NULL;
    size_t size = 0;
    bool done = run_source_read(&a, v->run, run_source_path(&a, &v->run->header, file), &source,
                                &size, err);
    if (done)
        annotate_source(v, file, source, out);
    arena_release(&a);
    return done;
}

// Headers of a toolkit are folded to a line each.
static void annotate_foreign(const struct result *result, struct text *out)
{
    for (int i = 0; i < result->line_count; i++) {
        const char *file = result->lines[i].file;
        uint64_t instructions = 0;
        char a[CELL_SIZE];
        if (!file || !path_is_foreign(file) || seen_before(result, i))
            continue;
        for (int k = i; k < result->line_count; k++)
            if (same_text(result->lines[k].file, file))
                instructions += result->lines[k].instructions;
        text_printf(out, "\n%s: %s instructions, not shown: a header of a library\n", file,
                    show_count((double)instructions, a));
    }
}

bool report_annotate(const struct run *r, const struct result *result,
                     const struct report_style *style, struct text *out, struct error *err)
{
    const struct lines_view v = {
        r, result, style, warp_lanes_of(r), stalls_cycles(&result->stalls), run_listing(r, result)};
    bool any = false;
    error_clear(err);
    for (int i = 0; i < result->line_count; i++) {
        const char *file = result->lines[i].file;
        if (!file || path_is_foreign(file) || seen_before(result, i))
            continue;
        if (any)
            text_add(out, "\n");
        any = true;
        if (!annotate_file(&v, file, out, err))
            return false;
    }
    annotate_foreign(result, out);
    annotate_machine(&v, out);
    if (!any && result->line_count == 0)
        return fail(err, NOWHERE,
                    "variant '%s' has no counters by line: it did not run, or the device or the "
                    "PTX gave no line information",
                    show_text(result->variant));
    return true;
}
