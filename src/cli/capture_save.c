// ridge capture -o FOLDER -- PROGRAM: saves launches of a running program. Which kernels, unless --kernel says so, a first
// run finds out: the ten with the most time. Recordings lie in FOLDER/.recording while this works.
// SPDX-License-Identifier: Apache-2.0
#include "capture/program.h"
#include "cli/capture.h"
#include "device/device.h"
#include "replay/replay.h"

#include <dirent.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { KERNELS_DEFAULT = 10, LIMIT_DEFAULT_GIB = 8, GIB_SHIFT = 30 };
static const size_t recording_max_bytes = (size_t)1 << 34;
static const char ending[] = ".ridgecap";

struct saving {
    const struct options *options;
    struct arena arena;
    const char *folder, *recordings;
    uint64_t limit_bytes;
    bool output_aside;
    struct text out;
    json_t *saved, *troubles;
    struct table kernels; // that were saved: of several processes the first has it
    struct {
        const char **items;
        size_t count, capacity;
    } names; // of their folders
};

/* ---- the folder of recordings --------------------------------------------------------------------------- */

static int names_rise(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

// Paths of the files in it that end so, by name; the caller frees the list.
static const char **files_of(struct arena *a, const char *folder, const char *end, size_t *count)
{
    const char **paths = NULL;
    size_t capacity = 0;
    DIR *d = opendir(folder);
    *count = 0;
    for (struct dirent *e; d && (e = readdir(d));) // NOLINT(concurrency-mt-unsafe): own stream
        if (e->d_name[0] != '.' && str_ends_with(e->d_name, end))
            VEC_PUSH(paths, *count, capacity, path_join(a, folder, e->d_name));
    if (d)
        closedir(d);
    if (*count > 0)
        qsort(paths, *count, sizeof *paths, names_rise);
    return paths;
}

static void empty_recordings(struct saving *s)
{
    size_t count;
    const char **paths = files_of(&s->arena, s->recordings, "", &count);
    for (size_t i = 0; i < count; i++)
        (void)!unlink(paths[i]);
    free(paths);
}

// What files may take: as asked for, or the default, where half of the disk's free room is not less.
static bool find_limit(struct saving *s, struct error *err)
{
    struct statvfs disk;
    int64_t gib = 0;
    if (!option_i64(s->options, OPTION_SAVE_LIMIT, 1, INT64_C(1) << 20, LIMIT_DEFAULT_GIB, &gib,
                    err))
        return false;
    s->limit_bytes = (uint64_t)gib << GIB_SHIFT;
    if (statvfs(s->recordings, &disk) != 0)
        return true;
    uint64_t half = (uint64_t)disk.f_bavail * disk.f_frsize / 2;
    if (half < s->limit_bytes && option_given(s->options, OPTION_SAVE_LIMIT))
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "--save-limit %" PRId64 " is more than half of what is free in %s", gib,
                       s->folder);
    s->limit_bytes = half < s->limit_bytes ? half : s->limit_bytes;
    return true;
}

static bool open_folder(struct saving *s, const char *folder, struct error *err)
{
    s->folder = folder;
    s->recordings = path_join(&s->arena, s->folder, ".recording");
    if (!dir_make(s->recordings, err))
        return false;
    empty_recordings(s);
    return find_limit(s, err);
}

static bool prepare(struct saving *s, struct error *err)
{
    regex_t chosen;
    const char *kernel = option_text(s->options, OPTION_KERNEL, "");
    const char *folder = option_text(s->options, OPTION_OUTPUT, NULL);
    if (!folder || !s->options->program)
        return fail(
            err, NOWHERE,
            "`ridge capture` saves kernels of a program: ridge capture -o FOLDER -- PROGRAM; "
            "--list shows what its GPUs do");
    if (regcomp(&chosen, kernel, REG_EXTENDED | REG_NOSUB) != 0)
        return fail(err, NOWHERE, "--kernel '%s' is no extended regular expression", kernel);
    regfree(&chosen);
    return open_folder(s, folder, err);
}

/* ---- which kernels ---------------------------------------------------------------------------------------- */

static void add_escaped(struct text *out, const char *name)
{
    for (const char *c = name; *c; c++) {
        text_add(out, strchr("\\^$.[]()|*+?{}", *c) ? "\\" : "");
        text_addn(out, c, 1);
    }
}

