// A suite's times for services that track benchmarks: Bencher's metric format, and the JSON of
// github-action-benchmark that is called customSmallerIsBetter.
// SPDX-License-Identifier: Apache-2.0
#include "report/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_right(const struct result *r)
{
    return r->status == RESULT_OK && (!r->checked || r->verified) && has_time(r);
}

static const char *name_of(struct arena *a, const struct report_case *c, const struct result *r)
{
    const char *label = c->label && *c->label ? arena_printf(a, " %s", c->label) : "";
    return arena_printf(a, "%s%s %s", show_text(c->run->header.experiment), label,
                        show_text(r->variant));
}

static json_t *string(const char *s)
{
    json_t *j = json_string(s);
    return j ? j : json_string("?"); // no UTF-8
}

// Takes the reference. What was written last says whether it is the list's first item. bare: without the braces
// of its own, as an object's member.
static void add_json(const struct report_out *o, json_t *j, bool bare)
{
    char last = text_str(o->text)[o->text->length - 1]; // the list's opening at least
    char *dumped = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
    int length = dumped ? (int)strlen(dumped) : 0, off = bare ? 1 : 0;
    text_printf(o->text, "%s\n %.*s", last == '{' || last == '[' ? "" : ",", length - 2 * off,
                dumped ? dumped + off : "");
    free(dumped);
    json_decref(j);
}

/* ---- Bencher ---------------------------------------------------------------------------------------- */

static json_t *measure(double value)
{
    return json_pack("{s:f}", "value", value);
}

static void bmf_counters(const struct result *r, json_t *measures)
{
    static const enum counter_id counted[] = {
        COUNTER_WARP_INSTRUCTIONS, COUNTER_GLOBAL_LOAD_SECTORS, COUNTER_GLOBAL_STORE_SECTORS,
        COUNTER_REGISTERS_PER_THREAD};
    for (size_t i = 0; i < COUNT_OF(counted); i++) {
        double value = counters_get(&r->counters, counted[i], (double)NAN);
        if (isfinite(value))
            json_object_set_new(measures, counter_info(counted[i])->name, measure(value));
    }
}

static void bmf_open(const struct suite_view *v, const struct report_out *o)
{
    (void)v;
    text_add(o->text, "{");
}

static void bmf_each(const struct report_case *c, int i, const struct report_out *o)
{
    struct arena a = {0};
    const struct result *r = c->results[i];
    const struct summary *s = &r->time.summary;
    json_t *latency = measure(s->median), *measures = json_object();
    if (s->count > 1)
        json_object_update_new(
            latency, json_pack("{s:f, s:f}", "lower_value", s->low, "upper_value", s->high));
    json_object_set_new(measures, "latency", latency);
    bmf_counters(r, measures);
    json_t *name = string(name_of(&a, c, r)), *entry = json_object();
    json_object_set_new(entry, json_string_value(name), measures);
    add_json(o, entry, true);
    json_decref(name);
    arena_release(&a);
}

static void bmf_close(const struct suite_view *v, const struct report_out *o)
{
    (void)v;
    text_add(o->text, "\n}\n");
}

static const struct report_part bmf_parts[] = {{.has = is_right, .each = bmf_each}};
const struct report_writer report_bmf = {
    .open = bmf_open, .close = bmf_close, .parts = bmf_parts, .part_count = COUNT_OF(bmf_parts)};

/* ---- github-action-benchmark --------------------------------------------------------------------------- */

static void smaller_open(const struct suite_view *v, const struct report_out *o)
{
    (void)v;
    text_add(o->text, "[");
}

static void smaller_each(const struct report_case *c, int i, const struct report_out *o)
{
    struct arena a = {0};
    const struct result *r = c->results[i];
    const struct summary *s = &r->time.summary;
    json_t *entry = json_pack(
        "{s:o, s:s, s:f, s:s}", "name", string(name_of(&a, c, r)), "unit", "ns", "value", s->median,
        "extra",
        arena_printf(&a, "%s on %s, %zu sample%s", provenance_name(r->time.provenance),
                     show_text(c->run->header.device_id), s->count, plural((double)s->count)));
    if (s->count > 1)
        json_object_set_new(
            entry, "range",
            json_string(arena_printf(&a, "%.4g to %.4g (95 %% of the median)", s->low, s->high)));
    add_json(o, entry, false);
    arena_release(&a);
}

static void smaller_close(const struct suite_view *v, const struct report_out *o)
{
    (void)v;
    text_add(o->text, "\n]\n");
}

static const struct report_part smaller_parts[] = {{.has = is_right, .each = smaller_each}};
const struct report_writer report_smaller = {.open = smaller_open,
                                             .close = smaller_close,
                                             .parts = smaller_parts,
                                             .part_count = COUNT_OF(smaller_parts)};
