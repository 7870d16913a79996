// Any bytes as the JSON of a run (a journal's rows, a worker's answer): read, written again, read
// again the same, and shown by every writer.
// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static void show(const struct run *r)
{
    const struct report_style styles[] = {
        {.width = 80},
        {.width = 120, .color = true, .unicode = true, .verbose = true},
        {.width = 1000, .plain = true, .verbose = true}};
    struct text out = {0};
    struct error err = {0};
    struct arena a = {0};
    struct run_comparison both;
    report_compare(&a, r, NULL, r, NULL, &both);
    for (size_t i = 0; i < COUNT_OF(styles); i++) {
        report_terminal(r, &styles[i], &out);
        report_verify(r, &styles[i], &out);
        report_explain(r, NULL, &styles[i], &out);
        text_clear(&out);
        report_compare_terminal(&both, &styles[i], &out);
        report_compare_figures(&both, &styles[i], &out);
        text_clear(&out);
    }
    if (!report_markdown(r, NULL, &out, &err))
        require(err.message[0] != '\0');
    report_compare_markdown(&both, &out);
    json_decref(report_compare_json(&both));
    text_clear(&out);
    if (!report_html(r, &out, &err) || !report_compare_html(&both, &out, &err))
        require(err.message[0] != '\0');
    text_release(&out);
    arena_release(&a);
}

static void write_and_read_again(const struct run *r)
{
    struct arena a = {0};
    struct error err = {0};
    struct run again;
    json_t *json = run_to_json(r);
    char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
    require(text != NULL);
    if (!run_from_json(&a, json, &again, &err))
        abort();
    json_t *twice = run_to_json(&again);
    char *same = json_dumps(twice, JSON_COMPACT | JSON_SORT_KEYS);
    require(same && strcmp(text, same) == 0);
    free(text);
    free(same);
    json_decref(json);
    json_decref(twice);
    json_decref(again.header.environment);
    arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct error err = {0};
    struct run r = {0};
    json_t *json = json_loadb((const char *)data, size, 0, NULL);
    if (json && run_from_json(&a, json, &r, &err)) {
        show(&r);
        write_and_read_again(&r);
        json_decref(r.header.environment);
    } else if (json) {
        require(err.kind != ERROR_NONE && err.message[0]);
    }
    json_decref(json);
    arena_release(&a);
    return 0;
}
