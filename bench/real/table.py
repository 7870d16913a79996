# The table of bench/real/run.sh, of what `ridge verify` and `ridge run` said of each experiment on each device.
# Usage: table.py WORK-FOLDER EXPERIMENTS-FOLDER RESULTS-FOLDER
#        table.py --races FILE.json: the variants that have a race
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import sys


def results_of(path):
    """What was said: the whole answer, and its results by variant."""
    try:
        with open(path) as file:
            answer = json.load(file)
        return answer, {r["variant"]: r for r in answer["results"]}
    except (OSError, ValueError, KeyError):
        return {}, {}


def races_of(result):
    return sum(p["kind"] == "race" for p in result["problems"])


if sys.argv[1] == "--races":
    for name, result in results_of(sys.argv[2])[1].items():
        if races_of(result):
            print(name)
    sys.exit(0)
work, here, results_folder = sys.argv[1:4]


def key(text, name):
    found = re.search(rf"^{name}: *(.*)$", text, re.M)
    return found.group(1).strip() if found else None


def variants(text):
    """(name, kernels, source) of each; the files here keep a variant, or each of its steps, on a line."""
    rows, source = [], key(text, "source")
    for line in text.split("variants:")[1].split("\n"):
        name = re.search(r"- \{?name: ([\w-]+)", line)
        own = re.search(r"source: ([^,}]+)", line)
        if name:
            rows.append([name.group(1), [], own.group(1) if own else source])
        rows and rows[-1][1].extend(
            a or b for a, b in re.findall(r'kernel: (?:"([^"]+)"|([\w:]+))', line))
    return rows


def short(text, length=150):
    """One line of it, for a cell of a table."""
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"


