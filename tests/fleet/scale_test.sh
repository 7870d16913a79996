#!/usr/bin/env bash
# ridge scale on simulated GPUs that differ: the job is divided by what each delivers, put together and compared with
# the reference; a worker that is killed gives its share to the others.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc jq pgrep

# Chips of this test: half an H200, an eighth of one, and one with hardly any memory.
mkdir data
ln -s "$root/assets" "$root/experiments" data
cp -r "$root/gpus" data
chip() { # chip NAME SED
    sed -E "$2" "$root/gpus/h200.yaml" >"data/gpus/$1.yaml"
}
chip half 's/^(sm_count: \{value:) 132/\1 66/; s/^(dram_[a-z]*_gbps|l2_[a-z]*_gbps): \{value: ([0-9.]+)/\1: {value: 2000/'
chip eighth 's/^(sm_count: \{value:) 132/\1 16/; s/^(dram_[a-z]*_gbps|l2_[a-z]*_gbps): \{value: ([0-9.]+)/\1: {value: 500/'
chip tiny 's/^(dram|l2)_bytes: \{value: [0-9]+/\1_bytes: {value: 100000/'
export RIDGE_DATA_DIR=$work/data
cp -r "$root/tests/fleet/job" .

json() { # json NAME FILTER: holds for out.json
    jq -e "$2" out.json >/dev/null
    pass "$1" $? out.json
}
scale() { "$RIDGE" scale job --seed 7 -q "$@" >out.json 2>err.txt; }

scale --device sim:h200,sim:half,sim:eighth --param N=524288 --param steps=100 --json
pass 'a job is divided over unlike devices' $? err.txt
json 'every unit is done in every round' '[.rounds[].units | add] | all(. == 524288)'
json 'shares are whole granules' '[.rounds[].units[] % 256] | all(. == 0)'
json 'the first round has equal shares, and the imbalance that comes of it' \
    '.rounds[0] | (.units | max - min) <= 256 and .imbalance > 0.5'
json 'the times become equal' '.rounds[-1].imbalance < 0.05'
json 'so that the whole is done sooner' '.rounds[-1].time_ns < 0.7 * .rounds[0].time_ns'
json 'a faster device has more' '.devices | .[0].units > .[1].units and .[1].units > .[2].units'
json 'times are labelled modelled, and the outputs verified' \
    '.provenance == "modelled" and .verified and (.devices | all(.provenance == "modelled"))'

scale --device sim:h200,sim:h200 --json
pass 'a simulated GPU may be named twice' $? err.txt
json 'equal devices have equal shares, which settles at once' \
    '.settled and (.rounds | length) == 2 and (.rounds[1].units == [16384, 16384])'
json 'the last case is the one that is run' '.case == "N=32768 steps=4"'

scale --device sim:h200,sim:tiny --json
pass 'a device with little memory takes part' $? err.txt
json 'its share is what its memory holds' '.devices[1] | .units_most == 11776 and .units <= 11776'
json 'and the other one has the rest' '[.rounds[].units | add] | all(. == 32768)'

scale --device sim:h200,sim:a100 --json
json 'a chip without a modelled time counts by its bounds' \
    '.devices[1].by_bounds and (.devices[0].by_bounds | not) and .devices[1].units > 0'
