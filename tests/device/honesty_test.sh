#!/usr/bin/env bash
# The dishonest variants of tests/honesty on a real GPU, where what a kernel keeps from launch to launch would make it
# fast. Skips where there is none. run-alone: it measures.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/gpu.sh"
need_gpu honesty
cp -r "$here"/../honesty/* "$work"
cd "$work" || exit 1

# ran NAME STATUS WORDS VARIANT: the run of that variant ends so, and says these words.
ran() {
    "$RIDGE" run experiment.yaml --device cuda:0 --no-journal -q --plain --time-limit 0.2 --variant "$4" >said.txt 2>&1
    if [ $? = "$2" ] && grep -q "$3" said.txt; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/# /' said.txt | head -12
    fi
}

ran 'the honest one is measured' 0 'honest: time .*, measured' honest
ran 'steps left out' 1 'by its data sheet' skips-steps
# Without stated flops no time is too short by the data sheet: what is kept is found by itself.
sed -i 's/, flops_f32: 2000\*N//' experiment.yaml
ran 'results kept from the first launch' 1 'results depend on what it ran before\|it keeps results' keeps
ran 'results keyed by values' 1 'on inputs that it has seen' knows-values
ran 'results keyed by addresses' 1 'on inputs that it has seen' knows-addresses
ran 'work in the first launch only' 1 'wrong result\|never written\|results depend' works-once
ran 'zeros' 1 'wrong result' zeros
ran 'a copy of the input' 1 'wrong result' copies
ran 'an input that is overwritten' 1 "the input 'in' was changed" overwrites
ran 'half precision' 1 'computes in f16' halves
ran 'elements left out' 1 'never written' leaves-out
ran 'a kernel that sleeps is named' 0 'sleeps or reads a clock' dawdles

# Lines left in the L2 are reset: no cold run is 3 % faster for them. The warm ones say whether they would have brought anything.
for cache in cold warm; do
    "$RIDGE" run l2/experiment.yaml --device cuda:0 --no-journal -q --json --time-limit 0.5 --cache $cache >$cache.json 2>said.txt
done
if python3 - >said.txt 2>&1 <<'END'
import json, sys
for cache in "cold", "warm":
    times = [r["time_ns"]["median"] for r in json.load(open(cache + ".json"))["results"]]
    print(cache, ", ".join("%.2f us" % (t / 1e3) for t in times))
    if cache == "cold":
        gained = min(times[1:]) < 0.97 * times[0]
sys.exit(gained)
END
then
    echo "ok - lines left in the L2 bring nothing in cold runs"
else
    echo "not ok - lines left in the L2 bring nothing in cold runs"
fi
sed 's/^/# /' said.txt
