// Any bytes as a recording of ridge monitor: it is refused with a line, or its readings are counted; no series judges
// more of them than it has.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/replay.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct replay r;
    char *text = arena_strndup(&a, (const char *)data, size);
    FILE *in = size ? fmemopen(text, size, "re") : NULL;
    if (!in)
        return 0;
    if (!monitor_replay(&a, "recording", in, 1, NULL, NULL, &r, &err)) {
        if (err.message[0] == '\0')
            abort();
    } else if (r.judged > r.readings || r.alerts > r.judged || r.rate_most > 1) {
        abort();
    }
    (void)fclose(in);
    arena_release(&a);
    return 0;
}
