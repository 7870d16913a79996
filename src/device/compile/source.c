// A source and all it includes, read and hashed. Directives are found as a compiler's first phases find
// them (spliced lines, comments, strings), without evaluating #if: a file behind a false one is hashed
// too, which is harmless. What cannot be known that way, an include named by a macro, makes the source
// one whose code is not kept (source.untold), unless the compiler says afterwards what it read.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SOURCE_BYTES_MAX = 16 * 1024 * 1024,
    MACHINE_CODE_BYTES_MAX = 256 * 1024 * 1024, // a library's module has all its kernels
    INCLUDES_MAX = 1000,                        // files; a source that reaches more is not kept
    RAW_DELIMITER_MAX = 16,
};

struct scan {
    struct arena *arena;
    const char *directory;      // of the main source: an include path of both compilers
    const char *const *folders; // further ones, of flags
    int folder_count;
    const char **texts; // of files, and their sizes: the arena's
    size_t *sizes_bytes, text_capacity, size_capacity;
    size_t text_count, size_count;
    struct table seen;  // paths
    const char **files; // the same, in their order
    size_t file_count, file_capacity;
    struct text content; // "path-independent": the texts, one after the other
    bool untold, asks, host;
};

// After a backslash and a line's end, "" otherwise: lines are spliced before anything else.
static const char *splice_end(const char *s)
{
    if (*s != '\\')
        return NULL;
    s += 1 + strspn(s + 1, " \t\r");
    return *s == '\n' ? s + 1 : NULL;
}

static char *splice_lines(const char *text, size_t size_bytes)
{
    char *out = xcalloc(size_bytes + 1, 1);
    size_t n = 0;
    for (const char *s = text, *next; *s;) {
        if ((next = splice_end(s)))
            s = next;
        else
            out[n++] = *s++;
    }
    return out;
}

// After the string or character at *s; it ends at the line's end at the latest.
static const char *after_quoted(const char *s)
{
    char quote = *s++;
    while (*s && *s != quote && *s != '\n')
        s += *s == '\\' && s[1] && s[1] != '\n' ? 2 : 1;
    return *s == quote ? s + 1 : s;
}

// After R"x(…)x" whose quote is at s; splices within are of no matter to where it ends.
static const char *after_raw(const char *s)
{
    char closing[RAW_DELIMITER_MAX + 3] = ")";
    size_t length = strcspn(s + 1, "( )\\\t\v\f\n");
    if (length > RAW_DELIMITER_MAX || s[1 + length] != '(')
        return after_quoted(s);
    memcpy(closing + 1, s + 1, length);
    closing[1 + length] = '"';
    const char *end = strstr(s, closing);
    return end ? end + length + 2 : s + strlen(s);
}

// After a comment at s, else s.
static const char *after_comment(const char *s)
{
    if (s[0] == '/' && s[1] == '/')
        return s + strcspn(s, "\n");
    if (s[0] != '/' || s[1] != '*')
        return s;
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
}

static const char *skip_blank(const char *s)
{
    for (const char *before = NULL; s != before;) {
        before = s;
        while (*s != '\n' && isspace((unsigned char)*s))
            s++;
        if (s[0] == '/' && s[1] == '*')
            s = after_comment(s);
    }
    return s;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void scan_text(struct scan *s, const char *directory, const char *text, size_t size_bytes);

static void keep_text(struct scan *s, const char *text, size_t size_bytes)
{
    VEC_PUSH(s->texts, s->text_count, s->text_capacity, text);
    VEC_PUSH(s->sizes_bytes, s->size_count, s->size_capacity, size_bytes);
}

const char *path_plain(struct arena *a, const char *path)
{
    char *out = arena_strdup(a, path), *to = out;
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, "/");
        bool up = length == 2 && strncmp(at, "..", 2) == 0 && to - out >= 2 &&
                  !(to - out >= 3 && strncmp(to - 3, "../", 3) == 0);
        if (up) {
            for (to--; to > out && to[-1] != '/'; to--) {
            }
        } else if (!(length == 1 && *at == '.' && at[1] == '/') && !(length == 0 && to > out)) {
            memmove(to, at, length + (at[length] == '/'));
            to += length + (at[length] == '/');
        }
        at += length + (at[length] == '/');
    }
    *to = '\0';
    return out;
}

