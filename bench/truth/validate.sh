#!/usr/bin/env bash
# The model of time against what an H200 took. The measured side is committed (the files that sets.csv names, made by
# measure.py), and so is the simulated side (modelled-h200.csv); every kernel is committed PTX.
#   bench/truth/validate.sh simulate [OPTION...]  the rows on the simulated H200, as CSV on standard output
#   bench/truth/validate.sh page                  docs/truth-h200.md, from the committed rows, on standard output
#   bench/truth/validate.sh replay                the rows of replayed.txt again: equal to the committed ones?
# Options of simulate:
#   --jobs N      rows at once, each on one thread (default: the processors)
#   --shard I/N   every Nth row, the first being row I (1 to N)
#   --only REGEX  rows "experiment,variant,case" that match
#   --limit S     seconds for each row (default 3600)
# The rows do not depend on jobs and shards: sort the shards' outputs into one file (LC_ALL=C sort).
# TRUTH_PTXAS names a ptxas, for toolkit-h200.csv: its counts are machine code's, and registers exact.
# RIDGE names the program (default build/ridge). Exit status: 0, 1 a row differs or has no result, 2 usage.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
RIDGE=${RIDGE:-$root/build/ridge}
# Without it registers and machine instructions are estimated, as on a machine without a toolkit: the same everywhere.
export RIDGE RIDGE_PTXAS=${TRUTH_PTXAS:-none}
unset RIDGE_JOURNAL
columns='time_ns warp_instructions shared_load_requests l2_read_sectors'

# folder EXPERIMENT WORK: where it is run from. Since a variant must say that it computes in less than its data's precision,
# mma-direct needs a line that the list of 2026-11-22 does not have; the list stays as it was, a copy gets the line.
folder() {
    local from
    from=$here/$(awk -F, -v prefix="${1%%-*}" '!/^#/ && $2 == prefix { print $3 }' "$here/sets.csv")/${1#*-}
    [[ $1 == validation-dense ]] || { echo "$from"; return; }
    cp -r "$from" "$2/"
    sed -i 's/^  - name: mma-direct$/&\n    precision: bf16/' "$2/${from##*/}/experiment.yaml"
    echo "$2/${from##*/}"
}

# row EXPERIMENT,VARIANT,CASE: the row with its modelled figures. Nothing, and why on standard error,
# where the kernel has no result.
row() {
    local experiment variant label work parameter
    local -a case=()
    IFS=, read -r experiment variant label <<<"$1"
    for parameter in $label; do case+=(-p "$parameter"); done
    work=$(mktemp -d)
    # One kernel of the sparse ones, compact-odd, writes out of bounds: exit status 1, no result.
    timeout "${limit:-3600}" "$RIDGE" run "$(folder "$experiment" "$work")" --device sim:h200 --seed 1 -j 1 -q --variant "$variant" \
        "${case[@]}" --journal "$work/journal.db" >"$work/said.txt" 2>&1 || true
    "$RIDGE" export --format csv --journal "$work/journal.db" 2>>"$work/said.txt" |
        awk -F, -v key="$1" -v variant="\"$variant\"" -v columns="$columns" '
            BEGIN { n = split(columns, name, " ") }
            $4 == variant { gsub(/"/, "", $6); sub(/_median$/, "", $6); value[$6] = $7 }
            END { if (!("time_ns" in value)) exit 1
                  printf "%s,%.1f", key, value["time_ns"]
                  for (i = 2; i <= n; i++) printf ",%.0f", value[name[i]]
                  print "" }' || { echo "$1: no result: $(tail -n 1 "$work/said.txt")" >&2; : >"${failed:-/dev/null}"; }
    rm -rf "$work"
}

# The files of measured rows that there are.
measured() {
    local name
    awk -F, '!/^#/ { print $4 }' "$here/sets.csv" | while read -r name; do
        [[ ! -e $here/$name ]] || echo "$here/$name"
    done
}

keys() { awk -F, '!/^#/ { print $1 "," $2 "," $3 }' "$@"; }

# simulate_rows JOBS: the rows that standard input names, sorted.
simulate_rows() {
    local work status=0
    work=$(mktemp -d)
    export failed=$work/failed limit
    # The longest rows first: the second of the two cases.
    xargs -d '\n' -P "$1" -n 1 "${BASH_SOURCE[0]}" row | sort
    [[ ! -e $failed ]] || status=1
    rm -rf "$work"
    return $status
}

simulate() {
    local jobs shard=1/1 only=.
    local -a files
    jobs=$(nproc) limit=3600
    while (($# > 1)); do
        case $1 in
        --jobs) jobs=$2 ;;
        --shard) shard=$2 ;;
        --only) only=$2 ;;
        --limit) limit=$2 ;;
        *) break ;;
        esac
        shift 2
    done
    (($# == 0)) && [[ $shard =~ ^[1-9][0-9]*/[1-9][0-9]*$ && $jobs =~ ^[1-9][0-9]*$ ]] || usage
    mapfile -t files < <(measured)
    keys "${files[@]}" | { grep -E "$only" || true; } |
        awk -v i="${shard%/*}" -v n="${shard#*/}" 'NR % n == i % n' | simulate_rows "$jobs"
}

replay() {
    local work status=0
    work=$(mktemp -d) limit=3600
    grep -v '^#' "$here/replayed.txt" | sort >"$work/keys"
    simulate_rows "$(nproc)" <"$work/keys" >"$work/now" || status=1
    join -t '|' "$work/keys" <(awk -F, '!/^#/ { print $1 "," $2 "," $3 "|" $0 }' "$here/modelled-h200.csv" | sort -t '|' -k 1,1) |
        cut -d '|' -f 2 >"$work/committed"
    diff -u "$work/committed" "$work/now" || status=1
    [[ -s $work/now ]] || status=1
    rm -rf "$work"
    return $status
}

usage() {
    sed -n '/^#   bench/,/^# RIDGE/s/^# \?//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

case ${1-} in
simulate) simulate "${@:2}" ;;
replay) replay ;;
row) row "$2" ;;
page)
    mapfile -t files < <(measured)
    awk -v history="$here/history.md" -f "$here/page.awk" "$here/sets.csv" "${files[@]}" "$here"/{modelled,toolkit}-h200.csv
    ;;
*) usage ;;
esac
