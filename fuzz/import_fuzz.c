// Any bytes as another profiler's file: results whose figures can be recorded, or an error with a
// message. The target import_<format>_… reads them as that format, `import` as what they look like.
// SPDX-License-Identifier: Apache-2.0
#include "timeline_target.h"

#include <stdlib.h>
#include <string.h>

static void import_as(const char *format, const char *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct run run = {0};
    struct import_request request = {.format = format, .chip = "h200"};
    if (import_bytes(&a, &request, "fuzz.csv", data, size, &run, &err)) {
        require(run.result_count > 0 && run.header.experiment);
        json_t *json = run_to_json(&run);
        struct run back = {0};
        require(json && run_from_json(&a, json, &back, &err));
        require(back.result_count == run.result_count);
        json_decref(back.header.environment);
        json_decref(json);
    } else {
        require(err.kind != ERROR_NONE && err.message[0]);
    }
    json_decref(run.header.environment);
    arena_release(&a);
}

// "import_ncu_raw" -> "ncu"; NULL for "import".
static const char *format_of(const char *target)
{
    size_t count, i = 0, n = 0;
    const char *const *formats = import_formats(&count);
    const char *name = strchr(target, '_');
    for (; name && i < count; i++) {
        for (n = 0; formats[i][n] && (formats[i][n] == '-' ? '_' : formats[i][n]) == name[1 + n];)
            n++;
        if (!formats[i][n])
            return formats[i];
    }
    require(!name); // a folder of the corpus that names no format
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xcalloc(size + 1, 1);
    if (size > 0)
        memcpy(text, data, size);
    import_as(format_of(FUZZ_NAME), text, size);
    timeline_of(text, size);
    free(text);
    return 0;
}
