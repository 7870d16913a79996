// main: options, signals, the dispatch, and what every command prints through.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static volatile bool cancelled;
const volatile bool *const cli_cancelled = &cancelled;

// What does not look at the flag within this time (the parsing of a large file, a driver that does not
// let go of a process) is left as it stands: everything recorded is safe against a kill.
enum { PATIENCE_US = 800000 };

static void on_signal(int signal_number)
{
    (void)signal_number;
    if (cancelled)
        return;
    cancelled = true;
    const struct itimerval once = {.it_value = {.tv_usec = PATIENCE_US}};
    setitimer(ITIMER_REAL, &once, NULL);
}

static void on_patience_over(int signal_number)
{
    static const char words[] = "ridge: interrupted\n";
    (void)signal_number;
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(ERROR_SYSTEM);
}

static void signals_set(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction hang_up;
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) // not under nohup
        sigaction(SIGHUP, &action, NULL);
    action.sa_handler = on_patience_over;
    sigaction(SIGALRM, &action, NULL);
    cancel_on(&cancelled);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a limit on file sizes is an error of the write, as a full disk is
}

static bool printed; // something is on standard output

bool cli_print(const struct text *t, struct error *err)
{
    printed = true;
    struct text shown = {0};
    report_show(t, &shown);
    errno = 0;
    bool done =
        fwrite(text_str(&shown), 1, shown.length, stdout) == shown.length && fflush(stdout) == 0;
    int saved = errno;
    text_release(&shown);
    return done || saved == EPIPE || // a reader that has seen enough, as in `ridge log | head`
           fail_errno(err, saved, "cannot write the results to standard output");
}

bool cli_write(const char *file, const struct text *t, struct error *err)
{
    if (!file || strcmp(file, "-") == 0)
        return cli_print(t, err);
    struct text shown = {0};
    report_show(t, &shown);
    bool done = file_write(file, text_str(&shown), shown.length, err);
    text_release(&shown);
    return done;
}

void cli_say(const char *fmt, ...)
{
    struct text t = {0}, shown = {0};
    va_list args;
    va_start(args, fmt);
    text_vprintf(&t, fmt, args);
    va_end(args);
    report_show(&t, &shown);
    fputs(text_str(&shown), stderr);
    text_release(&t);
    text_release(&shown);
}

void cli_warn(const char *text)
{
    cli_say("ridge: warning: %s\n", text);
}

void cli_add_json(struct text *out, json_t *json)
{
    char *dump = json_dumps(json, JSON_INDENT(1));
    json_decref(json);
    text_printf(out, "%s\n", dump ? dump : "null");
    free(dump);
}

bool cli_print_json(json_t *json, struct error *err)
{
    struct text out = {0};
    cli_add_json(&out, json);
    bool done = cli_print(&out, err);
    text_release(&out);
    return done;
}

bool cli_print_either(const struct options *o, json_t *json, const struct text *t,
                      struct error *err)
{
    return option_given(o, OPTION_JSON) ? cli_print_json(json_incref(json), err)
                                        : cli_print(t, err);
}

static bool locale_is_utf8(void)
{
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *v = getenv(names[i]);
        if (v && *v)
            return strstr(v, "UTF-8") || strstr(v, "utf8") || strstr(v, "UTF8") ||
                   strstr(v, "utf-8");
    }
    return false;
}

struct report_style cli_style(const struct options *o)
{
    struct report_style style = {.width = 100, .verbose = option_given(o, OPTION_VERBOSE)};
    const char *no_color = getenv("NO_COLOR"), *columns = getenv("COLUMNS"), *term = getenv("TERM");
    struct winsize window;
    int64_t n;
    bool terminal = isatty(STDOUT_FILENO);
    style.color = terminal && !(no_color && *no_color) && !option_given(o, OPTION_NO_COLOR) &&
                  !(term && strcmp(term, "dumb") == 0);
    style.plain = option_given(o, OPTION_PLAIN);
    style.color = style.color && !style.plain;
    style.unicode = locale_is_utf8() && !style.plain;
    if (columns && str_to_i64(columns, &n) && n > 0 && n < 1000)
        style.width = (int)n;
    else if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
        style.width = window.ws_col;
    if (style.plain)
        style.width = 1000; // a fact is not broken into lines
    if (style.width < 80)
        style.width = 80;
    return style;
}

// A path, or a name of the working directory that is an experiment: a folder or file that only has the
// name of a recorded run hides nothing.
static bool names_a_file(struct arena *a, const char *argument)
{
    return strchr(argument, '/') || str_ends_with(argument, ".yaml") ||
           file_exists(path_join(a, argument, "experiment.yaml"));
}

// The colon before the variant, or NULL: paths may hold colons, and so may names of kernels. What is
// there as a path is one; else the first colon of the last part separates.
static const char *variant_colon(struct arena *a, const char *argument)
{
    const char *slash = strrchr(argument, '/'), *last = slash ? slash + 1 : argument;
    if (names_a_file(a, argument) && file_exists(argument))
        return NULL;
    for (const char *at = argument + strlen(argument); at-- > last;)
        if (*at == ':' && file_exists(arena_strndup(a, argument, (size_t)(at - argument))))
            return at;
    return strchr(last, ':');
}

