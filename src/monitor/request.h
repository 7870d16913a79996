// request: what others write to the server, read without it: addresses, tokens, formats. No state.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_REQUEST_H
#define RIDGE_MONITOR_REQUEST_H

#include "monitor/monitor.h"

#include <sys/socket.h>

struct server_address {
    struct sockaddr_storage where;
    socklen_t size_bytes;
    bool loopback;
};
// "127.0.0.1:9400", "[::1]:9400", ":9400" and "9400" (loopback), "localhost:9400", "0.0.0.0:9400". Port 0: any.
bool server_address_parse(const char *text, struct server_address *out,
                          struct error *err) CHECK_RESULT;
// "127.0.0.1:9400", as it is in a URL.
void server_address_print(const struct server_address *a, char *out, size_t size_bytes);
// Is the header "Bearer TOKEN"? Takes as long for a token that is nearly right as for any other of its length.
bool bearer_matches(const char *header, const char *token);
// What a scrape accepts: OpenMetrics where it names it and does not weigh it 0, else Prometheus' text.
enum scrape_format scrape_format_of(const char *accept);

#endif
