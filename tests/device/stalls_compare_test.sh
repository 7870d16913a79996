#!/usr/bin/env bash
# bench/device/stalls.py holds modelled shares of stalls against sampled ones: what agrees, what does not, what is left out.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need python3
mkdir -p both/sampled both/modelled
result() { # variant, samples, its reasons as JSON
    printf '{"variant": "%s", "case": {"n": 4}, "status": "ok", "note": "no permission", "stalls": %s, "stall_sampling": {"samples": %s}}' "$1" "$3" "$2"
}
shares() { # of long_scoreboard, wait, selected
    printf '{"long_scoreboard": {"value": %s}, "wait": {"value": %s}, "selected": {"value": %s}}' "$@"
}
{
    printf '{"results": [%s, %s, %s, %s]}' "$(result near 5000 "$(shares 600 300 100)")" "$(result far 5000 "$(shares 600 300 100)")" \
        "$(result few 10 "$(shares 600 300 100)")" "$(result none 0 null)"
} >both/sampled/k.json
{
    printf '{"results": [%s, %s, %s, %s]}' "$(result near 0 "$(shares 690 210 100)")" "$(result far 0 "$(shares 720 180 100)")" \
        "$(result few 0 "$(shares 600 300 100)")" "$(result none 0 "$(shares 1 1 1)")"
} >both/modelled/k.json
compare() { "$root/bench/device/stalls.py" compare "$1" >"$work/table" 2>&1; }
compare both
status=$?
[ $status = 1 ]
pass 'half of the kernels are not the goal' $? "$work/table"
grep -q '^| k:near | long_scoreboard 60/69, wait 30/21, selected 10/10 | 9 | yes |$' "$work/table"
pass 'shares within 10 points agree' $? "$work/table"
grep -q '^| k:far | long_scoreboard 60/72, wait 30/18, selected 10/10 | 12 | no |$' "$work/table"
pass 'shares that are further apart do not' $? "$work/table"
grep -q '^| k:few .* few samples |$' "$work/table" && grep -q '^1 of 2 kernels agree: 50 %' "$work/table"
pass 'a kernel of few samples is not judged' $? "$work/table"
grep -q '^not compared: k:none: no samples: no permission$' "$work/table"
pass 'a kernel without samples is named with its reason' $? "$work/table"
mkdir -p none/sampled
compare none
[ $? = 2 ]
pass 'nothing to compare is no agreement' $? "$work/table"
finish
