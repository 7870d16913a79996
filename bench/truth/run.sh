#!/usr/bin/env bash
# Every shipped experiment on the simulated H200 and on the first real GPU, into one journal, and the
# table of the two (all of them tuning kernels: bench/truth/README.md): bench/truth/run.sh [RIDGE] [JOURNAL]; `half=sim` or `half=cuda` runs one side only.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
ridge=${1:-build/ridge}
journal=${2:-build/truth.sqlite}
for device in sim:h200 cuda:0; do
    [[ -z ${half-} || $device == "$half"* ]] || continue
    while read -r experiment cases; do
        # shellcheck disable=SC2086
        "$ridge" run "experiments/$experiment" --device "$device" --journal "$journal" --seed 1 --time-limit 0.2 -q $cases >/dev/null ||
            echo "truth: $experiment on $device: exit status $?" >&2
    done <bench/truth/cases
done
[[ -n ${half-} ]] || bench/truth/table.sh "$journal" >docs/truth-shipped-h200.md
