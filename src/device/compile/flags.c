// `flags:` of an experiment: a few of nvcc's, understood rather than passed on, so that each compiler gets its own
// form of them and a flag that some compiler does not have is never lost silently.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTERS_LEAST = 16, REGISTERS_MOST = 255 };

enum flag_id {
    FLAG_INCLUDE,
    FLAG_DEFINE,
    FLAG_FAST_MATH,
    FLAG_FTZ,
    FLAG_PREC_DIV,
    FLAG_PREC_SQRT,
    FLAG_FMAD,
    FLAG_REGISTERS,
    FLAG_STANDARD,
    FLAG_IGNORED
};
enum flag_value { VALUE_NONE, VALUE_JOINED, VALUE_EQUALS };

static const struct flag {
    enum flag_id id;
    const char *word;
    enum flag_value value;
} flags[] = {
#define FLAG(id, word, value) {FLAG_##id, word, VALUE_##value},
#include "device/compile/flags.def"
#undef FLAG
};

static const struct refused {
    const char *word, *why;
} refused[] = {
#define REFUSED(word, why) {word, why},
#include "device/compile/flags.def"
#undef REFUSED
};

struct reading {
    struct arena *arena;
    const struct compile_request *request;
    int next; // the flag after the one that is read
    struct flag_set *out;
    struct error *err;
};

static bool fail_unknown_flag(struct reading *r, const char *text, const char *word)
{
    const char *words[COUNT_OF(flags)];
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        bool joined = strlen(refused[i].word) == 1 && length > 1;
        if ((strncmp(refused[i].word, word, length) == 0 && refused[i].word[length] == '\0') ||
            (joined && word[0] == refused[i].word[0] && text[1] != '-'))
            return fail(r->err, r->request->flags_at, "the flag '%s': %s", text, refused[i].why);
    }
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        words[i] = flags[i].word;
    const char *near = str_nearest(arena_strndup(r->arena, word, length), words, COUNT_OF(words));
    if (near && strlen(near) > 1)
        return fail(r->err, r->request->flags_at, "unknown flag '%s' (did you mean '--%s'?)", text,
                    near);
    return fail(r->err, r->request->flags_at,
                "unknown flag '%s'; the flags are -I -D --use_fast_math --ftz --prec-div "
                "--prec-sqrt --fmad --maxrregcount --std",
                text);
}

static bool read_bool(struct reading *r, const char *text, const char *value, bool *out)
{
    *out = strcmp(value, "true") == 0;
    return *out || strcmp(value, "false") == 0 ||
           fail(r->err, r->request->flags_at, "the flag '%s' is true or false, not '%s'", text,
                value);
}

static bool read_registers(struct reading *r, const char *value)
{
    int64_t n = 0;
    if (!str_to_i64(value, &n) || n < REGISTERS_LEAST || n > REGISTERS_MOST)
        return fail(r->err, r->request->flags_at,
                    "maxrregcount is a number from %d to %d, not '%s'", REGISTERS_LEAST,
                    REGISTERS_MOST, value);
    r->out->max_registers = (int)n;
    return true;
}

static bool read_standard(struct reading *r, const char *value)
{
    static const char *const standards[] = {"c++11", "c++14", "c++17", "c++20"};
    for (size_t i = 0; i < COUNT_OF(standards); i++)
        if (strcmp(standards[i], value) == 0) {
            r->out->standard = standards[i];
            return true;
        }
    return fail(r->err, r->request->flags_at, "std is c++11, c++14, c++17 or c++20, not '%s'",
                value);
}

static bool read_folder(struct reading *r, const char *value)
{
    const char *directory = r->request->flags_directory;
    const char *folder =
        path_plain(r->arena, path_join(r->arena, directory ? directory : ".", value));
    if (!file_exists(folder))
        return fail(r->err, r->request->flags_at, "the folder '%s' of the flag -I does not exist",
                    folder);
    r->out->folders[r->out->folder_count++] = folder;
    return true;
}

