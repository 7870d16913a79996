#!/usr/bin/env bash
# The programs that make docs/peers-*.md and docs/journeys of runs: rows of other days stay, a later run replaces an
# earlier one and never the other way around, each row keeps its day and driver, each page its command too, and what
# cannot be read is said, with what was there left as it was.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need python3 jq
table() { python3 "$root/bench/peers/table.py" "$@"; }
journeys() { python3 "$root/bench/device/journeys.py" "$@"; }

# result VARIANT MICROSECONDS: of the case N=1, verified
result() {
    jq -cn --arg v "$1" --argjson t "$2" '{variant: $v, case_label: "N=1", verified: true, hypothesis: "why",
        time_ns: {median: ($t * 1000), low: ($t * 990), high: ($t * 1010)}, throughput_gbps: 100, floor_ns: 500,
        expectations: [{what: "time", expected: "-50%", actual: "-40%", verdict: "missed"}]}'
}

# run EXPERIMENT DAY RESULT...: what `ridge show --json` prints of it, as far as the programs look
run() {
    local experiment=$1 day=$2
    shift 2
    printf '%s\n' "$@" | jq -s --arg e "$experiment" --arg d "$day" '{experiment: $e, started: ($d + "T10:00:00Z"),
        device: {name: "GPU A"}, cache: "cold", command: ("ridge run " + $e + " of " + $d), results: .}'
}

# folder NAME DRIVER
folder() { mkdir -p "$1" && echo "$2" >"$1/driver.txt"; }

# refused PROGRAM-STATUS TEXT FILE: it failed, and said so in a line without a traceback
refused() { (($1 != 0)) && grep -qF -- "$2" "$3" && ! grep -q Traceback "$3"; }

# ---- bench/peers/table.py ----
folder first 1.0
folder second 2.0
folder third 3.0
run scan 2026-01-01 "$(result fast 10)" "$(result cub 12)" >first/peers-scan.json
run sum 2026-01-01 "$(result quick 5)" "$(result cub 10)" >first/peers-sum.json
table first/peers-*.json >table1.md 2>err.txt
status=$?
cat >want.txt <<'EOF'
| scan | N=1 | fast | 10.00 (9.90 to 10.10) | 100 | cub | 12.00 (11.88 to 12.12) | 1.20x | 2026-01-01 | 1.0 |
| sum | N=1 | quick | 5.00 (4.95 to 5.05) | 100 | cub | 10.00 (9.90 to 10.10) | 2.00x | 2026-01-01 | 1.0 |
EOF
grep '^| s' table1.md | diff -u want.txt - >diff.txt && ((status == 0)) && grep -q '^Device: GPU A\. .*Command: `KINDS=peers' table1.md
pass 'a table has the figures, the day and the driver of each row' $? diff.txt

run sum 2026-01-02 "$(result quick 4)" "$(result cub 10)" >second/peers-sum.json
table --keep table1.md second/peers-sum.json >table2.md 2>err.txt
status=$?
cat >want.txt <<'EOF'
| scan | N=1 | fast | 10.00 (9.90 to 10.10) | 100 | cub | 12.00 (11.88 to 12.12) | 1.20x | 2026-01-01 | 1.0 |
| sum | N=1 | quick | 4.00 (3.96 to 4.04) | 100 | cub | 10.00 (9.90 to 10.10) | 2.50x | 2026-01-02 | 2.0 |
EOF
grep '^| s' table2.md | diff -u want.txt - >diff.txt && ((status == 0))
pass 'a later row replaces the earlier one, and rows of other days keep their day and driver' $? diff.txt

table --keep table2.md first/peers-sum.json >table3.md 2>err.txt && cmp table2.md table3.md >diff.txt 2>&1
pass 'an earlier run does not replace a later row' $? diff.txt
table second/peers-sum.json first/peers-*.json 2>err.txt | grep '^| s' | diff -u want.txt - >diff.txt
pass 'of two runs of one experiment the later counts, whatever their order' $? diff.txt

