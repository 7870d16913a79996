"""PTX of our own small kernels as Numba compiles them: python3 make_numba.py FOLDER

Writes numba_<kernel>.ptx. Needs Numba with its CUDA target (numba-cuda) and NVVM; no GPU. The files
under tests/cli/foreign come from here. An array argument becomes seven parameters: two pointers that
kernels never follow, the number of items, an item's bytes, the data, the shape, the stride in bytes.
"""
# SPDX-License-Identifier: Apache-2.0
import math
import sys

import numpy

for gone, now in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
    if not hasattr(numpy, gone):  # numba-cuda of 2026 still asks NumPy for names that 2.5 dropped
        setattr(numpy, gone, getattr(numpy, now))
import numba
import ptx
from numba import cuda, float32, float64, int32, uint8, void


def saxpy(out, x, y, a):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = a * x[i] + y[i]


def block_sum(out, x):
    part = cuda.shared.array(256, dtype=float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.shape[0] else 0
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def histogram(bins, x):
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        cuda.atomic.add(bins, x[i], 1)


def escape(out, width):
    i = cuda.grid(1)
    if i < out.shape[0]:
        cr = -2.0 + 3.0 * (i % width) / width
        ci = -1.5 + 3.0 * (i // width) / width
        zr = 0.0
        zi = 0.0
        n = 0
        while zr * zr + zi * zi < 4.0 and n < 64:
            zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
            n += 1
        out[i] = n


def wave(out, x):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = math.exp(-x[i] * x[i]) * math.sin(3.0 * x[i])


folder = sys.argv[1]
for name, kernel, signature in (
    ("saxpy", saxpy, void(float32[::1], float32[::1], float32[::1], float32)),
    ("block_sum", block_sum, void(float32[::1], float32[::1])),
    ("histogram", histogram, void(int32[::1], uint8[::1])),
    ("escape", escape, void(int32[::1], int32)),
    ("wave", wave, void(float64[::1], float64[::1])),
):
    made = cuda.compile(kernel, signature, cc=(9, 0), device=False, abi="numba", output="ptx", lineinfo=True)
    text = made[0]
    ptx.write(f"{folder}/numba_{name}.ptx", f"Numba {numba.__version__}: bench/foreign/make_numba.py, kernel {name}", text)
    print(f"{folder}/numba_{name}.ptx:", next(line for line in text.splitlines() if ".entry" in line))
