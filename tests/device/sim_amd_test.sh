#!/usr/bin/env bash
# Shipped experiments on the simulated AMD GPU: clang's machine code for gfx90a gives what their references give, and what
# is wrong is reported. Needs clang.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
RIDGE=$(realpath "${RIDGE:-build/ridge}")
command -v clang >/dev/null || { echo 'skip: no clang'; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang --print-targets >"$work/targets.txt" 2>&1 || true
grep -w amdgcn "$work/targets.txt" >/dev/null || { echo "skip: this clang makes no code for AMD's GPUs"; exit 0; }
experiments=$(realpath experiments)
cd "$work"
export RIDGE_JOURNAL=$work/journal.db
failures=0

verified() { # EXPERIMENT PARAMETER VARIANT...
    local experiment=$1 parameter=$2 variant
    shift 2
    "$RIDGE" verify "$experiments/$experiment" --device sim:mi250x --param "$parameter" >out.txt 2>err.txt || true
    for variant; do
        if ! grep -E "^  $variant +verified" out.txt >/dev/null; then
            echo "FAIL: $experiment: $variant is not verified"
            cat out.txt err.txt
            failures=$((failures + 1))
        fi
    done
}

verified vector n=65536 strided aos soa soa-vec4 aos-vec4
verified portable n=65536 chunks strided sized-at-launch
verified transpose N=256 naive coalesced-reads tiled padded rows wide striped
verified histogram N=1024 global shared private wide runs columns
verified lookup N=1024 global constant shared wide columns

cat >wrong.cu <<'CU'
extern "C" __global__ void copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + 1] = in[i];
}
CU
cat >reference.c <<'C'
void copy_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i];
}
C
cat >experiment.yaml <<'YAML'
experiment: wrong
title: A store beyond the end
source: wrong.cu
reference: reference.c:copy_ref
params:
  N: [1024]
buffers:
  in: {type: f32, count: N, fill: "uniform(-1,1)"}
  out: {type: f32, count: N, output: true}
work: {bytes: 8*N}
variants:
  - {name: shifted, kernel: copy, grid: [4], block: [256], args: [out, in, N]}
YAML
status=0
"$RIDGE" verify . --device sim:mi250x >out.txt 2>err.txt || status=$?
if [[ $status != 1 ]] || ! grep -F "past the end of 'out' (4096 bytes), by 'global_store_dword" out.txt >/dev/null; then
    echo "FAIL: the store beyond the end is not reported (status $status)"
    cat out.txt err.txt
    failures=$((failures + 1))
fi
sed -i 's/args: \[out, in, N\]}/args: [out, in, N], requires: cc >= 9.0}/' experiment.yaml
"$RIDGE" verify . --device sim:mi250x >out.txt 2>err.txt || true
if ! grep -F 'cc >= 9.0' out.txt err.txt >/dev/null || grep -F "past the end" out.txt >/dev/null; then
    echo "FAIL: a variant for NVIDIA's chips is not left out"
    cat out.txt err.txt
    failures=$((failures + 1))
fi
((failures == 0)) && echo 'shipped experiments run as machine code of gfx90a'
exit $((failures > 0))
