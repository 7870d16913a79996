// The JSON of whole commands, held to the schema to the letter: each key and its type, the words
// that a key may hold, the names of the counters. `ridge show --json` gives what `ridge run --json`
// gave.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "counters/counters.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static const char *folder, *ridge, *journal;

/* ---- the schema ----------------------------------------------------------------------------- */

// Kinds: s text, i whole number, n number, b true or false, o object, a array; '?' after it: or null.
// A key that starts with '+' may be left out.
struct field {
    const char *key, *kind;
};

static const struct field run_fields[] = {
    {"ridge", "s"},   {"schema", "i"},      {"run", "i?"},       {"started", "s"},
    {"git", "s?"},    {"environment", "o"}, {"experiment", "s"}, {"device", "o"},
    {"results", "a"}, {"stop", "o"},        {"+title", "s"},     {"+experiment_path", "s"},
    {"+folder", "s"}, {"+command", "s"},    {"+cache", "s"},
};
static const struct field environment_fields[] = {
    {"+host", "s"},   {"+kernel", "s"}, {"+os", "s"},     {"+cpu", "s"},   {"cpus", "i"},
    {"threads", "i"}, {"+suite", "s"},  {"+driver", "s"}, {"+model", "s"}, {"+clocks", "s"},
};
static const struct field device_fields[] = {
    {"id", "s"}, {"name", "s"}, {"cc", "s?"}, {"simulated", "b"}};
static const struct field stop_fields[] = {{"reason", "s?"}};
static const struct field result_fields[] = {
    {"variant", "s"},
    {"from", "s?"},
    {"case", "o"},
    {"verified", "b?"},
    {"error", "s?"},
    {"time_ns", "o?"},
    {"floor_ns", "n?"},
    {"throughput_gbps", "n?"},
    {"counters", "o"},
    {"bounds", "a"},
    {"limiter", "s?"},
    {"findings", "a"},
    {"speedup", "o?"},
    {"expectations", "a"},
    {"status", "s"},
    {"seed", "i"},
    {"samples_ns", "a"},
    {"worst_relative_error", "n?"},
    {"worst_absolute_error", "n?"},
    {"lines", "a"},
    {"problems", "a"},
    {"+errors", "o"},
    {"+self_check", "s"},
    {"+patterns", "s"},
    {"+phases", "a"},
    {"+launches", "a"},
    {"+stalls", "o"},
    {"+stall_sampling", "o"}, // of measured results: tests/device/stalls_test.sh
    {"+facts", "o"},
    {"+patches", "a"}, // of `explain`
    {"+fidelity", "o"},
    {"+counterfactuals_ns", "o"},
    {"+sample", "o"}, // of --sample-blocks
    {"+side", "o"},   // of measured results: tests/device/side_test.sh
    {"+asked_ns", "o"},
    {"+limiter_why", "s"},
    {"+waiting", "o"},
    {"+code_floor_ns", "n?"},
    {"+intensity", "n?"},
    {"+pct_of_floor", "n?"},
    {"+case_label", "s"},
    {"+title", "s"},
    {"+hypothesis", "s"},
    {"+bottleneck", "s"},
    {"+library", "s"},
    {"+library_version", "s"},
    {"+compiler", "s"},
    {"+compiler_log", "s"},
    {"+source", "s"},
    {"+code_key", "s"},
    {"+work_hash", "s"},
    {"+same_as", "s"},
    {"+printed", "s"},
};
static const struct field time_fields[] = {
    {"median", "n"},  {"low", "n"},     {"high", "n"},       {"mean", "n"},
    {"stddev", "n?"}, {"samples", "i"}, {"provenance", "s"}, {"min", "n"},
    {"max", "n"},     {"p10", "n"},     {"p90", "n"},
};
static const struct field figure_fields[] = {{"value", "n"}, {"provenance", "s"}};
static const struct field bound_fields[] = {
    {"resource", "s"},    {"time_ns", "n"},      {"work", "n"},       {"+unit", "s"},
    {"rate_per_ns", "n"}, {"+rate_source", "s"}, {"provenance", "s"},
};
static const struct field finding_fields[] = {
    {"class", "s"},     {"title", "s"},  {"file", "s?"},
    {"line", "i?"},     {"fix", "s"},    {"expected_time_ns", "n"},
    {"evidence", "o"},  {"folded", "b"}, {"cause", "s?"},
    {"priced_by", "s"},
};
static const struct field speedup_fields[] = {
    {"vs", "s"}, {"ratio", "n"}, {"low", "n"}, {"high", "n"}, {"verdict", "s"}};
