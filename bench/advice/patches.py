#!/usr/bin/env python3
"""The patches that ridge finds for the shipped experiments, each applied to a copy, run and judged: a Markdown table (docs/advice.md).

  bench/advice/patches.py [--device sim:h200] [EXPERIMENT...]
      on the simulated GPU: all variants, at the small cases of tests/shipped/cases
  bench/advice/patches.py --device cuda:0 [--from bench/advice/patches.tsv] [--limit SECONDS] [EXPERIMENT...]
      on a GPU: the variants and the cases of the list, which has kernels as they are first written

--together N: so many experiments are diagnosed at once, then their patched variants are timed, one experiment at a time, before the
next N; --limit: nothing is begun later, what was judged by then is in the table; --patience: an experiment that takes longer to
diagnose is left out; --keep FOLDER: the patched copies and the journals stay there.
An experiment of the list is a shipped one's name or a folder.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BEGAN = time.monotonic()


def cases(args):
    """[(experiment, folder, options)] of the list; of tests/shipped/cases where there is none."""
    found = []
    for line in args.list.read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        name, *rest = line.split("\t") if "\t" in line else line.split()
        if args.list.suffix == ".tsv":
            case, variants = rest
            rest = [w for p in case.split() for w in ("-p", p)] + [w for v in variants.split() for w in ("--variant", v)]
        if not args.experiments or Path(name).name in args.experiments:
            found.append((Path(name).name, Path(name) if "/" in name else ROOT / "experiments" / name, rest))
    return found


class Copy:
    """An experiment in a folder of its own, with a journal of its own."""

    def __init__(self, args, work, name, source, options):
        self.args, self.name, self.options = args, name, options
        self.folder = work / name
        self.folder.mkdir(parents=True)
        shutil.copytree(source, self.folder / name)
        for beside in source.resolve().parent.iterdir():  # files that several experiments share
            if beside.name != name:
                (self.folder / beside.name).symlink_to(beside)
        self.patches = []
        self.said = ""

    def ridge(self, *words, gpu=False):
        if gpu:
            words += ("--device", self.args.device, "--seed", "1", "-q")
        try:
            done = subprocess.run([self.args.ridge, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                                  timeout=self.args.patience, env=dict(os.environ, RIDGE_JOURNAL=str(self.folder / "journal.db")))
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(words, 1, "", f"longer than {self.args.patience:g} s")
        self.said = done.stderr
        return done

    def timing(self):
        real = not self.args.device.startswith("sim:")
        return ["--time-limit", self.args.time_limit] if real else []

    def case(self):
        return [w for i, w in enumerate(self.options) if "-p" in (w, self.options[i - 1] if i else "")]

    def find(self):
        """Runs it, and writes all its patches into the copy."""
        self.ridge("run", f"./{self.name}", *self.options, *self.timing(), gpu=True)
        said = self.said
        try:
            explained = json.loads(self.ridge("explain", self.name, "--json").stdout)
        except ValueError:
            explained = {}
        if "results" not in explained:
            print(f"{self.name}: no run: {said.strip()[:200]}", file=sys.stderr)
            return
        before = {r["variant"]: r["time_ns"]["median"] for r in explained["results"] if r.get("time_ns")}
        for p in explained["patches"]:
            applied = self.ridge("explain", self.name, "--apply", str(p["number"]), "--output", str(self.folder / f"{self.name}-advice"),
                                 "--run", str(explained["run"]), "--json")
            try:
                p["patched"] = json.loads(applied.stdout)["variant"]
            except ValueError:
                print(f"{self.name}: patch {p['number']}: {self.said.strip()[:200]}", file=sys.stderr)
                continue
            p["promise"] = p["expected_time_ns"] / before[p["variant"]] - 1 if p.get("expected_time_ns") else None
            self.patches.append(p)
        if self.patches and self.args.together > 1:  # compiled and verified: the host's part of the work, several at once
            self.ridge("verify", f"./{self.name}-advice", *self.case(), *self.wanted(), gpu=True)

    def wanted(self):
        return [w for p in self.patches for w in ("--variant", p["patched"])]

    def judge(self):
        side = [] if self.args.device.startswith("sim:") else ["--side-limit", "0"]
        self.ridge("run", f"./{self.name}-advice", *self.case(), *self.wanted(), *self.timing(), *side, gpu=True)
        try:
            results = {r["variant"]: r for r in json.loads(self.ridge("show", self.name, "--json").stdout)["results"]}
        except ValueError:
            results = {}
        rows = []
        for p in self.patches:
            r, old = results.get(p["patched"]), results.get(p["variant"])
            row = dict(p, experiment=self.name, got=None, verdict="was not run")
            if r and r["status"] != "ok":
                row["verdict"] = r["status"]
            elif r and old and r.get("time_ns") and old.get("time_ns"):
                row["got"] = r["time_ns"]["median"] / old["time_ns"]["median"] - 1
                row["verdict"] = "gains" if row["got"] < -0.02 else "gains nothing" if row["got"] < 0.02 else "loses"
            rows.append(row)
        return rows


def told(row):
    return (f"| {row['experiment']}: {row['variant']} | {row['maker']} | {row['cause']} | {percent(row['promise'], row.get('at_most'))} | "
            f"{percent(row['got'])} | {row['verdict']} |")


def judged(args, copies):
    """Rows as they come: so many experiments are diagnosed at once, then each is timed while nothing else runs."""
    with concurrent.futures.ThreadPoolExecutor(args.together) as pool:
        for first in range(0, len(copies), args.together):
            some = copies[first:first + args.together]
            if time.monotonic() - BEGAN > args.limit:
                return
            list(pool.map(Copy.find, some))
            print(f"{time.monotonic() - BEGAN:.0f} s: diagnosed {', '.join(c.name for c in some)}", file=sys.stderr, flush=True)
            for copy in some:
                if copy.patches and time.monotonic() - BEGAN <= args.limit:
                    yield from copy.judge()


def percent(share, at_most=False):
    return "-" if share is None else f"{'at most ' if at_most else ''}{100 * share:+.0f}%"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT")
    parser.add_argument("--ridge", default=os.environ.get("RIDGE", str(ROOT / "build" / "ridge")))
    parser.add_argument("--device", default="sim:h200")
    parser.add_argument("--from", dest="list", metavar="LIST", type=Path)
    parser.add_argument("--time-limit", metavar="S", default="0.2")
    parser.add_argument("--limit", metavar="SECONDS", type=float, default=1e9)
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--patience", metavar="SECONDS", type=float)
    parser.add_argument("--keep", metavar="FOLDER", type=Path)
    args = parser.parse_args()
    args.ridge = str(Path(args.ridge).resolve())
    args.list = args.list or (ROOT / "tests/shipped/cases" if args.device.startswith("sim:") else HERE / "patches.tsv")
    work = args.keep.resolve() if args.keep else Path(tempfile.mkdtemp())
    try:
        copies = [Copy(args, work, *case) for case in cases(args)]
        print("| experiment: variant | patch | finding | promised | got | verdict |\n|---|---|---|---:|---:|---|", flush=True)
        verdicts = []
        for row in judged(args, copies):
            verdicts.append(row["verdict"])
            print(told(row), flush=True)
        print("\n" + f"{len(verdicts)} patches: " + ", ".join(f"{verdicts.count(v)} {v}" for v in sorted(set(verdicts))))
    finally:
        if not args.keep:
            shutil.rmtree(work)


if __name__ == "__main__":
    main()
