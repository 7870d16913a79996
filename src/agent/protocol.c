// What is asked and answered, in both revisions: 2026-07-28, where each request names its revision and nothing is
// kept between them, and those that open with initialize.
// SPDX-License-Identifier: Apache-2.0
#include "agent/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char modern_version[] = "2026-07-28";
static const char *const versions[] = {modern_version, "2025-11-25", "2025-06-18"}; // newest first
static const char version_key[] = "io.modelcontextprotocol/protocolVersion";
static const char capabilities_key[] = "io.modelcontextprotocol/clientCapabilities";
static const char status_key[] = "ridge/exit_status";
static const char server_key[] = "io.modelcontextprotocol/serverInfo";
enum { FRESH_MS = 3600000 }; // the tools change with the program only

struct asked {
    const struct agent_server *server;
    const struct message *message;
    bool modern;
};

static json_t *server_info(const struct agent_server *s)
{
    return json_pack("{s:s, s:s, s:s}", "name", "ridge", "title",
                     "ridge: the GPU optimization loop", "version", s->version);
}

static json_t *capabilities(void)
{
    return json_pack("{s:{s:b}}", "tools", "listChanged", 0);
}

static json_t *version_list(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < COUNT_OF(versions); i++)
        json_array_append_new(list, json_string(versions[i]));
    return list;
}

// As the revision wants it: a type, and who answers.
static json_t *finished(const struct agent_server *s, bool modern, const json_t *id, json_t *result)
{
    if (modern) {
        json_t *meta = json_object_get(result, "_meta");
        if (!meta) {
            meta = json_object();
            json_object_set_new(result, "_meta", meta);
        }
        json_object_set_new(meta, server_key, server_info(s));
        json_object_set_new(result, "resultType", json_string("complete"));
    }
    return rpc_result(id, result);
}

static void cacheable(bool modern, json_t *result)
{
    if (!modern)
        return;
    json_object_set_new(result, "ttlMs", json_integer(FRESH_MS));
    json_object_set_new(result, "cacheScope", json_string("public"));
}

/* ---- methods ----------------------------------------------------------------------------------------------- */

static json_t *answer_discover(const struct asked *q, struct session_state *state,
                               struct call **call)
{
    (void)state;
    (void)call;
    json_t *r = json_pack("{s:o, s:o, s:s}", "supportedVersions", version_list(), "capabilities",
                          capabilities(), "instructions", q->server->instructions);
    cacheable(q->modern, r);
    return finished(q->server, q->modern, q->message->id, r);
}

static json_t *answer_initialize(const struct asked *q, struct session_state *state,
                                 struct call **call)
{
    (void)call;
    const char *wanted = json_string_value(json_object_get(q->message->params, "protocolVersion"));
    const char *version = versions[1]; // the newest that opens so
    if (!wanted)
        return rpc_error(q->message->id, RPC_PARAMS, "\"protocolVersion\" is missing", NULL);
    for (size_t i = 1; i < COUNT_OF(versions); i++)
        if (strcmp(wanted, versions[i]) == 0)
            version = versions[i];
    state->initialized = true;
    return rpc_result(q->message->id,
                      json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", version, "capabilities",
                                capabilities(), "serverInfo", server_info(q->server),
                                "instructions", q->server->instructions));
}

static json_t *answer_ping(const struct asked *q, struct session_state *state, struct call **call)
{
    (void)state;
    (void)call;
    return rpc_result(q->message->id, json_object());
}

static json_t *answer_tools(const struct asked *q, struct session_state *state, struct call **call)
{
    (void)state;
    (void)call;
    if (json_object_get(q->message->params, "cursor"))
        return rpc_error(q->message->id, RPC_PARAMS, "no such cursor: all tools are on one page",
                         NULL);
    json_t *r = json_pack("{s:o}", "tools", tool_list(q->server));
    cacheable(q->modern, r);
    return finished(q->server, q->modern, q->message->id, r);
}

static json_t *answer_call(const struct asked *q, struct session_state *state, struct call **call)
{
    (void)state;
    const json_t *params = q->message->params;
    const char *name = json_string_value(json_object_get(params, "name"));
    json_t *arguments = json_object_get(params, "arguments");
    const struct agent_tool *tool = name ? tool_find(q->server, name) : NULL;
    struct error err = {0};
    char why[256];
    if (!name)
        return rpc_error(q->message->id, RPC_PARAMS, "\"name\" of the tool is missing", NULL);
    if (!tool) {
        (void)snprintf(why, sizeof why, "there is no tool '%.100s': tools/list names them", name);
        return rpc_error(q->message->id, RPC_PARAMS, why, NULL);
    }
    if (arguments && !json_is_object(arguments))
        return rpc_error(q->message->id, RPC_PARAMS, "\"arguments\" must be an object", NULL);
    const json_t *token = json_object_get(json_object_get(params, "_meta"), "progressToken");
    struct call *c = xcalloc(1, sizeof *c);
    *c = (struct call){
        .server = q->server,
        .tool = tool,
        .id = json_deep_copy(q->message->id),
        .token = json_is_string(token) || json_is_integer(token) ? json_deep_copy(token) : NULL,
        .arguments = json_incref(arguments),
        .modern = q->modern,
        .percent = -1};
    if (tool_command_line(&c->arena, tool, arguments, &c->line, &err)) {
        *call = c;
        return NULL;
    }
    json_t *refused = protocol_refuse(c, err.message);
    call_release(c);
    return refused;
}

static const struct {
    const char *name;
    bool modern, legacy; // of which revisions
    json_t *(*answer)(const struct asked *q, struct session_state *state, struct call **call);
} methods[] = {
    {"server/discover", true, false, answer_discover},
    {"initialize", false, true, answer_initialize},
    {"ping", false, true, answer_ping},
    {"tools/list", true, true, answer_tools},
    {"tools/call", true, true, answer_call},
};

