// A timeline's page: its size has a bound, and names are text.
// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PIECES = 200000, NAMES = 500, STREAMS = 60, NAME_BYTES = 3000, MOST_BYTES = 500000 };

// Long names, more streams than are drawn, no two neighbours alike.
static void the_largest_page_has_a_bound(void **state)
{
    struct arena a = {0};
    struct timeline t = {.arena = &a};
    struct timeline_summary s;
    struct text out = {0};
    struct error err = {0};
    static char name[NAME_BYTES + 1];
    memset(name, '<', NAME_BYTES);
    timeline_process(&t, 1);
    timeline_device(&t, 0);
    for (int i = 0; i < NAMES; i++) {
        name[0] = (char)('a' + i % 26);
        name[1] = (char)('a' + i / 26);
        (void)timeline_name(&t, name);
    }
    for (uint64_t i = 0; i < PIECES; i++) {
        struct work w = {.kind = i % 9 == 0 ? WORK_COPY : WORK_KERNEL,
                         .name = (int)(i % 9 == 0 ? i % 11 : i * 7 % NAMES),
                         .stream = i % STREAMS,
                         .start_ns = 1000 + 10 * i,
                         .end_ns = 1000 + 10 * i + 9,
                         .bytes = 8};
        timeline_add(&t, w);
        struct range r = {(int)(i % NAMES), 0, i % STREAMS, 1000 + 10 * i, 1000 + 10 * i + 5};
        timeline_add_range(&t, r);
    }
    timeline_summarize(&a, &t, &s);
    if (!report_timeline_html(&t, &s, &out, &err))
        fail_msg("%s", err.message);
    assert_in_range(out.length, 1000, MOST_BYTES);
    assert_null(strstr(text_str(&out), "<<"));
    assert_non_null(strstr(text_str(&out), "on further tracks are not drawn"));
    text_release(&out);
    timeline_release(&t);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_page_has_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
