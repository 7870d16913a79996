// The PTX parser and printer: any text ends in an error or a module; what is printed of a module
// parses, and prints the same again.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes)
{
    struct arena a = {0};
    struct error err = {0};
    struct ptx_module *m = NULL, *again = NULL;
    char *text = xcalloc(size_bytes + 1, 1);
    memcpy(text, data, size_bytes);
    if (memchr(text, 0, size_bytes) == NULL &&
        ptx_parse(&a, "fuzz.ptx", text, size_bytes, &m, &err)) {
        struct text first = {0}, second = {0};
        ptx_print(m, &first);
        if (ptx_parse(&a, "printed.ptx", text_str(&first), first.length, &again, &err)) {
            ptx_print(again, &second);
            if (strcmp(text_str(&first), text_str(&second)) != 0)
                abort();
            text_release(&second);
        }
        text_release(&first);
    }
    free(text);
    arena_release(&a);
    return 0;
}
