#!/usr/bin/env bash
# The course's second part, compute: every variant of its experiments is right at small and odd sizes, without a
# race or a read of what nothing wrote.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang cc
need_plain_library

# right NAME PARAM=VALUE...: all that runs on the simulated GPU is verified, and that is every variant
# but libraries and those whose `requires` says no.
right() {
    local name=$1 param params=()
    shift
    for param in "$@"; do params+=(--param "$param"); done
    "$RIDGE" verify "$root/experiments/$name" --device sim:h200 --check --seed 1 -q "${params[@]}" >out.txt 2>&1
    local status=$?
    grep -q ' verified' out.txt || status=1
    pass "$name $* is right" $status out.txt
}

right matmul-f32 M=100 N=130 K=37
right matmul-f32 M=136 N=132 K=100 # rows of 16 bytes: tensor maps too
right matmul-f32 M=129 N=64 K=257
right matmul-split M=100 N=130 K=37
right matmul-split M=257 N=392 K=336 # more boxes than stages
right matmul-split M=1 N=1 K=1
right matmul-bf16 M=320 N=144 K=208 # 16 divides them all
right matmul-bf16 M=72 N=136 K=72
right matmul-bf16 M=264 N=392 K=336 # more steps than stages: warps of a group wait for one another
right matmul-fp8 M=72 N=136 K=80
right matmul-fp8 M=264 N=392 K=656
right attention H=2 L=77
right attention H=1 L=500
right divergence N=5000
right chains STEPS=20 N=300
right division N=2000
right math N=2000
right occupancy N=5000
right n-body N=300
right types N=4099
right types N=4098
right batched-matmul COUNT=9
right monte-carlo N=20003
right cooperation ROWS=9 COLUMNS=100

finish
