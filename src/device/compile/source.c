// A source and all it includes, read and hashed. Includes are found by their lines, without
// preprocessing: a file behind a false #if is hashed too (harmless), one named by a macro is not.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SOURCE_BYTES_MAX = 16 * 1024 * 1024,
    INCLUDES_MAX = 1000, // files; a source that reaches more is hashed by the first
};

struct scan {
    struct arena *arena;
    const char *directory; // of the main source: an include path of both compilers
    struct table seen;     // paths
    struct text content;   // "path-independent": the texts, one after the other
};

// The name in an #include line, or NULL.
static const char *include_name(struct arena *a, const char *line, size_t length)
{
    const char *end = line + length;
    static const char word[] = "include";
    while (line < end && isspace((unsigned char)*line))
        line++;
    if (line == end || *line++ != '#')
        return NULL;
    while (line < end && isspace((unsigned char)*line))
        line++;
    if ((size_t)(end - line) < sizeof word || memcmp(line, word, sizeof word - 1) != 0)
        return NULL;
    line += sizeof word - 1;
    while (line < end && isspace((unsigned char)*line))
        line++;
    if (line == end || (*line != '"' && *line != '<'))
        return NULL;
    char closing = *line++ == '"' ? '"' : '>';
    const char *close = memchr(line, closing, (size_t)(end - line));
    return close ? arena_strndup(a, line, (size_t)(close - line)) : NULL;
}

static void scan_text(struct scan *s, const char *directory, const char *text);

// True if the file was there (seen before counts).
static bool scan_file(struct scan *s, const char *path)
{
    if (table_has(&s->seen, path))
        return true;
    char *text = NULL;
    size_t size_bytes = 0;
    struct error ignored = {0};
    if (s->seen.count >= INCLUDES_MAX || !file_exists(path) ||
        !file_read(path, SOURCE_BYTES_MAX, &text, &size_bytes, &ignored))
        return false;
    table_set(&s->seen, path, s);
    text_printf(&s->content, "\n#file %s %zu\n", path_name(path), size_bytes);
    text_addn(&s->content, text, size_bytes);
    scan_text(s, path_dir(s->arena, path), text);
    free(text);
    return true;
}

static void scan_text(struct scan *s, const char *directory, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *name = include_name(s->arena, text, length);
        if (name && !scan_file(s, path_join(s->arena, directory, name)))
            (void)scan_file(s, path_join(s->arena, s->directory, name));
        text += length;
        if (*text == '\n')
            text++;
    }
}

static void source_hash(struct arena *a, struct source *source)
{
    struct scan s = {.arena = a, .directory = source->directory};
    table_set(&s.seen, source->path, source);
    text_addn(&s.content, source->text, source->size_bytes);
    scan_text(&s, source->directory, source->text);
    hash_hex(&(struct hash_piece){text_str(&s.content), s.content.length}, 1, source->hash);
    table_release(&s.seen);
    text_release(&s.content);
}

// "/home/me/kernels/" or NULL when there is no working folder or it is the root.
static char *working_prefix(struct arena *a)
{
    char *cwd = getcwd(NULL, 0);
    char *prefix = cwd && strcmp(cwd, "/") != 0 ? arena_printf(a, "%s/", cwd) : NULL;
    free(cwd);
    return prefix;
}

const char *shorten_paths(struct arena *a, const char *message)
{
    const char *prefix = working_prefix(a);
    if (!prefix)
        return message;
    struct text out = {0};
    for (const char *hit; (hit = strstr(message, prefix)); message = hit + strlen(prefix)) {
        // Only where a name starts: "/x/home/me/kernels/k.cu" is another file.
        bool starts =
            hit == message || !(isalnum((unsigned char)hit[-1]) || strchr("/._-", hit[-1]));
        text_addn(&out, message, (size_t)(hit - message) + (starts ? 0 : strlen(prefix)));
    }
    text_add(&out, message);
    const char *shortened = arena_strdup(a, text_str(&out));
    text_release(&out);
    return shortened;
}

bool source_read(struct arena *a, const char *path, struct source *out, struct error *err)
{
    char *text = NULL;
    if (!file_read(path, SOURCE_BYTES_MAX, &text, &out->size_bytes, err))
        return error_context(err, "reading the kernel source");
    out->text = arena_strndup(a, text, out->size_bytes);
    free(text);
    const char *prefix = working_prefix(a);
    out->path = path_join(a, prefix ? prefix : "/", str_starts_with(path, "./") ? path + 2 : path);
    out->directory = path_dir(a, out->path);
    out->shown = shorten_paths(a, out->path);
    if (memchr(out->text, '\0', out->size_bytes))
        return fail(err, (struct location){.file = out->shown},
                    "this is not a text file: it has NUL bytes");
    source_hash(a, out);
    return true;
}
