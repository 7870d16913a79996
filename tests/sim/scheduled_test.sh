#!/usr/bin/env bash
# How often a loop's turn waits for device memory in the model's order (bench/differential/scheduled).
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
scheduled=$(cd "$root" && realpath "${BUILD:-build}")/bench/differential/scheduled
# loop NAME BODY: sums of loads; a turn's place is %rd2.
loop() {
    cat <<END
.visible .entry $1(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r2, [n];
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd3, %r3, 4;
    add.s64 %rd2, %rd1, %rd3;
    mov.u32 %r1, 0;
    mov.f32 %f2, 0f00000000;
again:
    $2
    add.f32 %f2, %f2, %f1;
    add.s64 %rd2, %rd2, 4096;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r2;
    @%p1 bra again;
    st.global.f32 [%rd1], %f2;
    ret;
}
END
}
{
    printf '.version 8.0\n.target sm_90\n.address_size 64\n'
    loop sums 'ld.global.f32 %f1, [%rd2];'
    loop follows 'ld.global.u32 %r4, [%rd2]; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd2, %rd2, %rd4; ld.global.f32 %f1, [%rd2];'
} >k.ptx
"$scheduled" k.ptx >said.txt 2>&1
pass 'scheduled reads loops' $? said.txt
grep -qx 'sums 4 0.250 15' said.txt
pass 'four turns that ptxas has in a row wait once' $? said.txt
grep -qx 'follows 4 2.000 35,35' said.txt
pass 'loads at places that were loaded wait for each other' $? said.txt
"$scheduled" missing.ptx >said.txt 2>&1
[[ $? == 1 ]] && grep -q '^scheduled: .*missing.ptx' said.txt
pass 'a file that is missing is named' $? said.txt