// True if the file was there (seen before counts).
static bool scan_file(struct scan *s, const char *path)
{
    path = path_plain(s->arena, path);
    if (table_has(&s->seen, path))
        return true;
    char *text = NULL;
    size_t size_bytes = 0;
    struct error ignored = {0};
    if (!file_exists(path))
        return false;
    if (s->file_count >= INCLUDES_MAX ||
        !file_read(path, SOURCE_BYTES_MAX, &text, &size_bytes, &ignored)) {
        s->asks = true;
        return true;
    }
    table_set(&s->seen, path, s);
    VEC_PUSH(s->files, s->file_count, s->file_capacity, path);
    text_printf(&s->content, "\n#file %s %zu\n", path_name(path), size_bytes);
    text_addn(&s->content, text, size_bytes);
    keep_text(s, arena_strndup(s->arena, text, size_bytes), size_bytes);
    scan_text(s, path_dir(s->arena, path), text, size_bytes);
    free(text);
    return true;
}

// Of a CUDA header, of the C++ library: what includes one of those is written for a host compiler too.
static bool is_hosts_header(const char *name)
{
    for (size_t i = 0; i < standard_header_count; i++)
        if (strcmp(standard_headers[i].name, name) == 0)
            return standard_headers[i].content == HEADER_STD ||
                   standard_headers[i].content == HEADER_LIBRARY ||
                   standard_headers[i].content == HEADER_HOST;
    return false;
}

// The name between the quotes or brackets at `at`; NULL if there is none.
static const char *included_name(struct arena *a, const char *at, bool *quoted)
{
    *quoted = *at == '"';
    if (*at != '"' && *at != '<')
        return NULL;
    size_t length = strcspn(at + 1, *quoted ? "\"\n" : ">\n");
    return at[1 + length] == (*quoted ? '"' : '>') ? arena_strndup(a, at + 1, length) : NULL;
}

static void take_include(struct scan *s, const char *directory, const char *at)
{
    bool quoted = false;
    at = skip_blank(at);
    const char *name = included_name(s->arena, at, &quoted);
    if (!name) {
        s->untold = s->untold || (*at != '"' && *at != '<'); // a macro's value
        return;
    }
    bool found = scan_file(s, path_join(s->arena, directory, name)) ||
                 scan_file(s, path_join(s->arena, s->directory, name));
    for (int i = 0; i < s->folder_count && !found; i++)
        found = scan_file(s, path_join(s->arena, s->folders[i], name));
    s->host = s->host || (!found && is_hosts_header(name));
}

// The directive after '#', up to its line's end.
static void take_directive(struct scan *s, const char *directory, const char *at)
{
    static const char *const including[] = {"include", "import", "embed"};
    at = skip_blank(at);
    size_t length = 0;
    while (is_word(at[length]))
        length++;
    for (size_t i = 0; i < COUNT_OF(including); i++)
        if (strlen(including[i]) == length && strncmp(at, including[i], length) == 0)
            take_include(s, directory, at + length);
    static const char next[] = "include_next", has[] = "__has_include";
    size_t line = strcspn(at, "\n");
    s->untold = s->untold || (length == sizeof next - 1 && strncmp(at, next, length) == 0);
    s->asks = s->asks || memmem(at, line, has, sizeof has - 1);
}

// A launch, or the function main.
static bool is_host(const char *at, const char *begin)
{
    static const char word[] = "main", launch[] = "<<<";
    if (strncmp(at, launch, sizeof launch - 1) == 0)
        return true;
    return strncmp(at, word, sizeof word - 1) == 0 && (at == begin || !is_word(at[-1])) &&
           *skip_blank(at + sizeof word - 1) == '(';
}

static void scan_text(struct scan *s, const char *directory, const char *text, size_t size_bytes)
{
    char *spliced = splice_lines(text, size_bytes);
    bool line_start = true;
    for (const char *at = spliced; *at;) {
        const char *next = after_comment(at);
        if (next != at) {
            at = next; // a comment does not end a line's start
        } else if (line_start && (*at == '#' || (at[0] == '%' && at[1] == ':'))) {
            take_directive(s, directory, at + (*at == '#' ? 1 : 2));
            line_start = false;
            at++;
        } else if (*at == '"' || (*at == '\'' && (at == spliced || !is_word(at[-1])))) {
            // 1'000 holds a separator, u'x' is seen as one: both end on their line.
            bool raw = *at == '"' && at > spliced && at[-1] == 'R';
            at = raw ? after_raw(at) : after_quoted(at);
            line_start = false;
        } else {
            s->host = s->host || is_host(at, spliced);
            line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
            at++;
        }
    }
    free(spliced);
}

