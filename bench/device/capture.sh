#!/usr/bin/env bash
# What `ridge capture --list` adds per launch: the same loops of launches alone, timed by sample (sampled), counted only (counts), recorded by CUPTI (--exact:
# recorded), with callbacks of all launches (calls: as where the program uses NVTX), and with launches of graphs recorded as a whole (whole), in turn, a process of all loops each, and in the other
# order every other round. A round has four CPUs to itself. A CSV row per loop and way on standard output: medians, and what is added: the
# median over the rounds of the difference from the same round's run alone, with its interval of 95 % or more (by order; fewer than
# six rounds have none: the least and the most).
# Usage: bench/device/capture.sh [ROUNDS [SECONDS-PER-LOOP [SECONDS-AT-MOST]]]
# ROWS names some of the loops, WAYS some of the ways, RAW a file for every run's figures. Needs nvcc, python3 and one GPU; RIDGE names
# ridge. The goal is at most 3 % for kernels above 10 us (docs/capture.md).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-7} seconds=${2:-0.5} at_most=${3:-600}
RIDGE=${RIDGE:-$here/../../build/ridge}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
raw=${RAW:-$work/raw}
nvcc -O3 -std=c++17 -arch=native -o "$work/capture" "$here/capture.cu" -ldl
rows=${ROWS:-1:all 5:all 10:all 20:all 50:all 10:each 20:each 50:each 10:stream 20:stream 50:stream 10:graph 10:graphs}
arguments=()
for row in $rows; do
    arguments+=("${row%:*}" "$(awk -v us="${row%:*}" -v s="$seconds" 'BEGIN { print int(s * 1e6 / us / 20) * 20 }')" "${row#*:}")
done
declare -A before=(
    [alone]=env
    [sampled]="$RIDGE capture --list -q -o $work/list --"
    [counts]="env RIDGE_CAPTURE_SAMPLED=counts $RIDGE capture --list -q -o $work/list --"
    [recorded]="$RIDGE capture --list --exact -q -o $work/list --"
    [calls]="env RIDGE_CAPTURE_CALLS=1 $RIDGE capture --list --exact -q -o $work/list --"
    [whole]="$RIDGE capture --list --graphs whole -q -o $work/list --"
)
"$work/capture" 10 1000 all >"$work/warm"
cpus=$(nproc)
for ((round = 0; round < rounds && SECONDS < at_most; round++)); do
    ways=${WAYS:-alone sampled recorded calls whole}
    ((round % 2 == 0)) || ways=$(tr ' ' '\n' <<<"$ways" | tac)
    pinned=()
    ((cpus < 8)) || pinned=(taskset -c "$((4 * round % (cpus - 3)))-$((4 * round % (cpus - 3) + 3))")
    for way in $ways; do
        ((SECONDS < at_most)) || break
        read -ra command <<<"${before[$way]}"
        "${pinned[@]}" "${command[@]}" "$work/capture" "${arguments[@]}" >"$work/one"
        paste -d, <(tr ' ' '\n' <<<"$rows") "$work/one" | sed "s/^/$round,$way,/" >>"$raw"
    done
done
python3 - "$raw" <<'P'
import math, statistics, sys
runs, order = {}, []
for line in open(sys.argv[1]):
    r, way, loop, us = line.strip().split(',')
    runs.setdefault((loop, way), {})[r] = float(us)
    order += [(loop, way)] if way != 'alone' and (loop, way) not in order else []
def interval(x):  # of the median: the narrowest between two of them that holds with 95 %
    x, n, k = sorted(x), len(x), 0
    while n - 2 * k - 2 > 0 and 2 * sum(math.comb(n, i) for i in range(k + 2)) / 2 ** n <= 0.05:
        k += 1
    return x[k], x[n - 1 - k]
print('kernel_us,wait,how,rounds,alone_us,recorded_us,added_us,from_us,to_us,added_pct,from_pct,to_pct')
for loop, way in order:
    alone, mine = runs[(loop, 'alone')], runs[(loop, way)]
    both = [r for r in mine if r in alone]
    us = [mine[r] - alone[r] for r in both]
    pct = [100 * (mine[r] / alone[r] - 1) for r in both]
    if both:
        print(f"{loop.replace(':', ',')},{way},{len(both)},{statistics.median(alone[r] for r in both):.3f},{statistics.median(mine[r] for r in both):.3f}," +
              '%.3f,%.3f,%.3f,' % (statistics.median(us), *interval(us)) + '%.2f,%.2f,%.2f' % (statistics.median(pct), *interval(pct)))
P
