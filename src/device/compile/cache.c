// The cache of compiled code: a file is valid PTX whose first two lines are comments: a checksum of
// everything after it, and what else is known as JSON. One file, written whole: a broken or truncated
// one fails its checksum and is compiled anew, and so is one that another user owns. Nothing here fails:
// without a cache it is only slower.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CACHE_BYTES_MAX = 64 * 1024 * 1024, MEMO_BYTES_MAX = 4096, HASH_DIGITS = 32 };

static const char checksum_head[] = "// ridge-cache 1 ";
static const char detail_head[] = "// ";

static const char *cache_path(struct arena *a, const char *name)
{
    return user_cache_path(a, arena_printf(a, "ptx/%s.ptx", name));
}

static const char *machine_path(struct arena *a, const char *name)
{
    return user_cache_path(a, arena_printf(a, "ptx/%s.cubin", name));
}

// Line, loop, instructions and moved in turns.
static json_t *lines_to_json(const struct code_kernel *k)
{
    json_t *lines = json_array();
    for (int i = 0; i < k->line_count; i++) {
        json_array_append_new(lines, json_integer(k->lines[i].line));
        json_array_append_new(lines, json_integer(k->lines[i].loop));
        json_array_append_new(lines, json_integer(k->lines[i].instructions));
        json_array_append_new(lines, json_integer(k->lines[i].moved));
    }
    return lines;
}

static void lines_from_json(struct arena *a, json_t *lines, struct code_kernel *k)
{
    enum { FIELDS = 4 };
    size_t count = json_array_size(lines) / FIELDS;
    k->lines = ARENA_ARRAY(a, struct code_line, count + 1);
    for (size_t i = 0; i < count; i++)
        k->lines[k->line_count++] =
            (struct code_line){(int)json_integer_value(json_array_get(lines, FIELDS * i)),
                               (int)json_integer_value(json_array_get(lines, FIELDS * i + 1)),
                               (int)json_integer_value(json_array_get(lines, FIELDS * i + 2)),
                               (int)json_integer_value(json_array_get(lines, FIELDS * i + 3))};
}

static json_t *kernels_to_json(const struct code_object *code)
{
    json_t *kernels = json_array();
    for (int i = 0; i < code->kernel_count; i++) {
        const struct code_kernel *k = &code->kernels[i];
        json_array_append_new(kernels,
                              json_pack("{s:s, s:i, s:i, s:i, s:o}", "name", k->name, "registers",
                                        k->registers, "shared_bytes", k->shared_bytes,
                                        "spill_bytes", k->spill_bytes, "lines", lines_to_json(k)));
    }
    return kernels;
}

void cache_head_add(struct text *out, const char *body, size_t size_bytes)
{
    char checksum[HASH_DIGITS + 1];
    hash_hex(&(struct hash_piece){body, size_bytes}, 1, checksum);
    text_printf(out, "%s%s\n", checksum_head, checksum);
}

static void machine_put(struct arena *a, const char *name, const struct code_object *code)
{
    struct text file = {0};
    cache_head_add(&file, code->machine, code->machine_bytes);
    text_addn(&file, code->machine, code->machine_bytes);
    (void)private_write(machine_path(a, name), file.data, file.length);
    text_release(&file);
}

void cache_put(const char *name, const struct code_object *code)
{
    struct arena a = {0};
    struct text body = {0}, file = {0};
    json_t *detail = json_pack("{s:s, s:s, s:s, s:s, s:s*, s:o}", "key", code->key, "compiler",
                               code->compiler, "arch", code->arch, "log", code->log, "counted",
                               code->counted, "kernels", kernels_to_json(code));
    char *line = detail ? json_dumps(detail, JSON_COMPACT) : NULL;
    if (line) {
        text_printf(&body, "%s%s\n", detail_head, line);
        text_addn(&body, code->bytes, code->size_bytes);
        cache_head_add(&file, body.data, body.length);
        text_addn(&file, body.data, body.length);
        (void)private_write(cache_path(&a, name), file.data, file.length);
    }
    if (code->machine)
        machine_put(&a, name, code);
    free(line);
    json_decref(detail);
    text_release(&body);
    text_release(&file);
    arena_release(&a);
}

static bool detail_read(struct arena *a, json_t *detail, struct code_object *out)
{
    const char *key = NULL, *compiler = NULL, *arch = NULL, *log = NULL, *counted = NULL;
    json_t *kernels = NULL;
    if (json_unpack(detail, "{s:s, s:s, s:s, s:s, s?s, s:o}", "key", &key, "compiler", &compiler,
                    "arch", &arch, "log", &log, "counted", &counted, "kernels", &kernels) != 0 ||
        strlen(key) >= sizeof out->key)
        return false;
    memcpy(out->key, key, strlen(key) + 1);
    out->compiler = arena_strdup(a, compiler);
    out->arch = arena_strdup(a, arch);
    out->log = arena_strdup(a, log);
    out->counted = counted ? arena_strdup(a, counted) : NULL;
    out->kernels = ARENA_ARRAY(a, struct code_kernel, json_array_size(kernels));
    out->kernel_count = 0;
    size_t i = 0;
    json_t *item = NULL;
    json_array_foreach(kernels, i, item)
    {
        struct code_kernel *k = &out->kernels[out->kernel_count++];
        const char *kernel = NULL;
        json_t *lines = NULL;
        if (json_unpack(item, "{s:s, s:i, s:i, s:i, s:o}", "name", &kernel, "registers",
                        &k->registers, "shared_bytes", &k->shared_bytes, "spill_bytes",
                        &k->spill_bytes, "lines", &lines) != 0)
            return false;
        lines_from_json(a, lines, k);
        k->name = arena_strdup(a, kernel);
    }
    return true;
}

