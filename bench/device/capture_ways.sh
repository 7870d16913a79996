#!/usr/bin/env bash
# What ways of listening to a GPU through CUPTI add per launch (bench/device/capture_ways.c): each way runs the same loops as
# the program alone, all in turn, and ridge's own recorder among them. A CSV row per way and loop on standard output: medians
# over the rounds of the mean per launch and, where each launch is waited for, of the median launch, what both are more than
# alone, and how much of that is in the call that launches and in the call that waits.
# Usage: bench/device/capture_ways.sh [ROUNDS [SECONDS-PER-LOOP [SECONDS-AT-MOST]]]; WAYS names some of them, LOOPS the loops.
# All ways of a round run their loops on one CPU, which the next round changes; PINNED=0: where the system puts them. RAW names
# a file for every run's figures.
# Needs nvcc, CUPTI and one GPU; RIDGE names ridge.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rounds=${1:-7} seconds=${2:-0.2} at_most=${3:-600}
recorder=$(dirname "${RIDGE:-$here/../../build/ridge}")/libridge-capture.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -arch=native -o "$work/capture" "$here/capture.cu"
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
cc -O2 -shared -fPIC -I"$cuda/include" -I"$cuda/extras/CUPTI/include" -o "$work/ways.so" "$here/capture_ways.c" \
    -L"$cuda/lib64" -L"$cuda/extras/CUPTI/lib64" -Wl,-rpath,"$cuda/lib64:$cuda/extras/CUPTI/lib64" -lcupti -lpthread
cupti=$(compgen -G "$cuda/extras/CUPTI/lib64/libcupti.so.1?" || compgen -G "$cuda/lib64/libcupti.so.1?" || true)
ridge="CUDA_INJECTION64_PATH=$recorder RIDGE_CAPTURE_FOLDER=$work/recorded RIDGE_CAPTURE_CUPTI=$cupti"
declare -A ways=(
    [loaded]=''                               # CUPTI is not called
    [copies]='WAY_KINDS=1,2'                  # no kernels
    [kernels]='WAY_KINDS=10'                  # nobody asks for records until the end
    [recorder]='WAY_KINDS=10,1,2 WAY_FLUSH_MS=200' # as ridge's recorder does it
    [seldom]='WAY_KINDS=10,1,2 WAY_FLUSH_MS=1000'
    [serial]='WAY_KINDS=3'                    # CUPTI's other kind of kernel records: kernels do not overlap
    [pinned]='WAY_KINDS=10 WAY_PINNED=1'
    [shared]='WAY_KINDS=10 WAY_PER_THREAD=0'
    [large]='WAY_KINDS=10 WAY_BUFFER_KIB=16384 WAY_DEVICE_KIB=32768'
    [small]='WAY_KINDS=10 WAY_BUFFER_KIB=64 WAY_DEVICE_KIB=64'
    [calls]='WAY_CALLS=1'                     # no records: an empty function before and after each launch
    [clock]='WAY_KINDS=10 WAY_CLOCK=1'
    [late]='WAY_KINDS=10 WAY_LATE_MS=1000 CAPTURE_WAIT_MS=1200' # when the program has a context
    [hardware]='WAY_KINDS=10 WAY_LATE_MS=1000 CAPTURE_WAIT_MS=1200 WAY_HARDWARE=1'
    [ridge]="$ridge"
    [ridge_calls]="$ridge RIDGE_CAPTURE_CALLS=1"
    [disabled]='WAY_KINDS=10 WAY_ON_MS=700 WAY_EVERY_MS=100000 CAPTURE_WAIT_MS=1000' # kinds were enabled before the loops
    [tenth]='WAY_KINDS=10 WAY_ON_MS=10 WAY_EVERY_MS=100' # listens for a tenth of the time
)
order=${WAYS:-loaded calls copies kernels recorder seldom serial pinned shared large small clock hardware late disabled tenth ridge ridge_calls}
loops=${LOOPS:-10:each 20:each 50:each 10:all}
arguments=()
for row in $loops; do
    arguments+=("${row%:*}" "$(awk -v us="${row%:*}" -v s="$seconds" 'BEGIN { print int(s * 1e6 / us) }')" "${row#*:}")
done
run() { # way or alone
    local settings=()
    mkdir "$work/recorded"
    ((${PINNED:-1} == 0)) || export CAPTURE_CPU=$(((1 + 5 * round) % $(nproc)))
    [[ $1 = alone ]] || read -ra settings <<<"CUDA_INJECTION64_PATH=$work/ways.so ${ways[$1]}"
    env "${settings[@]}" "$work/capture" spread "${arguments[@]}" >"$work/one" 2>>"$work/$1.err"
    paste -d' ' "$work/one" <(tr ' ' '\n' <<<"$loops") |
        while read -r mean median call wait cpu row; do
            echo "$mean $median $call $wait" >>"$work/$1.$row"
            echo "$round,$1,$row,$mean,$median,$call,$wait,$cpu" >>"${RAW:-/dev/null}"
        done
    rm -r "$work/recorded"
}
round=0
run alone # clocks go up
rm "$work"/alone.*
for ((round = 0; round < rounds && SECONDS < at_most; round++)); do
    ways_now="alone $order"
    ((round % 2 == 0)) || ways_now=$(tr ' ' '\n' <<<"$ways_now" | tac)
    for way in $ways_now; do
        ((SECONDS >= at_most)) || run "$way"
    done
done
middle() { cut -d' ' -f"$2" "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
echo 'way,kernel_us,wait,rounds,alone_us,us,added_us,added_pct,alone_median_us,median_us,added_median_us,added_in_call_us,added_in_wait_us,kernels_of_run,dropped'
for row in $loops; do
    alone=$work/alone.$row
    for way in $order; do
        file=$work/$way.$row
        [[ -s $file ]] || continue
        figures=
        for column in 1 2 3 4; do figures+=$(middle "$alone" $column),$(middle "$file" $column),; done
        echo "$way,${row/:/,},$(wc -l <"$file"),$figures$(grep -E '^[0-9]+,[0-9]+$' "$work/$way.err" | tail -n 1)" |
            awk -F, '{ printf "%s,%s,%s,%d,%.3f,%.3f,%.3f,%.2f,%.3f,%.3f,%.3f,%.3f,%.3f,%s,%s\n", $1, $2, $3, $4, $5, $6, $6 - $5,
                100 * ($6 / $5 - 1), $7, $8, $8 - $7, $10 - $9, $12 - $11, $13, $14 }'
    done
done
for way in $order; do
    { grep -vE '^[0-9]+,[0-9]+$' "$work/$way.err" || true; } | sort | uniq -c | sed "s/^/$way: /" >&2
done