static const struct field expectation_fields[] = {
    {"what", "s"}, {"expected", "s"}, {"actual", "s?"}, {"verdict", "s"}};
static const struct field problem_fields[] = {
    {"kind", "s"}, {"message", "s"}, {"stops", "b"}, {"note", "b"}};

// The names of the schema; new ones may follow.
static const char counter_list[] =
    "warp_instructions thread_instructions branches divergent_branches lanes_active_pct barriers "
    "global_load_requests global_load_sectors global_load_sectors_ideal global_store_requests "
    "global_store_sectors global_store_sectors_ideal global_atomic_requests global_atomic_sectors "
    "local_load_sectors local_store_sectors shared_load_requests shared_load_wavefronts "
    "shared_load_wavefronts_ideal shared_store_requests shared_store_wavefronts "
    "shared_store_wavefronts_ideal shared_atomic_requests shared_atomic_wavefronts "
    "l1_load_sectors_hit l2_read_sectors l2_write_sectors l2_atomic_sectors l2_sectors_hit "
    "dram_read_bytes dram_write_bytes flops_f16 flops_f32 flops_f64 flops_tensor fadd_f32 fmul_f32 "
    "ffma_f32 "
    "integer_ops special_ops registers_per_thread shared_bytes_per_block "
    "occupancy_theoretical_pct occupancy_achieved_pct waves";

static bool is_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at++)
        if ((at == list || at[-1] == '|' || at[-1] == ' ') &&
            (at[length] == '\0' || at[length] == '|' || at[length] == ' '))
            return true;
    return false;
}

static bool is_kind(const json_t *value, const char *kind)
{
    if (json_is_null(value))
        return kind[1] == '?';
    switch (kind[0]) {
    case 's':
        return json_is_string(value);
    case 'i':
        return json_is_integer(value);
    case 'n':
        return json_is_number(value);
    case 'b':
        return json_is_boolean(value);
    case 'o':
        return json_is_object(value);
    case 'a':
        return json_is_array(value);
    default:
        return false;
    }
}

// Every key is there with its type, and no other key is.
#define CHECK(what, object, fields) check_object(what, object, fields, COUNT_OF(fields))
static void check_object(const char *what, json_t *object, const struct field *fields, size_t count)
{
    if (!json_is_object(object))
        fail_msg("%s is no object", what);
    for (size_t i = 0; i < count; i++) {
        bool optional = fields[i].key[0] == '+';
        const char *key = fields[i].key + optional;
        const json_t *value = json_object_get(object, key);
        if (!value && !optional)
            fail_msg("%s lacks '%s'", what, key);
        if (value && !is_kind(value, fields[i].kind))
            fail_msg("%s: '%s' is not of kind %s", what, key, fields[i].kind);
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        bool known = false;
        for (size_t i = 0; i < count && !known; i++)
            known = strcmp(fields[i].key + (fields[i].key[0] == '+'), key) == 0;
        if (!known)
            fail_msg("%s has the unknown key '%s'", what, key);
    }
}

// The text under `key` is null or one of "a|b|c".
static void check_word(json_t *object, const char *key, const char *words)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value) && !is_word(words, json_string_value(value)))
        fail_msg("'%s' is '%s', not one of %s", key, json_string_value(value), words);
}

static const char provenances[] = "measured|simulated|modelled";

static void check_figure(const char *name, json_t *figure)
{
    CHECK(name, figure, figure_fields);
    check_word(figure, "provenance", provenances);
}

static void check_counters(json_t *counters)
{
    const char *name;
    json_t *figure;
    json_object_foreach(counters, name, figure)
    {
        enum counter_id ignored;
        if (!counter_find(name, &ignored))
            fail_msg("'%s' is no counter", name);
        check_figure(name, figure);
    }
}

static void check_finding(json_t *finding)
{
    const char *name;
    json_t *figure;
    CHECK("a finding", finding, finding_fields);
    check_word(
        finding, "class",
        "bandwidth|latency|capacity|instruction throughput|occupancy|divergence|host transfer|"
        "multi-GPU communication|power/thermal|launch overhead|load imbalance");
    json_object_foreach(json_object_get(finding, "evidence"), name, figure)
        check_figure(name, figure);
}

