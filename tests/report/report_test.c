// The reports: what fits where, what is shown for what is not known, and names that mean harm.
// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RESULTS = 3 };

static struct result results[RESULTS];
static struct run run;
static struct text out;
static struct error err;
static const struct report_style narrow = {.width = 80}, wide = {.width = 100};

// The first variant, one that answers it, and one that failed.
static int setup(void **state)
{
    (void)state;
    results[0] = results[1] = sample_result();
    results[0].variant = "naive";
    results[0].from = NULL;
    results[0].speedup.valid = false;
    results[0].expectation_count = 0;
    results[2] = (struct result){.variant = "broken",
                                 .from = "naive",
                                 .case_label = results[0].case_label,
                                 .status = RESULT_FAILED,
                                 .error = "k.cu:3:7: error: expected ';'\n  int x\n       ^",
                                 .worst_relative_error = (double)NAN,
                                 .worst_absolute_error = (double)NAN};
    run = (struct run){sample_header(), results, RESULTS, NULL};
    error_clear(&err);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    text_release(&out);
    return 0;
}

static void has(const char *part)
{
    if (!strstr(text_str(&out), part))
        fail_msg("'%s' is not in:\n%s", part, text_str(&out));
}

static void has_not(const char *part)
{
    if (strstr(text_str(&out), part))
        fail_msg("'%s' is in:\n%s", part, text_str(&out));
}

static void assert_fits(const char *what, size_t columns)
{
    size_t n = 0;
    for (const char *c = text_str(&out); *c; c++) {
        n = *c == '\n' ? 0 : n + (((unsigned char)*c & 0xC0U) != 0x80U);
        if (n > columns)
            fail_msg("%s: more than %zu columns:\n%s", what, columns, text_str(&out));
    }
}

