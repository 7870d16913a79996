// Options and help, from the tables: one parser, one help text, one man page, three completions.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#define BIT(command) (UINT64_C(1) << (command))
#define ON(command) BIT(COMMAND_##command)
#define EVERYWHERE UINT64_MAX

static const struct command_row commands[] = {
#define COMMAND(id, name, arguments, least, most, summary, more) \
    {name, arguments, summary, more, least, most},
#include "cli/commands.def"
#undef COMMAND
};

static const struct option_row options[] = {
#define OPTION(id, long_name, short_name, argument, commands, help) \
    {long_name, short_name, argument, commands, help},
#include "cli/options.def"
#undef OPTION
};

const char *command_name(enum command_id id)
{
    return commands[id].name;
}

const struct command_row *command_row(enum command_id id)
{
    return &commands[id];
}

const struct option_row *option_row(enum option_id id)
{
    return &options[id];
}

bool option_of(enum option_id id, enum command_id command)
{
    return options[id].commands & BIT(command);
}

/* ---- parsing --------------------------------------------------------------------------------------- */

// A dash where the command should be: an option of this place mistyped, or one put too early.
static bool option_misplaced(const char *word, struct error *err)
{
    static const char *const here[] = {"--help", "--version", "--man", "--completion"};
    const char *near = str_nearest(word, here, COUNT_OF(here));
    if (near)
        return fail(err, NOWHERE, "unknown option '%s' (did you mean '%s'?)", word, near);
    return fail(err, NOWHERE,
                "'%s' stands where the command should: ridge COMMAND [options] [arguments]; `ridge "
                "help` lists the commands",
                word);
}

static bool command_find(const char *name, enum command_id *out, struct error *err)
{
    const char *names[COMMAND_COUNT];
    if (name[0] == '-')
        return option_misplaced(name, err);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (strcmp(name, names[i]) == 0) {
            *out = (enum command_id)i;
            return true;
        }
    }
    const char *near = str_nearest(name, names, COMMAND_COUNT);
    return near ? fail(err, NOWHERE,
                       "there is no command '%s' (did you mean '%s'?): `ridge help` lists them",
                       name, near)
                : fail(err, NOWHERE, "there is no command '%s': `ridge help` lists them", name);
}

// Of the command's options the one of that name: another command's may have the same name.
static int option_find(enum command_id command, const char *name, size_t length, char letter)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (!option_of((enum option_id)i, command))
            continue;
        else if (letter ? options[i].letter == letter
                        : strlen(options[i].name) == length &&
                              memcmp(options[i].name, name, length) == 0)
            return i;
    return -1;
}

static bool option_unknown(const struct options *o, const char *given, struct error *err)
{
    const char *names[OPTION_COUNT];
    size_t n = 0;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (options[i].commands & BIT(o->command))
            names[n++] = options[i].name;
    const char *near = str_starts_with(given, "--") ? str_nearest(given + 2, names, n) : NULL;
    const char *command = commands[o->command].name;
    return near
               ? fail(err, NOWHERE, "unknown option '%s' of `ridge %s` (did you mean '--%s'?)",
                      given, command, near)
               : fail(err, NOWHERE, "unknown option '%s' of `ridge %s`: `ridge help %s` lists them",
                      given, command, command);
}

// One argv word that starts with a dash; *i moves over a value in the next word.
static bool option_parse(struct options *o, int argc, char **argv, int *i, struct error *err)
{
    const char *word = argv[*i];
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    size_t length = equals ? (size_t)(equals - word) - 2 : is_long ? strlen(word) - 2 : 0;
    int found = option_find(o->command, word + 2, length, is_long ? 0 : word[1]);
    if (found < 0)
        return option_unknown(o, arena_strndup(&o->arena, word, is_long ? length + 2 : 2), err);
    const struct option_row *row = &options[found];
    const char *value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : NULL;
    if (!row->argument && value)
        return fail(err, NOWHERE, "option --%s takes no value", row->name);
    if (row->argument && !value) {
        if (*i + 1 >= argc)
            return fail(err, NOWHERE, "option --%s needs a value: --%s %s", row->name, row->name,
                        row->argument);
        value = argv[++*i];
    }
    struct option_values *v = &o->option[found];
    VEC_PUSH(v->values, v->count, v->capacity, value ? value : "");
    return true;
}

