#!/usr/bin/env bash
# What a person sees: on a terminal (script makes one) a live line, colours, and the width that is there;
# with --plain a fact per line, ASCII, nothing drawn; in a pipe neither line nor colours.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need cc clang script
script -qec true /dev/null >/dev/null 2>&1 || { echo 'no pseudo-terminals here (/dev/pts)'; exit 77; }
stage scale
edit scale/experiment.yaml 's/source: scale.cu/source: scale.ptx/'
unset COLUMNS NO_COLOR
escape=$(printf '\033')

on_terminal() { # COLUMNS ARGUMENT...
    TERM=xterm script -qec "stty cols $1; $RIDGE run scale --seed 1 --no-journal -p N=4096 ${*:2}" /dev/null
}
on_terminal 80 >tty80.txt
on_terminal 130 >tty130.txt
on_terminal 80 --plain >plain.txt
widest() { # of the report, without colours and live lines
    sed -E "s/$escape\\[[0-9;]*[mK]//g; s/\r\$//; s/.*\r//" "$1" | wc -L
}
grep -q "$escape\[K" tty80.txt
pass 'a live line on a terminal' $?
grep -q "$escape\[1m" tty80.txt
pass 'colours on a terminal' $?
(($(widest tty80.txt) <= 80))
pass '80 columns are enough' $?
(($(widest tty130.txt) > 80 && $(widest tty130.txt) <= 130))
pass 'wider terminals are used' $?
! grep -q "$escape" plain.txt
pass '--plain: no colours, no live line' $? plain.txt
! LC_ALL=C grep -q '[^ -~[:cntrl:]]' plain.txt
pass '--plain: ASCII only' $?
grep -q '^plain: verified, compared with the reference' plain.txt && ! grep -qE '  |---' plain.txt
pass '--plain: nothing aligned or drawn' $?
"$RIDGE" run scale --seed 1 --no-journal -p N=4096 >piped.txt 2>&1
! grep -q -e "$escape" piped.txt
pass 'nothing of it in a pipe' $?
"$RIDGE" run scale --seed 1 --no-journal -q -p N=4096 --plain |
    sed -E '/^[a-z]+: (throughput|of the floor|occupancy|finding|fix|gain|limiter|faster|slower|no difference|modelled time)/d
        s/time [0-9.]+ .s/time TIME/; s/^(Stop rule|Fastest|Limited by|Next step): .*/\1: WORD/' | golden plain

# Every command that draws or lines up.
"$RIDGE" run scale --seed 1 -q -p N=4096 >/dev/null
"$RIDGE" annotate scale:plain --plain | sed -n 's/, lanes.*//; /instructions/p' | golden plain-annotate
"$RIDGE" occupancy --plain | grep '^threads per block' | head -n 2 | golden plain-occupancy
for words in 'show' 'explain scale' 'annotate scale:plain' 'occupancy' 'compare 1 1' 'devices' 'log' \
    'report --text' 'report --compare --text 1 1'; do
    # shellcheck disable=SC2086
    "$RIDGE" $words --plain >plain.txt 2>&1 && ! LC_ALL=C grep -q '[^ -~[:cntrl:]]' plain.txt &&
        ! grep -qE -e "$escape|---|\\|  *[0-9]+ \\|" plain.txt
    pass "--plain: $words" $? plain.txt
done
finish
