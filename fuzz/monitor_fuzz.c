// Any bytes as what a user or a client writes to ridge monitor --serve: an address, a time, an Authorization header, an
// Accept header. Each is refused or is something that can be used; a token matches itself alone.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/request.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char token[] = "0123456789abcdef";
    struct arena a = {0};
    struct error err = {0};
    struct server_address address;
    double seconds;
    char *text = arena_strndup(&a, (const char *)data, size), printed[96];
    if (server_address_parse(text, &address, &err)) {
        struct server_address again;
        server_address_print(&address, printed, sizeof printed);
        if (!server_address_parse(printed, &again, &err) || again.loopback != address.loopback)
            abort();
    } else if (err.message[0] == '\0') {
        abort();
    }
    if (duration_parse(text, &seconds) && !(seconds > 0))
        abort();
    if (scrape_format_of(text) >= SCRAPE_FORMAT_COUNT)
        abort();
    if (bearer_matches(text, "") ||
        (*text && !bearer_matches(arena_printf(&a, "Bearer %s", text), text)))
        abort();
    if (bearer_matches(text, token) !=
        (strncasecmp(text, "Bearer ", 7) == 0 && strcmp(text + 7, token) == 0))
        abort();
    arena_release(&a);
    return 0;
}
