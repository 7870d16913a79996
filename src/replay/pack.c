// Saved kernels as one tar file (POSIX ustar), for a bug report. The same folders make the same bytes: files by name, no
// times, no owners. CONTENTS comes first: bytes and hash (XXH3-128) of each.
// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 512, NAME_BYTES = 100, HEX_BYTES = 33 };
static const uint64_t size_end = UINT64_C(1) << 33; // 11 octal digits
static const size_t file_max_bytes = (size_t)1 << 33;

struct names {
    const char **items;
    size_t count, capacity;
};

static int names_rise(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static void add_folder(struct arena *a, const char *folder, const char *name, struct names *out)
{
    DIR *d = opendir(path_join(a, folder, name));
    for (struct dirent *e; d && (e = readdir(d));) // NOLINT(concurrency-mt-unsafe): own stream
        if (e->d_name[0] != '.')
            VEC_PUSH(out->items, out->count, out->capacity, path_join(a, name, e->d_name));
    if (d)
        closedir(d);
}

struct tar_header {
    char name[NAME_BYTES], mode[8], owner[8], group[8], size[12], time[12], sum[8], type;
    char link[NAME_BYTES], magic[6], version[2], owner_name[32], group_name[32], devices[16];
    char prefix[155], padding[12];
};
_Static_assert(sizeof(struct tar_header) == BLOCK_BYTES, "as POSIX has it");

static bool add_file(FILE *out, const char *name, const char *data, size_t bytes, struct error *err)
{
    static const char zeros[BLOCK_BYTES];
    struct tar_header h = {.type = '0', .magic = "ustar", .version = {'0', '0'}};
    unsigned sum = 0;
    char digits[16];
    if (strlen(name) >= sizeof h.name || bytes >= size_end)
        return fail(err, NOWHERE, "'%s' does not fit a tar file", name);
    memcpy(h.name, name, strlen(name));
    memcpy(h.mode, "0000644", sizeof h.mode);
    memcpy(h.owner, "0000000", sizeof h.owner);
    memcpy(h.group, "0000000", sizeof h.group);
    snprintf(digits, sizeof digits, "%011" PRIo64, (uint64_t)bytes);
    memcpy(h.size, digits, sizeof h.size);
    memcpy(h.time, "00000000000", sizeof h.time);
    memset(h.sum, ' ', sizeof h.sum);
    for (size_t i = 0; i < sizeof h; i++)
        sum += ((const unsigned char *)&h)[i];
    snprintf(digits, sizeof digits, "%06o", sum);
    memcpy(h.sum, digits, 7); // and the space that is there
    size_t padding = (BLOCK_BYTES - bytes % BLOCK_BYTES) % BLOCK_BYTES;
    return (fwrite(&h, sizeof h, 1, out) == 1 && fwrite(data, 1, bytes, out) == bytes &&
            fwrite(zeros, 1, padding, out) == padding) ||
           fail_errno(err, errno, "the tar file cannot be written");
}

static bool add_contents(struct arena *a, FILE *out, const char *folder, const struct names *names,
                         struct error *err)
{
    struct text list = {0};
    bool done = true;
    for (size_t i = 0; done && i < names->count; i++) {
        char *data = NULL, hash[HEX_BYTES];
        size_t bytes = 0;
        done = file_read(path_join(a, folder, names->items[i]), file_max_bytes, &data, &bytes, err);
        if (done) {
            hash_hex_large(data, bytes, hash);
            text_printf(&list, "%12zu  %s  %s\n", bytes, hash, names->items[i]);
        }
        free(data);
    }
    done = done && add_file(out, "CONTENTS", text_str(&list), list.length, err);
    text_release(&list);
    return done;
}

static bool add_all(struct arena *a, FILE *out, const char *folder, const struct names *names,
                    struct error *err)
{
    static const char end[2 * BLOCK_BYTES];
    if (!add_contents(a, out, folder, names, err))
        return false;
    for (size_t i = 0; i < names->count; i++) {
        char *data = NULL;
        size_t bytes = 0;
        bool done =
            file_read(path_join(a, folder, names->items[i]), file_max_bytes, &data, &bytes, err) &&
            add_file(out, names->items[i], data, bytes, err);
        free(data);
        if (!done)
            return false;
    }
    return fwrite(end, sizeof end, 1, out) == 1 ||
           fail_errno(err, errno, "the tar file cannot be written");
}

bool replay_pack(const char *folder, const char *const *kernels, size_t count, const char *path,
                 struct error *err)
{
    struct arena a = {0};
    struct names names = {0};
    FILE *out = fopen(path, "wxe");
    if (!out)
        return fail_errno(err, errno, "%s cannot be written", path);
    for (size_t i = 0; i < count; i++)
        add_folder(&a, folder, kernels[i], &names);
    if (names.count > 0)
        qsort(names.items, names.count, sizeof *names.items, names_rise);
    bool done = add_all(&a, out, folder, &names, err);
    if (fclose(out) != 0 && done)
        done = fail_errno(err, errno, "%s cannot be written", path);
    if (!done)
        (void)!unlink(path);
    free(names.items);
    arena_release(&a);
    return done;
}
