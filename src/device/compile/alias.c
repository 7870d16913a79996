// Another name for a source whose path holds a quote or a backslash: NVRTC and nvcc write paths into PTX as they
// are, and there a quote ends the text. The compiler sees the folder by a symbolic link; what it says of the link
// becomes the path again, in PTX with the characters as octal digits.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char special[] = "\"\\";

bool alias_open(struct arena *a, const struct source *s, struct alias *alias, struct error *err)
{
    *alias = (struct alias){.source = *s};
    if (!strpbrk(s->path, special))
        return true;
    if (!work_folder_open(&alias->folder, err))
        return error_context(err, "compiling '%s'", s->shown);
    const char *name = path_name(s->path), *end = strrchr(name, '.');
    alias->source.directory = path_join(a, alias->folder.path, "source");
    alias->source.path = path_join(a, alias->source.directory, name);
    bool linked = symlink(s->directory, alias->source.directory) == 0;
    if (strpbrk(name, special)) {
        alias->source.path =
            path_join(a, alias->folder.path, arena_printf(a, "file%s", end ? end : ""));
        linked = linked && symlink(s->path, alias->source.path) == 0;
    }
    alias->real = s;
    return linked || fail_errno(err, errno, "cannot link '%s'", alias->source.path);
}

static void add_path(struct text *t, const char *path, bool in_ptx)
{
    for (; *path; path++)
        if (in_ptx && strchr(special, *path))
            text_printf(t, "\\%03o", (unsigned)*path);
        else
            text_addn(t, path, 1);
}

// The text with the link's names undone.
const char *alias_undo(struct arena *a, const struct alias *alias, const char *s, bool in_ptx)
{
    if (!alias || !alias->real)
        return s;
    const struct source *link = &alias->source, *real = alias->real;
    struct text t = {0};
    size_t file = strlen(link->path), folder = strlen(link->directory);
    while (*s)
        if (strncmp(s, link->path, file) == 0) {
            add_path(&t, real->path, in_ptx);
            s += file;
        } else if (strncmp(s, link->directory, folder) == 0) {
            add_path(&t, real->directory, in_ptx);
            s += folder;
        } else {
            text_addn(&t, s++, 1);
        }
    s = arena_strdup(a, text_str(&t));
    text_release(&t);
    return s;
}

void alias_close(struct alias *alias)
{
    if (alias->real)
        work_folder_close(&alias->folder);
    alias->real = NULL;
}
