#!/usr/bin/env bash
# Random small kernels on the simulated GPU and, where there is one, on a real one: every word that PTX
# defines must be the same, bit for bit. MODULES of 100 kernels each from SEED (seed 1, 100 modules: the
# figures of docs/differential.md). The real GPU runs each module twice: compiled by the driver without
# optimisation (level 0) and with its default. Kernels that differ at level 0 are cut down to the first
# statement that makes the difference. Without a GPU the simulated results are held against those of an
# H200, kept in hashes-h200.txt (seed 1). WRITE=1 writes that file anew from the GPU's results.
# Usage: bench/differential/run.sh [SEED [MODULES]]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
seed=${1:-1} modules=${2:-100}
build=${BUILD:-build} here=bench/differential
bin=${BIN:-$build/bench/differential} # BIN: built elsewhere
if [[ -z ${BIN-} ]]; then
    for program in generate run_sim run_device; do
        make -s "BUILD=$build" ${CC:+"CC=$CC"} "$build/bench/differential/$program" >&2
    done
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export bin scratch seed

"$bin/generate" "$seed" 0 "$modules" "$scratch"
all() { find "$scratch" -maxdepth 1 -name 'm*.ptx' -print0 | xargs -0 -P "$(nproc)" -n 3 "$@" | sort -n; }
digests() { # of each module's hundred lines
    local first
    for ((first = 0; first < modules; first++)); do
        echo "$first $(awk -v m="$first" 'int($1 / 100) == m' "$1" | sha256sum | cut -c1-32)"
    done
}
different() { diff "$1" "$scratch/sim" | sed -n 's/^< \([0-9]*\) .*/\1/p'; }

all "$bin/run_sim" "$seed" >"$scratch/sim"
kernels=$(wc -l <"$scratch/sim")
((kernels == modules * 100)) || { echo "differential: $kernels of $((modules * 100)) kernels ran" >&2; exit 1; }

if ! ldconfig -p | grep -F libcuda.so.1 >/dev/null; then
    [[ $seed == 1 ]] || { echo "no GPU here, and hashes only for seed 1"; exit 77; }
    digests "$scratch/sim" >"$scratch/digests"
    if diff <(head -n "$modules" $here/hashes-h200.txt) "$scratch/digests"; then
        echo "$kernels kernels: as on an H200"
        exit 0
    fi
    echo "modules above differ from an H200's results (<)"
    exit 1
fi

for level in 0 4; do
    all "$bin/run_device" "$level" "$seed" >"$scratch/device$level"
    different "$scratch/device$level" >"$scratch/different$level" || true
    echo "optimisation level $level: $kernels kernels, $(wc -l <"$scratch/different$level") differ"
done
[[ -z ${WRITE-} ]] || digests "$scratch/device0" >$here/hashes-h200.txt

# The first statement that makes KERNEL differ: the shortest beginning that does, by bisection.
reduce() {
    local k=$1 low=0 high=28 middle folder=$scratch/reduce$1 file
    mkdir "$folder"
    file=$folder/m$((k / 100)).ptx
    while ((high - low > 1)); do
        middle=$(((low + high) / 2))
        "$bin/generate" "$seed" $((k / 100)) 1 "$folder" "$middle" "$k"
        if cmp -s <("$bin/run_device" --dump "$k" 0 "$seed" "$file") <("$bin/run_sim" --dump "$k" "$seed" "$file")
        then low=$middle; else high=$middle; fi
    done
    "$bin/generate" "$seed" $((k / 100)) 1 "$folder" "$low" "$k"
    cp "$file" "$folder/before"
    "$bin/generate" "$seed" $((k / 100)) 1 "$folder" "$high" "$k"
    echo "== kernel $k: statement $high (then thread, word, < GPU > simulated)"
    diff "$folder/before" "$file" | sed -n 's/^> //p'
    diff <("$bin/run_device" --dump "$k" 0 "$seed" "$file") <("$bin/run_sim" --dump "$k" "$seed" "$file") | grep '^[<>]' | head -n 8
}
while read -r kernel; do reduce "$kernel"; done < <(head -n 20 "$scratch/different0")
[[ ! -s $scratch/different0 ]]
