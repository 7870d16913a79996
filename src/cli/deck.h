// deck: how commands work as ranks (fleet/ranks.h): items are drawn until all are done, and what came of each is JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_CLI_DECK_H
#define RIDGE_CLI_DECK_H

#include "fleet/ranks.h"

#include <jansson.h>

// Until all are done: whoever is still at work may die. run puts what came of an item; tries: ranks that died with it.
// What three ranks died with is given up: {"error", "kind"}.
bool deck_draw_all(struct deck *d,
                   bool (*run)(void *context, int item, int tries, struct error *err),
                   void *context, struct error *err) CHECK_RESULT;
// Takes the reference.
bool deck_put_json(struct deck *d, int item, json_t *json, struct error *err) CHECK_RESULT;

#endif