// Every byte that is no text is a newline; without colour no escape is left either.
static void assert_tame(const char *what)
{
    for (const char *c = text_str(&out); *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
            fail_msg("%s: byte 0x%02x in:\n%s", what, (unsigned)(unsigned char)*c, text_str(&out));
}

static char *long_name(void)
{
    static char name[301];
    memset(name, 'n', sizeof name - 1);
    return name;
}

static void terminal_report_fits_80_columns(void **state)
{
    (void)state;
    report_terminal(&run, &narrow, &out);
    assert_fits("short names", 80);
    text_clear(&out);
    results[1].variant = results[1].speedup.versus = "a-variant-with-quite-a-long-name-for-a-table";
    results[1].from = results[0].variant =
        "the-first-variant-has-a-name-that-is-longer-than-the-column-of-names";
    results[1].expectations[0].what = "global_store_sectors_ideal_of_a_long_name";
    report_terminal(&run, &narrow, &out);
    assert_fits("long names", 80);
    results[1].expectations[0].what = "time";
}

static void wide_terminal_report_fits_100_columns(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    assert_fits("terminal", 100);
    has("time/counts: mea measured, sim simulated, mod modelled");
}

static void explanation_and_verification_fit_80_columns(void **state)
{
    (void)state;
    report_explain(&run, NULL, &narrow, &out);
    assert_fits("explain", 80);
    text_clear(&out);
    report_verify(&run, &narrow, &out);
    assert_fits("verify", 80);
}

static void every_figure_of_a_narrow_table_reports_its_origin(void **state)
{
    (void)state;
    report_terminal(&run, &narrow, &out);
    has("times measured, counts simulated");
    text_clear(&out);
    results[1].time.provenance = PROVENANCE_MODELLED;
    report_terminal(&run, &narrow, &out);
    has("naive: time measured, counts simulated; tiled: time modelled, counts simulated");
}

static void absent_and_infinite_figures_are_dashes(void **state)
{
    (void)state;
    results[0].diagnosis.pct_of_floor = (double)NAN;
    results[0].diagnosis.throughput_gbps = (double)INFINITY;
    report_terminal(&run, &wide, &out);
    has("\nbroken          -          -      -     -    -    -     -    -    - -             - -   "
        "   "
        "-/-    \n");
    has("\nnaive           yes  1.00 ms      -     -");
    has_not(" nan");
    has_not(" inf");
    text_clear(&out);
    assert_true(report_markdown(&run, NULL, &out, &err));
    has_not(" nan");
    has_not(" inf");
    text_clear(&out);
    report_explain(&run, NULL, &wide, &out);
    has_not(" nan");
    has_not(" inf");
}

static void errors_stand_beside_the_time_where_a_result_has_any(void **state)
{
    (void)state;
    results[0].errors = (struct result_errors){.known = true};
    report_terminal(&run, &wide, &out);
    has_not("max ulp"); // all are exact
    results[1].errors =
        (struct result_errors){.known = true, .max_ulp = 12, .rms_ulp = 1.5, .rms_relative = 3e-8};
    text_clear(&out);
    report_terminal(&run, &narrow, &out);
    has("\nError              max ulp    rms ulp    rms rel       time\n"
        "naive                    0          0          0    1.00 ms\n"
        "tiled                   12        1.5      3e-08 ");
    assert_fits("run", 80);
    text_clear(&out);
    const struct report_style plain = {.plain = true, .width = 80};
    report_terminal(&run, &plain, &out);
    has("largest error, ulp 12");
    text_clear(&out);
    assert_true(report_markdown(&run, NULL, &out, &err));
    has("| largest error, ulp | 0 | measured | 12 | measured | - |");
    has("| rms error / rms output | 0 | measured | 3e-08 | measured | - |");
}

static void failure_is_shown_with_its_lines_as_they_are(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    has("broken: failed\n  k.cu:3:7: error: expected ';'\n    int x\n         ^\n");
}

static void one_mistake_is_shown_once(void **state)
{
    (void)state;
    results[1].status = RESULT_FAILED;
    results[1].error = results[2].error;
    report_terminal(&run, &wide, &out);
    has("broken: failed, as tiled above\n");
    has_not("broken: failed, as tiled above\n  k.cu");
}

static void colour_and_box_characters_only_where_they_are_wanted(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    assert_tame("plain");
    has("* Global loads are uncoalesced");
    text_clear(&out);
    const struct report_style full = {.color = true, .unicode = true, .width = 100};
    report_terminal(&run, &full, &out);
    struct text shown = {0};
    report_show(&out, &shown);
    text_release(&out);
    out = shown;
    has("\x1b[1mTranspose\x1b[0m");
    has("\x1b[32myes\x1b[0m");
    has("\x1b[31mfailed\x1b[0m");
    has("\u2500");
}

static void text_of_others_goes_out_as_escapes(void **state)
{
    (void)state;
    struct text raw = {0};
    text_add(&raw, "a\x1b[31mb\xff"
                   "2c\x7f \xe2\x80\xae d\u00e9\n\t\xc2\x9b\xff"
                   "9\xc3");
    report_show(&raw, &out);
    assert_string_equal(text_str(&out), "a\\u001b[31mb\x1b[32mc\\u007f \\u202e d\u00e9\n\t"
                                        "\\u009b\\xff9\\xc3");
    text_release(&raw);
}

static void hostile_names_leave_the_terminal_and_the_table_alone(void **state)
{
    (void)state;
    static const char bad[] = "a\x1b[31m|b\n## x\r`c`<script>\x7f\a";
    results[1].variant = results[1].hypothesis = results[1].title = bad;
    results[1].error = results[1].printed = results[1].compiler_log = bad;
    run.header.title = bad;
    const struct report_style verbose = {.width = 80, .verbose = true};
    report_terminal(&run, &verbose, &out);
    assert_tame("terminal");
    text_clear(&out);
    report_explain(&run, NULL, &verbose, &out);
    assert_tame("explain");
    text_clear(&out);
    report_verify(&run, &verbose, &out);
    assert_tame("verify");
    text_clear(&out);
    results[1].error = NULL;
    assert_true(report_markdown(&run, NULL, &out, &err));
    assert_tame("markdown");
    has("### Iteration 1: a \\[31m\\|b \\#\\# x \\`c\\`\\<script\\>  \n");
    has_not("<script>");
    has_not("\n## x");
    text_clear(&out);
    results[1].variant = long_name();
    report_terminal(&run, &narrow, &out);
    report_verify(&run, &narrow, &out);
}

static void compiler_warnings_are_shown_when_asked_for_and_once(void **state)
{
    (void)state;
    results[0].compiler_log = results[1].compiler_log = "k.cu:1: warning: unused\n";
    report_terminal(&run, &wide, &out);
    has_not("warning: unused");
    text_clear(&out);
    const struct report_style verbose = {.width = 100, .verbose = true};
    report_terminal(&run, &verbose, &out);
    has("\nnaive (compiler)\n  k.cu:1: warning: unused\n");
    has_not("tiled (compiler)");
}

static void what_kernels_print_is_shown(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    has("\nnaive (printed)\n  hi\n");
}

static void folded_findings_wait_for_verbose(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    has("(1 more under 3 % of gain; --verbose shows them)");
    has_not("* Tail");
    text_clear(&out);
    const struct report_style verbose = {.width = 100, .verbose = true};
    report_terminal(&run, &verbose, &out);
    has("* Tail");
}

static void stop_reason_is_the_last_word(void **state)
{
    (void)state;
    run.stop_reason = "close to peak";
    report_terminal(&run, &wide, &out);
    has("none needed: close to peak");
    has("\nStop rule: close to peak\n");
}

static void fidelity_of_simulated_runs_is_one_line(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    has_not("Fidelity");
    struct run_fidelity f = {.known = true, .timed = true, .time_error_median_pct = 8.5};
    f.path[PATH_F32] = (struct path_use){98, FIDELITY_EXACT, FIDELITY_VALIDATED};
    f.path[PATH_CONVERSIONS] = (struct path_use){2, FIDELITY_EXACT, FIDELITY_UNVALIDATED};
    results[0].fidelity = f;
    static const char words[] = "results exact; time validated for 98 % of the instructions";
    text_clear(&out);
    report_terminal(&run, &wide, &out);
    has("\nFidelity: ");
    has(words);
    text_clear(&out);
    assert_true(report_markdown(&run, NULL, &out, &err));
    has("**Fidelity**: ");
    has(words);
    text_clear(&out);
    report_explain(&run, &results[0], &wide, &out);
    has("fidelity: results exact");
    has("conversions (2.0 % of the instructions): results exact, time not validated");
}

static void diminishing_returns_do_not_hide_the_next_finding(void **state)
{
    (void)state;
    run.stop_reason = "diminishing returns";
    report_terminal(&run, &wide, &out);
    has_not("none needed");
    has("\nStop rule: diminishing returns\n");
}

static void verified_variants_without_a_time_are_not_asked_to_be_right(void **state)
{
    (void)state;
    for (int i = 0; i < run.result_count; i++)
        results[i].time = (struct time_result){0};
    report_terminal(&run, &wide, &out);
    has_not("make one variant run and be right");
    has("no variant has a time");
}

/* ---- the first screen ------------------------------------------------------------------------------ */

// The place of a part; fails if it is not there.
static long place_of(const char *part)
{
    const char *found = strstr(text_str(&out), part);
    if (!found)
        fail_msg("'%s' is not in:\n%s", part, text_str(&out));
    return found - text_str(&out);
}

static void three_answers_come_before_the_table(void **state)
{
    (void)state;
    results[1].time.summary.median = 5e5;
    report_terminal(&run, &wide, &out);
    long fastest =
        place_of("\nFastest     tiled, 500 us measured, speedup 2.00x over naive, 75 % of "
                 "the floor; verified against\n            the reference; failed: broken\n");
    long limit = place_of("\nLimited by  dram: Global loads are uncoalesced (transpose.cu:7)\n");
    long next = place_of("\nNext step   Use a tile. Worth: 124 ns expected, 100 % less.\n");
    assert_true(fastest < limit && limit < next && next < place_of("variant         rif"));
}

static void the_screen_reader_gets_the_same_answers(void **state)
{
    (void)state;
    const struct report_style plain = {.plain = true, .width = 1000};
    report_terminal(&run, &plain, &out);
    has("\nFastest: naive, 1.00 ms measured, 75 % of the floor; verified against the reference; "
        "failed: broken\nLimited by: dram: Global loads are uncoalesced (transpose.cu:7)\n"
        "Next step: Use a tile. Worth: 124 ns expected, 100 % less.\n");
}

static void a_message_of_several_lines_is_read_out_as_one(void **state)
{
    (void)state;
    const struct report_style plain = {.plain = true, .width = 1000};
    report_terminal(&run, &plain, &out);
    has("\nbroken: failed: k.cu:3:7: error: expected ';'; int x\n");
}

static void no_variant_that_runs_is_an_answer_too(void **state)
{
    (void)state;
    results[0].status = results[1].status = RESULT_WRONG;
    report_terminal(&run, &wide, &out);
    has("\nFastest     none: no variant ran and gave the right result; wrong result: naive, tiled; "
        "failed:\n            broken\n");
    has("\nNext step   make one variant run and be right; the errors are below\n");
}

static void several_cases_have_an_overview(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    has_not("\nN=4096 s=2: ");
    text_clear(&out);
    results[1].case_label = "N=2";
    report_terminal(&run, &wide, &out);
    assert_true(place_of("\nN=4096 s=2: naive, 1.00 ms measured") <
                place_of("\nN=2: tiled, 1.00 ms measured"));
    assert_true(place_of("\nN=2: tiled") < place_of("\nN=4096 s=2\nFastest"));
}

// Of the fastest all, of the one whose fix promises most the first, of the others a line.
static void findings_of_the_fastest_come_first(void **state)
{
    (void)state;
    struct finding better = results[0].diagnosis.findings[0];
    results[1].time.summary.median = 5e5;
    better.expected_time_ns = 100;
    results[0].diagnosis.findings = &better;
    results[0].diagnosis.finding_count = 1;
    results[2] = results[0];
    results[2].variant = "third";
    struct finding worse = better;
    worse.expected_time_ns = 9e5;
    results[2].diagnosis.findings = &worse;
    report_terminal(&run, &wide, &out);
    assert_true(place_of(" tiled (fastest)\n") < place_of(" naive (its fix promises the shortest"));
    has("\n third: Global loads are uncoalesced (transpose.cu:7), gain 10 %\n");
}

// The step from a finding's variant that has its cause no more, and another figure for it, took the advice.
static void the_step_that_took_the_advice_is_named(void **state)
{
    (void)state;
    struct finding f = results[0].diagnosis.findings[0];
    results[0].diagnosis.findings = &f;
    results[0].diagnosis.finding_count = 1;
    f.cause = "occupancy";
    f.expected_time_ns = 9e5;
    f.folded = false;
    f.evidence[0] = (struct evidence){"occupancy_theoretical_pct",
                                      {.value = 25, .provenance = PROVENANCE_SIMULATED}};
    f.evidence_count = 1;
    results[0].time.summary.median = 1e6;
    results[1].time.summary.median = 6e5;
    results[1].from = results[0].variant;
    results[1].diagnosis.finding_count = 0;
    counters_set(&results[1].counters, COUNTER_OCCUPANCY_THEORETICAL_PCT, 100,
                 PROVENANCE_SIMULATED);
    report_terminal(&run, &wide, &out);
    has(" (tiled: 40 %)\n");
    text_clear(&out);
    report_explain(&run, &results[0], &wide, &out);
    has("    taken by tiled: 600 us ");
    text_clear(&out);
    assert_true(report_markdown(&run, NULL, &out, &err));
    has("- Took the advice on naive (Global loads are uncoalesced): 10 % promised, 40 % came\n");
    text_clear(&out);
    const struct report_style plain = {.plain = true, .width = 1000};
    report_terminal(&run, &plain, &out);
    has("\nnaive: fix taken by tiled: 600 us ");
    // With the same occupancy, or the same cause, it did not.
    text_clear(&out);
    counters_set(&results[1].counters, COUNTER_OCCUPANCY_THEORETICAL_PCT, 25, PROVENANCE_SIMULATED);
    report_explain(&run, &results[0], &wide, &out);
    has_not("taken by");
    report_terminal(&run, &plain, &out);
    has_not("taken by");
    counters_set(&results[1].counters, COUNTER_OCCUPANCY_THEORETICAL_PCT, 100,
                 PROVENANCE_SIMULATED);
    struct finding same = f;
    results[1].diagnosis.findings = &same;
    results[1].diagnosis.finding_count = 1;
    text_clear(&out);
    report_explain(&run, &results[0], &wide, &out);
    has_not("taken by");
    // A step further on did, with the one between.
    results[2] = results[1];
    results[2].variant = "third";
    results[2].from = results[1].variant;
    results[2].diagnosis.finding_count = 0;
    run.result_count = 3;
    text_clear(&out);
    report_explain(&run, &results[0], &wide, &out);
    has("    taken by third (with the steps before it): 600 us ");
}

static void arithmetic_has_a_column_of_its_rate(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    has_not("Gflop");
    text_clear(&out);
    results[0].diagnosis.intensity = 100; // 4000 GB/s of the work make 400000 Gflop/s
    results[0].diagnosis.floor_ns = results[0].time.summary.median;
    report_terminal(&run, &narrow, &out);
    assert_fits("arithmetic", 80);
    has(" Gflop  ");
    has("naive         yes  1.00 ms 400025 ");
    text_clear(&out);
    const struct report_style wider = {.width = 110};
    report_terminal(&run, &wider, &out);
    has("1.00 ms   4000 400025 ");
    has("Gflop/s over flops per byte");
}

static void launches_have_their_times_when_asked_for(void **state)
{
    (void)state;
    report_terminal(&run, &wide, &out);
    has_not("Launches");
    text_clear(&out);
    const struct report_style verbose = {.width = 80, .verbose = true};
    report_terminal(&run, &verbose, &out);
    assert_fits("launches", 80);
    has("\nLaunches\n naive\n    1 (zero)                            1.50 us   37.5 %  modelled\n"
        "    2 transpose<int>                    2.50 us   62.5 %  modelled\n");
}

static void points_at_one_place_keep_their_letters(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        results[i].diagnosis.intensity = 0.5;
    report_terminal(&run, &wide, &out);
    has("ab");
    has("  a naive, 2000 Gflop/s, 75 % of the floor\n  b tiled, 2000 Gflop/s");
}

/* ---- the page --------------------------------------------------------------------------------------- */

enum { MANY = 24 };
static struct result many[MANY];
static char many_names[MANY][32];

// As many variants, all at nearly the same point of the roofline.
static void make_many(void)
{
    static struct bound bounds[MANY][2];
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(many_names[i], sizeof many_names[i], "variant-number-%d", i);
        many[i] = sample_result();
        many[i].variant = many_names[i];
        many[i].time.summary.median *= 1 + 0.001 * i;
        counters_set(&many[i].counters, COUNTER_WARP_INSTRUCTIONS, 1e6, PROVENANCE_SIMULATED);
        memcpy(bounds[i], many[i].diagnosis.bounds, sizeof bounds[i]);
        many[i].diagnosis.bounds = bounds[i];
    }
    run.results = many;
    run.result_count = MANY;
}

