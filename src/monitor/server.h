// server: a monitor's figures over HTTP: metrics, JSON, a page, the state of the service. One thread serves all
// connections; memory, connections and time are limited. libmicrohttpd is opened at run time.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_SERVER_H
#define RIDGE_MONITOR_SERVER_H

#include "monitor/monitor.h"

struct server;
struct server_options {
    const char *address;          // as server_address_parse takes it
    const char *token_file;       // optional: its first line is asked of who wants figures
    const char *certificate_file; // optional, with key_file: PEM; then it is https
    const char *key_file;
    unsigned connection_limit; // 0 = 2048
    double patience_s;         // a connection without a whole request for so long is closed; 0 = 20
};
// Serves until it is closed; the monitor must live as long.
bool server_open(const struct server_options *options, struct monitor *m, struct server **out,
                 struct error *err) CHECK_RESULT;
const char *server_url(const struct server *s); // "http://127.0.0.1:9400/"
// Others than this machine may connect, and nothing is asked of them.
bool server_is_exposed(const struct server *s);
void server_close(struct server *s); // NULL is fine

#endif
