// agent: a server of tools for agents, by the Model Context Protocol: JSON-RPC on standard input and output, one
// message a line. It knows the protocol, what calls may take, and how to run one in a process of its own; which
// tools there are, and what they do, is the caller's table.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_AGENT_H
#define RIDGE_AGENT_H

#include "base/base.h"

enum agent_type { AGENT_TEXT, AGENT_WHOLE, AGENT_NUMBER, AGENT_FLAG };

struct agent_property { // of a tool's input
    const char *name;   // in the JSON
    const char *option; // on the command line, without dashes; NULL: an argument
    const char *help;
    enum agent_type type;
    bool repeated; // a list
    bool required;
};
struct agent_tool {
    const char *name, *title, *help;
    const struct agent_property *properties;
    int property_count;
    const char *const *words; // what the command line begins with, NULL terminated
    const char *
        omitted; // keys of the result that are left out unless they are asked for: "results.lines …"
    bool reads_only; // it changes nothing and runs no kernel
    bool destroys;
};
struct agent_limits {
    double call_s;         // of one call
    uint64_t memory_bytes; // that the processes of a call hold together
    int processes;         // of a call
    int calls;             // at once; of those that run kernels, one
    int waiting;           // beside them
    size_t message_bytes;  // of a request
    size_t result_bytes;   // of a command's output
};
struct agent_server {
    const struct agent_tool *tools;
    int tool_count;
    const char *version, *instructions;
    struct agent_limits limits;
    // Runs in the call's own process, with its output in a file of the call's: the command's exit status. It may
    // call agent_progress.
    int (*perform)(int argc, char **argv);
    const volatile bool *cancel;
};
// Answers until the input ends or *cancel is set: then calls in flight are ended. false: the operating system fails us.
bool agent_serve(const struct agent_server *server, int in_fd, int out_fd,
                 struct error *err) CHECK_RESULT;
// In the process of a call, how far it is: a share of 1, and what it does. Elsewhere nothing.
void agent_progress(double share, const char *message);

#endif
