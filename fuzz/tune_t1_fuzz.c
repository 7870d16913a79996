// Any bytes as a T1 file: refused with a message that names it, or a space whose axes have values; its conditions hold,
// do not, or say why they cannot be told.
// SPDX-License-Identifier: Apache-2.0
#include "tune/tune.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { AXES_MOST = 64 };
    static const uint16_t first[AXES_MOST] = {0};
    struct arena a = {0};
    struct error err = {0};
    struct t1 *t;
    int count = 0;
    bool holds;
    if (!t1_parse(&a, "space.json", (const char *)data, size, &t, &err)) {
        require(str_starts_with(err.message, "space.json"));
    } else {
        const struct axis *axes = t1_axes(t, &count);
        require(count > 0 && count <= AXES_MOST);
        for (int i = 0; i < count; i++)
            require(axes[i].value_count > 0 && axes[i].values[0]);
        require(t1_holds(t, first, &holds, &err) || err.message[0] != '\0');
    }
    arena_release(&a);
    return 0;
}
