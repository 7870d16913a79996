// The monitor on a fake NVML: figures, what is not known, XIDs that arrive and clear, what is wrong, and that the
// terminal, JSON and the scrape show the same.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/support.h"

#include <malloc.h>
#include <math.h>

static const struct monitor_options usual = {.interval_s = 1, .xid_clear_s = 60};

static double value_of(const struct monitor *m, enum telemetry_field field)
{
    return m->gpus[0].now.value[field];
}

static bool has_condition(const struct monitor *m, enum condition_id id)
{
    return m->gpus[0].conditions >> id & 1U;
}

static const char *scraped(struct monitor *m, enum scrape_format format)
{
    static struct text out;
    text_clear(&out);
    monitor_scrape(m, format, &out);
    return text_str(&out);
}

static void every_figure_of_the_table_is_read(void **state)
{
    fake_say("gpus 2\n1.power_mw 650000\n");
    struct monitor *m = opened(&usual);
    monitor_sample(m, second);
    assert_int_equal(m->gpu_count, 2);
    assert_string_equal(m->gpus[1].chip->uuid, "GPU-00000000-0000-4000-8000-000000000001");
    assert_true(m->gpus[1].now.value[TELEMETRY_power_w] == 650);
    for (int i = 0; i < TELEMETRY_FIELD_COUNT; i++)
        if (i != TELEMETRY_fan_pct && isnan(value_of(m, (enum telemetry_field)i)))
            fail_msg("%s is not read", telemetry_field_info((enum telemetry_field)i)->name);
    assert_true(value_of(m, TELEMETRY_power_w) == 300);
    assert_true(fabs(value_of(m, TELEMETRY_energy_j) - 123456.789) < 1e-6);
    assert_true(value_of(m, TELEMETRY_memory_temperature_c) == 51);
    assert_true(isnan(value_of(m, TELEMETRY_fan_pct))); // not a fan at rest
    monitor_close(m);
}

static void what_a_chip_does_not_report_is_absent_everywhere(void **state)
{
    fake_say("0.power_mw -\n0.ecc_corrected -\n0.nvlinks 0\n");
    struct monitor *m = opened(&usual);
    monitor_sample(m, second);
    const char *text = scraped(m, SCRAPE_PROMETHEUS);
    assert_null(strstr(text, "hw_power_watts"));
    assert_null(strstr(text, "ridge_gpu_nvlink"));
    assert_non_null(strstr(text, "ridge_gpu_power_limit_watts"));
    json_t *j = monitor_json(m), *gpu = json_array_get(json_object_get(j, "gpus"), 0);
    assert_true(json_is_null(json_object_get(json_object_get(gpu, "values"), "power_w")));
    assert_true(json_is_null(json_object_get(gpu, "nvlinks")));
    json_decref(j);
    struct text page = {0};
    const struct report_style style = {.width = 100};
    monitor_terminal(m, &style, &page);
    assert_null(strstr(text_str(&page), "power"));
    text_release(&page);
    monitor_close(m);
}

static void an_xid_of_a_program_is_over_after_a_time(void **state)
{
    fake_say("");
    struct monitor *m = opened(&usual);
    monitor_sample(m, second);
    assert_int_equal(m->gpus[0].xids.count, 0);
    fake_say("0.xid.1 31\n0.xid.2 31\n");
    monitor_sample(m, 2 * second);
    const struct xid_seen *x = &m->gpus[0].xids.seen[0];
    assert_int_equal(x->number, 31);
    assert_int_equal(x->count, 2);
    assert_true(x->active);
    assert_non_null(strstr(scraped(m, SCRAPE_PROMETHEUS), "xid=\"31\"} 2\n"));
    monitor_sample(m, 61 * second);
    assert_true(x->active); // a second too early
    monitor_sample(m, 62 * second);
    assert_false(x->active);
    assert_int_equal(gpu_status(&m->gpus[0]), STATUS_OK);
    assert_int_equal(x->count, 2); // what was is not forgotten
    monitor_close(m);
}

static void an_xid_that_needs_a_reset_holds_until_there_was_one(void **state)
{
    fake_say("0.xid.1 79\n");
    struct monitor *m = opened(&usual);
    monitor_sample(m, second);
    assert_int_equal(gpu_status(&m->gpus[0]), STATUS_FAILED);
    monitor_sample(m, 10000 * second);
    assert_true(has_condition(m, CONDITION_xid));
    fake_say("0.xid.1 79\n0.lost 1\n");
    monitor_sample(m, 10001 * second);
    assert_true(has_condition(m, CONDITION_lost));
    fake_say("0.xid.1 79\n0.energy_mj 5\n"); // the driver counts from anew
    monitor_sample(m, 10002 * second);
    assert_false(m->gpus[0].xids.seen[0].active);
    assert_int_equal(gpu_status(&m->gpus[0]), STATUS_OK);
    monitor_close(m);
}