static bool arguments_check(const struct options *o, struct error *err)
{
    const struct command_row *c = &commands[o->command];
    if (option_given(o, OPTION_HELP) ||
        (o->argument_count >= c->least &&
         o->argument_count <= (c->most == TAKES_PROGRAM ? 0 : c->most)))
        return true;
    if (o->argument_count < c->least)
        return fail(err, NOWHERE, "`ridge %s` needs %s: ridge %s [options] %s", c->name,
                    c->arguments, c->name, c->arguments);
    return fail(err, NOWHERE, "`ridge %s` takes %s: unexpected '%s'", c->name,
                c->most == TAKES_PROGRAM ? "a program after `--`"
                : c->most == 0           ? "no argument"
                : c->most == 1           ? "one argument"
                : c->most == 2           ? "two arguments"
                                         : "no more",
                o->arguments[c->most == TAKES_PROGRAM ? 0 : c->most]);
}

// As it is recorded and shown: without the passwords of journals' addresses.
static const char *command_line(struct arena *a, int argc, char **argv)
{
    struct text t = {0};
    text_add(&t, "ridge");
    for (int i = 1; i < argc; i++)
        text_printf(&t, strpbrk(argv[i], " \"'$&|;<>*?") ? " '%s'" : " %s", argv[i]);
    char *line = journal_shown_within(a, text_str(&t));
    text_release(&t);
    return line;
}

// Its words as they are, none of them ours.
static void program_take(struct options *o, int count, char **words)
{
    const char **program = ARENA_ARRAY(&o->arena, const char *, count + 1);
    for (int i = 0; i < count; i++)
        program[i] = words[i];
    o->program = count > 0 ? program : NULL;
}

bool options_parse(struct options *o, int argc, char **argv, struct error *err)
{
    bool only_arguments = false;
    if (argc < 2)
        return fail(err, NOWHERE, "no command: `ridge help` lists them");
    o->command_line = command_line(&o->arena, argc, argv);
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        first = "help";
    if (!command_find(first, &o->command, err))
        return false;
    for (int i = 2; i < argc; i++) {
        if (!only_arguments && strcmp(argv[i], "--") == 0) {
            only_arguments = true;
            if (commands[o->command].most == TAKES_PROGRAM) {
                program_take(o, argc - i - 1, argv + i + 1);
                break;
            }
        } else if (!only_arguments && argv[i][0] == '-' && argv[i][1]) {
            if (!option_parse(o, argc, argv, &i, err))
                return false;
        } else if (o->argument_count < (int)COUNT_OF(o->arguments)) {
            o->arguments[o->argument_count++] = argv[i];
        } else {
            return fail(err, NOWHERE, "too many arguments: unexpected '%s'", argv[i]);
        }
    }
    return arguments_check(o, err);
}

void options_release(struct options *o)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        free(o->option[i].values);
    arena_release(&o->arena);
}

const char *option_name(enum option_id id)
{
    return options[id].name;
}

bool option_given(const struct options *o, enum option_id id)
{
    return o->option[id].count > 0;
}

const char *option_text(const struct options *o, enum option_id id, const char *otherwise)
{
    const struct option_values *v = &o->option[id];
    return v->count > 0 ? v->values[v->count - 1] : otherwise;
}

bool option_i64(const struct options *o, enum option_id id, int64_t least, int64_t most,
                int64_t otherwise, int64_t *out, struct error *err)
{
    const char *text = option_text(o, id, NULL);
    *out = otherwise;
    if (!text || (str_to_i64(text, out) && *out >= least && *out <= most))
        return true;
    return fail(err, NOWHERE, "option --%s: '%s' is not a whole number from %lld to %lld",
                options[id].name, text, (long long)least, (long long)most);
}

bool option_double(const struct options *o, enum option_id id, double otherwise, double *out,
                   struct error *err)
{
    const char *text = option_text(o, id, NULL);
    *out = otherwise;
    if (!text || (str_to_double(text, out) && *out > 0 && *out < 1e9))
        return true;
    return fail(err, NOWHERE, "option --%s: '%s' is not a positive number", options[id].name, text);
}

/* ---- help ------------------------------------------------------------------------------------------ */

enum { OPTION_COLUMN = 29, COMMAND_COLUMN = 40 }; // where the words begin

// A name, and what it is in a column of its own, wrapped there; below the name where that is too long.
static void help_row(const char *left, size_t column, const char *words,
                     const struct report_style *style, struct text *out)
{
    struct text cell = {0};
    size_t used = strlen(left);
    report_wrapped(words, column, style, &cell);
    if (used + 2 > column)
        text_printf(out, "%s\n%s", left, text_str(&cell));
    else
        text_printf(out, "%-*s%s", (int)column, left, text_str(&cell) + column);
    text_release(&cell);
}

