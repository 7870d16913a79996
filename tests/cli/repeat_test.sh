#!/usr/bin/env bash
# A kernel that works once and not a second time, on the simulated GPU: said before it is timed.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
mkdir tick
cat >tick/k.cu <<'END'
extern "C" __global__ void take(int *out, int *ticket, int n)
{
    __shared__ int block;
    if (threadIdx.x == 0)
        block = atomicAdd(ticket, 1);
    __syncthreads();
    out[block * 64 + threadIdx.x] = 1;
}
extern "C" __global__ void modest(int *out, int *ticket, int n)
{
    __shared__ int block;
    if (threadIdx.x == 0)
        block = atomicAdd(ticket, 1);
    __syncthreads();
    if (block < 4)
        out[block * 64 + threadIdx.x] = 1;
}
END
cat >tick/r.c <<'END'
void ref(int *out, int *ticket, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = 1;
}
END
cat >tick/experiment.yaml <<'END'
experiment: tick
source: k.cu
reference: r.c:ref
params: {N: 256}
buffers:
  out: {type: i32, count: N, output: true}
  ticket: {type: i32, count: 1, fill: constant(0), scratch: true}
variants:
  - {name: take, kernel: take, grid: [4], block: [64], args: [out, ticket, N]}
  - {name: modest, kernel: modest, grid: [4], block: [64], args: [out, ticket, N]}
  - name: reset
    launches:
      - {zero: ticket}
      - {kernel: take, grid: [4], block: [64], args: [out, ticket, N]}
END
"$RIDGE" run tick -q --no-journal --json >out.json 2>stderr.txt
says() { # says NAME VARIANT TEXT
    python3 -c '
import json, sys
r = {x["variant"]: x for x in json.load(open("out.json"))["results"]}[sys.argv[1]]
print(r["error"])
sys.exit(sys.argv[2] not in (r["error"] or "none"))' "$2" "$3" >diff.txt 2>&1
    pass "$1" $? diff.txt
}
need python3
advice="the buffer 'ticket' differs between the two: ticket[0] was 0 when the first began and 4 when the second did; reset it by a step 'zero: ticket' in 'launches', before the kernel"
says 'a kernel whose second run goes out of bounds is not timed' take 'a second run, straight after the first, fails: '
says 'and the buffer that differs is named' take "$advice"
says 'a kernel whose second run is wrong is not timed' modest "a second run, straight after the first, is not right: wrong result: 256 of 256 elements of 'out' were never written"
says 'and the buffer is named too' modest "$advice"
says 'with the buffer reset it is timed' reset none
"$RIDGE" verify tick -q --variant take >stdout.txt 2>diff.txt
pass 'verify, which does not time, takes it' $? diff.txt

finish
