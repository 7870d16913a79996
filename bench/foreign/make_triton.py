"""PTX of our own small kernels as Triton compiles them: python3 make_triton.py FOLDER

Writes triton_<kernel>.ptx, and on standard output what a launch needs: entry, threads per block, bytes
of dynamic shared memory. Needs Triton (3.x); no GPU. The files under tests/cli/foreign come from here.
"""
# SPDX-License-Identifier: Apache-2.0
import sys

import ptx
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n)
    b = tl.load(y + at, mask=at < n)
    tl.store(out + at, a + b, mask=at < n)


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    sum = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + (at + k)[None, :])
        y = tl.load(b + (at + k)[:, None] * N + n[None, :])
        sum = tl.dot(x, y, sum)
    tl.store(c + m[:, None] * N + n[None, :], sum)


@triton.jit
def histogram(bins, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(bins + (v & 255), 1, mask=at < n)


def make(folder, name, kernel, signature, constants, cc, **options):
    full = dict(signature)
    full.update({key: "constexpr" for key in constants})
    source = ASTSource(fn=kernel, signature=full, constexprs=constants,
                       attrs={(i,): [["tt.divisibility", 16]] for i in range(len(signature))})
    made = triton.compile(source, target=GPUTarget("cuda", cc, 32), options=options)
    path = f"{folder}/triton_{name}.ptx"
    ptx.write(path, f"Triton {triton.__version__}: bench/foreign/make_triton.py, kernel {kernel.__name__}", made.asm["ptx"])
    meta = made.metadata
    print(f"{path}: entry {meta.name}, {meta.num_warps * 32} threads per block, {meta.shared} bytes of shared memory")


folder = sys.argv[1]
make(folder, "add", add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 1024}, 90, num_warps=4)
make(folder, "softmax", softmax, {"out": "*fp32", "x": "*fp32", "columns": "i32"}, {"BLOCK": 1024}, 90, num_warps=4)
make(folder, "histogram", histogram, {"bins": "*i32", "x": "*i32", "n": "i32"}, {"BLOCK": 1024}, 90, num_warps=4)
shapes = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
make(folder, "matmul_sm80", matmul, shapes, {"BM": 64, "BN": 64, "BK": 32}, 80, num_warps=4, num_stages=3)
make(folder, "matmul_sm90", matmul, shapes, {"BM": 64, "BN": 64, "BK": 32}, 90, num_warps=4, num_stages=3)
