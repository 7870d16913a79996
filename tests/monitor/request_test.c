// Addresses, tokens and formats, as people and clients write them.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/request.h"

#include "monitor/support.h"

static void addresses_are_loopback_unless_told_otherwise(void **state)
{
    static const struct {
        const char *text, *printed; // printed NULL: refused
        bool loopback;
    } rows[] = {
        {":9400", "127.0.0.1:9400", true},
        {"9400", "127.0.0.1:9400", true},
        {"localhost:1", "127.0.0.1:1", true},
        {"127.8.7.6:9400", "127.8.7.6:9400", true},
        {"[::1]:9400", "[::1]:9400", true},
        {"0.0.0.0:9400", "0.0.0.0:9400", false},
        {"[::]:0", "[::]:0", false},
        {"10.1.2.3:65535", "10.1.2.3:65535", false},
        {"::1:9400", NULL, false}, // is 9400 the port?
        {"10.1.2.3", NULL, false},
        {"10.1.2.3:", NULL, false},
        {":65536", NULL, false},
        {":-1", NULL, false},
        {":0x50", NULL, false},
        {"host.example:9400", NULL, false}, // no look-up of names
        {"", NULL, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct server_address a;
        struct error err = {0};
        char printed[96] = "";
        bool ok = server_address_parse(rows[i].text, &a, &err);
        if (ok)
            server_address_print(&a, printed, sizeof printed);
        if (ok != (rows[i].printed != NULL) || (ok && strcmp(printed, rows[i].printed) != 0) ||
            (ok && a.loopback != rows[i].loopback))
            fail_msg("'%s': %d '%s'", rows[i].text, ok, printed);
        if (!ok)
            assert_non_null(strstr(err.message, "is no ADDRESS:PORT"));
    }
}

static void only_the_token_matches(void **state)
{
    static const char token[] = "correct horse battery";
    assert_true(bearer_matches("Bearer correct horse battery", token));
    assert_true(bearer_matches("bearer correct horse battery", token));
    assert_false(bearer_matches(NULL, token));
    assert_false(bearer_matches("", token));
    assert_false(bearer_matches("Bearer ", token));
    assert_false(bearer_matches("Basic correct horse battery", token));
    assert_false(bearer_matches("Bearer correct horse batterY", token));
    assert_false(bearer_matches("Bearer correct horse battery ", token));
    assert_false(bearer_matches("Bearer correct horse batter", token));
    assert_false(bearer_matches("Bearer correct horse batterycorrect horse battery", token));
    assert_false(bearer_matches("Bearer x", ""));
    assert_false(bearer_matches("Bearer ", ""));
}

static void openmetrics_is_given_to_who_asks_for_it(void **state)
{
    assert_int_equal(scrape_format_of(NULL), SCRAPE_PROMETHEUS);
    assert_int_equal(scrape_format_of("*/*"), SCRAPE_PROMETHEUS);
    // As Prometheus 2.42 asks.
    assert_int_equal(
        scrape_format_of(
            "application/openmetrics-text;version=1.0.0,application/"
            "openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
        SCRAPE_OPENMETRICS);
    assert_int_equal(scrape_format_of("application/openmetrics-text;q=0,text/plain"),
                     SCRAPE_PROMETHEUS);
    assert_int_equal(scrape_format_of("application/openmetrics-text;q=0.0"), SCRAPE_PROMETHEUS);
    assert_int_equal(scrape_format_of("application/openmetrics-text;q=0.01"), SCRAPE_OPENMETRICS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_loopback_unless_told_otherwise),
        cmocka_unit_test(only_the_token_matches),
        cmocka_unit_test(openmetrics_is_given_to_who_asks_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
