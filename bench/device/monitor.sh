#!/usr/bin/env bash
# ridge monitor on a real GPU: its figures beside nvidia-smi's, then the canary: a healthy run, and the same again.
# needs: gpu. Usage: RIDGE=build/ridge bench/device/monitor.sh [EXPERIMENT [OPTIONS of the healthy `ridge run`...]]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
ridge=${RIDGE:-build/ridge} experiment=${1:-reduction}
shift $(($# > 0))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RIDGE_JOURNAL=$work/journal.sqlite
"$ridge" monitor --once --json >"$work/now.json" || (($? == 1)) # 1: there is an alert
nvidia-smi --query-gpu=uuid,clocks.sm,clocks.mem,power.draw,enforced.power.limit,temperature.gpu,memory.used,pcie.link.gen.current,pcie.link.width.current \
    --format=csv,noheader,nounits >"$work/smi.csv"
python3 - "$work" <<'PY'
import csv, json, sys
now = json.load(open(sys.argv[1] + "/now.json"))
gpus = {g["uuid"]: g for g in now["gpus"]}
names = ["sm_clock_mhz", "memory_clock_mhz", "power_w", "power_limit_w", "temperature_c", "memory_used_bytes",
         "pcie_generation", "pcie_width_lanes"]
for row in csv.reader(open(sys.argv[1] + "/smi.csv"), skipinitialspace=True):
    values = gpus[row[0]]["values"]
    print(row[0], gpus[row[0]]["status"])
    for name, theirs in zip(names, row[1:]):
        ours = values[name] if name != "memory_used_bytes" or values[name] is None else values[name] / 2**20
        print(f"  {name:20} ridge {ours}  nvidia-smi {theirs}")
    print("  not reported:", ", ".join(n for n, v in values.items() if v is None) or "nothing")
PY
"$ridge" run "$experiment" --device cuda:0 --quiet "$@" >/dev/null
began=$EPOCHREALTIME
"$ridge" monitor --interval 200ms --for 1s --canary "$experiment" --every 1h --json | tail -n 1 >"$work/canary.json"
echo "with its canary after $(awk "BEGIN {print $EPOCHREALTIME - $began}") s"
python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["canaries"]: print(json.dumps(c, indent=1))' "$work/canary.json"