sed -E 's/ \| ([a-z]+|1\.0) \|$/ |/; s/\. Caches/. Driver: 0.9. Caches/; s/---\|---\|$/---|/' table1.md >old.md
table --keep old.md third/../second/peers-sum.json 2>err.txt | grep '^| scan' >got.txt
grep -q '| 2026-01-01 | 0.9 |$' got.txt
pass 'rows of a table that names its driver above take that' $? got.txt

run sum 2026-01-03 "$(result quick 4)" | jq '.device.name = "GPU B"' >third/peers-sum.json
table --keep table1.md third/peers-sum.json >out.txt 2>err.txt
refused $? 'runs of several devices (GPU A, GPU B)' err.txt && [[ ! -s out.txt ]]
pass 'rows of two devices make no table' $? err.txt

echo '{"experiment": ' >broken.json
table --keep table1.md broken.json >out.txt 2>err.txt
refused $? 'broken.json:2: not JSON' err.txt && [[ ! -s out.txt ]]
pass 'a table of what is not JSON is refused' $? err.txt
jq 'del(.results[0].time_ns.low)' first/peers-sum.json >broken.json
table --keep table1.md first/peers-scan.json broken.json >out.txt 2>err.txt
refused $? 'broken.json: not what `ridge show EXPERIMENT --json` prints' err.txt && [[ ! -s out.txt ]]
pass 'a table of a run that lacks a time is refused' $? err.txt
table missing.json >out.txt 2>err.txt
refused $? 'missing.json: No such file' err.txt
pass 'a table of a file that is not there is refused' $? err.txt
: >empty.md # as `--keep x.md … >x.md` leaves it
table --keep empty.md first/peers-sum.json >out.txt 2>err.txt
refused $? 'empty.md has no table of this program' err.txt && [[ ! -s out.txt ]]
pass 'an earlier table that is empty is refused' $? err.txt
table --keep >out.txt 2>err.txt
refused $? '--keep needs the file' err.txt
pass '--keep without a file is refused' $? err.txt
table --keep table1.md >out.txt 2>err.txt
refused $? 'no file: give what' err.txt
pass 'a table of no file is refused' $? err.txt

# errors MAX_ULP RMS: of a result
errors() { jq -c --argjson u "$1" --argjson r "$2" '. + {errors: {max_ulp: $u, rms_relative: $r}}'; }
for ulp in 1 2; do
    run sum 2026-01-04 "$(result rough 3 | errors $ulp 2e-7)" "$(result fine 4 | errors 0 0)" "$(result cub 10 | errors 0 0)" >rough.json
    table rough.json 2>err.txt | grep '^| sum' | cut -d ' ' -f 6 >>rough.txt
done
[[ $(tr '\n' ' ' <rough.txt) == 'rough fine ' ]]
pass 'a variant that is rougher than the library is left out, one whose last bit differs is not' $? rough.txt

# The table that is shipped is one of this program, whole.
run nothing 2026-01-01 | jq '.device.name = "NVIDIA H200" | .results = []' >nothing.json
table --keep "$root/docs/peers-h200.md" nothing.json 2>err.txt | diff -u "$root/docs/peers-h200.md" - >diff.txt
pass 'docs/peers-h200.md goes through unchanged' $? diff.txt

# ---- bench/device/journeys.py ----
# journey FOLDER EXPERIMENT DAY MICROSECONDS
journey() {
    run "$2" "$3" "$(result naive "$4")" >"$1/journey-$2.json"
    printf '# %s\n\nDevice: GPU A (cuda:0). Date: %sT10:00:00Z. Caches: cold.\n\nwords of %s\n' "$2" "$3" "$3" >"$1/journey-$2.md"
}
journey first scan 2026-01-01 10
journey first sum 2026-01-01 5
journeys gpu first -o pages >out.txt 2>&1
status=$?
cat >want.txt <<'EOF'
| [scan](scan-gpu.md) | N=1 | naive | 10.0 | 9.9 to 10.1 | 100 | 5 % |
| [sum](sum-gpu.md) | N=1 | naive | 5.0 | 5.0 to 5.0 | 100 | 10 % |
EOF
sed -n '/^## Times/,/^## Not/p' pages/README.md | grep '^| \[' | diff -u want.txt - >diff.txt && ((status == 0)) &&
    grep -qF 'Date: 2026-01-01T10:00:00Z. Caches: cold. Driver: 1.0. Command: `ridge run sum of 2026-01-01`.' pages/sum-gpu.md
