// Any bytes as a T4 file: refused with a message that names it, or a session whose right points have times; it is
// replayed, written, and read back the same.
// SPDX-License-Identifier: Apache-2.0
#include "tune/tune.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct tuning t, back, again;
    if (!t4_parse(&a, "results.json", (const char *)data, size, &t, &err)) {
        require(str_starts_with(err.message, "results.json"));
    } else {
        for (int i = 0; i < t.count; i++)
            require(t.evaluations[i].point == i && (t.evaluations[i].outcome != OUTCOME_CORRECT ||
                                                    evaluation_is_right(&t.evaluations[i])));
        require(replay(&a, &t, STRATEGY_local, 1, 20, &again, &err));
        require(again.count == (t.count < 20 ? t.count : 20));
        json_t *j = t4_to_json(&t);
        char *text = json_dumps(j, 0);
        if (text) { // text that is no UTF-8 was refused by the reader
            require(t4_parse(&a, "results.json", text, strlen(text), &back, &err));
            require(back.count == t.count);
        }
        free(text);
        json_decref(j);
    }
    arena_release(&a);
    return 0;
}
