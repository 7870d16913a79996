#!/usr/bin/env python3
# The table of compute-sanitizer's tools over the course, from the sanitizer.txt that bench/device/course.sh left.
# Usage: bench/sanitizer/course.py FOLDER/sanitizer.txt >docs/sanitizer-h200.md     (FOLDER/driver.txt beside it, and date.txt)
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

LINE = re.compile(r"(\w+) ([\w-]+): +(.*?) *(\d+) verified, (\d+) not$")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")


def beside(path, name):
    file = path.parent / name
    return file.read_text(encoding="utf-8").strip() if file.exists() else "not recorded"


def main(path):
    found, verified = {}, {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        match = LINE.match(line)
        if not match:
            continue
        tool, name, summary, right, wrong = match.groups()
        counts = [int(n) for n in re.findall(r"(\d+) (?:errors?|hazards? displayed)", summary)]
        found[name, tool] = f"{sum(counts)}" if counts else "no summary"
        verified[name] = f"{right}" + (f", {wrong} not" if wrong != "0" else "")
    names = sorted({name for name, _ in found})
    clean = sum(1 for value in found.values() if value == "0")
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print("<!-- written by bench/sanitizer/course.py -->")
    print("# compute-sanitizer over the course\n")
    print(f"Errors and hazards that NVIDIA's compute-sanitizer reports while `ridge verify` runs every variant of an experiment at small, odd sizes "
          f"(bench/device/course.txt, lines `small`). Device: NVIDIA H200. Driver: {beside(path, 'driver.txt')}. Date: {beside(path, 'date.txt')}. "
          f"Command: `KINDS=small bench/device/course.sh build/ridge FOLDER`. {clean} of {len(found)} runs report nothing.\n")
    planted = path.parent / "planted.txt"
    if planted.exists():
        print("Faults planted in bench/sanitizer/planted are reported in the same run:\n")
        for line in planted.read_text(encoding="utf-8").strip().split("\n"):
            print(f"- {line}")
        print()
    print("| experiment | variants verified | " + " | ".join(TOOLS) + " |")
    print("|---|---:|" + "---:|" * len(TOOLS))
    for name in names:
        print(f"| {name} | {verified[name]} | " + " | ".join(found.get((name, tool), "not run") for tool in TOOLS) + " |")


if len(sys.argv) != 2:
    sys.exit("usage: course.py FOLDER/sanitizer.txt")
main(pathlib.Path(sys.argv[1]))
