"""PTX of our own small kernels as tinygrad compiles them: python3 make_tinygrad.py FOLDER

Writes tinygrad_<kernel>.ptx, and on standard output what a launch needs: entry, grid, block. Needs tinygrad (a
checkout in PYTHONPATH does); no GPU and no CUDA. The files under tests/cli/foreign come from here. Every size is
part of the code; the output is the first parameter.
"""
# SPDX-License-Identifier: Apache-2.0
import os
import re
import sys

TARGET = "sm_80"
os.environ["DEV"] = f"NULL:PTX:{TARGET}"
import ptx
from tinygrad import Device, Tensor, dtypes
from tinygrad.codegen import to_program
from tinygrad.runtime.support.compiler_cuda import PTXCompiler
from tinygrad.uop.ops import Ops


def row_sums():
    return Tensor.empty(1000, 256).sum(axis=1)


def gelu():
    return Tensor.empty(3000, dtype=dtypes.half).float().gelu()


def digits():
    x = Tensor.empty(5000, dtype=dtypes.int)
    return (x > 0).where(x // 7 % 10, x.abs().cast(dtypes.uint8).cast(dtypes.int) - 300)


def matmul():
    a, b = (Tensor.empty(128, 128, dtype=dtypes.half) for _ in range(2))
    return a.matmul(b, dtype=dtypes.float)


def main(folder, made_by):
    renderer = Device["NULL"].renderer
    renderer.compiler = PTXCompiler(TARGET)
    for kernel in (row_sums, gelu, digits, matmul):
        (call,) = kernel().schedule_linear().src
        program = to_program(call.src[0], renderer)
        (source,) = (s.arg for s in program.src if s.op is Ops.SOURCE)
        text = renderer.compiler.compile(source).decode()
        ptx.write(f"{folder}/tinygrad_{kernel.__name__}.ptx", f"{made_by}: bench/foreign/make_tinygrad.py, kernel {kernel.__name__}", text)
        print(kernel.__name__, re.search(r"\.entry (\w+)", text)[1], program.arg.global_size, program.arg.local_size)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "tinygrad")
