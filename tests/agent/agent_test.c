// The server of tools with tools of the tests' own: what it answers to messages of all kinds, and that no call, whatever
// it does, keeps it from answering the next.
// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <jansson.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ANSWERS_MAX = 64, MESSAGE_BYTES = 4096, RESULT_BYTES = 64 * 1024 };

#define MODERN                                                               \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{},\"progressToken\":\"p\"}"
#define CALL(id, name, arguments)                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name \
    "\",\"arguments\":" arguments "," MODERN "}}\n"

/* ---- tools ---------------------------------------------------------------------------------------------- */

static void sleep_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static int act_echo(int argc, char **argv)
{
    json_t *words = json_array();
    for (int i = 1; i < argc; i++)
        json_array_append_new(words, json_string(argv[i]));
    json_t *all = json_pack("{s:i, s:o, s:{s:i, s:[{s:i, s:i}, {s:i, s:i}]}}", "ridge", 1, "words",
                            words, "deep", "kept", 1, "lists", "a", 1, "b", 2, "a", 3, "b", 4);
    char *text = json_dumps(all, JSON_INDENT(1));
    printf("%s\n", text);
    free(text);
    json_decref(all);
    return 0;
}

static int act_progress(void)
{
    for (int i = 1; i <= 3; i++) {
        agent_progress(0.25 * i, "at work");
        sleep_ms(300);
    }
    agent_progress(0.1, "not backwards");
    printf("{\"done\":true}");
    return 0;
}

static int act_fail(void)
{
    fprintf(stderr, "ridge: no such file\n");
    printf("{\"error\":{\"kind\":\"input\",\"message\":\"no such file\"}}");
    return 2;
}

static int act_hold(void)
{
    size_t size = (size_t)256 << 20;
    char *p = malloc(size);
    memset(p, 1, size);
    sleep_ms(20000);
    return p[size / 2];
}

static int act_fork(void)
{
    for (int i = 0; i < 12; i++)
        if (fork() == 0) {
            sleep_ms(20000);
            _exit(0);
        }
    sleep_ms(20000);
    return 0;
}

static int act_large(void)
{
    for (int i = 0; i < RESULT_BYTES; i++)
        printf("xy");
    return 0;
}

static int perform(int argc, char **argv)
{
    if (strcmp(argv[1], "progress") == 0)
        return act_progress();
    if (strcmp(argv[1], "fail") == 0)
        return act_fail();
    if (strcmp(argv[1], "hold") == 0)
        return act_hold();
    if (strcmp(argv[1], "fork") == 0)
        return act_fork();
    if (strcmp(argv[1], "large") == 0)
        return act_large();
    if (strcmp(argv[1], "crash") == 0)
        raise(SIGKILL);
    if (strcmp(argv[1], "hang") == 0)
        sleep_ms(20000);
    return act_echo(argc, argv);
}

static const struct agent_property properties[] = {
    {.name = "file", .help = "a file", .required = true},
    {.name = "also", .help = "another"},
    {.name = "more", .help = "others", .repeated = true},
    {.name = "count", .option = "count", .help = "a number", .type = AGENT_WHOLE},
    {.name = "share", .option = "share", .help = "a number", .type = AGENT_NUMBER},
    {.name = "loud_one", .option = "loud-one", .help = "a flag", .type = AGENT_FLAG},
    {.name = "word", .option = "word", .help = "words", .repeated = true},
};
static const char *const echo_words[] = {"test", "echo", NULL};
#define PLAIN_TOOL(tool) static const char *const tool##_words[] = {"test", #tool, NULL};
PLAIN_TOOL(progress)
PLAIN_TOOL(fail)
PLAIN_TOOL(hold)
PLAIN_TOOL(fork)
PLAIN_TOOL(large)
PLAIN_TOOL(crash)
PLAIN_TOOL(hang)
static const struct agent_tool tools[] = {
    {"echo", "an echo", "what it was given", properties, COUNT_OF(properties), echo_words,
     "deep.lists.b", true, false},
#define ROW(tool, reads)                                                                         \
    {                                                                                            \
        .name = #tool, .title = #tool, .help = #tool, .words = tool##_words, .reads_only = reads \
    }
    ROW(progress, false),
    ROW(fail, false),
    ROW(hold, false),
    ROW(fork, false),
    ROW(large, false),
    ROW(crash, false),
    ROW(hang, false),
};

