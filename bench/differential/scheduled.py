#!/usr/bin/env python3
# How often a turn of a loop waits for device memory: the model's order of issue beside ptxas's. Needs ptxas, no GPU.
#   bench/differential/scheduled.py FILE.ptx...
# ptxas assembles a copy with a .loc for each instruction (lowered.py). Of the innermost loop of its code that holds most of a loop's
# loads the control words say which scoreboard each load sets and which instruction waits for it; with a load that takes 1, and all
# else nothing, that is how often a pass waits, and by the copies of a load's line a turn. A row: log2 of the model's waits over
# ptxas's, file, kernel, both waits, both numbers of copies, ptxas's registers. The last line: over all, and by half of the kernels (the
# first hexadecimal digit of the MD5 of their name, 0 to 7 and 8 to f).
# SCHEDULED names the program that prints the model's side (default build/bench/differential/scheduled).
# SPDX-License-Identifier: Apache-2.0
import hashlib
import math
import os
import statistics
import subprocess
import sys

import lowered

SCHEDULED = os.environ.get("SCHEDULED", "build/bench/differential/scheduled")
LOADS, BRANCH, SCOREBOARDS = {0x980, 0x981}, 0x947, 6
FRAGMENT = 4  # loads of a matrix's fragment


def loops(code):
    """Innermost loops: (first, last) instruction. code: lowered.machine_words()."""
    found = []
    for i, (line, low, high) in enumerate(code):
        if low & 0xfff == BRANCH:
            to = (((low | high << 64) >> 34 & (1 << 48) - 1) << 8 | low >> 16 & 0xff)
            to = (to - (1 << 56) if to >> 55 else to) * 4
            if -16 * (i + 1) <= to < -16:
                found.append((i + 1 + to // 16, i))
    return [a for a in found if not any(b != a and b[0] >= a[0] and b[1] <= a[1] for b in found)]


def waits(body):
    """Of a pass through the loop's body, once it goes round."""
    now, ready, passes = 0, [0] * SCOREBOARDS, []
    for _ in range(10):
        for _, low, high in body:
            control = high >> 41
            now = max([now] + [r for k, r in enumerate(ready) if control >> 11 + k & 1])
            sets = control >> 5 & 7
            if low & 0xfff in LOADS and sets < SCOREBOARDS:
                ready[sets] = max(ready[sets], now + 1)
        passes.append(now)
    return (passes[9] - passes[5]) / 4


def ptxas_side(code, lines, text):
    best = None
    for first, last in loops(code):
        body = code[first:last + 1]
        copies = [sum(low & 0xfff in LOADS and at == line for at, low, _ in body) for line in lines]
        if sum(copies) and (best is None or sum(copies) > best[0]):
            best = sum(copies), body, [c for c in copies if c]
    if best is None:
        return None
    each = FRAGMENT if any("wmma" in text[line - 1] for line in lines) else 1
    copies = max(1, round(statistics.median(best[2]) / each))
    return waits(best[1]) / copies, copies


def compare(path):
    said = subprocess.run([SCHEDULED, path], check=True, capture_output=True, text=True).stdout
    made = lowered.machine_words(path) if said else {}
    with open(path) as f:
        text = f.read().split("\n")
    for row in said.splitlines():
        kernel, copies, mine, lines = row.split()
        side = ptxas_side(made.get(kernel, []), {int(n) for n in lines.split(",")}, text)
        if side is not None:
            yield kernel, int(copies), float(mine), side


def summary(offs):
    return f"{len(offs)} loops: mean of |log2| {statistics.mean(map(abs, offs)):.3f}, bias {statistics.mean(offs):+.3f}, " \
           f"{100 * statistics.mean(abs(o) < 0.15 for o in offs):.0f} % as ptxas has them" if offs else "no loops"


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: scheduled.py FILE.ptx...")
    halves = [[], []]
    for path in sys.argv[1:]:
        for kernel, copies, mine, (theirs, made) in compare(path):
            off = math.log2((mine + 0.02) / (theirs + 0.02))
            halves[hashlib.md5(kernel.encode()).hexdigest()[0] > "7"].append(off)
            print(f"{off:+.2f} {os.path.basename(path)} {kernel}: model {mine:.2f}, ptxas {theirs:.2f} ({copies} and {made} copies)")
    print(summary(halves[0] + halves[1]) + "; halves: " + "; ".join(map(summary, halves)))


main()
