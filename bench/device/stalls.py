#!/usr/bin/env python3
"""Do the simulated warps wait for what the GPU's warps wait for? Shares of the stall reasons, modelled and sampled.

  bench/device/stalls.py sample [--ridge build/ridge] [--device cuda:0] [--mode kernel] [--only NAME] [--limit S] FOLDER
      runs the experiments of bench/truth/validation with --pc-sampling, the first case of each: FOLDER/sampled/NAME.json
  bench/device/stalls.py model [--only NAME] FOLDER
      the same cases on the simulated H200, on any machine: FOLDER/modelled/NAME.json
  bench/device/stalls.py compare FOLDER
      a table for each kernel that both have, and how many agree

  --from bench/device/stalls-tuning.txt   another list: an experiment and its case a line; or a folder of experiments, the first case
      of each. Constants of the model may be chosen by that one and by bench/truth/validation, validation-2, validation-3, validation-4, validation-5, validation-6, half of validation-7, half of validation-8 to validation-13, by bench/truth/validation-14 none
  --limit S                               begins no experiment after so many seconds

A kernel agrees where each of the three reasons with most samples has a modelled share within 10 points of its sampled one. The goal
is 80 % of the kernels. A kernel with fewer than 1000 samples is shown and not judged. Exit status of compare: 0 the goal is met,
1 it is not, 2 nothing to compare.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import math
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIST = ROOT / "bench" / "truth" / "validation"
POINTS, TOP, GOAL_PCT, SAMPLES_MIN = 10, 3, 80, 1000


def first_case(experiment):
    """The first value of each parameter: ["n=4096"]."""
    text = re.sub(r"(?m) #.*$", "", (experiment / "experiment.yaml").read_text())
    block = re.search(r"(?m)^params:(.*\n(?:  .*\n)*)", text)
    return [f"{name}={value}" for name, value in re.findall(r"(\w+): \[?([\w.]+)", block[1])] if block else []


def experiments(args):
    """The list's experiments, each with its case."""
    if args.list is None or Path(args.list).is_dir():
        return [(p, first_case(p)) for p in sorted(Path(args.list or LIST).iterdir()) if p.is_dir()]
    lines = [line.split() for line in Path(args.list).read_text().splitlines() if line and not line.startswith("#")]
    return [(ROOT / folder, case or first_case(ROOT / folder)) for folder, *case in lines]


def collect(args, folder, options):
    into = Path(args.folder) / folder
    into.mkdir(parents=True, exist_ok=True)
    missing, began = 0, time.monotonic()
    for experiment, case in experiments(args):
        path = into / f"{experiment.name}.json"
        if path.exists() or args.only not in (None, experiment.name):
            continue
        if time.monotonic() - began > args.limit:
            print(f"{experiment.name}: no time left", file=sys.stderr)
            missing += 1
            continue
        command = [args.ridge, "run", str(experiment), "--seed", "1", "--json", "-q", "--no-journal", *options]
        for axis in case:
            command += ["--param", axis]
        print(" ".join(command[1:]), file=sys.stderr, flush=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # 1: a variant has no result
        try:
            results = json.loads(done.stdout).get("results")
        except ValueError:
            results = None
        if not results:
            print(f"  no result: exit status {done.returncode}", file=sys.stderr)
            missing += 1
            continue
        kept = [{k: r.get(k) for k in ("variant", "case", "status", "stalls", "stall_sampling", "time_ns", "note")} for r in results]
        path.write_text(json.dumps({"results": kept}))
    return 1 if missing else 0


def sample(args):
    return collect(args, "sampled", ["--device", args.device, "--pc-sampling", args.mode, "--side-limit", "0",
                                     "--time-limit", "0.05"])


def model(args):
    return collect(args, "modelled", ["--device", "sim:h200"])


def shares(result):
    stalls = result.get("stalls") or {}
    whole = sum(f["value"] for f in stalls.values())
    return {name: 100 * f["value"] / whole for name, f in stalls.items()} if whole > 0 else {}


def results_of(folder, name):
    path = Path(folder) / name
    return {(r["variant"], json.dumps(r["case"], sort_keys=True)): r
            for r in json.loads(path.read_text())["results"]} if path.exists() else {}


def compare(args):
    rows, agreed, judged, left_out = [], 0, 0, []
    for path in sorted((Path(args.folder) / "sampled").glob("*.json")):
        theirs = results_of(Path(args.folder) / "modelled", path.name)
        for key, got in results_of(path.parent, path.name).items():
            name = f"{path.stem}:{key[0]}"
            sampled, modelled = shares(got), shares(theirs.get(key, {}))
            if not sampled or not modelled:
                left_out.append(f"{name}: {'no samples: ' + str(got.get('note')) if not sampled else 'not modelled'}")
                continue
            top = sorted(sampled, key=lambda s: -sampled[s])[:TOP]
            off = max(abs(sampled[s] - modelled.get(s, 0)) for s in top)
            few = got["stall_sampling"]["samples"] < SAMPLES_MIN
            judged += not few
            agreed += not few and off <= POINTS
            rows.append((name, ", ".join(f"{s} {sampled[s]:.0f}/{modelled.get(s, 0):.0f}" for s in top), off,
                         "few samples" if few else "yes" if off <= POINTS else "no"))
    print("| kernel | three reasons, sampled/modelled % | furthest, points | within 10 |\n|---|---|---|---|")
    for name, reasons, off, verdict in sorted(rows, key=lambda r: r[2]):
        print(f"| {name} | {reasons} | {off:.0f} | {verdict} |")
    for line in left_out:
        print(f"not compared: {line}")
    if judged == 0:
        print("nothing to compare")
        return 2
    print(f"\n{agreed} of {judged} kernels agree: {100 * agreed / judged:.0f} %, the goal is {GOAL_PCT} %")
    return 0 if 100 * agreed >= GOAL_PCT * judged else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["sample", "model", "compare"])
    parser.add_argument("folder")
    parser.add_argument("--ridge", default=os.environ.get("RIDGE", str(ROOT / "build" / "ridge")))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--mode", default="kernel", choices=["kernel", "continuous"])
    parser.add_argument("--only", metavar="NAME")
    parser.add_argument("--from", dest="list", metavar="FILE|FOLDER")
    parser.add_argument("--limit", type=float, default=math.inf, metavar="SECONDS")
    args = parser.parse_args()
    return {"sample": sample, "model": model, "compare": compare}[args.what](args)


if __name__ == "__main__":
    sys.exit(main())
