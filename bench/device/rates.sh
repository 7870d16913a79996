#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds rates.cu, runs it and prints its tables; with Nsight Compute present, its counters of the transposes too.
# Usage: rates.sh [output folder, default .] [section digits, default 1234567] [ncu: yes or no, default yes]
# Needs nvcc and one GPU of compute capability 9.0; leaves the GPU's settings alone.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-.}
sections=${2:-1234567}
profile=${3:-yes}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.draw,temperature.gpu --format=csv
nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$tmp/rates" "$here/rates.cu" || exit 1
cuobjdump --dump-sass "$tmp/rates" > "$out/rates.sass" 2>/dev/null
timeout 330 "$tmp/rates" "$sections" 2>&1 | tee "$out/rates.txt"
if [ "$profile" = yes ] && command -v ncu > /dev/null; then
    metrics=gpu__time_duration.sum,lts__cycles_elapsed.avg.per_second,lts__xbar2lts_cycles_active.avg.pct_of_peak_sustained_elapsed
    metrics+=,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_tag_requests.sum,dram__bytes_read.sum,dram__bytes_write.sum
    metrics+=,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed,l1tex__data_pipe_lsu_wavefronts.sum
    metrics+=,l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.per_cycle_active
    for s in long_scoreboard short_scoreboard barrier lg_throttle mio_throttle drain imc_miss no_instruction dispatch_stall membar sleeping wait selected; do
        metrics+=,smsp__average_warps_issue_stalled_${s}_per_issue_active.ratio
    done
    timeout 120 ncu --clock-control none --cache-control none --metrics "$metrics" -k 'regex:transpose|flat|empty|spin' \
        --csv --page raw --log-file "$out/ncu.csv" "$tmp/rates" ncu
fi
