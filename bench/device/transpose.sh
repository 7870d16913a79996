#!/usr/bin/env bash
# Candidates for the transpose's last step against a copy kernel and cuBLAS, on the first GPU. Needs nvcc,
# or a program built elsewhere: bench/device/transpose.sh [PROGRAM]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-}
if [[ -z $program ]]; then
    program=$(mktemp -d)/transpose
    nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$program" bench/device/transpose.cu -ldl
fi
"$program"
