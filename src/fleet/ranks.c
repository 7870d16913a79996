// Who this rank is, by a table of launchers; which device is its own; and the deck: a file with a lock per item, and a
// file with its answer when it is done.
// SPDX-License-Identifier: Apache-2.0
#include "fleet/ranks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- who we are -------------------------------------------------------------------------------------- */

static const struct launcher {
    const char *name, *rank, *count, *local_rank, *local_count, *job, *job_part;
} launchers[] = {
#define LAUNCHER(name, rank, count, local_rank, local_count, job, part) \
    {name, rank, count, local_rank, local_count, job, part},
#include "fleet/launchers.def"
#undef LAUNCHER
};

// -1: not set, or no number.
static int number_of(const char *variable)
{
    const char *text = variable ? getenv(variable) : NULL;
    int64_t value = -1;
    return text && str_to_i64(text, &value) && value >= 0 && value <= INT32_MAX ? (int)value : -1;
}

// Of digits and letters alone: it becomes a folder's name.
static const char *job_of(struct arena *a, const struct launcher *l)
{
    const char *part = l->job_part ? getenv(l->job_part) : "";
    const char *job = getenv(l->job);
    if (!job || !part)
        return NULL;
    char *name = arena_printf(a, "%s%s%s", job, *part ? "-" : "", part);
    for (char *s = name; *s; s++)
        if (!strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-", *s))
            *s = '_';
    return *name ? name : NULL;
}

bool ranks_find(struct arena *a, struct ranks *out, struct error *err)
{
    *out = (struct ranks){.count = 1};
    for (size_t i = 0; i < COUNT_OF(launchers); i++) {
        const struct launcher *l = &launchers[i];
        int rank = number_of(l->rank), count = number_of(l->count);
        const char *job = job_of(a, l);
        if (rank < 0 || count < 0 || !job)
            continue;
        if (rank >= count)
            return fail(err, NOWHERE,
                        "the environment contradicts itself: %s is %d and %s is %d; start ridge "
                        "by mpirun or srun, or unset them",
                        l->rank, rank, l->count, count);
        int local = number_of(l->local_rank), locals = number_of(l->local_count);
        *out = (struct ranks){
            l->name, rank, count, local >= 0 ? local : rank, locals >= 0 ? locals : 0, job};
        return true;
    }
    return true;
}

/* ---- which device is ours -------------------------------------------------------------------------------- */

// The real GPUs of this node, as a list.
static bool list_real(struct arena *a, const char **out, struct error *err)
{
    struct device_inventory v;
    *out = "";
    if (!device_inventory(a, &v, err))
        return false;
    for (int i = 0; i < v.device_count; i++)
        if (!v.devices[i].simulated)
            *out = arena_printf(a, "%s%s%s", *out, **out ? "," : "", v.devices[i].id);
    return true;
}

static const char *item_of(struct arena *a, const char *list, int index)
{
    for (; index > 0; index--)
        list = strchr(list, ',') + 1;
    return arena_strndup(a, list, strcspn(list, ","));
}

bool ranks_device(struct arena *a, const struct ranks *r, const char *list, const char **out,
                  struct error *err)
{
    *out = list;
    if (r->count == 1)
        return true;
    if (strcmp(list, "auto") == 0 && !list_real(a, &list, err))
        return false;
    if (!*list)
        return true; // what stands in for a GPU
    int count = 1;
    for (const char *s = list; *s; s++)
        count += *s == ',';
    *out = item_of(a, list, r->local_rank % count);
    return r->local_rank < count || str_starts_with(*out, "sim:") ||
           fail(err, NOWHERE,
                "rank %d is number %d of its node, which has %d GPU%s for the ranks (%s): times of "
                "ranks that share one would be wrong; start fewer ranks per node",
                r->rank, r->local_rank + 1, count, plural(count), list);
}

/* ---- the deck ------------------------------------------------------------------------------------------- */

static const char over_name[] = "over";
static const time_t over_kept_s = 3600;

static char *path_in(const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        abort();
    return path;
}

static char *path_of(const struct deck *d, int item, const char *ending)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%d.%s", item, ending);
    return path_in(d->folder, name);
}

static bool is_there(char *path)
{
    bool there = file_exists(path);
    free(path);
    return there;
}

