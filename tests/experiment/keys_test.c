// What is said of a bad value, for every key of schema.def: a place in the file, one sentence of bounded length,
// and what to write instead. The file below has the keys; a new row of schema.def that it lacks is put
// where its place is, and one that takes any value fails here.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A line of a file that is right: a key of that place (NULL: a name of the user's own, or an item).
struct line {
    const char *place, *text;
};
static const struct line right[] = {
    {"TOP", "experiment: copy"},
    {"TOP", "title: A copy"},
    {"TOP", "source: scale.cu"},
    {"TOP", "reference:"},
    {"REFERENCE", "  call: reference.c:scale_ref"},
    {"REFERENCE", "  args: [out, in, N]"},
    {"REFERENCE", "  parallel:"},
    {"PARALLEL", "    rows: N"},
    {"PARALLEL", "    split: [out, in]"},
    {"TOP", "params: {N: [4, 8]}"},
    {"TOP", "buffers:"},
    {NULL, "  in: {type: f32, count: N, fill: 'uniform(-1,1)'}"},
    {NULL, "  other: {type: f32, count: N, fill: 'uniform(-1,1)'}"},
    {NULL, "  out:"},
    {"BUFFER", "    type: f32"},
    {"BUFFER", "    count: N"},
    {"BUFFER", "    output: true"},
    {"BUFFER", "    tolerance:"},
    {"TOLERANCE", "      rel: 1e-6"},
    {"TOLERANCE", "      abs: 0"},
    {"TOP", "work:"},
    {"WORK", "  bytes: 8*N"},
    {"WORK", "  flops: 0"},
    {"TOP", "patterns: [sorted, infinities]"},
    {"TOP", "gate:"},
    {"GATE", "  percent: 3"},
    {"GATE", "  ns: 50"},
    {"GATE", "  counters_percent: 0"},
    {"TOP", "split:"},
    {"SPLIT", "  over: N"},
    {"SPLIT", "  granule: 2"},
    {"SPLIT", "  halo: 1"},
    {"SPLIT", "  whole: [in]"},
    {"SPLIT", "  columns: [other]"},
    {"SPLIT", "  gather: [out]"},
    {"SPLIT", "  broadcast: [in]"},
    {"SPLIT", "  panels: []"},
    {"SPLIT", "  turn: []"},
    {"TOP", "variants:"},
    {NULL, "  - name: first"},
    {NULL, "    kernel: k"},
    {NULL, "    grid: 1"},
    {NULL, "    block: 4"},
    {NULL, "    args: [out, in, N]"},
    {"VARIANT", "  - name: second"},
    {"VARIANT", "    from: first"},
    {"VARIANT", "    kernel: k"},
    {"VARIANT", "    grid: [ceil_div(N,4)]"},
    {"VARIANT", "    block: [4]"},
    {"VARIANT", "    args:"},
    {NULL, "      - out"},
    {"TENSOR_MAP", "      - tensor_map: in"},
    {"TENSOR_MAP", "        dims: [N]"},
    {"TENSOR_MAP", "        box: [4]"},
    {"TEXTURE", "      - texture: in"},
    {"TEXTURE", "        size: [2, 2]"},
    {"TEXTURE", "        filter: linear"},
    {"TEXTURE", "        address: clamp"},
    {"TEXTURE", "        memory: array"},
    {"SURFACE", "      - surface: in"},
    {"SURFACE", "        size: 2"},
    {"ARGUMENT", "      - value: 3"},
    {"ARGUMENT", "        type: i32"},
    {NULL, "      - value: in"},
    {"ARGUMENT", "        offset: 4"},
    {"STRUCT", "      - struct: [in, i32 4]"},
    {"STRUCT", "        size: 16"},
    {"STRUCT", "        align: 8"},
    {"VARIANT", "    set:"},
    {NULL, "      taps:"},
    {"SET", "        type: f32"},
    {"SET", "        count: 4"},
    {"SET", "        fill: iota"},
    {"VARIANT", "    for:"},
    {NULL, "      k:"},
    {"LOOP", "        from: 1"},
    {"LOOP", "        while: k < N"},
    {"LOOP", "        next: 2*k"},
    {"VARIANT", "    persist:"},
    {"PERSIST", "      buffer: in"},
    {"PERSIST", "      bytes: 4"},
    {"VARIANT", "    memory: {out: mapped}"},
    {"VARIANT", "    tune: {B: [4, 8]}"},
    {"VARIANT", "    where: B > 2"},
    {"VARIANT", "    defines: {B: 4}"},
    {NULL, "  - name: third"},
    {NULL, "    launches:"},
    {"LAUNCH", "      - kernel: k"},
    {"LAUNCH", "        grid: 1"},
    {"LAUNCH", "        block: 4"},
    {"LAUNCH", "        args: [out, in, N]"},
    {"LAUNCH", "        stream: side"},
    {"LAUNCH", "        after: main"},
    {NULL, "      - copy:"},
    {"COPY", "          from: in"},
    {"COPY", "          to: out"},
    {"COPY", "          offset: 4"},
    {"COPY", "          bytes: 4"},
    {NULL, "        stream: side"},
};

static const struct {
    const char *place, *key;
} keys[] = {
#define KEY(place, key) {#place, key},
#include "experiment/schema.def"
#undef KEY
};

