#!/usr/bin/env bash
# What ways of listening through CUPTI (bench/device/capture_ways.c) add per launch, seen within one process: blocks of launches that are
# recorded and blocks that are not, in turn (capture.cu, inside). Processes differ from each other by more than what is looked for.
# Usage: bench/device/capture_inside.sh DIR [ROUNDS [SECONDS-AT-MOST]]; WAYS names some of them, LOOPS the loops. DIR gets every block's
# figures (blocks.csv); a row per way and loop goes to standard output: medians over processes, and their least and most.
# Each process has four CPUs to itself, other ones each round. Needs nvcc, CUPTI, python3 and one GPU.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1 rounds=${2:-5} at_most=${3:-600}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
nvcc -O3 -std=c++17 -arch=native -o "$work/capture" "$here/capture.cu" -ldl
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
cc -O2 -shared -fPIC -I"$cuda/include" -I"$cuda/extras/CUPTI/include" -o "$work/ways.so" "$here/capture_ways.c" \
    -L"$cuda/lib64" -L"$cuda/extras/CUPTI/lib64" -Wl,-rpath,"$cuda/lib64:$cuda/extras/CUPTI/lib64" -lcupti -lpthread
# Flushing five times as often as ridge's recorder does, so that what it costs is seen.
declare -A ways=(
    [kernels]='WAY_KINDS=10'
    [kernels_flush]='WAY_KINDS=10 WAY_FLUSH_MS=40'
    [kinds]='WAY_KINDS=10,1,2'
    [recorder]='WAY_KINDS=10,1,2 WAY_FLUSH_MS=40'
    [subscriber]='WAY_KINDS=10,1,2 WAY_FLUSH_MS=40 WAY_SUBSCRIBE=1'
    [graph_calls]='WAY_KINDS=10,1,2 WAY_FLUSH_MS=40 WAY_SUBSCRIBE=2'
    [period]='WAY_KINDS=10,1,2 WAY_PERIOD_MS=40'
    [zeroed]='WAY_KINDS=10,1,2 WAY_ZEROED=1'
    [large]='WAY_KINDS=10,1,2 WAY_BUFFER_KIB=16384 WAY_DEVICE_KIB=32768'
    [pinned]='WAY_KINDS=10,1,2 WAY_PINNED=1'
    [shared]='WAY_KINDS=10,1,2 WAY_PER_THREAD=0'
    [late]='CAPTURE_LATE=1 WAY_KINDS=10'
    [late_subscriber]='CAPTURE_LATE=1 WAY_KINDS=10 WAY_SUBSCRIBE=1'
    [whole]='WAY_KINDS=10,1,2,51 WAY_FLUSH_MS=40'
    [sampled]='WAY_KINDS=10,1,2,51 WAY_FLUSH_MS=40 WAY_SUBSCRIBE=2 WAY_GRAPHS=32'
    [sampled_ahead]='WAY_KINDS=10,1,2,51 WAY_FLUSH_MS=40 WAY_SUBSCRIBE=2 WAY_GRAPHS=32 WAY_GRAPHS_AT=1'
)
order=${WAYS:-kernels kernels_flush kinds recorder subscriber graph_calls period zeroed large pinned shared late late_subscriber}
loops=${LOOPS:-10:each 20:each}
arguments=()
for loop in $loops; do
    arguments+=("${loop%:*}" "$(awk -v us="${loop%:*}" -v each="${loop#*:}" 'BEGIN { print int(120000 / (us + (each == "each" ? 9 : 1)) / 200) * 200 }')" "${loop#*:}")
done
for ((round = 0; round < rounds; round++)); do
    ways_now=$order
    ((round % 2 == 0)) || ways_now=$(tr ' ' '\n' <<<"$ways_now" | tac)
    cpus=$(nproc) cpu=0
    ((cpus < 8)) || cpu=$((4 * round % (cpus - 3)))
    for way in $ways_now; do
        ((SECONDS < at_most)) || break
        read -ra settings <<<"${ways[$way]} CAPTURE_LIBRARY=$work/ways.so CAPTURE_PAIRS=${PAIRS:-3}"
        [[ ${ways[$way]} = CAPTURE_LATE* ]] || settings+=("CUDA_INJECTION64_PATH=$work/ways.so")
        timeout 20 taskset -c "$cpu-$((cpu + 3))" env WAY_CHECK=1 "${settings[@]}" "$work/capture" inside "${arguments[@]}" 2>>"$out/$way.err" |
            sed "s/^/$round,$way,/" >>"$out/blocks.csv" || echo "$way: status ${PIPESTATUS[*]}" >>"$out/$way.err"
    done
done
python3 - "$out/blocks.csv" <<'P'
import csv, statistics as st, sys
blocks, order = {}, []
for r, way, loop, state, *figures in csv.reader(open(sys.argv[1])):
    key = (loop, way)
    order += [key] if key not in order else []
    blocks.setdefault(key, {}).setdefault(r, {}).setdefault(state, []).append([float(f) for f in figures])
print('loop,way,processes,off_us,added_us,least,most,added_pct,median_added_us,call_added_us,stalls_added_us,off_above_before_us')
for key in sorted(order, key=lambda k: k[0]):
    rows = []
    for r, states in blocks[key].items():
        if 'on' in states and 'off' in states:
            middle = lambda s, i: st.median(b[i] for b in states[s])
            rows.append([middle('off', 0)] + [middle('on', i) - middle('off', i) for i in range(4)] +
                        [middle('off', 0) - middle('before', 0) if 'before' in states else float('nan')])
    if rows:
        c = list(zip(*rows))
        m = [st.median(x) for x in c]
        print(f'{key[0]},{key[1]},{len(rows)},{m[0]:.3f},{m[1]:.3f},{min(c[1]):.3f},{max(c[1]):.3f},{100 * m[1] / m[0]:.2f},{m[2]:.3f},{m[3]:.3f},{m[4]:.3f},{m[5]:.3f}')
P
