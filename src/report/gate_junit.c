// A gate's verdicts as JUnit XML, as CI systems read it: a test suite per experiment, a test case per result.
// SPDX-License-Identifier: Apache-2.0
#include "report/gate.h"
#include "report/html.h"

#include <math.h>
#include <string.h>

static void junit_case(struct arena *a, const struct gate_entry *e, struct text *out)
{
    static const double ns_per_s = 1e9;
    const char *why = e->why ? e->why : gate_verdict_meaning(e->verdict);
    const char *name =
        arena_printf(a, "%s%s%s", e->case_label, *e->case_label ? " " : "", e->variant);
    html_printf(out, "  <testcase classname=\"%s\" name=\"%s\" time=\"%.9f\"", e->experiment,
                *name ? name : "the experiment",
                isfinite(e->after_ns) ? e->after_ns / ns_per_s : 0.0);
    if (e->file)
        html_printf(out, " file=\"%s\" line=\"%d\"", e->file, e->line);
    if (gate_verdict_fails(e->verdict))
        html_printf(out, ">\n   <failure type=\"%s\" message=\"%s\"/>\n  </testcase>\n",
                    gate_verdict_name(e->verdict), why);
    else if (e->verdict == GATE_NOISY)
        html_printf(out, ">\n   <skipped message=\"%s: %s\"/>\n  </testcase>\n",
                    gate_verdict_name(e->verdict), why);
    else
        text_add(out, "/>\n");
}

struct junit_counts {
    int tests, failures, skipped;
};

// experiment NULL: of all.
static struct junit_counts junit_count(const struct gate_report *g, const char *experiment)
{
    struct junit_counts n = {0};
    for (int i = 0; i < g->count; i++) {
        const struct gate_entry *e = &g->entries[i];
        if (experiment && strcmp(experiment, e->experiment) != 0)
            continue;
        n.tests++;
        n.failures += gate_verdict_fails(e->verdict);
        n.skipped += e->verdict == GATE_NOISY;
    }
    return n;
}

static void junit_suite(struct arena *a, const struct gate_report *g, const char *experiment,
                        struct text *out)
{
    struct junit_counts n = junit_count(g, experiment);
    html_printf(
        out, " <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n",
        experiment, n.tests, n.failures, n.skipped);
    for (int i = 0; i < g->count; i++)
        if (strcmp(g->entries[i].experiment, experiment) == 0)
            junit_case(a, &g->entries[i], out);
    text_add(out, " </testsuite>\n");
}

// Of the whole, as a suite without cases: test suites have no properties where their list has some.
static void junit_properties(const struct gate_report *g, struct text *out)
{
    if (g->property_count == 0)
        return;
    text_add(out, " <testsuite name=\"properties\" tests=\"0\" failures=\"0\" errors=\"0\" "
                  "skipped=\"0\">\n  <properties>\n");
    for (int i = 0; i < g->property_count; i++)
        html_printf(out, "   <property name=\"%s\" value=\"%s\"/>\n", g->properties[i].name,
                    g->properties[i].value);
    text_add(out, "  </properties>\n </testsuite>\n");
}

static void junit_close(const struct suite_view *v, const struct report_out *o)
{
    struct arena a = {0};
    const struct gate_report *g = o->gate;
    struct junit_counts n = junit_count(g, NULL);
    (void)v;
    html_printf(o->text,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<testsuites name=\"ridge gate %s\" tests=\"%d\" failures=\"%d\" errors=\"0\">\n",
                g->suite, n.tests, n.failures);
    junit_properties(g, o->text);
    for (int i = 0; i < g->count; i++) {
        bool seen = false;
        for (int k = 0; k < i; k++)
            seen = seen || strcmp(g->entries[k].experiment, g->entries[i].experiment) == 0;
        if (!seen)
            junit_suite(&a, g, g->entries[i].experiment, o->text);
    }
    text_add(o->text, "</testsuites>\n");
    arena_release(&a);
}

const struct report_writer report_gate_junit = {.close = junit_close};
