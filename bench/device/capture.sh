#!/usr/bin/env bash
# What `ridge capture --list` adds per launch: the same loop of launches alone, recorded, and recorded with callbacks of all
# launches (as where the program uses NVTX), in turn, a process of all loops each; two CSV rows per loop on standard output
# (medians over the rounds, and their least and most). ROWS names some of the loops.
# Usage: bench/device/capture.sh [ROUNDS [SECONDS-PER-LOOP [SECONDS-AT-MOST]]]
# Needs nvcc and one GPU; RIDGE names ridge. The goal is at most 3 % for kernels above 10 us (docs/capture.md).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-7} seconds=${2:-0.5} at_most=${3:-600}
RIDGE=${RIDGE:-$here/../../build/ridge}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -arch=native -o "$work/capture" "$here/capture.cu"
"$work/capture" 10 1000 all >"$work/warm"
rows=${ROWS:-1:all 5:all 10:all 20:all 50:all 10:each 20:each 50:each 10:stream 20:stream 50:stream 10:graph}
arguments=()
for row in $rows; do
    arguments+=("${row%:*}" "$(awk -v us="${row%:*}" -v s="$seconds" 'BEGIN { print int(s * 1e6 / us) }')" "${row#*:}")
done
timed() { # way, what comes before the program …
    "${@:2}" "$work/capture" "${arguments[@]}" >"$work/one"
    paste -d' ' "$work/one" <(tr ' ' '\n' <<<"$rows") | while read -r us row; do echo "$us" >>"$work/$1.$row"; done
}
for ((i = 0; i < rounds && SECONDS < at_most; i++)); do
    timed alone env
    timed recorded "$RIDGE" capture --list -q -o "$work/list" --
    timed calls env RIDGE_CAPTURE_CALLS=1 "$RIDGE" capture --list -q -o "$work/list" --
done
echo 'kernel_us,launches,wait,calls,alone_us,alone_least,alone_most,recorded_us,recorded_least,recorded_most,added_us,added_pct'
spread() { sort -g "$1" | awk '{ v[NR] = $1 } END { printf "%s,%s,%s", v[int((NR + 1) / 2)], v[1], v[NR] }'; }
number=0
for row in $rows; do
    for calls in recorded calls; do
        echo "${row%:*},${arguments[number + 1]},${row#*:},$([[ $calls = calls ]] && echo yes || echo no),$(spread "$work/alone.$row"),$(spread "$work/$calls.$row")" |
            awk -F, '{ printf "%s,%.3f,%.2f\n", $0, $8 - $5, 100 * ($8 / $5 - 1) }'
    done
    number=$((number + 3))
done
