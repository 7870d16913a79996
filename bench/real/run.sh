#!/usr/bin/env bash
# Verifies kernels of public repositories by the experiments beside this file, and writes the table
# docs/real-kernels.md. Usage: bench/real/run.sh [--write] [--results DIR] [--device DEVICE]... [--compiler NAME]
# [--racecheck] FOLDER...
# Each FOLDER is a checked-out repository, named as it is on GitHub (SGEMM_CUDA, llm.c, …); experiments of
# repositories that are not given are left out, and counted as such. Nothing is fetched, no source is copied.
# --device: sim:h200 (default) or a GPU (timed too); given twice, a column each. --results keeps the answers in DIR, and what is
# there already is not run again, so that the columns may be made one after the other. --racecheck asks NVIDIA's
# compute-sanitizer about each kernel that the simulated GPU reports a race of (needs a GPU).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ridge=$(realpath "${RIDGE:-$here/../../build/ridge}")
write=/dev/stdout devices=() compiler=auto results='' racecheck=
usage() {
    sed -n '2,10s/^# //p' "$0" >&2
    exit 2
}
while [[ ${1:-} == --* ]]; do
    case $1 in
    --write) write=$here/../../docs/real-kernels.md ;;
    --racecheck) racecheck=1 ;;
    --device | --compiler | --results)
        (($# > 1)) || usage
        case $1 in
        --device) devices+=("$2") ;;
        --compiler) compiler=$2 ;;
        --results) results=$2 ;;
        esac
        shift
        ;;
    *) usage ;;
    esac
    shift
done
(($# > 0)) || usage
((${#devices[@]} > 0)) || devices=(sim:h200)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
results=${results:-$temporary/results}
mkdir -p "$results"
results=$(cd "$results" && pwd)
work=$results/work # the same from run to run: compiled code is found again
rm -rf "$work"
mkdir "$work"

for folder in "$@"; do
    name=$(basename "$(cd "$folder" && pwd)")
    ln -s "$(cd "$folder" && pwd)" "$work/$name"
    [[ -e $folder/.git ]] && git -C "$folder" log -1 --format="$name %h"
done >"$work/commits" || true
cp "$here/reference.c" "$work"
python3 "$here/inputs.py" "$work"

# What `ridge` says of an experiment on a device: JSON, messages.
ask() { # experiment device
    local at=$results/$2
    mkdir -p "$at"
    [[ -s $at/$1.json ]] && return
    local how=(verify --check)
    [[ $2 == sim:* ]] || how=(run --no-journal --time-limit 0.05)
    echo "$2 $1" >&2
    "$ridge" "${how[@]}" "$work/$1" --json --quiet --device "$2" --compiler "$compiler" \
        >"$at/$1.json" 2>"$at/$1.err" </dev/null || true
    sed -i "s|$work/||g" "$at/$1.json" "$at/$1.err"
}

# What compute-sanitizer says of a variant on the first GPU.
ask_racecheck() { # experiment variant
    local at=$results/racecheck
    mkdir -p "$at"
    [[ -s $at/$1.$2.txt ]] && return
    echo "racecheck $1 $2" >&2
    timeout 120 compute-sanitizer --tool racecheck --racecheck-report all --target-processes all --print-limit 4 \
        "$ridge" verify "$work/$1" --quiet --device cuda:0 --compiler "$compiler" --variant "$2" \
        >"$at/$1.$2.txt" 2>&1 </dev/null || true
    sed -i "s|$work/||g" "$at/$1.$2.txt"
}

for experiment in "$here"/*/; do
    name=$(basename "$experiment")
    cp -r "$experiment" "$work/$name"
    grep -o 'source: \.\./[^/]*' "$experiment/experiment.yaml" | sed 's|.*/||' | sort -u | while read -r needed; do
        [[ -e $work/$needed ]] || exit 1
    done || continue
    for device in "${devices[@]}"; do
        ask "$name" "$device"
    done
    if [[ -n $racecheck && -s $results/sim:h200/$name.json ]]; then
        python3 "$here/table.py" --races "$results/sim:h200/$name.json" | while read -r variant; do
            ask_racecheck "$name" "$variant"
        done
    fi
done
python3 "$here/table.py" "$work" "$here" "$results" >"$work/table.md"
cat "$work/table.md" >"$write"
