// Outputs of a slow reference, kept in the user's cache by content: the compiled reference, its scalars
// and the data it read. A run on other random data finds none, and pays nothing to look.
// SPDX-License-Identifier: Apache-2.0
#include "loop/job.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEX_BYTES = 33, OBJECT_BYTES_MAX = 256 << 20 };
static const uint64_t kept_bytes_max = (uint64_t)2 << 30; // of all outputs together
static const double worth_s = 0.5;

static bool is_output(const struct job *job, int buffer)
{
    return job->resolved->buffers[buffer].output;
}

static uint64_t output_bytes(const struct job *job)
{
    uint64_t sum = 0;
    for (int i = 0; i < job->resolved->buffer_count; i++)
        sum += is_output(job, i) ? job->resolved->buffers[i].size_bytes : 0;
    return sum;
}

// Data that nobody can ask for again are not kept.
static bool may_come_again(const struct job *job)
{
    bool random = false;
    for (int i = 0; i < job->experiment->buffer_count; i++)
        random = random || fill_is_random(job->experiment->buffers[i].fill);
    return job->request->has_seed || !random;
}

static bool file_hash(const char *path, char hash[HEX_BYTES])
{
    char *data = NULL;
    size_t size = 0;
    struct error ignored = {0};
    if (!file_read(path, OBJECT_BYTES_MAX, &data, &size, &ignored))
        return false;
    hash_hex(&(struct hash_piece){data, size}, 1, hash);
    free(data);
    return true;
}

// A folder for each compiled reference, or file and python3, there once one of its calls was slow.
static bool object_folder(struct arena *a, const struct job *job, const char **folder)
{
    char *data = NULL, hash[HEX_BYTES];
    size_t size = 0;
    struct error ignored = {0};
    struct text identity = {0};
    bool python = job->experiment->reference.python;
    if (!(python ? file_read(job->reference->path, OBJECT_BYTES_MAX, &data, &size, &ignored)
                 : private_read(job->reference->path, OBJECT_BYTES_MAX, &data, &size)))
        return false;
    if (python)
        reference_python_identity(a, &identity);
    const struct hash_piece pieces[] = {{data, size}, {text_str(&identity), identity.length}};
    hash_hex(pieces, python ? 2 : 1, hash);
    text_release(&identity);
    free(data);
    *folder = path_join(a, user_cache_path(a, "reference-outputs"), hash);
    return true;
}

static void add_arguments(struct text *t, const struct resolved_argument *args, int count)
{
    for (int i = 0; i < count; i++) {
        const struct resolved_argument *x = &args[i];
        text_printf(t, "%d %d %d %llu ", (int)x->kind, x->buffer, (int)x->type,
                    (unsigned long long)x->inside_bytes);
        text_addn(t, (const char *)x->value, sizeof x->value);
        if (x->kind == ARGUMENT_STRUCT)
            add_arguments(t, x->fields->items, x->fields->count);
    }
}

static void add_content(struct text *t, const void *data, uint64_t size_bytes)
{
    char hash[HEX_BYTES];
    hash_hex_large(data, size_bytes, hash);
    text_printf(t, " %s", hash);
}

// What the call depends on, beside the object: function, arguments, buffers and what they hold.
static const char *key_of(struct arena *a, const struct job *job,
                          const struct resolved_reference *r)
{
    const struct resolved_case *c = job->resolved;
    struct text t = {0};
    char *hash = arena_alloc(a, HEX_BYTES);
    text_printf(&t, "%s\n", job->experiment->reference.function);
    add_arguments(&t, r->whole.args, r->arg_count);
    for (int i = 0; i < c->buffer_count; i++) {
        bool filled = job->experiment->buffers[i].fill != FILL_NONE;
        text_printf(&t, "\n%d %llu %d %d", (int)c->buffers[i].type,
                    (unsigned long long)c->buffers[i].count, c->buffers[i].output, filled);
        if (filled)
            add_content(&t, job->inputs->data[i], c->buffers[i].size_bytes);
    }
    hash_hex(&(struct hash_piece){text_str(&t), t.length}, 1, hash);
    text_release(&t);
    return hash;
}

static const char *output_path(struct arena *a, const char *folder, const char *key, int buffer)
{
    return arena_printf(a, "%s/%s.%d", folder, key, buffer);
}

static const char *files_path(const struct reference_cache *c)
{
    return arena_printf(c->arena, "%s/%s.files", c->folder, c->key);
}

// Is what a reference in Python read, its own file and modules among it, as it was?
static bool files_same(const struct reference_cache *c)
{
    enum { LIST_BYTES_MAX = 4 << 20 };
    char *list = NULL, hash[HEX_BYTES];
    size_t size = 0;
    if (!c->job->experiment->reference.python)
        return true;
    bool same = private_read(files_path(c), LIST_BYTES_MAX, &list, &size);
    for (const char *at = same ? list : ""; same && *at;) {
        size_t length = strcspn(at, "\n");
        same = length > HEX_BYTES && at[length] == '\n' &&
               file_hash(arena_strndup(c->arena, at + HEX_BYTES, length - HEX_BYTES), hash) &&
               memcmp(hash, at, HEX_BYTES - 1) == 0;
        at += length + (at[length] == '\n');
    }
    free(list);
    return same;
}

