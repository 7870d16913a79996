#!/usr/bin/env bash
# References written in Python, on the simulated GPU. Without NumPy only that is tested.
# run-early: one of its references has 15 s to end.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang python3

fresh() { # FUNCTION: its lines are on standard input
    rm -rf own calls.txt
    mkdir own
    cat >own/k.cu <<'END'
extern "C" __global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
struct pair { const unsigned short *x; float a; };
extern "C" __global__ void brains(unsigned short *y, struct pair p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned bits = __float_as_uint(p.a * __uint_as_float((unsigned)p.x[i] << 16));
    y[i] = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}
END
    cat >own/experiment.yaml <<END
experiment: own
source: k.cu
reference: ref.py:$1
params: {N: 512}
buffers:
  x: {type: f32, count: N, fill: "uniform(1,2)"}
  y: {type: f32, count: N, output: true}
variants:
  - {name: first, kernel: scale, grid: N/128, block: 128, args: [y, x, 1.5, N]}
END
    cat >own/ref.py
}
verified() { # NAME [OPTION...]
    timeout 300 "$RIDGE" verify own --device sim:h200 -q --plain "${@:2}" >said.txt 2>&1 && grep -q 'first  verified' said.txt
    pass "$1" $? said.txt
}
refused() { # NAME STATUS WORDS [OPTION...]
    timeout 300 "$RIDGE" verify own --device sim:h200 -q --plain "${@:4}" >said.txt 2>&1
    (($? == $2)) && tr '\n' ' ' <said.txt | tr -s ' ' | found -F -- "$3"
    pass "$1" $? said.txt
}
calls() { wc -l <calls.txt; }
plain='def scale(y, x, a, n):
    y[:n] = np.float32(a) * x[:n]'

fresh scale <<<"import numpy as np
$plain"
"$RIDGE" verify own --device sim:h200 -q >said.txt 2>&1
if grep -q 'has no NumPy' said.txt; then
    refused 'that NumPy is missing is said, and what to do' 3 'apt install python3-numpy, or write the reference in C'
    finish
fi
verified 'a function that writes its output'
[[ ! -e own/__pycache__ ]]
pass 'leaves nothing beside it' $?
fresh scale <<<'import numpy as np
def scale(y, x, a, n):
    return a * x.astype(np.float64)'
verified 'a function that returns its output, in a wider type'
fresh scale <<<'def scale(y, x, a, n):
    return x[1:]'
refused 'a returned array of another size is refused' 2 "ref.py: the reference 'scale': it returns 511 elements for 'y', which has 512"
fresh scale <<<'def scale(y, x, a, n):
    return x, y'
refused 'so are more values than outputs' 2 'it returns 2 values, and there are 1 outputs among its arguments'
fresh scale <<<'def scale(y, x, a, n):
    y[:] = x'
refused 'a result that differs is wrong' 1 'wrong result'
fresh brains <<<'def brains(y, p, n):
    x, a = p
    assert str(x.dtype) == "float32" and n == 512
    return a * x'
edit own/experiment.yaml 's/type: f32/type: bf16/; s/kernel: scale/kernel: brains/; s/args: .*/args: [y, {struct: [x, f32 1.5]}, N]}/'
verified 'bf16 is given as float32 and rounded; a struct is a tuple'
fresh scale <<<'import numpy as np
def scale(y, x, a, n):
    helper(n)
def helper(n):
    raise ValueError("no such size: %d" % n)'
refused 'what it raises is told with its place' 2 "own/ref.py:5: the reference 'scale': ValueError: no such size: 512"
fresh scale <<<'import numpy as np
def scale(y, x, a, n)
    pass'
refused 'a file that is no Python is told with its place' 2 'own/ref.py:2: the reference is no Python'
fresh scales <<<"import numpy as np
$plain"
refused 'a function that is not there lists what is' 2 "it has no function 'scales'; it has: scale"
fresh scale <<<'import sys
def scale(y, x, a, n):
    y[:] = a * x
    sys.exit(0)'
refused 'one that ends its process has not returned' 2 'ended its process before it returned (exit status 0)'
fresh scale <<<'import os
def scale(y, x, a, n):
    y[:] = a * x
    os.kill(os.getpid(), 11)'
refused 'a crash is told' 2 'by signal 11 (Segmentation fault)'
fresh scale <<<'def scale(y, x, a, n):
    y[1:] = a * x[1:]'
refused 'an element that it leaves is told' 2 "leaves 1 of 512 elements of the output 'y' unwritten"
fresh scale <<<'def scale(y, x, a, n):
    pass'
refused 'a function that does nothing is told' 2 'leaves 512 of 512 elements'
fresh scale <<'END'
import os, subprocess, time
def scale(y, x, a, n):
    child = subprocess.Popen(["sleep", "300"])
    with open("../pids.txt", "w") as file:
        file.write("%d %d" % (os.getpid(), child.pid))
    time.sleep(300)
END
refused 'one that does not end is stopped' 2 'did not end within 15 s' --timeout 15
alive() { # PID...: any of these runs
    local pid
    for pid; do grep -qs '^State:\s[^ZX]' "/proc/$pid/status" && return; done
    return 1
}
read -ra pids <pids.txt
for ((i = 0; i < 1000; i++)); do
    alive "${pids[@]}" || break
    sleep 0.02
done
((${#pids[@]} == 2)) && ! alive "${pids[@]}"
pass 'with all that it started' $? pids.txt
edit own/experiment.yaml 's/^reference: .*/reference: {call: "ref.py:scale", args: [y, x, 1.5, N], parallel: N}/'
refused 'rows apart are for C' 2 "'parallel' is for references in C"

# ---- kept outputs ----
fresh scale <<<'import time, factor
import numpy as np
def scale(y, x, a, n):
    with open("../calls.txt", "a") as file:
        file.write("called\n")
    time.sleep(0.7)
    y[:] = np.float32(a) * x * np.float32(factor.one) * np.fromfile("ones.bin", np.float32)'
echo 'one = 1' >own/factor.py
python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<512f", *[1] * 512))' >own/ones.bin
verified 'a slow reference' --seed 1
verified '... and again on the same data' --seed 1
[[ $(calls) == 1 ]]
pass 'its output is kept' $? calls.txt
verified '... and on others' --seed 2
[[ $(calls) == 2 ]]
pass 'for the same data only' $? calls.txt
echo 'one = 1.0' >own/factor.py
verified '... with another module beside it' --seed 1
[[ $(calls) == 3 ]]
pass 'and the same modules' $? calls.txt
touch own/ones.bin
verified '... with the same file' --seed 1
[[ $(calls) == 3 ]]
pass 'by content' $? calls.txt
printf '\0\0\0\0' | dd of=own/ones.bin conv=notrunc status=none
refused '... with another file that it reads' 1 'wrong result' --seed 1
[[ $(calls) == 4 ]]
pass 'and the same files' $? calls.txt
finish
