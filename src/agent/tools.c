// Tools: their JSON schemas, a call's arguments as a command line, and the part of a result that is wanted.
// SPDX-License-Identifier: Apache-2.0
#include "agent/internal.h"

#include <stdlib.h>
#include <string.h>

// Of every tool that has a result to select from.
static const char fields_name[] = "fields";
static const char everything[] = "*";

const struct agent_tool *tool_find(const struct agent_server *s, const char *name)
{
    for (int i = 0; i < s->tool_count; i++)
        if (strcmp(s->tools[i].name, name) == 0)
            return &s->tools[i];
    return NULL;
}

/* ---- schemas ------------------------------------------------------------------------------------------- */

static const char *const type_names[] = {[AGENT_TEXT] = "string",
                                         [AGENT_WHOLE] = "integer",
                                         [AGENT_NUMBER] = "number",
                                         [AGENT_FLAG] = "boolean"};

static json_t *property_schema(const struct agent_property *p)
{
    json_t *schema = json_object(), *type = json_string(type_names[p->type]);
    json_object_set_new(schema, "type", p->repeated ? json_string("array") : json_incref(type));
    if (p->repeated)
        json_object_set_new(schema, "items", json_pack("{s:O}", "type", type));
    if (p->repeated && p->required)
        json_object_set_new(schema, "minItems", json_integer(1));
    json_object_set_new(schema, "description", json_words(p->help));
    json_decref(type);
    return schema;
}

static json_t *fields_schema(const struct agent_tool *t)
{
    struct text help = {0};
    text_add(&help, "keys of the result to keep, as paths through objects and lists: "
                    "results.variant, results.time_ns.median; \"*\" keeps all");
    if (t->omitted)
        text_printf(&help, ". Without it all but these are kept: %s", t->omitted);
    json_t *schema = json_pack("{s:s, s:{s:s}, s:s}", "type", "array", "items", "type", "string",
                               "description", text_str(&help));
    text_release(&help);
    return schema;
}

static json_t *input_schema(const struct agent_tool *t)
{
    json_t *properties = json_object(), *required = json_array(), *schema = json_object();
    for (int i = 0; i < t->property_count; i++) {
        const struct agent_property *p = &t->properties[i];
        json_object_set_new(properties, p->name, property_schema(p));
        if (p->required)
            json_array_append_new(required, json_string(p->name));
    }
    json_object_set_new(properties, fields_name, fields_schema(t));
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "properties", properties);
    if (json_array_size(required) > 0)
        json_object_set(schema, "required", required);
    json_object_set_new(schema, "additionalProperties", json_false());
    json_decref(required);
    return schema;
}

json_t *tool_list(const struct agent_server *s)
{
    json_t *list = json_array();
    for (int i = 0; i < s->tool_count; i++) {
        const struct agent_tool *t = &s->tools[i];
        json_t *tool = json_object();
        json_object_set_new(tool, "name", json_string(t->name));
        json_object_set_new(tool, "title", json_words(t->title));
        json_object_set_new(tool, "description", json_words(t->help));
        json_object_set_new(tool, "inputSchema", input_schema(t));
        json_object_set_new(tool, "annotations",
                            json_pack("{s:b, s:b, s:b}", "readOnlyHint", t->reads_only,
                                      "destructiveHint", t->destroys, "openWorldHint", 0));
        json_array_append_new(list, tool);
    }
    return list;
}

/* ---- a call's command line --------------------------------------------------------------------------------- */

struct words {
    char **items;
    size_t count, capacity;
};

static bool is_of_type(const json_t *value, enum agent_type type)
{
    switch (type) {
    case AGENT_TEXT:
        return json_is_string(value);
    case AGENT_WHOLE:
        return json_is_integer(value);
    case AGENT_NUMBER:
        return json_is_number(value);
    case AGENT_FLAG:
        return json_is_boolean(value);
    }
    return false;
}

static const char *value_words(struct arena *a, const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_integer(value))
        return arena_printf(a, "%lld", (long long)json_integer_value(value));
    return arena_printf(a, "%.17g", json_real_value(value));
}

static bool word_add(struct arena *a, const struct agent_property *p, const json_t *value,
                     struct words *out, struct error *err)
{
    if (!is_of_type(value, p->type))
        return fail(err, NOWHERE, "'%s' must be %s%s", p->name,
                    p->repeated ? "a list, each of it of the type " : "of the type ",
                    type_names[p->type]);
    char *word = NULL;
    if (p->type == AGENT_FLAG)
        word = json_is_true(value) ? arena_printf(a, "--%s", p->option) : NULL;
    else if (p->option)
        word = arena_printf(a, "--%s=%s", p->option, value_words(a, value));
    else
        word = arena_strdup(a, value_words(a, value));
    if (word)
        VEC_PUSH(out->items, out->count, out->capacity, word);
    return true;
}

static bool property_add(struct arena *a, const struct agent_property *p, const json_t *value,
                         struct words *out, struct error *err)
{
    if (!p->repeated || !json_is_array(value)) // one may stand for a list of one
        return word_add(a, p, value, out, err);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!word_add(a, p, json_array_get(value, i), out, err))
            return false;
    return true;
}

