#!/usr/bin/env bash
# Shipped experiments on the simulated AMD GPU: clang's machine code for gfx90a gives what their references give, and what
# is wrong is reported. Needs clang.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
RIDGE=$(realpath "${RIDGE:-build/ridge}")
command -v python3 >/dev/null || { echo "skip: no python3"; exit 0; }
for program in clang python3; do
    command -v "$program" >/dev/null || { echo "skip: no $program"; exit 0; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang --print-targets >"$work/targets.txt" 2>&1 || true
grep -w amdgcn "$work/targets.txt" >/dev/null || { echo "skip: this clang makes no code for AMD's GPUs"; exit 0; }
experiments=$(realpath experiments)
cd "$work"
export RIDGE_JOURNAL=$work/journal.db
failures=0

verified() { # EXPERIMENT PARAMETER VARIANT...
    local experiment=$1 parameter=$2 variant
    shift 2
    "$RIDGE" verify "$experiments/$experiment" --device "$chip" --param $parameter >out.txt 2>err.txt || true
    for variant; do
        if ! grep -E "^  $variant +verified" out.txt >/dev/null; then
            echo "FAIL: $experiment: $variant is not verified"
            cat out.txt err.txt
            failures=$((failures + 1))
        fi
    done
}

chip=sim:mi250x
verified vector n=65536 strided aos soa soa-vec4 aos-vec4
verified portable n=65536 chunks strided sized-at-launch
verified transpose N=256 naive coalesced-reads tiled padded rows wide striped
verified histogram N=1024 global shared private wide runs columns
verified lookup N=1024 global constant shared wide columns

verified waves n=16384 tree warps waves sized
verified matrix-cores 'M=64 --param N=64 --param K=64' naive mfma
# MI300X, where a clang knows it.
if compgen -c | grep -xE 'clang-(1[789]|2[0-9])' >later.txt; then
    chip=sim:mi300x
    verified vector n=65536 strided aos soa soa-vec4 aos-vec4
    verified histogram N=1024 global shared private wide runs columns
    verified matrix-cores 'M=64 --param N=64 --param K=64' naive mfma
    chip=sim:mi250x
else
    echo 'skip: no clang 17 or newer for sim:mi300x'
fi
# RX 7900 XTX, waves of 32, likewise.
if compgen -c | grep -xE 'clang-(1[6789]|2[0-9])' >later.txt; then
    chip=sim:rx7900xtx
    verified vector n=65536 strided aos soa soa-vec4 aos-vec4
    verified portable n=65536 chunks strided sized-at-launch
    verified transpose N=256 naive coalesced-reads tiled padded rows wide striped
    verified histogram N=1024 global shared private wide runs columns
    verified softmax 'cols=1024 --param elements=4096' thread block online warp registers
    verified waves n=16384 tree warps waves sized
    verified matrix-cores 'M=64 --param N=64 --param K=64' naive rdna3
    chip=sim:mi250x
else
    echo 'skip: no clang 16 or newer for sim:rx7900xtx'
fi

# What only one of the simulated GPUs counts is not in the other's JSON, not even as 0.
counters() { # DEVICE: name=value of naive's, a line each
    "$RIDGE" run "$experiments/transpose" --device "$1" --variant naive --param N=256 --json >run.json 2>err.txt
    python3 -c 'import json, sys
for name, figure in json.load(open("run.json"))["results"][0]["counters"].items():
    print("%s=%g %s" % (name, figure["value"], figure["provenance"]))'
}
check() { # WHAT STATUS FILE...
    (($2 == 0)) && return
    echo "FAIL: $1"
    shift 2
    cat "$@"
    failures=$((failures + 1))
}
counters sim:h200 >nvidia.txt
counters sim:mi250x >amd.txt
"$RIDGE" annotate transpose:naive >annotated.txt
grep -E ' 100 +20\.0 .* [0-9]+ . +out\[y \* N \+ x\] = in\[x \* N \+ y\];' annotated.txt >/dev/null || check 'annotate' 1 annotated.txt
# 1024 waves of two rows: a load reaches 32 lines of 64 bytes, a store 4.
# All of the input is read from memory once, and the output kept in L2.
for counter in global_load_requests=1024 dram_read_bytes=262144 l2_write_sectors=8192 global_load_lines_64=32768 global_store_lines_64=4096 vector_memory_instructions=2048 lds_instructions=0; do
    grep -x "$counter simulated" amd.txt >/dev/null || check "$counter" 1 amd.txt
done
for counter in global_load_lines_64 global_store_lines_64 vector_instructions scalar_instructions vector_memory_instructions \
    scalar_memory_instructions lds_instructions; do
    ! grep "^$counter=" nvidia.txt >/dev/null || check "$counter on sim:h200" 1 nvidia.txt
done
grep -x 'texture_requests=0 simulated' nvidia.txt >/dev/null || check 'texture_requests on sim:h200' 1 nvidia.txt
! grep -E '^(texture_requests|global_load_lines)=' amd.txt >/dev/null || check 'figures of others on sim:mi250x' 1 amd.txt

# Both devices in one table, each with its modelled time; that of AMD's is not validated, and said to be so.
"$RIDGE" run "$experiments/transpose" --device sim:h200,sim:mi250x --variant padded --param N=256 -q >both.txt
grep -E '^  padded  +sim:h200  +yes +[0-9.]+ us ' both.txt >/dev/null || check 'the table of both' 1 both.txt
grep -E '^  +sim:mi250x +yes +[0-9.]+ us .* 100 +100 +0\.0 +100 ' both.txt >/dev/null || check "the table's second device" 1 both.txt
grep -E '^  lanes of a warp or wave +32 +64$' both.txt >/dev/null || check 'what differs' 1 both.txt
grep -E '^sim:mi250x: ship padded, the fastest, [0-9.]+ us modelled: ' both.txt >/dev/null || check 'what is fastest on each' 1 both.txt
"$RIDGE" explain transpose:padded >explained.txt
tr -s '\n ' ' ' <explained.txt >message.txt
grep -F 'time not validated on this chip' message.txt >/dev/null || check 'a time that is not validated' 1 message.txt

# The caches that only some chips have: figures of RDNA3's arrays, and of the cache in front of memory.
! grep -E '^(array_load_sectors_hit|memory_cache_)' amd.txt >/dev/null || check 'caches that MI250X lacks' 1 amd.txt
if compgen -c | grep -xE 'clang-(1[6789]|2[0-9])' >later.txt; then
    counters sim:rx7900xtx >rdna.txt
    python3 -c 'import json; r = json.load(open("run.json"))["results"][0]
print(r["time_ns"]["provenance"], r["time_ns"]["median"] > 1000)' >time.txt
    grep -x 'modelled True' time.txt >/dev/null || check 'a modelled time of sim:rx7900xtx' 1 time.txt
    # The waves of a work-group run on two CUs: what one of them brought from L2, the other has from their array's L1.
    for counter in l2_read_sectors=8192 array_load_sectors_hit=8192 dram_read_bytes=262144 memory_cache_read_bytes=262144 memory_cache_hit_bytes=0 l2_write_sectors=8192; do
        grep -x "$counter simulated" rdna.txt >/dev/null || check "$counter" 1 rdna.txt
    done
fi

# Kernels without inline PTX run although the source has some, in itself and in what it includes; one that has it says where.
verified softmax 'cols=1024 --param elements=4096' thread block online warp registers
mkdir ptx && cd ptx
printf '%s\n' '#pragma once' 'static __device__ unsigned sm(void)' '{' '    unsigned id;' \
    '    asm("mov.u32 %0, %%smid;"' '        : "=r"(id));' '    return id;' '}' >sm.h
cat >two.cu <<'CU'
#include "sm.h"
extern "C" __global__ void plain(unsigned *out) { out[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void ptx(unsigned *out) { out[threadIdx.x] = threadIdx.x + 0 * sm(); }
CU
echo 'void two_ref(unsigned *out) { for (unsigned i = 0; i < 64; i++) out[i] = i; }' >reference.c
cat >experiment.yaml <<'YAML'
experiment: two
title: With and without
source: two.cu
reference: reference.c:two_ref
buffers:
  out: {type: u32, count: 64, output: true}
work: {bytes: 256}
variants:
  - {name: plain, kernel: plain, grid: [1], block: [64], args: [out]}
  - {name: ptx, from: plain, hypothesis: none, kernel: ptx, grid: [1], block: [64], args: [out]}
YAML
"$RIDGE" verify . --device sim:mi250x >out.txt 2>err.txt || true
tr -s '\n ' ' ' <out.txt >message.txt
grep -E '^  plain +verified' out.txt >/dev/null || check 'a kernel beside inline PTX' 1 out.txt err.txt
grep -F "sm.h:5: kernel 'ptx': here the source has inline PTX, which AMD's chips do not run" message.txt >/dev/null ||
    check 'inline PTX' 1 message.txt err.txt
cd ..

# Functions of AMD's device libraries, where these and a clang that reads them are here.
libraries=
for folder in "${RIDGE_ROCM_PATH-}" "${ROCM_PATH-}" /opt/rocm /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu; do
    [[ ! -e $folder/amdgcn/bitcode/ocml.bc ]] || libraries=$folder
done
if [[ -z $libraries ]] || ! compgen -c | grep -xE 'clang-(1[6789]|2[0-9])' >later.txt; then
    echo 'skip: functions of libraries: no rocm-device-libs, or no clang 16 or newer'
else
    mkdir functions && cd functions
    body='o[i] = powf(x, 1.7f); o[n + i] = erff(x); o[2 * n + i] = atan2f(x, 0.3f); o[3 * n + i] = fmodf(x, 0.37f);
        d[i] = exp(y); d[n + i] = log(y); d[2 * n + i] = sin(100 * y); d[3 * n + i] = pow(y, 2.5); d[4 * n + i] = cbrt(y);'
    cat >functions.cu <<CU
extern "C" __global__ void functions(float *o, double *d, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    double y = x;
    $body
}
CU
    cat >reference.c <<C
#include <math.h>
void functions_ref(float *o, double *d, const float *a, int n)
{
    for (int i = 0; i < n; i++) {
        float x = a[i];
        double y = x;
        $body
    }
}
C
    cat >experiment.yaml <<'YAML'
experiment: functions
title: Functions of libraries
source: functions.cu
reference: reference.c:functions_ref
params: {N: [512]}
buffers:
  o: {type: f32, count: 4*N, output: true, tolerance: {rel: 1e-6, abs: 1e-6}}
  d: {type: f64, count: 5*N, output: true, tolerance: {rel: 1e-14, abs: 1e-15}}
  a: {type: f32, count: N, fill: "uniform(0.1,3)"}
work: {bytes: 4}
variants:
  - {name: all, kernel: functions, grid: [8], block: [64], args: [o, d, a, N]}
YAML
    for device in sim:mi300x sim:rx7900xtx; do
        [[ $device != sim:mi300x ]] || compgen -c | grep -xE 'clang-(1[789]|2[0-9])' >later.txt || continue
        "$RIDGE" verify . --device $device >out.txt 2>err.txt || true
        grep -E '^  all +verified' out.txt >/dev/null || check "functions of libraries on $device" 1 out.txt err.txt
    done
    cd ..
fi

cat >wrong.cu <<'CU'
extern "C" __global__ void copy(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i + 1] = in[i];
}
CU
cat >reference.c <<'C'
void copy_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i];
}
C
cat >experiment.yaml <<'YAML'
experiment: wrong
title: A store beyond the end
source: wrong.cu
reference: reference.c:copy_ref
params:
  N: [1024]
