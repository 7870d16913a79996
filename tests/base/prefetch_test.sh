#!/usr/bin/env bash
# A function that does nothing but have the host fetch memory stays: gcc 12 takes one of plain __builtin_prefetch() for a function
# without effects and leaves out its calls (those of the L2's sets were never made).
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
case $(uname -m) in x86_64 | amd64) ;; *) echo 'ok - skip: other than x86-64'; exit 0 ;; esac
need cc
cat >fetches.c <<'C'
#include "base/prefetch.h"
static __attribute__((noinline)) void fetch_all(const char *const *p, int count)
{
    for (int i = 0; i < count; i++)
        prefetch(p[i]);
}
int work(const char *const *p, int count);
int work(const char *const *p, int count)
{
    fetch_all(p, count);
    return count;
}
C
for compiler in cc gcc clang; do
    command -v "$compiler" >/dev/null || continue
    "$compiler" -std=c17 -O2 -I "$root/src" -S -o fetches.s fetches.c >out.txt 2>&1 &&
        sed -n '/^work:/,/ret/p' fetches.s | grep -qE '(call|jmp).*fetch_all|prefetch'
    pass "$compiler leaves in the calls of what only fetches" $? out.txt
done
others=$(cd "$root" && grep -rl '__builtin_prefetch' src --include='*.[ch]' | grep -v '^src/base/prefetch.h$')
[[ -z $others ]]
pass "nothing fetches in any other way ${others:+(}$others${others:+)}" $?
finish
