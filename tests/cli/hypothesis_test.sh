#!/usr/bin/env bash
# ridge hypothesize before a run, its verdict after it, and the record.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
need sqlite3
stage scale
export RIDGE_JOURNAL=$work/j.sqlite
"$RIDGE" run scale --param N=4096 -q >/dev/null
# A journal of the schema before hypotheses: it is given their table when it is written to.
sqlite3 j.sqlite 'DROP TABLE baseline_runs; DROP TABLE baselines; DROP TABLE hypotheses; DROP TABLE run_sources; DROP TABLE sources; PRAGMA user_version = 1'
"$RIDGE" log --hypotheses >out.txt
grep -q ' 0 open$' out.txt
pass 'a journal without the table is read' $? out.txt
"$RIDGE" hypothesize scale:plain 'Neighbours read neighbours.' --expect time=-1% \
    --expect 'global_load_sectors=<= 7' >out.txt
echo 'recorded: the next `ridge run` of scale judges plain' | diff - out.txt >diff.txt
pass 'what is recorded is said' $? diff.txt
"$RIDGE" log --hypotheses | found 'open     scale:plain: Neighbours read neighbours.'
pass 'it is open until a run judges it' $?
"$RIDGE" run scale --param N=4096 -q >out.txt
grep -q 'plain: global_load_sectors expected <= 7, actual [0-9.]*: missed' out.txt
pass 'the next run judges it' $? out.txt
"$RIDGE" log --hypotheses >out.txt
grep -q ' 0 open$' out.txt
pass 'and it is open no more' $? out.txt
cp j.sqlite old.sqlite
for word in 'opposite direction' 'the other way'; do # as written today, and before 2026-11-22
    sqlite3 old.sqlite "UPDATE expectations SET verdict = '$word'"
    "$RIDGE" log --hypotheses --journal old.sqlite >opposite.txt
    grep -Eq ': ([1-9]+) judged, 0 held, 0 missed, \1 in the opposite direction' opposite.txt
    pass "a change in the opposite direction is counted as one ('$word')" $? opposite.txt
done
grep -q 'Predictions of ridge: [1-9]' out.txt
pass 'predictions of ridge are kept beside' $? out.txt
expect 'an unknown figure' 2 hypothesize scale:plain x --expect tima=-5% <<'END'
ridge: option --expect: 'tima' is neither time nor a counter
END
expect 'no expectation' 2 hypothesize scale:plain x <<'END'
ridge: a hypothesis needs a number: --expect time=-50%
END
expect 'no variant' 2 hypothesize scale x --expect time=-5% <<'END'
ridge: name the variant too: ridge hypothesize scale:VARIANT
END
expect 'a variant that the file does not have' 2 hypothesize scale:plian x --expect time=-5% <<'END'
ridge: experiment 'scale' has no variant 'plian' (did you mean 'plain'?)
END
"$RIDGE" hypothesize scale:plain 'A slip.' --expect time=-90% >/dev/null
"$RIDGE" hypothesize scale:plain --undo >out.txt
echo 'taken back: the newest hypothesis on scale:plain' | diff - out.txt >diff.txt
pass 'what is taken back is said' $? diff.txt
"$RIDGE" log --hypotheses >out.txt
! grep -q 'A slip' out.txt
pass 'it is in the record no more' $? out.txt
"$RIDGE" hypothesize scale:plain --undo >/dev/null # the first one
expect 'nothing to take back' 2 hypothesize scale:plain --undo <<'END'
ridge: no hypothesis on scale:plain is recorded
END
for _ in 1 2; do "$RIDGE" run scale --param N=4096 -q >/dev/null; done
"$RIDGE" log -n 2 >out.txt
grep -q '^\.\.\. older runs are not shown: `ridge log -n 4` shows more, -n 0 all$' out.txt &&
    [ "$(wc -l <out.txt)" = 3 ]
pass 'a list that is cut says so' $? out.txt
! "$RIDGE" log -n 0 | found 'not shown'
pass 'a whole one does not' $?
finish
