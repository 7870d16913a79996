// The tree of a Python expression: what python.c reads and python_value.c evaluates.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_TUNE_PYTHON_TREE_H
#define RIDGE_TUNE_PYTHON_TREE_H

#include "tune/python.h"

enum op {
    OP_CONSTANT,
    OP_NAME,
    OP_LIST,
    OP_EACH, // [items[0] for name in items[1] if items[2]]
    OP_CALL,
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_IF,      // items[1] if items[0] else items[2]
    OP_COMPARE, // items[0] and then pairs by `compares`
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_FLOOR,
    OP_REMAINDER,
    OP_POWER
};
enum compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_IN, CMP_NOT_IN };

struct py_expression {
    enum op op;
    struct py_value constant;
    const char *name;
    struct py_expression **items;
    int count;
    enum compare *compares;
    struct location at;
};

#endif
