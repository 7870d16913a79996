#!/usr/bin/env bash
# Experiments that are wrong: the exact message and the exit status.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/support.sh"
need clang
stage scale
fresh() {
    rm -rf x
    cp -r scale x
}

expect 'an experiment that is not there is said' 2 run nowhere <<'END'
ridge: there is no experiment 'nowhere': no such file or folder, and ridge ships none of that name
END

mkdir -p empty
expect 'a folder without an experiment is said' 2 run empty <<'END'
ridge: the folder 'empty' holds no experiment.yaml; `ridge new NAME` makes one to start from
END

mkdir -p bad; printf 'a: [1,\n' >bad/experiment.yaml
expect 'a file that is no YAML is said' 2 run bad <<'END'
ridge: bad/experiment.yaml:2:1: not valid YAML: did not find expected node content while parsing a flow node
    
    ^
END

fresh
edit x/experiment.yaml 's/^buffers:/bufers:/'
expect 'a mistyped key gets a suggestion' 2 run x <<'END'
ridge: x/experiment.yaml:11:1: unknown key 'bufers' in the experiment (did you mean 'buffers'?)
    bufers:
    ^
END

fresh
edit x/experiment.yaml 's/^title:.*/&\n&/'
expect 'a key given twice is refused' 2 run x <<'END'
ridge: x/experiment.yaml:5:1: duplicate key 'title' (first on line 4)
    title: y = a*x on an f32 vector
    ^
END

fresh
edit x/experiment.yaml 's/count: N/count: N*/'
expect 'an unfinished expression is refused' 2 run x <<'END'
ridge: x/experiment.yaml:14:14: the expression 'N*' ends where a number, a name or '(' is expected
        count: N*
                 ^
END

fresh
edit x/experiment.yaml s/ceil_div/cieldiv/
expect 'an unknown function gets a suggestion' 2 run x <<'END'
ridge: x/experiment.yaml:28:12: unknown function 'cieldiv' (did you mean 'ceil_div'?)
        grid: [cieldiv(N,256)]
               ^
END

fresh
edit x/experiment.yaml 's/ceil_div\(N,256\)/M/'
expect 'an unknown name in an expression is refused where it stands' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:28:12: unknown name 'M' (known: N, cc, device.cc, device.sm_count, device.warp_size, device.max_threads_per_block, device.shared_bytes_per_block, device.l2_bytes, device.memory_bytes)
        grid: [M]
               ^
  in grid
  in variant 'strided'
  in case N=4096
END

fresh
edit x/experiment.yaml 's/ceil_div\(N,256\)/N\/(N-N)/'
expect 'a division by zero is refused' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:28:13: the expression 'N/(N-N)' divides by zero
        grid: [N/(N-N)]
                ^
  in grid
  in variant 'strided'
  in case N=4096
END

fresh
edit x/experiment.yaml 's/count: N/count: N*9223372036854775807/'
expect 'an overflow is refused' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:14:13: the expression 'N*9223372036854775807' overflows a 64-bit integer
        count: N*9223372036854775807
                ^
  in the count of buffer 'x'
  in case N=4096
END

fresh
edit x/experiment.yaml 's/ceil_div\(N,256\)/N-4096/'
expect 'a grid of no blocks is refused' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:28:13: grid is 0 blocks in x (it must be 1 to 2147483647): N-4096 with N=4096
        grid: [N-4096]
                ^
  in variant 'strided'
  in case N=4096
END

fresh
edit x/experiment.yaml 's/ceil_div\(N,256\)/N*1000000/'
expect 'a huge grid is refused' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:28:13: grid is 4096000000 blocks in x (it must be 1 to 2147483647): N*1000000 with N=4096
        grid: [N*1000000]
                ^
  in variant 'strided'
  in case N=4096
END

fresh
edit x/experiment.yaml 's/block: .256./block: [2048]/'
expect 'a block too large is refused' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:29:13: block is 2048 threads in x (it must be 1 to 1024): 2048 with N=4096
        block: [2048]
                ^
  in variant 'strided'
  in case N=4096
END

fresh
edit x/experiment.yaml 's/block: .256./block: [64, 32]/'
expect 'a block too large in all is refused' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:29:13: block has 2048 threads (64 x 32 x 1 with N=4096); at most 1024 are possible
        block: [64, 32]
                ^
  in variant 'strided'
  in case N=4096
