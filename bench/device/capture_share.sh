#!/usr/bin/env bash
# What `ridge capture --list` adds where it listens for a part of the time: the same loops of launches alone and recorded, in turn,
# a process of all loops each, one CPU per round. To FOLDER: runs.csv (round, way, loop, us per kernel alone and recorded),
# windows.csv (of recorded runs, per loop: us per launch while it listened and while it did not, the share of the time that it
# listened, launches that the program made and those that the recording makes of it), the last recording, and the list.
# Usage: bench/device/capture_share.sh FOLDER [ROUNDS [SECONDS-PER-LOOP [SECONDS-AT-MOST [PERCENT]]]]; LOOPS names the loops.
# Needs nvcc and one GPU; RIDGE names ridge. The goal is at most 3 % for kernels above 10 us (docs/capture.md).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1 rounds=${2:-5} seconds=${3:-1} at_most=${4:-600} percent=${5:-3}
RIDGE=${RIDGE:-$here/../../build/ridge}
recorder=$(dirname "$RIDGE")/libridge-capture.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
nvcc -O3 -std=c++17 -arch=native -o "$work/capture" "$here/capture.cu"
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
cupti=$(compgen -G "$cuda/extras/CUPTI/lib64/libcupti.so.1?" || compgen -G "$cuda/lib64/libcupti.so.1?" || true)
loops=${LOOPS:-10:all 10:each 20:each 50:each 50:all 10:graph}
arguments=()
for row in $loops; do
    arguments+=("${row%:*}" "$(awk -v us="${row%:*}" -v s="$seconds" 'BEGIN { print int(s * 1e6 / (us + 5)) }')" "${row#*:}")
done
# As `ridge capture --list` starts it.
listen="CUDA_INJECTION64_PATH=$recorder RIDGE_CAPTURE_FOLDER=$work/recorded RIDGE_CAPTURE_CUPTI=$cupti RIDGE_CAPTURE_OVERHEAD=$percent"
run() { # way
    local settings=()
    rm -rf "$work/recorded"
    mkdir "$work/recorded"
    [[ $1 = alone ]] || read -ra settings <<<"$listen"
    env "${settings[@]}" CAPTURE_BINS="$work/bins" CAPTURE_CPU=$(((1 + 5 * round) % $(nproc))) \
        "$work/capture" spread "${arguments[@]}" >"$work/one" 2>>"$out/$1.err"
    paste -d' ' "$work/one" <(tr ' ' '\n' <<<"$loops") |
        while read -r mean median call wait cpu row; do
            echo "$round,$1,$row,$mean,$median,$call,$wait,$cpu" >>"$out/runs.csv"
        done
    [[ $1 = alone ]] ||
        python3 "$here/capture_share.py" "$work/recorded"/*.ridgecap "$work/bins" "$round" "$loops" "${arguments[@]}" >>"$out/windows.csv" 2>>"$out/windows.err" || true
    [[ $1 = alone ]] || { rm -rf "$work/kept" && mv "$work/recorded" "$work/kept"; }
}
echo 'round,way,loop,us,median_us,call_us,wait_us,cpu' >"$out/runs.csv"
echo 'round,loop,listened_pct,windows,switch_us,heard_us,unheard_us,added_us,launches,recorded,estimated' >"$out/windows.csv"
round=0
run alone # clocks go up
sed -i 1q "$out/runs.csv"
for ((round = 0; round < rounds && SECONDS < at_most; round++)); do
    ways='alone share'
    ((round % 2 == 0)) || ways='share alone'
    for way in $ways; do
        run "$way"
    done
done
"$RIDGE" capture --list --from "$work/kept" >"$out/list" 2>&1 || true
xz -3 -T0 -c "$work/kept"/*.ridgecap >"$out/recording.xz" || true
python3 - "$out/runs.csv" <<'P'
import csv, statistics, sys
rows = list(csv.DictReader(open(sys.argv[1])))
middle = lambda way, loop: statistics.median(float(r["us"]) for r in rows if r["way"] == way and r["loop"] == loop)
print("loop,alone_us,recorded_us,added_pct,pairs_added_pct")
for loop in dict.fromkeys(r["loop"] for r in rows):
    pairs = {}
    for r in rows:
        if r["loop"] == loop:
            pairs.setdefault(r["round"], {})[r["way"]] = float(r["us"])
    each = [100 * (p["share"] / p["alone"] - 1) for p in pairs.values() if len(p) == 2]
    a, b = middle("alone", loop), middle("share", loop)
    print(f"{loop},{a:.3f},{b:.3f},{100 * (b / a - 1):.2f},{' '.join(f'{x:.2f}' for x in sorted(each))}")
P
