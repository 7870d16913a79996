#!/usr/bin/env python3
# From what bench/device/course.sh left: docs/journeys with the driver and the command in each file, and its README: what
# every variant took, and what became of every expectation, those that failed first.
# Usage: bench/device/journeys.py CHIP FOLDER... [-o docs/journeys]
#   FOLDER    of course.sh, of an experiment's journeys the latest: journey-NAME.md and .json, driver.txt (nvidia-smi's driver version).
#             Rows of experiments that no FOLDER has stay in the README as they are, and so do those whose page is of a later
#             time than the journey in FOLDER. Nothing is written where a file cannot be read.
# SPDX-License-Identifier: Apache-2.0
import contextlib
import glob
import io
import json
import os
import re
import sys

WRONG_WAY, WRONG_WAY_ONCE = "opposite direction", "the other way"  # the JSON's word, and as it was


def driver_of(folder):
    path = os.path.join(folder, "driver.txt")
    if not os.path.exists(path):
        return "not recorded"
    return open(path, encoding="utf-8").read().strip()


def read(folders):
    runs = {}
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "journey-*.json"))):
            run = read_run(path, folder)
            last = runs.get(run["experiment"])
            if not last or last["started"] < run["started"]:
                runs[run["experiment"]] = run
    return sorted(runs.values(), key=lambda r: r["experiment"])


def text_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"journeys.py: {path}: {getattr(error, 'strerror', None) or error}")


def read_run(path, folder):
    try:
        run = json.loads(text_of(path))
    except json.JSONDecodeError as error:
        sys.exit(f"journeys.py: {path}:{error.lineno}: not JSON: {error.msg}")
    missing = [key for key in ("experiment", "started", "device", "command", "results") if key not in run]
    if missing:
        sys.exit(f"journeys.py: {path}: not what `ridge show --json` prints: no {', '.join(missing)}")
    run["driver"] = driver_of(folder)
    run["page"] = page_of(run, path[:-4] + "md")
    return run


# A page as it is kept: the line that names the device names the driver and the command too.
def page_of(run, path):
    lines = text_of(path).split("\n")
    at = next((i for i, line in enumerate(lines) if line.startswith("Device: ")), None)
    if at is None:
        sys.exit(f"journeys.py: {path}: no line 'Device: …': not what `ridge run --markdown` prints")
    lines[at] += f" Driver: {run['driver']}. Command: `{run['command']}`."
    return "\n".join(lines).rstrip("\n") + "\n"


# When the page that is there was measured; "" where there is none.
def written(path):
    if not os.path.exists(path):
        return ""
    date = re.search(r"^Device: .* Date: (\S+)\.", text_of(path), re.MULTILINE)
    return date[1] if date else ""


def time_of(result):
    time = result.get("time_ns")
    if not time:
        return "", ""
    return f"{time['median'] / 1000:.1f}", f"{time['low'] / 1000:.1f} to {time['high'] / 1000:.1f}"


def expectations(run, verdicts):
    for result in run["results"]:
        for e in result.get("expectations") or []:
            if e["verdict"] in verdicts:
                yield result, e


def said(verdict):
    return "opposite direction" if verdict in (WRONG_WAY, WRONG_WAY_ONCE) else verdict


def shown(e):
    return f"{e['actual']}" if e.get("actual") is not None else "not known"


# Rows of a README's tables, by the table's heading, of experiments that are not among `runs`.
def kept_rows(path, runs):
    names, kept, heading = {run["experiment"] for run in runs}, {}, None
    if not os.path.exists(path):
        return kept
    for line in text_of(path).split("\n"):
        if line.startswith("## "):
            heading = line[3:]
        row = re.match(r"\| \[([^]]+)\]|- ([^,]+),", line)
        if row and (row[1] or row[2]) not in names:
            kept.setdefault(heading, []).append((row[1] or row[2], line))
    return kept


def rows_of_expectations(runs, verdicts):
    for run in runs:
        for result, e in expectations(run, verdicts):
            hypothesis = (result.get("hypothesis") or "").replace("|", "\\|")
            yield (run["experiment"], f"| [{run['experiment']}]({run['file']}) | {result['case_label']} | {result['variant']} | "
                   f"{hypothesis} | {e['what']} | {e['expected']} | {shown(e)} | {said(e['verdict'])} |")


# The first finding of each variant, what it promised, and the steps that followed it: which of them took the advice, a reader sees.
def rows_of_advice(runs):
    for run in runs:
        by_place = {(r["case_label"], r["variant"]): r for r in run["results"] if r.get("time_ns")}
        for result in by_place.values():
            before = by_place.get((result["case_label"], result.get("from")))
            findings = before and before.get("findings")
            if not findings or result.get("library") or not findings[0].get("expected_time_ns"):
                continue
            if findings[0]["expected_time_ns"] > 0.97 * before["time_ns"]["median"]:
                continue
            was = before["time_ns"]["median"]
            promised, came = findings[0]["expected_time_ns"] / was - 1, result["time_ns"]["median"] / was - 1
            title = findings[0]["title"].replace("|", "\\|")
            yield (run["experiment"], f"| [{run['experiment']}]({run['file']}) | {result['case_label']} | {before['variant']} to "
                   f"{result['variant']} | {title} | {100 * promised:+.0f} % | {100 * came:+.0f} % |")


