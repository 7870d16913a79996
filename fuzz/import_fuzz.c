// Any bytes as another profiler's file, in every format and in the one they look like: results whose
// figures can be recorded, or an error with a message.
// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count;
    const char *const *formats = import_formats(&count);
    char *text = xcalloc(size + 1, 1);
    if (size > 0)
        memcpy(text, data, size);
    import_as(NULL, text, size);
    for (size_t i = 0; i < count; i++)
        import_as(formats[i], text, size);
    free(text);
    return 0;
}
