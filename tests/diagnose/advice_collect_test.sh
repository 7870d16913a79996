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
cat >bin/slow <<'R'
#!/usr/bin/env bash
name=$(basename "$2" .yaml)
[ $name = b ] && sleep 60
printf ' 90 %% %s simulating' "$name" >&2
sleep 0.2
printf '{"results": [{"variant": "one"}]}'
R
chmod +x bin/slow
RIDGE=$work/bin/slow timeout 5 "$root/bench/advice/run.py" collect --from list/pairs.tsv --device cuda:0 --split validation --overlap --last b,c,d cut >said 2>&1
[ -f cut/a_default.json ]
pass 'who cuts it off keeps what was done while another one was waited for' $? said
collect plain && ! grep -q terminal asked.txt && [ "$(grep -c -- ' -q ' asked.txt)" = 4 ]
pass 'without the option they run one after the other, quietly' $? asked.txt
awk '$1 == "timing" { if (busy) exit 1; busy = 1 } $1 == "simulated" { busy = 0 }' log.txt
pass 'simulation and all' $? log.txt

# ---- recorded runs, diagnosed anew --------------------------------------------------------------------
cat >bin/ridge <<'R'
#!/usr/bin/env bash
echo "$1 ${*:3}" >>"$WORK/asked.txt"
grep -q '"experiment_path": "list/b.yaml"' "$2" && exit 2
sed 's/"old"/"new"/' "$2"
R
rm -f asked.txt
mkdir recorded
for name in a b; do printf '{"experiment_path": "elsewhere/%s.yaml", "results": ["old"]}' $name >recorded/${name}_default.json; done
"$root/bench/advice/run.py" again --from list/pairs.tsv --device cuda:0 --side-limit 9 recorded renewed >said 2>&1
[ "$(ls renewed)" = a_default.json ] && grep -q '"experiment_path": "list/a.yaml".*"new"' renewed/a_default.json
pass 'each recorded run is diagnosed anew, with the sources that lie here' $? said
grep -q 'explain --again --json -q --side-limit 9' asked.txt && grep -q 'b_default.json: not diagnosed anew: exit status 2' said
pass 'by explain, and what fails says so' $? asked.txt
"$root/bench/advice/run.py" again renewed >said 2>&1
[ $? = 2 ] && grep -q 'again takes two folders' said
pass 'again takes two folders' $? said
finish