static void check_judgement(json_t *result)
{
    size_t i;
    json_t *item;
    json_t *speedup = json_object_get(result, "speedup");
    if (!json_is_null(speedup)) {
        CHECK("speedup", speedup, speedup_fields);
        check_word(speedup, "verdict", "faster|slower|no difference");
    }
    json_array_foreach(json_object_get(result, "expectations"), i, item)
    {
        CHECK("an expectation", item, expectation_fields);
        check_word(item, "verdict", "held|missed|opposite direction|unknown");
    }
}

// Where the warps' cycles went: every reason of the list, modelled, at the result and at its lines.
static void check_stalls(json_t *holder)
{
    static const char reasons[] =
        "selected not_selected long_scoreboard short_scoreboard mio_throttle lg_throttle "
        "tex_throttle "
        "math_pipe_throttle barrier membar wait imc_miss no_instruction dispatch branch_resolving "
        "drain sleeping gmma warpgroup_arrive misc";
    const char *key;
    json_t *figure, *stalls = json_object_get(holder, "stalls");
    json_object_foreach(stalls, key, figure)
    {
        assert_true(is_word(reasons, key));
        CHECK("a stall reason", figure, figure_fields);
        check_word(figure, "provenance", provenances);
    }
}

// Each a figure, by a name of facts.def or interventions.def.
static void check_figures(json_t *holder, const char *key)
{
    const char *name;
    json_t *figure;
    json_object_foreach(json_object_get(holder, key), name, figure)
    {
        CHECK(name, figure, figure_fields);
        check_word(figure, "provenance", provenances);
    }
}

// How far the figures were compared with hardware, and that of each path that was taken.
static void check_fidelity(json_t *result)
{
    static const struct field fields[] = {{"timed", "b"},
                                          {"time_error_median_pct", "n?"},
                                          {"+time_error_source", "s"},
                                          {"paths", "o"}};
    static const struct field path_fields[] = {
        {"warp_instructions", "n"}, {"results", "s"}, {"time", "s"}};
    static const char words[] = "exact|validated|not validated";
    json_t *fidelity = json_object_get(result, "fidelity"), *path;
    const char *name;
    if (!fidelity)
        return;
    CHECK("fidelity", fidelity, fields);
    json_object_foreach(json_object_get(fidelity, "paths"), name, path)
    {
        CHECK(name, path, path_fields);
        check_word(path, "results", words);
        check_word(path, "time", words);
    }
}

// How many blocks ran where a share was asked for, and why all of them, where they did.
static void check_sample(json_t *result)
{
    static const struct field fields[] = {{"asked", "n"},          {"blocks_run", "n"},
                                          {"blocks", "n"},         {"+whole", "s"},
                                          {"+whole_because", "s"}, {"error_pct", "o?"}};
    json_t *sample = json_object_get(result, "sample");
    if (!sample)
        return;
    CHECK("sample", sample, fields);
    if (json_is_object(json_object_get(sample, "error_pct")))
        check_word(json_object_get(sample, "error_pct"), "provenance", "modelled");
}

static void check_result(json_t *result)
{
    static const char resources[] = "dram|l2|l1|shared|f32|f64|f16|tensor|integer|special|issue|"
                                    "atomics|launch";
    size_t i;
    json_t *item;
    CHECK("a result", result, result_fields);
    check_word(result, "status", "ok|wrong|failed|skipped");
    check_word(result, "limiter",
               "latency|dram|l2|l1|shared|f32|f64|f16|tensor|integer|special|"
               "issue|atomics|launch|link");
    json_t *time = json_object_get(result, "time_ns");
    if (!json_is_null(time)) {
        CHECK("time_ns", time, time_fields);
        check_word(time, "provenance", provenances);
    }
    check_counters(json_object_get(result, "counters"));
    json_array_foreach(json_object_get(result, "bounds"), i, item)
    {
        CHECK("a bound", item, bound_fields);
        check_word(item, "resource", resources);
        check_word(item, "provenance", provenances);
    }
    check_stalls(result);
    check_figures(result, "facts");
    check_fidelity(result);
    check_sample(result);
    check_figures(result, "counterfactuals_ns");
    json_array_foreach(json_object_get(result, "lines"), i, item) check_stalls(item);
    json_array_foreach(json_object_get(result, "findings"), i, item) check_finding(item);
    json_array_foreach(json_object_get(result, "problems"), i, item)
        CHECK("a problem", item, problem_fields);
    check_judgement(result);
}

