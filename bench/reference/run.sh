#!/usr/bin/env bash
# What a slow reference costs: on one core, on all of them (`parallel: M`), and kept from an earlier run. Seconds of the
# phase "reference" of `ridge run`, the fastest of ROUNDS rounds that take turns.
# Usage: bench/reference/run.sh [DEVICE [ROUNDS]]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
device=${1:-sim:h200} rounds=${2:-5}
ridge=$PWD/${RIDGE:-build/ridge}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r bench/reference/matmul "$folder/one"
cp -r bench/reference/matmul "$folder/all"
sed -i 's/\(args: \[c, a, b, M, N, K\]\)}$/\1, parallel: M}/;t' "$folder/all/experiment.yaml"
# Only the reference's line: the variant's ends the same way.
sed -i '/^  - {name/s/, parallel: M}/}/' "$folder/all/experiment.yaml"

seconds() { # EXPERIMENT CACHE: of the phase
    XDG_CACHE_HOME=$folder/$2 "$ridge" run "$folder/$1" --device "$device" --seed 1 --no-journal -q --json >"$folder/run.json"
    python3 -c '
import json, sys
result = json.load(open(sys.argv[1]))["results"][0]
assert result["verified"] is True, result
print(sum(p["s"] for p in result["phases"] if p["name"] == "reference"))' "$folder/run.json"
}
for ((round = 0; round < rounds; round++)); do
    for way in one all; do
        rm -rf "$folder/cache-$way"
        seconds "$way" "cache-$way" >>"$folder/$way.txt"
    done
    seconds all cache-all >>"$folder/kept.txt"
done
for way in one all kept; do
    sort -g "$folder/$way.txt" | head -n 1 |
        awk -v way="$way" -v cores="$(nproc)" '{printf "%-5s %8.3f s%s\n", way, $1, way == "all" ? " on " cores " cores" : ""}'
done
