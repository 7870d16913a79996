// Any bytes as a recording of ridge monitor: it is refused with a line, or its readings are counted; no series judges
// more of them than it has, neither as recorded nor resampled to an hour.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/replay.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>

static void replay(struct arena *a, const char *text, size_t size, double resample_s)
{
    struct error err = {0};
    struct replay r;
    FILE *in = fmemopen((void *)(uintptr_t)text, size, "re");
    if (!in)
        return;
    if (!monitor_replay(a, "recording", in, 1, resample_s, NULL, NULL, &r, &err)) {
        if (err.message[0] == '\0')
            abort();
    } else if (r.judged > r.readings || r.alerts > r.judged || r.rate_most > 1) {
        abort();
    }
    (void)fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    const char *text = arena_strndup(&a, (const char *)data, size);
    if (size > 0) {
        replay(&a, text, size, 0);
        replay(&a, text, size, 3600);
    }
    arena_release(&a);
    return 0;
}
