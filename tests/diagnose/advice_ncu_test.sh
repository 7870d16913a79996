#!/usr/bin/env bash
# bench/advice/ncu.py: a list's pairs profiled by a program that answers as ncu does, its rules beside ridge's findings, and what is said
# where ncu is not there or may not count.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3
mkdir list runs csv bin
cat >list/steps.yaml <<'Y'
experiment: steps
variants:
  - {name: one, kernel: steps_one, grid: 4, block: 256, args: [out]}
  - name: two
    from: one
    launches:
      - {kernel: steps_two, grid: 4, block: 256, args: [out]}
      - {kernel: steps_sum, grid: 1, block: 256, args: [out]}
  - {name: three, from: two, kernel: steps_three}
Y
printf 'validation\tsteps\tn=4\tone\ttwo\tuncoalesced\nvalidation\tsteps\tn=4\ttwo\tthree\tbarrier\n' >list/pairs.tsv
finding() { printf '{"cause": "%s", "folded": false, "expected_time_ns": %s}' "$1" "$2"; }
result() { printf '{"variant": "%s", "time_ns": {"median": %s}, "findings": [%s]}' "$1" "$2" "$3"; }
printf '{"results": [%s, %s, %s]}' "$(result one 1000 "$(finding uncoalesced 450)")" \
    "$(result two 500 "$(finding memory 100)")" "$(result three 250 '')" >runs/steps_default.json

# In the columns of ncu's details page (Nsight Compute 2023 and later): what it says itself, then a row for each figure and each
# rule. Written by hand.
cat >sample.csv <<'C'
==PROF== Connected to process 7 (/usr/bin/ridge)
steps: verified
==PROF== Disconnected from process 7
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"
"0","7","ridge","127.0.0.1","steps_one","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","us","1.50","","","","",""
"0","7","ridge","127.0.0.1","steps_one","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","SpeedOfLight","","","","SOLBottleneck","OPT","Memory is more heavily utilized than Compute: look at ""Memory""","",""
"0","7","ridge","127.0.0.1","steps_one","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","SourceCounters","","","","UncoalescedGlobalAccess","OPT","This kernel has uncoalesced global accesses resulting in 28,672 excessive sectors","global","40.00"
"0","7","ridge","127.0.0.1","steps_one","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","ComputeWorkloadAnalysis","","","","HighPipeUtilization","OPT","All compute pipelines are under-utilized","local","99"
"0","7","ridge","127.0.0.1","steps_one","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","Occupancy","","","","AchievedOccupancy","OPT","Achieved is lower than theoretical","global","12.5"
"0","7","ridge","127.0.0.1","steps_one","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","WarpStateStats","","","","CPIStallInfo","INF","An informative rule is no advice","global","90"
"1","7","ridge","127.0.0.1","void steps_two<float>(float *)","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","ns","3,000","","","","",""
"1","7","ridge","127.0.0.1","void steps_two<float>(float *)","1","7","(256, 1, 1)","(4, 1, 1)","0","9.0","WarpStateStats","","","","CPIStall","OPT","On average, each warp spends 9.1 cycles being stalled waiting for sibling warps at a CTA barrier","global","60.00"
"2","7","ridge","127.0.0.1","steps_sum","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","GPU Speed Of Light Throughput","Duration","ns","1,000","","","","",""
"2","7","ridge","127.0.0.1","steps_sum","1","7","(256, 1, 1)","(1, 1, 1)","0","9.0","LaunchStats","","","","LaunchConfiguration","OPT","The grid is too small to fill the device","global","99.00"
C
cat >bin/ncu <<'N'
#!/usr/bin/env bash
printf '%s\n' "$*" >>"$WORK/asked.txt"
cat "$WORK/${ANSWER:-sample.csv}"
N
chmod +x bin/ncu
export WORK=$work PATH=$work/bin:$PATH
ncu() { "$root/bench/advice/ncu.py" "$@" --from "$work/list/pairs.tsv" >"$work/said" 2>&1; }

ncu collect csv
pass 'the pairs are profiled' $? said
grep -q -- '--kernel-id ::regex:^(steps_one|steps_sum|steps_two)$:1 ' asked.txt && [ "$(wc -l <asked.txt)" = 1 ]
pass 'the first launch of each kernel of the first variants, in one run' $? asked.txt
grep -q -- "verify $work/list/steps.yaml --device cuda:0 -q --seed 1 --variant one --variant two$" asked.txt
pass 'a GPU gets the sizes of the file' $? asked.txt
ncu collect csv && [ "$(wc -l <asked.txt)" = 1 ]
pass 'what is there is not profiled again' $? said
cp list/steps.yaml list/late.yaml && cp list/steps.yaml list/again.yaml
for name in again late; do printf 'validation\t%s\tn=4\tone\ttwo\t%s\n' $name "$([ $name = late ] && echo chain || echo uncoalesced)"; done >list/more.tsv
"$root/bench/advice/ncu.py" collect --from list/more.tsv --last late more >said 2>&1 && [ "$(cut -d: -f1 said | tr '\n' ' ')" = 'again_default.csv late_default.csv ' ]
pass 'the last come last' $? said
rm -r more && printf 'validation\tsteps\tn=4\tone\ttwo\tuncoalesced\n' >>list/more.tsv
"$root/bench/advice/ncu.py" collect --from list/more.tsv more >said 2>&1 && [ "$(cut -d: -f1 said | tr '\n' ' ')" = 'again_default.csv late_default.csv steps_default.csv ' ]
pass 'a cause that is not there yet comes before one that is' $? said
rm -r more && "$root/bench/advice/ncu.py" collect --from list/more.tsv --together 3 more >said 2>&1 && [ "$(ls more | wc -l)" = 3 ]
pass 'several at once leave the same files' $? said
ncu table csv --results runs
pass 'the table is made' $? said
grep -q '^| steps: one → two | 50 % | uncoalesced | uncoalesced | 45 % | UncoalescedGlobalAccess | 60 % (global) |$' said
pass 'the rule with the largest estimate of the kernel stands beside the first finding, a unit'"'"'s does not' $? said
grep -q '^| steps: two → three | 50 % | barrier | memory | 20 % | CPIStall | 55 % (global) |$' said
pass 'a rule of one kernel counts by its share of the time' $? said
grep -q '^| top 1 names the cause | 50 % | 100 % |$' said && grep -q '^| median error | 60 % | 20 % |$' said
pass 'both are scored alike' $? said

PATH=${PATH#*:} ncu collect other --ncu ncu-that-is-not-here
[ $? = 3 ] && grep -q 'ncu-that-is-not-here is not here' said
pass 'without ncu it says so' $? said
printf '==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n' >denied.csv
ANSWER=denied.csv ncu collect other
[ $? = 3 ] && grep -q "may not read the GPU's counters" said
pass 'without permission it says so' $? said
printf 'nothing\n' >empty.csv
ANSWER=empty.csv ncu collect other
[ $? = 1 ] && grep -q 'no table of ncu: nothing was profiled' said && [ -z "$(ls other)" ]
pass 'an answer without a table is no file' $? said
ncu table other --results runs
[ $? = 2 ]
pass 'nothing to compare is an error' $? said
finish
