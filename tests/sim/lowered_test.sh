#!/usr/bin/env bash
# What the lowering pass says of each instruction (bench/differential/lowered), and beside it what ptxas makes of the
# same file (lowered.py), where there is a ptxas.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
lowered=$(cd "$root" && realpath "${BUILD:-build}")/bench/differential/lowered
cat >k.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<3>; .reg .f32 %f<3>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [n];
    ld.global.f32 %f1, [%rd1];
    fma.rn.f32 %f2, %f1, %f1, %f1;
    mov.u32 %r1, 0;
again:
    sqrt.rn.f32 %f2, %f2;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r2;
    @%p1 bra again;
    st.global.f32 [%rd1], %f2;
    ret;
}
END
"$lowered" k.ptx >said.txt 2>&1
pass 'lowered reads a kernel' $? said.txt
grep -qx 'k 13 1 1 F32 10 sqrt' said.txt && grep -qx 'k 10 0 0 F32 1 fma' said.txt && grep -qx 'k 11 0 0 NONE 0 mov' said.txt
pass 'line, loops, block, pipe and machine instructions of each' $? said.txt
"$lowered" missing.ptx >said.txt 2>&1
[[ $? == 1 ]] && grep -q '^lowered: .*missing.ptx' said.txt
pass 'a file that is missing is named' $? said.txt

if ! command -v ptxas >/dev/null || ! command -v python3 >/dev/null; then
    echo '# skipped: the comparison needs ptxas and python3'
    finish
fi
LOWERED=$lowered "$root/bench/differential/lowered.py" --lines k.ptx >said.txt 2>&1
pass 'lowered.py compares with ptxas' $? said.txt
grep -Eq '^  10 b0 d0 x1 fma F32 model 1 ptxas 1: .23$' said.txt && grep -Eq '^  13 b1 d1 x1 sqrt F32 model 10 ptxas ([5-9]|1[0-9]): ' said.txt
pass 'machine instructions stand at the PTX line that they came from' $? said.txt
grep -Eq '^k.ptx k: model [0-9]+, ptxas [0-9]+, [-+][0-9.]+ % .*; 0 without a line\)$' said.txt && grep -q '^1 kernels: median error' said.txt
pass 'a kernel has its error' $? said.txt
finish
