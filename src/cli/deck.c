// Drawing items as a rank, until all are done.
// SPDX-License-Identifier: Apache-2.0
#include "cli/deck.h"

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIES_MOST = 3 }; // ranks that may die with one item

static const long wait_ns = 100000000;

bool deck_put_json(struct deck *d, int item, json_t *json, struct error *err)
{
    char *text = json_dumps(json, JSON_COMPACT);
    bool done = text ? deck_put(d, item, text, strlen(text), err)
                     : fail_as(err, ERROR_SYSTEM, NOWHERE, "what came of it is no text");
    free(text);
    json_decref(json);
    return done;
}

static bool give_up(struct deck *d, int item, int tries, struct error *err)
{
    struct arena a = {0};
    const char *why = arena_printf(&a, "given up: %d ranks died with it", tries);
    json_t *json = json_pack("{s:s, s:i}", "error", why, "kind", (int)ERROR_SYSTEM);
    arena_release(&a);
    return deck_put_json(d, item, json, err);
}

bool deck_draw_all(struct deck *d,
                   bool (*run)(void *context, int item, int tries, struct error *err),
                   void *context, struct error *err)
{
    for (struct drawn drawn = {.left = 1}; drawn.left > 0;) {
        const struct timespec wait = {.tv_nsec = wait_ns};
        if (*cli_cancelled)
            return fail_as(err, ERROR_SYSTEM, NOWHERE, "interrupted");
        if (!deck_draw(d, &drawn, err))
            return false;
        if (drawn.item < 0) {
            if (drawn.left > 0)
                (void)nanosleep(&wait, NULL);
            continue;
        }
        if (drawn.tries >= TRIES_MOST ? !give_up(d, drawn.item, drawn.tries, err)
                                      : !run(context, drawn.item, drawn.tries, err))
            return false;
    }
    return true;
}
