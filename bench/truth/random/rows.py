#!/usr/bin/env python3
"""Times and counts of kernels written by chance (generate.py), and how far the model's are from a GPU's.

  bench/truth/random/rows.py run [--ridge build/ridge] [--device sim:h200] FOLDER >rows.csv
  bench/truth/random/rows.py score [--worst N] MEASURED.csv MODELLED.csv

`run` compiles what has no PTX yet (nvcc in PATH, or NVCC) and runs each experiment of FOLDER. `score` prints the median and the 90th
percentile of the time's error, the furthest, the share within 20 %, and of the warp instructions within 5 % and of the sectors read from L2 within 10 %.
Rows: group,kernel,time_ns,warp_instructions,l2_read_sectors.

Exit status: 0, 1 an experiment has no result, 2 usage.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COUNTERS = ["warp_instructions", "l2_read_sectors"]


def rows_of(ridge, device, folder):
    """The rows of an experiment; none where it has no result."""
    source = folder / f"{folder.name}.cu"
    if not source.with_suffix(".ptx").exists():
        subprocess.run([os.environ.get("NVCC", "nvcc"), "-w", "-arch=sm_90", "-ptx", source, "-o", source.with_suffix(".ptx")], check=True)
    command = [ridge, "run", folder, "--device", device, "--seed", "1", "--json", "-q", "--no-journal"]
    command += ["--try-patches", "0"] if device.startswith("sim:") else ["--side-limit", "0", "--time-limit", "0.03"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    try:
        results = json.loads(done.stdout)["results"]
    except (ValueError, KeyError):
        print(f"{folder}: {done.stderr.decode(errors='replace').strip()[-200:]}", file=sys.stderr)
        return []
    rows = []
    for result in results:
        if result["status"] != "ok":
            print(f"{folder}: {result['variant']}: {result['status']}", file=sys.stderr)
            continue
        time = result["time_ns"]
        counts = [(result["counters"].get(c) or {}).get("value") for c in COUNTERS]
        rows.append(",".join([folder.name, result["variant"], f"{time.get('median', time.get('value')):.1f}",
                              *("" if c is None else f"{c:.0f}" for c in counts)]))
    return rows


def run(args):
    missing = 0
    print(f"# {args.device}: group,kernel,time_ns,{','.join(COUNTERS)}")
    for folder in sorted(p.parent for p in Path(args.folder).glob("*/experiment.yaml")):
        rows = rows_of(args.ridge, args.device, folder)
        missing += not rows
        for row in rows:
            print(row, flush=True)
    return 1 if missing else 0


def read(name):
    rows = {}
    for line in Path(name).read_text().splitlines():
        if not line.startswith("#"):
            group, kernel, *numbers = line.split(",")
            rows[group, kernel] = [float(n) if n else None for n in numbers]
    return rows


def score(args):
    measured, modelled = read(args.measured), read(args.modelled)
    both = [(k, measured[k], modelled[k]) for k in measured if k in modelled]
    if not both:
        sys.exit("bench/truth/random/rows.py: no kernel is in both files")
    error = {k: (is_[0] / was[0] - 1) * 100 for k, was, is_ in both}
    far = sorted(map(abs, error.values()))
    worst = max(error, key=lambda k: abs(error[k]))
    near = [[abs(is_[i] / was[i] - 1) <= most for _, was, is_ in both if was[i] and is_[i] is not None] for i, most in ((1, 0.05), (2, 0.1))]
    print(f"{len(both)} kernels: time: median error {statistics.median(far):.1f} %, 90th percentile {far[int(0.9 * len(far))]:.1f} %, "
          f"worst {error[worst]:+.0f} %, {sum(f <= 20 for f in far)} within 20 %, bias {statistics.median(error.values()):+.1f} %")
    print(f"warp instructions within 5 %: {sum(near[0])} of {len(near[0])}; sectors read from L2 within 10 %: {sum(near[1])} of {len(near[1])}")
    for k in sorted(error, key=lambda k: -abs(error[k]))[:args.worst]:
        print(f"{error[k]:+7.1f} %  {','.join(k)}  {measured[k][0] / 1000:.2f} us")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    to_run = commands.add_parser("run")
    to_run.add_argument("--ridge", default=os.environ.get("RIDGE", str(ROOT / "build" / "ridge")))
    to_run.add_argument("--device", default="sim:h200")
    to_run.add_argument("folder")
    to_score = commands.add_parser("score")
    to_score.add_argument("--worst", type=int, default=0)
    to_score.add_argument("measured")
    to_score.add_argument("modelled")
    args = parser.parse_args()
    return run(args) if args.command == "run" else score(args)


if __name__ == "__main__":
    sys.exit(main())
