#!/usr/bin/env python3
"""A second opinion: the rules of Nsight Compute on the pairs of a list, their estimated speed-ups beside ridge's promises.

  bench/advice/ncu.py collect [--from LIST] [--split SPLIT] [--device cuda:0] FOLDER
      profiles the first variants of the pairs, each kernel's first launch: FOLDER gets a CSV file for each experiment and case
      in an order by which a part of them already has most causes; --last NAME[,NAME]: these after all; --together N: so many at once
      (ncu itself lets one kernel be profiled at a time; what each does on the host overlaps)
  bench/advice/ncu.py table [--from LIST] [--split SPLIT] [--results RUNS] [--device cuda:0] FOLDER
      the table on standard output; RUNS is run.py's folder of the same list and device, FOLDER has the CSV files

Where ncu is not here, or may not read counters, collect says so and ends with 3. ncu estimates by how much a kernel's time falls if
what a rule names is gone ("global"), or a unit's part of it ("local"); the largest global one of the OPT rules is held against what the pair got
(a local one where there is no other), over all kernels of the first variant by their durations. Which of ridge's causes a rule means is RULES below: rules that name
no cause in the code (SOLBottleneck, IssueSlotUtilization) count as naming none.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import csv
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import run as advice  # noqa: E402  the lists, and ridge's side

SECTIONS = ["SpeedOfLight", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis", "MemoryWorkloadAnalysis_Tables", "SchedulerStats",
            "WarpStateStats", "InstructionStats", "LaunchStats", "Occupancy", "SourceCounters", "WorkloadDistribution"]

# A rule, words that its description must have, and the causes (src/diagnose/causes.def) that it means.
RULES = [
    ("UncoalescedGlobalAccess", "", {"uncoalesced"}),
    ("UncoalescedSharedAccess", "", {"conflicts"}),
    ("SharedMemoryConflicts", "", {"conflicts"}),
    ("MemoryCacheAccessPattern", "", {"uncoalesced"}),
    ("MemoryL2Compression", "", set()),
    ("ThreadDivergence", "", {"divergence"}),
    ("AchievedOccupancy", "", {"occupancy", "unequal-work"}),
    ("TheoreticalOccupancy", "", {"occupancy"}),
    ("LaunchConfiguration", "", {"small-grid"}),
    ("WorkloadImbalance", "", {"unequal-work", "small-grid"}),
    ("FPInstructions", "", {"busy"}),
    ("HighPipeUtilization", "", {"busy"}),
    ("LocalMemoryUsage", "", {"local-memory"}),
    ("CPIStall", "barrier", {"barrier"}),
    ("CPIStall", "L1TEX", {"few-loads", "memory"}),
    ("CPIStall", "fixed latency", {"chain"}),
    ("CPIStall", "MIO", {"shared-atomics", "conflicts", "register-reuse"}),
    ("CPIStall", "LG", {"narrow", "read-again", "local-memory"}),
    ("CPIStall", "math pipe", {"busy", "special", "division"}),
]


def parse(lines):
    """CSV of `ncu --page details --csv`, with what ncu and the program say before: {kernel: {"time": ns, "rules": [...]}}."""
    lines = list(lines)
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise ValueError("no table of ncu: " + next((s.strip() for s in lines if s.startswith("==ERROR==")), "nothing was profiled"))
    kernels = {}
    for row in csv.DictReader(lines[start:]):
        name = re.sub(r"[(<].*", "", row.get("Kernel Name") or "").split()
        if not name:
            continue
        kernel = kernels.setdefault(name[-1], {"time": math.nan, "rules": []})
        if row.get("Metric Name") == "Duration":
            scale = {"ns": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "nsecond": 1, "s": 1e9}
            kernel["time"] = number(row["Metric Value"]) * scale.get(row["Metric Unit"], math.nan)
        if row.get("Rule Name") and row.get("Rule Type") == "OPT":
            kernel["rules"].append({"name": row["Rule Name"], "says": row["Rule Description"] or "",
                                    "type": row.get("Estimated Speedup Type") or "",
                                    "percent": number(row.get("Estimated Speedup"))})
    return kernels


def number(text):
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return math.nan


def causes_of(rule):
    return set().union(*(causes for name, words, causes in RULES
                         if name in rule["name"] and words.lower() in rule["says"].lower()))


def ranked(kernels):
    """Estimates of a variant's kernels: [(share of the time that is left, rule)]. Those of a kernel's time, largest first, then those
    of a unit, which is not the kernel's time."""
    whole = sum(k["time"] for k in kernels)
    found = []
    for k in kernels:
        part = k["time"] / whole if whole > 0 else 1 / len(kernels)
        found += [(1 - part * min(r["percent"], 100) / 100, r) for r in k["rules"] if r["percent"] > 0]
    return sorted(found, key=lambda f: (f[1]["type"] == "local", f[0]))