pass 'journeys have a page each, with day, driver and command, and a row each' $? diff.txt
cp pages/scan-gpu.md scan-was.md

journey second sum 2026-01-02 4
journeys gpu second -o pages >out.txt 2>&1
status=$?
sed -i 's/| 5.0 | 5.0 to 5.0 | 100 | 10 % |/| 4.0 | 4.0 to 4.0 | 100 | 12 % |/' want.txt
sed -n '/^## Times/,/^## Not/p' pages/README.md | grep '^| \[' | diff -u want.txt - >diff.txt && ((status == 0)) &&
    cmp scan-was.md pages/scan-gpu.md && grep -q '^Of 2 expectations.* 0 held and 2 failed' pages/README.md &&
    grep -qF 'Date: 2026-01-02T10:00:00Z. Caches: cold. Driver: 2.0. Command: `ridge run sum of 2026-01-02`.' pages/sum-gpu.md
pass 'a later journey replaces the earlier one, the others keep page and rows' $? diff.txt

cp -r pages was
journeys gpu first -o pages >out.txt 2>&1 && grep -q 'sum-gpu.md stays: it is later' out.txt && diff -r was pages >diff.txt
pass 'an earlier journey does not replace a later one' $? diff.txt
journeys gpu second first -o both >out.txt 2>&1 && diff -r was both >diff.txt
pass 'of two folders the later journey counts' $? diff.txt

# unchanged NAME TEXT: the program fails with that text, and what was there is as it was
unchanged() {
    journeys gpu third -o pages >out.txt 2>&1
    refused $? "$2" out.txt && diff -r was pages >diff.txt
    pass "$1" $? out.txt
}
journey third sum 2026-01-03 3
cp third/journey-sum.json whole.json
echo '{"experiment": ' >third/journey-sum.json
unchanged 'a journey that is not JSON is refused, and the pages stay' 'journey-sum.json:2: not JSON'
jq 'del(.started)' whole.json >third/journey-sum.json
unchanged 'a journey without its time is refused, and the pages stay' 'journey-sum.json: not what `ridge show --json` prints: no started'
jq 'del(.results[0].case_label)' whole.json >third/journey-sum.json
unchanged 'a journey whose results lack something is refused, and the pages stay' 'a result lacks what'
cp whole.json third/journey-sum.json
echo '# sum' >third/journey-sum.md
unchanged 'a page without its device is refused, and the pages stay' "journey-sum.md: no line 'Device"
rm third/journey-sum.md
unchanged 'a journey without its page is refused, and the pages stay' 'journey-sum.md: No such file'
rm third/journey-sum.json
unchanged 'a folder without journeys is refused, and the pages stay' 'no journey-*.json in third'
journeys gpu >out.txt 2>&1
refused $? 'usage: journeys.py CHIP FOLDER' out.txt
pass 'journeys of no folder are refused' $? out.txt

