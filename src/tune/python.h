// python: the expressions of T1 files, which are Python's: numbers, strings, lists and comprehensions over range(), or
// and not, comparisons in chains, in, + - * / // % **, x if c else y, min max abs int len range list. Integers are of
// 64 bits and checked. Nothing else of the language is understood, and nothing is run.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNE_PYTHON_H
#define RIDGE_TUNE_PYTHON_H

#include "base/base.h"

enum py_kind { PY_INTEGER, PY_REAL, PY_STRING, PY_LIST };
struct py_value { // arena-owned; True and False are the integers 1 and 0
    enum py_kind kind;
    int64_t i;
    double d;
    const char *s;
    struct py_value *items;
    int count;
};
struct py_name {
    const char *name;
    struct py_value value;
};
struct py_expression; // parsed; arena-owned
enum { PY_LIST_MAX = 4096, PY_NAMES_MAX = 320 };

// at: for messages. What a name stands for is asked when it is evaluated.
bool py_parse(struct arena *a, const char *text, struct location at, struct py_expression **out,
              struct error *err) CHECK_RESULT;
bool py_evaluate(struct arena *a, const struct py_expression *e, const struct py_name *names,
                 int name_count, struct py_value *out, struct error *err) CHECK_RESULT;
bool py_is_true(const struct py_value *v);
// A number or a string as an axis has it: "16", "0.5", "float".
const char *py_text(struct arena *a, const struct py_value *v);

#endif