static void the_log_of_xids_is_bounded(void **state)
{
    struct xid_log log = {.count = 0};
    for (unsigned i = 0; i < 10 * XIDS_SEEN_MAX; i++)
        xid_arrived(&log, 1000 + i, i + 1, "now");
    assert_int_equal(log.count, XIDS_SEEN_MAX);
    xid_arrived(&log, 79, 10000, "now");
    for (unsigned i = 0; i + 1 < XIDS_SEEN_MAX; i++)
        xid_arrived(&log, i, 20000 + i, "now");
    bool kept = false;
    for (int i = 0; i < log.count; i++)
        kept |= log.seen[i].number == 79;
    assert_true(kept);
    assert_non_null(strstr(xid_info(79).meaning, "fallen off the bus"));
    assert_non_null(strstr(xid_info(9999).meaning, "not in ridge's table"));
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        const char *state;
        enum condition_id condition;
        enum gpu_status status;
    } rows[] = {
        {"0.lost 1\n", CONDITION_lost, STATUS_FAILED},
        {"0.xid.1 48\n", CONDITION_xid, STATUS_FAILED},
        {"0.rows_failed 1\n", CONDITION_remapping_failed, STATUS_FAILED},
        {"0.rows_pending 1\n", CONDITION_remapping_pending, STATUS_DEGRADED},
        {"0.ecc_uncorrected 1\n", CONDITION_ecc_uncorrected, STATUS_DEGRADED},
        {"0.pcie_width 8\n", CONDITION_pcie_narrow, STATUS_DEGRADED},
        {"0.pcie_generation 3\n", CONDITION_pcie_slow, STATUS_DEGRADED},
        {"0.nvlink.7 0\n", CONDITION_nvlink_down, STATUS_DEGRADED},
        {"0.reasons 64\n", CONDITION_slowed_by_hardware, STATUS_DEGRADED},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        fake_say("");
        struct monitor *m = opened(&usual);
        monitor_sample(m, second);
        assert_int_equal(m->gpus[0].conditions, 0);
        fake_say(rows[i].state);
        monitor_sample(m, 2 * second);
        assert_int_equal(m->gpus[0].conditions, 1U << rows[i].condition);
        assert_int_equal(gpu_status(&m->gpus[0]), rows[i].status);
        monitor_close(m);
    }
    assert_int_equal(COUNT_OF(rows), CONDITION_COUNT);
}

static void an_idle_gpu_that_lets_its_link_down_is_well(void **state)
{
    fake_say("0.busy 0\n0.pcie_generation 1\n0.sm_mhz 345\n0.reasons 1\n0.nvlink.3 0\n");
    struct monitor *m = opened(&usual);
    monitor_sample(m, second);
    assert_int_equal(m->gpus[0].conditions, 0); // nor a link that never was up
    monitor_close(m);
}

static void names_of_others_cannot_leave_their_quotes(void **state)
{
    fake_say("0.name a\"b\\c\033[31m\n");
    struct monitor *m = opened(&usual);
    monitor_sample(m, second);
    const char *text = scraped(m, SCRAPE_PROMETHEUS);
    assert_non_null(strstr(text, "hw_name=\"a\\\"b\\\\c\\\\u001b[31m\""));
    assert_null(strchr(text, '\033'));
    monitor_close(m);
}

static void the_two_scrape_formats_differ_where_they_should(void **state)
{
    fake_say("");
    struct monitor *m = opened(&usual);
    monitor_sample(m, second);
    const char *text = scraped(m, SCRAPE_PROMETHEUS);
    assert_non_null(strstr(text, "# TYPE hw_energy_joules_total counter\n"));
    assert_null(strstr(text, "# UNIT"));
    assert_null(strstr(text, "# EOF"));
    text = scraped(m, SCRAPE_OPENMETRICS);
    assert_non_null(
        strstr(text, "# TYPE hw_energy_joules counter\n# UNIT hw_energy_joules joules\n"));
    assert_non_null(strstr(text, "hw_energy_joules_total{hw_id=\"GPU-"));
    assert_true(str_ends_with(text, "# EOF\n"));
    monitor_close(m);
}

