#!/usr/bin/env bash
# How many evaluations a search of a space of choices needs: the spaces beside this file are recorded on DEVICE (every
# point verified and timed, and ranked on the simulated GPU), then searched again from the record by each strategy.
# On a simulated GPU target and rank are the same simulator: times are modelled, and the rank comes from a smaller case.
# Usage: bench/tune/run.sh [DEVICE [SEEDS [FILE.json...]]]      (FILEs: other T4 records, searched too)
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
device=${1:-sim:h200} seeds=${2:-50}
shift $(($# < 2 ? $# : 2))
build=${BUILD:-build} ridge=${RIDGE:-$build/ridge}
make -s "BUILD=$build" "$build/bench/tune/replay" >&2
records=${RECORDS:-$(mktemp -d)}
mkdir -p "$records"

record() { # NAME EXPERIMENT:VARIANT RANK-PARAM
    local rank=()
    [[ $device == sim:* ]] && rank=(--rank-param "$3")
    "$ridge" tune "bench/tune/$2" --device "$device" --strategy pruned --evaluations 1000000 "${rank[@]}" -q \
        --save-t4 "$records/$1.json" >"$records/$1.txt"
}
record rows rows:rows ROWS=1024
record transpose transpose:tile N=512
"$build/bench/tune/replay" "$seeds" "$records/rows.json" "$records/transpose.json" "$@"
