#!/usr/bin/env bash
# An experiment around a kernel that somebody has: ridge new --list, ridge new --from, ridge check.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang cc
stage scale
stage sources
lists() { # NAME FILE: standard output is what is given
    cat >wanted.txt
    "$RIDGE" new --list "$2" 2>&1 | diff -u wanted.txt - >diff.txt
    pass "$1" $? diff.txt
}

lists 'kernels are listed with their parameters' sources/host.cu <<'END'
blas::axpy<int COARSE, typename T>(T *y, const T *x, T a, uint n)  (host.cu:20)
END
lists 'those of PTX too' scale/scale.ptx <<'END'
scale_strided(u64 *p0, u64 *p1, f32 p2, u32 p3)
scale_plain(u64 *p0, u64 *p1, f32 p2, u32 p3)
END
expect 'a file without kernels is said' 2 new --list sources/reference.c <<'END'
ridge: 'sources/reference.c' has no kernel: no function marked __global__ with a body
END

expect 'a template wants its arguments' 2 new --from sources/host.cu <<'END'
ridge: 'blas::axpy' is a template; give its arguments, --from 'sources/host.cu:blas::axpy<...>': int COARSE, typename T
END
expect 'several kernels want a name' 2 new --from scale/scale.cu <<'END'
ridge: 'scale/scale.cu' has several kernels; name one, --from scale/scale.cu:NAME: scale_strided, scale_plain
END
expect 'a name that is not there lists those that are' 2 new --from scale/scale.cu:scales <<'END'
ridge: 'scale/scale.cu' has no kernel 'scales'; it has: scale_strided, scale_plain
END

"$RIDGE" new --from scale/scale.cu:scale_plain --compiler clang mine >out.txt 2>&1
pass 'an experiment is written' $? out.txt
grep -q 'y: {.*scratch: true} # written by the kernel' mine/experiment.yaml &&
    ! grep -q 'x: {.*scratch' mine/experiment.yaml
pass 'what the kernel writes is marked' $? mine/experiment.yaml
"$RIDGE" run mine --device sim:h200 --compiler clang --no-journal >out.txt 2>&1
pass 'and it runs at once' $? out.txt
"$RIDGE" new --from scale/scale.cu:scale_plain mine >out.txt 2>&1
(($? == 2)) && grep -q "'mine' exists already" out.txt
pass 'nothing is overwritten' $? out.txt
"$RIDGE" new >out.txt 2>&1
(($? == 2)) && grep -q 'takes a name' out.txt
pass 'no name at all is said' $? out.txt

mkdir kernels
cat >kernels/k.cu <<'END'
#define real double
typedef unsigned int word;
// reads eight elements for each that n counts
__global__ void sums(real *y, const real *x, word n)
{
    word i = blockIdx.x * blockDim.x + threadIdx.x;
    real sum = 0;
    for (int k = 0; k < 8 && i < n; k++)
        sum += x[8 * i + k];
    if (i < n)
        y[i] = sum;
}
template <typename T, int n> __global__ void scaled(T *y, const T *x, T a)
{
    y[blockIdx.x * blockDim.x + threadIdx.x] = n * a * x[blockIdx.x * blockDim.x + threadIdx.x];
}
__global__ void alone(int n) {}
struct pair { float a; int b; };
__global__ void given(float *y, struct pair p) { y[threadIdx.x] = p.a; }
__global__ void branches(float *y,
#ifdef WIDE
                         long long n,
#else
                         int n,
#endif
                         float a)
{
    if (blockIdx.x * blockDim.x + threadIdx.x < n)
        y[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
END
made() { # NAME KERNEL FOLDER: it is written and runs at once
    "$RIDGE" new --from "kernels/k.cu:$2" --compiler clang "$3" >out.txt 2>&1 &&
        "$RIDGE" run "$3" --device sim:h200 --compiler clang --no-journal -q >>out.txt 2>&1
    pass "$1" $? out.txt
}
made 'types by other names, and sizes that are larger than they look' sums deep/er/sums
grep -q 'x: {type: f64, count: [0-9]*\*n' deep/er/sums/experiment.yaml && grep -q '^experiment: sums$' deep/er/sums/experiment.yaml
pass 'are found, and a folder may lie elsewhere' $? deep/er/sums/experiment.yaml
made 'a type that is an argument of a template' 'scaled<int, 3>' scaled
grep -q 'x: {type: i32' scaled/experiment.yaml && grep -q '{value: 1.5, type: f32}\|args: \[y, x' scaled/experiment.yaml
pass 'is that type' $? scaled/experiment.yaml
made 'a kernel without buffers' alone alone
made 'a parameter that branches of an #if declare' branches branches
"$RIDGE" new --from kernels/k.cu:given --compiler clang given >out.txt 2>&1
grep -q "p: the type 'struct pair' is not known\|p: the type 'pair' is not known" out.txt
pass 'a struct by value is said' $? out.txt
[[ $(grep -c "the type" out.txt) == 1 ]]
pass '... once' $? out.txt

"$RIDGE" check scale --device sim:h200 --compiler clang >out.txt 2>&1
pass 'an experiment that fits' $? out.txt
grep -q 'nothing was run' out.txt && grep -q 'buffers, .* KiB; no variant takes less than .* us (modelled' out.txt
pass 'says memory and least time' $? out.txt
grep -q 'How long a run takes is not known: the journal has none on sim:h200' out.txt
pass 'that nothing is recorded is said' $? out.txt
"$RIDGE" run scale --device sim:h200 --compiler clang -q >/dev/null 2>&1
"$RIDGE" check scale --device sim:h200 --compiler clang -p N=4096,8192,8192000 --json >said.json 2>out.txt
python3 -c '
import json
recorded, large, other = (c["took"] for c in json.load(open("said.json"))["cases"])
assert recorded["provenance"] == "measured" and recorded["scaled_from"] is None and recorded["wall_s"] > 0, recorded
assert other["provenance"] == "modelled" and other["scaled_from"] == "N=8192", other
# 1000 times the work; the floor of a recorded case prices reads and writes apart.
assert abs(other["wall_s"] / large["wall_s"] / 1000 - 1) < 0.1, (large, other)' >>out.txt 2>&1
pass 'how long it takes, by the newest recorded run' $? out.txt
edit scale/experiment.yaml '0,/args: \[y, x, /s//args: [y, /'
"$RIDGE" check scale --device sim:h200 --compiler clang >out.txt 2>&1
(($? == 1)) && grep -q "takes 4 arguments, this launch gives" out.txt
pass 'one that does not fit is reported, with status 1' $? out.txt
"$RIDGE" check scale --device sim:h200 --compiler clang --json >said.json 2>/dev/null
python3 -c '
import json
case = json.load(open("said.json"))["cases"][0]
assert case["memory_bytes"] > 0 and not case["variants"][0]["fits"] and case["variants"][1]["fits"], case' >out.txt 2>&1
pass 'and in JSON' $? out.txt
