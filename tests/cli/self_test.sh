#!/usr/bin/env bash
# `verify: self`: without a reference, a variant's runs are compared with each other, on the simulated GPU.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang python3

mkdir own
cat >own/k.cu <<'END'
extern "C" __global__ void twice(float *y, const float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = 2 * x[i]; }
extern "C" __global__ void last(float *y, const float *x) { for (int i = threadIdx.x; i < 512; i += blockDim.x) y[i] = x[i] + blockIdx.x; }
extern "C" __global__ void half(float *y, const float *x) { if (blockIdx.x < 2) twice_at: y[blockIdx.x * blockDim.x + threadIdx.x] = 2 * x[0]; }
extern "C" __global__ void none(float *y, const float *x) {}
END
sed -i 's/twice_at: //' own/k.cu
fresh() { # KERNEL
    cat >own/experiment.yaml <<END
experiment: own
source: k.cu
verify: self
params: {N: 512}
buffers:
  x: {type: f32, count: N, fill: "uniform(1,2)"}
  y: {type: f32, count: N, output: true}
variants:
  - {name: first, kernel: $1, grid: N/128, block: 128, args: [y, x]}
END
}
says() { # NAME STATUS WORDS [ARGUMENT...]
    "$RIDGE" verify own --device sim:h200 -q --plain "${@:4}" >said.txt 2>&1
    (($? == $2)) && tr '\n' ' ' <said.txt | tr -s ' ' | found -F -- "$3"
    pass "$1" $? said.txt
}

fresh twice
says 'runs that agree are reported as that' 0 'not compared with a reference'
says 'with the runs that there were' 0 'blocks in order and in reverse order'
! grep -q verified said.txt
pass 'and not as verified' $? said.txt
"$RIDGE" run own --device sim:h200 -q --json --no-journal >said.json 2>said.txt
python3 -c '
import json
r = json.load(open("said.json"))["results"][0]
assert r["verified"] is None and "reverse order" in r["self_check"] and r["time_ns"], r' >>said.txt 2>&1
pass 'the JSON holds it apart from what is verified' $? said.txt
"$RIDGE" run own --device sim:h200 -q --no-journal >said.txt 2>&1
grep -q 'first .* rep ' said.txt && grep -q 'not compared with a reference' said.txt
pass 'the report too' $? said.txt
fresh last
says 'a result that depends on the order of blocks is not the same' 1 'not the same in a further run, with its blocks in reverse order: wrong result: y['
fresh half
says 'an output that nobody writes is wrong' 1 "256 of 512 elements of 'y' were never written"
edit own/experiment.yaml 's/output: true/output: true, written: some/'
says 'unless that is declared' 0 'the same in'
fresh none
says 'a kernel that does nothing is wrong' 1 'no output was changed'
"$RIDGE" verify own --device sim:h200 -q --compiler nvrtc >said.txt 2>&1
if grep -q 'no output was changed' said.txt; then
    fresh twice
    says 'another compiler is asked too' 0 'compiled by NVRTC'
    cat >>own/k.cu <<'END'
extern "C" __global__ void told(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef __clang__
    y[i] = x[i];
#else
    y[i] = x[i] + 1;
#endif
}
END
    fresh told
    says 'and what it makes of the kernel compared' 1 'not the same in a further run, compiled by NVRTC'
else
    echo 'skip - another compiler is asked too: NVRTC is not here'
fi
fresh twice
edit own/experiment.yaml 's/^verify: self/verify: twice/'
expect 'another word is refused' 2 verify own -q <<'END'
ridge: own/experiment.yaml:3:9: 'verify' must be self, not 'twice'
    verify: twice
            ^
END
edit own/experiment.yaml 's/^verify: twice/verify: self\nreference: {variant: first}/'
says 'with a reference it has no place' 2 "'verify: self' is for experiments without a reference"
edit own/experiment.yaml 's/^reference:.*//; s/, output: true/, scratch: true/'
says 'something must be compared' 2 "there is 'verify: self', but no buffer has 'output: true'"
finish