/* ---- a conversation ----------------------------------------------------------------------------------------- */

static struct agent_server server;
static json_t *answers[ANSWERS_MAX];
static int answer_count;

static int setup(void **state)
{
    (void)state;
    server = (struct agent_server){.tools = tools,
                                   .tool_count = COUNT_OF(tools),
                                   .version = "1",
                                   .instructions = "none",
                                   .limits = {.call_s = 15,
                                              .memory_bytes = (uint64_t)4 << 30,
                                              .processes = 100,
                                              .calls = 4,
                                              .waiting = 4,
                                              .message_bytes = MESSAGE_BYTES,
                                              .result_bytes = RESULT_BYTES},
                                   .perform = perform};
    answer_count = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < answer_count; i++)
        json_decref(answers[i]);
    return 0;
}

// The server in a process of its own, which reads what is written to in[1] and answers on out[0].
static pid_t start_server(int in[2], int out[2])
{
    assert_int_equal(pipe(in) | pipe(out), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct error err = {0};
        close(in[1]);
        close(out[0]);
        _exit(agent_serve(&server, in[0], out[1], &err) ? 0 : 1);
    }
    close(in[0]);
    close(out[1]);
    return pid;
}

// All that is answered to these bytes, after which the input ends.
static void converse(const char *said, size_t size_bytes)
{
    int in[2], out[2], status;
    char *line = NULL;
    size_t room = 0;
    pid_t pid = start_server(in, out);
    assert_int_equal(write(in[1], said, size_bytes), (ssize_t)size_bytes);
    close(in[1]);
    FILE *f = fdopen(out[0], "r");
    while (getline(&line, &room, f) > 0) {
        assert_true(answer_count < ANSWERS_MAX);
        answers[answer_count] = json_loads(line, 0, NULL);
        assert_non_null(answers[answer_count]);
        answer_count++;
    }
    free(line);
    fclose(f);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void say(const char *lines)
{
    converse(lines, strlen(lines));
}

static const json_t *at(const json_t *json, const char *path)
{
    char copy[128], *more = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *key = strtok_r(copy, "/", &more); key; key = strtok_r(NULL, "/", &more))
        json = json_is_array(json) ? json_array_get(json, (size_t)atoi(key))
                                   : json_object_get(json, key);
    return json;
}

// The answer of that id, an integer.
static const json_t *of_id(int id)
{
    for (int i = 0; i < answer_count; i++)
        if (json_is_integer(at(answers[i], "id")) && json_integer_value(at(answers[i], "id")) == id)
            return answers[i];
    return NULL;
}

static int code(const json_t *answer)
{
    return (int)json_integer_value(at(answer, "error/code"));
}

static const char *words(const json_t *answer)
{
    const char *s = json_string_value(at(answer, "result/content/0/text"));
    return s ? s : "";
}

static void assert_tool_error(int id, const char *said)
{
    const json_t *a = of_id(id);
    assert_true(json_is_true(at(a, "result/isError")));
    if (!strstr(words(a), said))
        fail_msg("'%s' says nothing of '%s'", words(a), said);
}

/* ---- tests ---------------------------------------------------------------------------------------------------- */

static void what_is_no_message_is_answered_by_json_rpc(void **state)
{
    (void)state;
    say("no json\n[]\n3\n\"x\"\n{}\n\r\n \n"
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":2.5,\"method\":\"ping\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":4}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"id\":6,\"method\":\"ping\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":[1]}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}");
    static const int codes[] = {-32700, -32600, -32600, -32600, -32600, -32600,
                                -32600, -32600, -32600, -32700, -32602, 0};
    assert_int_equal(answer_count, COUNT_OF(codes));
    for (int i = 0; i < answer_count; i++)
        assert_int_equal(code(answers[i]), codes[i]);
    assert_true(json_is_null(at(answers[0], "id")));
    assert_int_equal(json_integer_value(at(answers[5], "id")), 1);
    assert_int_equal(json_object_size(at(of_id(8), "result")), 0); // the last line lacks its end
}

