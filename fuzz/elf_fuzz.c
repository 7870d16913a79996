// Any bytes as machine code: what is handed out of it lies within it, each variable once.
// SPDX-License-Identifier: Apache-2.0
#include "base/elf.h"
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *bytes = xcalloc(size + 1, 1); // of its own: a read beyond is seen
    uint64_t at = 0, last = 0;
    struct elf f;
    if (size > 0)
        memcpy(bytes, data, size);
    if (elf_open(bytes, size, &f)) {
        for (const char *name; (name = elf_next_variable(&f, &at)) != NULL; last = at) {
            require(at > last);
            require(name >= bytes && name + strlen(name) < bytes + size);
        }
        for (uint32_t i = 0; i < f.head.e_shnum; i++) {
            const Elf64_Shdr s = elf_section(&f, i);
            require(!elf_has_bytes(&s) || s.sh_offset + s.sh_size <= size);
        }
        uint32_t named = elf_find(&f, ".debug_line");
        require(named < f.head.e_shnum || named == 0);
        require(!elf_is_whole(&f) || f.head.e_shoff <= size);
    }
    free(bytes);
    return 0;
}