def kernels_of(path, variant):
    """Names of the kernels that a variant of an experiment launches."""
    text = (path / "experiment.yaml" if path.is_dir() else path).read_text()
    parts = re.split(r"(?m)^  - (?=name:|\{name:)", text[text.index("\nvariants:"):])[1:]
    for part in parts:
        if re.match(r"\{?name: ([\w-]+)", part)[1] == variant:
            return [re.sub(r"[<(].*", "", k) for k in re.findall(r'kernel: "?([\w:]+)', part)]
    return []


def spread(args):
    """What is to be profiled, such that a part of it already has most causes: [((path, experiment, case), variants)]."""
    work, causes, seen, order = {}, {}, {}, []
    for p in advice.pairs(args, args.split):
        key = (advice.path_of(args.folder, p).with_suffix(".csv"), p["path"], p["case"])
        work.setdefault(key, set()).add(p["before"])
        causes.setdefault(key, set()).update(p["causes"])
    last = (args.last or "").split(",")
    while work:
        key = min(work, key=lambda k: (k[1].stem in last, sum(seen.get(c, 0) for c in causes[k]) / len(causes[k]), k[0]))
        order.append((key, work.pop(key)))
        for c in causes[key]:
            seen[c] = seen.get(c, 0) + 1
    return order


def command_of(args, experiment, case, variants):
    names = {k.split("::")[-1] for v in variants for k in kernels_of(experiment, v)}
    command = [args.ncu, "--target-processes", "all", "--clock-control", "none", "--csv", "--page", "details",
               "--print-details", "all", "--kernel-id", f"::regex:^({'|'.join(sorted(names))})$:1"]
    for section in SECTIONS:
        command += ["--section", section]
    command += [args.ridge, "verify", str(experiment), "--device", args.device, "-q", "--seed", "1"]
    for axis in case.split():
        command += ["--param", axis]
    for v in sorted(variants):
        command += ["--variant", v]
    return command if names else None


