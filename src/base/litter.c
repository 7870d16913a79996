// What a killed process leaves behind, and who removes it. Half-written files and work folders are
// locked (flock) by the process that made them: a lock that can be taken is of nobody alive, on this
// machine or another that shares the folder. Nothing here fails: litter that cannot be removed stays.
// SPDX-License-Identifier: Apache-2.0
#include "base/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { WORK_LEVELS = 4 }; // folders within a work folder
static const char work_name[] = "work";
static const char work_lock_name[] = ".lock";
// Below the cache, where files are written by rename.
static const char *const cache_folders[] = {"ptx", "tools", "logs", "reference"};

static bool is_temporary(const char *name)
{
    return str_starts_with(name, TEMPORARY_HEAD) && str_ends_with(name, TEMPORARY_TAIL);
}

static void remove_unlocked(int folder_fd, const char *name)
{
    int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)unlinkat(folder_fd, name, 0);
    close(fd);
}

typedef void (*entry_function)(int folder_fd, const char *name);

static void each_entry(const char *folder, entry_function call)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    // Of a stream of our own: what readdir(3) calls safe in every modern implementation.
    for (struct dirent *e; (e = readdir(d));) // NOLINT(concurrency-mt-unsafe)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            call(dirfd(d), e->d_name);
    (void)closedir(d);
}

static void clean_entry(int folder_fd, const char *name)
{
    if (is_temporary(name))
        remove_unlocked(folder_fd, name);
}

void folder_clean(const char *folder)
{
    each_entry(folder, clean_entry);
}

static DIR *folder_within(int folder_fd, const char *name)
{
    int own = openat(folder_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = own >= 0 ? fdopendir(own) : NULL;
    if (!d && own >= 0)
        close(own);
    return d;
}

// Files, and folders of files: what compilers leave in their TMPDIR, and saved launches.
static void folder_empty(int folder_fd, int levels)
{
    DIR *d = folder_within(folder_fd, ".");
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) { // NOLINT(concurrency-mt-unsafe)
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        DIR *inner = levels > 0 ? folder_within(folder_fd, e->d_name) : NULL;
        if (!inner) {
            (void)unlinkat(folder_fd, e->d_name, 0);
            continue;
        }
        folder_empty(dirfd(inner), levels - 1);
        (void)closedir(inner);
        (void)unlinkat(folder_fd, e->d_name, AT_REMOVEDIR);
    }
    (void)closedir(d);
}

static void clean_work(int parent_fd, const char *name)
{
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        folder_empty(fd, WORK_LEVELS);
        (void)unlinkat(parent_fd, name, AT_REMOVEDIR);
    }
    close(fd);
}

// Between the making of a work folder and its lock nobody may clean.
static int parent_lock(struct arena *a, const char *parent, int how)
{
    int fd = open(path_join(a, parent, work_lock_name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, how) != 0)
        fd_close(&fd);
    return fd;
}

void litter_clean(void)
{
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cache_folders); i++)
        folder_clean(user_cache_path(&a, cache_folders[i]));
    const char *parent = user_cache_path(&a, work_name);
    int lock = file_exists(parent) ? parent_lock(&a, parent, LOCK_EX | LOCK_NB) : -1;
    if (lock >= 0)
        each_entry(parent, clean_work);
    fd_close(&lock);
    arena_release(&a);
}

// May files be made there, and is the disk not full?
static bool has_room(const char *folder)
{
    enum { ROOM_BYTES = 1 << 20 };
    struct statvfs fs;
    return access(folder, W_OK) == 0 && statvfs(folder, &fs) == 0 &&
           (uint64_t)fs.f_bavail * fs.f_frsize >= ROOM_BYTES;
}

// A folder that is locked, or false.
static bool work_make(struct arena *a, const char *parent, struct work_folder *w)
{
    int lock = parent_lock(a, parent, LOCK_EX);
    char *path = arena_printf(a, "%s/XXXXXX", parent);
    bool made = mkdtemp(path) != NULL;
    int saved = errno;
    w->lock_fd = made ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (w->lock_fd >= 0)
        (void)flock(w->lock_fd, LOCK_EX | LOCK_NB);
    w->path = made ? xstrdup(path) : NULL;
    fd_close(&lock);
    errno = saved;
    return made;
}

bool work_folder_open(struct work_folder *w, struct error *err)
{
    struct arena a = {0};
    *w = (struct work_folder){.lock_fd = -1};
    const char *parent = user_cache_path(&a, work_name);
    bool done = private_folder_make(parent) && has_room(parent) && work_make(&a, parent, w);
    if (!done) {
        const char *tmp = getenv("TMPDIR"); // NOLINT(concurrency-mt-unsafe): nobody sets it
        char *path = arena_printf(&a, "%s/ridge-XXXXXX", tmp && *tmp ? tmp : "/tmp");
        done = mkdtemp(path) != NULL;
        if (done)
            w->path = xstrdup(path);
        else
            fail_errno(err, errno,
                       "cannot make a folder for temporary files (%s); set TMPDIR to one "
                       "that may be written",
                       path);
    }
    arena_release(&a);
    return done;
}

void work_folder_close(struct work_folder *w)
{
    if (!w->path)
        return;
    int fd = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        folder_empty(fd, WORK_LEVELS);
    fd_close(&fd);
    (void)rmdir(w->path);
    fd_close(&w->lock_fd);
    free(w->path);
    *w = (struct work_folder){.lock_fd = -1};
}
