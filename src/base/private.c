// Files that are believed: code that was compiled before is loaded from the cache, so it must be this
// user's own work. Folders are made for this user alone; what somebody else owns or may write is as if
// it were not there.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_MODE = 0700, FILE_MODE = 0600, OTHERS_MAY_WRITE = 022, OTHERS_MAY = 077 };

static bool is_own(const struct stat *st)
{
    return st->st_uid == geteuid();
}

static bool folder_make_one(const char *path)
{
    return mkdir(path, FOLDER_MODE) == 0 || errno == EEXIST || errno == EISDIR || errno == EROFS ||
           errno == EACCES;
}

bool private_folder_make(const char *path)
{
    char *partial = xstrdup(path);
    bool done = true;
    for (char *slash = partial; done && (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        done = folder_make_one(partial);
        *slash = '/';
    }
    free(partial);
    struct stat st;
    if (!done || !folder_make_one(path) || lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) ||
        !is_own(&st))
        return false;
    return (st.st_mode & OTHERS_MAY) == 0 || chmod(path, FOLDER_MODE) == 0;
}

bool private_folder(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && is_own(&st) &&
           (st.st_mode & OTHERS_MAY_WRITE) == 0;
}

bool private_read(const char *path, size_t max_bytes, char **data, size_t *size_bytes)
{
    struct stat st;
    struct error ignored = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    bool own = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_own(&st) &&
               (st.st_mode & OTHERS_MAY_WRITE) == 0;
    char name[64];
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd); // the file that was looked at
    bool done = own && file_read(name, max_bytes, data, size_bytes, &ignored);
    close(fd);
    return done;
}

bool private_write(const char *path, const void *data, size_t size_bytes)
{
    struct arena a = {0};
    struct error ignored = {0};
    struct stat st;
    bool done = private_folder_make(path_dir(&a, path));
    // What is there and is not to be believed goes, with its permissions.
    if (done && lstat(path, &st) == 0 &&
        (!S_ISREG(st.st_mode) || !is_own(&st) || (st.st_mode & OTHERS_MAY_WRITE) != 0))
        done = unlink(path) == 0;
    done = done && file_write(path, data, size_bytes, &ignored) && chmod(path, FILE_MODE) == 0;
    arena_release(&a);
    return done;
}
