#!/usr/bin/env bash
# ridge history: a figure over recorded runs, its changes named by their commits; ridge bisect: the first slower
# commit, found by git in a worktree of its own.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang git python3
mkdir repository && cd repository || exit 1
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@a
git init -q . && cp -r "$here/scale" one && sed -i 's/^  N: .*/  N: 4096/' one/experiment.yaml
good=$work/out.txt
commit() { git add -A && git commit -qm "$1" && "$RIDGE" run one --device sim:h200 --seed 1 -q >/dev/null 2>&1; }
commit first
first=$(git rev-parse HEAD)
echo '// a comment' >>one/scale.cu && commit second
echo 'int broken(' >one/reference.c && git commit -qam 'a broken commit'
git checkout -q HEAD~1 -- one/reference.c && git commit -qm 'repaired'
sed -i '/name: plain/,/kernel/s/scale_plain/scale_strided/' one/experiment.yaml && commit slower
slower=$(git rev-parse HEAD)
echo '// another' >>one/scale.cu && commit last

ridge() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$RIDGE" "$@" >"$good" 2>err.txt
    got=$?
    cat err.txt >>"$good" && rm err.txt
    grep -Eq -- "$pattern" "$good" && ((got == status))
    pass "$name" $? "$good"
}
ridge 'a series has a line and a sparkline' 0 '^  ▁▁██$' history one:plain
grep -Eq "^  change at run 3, commit ${slower:0:10} \(20.*Z\): 2\.[0-9]+ us to 2\.[0-9]+ us \(\+[0-9.]+ %\)$" "$good"
pass 'the change names its commit' $? "$good"
ridge 'what did not change has none' 0 '^  ▁▁▁▁$' history one:strided
grep -q 'change at' "$good"
pass '… and says none' $(($? == 0)) "$good"
ridge 'counters have a history too' 0 'global_load_sectors, 4 runs' history one:plain --metric global_load_sectors
ridge 'a metric that is none is refused' 2 "'global_load_sector' is neither time_ns nor a counter .did you mean 'global_load_sectors'" \
    history one --metric global_load_sector
ridge 'a variant that was not run has none' 2 'has no time_ns of' history one:nothing
ridge 'plain text draws nothing' 0 '^scale N=4096 plain on sim:h200: time_ns, 4 runs' history one --plain
grep -q '█' "$good"
pass '… no bars' $(($? == 0)) "$good"
ridge 'JSON' 0 '"changes": \[' history one --json
python3 - "$good" "$slower" >why.txt 2>&1 <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
plain = [s for s in d["series"] if s["variant"] == "plain"][0]
assert [c["git"] for c in plain["changes"]] == [sys.argv[2]], plain["changes"]
assert len(plain["points"]) == 4 and "PELT" in d["method"]
END
pass 'JSON has the change and its commit' $? why.txt
rm -f why.txt
"$RIDGE" history one --html -o page.html
grep -q '<polyline' page.html && grep -q "commit ${slower:0:10}" page.html
pass 'it has a chart and the commit' $?
rm page.html

sim=(--device sim:h200 --seed 1)
ridge 'bisect names the first slower commit' 0 "^first slower commit: $slower$" bisect one --good "$first" "${sim[@]}"
grep -q '^slower$' "$good"
pass '… with its title, though one between is broken' $? "$good"
ridge 'as JSON' 0 "\"first_bad\": \"$slower\"" bisect one --good "$first" "${sim[@]}" --json
ridge 'where nothing is slower there is nothing to find' 2 'is not slower than the good commit' bisect one --good "$slower" "${sim[@]}"
ridge 'a revision that is not there is refused' 2 "has no revision 'nowhere'" bisect one --good "$first" --bad nowhere "${sim[@]}"
ridge 'a good commit is needed' 2 'good REV is needed' bisect one
ridge 'the judgement of one commit: slower' 1 '^regressed: ' bisect one --judge --good "$first" "${sim[@]}" -q
ridge '… as good' 0 '^unchanged: ' bisect one --judge --good "$slower" "${sim[@]}" -q
echo 'int broken(' >one/reference.c
ridge '… not to be told' 125 '' bisect one --judge --good "$first" "${sim[@]}" -q
git checkout -q one
[[ -z $(git status --porcelain) && $(git worktree list | wc -l) == 1 && -z $(git for-each-ref refs/bisect) ]]
pass 'nothing is left behind' $?
finish