/* ---- revisions ---------------------------------------------------------------------------------------------- */

// What a request of the revision without sessions must carry. NULL: it does.
static json_t *modern_refused(const struct message *m, const json_t *meta)
{
    const char *version = json_string_value(json_object_get(meta, version_key));
    if (!version)
        return rpc_error(m->id, RPC_PARAMS, "the protocol's version in \"_meta\" must be a string",
                         NULL);
    if (strcmp(version, modern_version) != 0)
        return rpc_error(
            m->id, RPC_VERSION, "this version is not supported, or opens with initialize",
            json_pack("{s:o, s:o}", "supported", version_list(), "requested", json_words(version)));
    if (!json_is_object(json_object_get(meta, capabilities_key)))
        return rpc_error(m->id, RPC_PARAMS,
                         "\"io.modelcontextprotocol/clientCapabilities\" is missing in \"_meta\"",
                         NULL);
    return NULL;
}

static bool opens(const char *method)
{
    return strcmp(method, "initialize") == 0 || strcmp(method, "ping") == 0;
}

json_t *protocol_answer(const struct agent_server *s, struct session_state *state,
                        const struct message *m, struct call **call)
{
    const json_t *meta = json_object_get(m->params, "_meta");
    struct asked q = {s, m, json_object_get(meta, version_key) != NULL};
    json_t *refused = q.modern ? modern_refused(m, meta) : NULL;
    char why[256];
    if (refused)
        return refused;
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        if (strcmp(m->method, methods[i].name) != 0 ||
            !(q.modern ? methods[i].modern : methods[i].legacy || !state->initialized))
            continue;
        if (!q.modern && !state->initialized && !opens(m->method))
            return rpc_error(m->id, RPC_PARAMS,
                             "open with initialize (2025-11-25), or give each request its "
                             "protocol version in \"_meta\" (2026-07-28)",
                             NULL);
        return methods[i].answer(&q, state, call);
    }
    (void)snprintf(why, sizeof why, "there is no method '%.100s'", m->method);
    return rpc_error(m->id, RPC_METHOD, why, NULL);
}

/* ---- answers to calls ---------------------------------------------------------------------------------------- */

static void add_words(json_t *content, const char *text)
{
    json_array_append_new(content,
                          json_pack("{s:s, s:o}", "type", "text", "text", json_words(text)));
}

static json_t *call_result(json_t *content, json_t *structured, bool is_error)
{
    json_t *r = json_object();
    json_object_set_new(r, "content", content);
    if (structured)
        json_object_set_new(r, "structuredContent", structured);
    json_object_set_new(r, "isError", json_boolean(is_error));
    return r;
}

json_t *protocol_refuse(const struct call *c, const char *why)
{
    json_t *content = json_array();
    add_words(content, why);
    return finished(c->server, c->modern, c->id, call_result(content, NULL, true));
}

json_t *protocol_progress(const struct call *c, int percent, const char *message)
{
    return json_pack("{s:s, s:s, s:{s:O, s:i, s:i, s:o}}", "jsonrpc", "2.0", "method",
                     "notifications/progress", "params", "progressToken", c->token, "progress",
                     percent, "total", 100, "message", json_words(message));
}

// Lists are wrapped: an older revision's structured content is an object.
static json_t *structured_output(const struct call *c)
{
    json_t *json = json_loadb(text_str(&c->output), c->output.length, 0, NULL);
    if (json_is_array(json))
        json = json_pack("{s:o}", "results", json);
    if (json)
        tool_select(c->tool, c->arguments, json);
    return json;
}

static json_t *answer_done(struct call *c, const char *said)
{
    json_t *content = json_array(), *json = structured_output(c);
    const char *why = json_string_value(json_object_get(json_object_get(json, "error"), "message"));
    enum { STATUS_REFUSED = 2 }; // usage, input, device, system; 1 is a check that failed
    char *dump = json ? json_dumps(json, JSON_COMPACT) : NULL;
    bool is_error = c->exit_status >= STATUS_REFUSED || why;
    if (why)
        add_words(content, why);
    else if (dump)
        add_words(content, dump);
    else if (c->output.length > 0)
        add_words(content, text_str(&c->output));
    if (*said && !why)
        add_words(content, said);
    free(dump);
    json_t *result = call_result(content, json, is_error);
    json_object_set_new(result, "_meta", json_pack("{s:i}", status_key, c->exit_status));
    return finished(c->server, c->modern, c->id, result);
}

json_t *protocol_call_answer(struct call *c, enum call_end end, const char *said)
{
    static const char kept[] = "what had finished is in the journal (tools log and show)";
    struct text why = {0};
    char most[32];
    switch (end) {
    case CALL_DONE:
        if (!c->too_much)
            return answer_done(c, said);
        text_printf(&why, "the result is larger than %s: ask for one variant or one case",
                    format_bytes((double)c->server->limits.result_bytes, most));
        break;
    case CALL_CRASHED:
        text_printf(&why, "the call's process died%s%s", *said ? ": " : "", said);
        break;
    case CALL_TIMED_OUT:
        text_printf(&why, "ended after %g s (--call-limit); %s", c->server->limits.call_s, kept);
        break;
    case CALL_CANCELLED:
        text_printf(&why, "ended, as the server stops; %s", kept);
        break;
    case CALL_OVER_LIMIT:
        text_printf(&why, "ended: %s; %s", c->over, kept);
        break;
    }
    json_t *refused = protocol_refuse(c, text_str(&why));
    text_release(&why);
    return refused;
}
