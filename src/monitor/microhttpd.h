// microhttpd: what ridge uses of libmicrohttpd, declared here so that nothing of it is needed to build.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_MONITOR_MICROHTTPD_H
#define RIDGE_MONITOR_MICROHTTPD_H

#include "base/base.h"

typedef int (*mhd_handler)(void *context, void *connection, const char *url, const char *method,
                           const char *version, const char *upload, size_t *upload_bytes,
                           void **request);
typedef void (*mhd_completed)(void *context, void *connection, void **request, int why);
typedef void (*mhd_connected)(void *context, void *connection, void **socket, int what);

enum { MHD_NO_, MHD_YES_ };
enum { // enum MHD_FLAG
    MHD_FLAG_TLS = 2,
    MHD_FLAG_OWN_THREAD = 8,
    MHD_FLAG_EPOLL = 512,
    MHD_FLAG_WAKE = 1024,
};
enum { // enum MHD_OPTION
    MHD_SET_END = 0,
    MHD_SET_MEMORY_LIMIT = 1,
    MHD_SET_CONNECTION_LIMIT = 2,
    MHD_SET_TIMEOUT = 3,
    MHD_SET_NOTIFY_COMPLETED = 4,
    MHD_SET_TLS_KEY = 8,
    MHD_SET_TLS_CERTIFICATE = 9,
    MHD_SET_LISTEN_SOCKET = 12,
    MHD_SET_NOTIFY_CONNECTION = 27,
};
enum { MHD_KIND_HEADER = 1, MHD_INFO_FD = 6, MHD_INFO_SOCKET_CONTEXT = 7 };
enum { MHD_CONNECTION_STARTED = 0, MHD_CONNECTION_CLOSED = 1 };
enum { MHD_MEMORY_FREED = 1, MHD_MEMORY_COPIED = 2 };
enum { MHD_HAS_TLS = 2 };

struct microhttpd {
#define MHD(result, name, parameters) result(*name) parameters;
#include "monitor/microhttpd.def"
#undef MHD
};
// false: it is not here; err says how to get it.
bool microhttpd_load(struct microhttpd *out, struct error *err) CHECK_RESULT;

#endif
