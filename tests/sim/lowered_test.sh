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
grep -qx 'k 13 1 1 F32 10 sqrt' said.txt && grep -qx 'k 10 0 0 F32 1 fma' said.txt && grep -qx 'k 11 0 0 ADD 1 mov' said.txt
pass 'line, loops, block, pipe and machine instructions of each' $? said.txt
"$lowered" missing.ptx >said.txt 2>&1
[[ $? == 1 ]] && grep -q '^lowered: .*missing.ptx' said.txt
pass 'a file that is missing is named' $? said.txt

# What an H200 executes 16 instructions per warp of (copies4 of bench/truth/tuning/parts, 8388608 by 524288 warps).
awk '/entry copies4\(/ { on = 1 } on { print } on && /^}/ { exit }' "$root/bench/truth/tuning/parts/parts.ptx" |
    cat <(printf '.version 8.0\n.target sm_90\n.address_size 64\n') - >copy.ptx
"$lowered" copy.ptx | awk '{ n += $6 } END { print n }' >said.txt
grep -qx 16 said.txt
pass 'a copy has as many machine instructions as an H200 executes' $? said.txt

# Numbers of f64 with two halves (once in a block's loop), a bit operation's test for zero, lanes that add to one word (an H200's 19
# and 12 instructions per warp of bench/truth/turns, add_uniform and add_uniform_lost), copies of registers that are read elsewhere.
cat >made.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry numbers(.param .u64 out)
{
    .reg .f64 %d<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.global.f64 %d1, [%rd1];
    fma.rn.f64 %d2, %d1, 0d3FF71547652B82FE, 0d4338000000000000;
    fma.rn.f64 %d3, %d2, 0d3FF71547652B82FE, %d1;
    st.global.f64 [%rd1], %d3;
    ret;
}
.visible .entry together(.param .u64 count, .param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [count];
    ld.param.u64 %rd2, [out];
    cvta.to.global.u64 %rd3, %rd2;
    cvta.to.global.u64 %rd4, %rd1;
    atom.global.add.u32 %r1, [%rd4], 1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd5, %r2, 4;
    add.s64 %rd6, %rd3, %rd5;
    st.global.u32 [%rd6], %r1;
    ret;
}
.visible .entry lost(.param .u64 count, .param .u32 by)
{
    .reg .b32 %r<4>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [count];
    ld.param.u32 %r1, [by];
    cvta.to.global.u64 %rd2, %rd1;
    red.global.add.u32 [%rd2], %r1;
    ret;
}
.visible .entry apart(.param .u64 count)
{
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [count];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    red.global.add.u32 [%rd3], %r1;
    ret;
}
.visible .entry copies(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    add.s32 %r3, %r1, %r1;
    mov.u32 %r4, %r3;
    mov.u32 %r5, %r2;
again:
    and.b32 %r6, %r5, 3;
    setp.eq.s32 %p1, %r6, 0;
    @%p1 add.s32 %r4, %r4, 1;
    add.s32 %r5, %r5, %r1;
    setp.lt.u32 %p2, %r5, 100;
    @%p2 bra again;
    add.s32 %r7, %r4, %r3;
    st.global.u32 [%rd1], %r7;
    ret;
}
END
"$lowered" made.ptx >said.txt 2>&1
grep -qx 'numbers 9 0 0 F64 3 fma' said.txt && grep -qx 'numbers 10 0 0 F64 1 fma' said.txt
pass 'a number of f64 with two halves is two moves, once' $? said.txt
awk '{ n[$1] += $6 } END { exit !(n["together"] == 19 && n["lost"] == 12) }' said.txt &&
    grep -q '^apart .* GLOBAL_REDUCTION 1 red$' said.txt
pass 'lanes that add to one word take as many instructions as on an H200; those apart take one' $? said.txt
grep -qx 'copies 54 0 0 ADD 1 mov' said.txt && grep -qx 'copies 55 0 0 NONE 0 mov' said.txt
pass 'a copy of what is read elsewhere is a move' $? said.txt
grep -qx 'copies 58 1 1 NONE 0 setp' said.txt && grep -qx 'copies 61 1 1 INTEGER 1 setp' said.txt
pass 'a test of bits for zero comes with them' $? said.txt

