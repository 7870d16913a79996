// YAML through libyaml's events: text in, a tree of located nodes out. What a person could write by
// accident and we could misread is an error: duplicate keys, anchors, aliases, tags, more documents
// than one. Columns count characters, as libyaml does. The schema side is in yaml_schema.c.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { YAML_MAX_DEPTH = 64 };

struct builder {
    yaml_parser_t parser;
    struct arena *arena;
    const char *file, *source;
    size_t source_bytes;
    struct error *err;
};

struct node_vec {
    struct yaml_node **items;
    size_t count, capacity;
};

static int clamp_to_int(size_t n)
{
    return n < INT_MAX ? (int)n : INT_MAX;
}

static struct location place_of(const struct builder *b, yaml_mark_t mark)
{
    return (struct location){.file = b->file,
                             .line = clamp_to_int(mark.line + 1),
                             .column = clamp_to_int(mark.column + 1),
                             .source = b->source};
}

// libyaml's reader knows its errors by byte offset only.
static struct location place_of_offset(const struct builder *b, size_t offset)
{
    struct location at = {.file = b->file, .line = 1, .column = 1, .source = b->source};
    for (size_t i = 0; i < offset && i < b->source_bytes; i++) {
        if (b->source[i] == '\n') {
            at.line++;
            at.column = 1;
        } else if (((unsigned char)b->source[i] & 0xC0) != 0x80) { // not a continuation byte
            at.column++;
        }
    }
    return at;
}

// Only blanks can stand before a tab that libyaml stumbles over: columns are bytes there.
static bool is_tab(const struct builder *b, struct location at)
{
    const char *line = b->source;
    for (int n = 1; n < at.line && line; n++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    for (int n = 1; n < at.column && line; n++, line++)
        if (*line != ' ' && *line != '\t')
            return false;
    return line && *line == '\t';
}

static bool fail_parser(struct builder *b)
{
    const yaml_parser_t *p = &b->parser;
    const char *problem = p->problem ? p->problem : "it cannot be parsed";
    if (p->error == YAML_SCANNER_ERROR && is_tab(b, place_of(b, p->problem_mark)))
        return fail(b->err, place_of(b, p->problem_mark),
                    "not valid YAML: a tab; indent with spaces");
    switch (p->error) {
    case YAML_READER_ERROR:
        return fail(b->err, place_of_offset(b, p->problem_offset), "not a valid text: %s", problem);
    case YAML_SCANNER_ERROR:
    case YAML_PARSER_ERROR:
        return fail(b->err, place_of(b, p->problem_mark), "not valid YAML: %s%s%s", problem,
                    p->context ? " " : "", p->context ? p->context : "");
    case YAML_NO_ERROR:
    case YAML_MEMORY_ERROR:
    case YAML_COMPOSER_ERROR:
    case YAML_WRITER_ERROR:
    case YAML_EMITTER_ERROR:
        break;
    }
    return fail_as(b->err, ERROR_SYSTEM, (struct location){.file = b->file}, "%s", problem);
}

// The caller deletes the event.
static bool next_event(struct builder *b, yaml_event_t *event)
{
    if (yaml_parser_parse(&b->parser, event))
        return true;
    return fail_parser(b);
}

static bool next_node(struct builder *b, const yaml_event_t *event, int depth,
                      struct yaml_node **out);

static bool check_plain(struct builder *b, const yaml_event_t *event, const yaml_char_t *anchor,
                        const yaml_char_t *tag)
{
    if (anchor)
        return fail(b->err, place_of(b, event->start_mark),
                    "anchors are not supported: write the value out where it is used");
    if (tag)
        return fail(b->err, place_of(b, event->start_mark),
                    "tags are not supported: leave '%s' out", (const char *)tag);
    return true;
}

static struct yaml_node *new_node(struct builder *b, const yaml_event_t *event, enum yaml_kind kind)
{
    struct yaml_node *node = ARENA_NEW(b->arena, struct yaml_node);
    node->kind = kind;
    node->at = place_of(b, event->start_mark);
    return node;
}

static bool build_scalar(struct builder *b, const yaml_event_t *event, struct yaml_node **out)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (!check_plain(b, event, event->data.scalar.anchor, event->data.scalar.tag))
        return false;
    if (memchr(value, '\0', length))
        return fail(b->err, place_of(b, event->start_mark), "a NUL character in a value");
    *out = new_node(b, event, YAML_SCALAR);
    (*out)->scalar = arena_strndup(b->arena, value, length);
    return true;
}

static struct yaml_node **keep_items(struct builder *b, const struct node_vec *v)
{
    struct yaml_node **items = ARENA_ARRAY(b->arena, struct yaml_node *, v->count);
    if (v->count > 0)
        memcpy(items, v->items, v->count * sizeof(struct yaml_node *));
    return items;
}

// Reads one node unless the event ends the collection; *ended says so.
static bool build_member(struct builder *b, yaml_event_type_t end, int depth,
                         struct yaml_node **out, bool *ended)
{
    yaml_event_t event;
    if (!next_event(b, &event))
        return false;
    *ended = event.type == end;
    bool done = *ended || next_node(b, &event, depth, out);
    yaml_event_delete(&event);
    return done;
}

static int open_parentheses(const char *s)
{
    int open = 0;
    for (; *s; s++)
        open += (*s == '(') - (*s == ')');
    return open;
}

// YAML parts [ceil_div(N,32), 8] at every comma; a call is one item: it goes on until it is closed.
static bool joins_last(struct builder *b, struct node_vec *items, const struct yaml_node *item)
{
    struct yaml_node *last = items->count > 0 ? items->items[items->count - 1] : NULL;
    if (!last || last->kind != YAML_SCALAR || item->kind != YAML_SCALAR ||
        open_parentheses(last->scalar) <= 0)
        return false;
    last->scalar = arena_printf(b->arena, "%s,%s", last->scalar, item->scalar);
    return true;
}

