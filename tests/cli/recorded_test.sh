#!/usr/bin/env bash
# Questions that the journal cannot answer: the exact message and the exit status.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage scale
"$RIDGE" run scale --compiler clang -q >/dev/null

expect 'a journal that is not there is said' 2 log --journal none.sqlite <<'END'
ridge: there is no journal at none.sqlite: `ridge run` makes one
END

mkdir -p folder
expect 'a journal that is a folder is said' 2 log --journal folder <<'END'
ridge: the journal folder is a folder: name a file in it
END

expect 'a run that is not there is said' 2 show 999 <<'END'
ridge: the journal WORK/home/journal.sqlite has no run 999: `ridge log` lists them
END

expect 'an experiment never run is said' 2 show nothing <<'END'
ridge: the journal WORK/home/journal.sqlite has no run of 'nothing': `ridge run nothing` makes one
END

expect 'explain of an experiment never run is said' 2 explain nothing <<'END'
ridge: the journal WORK/home/journal.sqlite has no run of 'nothing': `ridge run nothing` makes one
END

expect 'annotate without a variant is refused' 2 annotate scale <<'END'
ridge: name the variant too: ridge annotate scale:VARIANT
END

expect 'annotate of a mistyped variant gets a suggestion' 2 annotate scale:plan <<'END'
ridge: run 1 of 'scale' has no variant 'plan' (did you mean 'plain'?)
END

expect 'annotate of a case that was not run is said' 2 annotate scale:plain --param N=5 <<'END'
ridge: run 1 of 'scale' has no variant 'plain' on that case: `ridge show 1` shows its cases
END

expect 'explain of an unknown variant is refused' 2 explain scale:zzz <<'END'
ridge: run 1 of 'scale' has no variant 'zzz'
END

expect 'a limit that is no number is refused' 2 log --limit many <<'END'
ridge: option --limit: 'many' is not a whole number from 0 to 1000000
END

expect 'help of an unknown command is refused' 2 help frobnicate <<'END'
ridge: there is no command 'frobnicate': `ridge help` lists them
END

expect 'a run that a later case ends says what it leaves' 2 run scale -q --param N=4096,0 <<'END'
ridge: scale/experiment.yaml:14:12: the count of buffer 'x' is 0 (N with N=0); it must be at least 1 and at most 4 TiB
        count: N
               ^
  in case N=0
  3 results were recorded before: `ridge show 2`
END
expect 'which can be shown' 0 show 2 </dev/null

# What the run did when is kept, and goes into the trace.
"$RIDGE" export --format chrome >trace.json 2>stderr.txt
grep -o '"name":"[a-z ]*","cat":"phase"' trace.json | sort -u >phases.txt
grep -q verifying phases.txt && grep -q compiling phases.txt
pass 'the trace has the phases of the run' $? phases.txt

# The commit of the experiment's folder is recorded, and whether a file there differs from it.
if command -v git >/dev/null; then
    mkdir repository
    cp -r scale repository
    (
        cd repository || exit 1
        export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c
        export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c
        git init -q . && git add . && git commit -qm first
    ) >/dev/null 2>stderr.txt
    pass 'a repository is made' $? stderr.txt
    commit=$(git -C repository rev-parse HEAD)
    "$RIDGE" run repository/scale -q --json --param N=4096 >out.txt
    grep -q "^ \"git\": \"$commit\"," out.txt
    pass 'the commit is recorded' $? out.txt
    echo '// changed' >>repository/scale/scale.cu
    "$RIDGE" run repository/scale -q --json --param N=4096 >out.txt
    grep -q "^ \"git\": \"$commit+dirty\"," out.txt
    pass 'and that a file differs from it' $? out.txt
else
    echo 'skip - the commit is recorded: git is not here'
fi

finish