// OpenTelemetry's name, its dots as underscores, is the beginning, and the unit the end.
static void names_follow_from_opentelemetrys(void **state)
{
    for (int i = 0; i < FAMILY_COUNT; i++) {
        const struct family_info *f = family_info((enum metric_family)i);
        char expected[128];
        (void)snprintf(expected, sizeof expected, "%s%s%s", f->otel ? f->otel : "",
                       *f->unit ? "_" : "", f->unit);
        for (char *c = expected; *c; c++)
            *c = *c == '.' ? '_' : *c;
        if (f->otel)
            assert_string_equal(f->name, expected);
        else
            assert_true(str_starts_with(f->name, "ridge_"));
        if (*f->unit)
            assert_true(str_ends_with(f->name, f->unit));
    }
}

static void every_figure_is_exposed(void **state)
{
    bool exposed[TELEMETRY_FIELD_COUNT] = {false};
    for (int i = 0; i < metric_row_count(); i++)
        exposed[metric_row(i)->figure] = true;
    for (int i = 0; i < TELEMETRY_FIELD_COUNT; i++)
        if (!exposed[i])
            fail_msg("%s has no row in metrics.def",
                     telemetry_field_info((enum telemetry_field)i)->name);
}

static void history_is_bounded_and_in_order(void **state)
{
    double values[HISTORY_MAX];
    fake_say("");
    struct monitor *m = opened(&usual);
    for (uint64_t i = 1; i <= HISTORY_MAX + 5; i++) {
        if (i == HISTORY_MAX + 5)
            fake_say("0.busy 100\n");
        monitor_sample(m, i * second);
    }
    assert_string_equal(metric_row(0)->title, "busy");
    assert_int_equal(ring_newest(&m->gpus[0].history[0], HISTORY_MAX, values), HISTORY_MAX);
    assert_true(values[HISTORY_MAX - 1] == 1);
    assert_true(fabs(values[HISTORY_MAX - 2] - 0.62) < 1e-6);
    monitor_close(m);
}

static void durations_have_units(void **state)
{
    double s;
    static const struct {
        const char *text;
        double seconds; // 0: refused
    } rows[] = {{"500ms", 0.5}, {"10s", 10}, {"10m", 600}, {"2h", 7200}, {"1d", 86400},
                {"7", 7},       {"", 0},     {"s", 0},     {"-1s", 0},   {"0", 0},
                {"1w", 0},      {"nan", 0},  {"inf", 0},   {"1e999s", 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool ok = duration_parse(rows[i].text, &s);
        if (ok != (rows[i].seconds > 0) || (ok && fabs(s - rows[i].seconds) > 1e-9))
            fail_msg("%s", rows[i].text);
    }
}

// 24 hours of samples, one a minute, in a made clock: what is kept does not grow. (Sanitizers' own
// allocator reports nothing here, so that the comparison is of zeros there.)
static void a_day_of_samples_keeps_no_more_than_four_hours(void **state)
{
    enum { HOURS = 24, STEP_S = 60, PER_HOUR = 3600 / STEP_S };
    struct monitor *m = opened(&usual);
    size_t after_hours = 0;
    (void)state;
    for (int i = 0; i < HOURS * PER_HOUR; i++) {
        if (i % PER_HOUR == 0) // XIDs come and go, as does a condition
            fake_say(i / PER_HOUR % 2 ? "gpus 2\n0.xid.1 31\n1.nvlink.3 0\n" : "gpus 2\n");
        monitor_sample(m, (uint64_t)(i + 1) * STEP_S * second);
        (void)scraped(m, SCRAPE_PROMETHEUS);
        json_decref(monitor_json(m));
        json_decref(monitor_history_json(m));
        if (i ==
            4 * PER_HOUR) // levels are learned by then (240 minutes), and both states were seen
            after_hours = mallinfo2().uordblks;
    }
    size_t at_the_end = mallinfo2().uordblks;
    if (at_the_end > after_hours + after_hours / 100)
        fail_msg("%zu bytes after four hours, %zu after a day", after_hours, at_the_end);
    monitor_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_of_the_table_is_read),
        cmocka_unit_test(what_a_chip_does_not_report_is_absent_everywhere),
        cmocka_unit_test(an_xid_of_a_program_is_over_after_a_time),
        cmocka_unit_test(an_xid_that_needs_a_reset_holds_until_there_was_one),
        cmocka_unit_test(the_log_of_xids_is_bounded),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(an_idle_gpu_that_lets_its_link_down_is_well),
        cmocka_unit_test(names_of_others_cannot_leave_their_quotes),
        cmocka_unit_test(the_two_scrape_formats_differ_where_they_should),
        cmocka_unit_test(names_follow_from_opentelemetrys),
        cmocka_unit_test(every_figure_is_exposed),
        cmocka_unit_test(history_is_bounded_and_in_order),
        cmocka_unit_test(a_day_of_samples_keeps_no_more_than_four_hours),
        cmocka_unit_test(durations_have_units),
    };
    fake_load();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
