#!/usr/bin/env bash
# A formula whose units do not fit does not compile, nor does a share that would be summed.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc
mkdir -p src/counters src/base

# builds FILE SED: the tables with FILE changed; exit status of the compiler.
builds() {
    cp "$root"/src/counters/* src/counters && cp "$root"/src/base/base.h "$root"/src/base/platform.h src/base
    [[ -z ${1-} ]] || sed -i -E "$2" "src/counters/$1"
    cc -std=c17 -Isrc -fsyntax-only src/counters/counters.c >out.txt 2>&1
}

builds
pass 'the tables as they are compile' $? out.txt
refused() { # refused NAME FILE SED
    cmp -s <(sed -E "$3" "$root/src/counters/$2") "$root/src/counters/$2" && pass "$1 (changed)" 1
    ! builds "$2" "$3"
    pass "$1" $? out.txt
}
refused 'sectors divided by lanes are no sectors per request' derived.def \
    's/C\(GLOBAL_LOAD_REQUESTS\), 1\)/C(THREAD_INSTRUCTIONS), 1)/'
refused 'bytes are not added to sectors' derived.def 's/C\(L2_SECTORS_HIT\),/C(L2_SECTORS_HIT) + C(DRAM_READ_BYTES),/'
refused 'sectors per request are no percentage' derived.def 's/C\(GLOBAL_LOAD_REQUESTS\), 1\)/C(GLOBAL_LOAD_REQUESTS), 100)/'
refused 'a unit that is not in the table is refused' counters.def 's/BARRIERS,( +)"barriers",( +)WARPS/BARRIERS,\1"barriers",\2THINGS/'
refused 'percentages are not summed' counters.def 's/PERCENT,( +)MEAN/PERCENT,\1SUM/'
finish
