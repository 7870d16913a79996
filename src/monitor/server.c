// The HTTP server: one socket, one thread of libmicrohttpd's, and one that ends connections which take too long. Answers
// with figures are made once per sample, however many ask.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/server.h"

#include "monitor/connections.h"
#include "monitor/internal.h"
#include "monitor/microhttpd.h"
#include "monitor/request.h"
#include "monitor/routes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTION_LIMIT = 2048,
    CONNECTION_BYTES = 8 << 10, // of a request's line and headers, and of the answer's headers
    IDLE_S = 30,
    BACKLOG = 512,
    FILES_BESIDE = 64, // descriptors that ridge needs for other things
    TOKEN_LEAST = 16,
    FILE_BYTES_MAX = 1 << 20,
    URL_BYTES = 96,
};
static const double patience_default_s = 20;

struct answer { // kept of a route
    void *response;
    uint64_t sample;
};
struct server {
    struct microhttpd call;
    struct monitor *monitor;
    void *daemon;
    struct connections connections;
    struct server_address address;
    char url[URL_BYTES];
    char *token, *certificate, *key; // NULL = none
    struct answer answers[ROUTE_COUNT];
    pthread_t reaper;
    bool reaper_runs;
    pthread_mutex_t stop_lock;
    pthread_cond_t stop_signal;
    bool stop;
};

bool microhttpd_load(struct microhttpd *out, struct error *err)
{
    static const char *const names[] = {"libmicrohttpd.so.12", NULL};
    struct error why = {0};
    void *library = library_open(names, NULL, &why);
    if (!library)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "libmicrohttpd.so.12 is not here, and --serve needs it: install Debian's "
                       "libmicrohttpd12");
