#!/usr/bin/env bash
# Patches that are tried: of kernels of naive.cu and tried.cu, `ridge run --try-patches` simulates the patches as variants, and says
# which gain, which gain nothing, which are wrong and which do not compile.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
. "$here/../advise/kernels.sh"
need python3
export RIDGE_JOURNAL=$PWD/journal.db RIDGE_COMPILER=nvrtc

# What became of a patch in a run's JSON: its verdict, whether it was verified, what prices its finding, and what share of
# the time the two have.
became() { # JSON MAKER
    python3 - "$1" "$2" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
r = run["results"][-1] if "results" in run else run
time = r["time_ns"]["median"]
for t in r.get("patches_tried", []):
    if t["maker"] == sys.argv[2]:
        f = next(f for f in r["findings"] if f["cause"] == t["cause"])
        times = [o["time_ns"] for o in r["patches_tried"] if o["cause"] == t["cause"] and o["time_ns"] is not None]
        same = times and abs(f["expected_time_ns"] - min(*times, time)) < 1e-6 * time
        print(t["verdict"], "verified" if t["verified"] else "not-verified", f["priced_by"],
              "as-tried" if same else "otherwise", "folded" if f["folded"] else "shown")
END
}

run() { # FOLDER OPTION...
    "$RIDGE" run "$1" --device sim:h200 --seed 1 -q "${@:2}"
}

is() { # NAME WANTED JSON MAKER
    became "$3" "$4" >became.txt
    [[ $(cat became.txt) == $2 ]]
    pass "$1" $? became.txt
}

experiment naive.cu turn 1048576 '[32,32]' '[32,32]' '[y, x, 1024]' '{abs: 0}'
run turn --json --try-patches 100 >turn.json 2>said.txt
if grep -q 'libnvrtc is in no folder' said.txt; then
    echo 'NVRTC is not here'
    exit 77
fi
is 'a patch that gains is priced by what it brings' 'gains verified patch as-tried shown' turn.json pad
run turn --json --try-patches 100 --threads 1 >again.json 2>said.txt
python3 -c '
import json
one, other = (json.load(open(f))["results"][0] for f in ("turn.json", "again.json"))
assert one["findings"] == other["findings"] and one["patches_tried"] == other["patches_tried"], other["patches_tried"]' 2>said.txt
pass 'the same is tried, with the same end, on another number of threads' $? said.txt
"$RIDGE" explain turn:naive >explain.txt 2>&1
grep -q '(modelled: patch simulated)' explain.txt && grep -q "its patch was tried (modelled): 'pad' gains" explain.txt &&
    grep -q 'gains: .* less (modelled: patch simulated, its outputs are right)' explain.txt
pass 'explain says that it was simulated' $? explain.txt
"$RIDGE" explain turn:naive --apply 1 >apply.txt 2>&1
grep -q 'expect: {time: -' turn-advice/experiment.yaml
pass 'what it brought is what the applied variant expects' $? turn-advice/experiment.yaml

run turn --json --try-patches 0 >plain.json 2>said.txt
python3 -c '
import json
before, now = (json.load(open(f))["results"][0] for f in ("plain.json", "turn.json"))
old = {f["cause"]: f["expected_time_ns"] for f in before["findings"]}
assert "patches_tried" not in before
for f in now["findings"]:
    was = f.get("counterfactual_ns") if f["priced_by"] == "patch" else f["expected_time_ns"]
    assert was == old[f["cause"]], f' 2>said.txt
pass 'the counterfactual is kept beside it' $? said.txt

"$RIDGE" explain turn:naive >explain.txt 2>&1
grep -q '(2 not tried: --try-patches 10 ' explain.txt
pass 'explain says what was not tried' $? explain.txt
"$RIDGE" explain turn:naive --try-patches 100 --json -q >explained.json 2>said.txt
is 'explain tries what the run did not' 'gains verified patch as-tried shown' explained.json pad

run turn --try-patches 100 >said.txt 2>&1
"$RIDGE" explain turn:naive --again --side-limit 0 --json -q >anew.json 2>said.txt
is 'what was tried stays tried where the rules are applied anew' 'gains verified patch as-tried shown' anew.json pad

experiment tried.cu rounds 262144 '[ceil_div(N,256)]' '[256]' '[y, x, N]' '{rel: 1e-5, abs: 1e-6}'
run rounds --json --try-patches 100 >rounds.json 2>said.txt
is 'one that is compiled to the same code gains nothing, and another fix may still gain' 'same\ code verified replay otherwise shown' rounds.json unroll

run rounds >said.txt 2>&1
grep -q "its patch was tried" said.txt
pass 'the first screen says it beside the promise' $? said.txt

experiment tried.cu exact 65536 '[ceil_div(N,256)]' '[256]' '[y, x, N]' '{rel: 1e-9, abs: 1e-9}'
run exact --json --try-patches 100 >exact.json 2>said.txt
is 'one whose outputs are wrong prices nothing' 'wrong\ result not-verified replay otherwise shown' exact.json intrinsic
"$RIDGE" explain exact:naive --json | python3 -c '
import json, sys
sys.exit(any(p["maker"] == "intrinsic" for p in json.load(sys.stdin)["patches"]))'
pass 'and is not offered' $?
"$RIDGE" explain exact:naive >explain.txt 2>&1
grep -q "none by 'intrinsic' .* its patch was tried: wrong result" explain.txt
pass 'which explain says' $? explain.txt

experiment tried.cu taken 65536 '[ceil_div(N,256)]' '[256]' '[y, x, N]' '{rel: 1e-4, abs: 1e-4}'
run taken --json --try-patches 100 >taken.json 2>said.txt
is 'one that does not compile prices nothing' 'does\ not\ compile not-verified replay otherwise shown' taken.json suffix
"$RIDGE" explain taken:naive -v >explain.txt 2>&1
grep -q "none by 'suffix' .* does not compile: .*kernels.cu" explain.txt
pass 'which explain says with the reason' $? explain.txt

run turn --json --try-patches 0.01 >short.json 2>said.txt
[[ -z $(became short.json pad) ]]
pass 'nothing is tried that is reckoned to take longer' $?
run turn --json >default.json 2>said.txt
is 'a run tries by itself what takes 2 s' 'gains verified patch as-tried shown' default.json pad
finish
