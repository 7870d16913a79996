// cli: options -> a command -> printed results. The only module that prints and that knows exit
// statuses: 0 done, 1 a check failed, 2 usage or input, 3 device or system.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CLI_H
#define RIDGE_CLI_H

#include "base/base.h"
#include "journal/journal.h"
#include "loop/loop.h"
#include "report/report.h"

enum command_id {
#define COMMAND(id, name, arguments, least, most, summary, more) COMMAND_##id,
#include "cli/commands.def"
#undef COMMAND
    COMMAND_COUNT
};
enum option_id {
#define OPTION(id, long_name, short_name, argument, commands, help) OPTION_##id,
#include "cli/options.def"
#undef OPTION
    OPTION_COUNT
};

struct command_row {
    const char *name, *arguments, *summary, *more;
    int least, most; // of arguments
};
enum { TAKES_PROGRAM = -1 }; // most: none, but a program's command line after `--`
const struct command_row *command_row(enum command_id id);
struct option_row {
    const char *name;
    char letter;
    const char *argument; // NULL: it takes no value
    uint64_t commands;    // a bit each; all: it is of every command
    const char *help;
};
const struct option_row *option_row(enum option_id id);
bool option_of(enum option_id id, enum command_id command);

struct option_values { // of one option; repeated ones keep all
    const char **values;
    size_t count, capacity;
};
struct options {
    enum command_id command;
    struct option_values option[OPTION_COUNT];
    const char *arguments[17]; // one more than a command takes, for the message
    int argument_count;
    const char *const
        *program; // what stands after `--`, of a command that takes that; NULL: nothing
    const char *command_line;
    struct arena arena;
};
bool options_parse(struct options *o, int argc, char **argv, struct error *err) CHECK_RESULT;
void options_release(struct options *o);
const char *option_name(enum option_id id); // without the dashes
bool option_given(const struct options *o, enum option_id id);
const char *option_text(const struct options *o, enum option_id id, const char *otherwise);
// otherwise when not given; an error that names the option when it is no number within the bounds.
bool option_i64(const struct options *o, enum option_id id, int64_t least, int64_t most,
                int64_t otherwise, int64_t *out, struct error *err) CHECK_RESULT;
bool option_double(const struct options *o, enum option_id id, double otherwise, double *out,
                   struct error *err) CHECK_RESULT;

struct report_style cli_style(const struct options *o); // of standard output
// Writes to standard output, as all below through report_show: a name steers no terminal. False if it could not be written whole (a full disk, a closed pipe).
bool cli_print(const struct text *t, struct error *err) CHECK_RESULT;
void cli_add_json(struct text *out, json_t *json);                 // takes the reference
bool cli_print_json(json_t *json, struct error *err) CHECK_RESULT; // takes the reference
// With --json the one, else the other; both stay the caller's.
bool cli_print_either(const struct options *o, json_t *json, const struct text *t,
                      struct error *err) CHECK_RESULT;
// Into the file, or where it is NULL or "-", to standard output.
bool cli_write(const char *file, const struct text *t, struct error *err) CHECK_RESULT;
void cli_say(const char *fmt, ...) PRINTF_LIKE(1, 2); // on standard error
void cli_warn(const char *text);                      // on standard error
extern const volatile bool *const cli_cancelled;      // set by SIGINT and SIGTERM
// Splits "EXPERIMENT:VARIANT"; variant is NULL when there is none. An experiment may be given by
// its folder: the recorded name is then read from its file, or is the folder's name.
bool cli_experiment_name(struct arena *a, const char *argument, const char **experiment,
                         const char **variant, struct error *err) CHECK_RESULT;
// Of --objective; left as it is where that is not given.
bool cli_objective(const struct options *o, enum objective *out, struct error *err) CHECK_RESULT;
// The names of a --device with commas; "" is one.
bool cli_device_list(struct arena *a, const char *list, const char *const **out, int *count,
                     struct error *err) CHECK_RESULT;
bool cli_journal_open(const struct options *o, bool read_only, struct journal **j,
                      struct error *err) CHECK_RESULT;

// The run that the first argument names (a number, an experiment), or the newest. The caller
// json_decref()s run->header.environment.
bool cli_run_find(const struct options *o, struct arena *a, struct run *run,
                  struct error *err) CHECK_RESULT;
