#!/usr/bin/env bash
# ridge baseline and ridge gate --baseline on the simulated GPU: saving, naming recorded runs, listing, removing;
# closed where there is no baseline or it was made under other conditions; code that is the same is not run.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang sqlite3
mkdir all
cp -r "$here/scale" all/one
cp -r "$here/scale" all/two
sed -i 's/^experiment: scale/experiment: two/' all/two/experiment.yaml
cp -r all good

ridge() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$RIDGE" "$@" -q >out.txt 2>&1
    got=$?
    grep -Eq -- "$pattern" out.txt && ((got == status))
    pass "$name" $? out.txt
}
restore() { rm -rf all && cp -r good all; }

ridge 'without a journal nothing passes' 2 'there is no journal' gate --baseline main all
ridge 'a suite is run and saved' 0 '^saved baseline main: 2 experiments, runs 1 2$' \
    baseline save main all --device sim:h200
ridge 'a baseline that is not there lets nothing pass' 1 "there is no baseline 'mian'" gate --baseline mian all
ridge 'unchanged code passes' 0 '^gate passed against baseline main: 8 unchanged$' gate --baseline main all
ridge '… and is not run' 0 '^  the same code and launches: not run$' gate --baseline main all -v
sed -i '/name: plain/,/kernel/s/scale_plain/scale_strided/' all/one/experiment.yaml
ridge 'a slower kernel fails at its line' 1 '^  all/one/scale.cu:.*: global_sectors of this line 1024 to 8192$' \
    gate --baseline main all
grep -q '2 regressed, 6 unchanged$' out.txt
pass 'what is the same is unchanged' $? out.txt
restore
sed -i 's/ a \* x\[i\]/ x[i]/' all/two/scale.cu
ridge 'a wrong variant fails' 1 '4 broken, 4 unchanged$' gate --baseline main all
ridge 'a wrong variant is not saved' 1 "nothing is saved: 'strided' of 'two' .N=4096. is wrong" baseline save bad all --device sim:h200
restore
sed -i '/name: strided/{n;s/scale_strided/scale_plain/}' all/two/experiment.yaml
ridge 'better passes' 0 '2 improved, 6 unchanged$' gate --baseline main all
restore
rm -r all/two
ridge 'an experiment that is gone fails' 1 '4 missing, 4 unchanged$' gate --baseline main all
grep -q 'the experiment is not in the suite any more' out.txt
pass 'the reason is said' $? out.txt
ridge 'what was not asked for is not missing' 0 ': 4 unchanged$' gate --baseline main all --only scale
restore
cp -r all/two all/three && sed -i 's/^experiment: two/experiment: three/' all/three/experiment.yaml
ridge 'a new experiment is new' 0 '4 new, 8 unchanged$' gate --baseline main all
ridge 'a suite of which the baseline has nothing lets nothing pass' 1 "has none of the suite's experiments" gate --baseline main all/three
restore
if "$RIDGE" devices | found sim:a100; then
    ridge 'another chip is not comparable' 1 '4 not comparable$' gate --baseline main all/one --device sim:a100 --only scale
    grep -q "another chip: the baseline has 'NVIDIA H200 (simulated)', and this is 'NVIDIA A100" out.txt
    pass '… and which is said' $? out.txt
fi
ridge 'warm caches are not comparable' 1 "another state of caches: the baseline has 'cold', and this is 'warm'" \
    gate --baseline main all/one --cache warm --only scale
sqlite3 "$RIDGE_HOME/journal.sqlite" "UPDATE runs SET header = json_set(header, '\$.environment.model', 'old') WHERE id = 1"
ridge 'another model of time is not comparable' 1 'another model of time' gate --baseline main all/one --only scale
ridge 'a name is not taken twice' 2 "there is a baseline 'main', of .*: --replace" baseline save main all/one --device sim:h200
ridge '--replace puts another in its place' 0 '^saved baseline main: 1 experiment, run 5$' \
    baseline save main 5 --replace
ridge 'recorded runs are saved by their numbers' 0 '^saved baseline two: 2 experiments, runs 1 2$' baseline save two 1 2
ridge 'two runs of one experiment are refused' 2 "runs 1 and 5 are both of 'scale'" baseline save x 1 5
ridge 'a run that is not there is refused' 2 'has no run 99' baseline save x 99
ridge 'a name that is none is refused' 2 "'--x' is no name|unknown option" baseline save --x 1
ridge 'blanks are no name' 2 "'a b' is no name of a baseline" baseline save 'a b' 1
ridge 'list' 0 '^two  saved .*  2 experiments of recorded runs$' baseline list
ridge 'list as JSON' 0 '"baselines": \[' baseline list --json
ridge 'show' 0 '^run 2 .* two  NVIDIA H200 \(simulated\) .*, model ' baseline show two
ridge 'show has the results' 0 '^two N=8192 plain +yes ' baseline show two
ridge 'rm' 0 '^removed baseline two' baseline rm two
ridge 'rm of what is not there' 2 "there is no baseline 'two'" baseline rm two
ridge 'an action that is none is refused' 2 "'drop' is none of save, list, show, rm" baseline drop two
ridge 'a lock and a baseline exclude each other' 2 '^ridge: --baseline and --lock exclude each other' \
    gate all --baseline main --lock ridge.lock
"$RIDGE" log | wc -l | diff - <(echo 5) >diff.txt
pass 'the gate records nothing' $? diff.txt
finish
