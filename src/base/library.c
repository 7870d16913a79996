// Libraries opened at run time. The one place where a data pointer becomes a function pointer: ISO C
// has no cast for that, POSIX promises that the bytes are the same, hence memcpy.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <assert.h>
#include <dlfcn.h>
#include <string.h>

static void *try_open(const char *path, struct text *tried, struct text *reason)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library)
        return library;
    const char *why = dlerror(); // NOLINT(concurrency-mt-unsafe): a thread each in glibc and musl
    text_printf(tried, "%s%s", tried->length ? ", " : "", path);
    // "cannot open shared object file: No such file" says no more than the name does; a library that
    // is there but cannot be loaded is what the reader must hear of.
    if (why && !strstr(why, "No such file"))
        text_printf(reason, "; %s", why);
    return NULL;
}

static void *open_in_folders(const char *name, const char *const *folders, struct text *tried,
                             struct text *reason)
{
    struct arena a = {0};
    void *library = NULL;
    for (; *folders && !library; folders++) {
        const char *path = path_join(&a, *folders, name);
        if (file_exists(path))
            library = try_open(path, tried, reason);
    }
    arena_release(&a);
    return library;
}

void *library_open(const char *const *names, const char *const *folders, struct error *err)
{
    struct text tried = {0}, reason = {0};
    void *library = NULL;
    for (const char *const *name = names; *name && !library; name++) {
        if (folders && !strchr(*name, '/'))
            library = open_in_folders(*name, folders, &tried, &reason);
        if (!library)
            library = try_open(*name, &tried, &reason);
    }
    if (!library)
        fail_as(err, ERROR_SYSTEM, NOWHERE, "no library could be opened; tried %s%s",
                text_str(&tried), text_str(&reason));
    text_release(&tried);
    text_release(&reason);
    return library;
}

void *library_loaded(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

bool library_symbol(void *library, const char *name, void *function, size_t function_size_bytes,
                    struct error *err)
{
    void *address = dlsym(library, name);
    assert(function_size_bytes == sizeof address);
    if (!address)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "the library has no function '%s'", name);
    memcpy(function, &address, function_size_bytes);
    return true;
}
