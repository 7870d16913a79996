// What is there is soon written, or read: the host may have it in its caches by then. Without the empty statement gcc takes a
// function that does nothing else for one without effects, and leaves out its calls (tests/base/prefetch_test.sh).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BASE_PREFETCH_H
#define RIDGE_BASE_PREFETCH_H

static inline void prefetch(const void *p)
{
    __builtin_prefetch(p, 1);
    __asm__ volatile("");
}

#endif
