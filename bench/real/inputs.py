# Data that host programs of the repositories compute and hand to their kernels, as files for the experiments.
# Usage: inputs.py FOLDER
# SPDX-License-Identifier: Apache-2.0
import array
import os
import sys

folder = sys.argv[1]


def write(name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


# HeCBench's popcount: how many bits are set in a byte.
write("bits-set.bin", bytes(bin(i).count("1") for i in range(256)))

# fast.cu: the tiles that each of 64 clusters works on, up to 128 of them, -1 behind the last one. Here row by row,
# 8 by 8 tiles for N=2048; the host program orders them along a Hilbert curve.
order = array.array("i", [-1] * (128 * 128))
for i in range(64):
    order[i * 128] = (i // 8) << 16 | i % 8
write("tile-order.bin", order.tobytes())
