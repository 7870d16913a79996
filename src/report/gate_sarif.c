// A gate's verdicts as SARIF 2.1.0: a result per figure that grew, at the line where it grew most, so that
// code scanning shows it in the pull request. What passes is no result.
// SPDX-License-Identifier: Apache-2.0
#include "report/gate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const double percent = 100;

static json_t *string(const char *s)
{
    json_t *j = json_string(s ? s : "");
    return j ? j : json_string("?"); // no UTF-8
}

static json_t *message(const char *s)
{
    return json_pack("{s:o}", "text", string(s));
}

/* ---- rules ------------------------------------------------------------------------------------------ */

static void add_rule(json_t *rules, const char *id, const char *meaning, const char *level)
{
    json_array_append_new(rules,
                          json_pack("{s:s, s:o, s:{s:s}}", "id", id, "shortDescription",
                                    message(meaning), "defaultConfiguration", "level", level));
}

static const char *level_of(enum gate_verdict v)
{
    return gate_verdict_fails(v) ? "error" : "warning";
}

static const char *verdict_rule(struct arena *a, enum gate_verdict v)
{
    char *id = arena_printf(a, "ridge/%s", gate_verdict_name(v));
    for (char *c = id; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    return id;
}

static json_t *rules(struct arena *a)
{
    json_t *list = json_array();
    for (int v = 0; v <= GATE_NOISY; v++) // verdicts.def begins with those that are shown
        add_rule(list, verdict_rule(a, (enum gate_verdict)v),
                 gate_verdict_meaning((enum gate_verdict)v), level_of((enum gate_verdict)v));
    for (int f = 0; f < LOCK_FIGURE_COUNT; f++)
        add_rule(list, arena_printf(a, "ridge/%s", lock_figure_name((enum lock_figure)f)),
                 lock_figure_increase((enum lock_figure)f), "error");
    add_rule(list, "ridge/time_ns", "more modelled time", "error");
    return list;
}

/* ---- results ----------------------------------------------------------------------------------------- */

// A path as a URI reference: relative ones are the repository's.
static json_t *artifact(const char *path)
{
    struct text uri = {0};
    bool absolute = *path == '/';
    if (absolute)
        text_add(&uri, "file://");
    for (const char *c = path; *c; c++)
        text_printf(&uri, isalnum((unsigned char)*c) || strchr("/._-~", *c) ? "%c" : "%%%02X",
                    (unsigned)(unsigned char)*c);
    json_t *j = json_pack("{s:s}", "uri", text_str(&uri));
    if (!absolute)
        json_object_set_new(j, "uriBaseId", json_string("%SRCROOT%"));
    text_release(&uri);
    return j;
}

static json_t *result(struct arena *a, const struct gate_entry *e, const char *rule,
                      const char *words, const char *file, int line)
{
    struct text name = {0};
    char hash[33];
    gate_name(e, &name);
    const char *key = arena_printf(a, "%s %s", rule, text_str(&name));
    const struct hash_piece piece = {key, strlen(key)};
    hash_hex(&piece, 1, hash);
    json_t *j = json_pack("{s:s, s:s, s:o, s:{s:s}}", "ruleId", rule, "level", level_of(e->verdict),
                          "message", message(arena_printf(a, "%s: %s", text_str(&name), words)),
                          "partialFingerprints", "ridgeResult/v1", hash);
    if (file)
        json_object_set_new(j, "locations",
                            json_pack("[{s:{s:o, s:{s:i}}}]", "physicalLocation",
                                      "artifactLocation", artifact(file), "region", "startLine",
                                      line > 0 ? line : 1));
    text_release(&name);
    return j;
}

static const char *change_words(struct arena *a, const struct gate_change *c)
{
    const char *grown =
        c->before > 0 ? arena_printf(a, ", %+.1f %%", percent * (c->after / c->before - 1)) : "";
    const char *all = arena_printf(a, "%s %.6g to %.6g%s", c->name, c->before, c->after, grown);
    return c->file ? arena_printf(a, "%s (%s in all)", gate_line_words(a, c), all) : all;
}

static void add_results(struct arena *a, const struct gate_entry *e, json_t *list)
{
    bool any = false;
    for (int i = 0; i < e->change_count; i++) {
        const struct gate_change *c = &e->changes[i];
        if (!c->worse)
            continue;
        any = true;
        json_array_append_new(list,
                              result(a, e, arena_printf(a, "ridge/%s", c->name), change_words(a, c),
                                     c->file ? c->file : e->file, c->file ? c->line : e->line));
    }
    if (!any)
        json_array_append_new(list, result(a, e, verdict_rule(a, e->verdict),
                                           e->why ? e->why : gate_verdict_meaning(e->verdict),
                                           e->file, e->line));
}

static void sarif_close(const struct suite_view *v, const struct report_out *o)
{
    struct arena a = {0};
    const struct gate_report *g = o->gate;
    json_t *results = json_array(), *properties = json_object();
    (void)v;
    for (int i = 0; i < g->count; i++)
        if (g->entries[i].verdict <= GATE_NOISY)
            add_results(&a, &g->entries[i], results);
    json_object_set_new(properties, "baseline", string(g->baseline));
    for (int i = 0; i < g->property_count; i++)
        json_object_set_new(properties, g->properties[i].name, string(g->properties[i].value));
    json_t *j = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:[{s:b}], s:o, s:o}]}", "$schema",
                          "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                          "runs", "tool", "driver", "name", "ridge", "semanticVersion",
                          RIDGE_VERSION, "rules", rules(&a), "invocations", "executionSuccessful",
                          1, "results", results, "properties", properties);
    char *dumped = json_dumps(j, JSON_INDENT(1));
    text_printf(o->text, "%s\n", dumped ? dumped : "{}");
    free(dumped);
    json_decref(j);
    arena_release(&a);
}

const struct report_writer report_gate_sarif = {.close = sarif_close};