static void help_options(uint64_t mask, const struct report_style *style, struct text *out)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &options[i];
        char left[64], letter[8] = "    ";
        bool shown = mask == EVERYWHERE ? row->commands == EVERYWHERE : (row->commands & mask) != 0;
        if (!shown)
            continue;
        if (row->letter)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        help_row(left, OPTION_COLUMN, row->help, style, out);
    }
}

static void help_command(const struct command_row *c, uint64_t mask,
                         const struct report_style *style, struct text *out)
{
    struct text title = {0};
    char *more = xstrdup(c->more);
    for (char *p = more; *p; p++) // the table breaks its lines for the man page
        *p = *p == '\n' ? ' ' : *p;
    text_printf(&title, "ridge %s%s%s: %s", c->name, *c->arguments ? " " : "", c->arguments,
                c->summary);
    report_wrapped(text_str(&title), 0, style, out);
    text_add(out, "\n");
    text_release(&title);
    if (*more) {
        report_wrapped(more, 0, style, out);
        text_add(out, "\n");
    }
    text_add(out, "Options:\n");
    help_options(mask, style, out);
    free(more);
}

static void help_text(enum command_id command, const struct report_style *style, struct text *out)
{
    if (command != COMMAND_COUNT) {
        help_command(&commands[command], BIT(command), style, out);
        return;
    }
    report_wrapped("ridge takes a GPU kernel up to its roofline: it compiles, proves, measures, "
                   "diagnoses and judges the variants of a kernel, on a real GPU or on the "
                   "simulated one.",
                   0, style, out);
    text_add(out, "\nCommands:\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        char left[80];
        snprintf(left, sizeof left, "  ridge %s %s", commands[i].name, commands[i].arguments);
        help_row(left, COMMAND_COLUMN, commands[i].summary, style, out);
    }
    text_add(out, "\nOptions everywhere:\n");
    help_options(EVERYWHERE, style, out);
    help_row("      --version", OPTION_COLUMN, "the version", style, out);
    text_add(out, "\n");
    report_wrapped("Exit status: 0 done, 1 a check failed (wrong result), 2 usage or input, 3 "
                   "device or system.\n`ridge help COMMAND` lists a command's own options.",
                   0, style, out);
}

bool help_print(const struct options *o, enum command_id command, struct error *err)
{
    struct report_style style = cli_style(o);
    struct text out = {0};
    help_text(command, &style, &out);
    bool done = cli_print(&out, err);
    text_release(&out);
    return done;
}

// A page of docs/, installed beside what else is read at run time.
static bool help_page(const char *name, struct error *err)
{
    enum { PAGE_BYTES_MAX = 1 << 20 };
    struct arena a = {0};
    struct text out = {0};
    char *page = NULL;
    size_t size = 0;
    const char *path = data_path(&a, name, err);
    bool done = path && file_read(path, PAGE_BYTES_MAX, &page, &size, err);
    if (done) {
        const char *body = strstr(page, "\n# "); // after the licence
        text_add(&out, body ? body + 1 : page);
        done = cli_print(&out, err);
    }
    free(page);
    text_release(&out);
    arena_release(&a);
    return done;
}

bool command_help(const struct options *o, int *status, struct error *err)
{
    enum command_id which = COMMAND_COUNT;
    *status = 0;
    if (o->argument_count > 0 && strcmp(o->arguments[0], "experiment") == 0)
        return help_page("experiment.md", err);
    if (o->argument_count > 0 && !command_find(o->arguments[0], &which, err))
        return false;
    return help_print(o, which, err);
}

/* ---- man page and completions ------------------------------------------------------------------------ */

static void roff_add(struct text *out, const char *s)
{
    bool line_start = true;
    for (; *s; s++) {
        if (*s == '-')
            text_add(out, "\\-");
        else if (*s == '\\')
            text_add(out, "\\e");
        else if (line_start && (*s == '.' || *s == '\''))
            text_printf(out, "\\&%c", *s);
        else
            text_addn(out, s, 1);
        line_start = *s == '\n';
    }
}

static void manual_options(uint64_t mask, bool everywhere, struct text *out)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &options[i];
        if (!(row->commands & mask) || (row->commands == EVERYWHERE) != everywhere)
            continue;
        text_add(out, ".TP\n.B ");
        if (row->letter)
            text_printf(out, "\\-%c, ", row->letter);
        text_add(out, "\\-\\-");
        roff_add(out, row->name);
        text_printf(out, "%s%s\n", row->argument ? " " : "", row->argument ? row->argument : "");
        roff_add(out, row->help);
        text_add(out, "\n");
    }
}

