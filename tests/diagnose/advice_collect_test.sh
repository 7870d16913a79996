#!/usr/bin/env bash
# bench/advice/run.py --overlap: an experiment is timed when the one before only simulates, never two at once; what fails leaves no file.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3
mkdir list bin
for name in a b c d; do
    printf 'experiment: %s\nvariants:\n  - {name: one, kernel: k}\n' $name >list/$name.yaml
    printf 'validation\t%s\t\tone\ttwo\tmemory\n' $name
done >list/pairs.tsv

# Says what a run of ridge does when its terminal is looked at, and when each part ends.
cat >bin/ridge <<'R'
#!/usr/bin/env bash
name=$(basename "$2" .yaml)
note() { echo "$1 $name" >>"$WORK/log.txt"; }
note timing
[ -t 2 ] && echo "terminal $name" >>"$WORK/asked.txt"
echo "$*" >>"$WORK/asked.txt"
printf '\r\033[K 40 %% %s measuring' "$name" >&2
sleep 0.1
[ $name = "${FAILS:-}" ] && { echo 'ridge: the GPU is gone' >&2; exit 3; }
note timed
printf '\r\033[K 90 %% %s simulating' "$name" >&2
sleep 0.6
note simulated
printf '{"results": [{"variant": "one"}]}'
R
chmod +x bin/ridge
export WORK=$work RIDGE=$work/bin/ridge
collect() { rm -f log.txt asked.txt; "$root/bench/advice/run.py" collect --from list/pairs.tsv --device cuda:0 --split validation "$@" >said 2>&1; }

collect --overlap --last a,b out && [ "$(ls out | tr '\n' ' ')" = 'a_default.json b_default.json c_default.json d_default.json ' ]
pass 'each experiment leaves its file' $? said
[ "$(grep timing log.txt | cut -d' ' -f2 | tr '\n' ' ')" = 'c d a b ' ]
pass 'the last come last' $? log.txt
awk '$1 == "timing" { if (busy) exit 1; busy = 1 } $1 == "timed" { busy = 0 }' log.txt
pass 'two are never timed at once' $? log.txt
[ "$(grep -n 'timing d' log.txt | cut -d: -f1)" -lt "$(grep -n 'simulated c' log.txt | cut -d: -f1)" ]
pass 'the next one does not wait for the simulation' $? log.txt
grep -q 'terminal a' asked.txt && grep -q 'run .*/a.yaml --device cuda:0 --json --no-journal --seed 1 --threads [0-9]* --variant one --variant two' asked.txt
pass 'it is told of progress as a terminal is, and leaves threads for the one that is timed' $? asked.txt
FAILS=b collect --overlap other
[ "$(ls other | tr '\n' ' ')" = 'a_default.json c_default.json d_default.json ' ] && grep -q 'b_default.json: no result: exit status 3' said && grep -q 'the GPU is gone' said
pass 'one that fails leaves no file, and what it said' $? said
collect plain && ! grep -q terminal asked.txt && [ "$(grep -c -- ' -q ' asked.txt)" = 4 ]
pass 'without the option they run one after the other, quietly' $? asked.txt
awk '$1 == "timing" { if (busy) exit 1; busy = 1 } $1 == "simulated" { busy = 0 }' log.txt
pass 'simulation and all' $? log.txt
finish