def profile(path, command):
    """What went wrong, or None."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    try:
        parse(done.stdout.splitlines(keepends=True))
    except ValueError as why:
        print(f"  {path.name}: {why}", file=sys.stderr, flush=True)
        return "counters" if "ERR_NVGPUCTRPERM" in done.stdout else "failed"
    path.write_text(done.stdout)
    return None


def collect(args):
    if not shutil.which(args.ncu):
        print(f"{args.ncu} is not here: Nsight Compute comes with the CUDA toolkit", file=sys.stderr)
        return 3
    Path(args.folder).mkdir(parents=True, exist_ok=True)
    ended = set()

    def one(path, command, variants):
        if "counters" in ended:
            return
        print(f"{path.name}: {', '.join(sorted(variants))}", file=sys.stderr, flush=True)
        ended.add(profile(path, command))

    with concurrent.futures.ThreadPoolExecutor(args.together) as pool:
        begun = []
        for (path, experiment, case), variants in spread(args):
            command = command_of(args, experiment, case, variants)
            if command and not path.exists():
                begun.append(pool.submit(one, path, command, variants))
    for b in begun:
        b.result()
    if "counters" in ended:
        print("this user may not read the GPU's counters", file=sys.stderr)
        return 3
    return 1 if "failed" in ended else 0


def rows(args):
    found = []
    args.folder, csvs = args.results, Path(args.folder)
    for r in advice.judge(args, args.split):
        path = csvs / advice.path_of(".", r).with_suffix(".csv").name
        if not path.exists():
            continue
        with path.open(newline="", errors="replace") as file:
            kernels = parse(file)
        of = [kernels[k.split("::")[-1]] for k in kernels_of(r["path"], r["before"]) if k.split("::")[-1] in kernels]
        if of:
            found.append(dict(r, ncu=ranked(of)))
    return found


def errors(promises):
    """(how many, median error, share within 25 %, rank correlation) of [(promised, got)], shares of the time before."""
    off = sorted(abs(p - g) / g for p, g in promises)
    return (len(off), 100 * off[len(off) // 2] if off else math.nan,
            100 * sum(e <= 0.25 for e in off) / max(len(off), 1),
            advice.correlation([p for p, _ in promises], [g for _, g in promises]))


def table(args):
    found = rows(args)
    if not found:
        print("nothing to compare: no pair has both a result of run.py and a CSV file of ncu", file=sys.stderr)
        return 2
    helped = [r for r in found if r["helps"]]
    ridge = [(r["first"]["expected_time_ns"] / r["time"], r["got"] / r["time"]) for r in helped if r["first"]]
    ncu = [(r["ncu"][0][0], r["got"] / r["time"]) for r in helped if r["ncu"]]
    names = {"ridge": sum(r["place"] == 1 for r in helped),
             "ncu": sum(bool(r["ncu"]) and bool(causes_of(r["ncu"][0][1]) & set(r["causes"])) for r in helped)}
    top3 = {"ridge": sum(1 <= r["place"] <= 3 for r in helped),
            "ncu": sum(any(causes_of(rule) & set(r["causes"]) for _, rule in r["ncu"][:3]) for r in helped)}
    print(f"{len(found)} pairs, {len(helped)} that help. Promises are those of the first finding and of the rule with the largest estimate of the kernel's time.\n")
    print("| | ridge | ncu |\n|---|---|---|")
    for title, of in (("top 1 names the cause", names), ("top 3 name it", top3)):
        print(f"| {title} | " + " | ".join(f"{100 * of[who] / max(len(helped), 1):.0f} %" for who in ("ridge", "ncu")) + " |")
    for title, i, unit in (("first promises", 0, ""), ("median error", 1, " %"), ("within 25 %", 2, " %")):
        print(f"| {title} | " + " | ".join(f"{errors(of)[i]:.0f}{unit}" for of in (ridge, ncu)) + " |")
    print("| rank correlation of promised and got | " + " | ".join(f"{errors(of)[3]:.2f}" for of in (ridge, ncu)) + " |")
    print("\n| before → after | time got | the change takes away | ridge: first finding | promise | ncu: first rule | estimate |")
    print("|---|---|---|---|---|---|---|")
    for r in found:
        case = f" ({r['case']})" if r["case"] else ""
        promise = f"{100 * r['first']['expected_time_ns'] / r['time']:.0f} %" if r["first"] else "–"
        rule = f"{r['ncu'][0][1]['name']} | {100 * r['ncu'][0][0]:.0f} % ({r['ncu'][0][1]['type']})" if r["ncu"] else "– | –"
        print(f"| {r['experiment']}{case}: {r['before']} → {r['after']} | {100 * r['got'] / r['time']:.0f} % | "
              f"{', '.join(r['causes'])} | {advice.first(r)} | {promise} | {rule} |")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["collect", "table"])
    parser.add_argument("folder")
    parser.add_argument("--ridge", default=os.environ.get("RIDGE", str(advice.ROOT / "build" / "ridge")))
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--split", choices=["tuning", "validation", "kept-back"])
    parser.add_argument("--from", dest="list", metavar="LIST", type=Path, default=advice.HERE / "pairs.tsv")
    parser.add_argument("--results", metavar="RUNS")
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--last", metavar="NAMES")
    args = parser.parse_args()
    if args.what == "table" and not args.results:
        parser.error("table needs --results: run.py's folder")
    return {"collect": collect, "table": table}[args.what](args)


if __name__ == "__main__":
    sys.exit(main())
