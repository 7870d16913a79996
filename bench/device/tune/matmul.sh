#!/usr/bin/env bash
# Compiles the candidates of a matrix product and the program that times them.
# Usage: bench/device/tune/matmul.sh KIND FOLDER (KIND: bf16 or f32), then FOLDER/matmul [FOLDER] [ROUNDS] [SIZE]
# JOBS compilers at once (all cores).
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
kind=$1
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")"
cp "configs-$kind.txt" "$out/configs.txt"
sm90=-gencode=arch=compute_90a,code=sm_90a
compile() { # name and macros
    local name=$1 macros=() m
    shift
    for m; do macros+=("-D$m"); done
    nvcc -cubin $sm90 -std=c++17 "${macros[@]}" -o "$out/$name.cubin" "$source"
}
default=matmul.cu
[ "$kind" = f32 ] && default=boxes.cu
export -f compile
export out sm90 source="../../../experiments/matmul-$kind/${SOURCE:-$default}"
nvcc $sm90 -std=c++17 -O2 -o "$out/matmul" "matmul_$kind.cu" -lcublas &
grep . "$out/configs.txt" | xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'compile "$@"' compile
wait