// "HASH PATH\n" each.
static bool files_keep(const struct reference_cache *c, const char *files)
{
    struct text t = {0};
    char hash[HEX_BYTES];
    bool done = true;
    if (!c->job->experiment->reference.python)
        return true;
    for (const char *at = files; *at && done;) {
        size_t length = strcspn(at, "\n");
        const char *path = arena_strndup(c->arena, at, length);
        done = file_hash(path, hash);
        text_printf(&t, "%s %s\n", hash, path);
        at += length + (at[length] == '\n');
    }
    done = done && private_write(files_path(c), text_str(&t), t.length);
    text_release(&t);
    return done;
}

static void outputs_hash(const struct job *job, void *const *data, char hash[HEX_BYTES])
{
    struct text t = {0};
    for (int i = 0; i < job->resolved->buffer_count; i++)
        if (is_output(job, i))
            add_content(&t, data[i], job->resolved->buffers[i].size_bytes);
    hash_hex(&(struct hash_piece){text_str(&t), t.length}, 1, hash);
    text_release(&t);
}

// All of them, as they were written: a damaged file is as none.
static bool read_outputs(struct arena *a, const struct job *job, const char *folder,
                         const char *key, void **data)
{
    char *sum = NULL, hash[HEX_BYTES];
    size_t size = 0;
    bool whole = private_read(arena_printf(a, "%s/%s.sum", folder, key), HEX_BYTES, &sum, &size) &&
                 size >= HEX_BYTES - 1;
    for (int i = 0; whole && i < job->resolved->buffer_count; i++) {
        if (!is_output(job, i))
            continue;
        char *bytes = NULL;
        uint64_t wanted = job->resolved->buffers[i].size_bytes;
        whole = private_read(output_path(a, folder, key, i), wanted + 1, &bytes, &size) &&
                size == wanted;
        data[i] = bytes;
    }
    if (whole)
        outputs_hash(job, data, hash);
    whole = whole && memcmp(hash, sum, HEX_BYTES - 1) == 0;
    free(sum);
    return whole;
}

static bool open_folder(struct reference_cache *c)
{
    return c->folder || (may_come_again(c->job) && object_folder(c->arena, c->job, &c->folder));
}

bool reference_cached(struct reference_cache *c, struct host_buffers *wanted)
{
    const struct resolved_case *resolved = c->job->resolved;
    int count = resolved->buffer_count;
    if (!open_folder(c) || !file_exists(c->folder))
        return false;
    c->key = key_of(c->arena, c->job, c->resolved);
    if (!file_exists(arena_printf(c->arena, "%s/%s.sum", c->folder, c->key)) || !files_same(c))
        return false;
    void **data = xcalloc((size_t)count + 1, sizeof *data);
    bool whole = read_outputs(c->arena, c->job, c->folder, c->key, data);
    for (int i = 0; i < count; i++) {
        if (whole && data[i])
            memcpy(wanted->data[i], data[i], resolved->buffers[i].size_bytes);
        free(data[i]);
    }
    free(data);
    return whole;
}

/* ---- keeping -------------------------------------------------------------------------------------- */

struct kept {
    const char *path;
    uint64_t size_bytes;
    int64_t written_ns;
};

static int by_age(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    return x->written_ns < y->written_ns ? -1 : x->written_ns > y->written_ns;
}

struct kept_list {
    struct arena *arena;
    struct kept *items;
    size_t count, capacity;
    uint64_t size_bytes;
};

static void list_folder(struct kept_list *k, const char *path, int depth)
{
    enum { DEPTH_MAX = 1 };
    static const int64_t ns_per_s = 1000000000;
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) { // NOLINT(concurrency-mt-unsafe)
        struct stat st;
        const char *name = path_join(k->arena, path, e->d_name);
        if (e->d_name[0] == '.' || lstat(name, &st) != 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
            list_folder(k, name, depth + 1);
        if (!S_ISREG(st.st_mode))
            continue;
        struct kept item = {name, (uint64_t)st.st_size,
                            (int64_t)st.st_mtim.tv_sec * ns_per_s + st.st_mtim.tv_nsec};
        k->size_bytes += item.size_bytes;
        VEC_PUSH(k->items, k->count, k->capacity, item);
    }
    (void)closedir(folder);
}

// The oldest go until there is room.
static void make_room(struct arena *a, uint64_t size_bytes)
{
    struct kept_list k = {.arena = a};
    list_folder(&k, user_cache_path(a, "reference-outputs"), 0);
    if (k.count > 0)
        qsort(k.items, k.count, sizeof *k.items, by_age);
    for (size_t i = 0; i < k.count && k.size_bytes + size_bytes > kept_bytes_max; i++) {
        if (unlink(k.items[i].path) == 0)
            k.size_bytes -= k.items[i].size_bytes;
    }
    free(k.items);
}

void reference_keep(struct reference_cache *c, const struct host_buffers *wanted, const char *files,
                    double took_s)
{
    const struct job *job = c->job;
    uint64_t size_bytes = output_bytes(job);
    if (took_s < worth_s || size_bytes > kept_bytes_max / 2 || !open_folder(c))
        return;
    if (!c->key)
        c->key = key_of(c->arena, job, c->resolved);
    char hash[HEX_BYTES];
    make_room(c->arena, size_bytes);
    if (!files_keep(c, files))
        return;
    for (int i = 0; i < job->resolved->buffer_count; i++)
        if (is_output(job, i) &&
            !private_write(output_path(c->arena, c->folder, c->key, i), wanted->data[i],
                           job->resolved->buffers[i].size_bytes))
            return;
    outputs_hash(job, wanted->data, hash);
    (void)private_write(arena_printf(c->arena, "%s/%s.sum", c->folder, c->key), hash,
                        HEX_BYTES - 1);
}
