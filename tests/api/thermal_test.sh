#!/usr/bin/env bash
# examples/thermal: three intensities that do the same job, and a program that leaves full intensity when the chip seems
# to be slowed down.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc clang jq
build=$(cd "$(dirname "$RIDGE")" && pwd)
cp -r "$root/examples/thermal" .
"$RIDGE" run thermal --device sim:h200 --no-journal --json -q >out.json 2>err.txt
pass 'the three intensities are run' $? err.txt
jq -e '.results | length == 3 and all(.verified)' out.json >/dev/null
pass 'and right' $? out.json
"$RIDGE" tune thermal --device sim:h200 -q >out.txt 2>err.txt
pass 'they are tuned' $? err.txt
if plain_library; then
    cc -std=c99 -Wall -Wextra -Werror -pedantic thermal/main.c -I"$root/include" -L"$build" -lridge -lm \
        -Wl,-rpath,"$build" -o program >cc.txt 2>&1
    pass 'the program builds by plain cc' $? cc.txt
    ./program sim:h200 thermal/kernels.cu 30 1 64 >out.txt 2>&1
    pass 'it runs' $? out.txt
    sed -E 's/[0-9.]+ us/TIME/' out.txt | diff - <(printf 'run 0: full\n1 choices\nfull: 30 passes, TIME\n') >diff.txt
    pass 'full intensity stays as long as it takes what was promised' $? diff.txt
    ./program sim:h200 thermal/kernels.cu 30 20 64 >out.txt 2>&1
    pass 'with a chip that seems slowed down it runs, too' $? out.txt
    grep -Eq '^run [0-9]+: (bursts|half)$' out.txt
    pass 'and a lower intensity is chosen' $? out.txt
    [[ $(jq -r .why "$RIDGE_HOME/choices.jsonl" | tail -n 1) != first ]]
    pass 'which its log says' $? "$RIDGE_HOME/choices.jsonl"
else
    echo 'skip - the program builds by plain cc: the library has a sanitizer'
fi
finish