static bool names_check(const struct agent_tool *t, json_t *arguments, struct error *err)
{
    enum { NAMES_MAX = 128 };
    const char *known[NAMES_MAX], *key;
    size_t count = 0;
    json_t *value;
    bool fine = true;
    for (int i = 0; i < t->property_count && count + 1 < NAMES_MAX; i++)
        known[count++] = t->properties[i].name;
    known[count++] = fields_name;
    json_object_foreach(arguments, key, value)
    {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            found = found || strcmp(known[i], key) == 0;
        if (!found && fine)
            fine = fail_unknown(err, NOWHERE, "argument", key, known, count);
    }
    return fine;
}

static bool fields_check(const json_t *fields, struct error *err)
{
    bool fine = !fields || json_is_array(fields);
    for (size_t i = 0; fine && i < json_array_size(fields); i++)
        fine = json_is_string(json_array_get(fields, i));
    return fine ||
           fail(err, NOWHERE, "'%s' must be a list of paths: [\"results.variant\"]", fields_name);
}

static bool words_add(struct arena *a, const struct agent_tool *t, const json_t *arguments,
                      bool options, struct words *out, struct error *err)
{
    const char *gap = NULL;
    for (int i = 0; i < t->property_count; i++) {
        const struct agent_property *p = &t->properties[i];
        const json_t *value = json_object_get(arguments, p->name);
        if ((p->option != NULL) != options)
            continue;
        if (json_is_null(value))
            value = NULL;
        if (!value && p->required)
            return fail(err, NOWHERE, "'%s' is missing: %s", p->name, p->help);
        if (!value && !options && !gap)
            gap = p->name;
        if (!value)
            continue;
        if (!options && gap)
            return fail(err, NOWHERE, "'%s' needs '%s' too", p->name, gap);
        if (!property_add(a, p, value, out, err))
            return false;
    }
    return true;
}

bool tool_command_line(struct arena *a, const struct agent_tool *t, json_t *arguments,
                       struct command_line *out, struct error *err)
{
    struct words w = {0};
    for (const char *const *word = t->words; *word; word++)
        VEC_PUSH(w.items, w.count, w.capacity, arena_strdup(a, *word));
    bool done = names_check(t, arguments, err) &&
                fields_check(json_object_get(arguments, fields_name), err) &&
                words_add(a, t, arguments, true, &w, err);
    VEC_PUSH(w.items, w.count, w.capacity, arena_strdup(a, "--")); // what follows is no option
    done = done && words_add(a, t, arguments, false, &w, err);
    if (done) {
        out->argv = ARENA_ARRAY(a, char *, w.count + 1);
        memcpy(out->argv, w.items, w.count * sizeof *w.items);
        out->argc = (int)w.count;
    }
    free(w.items);
    return done;
}

/* ---- parts of a result ------------------------------------------------------------------------------------- */

enum { PATHS_MAX = 64 };

// The path begins with that key: what follows is in *rest, NULL at its end.
static bool path_enters(const char *path, const char *key, const char **rest)
{
    size_t n = strlen(key);
    if (strncmp(path, key, n) != 0 || (path[n] != '\0' && path[n] != '.'))
        return false;
    *rest = path[n] ? path + n + 1 : NULL;
    return true;
}

// keeps: nothing but what the paths name, scalars of the outermost object too; else all but that.
static void select_of(json_t *json, const char *const *paths, int count, bool keeps, bool outermost)
{
    const char *key;
    json_t *value;
    void *next;
    for (size_t i = 0; json_is_array(json) && i < json_array_size(json); i++)
        select_of(json_array_get(json, i), paths, count, keeps, outermost);
    if (!json_is_object(json))
        return;
    json_object_foreach_safe(json, next, key, value)
    {
        const char *below[PATHS_MAX]; // what is left of the paths below this value
        int n = 0;
        bool named = false;
        for (int i = 0; i < count; i++) {
            const char *rest;
            if (!path_enters(paths[i], key, &rest))
                continue;
            named = named || !rest;
            if (rest)
                below[n++] = rest;
        }
        bool scalar = !json_is_object(value) && !json_is_array(value);
        if (named ? !keeps : keeps && n == 0 && !(outermost && scalar))
            json_object_del(json, key);
        else if (!named && n > 0)
            select_of(value, below, n, keeps, false);
    }
}

void tool_select(const struct agent_tool *t, const json_t *arguments, json_t *result)
{
    const json_t *fields = json_object_get(arguments, fields_name);
    const char *paths[PATHS_MAX];
    struct arena a = {0};
    int count = 0;
    bool all = false;
    for (size_t i = 0; i < json_array_size(fields) && count < PATHS_MAX; i++) {
        paths[count] = json_string_value(json_array_get(fields, i));
        all = all || strcmp(paths[count], everything) == 0;
        count++;
    }
    bool keeps = count > 0;
    char *list = !keeps && t->omitted ? arena_strdup(&a, t->omitted) : NULL, *more = NULL;
    for (char *p = list ? strtok_r(list, " ", &more) : NULL; p && count < PATHS_MAX;
         p = strtok_r(NULL, " ", &more))
        paths[count++] = p;
    if (count > 0 && !all)
        select_of(result, paths, count, keeps, true);
    arena_release(&a);
}
