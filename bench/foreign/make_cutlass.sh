#!/usr/bin/env bash
# PTX of our own matrix product with CUTLASS' CuTe, as nvcc compiles it: make_cutlass.sh FOLDER. Writes cutlass_sm80.ptx and
# cutlass_sm90.ptx. Needs nvcc and CUTLASS' headers (CUTLASS: their include/ folder; BSD-3-Clause); no GPU. The files under
# tests/cli/foreign come from here: CUTLASS 4.7.0, nvcc 13.0. No text of CUTLASS is in them, but names of its templates.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
into=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(awk '/define CUTLASS_(MAJOR|MINOR|PATCH) / { printf "%s%s", at++ ? "." : "", $3 }' "$CUTLASS/cutlass/version.h")
by="CUTLASS $version, $(nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/nvcc \1/p'): bench/foreign/make_cutlass.sh"
cd "$here"
for target in 80:80 90:90a; do
    nvcc -std=c++17 -O3 --expt-relaxed-constexpr -lineinfo -I"$CUTLASS" -DCUTE_KERNEL="${target%:*}" \
        -gencode "arch=compute_${target#*:},code=compute_${target#*:}" -ptx -o "$work/out.ptx" cutlass.cu
    "${PYTHON:-python3}" -c 'import sys, ptx; ptx.write(sys.argv[1], sys.argv[2], open(sys.argv[3]).read())' \
        "$into/cutlass_sm${target%:*}.ptx" "$by" "$work/out.ptx"
done
