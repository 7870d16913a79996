#!/usr/bin/env bash
# Each dishonest variant is found out on the simulated GPU, or is as fast there as it is honest: its times are those
# of first launches. The honest one is not accused.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc python3
cp -r "$root"/tests/honesty/* .

# verdict VARIANT WORDS: it is refused in these words.
verdict() {
    "$RIDGE" run experiment.yaml --device sim:h200 --seed 7 -p N=16384 --no-journal -q --plain \
        --variant "$1" >said.txt 2>&1
    [ $? = 1 ] && grep -q "$2" said.txt && ! grep -q "^$1: verified" said.txt
    pass "$1 is refused: $2" $? said.txt
}

"$RIDGE" run experiment.yaml --device sim:h200 --seed 7 -p N=16384 --no-journal -q --plain --variant honest \
    --variant knows-values --variant knows-addresses --variant dawdles >said.txt 2>&1
[ $? = 0 ] && [ "$(grep -c ': verified' said.txt)" = 4 ]
pass 'what is honest in its first launch is verified' $? said.txt
grep -q "the kernel 'dawdles' sleeps or reads a clock" said.txt && [ "$(grep -c 'sleeps or reads' said.txt)" = 1 ]
pass 'a kernel that waits is named' $? said.txt

verdict keeps "results depend on what it ran before"
verdict works-once "results depend on what it ran before"
verdict zeros 'wrong result'
verdict copies 'wrong result'
verdict overwrites "the input 'in' was changed"
verdict reads-beyond "past the end of 'in'"
verdict halves "kernels.cu:[0-9]*: the kernel 'halves' computes in f16 (11 significant bits)"
verdict leaves-out 'were never written'
verdict skips-steps 'it leaves work out'

# What a kernel leaves in the L2 brings nothing: a cold run reads all of its inputs from memory. A warm one, where the L2
# holds them, reads none. Their code has other orders of issue, which is 0.2 % of the time.
for cache in cold warm; do
    "$RIDGE" run l2/experiment.yaml --device sim:h200 --seed 7 -p N=65536 --no-journal -q --json --cache $cache >$cache.json 2>said.txt
    pass "variants that leave lines in the L2 are right, $cache" $? said.txt
done
python3 - >said.txt <<'END'
import json, sys
times, reads = {}, {}
for cache in "cold", "warm":
    results = json.load(open(cache + ".json"))["results"]
    times[cache] = [r["time_ns"]["median"] for r in results]
    reads[cache] = [r["counters"]["dram_read_bytes"]["value"] for r in results]
print(times, reads)
cold = times["cold"]
sys.exit(not (len(cold) == 3 and max(cold) < 1.003 * min(cold) and reads["cold"] == 3 * [4 * 65536]
              and reads["warm"] == 3 * [0] and max(times["warm"]) < min(cold)))
END
pass 'and gain nothing in a cold run' $? said.txt

# Right on random inputs; not on those of other patterns.
on_patterns() { # STATUS NAME GREP [OPTION...]
    "$RIDGE" verify experiment.yaml --device sim:h200 --seed 7 -p N=16384 -q --plain "${@:4}" >said.txt 2>&1
    [ $? = "$1" ] && grep -q "$3" said.txt
    pass "$2" $? said.txt
}
known=(--variant honest --variant knows-difference --variant knows-disorder --variant knows-finite)
on_patterns 0 'random inputs alone call all of these right' '^  knows-disorder  *verified' "${known[@]}"
on_patterns 1 'a kernel that knows that its inputs differ is refused' \
    "right on random inputs, and not on those of the pattern 'equal' (all elements of an input are the same): " --variant knows-difference --patterns
on_patterns 1 'a kernel that knows that its inputs are in no order is refused' "pattern 'sorted'" --variant knows-disorder --patterns
on_patterns 0 'the honest one is right on all usual patterns' 'verified.*also on inputs equal, sorted, one$' --variant honest --patterns
on_patterns 0 'infinities are no inputs of a job that does not say so' 'also on inputs equal, sorted, one$' --variant knows-finite --patterns
sed -i 's/^work:/patterns: [sorted, denormals, infinities]\n&/' experiment.yaml
on_patterns 1 'where it does, a kernel that does without them is refused' "pattern 'infinities'" --variant knows-finite --patterns
on_patterns 0 'and the honest one is right, on those patterns only' 'also on inputs sorted, denormals, infinities$' --variant honest --patterns
sed -i 's/^patterns:.*/patterns: [sorted, denormal]/' experiment.yaml
on_patterns 2 'an unknown pattern is an error of the file' "experiment.yaml:[0-9]*:[0-9]*: unknown pattern 'denormal' (did you mean 'denormals'?)" --patterns
sed -i 's/^patterns:.*/patterns: none/' experiment.yaml
on_patterns 0 'an experiment may have no patterns' '^  knows-disorder  *verified' --variant knows-disorder --patterns
sed -i '/^patterns:/d' experiment.yaml
"$RIDGE" run experiment.yaml --device sim:h200 --seed 7 -p N=16384 --no-journal -q --json --variant knows-disorder --patterns >said.txt 2>&1
[ $? = 1 ] && grep -q '"patterns": "equal",' said.txt && grep -q '"time_ns": null' said.txt &&
    grep -q "not on those of the pattern 'sorted'" said.txt
pass 'a run looks at them before it times' $? said.txt

sed -i 's/{name: halves, /{name: halves, precision: f16, /' experiment.yaml
"$RIDGE" verify experiment.yaml --device sim:h200 --seed 7 -p N=16384 -q --plain --variant halves >said.txt 2>&1
pass 'lower precision that is declared is verified' $? said.txt
sed -i 's/precision: f16/precision: bf16x/' experiment.yaml
"$RIDGE" verify experiment.yaml --device sim:h200 -q --plain --variant halves >said.txt 2>&1
[ $? = 2 ] && grep -q "experiment.yaml:[0-9]*:[0-9]*: unknown precision 'bf16x' (did you mean 'bf16'?)" said.txt
pass 'an unknown precision is an error of the file' $? said.txt
sed -i 's/ precision: bf16x,//; s/rel: 1e-2/abs: 3/' experiment.yaml
"$RIDGE" verify experiment.yaml --device sim:h200 --seed 7 -p N=16384 -q --plain --variant honest >said.txt 2>&1
[ $? = 2 ] && grep -q "zeros would be called right for the output 'out': its tolerance is wider" said.txt
pass 'a tolerance that lets zeros pass is an error of the file' $? said.txt
sed -i 's/abs: 3/abs: 0.5/' experiment.yaml
"$RIDGE" verify experiment.yaml --device sim:h200 --seed 7 -p N=16384 -q --plain --variant honest >said.txt 2>&1
[ $? = 2 ] && grep -q "a copy of the input 'in' would be called right for the output 'out'" said.txt
pass 'so is one that lets a copy of an input pass' $? said.txt

finish
