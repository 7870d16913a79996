#!/usr/bin/env bash
# No modelled time is below what the bytes of the work take at the memory's rate, bulk copies included.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need python3 clang
experiments=$here/../../experiments
[ -d "$experiments" ] || experiments=$RIDGE_DATA_DIR/experiments

above() { # above NAME PARAMS...: every variant that ran takes at least its floor
    local name=$1 params=() p
    shift
    for p; do params+=(--param "$p"); done
    "$RIDGE" run "$experiments/$name" --device sim:h200 --no-journal --seed 7 -q --json "${params[@]}" >run.json 2>err.txt &&
        python3 - run.json >faster.txt <<'PYTHON'
import json, sys
ran = [r for r in json.load(open(sys.argv[1]))["results"] if r["status"] == "ok"]
for r in ran:
    if r["time_ns"]["median"] < r["floor_ns"]:
        print(r["variant"], r["time_ns"]["median"], "ns, floor", r["floor_ns"])
sys.exit(not ran or any(r["time_ns"]["median"] < r["floor_ns"] for r in ran))
PYTHON
    pass "$name ($*): no time is below its floor" $? faster.txt
}

above transpose N=2048
above vector n=1000000
above reduction N=1000000

finish
