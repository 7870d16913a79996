#!/usr/bin/env python3
"""Times of the public kernels beside this file, at the sizes of sizes.txt: on a GPU, on the simulated one, and both compared.

  bench/real/times.py run [--ridge build/ridge] [--device cuda:0] [--only REGEX] [--limit S] FOLDER... >rows.csv
  bench/real/times.py score MEASURED.csv MODELLED.csv
  bench/real/times.py page MEASURED.csv MODELLED.csv >docs/real-times-h200.md

Each FOLDER is a checked-out repository, named as on GitHub (run.sh); nothing is fetched, no source is copied. Rows have the form of
bench/truth: experiment,variant,case,time_ns,warp_instructions,shared_load_requests,l2_read_sectors. Caches are cold.

  --compiler NAME  which compiler (nvrtc, as run.sh)
  --limit S        begins no experiment after so many seconds

Exit status: 0, 1 a row is missing, 2 usage.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "truth"))
import measure  # noqa: E402: rows as bench/truth has them

COUNTERS = measure.COUNTERS
PROVENANCE = ("measured", "simulated", "modelled")


def sizes():
    """(experiment, parameter, values) of sizes.txt."""
    for line in (HERE / "sizes.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            experiment, assignment = line.split()
            parameter, values = assignment.split("=")
            yield experiment, parameter, values.split(",")


def lists():
    """Experiments by the list of sizes.txt that they are in (## NAME)."""
    found, name = {}, None
    for line in (HERE / "sizes.txt").read_text().splitlines():
        if line.startswith("## "):
            name = line[3:]
            found[name] = []
        elif line and not line.startswith("#"):
            found[name].append(line.split()[0])
    return found


def stage(work, folders):
    """Folder WORK as run.sh has it: the repositories, the references, and the experiments of those that are there."""
    for folder in folders:
        (work / Path(folder).resolve().name).symlink_to(Path(folder).resolve())
    shutil.copy(HERE / "reference.c", work)
    subprocess.run([sys.executable, str(HERE / "inputs.py"), str(work)], check=True)
    for experiment, parameter, values in sizes():
        text = (HERE / experiment / "experiment.yaml").read_text()
        if not all((work / name).exists() for name in re.findall(r"source: \.\./([^/\s]*)", text)):
            continue
        shutil.copytree(HERE / experiment, work / experiment)
        changed, n = re.subn(rf"^(params: {{.*\b{parameter}: )\d+", rf"\g<1>[{', '.join(values)}]", text, flags=re.M)
        if n != 1:
            sys.exit(f"bench/real/times.py: {experiment} has no parameter '{parameter}' of one value")
        (work / experiment / "experiment.yaml").write_text(changed)
        yield experiment


def run(args):
    rows, missing, began = [], 0, time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        for name in stage(Path(work), args.folder):
            if not re.search(args.only, name):
                continue
            spent = time.monotonic() - began
            if spent > args.limit:
                print(f"{name}: no time left", file=sys.stderr)
                missing += 1
                continue
            results, _, why = measure.run(args, f"{work}/{name}", "--compiler", args.compiler)
            print(f"# {name}: {time.monotonic() - began - spent:.1f} s", file=sys.stderr, flush=True)
            if results is None:
                print(f"{name}: {why}", file=sys.stderr)
                missing += 1
                continue
            for result in results:
                line = measure.row(name, result, PROVENANCE)
                if line:
                    rows.append(line)
                else:
                    print(f"{name},{result['variant']},{result['case_label']}: {measure.why_none(result)}", file=sys.stderr)
                    missing += 1
    print("# experiment,variant,case,time_ns," + ",".join(COUNTERS))
    print("\n".join(sorted(rows)))
    return 1 if missing else 0


def read(path):
    lines = (line.split(",") for line in Path(path).read_text().splitlines() if line and not line.startswith("#"))
    return {tuple(f[:3]): [float(x) if x else None for x in f[3:]] for f in lines}


def tau(measured, modelled, keys):
    """Kendall's tau of the variants of an experiment at a size, as docs/truth-h200.md has it."""
    groups, agree, pairs = {}, 0, 0
    for key in keys:
        groups.setdefault((key[0], key[2]), []).append(key)
    for group in groups.values():
        for i, a in enumerate(group):
            for b in group[:i]:
                apart = (measured[a][0] - measured[b][0]) * (modelled[a][0] - modelled[b][0])
                agree += (apart > 0) - (apart < 0)
                pairs += 1
    return agree / pairs if pairs else 1


def sums(measured, modelled, keys):
    """The figures of a list of rows: a dictionary of texts."""
    errors = [modelled[k][0] / measured[k][0] - 1 for k in keys]
    sizes_of = sorted(abs(e) for e in errors)

    def part(p):
        return 100 * sizes_of[min(len(sizes_of) - 1, int(p * len(sizes_of)))]
    said = {"rows": f"{len(keys)}", "experiments": f"{len({k[0] for k in keys})}", "median": f"{part(0.5):.1f} %", "90th percentile": f"{part(0.9):.1f} %",
            "within 20 %": f"{100 * sum(e <= 0.2 for e in sizes_of) / len(sizes_of):.0f} %", "worst": f"{100 * max(errors, key=abs):+.0f} %",
            "bias": f"{100 * sum(errors) / len(errors):+.1f} %", "Kendall's tau": f"{tau(measured, modelled, keys):.2f}"}
    for i, counter in enumerate(COUNTERS, 1):
        bound = 0.1 if counter.startswith("l2") else 0.05
        pairs = [(modelled[k][i], measured[k][i]) for k in keys if measured[k][i] and modelled[k][i] is not None]
        said[f"{counter.replace('_', ' ')} within {100 * bound:.0f} %"] = f"{sum(abs(a / b - 1) <= bound for a, b in pairs)} of {len(pairs)}"
    return said


def both_of(args):
    measured, modelled = read(args.measured), read(args.modelled)
    both = sorted(set(measured) & set(modelled))
    if not both:
        sys.exit("bench/real/times.py: no row is in both")
    return measured, modelled, both


def ratio(a, b):
    return f"{a / b:.2f}" if b and a is not None else "-"


def score(args):
    measured, modelled, both = both_of(args)
    for name, experiments in lists().items():
        keys = [k for k in both if k[0] in experiments]
        if keys:
            print(f"{name}: " + ", ".join(f"{k} {v}" for k, v in sums(measured, modelled, keys).items()))
    for key in sorted(both, key=lambda k: -abs(modelled[k][0] / measured[k][0] - 1)) if args.rows else []:
        print(f"{100 * (modelled[key][0] / measured[key][0] - 1):+6.1f} %  {measured[key][0] / 1e3:9.2f} us  {' '.join(key)}  "
              + " ".join(ratio(modelled[key][i], measured[key][i]) for i in (1, 2, 3)))
    return 0


def page(args):
    measured, modelled, both = both_of(args)
    print("""<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by bench/real/times.py page; do not edit. -->
# Times of public kernels, simulated and on an H200

Kernels of public repositories, their sources untouched, compiled by NVRTC 13.0, at the sizes of bench/real/sizes.txt: on an H200
(driver 580.159, caches cold, median of the samples) and simulated without a toolkit's ptxas. The sizes were listed before any time was
measured or modelled. The error is the modelled time over the measured one, less one; counts are modelled over measured.
""")
    alone = sorted({k[0] for k in set(measured) - set(modelled)})
    if alone:
        print(f"{len(set(measured) - set(modelled))} measured rows were not simulated, for want of time: of {', '.join(alone)}.\n")
    of_list = {name: [k for k in both if k[0] in experiments] for name, experiments in lists().items()}
    said = {name: sums(measured, modelled, keys) for name, keys in of_list.items() if keys}
    titles = list(next(iter(said.values())))
    print("| list | " + " | ".join(titles) + " |\n|---|" + "---:|" * len(titles))
    for name, figures in said.items():
        print(f"| {name} | " + " | ".join(figures[t] for t in titles) + " |")
    for name, keys in of_list.items():
        print(f"\n## {name[0].upper() + name[1:]}\n\n| experiment | variant | size | measured, us | modelled, us | error | instructions | shared loads | L2 reads |")
        print("|---|---|---|---:|---:|---:|---:|---:|---:|")
        for key in keys:
            a, b = measured[key], modelled[key]
            print(f"| {' | '.join(key)} | {a[0] / 1e3:.2f} | {b[0] / 1e3:.2f} | {100 * (b[0] / a[0] - 1):+.0f} % | "
                  + " | ".join(ratio(b[i], a[i]) for i in (1, 2, 3)) + " |")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run")
    one.add_argument("--ridge", default=os.environ.get("RIDGE", str(HERE.parent.parent / "build" / "ridge")))
    one.add_argument("--device", default="cuda:0")
    one.add_argument("--compiler", default="nvrtc")
    one.add_argument("--only", default=".")
    one.add_argument("--limit", type=float, default=float("inf"))
    one.add_argument("folder", nargs="+")
    one.set_defaults(do=run, time_limit=0.1, each=None)
    for name, do in (("score", score), ("page", page)):
        two = commands.add_parser(name)
        two.add_argument("measured")
        two.add_argument("modelled")
        two.set_defaults(do=do)
        if do == score:
            two.add_argument("--rows", action="store_true", help="each row, worst first")
    args = parser.parse_args()
    return args.do(args)


if __name__ == "__main__":
    sys.exit(main())
