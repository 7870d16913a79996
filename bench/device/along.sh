#!/usr/bin/env bash
# How long turns take in which all warps load one word and compute with it (along.cu), as CSV on standard output.
# Usage: bench/device/along.sh
# Needs nvcc and one GPU of compute capability 9.0; takes a few seconds; leaves the GPU's settings alone.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$work/along" "$here/along.cu"
"$work/along"
