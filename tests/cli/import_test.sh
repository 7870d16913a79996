#!/usr/bin/env bash
# ridge import, and what reads the journal afterwards: log, explain, compare, export; against
# tests/cli/golden/import-*.txt. The clock and the chip's figures have no part in what is compared.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need sqlite3
cp "$root"/tests/import/*.csv "$root"/tests/import/*.json "$root"/tests/import/nsys.sqlite .

for file in ncu_raw.csv ncu_details.csv nsys_kernels.csv nsys.sqlite rocprofv3_counters.csv \
    rocprof_stats.csv nvbench.json google_benchmark.json; do
    "$RIDGE" import "$file" 2>>said.txt >>shown.txt || echo "exit status $?" >>said.txt
done
golden import-said <said.txt
"$RIDGE" import ncu_raw.csv --device h200 --as transpose -q >shown.txt
pass 'import with a chip' $? shown.txt
"$RIDGE" log | golden import-log
"$RIDGE" explain 9:transpose | sed -nE 's/^  (limiter: [a-z]+).*/\1/p' | golden import-explain
"$RIDGE" explain 'transpose:ns' 2>&1 | golden import-explain-unknown
"$RIDGE" compare 1:transpose 1:ns::tiled | golden import-compare

# Two runs with enough samples: ten of about 100 us, and ten of half that.
repetitions() {
    local i
    printf '{"context": {}, "benchmarks": ['
    for i in 0 1 2 3 4 5 6 7 8 9; do
        printf '%s{"name": "BM_Copy", "run_type": "iteration", "real_time": %s.%s, "time_unit": "us"}' \
            "${comma-}" "$1" "$i"
        comma=,
    done
    printf ']}\n'
}
(repetitions 100) >slow.json
(repetitions 50) >fast.json
"$RIDGE" import slow.json -q >/dev/null
"$RIDGE" import fast.json -q >/dev/null
"$RIDGE" compare 10 11 | sed -E 's/\([0-9.]+ to [0-9.]+\)/(INTERVAL)/' | golden import-compare-judged
"$RIDGE" compare 10 10 --json >compare.json && grep -q '"verdict": "no difference"' compare.json
pass 'a run compared with itself shows no difference' $? compare.json
"$RIDGE" export 1 --format csv | golden import-export-csv
"$RIDGE" export 1 --format chrome -o trace.json && sqlite3 :memory: \
    "SELECT json_valid(readfile('trace.json'))" | found -x 1
pass 'the trace is JSON' $? trace.json
"$RIDGE" show 1 --json | found '"format": "ncu"'
pass 'where a run was imported from is recorded' $?

expect 'a missing file' 2 import nothing.csv <<'END'
ridge: cannot read 'nothing.csv': No such file or directory; check the path
END
expect 'no variant in common' 2 compare 1 6 <<'END'
ridge: '1' and '6' have no variant on the same case in common: name one of each, as in `ridge compare 1:VARIANT 6:VARIANT`
END
expect 'an unknown export format' 2 export 1 --format xml <<'END'
ridge: option --format: 'xml' is none of json, chrome and csv
END
printf 'ID,Kernel Name,gpu__time_duration.sum\n0,k\n"1' >cut.csv
expect 'a file that was cut off' 2 import cut.csv <<'END'
ridge: cut.csv:3: a quoted field has no closing quote, so the file was cut off or is not CSV: export it again
END
finish
