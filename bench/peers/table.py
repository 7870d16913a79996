#!/usr/bin/env python3
# One table of all libraries beside the course's kernels, from what `ridge show EXPERIMENT --json` printed.
# Usage: bench/peers/table.py [--keep TABLE.md] FILE.json...     (driver.txt beside them: nvidia-smi's driver version)
#   --keep    an earlier table: of its rows those stay whose experiment and case no FILE has, or only one of an earlier day.
#             Do not write to the same file by `>`: the shell empties it first.
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import sys

LIBRARIES = ("cub", "cublas", "cublaslt", "cusparse", "cudnn", "torch")
ROUGHER = 2  # times the rms error of the library: a variant with more is not compared with it,
LAST_BIT_ULP = 1  # unless no result is off by more: of one sum the library's may happen to be exact


def is_library(result):
    return result["variant"].split("-")[0] in LIBRARIES


def timed(result):
    return result["verified"] and result.get("time_ns") is not None


def is_rougher(result, library):
    ours, theirs = ((r or {}).get("errors") or {} for r in (result, library))
    if ours.get("max_ulp", LAST_BIT_ULP + 1) <= LAST_BIT_ULP:
        return False
    ours, theirs = ours.get("rms_relative"), theirs.get("rms_relative")
    return ours is not None and theirs is not None and ours > ROUGHER * theirs


def figures(result):
    time = result["time_ns"]
    return f"{time['median'] / 1000:.2f} ({time['low'] / 1000:.2f} to {time['high'] / 1000:.2f})"


# Each row but its last columns: the day and the driver are the run's.
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


COLUMNS = ("experiment", "case", "ours", "time, us", "GB/s", "library", "time, us", "speedup", "date", "driver")
EXPERIMENT, CASE, DATE = 0, 1, COLUMNS.index("date")


# The rows and the devices of an earlier table; one without a column of drivers names its driver above.
def kept_table(path):
    text = open(path, encoding="utf-8").read()
    device = re.search(r"^Device: (.*?)\. (?:Driver: (\S+)\. )?Caches", text, re.MULTILINE)
    found = []
    for line in text.split("\n"):
        row = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
        if len(row) == len(COLUMNS) - 1 and device and device[2]:
            row += (device[2],)
        if line.startswith("|") and len(row) == len(COLUMNS) and row[EXPERIMENT] != "experiment" and not row[0].startswith("-"):
            found.append(row)
    if not device or not found:
        sys.exit(f"table.py: {path} has no table of this program: give --keep the file that it wrote, and write to another")
    return found, device[1].split(", ")


def read(path):
    try:
        run = json.load(open(path, encoding="utf-8"))
        # What the table needs is looked at here, so that what is missing is said of a file.
        return run, [row + (run["started"][:10], driver_of(path)) for row in rows(run)], run["device"]["name"], run["cache"]
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"table.py: {path}: {getattr(error, 'strerror', None) or error}")
    except json.JSONDecodeError as error:
        sys.exit(f"table.py: {path}:{error.lineno}: not JSON: {error.msg}")
    except (KeyError, TypeError, AttributeError) as error:
        sys.exit(f"table.py: {path}: not what `ridge show EXPERIMENT --json` prints: {type(error).__name__} {error}")


# Of each case the rows of the last day; what was measured on one device stands beside what was measured on another day.
def latest(tables):
    last = {}
    for table in tables:
        by_case = {}
        for row in table:
            by_case.setdefault((row[EXPERIMENT], row[CASE]), []).append(row)
        for case, found in by_case.items():
            if case not in last or last[case][0][DATE] <= found[0][DATE]:
                last[case] = found
    return [row for found in last.values() for row in found]


def main(files):
    kept, devices = [], set()
    if files[:1] == ["--keep"]:
        if len(files) < 2:
            sys.exit("table.py: --keep needs the file of an earlier table")
        try:
            kept, there = kept_table(files[1])
        except (OSError, UnicodeDecodeError) as error:
            sys.exit(f"table.py: {files[1]}: {getattr(error, 'strerror', None) or error}")
        devices.update(there)
        files = files[2:]
    if not files:
        sys.exit("table.py: no file: give what `ridge show EXPERIMENT --json` printed")
    runs = sorted((read(f) for f in files), key=lambda r: r[0]["started"])
    devices.update(device for _, _, device, _ in runs)
    if len(devices) > 1:
        sys.exit(f"table.py: runs of several devices ({', '.join(sorted(devices))}): a table is of one")
    lines = sorted(latest([kept] + [new for _, new, _, _ in runs]), key=lambda row: row[EXPERIMENT])
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print("<!-- written by bench/peers/table.py -->")
    print("# The course beside the libraries\n")
    print(f"Device: {', '.join(devices)}. Caches: "
          f"{', '.join(sorted({cache for *_, cache in runs}))}. Command: `KINDS=peers LIMIT=0.3 bench/device/course.sh build/ridge FOLDER`; the fastest of our "
          "variants of each case (of those whose rms error, where it is recorded, is at most twice the library's, or whose largest is 1 ulp), and each library in the same run. Times are medians in us, with "
          "their 95 % intervals; the speedup is the library's time over ours; each row has its own day and driver.\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---|---|---|---:|---:|---|---:|---:|---|---|")
    for row in lines:
        print("| " + " | ".join(row) + " |")


main(sys.argv[1:])
