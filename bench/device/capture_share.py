# Of a recording and of the program's own times per ms (capture.cu, CAPTURE_BINS): a CSV row per loop for capture_share.sh.
# Usage: capture_share.py RECORDING BINS ROUND LOOPS {KERNEL_US LAUNCHES HOW} …
# SPDX-License-Identifier: Apache-2.0
import struct
import sys

PROCESS, KERNEL, END, LISTEN = 1, 4, 15, 20
MS = 1_000_000


def events(data):
    at = 64
    while at + 8 <= len(data):
        size, kind = struct.unpack_from("<IH", data, at)
        if size == 0:
            return
        yield kind, at + 8
        at += size


def main():
    data = open(sys.argv[1], "rb").read()
    bins = [line.split() for line in open(sys.argv[2])]
    round_number, loops = sys.argv[3], sys.argv[4].split()
    switches, kernels, shift, end, timeless, far = [], [], 0, 0, 0, 0
    for kind, at in events(data):
        if kind == PROCESS:
            _, _, clock, wall = struct.unpack_from("<4Q", data, at)
            shift = wall - clock
        elif kind == LISTEN:
            switches.append(struct.unpack_from("<4Q", data, at))
        elif kind == KERNEL:
            start, finish, _, _, _, _, correlation = struct.unpack_from("<7Q", data, at)
            kernels.append((start, finish - start))
            timeless += finish <= start
            far += finish > start + MS
        elif kind == END:
            (end,) = struct.unpack_from("<Q", data, at)
    # Times of a state: (from, to, on, period), on the wall clock.
    states = []
    for here, after in zip(switches, switches[1:] + [(end, 0, 0, 0)]):
        states.append((here[0] + here[1] / 2 + shift, after[0] + after[1] / 2 + shift, here[2], here[3]))
    took = sorted(s[1] / 1e3 for a, s in zip(switches, switches[1:]) if a[2] != s[2])
    kernels.sort()
    for number, loop in enumerate(loops):
        mine = [(int(b[0]), int(b[2]), float(b[3])) for b in bins if int(b[1]) == number]
        if not mine:
            continue  # not waited for
        begin, finish = mine[0][0], mine[-1][0] + MS
        inside = [s for s in states if s[1] > begin and s[0] < finish]
        listened = sum(min(s[1], finish) - max(s[0], begin) for s in inside if s[2])
        heard, unheard = [0, 0.0], [0, 0.0]
        for at, count, us in mine:
            for s in inside:
                if s[0] + MS <= at and at + MS <= s[1] - MS:  # wholly within, not beside a switch
                    to = heard if s[2] else unheard
                    to[0] += count
                    to[1] += us
                    break
        # Launches by the windows of each period.
        lengths, on = {}, {}
        for s in inside:
            length = min(s[1], finish) - max(s[0], begin)
            lengths[s[3]] = lengths.get(s[3], 0) + length
            on[s[3]] = on.get(s[3], 0) + length * s[2]
        seen = {}
        starts = [s for s in inside if s[2]]
        at = 0
        for start, _ in kernels:
            start += shift
            if not begin <= start < finish:
                continue
            while at + 1 < len(starts) and starts[at + 1][0] <= start:
                at += 1
            if starts:
                seen[starts[at][3]] = seen.get(starts[at][3], 0) + 1
        estimated = sum(n * lengths[p] / on[p] for p, n in seen.items() if on.get(p, 0) > 0)
        mean = lambda x: x[1] / x[0] if x[0] else float("nan")
        windows = sum(1 for s in inside if s[2])
        middle = took[len(took) // 2] if took else float("nan")
        launches = sum(b[1] for b in mine) * (20 if loop.endswith("graph") else 1)
        print(
            f"{round_number},{loop},{100 * listened / (finish - begin):.2f},{windows},{middle:.1f},{mean(heard):.3f},{mean(unheard):.3f},"
            f"{mean(heard) - mean(unheard):.3f},{launches},{sum(seen.values())},{estimated:.0f}"
        )
    print(f"# {round_number}: {len(kernels)} kernels, {timeless} without times, {far} longer than 1 ms; {len(switches)} changes, us each: " + " ".join(f"{t:.0f}" for t in took[:: max(1, len(took) // 20)]), file=sys.stderr)


main()
