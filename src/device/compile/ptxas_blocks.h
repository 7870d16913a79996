// Which line of PTX a machine instruction counts with, by the basic block that it stands in (ptxas_blocks.c).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_DEVICE_PTXAS_BLOCKS_H
#define RIDGE_DEVICE_PTXAS_BLOCKS_H

#include "ptx/ptx.h"

enum machine_kind { MACHINE_OTHER, MACHINE_BRANCH, MACHINE_EXIT };
struct machine_instruction {
    enum machine_kind kind;
    bool guarded, memory; // memory: it accesses memory, or is a barrier
    int target; // of a branch: an instruction; less than 0 or beyond the end: none that is looked at
    int loop, depth; // the innermost one around it, 0 = none; how many are around it
    int line;        // of the PTX
};

// How surely a line says where it is executed. PINNED: it has a side effect.
enum { LINE_MOVES, LINE_BRANCHES, LINE_LOADS, LINE_PINNED };
struct ptx_line {
    int block;    // of all functions' blocks; less than 0: no instruction
    int function; // of the module
    int depth;    // of loops around it
    int weight;   // LINE_MOVES ...
    int lines;    // of its block
    bool takes; // may be given instructions of others: what is made of it is not reckoned otherwise
};

// By line: line_count + 1 of them, arena-owned.
struct ptx_line *ptx_lines_of(struct arena *a, const struct ptx_module *m, int line_count);
// Changes `line` of instructions that stand in another block than their line; `entry`: the block that the kernel begins with.
void machine_lines_settle(struct machine_instruction *code, int count, const struct ptx_line *lines,
                          int line_count, int entry);

#endif
