#!/usr/bin/env python3
# The table of compute-sanitizer's tools over the course, from the sanitizer.txt that bench/device/course.sh left.
# Usage: bench/sanitizer/course.py [--keep docs/sanitizer-h200.md] FOLDER/sanitizer.txt... >page     (driver.txt, date.txt, planted.txt beside each)
#   --keep    rows of a page that no file has stay, with their date and driver; of several files the last one counts
# SPDX-License-Identifier: Apache-2.0
import pathlib
import re
import sys

LINE = re.compile(r"(\w+) ([\w-]+): +(.*?) *(\d+) verified, (\d+) not$")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
NOT_RUN = "not run"
NOT_ENDED = "did not end"  # no summary: cut off, or the tool itself broke down
USAGE = "usage: course.py [--keep PAGE] FOLDER/sanitizer.txt..."


def text_of(path):
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"course.py: {path}: {getattr(error, 'strerror', None) or error}")


def beside(path, name):
    file = path.parent / name
    return text_of(file).strip() if file.exists() else "not recorded"


# What the tool counted, in all processes that it looked at: racecheck shows fewer hazards than it found, and memcheck
# says how many errors it did not print.
def count_of(summary):
    counts = [int(a) + int(b) for a, b in re.findall(r"RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) errors?, (\d+) warnings?\)", summary)]
    counts += [int(n) for n in re.findall(r"ERROR SUMMARY: (\d+) errors?\b(?! were)", summary)]
    return f"{sum(counts)}" if counts else NOT_ENDED


def rows_of(path):
    found, verified = {}, {}
    for line in text_of(path).split("\n"):
        match = LINE.match(line)
        if not match:
            continue
        tool, name, summary, right, wrong = match.groups()
        found.setdefault(name, {})[tool] = count_of(summary)
        if found[name][tool] != NOT_ENDED or name not in verified:
            verified[name] = f"{right}" + (f", {wrong} not" if wrong != "0" else "")
    return {name: [verified[name], *(counts.get(tool, NOT_RUN) for tool in TOOLS), beside(path, "date.txt"), beside(path, "driver.txt")]
            for name, counts in found.items()}


# Rows of a page, and what it says of planted faults; a page of before rows had a date names one for all.
def kept(path):
    text = text_of(path)
    date, driver = (re.search(pattern, text) for pattern in (r"Date: ([\d-]+)\.", r"Driver: ([\d.]+)\. "))
    rows = {}
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("| ") else []
        if len(cells) == 2 + len(TOOLS) and date and driver and cells[0] != "experiment":
            cells += [date[1], driver[1]]
        if len(cells) == 4 + len(TOOLS) and cells[0] != "experiment":
            rows[cells[0]] = cells[1:]
    return rows, [line[2:] for line in text.split("\n") if re.match(r"- \w+ planted: ", line)]


# A tool that was not run again keeps what it found before on that day, by that driver, over as many variants.
def joined(before, row):
    if not before or before[-2:] != row[-2:] or before[0] != row[0]:
        return row
    return [old if new == NOT_RUN else new for old, new in zip(before, row)]


def main(arguments):
    rows, planted = {}, []
    if arguments[:1] == ["--keep"] and len(arguments) > 2:
        rows, planted = kept(pathlib.Path(arguments[1]))
        arguments = arguments[2:]
    if not arguments or arguments[0].startswith("-"):
        sys.exit(USAGE)
    for path in map(pathlib.Path, arguments):
        new = rows_of(path)
        if not new:
            sys.exit(f"course.py: {path}: no line of course.sh's, 'TOOL EXPERIMENT: SUMMARY N verified, N not'")
        for name, row in new.items():
            rows[name] = joined(rows.get(name), row)
        if (path.parent / "planted.txt").exists():
            planted = text_of(path.parent / "planted.txt").strip().split("\n")
    counts = [cell for row in rows.values() for cell in row[1:1 + len(TOOLS)]]
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print("<!-- written by bench/sanitizer/course.py -->")
    print("# compute-sanitizer over the course\n")
    print(f"Errors and hazards that NVIDIA's compute-sanitizer reports while `ridge verify` runs every variant of an experiment at small, odd sizes "
          f"(bench/device/course.txt, lines `small`). Device: NVIDIA H200. Command: `KINDS=small bench/device/course.sh build/ridge FOLDER`; each row "
          f"has its own day and driver. {counts.count('0')} of {len(counts)} runs report nothing, {sum(c.isdigit() and c != '0' for c in counts)} something; in "
          f"{counts.count(NOT_ENDED)} the tool did not end.\n")
    if planted:
        print("Faults planted in bench/sanitizer/planted are reported in the latest run:\n")
        for line in planted:
            print(f"- {line}")
        print()
    print("| experiment | variants verified | " + " | ".join(TOOLS) + " | date | driver |")
    print("|---|---:|" + "---:|" * len(TOOLS) + "---|---|")
    for name in sorted(rows):
        print(f"| {name} | " + " | ".join(rows[name]) + " |")


main(sys.argv[1:])
