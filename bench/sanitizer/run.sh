#!/usr/bin/env bash
# Asks compute-sanitizer's four tools about every kernel of tests/sim/faulty.cu, bad and good, on the first
# GPU. Prints a line per kernel and tool that has something to say: kernel, tool, number of findings, the
# first finding's first line. Needs nvcc and compute-sanitizer. Usage: bench/sanitizer/run.sh [folder for logs] [pattern of names]
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016
set -u
cd "$(dirname "$0")" || exit 1
logs=${1:-$(mktemp -d)}
mkdir -p "$logs"
export PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/extras/compute-sanitizer
nvcc -std=c++17 -lineinfo -arch=sm_90 -o "$logs/runner" runner.cu || exit 1
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
compute-sanitizer --version | tail -2
ask() { # kernel tool
    local options=(--tool "$2" --print-limit 4 --launch-timeout 20)
    [ "$2" = racecheck ] && options+=(--racecheck-report all)
    timeout 20 compute-sanitizer "${options[@]}" "$logs/runner" "$1" > "$logs/$1.$2.txt" 2>&1
    echo "rc $?" >> "$logs/$1.$2.txt"
}
export -f ask
export logs
"$logs/runner" --list | grep -E "${2:-.}" | while read -r name kind; do
    for prefix in bad good; do
        [ "${prefix}_$kind" = bad_BUDGET ] && continue # it never ends
        for tool in memcheck racecheck initcheck synccheck; do
            echo "${prefix}_$name $tool"
        done
    done
done | xargs -P "${JOBS:-8}" -L 1 bash -c 'ask $0 $1'
for f in "$logs"/*_*.txt; do
    echo "$(basename "$f" .txt | tr . ' '): $(grep -oE '(ERROR|RACECHECK) SUMMARY: .*' "$f" | head -1)" \
        "$(grep -E '=========' "$f" | grep -vE 'COMPUTE-SANITIZER|SUMMARY' | head -1 | cut -c11-130)"
done
