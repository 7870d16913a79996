// Load on an HTTP server of this machine: load PORT CONNECTIONS SECONDS [PATH]. Keeps that many connections, each with one
// request under way, and prints what came back: requests per second, the slowest, errors. One thread, epoll.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "stats/stats.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_HEAD = 2048, EVENTS = 256 };

struct client {
    int fd;
    uint64_t sent_ns;
    size_t head_bytes, left_bytes; // left: of the body; valid once whole_head
    bool whole_head;
    char head[ANSWER_HEAD];
};
static struct sockaddr_in where;
static char request[256];
static size_t request_bytes;
static uint64_t answered, failed;
static struct sample_list delays_ms;

static void ask(struct client *c)
{
    c->sent_ns = clock_ns();
    c->head_bytes = 0;
    c->whole_head = false;
    if (send(c->fd, request, request_bytes, MSG_NOSIGNAL) != (ssize_t)request_bytes)
        failed++;
}

static bool join(struct client *c, int poll)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&where, sizeof where) != 0 ||
        epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &event) != 0) {
        if (c->fd >= 0)
            close(c->fd);
        c->fd = -1;
        failed++;
        return false;
    }
    ask(c);
    return true;
}

static void done(struct client *c)
{
    sample_add(&delays_ms, (double)(clock_ns() - c->sent_ns) / 1e6);
    answered++;
    ask(c);
}

// What the server sent; false: it closed, or it is no answer.
static bool take(struct client *c, const char *data, size_t size)
{
    if (!c->whole_head) {
        size_t room = sizeof c->head - 1 - c->head_bytes, n = size < room ? size : room;
        memcpy(c->head + c->head_bytes, data, n);
        c->head[c->head_bytes + n] = '\0';
        char *end = strstr(c->head, "\r\n\r\n"), *length = strcasestr(c->head, "content-length:");
        if (!end) {
            c->head_bytes += n;
            return n < room;
        }
        if (strncmp(c->head, "HTTP/1.1 200", 12) != 0 || !length)
            return false;
        size_t used = (size_t)(end + 4 - c->head) - c->head_bytes;
        c->left_bytes = strtoul(length + 15, NULL, 10);
        c->whole_head = true;
        data += used;
        size -= used;
    }
    if (size > c->left_bytes)
        return false;
    c->left_bytes -= size;
    if (c->left_bytes == 0)
        done(c);
    return true;
}

static void serve_events(int poll, struct epoll_event *events, int count)
{
    static char data[1 << 16];
    for (int i = 0; i < count; i++) {
        struct client *c = events[i].data.ptr;
        ssize_t n = recv(c->fd, data, sizeof data, 0);
        if (n > 0 && take(c, data, (size_t)n))
            continue;
        failed++;
        close(c->fd);
        (void)join(c, poll);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "load PORT CONNECTIONS SECONDS [PATH]\n");
        return 2;
    }
    int count = atoi(argv[2]), joined = 0, poll = epoll_create1(0);
    double seconds = atof(argv[3]);
    struct rlimit files = {(rlim_t)count + 64, (rlim_t)count + 64};
    struct client *clients = xcalloc((size_t)count, sizeof *clients);
    struct epoll_event events[EVENTS];
    (void)setrlimit(RLIMIT_NOFILE, &files);
    where = (struct sockaddr_in){.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)atoi(argv[1])),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    request_bytes =
        (size_t)snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
                         argc > 4 ? argv[4] : "/metrics");
    uint64_t began = clock_ns();
    for (int i = 0; i < count; i++)
        joined += join(&clients[i], poll);
    while ((double)(clock_ns() - began) < seconds * 1e9)
        serve_events(poll, events, epoll_wait(poll, events, EVENTS, 100));
    double took = (double)(clock_ns() - began) / 1e9;
    printf("%d of %d connections, %.0f requests/s (%llu in %.1f s), %llu failed", joined, count,
           (double)answered / took, (unsigned long long)answered, took, (unsigned long long)failed);
    if (answered > 0)
        printf("; answer after %.1f ms (median), %.1f ms (99 %%)",
               stats_quantile(delays_ms.items, delays_ms.count, 0.5),
               stats_quantile(delays_ms.items, delays_ms.count, 0.99));
    printf("\n");
    return failed > 0;
}
