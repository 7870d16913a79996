#!/usr/bin/env bash
# The course, its second half: see course_test.sh.
# run-early: it takes long.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
. "$here/course.sh"

course layernorm 12 rows=3 cols=1,33,1000
course layernorm 16 rows=3 cols=5001,20000
course layernorm-bf16 14 rows=3 cols=1000,8200
course layernorm-bf16 8 rows=2 cols=70000
course rmsnorm 11 rows=3 cols=33,4100
RIDGE_COMPILER=clang course layernorm 12 rows=2 cols=4096 # more registers than 17 warps have room for
course rmsnorm-bf16 5 rows=2 cols=5001
course rmsnorm-bf16 9 rows=3 cols=8200
course rmsnorm-bf16 12 rows=3 cols=1,33,1000
course lookup 24 N=1,1003
course gather 15 N=1,4099,70000 T=20003
course layernorm-backward 10 rows=5,300 cols=33,1000
course fusion 9 rows=5 cols=33,400
course stencil2d 8 N=67,200
course stencil2d-steps 5 N=67,200
course stencil3d 6 N=7,20
course stencil3d-steps 7 N=1,20,66
course transpose 26 N=33,128,256
course spmv 44 rows=300 mean=4,32 skew=1,64
course l2 10 N=128,12800 mib=1
course transfer 10 N=1600,48000 chunks=16
course transfer 5 N=999 chunks=1
course rmsnorm-backward 12 rows=5,300 cols=33,1000
course transpose-any 13 M=33,128 N=70,192
course vector 14 n=1,1000
finish
