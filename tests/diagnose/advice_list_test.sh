#!/usr/bin/env bash
# The later lists of bench/advice agree with their files: every row has a known split and known causes, its experiment and
# both variants are there, the second improves the first, and no pair stands twice. Nothing is run.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3
python3 - "$root" <<'END'
import re, sys
from collections import Counter
from pathlib import Path

root = Path(sys.argv[1])
advice = root / "bench/advice"
causes = set(re.findall(r'^CAUSE\(\w+, *"([\w-]+)"', (root / "src/diagnose/causes.def").read_text(), re.M))


def rows(path):
    lines = [l.split("\t") for l in path.read_text().splitlines() if l and not l.startswith("#")]
    return [l if len(l) == 6 else l + [""] * (6 - len(l)) for l in lines]


def check(name, wrong):
    print(f"{'not ok' if wrong else 'ok'} - {name}")
    for w in wrong:
        print("#", w)
    return len(wrong)


def variants(text):
    """Each variant's name and the one that it improves."""
    parts = re.split(r"(?m)^  - (?=name:|\{name:)", text[text.index("\nvariants:"):])[1:]
    return {re.match(r"\{?name: ([\w-]+)", p)[1]: (re.search(r"(?m)^    from: ([\w-]+)", p) or [0, None])[1] for p in parts}


def missing(folder, name, text):
    source, (reference, function) = re.search(r"\nsource: (\S+)", text)[1], re.search(r'"(\w+\.c):(\w+)"', text).groups()
    kernels = set(re.findall(r"kernel: (\w+)", text))
    code = (folder / source).read_text()
    return ([f"{name}: {k} is not in {source}" for k in kernels if not re.search(rf"__global__ void {k}\(", code)] +
            [f"{name}: {function} is not in {reference}" for _ in [0] if f"void {function}(" not in (folder / reference).read_text()])


def check_list(name, date, least, splits, earlier):
    """The rows of advice/NAME; earlier: those of the lists before it."""
    folder = advice / name
    new = rows(folder / "pairs.tsv")
    files = {p.stem: p.read_text() for p in folder.glob("*.yaml")}
    known = {n: variants(t) for n, t in files.items()}
    used = set().union(*(re.findall(r"kernel: (\w+)", t) for t in files.values()))
    failed = 0
    for what, wrong in (
        (f"the list has at least {least} pairs, and its date",
         [] if len(new) >= least and date in (folder / "pairs.tsv").read_text().split("\n")[0] else [len(new)]),
        ("every cause is one that findings name", [r for r in new if not r[5] or not set(r[5].split(",")) <= causes]),
        ("every split is known, and an experiment is in one of them",
         [r for r in new if r[0] not in splits] + [n for n in files if len({r[0] for r in new if r[1] == n}) > 1]),
        ("no pair stands twice", [k for k, c in Counter(map(tuple, (r[1:5] for r in earlier + new))).items() if c > 1]),
        ("no experiment is of an earlier list", [n for n in files if n in {r[1] for r in earlier}]),
        ("every pair has its experiment, and its second variant improves the first",
         [r for r in new if known.get(r[1], {}).get(r[4]) != r[3]]),
        ("every experiment and every step of it is on the list",
         [(n, v) for n, vs in known.items() for v, before in vs.items()
          if before and (n, before, v) not in {(r[1], r[3], r[4]) for r in new}]),
        ("every experiment is called as its file, has a case, and is none of the shipped ones",
         [n for n, t in files.items() if f"\nexperiment: {n}\n" not in t or (root / "experiments" / n).exists()] +
         [r for r in new if set(re.findall(r"(\w+)=", r[2])) != set(re.findall(r"(\w+): \d",
          re.search(r"\nparams: \{(.*)\}", files.get(r[1], "\nparams: {}"))[1]))]),
        ("every kernel and reference is in its file", sum((missing(folder, n, t) for n, t in files.items()), [])),
        ("every kernel is used", [k for p in folder.glob("*.cu") for k in
                                  re.findall(r"__global__ void (\w+)\(", p.read_text()) if k not in used])):
        failed += check(f"{name}: {what}", wrong)
    return failed