static void a_message_that_is_too_long_is_refused_and_the_next_one_answered(void **state)
{
    (void)state;
    static char said[3 * MESSAGE_BYTES];
    memset(said, 'x', sizeof said);
    snprintf(said + sizeof said - 64, 64, "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    converse(said, strlen(said));
    assert_int_equal(answer_count, 2);
    assert_int_equal(code(answers[0]), -32600);
    assert_non_null(at(answers[1], "result"));
}

static void bytes_that_are_no_text_are_no_json(void **state)
{
    (void)state;
    static const char said[] = "\0\0\n\xff\xfe{\"jsonrpc\":\"2.0\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,"
                               "\"method\":\"\xc0\xaf\"}\n{\"a\":\"\\u0000\"}\n";
    converse(said, sizeof said - 1);
    assert_int_equal(answer_count, 4);
    for (int i = 0; i < answer_count; i++)
        assert_int_equal(code(answers[i]), -32700);
}

static void notifications_and_answers_are_not_answered(void **state)
{
    (void)state;
    say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\"}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":[1]}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
        "cancelled\",\"params\":{\"requestId\":99}}\n"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    assert_int_equal(answer_count, 0);
}

static void each_revision_has_its_methods(void **state)
{
    (void)state;
    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n" // neither opened nor named
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"server/discover\",\"params\":{" MODERN "}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\",\"params\":{" MODERN "}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"initialize\",\"params\":{" MODERN "}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"initialize\",\"params\":{}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-06-18\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"1999-01-01\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"server/discover\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"tools/list\"}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"tools/list\",\"params\":{" MODERN "}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"tools/list\",\"params\":{\"cursor\":\"\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2031-01-01\"}}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":14,\"method\":\"tools/list\",\"params\":{\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":15,\"method\":\"tools/lost\"}\n");
    static const int codes[] = {-32602, 0, 0, -32601, -32601, -32602, 0,     0,
                                -32601, 0, 0, -32602, -32022, -32602, -32601};
    assert_int_equal(answer_count, COUNT_OF(codes));
    for (int i = 0; i < answer_count; i++)
        assert_int_equal(code(of_id(i + 1)), codes[i]);
    assert_string_equal(json_string_value(at(of_id(3), "result/supportedVersions/0")),
                        "2026-07-28");
    assert_string_equal(json_string_value(at(of_id(7), "result/protocolVersion")), "2025-06-18");
    assert_string_equal(json_string_value(at(of_id(8), "result/protocolVersion")), "2025-11-25");
    assert_null(at(of_id(10), "result/resultType"));
    assert_string_equal(json_string_value(at(of_id(11), "result/resultType")), "complete");
    assert_true(json_integer_value(at(of_id(11), "result/ttlMs")) > 0);
    assert_non_null(at(of_id(11), "result/cacheScope"));
    assert_true(json_equal(at(of_id(10), "result/tools"), at(of_id(11), "result/tools")));
    assert_string_equal(json_string_value(at(of_id(13), "error/data/requested")), "2031-01-01");
}

static void schemas_say_what_a_tool_takes(void **state)
{
    (void)state;
    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" MODERN "}}\n");
    const json_t *schema = at(of_id(1), "result/tools/0/inputSchema");
    assert_string_equal(json_string_value(at(schema, "properties/count/type")), "integer");
    assert_string_equal(json_string_value(at(schema, "properties/share/type")), "number");
    assert_string_equal(json_string_value(at(schema, "properties/loud_one/type")), "boolean");
    assert_string_equal(json_string_value(at(schema, "properties/word/items/type")), "string");
    assert_string_equal(json_string_value(at(schema, "required/0")), "file");
    assert_int_equal(json_array_size(at(schema, "required")), 1);
    assert_true(json_is_true(at(of_id(1), "result/tools/0/annotations/readOnlyHint")));
    assert_false(json_is_true(at(of_id(1), "result/tools/1/annotations/readOnlyHint")));
}

