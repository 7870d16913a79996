// Any bytes as a tuned table: refused with its name in the message; or what was read is written and read back the
// same, and a selection from it is one of its entries that are current.
// SPDX-License-Identifier: Apache-2.0
#include "tune/table.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct tuned_table t, back;
    struct text header = {0};
    if (!tuned_parse(&a, "tuned.json", (const char *)data, size, &t, &err)) {
        require(str_starts_with(err.message, "tuned.json"));
    } else {
        json_t *j = tuned_to_json(&t);
        char *text = json_dumps(j, 0);
        require(text && tuned_parse(&a, "tuned.json", text, strlen(text), &back, &err));
        require(back.count == t.count);
        struct tuned_size size_at_hand = {"N", 1000};
        struct tuned_query q = {.experiment = "e",
                                .sizes = &size_at_hand,
                                .size_count = 1,
                                .device = "GPU",
                                .platform = "CUDA 13.0",
                                .source = "0123"};
        struct tuned_answer found;
        tuned_select(&a, &back, &q, &found);
        require(found.why && (!found.entry || (strcmp(found.entry->device, "GPU") == 0 &&
                                               strcmp(found.entry->source, "0123") == 0)));
        tuned_header(&back, &header);
        free(text);
        json_decref(j);
    }
    text_release(&header);
    arena_release(&a);
    return 0;
}
