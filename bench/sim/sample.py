#!/usr/bin/env python3
"""How far is a sample of the blocks (`ridge run --sample-blocks`) from all of them? Every shipped experiment, every variant.

  bench/sim/sample.py [--share 0.1] [--ridge build/ridge] [--cases FILE] [--jobs 1] [--rows FILE] [--full FOLDER] [NAME...]

The cases are tests/shipped/cases (small ones), from committed PTX; --cases names another list of the same form
(bench/sim/sample-large). Each runs twice on the simulated H200: all blocks, and --share of them. Compared are, of each variant:
the modelled time, sectors read from L2, bytes read from and written to device memory, warp instructions. A table in Markdown by
experiment: the largest error of each, how many results ran which share of their blocks in the end, and processor seconds of both
commands (the first also checks results: a reference and a second run). --rows writes every result as CSV. --full keeps what all
blocks gave in a folder, and takes it from there the next time.
Exit status: 0 no error beyond 3 %, 1 some, 2 usage, 3 a run failed.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BOUND_PCT = 3
METRICS = { # what is compared, and what the difference is a share of
    "time_ns_median": ("time", ["time_ns_median"]),
    "l2_read_sectors": ("L2 reads", ["l2_read_sectors"]),
    "dram_read_bytes": ("DRAM reads", ["dram_read_bytes"]),
    # What is written back and what is still dirty in L2 at the end are one sum: a kernel that just fills L2 writes back next to
    # nothing. So of all bytes that device memory moves.
    "dram_write_bytes": ("DRAM writes, of all bytes", ["dram_read_bytes", "dram_write_bytes"]),
    "warp_instructions": ("instructions", ["warp_instructions"]),
}


def cases(path):
    """Experiment and options, a line each."""
    lines = [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [(line[0], line[1:]) for line in lines]


class Failed(Exception):
    pass


def ridge_run(args, name, options, share):
    """The run's JSON, its rows as {(variant, case): {metric: value}}, and the processor seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, LC_ALL="C", RIDGE_PTXAS="none", RIDGE_NVDISASM="none", RIDGE_CACHE=f"{folder}/cache")
        env.setdefault("RIDGE_DATA_DIR", str(ROOT / "build/share/ridge"))
        subprocess.run([ROOT / "scripts/golden", "stage", name, folder], check=True, env=env)
        command = [args.ridge, "run", name, "--device", "sim:h200", "--seed", "1", "--try-patches", "0", "--json", "--journal", "run.db", *options]
        if share < 1:
            command += ["--sample-blocks", str(share), "--timeout", str(args.timeout)]
        # A process of its own in between: its children's processor time is this run's alone.
        timed = "import resource as r, subprocess as s, sys; c = s.run(sys.argv[1:], stdout=s.PIPE); u = r.getrusage(r.RUSAGE_CHILDREN)\n" \
                "print(u.ru_utime + u.ru_stime, flush=True); sys.stdout.buffer.write(c.stdout); sys.exit(c.returncode)"
        ran = subprocess.run([sys.executable, "-c", timed, *command], cwd=folder, env=env, capture_output=True, text=True)
        if ran.returncode not in ((0,) if share >= 1 else (0, 1)) or "\n" not in ran.stdout:
            raise Failed(f"{name} {' '.join(options)}, share {share}: exit status {ran.returncode}\n{ran.stderr}")
        seconds, text = ran.stdout.split("\n", 1)
        exported = subprocess.run([args.ridge, "export", "--format", "csv", "--journal", "run.db"], cwd=folder, env=env,
                                  check=True, capture_output=True, text=True)
    rows = {}
    for row in csv.DictReader(io.StringIO(exported.stdout)):
        rows.setdefault((row["variant"], row["case"]), {})[row["metric"]] = float(row["value"])
    return json.loads(text), rows, float(seconds)


def full_run(args, name, options):
    """All blocks; kept, where a folder is given."""
    kept = args.full and Path(args.full) / (name + "".join(options).replace("/", "_") + ".json")
    if kept and kept.exists():
        rows, seconds = json.loads(kept.read_text())
        return {tuple(key.split("|", 1)): value for key, value in rows.items()}, seconds
    _, rows, seconds = ridge_run(args, name, options, 1)
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps([{"|".join(key): value for key, value in rows.items()}, seconds]))
    return rows, seconds


def samples_of(run):
    """What the run says of its samples, by variant: of each case."""
    found = {}
    for result in run.get("results", []):
        found.setdefault(result["variant"], []).append((result["case"], result.get("sample")))
    return found


def sample_of(said, key):
    wanted = {k: float(v) for k, v in (word.split("=") for word in key[1].split())}
    return next((s for case, s in said.get(key[0], []) if {k: float(v) for k, v in case.items()} == wanted), None)


