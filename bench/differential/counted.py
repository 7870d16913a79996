#!/usr/bin/env python3
# Random kernels' instructions: a GPU's counters (CUPTI) beside the model's, by kind of instruction.
#   counted.py make SEED KERNELS FOLDER   an experiment of so many kernels of bench/differential's generator (built: make
#                                         build/bench/differential/generate), each a variant with a PTX file of its own
#   counted.py compare SIM.sqlite GPU.sqlite   a table from the journals of `ridge run FOLDER` on both
# What the kernels compute is compared by run.sh; here every lane's input is the same on both sides, by the same seed.
# SPDX-License-Identifier: Apache-2.0
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

GENERATE = os.environ.get("GENERATE", "build/bench/differential/generate")
THREADS_MAX, IN_WORDS, OUT_WORDS, SUM_WORDS, PER_MODULE = 384, 16, 56, 8, 100  # as in differential.h
COUNTERS = ["warp_instructions", "thread_instructions", "branches", "integer_ops", "fadd_f32", "fmul_f32", "ffma_f32", "flops_f16",
            "flops_f64", "special_ops", "shared_load_requests", "shared_store_requests", "global_load_requests", "global_store_requests",
            "global_atomic_requests", "local_load_sectors", "local_store_sectors", "registers_per_thread"]

HEAD = """# Random kernels of bench/differential, seed {seed}: made by counted.py.
# SPDX-License-Identifier: Apache-2.0
experiment: differential-counted
title: Random kernels, counted
source: k0.ptx
params:
  words: [{words}]
buffers:
  in:
    type: u32
    count: words
    fill: integers(0,4294967295)
  out:
    type: u32
    count: {out}
work:
  bytes: 4*words
variants:
"""
VARIANT = """  - name: k{k}
    title: Kernel k{k}.
    source: k{k}.ptx
    kernel: k{k}
    grid: {grid}
    block: {block}
    args: [in, out]
"""


def make(seed, kernels, folder):
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        modules = (kernels + PER_MODULE - 1) // PER_MODULE
        subprocess.run([GENERATE, str(seed), "0", str(modules), work], check=True)
        for m in range(modules):
            with open(os.path.join(work, f"m{m}.ptx")) as f:
                head, *bodies = re.split(r"(?=^\.visible \.entry )", f.read(), flags=re.M)
            for body in bodies:
                k = int(re.match(r"\.visible \.entry k(\d+)", body).group(1))
                if k < kernels:
                    with open(os.path.join(folder, f"k{k}.ptx"), "w") as f:
                        f.write(head + body)
    with open(os.path.join(folder, "experiment.yaml"), "w") as f:
        f.write(HEAD.format(seed=seed, words=THREADS_MAX * IN_WORDS, out=THREADS_MAX * OUT_WORDS + SUM_WORDS))
        for k in range(kernels):
            f.write(VARIANT.format(k=k, block=32 * (1 + k % 3), grid=1 + k // 3 % 4))


def counters(path):
    base = sqlite3.connect(path)
    rows = base.execute("SELECT r.variant, c.name, c.value FROM counters c JOIN results r ON c.result = r.id ORDER BY r.id")
    found = {}
    for variant, name, value in rows:
        found.setdefault(variant, {})[name] = value
    return found


def compare(simulated, measured):
    left, right = counters(simulated), counters(measured)
    both = sorted(set(left) & set(right))
    print("| counter | kernels | equal | within 5 % | within 10 % | median ratio | sum, simulated over measured |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in COUNTERS:
        pairs = [(left[v][name], right[v][name]) for v in both if name in left[v] and name in right[v]]
        if not pairs:
            continue
        ratios = [s / m for s, m in pairs if m]
        off = [abs(s - m) / m if m else (0 if s == m else 9) for s, m in pairs]
        total = sum(m for _, m in pairs)
        ratio = f"{statistics.median(ratios):.2f}" if ratios else "-"
        print(f"| {name} | {len(pairs)} | {sum(s == m for s, m in pairs)} | {sum(o <= .05 for o in off)} | {sum(o <= .1 for o in off)} | {ratio} "
              f"| {f'{sum(s for s, _ in pairs) / total:.2f}' if total else '-'} |")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["make"] and len(arguments) == 4:
        make(int(arguments[1]), int(arguments[2]), arguments[3])
    elif arguments[:1] == ["compare"] and len(arguments) == 3:
        compare(arguments[1], arguments[2])
    else:
        sys.exit("usage: counted.py make SEED KERNELS FOLDER | compare SIM.sqlite GPU.sqlite")


main()