static void labels_of_the_roofline_do_not_overprint(void **state)
{
    (void)state;
    double x[MANY], y[MANY];
    int count = 0;
    make_many();
    assert_true(report_svg(&run, many[0].case_label, &out, &err));
    for (const char *c = text_str(&out);
         (c = strstr(c, "<text class=\"name\" x=\"")) && count < MANY; c++, count++)
        assert_int_equal(sscanf(c, "<text class=\"name\" x=\"%lf\" y=\"%lf", &x[count], &y[count]),
                         2);
    assert_int_equal(count, MANY);
    double width = 16 * 6; // of the shortest of these names
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < i; k++)
            if (fabs(y[i] - y[k]) < 12 && fabs(x[i] - x[k]) < width)
                fail_msg("labels %d and %d lie at %.1f,%.1f and %.1f,%.1f", k, i, x[k], y[k], x[i],
                         y[i]);
}

static void colours_of_many_variants_differ(void **state)
{
    (void)state;
    char colour[MANY][96];
    int count = 0;
    make_many();
    assert_true(report_html(&run, &out, &err));
    for (const char *c = text_str(&out); (c = strstr(c, "<li class=\"step")) && count < MANY; c++)
        (void)snprintf(colour[count++], sizeof colour[0], "%.*s", (int)(strstr(c, " tabindex") - c),
                       c);
    assert_int_equal(count, MANY);
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(colour[i], colour[k]);
}