END

fresh
edit x/experiment.yaml 's/block: .256./&\n    shared_bytes: 1000000/'
expect 'shared memory beyond the device is refused' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:30:19: shared_bytes is 1000000 (1000000 with N=4096); it must be 0 to 232448
        shared_bytes: 1000000
                      ^
  in variant 'strided'
  in case N=4096
END

fresh
edit x/experiment.yaml s/scale.cu/none.cu/
expect 'a missing source is said' 2 run x <<'END'
ridge: x/experiment.yaml:5:9: 'source': the file 'WORK/x/none.cu' does not exist
    source: none.cu
            ^
END

fresh
edit x/experiment.yaml s/reference.c:/none.c:/
expect 'a missing reference is said' 2 run x <<'END'
ridge: x/experiment.yaml:6:12: 'reference': the file 'WORK/x/none.c' does not exist
    reference: none.c:scale_ref
               ^
END

fresh
edit x/experiment.yaml s/:scale_ref//
expect 'a reference without a function is refused' 2 run x <<'END'
ridge: x/experiment.yaml:6:12: 'reference' is written FILE.c:FUNCTION, or FILE.py:FUNCTION, not 'reference.c'
    reference: reference.c
               ^
END

fresh
edit x/experiment.yaml s/:scale_ref/:scale_fer/
expect 'a function that the reference lacks is said' 2 run x --no-journal <<'END'
ridge: x/experiment.yaml:6:12: the reference's file WORK/x/reference.c has no function 'scale_fer': name one that it has and that is not static
    reference: reference.c:scale_fer
               ^
  in case N=4096
END

fresh
edit x/experiment.yaml 's/name: plain/name: strided/'
expect 'two variants of one name are refused' 2 run x <<'END'
ridge: x/experiment.yaml:31:11: there are two variants named 'strided'
      - name: strided
              ^
END

fresh
edit x/experiment.yaml 's/from: strided/from: stried/'
expect 'a from that names nothing gets a suggestion' 2 run x <<'END'
ridge: x/experiment.yaml:32:11: unknown earlier variant 'stried' (did you mean 'strided'?)
        from: stried
              ^
END

fresh
edit x/experiment.yaml 's/from: strided/from: zzz/'
expect 'a from that names nothing near is refused' 2 run x <<'END'
ridge: x/experiment.yaml:32:11: unknown earlier variant 'zzz' (known: strided)
        from: zzz
              ^
END

fresh
edit x/experiment.yaml 's/from: strided/from: plain/'
expect 'a from that names its own variant is refused' 2 run x <<'END'
ridge: x/experiment.yaml:32:11: variant 'plain' answers itself: 'from' must name an earlier one
        from: plain
              ^
END

