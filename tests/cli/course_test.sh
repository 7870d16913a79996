#!/usr/bin/env bash
# The course: each shipped experiment, every variant, on the simulated H200 at small, odd and uneven sizes, with
# the checks for races and uninitialised reads on; by NVRTC where it is, and by clang.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need cc
need clang
experiments=$here/../../experiments
[ -d "$experiments" ] || experiments=$RIDGE_DATA_DIR/experiments

# course NAME VARIANTS PARAMS...: so many results are verified, none is wrong, the others are skipped.
course() {
    local name=$1 count=$2 params=() p
    shift 2
    for p; do params+=(--param "$p"); done
    for compiler in auto clang; do
        "$RIDGE" verify "$experiments/$name" --device sim:h200 --check --compiler $compiler --seed 7 \
            -q --plain "${params[@]}" >course.txt 2>&1
        local status=$? verified
        verified=$(grep -c ' verified' course.txt)
        [ $status = 0 ] && [ "$verified" = "$count" ]
        pass "$name ($*) by $compiler: $count verified" $? course.txt
    done
}

course histogram 30 N=1,33,1001
course histogram-f32 56 N=1,20001 bins=255,256,2048
course histogram-f32 4 N=40001 bins=65536
course reduction 24 N=1,1000,4097
course softmax 20 elements=3000 cols=1,33,1000,1024
course softmax 15 elements=9000 cols=4096,8192,20001
course softmax-bf16 20 elements=3000 cols=1,33,1000,1024
course softmax-bf16 10 elements=20000 cols=4097,16384
course transpose 12 N=33,128
course vector 8 n=1,1000
finish