static bool run(struct saving *s, const char *kernels, int *status, struct error *err)
{
    int64_t launch = 1;
    if (!option_i64(s->options, OPTION_LAUNCH, 1, INT64_MAX, 1, &launch, err))
        return false;
    struct watched_program p = {
        .argv = s->options->program,
        .folder = s->recordings,
        .cupti = device_cupti(&s->arena),
        .output_aside = s->output_aside,
        .kernels = kernels,
        .launch = arena_printf(&s->arena, "%" PRId64, launch),
        .saved_bytes = arena_printf(&s->arena, "%" PRIu64, s->limit_bytes),
    };
    return capture_program(&p, status, err);
}

// The kernels of these names, as an extended regular expression.
static const char *pattern_of(struct arena *a, const char *const *names, size_t count)
{
    struct text pattern = {0};
    for (size_t i = 0; i < count; i++) {
        text_add(&pattern, i > 0 ? "|" : "^(");
        add_escaped(&pattern, names[i]);
    }
    text_add(&pattern, ")$");
    const char *done = arena_strdup(a, text_str(&pattern));
    text_release(&pattern);
    return done;
}

size_t capture_most_time(struct arena *a, const struct timeline *t,
                         const struct timeline_summary *s, const char ***names)
{
    size_t count = s->kernel_count < KERNELS_DEFAULT ? s->kernel_count : KERNELS_DEFAULT;
    *names = ARENA_ARRAY(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        (*names)[i] = t->names.items[s->kernels[i].name];
    return count;
}

// A run that only lists; NULL with err clear: no kernel ran.
static const char *find_kernels(struct saving *s, int *status, struct error *err)
{
    struct timeline t = {.arena = &s->arena};
    struct timeline_summary sums;
    const char *found = NULL, **names;
    if (!option_given(s->options, OPTION_QUIET))
        cli_say("first run: which kernels take the time\n");
    if (run(s, NULL, status, err) && capture_take_folder(&t, s->recordings, err)) {
        timeline_summarize(&s->arena, &t, &sums);
        size_t count = capture_most_time(&s->arena, &t, &sums, &names);
        found = count > 0 ? pattern_of(&s->arena, names, count) : NULL;
    }
    timeline_release(&t);
    empty_recordings(s);
    return found;
}

/* ---- what was saved ---------------------------------------------------------------------------------------- */

static void trouble(struct saving *s, const char *words)
{
    json_array_append_new(s->troubles, json_string(words));
    cli_warn(words);
}

static void add_saved(struct saving *s, const struct saved_launch *l, const struct replayed *r)
{
    char size[32];
    json_t *notes = json_array();
    text_printf(
        &s->out, "%s: launch %" PRIu64 ", %zu buffer%s (%zu changed), %s, %s: ridge run %s\n",
        r->name, l->ordinal, r->buffers, plural((double)r->buffers), r->outputs,
        format_bytes((double)r->size_bytes, size), r->ptx ? "PTX" : "machine code", r->folder);
    for (size_t i = 0; i < r->note_count; i++) {
        text_printf(&s->out, "  %s\n", r->notes[i]);
        json_array_append_new(notes, json_string(r->notes[i]));
    }
    json_array_append_new(s->saved,
                          json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:o}", "name",
                                    r->name, "kernel", l->name, "folder", r->folder, "launch",
                                    (json_int_t)l->ordinal, "buffers", (json_int_t)r->buffers,
                                    "outputs", (json_int_t)r->outputs, "size_bytes",
                                    (json_int_t)r->size_bytes, "ptx", r->ptx, "notes", notes));
    VEC_PUSH(s->names.items, s->names.count, s->names.capacity, r->name);
}

// "twice", or where that is taken "twice_2": kernels of one name with other template arguments.
static const char *free_name(struct saving *s, const char *kernel)
{
    const char *name = replay_name(&s->arena, kernel), *tried = name;
    for (int i = 2; table_has(&s->kernels, arena_printf(&s->arena, "/%s", tried)); i++)
        tried = arena_printf(&s->arena, "%s_%d", name, i);
    table_set(&s->kernels, arena_printf(&s->arena, "/%s", tried), s);
    return tried;
}

