// Any bytes as machine code: the variables that it names lie within it, each once.
// SPDX-License-Identifier: Apache-2.0
#include "capture/elf.h"
#include "base/base.h"
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = xcalloc(size + 1, 1); // of its own: a read beyond is seen
    size_t at = 0, last = 0;
    const char *name = NULL;
    if (size > 0)
        memcpy(bytes, data, size);
    while (elf_next_variable(bytes, size, &at, &name)) {
        require(at > last);
        require(name >= bytes && name + strlen(name) < bytes + size);
        last = at;
    }
    free(bytes);
    return 0;
}