static void arguments_become_a_command_line(void **state)
{
    (void)state;
    say(CALL(1, "echo",
             "{\"word\":[\"a=b\",\"--x\"],\"file\":\"-f\",\"count\":-3,\"share\":0.5,"
             "\"loud_one\":true,\"also\":\"g\",\"more\":[\"h\",\"i\"]}")
            CALL(2, "echo", "{\"file\":\"f\",\"word\":\"one\",\"loud_one\":false,\"also\":null}"));
    char *first = json_dumps(at(of_id(1), "result/structuredContent/words"), JSON_COMPACT);
    assert_string_equal(first, "[\"echo\",\"--count=-3\",\"--share=0.5\",\"--loud-one\","
                               "\"--word=a=b\",\"--word=--x\",\"--\",\"-f\",\"g\",\"h\",\"i\"]");
    free(first);
    char *second = json_dumps(at(of_id(2), "result/structuredContent/words"), JSON_COMPACT);
    assert_string_equal(second, "[\"echo\",\"--word=one\",\"--\",\"f\"]");
    free(second);
}

static void wrong_arguments_are_errors_of_the_tool(void **state)
{
    (void)state;
    say(CALL(1, "echo", "{}") CALL(2, "echo", "{\"file\":1}")
            CALL(3, "echo", "{\"file\":\"f\",\"cuont\":1}")
                CALL(4, "echo", "{\"file\":\"f\",\"count\":1.5}")
                    CALL(5, "echo", "{\"file\":\"f\",\"more\":[\"x\"]}")
                        CALL(6, "echo", "{\"file\":\"f\",\"word\":[\"x\",2]}")
                            CALL(7, "echo", "{\"file\":\"f\",\"fields\":\"x\"}")
                                CALL(8, "echo", "3") CALL(9, "ehco", "{}"));
    assert_tool_error(1, "'file' is missing");
    assert_tool_error(2, "'file' must be of the type string");
    assert_tool_error(3, "unknown argument 'cuont' (did you mean 'count'?)");
    assert_tool_error(4, "'count' must be of the type integer");
    assert_tool_error(5, "'more' needs 'also' too");
    assert_tool_error(6, "'word' must be a list");
    assert_tool_error(7, "'fields' must be a list of paths");
    assert_int_equal(code(of_id(8)), -32602);
    assert_int_equal(code(of_id(9)), -32602);
}

static void a_result_is_whole_in_part_or_without_what_is_large(void **state)
{
    (void)state;
    say(CALL(1, "echo", "{\"file\":\"f\"}") CALL(2, "echo", "{\"file\":\"f\",\"fields\":[\"*\"]}")
            CALL(3, "echo", "{\"file\":\"f\",\"fields\":[\"deep.lists.b\",\"none\"]}"));
    assert_null(at(of_id(1), "result/structuredContent/deep/lists/0/b"));
    assert_int_equal(json_integer_value(at(of_id(1), "result/structuredContent/deep/lists/1/a")),
                     3);
    assert_int_equal(json_integer_value(at(of_id(2), "result/structuredContent/deep/lists/1/b")),
                     4);
    char *part = json_dumps(at(of_id(3), "result/structuredContent"), JSON_COMPACT);
    assert_string_equal(part, "{\"ridge\":1,\"deep\":{\"lists\":[{\"b\":2},{\"b\":4}]}}");
    assert_string_equal(words(of_id(3)), part);
    free(part);
}

static void progress_grows_and_ends_before_the_answer(void **state)
{
    (void)state;
    say(CALL(1, "progress", "{}"));
    assert_true(answer_count >= 3);
    json_int_t last = 0;
    for (int i = 0; i + 1 < answer_count; i++) {
        json_int_t now = json_integer_value(at(answers[i], "params/progress"));
        assert_string_equal(json_string_value(at(answers[i], "method")), "notifications/progress");
        assert_string_equal(json_string_value(at(answers[i], "params/progressToken")), "p");
        assert_int_equal(json_integer_value(at(answers[i], "params/total")), 100);
        assert_true(now > last);
        last = now;
    }
    assert_true(json_is_true(at(answers[answer_count - 1], "result/structuredContent/done")));
}

static void who_asks_for_no_progress_gets_none(void **state)
{
    (void)state;
    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\"}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"progress\"}}\n");
    assert_int_equal(answer_count, 2);
    assert_null(at(of_id(2), "result/_meta/io.modelcontextprotocol~1serverInfo"));
    assert_null(at(of_id(2), "result/resultType"));
}