fresh
edit x/experiment.yaml s/global_load_sectors:/global_laod_sectors:/
expect 'an expectation of an unknown counter gets a suggestion' 2 run x <<'END'
ridge: x/experiment.yaml:35:35: 'global_laod_sectors' is neither time nor a counter (did you mean 'global_load_sectors'?)
        expect: {global_laod_sectors: -87.5%, load_sectors_per_request: 4, global_load_requests:...
                                      ^
END

fresh
edit x/experiment.yaml s/-87.5%/less/
expect 'an expectation that is no figure is refused' 2 run x <<'END'
ridge: x/experiment.yaml:35:35: 'less' is no expectation; write -50%, 2x, <= 4, >= 90 or a number
        expect: {global_load_sectors: less, load_sectors_per_request: 4, global_load_requests: 2...
                                      ^
END

fresh
edit x/experiment.yaml 's/type: f32/type: f23/'
expect 'an unknown type gets a suggestion' 2 run x <<'END'
ridge: x/experiment.yaml:13:11: unknown type 'f23' (did you mean 'f32'?)
        type: f23
              ^
END

fresh
edit x/experiment.yaml s/uniform/unifrom/
expect 'an unknown fill gets a suggestion' 2 run x <<'END'
ridge: x/experiment.yaml:15:11: unknown fill 'unifrom' (did you mean 'uniform'?)
        fill: unifrom(-1,1)
              ^
END

fresh
edit x/experiment.yaml 's/args: .y, x/args: [y, xx/'
expect 'an unknown buffer in the arguments gets a suggestion' 2 run x <<'END'
ridge: x/experiment.yaml:30:15: unknown buffer or parameter 'xx' (known: x, y, N)
        args: [y, xx, 2.5, N]
                  ^
END

fresh
edit x/experiment.yaml 's/^title:.*/title: "a\\e[31m"/'
expect 'a control character is refused' 2 run x <<'END'
ridge: x/experiment.yaml:4:8: 'title' holds a control character (0x1b)
    title: "a\e[31m"
           ^
END

fresh
edit x/reference.c 's/y\[i\] = .*/*(volatile int *)0 = N;/'
expect 'a reference that crashes is said' 2 run x --no-journal <<'END'
ridge: the reference 'scale_ref' (WORK/x/reference.c) crashed its process (Segmentation fault)
  it gets the arguments of variant 'strided', where 'reference' names none of its own: check that its parameters are these, in this order, and that it stays inside its outputs
  in case N=4096
END

fresh
edit x/reference.c 's/y\[i\] = .*/while (getenv("HANGS"));/; 1i #include <stdlib.h>'
"$RIDGE" run x --no-journal >/dev/null 2>&1 # compiles it: the second below is the reference's alone
HANGS=1 expect 'a reference that hangs is stopped by --timeout' 2 run x --no-journal --timeout 1 <<'END'
ridge: the reference 'scale_ref' (WORK/x/reference.c) did not end within 1 s and was stopped; --timeout gives it more time
  in case N=4096
END

# What a compiler says is its own; that it is said, at the user's own line, is ours.
compile_error() { # NAME FIRST-LINE SECOND-LINE: of standard error, as a pattern
    local name=$1 got
    shift
    "$RIDGE" run x --no-journal >stdout.txt 2>stderr.raw </dev/null
    got=$?
    mask_places <stderr.raw >stderr.txt
    grep -qE -- "$1" <(head -n 1 stderr.txt) && grep -qE -- "$2" stderr.txt &&
        [[ ! -s stdout.txt ]] && ((got == 2))
    pass "$name" $? stderr.txt
}

fresh
edit x/scale.cu 's/y\[i\] = a/y[i] = b/'
compile_error 'a compile error of the kernel is at its own line, once' \
    '^ridge: x/scale.cu does not compile with clang [0-9.]+:$' \
    "^x/scale.cu:7:12: error: use of undeclared identifier 'b'"
grep -c 'does not compile' stderr.txt | diff - <(echo 1) >diff.txt
pass 'and is said once, not for each variant' $? diff.txt

fresh
edit x/reference.c 's/\(double\)a/(double)b/'
compile_error 'a compile error of the reference is at its own line' \
    '^ridge: WORK/x/reference.c: the reference does not compile with .*:$' \
    '^WORK/x/reference.c:5:3[0-9]: error: '

fresh
printf '\nextern "C" __global__ void warns(int *p) { int unused; *p = 1 / 0; }\n' >>x/scale.cu
"$RIDGE" run x --no-journal -q -v --param N=4096 >stdout.txt 2>stderr.txt
pass 'a warning is no error' $? stderr.txt
grep -q '^  x/scale.cu:17:.*warning: division by zero' stdout.txt
pass 'and is shown with --verbose' $? stdout.txt

# The Markdown template shows the kernels of an included file, and of PTX with C++'s names.
fresh
mv x/scale.cu x/kernels.cuh
printf '// The kernels are elsewhere.\n#include "kernels.cuh"\n' >x/scale.cu
"$RIDGE" run x --no-journal -q --markdown --param N=4096 --variant strided >stdout.txt 2>stderr.txt
grep -A12 'Implementation' stdout.txt | found '__global__ void scale_strided(' &&
    ! grep -q 'not written out' stdout.txt
pass 'the implementation of an included kernel is shown' $? stdout.txt
fresh
edit x/experiment.yaml 's/source: scale.cu/source: scale.ptx/'
sed -i 's/entry scale_strided(/entry _Z13scale_stridedPf(/; s/scale_strided_param/sp/g' x/scale.ptx
"$RIDGE" run x --no-journal -q --markdown --param N=4096 --variant strided >stdout.txt 2>stderr.txt
grep -A12 'Implementation' stdout.txt | found '^```ptx' && grep -q 'entry _Z13scale_stridedPf(' stdout.txt
pass 'and that of a kernel given as PTX' $? stdout.txt

finish
