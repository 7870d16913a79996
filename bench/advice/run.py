#!/usr/bin/env python3
"""Is the advice right? Runs the pairs of a list (pairs.tsv) and holds ridge's findings against their labels.

  bench/advice/run.py collect [--ridge build/ridge] [--device sim:h200] [--split tuning] FOLDER
      runs each experiment and case once; FOLDER gets a JSON file each (those that are there already are kept)
  bench/advice/run.py list FOLDER     the files that collect makes; collect --one FILE FOLDER makes one of them
  bench/advice/run.py again RECORDED FOLDER
      the runs of a real GPU that lie in RECORDED, diagnosed anew without it (ridge explain --again): its times and
      counters, a fresh simulation on the side, today's rules
  bench/advice/run.py score [--split validation] [--pairs] FOLDER
      the figures; --pairs: a line for each pair too
  bench/advice/run.py table [--before FOLDER] FOLDER
      docs/advice-*.md on standard output: all splits' figures and all pairs; --before: an earlier version's beside
      them, of the pairs that both folders have
  --side-limit S                      simulate a variant on the side no longer; collect with 0 and again with 20 spare the
                                      GPU's time
  --time-limit S                      on a GPU: sample a variant's time no longer (ridge run's option)
  --try-patches S                     simulate the patches of the first findings too (ridge run's option)
  --overlap                           on a GPU: while an experiment is simulated on the side, which takes the host only,
                                      the next one is verified and timed
  --last NAME[,NAME]                  these experiments after all others; what is cut off later is missing at the end
  --split kept-back                   a split that is run and scored only when it is named
  --from second/pairs.tsv             another list; its experiments are NAME.yaml beside it, of sizes for a GPU

A pair helps where its second variant takes 5 % less time. Of those: is the first finding's cause among the label's
(top 1), is one of the first three (top 3), and how far is the promise of the finding that names it from what was got.
False advice: a finding of the label's cause, first on the list, whose second variant gained nothing.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import fcntl
import json
import math
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HELPS = 0.95  # of the time before, at most
TOGETHER = 3  # runs at once, all but one of them simulating


def pairs(args, split=None):
    for line in args.list.read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        of, experiment, case, before, after, causes = line.split("\t")
        own = args.list.parent / f"{experiment}.yaml"
        if own.exists() and not args.device.startswith("sim:"):
            case = ""  # the case is small enough to simulate, the file's own sizes are a GPU's
        if split == of or (split is None and of != "kept-back"):
            yield {"split": of, "experiment": experiment, "case": case, "before": before, "after": after,
                   "causes": causes.split(","), "path": own if own.exists() else ROOT / "experiments" / experiment}


def path_of(folder, pair):
    case = pair["case"].replace(" ", "_").replace("=", "-")
    return Path(folder) / f"{pair['experiment']}_{case or 'default'}.json"


def work_of(args):
    """What is to be run: [((path, experiment, case), variants)], the pairs of a file together."""
    work = {}
    for p in pairs(args, args.split):
        work.setdefault((path_of(args.folder, p), p["path"], p["case"]), set()).update({p["before"], p["after"]})
    last = (args.last or "").split(",")
    return sorted(work.items(), key=lambda w: (w[0][1].stem in last, w[0]))


class Running:
    """A run of ridge; its progress goes to a terminal of ours, as a log says nothing of its steps."""

    def __init__(self, command, path, watched):
        self.path = path
        self.partial = path.with_suffix(".part")
        self.out = self.partial.open("wb")
        self.screen, ours = pty.openpty() if watched else (None, None)
        self.said = b""
        self.all_said = threading.Event()
        if not watched:
            self.all_said.set()
        if watched:
            fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("4H", 50, 400, 0, 0))
        self.process = subprocess.Popen(command, stdout=self.out, stderr=ours, env=dict(os.environ, TERM="xterm"))
        if watched:
            os.close(ours)
        # As soon as it ends, whatever else is waited for: who cuts this script off keeps what is done.
        self.kept = threading.Thread(target=self.keep, daemon=True)
        self.kept.start()

    def read(self):
        try:
            got = os.read(self.screen, 65536)
        except OSError:  # Linux: the other end is closed
            got = b""
        self.said = self.said[-2000:] + got
        if not got:
            self.all_said.set()
        return got

    def wait_for_simulating(self):
        """Until the GPU's part is over: the run simulates on the side, or ends."""
        while b" simulating" not in self.said and self.read():
            pass
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        while self.read():
            pass

    def finish(self):
        self.kept.join()

    def keep(self):
        status = self.process.wait()
        self.out.close()
        try:
            good = bool(json.loads(self.partial.read_bytes()).get("results"))
        except ValueError:
            good = False
        if good:
            self.partial.replace(self.path)
        else:
            self.all_said.wait(5)  # what it said last may not have been read yet
            said = self.said.decode(errors="replace").replace("\r\033[K", "\n").strip().splitlines()[-3:]
            print("\n  ".join([f"  {self.path.name}: no result: exit status {status}", *said]), file=sys.stderr)
            self.partial.unlink()


