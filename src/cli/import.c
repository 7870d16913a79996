// ridge import: other profilers' files become a recorded run; the runs of another journal are added to this one.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"
#include "import/import.h"

#include <string.h>

static bool run_record(const struct options *o, struct run *run, struct error *err)
{
    struct journal *j = NULL;
    bool done = cli_journal_open(o, false, &j, err) &&
                journal_begin_run(j, &run->header, &run->header.id, err);
    for (int i = 0; done && i < run->result_count; i++)
        done = journal_add_result(j, run->header.id, &run->results[i], err);
    done = done && journal_end_run(j, run->header.id, NULL, err);
    journal_close(j);
    return done;
}

// What became of the file, and why no kernel of it could be diagnosed.
static void say(const struct run *run)
{
    int timed = 0, counted = 0, diagnosed = 0;
    for (int i = 0; i < run->result_count; i++) {
        const struct result *r = &run->results[i];
        timed += r->time.provenance != PROVENANCE_ABSENT;
        counted += counters_has(&r->counters, COUNTER_DRAM_READ_BYTES) &&
                   counters_has(&r->counters, COUNTER_WARP_INSTRUCTIONS);
        diagnosed += r->diagnosed;
    }
    cli_say("%s: %d result%s, %d timed, %d diagnosed\n", run->header.title, run->result_count,
            plural(run->result_count), timed, diagnosed);
    if (diagnosed == 0 && counted > 0)
        cli_say("no diagnosis: the chip is not known; name it with --device, as in "
                "--device h200\n");
    else if (diagnosed == 0)
        cli_say("no diagnosis: that takes dram__bytes_read.sum and smsp__inst_executed.sum, "
                "from Nsight Compute's --page raw\n");
}

// `ridge import unsent.sqlite`, or a journal that moves to a server.
static bool import_journals(const struct options *o, struct error *err)
{
    struct journal *to = NULL;
    struct journal_copied sum = {0};
    bool done = cli_journal_open(o, false, &to, err);
    for (int i = 0; done && i < o->argument_count; i++) {
        struct journal *from = NULL;
        struct journal_copied c = {0};
        done = journal_open(o->arguments[i], true, &from, err) && journal_copy(from, to, &c, err);
        sum.run_count += c.run_count;
        sum.result_count += c.result_count;
        sum.there_count += c.there_count;
        journal_close(from);
    }
    if (done && option_given(o, OPTION_JSON))
        done = cli_print_json(json_pack("{s:i, s:i, s:i}", "runs", sum.run_count, "results",
                                        sum.result_count, "already_there", sum.there_count),
                              err);
    else if (done && !option_given(o, OPTION_QUIET))
        cli_say("%d result%s added, %d new run%s; %d %s there before\n", sum.result_count,
                plural(sum.result_count), sum.run_count, plural(sum.run_count), sum.there_count,
                sum.there_count == 1 ? "was" : "were");
    journal_close(to);
    return done;
}

static bool are_journals(const struct options *o)
{
    int count = 0;
    for (int i = 0; i < o->argument_count; i++)
        count += journal_is_file(o->arguments[i]);
    return count == o->argument_count;
}

bool command_import(const struct options *o, int *status, struct error *err)
{
    if (!option_given(o, OPTION_NO_JOURNAL) && are_journals(o)) {
        *status = 0;
        return import_journals(o, err);
    }
    struct arena a = {0};
    struct run run = {0};
    const char *device = option_text(o, OPTION_DEVICE, NULL);
    struct import_request request = {
        .format = option_text(o, OPTION_FORMAT, NULL),
        .name = option_text(o, OPTION_AS, NULL),
        .chip = device && str_starts_with(device, "sim:") ? device + strlen("sim:") : device,
    };
    *status = 0;
    bool done = import_files(&a, &request, o->arguments, (size_t)o->argument_count, &run, err);
    run.header.command = o->command_line;
    if (done && !option_given(o, OPTION_NO_JOURNAL))
        done = run_record(o, &run, err);
    if (done && !option_given(o, OPTION_QUIET))
        say(&run);
    done = done && cli_run_print(o, &a, &run, err);
    json_decref(run.header.environment);
    arena_release(&a);
    return done;
}