// What follows the line with the checksum, or NULL where that is not its own.
static const char *checked_body(const char *data, size_t size_bytes, size_t *body_bytes)
{
    const size_t head = sizeof checksum_head - 1 + HASH_DIGITS + 1; // and the line's end
    char checksum[HASH_DIGITS + 1];
    if (size_bytes <= head || !str_starts_with(data, checksum_head))
        return NULL;
    *body_bytes = size_bytes - head;
    hash_hex(&(struct hash_piece){data + head, *body_bytes}, 1, checksum);
    return memcmp(data + sizeof checksum_head - 1, checksum, HASH_DIGITS) == 0 ? data + head : NULL;
}

bool cache_machine_get(struct arena *a, const char *name, struct code_object *out)
{
    char *data = NULL;
    size_t size_bytes = 0, body_bytes = 0;
    if (!private_read(machine_path(a, name), CACHE_BYTES_MAX, &data, &size_bytes))
        return false;
    const char *body = checked_body(data, size_bytes, &body_bytes);
    out->machine = body ? arena_copy(a, body, body_bytes) : NULL;
    out->machine_bytes = body_bytes;
    free(data);
    return body != NULL;
}

bool cache_content_read(struct arena *a, const char *data, size_t size_bytes,
                        struct code_object *out)
{
    size_t body_bytes = 0;
    const char *body = checked_body(data, size_bytes, &body_bytes);
    if (!body)
        return false;
    const char *end = memchr(body, '\n', body_bytes);
    if (!end || !str_starts_with(body, detail_head))
        return false;
    const char *json = body + sizeof detail_head - 1;
    json_t *detail = json_loadb(json, (size_t)(end - json), 0, NULL);
    bool read = detail && detail_read(a, detail, out);
    json_decref(detail);
    out->size_bytes = body_bytes - (size_t)(end + 1 - body);
    out->bytes = arena_copy(a, end + 1, out->size_bytes);
    return read;
}

bool cache_get(struct arena *a, const char *name, struct code_object *out)
{
    char *data = NULL;
    size_t size_bytes = 0;
    if (!private_read(cache_path(a, name), CACHE_BYTES_MAX, &data, &size_bytes))
        return false;
    bool whole = cache_content_read(a, data, size_bytes, out);
    free(data);
    out->from_cache = whole;
    return whole;
}

// The file a memo lies in: another path, size or time of change gives another. The path as it is asked for
// counts, too: ccache is one file that answers for every compiler it is linked as.
static const char *memo_path(struct arena *a, const char *path)
{
    struct stat st;
    char *real = realpath(path, NULL);
    if (!real || stat(real, &st) != 0) {
        free(real);
        return NULL;
    }
    const char *identity =
        arena_printf(a, "2 %s %s %" PRIdMAX " %" PRIdMAX ".%ld", path, real, (intmax_t)st.st_size,
                     (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    free(real);
    char hash[HASH_DIGITS + 1];
    hash_hex(&(struct hash_piece){identity, strlen(identity)}, 1, hash);
    return user_cache_path(a, arena_printf(a, "tools/%s", hash));
}

const char *memo_get(struct arena *a, const char *path)
{
    const char *file = memo_path(a, path);
    char *data = NULL;
    size_t size_bytes = 0;
    if (!file || !private_read(file, MEMO_BYTES_MAX, &data, &size_bytes))
        return NULL;
    // "VALUE\nCHECKSUM\n": what was damaged is asked for anew.
    const size_t tail = HASH_DIGITS + 2;
    const char *value = NULL;
    if (size_bytes > tail && data[size_bytes - tail] == '\n') {
        char checksum[HASH_DIGITS + 1];
        hash_hex(&(struct hash_piece){data, size_bytes - tail}, 1, checksum);
        if (memcmp(data + size_bytes - tail + 1, checksum, HASH_DIGITS) == 0)
            value = arena_strndup(a, data, size_bytes - tail);
    }
    free(data);
    return value;
}

void memo_put(const char *path, const char *value)
{
    struct arena a = {0};
    struct text content = {0};
    const char *file = memo_path(&a, path);
    char checksum[HASH_DIGITS + 1];
    hash_hex(&(struct hash_piece){value, strlen(value)}, 1, checksum);
    text_printf(&content, "%s\n%s\n", value, checksum);
    if (file)
        (void)private_write(file, content.data, content.length);
    text_release(&content);
    arena_release(&a);
}