// The same for "RUN", "RUN:VARIANT", "EXPERIMENT" and "EXPERIMENT:VARIANT" in any argument: *only is the
// last result of the variant, NULL when none is named. Kernels' names may be shortened to what comes
// before '(' or '<'.
bool cli_result_find(const struct options *o, const char *argument, struct arena *a,
                     struct run *run, const struct result **only, struct error *err) CHECK_RESULT;
struct cli_comparison { // zeroed before; closed also where opening failed
    struct arena arena;
    struct run before, after;
    struct run_comparison both;
};
// The two runs, or results, that the arguments name.
bool cli_comparison_open(const struct options *o, struct cli_comparison *c,
                         struct error *err) CHECK_RESULT;
void cli_comparison_close(struct cli_comparison *c);
// The simulated chip that stands for the run's device.
bool cli_simulated_of(struct arena *a, const struct run_header *h, const char **device,
                      struct error *err) CHECK_RESULT;
// The case of the result, as --param has it: NAME=VALUE, axis by axis.
const char **cli_overrides_of(struct arena *a, const struct result *r);
// ridge explain --again: the run's results, or `only` that one, diagnosed anew in their places.
bool cli_explain_again(const struct options *o, struct arena *a, struct run *run,
                       const struct result *only, struct error *err) CHECK_RESULT;
// … and a simulated one's patches, tried now.
bool cli_explain_trying(const struct options *o, struct arena *a, struct run *run,
                        const struct result *only, struct error *err) CHECK_RESULT;
// ridge gate BASELINE RUN, of recorded runs.
bool cli_gate_runs(const struct options *o, int *status, struct error *err) CHECK_RESULT;
// The table of a run (--json, --markdown) on standard output.
bool cli_run_print(const struct options *o, struct arena *a, const struct run *run,
                   struct error *err) CHECK_RESULT;
bool cli_markdown(struct arena *a, const struct run *run, struct text *out,
                  struct error *err) CHECK_RESULT;

// ridge log --hypotheses.
bool cli_hypothesis_record(const struct options *o, struct journal *j,
                           const struct journal_filter *filter, struct error *err) CHECK_RESULT;
// Answers --what-if for one result, or all: runs them again on the simulated GPU; prints.
bool cli_counterfactual(const struct options *o, struct arena *a, const struct run *run,
                        const struct result *only, struct error *err) CHECK_RESULT;
// The fixes that are mechanical, of one result or of each variant's last, numbered; nothing where the experiment is gone.
void cli_advice(const struct options *o, struct arena *a, const struct run *run,
                const struct result *only, struct text *out);
// The same as JSON; a new reference.
json_t *cli_advice_json(struct arena *a, const struct run *run, const struct result *only);
// Answers --apply: writes the patch of that number into a copy of the experiment; prints where.
bool cli_advice_apply(const struct options *o, struct arena *a, const struct run *run,
                      const struct result *only, struct error *err) CHECK_RESULT;
// Answers --if and --on for one result, or all; prints.
bool cli_whatif(const struct options *o, struct arena *a, const struct run *run,
                const struct result *only, struct error *err) CHECK_RESULT;

// ridge probe of several devices: what the links between them deliver; prints.
bool cli_collectives(const struct options *o, const char *devices, struct arena *a,
                     struct error *err) CHECK_RESULT;
struct links; // fleet/links.h: what a model of the exchange rests on
json_t *cli_links_json(const struct links *l);
void cli_print_validated(const struct links *l, struct text *out); // ends the line

// A command: returns false with err set (its kind is the exit status), or true. *status is 0, or 1
// when a check failed though the command did its work.
#define COMMAND(id, name, arguments, least, most, summary, more) \
    bool command_##id(const struct options *o, int *status, struct error *err);
#include "cli/commands.def"
#undef COMMAND

// A whole command line in this process: the exit status. What fails is said on standard error, and in JSON where that
// is asked for.
int cli_perform(int argc, char **argv);

// A command's help; COMMAND_COUNT: the overview.
bool help_print(const struct options *o, enum command_id command, struct error *err) CHECK_RESULT;
void manual_text(struct text *out); // the man page, roff
bool completion_text(const char *shell, struct text *out, struct error *err) CHECK_RESULT;
const char *command_name(enum command_id id);

// ridge new --list and --from.
bool new_list(const struct options *o, struct error *err) CHECK_RESULT;
bool new_from(const struct options *o, struct error *err) CHECK_RESULT;

#endif
