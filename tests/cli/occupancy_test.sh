#!/usr/bin/env bash
# ridge occupancy: limits and curves, as the calculator has them.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C

check() { # check NAME EXPECTED ACTUAL
    if [[ $2 == "$3" ]]; then echo "ok - $1"; else
        printf 'not ok - %s\nexpected: %s\nactual:   %s\n' "$1" "$2" "$3"
    fi
}

text=$("$RIDGE" occupancy --block 200 --registers 70 --shared 20000)
check 'states what it was given' \
    'NVIDIA H200, calculated: 200 threads a block, 70 registers a thread, 20000 shared bytes' \
    "$(sed -n 1p <<<"$text")"
check 'occupancy in words' 'Occupancy 43.8 %: 4 blocks, 28 of 64 warps on an SM' \
    "$(sed -n 2p <<<"$text")"
check 'the limit is named' '  registers         4  limits' "$(grep limits <<<"$text")"
check 'the given point is marked on each curve' 3 "$(grep -c '^  >' <<<"$text")"
check 'what can not run is said' 'No block fits on an SM: registers.' \
    "$("$RIDGE" occupancy --block 1024 --registers 255 | sed -n 2p)"
status=0
message=$("$RIDGE" occupancy --registers 300 2>&1) || status=$?
check 'a number out of bounds' "2 ridge: option --registers: '300' is not a whole number from 1 to 255" \
    "$status $message"