#define MHD(result, name, parameters)                                       \
    if (!library_symbol(library, #name, &out->name, sizeof out->name, err)) \
        return false;
#include "monitor/microhttpd.def"
#undef MHD
    return true;
}

/* ---- answers ------------------------------------------------------------------------------------------ */

static void *response_make(struct server *s, enum route_id id)
{
    static const char *const always[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
         "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    };
    struct text body = {0};
    route_make(id, s->monitor, &body);
    void *response =
        s->call.MHD_create_response_from_buffer(body.length, body.data, MHD_MEMORY_FREED);
    if (!response) {
        text_release(&body);
        return NULL;
    }
    (void)s->call.MHD_add_response_header(response, "Content-Type", route_info(id)->type);
    for (size_t i = 0; i < COUNT_OF(always); i++)
        (void)s->call.MHD_add_response_header(response, always[i][0], always[i][1]);
    return response;
}

// The answer of the newest sample. libmicrohttpd counts who still sends an older one.
static void *answer_of(struct server *s, enum route_id id)
{
    struct answer *a = &s->answers[id];
    uint64_t sample = route_info(id)->has_figures ? monitor_samples(s->monitor) : 1;
    if (a->response && a->sample == sample)
        return a->response;
    if (a->response)
        s->call.MHD_destroy_response(a->response);
    a->response = response_make(s, id);
    a->sample = sample;
    return a->response;
}

static int say(struct server *s, void *connection, unsigned code, const char *words)
{
    char body[128];
    int n = snprintf(body, sizeof body, "%s\n", words);
    void *response = s->call.MHD_create_response_from_buffer((size_t)n, body, MHD_MEMORY_COPIED);
    if (!response)
        return MHD_NO_;
    (void)s->call.MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
    (void)s->call.MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (code == 401)
        (void)s->call.MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (code == 405)
        (void)s->call.MHD_add_response_header(response, "Allow", "GET, HEAD");
    int done = s->call.MHD_queue_response(connection, code, response);
    s->call.MHD_destroy_response(response);
    return done;
}

static int answer(struct server *s, void *connection, const char *url)
{
    const char *accept = s->call.MHD_lookup_connection_value(connection, MHD_KIND_HEADER, "Accept");
    enum route_id id = route_find(url, scrape_format_of(accept));
    if (id == ROUTE_COUNT)
        return say(s, connection, 404,
                   "There is /, /metrics, /api/now, /api/history and /healthz.");
    if (route_info(id)->has_figures && s->token &&
        !bearer_matches(
            s->call.MHD_lookup_connection_value(connection, MHD_KIND_HEADER, "Authorization"),
            s->token))
        return say(s, connection, 401, "Authorization: Bearer TOKEN is needed.");
    if (id == ROUTE_health) {
        bool fresh = monitor_is_fresh(s->monitor, clock_ns());
        return say(s, connection, fresh ? 200 : 503, fresh ? "ok" : "no fresh sample");
    }
    void *response = answer_of(s, id);
    return response ? s->call.MHD_queue_response(connection, 200, response) : MHD_NO_;
}

// Called once with a request's headers, again with each piece of its body, and at its end.
static int on_request(void *context, void *connection, const char *url, const char *method,
                      const char *version, const char *upload, size_t *upload_bytes, void **request)
{
    static char seen;
    struct server *s = context;
    (void)version;
    (void)upload;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return *request ? MHD_NO_ : say(s, connection, 405, "Only GET and HEAD.");
    if (!*request) {
        *request = &seen;
        return MHD_YES_;
    }
    if (*upload_bytes > 0)
        return MHD_NO_; // nothing here takes a body: the connection is closed
    return answer(s, connection, url);
}

/* ---- connections ---------------------------------------------------------------------------------------- */

static void on_connection(void *context, void *connection, void **socket, int what)
{
    struct server *s = context;
    if (what == MHD_CONNECTION_STARTED) {
        const int *fd = s->call.MHD_get_connection_info(connection, MHD_INFO_FD);
        *socket = fd ? connection_add(&s->connections, *fd, clock_ns()) : NULL;
    } else if (*socket) {
        connection_remove(&s->connections, *socket);
        *socket = NULL;
    }
}

static void on_completed(void *context, void *connection, void **request, int why)
{
    struct server *s = context;
    void *const *socket = s->call.MHD_get_connection_info(connection, MHD_INFO_SOCKET_CONTEXT);
    (void)request;
    (void)why;
    if (socket && *socket)
        connection_served(&s->connections, *socket, clock_ns());
}

static void *reap(void *context)
{
    enum { STEP_NS = 500 * 1000 * 1000, NS_PER_S = 1000 * 1000 * 1000 };
    struct server *s = context;
    pthread_mutex_lock(&s->stop_lock);
    while (!s->stop) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += STEP_NS;
        until.tv_sec += until.tv_nsec / NS_PER_S;
        until.tv_nsec %= NS_PER_S;
        (void)pthread_cond_timedwait(&s->stop_signal, &s->stop_lock, &until);
        connections_expire(&s->connections, clock_ns());
        struct serve_figures now = connections_figures(&s->connections);
        monitor_served(s->monitor, &now);
    }
    pthread_mutex_unlock(&s->stop_lock);
    return NULL;
}

/* ---- opening -------------------------------------------------------------------------------------------- */

static bool listen_at(struct server *s, const char *text, int *fd, struct error *err)
{
    const int on = 1;
    *fd = socket(s->address.where.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0)
        return fail_errno(err, errno, "cannot make a socket");
    (void)setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const struct sockaddr *where = (const struct sockaddr *)(const void *)&s->address.where;
    if (bind(*fd, where, s->address.size_bytes) != 0 || listen(*fd, BACKLOG) != 0) {
        int saved = errno;
        (void)close(*fd);
        *fd = -1;
        return fail_errno(err, saved, "cannot serve at %s", text);
    }
    socklen_t size = sizeof s->address.where;
    (void)getsockname(*fd, (struct sockaddr *)(void *)&s->address.where, &size);
    return true;
}

// As many connections as descriptors are left for, which are raised as far as this user may.
static unsigned connections_allowed(unsigned asked)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return asked;
    rlim_t wanted = asked + FILES_BESIDE;
    if (files.rlim_cur < wanted) {
        files.rlim_cur = files.rlim_max < wanted ? files.rlim_max : wanted;
        (void)setrlimit(RLIMIT_NOFILE, &files);
        (void)getrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur >= wanted)
        return asked;
    return files.rlim_cur > 2 * (rlim_t)FILES_BESIDE ? (unsigned)files.rlim_cur - FILES_BESIDE
                                                     : FILES_BESIDE;
}

// The first line of the file.
static bool token_read(const char *path, char **out, struct error *err)
{
    size_t size;
    if (!file_read(path, FILE_BYTES_MAX, out, &size, err))
        return false;
    (*out)[strcspn(*out, "\r\n")] = '\0';
    return strlen(*out) >= TOKEN_LEAST ||
           fail(err, (struct location){.file = path, .line = 1},
                "a token needs at least %d characters on the first line: `openssl rand -hex 32` "
                "makes one",
                TOKEN_LEAST);
}

