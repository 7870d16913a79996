// CHECK(call): a call of CUDA's runtime that fails ends the program, with its line and its reason.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BENCH_DEVICE_CHECK_H
#define RIDGE_BENCH_DEVICE_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(e) check((e), #e, __LINE__)
static void check(cudaError_t e, const char *what, int line)
{
    if (e == cudaSuccess)
        return;
    fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorString(e));
    exit(1);
}

#endif