cat >folds.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry folds(.param .u64 out, .param .u32 n)
{
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
    .shared .align 4 .b8 tile[128];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u64 %rd2, tile;
    shr.u32 %r3, %r2, 5;
    add.s32 %r4, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    mul.lo.s64 %rd6, %rd1, %rd2;
    add.s64 %rd7, %rd6, %rd4;
    shr.u64 %rd8, %rd7, 32;
    and.b64 %rd9, %rd7, 4294967295;
    setp.lt.u32 %p1, %r2, %r1;
    setp.gt.u32 %p2, %r4, %r1;
    or.pred %p3, %p1, %p2;
    selp.u32 %r5, 1, 0, %p3;
    setp.eq.u32 %p4, %r5, 0;
    mul.hi.u32 %r6, %r2, -766435501;
    mul.lo.s32 %r7, %r2, -766435501;
    div.u32 %r8, %r2, %r1;
    div.u32 %r9, %r7, %r1;
    @%p4 bra done;
    st.global.u64 [%rd4], %rd8;
    st.global.u64 [%rd5], %rd9;
    st.global.u32 [%rd7], %r6;
    st.global.u32 [%rd7+4], %r9;
    st.global.u32 [%rd7+8], %r8;
done:
    ret;
}
END
"$lowered" folds.ptx | awk '{ print $2, $5, $6 }' >said.txt
holds() { # WHAT LINE PIPE COUNT ...
    local what=$1 wrong=0
    shift
    while (($# > 0)); do
        grep -qx "$1 $2 $3" said.txt || { wrong=1; echo "expected: $1 $2 $3" >>said.txt; }
        shift 3
    done
    pass "$what" $wrong said.txt
}
holds 'a parameter of 32 bits is uniform, a shared variable needs its window' 9 UNIFORM 1 11 CONST 3
holds 'a shift to the right is part of the sum behind it' 12 NONE 0 13 INTEGER 1
holds 'a wide product is part of each sum that reads it' 14 NONE 0 15 MULTIPLY_WIDE 1 16 MULTIPLY_WIDE 1
holds 'a 64-bit product and the sum behind it are four' 17 NONE 0 18 MULTIPLY 4
holds 'a half of 64 bits is a register' 19 NONE 0 20 NONE 0
holds 'predicates are combined by comparisons and need no register' 23 NONE 0 24 NONE 0 25 NONE 0
holds 'both halves of a product are one instruction' 26 MULTIPLY_HIGH 1 27 NONE 0
holds 'the second division by a number needs no reciprocal' 28 MULTIPLY 18 29 MULTIPLY 9
holds 'a guarded branch to the end is an EXIT under its predicate' 30 INTEGER 1

cat >shared.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %rd<8>;
    .shared .align 4 .b8 own[1024];
    mov.u32 %r1, %tid.x;
    mov.u64 %rd1, own;
    mul.wide.u32 %rd2, %r1, 12;
    add.s64 %rd3, %rd1, %rd2;
    st.shared.u32 [%rd3], %r1;
    ld.param.u64 %rd4, [out];
    add.s64 %rd5, %rd4, %rd2;
    st.global.u32 [%rd5], %r1;
    ret;
}
END
"$lowered" shared.ptx | awk '{ print $2, $5, $6 }' >said.txt
holds 'an address in shared memory has 32 bits, one in global memory 64' 11 MULTIPLY 1 14 MULTIPLY_WIDE 1

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
env -u RIDGE_PTXAS "${lowered%lowered}walked" -l k.ptx >said.txt 2>&1
grep -Eq '^[|] 10 [0-9.]+ 1[.]00 1[.]00 fma[.]rn[.]f32$' said.txt && grep -Eq '^k 1[0-2][0-9][.][0-9]+ 100[.]00 [0-9]+$' said.txt
pass 'walked counts both along the same walks' $? said.txt
cp said.txt before.txt
RIDGE_PTXAS=none "${lowered%lowered}walked" -l k.ptx >said.txt 2>&1
cmp -s said.txt before.txt
pass 'what ptxas made is kept beside the file' $? said.txt
finish
