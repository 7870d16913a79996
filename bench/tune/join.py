#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts ranks that were made elsewhere into a record: join.py RECORD.json SESSION.jsonl > RANKED.json

RECORD is a T4 file (`ridge tune --save-t4`), SESSION what a session with `--strategy pruned` on the simulated GPU of the same
chip leaves in the user's data folder (tune/*.jsonl). Points are the same where all values are."""
import json
import sys


def key(values):
    return tuple(sorted((name, str(value)) for name, value in values.items()))


def main():
    record = json.load(open(sys.argv[1]))
    lines = [json.loads(line) for line in open(sys.argv[2])]
    ranked = [line for line in lines if line.get("rank_by") and line.get("rank_ns")]
    how = {line["rank_by"] for line in ranked}
    if len(how) != 1:
        sys.exit(f"{sys.argv[2]}: one kind of rank is needed, there are {len(how)}")
    ranks = {key(line["parameters"]): line["rank_ns"] for line in ranked}
    joined = 0
    for result in record["results"]:
        rank = ranks.get(key(result["configuration"]))
        if rank is not None:
            result["measurements"].append({"name": "rank_time", "value": rank / 1e6, "unit": "ms"})
            joined += 1
    record["metadata"]["rank_by"] = how.pop()
    json.dump(record, sys.stdout)
    print(f"{joined} of {len(record['results'])} points have a rank", file=sys.stderr)


main()
