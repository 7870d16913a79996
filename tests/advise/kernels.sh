# Sourced by the tests of patches: an experiment around one kernel of a file of this folder.
# SPDX-License-Identifier: Apache-2.0
experiment() { # FILE KERNEL N GRID BLOCK ARGS TOLERANCE: its folder
    mkdir -p "$2"
    cp "$here/../advise/$1" "$2/kernels.cu"
    cat >"$2/experiment.yaml" <<END
experiment: $2
title: A kernel as it is first written
source: kernels.cu
reference: {variant: naive}
params: {N: [$3]}
buffers:
  x: {type: f32, count: N, fill: "uniform(0.5,1)"}
  v: {type: f32, count: 1024, fill: "uniform(0.5,1)"}
  y: {type: f32, count: N, fill: constant(0), output: true, written: some, tolerance: $7}
work: {bytes: 2*N*4}
variants:
  - name: naive
    kernel: $2
    grid: $4
    block: $5
    args: $6
END
}