static bool secrets_read(struct server *s, const struct server_options *o, struct error *err)
{
    size_t size;
    if (o->token_file && !token_read(o->token_file, &s->token, err))
        return false;
    if (!o->certificate_file != !o->key_file)
        return fail(err, NOWHERE, "options --tls-cert and --tls-key need each other");
    if (!o->key_file)
        return true;
    return (s->call.MHD_is_feature_supported(MHD_HAS_TLS) == MHD_YES_ ||
            fail_as(err, ERROR_SYSTEM, NOWHERE, "this libmicrohttpd is built without TLS")) &&
           file_read(o->certificate_file, FILE_BYTES_MAX, &s->certificate, &size, err) &&
           file_read(o->key_file, FILE_BYTES_MAX, &s->key, &size, err);
}

static bool daemon_start(struct server *s, int fd, unsigned limit, struct error *err)
{
    unsigned flags = MHD_FLAG_OWN_THREAD | MHD_FLAG_EPOLL | MHD_FLAG_WAKE;
    const char *certificate = s->certificate, *key = s->key;
    // Where there is no TLS, its two options become harmless ones.
    int certificate_option = key ? MHD_SET_TLS_CERTIFICATE : MHD_SET_END;
    s->daemon = s->call.MHD_start_daemon(
        flags | (key ? MHD_FLAG_TLS : 0), 0, NULL, NULL, on_request, s, MHD_SET_LISTEN_SOCKET, fd,
        MHD_SET_CONNECTION_LIMIT, limit, MHD_SET_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_SET_TIMEOUT, (unsigned)IDLE_S, MHD_SET_NOTIFY_CONNECTION, on_connection, s,
        MHD_SET_NOTIFY_COMPLETED, on_completed, s, certificate_option, certificate, MHD_SET_TLS_KEY,
        key, MHD_SET_END);
    return s->daemon ||
           fail_as(err, ERROR_SYSTEM, NOWHERE, "libmicrohttpd %s does not start%s",
                   s->call.MHD_get_version(),
                   key ? ": are --tls-cert and --tls-key PEM files that belong together?" : "");
}

bool server_open(const struct server_options *options, struct monitor *m, struct server **out,
                 struct error *err)
{
    struct server *s = xcalloc(1, sizeof *s);
    unsigned limit = connections_allowed(options->connection_limit ? options->connection_limit
                                                                   : CONNECTION_LIMIT);
    char where[URL_BYTES - 16];
    int fd = -1;
    s->monitor = m;
    connections_init(&s->connections, limit,
                     options->patience_s > 0 ? options->patience_s : patience_default_s);
    pthread_mutex_init(&s->stop_lock, NULL);
    pthread_cond_init(&s->stop_signal, NULL);
    bool done = server_address_parse(options->address, &s->address, err) &&
                microhttpd_load(&s->call, err) && routes_check(err) &&
                secrets_read(s, options, err) && listen_at(s, options->address, &fd, err);
    if (done && !daemon_start(s, fd, limit, err)) {
        (void)close(fd);
        done = false;
    }
    s->reaper_runs = done && pthread_create(&s->reaper, NULL, reap, s) == 0;
    if (done && !s->reaper_runs)
        done = fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot start a thread");
    if (!done) {
        server_close(s);
        *out = NULL;
        return false;
    }
    server_address_print(&s->address, where, sizeof where);
    (void)snprintf(s->url, sizeof s->url, "%s://%s/", s->key ? "https" : "http", where);
    *out = s;
    return true;
}

const char *server_url(const struct server *s)
{
    return s->url;
}

bool server_is_exposed(const struct server *s)
{
    return !s->address.loopback && !s->token;
}

static void secret_free(char *secret)
{
    if (secret)
        explicit_bzero(secret, strlen(secret));
    free(secret);
}

void server_close(struct server *s)
{
    if (!s)
        return;
    if (s->reaper_runs) {
        pthread_mutex_lock(&s->stop_lock);
        s->stop = true;
        pthread_cond_signal(&s->stop_signal);
        pthread_mutex_unlock(&s->stop_lock);
        pthread_join(s->reaper, NULL);
    }
    if (s->daemon)
        s->call.MHD_stop_daemon(s->daemon);
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (s->answers[i].response)
            s->call.MHD_destroy_response(s->answers[i].response);
    connections_release(&s->connections);
    pthread_mutex_destroy(&s->stop_lock);
    pthread_cond_destroy(&s->stop_signal);
    secret_free(s->token);
    secret_free(s->key);
    free(s->certificate);
    free(s);
}
