#!/usr/bin/env bash
# ridge scale as ranks of one job, a simulated GPU each: shares are divided over ranks, put together by rank 0 and compared
# with the reference; what a rank had that died is done by the others. By the variables that a launcher sets, and by mpirun
# where it is installed.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc jq
cp -r "$root/tests/fleet/job" .
scale=("$RIDGE" scale job --seed 7 --json --param N=524288)

json() { # json NAME FILTER: holds for rank 0's output
    [[ -s out.0 ]] && jq -e "$2" out.0 >/dev/null
    pass "$1" $? err.0
}
start() { # JOB COUNT OPTIONS
    local rank job=$1 count=$2
    shift 2
    pids=()
    for ((rank = 0; rank < count; rank++)); do
        RIDGE_RANK=$rank RIDGE_RANKS=$count RIDGE_RANKS_JOB=$job "${scale[@]}" "$@" >out.$rank 2>err.$rank </dev/null &
        pids+=($!)
    done
}
devices=sim:h200,sim:h100,sim:h200,sim:h100

start whole 4 --param steps=50 --device $devices -q
wait "${pids[0]}"
pass 'a job is divided over four ranks' $? err.0
others=0
for pid in "${pids[@]:1}"; do wait "$pid" || others=$?; done
[[ $others == 0 && ! -s out.1 && ! -s out.2 && ! -s out.3 ]]
pass 'the others end with it and print nothing' $? err.1
json 'every unit is done in every round, and verified' '.verified and ([.rounds[].units | add] | all(. == 524288))'
json 'devices are named by their rank' '[.devices[].id] == ["sim:h200", "rank 1: sim:h100", "rank 2: sim:h200", "rank 3: sim:h100"]'
json 'shares follow what each delivers' '.devices | .[0].units > .[1].units and .[2].units > .[3].units'
"$RIDGE" scale job --seed 7 --json --param N=524288 --param steps=50 --device $devices -q >one.json 2>err.txt
diff <(jq -c '[.rounds[].units]' one.json) <(jq -c '[.rounds[].units]' out.0) >diff.txt
pass 'as one process divides them' $? diff.txt
find "$RIDGE_HOME/ranks/whole" -type f -not -name over >left.txt
[[ ! -s left.txt ]]
pass 'nothing is left in the folder' $? left.txt

start killed 3 --param steps=400 --device $devices --weight 0.1 --rounds 4
for ((i = 0; i < 1200; i++)); do
    grep -q '^round 1:' err.0 2>/dev/null && break
    sleep 0.05
done
size=$(stat -c %s "$RIDGE_HOME/ranks/killed/answer.1.0" 2>err.txt)
kill -KILL "${pids[2]}"
wait "${pids[0]}"
pass 'a rank that is killed does not end the job' $? err.0
((size > 0 && size < 4 * 174848 + 1000))
pass 'an answer has the outputs of its share, and no inputs' $? err.txt
wait 2>/dev/null
json 'what it had is done by the others, and all is right' \
    '.verified and (.devices[2].lost | contains("rank 2 died")) and ([.rounds[].units | add] | all(. == 524288))'

table() { # FILE: what does not depend on who works, without the ranks' names
    jq -c '[.scaling, (.points[] | [.devices, (.added | sub("^rank [0-9]+: "; "")), .units, .time_ns, .ideal_ns])]' "$1"
}
for kind in strong weak; do
    start "$kind" 3 --param steps=50 --device $devices -q --scaling $kind
    wait "${pids[0]}"
    pass "$kind scaling goes over the first ranks, one more each time" $? err.0
    wait "${pids[@]:1}"
    pass "$kind scaling: the others end with it" $? err.1
    json "$kind scaling: every point is verified, devices are named by their rank" \
        '.verified and [.points[].added] == ["sim:h200", "rank 1: sim:h100", "rank 2: sim:h200"]'
    "$RIDGE" scale job --seed 7 --json --param N=524288 --param steps=50 --device sim:h200,sim:h100,sim:h200 -q \
        --scaling $kind >one.json 2>err.txt
    diff <(table one.json) <(table out.0) >diff.txt
    pass "$kind scaling is as one process has it" $? diff.txt
done
jq -e '[.points[].units] == [524288, 1048576, 1572864]' out.0 >/dev/null
pass 'weak scaling: the others work on the inputs of the larger job' $? out.0

start dead 3 --param steps=400 --device $devices --scaling strong
for ((i = 0; i < 1200; i++)); do
    [[ -e $RIDGE_HOME/ranks/dead/answer.2.0 ]] || ! kill -0 "${pids[0]}" 2>/dev/null && break
    sleep 0.05
done
kill -KILL "${pids[2]}"
wait "${pids[0]}"
pass 'a rank that is killed does not end a table of scaling' $? err.0
wait 2>/dev/null
json 'its point is what the others did' '.verified and (.points | length == 3) and (.devices[2].lost | contains("rank 2 died"))'

began=$SECONDS
start word 3 --param steps=50 --device $devices -q --scaling both
failed=0
for pid in "${pids[@]}"; do wait "$pid"; (($? == 2)) && failed=$((failed + 1)); done
((failed == 3 && SECONDS - began < 30)) && grep -q "option --scaling: 'both' is neither strong nor weak" err.2
pass 'a wrong word fails every rank at once' $? err.2

if command -v mpirun >/dev/null; then
    timeout 200 mpirun --allow-run-as-root --oversubscribe -n 4 --enable-recovery "${scale[@]}" --param steps=50 \
        --device $devices -q >out.0 2>err.0 </dev/null
    pass 'mpirun starts the ranks' $? err.0
    json 'which divide the job' '.verified and (.devices | length == 4)'
    timeout 200 mpirun --allow-run-as-root --oversubscribe -n 4 --enable-recovery "${scale[@]}" --param steps=50 \
        --device $devices -q --scaling strong >out.0 2>err.0 </dev/null
    pass 'and have a table of scaling' $? err.0
    json 'of one to four ranks' '.verified and [.points[].devices] == [1, 2, 3, 4]'
else
    echo 'skip - mpirun starts the ranks: mpirun is not here'
fi
if command -v srun >/dev/null && timeout 10 srun -n 1 --overcommit true >srun.txt 2>&1; then
    timeout 200 srun -n 4 --overcommit --no-kill --kill-on-bad-exit=0 "${scale[@]}" --param steps=50 --device $devices -q \
        >out.0 2>err.0 </dev/null
    pass 'srun starts the ranks' $? err.0
    json 'which divide the job, too' '.verified and (.devices | length == 4)'
else
    echo 'skip - srun starts the ranks: no Slurm answers here'
fi
finish
