// The code of a saved kernel. CUPTI hands over machine code; PTX, which the simulated GPU and other GPUs run, is looked for
// in what the program's calls were given to load, beside files of the same machine code (Triton's caches), and in the files
// that were mapped.
// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IMAGE_MAX = 1 << 28, FATBIN_ALIGNMENT = 8, PADDING_MAX = 64, CACHE_DEPTH = 2 };
static const char machine_ending[] = ".cubin", zeros[PADDING_MAX];

struct finding {
    struct arena *arena;
    const char *kernel, *entry; // ".entry NAME"
    struct found_code *out;
    uint32_t architecture; // of out->ptx
    const char *trouble;   // a section that could not be unpacked
};

static bool is_text(const char *data, size_t size)
{
    return size > 0 && (isspace((unsigned char)*data) || *data == '.' || *data == '/') &&
           memchr(data, '\0', size - 1) == NULL;
}

static bool is_elf(const char *data, size_t size)
{
    return size > 4 && memcmp(data, "\177ELF", 4) == 0;
}

static bool has_kernel(const struct finding *f, const char *text)
{
    size_t length = strlen(f->entry);
    for (const char *at = text; (at = strstr(at, f->entry)); at += length)
        if (!isalnum((unsigned char)at[length]) && at[length] != '_' && at[length] != '$')
            return true;
    return false;
}

static void take_ptx(struct finding *f, const char *text, size_t bytes, uint32_t architecture)
{
    if (!has_kernel(f, text) || (f->out->ptx && architecture <= f->architecture))
        return;
    f->out->ptx = text;
    f->out->ptx_bytes = bytes;
    f->architecture = architecture;
}

static uint32_t target_of(const char *text)
{
    const char *at = strstr(text, ".target sm_");
    return at ? (uint32_t)strtoul(at + strlen(".target sm_"), NULL, 10) : 0;
}

static void take_fatbin(struct finding *f, const char *data, size_t size)
{
    struct fatbin_section s;
    size_t at = 0, bytes;
    const char *text;
    struct error err = {0};
    while (fatbin_next(data, size, &at, &s)) {
        if (s.kind != FATBIN_PTX)
            continue;
        if (fatbin_unpack(f->arena, &s, &text, &bytes, &err))
            take_ptx(f, text, bytes, s.architecture);
        else
            f->trouble = arena_strdup(f->arena, err.message);
    }
}

static void take_image(struct finding *f, const struct code_image *image)
{
    const char *data = image->data;
    size_t size = image->size_bytes;
    if (fatbin_detect(data, size)) {
        take_fatbin(f, data, size);
    } else if (is_text(data, size)) {
        const char *text = arena_strndup(f->arena, data, size);
        take_ptx(f, text, strlen(text), target_of(text));
    } else if (is_elf(data, size) && memmem(data, size, f->kernel, strlen(f->kernel) + 1)) {
        f->out->other_machines += f->out->machine && (f->out->machine_bytes != size ||
                                                      memcmp(f->out->machine, data, size) != 0);
        f->out->machine = data;
        f->out->machine_bytes = size;
    }
}

/* ---- Triton's caches -------------------------------------------------------------------------------------- */

// Is this what CUPTI handed over? It may have been padded.
static bool is_machine_code(const struct finding *f, const char *data, size_t size)
{
    const char *other = f->out->machine;
    size_t both = size < f->out->machine_bytes ? size : f->out->machine_bytes;
    const char *rest = size > both ? data + both : other + both;
    size_t left = (size > both ? size : f->out->machine_bytes) - both;
    return left < PADDING_MAX && memcmp(data, other, both) == 0 && memcmp(rest, zeros, left) == 0;
}

// NAME.cubin of the machine code's bytes: NAME.ptx beside it
static void take_neighbour(struct finding *f, const char *path)
{
    char *machine = NULL, *text = NULL;
    size_t size = 0, text_size = 0;
    struct stat found;
    struct error ignored = {0};
    if (stat(path, &found) != 0 || (size_t)found.st_size + PADDING_MAX <= f->out->machine_bytes ||
        f->out->machine_bytes + PADDING_MAX <= (size_t)found.st_size)
        return;
    size_t stem = strlen(path) - strlen(machine_ending);
    const char *beside = arena_printf(f->arena, "%.*s.ptx", (int)stem, path);
    if (file_read(path, IMAGE_MAX, &machine, &size, &ignored) &&
        is_machine_code(f, machine, size) &&
        file_read(beside, IMAGE_MAX, &text, &text_size, &ignored))
        take_ptx(f, arena_strndup(f->arena, text, text_size), text_size, 0);
    free(machine);
    free(text);
}

// FOLDER/HASH/NAME.cubin, where PyTorch compiles FOLDER/DEVICE/HASH/NAME.cubin
static void take_cache(struct finding *f, const char *folder, int depth)
{
    DIR *d = opendir(folder);
    for (struct dirent *e;
         d && !f->out->ptx && (e = readdir(d));) { // NOLINT(concurrency-mt-unsafe)
        const char *path = path_join(f->arena, folder, e->d_name);
        if (str_ends_with(path, machine_ending))
            take_neighbour(f, path);
        else if (depth > 0 && e->d_name[0] != '.')
            take_cache(f, path, depth - 1);
    }
    if (d)
        closedir(d);
}

static void take_neighbours(struct finding *f, const struct saved *s)
{
    for (size_t i = 0; !f->out->ptx && i < s->files.count; i++)
        if (str_ends_with(s->files.items[i], machine_ending))
            take_neighbour(f, s->files.items[i]);
    for (size_t i = 0; !f->out->ptx && i < s->caches.count; i++)
        take_cache(f, s->caches.items[i], CACHE_DEPTH);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

// Fat binaries lie in programs and libraries wherever their linker put them.
static void take_file(struct finding *f, const char *path)
{
    struct stat found;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    bool regular = fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size > 0;
    size_t size = regular ? (size_t)found.st_size : 0;
    char *map = regular ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (map == MAP_FAILED)
        return;
    for (size_t at = 0; at < size; at += FATBIN_ALIGNMENT)
        if (fatbin_detect(map + at, size - at))
            take_fatbin(f, map + at, size - at);
    struct code_image whole = {map, size};
    if (is_text(map, size))
        take_image(f, &whole);
    munmap(map, size);
}

void code_find(struct saved *s, const char *kernel, struct found_code *out)
{
    struct finding f = {.arena = s->arena, .kernel = kernel, .out = out};
    f.entry = arena_printf(s->arena, ".entry %s", kernel);
    *out = (struct found_code){0};
    for (size_t i = 0; i < s->images.count; i++)
        take_image(&f, &s->images.items[i]);
    if (!out->ptx && out->machine)
        take_neighbours(&f, s);
    for (size_t i = 0; !out->ptx && i < s->files.count; i++)
        take_file(&f, s->files.items[i]);
    if (!out->ptx)
        out->why = f.trouble ? arena_printf(s->arena, "its PTX cannot be unpacked: %s", f.trouble)
                             : "the program has no PTX of it";
}
