#!/usr/bin/env bash
# Questions that the journal cannot answer: the exact message and the exit status.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang sqlite3
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
ridge: the journal WORK/home/journal.sqlite has no run of 'nothing': `ridge run 'nothing'` makes one
END

expect 'explain of an experiment never run is said' 2 explain nothing <<'END'
ridge: the journal WORK/home/journal.sqlite has no run of 'nothing': `ridge run 'nothing'` makes one
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

# The journal keeps the source: after an edit the counters stand beside the lines that were counted.
"$RIDGE" run scale --compiler clang -q --param N=4096 >/dev/null
"$RIDGE" annotate scale:plain >before.txt
sed -i '1i // a line more' scale/scale.cu
"$RIDGE" annotate scale:plain | diff before.txt - >diff.txt
pass 'annotate shows the source as it was when it ran' $? diff.txt
"$RIDGE" report -o page.html >/dev/null
! grep -q 'a line more' page.html && grep -q 'coalesced' page.html
pass 'so does the page' $?
"$RIDGE" annotate scale:plain -v >out.txt
grep -A12 'x\[i\]' out.txt >below.txt
grep -q 'ld.global.*f32 ' below.txt
pass 'annotate -v shows the PTX below its line' $? out.txt
"$RIDGE" annotate scale:plain -v --plain >out.txt
grep -q '^line [0-9]*, PTX: st.global' out.txt
pass 'and so for a screen reader' $? out.txt
tr '\n' ' ' <page.html >joined.txt
grep -q '<details><summary><code>.*</code></summary><pre>.*ld.global' joined.txt
pass 'the page folds it there' $? page.html
[ "$("$RIDGE" annotate scale:plain -v | tail -n 1)" = "Machine code is not shown: nvdisasm is not here, which comes with CUDA's toolkit (RIDGE_NVDISASM names it)" ]
pass 'without a disassembler one line says so' $?
"$RIDGE" annotate scale:plain | grep -q 'Machine code'
[ $? = 1 ] && [ "$(grep -c 'machine code is not shown: nvdisasm is not here' page.html)" = 1 ]
pass 'where instructions are shown, and once on the page' $? page.html

# A disassembler that prints what nvdisasm -c -gi does (CUDA 13): a kernel that is launched, one that is not, a function that both
# call; an instruction of a toolkit's header, inlined, and one before any line.
mkdir tools
cat >tools/ptxas <<'T'
#!/usr/bin/env bash
[ "$1" = --generate-line-info ] && grep -q '^.*\.visible' "$5" && printf 'machine code' >"$4"
T
cat >tools/nvdisasm <<'T'
#!/usr/bin/env bash
[ "$1 $2 $(cat "$3")" = '-c -gi machine code' ] || exit 1
line=$(grep -n 'x\[i\]' "$SOURCE" | tail -n 1 | cut -d: -f1)
for kernel in scale_plain scale_strided helper; do
    cat <<S
//--------------------- .text.$kernel          --------------------------
	.section	.text.$kernel,"ax",@progbits
.text.$kernel:
        /*0000*/                   NEVER.SHOWN.$kernel R1 ;
	//## File "$SOURCE", line $line
        /*0010*/              @!P0 LDG.E.$kernel R3, desc[UR4][R2.64] ;
	//## File "/usr/local/cuda/include/math.h", line 5 inlined at "$SOURCE", line $line
	//## File "$SOURCE", line $line
        /*0020*/                   FMUL.INLINED.$kernel R3, R3, 2 ;
