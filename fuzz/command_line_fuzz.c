// Any bytes as a command line, a word per line: parsed and its options' numbers read, or an error with a message.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

// main.c's, which is not linked: `ridge help` prints by them.
struct report_style cli_style(const struct options *o)
{
    (void)o;
    return (struct report_style){.width = 80};
}

bool cli_print(const struct text *t, struct error *err)
{
    (void)t, (void)err;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WORDS_MAX = 40 };
    struct arena a = {0};
    struct error err = {0};
    struct options o = {0};
    char *words[WORDS_MAX + 1] = {arena_strdup(&a, "ridge")};
    int count = 1;
    char *at = arena_strndup(&a, (const char *)data, size), *next = NULL;
    for (char *word = strtok_r(at, "\n", &next); word && count < WORDS_MAX;
         word = strtok_r(NULL, "\n", &next))
        words[count++] = word;
    if (options_parse(&o, count, words, &err)) {
        require(o.command < COMMAND_COUNT && o.argument_count <= (int)COUNT_OF(o.arguments));
        for (int i = 0; i < OPTION_COUNT; i++) {
            int64_t whole = 0;
            double number = 0;
            if (!option_i64(&o, (enum option_id)i, 1, 1000, 1, &whole, &err))
                require(err.message[0] != '\0');
            require(whole >= 1 || err.kind != ERROR_NONE);
            if (!option_double(&o, (enum option_id)i, 1, &number, &err))
                require(err.message[0] != '\0');
        }
    } else {
        require(err.kind != ERROR_NONE && err.message[0]);
    }
    options_release(&o);
    arena_release(&a);
    return 0;
}