static void a_call_that_fails_crashes_or_says_too_much_costs_only_itself(void **state)
{
    (void)state;
    say(CALL(1, "fail", "{}") CALL(2, "crash", "{}") CALL(3, "large", "{}")
            CALL(4, "echo", "{\"file\":\"f\"}"));
    assert_int_equal(answer_count, 4);
    assert_tool_error(1, "no such file");
    assert_tool_error(2, "the call's process died");
    assert_tool_error(3, "the result is larger than");
    assert_true(json_is_false(at(of_id(4), "result/isError")));
    assert_int_equal(
        json_integer_value(json_object_get(at(of_id(1), "result/_meta"), "ridge/exit_status")), 2);
}

static void a_call_is_ended_at_its_limits(void **state)
{
    (void)state;
    server.limits.call_s = 0.3;
    say(CALL(1, "hang", "{}"));
    assert_tool_error(1, "ended after 0.3 s");
    teardown(state);
    setup(state);
    server.limits.memory_bytes = (uint64_t)64 << 20;
    say(CALL(2, "hold", "{}"));
    assert_tool_error(2, "of memory, and 67.1 MB are allowed");
    teardown(state);
    setup(state);
    server.limits.processes = 8;
    say(CALL(3, "fork", "{}"));
    assert_tool_error(3, " processes, and 8 are allowed");
}

static void a_cancelled_call_is_ended_without_an_answer(void **state)
{
    (void)state;
    uint64_t began = clock_ns();
    say(CALL(1, "hang", "{}") CALL(2, "hang", "{}")
            CALL(3, "echo", "{\"file\":\"f\"}") "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                                                "cancelled\",\"params\":{\"requestId\":2}}\n"
                                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                                                "cancelled\",\"params\":{\"requestId\":1}}\n");
    assert_int_equal(answer_count, 1);
    assert_non_null(at(of_id(3), "result"));
    assert_true((double)(clock_ns() - began) < 8e9);
}

static void calls_that_run_take_turns_and_only_so_many_wait(void **state)
{
    (void)state;
    server.limits.calls = 2;
    server.limits.waiting = 1;
    say(CALL(1, "progress", "{}") CALL(2, "progress", "{}") CALL(1, "echo", "{\"file\":\"f\"}")
            CALL(3, "echo", "{\"file\":\"f\"}") CALL(4, "echo", "{\"file\":\"f\"}"));
    int first = -1, second = -1;
    for (int i = 0; i < answer_count; i++) {
        if (answers[i] == of_id(1) ||
            (code(answers[i]) == 0 && json_integer_value(at(answers[i], "id")) == 1))
            first = i;
        if (answers[i] == of_id(2))
            second = i;
    }
    assert_tool_error(4, "too many calls wait already");
    assert_true(json_is_false(at(of_id(3), "result/isError")));
    assert_true(first >= 0 && second > first);
    int refused = 0;
    for (int i = 0; i < answer_count; i++)
        refused += code(answers[i]) == -32600; // an id that is in work
    assert_int_equal(refused, 1);
}

static void it_ends_when_nobody_reads_its_answers(void **state)
{
    (void)state;
    int in[2], out[2], status;
    signal(SIGPIPE, SIG_IGN);
    pid_t pid = start_server(in, out);
    close(out[0]);
    uint64_t began = clock_ns();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(in[1]);
    assert_int_equal(status, 0);
    assert_true((double)(clock_ns() - began) < 60e9); // it bounds a hang
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_is_no_message_is_answered_by_json_rpc),
        TEST(a_message_that_is_too_long_is_refused_and_the_next_one_answered),
        TEST(bytes_that_are_no_text_are_no_json),
        TEST(notifications_and_answers_are_not_answered),
        TEST(each_revision_has_its_methods),
        TEST(schemas_say_what_a_tool_takes),
        TEST(arguments_become_a_command_line),
        TEST(wrong_arguments_are_errors_of_the_tool),
        TEST(a_result_is_whole_in_part_or_without_what_is_large),
        TEST(progress_grows_and_ends_before_the_answer),
        TEST(who_asks_for_no_progress_gets_none),
        TEST(a_call_that_fails_crashes_or_says_too_much_costs_only_itself),
        TEST(a_call_is_ended_at_its_limits),
        TEST(a_cancelled_call_is_ended_without_an_answer),
        TEST(calls_that_run_take_turns_and_only_so_many_wait),
        TEST(it_ends_when_nobody_reads_its_answers),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
