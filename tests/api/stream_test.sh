#!/usr/bin/env bash
# The library on a program's own stream: the driver is a fake one (tests/device/fake_driver.c), whose clock
# counts each launch as 50 us; a profiler that listens to NVTX is played by nvtx_tool.c.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../cli/support.sh"
need cc clang
need_plain_library
build=$(cd "$(dirname "$RIDGE")" && pwd)
export RIDGE_DATA_DIR=$build/share/ridge RIDGE_JOURNAL=$work/j.sqlite FAKE_NS=50000
here=$root/tests/api fake=$root/tests/device/fake_driver.c

{ cc -std=gnu17 -fPIC -c -o fake.o "$fake" &&
    cc -std=gnu17 -fPIC -DFAKE_REST -I"$root/src" -c -o rest.o "$fake" &&
    cc -shared -o libcuda.so.1 fake.o rest.o &&
    cc -shared -fPIC -o tool.so "$here/nvtx_tool.c" &&
    cc "$here/stream.c" -I"$root/include" -L"$build" -lridge -Wl,-rpath,"$build" -o stream; } >cc.txt 2>&1
pass 'driver, profiler and program build' $? cc.txt
cat >k.cu <<'CU'
extern "C" __global__ void twice(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}
CU

LD_LIBRARY_PATH=$work ./stream cuda:0 k.cu >out.txt 2>&1
pass 'regions are timed on a real device, opened twice in one process' $? out.txt
says() { # NAME PATTERN
    grep -Eq "$2" out.txt
    pass "$1" $? out.txt
}
says 'cold regions are sampled one by one until they are settled' \
    '^cold: outer/a measured 50 us, 30 or more samples, batch 1'
says 'without counters the times stand, and the note says why' 'no hardware counters: '
says 'a region is as fast as itself' '^like with like: no difference'
says 'warm ones are sampled in batches' '^warm: warm measured 50 us, 30 or more samples, batch [2-9]'
says 'the program is called with its own stream, its inputs made new before blocks' \
    '^prepared: yes, strange streams: 0'
says 'begin and end make a sample; NVTX ranges of the program name it' '^course: nvtx/inner/x measured 50 us'

LD_LIBRARY_PATH=$work NVTX_INJECTION64_PATH=$work/tool.so NVTX_LOG=$work/nvtx.log \
    ./stream cuda:0 k.cu >out.txt 2>&1
pass 'with a profiler that listens to NVTX too' $? out.txt
grep -q '^outer$' nvtx.log && grep -q '^  ridge: warm up$' nvtx.log && grep -q '^  [ab]$' nvtx.log &&
    grep -q '^  ridge: count$' nvtx.log && grep -q '^nvtx/inner/x$\|^x$' nvtx.log
pass 'it hears the ranges of the program and the phases of ridge, nested' $? nvtx.log
[[ $(sort nvtx.log | uniq -c | awk '$2 == "outer" { print $1 }') == 1 ]]
pass 'and each once' $? nvtx.log

# AMD's way: rocprofv3 loads roctx into the program; tools in the environment leave that to the program.
cc -shared -fPIC -DROCTX -o libroctx64.so.4 "$here/nvtx_tool.c"
heard() { # NAME: what roctx heard
    [[ $(grep -c '^  ridge: warm up$' nvtx.log) -ge 1 && $(sort nvtx.log | uniq -c | awk '$2 == "outer" { print $1 }') == 1 ]]
    pass "$1" $? nvtx.log
}
LD_LIBRARY_PATH=$work LD_PRELOAD=$work/libroctx64.so.4 NVTX_LOG=$work/nvtx.log ./stream cuda:0 k.cu >out.txt 2>&1
heard 'roctx in the process hears the ranges and phases'
rm nvtx.log
LD_LIBRARY_PATH=$work HSA_TOOLS_LIB=librocprofiler64.so.1 NVTX_LOG=$work/nvtx.log ./stream cuda:0 k.cu >out.txt 2>&1
heard 'roctx is opened for a tool in the environment'
rm nvtx.log
LD_LIBRARY_PATH=$work NVTX_LOG=$work/nvtx.log ./stream cuda:0 k.cu >out.txt 2>&1
[[ ! -e nvtx.log ]]
pass 'without one it is not' $? out.txt
finish
