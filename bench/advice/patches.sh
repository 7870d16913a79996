#!/usr/bin/env bash
# The patches that ridge finds for the shipped experiments, each applied to a copy, run on the simulated H200 and judged:
# a Markdown table on standard output (docs/advice.md). Small cases: those of tests/shipped/cases.
#   bench/advice/patches.sh [EXPERIMENT...]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
RIDGE=${RIDGE:-$root/build/ridge}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RIDGE_JOURNAL=$work/journal.db
cp -r "$root/experiments" "$work/"
cd "$work/experiments"

mapfile -t names < <(awk '!/^#/ { print $1 }' "$root/tests/shipped/cases")
(($# == 0)) || names=("$@")
echo '| experiment: variant | patch | finding | promised | got | verdict |'
echo '|---|---|---|---:|---:|---|'
for name in "${names[@]}"; do
    read -ra options < <(awk -v name="$name" '$1 == name { $1 = ""; print }' "$root/tests/shipped/cases")
    run=("$RIDGE" run --device sim:h200 --seed 1 -q "${options[@]}")
    "${run[@]}" "./$name" >"$work/said.txt" 2>&1 || echo "$name: $(head -1 "$work/said.txt")" >&2
    "$RIDGE" explain "$name" --json >"$work/explained.json"
    count=$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["patches"]))' "$work/explained.json")
    for ((i = 1; i <= count; i++)); do
        "$RIDGE" explain "$name" --apply "$i" --output "$PWD/$name-advice" --run "$("$RIDGE" log "$name" -n 1 --json |
            python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["run"])')" --json >"$work/applied-$i.json"
    done
    ((count > 0)) || continue
    "${run[@]}" "./$name-advice" >"$work/said.txt" 2>&1 || true
    "$RIDGE" show "$name" --json >"$work/after.json"
    python3 - "$work" "$name" "$count" <<'END'
import json, sys
work, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
patches = json.load(open(f"{work}/explained.json"))["patches"]
results = {r["variant"]: r for r in json.load(open(f"{work}/after.json"))["results"]}
for i in range(count):
    p, r = patches[i], results[json.load(open(f"{work}/applied-{i + 1}.json"))["variant"]]
    promise = next((e["expected"] for e in r["expectations"] if e["what"] == "time"), "-")
    got, verdict = "-", r["status"] if r["status"] != "ok" else "no time"
    if r["speedup"]:
        ratio = r["speedup"]["ratio"]
        got = f"{100 * (1 / ratio - 1):+.0f}%"
        verdict = "gains" if ratio > 1.02 else "gains nothing" if ratio > 0.98 else "loses"
    print(f"| {name}: {p['variant']} | {p['maker']} | {p['cause']} | {promise} | {got} | {verdict} |")
END
done
