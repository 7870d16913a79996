#!/usr/bin/env bash
# Sources as they are published: templates and namespaces, host code in the same file.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang cc
stage sources

verified() { # NAME COMPILER: both variants
    "$RIDGE" verify sources --compiler "$2" >out.txt 2>&1
    pass "$1 ($2)" $? out.txt
}

compilers=(clang)
"$RIDGE" verify sources --compiler nvrtc >out.txt 2>&1
grep -q 'libnvrtc is in no folder' out.txt || compilers+=(nvrtc) # no pipe: ridge's status would be its status
command -v nvcc >/dev/null && compilers+=(nvcc)
for compiler in "${compilers[@]}"; do
    verified 'a template is instantiated by its name' "$compiler"
done

# NVRTC and nvcc write the path into PTX as it is; a header's too.
odd='of "q" \d'
cp -r sources "$odd"
mv "$odd/k.cu" "$odd/inside.cuh"
printf '#include "inside.cuh"\n' >"$odd/k.cu"
for compiler in "${compilers[@]}"; do
    "$RIDGE" run "$odd" -q --compiler "$compiler" >out.txt 2>&1
    pass "a folder with quotes and a backslash in its name ($compiler)" $? out.txt
    "$RIDGE" annotate "$odd:four" >out.txt 2>&1 && grep -q '│ .*y\[k\] = a' out.txt
    pass "… whose lines are annotated ($compiler)" $? out.txt
done
edit sources/experiment.yaml 's/blas::axpy< 8,float >/axpy/'
says() { # NAME TEXT: of the variant that fails
    "$RIDGE" verify sources --variant eight >out.txt 2>&1
    (($? == 1)) && tr -s ' \n' ' ' <out.txt | found -F "$2"
    pass "$1" $? out.txt
}
says 'an ambiguous name lists what it may mean' \
    "has several kernels 'axpy'; write the full name of one: blas::axpy<1, float>; blas::axpy<2, float>"
edit sources/experiment.yaml 's/kernel: "axpy"/kernel: "axpyy"/'
says 'a missing name lists what there is' "has no kernel 'axpyy'"
says 'with arguments' 'it has: blas::axpy<1, float>, blas::axpy<2, float>'
edit sources/experiment.yaml 's/kernel: "axpyy"/kernel: "axpyy<3>"/'
says 'so does a template that is missing' "has no kernel 'axpyy<3>'"
cat >>sources/k.cu <<'END'
template <int n> __global__ void broken(float *y, const float *x, float a, unsigned count) { y[0] = n * missing; }
END
edit sources/experiment.yaml 's/kernel: "axpyy<3>"/kernel: "broken<3>"/'
for compiler in clang nvrtc; do
    [[ " ${compilers[*]} " == *" $compiler "* ]] || continue
    "$RIDGE" verify sources --variant eight --compiler "$compiler" >out.txt 2>&1
    (($? != 0)) && grep -q 'k.cu.*error: .*missing' out.txt && ! grep -q 'has no kernel' out.txt
    pass "a template that does not compile says why ($compiler)" $? out.txt
