#!/usr/bin/env bash
# ridge suite: several experiments in one table, each recorded as a run; only some of them; one part of
# them; what became of each since its last run; one that cannot be run does not stop the others.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
mkdir all
cp -r "$here/scale" all/one
cp -r "$here/scale" all/two
sed -i 's/^experiment: scale/experiment: two/' all/two/experiment.yaml
printf 'suite: small\nexperiments:\n  - path: all/one\n    params: {N: 4096}\n    variants: [plain]\n' >small.yaml

suite() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$RIDGE" suite --device sim:h200 --seed 1 "$@" >out.txt 2>err.txt
    got=$?
    cat err.txt >>out.txt
    grep -Eq "$pattern" out.txt && ((got == status))
    pass "$name" $? out.txt
}

several="'sim:h200,sim:a100' names several devices, and this command takes one: run it once for each"
expect 'a list of devices is refused by the gate' 2 gate --self-test --device sim:h200,sim:a100 all <<END
ridge: $several (\`ridge run\`, \`verify\` and \`scale\` take several)
END
"$RIDGE" suite --device sim:h200,sim:a100 all >out.txt 2>err.txt
[ $? = 2 ] && grep -qF "ridge: two: $several" err.txt
pass 'and by a suite, for each experiment' $? err.txt

suite 'a folder of experiments is one table' 0 '^Suite all: 2 experiments, 12 results, 0 not run' all
grep -Eq '^two N=8192 plain +yes +- +1 .* modelled +first run +-$' out.txt
pass 'a first run is said to be one' $? out.txt
"$RIDGE" log | wc -l | diff - <(echo 2) >diff.txt
pass 'each experiment is a run of the journal' $? diff.txt
"$RIDGE" show --json | found '"suite": "all"'
pass 'a run names its suite' $?

sed -i '/name: strided/{n;s/scale_strided/scale_plain/}' all/two/experiment.yaml
suite 'a change since the last run is judged' 0 '^two N=8192 strided .* 1\.[0-9]{3}x, faster +-$' all
grep -Eq '^scale N=8192 strided .* 1\.000x, no difference +-$' out.txt
pass 'no change is no difference' $? out.txt
suite '--only keeps what matches, and what that is compared with' 0 '^Suite all: 1 experiment, 4 results' all --only 'two:pl*'
suite '--only that matches nothing is refused' 2 "'x' matches no experiment" all --only x
suite 'a part of it' 0 '^Suite all: 1 experiment, 6 results' all --shard 2/2
grep -q '^scale ' out.txt
pass 'the other experiment is in the other part' $(($? == 0)) out.txt
suite 'an empty part is no failure' 0 '^Suite all: 0 experiments, 0 results' all --shard 3/3
suite 'a suite file chooses cases and variants' 0 '^Suite small: 1 experiment, 2 results' small.yaml
suite 'facts for a screen reader' 0 '^scale N=4096 plain: verif yes$' small.yaml --plain
suite 'JSON holds runs and changes' 0 '"against_last": \[' small.yaml --json

echo 'int broken(' >all/two/reference.c
suite 'one that cannot be run does not stop the others' 2 '^Suite all: 2 experiments, 6 results, 1 not run' all
sed -i 's/ x\[i\]/ x[0]/' all/one/reference.c
suite 'a wrong result fails the suite' 1 'scale N=4096 plain +WRONG' all/one
suite 'a folder without experiments is refused' 2 'holds no experiment.yaml and no suite.yaml' "$work/home"
"$RIDGE" suite small.yaml -q >out.txt 2>err.txt
[[ ! -s err.txt ]]
pass '--quiet says nothing on standard error' $? err.txt
finish
