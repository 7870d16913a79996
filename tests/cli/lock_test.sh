#!/usr/bin/env bash
# ridge gate against ridge.lock: passes what is unchanged, an edit that moves lines too; fails, at the source
# line, what counts more; keeps closed without a lock, with another compiler or a broken variant.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
mkdir all
cp -r "$here/scale" all/one
cp -r "$here/scale" all/two
sed -i 's/^experiment: scale/experiment: two/' all/two/experiment.yaml
cp -r all good

gate() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$RIDGE" gate -q "$@" >out.txt 2>&1
    got=$?
    grep -Eq "$pattern" out.txt && ((got == status))
    pass "$name" $? out.txt
}
restore() { rm -rf all/one all/two && cp -r good/one good/two all; }

gate 'without a lock nothing passes' 1 'there is no lock at all/ridge.lock' all
gate '--update writes it' 0 '^wrote all/ridge.lock: 8 results of 2 experiments run now, 0 kept' all --update
cp all/ridge.lock first.lock
gate 'unchanged code passes' 0 '^gate passed against all/ridge.lock: 8 unchanged$' all
gate '--update of unchanged code changes nothing' 0 '^wrote' all --update
cmp -s all/ridge.lock first.lock
pass 'the same lock is written again' $?

sed -i '1i // a comment above everything' all/one/scale.cu
gate 'an edit that moves lines passes' 0 ': 8 unchanged$' all
restore
sed -i '/scale_plain/,$s/y\[i\] = a \* x\[i\]/y[i] = a * x[i] + 0.0f * x[i \/ 2]/' all/one/scale.cu
gate 'a load more fails' 1 '^gate failed against all/ridge.lock: 2 regressed, 6 unchanged$' all
grep -Eq '^  all/one/scale.cu:14: global_sectors: 1280 at this line, which is new or edited$' out.txt
pass 'it points at the line' $? out.txt
gate 'the file may allow it' 0 '^gate passed' all --only two
echo 'gate: {percent: 50, counters_percent: 1000}' >>all/one/experiment.yaml
gate 'a tolerance in the file is kept' 0 '^gate passed' all
restore

sed -i 's/y\[i\] = a \* x\[i\];$/y[i] = a * x[i] + 0.0f * x[i \/ 2]; \/\/ "<&|%"/' all/one/scale.cu
gate 'GitHub gets a command at the line' 1 '^::error file=all/one/scale.cu,line=14,title=regressed%3A scale N=4096 plain::.*global_sectors 1024 to 1280 \(\+25.0 %25\)' all --format github
gate 'a comment has the verdict and its rows' 1 '^\*\*ridge gate failed\*\*: 4 regressed, 4 unchanged, against ' all --format markdown
grep -Ec '^\| regressed \| ' out.txt | diff - <(echo 4) >diff.txt
pass '… a row for each' $? diff.txt
"$RIDGE" gate -q all --format junit -o junit.xml >out.txt 2>&1
(($? == 1)) && [[ -s junit.xml && ! -s out.txt ]]
pass 'JUnit goes to a file' $? out.txt
if command -v xmllint >/dev/null; then
    for path in 'count(//testcase)=8' 'count(//failure)=4' '/testsuites/@tests=8 and /testsuites/@failures=4' \
        'count(/testsuites/testsuite)=2' '//testsuite[@name="two"]/@failures=0' \
        '//testcase[@name="N=4096 plain" and @classname="scale"]/failure/@type="regressed"'; do
        xmllint --xpath "$path" junit.xml 2>&1 | found -x true
        pass "JUnit: $path" $? junit.xml
    done
fi
gate 'a format that is not there is refused' 2 "no format 'junt' .did you mean 'junit'" all --format junt
restore

sed -i '/name: strided/{n;s/scale_strided/scale_plain/}' all/two/experiment.yaml
gate 'better passes, and is said' 0 '^gate passed .*2 improved, 6 unchanged$' all
gate 'a part of the suite keeps the rest of the lock' 0 '4 kept$' all --only two --update
gate 'the new lock holds it' 0 ': 8 unchanged$' all
restore
gate 'going back is worse now' 1 '2 regressed, 6 unchanged$' all
cp first.lock all/ridge.lock

sed -i 's/^  N: .*/  N: 4096/' all/one/experiment.yaml
gate 'a case that is gone fails' 1 '2 missing, 6 unchanged$' all
gate 'what was not asked for is not missing' 0 ': 4 unchanged$' all --only two
restore
sed -i 's/a \* x\[i\]/x[i]/' all/one/scale.cu
gate 'a wrong variant fails' 1 '4 broken, 4 unchanged$' all
gate '--update does not write a wrong one' 1 'the lock is not written' all --update
cmp -s all/ridge.lock first.lock
pass 'the lock stays as it was' $?
restore
echo 'int broken(' >all/one/reference.c
gate 'an experiment that cannot be run fails' 1 '4 broken, 4 unchanged$' all
restore

sed -i 's/^compiler .*/compiler clang 99.0/' all/ridge.lock
gate "another compiler's lock judges nothing" 2 "made with another compiler: 'clang 99.0'" all
cp first.lock all/ridge.lock
sed -i 's/^      registers [0-9]*/      registers sixteen/' all/ridge.lock
gate 'a lock that is broken is said, with its line' 2 "^ridge: all/ridge.lock:[0-9]+: 'sixteen' is not a figure" all
cp first.lock all/ridge.lock
gate 'a real device has no lock' 2 'is not a simulated device' all --device cuda:0
gate 'JSON says it all' 0 '"passed": true' all --json
gate 'a lock elsewhere' 0 '^gate passed against first.lock' all/one all/two --lock first.lock

gate 'the self-test alone' 0 '^self_test_false_alarms: 0 of 4$' --self-test --device sim:h200
grep -Eq '^self_test_caught_one_step: 1 of 1 at ' out.txt && grep -Eq '^self_test_smallest_slowdown_pct: 0\.[0-9]+$' out.txt
pass 'a simulated clock sees the smallest step' $? out.txt
grep -q '^self_test_rounds: 1 of 1$' out.txt
pass '… and says how many rounds were finished' $? out.txt
gate 'a limit that is none is refused' 2 "option --self-test-limit: '-1' is not a positive number" --self-test --device sim:h200 --self-test-limit=-1
gate 'the self-test before a suite, in JUnit' 0 '<property name="self_test_false_alarms" value="0 of 4"/>' all --self-test --format junit
grep -q '<testcase ' out.txt
pass '… beside the results' $? out.txt
gate '… and in JSON' 0 '"self_test_false_alarms": "0 of 4"' all --self-test --json
gate 'no suite is refused' 2 'needs a SUITE, or two recorded runs'
finish
