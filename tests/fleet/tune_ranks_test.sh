#!/usr/bin/env bash
# ridge tune as ranks of one job, with simulated GPUs: each variant and case is tuned by one of them, one table has all, one
# rank prints; a rank that is killed costs what it was at, which another goes on with.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc jq
cp -r "$root/examples/select" .
tune=("$RIDGE" tune select --device sim:h200 --json)

"${tune[@]}" >alone.json 2>err.txt
pass 'one process tunes' $? err.txt
chosen() { jq -c '[.tunings[] | [.variant, .case, (.evaluations | length)]]' "$1"; }
mv "$RIDGE_HOME/tuned.json" alone-table.json
rm -rf "$RIDGE_HOME/tune"

ranks() { # COUNT JOB
    local rank
    pids=()
    for ((rank = 0; rank < $1; rank++)); do
        RIDGE_RANK=$rank RIDGE_RANKS=$1 RIDGE_RANKS_JOB=$2 "${tune[@]}" >out.$rank 2>err.$rank </dev/null &
        pids+=($!)
    done
}
ranks 4 whole
wait "${pids[0]}"
pass 'four ranks tune' $? err.0
wait
diff <(chosen alone.json) <(chosen out.0) >diff.txt && [[ $(chosen out.0) == *row-per-group* ]]
pass 'rank 0 has the sessions of all' $? diff.txt
[[ ! -s out.1 && ! -s out.2 && ! -s out.3 ]]
pass 'the others print nothing' $?
diff <(jq -S '[.entries[] | [.variant, .case, .parameters, .time_ns]]' alone-table.json) \
    <(jq -S '[.entries[] | [.variant, .case, .parameters, .time_ns]]' "$RIDGE_HOME/tuned.json") >diff.txt
pass 'one table has what one process chose' $? diff.txt
grep -l ': [0-9.]* us$' err.[0-3] | wc -l >drawn.txt
(($(cat drawn.txt) >= 2))
pass 'more than one rank evaluated' $? drawn.txt

# Both ranks die but the second comes again: what they drew is drawn again, and points that were found stay.
rm -rf "$RIDGE_HOME/tune" "$RIDGE_HOME/tuned.json"
RIDGE_RANK=1 RIDGE_RANKS=2 RIDGE_RANKS_JOB=killed "${tune[@]}" >out.1 2>err.1 </dev/null &
second=$!
for ((i = 0; i < 600; i++)); do
    grep -q ' us$' err.1 2>/dev/null && break
    sleep 0.05
done
kill -KILL $second
wait $second 2>/dev/null
RIDGE_RANK=0 RIDGE_RANKS=2 RIDGE_RANKS_JOB=killed "${tune[@]}" >out.0 2>err.0 </dev/null
pass 'a rank that is killed costs nothing but its job' $? err.0
diff <(chosen alone.json) <(chosen out.0) >diff.txt
pass 'which is tuned whole' $? diff.txt
finish
