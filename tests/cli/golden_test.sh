#!/usr/bin/env bash
# Whole commands against tests/cli/golden/*.txt. The kernels are PTX here, so that the counters are
# the same wherever the tests run; what the time model says is masked.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need cc
need clang
stage scale
cp -r scale cuda
edit scale/experiment.yaml 's/source: scale.cu/source: scale.ptx/'

# Of the terminal's report: time, GB/s, % of floor; occupancy, limiter, speed-up, verdict; and the
# findings, the next step and the roofline, which follow from them.
mask_report() {
    sed -E \
        -e 's/^(.{15} yes ).{21}(.{21}).{28}(.*)/\1TIME GB\/s FLOOR\2 OCC LIMITER SPEED-UP VERDICT\3/' \
        -e 's/^(N=[0-9]+: [a-z]+, ).*/\1WORDS/' \
        -e 's/^(Stop rule: ).*/\1WORD/' |
        awk '/^(Findings|Fastest|Roof)/ { skip = 1; sub(/[: ].*/, ""); print $0 " ..." }
             /^$/ { skip = 0 }
             !skip { print }'
}

# Of the Markdown: rows of modelled figures, and the words that follow from them.
mask_markdown() {
    sed -E \
        -e '/^- Took the advice on /d' \
        -e 's/^(\| (time|GB\/s|% of floor|occupancy %) \|).*/\1 FIGURES |/' \
        -e 's/^- (Against [a-z]+|Limiter|New bottleneck):.*/- \1: WORDS/' \
        -e 's/^(- Bottleneck: )[A-Z].*/\1WORDS/' \
        -e 's/^(- \*\*[A-Za-z ]+\*\*: ).*/\1WORDS/' \
        -e 's/^(\*\*Stop rule\*\*: ).*/\1WORD/'
}

"$RIDGE" run scale --seed 1 2>stderr.txt | mask_report | golden run
sed -E '/^ *[0-9]+ %/d; s/, [0-9.]+ .?s modelled/, TIME modelled/' stderr.txt | golden run-progress
COLUMNS=80 "$RIDGE" run scale --seed 1 -q --param N=8192 --no-journal |
    tee wide.txt | wc -L | diff - <(echo 80) >/dev/null
pass 'a terminal of 80 columns is enough' $? wide.txt
"$RIDGE" run cuda --seed 1 -q --markdown --no-journal --param N=4096 | mask_markdown |
    golden run-markdown
"$RIDGE" show | mask_report >show.txt
"$RIDGE" show scale | mask_report | diff -u show.txt - >diff.txt
pass 'show finds a run by its experiment' $? diff.txt
mask <show.txt | diff -u "$here/golden/run.txt" - >diff.txt
pass 'show prints what run printed' $? diff.txt
"$RIDGE" show --markdown --json >/dev/null 2>&1
pass 'show prints JSON too' $?
"$RIDGE" verify scale --seed 1 2>stderr.txt | golden verify
sed -E '/^ *[0-9]+ %/d' stderr.txt | golden verify-progress

# Explain: which bounds there are and what work they count, in any order.
"$RIDGE" explain scale:plain | sed -nE 's/^  ([a-z0-9]+) +[0-9.]+ .?s +([0-9.]+( [kMG])? [a-z ]+[a-z]) +[0-9.].* ([a-z]+)$/\1: \2, \4/p' |
    sort -u | golden explain-bounds
"$RIDGE" explain scale >all.txt
grep -E '^(strided|plain|modern), N=' all.txt | golden explain-results

# Times by line are masked as the other modelled figures are; tests/sim/stall_test.c holds what they are.
mask_stalls() {
    sed -E 's/ +[0-9]+\.[0-9] [a-z_]+ +(│ +[0-9]+ │)/ TIME REASON \1/'
}
"$RIDGE" annotate scale:strided --param N=4096 | mask_stalls | golden annotate
"$RIDGE" annotate scale:plain | mask_stalls | golden annotate-last-case

"$RIDGE" log | sed -E 's/[0-9.]+ .?s \(modelled\), [0-9.]+x/TIME (modelled), SPEED-UP/; s/best [a-z]+/best VARIANT/' |
    golden log
"$RIDGE" log other | golden log-nothing
OCL_ICD_VENDORS=/nowhere "$RIDGE" devices | sed '/^Parts:/q' | golden devices
"$RIDGE" devices -v | grep -A1 "^  sim:h200" | golden devices-verbose

"$RIDGE" probe --device sim:h200 2>&1 | golden probe-simulated

"$RIDGE" new starter | golden new
cat starter/* | golden new-files
RIDGE_COMPILER= "$RIDGE" run starter --no-journal -q --param N=65536 >out.txt 2>stderr.txt
pass 'a starter runs as it is' $? stderr.txt

"$RIDGE" --version | golden version
"$RIDGE" --help | golden help
"$RIDGE" help >out.txt
"$RIDGE" --help | diff -u out.txt - >diff.txt
pass 'help and --help are one' $? diff.txt
for command in run verify explain annotate devices log show new; do
    "$RIDGE" help $command >out.txt
    "$RIDGE" $command --help | diff -u out.txt - >diff.txt
    pass "help $command and $command --help are one" $? diff.txt
done
"$RIDGE" help run | golden help-run
"$RIDGE" help experiment | diff -u <(sed 1d "$root/docs/experiment.md") - >diff.txt
pass "help experiment prints the page of the experiment file's keys" $? diff.txt
"$RIDGE" --man | golden man
for shell in bash zsh fish; do "$RIDGE" --completion $shell | golden completion-$shell; done

# What the generated files are for.
bash -c '. /dev/stdin; COMP_WORDS=(ridge an) COMP_CWORD=1; _ridge; echo "${COMPREPLY[@]}"' \
    < <("$RIDGE" --completion bash) | diff - <(echo annotate) >diff.txt
pass 'the completion of bash completes a command' $? diff.txt
bash -c '. /dev/stdin; COMP_WORDS=(ridge run --var) COMP_CWORD=2; _ridge; echo "${COMPREPLY[@]}"' \
    < <("$RIDGE" --completion bash) | diff - <(echo --variant) >diff.txt
pass 'and an option' $? diff.txt
if command -v man >/dev/null && command -v groff >/dev/null; then
    "$RIDGE" --man >ridge.1
    man --warnings -E UTF-8 -l -Tutf8 ./ridge.1 >page.txt 2>warnings.txt
    [[ -s page.txt && ! -s warnings.txt ]]
    pass 'the man page has no fault' $? warnings.txt
else
    echo 'skip - the man page has no fault: man and groff are not here'
fi

finish
