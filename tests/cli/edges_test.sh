#!/usr/bin/env bash
# The edges of the host: small stacks, references that write beside their outputs, kernels that print
# without measure, shapes that a variant cannot have.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage scale
fresh() { rm -rf x && cp -r scale x; }

(
    ulimit -s 64
    expect 'a stack too small is said' 3 devices <<'END'
ridge: the stack is limited to 64 KiB (ulimit -s), and ridge needs 1024: raise it with `ulimit -s 8192`
END
    finish
) || failures=1

fresh
edit x/reference.c 's/i < N; i/i <= N; i/'
expect 'a reference that writes past its output is found' 2 run x --no-journal -q --param N=4096 <<'END'
ridge: the reference 'scale_ref' (WORK/x/reference.c) crashed its process (Segmentation fault)
  it gets the arguments of variant 'strided', where 'reference' names none of its own: check that its parameters are these, in this order, and that it stays inside its outputs
  in case N=4096
END
fresh
edit x/reference.c 's/int i = 0;/int i = -1;/'
"$RIDGE" run x --no-journal -q --param N=4096 >stdout.txt 2>stderr.txt
(($? == 2)) && grep -q 'stays inside its outputs' stderr.txt
pass 'and one that writes before it' $? stderr.txt

fresh
edit x/scale.cu 's/(.*int i = blockIdx.x.*)/\1 if (i == 0) printf("%999999999d|%.888888888d|%*d\\n", 1, 2, 999999999, 3);/'
edit x/scale.cu '1i #include <stdio.h>'
timeout 100 "$RIDGE" run x --no-journal -q --param N=4096 --variant plain --json >stdout.txt 2>stderr.txt
pass 'a width without measure in printf takes no time' $? stderr.txt
(($(wc -c <stdout.txt) < 100000)) && grep -q '"printed"' stdout.txt
pass 'and no memory' $? stderr.txt

fresh
edit x/experiment.yaml '/requires: cc/d'
edit x/experiment.yaml 's/^( *)kernel: /\1requires: N % 4096 == 0\n\1kernel: /; s/grid: \[ceil_div\(N,256\)\]/grid: [N\/256 - 1 + N%256*0]/'
"$RIDGE" run x --no-journal -q --json --param N=256 --variant plain >stdout.txt 2>stderr.txt
grep -q 'requires N % 4096 == 0, which does not hold for N=256 on sim:h200' stdout.txt
pass "a case that 'requires' leaves out is not asked for its grid" $? stdout.txt

"$RIDGE" run "$root/experiments/vector" --device sim:a100 --no-journal -q --param n=1024 >stdout.txt 2>stderr.txt
tr '\n' ' ' <stdout.txt | found "no time is modelled: the file of sim:a100 has no figure '"
pass 'a chip without the figures of the time model is said to have none' $? stdout.txt

for n in 1 2 3 5; do
    "$RIDGE" run "$root/experiments/vector" --no-journal -q --param n=$n >stdout.txt 2>stderr.txt
    pass "the shipped vector experiment at n=$n" $? stdout.txt
done

mkdir -m 000 shut
if ((EUID != 0)); then
    expect 'a folder without permission is said' 2 run shut <<'END'
ridge: cannot look into the folder 'shut': Permission denied; check the permissions of the folder (it needs r and x)
END
fi
TERM=dumb script -qec "$RIDGE verify scale --param N=4096 --no-color" /dev/null </dev/null >/dev/null 2>&1 &&
    ! env -u NO_COLOR TERM=dumb script -qec "$RIDGE verify scale --param N=4096" /dev/null </dev/null 2>/dev/null | found $'\033'
status=$?
if command -v script >/dev/null; then pass 'TERM=dumb gets no escapes' $status; fi

finish
