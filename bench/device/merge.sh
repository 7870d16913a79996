#!/usr/bin/env bash
# Sectors that the L1s miss beside those that the L2 reads, where several SMs ask for one line: merge.cu under Nsight
# Compute, a CSV row per launch on standard output. Usage: bench/device/merge.sh
# Needs nvcc, ncu and one GPU of compute capability 9.0; leaves the GPU's settings alone.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$work/merge" "$here/merge.cu"
metrics=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
metrics+=,l1tex__m_xbar2l1tex_read_sectors.sum,lts__t_sectors_op_read.sum,lts__t_requests_op_read.sum
"$work/merge" >"$work/launches.csv"
ncu --clock-control none --cache-control none --csv --page raw --metrics "$metrics" -k shared_lines \
    --log-file "$work/ncu.csv" "$work/merge" >"$work/said.txt"
# ncu's first two rows are the metrics' names and units.
grep '^"' "$work/ncu.csv" | awk -F '","' 'NR != 2 {
    row = ""; for (i = 1; i <= NF; i++) { v = $i; gsub(/[",]/, "", v)
        if (NR == 1 && v ~ /^(l1tex|lts)__/) { column[++n] = i; head = head "," v } }
    if (NR == 1) { print head; next }
    for (i = 1; i <= n; i++) { v = $column[i]; gsub(/[",]/, "", v); row = row "," v } print row }' >"$work/counts.csv"
paste -d '' "$work/launches.csv" "$work/counts.csv"
