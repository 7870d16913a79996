#!/usr/bin/env bash
# Hardware counters by ridge beside those that Nsight Compute reads for the same kernels, where both are
# there: equal for requests, sectors, L1 hits and instructions.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
RIDGE=${RIDGE:-$root/build/ridge}
PATH=$PATH:/usr/local/cuda/bin
ldconfig -p | grep -F libcuda.so.1 >/dev/null || { echo 'libcuda.so.1 is not here'; exit 77; }
for tool in ncu python3; do
    command -v "$tool" >/dev/null || { echo "$tool is not here"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RIDGE_JOURNAL=$work/journal.sqlite RIDGE_DATA_DIR=${RIDGE_DATA_DIR:-$root}
experiment=$root/experiments/transpose

metrics=smsp__inst_executed.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
"$RIDGE" run "$experiment" --device cuda:0 -q -p N=1024 --time-limit 0.2 \
    --variant naive --variant padded >"$work/run.txt" 2>&1
ncu --target-processes all --clock-control none --csv --page raw --metrics "$metrics" -k 'regex:transpose' \
    "$RIDGE" verify "$experiment" --device cuda:0 -q -p N=1024 --variant naive --variant padded >"$work/ncu.csv" 2>"$work/ncu.log" ||
    { tail -n 1 "$work/ncu.log"; exit 77; }
sed -i '/^"ID"/,$!d' "$work/ncu.csv"
"$RIDGE" import "$work/ncu.csv" --as ncu -q >"$work/import.txt" 2>&1
python3 - "$RIDGE_JOURNAL" "$experiment/experiment.yaml" >"$work/compared" <<'END'
import re, sqlite3, sys
journal, yaml = sqlite3.connect(sys.argv[1]), open(sys.argv[2]).read()
kernels = dict(re.findall(r"- name: (\S+)\n(?:(?!  - name:).*\n)*?    kernel: (\S+)", yaml))
def counters(run, variant):
    return dict(journal.execute(
        "SELECT c.name, c.value FROM counters c JOIN results r ON c.result = r.id JOIN runs ON r.run = runs.id "
        "WHERE runs.device LIKE ? AND r.variant LIKE ? ORDER BY r.id", (run, variant)))
for variant in ("naive", "padded"):
    kernel = kernels[variant]
    ours, theirs = counters("cuda:%", variant), counters("%", kernel + "%")
    for name in ("warp_instructions", "global_load_requests", "global_load_sectors", "global_store_requests",
                 "global_store_sectors", "l1_load_sectors_hit"):
        same = name in ours and ours[name] == theirs.get(name)
        print("ok" if same else "not ok", "-", f"{variant} {name}", "" if same else f"# {ours.get(name)}, ncu {theirs.get(name)}")
END
status=$?
cat "$work/compared"
((status == 0)) && [[ -s $work/compared ]] && ! grep -q '^not ok' "$work/compared"
