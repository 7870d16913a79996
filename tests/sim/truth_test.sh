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

# The sets: each experiment's name is that of its folder, with its PTX beside it.
while IFS=, read -r _ prefix folder _; do
    for file in "$truth/$folder"/*/experiment.yaml; do
        name=$(basename "$(dirname "$file")")
        grep -qx "experiment: $prefix-$name" "$file" || echo "$file: not $prefix-$name"
        [[ -s $(dirname "$file")/$name.ptx ]] || echo "$file: no $name.ptx"
    done
done < <(grep -v '^#' "$truth/sets.csv") >diff.txt
[[ ! -s diff.txt ]]
pass 'the experiments of sets.csv are named as their folders' $? diff.txt
cat "$truth"/validation-14/*/experiment.yaml | awk '/name: /{ kernels++ } END { print kernels; exit !(kernels >= 70) }' >out.txt
pass 'the validation list has 70 kernels and more' $? out.txt
! grep -lE "\"/|^[[:space:]]*\\.(file|loc)[[:space:]]" "$truth"/validation-14/*/*.ptx >out.txt
pass 'its PTX has no path of where it was made' $? out.txt

# Rows of a GPU, by a program that stands for ridge on one.
cat >ridge-on-a-gpu <<'END'
#!/usr/bin/env bash
case $2 in
*/adamw) cat <<'JSON'
{"device": {"name": "NVIDIA H200"}, "results": [
 {"variant": "one", "case_label": "n=1", "status": "ok", "time_ns": {"median": 2000.04, "provenance": "measured"},
  "counters": {"warp_instructions": {"value": 12, "provenance": "measured"}, "l2_read_sectors": {"value": 3, "provenance": "simulated"}}},
 {"variant": "four", "case_label": "n=1", "status": "wrong", "time_ns": null, "error": {"message": "not equal"}}]}
JSON
    exit 1 ;;
*) echo 'no GPU' >&2; exit 3 ;;
esac
END
chmod +x ridge-on-a-gpu
"$truth/measure.py" --ridge ./ridge-on-a-gpu --set 'second list' --only 'adamw|align' >rows.txt 2>said.txt
[[ $? == 1 && $(grep -v '^#' rows.txt) == validation2-adamw,one,n=1,2000.0,12,, ]] && grep -q 'Measured on NVIDIA H200' rows.txt &&
    grep -qx 'validation2-adamw,four,n=1: not equal' said.txt && grep -qx 'validation2-align: exit status 3: no GPU' said.txt
pass 'measure.py makes rows of what was measured, and says what has none and why' $? said.txt
"$truth/measure.py" --device sim:h200 >out.txt 2>&1
[[ $? == 2 ]]
pass 'measure.py takes no simulated GPU' $? out.txt

# The page of measured rates names what was not measured.
sed -nE 's/^([a-z0-9_]+): .*source: "tuned.*/`\1`/p' "$root/gpus/h200.yaml" | sort >tuned.txt
grep -oE '`[a-z0-9_]+`' <(sed -n '/^Not all constants/,/^$/p' "$root/docs/h200-rates.md") | sort | diff - tuned.txt >diff.txt
pass 'docs/h200-rates.md names every constant that is tuned' $? diff.txt
finish
