#!/usr/bin/env python3
# Holds a scrape to the rules of its format: check_metrics.py prometheus|openmetrics <FILE. Stricter than a server has
# to be: each family declared once, with HELP and TYPE, its samples together; names, labels and values well formed; no
# sample twice; a counter ends in _total, nothing else does; units are base units and the names' ends.
# Rules: https://prometheus.io/docs/instrumenting/exposition_formats/ and https://prometheus.io/docs/specs/om/open_metrics_spec/
# SPDX-License-Identifier: Apache-2.0
import math
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"^({NAME})(?:\{{(.*)\}})? (\S+)$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"')
BASE_UNITS = {"seconds", "bytes", "ratio", "joules", "watts", "celsius", "hertz", "lanes", "rows"}
NOT_BASE = re.compile(r"_(milliseconds|ms|us|ns|kilobytes|megabytes|kb|mb|gb|percent|pct|mhz|ghz|mw|milliwatts)(_|$)")


def fail(number, line, why):
    sys.exit(f"line {number}: {why}: {line}")


def labels_of(number, line, text):
    labels, at = [], 0
    while text and at < len(text):
        found = LABEL.match(text, at)
        if not found:
            fail(number, line, "labels are malformed")
        labels.append((found[1], found[2]))
        at = found.end()
        if at < len(text):
            if text[at] != ",":
                fail(number, line, "labels are not separated by commas")
            at += 1
    if len({name for name, _ in labels}) != len(labels):
        fail(number, line, "a label twice")
    return tuple(labels)


def check(form, text):
    if not text.endswith("\n") or "\r" in text:
        sys.exit("the text does not end with a line feed, or has carriage returns")
    lines = text.split("\n")[:-1]
    openmetrics = form == "openmetrics"
    if openmetrics and (lines.pop() != "# EOF" or "# EOF" in lines):
        sys.exit("# EOF is not the last line, or is there twice")
    declared, seen, family, samples = {}, set(), None, 0
    for number, line in enumerate(lines, 1):
        if line.startswith("# "):
            word, name, rest = (line[2:].split(" ", 2) + [""])[:3]
            if word not in ("HELP", "TYPE", "UNIT") or not re.fullmatch(NAME, name):
                fail(number, line, "not a line of HELP, TYPE or UNIT")
            if word == "HELP" and name in declared:
                fail(number, line, "the family is declared twice")
            declared.setdefault(name, {"count": 0})
            if word in declared[name] or declared[name]["count"]:
                fail(number, line, "declared twice, or after its samples")
            if not rest:
                fail(number, line, "says nothing")
            declared[name][word] = rest
            family = name
            continue
        found = SAMPLE.match(line)
        if not found:
            fail(number, line, "not a sample")
        name, labels = found[1], labels_of(number, line, found[2])
        if family is None or "TYPE" not in declared[family] or "HELP" not in declared[family]:
            fail(number, line, "a sample before HELP and TYPE of its family")
        kind = declared[family]["TYPE"]
        end = "_total" if openmetrics and kind == "counter" else ""
        if name != family + end:
            fail(number, line, f"not a sample of {family}")
        if kind not in ("gauge", "counter"):
            fail(number, line, "neither gauge nor counter")
        if name.endswith("_total") != (kind == "counter"):
            fail(number, line, "_total is the end of counters, and of nothing else")
        if NOT_BASE.search(name):
            fail(number, line, "not a base unit")
        unit = declared[family].get("UNIT")
        if unit and (not family.endswith("_" + unit) or unit not in BASE_UNITS):
            fail(number, line, "the unit is not the end of the name, or no base unit")
        try:
            value = float(found[3])
        except ValueError:
            fail(number, line, "the value is no number")
        if math.isnan(value) or (kind == "counter" and value < 0):
            fail(number, line, "NaN, or a counter below 0")
        if (name, labels) in seen:
            fail(number, line, "the same sample twice")
        if name.startswith("hw_") and not {"hw_id", "hw_type"} <= {label for label, _ in labels}:
            fail(number, line, "OpenTelemetry's hw metrics need hw_id and hw_type")
        seen.add((name, labels))
        declared[family]["count"] += 1
        samples += 1
    for name, about in declared.items():
        if not about["count"]:
            sys.exit(f"{name} is declared and has no sample")
    if not samples:
        sys.exit("no samples")
    print(f"{samples} samples of {len(declared)} families")


check(sys.argv[1], sys.stdin.read())
