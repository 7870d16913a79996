#!/usr/bin/env bash
# What loads and stores of a thread a row take, and where L1 has a line's tag (rows.cu), as CSV on standard output.
# Usage: bench/device/rows.sh
# Needs nvcc and one GPU of compute capability 9.0; takes some ten seconds; leaves the GPU's settings alone.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$work/rows" "$here/rows.cu"
"$work/rows"
