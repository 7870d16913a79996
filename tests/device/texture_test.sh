#!/usr/bin/env bash
# What the simulated texture units count and how they filter, beside a real GPU's: the same requests and sectors per
# warp as tests/sim/texture_test.c has. Skips where there is no GPU, nvcc or Nsight Compute. run-alone: it measures.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in nvidia-smi nvcc ncu; do
    if ! command -v $tool >/dev/null || ! nvidia-smi >/dev/null 2>&1; then
        echo "skip - textures: $tool is not here, or there is no GPU"
        exit 0
    fi
done
if ! nvcc -O2 -o "$work/texture" "$here/texture.cu" 2>"$work/err"; then
    echo 'not ok - the kernels compile'
    sed 's/^/# /' "$work/err"
    exit 1
fi
"$work/texture" >"$work/out"
if grep -q ': 0 of 8193' "$work/out"; then
    echo 'ok - weights of the linear filter have 8 bits, rounded to nearest'
else
    echo 'not ok - weights of the linear filter have 8 bits, rounded to nearest'
fi
sed 's/^/# /' "$work/out"
requests=l1tex__t_requests_pipe_tex sectors=l1tex__t_sectors_pipe_tex
ncu --csv --metrics ${requests}_mem_texture.sum,${sectors}_mem_texture.sum,${requests}_mem_surface.sum,${sectors}_mem_surface.sum \
    "$work/texture" >"$work/ncu.csv" 2>&1
if python3 - "$work/ncu.csv" >"$work/out" 2>&1 <<'END'
import csv, sys
rows = csv.DictReader(l for l in open(sys.argv[1]) if l.startswith('"'))
warps, got = 1024 * 1024 // 32, {}
for r in rows:
    name = r['Metric Name'].removeprefix('l1tex__t_').removesuffix('.sum').replace('_pipe_tex_mem', '')
    got.setdefault(int(r['ID']), {})[name] = int(r['Metric Value'].replace(',', '')) / warps
wanted = {0: ('texture', 4, 4), 1: ('texture', 8, 8), 2: ('texture', 8, 8), 3: ('texture', 8, 32),
          4: ('texture', 8, 16), 5: ('surface', 8, 16)}
wrong = 0
for i, (kind, requests, sectors) in wanted.items():
    have = got[i]['requests_' + kind], got[i]['sectors_' + kind]
    print(f'kernel {i}: {have[0]:g} requests and {have[1]:g} sectors per warp, of {requests} and {sectors}')
    wrong += have != (requests, sectors)
sys.exit(wrong)
END
then
    echo 'ok - requests and sectors of textures and surfaces are those of the simulated GPU'
else
    echo 'not ok - requests and sectors of textures and surfaces are those of the simulated GPU'
fi
sed 's/^/# /' "$work/out"
