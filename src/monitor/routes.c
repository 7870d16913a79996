// The server's content: metrics, JSON, and the page with its script and style, which are ridge's own files.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/routes.h"

#include "monitor/internal.h"

#include <stdlib.h>
#include <string.h>

enum { ASSET_BYTES_MAX = 1 << 20 };

static void add_json(json_t *j, struct text *out)
{
    enum { DIGITS = 15 };
    char *dump = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
    json_decref(j);
    text_printf(out, "%s\n", dump ? dump : "null");
    free(dump);
}

static bool asset_read(const char *name, char **data, size_t *size_bytes, struct error *err)
{
    struct arena a = {0};
    const char *path = data_path(&a, name, err);
    bool done = path && file_read(path, ASSET_BYTES_MAX, data, size_bytes, err);
    arena_release(&a);
    return done;
}

static void add_asset(const char *name, struct text *out)
{
    struct error gone = {0};
    char *data = NULL;
    size_t size = 0;
    if (asset_read(name, &data, &size, &gone))
        text_addn(out, data, size);
    free(data);
}

static void make_prometheus(struct monitor *m, struct text *out)
{
    monitor_scrape(m, SCRAPE_PROMETHEUS, out);
}

static void make_openmetrics(struct monitor *m, struct text *out)
{
    monitor_scrape(m, SCRAPE_OPENMETRICS, out);
}

static void make_now(struct monitor *m, struct text *out)
{
    add_json(monitor_json(m), out);
}

static void make_history(struct monitor *m, struct text *out)
{
    add_json(monitor_history_json(m), out);
}

static void make_health(struct monitor *m, struct text *out)
{
    (void)m;
    (void)out; // the server says it by the status
}

static void make_page(struct monitor *m, struct text *out)
{
    (void)m;
    add_asset("monitor.html", out);
}

static void make_script(struct monitor *m, struct text *out)
{
    (void)m;
    add_asset("monitor.js", out);
}

static void make_style(struct monitor *m, struct text *out)
{
    (void)m;
    add_asset("monitor.css", out);
}

const struct route_info *route_info(enum route_id id)
{
    enum { OPEN, DATA };
    static const struct route_info table[] = {
#define ROUTE(path, access, make, type) {path, type, access == DATA},
#include "monitor/routes.def"
#undef ROUTE
    };
    return &table[id];
}

enum route_id route_find(const char *path, enum scrape_format format)
{
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (strcmp(route_info((enum route_id)i)->path, path) == 0)
            return i == ROUTE_prometheus && format == SCRAPE_OPENMETRICS ? ROUTE_openmetrics
                                                                         : (enum route_id)i;
    return ROUTE_COUNT;
}

void route_make(enum route_id id, struct monitor *m, struct text *out)
{
    static void (*const make[])(struct monitor * m, struct text * out) = {
#define ROUTE(path, access, make, type) make_##make,
#include "monitor/routes.def"
#undef ROUTE
    };
    make[id](m, out);
}

bool routes_check(struct error *err)
{
    static const char *const assets[] = {"monitor.html", "monitor.js", "monitor.css"};
    bool done = true;
    for (size_t i = 0; done && i < COUNT_OF(assets); i++) {
        char *data = NULL;
        size_t size;
        done = asset_read(assets[i], &data, &size, err);
        free(data);
    }
    return done;
}
