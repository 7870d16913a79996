// Alerts: XIDs and conditions that arrive and are over, series that leave their level, the ring, the command.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/alerts.h"

#include "monitor/support.h"

static const struct monitor_options usual = {.interval_s = 1, .xid_clear_s = 60};

struct collected {
    struct alert items[ALERTS_MAX];
    int count;
};

static void collect(void *context, const struct alert *a)
{
    struct collected *c = context;
    c->items[c->count++] = *a;
}

static struct collected all_of(struct monitor *m)
{
    struct collected c = {.count = 0};
    monitor_alerts(m, 0, collect, &c);
    return c;
}

static void an_xid_is_told_once_and_when_it_is_over(void **state)
{
    fake_say("");
    struct monitor *m = opened(&usual);
    monitor_sample(m, second);
    fake_say("0.xid.1 31\n0.xid.2 31\n");
    monitor_sample(m, 2 * second);
    monitor_sample(m, 3 * second);
    monitor_sample(m, 100 * second);
    struct collected c = all_of(m);
    assert_int_equal(c.count, 2);
    assert_int_equal(c.items[0].kind, ALERT_XID);
    assert_string_equal(c.items[0].name, "31");
    assert_false(c.items[0].over);
    assert_true(c.items[1].over);
    assert_non_null(strstr(c.items[1].words, "not mapped; last "));
    fake_say("0.xid.1 31\n0.xid.2 31\n0.xid.3 31\n");
    monitor_sample(m, 101 * second); // again: a new one
    assert_int_equal(all_of(m).count, 3);
    monitor_close(m);
}

static void a_condition_that_comes_and_goes_is_told_once(void **state)
{
    struct monitor *m = opened(&usual);
    for (uint64_t i = 1; i <= 30; i++) {
        fake_say(i % 2 ? "0.reasons 64\n" : "");
        monitor_sample(m, i * second);
    }
    assert_int_equal(all_of(m).count, 1);
    fake_say("");
    monitor_sample(m, 88 * second);
    assert_int_equal(all_of(m).count, 1); // 59 s since it was seen
    monitor_sample(m, 90 * second);
    struct collected c = all_of(m);
    assert_int_equal(c.count, 2);
    assert_true(c.items[1].over);
    assert_string_equal(c.items[1].name, "slowed_by_hardware");
    monitor_close(m);
}

// Six samples a minute of a GPU at work whose readings are rounded and vary; not by NVML, for speed.
static void minutes(struct monitor *m, uint64_t *now_s, int count, int celsius, int mhz, int busy)
{
    struct monitor_gpu *g = &m->gpus[0];
    for (int i = 0; i < 6 * count; i++) {
        uint32_t words[4];
        philox(3, 0, *now_s, words);
        telemetry_sample_clear(&g->now);
        g->now.value[TELEMETRY_temperature_c] = celsius + (int)(words[0] % 3) - 1;
        g->now.value[TELEMETRY_sm_clock_mhz] = mhz - 15 * (int)(words[1] % 2);
        g->now.value[TELEMETRY_busy_pct] = busy;
        anomalies_sample(m, g, *now_s * second, (int64_t)*now_s);
        *now_s += 10;
    }
}

static void a_chip_that_gets_hotter_at_work_is_an_alert(void **state)
{
    struct monitor *m = opened(&usual);
    uint64_t now_s = 1;
    minutes(m, &now_s, WATCH_LEARN + 60, 60, 1980, 95);
    minutes(m, &now_s, 30, 30, 345, 0); // idle: neither cooler nor slower, only not at work
    minutes(m, &now_s, 30, 60, 1980, 95);
    assert_int_equal(all_of(m).count, 0);
    minutes(m, &now_s, 10, 68, 1980, 95);
    struct collected c = all_of(m);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.items[0].kind, ALERT_ANOMALY);
    assert_string_equal(c.items[0].name, "temperature_c");
    assert_non_null(strstr(c.items[0].words, "the chip is hotter at work than it was: 6"));
    minutes(m, &now_s, WATCH_LEARN + 60, 68, 1980, 95); // one level, one alert
    assert_int_equal(all_of(m).count, 1);
    minutes(m, &now_s, 10, 60, 1980, 95); // cooler again: learned, no alert
    assert_int_equal(all_of(m).count, 1);
    minutes(m, &now_s, WATCH_LEARN, 60, 1980, 95);
    minutes(m, &now_s, 20, 60, 1700, 95);
    c = all_of(m);
    assert_int_equal(c.count, 2);
    assert_string_equal(c.items[1].name, "sm_clock_mhz");
    monitor_close(m);
}

static void the_ring_keeps_the_newest(void **state)
{
    struct monitor *m = opened(&usual);
    struct collected c = {.count = 0};
    for (int i = 0; i < 3 * ALERTS_MAX; i++)
        alert_raise(m, NULL, ALERT_CANARY, false, "x", "%d", i);
    assert_int_equal(monitor_alerts(m, 5, collect, &c), 3 * ALERTS_MAX);
    assert_int_equal(c.count, ALERTS_MAX);
    assert_string_equal(c.items[0].words, "128");
    c.count = 0;
    monitor_alerts(m, 3 * ALERTS_MAX - 1, collect, &c);
    assert_int_equal(c.count, 1);
    assert_string_equal(c.items[0].words, "191");
    monitor_close(m);
}

static void the_command_gets_each_alert_as_json(void **state)
{
    struct arena a = {0};
    struct error err = {0};
    struct hook *h = NULL;
    int failed, dropped;
    char *data = NULL;
    size_t size;
    const char *file = arena_printf(&a, "%s.alerts", fake_state);
    const char *command = arena_printf(&a, "cat >>%s; echo >>%s; exit 3", file, file);
    const struct alert alert = {
        .kind = ALERT_XID, .gpu = 1, .uuid = "GPU-x", .name = "79", .words = "gone \"off\""};
    assert_true(hook_open(command, &h, &err));
    hook_add(h, &alert);
    hook_add(h, &alert);
    hook_close(h, &failed, &dropped);
    assert_int_equal(failed, 2); // exit 3
    assert_int_equal(dropped, 0);
    assert_true(file_read(file, 10000, &data, &size, &err));
    assert_non_null(strstr(data, "\"kind\":\"xid\""));
    assert_non_null(strstr(data, "\"message\":\"gone \\\"off\\\"\""));
    assert_non_null(strstr(strchr(data, '\n'), "\"uuid\":\"GPU-x\""));
    free(data);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_xid_is_told_once_and_when_it_is_over),
        cmocka_unit_test(a_condition_that_comes_and_goes_is_told_once),
        cmocka_unit_test(a_chip_that_gets_hotter_at_work_is_an_alert),
        cmocka_unit_test(the_ring_keeps_the_newest),
        cmocka_unit_test(the_command_gets_each_alert_as_json),
    };
    fake_load();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
