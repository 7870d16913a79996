// Any bytes as a kernel's source: what it includes is found, it gets a hash, and the same source the same
// one; or it is refused with a message. Its inline PTX is taken out.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "target.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HASH_DIGITS = 32 };
    struct arena a = {0};
    struct error err = {0};
    struct source one = {0}, again = {0};
    char path[64];
    int file = memfd_create("source", 0);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (source_read(&a, path, NULL, NULL, &one, &err)) {
        require(one.size_bytes == size && strlen(one.hash) == HASH_DIGITS && one.file_count >= 1);
        require(source_read(&a, path, NULL, NULL, &again, &err) &&
                strcmp(one.hash, again.hash) == 0);
        require(one.untold == again.untold && one.host == again.host && one.asks == again.asks);
        const char *without = inline_ptx_replace(&a, one.text, one.size_bytes);
        require(!without || strlen(without) > 0);
    } else {
        require(err.kind != ERROR_NONE && err.message[0]);
    }
    close(file);
    arena_release(&a);
    return 0;
}
