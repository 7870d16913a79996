// Any bytes as CUDA C++ that every maker of patches is tried on, at each line: no token lies outside of the text, edits
// lie apart or are refused, and a diff's lines are those of the two texts.
// SPDX-License-Identifier: Apache-2.0
#include "advise/internal.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

static const char item_text[] =
    "name: v\nkernel: k\ngrid: [\"ceil_div(N,256)\"]\nblock: [256]\nargs: [y, x, 7, N]\n";

static void maker_try(struct arena *a, bool (*make)(struct making *m), struct making m)
{
    struct patch p = {0};
    m.out = &p;
    bool done = make(&m);
    if (done ? !p.title : !p.refusal)
        abort();
    char *after = done ? edits_apply(a, m.t->text, strlen(m.t->text), &m.edits) : NULL;
    if (after) {
        const char *diff = edits_diff(a, m.t->text, after, "a", "b");
        if ((strcmp(after, m.t->text) == 0) != (diff[0] == '\0'))
            abort();
    }
    free(m.edits.items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SIZE_MAX_BYTES = 2000, LINES = 6 };
    static bool (*const makers[])(struct making * m) = {
#define PATCH(maker, name, causes, intervention, promise, fix, meaning) patch_##maker,
#include "advise/patches.def"
#undef PATCH
    };
    struct arena a = {0};
    struct error err = {0};
    struct yaml_node *item = NULL;
    if (size > SIZE_MAX_BYTES || memchr(data, '\0', size) ||
        !yaml_parse(&a, "e.yaml", item_text, strlen(item_text), &item, &err)) {
        arena_release(&a);
        return 0;
    }
    const char *text = arena_strndup(&a, (const char *)data, size), *why = NULL;
    struct argument_spec args[] = {{.kind = ARGUMENT_BUFFER, .buffer = 0},
                                   {.kind = ARGUMENT_BUFFER, .buffer = 1},
                                   {.kind = ARGUMENT_SCALAR},
                                   {.kind = ARGUMENT_SCALAR}};
    struct launch_spec spec = {.kernel = "k", .args = args, .arg_count = COUNT_OF(args)};
    struct variant_spec variant = {.name = "v", .launches = &spec, .launch_count = 1};
    struct token_list t;
    struct kernel k;
    tokens_read(text, size, &t);
    if (definition_find(&t, "k", &k, &why)) {
        if (k.body.last >= t.count || k.body.first > k.body.last)
            abort();
        for (int line = 1; line <= LINES; line++)
            for (size_t i = 0; i < COUNT_OF(makers); i++) {
                const struct result result = {.facts.known = line % 3 == 0};
                struct finding f = {.cause = line % 2 ? "small-grid" : "occupancy", .line = line};
                maker_try(&a, makers[i],
                          (struct making){.a = &a,
                                          .variant = &variant,
                                          .item = item,
                                          .result = &result,
                                          .launch = item,
                                          .spec = &spec,
                                          .finding = &f,
                                          .t = &t,
                                          .kernel = k});
            }
    } else if (!why) {
        abort();
    }
    tokens_release(&t);
    arena_release(&a);
    return 0;
}
