// The server under clients that are slow, many, or write nonsense: whoever asks properly is answered meanwhile.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/server.h"

#include "monitor/connections.h"
#include "monitor/microhttpd.h"
#include "monitor/support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

enum { PATIENCE_S = 60 }; // of this test: it bounds a hang, however loaded the machine is

struct served {
    struct monitor *monitor;
    struct server *server;
    struct sockaddr_in where;
};

static void served_open(struct served *s, struct server_options options)
{
    struct error err = {0};
    const struct monitor_options usual = {.interval_s = 1};
    unsigned port = 0;
    fake_say("");
    s->monitor = opened(&usual);
    monitor_sample(s->monitor, clock_ns());
    options.address = "127.0.0.1:0";
    if (!server_open(&options, s->monitor, &s->server, &err))
        fail_msg("%s", err.message);
    assert_int_equal(sscanf(server_url(s->server), "http://127.0.0.1:%u/", &port), 1);
    s->where = (struct sockaddr_in){.sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void served_close(struct served *s)
{
    server_close(s->server);
    monitor_close(s->monitor);
}

static int connected(const struct served *s)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (const struct sockaddr *)&s->where, sizeof s->where), 0);
    return fd;
}

// What comes back until the server closes or is silent; the status, 0 = none.
static int asked(const struct served *s, const char *request, size_t size, struct text *answer)
{
    char piece[4096];
    int fd = connected(s), status = 0;
    text_clear(answer);
    (void)send(fd, request, size, MSG_NOSIGNAL);
    (void)shutdown(fd, SHUT_WR);
    for (ssize_t n; (n = recv(fd, piece, sizeof piece, 0)) > 0;)
        text_addn(answer, piece, (size_t)n);
    (void)close(fd);
    (void)!sscanf(text_str(answer), "HTTP/1.1 %d", &status);
    return status;
}

