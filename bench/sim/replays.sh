#!/usr/bin/env bash
# How long the replays take that price findings: each shipped experiment on the simulated H200, all cases and variants of its file.
# A table in Markdown: launches, wall time, processor time, the longest launch. Exit status 1: one takes longer than the 2 s that
# they may take on two cores. Wall time means something only on a machine that does nothing else: the load is beside it. Usage:
# bench/sim/replays.sh [EXPERIMENT...]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build} most=2
make -s "BUILD=$build" all >&2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
link=$(make -n -W src/cli/main.c "BUILD=$build" "$build/ridge" | grep -- "-o $build/ridge " | tail -1)
[[ $link ]] || { echo "replays: the Makefile has no line that links $build/ridge" >&2; exit 2; }
"${CC:-cc}" -std=c17 -D_GNU_SOURCE -O2 -Isrc -c bench/sim/replays.c -o "$scratch/replays.o"
eval "${link/-o $build\/ridge /-o $scratch/ridge -Wl,--wrap=sim_counterfactuals $scratch/replays.o }"
if [[ $# -eq 0 ]]; then
    for file in experiments/*/experiment.yaml; do
        name=${file%/experiment.yaml}
        set -- "$@" "${name#experiments/}"
    done
fi
printf '| experiment | launches | wall, s | processors, s | longest launch, s | load |\n|---|---|---|---|---|---|\n'
missed=0
for name; do
    : >"$scratch/into"
    RIDGE_DATA_DIR=$PWD/$build/share/ridge RIDGE_REPLAYS_INTO=$scratch/into timeout 600 "$scratch/ridge" run \
        "experiments/$name" --device sim:h200 --seed 1 -q --no-journal >/dev/null 2>"$scratch/err" || true
    read -r load _ </proc/loadavg
    if [[ -s $scratch/into ]]; then
        read -r launches wall processors longest < <(awk '{ w += $1; p += $2; if ($1 > l) l = $1 }
            END { printf "%d %.2f %.2f %.2f\n", NR, w, p, l }' "$scratch/into")
        echo "| $name | $launches | $wall | $processors | $longest | $load |"
        awk "BEGIN { exit !($wall > $most) }" && missed=1
    else
        echo "| $name | no replay: $(head -1 "$scratch/err" | cut -c1-80) | | | | |"
    fi
done
exit $missed