def rows_of_times(runs):
    for run in runs:
        for result in run["results"]:
            time, interval = time_of(result)
            if not time:
                continue
            rate = result.get("throughput_gbps")
            floor = result.get("floor_ns")
            share = f"{100 * floor / result['time_ns']['median']:.0f} %" if floor else ""
            yield (run["experiment"], f"| [{run['experiment']}]({run['file']}) | {result['case_label']} | {result['variant']} | {time} | "
                   f"{interval} | {f'{rate:.0f}' if rate else ''} | {share} |")


def rows_not_timed(runs):
    for run in runs:
        for result in run["results"]:
            if not result.get("time_ns"):
                yield (run["experiment"], f"- {run['experiment']}, {result['case_label']}, {result['variant']}: {result.get('error')}")


# What ran on one device stands beside what ran there on another day: the pages have their dates.
def write_readme(runs, kept):
    def merged(heading, rows):
        return [line for _, line in sorted(kept.get(heading, []) + list(rows), key=lambda row: row[0])]

    devices = sorted({r["device"]["name"] for r in runs})
    failed = merged("Expectations that failed", rows_of_expectations(runs, ("missed", WRONG_WAY, WRONG_WAY_ONCE)))
    held = merged("Expectations that held", rows_of_expectations(runs, ("held",)))
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print("<!-- written by bench/device/journeys.py -->")
    print("# Journeys\n")
    print(f"Each experiment from its first step to its last, as `ridge run --markdown` wrote it. Device: {', '.join(devices)}. "
          "Caches: cold. Command: `bench/device/course.sh build/ridge FOLDER`; each page names its own, its driver and its date. Times are medians "
          "with 95 % intervals, every timed variant is verified against the reference.\n")
    print(f"Of {len(held) + len(failed)} expectations, left as they were written, {len(held)} held and "
          f"{len(failed)} failed. The last variants of several experiments had been tried by bench/device/tune before their "
          "expectations were written ([JOURNAL.md](../JOURNAL.md)).\n")
    columns = "| experiment | case | variant | hypothesis | of | expected | measured | verdict |\n|---|---|---|---|---|---|---|---|"
    table("Expectations that failed", "", columns, failed)
    table("Expectations that held", "", columns, held)
    table("Advice, and the step that followed",
          "The tool's first finding of a variant, the time that it promised, and what the step from there brought. Steps were written "
          "before the findings were seen, so that some took other advice.\n\n",
          "| experiment | case | step | first finding before it | promised | came |\n|---|---|---|---|---:|---:|",
          merged("Advice, and the step that followed", rows_of_advice(runs)))
    table("Times", "", "| experiment | case | variant | time, us | 95 % interval | GB/s | of the floor |\n|---|---|---|---:|---|---:|---:|",
          merged("Times", rows_of_times(runs)))
    print("## Not timed\n")
    for line in merged("Not timed", rows_not_timed(runs)):
        print(line)


def table(heading, words, columns, rows):
    print(f"## {heading}\n\n{words}{columns}")
    for row in rows:
        print(row)
    print()


def main(arguments):
    to = "docs/journeys"
    if "-o" in arguments[:-1]:
        at = arguments.index("-o")
        to = arguments[at + 1]
        del arguments[at:at + 2]
    if len(arguments) < 2 or "-o" in arguments:
        sys.exit("usage: journeys.py CHIP FOLDER... [-o FOLDER]")
    chip, folders = arguments[0], arguments[1:]
    runs = read(folders)
    if not runs:
        sys.exit("journeys.py: no journey-*.json in " + ", ".join(folders))
    for run in runs:
        run["file"] = f"{run['experiment']}-{chip}.md"
    for run in [r for r in runs if written(os.path.join(to, r["file"])) > r["started"]]:
        print(f"journeys.py: {run['file']} stays: it is later than {run['started']}", file=sys.stderr)
        runs.remove(run)
    if not runs:
        return
    readme = os.path.join(to, "README.md")
    try:
        with contextlib.redirect_stdout(io.StringIO()) as text:
            write_readme(runs, kept_rows(readme, runs))
    except (KeyError, TypeError) as error:
        sys.exit(f"journeys.py: a result lacks what `ridge show --json` prints: {type(error).__name__} {error}")
    os.makedirs(to, exist_ok=True)
    for run in runs:
        with open(os.path.join(to, run["file"]), "w", encoding="utf-8") as file:
            file.write(run["page"])
    with open(readme, "w", encoding="utf-8") as file:
        file.write(text.getvalue())


main(sys.argv[1:])