static int asked_for(const struct served *s, const char *path, struct text *answer)
{
    char request[256];
    int n = snprintf(request, sizeof request,
                     "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path);
    return asked(s, request, (size_t)n, answer);
}

static void figures_of_the_newest_sample_are_served(void **state)
{
    struct served s;
    struct text answer = {0};
    served_open(&s, (struct server_options){0});
    assert_int_equal(asked_for(&s, "/metrics", &answer), 200);
    assert_non_null(strstr(text_str(&answer), "\nhw_power_watts{"));
    assert_non_null(strstr(text_str(&answer), "gpu=\"0\"} 300\n"));
    fake_say("0.power_mw 555000\n");
    monitor_sample(s.monitor, clock_ns());
    assert_int_equal(asked_for(&s, "/metrics", &answer), 200);
    assert_non_null(strstr(text_str(&answer), "gpu=\"0\"} 555\n"));
    assert_int_equal(asked_for(&s, "/", &answer), 200);
    assert_non_null(strstr(text_str(&answer), "Content-Security-Policy: default-src 'none'"));
    assert_int_equal(asked_for(&s, "/../etc/passwd", &answer), 404);
    text_release(&answer);
    served_close(&s);
}

static void health_says_when_samples_stop(void **state)
{
    struct served s;
    struct text answer = {0};
    served_open(&s, (struct server_options){0});
    assert_int_equal(asked_for(&s, "/healthz", &answer), 200);
    s.monitor->sampled_ns = clock_ns() - 20 * second;
    assert_int_equal(asked_for(&s, "/healthz", &answer), 503);
    text_release(&answer);
    served_close(&s);
}

static void nonsense_is_refused_and_the_next_client_is_served(void **state)
{
    static char long_line[64 << 10];
    static const char long_chunk[] =
        "GET /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        "ffffffffffffffff\r\n";
    static const char *const nonsense[] = {
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", // TLS where there is none
        "GET\r\n\r\n",
        "GET /metrics HTTP/9.9\r\n\r\n",
        "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nabc",
        "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
        long_chunk,
        "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "GET %00%ff/%2e%2e/metrics HTTP/1.1\r\nHost: x\r\n\r\n",
        "\r\n\r\n\r\n",
    };
    struct served s;
    struct text answer = {0};
    served_open(&s, (struct server_options){.patience_s = 1});
    for (size_t i = 0; i < COUNT_OF(nonsense); i++) {
        int status = asked(&s, nonsense[i], strlen(nonsense[i]), &answer);
        if (status == 200)
            fail_msg("200 for %s", nonsense[i]);
    }
    memset(long_line, 'a', sizeof long_line - 1);
    memcpy(long_line, "GET /", 5);
    assert_int_not_equal(asked(&s, long_line, sizeof long_line - 1, &answer), 200);
    uint32_t noise[256];
    for (uint64_t k = 0; k < 50; k++) {
        philox_blocks(7, 0, 64 * k, 64, noise);
        assert_int_not_equal(asked(&s, (const char *)noise, sizeof noise, &answer), 200);
    }
    assert_int_equal(asked_for(&s, "/metrics", &answer), 200);
    text_release(&answer);
    served_close(&s);
}

// More than there are places for, each sending a byte now and then and never a whole request.
static void slow_clients_make_room_for_others(void **state)
{
    enum { PLACES = 64, SLOW = 100 };
    struct served s;
    struct text answer = {0};
    int slow[SLOW], open_now = SLOW, status = 0;
    served_open(&s, (struct server_options){.connection_limit = PLACES, .patience_s = 1});
    for (int i = 0; i < SLOW; i++) {
        slow[i] = connected(&s);
        (void)send(slow[i], "GET /metrics HTTP/1.1\r\nX: ", 26, MSG_NOSIGNAL);
    }
    uint64_t began = clock_ns();
    while (status != 200 && clock_ns() - began < PATIENCE_S * second) {
        for (int i = 0; i < SLOW; i++)
            (void)send(slow[i], "a", 1, MSG_NOSIGNAL);
        status = asked_for(&s, "/metrics", &answer);
        usleep(100000);
    }
    assert_int_equal(status, 200);
    // All are shown out, when their time and the thread's step have passed.
    for (began = clock_ns(); open_now > 0 && clock_ns() - began < PATIENCE_S * second;) {
        usleep(100000);
        open_now = 0;
        for (int i = 0; i < SLOW; i++) {
            char byte;
            ssize_t n = recv(slow[i], &byte, 1, MSG_DONTWAIT);
            open_now += n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        }
    }
    assert_int_equal(open_now, 0);
    for (int i = 0; i < SLOW; i++)
        (void)close(slow[i]);
    server_close(s.server); // and with it what counts: the figures are the last ones
    assert_true(s.monitor->served.expired > 0);
    monitor_close(s.monitor);
    text_release(&answer);
}

// Between the clock's reading and the lock a request may have been answered.
static void one_that_was_just_served_is_not_late(void **state)
{
    struct connections c;
    int pair[2];
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    connections_init(&c, 4, 1);
    struct connection *x = connection_add(&c, pair[0], 10 * second);
    connection_served(&c, x, 20 * second + 5);
    connections_expire(&c, 20 * second);
    assert_int_equal(connections_figures(&c).expired, 0);
    connections_expire(&c, 22 * second);
    connections_expire(&c, 23 * second); // once
    assert_int_equal(connections_figures(&c).expired, 1);
    assert_int_equal(recv(pair[1], &byte, 1, MSG_DONTWAIT), 0); // closed
    connection_remove(&c, x);
    connections_release(&c);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

static void figures_need_the_token_and_the_rest_does_not(void **state)
{
    static const char with[] = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                               "Authorization: Bearer 0123456789abcdef0123\r\n\r\n";
    static const char without[] = "GET /api/now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                                  "Authorization: Bearer 0123456789abcdef0124\r\n\r\n";
    struct served s;
    struct arena a = {0};
    struct text answer = {0};
    struct error err = {0};
    const char *file = arena_printf(&a, "%s.token", fake_state);
    assert_true(file_write(file, "0123456789abcdef0123\nnot this\n", 30, &err));
    served_open(&s, (struct server_options){.token_file = file});
    assert_int_equal(asked(&s, with, strlen(with), &answer), 200);
    assert_int_equal(asked(&s, without, strlen(without), &answer), 401);
    assert_non_null(strstr(text_str(&answer), "WWW-Authenticate: Bearer"));
    assert_null(strstr(text_str(&answer), "GPU-"));
    assert_int_equal(asked_for(&s, "/api/history", &answer), 401);
    assert_int_equal(asked_for(&s, "/healthz", &answer), 200);
    assert_int_equal(asked_for(&s, "/", &answer), 200);
    served_close(&s);
    assert_true(file_write(file, "short\n", 6, &err));
    const struct server_options options = {.address = ":0", .token_file = file};
    struct server *none = NULL;
    assert_false(server_open(&options, NULL, &none, &err));
    assert_non_null(strstr(err.message, "at least 16 characters"));
    text_release(&answer);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_the_newest_sample_are_served),
        cmocka_unit_test(health_says_when_samples_stop),
        cmocka_unit_test(nonsense_is_refused_and_the_next_client_is_served),
        cmocka_unit_test(slow_clients_make_room_for_others),
        cmocka_unit_test(one_that_was_just_served_is_not_late),
        cmocka_unit_test(figures_need_the_token_and_the_rest_does_not),
    };
    struct microhttpd library;
    struct error err = {0};
    signal(SIGPIPE, SIG_IGN);
    if (!microhttpd_load(&library, &err)) {
        puts(err.message);
        return 77;
    }
    fake_load();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