bool source_covers(const struct source *source, const char *path)
{
    char *real = realpath(path, NULL);
    bool known = false;
    for (size_t i = 0; real && i < source->file_count && !known; i++) {
        char *one = realpath(source->files[i], NULL);
        known = one && strcmp(one, real) == 0;
        free(one);
    }
    free(real);
    return known;
}

size_t source_included(struct arena *a, const struct source *s, size_t file, const char *directive,
                       const char **name)
{
    static const char word[] = "include";
    bool quoted = false;
    const char *at = skip_blank(directive + 1);
    if (strncmp(at, word, sizeof word - 1) != 0 || is_word(at[sizeof word - 1]))
        return SIZE_MAX;
    *name = included_name(a, skip_blank(at + sizeof word - 1), &quoted);
    const char *directory = path_dir(a, s->files[file]);
    for (int i = quoted ? -2 : -1; *name && i < s->folder_count; i++) {
        const char *folder = i == -2 ? directory : i == -1 ? s->directory : s->folders[i];
        const char *path = path_plain(a, path_join(a, folder, *name));
        for (size_t n = 0; n < s->file_count; n++)
            if (strcmp(s->files[n], path) == 0)
                return n;
    }
    return SIZE_MAX;
}

static void source_hash(struct arena *a, struct source *source)
{
    struct scan s = {.arena = a,
                     .directory = source->directory,
                     .folders = source->folders,
                     .folder_count = source->folder_count};
    table_set(&s.seen, source->path, source);
    VEC_PUSH(s.files, s.file_count, s.file_capacity, source->path);
    text_addn(&s.content, source->text, source->size_bytes);
    keep_text(&s, source->text, source->size_bytes);
    scan_text(&s, source->directory, source->text, source->size_bytes);
    hash_hex(&(struct hash_piece){text_str(&s.content), s.content.length}, 1, source->hash);
    source->untold = s.untold;
    source->asks = s.asks;
    source->host = s.host;
    source->files = ARENA_ARRAY(a, const char *, s.file_count + 1);
    memcpy(source->files, s.files, s.file_count * sizeof *s.files);
    source->file_count = s.text_count; // a file too large to be read is the last, if at all
    source->texts = ARENA_ARRAY(a, const char *, s.text_count + 1);
    memcpy(source->texts, s.texts, s.text_count * sizeof *s.texts);
    source->sizes_bytes = ARENA_ARRAY(a, size_t, s.size_count + 1);
    memcpy(source->sizes_bytes, s.sizes_bytes, s.size_count * sizeof *s.sizes_bytes);
    free(s.files);
    free(s.texts);
    free(s.sizes_bytes);
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

bool source_read(struct arena *a, const char *path, const char *text, const struct flag_set *flags,
                 struct source *out, struct error *err)
{
    out->folders = flags ? flags->folders : NULL;
    out->folder_count = flags ? flags->folder_count : 0;
    char *read = NULL;
    bool machine_code = source_is_machine_code(path);
    out->size_bytes = text ? strlen(text) : 0;
    if (!text && !file_read(path, machine_code ? MACHINE_CODE_BYTES_MAX : SOURCE_BYTES_MAX, &read,
                            &out->size_bytes, err))
        return error_context(err, "reading the kernel source");
    out->text = arena_copy(a, text ? text : read, out->size_bytes);
    free(read);
    const char *prefix = working_prefix(a);
    out->path = path_plain(a, path_join(a, prefix ? prefix : "/", path));
    out->directory = path_dir(a, out->path);
    out->shown = shorten_paths(a, out->path);
    if (machine_code) {
        hash_hex(&(struct hash_piece){out->text, out->size_bytes}, 1, out->hash);
        return true;
    }
    if (memchr(out->text, '\0', out->size_bytes))
        return fail(err, (struct location){.file = out->shown},
                    "this is not a text file: it has NUL bytes");
    source_hash(a, out);
    return true;
}
