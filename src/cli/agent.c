// ridge agent: the commands as tools of a server for agents (src/agent), made from the tables of commands and options.
// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

enum access { READS, RUNS, DESTROYS };
struct tool_row {
    const char *name;
    enum command_id command;
    const char *arguments;
    enum access access;
    const char *omitted, *summary;
};
static const struct tool_row rows[] = {
#define TOOL(name, command, arguments, access, omitted, summary) \
    {name, COMMAND_##command, arguments, access, omitted, summary},
#define ONLY_OF(option, tool)
#define NOT_OFFERED(option)
#include "cli/tools.def"
#undef TOOL
#undef ONLY_OF
#undef NOT_OFFERED
};

// The one tool that has the option, "" where none has; NULL: each whose command takes it.
static const char *const only_of[OPTION_COUNT] = {
#define TOOL(name, command, arguments, access, omitted, summary)
#define ONLY_OF(option, tool) [OPTION_##option] = tool,
#define NOT_OFFERED(option) [OPTION_##option] = "",
#include "cli/tools.def"
#undef TOOL
#undef ONLY_OF
#undef NOT_OFFERED
};

static const char instructions[] =
    "ridge takes GPU kernels up to their roofline, on a real GPU or on a simulated one (sim:h200). "
    "An experiment is a "
    "folder with an experiment.yaml: a kernel, its reference and its variants (`help` with "
    "about=experiment describes "
    "the file, `new` makes one). The loop: edit a variant's source; `verify` it; say with "
    "`hypothesize` what it "
    "should bring; `run` it; read `results[].findings` (cause, source line, fix, expected time) or "
    "`annotate`; price an "
    "idea with `what_if` before writing it; `compare` two runs. Each figure says whether it was "
    "measured, simulated or "
    "modelled. Results are long: name a variant, a case (param), and the `fields` that you need.";

/* ---- tools from the tables ------------------------------------------------------------------------------ */

static bool is_offered(const struct tool_row *row, enum option_id id)
{
    const struct option_row *o = option_row(id);
    return o->commands != UINT64_MAX && option_of(id, row->command) &&
           (!only_of[id] || strcmp(only_of[id], row->name) == 0);
}

static enum agent_type type_of(const char *argument)
{
    static const struct {
        const char *argument;
        enum agent_type type;
    } types[] = {{"NUMBER", AGENT_WHOLE}, {"THREADS", AGENT_WHOLE},  {"BYTES", AGENT_WHOLE},
                 {"LANES", AGENT_WHOLE},  {"SECONDS", AGENT_NUMBER}, {"PERCENT", AGENT_NUMBER},
                 {"SHARE", AGENT_NUMBER}};
    for (size_t i = 0; argument && i < COUNT_OF(types); i++)
        if (strcmp(argument, types[i].argument) == 0)
            return types[i].type;
    return argument ? AGENT_TEXT : AGENT_FLAG;
}

static struct agent_property option_property(struct arena *a, enum option_id id)
{
    const struct option_row *o = option_row(id);
    char *name = arena_strdup(a, o->name);
    for (char *p = name; *p; p++)
        *p = *p == '-' ? '_' : *p;
    return (struct agent_property){
        .name = name,
        .option = o->name,
        .help = o->argument ? arena_printf(a, "%s: %s", o->argument, o->help) : o->help,
        .type = type_of(o->argument),
        .repeated = strstr(o->help, "may be repeated") != NULL, // which is said nowhere else
    };
}

static void arguments_add(struct arena *a, const struct tool_row *row, struct agent_property *out,
                          int *count)
{
    const struct command_row *c = command_row(row->command);
    char *more = NULL;
    for (char *name = strtok_r(arena_strdup(a, row->arguments), " ", &more); name;
         name = strtok_r(NULL, " ", &more)) {
        bool several = str_ends_with(name, "...");
        if (several)
            name[strlen(name) - strlen("...")] = '\0';
        out[*count] = (struct agent_property){
            .name = name,
            .help = arena_printf(a, "of `ridge %s %s`", c->name, c->arguments),
            .repeated = several,
            .required = *count < c->least,
        };
        (*count)++;
    }
}

static void tool_make(struct arena *a, const struct tool_row *row, const char *journal,
                      struct agent_tool *out)
{
    enum { ARGUMENTS_MAX = 4 };
    const struct command_row *c = command_row(row->command);
    struct agent_property *properties =
        ARENA_ARRAY(a, struct agent_property, OPTION_COUNT + ARGUMENTS_MAX);
    const char *summary = row->summary ? row->summary : c->summary;
    const char **words = ARENA_ARRAY(a, const char *, 8);
    int count = 0, n = 0;
    arguments_add(a, row, properties, &count);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (is_offered(row, (enum option_id)i))
            properties[count++] = option_property(a, (enum option_id)i);
    words[n++] = "ridge";
    words[n++] = c->name;
    words[n++] = "--json";
    words[n++] = "--quiet";
    if (journal && option_of(OPTION_JOURNAL, row->command))
        words[n++] = arena_printf(a, "--journal=%s", journal);
    *out = (struct agent_tool){
        .name = row->name,
        .title = summary,
        .help = *c->more ? arena_printf(a, "%s.\n%s", summary, c->more) : summary,
        .properties = properties,
        .property_count = count,
        .words = words,
        .omitted = *row->omitted ? row->omitted : NULL,
        .reads_only = row->access == READS,
        .destroys = row->access == DESTROYS,
    };
}

/* ---- the command ------------------------------------------------------------------------------------------ */

static bool limits_read(const struct options *o, struct agent_limits *l, struct error *err)
{
    static const uint64_t mib = 1 << 20;
    static const double call_s = 1800, memory_share = 0.75;
    enum { PROCESSES = 256, CALLS = 4, WAITING = 32, MESSAGE_MIB = 1, RESULT_MIB = 16 };
    double memory = memory_share * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    int64_t memory_mib, processes, calls;
    if (!option_double(o, OPTION_CALL_LIMIT, call_s, &l->call_s, err) ||
        !option_i64(o, OPTION_MEMORY_LIMIT, 1, INT32_MAX, (int64_t)(memory / (double)mib),
                    &memory_mib, err) ||
        !option_i64(o, OPTION_PROCESS_LIMIT, 1, INT32_MAX, PROCESSES, &processes, err) ||
        !option_i64(o, OPTION_CALLS, 1, 64, CALLS, &calls, err))
        return false;
    l->memory_bytes = (uint64_t)memory_mib * mib;
    l->processes = (int)processes;
    l->calls = (int)calls;
    l->waiting = WAITING;
    l->message_bytes = MESSAGE_MIB * mib;
    l->result_bytes = RESULT_MIB * mib;
    return true;
}

bool command_agent(const struct options *o, int *status, struct error *err)
{
    struct arena a = {0};
    struct agent_tool *tools = ARENA_ARRAY(&a, struct agent_tool, COUNT_OF(rows));
    struct agent_server server = {.tools = tools,
                                  .tool_count = (int)COUNT_OF(rows),
                                  .version = RIDGE_VERSION,
                                  .instructions = instructions,
                                  .perform = cli_perform,
                                  .cancel = cli_cancelled};
    *status = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        tool_make(&a, &rows[i], option_text(o, OPTION_JOURNAL, NULL), &tools[i]);
    bool done = limits_read(o, &server.limits, err) &&
                agent_serve(&server, STDIN_FILENO, STDOUT_FILENO, err);
    arena_release(&a);
    return done;
}
