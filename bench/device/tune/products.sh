#!/usr/bin/env bash
# Compiles the candidates of a matrix product, or of attention, and the program that times them.
# Usage: bench/device/tune/products.sh KIND FOLDER, then FOLDER/tune FOLDER [ROUNDS] [SIZE]
#   KIND  bf16, f32, attention
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
    [[ $name == turned* ]] && source=${source/boxes/turned}
    nvcc -cubin $sm90 -std=c++17 "${macros[@]}" -o "$out/$name.cubin" "$source"
}
case $kind in
    bf16) source=matmul-bf16/matmul.cu program=matmul_bf16.cu ;;
    f32) source=matmul-f32/boxes.cu program=matmul_f32.cu ;;
    *) source=$kind/$kind.cu program=$kind.cu ;;
esac
source=../../../experiments/$source
export -f compile
export out sm90 source
nvcc $sm90 -std=c++17 -O2 -o "$out/tune" "$program" -lcublas &
grep . "$out/configs.txt" | xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'compile "$@"' compile
wait
