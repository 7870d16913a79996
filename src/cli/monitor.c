// ridge monitor: GPUs watched while others use them: a page in the terminal, lines in a log, JSON.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"
#include "monitor/canary.h"
#include "monitor/monitor.h"
#include "monitor/replay.h"
#include "monitor/server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double ns_per_s = 1e9;

struct watching { // what a session of watching needs
    const struct options *o;
    struct arena arena;
    struct monitor *monitor;
    struct monitor_options settings;
    struct server *server; // NULL: nothing is served
    struct canary *canary; // NULL: none
    struct hook *hook;     // NULL: no command
    uint64_t alerts_seen;
    bool alarmed; // an alert was raised
    double for_s; // 0 = until it is interrupted
    bool once, json, page;
    bool silent; // a service: what is served is enough
};

static bool option_duration(const struct options *o, enum option_id id, double otherwise,
                            double *out, struct error *err)
{
    const char *text = option_text(o, id, NULL);
    *out = otherwise;
    return !text || duration_parse(text, out) ||
           fail(err, NOWHERE, "option --%s: '%s' is no time above 0: 500ms, 10s, 10m, 2h, 1d",
                option_name(id), text);
}

static bool watch_options(struct watching *w, struct error *err)
{
    const struct options *o = w->o;
    w->once = option_given(o, OPTION_ONCE);
    w->json = option_given(o, OPTION_JSON);
    w->page = !w->once && !w->json && !option_given(o, OPTION_PLAIN) && isatty(STDOUT_FILENO);
    w->silent = option_given(o, OPTION_SERVE) && !w->once && !w->json && !w->page &&
                !option_given(o, OPTION_PLAIN);
    const char *device = option_text(o, OPTION_DEVICE, "auto");
    w->settings.no_gpus = str_starts_with(device, "sim:");
    if (!w->settings.no_gpus && strcmp(device, "auto") != 0)
        return fail(
            err, NOWHERE,
            "option --device: '%s' is neither auto (every GPU) nor a simulated one, for the "
            "canary: sim:h200",
            device);
    return option_duration(o, OPTION_INTERVAL, 1, &w->settings.interval_s, err) &&
           option_duration(o, OPTION_FOR, 0, &w->for_s, err);
}

// As much of the page as the window has rows for: a longer one would scroll.
static void cut_to_window(struct text *t)
{
    struct winsize window;
    int rows = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_row > 1
                   ? window.ws_row - 1
                   : 23;
    for (size_t i = 0; i < t->length; i++)
        if (t->data[i] == '\n' && --rows == 0) {
            t->data[i + 1] = '\0';
            t->length = i + 1;
        }
}

// A log line on standard error, unless the page or the JSON has it.
static void alert_say(void *context, const struct alert *a)
{
    struct watching *w = context;
    struct text line = {0};
    alert_line(a, &line);
    if (!w->page && !w->json)
        cli_say("%s", text_str(&line));
    text_release(&line);
    if (w->hook)
        hook_add(w->hook, a);
    w->alarmed = w->alarmed || !a->over;
}

static bool show(const struct watching *w, struct error *err)
{
    struct text out = {0};
    struct report_style style = cli_style(w->o);
    if (w->json && !w->once) { // an object per line
        json_t *j = monitor_json(w->monitor);
        char *line = json_dumps(j, JSON_COMPACT);
        json_decref(j);
        text_printf(&out, "%s\n", line ? line : "null");
        free(line);
    } else if (w->json) {
        cli_add_json(&out, monitor_json(w->monitor));
    } else if (w->page || w->once) {
        monitor_terminal(w->monitor, &style, &out);
    } else {
        monitor_line(w->monitor, &out);
    }
    if (w->page) {
        cut_to_window(&out);
        fputs("\033[H\033[J", stdout);
    }
    bool done = cli_print(&out, err);
    text_release(&out);
    return done;
}

// Until then, or until it is interrupted: a signal may reach another thread, so the flag is looked at.
static void wait_until(uint64_t then_ns)
{
    enum { SLICE_NS = 50 * 1000 * 1000 };
    for (uint64_t now; !*cli_cancelled && (now = clock_ns()) < then_ns;) {
        uint64_t left = then_ns - now;
        const struct timespec t = {.tv_nsec = left < SLICE_NS ? (long)left : SLICE_NS};
        nanosleep(&t, NULL);
    }
}

static bool serve(struct watching *w, struct error *err)
{
    const struct server_options settings = {
        .address = option_text(w->o, OPTION_SERVE, NULL),
        .token_file = option_text(w->o, OPTION_TOKEN_FILE, NULL),
        .certificate_file = option_text(w->o, OPTION_TLS_CERT, NULL),
        .key_file = option_text(w->o, OPTION_TLS_KEY, NULL),
    };
    if (!settings.address)
        return !settings.token_file && !settings.certificate_file && !settings.key_file
                   ? true
                   : fail(err, NOWHERE,
                          "options --token-file, --tls-cert and --tls-key need --serve");
    if (!server_open(&settings, w->monitor, &w->server, err))
        return false;
    if (!option_given(w->o, OPTION_QUIET))
        cli_say("serving %s\n", server_url(w->server));
    if (server_is_exposed(w->server))
        cli_warn("other machines may read what this serves: --token-file FILE asks them for a "
                 "token");
    return true;
}