done
edit sources/k.cu '/broken/d'
edit sources/experiment.yaml 's/kernel: "broken<3>"/kernel: "axpy;"/'
expect 'a name that is none' 2 verify sources --variant eight <<'END'
ridge: sources/experiment.yaml:12:27: 'kernel' must be a name as C++ writes it (blas::axpy<4, float>), without ';'
      - {name: eight, kernel: "axpy;", grid: N/1024, block: 128, args: [y, x, {value: 2, type: f...
                              ^
END
edit sources/experiment.yaml 's/kernel: "axpy;"/kernel: "axpy<2, float>"/; s/N.1024, block: 128/N\/256, block: 128/'
verified 'a template is found by its last name and arguments' clang
edit sources/k.cu 's/typename T>/typename T = float>/'
edit sources/experiment.yaml 's/"axpy<2, float>"/"axpy<2>"/'
for compiler in "${compilers[@]}"; do
    verified 'a template has arguments of its own' "$compiler"
done
edit sources/experiment.yaml 's/"axpy<2>"/"axpy<2, float>"/'

edit sources/experiment.yaml 's/source: k.cu/source: host.cu/; s/"axpy<2, float>"/"blas::axpy<2, float>"/'
for compiler in "${compilers[@]}"; do
    [[ $compiler == nvcc ]] && continue
    verified 'host code in the file does not matter' "$compiler"
    "$RIDGE" run sources -q --compiler "$compiler" >/dev/null
    "$RIDGE" annotate sources:four >out.txt 2>&1
    grep -q '[0-9] .* 26 │ .*y\[k\] = a' out.txt
    pass "and lines are those of the file ($compiler)" $? out.txt
done
cp sources/host.cu host.cu
edit sources/host.cu 's/y\[k\] = a/y[k] = b/'
"$RIDGE" verify sources --compiler clang >out.txt 2>&1
tr -s ' \n' ' ' <out.txt | found -F "host.cu:26:20: error: use of undeclared identifier 'b'" &&
    tr -s ' \n' ' ' <out.txt | found -F 'without its host code: seconds (host.cu:31), launch (host.cu:38), main (host.cu:44)'
pass 'what was left out is reported where the rest does not compile' $? out.txt
cp host.cu sources/host.cu

# Another kernel of the file needs what is not here.
printf '%s\n' '__global__ void other(cudnnTensor_t t) {}' >>sources/host.cu
verified 'another kernel that cannot be compiled does not matter' clang
cp host.cu sources/host.cu

printf '%s\n' 'flags: --use_fast_math -DUNUSED -maxrregcount=32' >>sources/experiment.yaml
for compiler in "${compilers[@]}"; do
    verified 'flags are given to the compiler' "$compiler"
done
edit sources/experiment.yaml 's/^flags:.*/flags: [-lcublas]/'
expect 'an unknown flag is reported' 2 verify sources <<'END'
ridge: sources/experiment.yaml:13:8: the flag '-lcublas': it is for the linker; leave it out
    flags: [-lcublas]
           ^
  in case N=4096
END
edit sources/experiment.yaml '/^flags:/d'
if command -v nvcc >/dev/null; then
    verified 'host code in the file does not matter' nvcc
    RIDGE_COMPILER=auto verified 'and nvcc is chosen for it' auto
    RIDGE_COMPILER=auto "$RIDGE" run sources -q >/dev/null
    RIDGE_COMPILER=auto "$RIDGE" annotate sources:four >out.txt 2>&1
    grep -q '[0-9] .* 26 │ .*y\[k\] = a' out.txt
    pass 'and lines are those of the file (nvcc)' $? out.txt
    cp sources/host.cu kept.cu
    printf 'static int no_such_thing() { return not_declared(); }\n' >>sources/host.cu
    RIDGE_COMPILER=auto verified 'what nvcc does not take of the host is left to those that need no host' auto
    "$RIDGE" verify sources --device sim:h200 --compiler nvcc >out.txt 2>&1
    (($? != 0)) && grep -q not_declared out.txt
    pass '... and is reported where nvcc was chosen' $? out.txt
    mv kept.cu sources/host.cu
fi

# CCCL of a toolkit beside ridge's own stdint.h, stdio.h and assert.h, in either order.
if [[ " ${compilers[*]} " == *" nvrtc "* && -n $(find /usr/local/cuda/include/cccl -maxdepth 1 -name cub 2>/dev/null) ]]; then
    cat >sources/cub.cu <<'END'
#include <stdio.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/std/limits>
#include <assert.h>
#include <climits>
#include <stdint.h>
extern "C" __global__ void twice(float *y, const float *x, float a, int n)
{
    using reduce = cub::BlockReduce<float, 128>;
    __shared__ typename reduce::TempStorage shared;
    int32_t k = blockIdx.x * 128 + threadIdx.x;
    float sum = reduce(shared).Sum(x[k]);
    assert(sum < cuda::std::numeric_limits<float>::max());
    y[k] = a * x[k] + y[k];
}
END
    edit sources/experiment.yaml 's/source: host.cu/source: cub.cu/; s/"blas::axpy<[0-9], float>", grid: [^,]*, block: [0-9]*/twice, grid: N\/128, block: 128/'
    verified 'cub and cuda/std are found' nvrtc
    cat >sources/map.cu <<'END'
#include <cuda.h>
#include <cuda/barrier>
#include <iostream>
extern "C" __global__ void twice(float *y, const float *x, float a, int n)
{
    int k = blockIdx.x * 128 + threadIdx.x;
    y[k] = a * x[k] + y[k] * (sizeof(CUtensorMap) / 128) * (alignof(CUtensorMap) / 64);
}
__global__ void other(const __grid_constant__ CUtensorMap map) {}
int main() {}
END
    edit sources/experiment.yaml 's/source: cub.cu/source: map.cu/'
    verified 'a tensor map is known, which CCCL declares only' nvrtc
else
    echo 'skip - cub and cuda/std are found: no NVRTC with CCCL is here'
fi
finish
