#!/usr/bin/env bash
# Every shipped experiment on the simulated H200, on a small case: the whole terminal output (times, limiters,
# verdicts, findings, expectations, roofline) and all counters against tests/shipped/*.txt, nothing masked but the
# date. The kernels are committed PTX (scripts/golden), so that no compiler matters. `make golden` writes anew.
#   tests/shipped/golden_test.sh [NAME...]
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
shipped=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$shipped/../cli/support.sh"
need cc awk sha256sum
golden=$root/scripts/golden
mapfile -t all < <(awk '!/^#/ { print $1 }' "$shipped/cases")

diff <(cd "$root/experiments" && ls -d -- */ | tr -d / | grep -vx common | sort) <(printf '%s\n' "${all[@]}" | sort) >diff.txt
pass 'every shipped experiment has a golden run' $? diff.txt

# All figures of each result, one per line: those that are not zero, six digits of those that are not whole.
counters() { # JOURNAL
    "$RIDGE" export --format csv --journal "$1" | awk -F, 'NR > 1 {
        gsub(/"/, "")
        if ($4 != last) print (last == "" ? "" : "\n") $4
        last = $4
        if ($7 != 0) printf "  %s " ($7 ~ /^-?[0-9]+$/ ? "%s" : "%.6g") " %s\n", $6, $7, $8 }'
}

one() { # NAME: its output
    local -a options
    read -ra options < <(awk -v name="$1" '$1 == name { $1 = ""; print }' "$shipped/cases")
    "$golden" stage "$1" "$PWD" &&
        "$RIDGE" run "$1" --device sim:h200 --seed 1 -v --journal "$1.db" "${options[@]}" 2>&1 | mask &&
        echo && echo 'All counters' && counters "$1.db"
}

for name in "${@:-${all[@]}}"; do
    "$golden" sources "$name" | diff -u "$shipped/$name/sources" - >diff.txt
    pass "the PTX of $name is of today's sources (else: make golden)" $? diff.txt
    one "$name" >got.txt
    grep -E ': (FAILED|WRONG)|^ridge: ' got.txt >failed.txt
    pass "no variant of $name fails" $((! $?)) failed.txt
    grep -q '^Stop rule: ' got.txt
    pass "the run of $name comes to its end" $? got.txt
    [[ ${GOLDEN-} != write ]] || cp got.txt "$shipped/$name.txt"
    diff -u "$shipped/$name.txt" got.txt >diff.txt
    pass "golden run of $name" $? diff.txt
done
finish