// A kernel that cannot be written costs that kernel.
static void write_launch(struct saving *s, struct saved *from, const struct saved_launch *l)
{
    struct replayed r = {0};
    struct error err = {0};
    if (table_has(&s->kernels, l->name))
        return;
    table_set(&s->kernels, l->name, s);
    const char *name = free_name(s, l->name);
    if (replay_write(from, l, path_join(&s->arena, s->folder, name), name,
                     option_given(s->options, OPTION_ANONYMISE), &r, &err))
        add_saved(s, l, &r);
    else
        trouble(s, err.message);
    replayed_release(&r);
}

static bool write_all(struct saving *s, struct error *err)
{
    size_t count;
    const char **paths = files_of(&s->arena, s->recordings, ending, &count);
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        struct saved from = {.arena = &s->arena};
        char *data = NULL;
        size_t size = 0;
        done = file_read(paths[i], recording_max_bytes, &data, &size, err) &&
               saved_read(&from, paths[i], data, size, err);
        for (size_t k = 0; done && k < from.launches.count; k++)
            write_launch(s, &from, &from.launches.items[k]);
        for (size_t k = 0; done && k < from.troubles.count; k++)
            trouble(s, from.troubles.items[k]);
        saved_release(&from);
        free(data);
    }
    free(paths);
    return done;
}

static bool pack(struct saving *s, struct error *err)
{
    size_t length = strlen(s->folder);
    while (length > 1 && s->folder[length - 1] == '/')
        length--;
    const char *path = arena_printf(&s->arena, "%.*s.tar", (int)length, s->folder);
    text_printf(&s->out, "packed: %s\n", path);
    return replay_pack(s->folder, s->names.items, s->names.count, path, err);
}

// A run of the program that saves a launch of each of them.
static bool save_matching(struct saving *s, const char *kernels, int *status, struct error *err)
{
    char size[32];
    if (!option_given(s->options, OPTION_QUIET))
        cli_say(
            "saving in %s: at most %s of files, 1 GiB of code and 67 MiB of memory per process; "
            "the GPU is waited for around each launch that is saved\n",
            s->folder, format_bytes((double)s->limit_bytes, size));
    return run(s, kernels, status, err) && write_all(s, err);
}

static bool save(struct saving *s, int *status, struct error *err)
{
    const char *kernels = option_text(s->options, OPTION_KERNEL, NULL);
    if (!kernels)
        kernels = find_kernels(s, status, err);
    if (err->kind != ERROR_NONE)
        return false;
    if (kernels && !save_matching(s, kernels, status, err))
        return false;
    if (s->names.count == 0)
        trouble(s, "no kernel was saved: the program launched none that was asked for, or only in "
                   "graphs, or its driver did not load the recorder");
    if (s->names.count > 0 && option_given(s->options, OPTION_PACK) && !pack(s, err))
        return false;
    return option_given(s->options, OPTION_JSON)
               ? cli_print_json(json_pack("{s:O, s:O}", "saved", s->saved, "troubles", s->troubles),
                                err)
               : cli_print(&s->out, err);
}

static void release(struct saving *s)
{
    if (s->recordings) {
        empty_recordings(s);
        (void)!rmdir(s->recordings);
        (void)!rmdir(s->folder); // only if it is empty
    }
    free(s->names.items);
    json_decref(s->saved);
    json_decref(s->troubles);
    table_release(&s->kernels);
    text_release(&s->out);
    arena_release(&s->arena);
}

bool capture_save(const struct options *o, int *status, struct error *err)
{
    struct saving s = {.options = o,
                       .saved = json_array(),
                       .troubles = json_array(),
                       .output_aside = option_given(o, OPTION_JSON)};
    *status = 0;
    bool done = prepare(&s, err);
    done = done && save(&s, status, err);
    release(&s);
    return done;
}

bool capture_save_kernels(const struct options *o, const char *folder, const char *const *names,
                          size_t count, json_t **saved, struct error *err)
{
    struct saving s = {
        .options = o, .saved = json_array(), .troubles = json_array(), .output_aside = true};
    int status = 0;
    bool done = open_folder(&s, folder, err) &&
                save_matching(&s, pattern_of(&s.arena, names, count), &status, err);
    *saved = json_incref(s.saved);
    release(&s);
    return done;
}
