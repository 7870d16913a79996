#!/usr/bin/env bash
# The table of docs/checks.md: what compute-sanitizer (run.sh's logs) and the simulated GPU (faulty_test) say of
# every kernel of tests/sim/faulty.cu. Usage: bench/sanitizer/table.sh LOGS [build folder]
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016
set -eu
logs=$(realpath "$1")
cd "$(dirname "$0")/../.."
ridge=$(FAULTY_PRINT=1 RIDGE_DATA_DIR=$PWD "${2:-build}/tests/sim/faulty_test")

sanitizer() { # kernel: what the tools that found something say
    local tool log said=
    for tool in memcheck racecheck initcheck synccheck; do
        log=$logs/$1.$tool.txt
        if [ ! -f "$log" ]; then
            said="not run"
        elif grep -qE 'ERROR SUMMARY: [1-9]|SUMMARY: [1-9][0-9]* hazard' "$log"; then
            said+="${said:+; }$tool: $(grep -E '^=========' "$log" | grep -vE 'COMPUTE|SUMMARY' | sed -E \
                's/=+ *//; s/ detected.*//; s/(Error|Warning): *//; s/__/`__/; s/__ /__` /; s/ of size/,/; q')"
            local line
            line=$(grep -oE 'faulty\.cu:[0-9]+' "$log" | head -1 | cut -d: -f2)
            said+="${line:+ (line $line)}"
        fi
    done
    echo "${said:--}"
}
simulated() { # kernel: of nvcc's and clang's PTX
    local nvcc clang
    nvcc=$(grep "^faulty_nvcc.ptx $1 " <<< "$ridge" | cut -d' ' -f3- | tr A-Z_ 'a-z ')
    clang=$(grep "^faulty_clang.ptx $1 " <<< "$ridge" | cut -d' ' -f3- | tr A-Z_ 'a-z ')
    [ "$nvcc" = "$clang" ] && echo "$nvcc" || echo "$nvcc; clang's PTX: $clang"
}
echo "| kernel | compute-sanitizer, bad | ridge, bad | compute-sanitizer, good | ridge, good |"
echo "|---|---|---|---|---|"
grep -oE '^FAULTY\([a-z0-9_]+' tests/sim/faulty.def | cut -c8- | while read -r name; do
    echo "| \`$name\` | $(sanitizer "bad_$name") | $(simulated "bad_$name") |" \
        "$(sanitizer "good_$name") | $(simulated "good_$name") |"
done
