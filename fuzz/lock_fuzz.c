// Any bytes as a ridge.lock: refused with its name in the message; or what was read is written and read back
// the same.
// SPDX-License-Identifier: Apache-2.0
#include "gate/gate.h"
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct lock l, back;
    struct text once = {0}, twice = {0};
    char *text = arena_alloc(&a, size + 1); // NUL terminated, as file_read gives it
    if (size > 0)
        memcpy(text, data, size);
    if (!lock_parse(&a, "ridge.lock", text, size, &l, &err)) {
        require(str_starts_with(err.message, "ridge.lock"));
    } else {
        lock_write(&l, &once);
        require(lock_parse(&a, "ridge.lock", text_str(&once), once.length, &back, &err));
        require(back.count == l.count);
        lock_write(&back, &twice);
        require(strcmp(text_str(&once), text_str(&twice)) == 0);
    }
    text_release(&once);
    text_release(&twice);
    arena_release(&a);
    return 0;
}
