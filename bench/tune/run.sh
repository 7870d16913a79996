#!/usr/bin/env bash
# How many evaluations a search of a space of choices needs: the spaces beside this file are recorded on DEVICE (every
# point verified and timed, and ranked on the simulated GPU), then searched again from the record by each strategy.
# On a simulated GPU target and rank are the same simulator: times are modelled, and the rank comes from some of the blocks.
# RECORDS=FOLDER keeps the records. Ranks of a GPU's points can be made on another machine: see join.py.
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

record() { # EXPERIMENT:VARIANT RANK...
    local name=${1%:*}
    "$ridge" tune "bench/tune/$1" --device "$device" --strategy pruned --evaluations 1000000 "${@:2}" -q \
        --save-t4 "$records/$name.json" >"$records/$name.txt"
}
record rows:rows --rank-blocks 0.5
record transpose:tile --rank-blocks 0.2
record matmul:tiles --rank-param K=128 --rank-blocks 0.15
"$build/bench/tune/replay" "$seeds" "$records"/{rows,transpose,matmul}.json "$@"
