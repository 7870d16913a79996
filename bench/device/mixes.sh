#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds mixes.cu and runs it: what mixes of instructions, turns of loops and random accesses take on the first GPU. CSV on stdout.
# Usage: mixes.sh [section digits, default 123]; MIXES names a program that was built elsewhere. Needs nvcc and a GPU of
# compute capability 9.0.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [[ -z ${MIXES-} ]]; then
    nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$tmp/mixes" "$here/mixes.cu"
    MIXES=$tmp/mixes
fi
"$MIXES" "${1:-123}"
