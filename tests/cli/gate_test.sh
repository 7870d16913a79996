#!/usr/bin/env bash
# ridge gate passed where nothing got worse; fails, with the reason, where a variant takes longer, is wrong or
# gone; imported runs too.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage scale

gate() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$RIDGE" gate "$@" >out.txt 2>&1
    got=$?
    grep -Eq "$pattern" out.txt && ((got == status))
    pass "$name" $? out.txt
}

"$RIDGE" run scale -q --seed 1 >run.txt 2>&1
"$RIDGE" run scale -q --seed 1 >>run.txt 2>&1
by_time() { "$RIDGE" export 1 --format csv | awk -F, '$6 == "\"time_ns_median\"" { print $7, $4 }' | sort -n | cut -d'"' -f2; }
fast=$(by_time | head -n 1) slow=$(by_time | tail -n 1)
gate 'the same run is let through' 0 '^gate passed: [1-9][0-9]* judged, 0 worse' 1 2
gate 'a variant that takes longer shuts it' 1 'takes [0-9.]+ % longer' "1:$fast" "2:$slow"
gate 'so much longer may be allowed' 0 '^gate passed' "1:$fast" "2:$slow" --slower 100000
gate 'faster is not worse' 0 '^gate passed' "1:$slow" "2:$fast"
"$RIDGE" run scale -q --seed 1 --variant "$("$RIDGE" export 1 --format csv | sed -n '2s/^[^,]*,[^,]*,[^,]*,"\([^"]*\)".*/\1/p')" >>run.txt 2>&1
gate 'a variant that is gone shuts it' 1 'is in the baseline only' 1 3
gate 'JSON says why' 1 '"open": false' "1:$fast" "2:$slow" --json
"$RIDGE" import "$root/tests/import/nsys.sqlite" -q >/dev/null 2>&1
"$RIDGE" import "$root/tests/import/nsys.sqlite" -q >/dev/null 2>&1
gate 'imported runs are judged' 0 '^gate passed: [1-9]' 4 5
gate 'a missing run is reported' 2 'run' 1 99
finish
