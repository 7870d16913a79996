#!/usr/bin/env bash
# Each dishonest variant is found out on the simulated GPU, or is as fast there as it is honest: its times are those
# of first launches. The honest one is not accused.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need clang cc
cp "$root"/tests/honesty/* .

# verdict VARIANT WORDS: it is refused in these words.
verdict() {
    "$RIDGE" run experiment.yaml --device sim:h200 --seed 7 -p N=16384 --no-journal -q --plain \
        --variant "$1" >said.txt 2>&1
    [ $? = 1 ] && grep -q "$2" said.txt && ! grep -q "^$1: verified" said.txt
    pass "$1 is refused: $2" $? said.txt
}

"$RIDGE" run experiment.yaml --device sim:h200 --seed 7 -p N=16384 --no-journal -q --plain --variant honest \
    --variant knows-values --variant knows-addresses --variant dawdles >said.txt 2>&1
[ $? = 0 ] && [ "$(grep -c ': verified' said.txt)" = 4 ]
pass 'what is honest in its first launch is verified' $? said.txt
grep -q "the kernel 'dawdles' sleeps or reads a clock" said.txt && [ "$(grep -c 'sleeps or reads' said.txt)" = 1 ]
pass 'a kernel that waits is named' $? said.txt

verdict keeps "results depend on what it ran before"
verdict works-once "results depend on what it ran before"
verdict zeros 'wrong result'
verdict copies 'wrong result'
verdict overwrites "the input 'in' was changed"
verdict reads-beyond "past the end of 'in'"
verdict halves "kernels.cu:[0-9]*: the kernel 'halves' computes in f16 (11 significant bits)"
verdict leaves-out 'were never written'
verdict skips-steps 'it leaves work out'

sed -i 's/{name: halves, /{name: halves, precision: f16, /' experiment.yaml
"$RIDGE" verify experiment.yaml --device sim:h200 --seed 7 -p N=16384 -q --plain --variant halves >said.txt 2>&1
pass 'lower precision that is declared is verified' $? said.txt
sed -i 's/precision: f16/precision: bf16x/' experiment.yaml
"$RIDGE" verify experiment.yaml --device sim:h200 -q --plain --variant halves >said.txt 2>&1
[ $? = 2 ] && grep -q "experiment.yaml:[0-9]*:[0-9]*: unknown precision 'bf16x' (did you mean 'bf16'?)" said.txt
pass 'an unknown precision is an error of the file' $? said.txt
sed -i 's/ precision: bf16x,//; s/rel: 1e-2/abs: 3/' experiment.yaml
"$RIDGE" verify experiment.yaml --device sim:h200 --seed 7 -p N=16384 -q --plain --variant honest >said.txt 2>&1
[ $? = 2 ] && grep -q "zeros would be called right for the output 'out': its tolerance is wider" said.txt
pass 'a tolerance that lets zeros pass is an error of the file' $? said.txt
sed -i 's/abs: 3/abs: 0.5/' experiment.yaml
"$RIDGE" verify experiment.yaml --device sim:h200 --seed 7 -p N=16384 -q --plain --variant honest >said.txt 2>&1
[ $? = 2 ] && grep -q "a copy of the input 'in' would be called right for the output 'out'" said.txt
pass 'so is one that lets a copy of an input pass' $? said.txt

finish