static void check_run(json_t *run)
{
    size_t i;
    json_t *result;
    CHECK("the run", run, run_fields);
    CHECK("environment", json_object_get(run, "environment"), environment_fields);
    CHECK("device", json_object_get(run, "device"), device_fields);
    CHECK("stop", json_object_get(run, "stop"), stop_fields);
    check_word(json_object_get(run, "stop"), "reason", "close to peak|diminishing returns");
    assert_int_equal(json_integer_value(json_object_get(run, "schema")), 1);
    json_array_foreach(json_object_get(run, "results"), i, result) check_result(result);
}

/* ---- commands --------------------------------------------------------------------------------- */

// Standard output as JSON; the exit status must be `status`.
static json_t *command(int status, const char *const *words)
{
    const char *argv[24] = {ridge};
    size_t count = 1;
    for (; *words; words++)
        argv[count++] = *words;
    struct process_spec spec = {.argv = argv, .timeout_s = 60};
    struct process_result r;
    struct error err = {0};
    if (!process_run(&spec, &r, &err))
        fail_msg("%s", err.message);
    if (r.exit_status != status)
        fail_msg("exit status %d: %s", r.exit_status, text_str(&r.err_text));
    json_error_t where;
    json_t *json = json_loads(text_str(&r.out), JSON_REJECT_DUPLICATES, &where);
    if (!json)
        fail_msg("no JSON: %s in: %.200s", where.text, text_str(&r.out));
    process_result_release(&r);
    return json;
}
#define COMMAND(status, ...) command(status, (const char *const[]){__VA_ARGS__, NULL})

static const char *named(const char *name)
{
    return path_join(&arena, folder, name);
}

static json_t *result_of(json_t *run, size_t i)
{
    return json_array_get(json_object_get(run, "results"), i);
}

static void scale_variant(const char *name, const char *source, const char *more)
{
    char *text = NULL;
    size_t size;
    struct error err = {0};
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    if (!file_read("tests/cli/scale/experiment.yaml", 1 << 20, &text, &size, &err))
        fail_msg("%s", err.message);
    const char *from = strstr(text, "source: scale.cu\nreference: reference.c");
    assert_non_null(from);
    const char *yaml = arena_printf(
        &arena, "%.*ssource: %s\nreference: %s/tests/cli/scale/reference.c%s%s", (int)(from - text),
        text, source, here, from + strlen("source: scale.cu\nreference: reference.c"), more);
    free(text);
    if (!dir_make(named(name), &err) ||
        !file_write(path_join(&arena, named(name), "experiment.yaml"), yaml, strlen(yaml), &err))
        fail_msg("%s", err.message);
}

static int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    char *made = arena_printf(&arena, "%s/json-XXXXXX", tmp ? tmp : "/tmp");
    char here[4096];
    if (!mkdtemp(made) || !getcwd(here, sizeof here))
        return -1;
    folder = made;
    journal = named("journal.sqlite");
    ridge = getenv("RIDGE") ? getenv("RIDGE") : "build/ridge";
    scale_variant("scale", arena_printf(&arena, "%s/tests/cli/scale/scale.ptx", here), "");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    struct process_spec spec = {.argv = argv};
    struct process_result r;
    struct error err = {0};
    if (process_run(&spec, &r, &err))
        process_result_release(&r);
    arena_release(&arena);
    return 0;
}

static json_t *figure_value(json_t *result, const char *counter)
{
    return json_object_get(json_object_get(json_object_get(result, "counters"), counter), "value");
}