old, new = rows(advice / "pairs.tsv"), rows(advice / "second/pairs.tsv")
failures = check_list("second", "2026-11-22", 45, ("validation", "kept-back"), old)
third = rows(advice / "third/pairs.tsv")
failures += check_list("third", "2026-11-23", 24, ("validation",), old + new)
fourth = rows(advice / "fourth/pairs.tsv")
failures += check_list("fourth", "2026-11-23", 13, ("tuning",), old + new + third)
fifth = rows(advice / "fifth/pairs.tsv")
failures += check_list("fifth", "2026-11-23", 34, ("tuning",), old + new + third + fourth)
sixth = rows(advice / "sixth/pairs.tsv")
failures += check_list("sixth", "2026-11-24", 10, ("tuning",), old + new + third + fourth + fifth)
seventh = rows(advice / "seventh/pairs.tsv")
failures += check_list("seventh", "2026-11-24", 5, ("tuning",), old + new + third + fourth + fifth + sixth)
eighth = rows(advice / "eighth/pairs.tsv")
failures += check_list("eighth", "2026-11-28", 80, ("validation",), old + new + third + fourth + fifth + sixth + seventh)
mains = Counter(r[5].split(",")[0] for r in eighth)
failures += check("eighth: three pairs and more for each main cause", [m for m in mains.items() if m[1] < 3] if len(mains) >= 25 else [mains])
ninth = rows(advice / "ninth/pairs.tsv")
failures += check_list("ninth", "2026-11-28", 28, ("tuning",), old + new + third + fourth + fifth + sixth + seventh + eighth)
tenth = rows(advice / "tenth/pairs.tsv")
failures += check_list("tenth", "2026-11-28", 80, ("validation",), old + new + third + fourth + fifth + sixth + seventh + eighth + ninth)
mains = Counter(r[5].split(",")[0] for r in tenth)
failures += check("tenth: three pairs and more for 24 main causes", [] if sum(n >= 3 for n in mains.values()) >= 24 else [mains])
eleventh = rows(advice / "eleventh/pairs.tsv")
failures += check_list("eleventh", "2026-11-29", 70, ("validation",),
                       old + new + third + fourth + fifth + sixth + seventh + eighth + ninth + tenth)
mains = Counter(r[5].split(",")[0] for r in eleventh)
failures += check("eleventh: two pairs and more for 26 main causes", [] if sum(n >= 2 for n in mains.values()) >= 26 else [mains])
twelfth = rows(advice / "twelfth/pairs.tsv")
failures += check_list("twelfth", "2026-11-29", 85, ("validation",),
                       old + new + third + fourth + fifth + sixth + seventh + eighth + ninth + tenth + eleventh)
mains = Counter(r[5].split(",")[0] for r in twelfth)
failures += check("twelfth: two pairs and more for 26 main causes", [] if sum(n >= 2 for n in mains.values()) >= 26 else [mains])
thirteenth = rows(advice / "thirteenth/pairs.tsv")
failures += check_list("thirteenth", "2026-11-29", 85, ("validation",),
                       old + new + third + fourth + fifth + sixth + seventh + eighth + ninth + tenth + eleventh + twelfth)
mains = Counter(r[5].split(",")[0] for r in thirteenth)
failures += check("thirteenth: two pairs and more for 27 main causes", [] if sum(n >= 2 for n in mains.values()) >= 27 else [mains])
fourteenth = rows(advice / "fourteenth/pairs.tsv")
failures += check_list("fourteenth", "2026-11-30", 95, ("validation",),
                       old + new + third + fourth + fifth + sixth + seventh + eighth + ninth + tenth + eleventh + twelfth + thirteenth)
mains = Counter(r[5].split(",")[0] for r in fourteenth)
failures += check("fourteenth: two pairs and more for 26 main causes", [] if sum(n >= 2 for n in mains.values()) >= 26 else [mains])
fifteenth = rows(advice / "fifteenth/pairs.tsv")
failures += check_list("fifteenth", "2026-11-30", 90, ("validation",),
                       old + new + third + fourth + fifth + sixth + seventh + eighth + ninth + tenth + eleventh + twelfth + thirteenth +
                       fourteenth)
mains = Counter(r[5].split(",")[0] for r in fifteenth)
failures += check("fifteenth: two pairs and more for 27 main causes", [] if sum(n >= 2 for n in mains.values()) >= 27 else [mains])
sys.exit(failures > 0)
END
failures=$((failures + $?))

files() { "$root/bench/advice/run.py" list --from "$root/bench/advice/second/pairs.tsv" "$@" results >list.txt; } # whole: grep -q ends early
files
grep -q '^blur_w-512_h-512.json$' list.txt && ! grep -q '^pool_' list.txt
pass 'what is kept back is not run unless it is named' $? list.txt
files --split kept-back --device cuda:0
grep -q '^pool_default.json$' list.txt
pass 'a GPU gets the sizes of the file' $? list.txt
finish
