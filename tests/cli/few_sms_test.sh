#!/usr/bin/env bash
# Kernels whose blocks stay and take one piece after the other, and wait for each other meanwhile: on a chip like the
# H200 with few SMs small inputs are enough for many turns, with the checks for races on.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need cc
need clang
mkdir data
ln -s "$root"/* data/
rm data/gpus
cp -r "$root/gpus" data/
for sms in 3 5 12; do
    sed -E "s/^sm_count: *\{value: [0-9]+/sm_count: {value: $sms/" "$root/gpus/h200.yaml" >"data/gpus/few$sms.yaml"
    grep -q "^sm_count: {value: $sms," "data/gpus/few$sms.yaml"
    pass "a chip of $sms SMs" $?
done

# course SMS EXPERIMENT VARIANTS OPTIONS...: so many results are verified, none is wrong.
course() {
    local sms=$1 name=$2 count=$3
    shift 3
    RIDGE_DATA_DIR=$work/data "$RIDGE" verify "$name" --device "sim:few$sms" --check --seed 7 -q \
        --plain --timeout 60 "$@" >course.txt 2>&1
    local status=$? verified
    verified=$(grep -c ' verified' course.txt)
    [ $status = 0 ] && [ "$verified" = "$count" ]
    pass "${name##*/} on $sms SMs ($*): $verified verified" $? course.txt
}

# One block per SM: how many fit depends on the compiler's registers.
mkdir ours
cp -r "$root/experiments/common" "$root/experiments/softmax" ours/
sed -i -E 's/[24]\*device.sm_count/device.sm_count/' ours/softmax/experiment.yaml
course 3 "$work/ours/softmax" 2 -p elements=262144 -p cols=16384 --variant parts
course 5 "$work/ours/softmax" 2 -p elements=262144 -p cols=16384 --variant parts-small
course 3 "$root/experiments/softmax" 2 -p elements=262144 -p cols=16384 --variant leaving
course 3 "$root/experiments/softmax-bf16" 2 -p elements=524288 -p cols=32768 --variant leaving
course 3 "$root/experiments/softmax-bf16" 5 -p elements=524288 -p cols=32768 --variant few-writers --variant lean-listening --variant ahead --variant whole
course 3 "$root/experiments/reduction" 11 -p N=40001
course 3 "$root/experiments/reduction" 2 -p N=200001 --variant tiles # tiles taken by turns, and a part of one
course 12 "$root/experiments/layernorm-bf16" 4 -p rows=24 -p cols=8192 --variant pinned --variant pairs --variant nine
course 3 "$root/experiments/scan" 9 -p N=40001
course 5 "$root/experiments/matmul-bf16" 12 -p M=256 -p N=384 -p K=64
finish
