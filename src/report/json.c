// The run as JSON text: the one serialisation of loop, indented.
// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <stdlib.h>

void report_json(const struct run *r, struct text *out)
{
    json_t *json = run_to_json(r);
    char *dump = json_dumps(json, JSON_INDENT(1));
    json_decref(json);
    if (dump)
        text_add(out, dump);
    text_add(out, "\n");
    free(dump);
}
