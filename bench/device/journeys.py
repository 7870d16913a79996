#!/usr/bin/env python3
# From what bench/device/course.sh left: docs/journeys with the driver and the command in each file, and its README: what
# every variant took, and what became of every expectation, those that failed first.
# Usage: bench/device/journeys.py CHIP FOLDER... [-o docs/journeys]
#   FOLDER    of course.sh, of an experiment's journeys the latest: journey-NAME.md and .json, driver.txt (nvidia-smi's driver version)
# SPDX-License-Identifier: Apache-2.0
import glob
import json
import os
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
            run = json.load(open(path, encoding="utf-8"))
            run["driver"] = driver_of(folder)
            run["page"] = open(path[:-4] + "md", encoding="utf-8").read()
            last = runs.get(run["experiment"])
            if not last or last["started"] < run["started"]:
                runs[run["experiment"]] = run
    return sorted(runs.values(), key=lambda r: r["experiment"])


def write_page(run, chip, to):
    lines = run["page"].split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("Device: "))
    lines[at] += f" Driver: {run['driver']}. Command: `{run['command']}`."
    path = os.path.join(to, f"{run['experiment']}-{chip}.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip("\n") + "\n")


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


def table_of_expectations(runs, verdicts):
    print("| experiment | case | variant | hypothesis | of | expected | measured | verdict |")
    print("|---|---|---|---|---|---|---|---|")
    for run in runs:
        for result, e in expectations(run, verdicts):
            hypothesis = (result.get("hypothesis") or "").replace("|", "\\|")
            print(f"| [{run['experiment']}]({run['file']}) | {result['case_label']} | {result['variant']} | "
                  f"{hypothesis} | {e['what']} | {e['expected']} | {shown(e)} | {said(e['verdict'])} |")
    print()


# The first finding of each variant, what it promised, and the steps that followed it: which of them took the advice, a reader sees.
def table_of_advice(runs):
    print("| experiment | case | step | first finding before it | promised | came |")
    print("|---|---|---|---|---:|---:|")
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
            print(f"| [{run['experiment']}]({run['file']}) | {result['case_label']} | {before['variant']} to "
                  f"{result['variant']} | {title} | {100 * promised:+.0f} % | {100 * came:+.0f} % |")
    print()


def count(runs, verdicts):
    return sum(1 for run in runs for _ in expectations(run, verdicts))


def write_readme(runs, chip):
    devices = sorted({r["device"]["name"] for r in runs})
    days = sorted({r["started"][:10] for r in runs})
    drivers = sorted({r["driver"] for r in runs})
    held, failed = count(runs, ("held",)), count(runs, ("missed", WRONG_WAY, WRONG_WAY_ONCE))
    print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
    print("<!-- written by bench/device/journeys.py -->")
    print("# Journeys\n")
    print(f"Each experiment from its first step to its last, as `ridge run --markdown` wrote it. Device: {', '.join(devices)}. "
          f"Driver: {', '.join(drivers)}. Date: {', '.join(days)}. Caches: cold. Command: "
          "`LIMIT=0.3 bench/device/course.sh build/ridge FOLDER`; each page names its own. Times are medians with 95 % intervals, "
          "every timed variant is verified against the reference.\n")
    print(f"Of {held + failed} expectations, left as they were written, {held} held and "
          f"{failed} failed. The last variants of several experiments had been tried by bench/device/tune before their "
          "expectations were written ([JOURNAL.md](../JOURNAL.md)).\n")
    print("## Expectations that failed\n")
    table_of_expectations(runs, ("missed", WRONG_WAY, WRONG_WAY_ONCE))
    print("## Expectations that held\n")
    table_of_expectations(runs, ("held",))
    print("## Advice, and the step that followed\n")
    print("The tool's first finding of a variant, the time that it promised, and what the step from there brought. Steps were written "
          "before the findings were seen, so that some took other advice.\n")
    table_of_advice(runs)
    print("## Times\n")
    print("| experiment | case | variant | time, us | 95 % interval | GB/s | of the floor |")
    print("|---|---|---|---:|---|---:|---:|")
    for run in runs:
        for result in run["results"]:
            time, interval = time_of(result)
            if not time:
                continue
            rate = result.get("throughput_gbps")
            floor = result.get("floor_ns")
            share = f"{100 * floor / result['time_ns']['median']:.0f} %" if floor else ""
            print(f"| [{run['experiment']}]({run['file']}) | {result['case_label']} | {result['variant']} | {time} | {interval} | "
                  f"{f'{rate:.0f}' if rate else ''} | {share} |")
    print()
    print("## Not timed\n")
    for run in runs:
        for result in run["results"]:
            if not result.get("time_ns"):
                print(f"- {run['experiment']}, {result['case_label']}, {result['variant']}: {result.get('error')}")


def main(arguments):
    to = "docs/journeys"
    if "-o" in arguments:
        at = arguments.index("-o")
        to = arguments[at + 1]
        del arguments[at:at + 2]
    if len(arguments) < 2:
        sys.exit(__doc__ or "usage: journeys.py CHIP FOLDER... [-o FOLDER]")
    chip, folders = arguments[0], arguments[1:]
    runs = read(folders)
    if not runs:
        sys.exit("journeys.py: no journey-*.json in " + ", ".join(folders))
    os.makedirs(to, exist_ok=True)
    for run in runs:
        run["file"] = f"{run['experiment']}-{chip}.md"
        write_page(run, chip, to)
    with open(os.path.join(to, "README.md"), "w", encoding="utf-8") as file:
        sys.stdout = file
        write_readme(runs, chip)
        sys.stdout = sys.__stdout__


main(sys.argv[1:])
