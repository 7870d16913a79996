#!/usr/bin/env bash
# What bulk copies between device and shared memory take (bulk.cu): CSV on standard output, about 20 seconds.
# Usage: bench/device/bulk.sh
# Needs nvcc and one GPU of compute capability 9.0; leaves the GPU's settings alone. Figures: docs/h200-rates.md, section 4.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$work/bulk" "$here/bulk.cu"
"$work/bulk"