def collect(args):
    if args.what != "list":
        Path(args.folder).mkdir(parents=True, exist_ok=True)
    running = []
    for (path, experiment, case), variants in work_of(args):
        if args.what == "list":
            print(path.name)
            continue
        if path.exists() or args.one not in (None, path.name):
            continue
        command = [args.ridge, "run", str(experiment), "--device", args.device, "--json",
                   "--no-journal", "--seed", "1"]
        command += ["--threads", str(max(1, (os.cpu_count() - 2) // (TOGETHER - 1)))] if args.overlap else ["-q"]
        if args.time_limit:
            command += ["--time-limit", args.time_limit]
        if args.side_limit:
            command += ["--side-limit", args.side_limit]
        if args.try_patches:
            command += ["--try-patches", args.try_patches]
        for axis in case.split():
            command += ["--param", axis]
        for v in sorted(variants):
            command += ["--variant", v]
        print(" ".join(command[1:]), file=sys.stderr, flush=True)
        running.append(Running(command, path, args.overlap))
        if args.overlap:
            running[-1].wait_for_simulating()
        while running and (not args.overlap or len(running) >= TOGETHER or running[0].process.poll() is not None):
            running.pop(0).finish()
    for left in running:
        left.finish()


def again(args):
    """Each recorded file with today's diagnosis; sources and variants are those that lie here now."""
    folder = Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    for (path, experiment, _), _ in work_of(args):
        recorded = Path(args.recorded) / path.name
        if path.exists() or not recorded.exists() or args.one not in (None, path.name):
            continue
        run = json.loads(recorded.read_text())
        run["experiment_path"] = str(experiment)  # where it lies here
        with tempfile.NamedTemporaryFile("w", suffix=".json") as copy:
            json.dump(run, copy)
            copy.flush()
            command = [args.ridge, "explain", copy.name, "--again", "--json", "-q"]
            command += ["--side-limit", args.side_limit] if args.side_limit else []
            done = subprocess.run(command, stdout=subprocess.PIPE)
        if done.returncode == 0:
            path.write_bytes(done.stdout)
        else:
            print(f"  {path.name}: not diagnosed anew: exit status {done.returncode}", file=sys.stderr)


def result_of(run, variant):
    found = [r for r in run["results"] if r["variant"] == variant and r.get("time_ns")]
    return found[-1] if found else None


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2
        i = j + 1
    return out


def correlation(x, y):
    if len(x) < 3:
        return math.nan
    a, b = ranks(x), ranks(y)
    ma, mb = sum(a) / len(a), sum(b) / len(b)
    top = sum((p - ma) * (q - mb) for p, q in zip(a, b))
    below = math.sqrt(sum((p - ma) ** 2 for p in a) * sum((q - mb) ** 2 for q in b))
    return top / below if below else math.nan


def judge(args, split):
    rows = []
    for p in pairs(args, split):
        path = path_of(args.folder, p)
        if not path.exists():
            continue
        run = json.loads(path.read_text())
        before, after = result_of(run, p["before"]), result_of(run, p["after"])
        if not before or not after:
            continue
        t, got = before["time_ns"]["median"], after["time_ns"]["median"]
        shown = [f for f in before["findings"] if not f["folded"]]
        named = [i for i, f in enumerate(shown) if f["cause"] in p["causes"]]
        row = dict(p, time=t, got=got, helps=got <= HELPS * t, first=shown[0] if shown else None,
                   place=named[0] + 1 if named else 0, named=shown[named[0]] if named else None, shown=shown)
        rows.append(row)
    return rows


def figures(rows):
    labelled = [r for r in rows if r["causes"] != ["none"]]
    helped = [r for r in labelled if r["helps"]]
    named = [r for r in helped if r["named"]]
    n = max(len(helped), 1)
    promise = [r["named"]["expected_time_ns"] / r["time"] for r in named]
    got = [r["got"] / r["time"] for r in named]
    errors = sorted(abs(p - g) / g for p, g in zip(promise, got))
    vain = [r for r in rows if not r["helps"] and r["got"] > 0.98 * r["time"]]
    false = [r for r in vain if r["first"] and r["first"]["cause"] in r["causes"]]
    return {
        "pairs": len(rows), "that help": len(helped),
        "top 1": 100 * sum(r["place"] == 1 for r in helped) / n,
        "top 3": 100 * sum(1 <= r["place"] <= 3 for r in helped) / n,
        "rank correlation of promised and got": correlation(promise, got),
        "promises within 25 %": 100 * sum(e <= 0.25 for e in errors) / max(len(errors), 1),
        "median error of a promise": 100 * errors[len(errors) // 2] if errors else math.nan,
        "changes that gain nothing": len(vain), "of those advised first": len(false),
        "last resort first": sum(r["first"] is not None and r["first"]["cause"] == "memory" for r in helped),
    }


def show(value):
    return f"{value:.2f}" if isinstance(value, float) and abs(value) < 2 else f"{value:.0f}"


def score(args):
    rows = judge(args, args.split)
    for k, v in figures(rows).items():
        print(f"{k}: {show(v)}")
    for r in rows if args.pairs else []:
        first = f"{r['first']['cause']} {r['first']['expected_time_ns'] / r['time']:.2f}" if r["first"] else "nothing"
        named = f"{r['named']['expected_time_ns'] / r['time']:.2f}" if r["named"] else "-"
        print(f"{'  ' if r['place'] == 1 else '!!' if r['helps'] else '..'} {r['experiment']}[{r['case']}] "
              f"{r['before']} -> {r['after']}: got {r['got'] / r['time']:.2f}; label {','.join(r['causes'])}; "
              f"place {r['place']} promised {named}; first {first} | "
              + " ".join(f"{f['cause']}:{f['expected_time_ns'] / r['time']:.2f}" for f in r["shown"][:5]))


UNITS = {"top 1": " %", "top 3": " %", "promises within 25 %": " %", "median error of a promise": " %"}


def key(row):
    return row["experiment"], row["case"], row["before"], row["after"]


def place(row):
    if not row["place"]:
        return "–"
    return f"{row['place']}, {100 * row['named']['expected_time_ns'] / row['time']:.0f} %"


def first(row):
    return row["first"]["cause"] if row["first"] else "–"


def table(args):
    wanted = [args.split] if args.split else sorted({p["split"] for p in pairs(args)})
    now = {s: judge(args, s) for s in wanted}
    then = {s: [] for s in wanted}
    if args.before:
        folder, args.folder = args.folder, args.before
        then = {s: judge(args, s) for s in wanted}
        args.folder = folder
        for s in wanted:  # the pairs of both
            both = {key(r) for r in now[s]} & {key(r) for r in then[s]}
            now[s] = [r for r in now[s] if key(r) in both]
            then[s] = [r for r in then[s] if key(r) in both]
    columns = [(f"{s}, before", figures(then[s])) for s in wanted if then[s]]
    columns += [(s, figures(now[s])) for s in wanted]
    columns.sort(key=lambda c: wanted.index(c[0].split(",")[0]))
    print("| | " + " | ".join(name for name, _ in columns) + " |\n|" + "---|" * (1 + len(columns)))
    for k in columns[0][1]:
        print(f"| {k} | " + " | ".join(show(f[k]) + UNITS.get(k, "") for _, f in columns) + " |")
    for split in wanted:
        old = {key(r): r for r in then[split]}
        print(f"\n## {split.capitalize()}\n\nPlace and promise are those of the finding that names the cause.\n")
        print("| before → after | time got | the change takes away | place, promise | first finding |"
              + (" place, promise before | first before |" if old else ""))
        print("|---|---|---|---|---|" + ("---|---|" if old else ""))
        for r in now[split]:
            case = f" ({r['case']})" if r["case"] else ""
            was = old.get(key(r))
            print(f"| {r['experiment']}{case}: {r['before']} → {r['after']} | {100 * r['got'] / r['time']:.0f} % | "
                  f"{', '.join(r['causes'])} | {place(r)} | {first(r)} |"
                  + (f" {place(was)} | {first(was)} |" if was else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["collect", "list", "again", "score", "table"])
    parser.add_argument("recorded", nargs="?")
    parser.add_argument("folder")
    parser.add_argument("--ridge", default=os.environ.get("RIDGE", str(ROOT / "build" / "ridge")))
    parser.add_argument("--device", default="sim:h200")
    parser.add_argument("--split", choices=["tuning", "validation", "kept-back"])
    parser.add_argument("--from", dest="list", metavar="LIST", type=Path, default=HERE / "pairs.tsv")
    parser.add_argument("--one")
    parser.add_argument("--time-limit", metavar="S")
    parser.add_argument("--side-limit", metavar="S")
    parser.add_argument("--try-patches", metavar="S")
    parser.add_argument("--overlap", action="store_true")
    parser.add_argument("--last", metavar="NAMES")
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--before", metavar="FOLDER")
    args = parser.parse_intermixed_args()
    if (args.what == "again") != (args.recorded is not None):
        parser.error("again takes two folders, the others take one")
    {"collect": collect, "list": collect, "again": again, "score": score, "table": table}[args.what](args)


if __name__ == "__main__":
    main()
