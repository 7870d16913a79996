// Any bytes as messages to the server for agents, in pieces of any size: each line is a message, or is refused with a
// reason; a call's arguments become a command line or an error. Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#include "agent/internal.h"
#include "target.h"

#include <string.h>

enum { LINE_BYTES = 4096, PIECE_BYTES = 97 };

static const struct agent_property properties[] = {
    {.name = "experiment", .help = "a", .required = true},
    {.name = "param", .option = "param", .help = "b", .repeated = true},
    {.name = "seed", .option = "seed", .help = "c", .type = AGENT_WHOLE},
    {.name = "limit", .option = "limit", .help = "d", .type = AGENT_NUMBER},
    {.name = "check", .option = "check", .help = "e", .type = AGENT_FLAG},
};
static const char *const words[] = {"ridge", "run", NULL};
static const struct agent_tool tools[] = {{.name = "run",
                                           .title = "run",
                                           .help = "run",
                                           .properties = properties,
                                           .property_count = COUNT_OF(properties),
                                           .words = words,
                                           .omitted = "results.lines"}};
static const struct agent_server server = {
    .tools = tools, .tool_count = COUNT_OF(tools), .version = "1", .instructions = "none"};

static void take(void *context, const char *line, size_t size_bytes)
{
    struct session_state *state = context;
    struct message m;
    struct call *call = NULL;
    if (!line)
        return;
    require(size_bytes <= LINE_BYTES);
    message_read(line, size_bytes, &m);
    if (m.kind == MESSAGE_BAD)
        require(m.why[0] && m.code);
    if (m.kind == MESSAGE_REQUEST) {
        json_t *answer = protocol_answer(&server, state, &m, &call);
        require((answer != NULL) == (call == NULL));
        if (call) {
            json_t *again = json_deep_copy(m.whole); // any JSON, as a result to select from
            tool_select(call->tool, call->arguments, again);
            json_decref(again);
            require(call->line.argc >= 4 && strcmp(call->line.argv[0], "ridge") == 0);
            call_release(call);
        }
        json_decref(answer);
    }
    message_release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct line_reader reader = {.most_bytes = LINE_BYTES};
    struct session_state state = {0};
    for (size_t at = 0; at < size; at += PIECE_BYTES)
        lines_take(&reader, (const char *)data + at,
                   size - at < PIECE_BYTES ? size - at : PIECE_BYTES, take, &state);
    lines_end(&reader, take, &state);
    lines_release(&reader);
    return 0;
}