def error_pct(got, want, metric):
    if got.get(metric) is None or want.get(metric) is None:
        return math.inf if got.get(metric) != want.get(metric) else 0
    of = sum(want.get(m, 0) for m in METRICS[metric][1])
    off = got[metric] - want[metric]
    return 100 * off / of if of else math.inf if off else 0


def compare(args, name, options):
    whole, whole_s = full_run(args, name, options)
    run, part, part_s = ridge_run(args, name, options, args.share)
    said = samples_of(run)
    results = []
    for key, want in whole.items():
        if "time_ns_median" not in want:
            continue
        got = part.get(key, {})
        errors = {m: error_pct(got, want, m) for m in METRICS if m in want or m in got}
        results.append({"experiment": name, "variant": key[0], "case": key[1], "blocks": int(want.get("grid_blocks", 0)),
                        "sample": sample_of(said, key), "errors": errors})
    return {"name": name, "case": " ".join(options[1::2]), "results": results, "whole_s": whole_s, "part_s": part_s}


def share_of(result):
    s = result["sample"]
    return s["blocks_run"] / s["blocks"] if s else None


def show(compared):
    print("| experiment | case | results | " + " | ".join(title for title, _ in METRICS.values()) +
          " | blocks run: median share, results whole | s, all blocks | s, sample |")
    print("|---|---|---|" + "---|" * len(METRICS) + "---|---|---|")
    for c in compared:
        shares = sorted(s for s in map(share_of, c["results"]) if s is not None)
        run = f"{100 * shares[len(shares) // 2]:.0f} %, {sum(s >= 1 for s in shares)} of {len(shares)}" if shares else "?"
        worst = [max((r["errors"].get(m, 0) for r in c["results"]), key=abs, default=0) for m in METRICS]
        cells = " | ".join(f"**{e:+.1f} %**" if abs(e) > BOUND_PCT else f"{e:+.1f} %" for e in worst)
        print(f"| {c['name']} | {c['case']} | {len(c['results'])} | {cells} | {run} | {c['whole_s']:.1f} | {c['part_s']:.1f} |")


def conclude(compared):
    results = [r for c in compared for r in c["results"]]
    print(f"\n{len(results)} results. Off by more than {BOUND_PCT} %:", end="")
    for metric, (title, _) in METRICS.items():
        print(f" {title} {sum(abs(r['errors'].get(metric, 0)) > BOUND_PCT for r in results)},", end="")
    whole_s, part_s = sum(c["whole_s"] for c in compared), sum(c["part_s"] for c in compared)
    print(f" in all {sum(any(abs(e) > BOUND_PCT for e in r['errors'].values()) for r in results)} results.")
    print(f"Processor seconds: {whole_s:.1f} with all blocks, {part_s:.1f} with the sample, {whole_s / part_s:.1f} times as fast.")
    ways = {}
    for r in results:
        s = r["sample"]
        how = "unknown" if s is None else s.get("whole_because") or ("as asked" if s["blocks_run"] <= 1.5 * s["asked"] * s["blocks"] else "more than asked")
        ways.setdefault(how, []).append(f"{r['experiment']}:{r['variant']}")
    for how, names in sorted(ways.items()):
        print(f"- {how}: {len(names)}")
    for r in results:
        beyond = {METRICS[m][0]: round(e, 2) for m, e in r["errors"].items() if abs(e) > BOUND_PCT}
        if beyond:
            print(f"  {r['experiment']}:{r['variant']} {r['case']} ({r['blocks']} blocks): {beyond}", file=sys.stderr)
    return any(abs(e) > BOUND_PCT for r in results for e in r["errors"].values())


def write_rows(path, compared):
    with open(path, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["experiment", "variant", "case", "blocks", "blocks_run", "whole_because", "said_pct",
                      *(f"{m}_error_pct" for m in METRICS)])
        for r in (r for c in compared for r in c["results"]):
            s = r["sample"] or {}
            said = s.get("error_pct") or {}
            out.writerow([r["experiment"], r["variant"], r["case"], r["blocks"], s.get("blocks_run", ""),
                          s.get("whole_because") or "", said.get("value", ""),
                          *(f"{r['errors'].get(m, 0):.3f}" for m in METRICS)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--ridge", default=str(ROOT / "build/ridge"))
    parser.add_argument("--cases", type=Path, default=ROOT / "tests/shipped/cases")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=600, help="seconds of a variant's sample")
    parser.add_argument("--rows")
    parser.add_argument("--full")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    args.ridge = str(Path(args.ridge).resolve())
    wanted = [(n, o) for n, o in cases(args.cases) if not args.names or n in args.names]
    if not wanted:
        parser.error(f"{args.cases} has none of these")
    failed = []

    def one(case):
        try:
            return compare(args, *case)
        except Failed as e:
            failed.append(e)
            return None

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        compared = [c for c in pool.map(one, wanted) if c]
    show(compared)
    if args.rows:
        write_rows(args.rows, compared)
    beyond = conclude(compared)
    for e in failed:
        print(e, file=sys.stderr)
    return 3 if failed else 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
