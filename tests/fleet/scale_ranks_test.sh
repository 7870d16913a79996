#!/usr/bin/env bash
# ridge scale as ranks of one job, a simulated GPU each: shares are divided over ranks, put together by rank 0 and compared
# with the reference; what a rank had that died is done by the others. By the variables that a launcher sets, and by mpirun
# where it is installed.
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

RIDGE_RANK=0 RIDGE_RANKS=2 RIDGE_RANKS_JOB=table "${scale[@]}" --scaling strong --device $devices >out.0 2>err.0
(($? == 2)) && grep -q -- '--scaling is for one process' err.0
pass 'tables of scaling are for one process' $? err.0

if command -v mpirun >/dev/null; then
    timeout 200 mpirun --allow-run-as-root --oversubscribe -n 4 --enable-recovery "${scale[@]}" --param steps=50 \
        --device $devices -q >out.0 2>err.0 </dev/null
    pass 'mpirun starts the ranks' $? err.0
    json 'which divide the job' '.verified and (.devices | length == 4)'
else
    echo 'skip - mpirun starts the ranks: mpirun is not here'
fi
finish
