#!/usr/bin/env python3
# One table of all libraries beside the course's kernels, from what `ridge show EXPERIMENT --json` printed.
# Usage: bench/peers/table.py [--keep TABLE.md] FILE.json...     (driver.txt beside them: nvidia-smi's driver version)
#   --keep    an earlier table: of its rows those stay whose experiment and case no FILE has
# SPDX-License-Identifier: Apache-2.0
import json
import os
import sys

LIBRARIES = ("cub", "cublas", "cublaslt", "cusparse", "cudnn", "torch")
ROUGHER = 2  # times the rms error of the library: a variant with more is not compared with it


def is_library(result):
    return result["variant"].split("-")[0] in LIBRARIES


def timed(result):
    return result["verified"] and result.get("time_ns") is not None


def is_rougher(result, library):
    ours, theirs = ((r or {}).get("errors") or {} for r in (result, library))
    ours, theirs = ours.get("rms_relative"), theirs.get("rms_relative")
    return ours is not None and theirs is not None and ours > ROUGHER * theirs


def figures(result):
    time = result["time_ns"]
    return f"{time['median'] / 1000:.2f} ({time['low'] / 1000:.2f} to {time['high'] / 1000:.2f})"


def rows(run):
    cases = []
    for result in run["results"]:
        if result["case_label"] not in cases:
            cases.append(result["case_label"])
    for case in cases:
        results = [r for r in run["results"] if r["case_label"] == case and timed(r)]
        ours = [r for r in results if not is_library(r)]
        if not ours:
            continue
        libraries = [r for r in results if is_library(r)] or [None]
        for library in libraries:
            best = min((r for r in ours if not is_rougher(r, library)), key=lambda r: r["time_ns"]["median"], default=None)
            if not best:
                continue
            rate = best.get("throughput_gbps")
            ratio = library and library["time_ns"]["median"] / best["time_ns"]["median"]
            yield (run["experiment"], case, best["variant"], figures(best),
                   f"{rate:.0f}" if rate else "", library["variant"] if library else "none",
                   figures(library) if library else "", f"{ratio:.2f}x" if library else "")


def driver_of(path):
    beside = os.path.join(os.path.dirname(path), "driver.txt")
    return open(beside, encoding="utf-8").read().strip() if os.path.exists(beside) else "not recorded"


COLUMNS = ("experiment", "case", "ours", "time, us", "GB/s", "library", "time, us", "speedup", "date")


def kept_rows(path):
    for line in open(path, encoding="utf-8") if path else ():
        row = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
        if len(row) == len(COLUMNS) and row != COLUMNS and not row[0].startswith("-"):
            yield row


def main(files):
    keep = None
    if files[:1] == ["--keep"]:
        keep, files = files[1], files[2:]
    kept = list(kept_rows(keep))
    runs = [json.load(open(f, encoding="utf-8")) for f in files]
    if not runs:
        sys.exit("table.py: no file: give what `ridge show EXPERIMENT --json` printed")
    devices = sorted({r["device"]["name"] for r in runs})
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print("<!-- written by bench/peers/table.py -->")
    print("# The course beside the libraries\n")
    drivers = sorted({driver_of(f) for f in files})
    print(f"Device: {', '.join(devices)}. Driver: {', '.join(drivers)}. Caches: "
          f"{', '.join(sorted({r['cache'] for r in runs}))}. Command: `KINDS=peers LIMIT=0.3 bench/device/course.sh build/ridge FOLDER`; the fastest of our "
          "variants of each case (of those whose rms error, where it is recorded, is at most twice the library's), and each library in the same run. Times are medians in us, with "
          "their 95 % intervals; the last column is the library's time over ours.\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---|---|---|---:|---:|---|---:|---:|---|")
    new = [row + (run["started"][:10],) for run in runs for row in rows(run)]
    there = {row[:2] for row in new}
    for row in sorted([row for row in kept if row[:2] not in there] + new, key=lambda row: row[0]):
        print("| " + " | ".join(row) + " |")


main(sys.argv[1:])