static void run_follows_the_schema_to_the_letter(void **state)
{
    (void)state;
    json_t *run =
        COMMAND(0, "run", named("scale"), "--json", "-q", "--journal", journal, "--seed", "7");
    check_run(run);
    assert_int_equal(json_array_size(json_object_get(run, "results")), 6);
    assert_string_equal(json_string_value(json_object_get(run, "experiment")), "scale");
    assert_int_equal(json_integer_value(json_object_get(run, "run")), 1);
    json_t *plain = result_of(run, 1);
    assert_string_equal(json_string_value(json_object_get(plain, "from")), "strided");
    assert_true(json_is_true(json_object_get(plain, "verified")));
    assert_true(json_object_size(json_object_get(plain, "stalls")) > 0);
    assert_non_null(json_object_get(json_object_get(plain, "facts"), "loads"));
    assert_non_null(json_object_get(json_object_get(plain, "counterfactuals_ns"), "bytes"));
    assert_int_equal(json_integer_value(json_object_get(plain, "seed")), 7);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(plain, "case"), "N")),
                     4096);
    assert_true(json_is_null(json_object_get(result_of(run, 0), "from")));
    assert_true(json_is_null(json_object_get(result_of(run, 0), "speedup")));
    assert_true(json_is_null(json_object_get(result_of(run, 2), "verified")));
    assert_true(json_is_null(json_object_get(result_of(run, 2), "time_ns")));
    json_decref(run);
}

static void counters_have_the_names_of_the_schema_and_true_values(void **state)
{
    (void)state;
    json_t *run = COMMAND(0, "run", named("scale"), "--json", "-q", "--no-journal");
    json_t *strided = result_of(run, 0);
    char names[sizeof counter_list];
    memcpy(names, counter_list, sizeof names);
    for (char *rest = NULL, *name = strtok_r(names, " ", &rest); name;
         name = strtok_r(NULL, " ", &rest)) {
        enum counter_id id;
        if (!counter_find(name, &id))
            fail_msg("there is no counter '%s'", name);
        // Registers are known only where the toolchain reports them.
        if (!figure_value(strided, name) && strcmp(name, "registers_per_thread") != 0)
            fail_msg("'%s' is not counted", name);
    }
    static const struct {
        const char *name;
        int value;
    } wanted[] = {{"global_load_requests", 128},
                  {"global_load_sectors", 4096},
                  {"global_load_sectors_ideal", 512},
                  {"global_store_sectors", 4096},
                  {"shared_load_requests", 0},
                  {"flops_f32", 4096},
                  {"fmul_f32", 4096},
                  {"barriers", 0}};
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        assert_true(json_is_integer(figure_value(strided, wanted[i].name)));
        assert_int_equal(json_integer_value(figure_value(strided, wanted[i].name)),
                         wanted[i].value);
    }
    assert_true(json_is_null(json_object_get(run, "run"))); // not recorded
    json_decref(run);
}

static void expectations_are_texts_as_written(void **state)
{
    (void)state;
    json_t *run = COMMAND(0, "run", named("scale"), "--json", "-q", "--no-journal");
    json_t *e = json_object_get(result_of(run, 1), "expectations");
    static const char *const wanted[][4] = {{"global_load_sectors", "-87.5%", "-88%", "held"},
                                            {"load_sectors_per_request", "4", "4", "held"},
                                            {"global_load_requests", "2x", "1x", "missed"}};
    assert_int_equal(json_array_size(e), COUNT_OF(wanted));
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        static const char *const keys[] = {"what", "expected", "actual", "verdict"};
        for (size_t k = 0; k < COUNT_OF(keys); k++)
            assert_string_equal(json_string_value(json_object_get(json_array_get(e, i), keys[k])),
                                wanted[i][k]);
    }
    json_t *speedup = json_object_get(result_of(run, 1), "speedup");
    assert_string_equal(json_string_value(json_object_get(speedup, "vs")), "strided");
    json_decref(run);
}

static void show_gives_what_run_gave(void **state)
{
    (void)state;
    const char *other = named("other.sqlite");
    json_t *run = COMMAND(0, "run", named("scale"), "--json", "-q", "--journal", other);
    json_t *shown = COMMAND(0, "show", "--json", "--journal", other);
    assert_true(json_equal(run, shown));
    json_decref(shown);
    shown = COMMAND(0, "show", "1", "--json", "--journal", other);
    assert_true(json_equal(run, shown));
    json_decref(shown);
    json_t *explained = COMMAND(0, "explain", "scale:plain", "--json", "--journal", other);
    check_result(explained);
    assert_true(json_is_array(json_object_get(explained, "patches")));
    json_object_del(explained, "patches"); // explain's own
    assert_true(json_equal(result_of(run, 4), explained));
    json_decref(explained);
    json_decref(run);
}