bool cli_experiment_name(struct arena *a, const char *argument, const char **experiment,
                         const char **variant, struct error *err)
{
    const char *colon = variant_colon(a, argument);
    *variant = NULL;
    if (colon) {
        *variant = arena_strdup(a, colon + 1);
        argument = arena_strndup(a, argument, (size_t)(colon - argument));
    }
    *experiment = argument;
    struct experiment *e;
    if (!names_a_file(a, argument))
        return true;
    if (!experiment_load(a, argument, &e, err))
        return false;
    *experiment = e->name;
    return true;
}

bool cli_device_list(struct arena *a, const char *list, const char *const **out, int *count,
                     struct error *err)
{
    const char **names = ARENA_ARRAY(a, const char *, strlen(list) + 1);
    *out = names;
    *count = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        if (length == 0 && *list)
            return fail(err, NOWHERE,
                        "option --device: a name is missing in '%s'; give one device, or several "
                        "with commas: sim:h200,sim:mi250x",
                        list);
        names[(*count)++] = arena_strndup(a, at, length);
        at += length;
        if (!*at)
            return true;
    }
}

bool cli_objective(const struct options *o, enum objective *out, struct error *err)
{
    const char *name = option_text(o, OPTION_OBJECTIVE, NULL);
    return !name || objective_find(name, out, err);
}

bool cli_journal_open(const struct options *o, bool read_only, struct journal **j,
                      struct error *err)
{
    return journal_open(option_text(o, OPTION_JOURNAL, NULL), read_only, j, err);
}

typedef bool (*command_function)(const struct options *o, int *status, struct error *err);
static const command_function functions[] = {
#define COMMAND(id, name, arguments, least, most, summary, more) command_##id,
#include "cli/commands.def"
#undef COMMAND
};

// --version, --man and --completion stand where a command would: build and packaging use them.
static bool special_option(int argc, char **argv, bool *done, struct error *err)
{
    struct text out = {0};
    bool ok = true;
    *done = true;
    if (argc >= 2 && strcmp(argv[1], "--version") == 0)
        text_add(&out, "ridge " RIDGE_VERSION "\n");
    else if (argc >= 2 && strcmp(argv[1], "--man") == 0)
        manual_text(&out);
    else if (argc >= 2 && strcmp(argv[1], "--completion") == 0)
        ok = completion_text(argc > 2 ? argv[2] : "bash", &out, err);
    else
        *done = false;
    if (*done && ok)
        ok = cli_print(&out, err);
    text_release(&out);
    return ok;
}

static bool dispatch(struct options *o, int argc, char **argv, int *status, struct error *err)
{
    bool done;
    litter_clean();
    if (!special_option(argc, argv, &done, err))
        return false;
    if (done)
        return true;
    if (!options_parse(o, argc, argv, err))
        return false;
    if (option_given(o, OPTION_HELP))
        return help_print(o, o->command == COMMAND_help ? COMMAND_COUNT : o->command, err);
    return functions[o->command](o, status, err);
}

// Who reads JSON gets some, whatever happened.
static void print_error_json(const struct error *e)
{
    static const char *const kinds[] = {[ERROR_NONE] = "system",
                                        [ERROR_CHECK] = "check",
                                        [ERROR_INPUT] = "input",
                                        [ERROR_SYSTEM] = "system"};
    struct error ignored = {0};
    json_t *json = json_pack("{s:s, s:i, s:{s:s, s:s}}", "ridge", RIDGE_VERSION, "schema", 1,
                             "error", "kind", kinds[e->kind], "message", e->message);
    if (!json) // the message is no UTF-8
        json = json_pack("{s:s, s:i, s:{s:s, s:s}}", "ridge", RIDGE_VERSION, "schema", 1, "error",
                         "kind", kinds[e->kind], "message", "see standard error");
    if (!cli_print_json(json, &ignored))
        return; // standard error has it
}

// Below this the first deep call, or a thread's own stack, ends the process without a word.
static bool stack_check(struct error *err)
{
    const rlim_t least_bytes = 1 << 20, kib = 1024;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least_bytes)
        return true;
    return fail_as(err, ERROR_SYSTEM, NOWHERE,
                   "the stack is limited to %llu KiB (ulimit -s), and ridge needs %llu: raise it "
                   "with `ulimit -s 8192`",
                   (unsigned long long)(limit.rlim_cur / kib),
                   (unsigned long long)(least_bytes / kib));
}

// An address in the wrong place, `ridge log postgresql://user:password@…`, is in the message, but not its password.
static void passwords_hide(struct error *err)
{
    struct arena a = {0};
    const char *shown = journal_shown_within(&a, err->message);
    (void)snprintf(err->message, sizeof err->message, "%s", shown);
    arena_release(&a);
}

int cli_perform(int argc, char **argv)
{
    struct options o = {0};
    struct error err = {0};
    int status = 0;
    if (!stack_check(&err) || !dispatch(&o, argc, argv, &status, &err)) {
        passwords_hide(&err);
        fprintf(stderr, "ridge: %s\n", err.message);
        if (!printed && option_given(&o, OPTION_JSON))
            print_error_json(&err);
        status = err.kind == ERROR_NONE ? ERROR_SYSTEM : (int)err.kind;
    }
    options_release(&o);
    return status;
}

int main(int argc, char **argv)
{
    signals_set();
    return cli_perform(argc, argv);
}
