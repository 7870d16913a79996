#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds rates.cu, runs it and prints its tables; with Nsight Compute present, its counters of the transposes too.
# Usage: rates.sh [output folder, default .] [section digits, default 123456] [ncu: yes or no, default yes]
# Needs nvcc and one GPU of compute capability 9.0; leaves the GPU's settings alone.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-.}
sections=${2:-123456}
profile=${3:-yes}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.draw,temperature.gpu --format=csv
nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$tmp/rates" "$here/rates.cu" || exit 1
cuobjdump --dump-sass "$tmp/rates" > "$out/rates.sass" 2>/dev/null
timeout 330 "$tmp/rates" "$sections" 2>&1 | tee "$out/rates.txt"
if [ "$profile" = yes ] && command -v ncu > /dev/null; then
    timeout 150 ncu --clock-control none --cache-control none --set full -k 'regex:transpose|flat|empty|spin' \
        --csv --page raw --log-file "$out/ncu.csv" "$tmp/rates" ncu
    timeout 60 ncu --clock-control none --metrics gpu__time_duration.sum -k 'regex:transpose|flat|empty|spin' \
        --csv --page raw --log-file "$out/ncu-cold.csv" "$tmp/rates" ncu
fi
