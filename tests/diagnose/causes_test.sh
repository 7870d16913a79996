#!/usr/bin/env bash
# Every cause of src/diagnose/causes.def that the simulator can see is named for a kernel that has it, as the first or
# second finding, priced by a replay, and not for the kernel's twin without it.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang python3
cp -r "$root/tests/diagnose/causes" .
python3 causes/make.py causes/causes.cu | diff - causes/experiment.yaml >diff.txt
pass 'causes/experiment.yaml is what make.py makes' $? diff.txt
"$RIDGE" run causes --device sim:h200 --seed 1 -q --json --no-journal >run.json 2>stderr.txt
pass 'the pairs run' $? stderr.txt
python3 - <<'END'
import json
results = {r["variant"]: r for r in json.load(open("run.json"))["results"]}
for name, r in results.items():
    if name + "_not" not in results:
        continue
    def shown(v):
        return [f["cause"] for f in v.get("findings", []) if not f["folded"]]
    cause, twin = name.split("__")[0].replace("_", "-"), results[name + "_not"]
    found = shown(r)
    by = [f["priced_by"] for f in r.get("findings", []) if f["cause"] == cause]
    good = cause in found[:2] and set(by) == {"replay"} and cause not in shown(twin)
    print(f"{'ok' if good else 'not ok'} - {name} is found where it is, and priced by a replay")
    if not good:
        print(f"#  with: {found} {by} {r['error'] or ''}\n#  without: {shown(twin)} {twin['error'] or ''}")
for name, first, never in (("block_reuse__few", "block-reuse", None), ("barrier", "barrier", None),
                           ("few_loads__gather", "few-loads", None), ("occupancy__small_blocks", "occupancy", None), ("few_loads__tree", None, "global-atomics"),
                           ("read_again__polled", None, "read-again"),
                           ("few_loads__followed", None, "few-loads"),
                           ("small_grid__rescaled", "small-grid", None), ("barrier__scan", "barrier", None),
                           ("local_memory__letters", "local-memory", None)):
    found = [f["cause"] for f in results[name]["findings"] if not f["folded"]]
    good = (first is None or found[:1] == [first]) and never not in found
    print(f"{'ok' if good else 'not ok'} - {name} is advised {first or 'anything'} first, never {never}\n#  {found}")
found = [f["cause"] for f in results["f64__quotients"]["findings"] if not f["folded"]]
print(f"{'ok' if found and found[0] != 'f64' else 'not ok'} - quotients that f32 has to round as well are not advised f64 first\n#  {found}")
for name, cause, words in (("uncoalesced__swapped", "uncoalesced", "Swap the two indices"),
                                  ("small_grid", "small-grid", "Launch more blocks")):
    fixes = [f["fix"] for f in results[name]["findings"] if f["cause"] == cause]
    good = any(words in fix for fix in fixes)
    print(f"{'ok' if good else 'not ok'} - {name} is told: {words}\n#  {fixes}")
END
finish
