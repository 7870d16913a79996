// Another revision of the sources, checked out by git into a folder of its own. Hooks of the repository do
// not run. If ridge is killed, the next one removes the folder, and git forgets the worktree by itself.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const double ask_s = 30, checkout_s = 600;

// The first line of git's answer, or NULL with err set.
static const char *ask(struct arena *a, const char *folder, const char *const *argv,
                       double timeout_s, struct error *err)
{
    struct process_spec spec = {.argv = argv, .directory = folder, .timeout_s = timeout_s};
    struct process_result r;
    if (!process_run(&spec, &r, err))
        return NULL;
    const char *line = NULL;
    if (r.exit_status == 0)
        line = arena_strndup(a, text_str(&r.out), strcspn(text_str(&r.out), "\n"));
    else
        fail(err, NOWHERE, "git: %s", *text_str(&r.err_text) ? text_str(&r.err_text) : "failed");
    process_result_release(&r);
    return line;
}

static bool find_commit(struct arena *a, const char *folder, const char *rev, struct revision *r,
                        struct error *err)
{
    enum { SHOWN = 10 };
    const char *const top[] = {"git", "rev-parse", "--show-toplevel", NULL};
    const char *const commit[] = {
        "git",     "rev-parse",        "--verify",
        "--quiet", "--end-of-options", arena_printf(a, "%s^{commit}", rev),
        NULL};
    struct error why = {0};
    r->top = ask(a, folder, top, ask_s, &why);
    if (!r->top)
        return fail(err, NOWHERE, "--against needs git and a repository that '%s' is in: %s",
                    folder, why.message);
    r->commit = ask(a, folder, commit, ask_s, &why);
    if (!r->commit)
        return fail(err, NOWHERE, "the repository %s has no revision '%s'", r->top, rev);
    r->name = arena_strndup(a, r->commit, SHOWN);
    return true;
}

bool revision_open(struct arena *a, const char *folder, const char *rev, struct revision *r,
                   struct error *err)
{
    *r = (struct revision){0};
    if (!program_find(a, "git"))
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "--against needs git, which is not in PATH");
    if (!find_commit(a, folder, rev, r, err) || !work_folder_open(&r->folder, err))
        return false;
    const char *path = path_join(a, r->folder.path, "revision");
    const char *const argv[] = {"git",
                                "-c",
                                "core.hooksPath=/dev/null",
                                "-c",
                                "core.fsmonitor=false",
                                "worktree",
                                "add",
                                "--quiet",
                                "--detach",
                                "--force",
                                path,
                                r->commit,
                                NULL};
    if (!ask(a, r->top, argv, checkout_s, err))
        return error_context(err, "checking out %s", r->name);
    r->path = path;
    return true;
}

const char *revision_path(struct arena *a, const struct revision *r, const char *path)
{
    char *real = realpath(path, NULL), *top = realpath(r->top, NULL);
    const char *found = NULL;
    size_t length = top ? strlen(top) : 0;
    if (real && top && strncmp(real, top, length) == 0 && real[length] == '/')
        found = path_join(a, r->path, real + length + 1);
    free(real);
    free(top);
    return found;
}

void revision_close(struct revision *r)
{
    struct arena a = {0};
    struct error ignored = {0};
    if (r->path) {
        const char *const argv[] = {"git", "worktree", "remove", "--force", r->path, NULL};
        (void)ask(&a, r->top, argv, checkout_s, &ignored);
    }
    work_folder_close(&r->folder);
    arena_release(&a);
}
