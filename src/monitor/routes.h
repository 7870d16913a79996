// routes: what the server has at which path, and how it is made.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_ROUTES_H
#define RIDGE_MONITOR_ROUTES_H

#include "monitor/monitor.h"

enum route_id {
#define ROUTE(path, access, make, type) ROUTE_##make,
#include "monitor/routes.def"
#undef ROUTE
    ROUTE_COUNT
};
struct route_info {
    const char *path, *type; // type: of the content
    bool has_figures;        // new ones with each sample; asks for the token where there is one
};
const struct route_info *route_info(enum route_id id);
enum route_id route_find(const char *path, enum scrape_format format); // ROUTE_COUNT: there is none
void route_make(enum route_id id, struct monitor *m, struct text *out);
bool routes_check(struct error *err) CHECK_RESULT; // the page's files are installed

#endif
