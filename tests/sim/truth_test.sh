#!/usr/bin/env bash
# The simulated side of the truth table, to the last digit, and the page made of it (bench/truth/README.md).
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
truth=$root/bench/truth
export RIDGE
"$truth/validate.sh" replay >diff.txt 2>&1
pass 'the rows of replayed.txt are simulated as modelled-h200.csv has them' $? diff.txt
"$truth/validate.sh" page | diff -u "$root/docs/truth-h200.md" - >diff.txt
pass 'docs/truth-h200.md is made of the committed rows' $? diff.txt
"$truth/validate.sh" simulate --shard 0/3 >out.txt 2>&1
[[ $? == 2 ]] && grep -q -- '--shard I/N' out.txt
pass 'a shard that is none is refused with the usage' $? out.txt

"$truth/validate.sh" simulate --only '^validation-math,divide-(int|f32),n=65536' --shard 1/2 --jobs 1 >one.txt 2>&1
"$truth/validate.sh" simulate --only '^validation-math,divide-(int|f32),n=65536' --shard 2/2 --jobs 2 >two.txt 2>&1
grep -E '^validation-math,divide-(int|f32),n=65536' "$truth/modelled-h200.csv" | diff - <(sort one.txt two.txt) >diff.txt
pass 'shards are the whole in parts' $? diff.txt

# The page of measured rates names what was not measured.
sed -nE 's/^([a-z0-9_]+): .*source: "tuned.*/`\1`/p' "$root/gpus/h200.yaml" | sort >tuned.txt
grep -oE '`[a-z0-9_]+`' <(sed -n '/^Not all constants/,/^$/p' "$root/docs/h200-rates.md") | sort | diff - tuned.txt >diff.txt
pass 'docs/h200-rates.md names every constant that is tuned' $? diff.txt
finish
