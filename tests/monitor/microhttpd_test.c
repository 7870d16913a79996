// What src/monitor declares of libmicrohttpd is what its header says, where that is installed.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/microhttpd.h"
#include "monitor/support.h"

#if __has_include(<microhttpd.h>)
#include <microhttpd.h>

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs)
SAME(MHD_NO_, MHD_NO);
SAME(MHD_YES_, MHD_YES);
SAME(MHD_FLAG_TLS, MHD_USE_TLS);
SAME(MHD_FLAG_OWN_THREAD, MHD_USE_INTERNAL_POLLING_THREAD);
SAME(MHD_FLAG_EPOLL, MHD_USE_EPOLL);
SAME(MHD_FLAG_WAKE, MHD_USE_ITC);
SAME(MHD_SET_END, MHD_OPTION_END);
SAME(MHD_SET_MEMORY_LIMIT, MHD_OPTION_CONNECTION_MEMORY_LIMIT);
SAME(MHD_SET_CONNECTION_LIMIT, MHD_OPTION_CONNECTION_LIMIT);
SAME(MHD_SET_TIMEOUT, MHD_OPTION_CONNECTION_TIMEOUT);
SAME(MHD_SET_NOTIFY_COMPLETED, MHD_OPTION_NOTIFY_COMPLETED);
SAME(MHD_SET_TLS_KEY, MHD_OPTION_HTTPS_MEM_KEY);
SAME(MHD_SET_TLS_CERTIFICATE, MHD_OPTION_HTTPS_MEM_CERT);
SAME(MHD_SET_LISTEN_SOCKET, MHD_OPTION_LISTEN_SOCKET);
SAME(MHD_SET_NOTIFY_CONNECTION, MHD_OPTION_NOTIFY_CONNECTION);
SAME(MHD_KIND_HEADER, MHD_HEADER_KIND);
SAME(MHD_INFO_FD, MHD_CONNECTION_INFO_CONNECTION_FD);
SAME(MHD_INFO_SOCKET_CONTEXT, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
SAME(MHD_CONNECTION_STARTED, MHD_CONNECTION_NOTIFY_STARTED);
SAME(MHD_CONNECTION_CLOSED, MHD_CONNECTION_NOTIFY_CLOSED);
SAME(MHD_MEMORY_FREED, MHD_RESPMEM_MUST_FREE);
SAME(MHD_MEMORY_COPIED, MHD_RESPMEM_MUST_COPY);
SAME(MHD_HAS_TLS, MHD_FEATURE_TLS);
enum { HEADER_IS_HERE = 1 };
#else
enum { HEADER_IS_HERE = 0 };
#endif

static void the_numbers_are_the_headers(void **state)
{
    if (!HEADER_IS_HERE) {
        print_message("libmicrohttpd-dev is not here\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_numbers_are_the_headers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