def said(path):
    try:
        with open(path, errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
    except OSError:
        lines = []
    errors = [line for line in lines if "error" in line] or lines
    return short(errors[0] if errors else "no answer")


def verdict(result, device, name):
    """(right, what to print); right is None where nothing was asked"""
    if not result and not os.path.exists(os.path.join(results_folder, device, name + ".json")):
        return None, "not run"
    if result and result["verified"] and result["status"] != "ok":
        faults.append((name, result["variant"], device, short(re.sub(r"kernel '[^']*': ", "", result["error"]), 300)))
        return True, "right, with a fault"
    if result and result["verified"]:
        time = (result["time_ns"] or {}).get("median")
        return True, f"{time / 1000:.3g} µs" if time else "verified"
    why = (result["error"] or result["status"]) if result else said(
        os.path.join(results_folder, device, name + ".err"))
    return False, short(re.sub(r"kernel '[^']*': ", "", why))


def racecheck(name, variant):
    """What compute-sanitizer's racecheck said of a variant in which the simulated GPU reports a race."""
    try:
        with open(os.path.join(results_folder, "racecheck", f"{name}.{variant}.txt"), errors="replace") as file:
            text = file.read()
    except OSError:
        return "not asked"
    found = re.search(r"RACECHECK SUMMARY: (\d+) hazard", text)
    if found and int(found.group(1)):
        return "confirmed"
    return "not found" if found and "verified" in text else "no answer"


devices = sorted((d for d in os.listdir(results_folder) if ":" in d), key=lambda d: not d.startswith("sim:"))
rows, absent, about, faults = [], [], {}, []
for name in sorted(os.listdir(here)):
    path = os.path.join(here, name, "experiment.yaml")
    if not os.path.isfile(path):
        continue
    with open(path) as file:
        text = file.read()
    keys = {v: [k for k in ("flags", "defines", "set") if re.search(rf"\b{k}:", line)]
            for line in text.split("\n") for v in re.findall(r"- \{?name: ([\w-]+)", line)}
    answers = {}
    for device in devices:
        whole, answers[device] = results_of(os.path.join(results_folder, device, name + ".json"))
        if whole:
            about.setdefault(device, whole)
    for variant, kernels, source in variants(text):
        repository, file = source.removeprefix("../").split("/", 1)
        if not os.path.exists(os.path.join(work, repository)):
            absent.append(f"{repository}: {', '.join(kernels)}")
            continue
        verdicts = {d: verdict(answers[d].get(variant), d, name) for d in devices}
        races = max([races_of(answers[d][variant]) for d in devices if variant in answers[d]], default=0)
        rows.append({"repository": repository, "file": file, "kernels": kernels,
                     "how": "with " + ", ".join(keys[variant]) if keys.get(variant) else "as is",
                     "verdicts": verdicts, "races": races,
                     "racecheck": racecheck(name, variant) if races else "",
                     "compiler": next((answers[d][variant]["compiler"] for d in devices if variant in answers[d]), None)})
with open(os.path.join(here, "not-run.txt")) as file:
    for line in file:
        if not line.startswith("#"):
            repository, file_name, kernels, why = line.strip().split("|")
            if os.path.exists(os.path.join(work, repository)):
                rows.append({"repository": repository, "file": file_name, "kernels": kernels.split(", "),
                             "how": "no key", "verdicts": {d: (False, why) for d in devices}, "races": 0,
                             "racecheck": "", "compiler": None})


def kernels_of(chosen):
    return len({(r["repository"], r["file"], k) for r in chosen for k in r["kernels"]})


def percent(part, whole):
    return f"{part} ({100 * part // max(whole, 1)} %)"


count = kernels_of(rows)
with open(os.path.join(work, "commits")) as file:
    commits = ", ".join(file.read().split("\n")).strip(", ")
print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
print("<!-- Written by bench/real/run.sh --write FOLDER...; do not edit. -->")
print("# Kernels of public repositories\n")
compilers = sorted({r["compiler"] for r in rows if r["compiler"]})
print(f"{count} kernels of {len({r['repository'] for r in rows})} repositories, their sources untouched, compiled by "
      f"{' and '.join(compilers)}, ridge {next(iter(about.values()), {}).get('ridge', '')}. The kernels were chosen by "
      "hand: their share is not that of a random sample.\n")
print("| device | date | right | as they are | with a key | failed | not run |\n|---|---|---:|---:|---:|---:|---:|")
for device in devices:
    right = [r for r in rows if r["verdicts"][device][0]]
    wrong = kernels_of(r for r in rows if r["verdicts"][device][0] is False)
    plain = kernels_of(r for r in right if r["how"] == "as is")
    good = kernels_of(right)
    what = about.get(device, {})
    driver = what.get("device", {}).get("driver") or what.get("environment", {}).get("driver")
    print(f"| `{device}`, {what.get('device', {}).get('name', '')}{', driver ' + driver if driver else ''} | "
          f"{what.get('started', '')[:10]} | {percent(good, good + wrong)} | {percent(plain, good + wrong)} | {good - plain} | "
          f"{wrong} | {count - good - wrong} |")
print("\nEach is compared with a reference in plain C written for what the kernel is for (bench/real/reference.c), on "
      "random data; on the simulated GPU with `--check`. \"As is\" says that the experiment names the file, the kernel "
      "and its launch, and no flags, macros or variables. Sizes are small. A time is the median that `ridge run` "
      "measures on the GPU. A race is what `--check` reports; the result may be right all the same. \"Confirmed\" and "
      "\"not found\" are what NVIDIA's compute-sanitizer (racecheck) says of the same launch on the GPU.\n")
if commits:
    print(f"Commits: {commits}.\n")
failed = [(r, d) for r in rows for d in devices if r["verdicts"][d][0] is False]
print("## Failed\n" if failed else "None failed.\n")
for r, device in failed:
    names = ", ".join(f"`{k}`" for k in r["kernels"])
    print(f"- {r['repository']}, {names} on `{device}`: {r['verdicts'][device][1]}")
if faults:
    print("\n## Faults of kernels whose results are right\n")
for name, variant, device, why in faults:
    print(f"- {name}, variant {variant}, on `{device}`: {why}")
print("\n## All\n" if failed or faults else "## All\n")
print(f"| repository | file | kernel | source | {' | '.join(f'`{d}`' for d in devices)} | races |")
print("|---|---|---|---|" + "---|" * len(devices) + "---|")
for r in sorted(rows, key=lambda r: (r["repository"], r["file"], r["kernels"])):
    names = ", ".join(f"`{k}`" for k in r["kernels"])
    cells = " | ".join("**failed**" if v[0] is False else v[1] for v in r["verdicts"].values())
    races = f"{r['races']}, {r['racecheck']}" if r["races"] else ""
    print(f"| {r['repository']} | {r['file']} | {names} | {r['how']} | {cells} | {races} |")
if absent:
    print(f"\nNot given on the command line: {'; '.join(absent)}.")
