#!/usr/bin/env bash
# ridge's times and counters beside Nsight Compute's for the same kernels on the first GPU: the transposes,
# run by ridge and by ncu around `ridge verify`, both into one journal. Usage: bench/device/ncu.sh [RIDGE] [OUT]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
ridge=${1:-build/ridge} out=${2:-build/ncu} sizes=${N:-1024,2048,4096,8192}
mkdir -p "$out"
export RIDGE_JOURNAL=$out/ncu.sqlite
metrics=gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_op_read.sum
metrics+=,lts__t_sectors_op_write.sum,smsp__inst_executed.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
"$ridge" run experiments/transpose --device cuda:0 -q -p "N=$sizes" >"$out/run.txt"
ncu --target-processes all --clock-control none --csv --page raw --metrics "$metrics" \
    -k 'regex:transpose' "$ridge" verify experiments/transpose --device cuda:0 -q -p "N=$sizes" \
    >"$out/ncu.csv" 2>"$out/ncu.log"
"$ridge" import "$out/ncu.csv" --as ncu
