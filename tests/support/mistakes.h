// Mistakes in a file that is right, and what is to be said of each: for tests of messages to the letter.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TESTS_MISTAKES_H
#define RIDGE_TESTS_MISTAKES_H

#include "base/base.h"

struct mistake {
    const char *what, *instead; // the first occurrence of `what` becomes `instead`
    int line, column;
    const char *message; // without file, line and column
};

// The file's text with it; the arena's.
char *with_mistake(struct arena *a, const char *right, const struct mistake *m);

// Reads a text as the file at `path`; false with err where it is refused.
typedef bool (*mistake_reader)(struct arena *a, const char *path, const char *text,
                               struct error *err);
// Fails the test unless each is refused as an error of input, in these words, at this place.
void mistakes_are_said(struct arena *a, const char *path, const char *right,
                       const struct mistake *mistakes, size_t count, mistake_reader read);

#endif
