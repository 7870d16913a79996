// Addresses, tokens and formats, as people and clients write them.
// SPDX-License-Identifier: Apache-2.0
#include "monitor/request.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HOST_BYTES = 64, PORT_MAX = 65535 };

static bool address_fail(const char *text, struct error *err)
{
    return fail(err, NOWHERE,
                "option --serve: '%s' is no ADDRESS:PORT: 127.0.0.1:9400, [::1]:9400, :9400 "
                "(loopback), 0.0.0.0:9400 (every interface)",
                text);
}

// The host's text, without brackets; "" = none was given. false: there is no port, or the host is too long.
static bool split(const char *text, char host[HOST_BYTES], const char **port)
{
    const char *colon = strrchr(text, ':'), *end = colon ? colon : text;
    size_t length = (size_t)(end - text);
    *port = colon ? colon + 1 : text;
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    } else if (memchr(text, ':', length)) {
        return false; // of IPv6, without brackets: the port could be part of it
    }
    if (length >= HOST_BYTES)
        return false;
    memcpy(host, text, length);
    host[length] = '\0';
    return true;
}

bool server_address_parse(const char *text, struct server_address *out, struct error *err)
{
    char host[HOST_BYTES];
    const char *port_text;
    int64_t port;
    *out = (struct server_address){.size_bytes = 0};
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)&out->where;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)&out->where;
    if (!split(text, host, &port_text) || strspn(port_text, "0123456789") != strlen(port_text) ||
        !str_to_i64(port_text, &port) || port < 0 || port > PORT_MAX)
        return address_fail(text, err);
    const char *numeric = *host == '\0' || strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    if (inet_pton(AF_INET, numeric, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        out->size_bytes = sizeof *four;
        out->loopback = ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
        return true;
    }
    if (inet_pton(AF_INET6, numeric, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons((uint16_t)port);
        out->size_bytes = sizeof *six;
        out->loopback = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
        return true;
    }
    return address_fail(text, err);
}

void server_address_print(const struct server_address *a, char *out, size_t size_bytes)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)&a->where;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)&a->where;
    char host[INET6_ADDRSTRLEN] = "";
    bool is_six = a->where.ss_family == AF_INET6;
    (void)inet_ntop(a->where.ss_family,
                    is_six ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr, host,
                    sizeof host);
    (void)snprintf(out, size_bytes, is_six ? "[%s]:%u" : "%s:%u", host,
                   (unsigned)ntohs(is_six ? six->sin6_port : four->sin_port));
}

bool bearer_matches(const char *header, const char *token)
{
    static const char scheme[] = "bearer ";
    if (!header || strncasecmp(header, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *given = header + sizeof scheme - 1;
    size_t given_length = strlen(given), length = strlen(token);
    volatile unsigned char differs = given_length != length;
    for (size_t i = 0; i < given_length; i++) // over what was given: its length is no secret
        differs |= (unsigned char)(given[i] ^ token[length > 0 ? i % length : 0]);
    return !differs && length > 0;
}

enum scrape_format scrape_format_of(const char *accept)
{
    static const char name[] = "application/openmetrics-text";
    const char *found = accept ? strcasestr(accept, name) : NULL;
    if (!found)
        return SCRAPE_PROMETHEUS;
    size_t length = strcspn(found, ",");
    for (const char *q = found; (q = strstr(q, "q=")) && q < found + length; q++)
        if (strspn(q + 2, "0.") == strcspn(q + 2, ",; "))
            return SCRAPE_PROMETHEUS;
    return SCRAPE_OPENMETRICS;
}
