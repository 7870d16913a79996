// ridge bisect: the first commit after which a kernel is slower, by `git bisect run` in a worktree of its own. Each
// commit is held against the good one as `ridge gate --against` does: both built and measured in turns.
// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"
#include "gate/gate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SKIP = 125,
    WORDS_MAX = 40,
    PATH_BYTES = 4096
}; // SKIP: what `git bisect run` takes for "cannot tell"

static const double step_s = 3600, whole_s = 7 * 24 * 3600.0;

/* ---- one commit ------------------------------------------------------------------------------------- */

// 0: as good as the good one; 1: slower; SKIP: broken, or too noisy to tell.
static int verdict_status(const struct gate_report *r)
{
    if (r->counts[GATE_REGRESSED] > 0)
        return 1;
    bool told = r->counts[GATE_BROKEN] + r->counts[GATE_MISSING] + r->counts[GATE_REFUSED] +
                    r->counts[GATE_NOISY] + r->counts[GATE_NEW] ==
                0;
    return told ? 0 : SKIP;
}

static bool judge(const struct options *o, int *status, struct error *err)
{
    struct suite_session w = {.o = o};
    struct gate_report report = {0};
    struct error why = {0};
    const char *good = option_text(o, OPTION_GOOD, NULL);
    static const char *const of_git[] = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE",
                                         "GIT_PREFIX"};
    for (size_t i = 0; i < COUNT_OF(of_git);
         i++) // git says them to what it runs; other folders have others
        (void)unsetenv(of_git[i]);
    bool done = suite_session_open(&w, o, false, (const char *const *)o->arguments,
                                   o->argument_count, &why) &&
                gate_against(&w, good, &report, &why);
    *status = done ? verdict_status(&report) : SKIP;
    if (done && report.count > 0)
        cli_say("%s: %s\n", gate_verdict_name(report.entries[0].verdict),
                report.entries[0].why ? report.entries[0].why : "");
    suite_session_close(&w);
    if (!done && *cli_cancelled) {
        *err = why;
        return false;
    }
    if (!done)
        cli_say("ridge: this commit is skipped: %s\n", why.message);
    return true;
}

/* ---- the search ----------------------------------------------------------------------------------------- */

struct search {
    struct arena arena;
    const struct options *o;
    struct revision bad;
    const char *folder;           // of the experiment, in the worktree
    const char *words[WORDS_MAX]; // that judge a commit
    int word_count;
};

// The output's last line that holds something, or all of it where it failed.
static bool git(struct search *s, const char *const *argv, double timeout_s, const char **out,
                int *exit_status, struct error *err)
{
    struct process_spec spec = {.argv = argv, .directory = s->bad.path, .timeout_s = timeout_s};
    struct process_result r;
    if (!process_run(&spec, &r, err))
        return false;
    *exit_status = r.exit_status;
    *out = arena_printf(&s->arena, "%s%s", text_str(&r.out), text_str(&r.err_text));
    process_result_release(&r);
    return true;
}

static void add_word(struct search *s, const char *word)
{
    assert(s->word_count + 1 < WORDS_MAX);
    s->words[s->word_count++] = word;
}

// This program, asked to judge one commit as this call was asked to.
static bool words_fill(struct search *s, const char *good, struct error *err)
{
    static const enum option_id passed[] = {OPTION_DEVICE,     OPTION_COMPILER, OPTION_CACHE,
                                            OPTION_TIME_LIMIT, OPTION_SEED,     OPTION_SAMPLES_MAX,
                                            OPTION_THREADS,    OPTION_ONLY};
    char self[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "/proc/self/exe cannot be read");
    add_word(s, arena_strndup(&s->arena, self, (size_t)length));
    add_word(s, "bisect");
    add_word(s, "--judge");
    add_word(s, "--quiet");
    add_word(s, arena_printf(&s->arena, "--good=%s", good));
    for (size_t i = 0; i < COUNT_OF(passed); i++)
        if (option_given(s->o, passed[i]))
            add_word(s, arena_printf(&s->arena, "--%s=%s", option_name(passed[i]),
                                     option_text(s->o, passed[i], "")));
    add_word(s, s->folder);
    s->words[s->word_count] = NULL;
    return true;
}