buffers:
  in: {type: f32, count: N, fill: "uniform(-1,1)"}
  out: {type: f32, count: N, output: true}
work: {bytes: 8*N}
variants:
  - {name: shifted, kernel: copy, grid: [4], block: [256], args: [out, in, N]}
YAML
status=0
"$RIDGE" verify . --device sim:mi250x >out.txt 2>err.txt || status=$?
tr -s '\n ' ' ' <out.txt >message.txt
if [[ $status != 1 ]] || ! grep -E "wrong.cu:4: kernel 'copy': .* past the end of 'out' \(4096 bytes\), by 'global_store_dword" message.txt >/dev/null; then
    echo "FAIL: the store beyond the end is not reported (status $status)"
    cat out.txt err.txt
    failures=$((failures + 1))
fi
sed -i 's/args: \[out, in, N\]}/args: [out, in, N], requires: cc >= 9.0}/' experiment.yaml
"$RIDGE" verify . --device sim:mi250x >out.txt 2>err.txt || true
if ! grep -F 'cc >= 9.0' out.txt err.txt >/dev/null || grep -F "past the end" out.txt >/dev/null; then
    echo "FAIL: a variant for NVIDIA's chips is not left out"
    cat out.txt err.txt
    failures=$((failures + 1))
fi

# A wave writes what another reads: with --check both threads and both lines, as on NVIDIA's side.
mkdir race && cd race
cat >race.cu <<'CU'
extern "C" __global__ void reverse(int *out, const int *in)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[255 - threadIdx.x];
}
CU
echo 'void reverse_ref(int *out, const int *in) { for (int i = 0; i < 256; i++) out[i] = in[255 - i]; }' >reference.c
cat >experiment.yaml <<'YAML'
experiment: race
title: Without a barrier
source: race.cu
reference: reference.c:reverse_ref
buffers:
  in: {type: i32, count: 256, fill: iota}
  out: {type: i32, count: 256, output: true}
work: {bytes: 2048}
variants:
  - {name: direct, kernel: reverse, grid: [1], block: [256], args: [out, in]}
YAML
for device in sim:h200 sim:mi250x; do
    "$RIDGE" verify . --device "$device" --check >out.txt 2>err.txt || true
    tr -s '\n ' ' ' <out.txt >message.txt
    grep -E "race.cu:[45]: kernel 'reverse': (reads|writes) shared memory at 0x[0-9a-f]+ that thread \([0-9]+,0,0\) of block \(0,0,0\) (reads|writes) with no barrier between.*the other: block \(0,0,0\), thread \([0-9]+,0,0\), line [45]" \
        message.txt >/dev/null || check "a race on $device" 1 message.txt err.txt
done
cd ..
((failures == 0)) && echo 'shipped experiments run as machine code of gfx90a'
exit $((failures > 0))
