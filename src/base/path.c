// Paths: joining and splitting, where ridge's own files are, where the user's are, programs in PATH.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <dlfcn.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef RIDGE_DATADIR
#define RIDGE_DATADIR "/usr/local/share/ridge"
#endif

enum {
    DATA_LEVELS = 3, // the executable's folder, its parent and its grandparent
    DATA_PLACES_MAX = 2 * 2 * DATA_LEVELS + 2,
};

// The program sets no variables once it has threads. NULL if unset or empty.
static const char *environment(const char *name)
{
    const char *value = getenv(name); // NOLINT(concurrency-mt-unsafe)
    return value && *value ? value : NULL;
}

char *path_join(struct arena *a, const char *dir, const char *name)
{
    if (name[0] == '/' || dir[0] == '\0')
        return arena_strdup(a, name);
    return arena_printf(a, "%s%s%s", dir, str_ends_with(dir, "/") ? "" : "/", name);
}

char *path_dir(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return arena_strdup(a, ".");
    return arena_strndup(a, path, slash == path ? 1 : (size_t)(slash - path));
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *executable_dir(struct arena *a)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    return path_dir(a, path);
}

// Where the code of this function is: of libridge.so its folder, wherever the program is. A name
// without a slash is the program's, as it was called.
static const char *library_dir(struct arena *a)
{
    static const char here;
    char path[PATH_MAX];
    Dl_info info;
    return dladdr(&here, &info) != 0 && info.dli_fname && strchr(info.dli_fname, '/') &&
                   realpath(info.dli_fname, path)
               ? path_dir(a, path)
               : NULL;
}

static size_t places_above(struct arena *a, const char *dir, const char **places, size_t count)
{
    for (int level = 0; dir && level < DATA_LEVELS; level++) {
        const char *share = path_join(a, dir, "share/ridge"); // an installed tree, wherever it is
        if (file_exists(path_join(a, share, "gpus")))
            places[count++] = share;
        if (file_exists(path_join(a, dir, "gpus")))
            places[count++] = dir;
        dir = path_dir(a, dir);
    }
    return count;
}

// The folders to look in, best first.
static size_t data_places(struct arena *a, const char *places[DATA_PLACES_MAX])
{
    size_t count = 0;
    const char *chosen = environment("RIDGE_DATA_DIR");
    if (chosen)
        places[count++] = chosen;
    const char *program = executable_dir(a), *library = library_dir(a);
    count = places_above(a, program, places, count);
    if (library && !(program && strcmp(library, program) == 0))
        count = places_above(a, library, places, count);
    places[count++] = RIDGE_DATADIR;
    return count;
}

char *data_path(struct arena *a, const char *name, struct error *err)
{
    const char *places[DATA_PLACES_MAX];
    size_t count = data_places(a, places);
    for (size_t i = 0; i < count; i++) {
        char *path = path_join(a, places[i], name);
        if (file_exists(path))
            return path;
    }
    struct text tried = {0};
    for (size_t i = 0; i < count; i++)
        text_printf(&tried, "%s%s", i > 0 ? ", " : "", places[i]);
    fail_as(err, ERROR_SYSTEM, NOWHERE,
            "'%s' is in none of ridge's data folders (%s); set RIDGE_DATA_DIR to the folder that "
            "holds gpus/",
            name, text_str(&tried));
    text_release(&tried);
    return NULL;
}

// The `include` folder of a CUDA toolkit, wherever it was unpacked: by a header that every one has.
static bool in_toolkit(const char *path)
{
    static const char include[] = "/include/";
    struct arena a = {0};
    bool found = false;
    for (const char *at = path; !found && (at = strstr(at, include)) != NULL; at++) {
        const char *folder = arena_strndup(&a, path, (size_t)(at - path) + sizeof include - 1);
        found = file_exists(path_join(&a, folder, "cuda_runtime_api.h"));
    }
    arena_release(&a);
    return found;
}

// The header that ridge gives to clang, in one of its data folders.
static bool is_own_header(const char *path)
{
    if (strcmp(path_name(path), "cuda_min.h") != 0)
        return false;
    struct arena a = {0};
    const char *places[DATA_PLACES_MAX], *folder = path_dir(&a, path);
    size_t count = data_places(&a, places);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = strcmp(places[i], folder) == 0;
    arena_release(&a);
    return found;
}

bool path_is_foreign(const char *path)
{
    static const char *const roots[] = {"/usr/include/", "/usr/lib/", "/usr/local/", "/usr/share/",
                                        "/opt/"};
    static const char *const folders[] = {"/include/cccl/",
                                          "/include/cuda/",
                                          "/include/cub/",
                                          "/include/thrust/",
                                          "/include/crt/",
                                          "/lib/clang/",
                                          "/share/ridge/",
                                          "/include/cooperative_groups/",
                                          "/targets/x86_64-linux/include/",
                                          "/targets/sbsa-linux/include/",
                                          "/site-packages/",
                                          "/dist-packages/"};
    if (path[0] != '/') // below the experiment's folder
        return false;
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        if (str_starts_with(path, roots[i]))
            return true;
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        if (strstr(path, folders[i]))
            return true;
    return in_toolkit(path) || is_own_header(path);
}

// HOME, else what the system knows of the user; without either a folder of the user's own for temporary
// files: never the working directory, which may be anybody's.
static const char *home_dir(struct arena *a)
{
    enum { PASSWD_BYTES = 4096 };
    const char *home = environment("HOME"), *tmp = environment("TMPDIR");
    if (home && home[0] == '/')
        return home;
    struct passwd entry, *found = NULL;
    char *buffer = arena_alloc(a, PASSWD_BYTES);
    if (getpwuid_r(getuid(), &entry, buffer, PASSWD_BYTES, &found) == 0 && found &&
        found->pw_dir[0] == '/' && access(found->pw_dir, W_OK) == 0)
        return found->pw_dir;
    return arena_printf(a, "%s/ridge-%ld", tmp && tmp[0] == '/' ? tmp : "/tmp", (long)getuid());
}

// The XDG base directory specification: a relative path in the variable counts as unset.
static char *user_path(struct arena *a, const char *own, const char *xdg, const char *fallback,
                       const char *name)
{
    const char *dir = environment(own);
    if (!dir) {
        const char *base = environment(xdg);
        if (!base || base[0] != '/')
            base = path_join(a, home_dir(a), fallback);
        dir = path_join(a, base, "ridge");
    }
    return path_join(a, dir, name);
}

char *user_data_path(struct arena *a, const char *name)
{
    return user_path(a, "RIDGE_HOME", "XDG_DATA_HOME", ".local/share", name);
}

char *user_cache_path(struct arena *a, const char *name)
{
    return user_path(a, "RIDGE_CACHE", "XDG_CACHE_HOME", ".cache", name);
}

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *program_find(struct arena *a, const char *name)
{
    if (strchr(name, '/'))
        return is_program(name) ? arena_strdup(a, name) : NULL;
    const char *path = environment("PATH");
    if (!path || !*name)
        return NULL;
    for (;;) {
        size_t length = strcspn(path, ":");
        const char *dir = length > 0 ? arena_strndup(a, path, length) : "."; // POSIX: empty = here
        char *program = path_join(a, dir, name);
        if (is_program(program))
            return program;
        if (path[length] == '\0')
            return NULL;
        path += length + 1;
    }
}
