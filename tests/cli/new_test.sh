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
grep -q 'x: {type: f64, count: 8\*n' deep/er/sums/experiment.yaml && grep -q '^experiment: sums$' deep/er/sums/experiment.yaml
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


cat >kernels/host.cu <<'END'
#include <cstdio>
#define TILE 16
enum job { READ, WRITE = 4 };
typedef float real;
static int sm_count;
__constant__ float factor = 2;
template <typename T, job JOB, int STEP>
__global__ void walk(T *out, const T *in, const int *at, int rows, int columns, float a)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        out[y * columns + x] = a * in[STEP * at[y]] + (JOB == WRITE);
}
__global__ void add_up(float *sums, int *tickets, const float *x, int n)
{
    extern __shared__ float part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        sums[atomicAdd(tickets, 1)] = part[0] + part[blockDim.x - 1];
}
__global__ void alone(float *y, int count) { y[blockIdx.x * 128 + threadIdx.x] = count; }
__global__ void nested(float **rows) { rows[0][0] = 1; }
static int up(int a, int b) { return 0; }
int ceil_div(int a, int b) { return (a + b - 1) / b; }
template <typename T> void launch_walk(T *d_out, T *d_in, int *d_at, int height, int width)
{
    dim3 threads(TILE, TILE / 2);
    dim3 blocks(ceil_div(width, TILE), ceil_div(height, threads.y));
    walk<T, WRITE, 3><<<blocks, threads>>>(d_out, d_in, d_at, height, width, 0.25f);
}
void launch_sums(float *sums, int *tickets, float *x, int n, int block_size)
{
    cudaMemset(tickets, 0, sizeof(int));
    const int grid_size = ceil_div(n, block_size);
    add_up<<<grid_size, block_size, block_size * sizeof(float)>>>(sums, tickets, x, n);
}
int main(int argc, char **argv)
{
    int n = 1 << 25, w = atoi(argv[1]), sizes[] = {64, 128};
    float *a = 0;
    launch_walk<real>(a, a, 0, 40, w);
    launch_sums(a, 0, a, n, sizes[1]);
    return up(1, 2);
}
END
from_host() { # NAME KERNEL: it is written from the host's launch and runs at once, again and again
    rm -rf host
    "$RIDGE" new --from "kernels/host.cu:$2" --compiler clang host >out.txt 2>&1 &&
        "$RIDGE" run host --device sim:h200 --compiler clang --no-journal -q >>out.txt 2>&1
    pass "$1" $? out.txt
    cat host/experiment.yaml >>out.txt
}
from_host 'a template as the host instantiates it' walk
grep -q 'kernel: "walk<float, (job)4, 3>"' host/experiment.yaml
pass 'types through callers, constants of an enumeration' $? out.txt
grep -q 'grid: \["ceil_div(width,16)", "ceil_div(height,8)"\]' host/experiment.yaml &&
    grep -q 'block: \["16", "8"\]' host/experiment.yaml
pass 'dim3, macros and calls are followed' $? out.txt
grep -q 'args: \[out, in, at, height, width, {value: "0.25", type: f32}\]' host/experiment.yaml &&
    grep -q 'height: 40' host/experiment.yaml
pass 'values are those that the host passes' $? out.txt
grep -q 'out: {.*count: width\*height,' host/experiment.yaml && grep -q 'at: {.*count: height,' host/experiment.yaml
pass 'counts are what the launch reached, in the sizes' $? out.txt
grep -q 'width = 256: guessed by its name' out.txt && grep -q 'height = 40: as the source has it' out.txt &&
    grep -q 'grid and block: as host.cu:31 launches it' out.txt
pass 'each guess is said' $? out.txt
from_host 'what the host sets to zero before the launch' add_up
grep -q -- '- zero: tickets' host/experiment.yaml && grep -q 'shared_bytes: "block_size\*4"' host/experiment.yaml
pass 'is a step, and shared memory is an expression' $? out.txt
grep -q 'the source has 33554432, which is more than a first look needs' out.txt
pass 'large sizes are made smaller, and that is said' $? out.txt
from_host 'a kernel that nothing launches' alone
grep -q 'the source has no launch of it, so guessed' out.txt
pass '... which is said' $? out.txt
"$RIDGE" new --from kernels/host.cu:nested --compiler clang nested >out.txt 2>&1
grep -q 'rows: a pointer to pointers' out.txt && grep -q 'mend it, then' out.txt
pass 'what cannot be written says what is missing' $? out.txt
"$RIDGE" new --from kernels/k.cu:scaled --compiler clang guessed >out.txt 2>&1
grep -q 'template arguments: nothing says T = float, n = 4' out.txt
pass 'template arguments that nothing says are guessed, and said' $? out.txt

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
edit scale/experiment.yaml '0,/args: \[y, /s//args: [y, x, /; s/reference.c:scale_ref/reference.c:scales_ref/'
"$RIDGE" check scale --device sim:h200 --compiler clang >out.txt 2>&1
(($? == 2)) && grep -q "scale/experiment.yaml:[0-9]*:[0-9]*: the reference's file .*reference.c has no function 'scales_ref'" out.txt
pass 'a function that the reference lacks is an error' $? out.txt