static void the_page_begins_with_the_answers_and_a_table(void **state)
{
    (void)state;
    assert_true(report_html(&run, &out, &err));
    assert_true(place_of("<dt class=\"\">Fastest</dt><dd class=\"\">naive, 1.00 ms measured") <
                place_of("<table class=\"figures\">"));
    assert_true(place_of("<table class=\"figures\">") < place_of("<h2>Journey</h2>"));
    has("<tr class=\"fastest\"><th scope=\"row\" class=\"name s0\">naive</th>");
}

// Whatever the sources' size: their lines without counters are left out, and at last the sources.
static void a_page_stays_below_500_kB(void **state)
{
    (void)state;
    static struct line lines[1500];
    char folder[] = "/tmp/ridge-page-XXXXXX", path[64], experiment[64];
    struct text source = {0};
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < (int)COUNT_OF(lines); i++) {
        text_printf(&source, "    x[%d] = %d; // a line with counters\n", i, i);
        lines[i] = (struct line){.file = "big.cu", .line = i + 1, .instructions = 1000};
    }
    (void)snprintf(path, sizeof path, "%s/big.cu", folder);
    (void)snprintf(experiment, sizeof experiment, "%s/experiment.yaml", folder);
    assert_true(file_write(path, text_str(&source), source.length, &err));
    text_release(&source);
    make_many();
    run.header.experiment_path = experiment;
    run.header.started = "2120-01-01T00:00:00Z"; // the file is older than the run
    for (int i = 0; i < MANY; i++) {
        many[i].lines = lines;
        many[i].line_count = COUNT_OF(lines);
    }
    assert_true(report_html(&run, &out, &err));
    has("big.cu");
    has(": left out, for the size of the page; <code>ridge annotate");
    if (out.length >= 500 * 1000)
        fail_msg("%zu bytes", out.length);
    (void)unlink(path);
    (void)rmdir(folder);
}