static bool take(struct reading *r, const struct flag *f, const char *text, const char *value)
{
    struct flag_set *out = r->out;
    bool on = false;
    switch (f->id) {
    case FLAG_INCLUDE:
        return read_folder(r, value);
    case FLAG_DEFINE:
        out->defines[out->define_count++] = value;
        return true;
    case FLAG_FAST_MATH:
        out->fast_functions = out->ftz = out->approximate_division = out->approximate_root = true;
        return true;
    case FLAG_FTZ:
        return read_bool(r, text, value, &out->ftz);
    case FLAG_PREC_DIV:
        out->approximate_division = strcmp(value, "false") == 0;
        return read_bool(r, text, value, &on);
    case FLAG_PREC_SQRT:
        out->approximate_root = strcmp(value, "false") == 0;
        return read_bool(r, text, value, &on);
    case FLAG_FMAD:
        out->no_contraction = strcmp(value, "false") == 0;
        return read_bool(r, text, value, &on);
    case FLAG_REGISTERS:
        return read_registers(r, value);
    case FLAG_STANDARD:
        return read_standard(r, value);
    case FLAG_IGNORED:
        break;
    }
    return true;
}

// The value of the flag: what is left of its word, or the next one; NULL = this is another flag.
static const char *value_of(struct reading *r, const struct flag *f, const char *word)
{
    size_t length = strlen(f->word);
    if (strncmp(word, f->word, length) != 0)
        return NULL;
    const char *rest = word + length;
    const char *after = r->next < r->request->flag_count ? r->request->flags[r->next] : NULL;
    if (f->value == VALUE_NONE)
        return *rest == '\0' ? "" : NULL;
    if (*rest == '\0' && after) {
        r->next++;
        return after;
    }
    if (f->value == VALUE_JOINED)
        return *rest != '\0' && (length == 1 || *rest == '=') ? rest + (*rest == '=') : NULL;
    return *rest == '=' ? rest + 1 : NULL;
}

static bool read_one(struct reading *r)
{
    const char *text = r->request->flags[r->next++];
    const char *word = text + (text[0] == '-') + (text[0] == '-' && text[1] == '-');
    const struct flag *found = NULL;
    const char *value = NULL;
    for (size_t i = 0; i < COUNT_OF(flags) && word != text && !found; i++) {
        value = value_of(r, &flags[i], word);
        found = value ? &flags[i] : NULL;
    }
    return found ? take(r, found, text, value) : fail_unknown_flag(r, text, word);
}

bool flags_read(struct arena *a, const struct compile_request *request, struct flag_set *out,
                struct error *err)
{
    struct reading r = {.arena = a, .request = request, .out = out, .err = err};
    *out = (struct flag_set){.standard = "c++17"};
    out->folders = ARENA_ARRAY(a, const char *, request->flag_count + 1);
    out->defines = ARENA_ARRAY(a, const char *, request->flag_count + 1);
    while (r.next < request->flag_count)
        if (!read_one(&r))
            return false;
    return true;
}

void flags_identity(const struct flag_set *f, const struct compile_request *request,
                    struct text *out)
{
    text_printf(out, "%s %d%d%d%d%d %d\n", f->standard, f->fast_functions, f->ftz,
                f->approximate_division, f->approximate_root, f->no_contraction, f->max_registers);
    for (int i = 0; i < f->folder_count; i++)
        text_printf(out, "-I%s\n", f->folders[i]);
    for (int i = 0; i < f->define_count; i++)
        text_printf(out, "-D%s\n", f->defines[i]);
    for (int i = 0; i < request->define_count; i++)
        text_printf(out, "-D%s\n", request->defines[i]);
}

int flags_argument_count(const struct flag_set *f, const struct compile_request *request)
{
    return f->folder_count + f->define_count + request->define_count;
}

int flags_add(struct arena *a, const struct flag_set *f, const struct compile_request *request,
              const char **argv, int count)
{
    for (int i = 0; i < f->folder_count; i++)
        argv[count++] = arena_printf(a, "-I%s", f->folders[i]);
    for (int i = 0; i < f->define_count; i++)
        argv[count++] = arena_printf(a, "-D%s", f->defines[i]);
    for (int i = 0; i < request->define_count; i++)
        argv[count++] = arena_printf(a, "-D%s", request->defines[i]);
    return count;
}

int flags_add_arithmetic(const struct flag_set *f, const char **argv, int count)
{
    const struct {
        bool given;
        const char *spelling;
    } all[FLAGS_ARITHMETIC_MAX] = {{f->fast_functions, "--use_fast_math"},
                                   {f->ftz, "--ftz=true"},
                                   {f->approximate_division, "--prec-div=false"},
                                   {f->approximate_root, "--prec-sqrt=false"},
                                   {f->no_contraction, "--fmad=false"}};
    for (int i = 0; i < FLAGS_ARITHMETIC_MAX; i++)
        if (all[i].given)
            argv[count++] = all[i].spelling;
    return count;
}