void manual_text(struct text *out)
{
    text_add(
        out,
        ".TH RIDGE 1 \"\" \"ridge " RIDGE_VERSION "\" \"User Commands\"\n"
        ".SH NAME\nridge \\- the GPU optimization loop: compile, verify, measure, diagnose, judge\n"
        ".SH SYNOPSIS\n.B ridge\n.I COMMAND\n[options] [arguments]\n.SH COMMANDS\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_add(out, ".SS \"ridge ");
        roff_add(out, commands[i].name);
        text_printf(out, "%s%s\"\n", *commands[i].arguments ? " " : "", commands[i].arguments);
        roff_add(out, commands[i].summary);
        text_add(out, ".\n");
        roff_add(out, commands[i].more);
        text_add(out, "\n");
        manual_options(BIT(i), false, out);
    }
    text_add(out, ".SH OPTIONS EVERYWHERE\n");
    manual_options(EVERYWHERE, true, out);
    text_add(
        out,
        ".SH EXIT STATUS\n0 done; 1 a check failed; 2 usage or input; 3 device or system.\n"
        ".SH ENVIRONMENT\n.TP\n.B RIDGE_JOURNAL\nthe journal: a file, or "
        "postgresql://user@host/database\n"
        ".TP\n.B RIDGE_HOME, RIDGE_CACHE\nthe folders for recorded data and for compiled kernels\n"
        ".TP\n.B RIDGE_NCCL\nthe libnccl.so.2 that ridge scale exchanges with (none: leave it "
        "out)\n"
        ".TP\n.B RIDGE_PTXAS\nthe ptxas that is asked for the registers of PTX (none: estimate "
        "them)\n"
        ".TP\n.B RIDGE_NVDISASM\nthe nvdisasm that shows machine code below its line (none: leave "
        "it out)\n"
        ".TP\n.B RIDGE_COMPILER\nwhat \\-\\-compiler auto means: nvrtc, clang or nvcc\n"
        ".TP\n.B RIDGE_DATA_DIR\nthe folder of the chips' figures and the shipped experiments\n"
        ".TP\n.B CC\nthe C compiler of the references (cc)\n"
        ".TP\n.B RIDGE_CUDA_PATH\nwhere CUDA's libraries are, if not in a usual place\n"
        ".TP\n.B NO_COLOR\nno colours\n");
}

static void completion_bash(struct text *out)
{
    text_add(out, "# bash completion of ridge, made from its command table\n_ridge() {\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words='");
    for (int i = 0; i < COMMAND_COUNT; i++)
        text_printf(out, "%s%s", i ? " " : "", commands[i].name);
    text_add(out, "'\n    else\n        case $command in\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_printf(out, "        %s) words='", commands[i].name);
        for (int k = 0; k < OPTION_COUNT; k++)
            if (options[k].commands & BIT(i))
                text_printf(out, "--%s ", options[k].name);
        text_add(out, "' ;;\n");
    }
    text_add(out, "        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                  "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n}\n"
                  "complete -F _ridge ridge\n");
}

static void completion_zsh(struct text *out)
{
    text_add(out, "#compdef ridge\n# made from ridge's command table\nif (( CURRENT == 2 )); "
                  "then\n  local -a names\n  names=(\n");
    for (int i = 0; i < COMMAND_COUNT; i++)
        text_printf(out, "    '%s:%s'\n", commands[i].name, commands[i].summary);
    text_add(out, "  )\n  _describe command names\nelse\n  case $words[2] in\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_printf(out, "  %s) compadd -- ", commands[i].name);
        for (int k = 0; k < OPTION_COUNT; k++)
            if (options[k].commands & BIT(i))
                text_printf(out, "--%s ", options[k].name);
        text_add(out, ";;\n");
    }
    text_add(out, "  esac\n  _files\nfi\n");
}

static void completion_fish(struct text *out)
{
    text_add(out, "# fish completion of ridge, made from its command table\n");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        text_printf(out, "complete -c ridge -n __fish_use_subcommand -a %s -d \"%s\"\n",
                    commands[i].name, commands[i].summary);
        for (int k = 0; k < OPTION_COUNT; k++)
            if (options[k].commands & BIT(i))
                text_printf(out, "complete -c ridge -n '__fish_seen_subcommand_from %s' -l %s%s\n",
                            commands[i].name, options[k].name, options[k].argument ? " -r" : "");
    }
}

bool completion_text(const char *shell, struct text *out, struct error *err)
{
    if (strcmp(shell, "bash") == 0)
        completion_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        completion_zsh(out);
    else if (strcmp(shell, "fish") == 0)
        completion_fish(out);
    else
        return fail(err, NOWHERE, "no completion for '%s': bash, zsh or fish", shell);
    return true;
}