static void failures_follow_the_schema_too(void **state)
{
    (void)state;
    static const char more[] = "  - name: broken\n    kernel: no_such_kernel\n    grid: 1\n"
                               "    block: 32\n    args: [y, x, 2.5, N]\n"
                               "  - name: half\n    kernel: scale_plain\n    grid: [N/512]\n"
                               "    block: [256]\n    args: [y, x, 2.5, N]\n"
                               "  - name: beyond\n    kernel: scale_strided\n"
                               "    grid: [2*ceil_div(N,256)]\n    block: [256]\n"
                               "    args: [y, x, 2.5, N]\n";
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    scale_variant("failing", arena_printf(&arena, "%s/tests/cli/scale/scale.ptx", here), more);
    json_t *run =
        COMMAND(1, "run", named("failing"), "--json", "-q", "--no-journal", "--param", "N=4096");
    check_run(run);
    static const char *const status[] = {"ok", "ok", "skipped", "failed", "wrong", "failed"};
    for (size_t i = 0; i < COUNT_OF(status); i++) {
        json_t *r = result_of(run, i);
        assert_string_equal(json_string_value(json_object_get(r, "status")), status[i]);
        assert_true(json_is_null(json_object_get(r, "error")) == (i < 2));
        assert_true(json_is_null(json_object_get(r, "time_ns")) == (i >= 2));
    }
    assert_true(json_is_false(json_object_get(result_of(run, 4), "verified")));
    json_t *problem = json_array_get(json_object_get(result_of(run, 5), "problems"), 0);
    assert_string_equal(json_string_value(json_object_get(problem, "kind")), "out-of-bounds");
    json_decref(run);
}

static void verify_follows_the_schema_without_times(void **state)
{
    (void)state;
    json_t *run = COMMAND(0, "verify", named("scale"), "--json", "-q");
    check_run(run);
    assert_true(json_is_true(json_object_get(result_of(run, 0), "verified")));
    assert_true(json_is_null(json_object_get(result_of(run, 0), "time_ns")));
    json_decref(run);
}

static void log_and_devices_and_new_give_json(void **state)
{
    (void)state;
    static const struct field log_fields[] = {
        {"ridge", "s"}, {"schema", "i"}, {"runs", "a"}, {"more", "b"}};
    static const struct field entry_fields[] = {
        {"run", "i"},      {"started", "s"}, {"experiment", "s"}, {"device", "s"}, {"git", "s?"},
        {"finished", "b"}, {"results", "i"}, {"verified", "i"},   {"failed", "i"}, {"best", "o?"}};
    static const struct field best_fields[] = {
        {"variant", "s"}, {"time_ns", "n"}, {"provenance", "s"}, {"+speedup", "n"}};
    static const struct field inventory_fields[] = {
        {"ridge", "s"}, {"schema", "i"}, {"devices", "a"}, {"links", "o"}, {"parts", "a"}};
    const char *other = named("log.sqlite");
    json_decref(COMMAND(0, "run", named("scale"), "--json", "-q", "--journal", other));
    json_t *log = COMMAND(0, "log", "--json", "--journal", other);
    CHECK("the log", log, log_fields);
    json_t *entry = json_array_get(json_object_get(log, "runs"), 0);
    CHECK("an entry", entry, entry_fields);
    CHECK("the best", json_object_get(entry, "best"), best_fields);
    assert_int_equal(json_integer_value(json_object_get(entry, "results")), 6);
    assert_int_equal(json_integer_value(json_object_get(entry, "verified")), 4);
    assert_true(json_is_true(json_object_get(entry, "finished")));
    json_decref(log);
    json_t *devices = COMMAND(0, "devices", "--json");
    CHECK("the devices", devices, inventory_fields);
    json_decref(devices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_follows_the_schema_to_the_letter),
        cmocka_unit_test(counters_have_the_names_of_the_schema_and_true_values),
        cmocka_unit_test(expectations_are_texts_as_written),
        cmocka_unit_test(show_gives_what_run_gave),
        cmocka_unit_test(failures_follow_the_schema_too),
        cmocka_unit_test(verify_follows_the_schema_without_times),
        cmocka_unit_test(log_and_devices_and_new_give_json),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
