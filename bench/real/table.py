# The table of bench/real/run.sh: one row per kernel, of what `ridge verify --check --json` said of each experiment.
# Usage: table.py WORK-FOLDER EXPERIMENTS-FOLDER DEVICE COMPILER VERSION
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import sys

work, here, device, compiler, version = sys.argv[1:6]


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


def first_line(path):
    with open(path, errors="replace") as file:
        said = [line.strip() for line in file if line.strip()]
    errors = [line for line in said if "error" in line] or said
    return (errors[0] if errors else "no answer").replace(work + "/", "").replace("|", "\\|")[:150]


rows, repositories, absent = [], set(), []
for name in sorted(os.listdir(here)):
    path = os.path.join(here, name, "experiment.yaml")
    if not os.path.isfile(path):
        continue
    with open(path) as file:
        text = file.read()
    keys = {v: [k for k in ("flags", "defines", "set") if re.search(rf"\b{k}:", line)]
            for line in text.split("\n") for v in re.findall(r"- \{?name: ([\w-]+)", line)}
    results = {}
    try:
        with open(os.path.join(work, name + ".json")) as file:
            results = {r["variant"]: r for r in json.load(file)["results"]}
    except (OSError, ValueError, KeyError):
        pass
    for variant, kernels, source in variants(text):
        repository, file = source.removeprefix("../").split("/", 1)
        if not os.path.exists(os.path.join(work, repository)):
            absent.append(f"{repository}: {', '.join(kernels)}")
            continue
        repositories.add(repository)
        result = results.get(variant)
        if result and result["verified"]:
            verdict = "verified"
        elif result:
            verdict = "**failed**: " + (result["error"] or result["status"]).split("\n")[0].replace(
                work + "/", "").replace("|", "\\|")[:150]
        else:
            verdict = "**failed**: " + first_line(os.path.join(work, name + ".err"))
        races = sum(p["kind"] == "race" for p in result["problems"]) if result else 0
        rows.append((repository, file, kernels, "with " + ", ".join(keys[variant]) if keys.get(variant) else "as is",
                     verdict, races))

def kernels_of(chosen):
    return len({(r[0], r[1], k) for r in chosen for k in r[2]})


count = kernels_of(rows)
good = count - kernels_of(r for r in rows if r[4] != "verified")
plain = kernels_of(r for r in rows if r[4] == "verified" and r[3] == "as is")
with open(os.path.join(work, "commits")) as file:
    commits = ", ".join(file.read().split("\n")).strip(", ")
print("<!-- SPDX-License-Identifier: Apache-2.0 -->")
print("<!-- Written by bench/real/run.sh --write FOLDER...; do not edit. -->")
print("# Kernels of public repositories\n")
print(f"{count} kernels of {len(repositories)} repositories, their sources untouched, on `{device}`, compiler "
      f"`{compiler}`, {version}: {good} verified ({100 * good // max(count, 1)} %), {plain} of them as they are "
      f"({100 * plain // max(count, 1)} %), {good - plain} with a key for what the host program sets up "
      f"(variables, flags, macros), {count - good} failed.\n")
print("Each is compared with a reference in plain C written for what the kernel is for (bench/real/reference.c), on "
      "random data, with `--check`. \"As is\" says that the experiment names the file, the kernel and its launch, and no "
      "flags or macros. A race is what `--check` reports; the result may be right all the same. Sizes are small.\n")
if commits:
    print(f"Commits: {commits}.\n")
print("| repository | file | kernel | source | result | races |")
print("|---|---|---|---|---|---|")
for repository, file, kernels, how, verdict, races in sorted(rows):
    names = ", ".join(f"`{k}`" for k in kernels)
    print(f"| {repository} | {file} | {names} | {how} | {verdict} | {races or ''} |")
if absent:
    print(f"\nNot given on the command line: {'; '.join(absent)}.")
