// connections: who is connected to the server, and since when without a whole request.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_CONNECTIONS_H
#define RIDGE_MONITOR_CONNECTIONS_H

#include "base/base.h"
#include "monitor/internal.h"

#include <pthread.h>

struct connection {
    bool used, closing;
    int fd;
    uint64_t since_ns; // it was made, or its last request was answered
};
struct connections {
    pthread_mutex_t lock;
    struct connection *places;
    unsigned limit, next;
    double patience_s;
    struct serve_figures figures;
};
void connections_init(struct connections *c, unsigned limit, double patience_s);
void connections_release(struct connections *c);
struct connection *connection_add(struct connections *c, int fd,
                                  uint64_t now_ns); // NULL: no place
void connection_served(struct connections *c, struct connection *x, uint64_t now_ns);
void connection_remove(struct connections *c, struct connection *x);
struct serve_figures connections_figures(struct connections *c);
void connections_expire(struct connections *c, uint64_t now_ns);

#endif