/* ---- the documentation template -------------------------------------------------------------------- */

static void markdown_has_the_parts_of_the_template_in_order(void **state)
{
    (void)state;
    assert_true(report_markdown(&run, NULL, &out, &err));
    static const char *const parts[] = {
        "# Transpose\n\nDevice: NVIDIA H200 (simulated) (sim:h200). Date: 2026-11-20T21:00:00Z. "
        "Caches: cold. ridge 0.1.0. Commit: 0123456789012345678901234567890123456789.\n",
        "## N=4096 s=2\n",
        "- **Fastest**: naive, 1.00 ms measured, 75 % of the floor; verified against the "
        "reference; "
        "failed: broken\n"
        "- **Limited by**: dram: Global loads are uncoalesced (transpose.cu:7)\n"
        "- **Next step**: Use a tile. Worth: 124 ns expected, 100 % less.\n",
        "### Iteration 0: naive\n",
        "**Hypothesis**\n",
        "**Implementation**\n",
        "**Results** (verified: yes)\n",
        "**Analysis**\n",
        "### Iteration 1: tiled\n",
        "**Hypothesis**\n\n- Bottleneck: b\n- Optimization: h\n- Expected: time -50%, waves 2x\n",
        "**Implementation**\n\nNo diff: the experiment's files are not there any more.\n",
        "**Results** (verified: yes)\n\n| metric | before: naive | provenance | after (tiled) | "
        "provenance | change |\n",
        "| time | 1.00 ms | measured | 1.00 ms | measured | +0.0 % |\n",
        "**Analysis**\n\n- time: expected -50%, actual -61%: held\n"
        "- waves: expected 2x, actual -: unknown\n- Against naive: 2.50x, faster\n"
        "- Limiter: dram: why\n- Energy: 750 uJ per run, 0.75 W",
        "per W, measured by the energy counter\n- New bottleneck: Global loads are uncoalesced; "
        "its "
        "fix promises 100 %, 124 ns\n",
        "### Iteration 2: broken\n",
        "```\nk.cu:3:7: error: expected ';'\n  int x\n       ^\n```\n",
        "- Not right, so not timed: see the error.\n",
        "**Stop rule**: go on\n",
    };
    const char *at = text_str(&out);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        const char *found = strstr(at, parts[i]);
        if (!found)
            fail_msg("'%s' is missing (or out of order) in:\n%s", parts[i], text_str(&out));
        at = found + strlen(parts[i]);
    }
}

