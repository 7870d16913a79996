#!/usr/bin/env bash
# Compiles candidates of the experiments' kernels and the program that times them; then runs it, where there is a GPU.
# Usage: bench/device/tune/try.sh FOLDER [TOPIC...]      topics of candidates.py
# JOBS compilers at once (all cores); BUDGET_MS of samples a candidate (40).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
shift
cd "$(dirname "$0")"
python3 candidates.py "$out" "$@"
sm90=-gencode=arch=compute_90a,code=sm_90a
compile() { # name, source and macros
    local name=$1 source=$2 macros=() m
    shift 2
    for m; do macros+=("-D$m"); done
    nvcc -cubin $sm90 -std=c++17 "${macros[@]}" -o "$out/$name.cubin" "../../../experiments/$source" ||
        echo "$name is not compiled" >&2
}
export -f compile
export out sm90
[ "$out/try" -nt try.cu ] || nvcc $sm90 -std=c++17 -O2 -o "$out/try" try.cu
grep . "$out/cubins.txt" | xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'compile "$@"' compile
nvidia-smi -L >/dev/null 2>&1 || exit 0
cd "$out"
for list in *.list; do ./try "$list" "${BUDGET_MS:-40}" | tee "${list%.list}.txt"; done
