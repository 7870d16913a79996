// Files: whole reads with a limit, writes that either happen completely or not at all. Messages say
// what failed, why, and what to do.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_STEP_BYTES = 64 * 1024,
    NEW_FILE_MODE = 0666, // less the umask
    NEW_DIR_MODE = 0777,
    PERMISSION_BITS = 07777,
};

// What the user can do about it; "" if we know nothing better than the reason itself.
static const char *advice(int errno_value)
{
    switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
        return "; free some space there or write elsewhere";
    case EFBIG:
        return "; the file size limit (ulimit -f) is too small";
    case EROFS:
        return "; this file system is read-only: write elsewhere";
    case EACCES:
    case EPERM:
        return "; check the permissions of the file and its folder";
    case ENOENT:
        return "; check the path";
    case EISDIR:
        return "; name a file in it";
    case EMFILE:
        return "; raise the limit of open files (ulimit -n)";
    default:
        return "";
    }
}

// Which file is read is the user's input, and it must be one that can be; what the system does not let
// us write is trouble of the system.
static enum error_kind kind_of_reading(int errno_value)
{
    switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case ENAMETOOLONG:
    case ELOOP:
        return ERROR_INPUT;
    default:
        return ERROR_SYSTEM;
    }
}

static bool fail_reading(struct error *err, int errno_value, const char *path)
{
    char reason[256];
    return fail_as(err, kind_of_reading(errno_value), NOWHERE, "cannot read '%s': %s%s", path,
                   strerror_r(errno_value, reason, sizeof reason), advice(errno_value));
}

static bool fail_writing(struct error *err, int errno_value, const char *verb, const char *path)
{
    char reason[256];
    const char *what_next = errno_value == ENOENT || errno_value == ENOTDIR
                                ? "; its folder does not exist: make it, or name another"
                                : advice(errno_value);
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot %s '%s': %s%s", verb, path,
                   strerror_r(errno_value, reason, sizeof reason), what_next);
}

// Reads to the end of file; sizes of pipes and /proc files are not known before. errno on failure,
// EFBIG when there is more than max_bytes.
static bool read_all(int fd, size_t max_bytes, struct text *t)
{
    char *step = xcalloc(READ_STEP_BYTES, 1);
    bool done = false;
    while (!done) {
        ssize_t n = cancel_asked() ? -1 : read(fd, step, READ_STEP_BYTES);
        if (cancel_asked())
            errno = ECANCELED;
        else if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        if ((size_t)n > max_bytes - t->length) {
            errno = EFBIG;
            break;
        }
        text_addn(t, step, (size_t)n);
        done = n == 0;
    }
    int saved = errno;
    free(step);
    errno = saved;
    return done;
}

static bool fail_kind_of_file(struct error *err, const char *path, mode_t mode)
{
    if (S_ISDIR(mode))
        return fail_reading(err, EISDIR, path);
    const char *kind = S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
    return fail(err, NOWHERE,
                "cannot read '%s': it is %s, and a regular file is needed; copy its content to a "
                "file first",
                path, kind);
}

bool file_read(const char *path, size_t max_bytes, char **data, size_t *size_bytes,
               struct error *err)
{
    *data = NULL;
    *size_bytes = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer would hold us
    if (fd < 0)
        return fail_reading(err, errno, path);
    struct stat st;
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
        close(fd);
        return fail_kind_of_file(err, path, st.st_mode);
    }
    struct text t = {0};
    bool done = read_all(fd, max_bytes, &t);
    int saved = errno;
    close(fd);
    if (!done) {
        text_release(&t);
        if (saved == ECANCELED)
            return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted while reading '%s'", path);
        if (saved == EFBIG)
            return fail(err, NOWHERE, "cannot read '%s': it is larger than %zu bytes", path,
                        max_bytes);
        return fail_reading(err, saved, path);
    }
    *data = t.data;
    *size_bytes = t.length;
    return true;
}

static bool write_all(int fd, const char *data, size_t size_bytes)
{
    while (size_bytes > 0) {
        ssize_t n = write(fd, data, size_bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        data += n;
        size_bytes -= (size_t)n;
    }
    return true;
}

// Devices and pipes (/dev/stdout) have no content to keep whole.
static bool write_in_place(const char *path, const void *data, size_t size_bytes, struct error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_writing(err, errno, "write", path);
    bool done = write_all(fd, data, size_bytes);
    int saved = errno;
    if (close(fd) != 0 && done) {
        saved = errno;
        done = false;
    }
    return done ? true : fail_writing(err, saved, "write", path);
}

// Makes the rename itself durable. Some file systems cannot; the content is safe either way.
static void sync_folder(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

// The new content under a temporary name, with the descriptor that holds its lock, or -1 with errno.
// The file has no name before it is whole, where the file system can do that.
static int write_temporary(const char *dir, const char *path, const void *data, size_t size_bytes,
                           const struct stat *old)
{
    int fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, NEW_FILE_MODE);
    bool unnamed = fd >= 0;
    if (!unnamed)
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
    if (fd < 0)
        return -1;
    char own[64]; // linkat by descriptor alone takes a privilege
    (void)snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    (void)flock(fd, LOCK_EX | LOCK_NB); // litter_clean leaves alone what is locked
    if ((!old || fchmod(fd, old->st_mode & PERMISSION_BITS) == 0) &&
        write_all(fd, data, size_bytes) && fsync(fd) == 0 &&
        (!unnamed || linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0))
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

bool file_write(const char *path, const void *data, size_t size_bytes, struct error *err)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return fail_writing(err, EISDIR, "write", path);
    if (exists && !S_ISREG(st.st_mode))
        return write_in_place(path, data, size_bytes, err);

    struct arena a = {0};
    char *real = exists ? realpath(path, NULL) : NULL; // a link stays a link
    const char *target = real ? real : path;
    const char *dir = path_dir(&a, target);
    folder_clean(dir);
    const char *temporary = path_join(&a, dir,
                                      arena_printf(&a, TEMPORARY_HEAD "%016llx" TEMPORARY_TAIL,
                                                   (unsigned long long)random_seed()));
    int fd = write_temporary(dir, temporary, data, size_bytes, exists ? &st : NULL);
    bool done = fd >= 0 && rename(temporary, target) == 0;
    int saved = errno;
    fd_close(&fd);
    if (done)
        sync_folder(dir);
    else
        unlink(temporary);
    free(real);
    arena_release(&a);
    return done ? true : fail_writing(err, saved, "write", path);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool dir_make_one(const char *path, struct error *err)
{
    if (mkdir(path, NEW_DIR_MODE) == 0)
        return true;
    int saved = errno;
    struct stat st;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return true;
        saved = ENOTDIR;
    }
    return fail_writing(err, saved, "make the folder", path);
}

bool dir_make(const char *path, struct error *err)
{
    char *partial = xstrdup(path);
    bool done = true;
    for (char *slash = partial; done && (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        done = dir_make_one(partial, err);
        *slash = '/';
    }
    free(partial);
    return done && dir_make_one(path, err);
}
