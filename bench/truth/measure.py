#!/usr/bin/env python3
"""Times and counts of a set's kernels on a GPU, as the rows that validate.sh compares the model with.

  bench/truth/measure.py [--ridge build/ridge] [--device cuda:0] [--set validation] [--only REGEX] [--but FILE] [--limit S] >rows.csv

Each experiment of the set (sets.csv) is run once, all of its variants and cases, caches cold. Rows go to standard output, sorted;
what has no row and why to standard error. The rows of a first list on an H200 are bench/truth/validation-h200.csv.

  --time-limit S  seconds of samples of each variant and case (0.1)
  --only REGEX    experiments whose name matches
  --but FILE      experiments that FILE has no rows of
  --limit S       begins no experiment after so many seconds
  --each S        ends an experiment after so many seconds (60): it has no rows then

Exit status: 0, 1 a row is missing, 2 usage.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import datetime
import json
import math
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COUNTERS = ["warp_instructions", "shared_load_requests", "l2_read_sectors"]


def folder_of(name):
    """The folder and the prefix of a set of sets.csv."""
    for line in (HERE / "sets.csv").read_text().splitlines():
        if not line.startswith("#"):
            title, prefix, folder, _ = line.split(",")
            if title == name:
                return HERE / folder, prefix
    sys.exit(f"bench/truth/measure.py: no set '{name}' in sets.csv")


def row(name, result, provenance=("measured",)):
    """A result as a row, or None where it has no time of that provenance."""
    taken = result.get("time_ns") or {}
    if result["status"] != "ok" or taken.get("provenance") not in provenance:
        return None
    counts = [(result.get("counters") or {}).get(c) or {} for c in COUNTERS]
    fields = [f"{c['value']:.0f}" if c.get("provenance") in provenance else "" for c in counts]
    return ",".join([name, result["variant"], result["case_label"], f"{taken['median']:.1f}", *fields])


def why_none(result):
    """Why a result has no row."""
    error = result.get("error")
    return (error.get("message") if isinstance(error, dict) else error) or result.get("note") or result["status"]


def run(args, experiment, *options):
    """The results of an experiment and the device's name, or the reason why there are none."""
    command = [args.ridge, "run", str(experiment), "--device", args.device, "--seed", "1", "--json", "-q", "--no-journal",
               "--side-limit", "0", "--time-limit", str(args.time_limit), *options]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=args.each, check=False)
    except subprocess.TimeoutExpired:
        return None, None, f"not done after {args.each:g} s"
    try:
        said = json.loads(done.stdout)
        return said["results"], said["device"]["name"], None  # exit status 1: a variant has no result
    except (ValueError, KeyError, TypeError):
        return None, None, f"exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}"


def driver():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], stdout=subprocess.PIPE,
                              check=True).stdout.decode().split("\n")[0].strip()
    except (OSError, subprocess.CalledProcessError):
        return "not known"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ridge", default=os.environ.get("RIDGE", str(HERE.parent.parent / "build" / "ridge")))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--set", default="validation", metavar="NAME")
    parser.add_argument("--only", default=".", metavar="REGEX")
    parser.add_argument("--but", metavar="FILE")
    parser.add_argument("--time-limit", type=float, default=0.1, metavar="S")
    parser.add_argument("--limit", type=float, default=math.inf, metavar="S")
    parser.add_argument("--each", type=float, default=60, metavar="S")
    args = parser.parse_args()
    if args.device.startswith("sim:"):
        parser.error("rows are measured on a GPU; validate.sh simulates them")
    known = {line.split(",")[0] for line in Path(args.but).read_text().splitlines()} if args.but else set()
    folder, prefix = folder_of(args.set)
    rows, devices, missing, began = [], set(), 0, time.monotonic()

    def miss(what, why):
        nonlocal missing
        missing += 1
        print(f"{what}: {' '.join(str(why).split())}", file=sys.stderr, flush=True)

    for experiment in sorted(p.parent for p in folder.glob("*/experiment.yaml")):
        name = f"{prefix}-{experiment.name}"
        if name in known or not re.search(args.only, name):
            continue
        spent = time.monotonic() - began
        if spent > args.limit:
            miss(name, "no time left")
            continue
        results, device, why = run(args, experiment)
        print(f"# {name}: {time.monotonic() - began - spent:.1f} s", file=sys.stderr, flush=True)
        if results is None:
            miss(name, why)
            continue
        devices.add(device)
        for result in results:
            line = row(name, result)
            if line:
                rows.append(line)
            else:
                miss(f"{name},{result['variant']},{result['case_label']}", why_none(result))
    print(f"# Measured on {', '.join(sorted(devices)) or 'no GPU'} (driver {driver()}), {datetime.date.today()}: "
          f"`ridge run --seed 1 --time-limit {args.time_limit:g}`, caches cold, median of the samples.")
    print(f"# experiment,variant,case,time_ns,{','.join(COUNTERS)}; empty: not counted")
    for line in sorted(rows):
        print(line)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
