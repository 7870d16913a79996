#!/usr/bin/env bash
# ridge report --compare: two runs side by side as text, Markdown, JSON and a page; against
# tests/cli/golden/compare-*.txt.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need cc
need clang

# Eight launches of one kernel, and of a hostile one: launches NANOSECONDS SECTORS EFFICIENCY
launches() {
    local i name
    echo 'ID,Kernel Name,Grid Size,Block Size,gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,smsp__inst_executed.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,lts__t_sectors_op_read.sum,smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct'
    for name in 'gather(float *)' 'evil<script>alert(1)</script>|*'; do
        for i in 0 1 2 3 4 5 6 7; do
            echo "$i,\"$name\",4096,256,$(($1 + 500 * i)),16900000,16400000,2621440,131072,$2,$2,$3"
        done
    done
}
launches 60000 4194304 12.5 >before.csv
launches 25000 524288 100 >after.csv
"$RIDGE" import before.csv --device h200 --as gather -q >/dev/null
"$RIDGE" import after.csv --device h200 --as gather -q >/dev/null
"$RIDGE" report --compare --text 1 2 | sed -E "s/gain [0-9]+ %/gain GAIN %/" | golden compare-text
"$RIDGE" report --compare --markdown 1 2 | golden compare-markdown
"$RIDGE" report --compare 1:gather 2:gather --text | grep -c '^gather' | diff - <(echo 2) >diff.txt
pass 'a variant of each may be named' $? diff.txt
"$RIDGE" report --compare 2 1 --text | found '0 faster, 2 slower'
pass 'with the two exchanged it is slower' $?
"$RIDGE" report --compare 1 1 --text | found '2 no difference'
pass 'a run against itself shows no difference' $?
COLUMNS=80 "$RIDGE" report --compare --text 1 2 | wc -L | awk '$1 > 80 { exit 1 }'
pass 'a terminal of 80 columns is enough' $?
"$RIDGE" report --compare 1 2 --json | found '"change": "gone"'
pass 'the JSON has the findings' $?

# Simulated: counters are exact, so hypotheses about them are judged alike everywhere.
stage scale
edit scale/experiment.yaml 's/source: scale.cu/source: scale.ptx/'
"$RIDGE" run scale --seed 1 -q --param N=4096 >/dev/null
edit scale/experiment.yaml 's/global_load_sectors: -87.5%/global_load_sectors: -87.5%, warp_instructions: -90%/'
"$RIDGE" run scale --seed 1 -q --param N=4096 --variant plain --cache warm >/dev/null
"$RIDGE" report --compare --text 3 4 |
    sed -E 's/^([a-z]+ +)[0-9.]+ .?s +[0-9.]+ .?s .*/\1TIMES/; s/^[0-9] faster.*/COUNTS/' |
    grep -v -e 'pct' -e 'gain' -e '  findings' | golden compare-simulated

"$RIDGE" run scale --seed 1 -q --param N=8192 --variant plain >/dev/null
"$RIDGE" compare 4:plain 5:plain >unlike.txt
head -1 unlike.txt | diff - <(echo 'plain, N=4096 -> N=8192: different cases, N=4096 and N=8192: not judged; --param NAME=VALUE chooses a case that both have')
pass 'unlike cases are not judged' $?
"$RIDGE" compare 4:plain 5:plain --json | found '"verdict": null'
pass 'nor in the JSON' $?

"$RIDGE" report --compare 1 2 -o page.html
grep -q '&lt;script&gt;alert(1)' page.html && ! grep -q '<script>alert' page.html
pass 'hostile text is escaped' $?
! grep -q 'src=\|<link\|url(\|@import' page.html
pass 'nothing is loaded from elsewhere' $?

expect 'one run' 2 report --compare 1 <<'END'
ridge: --compare takes two runs: ridge report --compare RUN1 RUN2
END
expect 'two runs without --compare' 2 report 1 2 <<'END'
ridge: `ridge report` takes one run; of two, --compare shows what changed
END
expect 'nothing in common' 2 report --compare 1 3 <<'END'
ridge: '1' and '3' have no variant on the same case in common: name one of each, as in `ridge report --compare 1:VARIANT 3:VARIANT`
END
finish
