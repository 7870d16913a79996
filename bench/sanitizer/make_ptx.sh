#!/usr/bin/env bash
# Makes tests/sim/faulty_{nvcc,clang}.ptx from tests/sim/faulty.cu. Needs nvcc and clang.
# Usage: bench/sanitizer/make_ptx.sh
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/../../tests/sim"
headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
: > "$headers/assert.h" # cuda_min.h has its own
nvcc -std=c++17 -lineinfo -arch=sm_90 -ptx -o faulty_nvcc.ptx faulty.cu
clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -nostdinc \
    -isystem "$headers" -O3 -std=c++17 -gline-tables-only -Xclang -target-feature -Xclang +ptx75 \
    -Wno-unknown-cuda-version -include ../../assets/cuda_min.h -S -o faulty_clang.ptx faulty.cu
# Our own files without the folder; whose a header is, its folder says.
sed -i "s|$PWD/||" faulty_nvcc.ptx faulty_clang.ptx
