#!/usr/bin/env python3
# Makes experiment.yaml: for each kernel NAME of causes.cu, which has the cause of that name, and its twin NAME_not,
# which has not. A line of causes.cu before a kernel gives its launch: // launch: GRID BLOCK [SHARED_BYTES]
# SPDX-License-Identifier: Apache-2.0
import re
import sys

print("""# Made by make.py from causes.cu.
# SPDX-License-Identifier: Apache-2.0
experiment: causes
title: Kernels that have a cause, and twins that do not
source: causes.cu
params: {N: [262144]}
buffers:
  x: {type: f32, count: N, fill: "uniform(0.5,1)"}
  y: {type: f32, count: N, fill: constant(0)}
work: {bytes: 2*N*4}
variants:""")
for launch, name in re.findall(r"// launch: (.*)\n__global__ void (?:__launch_bounds__\(\d+\) )?(\w+)", open(sys.argv[1]).read()):
    grid, block, *shared = re.sub(r"N/(\d+)", r"ceil_div(N,\1)", launch).split()
    print(f"  - name: {name}\n    kernel: {name}\n    grid: [{grid}]\n    block: [{block}]\n    args: [y, x, N]")
    if name.startswith("half"):
        print("    precision: f16")
    if shared:
        print(f"    shared_bytes: {shared[0]}")
