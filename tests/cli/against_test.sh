#!/usr/bin/env bash
# ridge gate --against REV: the suite and another git revision of it in one run. Code that is the same is not
# run; what is slower fails; what cannot be compared is refused; nothing stays behind.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang git
mkdir -p repository/all
cd repository || exit 1
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@a
git init -q . && cp -r "$here/scale" all/one && git add -A && git commit -qm first
printf '#!/bin/sh\ntouch %s/hook-ran\n' "$work" >.git/hooks/post-checkout
chmod +x .git/hooks/post-checkout

gate() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 status=$2 pattern=$3 got
    shift 3
    "$RIDGE" gate -q --device sim:h200 "$@" >out.txt 2>&1
    got=$?
    grep -Eq "$pattern" out.txt && ((got == status))
    pass "$name" $? out.txt
}
restore() { git checkout -q -- all; }

gate 'the same code passes' 0 '^gate passed against revision [0-9a-f]{10}: 4 unchanged$' all --against HEAD
[[ ! -e $work/hook-ran ]]
pass "the repository's hooks do not run" $?
rm .git/hooks/post-checkout
gate '… and is not run' 0 '^  the same code and launches: not run$' all --against HEAD -v
sed -i '1i // a comment' all/one/scale.cu
gate 'a comment changes no code' 0 '^  the same code and launches: not run$' all --against HEAD -v
sed -i '/name: plain/,/kernel/s/scale_plain/scale_strided/' all/one/experiment.yaml
gate 'a slower kernel fails at its line' 1 '^  all/one/scale.cu:8: global_sectors of this line 1024 to 8192$' all --against HEAD
grep -q '2 regressed, 2 unchanged$' out.txt
pass 'the other variant is unchanged' $? out.txt
gate 'only what is asked for' 0 ': 2 unchanged$' all --against HEAD --only scale:strided
restore
sed -i 's/block: \[256\]/block: [128]/; s/N,256/N,128/' all/one/experiment.yaml
gate 'another launch is another run' 0 ': 2 improved, 2 unchanged$' all --against HEAD -v
grep -q 'not run' out.txt
pass '… which is run' $(($? == 0)) out.txt
restore
sed -i 's/uniform(-1,1)/uniform(0,1)/' all/one/experiment.yaml
gate 'other buffers are not comparable' 1 'not comparable$' all --against HEAD
grep -Eq "the buffers of 'scale' are not those of the other revision" out.txt
pass 'the reason is said' $? out.txt
restore
cp -r all/one all/two && sed -i 's/^experiment: scale/experiment: two/' all/two/experiment.yaml
gate 'a new experiment is new' 0 '4 new, 4 unchanged$' all --against HEAD
sed -i 's/ a \* x\[i\]/ x[i]/' all/two/scale.cu
gate 'a new one that is wrong fails' 1 '4 broken, 4 unchanged$' all --against HEAD
rm -rf all/two
gate 'a revision that is not there is refused' 2 "has no revision 'nowhere'" all --against nowhere
gate 'an option of git is no revision' 2 "has no revision '--help'" all --against=--help
gate 'JSON' 0 '"baseline": "revision ' all --against HEAD --json
git worktree list | wc -l | diff - <(echo 1) >diff.txt
pass 'no worktree stays' $? diff.txt
mv .git elsewhere
gate 'a folder without a repository is refused' 2 'needs git and a repository' all --against HEAD
finish