static bool is_done(const struct deck *d, int item)
{
    return is_there(path_of(d, item, "done"));
}

// Marks of jobs that ended long ago, beside this one.
static void sweep(struct arena *a, const char *folder)
{
    const char *parent = path_dir(a, folder);
    DIR *dir = opendir(parent);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const char *job = path_join(a, parent, e->d_name);
        const char *mark = path_join(a, job, over_name);
        struct stat st;
        if (e->d_name[0] == '.' || stat(mark, &st) != 0 || time(NULL) - st.st_mtime < over_kept_s)
            continue;
        (void)unlink(mark);
        (void)rmdir(job);
    }
    if (dir)
        closedir(dir);
}

bool ranks_begin(const struct ranks *r, const char *folder, struct error *err)
{
    return r->rank > 0 || !is_there(path_in(folder, over_name)) ||
           fail(err, NOWHERE,
                "a job named '%s' has ended here before: give this one another name "
                "(RIDGE_RANKS_JOB)",
                r->job);
}

bool deck_open(struct arena *a, const char *folder, int count, struct deck *out, struct error *err)
{
    *out = (struct deck){arena_strdup(a, folder), count, ARENA_ARRAY(a, int, count + 1)};
    for (int i = 0; i < count; i++)
        out->locks[i] = -1;
    sweep(a, out->folder);
    return dir_make(folder, err);
}

static void let_go(struct deck *d, int item)
{
    if (d->locks[item] >= 0)
        close(d->locks[item]);
    d->locks[item] = -1;
}

// *held false: another process has it.
static bool hold(struct deck *d, int item, bool *held, struct error *err)
{
    char *path = path_of(d, item, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    *held = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
    bool fine = *held || (fd >= 0 && errno == EWOULDBLOCK) ||
                fail_errno(err, errno, "cannot lock '%s', which the ranks share", path);
    if (*held)
        d->locks[item] = fd;
    else if (fd >= 0)
        close(fd);
    free(path);
    return fine;
}

// A byte for each rank that drew it.
static bool count_tries(const struct deck *d, int item, int *before, struct error *err)
{
    struct stat st;
    if (fstat(d->locks[item], &st) != 0 || write(d->locks[item], ".", 1) != 1)
        return fail_errno(err, errno, "cannot write to the folder '%s' of the ranks", d->folder);
    *before = (int)st.st_size;
    return true;
}

bool deck_draw(struct deck *d, struct drawn *out, struct error *err)
{
    *out = (struct drawn){.item = -1};
    for (int i = 0; i < d->count; i++) {
        bool held = false;
        if (is_done(d, i))
            continue;
        if (is_there(path_in(d->folder, over_name))) {
            out->left = 0;
            return true;
        }
        out->left++;
        if (out->item >= 0)
            continue;
        if (!hold(d, i, &held, err))
            return false;
        if (held && (is_done(d, i) || is_there(path_in(d->folder, over_name)))) { // meanwhile
            let_go(d, i);
            out->left--;
        } else if (held) {
            out->item = i;
            if (!count_tries(d, i, &out->tries, err))
                return false;
        }
    }
    return true;
}

bool deck_put(struct deck *d, int item, const char *answer, size_t size_bytes, struct error *err)
{
    char *path = path_of(d, item, "done");
    bool done = file_write(path, answer, size_bytes, err); // whole, or not there
    free(path);
    let_go(d, item);
    return done;
}

char *deck_answer(const struct deck *d, int item, size_t *size_bytes)
{
    enum { ANSWER_BYTES_MAX = 1 << 30 };
    struct error ignored = {0};
    char *path = path_of(d, item, "done"), *data = NULL;
    bool read = file_exists(path) && file_read(path, ANSWER_BYTES_MAX, &data, size_bytes, &ignored);
    free(path);
    return read ? data : NULL;
}

void deck_close(struct deck *d)
{
    for (int i = 0; d->locks && i < d->count; i++)
        let_go(d, i);
}

void deck_end(struct deck *d)
{
    struct error ignored = {0};
    char *over = path_in(d->folder, over_name);
    (void)!file_write(over, "", 0, &ignored); // before anything goes
    free(over);
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 2; k++) {
            char *path = path_of(d, i, k ? "done" : "lock");
            (void)unlink(path);
            free(path);
        }
}