static void html_has_the_energy_of_a_variant(void **state)
{
    (void)state;
    assert_true(report_html(&run, &out, &err));
    has("<p>Energy: 750 uJ per run, 0.75 W");
}

static void markdown_shows_the_diff_against_the_variant_it_answers(void **state)
{
    (void)state;
    struct arena a = {0};
    const char *tmp = getenv("TMPDIR");
    char *folder = arena_printf(&a, "%s/report-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    static const char source[] =
        "// Before.\n__global__ void one(float *y)\n{\n    y[0] = 1;\n}\n"
        "// After: ``` in a comment.\n__global__ void two(float *y)\n{\n    y[0] = 2;\n}\n";
    static const char yaml[] =
        "experiment: e\nsource: k.cu\nbuffers:\n  y: {type: f32, count: 1}\nvariants:\n"
        "  - {name: naive, kernel: one, grid: 1, block: 1, args: [y]}\n"
        "  - {name: tiled, from: naive, kernel: two, grid: 1, block: 1, args: [y]}\n";
    const char *cu = path_join(&a, folder, "k.cu"),
               *file = path_join(&a, folder, "experiment.yaml");
    assert_true(file_write(cu, source, sizeof source - 1, &err));
    assert_true(file_write(file, yaml, sizeof yaml - 1, &err));
    struct experiment *e = NULL;
    if (!experiment_load(&a, folder, &e, &err))
        fail_msg("%s", err.message);
    run.result_count = 2;
    run.header.started = "2120-01-01T00:00:00Z"; // the files are older than the run
    assert_true(report_markdown(&run, e, &out, &err));
    has("```cuda\n// Before.\n__global__ void one(float *y)\n{\n    y[0] = 1;\n}\n");
    has("````diff\n--- naive\n+++ tiled\n");
    has("-    y[0] = 1;\n+    y[0] = 2;\n");
    (void)unlink(cu);
    (void)unlink(file);
    (void)rmdir(folder);
    arena_release(&a);
}

/* ---- annotate ------------------------------------------------------------------------------------- */

// A line that waits for memory, one that computes, one that is not timed.
static void annotate_shows_the_time_of_a_line_and_its_reason(void **state)
{
    (void)state;
    char folder[] = "/tmp/ridge-annotate-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64], experiment[64];
    (void)snprintf(path, sizeof path, "%s/k.cu", folder);
    (void)snprintf(experiment, sizeof experiment, "%s/experiment.yaml", folder);
    assert_true(file_write(path, "load\nadd\nnothing\n", 17, &err));
    struct line lines[2] = {
        {.file = "k.cu", .line = 1, .instructions = 32, .lanes = 1024},
        {.file = "k.cu", .line = 2, .instructions = 32, .lanes = 1024},
    };
    for (int i = 0; i < STALL_COUNT; i++)
        lines[0].stalls.warp_cycles[i] = lines[1].stalls.warp_cycles[i] =
            (struct figure){0, PROVENANCE_MODELLED};
    lines[0].stalls.warp_cycles[STALL_SELECTED].value = 50;
    lines[0].stalls.warp_cycles[STALL_LONG_SCOREBOARD].value = 700;
    lines[1].stalls.warp_cycles[STALL_SELECTED].value = 250;
    struct result r = results[0];
    r.lines = lines;
    r.line_count = 2;
    r.stalls = lines[0].stalls;
    stalls_sum(&r.stalls, &lines[1].stalls);
    run.header.experiment_path = experiment;
    run.header.started = "2120-01-01T00:00:00Z"; // the file is older than the run
    assert_true(report_annotate(&run, &r, &wide, &out, &err));
    has("; time by line modelled)\n");
    has("  75.0 long_scoreboard      |    1 | load\n");
    has("  25.0 selected             |    2 | add\n");
    (void)unlink(path);
    (void)rmdir(folder);
}

static void annotate_says_what_is_missing(void **state)
{
    (void)state;
    assert_false(report_annotate(&run, &results[2], &wide, &out, &err));
    assert_string_equal(err.message, "variant 'broken' has no counters by line: it did not run, or "
                                     "the device or the PTX gave no line information");
    run.header.experiment_path = "/nowhere/experiment.yaml";
    assert_false(report_annotate(&run, &results[0], &wide, &out, &err));
    assert_string_equal(err.message,
                        "the source '/nowhere/transpose.cu' is not there any more, so its lines "
                        "cannot be shown; restore it or run the experiment again");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void progress_check(const struct run_progress *p, int columns, const char *wanted)
{
    struct text line = {0};
    report_progress(p, columns, &line);
    assert_string_equal(text_str(&line), wanted);
    assert_true(line.length <= (size_t)columns);
    text_release(&line);
}

static void progress_fits_and_keeps_the_time_left(void **state)
{
    struct run_progress p = {
        .phase = "measuring",
        .variant = "tiled",
        .case_label = "N=4096",
        .share = 0.421,
        .left_s = 12.2,
        .now = {.samples = 320, .interval = 0.00421, .sm_mhz = 1980},
    };
    progress_check(&p, 79,
                   " 42 % N=4096 tiled measuring, 320 samples, +-0.42 %, 1980 MHz, 13 s left");
    progress_check(&p, 99,
                   " 42 % N=4096 tiled measuring, 320 samples, +-0.42 %, 1980 MHz, 13 s left "
                   "[##########..............]");
    progress_check(&p, 50, " 42 % N=4096 tiled measuring, 320 samp~, 13 s left");
}

static void progress_leaves_out_what_is_not_known(void **state)
{
    struct run_progress p = {
        .phase = "compiling",
        .share = 0,
        .left_s = -1,
        .now = {.interval = (double)NAN, .sm_mhz = (double)NAN},
    };
    progress_check(&p, 24, "  0 % compiling");
    p.phase = "measuring";
    p.now.samples = 7;
    p.left_s = 7200;
    progress_check(&p, 46, "  0 % measuring, 7 samples, 2.0 h left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(terminal_report_fits_80_columns),
        TEST(wide_terminal_report_fits_100_columns),
        TEST(explanation_and_verification_fit_80_columns),
        TEST(every_figure_of_a_narrow_table_reports_its_origin),
        TEST(absent_and_infinite_figures_are_dashes),
        TEST(errors_stand_beside_the_time_where_a_result_has_any),
        TEST(failure_is_shown_with_its_lines_as_they_are),
        TEST(one_mistake_is_shown_once),
        TEST(colour_and_box_characters_only_where_they_are_wanted),
        TEST(text_of_others_goes_out_as_escapes),
        TEST(hostile_names_leave_the_terminal_and_the_table_alone),
        TEST(compiler_warnings_are_shown_when_asked_for_and_once),
        TEST(what_kernels_print_is_shown),
        TEST(folded_findings_wait_for_verbose),
        TEST(stop_reason_is_the_last_word),
        TEST(fidelity_of_simulated_runs_is_one_line),
        TEST(diminishing_returns_do_not_hide_the_next_finding),
        TEST(verified_variants_without_a_time_are_not_asked_to_be_right),
        TEST(three_answers_come_before_the_table),
        TEST(the_screen_reader_gets_the_same_answers),
        TEST(a_message_of_several_lines_is_read_out_as_one),
        TEST(no_variant_that_runs_is_an_answer_too),
        TEST(several_cases_have_an_overview),
        TEST(findings_of_the_fastest_come_first),
        TEST(the_step_that_took_the_advice_is_named),
        TEST(arithmetic_has_a_column_of_its_rate),
        TEST(launches_have_their_times_when_asked_for),
        TEST(points_at_one_place_keep_their_letters),
        TEST(labels_of_the_roofline_do_not_overprint),
        TEST(colours_of_many_variants_differ),
        TEST(the_page_begins_with_the_answers_and_a_table),
        TEST(a_page_stays_below_500_kB),
        TEST(markdown_has_the_parts_of_the_template_in_order),
        TEST(html_has_the_energy_of_a_variant),
        TEST(markdown_shows_the_diff_against_the_variant_it_answers),
        TEST(annotate_shows_the_time_of_a_line_and_its_reason),
        TEST(annotate_says_what_is_missing),
        TEST(progress_fits_and_keeps_the_time_left),
        TEST(progress_leaves_out_what_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
