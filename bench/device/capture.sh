#!/usr/bin/env bash
# What `ridge capture --list` adds per launch: the same loop of launches alone and recorded, in turn, a CSV row per loop on
# standard output (medians over the rounds, and their least and most). Usage: bench/device/capture.sh [ROUNDS]
# Needs nvcc and one GPU; RIDGE names ridge. The goal is at most 3 % for kernels above 10 us (docs/capture.md).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-7}
RIDGE=${RIDGE:-$here/../../build/ridge}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -arch=native -o "$work/capture" "$here/capture.cu"
"$work/capture" 10 1000 all >"$work/warm"
echo 'kernel_us,launches,wait,alone_us,alone_least,alone_most,recorded_us,recorded_least,recorded_most,added_us,added_pct'
spread() { sort -g "$1" | awk '{ v[NR] = $1 } END { printf "%s,%s,%s", v[int((NR + 1) / 2)], v[1], v[NR] }'; }
for row in '1 100000 all' '5 100000 all' '10 50000 all' '20 25000 all' '50 10000 all' '10 30000 each' '50 10000 each'; do
    read -r us launches wait <<<"$row"
    : >"$work/alone"
    : >"$work/recorded"
    for ((i = 0; i < rounds; i++)); do
        "$work/capture" "$us" "$launches" "$wait" >>"$work/alone"
        "$RIDGE" capture --list -q -o "$work/list" -- "$work/capture" "$us" "$launches" "$wait" >>"$work/recorded"
    done
    echo "$us,$launches,$wait,$(spread "$work/alone"),$(spread "$work/recorded")" | awk -F, '{ printf "%s,%.3f,%.2f\n", $0, $7 - $4, 100 * ($7 / $4 - 1) }'
done
