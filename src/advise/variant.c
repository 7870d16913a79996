// Items of an experiment file as text: the file with one more variant.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"

#include <string.h>

char *yaml_quoted(struct arena *a, const char *s)
{
    struct text out = {0};
    text_add(&out, "\"");
    for (; *s; s++)
        if ((unsigned char)*s < ' ')
            text_add(&out, " ");
        else
            text_printf(&out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    text_add(&out, "\"");
    char *done = arena_strdup(a, text_str(&out));
    text_release(&out);
    return done;
}

// Where a line (from 1) begins; the text's end if it has fewer.
static const char *line_at(const char *text, int line)
{
    for (; line > 1 && *text; line--) {
        const char *end = strchr(text, '\n');
        text = end ? end + 1 : text + strlen(text);
    }
    return text;
}

// Back over blank lines and comments, which belong to what follows.
static const char *trimmed(const char *begin, const char *end)
{
    const char *kept = begin;
    for (const char *p = begin; p < end;) {
        const char *next = memchr(p, '\n', (size_t)(end - p));
        next = next ? next + 1 : end;
        const char *word = p + strspn(p, " \t\r");
        if (word < next && *word != '\n' && *word != '#' && *word != '\0')
            kept = next;
        p = next;
    }
    return kept;
}

// The first line behind a node's lines that begins at the column of `at` or before it.
static const char *behind(const char *text, const struct yaml_node *item, int column)
{
    int line = item->at.line;
    const char *p = line_at(text, line + 1);
    while (*p) {
        size_t indent = strspn(p, " ");
        bool blank =
            p[indent] == '\n' || p[indent] == '\r' || p[indent] == '#' || p[indent] == '\0';
        if (!blank && indent < (size_t)column - 1)
            return p;
        const char *end = strchr(p, '\n');
        p = end ? end + 1 : p + strlen(p);
    }
    return p;
}

static bool is_replaced(const char *key, const struct patch_key *keys, int count)
{
    static const char *const own[] = {"name",       "from",       "title",
                                      "hypothesis", "bottleneck", "expect"};
    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (strcmp(key, own[i]) == 0)
            return true;
    for (int i = 0; i < count; i++)
        if (strcmp(key, keys[i].name) == 0)
            return true;
    return false;
}

// The lines of the item's i-th key, without what belongs to the next.
static void add_key_lines(struct text *out, const char *text, const struct yaml_node *item,
                          size_t i, const char *item_end, int column)
{
    const char *begin = line_at(text, item->keys[i]->at.line);
    const char *end = item_end;
    for (size_t k = 0; k < item->count; k++) {
        const char *other = line_at(text, item->keys[k]->at.line);
        if (other > begin && other < end)
            end = other;
    }
    begin += column - 1; // of the first key the dash stands before it
    end = trimmed(begin, end);
    for (int k = 1; k < column; k++)
        text_add(out, " ");
    text_addn(out, begin, (size_t)(end - begin));
    if (end > begin && end[-1] != '\n')
        text_add(out, "\n");
}

// Keys of one line each, all at one column, the first behind "- ".
static bool is_plain_item(const char *text, const struct yaml_node *item, int column)
{
    for (size_t i = 0; i < item->count; i++) {
        const char *line = line_at(text, item->keys[i]->at.line);
        if (item->keys[i]->at.column != column)
            return false;
        for (int k = 0; k < column - 1; k++)
            if (line[k] != ' ' && !(line[k] == '-' && item->keys[i]->at.line == item->at.line))
                return false;
        for (size_t k = 0; k < i; k++)
            if (item->keys[k]->at.line == item->keys[i]->at.line)
                return false;
    }
    return item->count > 0;
}

char *variant_insert(struct arena *a, const char *text, const struct yaml_node *root,
                     const struct yaml_node *of, const char *name, const struct patch_key *keys,
                     int key_count, const char **why)
{
    const struct yaml_node *variants = yaml_get(root, "variants");
    int column = of->count > 0 ? of->keys[0]->at.column : 0;
    if (!variants || variants->kind != YAML_LIST || column < 3 ||
        !is_plain_item(text, of, column)) {
        *why = "the experiment's file does not write the variant one key per line";
        return NULL;
    }
    const struct yaml_node *last = variants->items[variants->count - 1];
    if (last->count == 0 || last->keys[0]->at.column != column ||
        !is_plain_item(text, last, column)) {
        *why = "the experiment's file does not write its last variant one key per line";
        return NULL;
    }
    struct text out = {0};
    const char *begin = line_at(text, last->at.line),
               *end = trimmed(begin, behind(text, last, column));
    const char *dash = memchr(line_at(text, of->at.line), '-', (size_t)column - 1);
    size_t indent = dash ? (size_t)(dash - line_at(text, of->at.line)) : 0;
    text_addn(&out, text, (size_t)(end - text));
    text_printf(&out, "%s\n%*s-%*sname: %s\n", end > text && end[-1] != '\n' ? "\n" : "",
                (int)indent, "", column - 2 - (int)indent, "", name);
    for (int i = 0; i < key_count; i++)
        text_printf(&out, "%*s%s: %s\n", column - 1, "", keys[i].name, keys[i].value);
    const char *of_end = behind(text, of, column);
    for (size_t i = 0; i < of->count; i++)
        if (!is_replaced(of->keys[i]->scalar, keys, key_count))
            add_key_lines(&out, text, of, i, of_end, column);
    text_add(&out, end);
    char *done = arena_strdup(a, text_str(&out));
    text_release(&out);
    return done;
}
