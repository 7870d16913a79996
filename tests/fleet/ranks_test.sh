#!/usr/bin/env bash
# ridge suite as four ranks of one job, with simulated GPUs: each experiment runs once, one journal has all, one rank
# prints; a rank that is killed costs what it was at, which another does. By mpirun where it is installed, and by the
# variables that a launcher sets, where it is not.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc jq

mkdir all
for name in one two three four five; do
    cp -r "$here/scale" all/$name
    sed -i "s/^experiment: scale/experiment: $name/" all/$name/experiment.yaml
done
suite=(suite all --device sim:h200,sim:h100 --seed 1 -q)

job=0
# ranks COUNT COMMAND...: starts them as a launcher does; rank 0's output is kept. pids[] has the processes.
start_ranks() {
    local count=$1 rank
    shift
    pids=()
    job=$((job + 1))
    for ((rank = 0; rank < count; rank++)); do
        RIDGE_RANK=$rank RIDGE_RANKS=$count RIDGE_RANKS_JOB=test-$job "$@" >out.$rank 2>err.$rank </dev/null &
        pids+=($!)
    done
}
wait_ranks() { # exit status of rank 0; others' in `others`
    local i status
    others=0
    wait "${pids[0]}"
    status=$?
    for i in "${pids[@]:1}"; do wait "$i" || others=$?; done
    return $status
}

start_ranks 4 "$RIDGE" "${suite[@]}"
wait_ranks
pass 'four ranks run a suite' $? err.0
grep -q '^Suite all: 5 experiments, 30 results, 0 not run' out.0
pass 'rank 0 has the table of all' $? out.0
[[ $others == 0 && ! -s out.1 && ! -s out.2 && ! -s out.3 ]]
pass 'the others print nothing' $?
"$RIDGE" log | wc -l | diff - <(echo 5) >diff.txt
pass 'one journal has each experiment once' $? diff.txt
"$RIDGE" log >log.txt
"$RIDGE" show two --json | jq -e '.results | length == 6 and (map(select(.verified)) | length == 4)' >diff.txt
pass 'whole, with its results' $? diff.txt
"$RIDGE" show two --json >diff.txt
grep -q '"suite": "all"' diff.txt
pass 'and the suite that it belongs to' $?
start_ranks 4 "$RIDGE" "${suite[@]}"
wait_ranks
grep -Eq '^two N=8192 plain .* 1\.000x, no difference|^two N=8192 plain .* first run' out.0
pass 'results are held against the last run' $? out.0
"$RIDGE" log | wc -l | diff - <(echo 10) >diff.txt
pass 'a second job is a job of its own' $? diff.txt

job=$((job - 1))
began=$SECONDS
start_ranks 2 "$RIDGE" "${suite[@]}"
wait_ranks
(($? == 2 && SECONDS - began < 60)) && grep -q "a job named 'test-2' has ended here before" err.0
pass 'a name that a job had is refused' $? err.0

# Rank 1 comes first, draws the long one, and is killed when rank 0 has come too.
cp -r "$root/tests/fleet/job" all/slow
printf 'suite: slow\nexperiments:\n  - {path: all/slow, params: {N: 262144, steps: 600}}\n  - all/one\n' >slow.yaml
rank() { # rank NUMBER
    RIDGE_RANK=$1 RIDGE_RANKS=2 RIDGE_RANKS_JOB=killed exec "$RIDGE" suite slow.yaml --device sim:h200 --seed 1 \
        >out.$1 2>err.$1 </dev/null
}
anew out.[01] err.[01]
rank 1 &
second=$!
for ((i = 0; i < 3000; i++)); do
    grep -q '^job on sim' err.1 2>/dev/null && break
    sleep 0.02
done
rank 0 &
first=$!
for ((i = 0; i < 3000; i++)); do
    grep -q '^one on sim' err.0 2>/dev/null && break
    sleep 0.02
done
kill -KILL $second
wait $first
pass 'a rank that dies does not end the job' $? err.0
grep -q '^Suite slow: 2 experiments, 8 results, 0 not run' out.0
pass 'what it was at is done by another' $? out.0
grep -q '^job on sim' err.0
pass 'which had not been done before' $? err.0
"$RIDGE" show job --json | jq -e '.results | all(.status == "skipped" or .verified)' >diff.txt
pass 'whole, and right' $? diff.txt

sed -i 's/ x\[i\]/ x[0]/' all/four/reference.c
echo 'int broken(' >all/five/reference.c
start_ranks 3 "$RIDGE" suite all/one all/four all/five --device sim:h200 --seed 1 -q
wait_ranks
status=$?
((status == 1)) && grep -q '^Suite one: 3 experiments, 12 results, 1 not run' out.0
pass 'a wrong result of any rank fails the suite' $? out.0

if command -v mpirun >/dev/null; then
    rm -rf all/slow all/four all/five
    as_root=()
    [[ $(id -u) == 0 ]] && as_root=(--allow-run-as-root)
    timeout 400 mpirun "${as_root[@]}" --oversubscribe --enable-recovery -n 4 "$RIDGE" suite all --device sim:h200 --seed 1 -q \
        >out.txt 2>err.txt </dev/null
    pass 'four ranks of mpirun' $? err.txt
    grep -q '^Suite all: 3 experiments, 18 results, 0 not run' out.txt && (($(grep -c '^Suite' out.txt) == 1))
    pass 'have one table' $? out.txt
else
    echo '# skip: mpirun is not installed; ranks were started by their variables alone'
fi
finish