.L_x_1:
        /*0030*/                   BRA \`(.L_x_1);
S
done
T
chmod +x tools/*
SOURCE=$work/scale/scale.cu
export SOURCE
sass() { RIDGE_PTXAS=$work/tools/ptxas RIDGE_NVDISASM=$work/tools/nvdisasm "$RIDGE" "$@"; }
sass run scale --compiler clang -q --param N=4096 --variant plain --journal sass.sqlite >/dev/null
"$RIDGE" annotate scale:plain -v --journal sass.sqlite >out.txt
grep -A60 'x\[i\]' out.txt >below.txt
grep -q '   @!P0 LDG.E.scale_plain R3, desc\[UR4\]\[R2.64\]$' below.txt && grep -q '   FMUL.INLINED.scale_plain R3, R3, 2$' below.txt &&
    grep -q '   BRA `(.L_x_1)$' below.txt && grep -q 'ld.global.*f32 ' below.txt
pass 'annotate -v shows the machine code below its line too' $? out.txt
grep -q 'LDG.E.helper' out.txt && ! grep -q 'scale_strided R\|NEVER' out.txt && ! grep -q 'Machine code' out.txt
pass 'that of what is launched' $? out.txt
"$RIDGE" annotate scale:plain -v --plain --journal sass.sqlite | grep -q '^line [0-9]*, SASS: @!P0 LDG.E.scale_plain'
pass 'and so for a screen reader' $?
"$RIDGE" report -o sass.html --journal sass.sqlite >/dev/null
tr '\n' ' ' <sass.html | grep -q '</pre>SASS:<pre>@!P0 LDG.E.scale_plain' && ! grep -q 'machine code is not shown' sass.html
pass 'the page folds it below the PTX' $? sass.html
sed -i 's/-gi machine/-gi other/' tools/nvdisasm
sass run scale --compiler clang -q --param N=4096 --variant plain --journal refused.sqlite >/dev/null
"$RIDGE" annotate scale:plain -v --journal refused.sqlite | grep -q '^Machine code is not shown: .*/tools/nvdisasm does not take the machine code$'
pass 'a disassembler that fails is said' $?
RIDGE_PTXAS=none RIDGE_NVDISASM=$work/tools/nvdisasm "$RIDGE" run scale --compiler clang -q --param N=4096 --variant plain --journal none.sqlite >/dev/null
"$RIDGE" annotate scale:plain -v --journal none.sqlite | grep -q '^Machine code is not shown: ptxas is not here'
pass 'and so is a missing ptxas' $?

"$RIDGE" show --markdown >out.md
! grep -q 'edited after' out.md && grep -q 'scale_plain' out.md
pass 'and the Markdown' $? out.md
sqlite3 home/journal.sqlite 'DELETE FROM run_sources' 2>/dev/null &&
    touch -d '+1 hour' scale/scale.cu &&
    expect 'without a copy an edited source is refused' 2 annotate scale:plain <<'END'
ridge: the source 'scale/scale.cu' was edited after the run began, so the counters belong to other lines, and the journal kept no copy; run the experiment again
END

# PTX that names no source has lines of its own.
mkdir ptx
cat >ptx/k.ptx <<'END'
.version 7.0
.target sm_50
.address_size 64
.visible .entry fill(.param .u64 y)
{
    .reg .b64 %a<4>;
    .reg .b32 %t<2>;
    ld.param.u64 %a1, [y];
    cvta.to.global.u64 %a2, %a1;
    mov.u32 %t1, %tid.x;
    mul.wide.u32 %a3, %t1, 4;
    add.s64 %a2, %a2, %a3;
    st.global.u32 [%a2], %t1;
    ret;
}
END
cat >ptx/experiment.yaml <<'END'
experiment: filling
source: k.ptx
buffers:
  y: {type: i32, count: 32, output: true}
expected: {y: "i"}
variants:
  - {name: fill, kernel: fill, grid: 1, block: 32, args: [y]}
END
sed -i '/^expected/d; s/, output: true//' ptx/experiment.yaml
"$RIDGE" run ptx -q >out.txt 2>&1
"$RIDGE" annotate filling:fill >out.txt 2>&1
grep -q '1 .* 4.0 .*13 .*st.global.u32' out.txt
pass 'PTX without .loc is annotated as PTX' $? out.txt

finish
