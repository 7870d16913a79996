// Any bytes as an expression: parsed, and evaluated with a few names. A value is finite and the same
// twice; an error has a message.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void evaluate(const struct expression *e)
{
    static const char *names[] = {"N", "M", "x", "device.sm_count"};
    static struct value values[] = {
        {true, 4096, 4096}, {true, -3, -3}, {false, 0, 2.5}, {true, 132, 132}};
    const struct scope scope = {COUNT_OF(names), names, values};
    struct error err = {0};
    struct value v = {0}, again = {0};
    if (!expression_evaluate(e, &scope, &v, &err)) {
        require(err.kind == ERROR_INPUT && err.message[0]);
        return;
    }
    require(isfinite(v.d));
    require(!v.is_integer || v.d == (double)v.i);
    require(expression_evaluate(e, &scope, &again, &err));
    require(v.is_integer == again.is_integer && v.i == again.i && v.d == again.d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct expression *e = NULL;
    char *text = xcalloc(size + 1, 1);
    if (size > 0)
        memcpy(text, data, size);
    struct location at = {.file = "fuzz.yaml", .line = 1, .column = 1, .source = text};
    if (expression_parse(&a, text, at, &e, &err))
        evaluate(e);
    else
        require(err.kind == ERROR_INPUT && err.message[0]);
    free(text);
    arena_release(&a);
    return 0;
}
