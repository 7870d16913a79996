// Folders in which Triton may keep what it compiled, PTX beside machine code: Triton's own, and those of PyTorch's compiler.
// As both look for them, in the program itself, whose environment may have changed since it began.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, USER_BYTES = 256 };

static const char *first_of(const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value)
            return value;
    }
    return NULL;
}

PRINTF_LIKE(1, 2) static void add(const char *fmt, ...)
{
    char path[PATH_BYTES];
    struct stat found;
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(path, sizeof path, fmt, args);
    va_end(args);
    if (length < 0 || length >= (int)sizeof path || stat(path, &found) != 0 ||
        !S_ISDIR(found.st_mode))
        return;
    struct event_cache event = {recorder_clock_ns()};
    RECORD_TEXT(CACHE, event, path);
}

// tempfile.gettempdir()
static const char *temporary_folder(void)
{
    static const char *const places[] = {"/tmp", "/var/tmp", "/usr/tmp"};
    const char *named = first_of((const char *const[]){"TMPDIR", "TEMP", "TMP", NULL});
    if (named && access(named, W_OK) == 0)
        return named;
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (access(places[i], W_OK) == 0)
            return places[i];
    return ".";
}

// getpass.getuser(), with '_' for what file names do not have
static void user_name(char out[USER_BYTES])
{
    char room[PATH_BYTES];
    struct passwd entry, *found = NULL;
    const char *name =
        first_of((const char *const[]){"LOGNAME", "USER", "LNAME", "USERNAME", NULL});
    if (!name && getpwuid_r(getuid(), &entry, room, sizeof room, &found) == 0 && found)
        name = found->pw_name;
    snprintf(out, USER_BYTES, "%s", name ? name : "");
    for (char *c = out; (c = strpbrk(c, "\\/:*?\"<>|"));)
        *c = '_';
}

void caches_record(void)
{
    const char *cache = getenv("TRITON_CACHE_DIR"), *compiler = getenv("TORCHINDUCTOR_CACHE_DIR");
    const char *home = first_of((const char *const[]){"TRITON_HOME", "HOME", NULL});
    char user[USER_BYTES];
    if (cache && *cache)
        add("%s", cache);
    if (home)
        add("%s/.triton/cache", home);
    user_name(user);
    if (compiler && *compiler)
        add("%s/triton", compiler);
    else
        add("%s/torchinductor_%s/triton", temporary_folder(), user);
}
