// Messages of JSON-RPC 2.0: bytes to lines, a line to a message, answers.
// SPDX-License-Identifier: Apache-2.0
#include "agent/internal.h"

#include <stdio.h>
#include <string.h>

/* ---- lines ------------------------------------------------------------------------------------------- */

static void line_end(struct line_reader *r, line_taker take, void *context)
{
    size_t size = r->bytes.length;
    if (r->too_long) {
        take(context, NULL, 0);
    } else {
        while (size > 0 && strchr(" \t\r", r->bytes.data[size - 1]) && r->bytes.data[size - 1])
            size--;
        if (size > 0)
            take(context, r->bytes.data, size);
    }
    text_clear(&r->bytes);
    r->too_long = false;
}

void lines_take(struct line_reader *r, const char *data, size_t size_bytes, line_taker take,
                void *context)
{
    while (size_bytes > 0) {
        const char *end = memchr(data, '\n', size_bytes);
        size_t part = end ? (size_t)(end - data) : size_bytes;
        r->too_long = r->too_long || part > r->most_bytes - r->bytes.length;
        if (!r->too_long)
            text_addn(&r->bytes, data, part);
        if (!end)
            return;
        line_end(r, take, context);
        data += part + 1;
        size_bytes -= part + 1;
    }
}

void lines_end(struct line_reader *r, line_taker take, void *context)
{
    if (r->bytes.length > 0 || r->too_long)
        line_end(r, take, context);
}

void lines_release(struct line_reader *r)
{
    text_release(&r->bytes);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static void bad(struct message *m, enum rpc_code code, const char *why)
{
    m->kind = MESSAGE_BAD;
    m->code = code;
    (void)snprintf(m->why, sizeof m->why, "%s", why);
}

static void parts_read(struct message *m)
{
    const json_t *version = json_object_get(m->whole, "jsonrpc");
    const json_t *id = json_object_get(m->whole, "id");
    const json_t *method = json_object_get(m->whole, "method");
    const json_t *params = json_object_get(m->whole, "params");
    bool answers = json_object_get(m->whole, "result") || json_object_get(m->whole, "error");
    if (json_is_string(id) || json_is_integer(id))
        m->id = id;
    if (!json_is_string(version) || strcmp(json_string_value(version), "2.0") != 0) {
        bad(m, RPC_REQUEST, "\"jsonrpc\" must be \"2.0\"");
    } else if (!method && answers) {
        m->kind = MESSAGE_RESPONSE;
    } else if (!json_is_string(method)) {
        bad(m, RPC_REQUEST, "\"method\" must be a string");
    } else if (id && !m->id) {
        bad(m, RPC_REQUEST, "\"id\" must be a string or a whole number");
    } else if (params && !json_is_object(params)) {
        bad(m, RPC_PARAMS, "\"params\" must be an object");
        if (!m->id)
            m->kind = MESSAGE_NOTIFICATION; // which is never answered
    } else {
        m->kind = m->id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
        m->params = params;
    }
    m->method = json_is_string(method) ? json_string_value(method) : "";
}

void message_read(const char *line, size_t size_bytes, struct message *out)
{
    json_error_t e;
    *out = (struct message){.kind = MESSAGE_BAD, .method = ""};
    out->whole = json_loadb(line, size_bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
    if (!out->whole) {
        bad(out, RPC_PARSE, "");
        (void)snprintf(out->why, sizeof out->why, "no JSON: %s, at byte %d", e.text, e.position);
    } else if (json_is_array(out->whole)) {
        bad(out, RPC_REQUEST, "MCP has no batches: send each message on a line of its own");
    } else if (!json_is_object(out->whole)) {
        bad(out, RPC_REQUEST, "a message is an object");
    } else {
        parts_read(out);
    }
}

void message_release(struct message *m)
{
    json_decref(m->whole);
    m->whole = NULL;
}

/* ---- answers ------------------------------------------------------------------------------------------- */

json_t *json_words(const char *text)
{
    struct text shown = {0};
    text_add_shown(&shown, text, strlen(text));
    json_t *json = json_string(text_str(&shown));
    text_release(&shown);
    return json ? json : json_string("");
}

json_t *rpc_result(const json_t *id, json_t *result)
{
    json_t *m = json_object();
    json_object_set_new(m, "jsonrpc", json_string("2.0"));
    json_object_set_new(m, "id", json_deep_copy(id));
    json_object_set_new(m, "result", result);
    return m;
}

json_t *rpc_error(const json_t *id, enum rpc_code code, const char *message, json_t *data)
{
    json_t *m = json_object(), *e = json_object();
    json_object_set_new(m, "jsonrpc", json_string("2.0"));
    json_object_set_new(m, "id", id ? json_deep_copy(id) : json_null());
    json_object_set_new(e, "code", json_integer(code));
    json_object_set_new(e, "message", json_words(message));
    if (data)
        json_object_set_new(e, "data", data);
    json_object_set_new(m, "error", e);
    return m;
}
