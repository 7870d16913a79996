#!/usr/bin/env bash
# Patterns of inputs on a real GPU: every shipped experiment is right on its own, and a kernel that is right on random
# inputs only is refused. Skips where there is none.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/gpu.sh"
need_gpu patterns

while read -r name rest; do
    case $name in '' | '#'*) continue ;; esac
    read -ra params <<<"$rest"
    if "$RIDGE" verify "$name" --device cuda:0 --patterns -q --plain "${params[@]}" >"$work/said.txt" 2>&1; then
        echo "ok - $name is right on its patterns"
    else
        echo "not ok - $name is right on its patterns"
        grep -v 'verified' "$work/said.txt" | sed 's/^/# /' | head -8
    fi
done <"$here/../shipped/cases"

mkdir "$work/planted"
cat >"$work/planted/experiment.yaml" <<'Y'
experiment: planted
source: planted.cu
reference: reference.c:most
params: {N: [4096]}
buffers:
  in: {type: f32, count: N, fill: "uniform(0,1)"}
  out: {type: f32, count: N, output: true, tolerance: {rel: 0, abs: 0}}
variants:
  - {name: honest, kernel: honest, grid: ["ceil_div(N,128)"], block: [128], args: [out, in, N]}
  - {name: unequal, kernel: unequal, grid: ["ceil_div(N,128)"], block: [128], args: [out, in, N]}
  - {name: positive, kernel: positive, grid: ["ceil_div(N,128)"], block: [128], args: [out, in, N]}
Y
cat >"$work/planted/planted.cu" <<'C'
extern "C" __global__ void honest(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] >= in[(i + 1) % n] ? 1.0f : 0.0f;
}
extern "C" __global__ void unequal(float *out, const float *in, int n) // equal neighbours are forgotten
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] > in[(i + 1) % n] ? 1.0f : 0.0f;
}
extern "C" __global__ void positive(float *out, const float *in, int n) // zeros are forgotten
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[(i + 1) % n] / in[i] <= 1.0f ? 1.0f : 0.0f;
}
C
cat >"$work/planted/reference.c" <<'C'
void most(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i] >= in[(i + 1) % n] ? 1.0f : 0.0f;
}
C
verify() { "$RIDGE" verify "$work/planted" --device "${DEVICE:-cuda:0}" -q --plain "$@" >"$work/said.txt" 2>&1; }
if verify --seed 1 --variant honest --variant unequal --patterns; then
    echo "not ok - a kernel that forgets equal neighbours is refused"
else
    grep -q 'honest.*verified' "$work/said.txt" && grep -q "unequal.*\(wrong\|equal\)" "$work/said.txt" &&
        echo "ok - a kernel that forgets equal neighbours is refused" ||
        echo "not ok - a kernel that forgets equal neighbours is refused"
fi
sed 's/^/# /' "$work/said.txt" | head -8
if verify --seed 1 --variant positive --patterns; then
    echo "not ok - a kernel that divides by what may be zero is refused"
else
    echo "ok - a kernel that divides by what may be zero is refused"
fi
sed 's/^/# /' "$work/said.txt" | head -8