// EXPERIMENT or EXPERIMENT:VARIANT; its folder or its name, as for ridge run.
static bool canary_start(struct watching *w, struct error *err)
{
    const struct options *o = w->o;
    const char *text = option_text(o, OPTION_CANARY, NULL);
    const char *colon = text ? strrchr(text, ':') : NULL, *slash = text ? strrchr(text, '/') : NULL;
    struct arena *a = &w->arena;
    struct canary_options settings = {.experiment = text,
                                      .device = option_text(o, OPTION_DEVICE, "auto"),
                                      .journal = option_text(o, OPTION_JOURNAL, NULL),
                                      .compiler = option_text(o, OPTION_COMPILER, NULL),
                                      .busy_too = option_given(o, OPTION_CANARY_BUSY)};
    static const double every_default_s = 600;
    if (!option_duration(o, OPTION_EVERY, every_default_s, &settings.every_s, err))
        return false;
    if (!text)
        return w->settings.no_gpus || option_given(o, OPTION_EVERY) ||
                       option_given(o, OPTION_CANARY_BUSY)
                   ? fail(err, NOWHERE,
                          "options --every, --canary-busy and a simulated --device need --canary")
                   : true;
    if (colon && (!slash || colon > slash)) {
        settings.experiment = arena_strndup(a, text, (size_t)(colon - text));
        settings.variant = colon + 1;
    }
    monitor_sample(w->monitor, clock_ns()); // whether a GPU is idle is known before the first run
    return canary_open(&settings, w->monitor, &w->canary, err);
}

static bool watch_run(struct watching *w, struct error *err)
{
    const uint64_t began = clock_ns(), step = (uint64_t)(w->settings.interval_s * ns_per_s);
    bool done = true;
    for (uint64_t next = began; done && !*cli_cancelled;) {
        monitor_sample(w->monitor, clock_ns());
        w->alerts_seen = monitor_alerts(w->monitor, w->alerts_seen, alert_say, w);
        done = w->silent || show(w, err);
        next += step;
        uint64_t now = clock_ns();
        if (w->once || (w->for_s > 0 && (double)(next - began) >= w->for_s * ns_per_s))
            break;
        if (next < now) // a round took longer than the interval: no backlog
            next = now;
        wait_until(next);
    }
    return done;
}

static void hook_end(struct hook *h)
{
    int failed = 0, dropped = 0;
    if (h)
        hook_close(h, &failed, &dropped);
    if (failed + dropped > 0)
        cli_say("ridge: warning: --on-alert failed %d time%s, and %d alert%s were dropped\n",
                failed, plural(failed), dropped, plural(dropped));
}

// A recording in the place of GPUs.
static bool replay_run(struct watching *w, const char *path, struct error *err)
{
    const struct options *o = w->o;
    struct replay r;
    struct text out = {0};
    double reading_s = 0, resample_s = 0;
    if (!option_duration(o, OPTION_INTERVAL, 0, &reading_s, err) ||
        !option_duration(o, OPTION_FOR, 0, &resample_s, err))
        return false;
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "re");
    if (!in)
        return fail(err, NOWHERE, "option --replay: cannot read '%s': %s", path, strerror(errno));
    w->json = option_given(o, OPTION_JSON);
    bool done = monitor_replay(&w->arena, path, in, reading_s, resample_s, alert_say, w, &r, err);
    if (!standard)
        (void)fclose(in);
    if (done && w->json)
        return cli_print_json(replay_json(&r), err);
    if (done)
        replay_print(&r, &out);
    done = done && cli_print(&out, err);
    text_release(&out);
    return done;
}

bool command_monitor(const struct options *o, int *status, struct error *err)
{
    struct watching w = {.o = o};
    const char *recording = option_text(o, OPTION_REPLAY_SERIES, NULL);
    *status = 0;
    if (recording) {
        bool replayed = replay_run(&w, recording, err);
        arena_release(&w.arena);
        *status = w.alarmed ? ERROR_CHECK : 0;
        return replayed;
    }
    bool done = watch_options(&w, err) && monitor_open(&w.settings, &w.monitor, err);
    if (done && w.page)
        fputs("\033[?1049h\033[?25l", stdout); // a screen of its own, no cursor
    const char *command = option_text(o, OPTION_ON_ALERT, NULL);
    done = done && (!command || hook_open(command, &w.hook, err));
    done = done && serve(&w, err) && canary_start(&w, err) && watch_run(&w, err);
    if (w.page && w.monitor) {
        fputs("\033[?25h\033[?1049l", stdout);
        (void)fflush(stdout);
    }
    canary_close(w.canary); // waits for its run
    if (done)               // what came since the last round
        w.alerts_seen = monitor_alerts(w.monitor, w.alerts_seen, alert_say, &w);
    if (done && w.canary && !w.silent && !w.page)
        done = show(&w, err);
    hook_end(w.hook);
    server_close(w.server);
    monitor_close(w.monitor);
    arena_release(&w.arena);
    *status = w.alarmed ? ERROR_CHECK : 0;
    return done;
}