# ---- bench/sanitizer/course.py ----
sanitizer() { python3 "$root/bench/sanitizer/course.py" "$@"; }
mkdir -p old new
cat >old/sanitizer.txt <<'EOF'
memcheck scan:  1 ERROR SUMMARY: 0 errors 9 verified, 0 not
racecheck scan:  1 RACECHECK SUMMARY: 5 hazards displayed (7 errors, 2 warnings) 9 verified, 0 not
memcheck sum:  1 ERROR SUMMARY: 507 errors were not printed. Use --print-limit option to adjust the number of printed errors 1 ERROR SUMMARY: 512 errors 4 verified, 1 not
EOF
echo 2026-01-01 >old/date.txt
echo 1.0 >old/driver.txt
echo 'memcheck planted:  1 ERROR SUMMARY: 2 errors' >old/planted.txt
cat >want.txt <<'EOF'
| scan | 9 | 0 | 9 | not run | not run | 2026-01-01 | 1.0 |
| sum | 4, 1 not | 512 | not run | not run | not run | 2026-01-01 | 1.0 |
EOF
sanitizer old/sanitizer.txt >page.md 2>err.txt && grep '^| s' page.md | diff -u want.txt - >diff.txt && grep -q '1 of 8 runs report nothing, 2 something' page.md &&
    grep -q '^- memcheck planted:  1 ERROR SUMMARY: 2 errors' page.md
pass 'a finding of the sanitizer is counted once, printed or not' $? diff.txt
{
    echo 'racecheck scan:  1 RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings) 9 verified, 0 not'
    echo 'memcheck scan: 0 verified, 0 not'
} >new/sanitizer.txt
echo 2026-01-02 >new/date.txt
echo 2.0 >new/driver.txt
sed -i 's/^| scan .*/| scan | 9 | did not end | 0 | not run | not run | 2026-01-02 | 2.0 |/' want.txt
sanitizer --keep page.md new/sanitizer.txt >page2.md 2>err.txt && grep '^| s' page2.md | diff -u want.txt - >diff.txt && grep -q '^- memcheck planted' page2.md &&
    grep -q '1 of 8 runs report nothing, 1 something; in 1 the tool did not end' page2.md
pass 'a later run replaces its rows, and the others keep their day' $? diff.txt
mkdir -p again && cp new/date.txt new/driver.txt again/
echo 'memcheck scan:  1 ERROR SUMMARY: 0 errors 9 verified, 0 not' >again/sanitizer.txt
sed -i 's/^| scan .*/| scan | 9 | 0 | 0 | not run | not run | 2026-01-02 | 2.0 |/' want.txt
sanitizer --keep page2.md again/sanitizer.txt >page3.md 2>err.txt && grep '^| s' page3.md | diff -u want.txt - >diff.txt
pass 'a tool that ran again leaves what the others found on that day' $? diff.txt
echo nothing >new/sanitizer.txt
sanitizer new/sanitizer.txt >out.txt 2>&1
refused $? "new/sanitizer.txt: no line of course.sh's" out.txt
pass 'a file without runs is refused' $? out.txt

# ---- scripts/technique-journeys ----
mkdir -p tree/scripts tree/docs/journeys tree/docs/techniques
cp "$root/scripts/technique-journeys" tree/scripts/
for name in sum sum-steps; do
    day=2026-01-0$((${#name} / 3)) # 1 and 3
    echo "| [$name]($name-h200.md) | N=1 | fast | 4.0 | 3.9 to 4.1 | 100 | 50 % |"
    echo "Device: NVIDIA GPU A (cuda:0). Date: ${day}T10:00:00Z. Caches: cold. Driver: 1.0." >"tree/docs/journeys/$name-h200.md"
done >tree/docs/journeys/README.md
printf '<!-- journey sum : fast -->\n<!-- end of journey -->\n<!-- journey sum-steps : fast -->\n<!-- end of journey -->\n' >tree/docs/techniques/a.md
python3 tree/scripts/technique-journeys >out.txt 2>&1 && grep -o '^\[.*caches' tree/docs/techniques/a.md >got.txt
cat >want.txt <<'EOF'
[`sum`](../journeys/sum-h200.md), N=1: measured on an GPU A, driver 1.0, 2026-01-01, caches
[`sum-steps`](../journeys/sum-steps-h200.md), N=1: measured on an GPU A, driver 1.0, 2026-01-03, caches
EOF
diff -u want.txt got.txt >diff.txt
pass 'the table of a technique has the day of its own journey' $? diff.txt
finish