static bool build_list(struct builder *b, const yaml_event_t *event, int depth,
                       struct yaml_node **out)
{
    if (!check_plain(b, event, event->data.sequence_start.anchor, event->data.sequence_start.tag))
        return false;
    struct node_vec items = {0};
    struct yaml_node *item = NULL;
    bool ended = false, done = true;
    while (done && !ended) {
        done = build_member(b, YAML_SEQUENCE_END_EVENT, depth + 1, &item, &ended);
        if (done && !ended && !joins_last(b, &items, item))
            VEC_PUSH(items.items, items.count, items.capacity, item);
    }
    if (done) {
        *out = new_node(b, event, YAML_LIST);
        (*out)->count = items.count;
        (*out)->items = keep_items(b, &items);
    }
    free(items.items);
    return done;
}

static bool check_key(struct builder *b, struct table *seen, struct yaml_node *key)
{
    if (key->kind != YAML_SCALAR)
        return fail(b->err, key->at, "a key must be a word, not a list or a map");
    const struct yaml_node *first = table_get(seen, key->scalar);
    if (first)
        return fail(b->err, key->at, "duplicate key '%s' (first on line %d)", key->scalar,
                    first->at.line);
    table_set(seen, key->scalar, key);
    return true;
}

static bool build_map(struct builder *b, const yaml_event_t *event, int depth,
                      struct yaml_node **out)
{
    if (!check_plain(b, event, event->data.mapping_start.anchor, event->data.mapping_start.tag))
        return false;
    struct node_vec keys = {0}, values = {0};
    struct table seen = {0};
    struct yaml_node *key = NULL, *value = NULL;
    bool ended = false, done = true;
    while (done && !ended) {
        done = build_member(b, YAML_MAPPING_END_EVENT, depth + 1, &key, &ended);
        if (!done || ended)
            break;
        bool cut = false; // libyaml gives every key a value
        done = check_key(b, &seen, key) &&
               build_member(b, YAML_MAPPING_END_EVENT, depth + 1, &value, &cut) && !cut;
        if (done) {
            VEC_PUSH(keys.items, keys.count, keys.capacity, key);
            VEC_PUSH(values.items, values.count, values.capacity, value);
        }
    }
    if (done) {
        *out = new_node(b, event, YAML_MAP);
        (*out)->count = keys.count;
        (*out)->keys = keep_items(b, &keys);
        (*out)->items = keep_items(b, &values);
    }
    free(keys.items);
    free(values.items);
    table_release(&seen);
    return done;
}

static bool next_node(struct builder *b, const yaml_event_t *event, int depth,
                      struct yaml_node **out)
{
    if (depth > YAML_MAX_DEPTH)
        return fail(b->err, place_of(b, event->start_mark), "nested deeper than %d levels",
                    YAML_MAX_DEPTH);
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return build_scalar(b, event, out);
    case YAML_SEQUENCE_START_EVENT:
        return build_list(b, event, depth, out);
    case YAML_MAPPING_START_EVENT:
        return build_map(b, event, depth, out);
    case YAML_ALIAS_EVENT:
        return fail(b->err, place_of(b, event->start_mark),
                    "aliases are not supported: write the value out instead of '*%s'",
                    (const char *)event->data.alias.anchor);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        break; // libyaml's grammar has none of these here
    }
    return fail(b->err, place_of(b, event->start_mark), "not valid YAML");
}

// One step of the frame around the document: stream and document starts and ends.
static bool build_step(struct builder *b, const yaml_event_t *event, struct yaml_node **root,
                       bool *ended)
{
    switch (event->type) {
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    case YAML_NO_EVENT:
        return true;
    case YAML_STREAM_END_EVENT:
        *ended = true;
        if (*root)
            return true;
        return fail(b->err, (struct location){.file = b->file}, "the file is empty");
    case YAML_DOCUMENT_START_EVENT:
        if (*root)
            return fail(b->err, place_of(b, event->start_mark),
                        "a second document: only one is allowed in a file");
        if (event->data.document_start.tag_directives.start !=
            event->data.document_start.tag_directives.end)
            return fail(b->err, place_of(b, event->start_mark), "tags are not supported");
        return true;
    case YAML_ALIAS_EVENT:
    case YAML_SCALAR_EVENT:
    case YAML_SEQUENCE_START_EVENT:
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_START_EVENT:
    case YAML_MAPPING_END_EVENT:
        return next_node(b, event, 1, root);
    }
    return true;
}

bool yaml_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                struct yaml_node **root, struct error *err)
{
    static const char mark[] = "\xef\xbb\xbf"; // some editors' byte order mark
    if (size_bytes >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0) {
        text += strlen(mark);
        size_bytes -= strlen(mark);
    }
    struct builder b = {.arena = a, .source_bytes = size_bytes, .err = err};
    b.file = file ? arena_strdup(a, file) : NULL;
    char *source = arena_alloc(a, size_bytes + 1);
    if (size_bytes > 0)
        memcpy(source, text, size_bytes);
    b.source = source;
    *root = NULL;
    if (!yaml_parser_initialize(&b.parser))
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "out of memory in libyaml");
    yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)source, size_bytes);

    bool ended = false, done = true;
    while (done && !ended) {
        yaml_event_t event;
        done = next_event(&b, &event);
        if (!done)
            break;
        done = build_step(&b, &event, root, &ended);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&b.parser);
    if (!done)
        *root = NULL;
    return done;
}