scale --device sim:h200,sim:a100
grep -q 'modelled by its largest bound' out.json && grep -q 'are of different kinds' out.json
pass 'which is said' $? out.json
"$RIDGE" help scale | tr -s '\n ' ' ' >help.txt
missing=$(grep -l '^split:' "$root"/experiments/*/experiment.yaml | while read -r file; do
    name=$(basename "${file%/*}")
    grep -q " $name[ ,]" help.txt && grep -q "\`$name\`" "$root/docs/scale.md" || echo "$name"
done)
[[ -z $missing ]]
pass 'help and docs/scale.md name the experiments that can be divided' $? <(echo "$missing")

scale --device sim:h200,sim:eighth --param N=131072 --param steps=100 --adapt --json
json 'a weight that adapts gets there too' '.adaptive and .rounds[-1].imbalance < 0.1'
scale --device sim:h200,sim:eighth --param N=131072 --param steps=100 --weight 0.1 --rounds 3 --json
json 'a small weight takes longer' '(.settled | not) and (.rounds | length) == 3'

scale --device sim:h200,sim:h200,sim:half --param N=131072 --param steps=200 --scaling strong --json
pass 'a table of strong scaling' $? err.txt
json 'is of one, two and three devices on the same job' \
    '.scaling == "strong" and (.points | map(.units)) == [131072, 131072, 131072] and (.points | map(.added)) == ["sim:h200", "sim:h200", "sim:half"]'
json 'one device is as fast as it is alone' '.points[0] | (.speedup - 1 | fabs) < 1e-9 and (.efficiency - 1 | fabs) < 1e-9'
json 'more are faster, and lose to what each launch costs' \
    '[.points[] | .efficiency] as [$a, $b, $c] | $b > 0.3 and $b < 1 and (.points[1].speedup - 2 * $b | fabs) < 1e-9 and $c < 1'
json 'no exchange is made up' '.exchange == null and (.exchange_note | contains("nothing to exchange"))'
scale --device sim:h200,sim:h200 --param N=131072 --param steps=200 --scaling weak
grep -Eq '^ +2  sim:h200 +262144 ' out.json
pass 'weak scaling has as many units per device' $? out.json

cp -r job counted
cat >>counted/reference.c <<'END'
#include <stdio.h>
void counted_ref(float *y, const float *x, int n, int steps)
{
    FILE *calls = fopen(CALLS, "a");
    if (calls) {
        (void)fputs("called\n", calls);
        (void)fclose(calls);
    }
    job_ref(y, x, n, steps);
}
END
sed -i "s|CALLS|\"$work/calls.txt\"|" counted/reference.c
sed -i 's/job_ref/counted_ref/' counted/experiment.yaml
"$RIDGE" scale counted --device sim:h200,sim:half --scaling strong -q >out.json 2>err.txt
pass 'a table over two unlike devices' $? err.txt
[[ $(wc -l <calls.txt) == 1 ]]
pass 'computes what is right once' $? calls.txt
"$RIDGE" scale counted --device sim:h200,sim:half --scaling weak -q >out.json 2>err.txt
[[ $(wc -l <calls.txt) == 3 ]]
pass 'and once per size' $? calls.txt

# A worker is killed in the middle: its share is done by the other device, in the same round.
anew out.json err.txt
"$RIDGE" scale job --device sim:h200,sim:half --param N=524288 --param steps=600 --weight 0.2 --rounds 4 --json \
    >out.json 2>err.txt &
pid=$!
for ((i = 0; i < 3000; i++)); do
    grep -sq '^round 1:' err.txt && worker=$(pgrep -P $pid -x ridge | head -1) && [[ -n $worker ]] && break
    kill -0 $pid 2>/dev/null || break
    sleep 0.02
done
sleep 0.05
[[ -n ${worker-} ]] && kill -KILL "$worker"
pass 'a worker runs, and is killed' $? err.txt
wait $pid
pass 'the job is done nonetheless' $? err.txt
json 'one device is lost, by that signal' \
    '[.devices[] | select(.lost) | .lost] | length == 1 and (.[0] | contains("Killed"))'
json 'no unit is' '[.rounds[].units | add] | all(. == 524288)'
json 'the round has a second turn' '[.rounds[].waves] | max == 2'
json 'and the outputs are right' '.verified'

# The job is right as a whole, and no share of it is: the kernel knows no first unit.
sed -i 's/y\[i\] = v;/y[i] = i < 20000 ? v : 1.0f;/' job/job.cu job/reference.c
"$RIDGE" verify job --variant plain -q >out.json 2>err.txt
pass 'the whole is right' $? out.json
expect 'outputs that are wrong when put together fail' 1 scale job --device sim:h200,sim:half --seed 7 -q <<'END'
ridge: job/experiment.yaml:23:8: the outputs of variant 'plain', put together from 2 devices in round 1: wrong result: y[29171] is -0.4375, the reference says 1 (relative error 1.4, 2.12e+09 ulp); 12768 of 32768 elements are wrong
    split: {over: N, granule: 256}
           ^
END
expect 'a variant that does not run there is said' 2 scale job --device sim:h200 --variant modern -q <<'END'
ridge: variant 'modern' requires cc >= 99.0, which does not hold on sim:h200 with N=32768 steps=4
  in the share of sim:h200
END
expect 'a device that is named twice is refused' 2 scale job --device sim:h200,,sim:h200 -q <<'END'
ridge: option --device: 'sim:h200,,sim:h200' names an empty device: write cuda:0,cuda:1
END
expect 'a weight beyond 1 is refused' 2 scale job --weight 2 <<'END'
ridge: option --weight: give a share above 0 and up to 1: 0.5
END
expect 'a table of another kind is refused' 2 scale job --scaling medium <<'END'
ridge: option --scaling: 'medium' is neither strong nor weak
END
expect 'a weight that is given and found is refused' 2 scale job --weight 0.5 --adapt <<'END'
ridge: --weight and --adapt exclude each other: --adapt finds the weight
END
sed -i 's/granule: 256/granule: 65536/' job/experiment.yaml
expect 'a granule that no memory holds is refused' 2 scale job --param N=131072 --device sim:h200,sim:tiny -q <<'END'
ridge: one granule of 65536 units does not fit into the memory of sim:tiny: make 'granule' of 'split' smaller, or leave the device out
END
sed -i '/^split:/d' job/experiment.yaml
expect 'an experiment that does not say how is refused' 2 scale job --device sim:h200 <<'END'
ridge: job/experiment.yaml: experiment 'job' does not say how its work is divided: add 'split: PARAMETER' (`ridge help experiment`, docs/scale.md)
END

# Those that come with ridge and say how they are divided.
for e in 'transpose-any --param M=500 --param N=300' 'reduction --param N=200000 --variant one-launch' \
    'histogram --param N=300000 --param values=256' 'conv1d --param N=100000 --param K=9' \
    "$root/examples/halo --param M=333 --param N=516" 'matmul-f32 --param M=256' 'softmax --param cols=1024 --param elements=262144'; do
    # shellcheck disable=SC2086
    "$RIDGE" scale $e --device sim:h200,sim:half,sim:eighth --rounds 2 -q --json >out.json 2>err.txt
    pass "${e%% *} is divided, and right" $? err.txt
done
finish