// A word and a sentence of thousands of characters stand for "LONG" and "LONG WORDS"; NULL: the key is left out.
static const char *const bad_values[] = {"[[]]", "{no: such}", "''", "$%&",  "-1",         "1e400",
                                         "nope", "[nope]",     "~",  "LONG", "LONG WORDS", NULL};

static size_t key_column(const char *text)
{
    return strspn(text, " -");
}

static bool is_key(const struct line *l, const char *place, const char *key)
{
    const char *text = l->text + key_column(l->text);
    size_t length = strlen(key);
    return l->place && strcmp(l->place, place) == 0 && strncmp(text, key, length) == 0 &&
           text[length] == ':';
}

static int find_line(const char *place, const char *key)
{
    for (size_t i = 0; i < COUNT_OF(right); i++)
        if (key ? is_key(&right[i], place, key)
                : right[i].place && strcmp(right[i].place, place) == 0)
            return (int)i;
    return -1;
}

// The file with that value, or without the key (NULL): what belonged to it (lines further in) goes.
static const char *with_value(struct arena *a, const char *place, const char *key,
                              const char *value)
{
    struct text t = {0};
    int at = find_line(place, key), near = at >= 0 ? at : find_line(place, NULL);
    if (near < 0)
        fail_msg("the file of this test has no place %s", place);
    size_t column = key_column(right[near].text);
    for (int i = 0; i < (int)COUNT_OF(right); i++) {
        if (i != at) {
            text_printf(&t, "%s\n", right[i].text);
            if (at < 0 && i == near)
                text_printf(&t, "%*s%s: %s\n", (int)column, "", key, value);
            continue;
        }
        if (value)
            text_printf(&t, "%.*s%s: %s\n", (int)column, right[i].text, key, value);
        while (i + 1 < (int)COUNT_OF(right) && key_column(right[i + 1].text) > column)
            i++;
        if (!value &&
            strchr(right[at].text, '-') == right[at].text + column - 2) { // an item's first
            i++;
            text_printf(&t, "%.*s%s\n", (int)column, right[at].text, right[i].text + column);
        }
    }
    const char *text = arena_strdup(a, text_str(&t));
    text_release(&t);
    return text;
}

static const char *bad_value(struct arena *a, size_t i)
{
    enum { LENGTH = 5000 };
    char *value = arena_alloc(a, LENGTH + 1);
    if (!bad_values[i])
        return NULL;
    if (strncmp(bad_values[i], "LONG", 4) != 0)
        return bad_values[i];
    for (int n = 0; n < LENGTH; n++)
        value[n] = bad_values[i][4] && n % 6 == 5 ? ' ' : 'w';
    value[LENGTH] = '\0';
    return value;
}

// NULL, or what the message lacks: a place, a bounded sentence, and of a value that is there what would be
// right.
static const char *fault_of(struct arena *a, const char *message, bool has_value)
{
    static const char file[] = "tests/cli/scale/copy.yaml:";
    static const char *const right_is[] = {
        "must ",    "did you mean", "(known: ",  " needs ",        "is written ",  " takes ",
        "expected", " write ",      " belongs ", "does not exist", "the fills are"};
    enum { LONGEST = 700 };
    int line = 0, column = 0, used = 0;
    const char *sentence = arena_strndup(a, message, strcspn(message, "\n"));
    if (!str_starts_with(sentence, file) ||
        sscanf(sentence + sizeof file - 1, "%d:%d: %n", &line, &column, &used) != 2 || used == 0)
        return "file:line:column";
    if (strlen(sentence) > LONGEST)
        return "a bound";
    if (strstr(sentence, ". "))
        return "being one sentence";
    for (size_t i = 0; has_value && i < COUNT_OF(right_is); i++)
        if (strstr(sentence, right_is[i]))
            return NULL;
    return has_value ? "what would be right" : NULL;
}

static void every_key_refuses_bad_values_with_a_place_and_a_way_out(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t k = 0; k < COUNT_OF(keys); k++) {
        int refused = 0;
        for (size_t v = 0; v < COUNT_OF(bad_values); v++) {
            struct arena a = {0};
            struct error err = {0};
            struct experiment *e = NULL;
            const char *text = with_value(&a, keys[k].place, keys[k].key, bad_value(&a, v));
            bool read =
                experiment_parse(&a, "tests/cli/scale/copy.yaml", text, strlen(text), &e, &err);
            const char *fault = read ? NULL : fault_of(&a, err.message, bad_values[v] != NULL);
            refused += !read && bad_values[v];
            if (fault || (!read && err.kind != ERROR_INPUT)) {
                print_message("%s %s: %s lacks %s:\n  %s\n", keys[k].place, keys[k].key,
                              bad_values[v] ? bad_values[v] : "left out",
                              fault ? fault : "status 2", err.message);
                wrong++;
            }
            arena_release(&a);
        }
        if (refused == 0) {
            print_message("%s %s takes any value\n", keys[k].place, keys[k].key);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void file_without_a_bad_value_is_read(void **state)
{
    (void)state;
    struct arena a = {0};
    struct error err = {0};
    struct experiment *e = NULL;
    const char *text = with_value(&a, "TOP", "title", "A copy");
    if (!experiment_parse(&a, "tests/cli/scale/copy.yaml", text, strlen(text), &e, &err))
        fail_msg("%s", err.message);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_without_a_bad_value_is_read),
        cmocka_unit_test(every_key_refuses_bad_values_with_a_place_and_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
