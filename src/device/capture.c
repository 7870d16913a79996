// Standard output and error, taken while kernels run: drivers write there what kernels print.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PRINTED_MAX = 4096 };

void capture_begin(struct capture *p, int stream)
{
    *p = (struct capture){.stream = stream, .saved = -1, .file = -1};
    (void)fflush(stream == STDOUT_FILENO ? stdout : stderr);
    p->file = memfd_create("printed", MFD_CLOEXEC);
    p->saved = p->file >= 0 ? dup(stream) : -1;
    if (p->saved >= 0 && dup2(p->file, stream) < 0) {
        close(p->saved);
        p->saved = -1;
    }
}

const char *capture_end(struct capture *p, struct arena *a)
{
    const char *printed = NULL;
    (void)fflush(p->stream == STDOUT_FILENO ? stdout : stderr);
    if (p->saved >= 0) {
        (void)dup2(p->saved, p->stream);
        close(p->saved);
        char *buffer = arena_alloc(a, PRINTED_MAX + 1);
        ssize_t size = pread(p->file, buffer, PRINTED_MAX, 0);
        printed = size > 0 ? buffer : NULL;
    }
    if (p->file >= 0)
        close(p->file);
    return printed;
}
