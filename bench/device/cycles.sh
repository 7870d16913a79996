#!/usr/bin/env bash
# What instructions, units and memory take, by a kernel for each question: builds NAME.cu and runs it, CSV on standard output.
#   along    turns in which all warps load one word       behind   what a load waits for behind stores and reductions
#   bulk     bulk copies between device and shared memory (20 seconds)
#   queues   memory instructions in front of the load/store unit
#   rows     loads and stores of a thread a row           slices   atomics on global memory, and which lines a slice of the L2 has
#   stages   loads and stores in the load/store unit      survive  what L2 keeps behind loads that sweep it
#   walks    single loads of walks, place by place        words    loads and stores by how a request's words lie
# Usage: bench/device/cycles.sh NAME
# Needs nvcc and one GPU of compute capability 9.0; takes a few seconds; leaves the GPU's settings alone. Figures: docs/h200-rates.md.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
names="along, behind, bulk, queues, rows, slices, stages, survive, walks, words"
name=${1:?usage: bench/device/cycles.sh NAME, one of $names}
[[ -f $here/$name.cu ]] || { echo "cycles.sh: there is no $name.cu; names are $names" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -O3 -std=c++17 -gencode=arch=compute_90,code=sm_90 -o "$work/$name" "$here/$name.cu"
"$work/$name"