// The bad one must be slower, or there is nothing to find.
static bool bad_is_slower(struct search *s, struct error *err)
{
    const char *said = NULL;
    int status = 0;
    if (!git(s, s->words, step_s, &said, &status, err))
        return false;
    return status == 1 ||
           fail(err, NOWHERE, "%s is %s, so there is nothing to find: %s", s->bad.name,
                status == 0 ? "not slower than the good commit" : "not to be judged", said);
}

static bool run_bisect(struct search *s, const char *good, struct error *err)
{
    const char *const start[] = {"git", "bisect", "start", s->bad.commit, good, NULL};
    const char *run[WORDS_MAX + 3] = {"git", "bisect", "run"}, *said = NULL;
    int status = 0;
    memcpy(run + 3, s->words, (size_t)(s->word_count + 1) * sizeof *run);
    if (!git(s, start, step_s, &said, &status, err))
        return false;
    if (status != 0)
        return fail(err, NOWHERE, "git bisect start: %s", said);
    if (!git(s, run, whole_s, &said, &status, err))
        return false;
    if (option_given(s->o, OPTION_VERBOSE))
        cli_say("%s", said);
    return status == 0 ||
           fail_as(err, ERROR_CHECK, NOWHERE,
                   "no commit can be named, as some between could not be judged: %s", said);
}

static bool print_found(struct search *s, struct error *err)
{
    const char *const show[] = {
        "git", "show", "--no-patch", "--no-color", "--format=%H%n%an, %ad%n%s", "refs/bisect/bad",
        NULL};
    const char *said = NULL;
    struct text out = {0};
    int status = 0;
    if (!git(s, show, step_s, &said, &status, err))
        return false;
    if (status != 0)
        return fail(err, NOWHERE, "git show: %s", said);
    if (option_given(s->o, OPTION_JSON))
        return cli_print_json(json_pack("{s:s, s:i, s:o}", "ridge", RIDGE_VERSION, "schema",
                                        RECORD_SCHEMA, "first_bad",
                                        json_stringn(said, strcspn(said, "\n"))),
                              err);
    text_printf(&out, "first slower commit: %s", said);
    bool done = cli_print(&out, err);
    text_release(&out);
    return done;
}

static bool search(const struct options *o, struct error *err)
{
    struct search s = {.o = o};
    struct suite suite = {0};
    struct error why = {0};
    const char *good = option_text(o, OPTION_GOOD, NULL);
    bool done =
        suite_open(&s.arena, (const char *const *)o->arguments, o->argument_count, &suite, err) &&
        (suite.count > 0 || fail(err, NOWHERE, "the suite is empty")) &&
        revision_open(&s.arena, suite.items[0].experiment->directory,
                      option_text(o, OPTION_BAD, "HEAD"), &s.bad, err);
    if (done)
        s.folder = revision_path(&s.arena, &s.bad, o->arguments[0]);
    if (done && !s.folder)
        done = fail(err, NOWHERE, "'%s' is not in the repository %s", o->arguments[0], s.bad.top);
    done = done && words_fill(&s, good, err) && bad_is_slower(&s, err) &&
           run_bisect(&s, good, err) && print_found(&s, err);
    const char *const reset[] = {"git", "bisect", "reset", NULL};
    const char *ignored = NULL;
    int status = 0;
    if (s.bad.path)
        (void)git(&s, reset, step_s, &ignored, &status, &why);
    revision_close(&s.bad);
    arena_release(&s.arena);
    return done;
}

bool command_bisect(const struct options *o, int *status, struct error *err)
{
    *status = 0;
    if (!option_given(o, OPTION_GOOD))
        return fail(err, NOWHERE, "--good REV is needed: a commit that was fast");
    return option_given(o, OPTION_JUDGE) ? judge(o, status, err) : search(o, err);
}
