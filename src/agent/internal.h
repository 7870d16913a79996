// What the parts of the agent share. Private to it.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_AGENT_INTERNAL_H
#define RIDGE_AGENT_INTERNAL_H

#include "agent/agent.h"

#include <jansson.h>

enum rpc_code { // of JSON-RPC 2.0, and of MCP's revision 2026-07-28
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_VERSION = -32022,
};

/* ---- messages (message.c) ----------------------------------------------------------------------------- */

enum message_kind { MESSAGE_REQUEST, MESSAGE_NOTIFICATION, MESSAGE_RESPONSE, MESSAGE_BAD };
struct message {
    enum message_kind kind;
    json_t *whole;
    const json_t *id; // NULL: it has none, or none that can be answered
    const char *method;
    const json_t *params; // an object, or NULL
    enum rpc_code code;   // of MESSAGE_BAD
    char why[256];
};
void message_read(const char *line, size_t size_bytes, struct message *out);
void message_release(struct message *m);

struct line_reader { // the input, cut into lines
    struct text bytes;
    size_t most_bytes;
    bool too_long; // the rest of the line is skipped
};
// Takes what was read and hands on each whole line; line is NULL where it is longer than allowed.
typedef void (*line_taker)(void *context, const char *line, size_t size_bytes);
void lines_take(struct line_reader *r, const char *data, size_t size_bytes, line_taker take,
                void *context);
void lines_end(struct line_reader *r, line_taker take,
               void *context); // the last one may lack its end
void lines_release(struct line_reader *r);

// All take the references given, but that of id.
json_t *rpc_result(const json_t *id, json_t *result);
json_t *rpc_error(const json_t *id, enum rpc_code code, const char *message, json_t *data);
json_t *json_words(const char *text); // a string of anything: bytes that are no UTF-8 are escaped

/* ---- tools (tools.c) ----------------------------------------------------------------------------------- */

const struct agent_tool *tool_find(const struct agent_server *s, const char *name);
json_t *tool_list(const struct agent_server *s);
// The command line of a call; the error says what is wrong with the arguments, for the model to mend.
struct command_line {
    char **argv;
    int argc;
};
bool tool_command_line(struct arena *a, const struct agent_tool *t, json_t *arguments,
                       struct command_line *out, struct error *err) CHECK_RESULT;
// Leaves out of a result what the tool omits, or all but the call's `fields`.
void tool_select(const struct agent_tool *t, const json_t *arguments, json_t *result);

/* ---- calls (call.c) ------------------------------------------------------------------------------------- */

enum call_end { CALL_DONE, CALL_CRASHED, CALL_TIMED_OUT, CALL_CANCELLED, CALL_OVER_LIMIT };
struct call {
    const struct agent_server *server;
    const struct agent_tool *tool;
    json_t *id, *token; // of the request, of its progress (or NULL)
    json_t *arguments;  // NULL: none
    bool modern;        // asked by the revision without sessions
    struct arena arena; // the command line's
    struct command_line line;
    struct worker *worker;   // NULL: it waits for its turn
    struct worker_spec spec; // the worker's
    volatile bool cancel;
    bool dropped;       // by the client: it gets no answer
    uint64_t looked_ns; // when its processes were last counted
    struct text output; // of the command
    bool too_much;      // more than a result may have
    int exit_status;
    int percent;    // of the newest progress; -1: none yet
    char over[160]; // which limit it went over
    // What the call says of its progress.
    void (*on_progress)(struct call *c, int percent, const char *message);
    void *context;
};
bool call_start(struct call *c, struct error *err) CHECK_RESULT;
bool call_ended(struct call *c) CHECK_RESULT;
// Kills what still runs. `said` gets the end of what the command wrote to its standard error.
enum call_end call_finish(struct call *c, struct text *said);
void call_release(struct call *c);
// Of the process and all it started: how many, and what they hold.
struct process_tree {
    int processes;
    uint64_t memory_bytes;
};
struct process_tree process_tree(pid_t root);

/* ---- the protocol (protocol.c) --------------------------------------------------------------------------- */

struct session_state { // of a client that opens with initialize
    bool initialized;
};
// The answer to a request other than tools/call, or to one that cannot be begun; NULL: *call is to be begun.
json_t *protocol_answer(const struct agent_server *s, struct session_state *state,
                        const struct message *m, struct call **call);
// The answer to a call that has ended.
json_t *protocol_call_answer(struct call *c, enum call_end end, const char *said);
json_t *protocol_refuse(const struct call *c, const char *why); // as a result that is an error
json_t *protocol_progress(const struct call *c, int percent, const char *message);

#endif
