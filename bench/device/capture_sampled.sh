#!/usr/bin/env bash
# `ridge capture --list`, which times launches by sample, held to CUPTI's times (--exact) and to the programs alone, on the first GPU: results,
# counts, totals, and what it adds within one process (capture.cu, inside: blocks of launches through the recorder and past it, in turn).
# Usage: bench/device/capture_sampled.sh DIR [SECONDS-AT-MOST]     (RIDGE names ridge; needs nvcc, cuBLAS, python3, for the last program PyTorch)
# DIR gets the lists; tables go to standard output.
# SPDX-License-Identifier: Apache-2.0
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1 at_most=${2:-110}
mkdir -p "$out"
RIDGE=$(realpath "${RIDGE:-$here/../../build/ridge}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache NO_COLOR=1 COLUMNS=200 TORCHINDUCTOR_CACHE_DIR=$work/inductor TRITON_CACHE_DIR=$work/triton
recorder=$(dirname "$RIDGE")/libridge-capture.so
cat >"$work/program.cu" <<'CU'
// Kernels of known and of unlike times, waited for and queued, on streams and in a graph, copies, cuBLAS. Prints a digest of all results.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
#ifdef BLAS
#include <cublas_v2.h>
#endif
template <int US> __global__ void lasts(float *x, int n)
{
    long long from, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(from));
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * 1.0001f + US;
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - from < US * 1000);
}
__global__ void scale(float *x, int n, float by)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = x[i] * by + 1;
}
__global__ void uneven(float *x, int n, int rounds)
{
    for (int r = 0; r < rounds; r++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            x[i] = x[i] * 0.999f + r;
}
template <int US> static void both(float *x, int count)
{
    for (int i = 0; i < count; i++) {
        lasts<US><<<2, 64>>>(x, 128);
        cudaDeviceSynchronize();
    }
}
static void streams(float *x, int n, int count)
{
    cudaStream_t s[3];
    for (auto &one : s)
        cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            scale<<<16, 256, 0, s[k]>>>(x + (size_t)k * n, n, 0.5f);
    cudaDeviceSynchronize();
}
static void graphs(float *x, int n, int count)
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal);
    for (int i = 0; i < 10; i++)
        scale<<<32, 256, 0, s>>>(x, n, 0.25f);
    lasts<10><<<2, 64, 0, s>>>(x, 128);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < count; i++) {
        cudaGraphLaunch(ready, s);
        if (i % 2)
            cudaStreamSynchronize(s);
    }
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(ready);
}
int main(int argc, char **argv)
{
    const int n = 1 << 22;
    int times = argc > 1 ? atoi(argv[1]) : 1;
    std::vector<float> host(3 * n);
    for (int i = 0; i < 3 * n; i++)
        host[i] = (float)(i % 1013) / 1013;
    float *x, *pinned;
    cudaMalloc(&x, 3 * sizeof(float) * n);
    cudaMallocHost(&pinned, sizeof(float) * n);
    cudaMemcpy(x, host.data(), 3 * sizeof(float) * n, cudaMemcpyHostToDevice);
    for (int t = 0; t < times; t++) {
        both<2>(x, 4000);
        both<10>(x, 4000);
        both<50>(x, 1000);
        for (int i = 0; i < 3000; i++)
            lasts<5><<<2, 64>>>(x, 128);
        cudaDeviceSynchronize();
        for (int i = 0; i < 3000; i++)
            lasts<20><<<2, 64>>>(x, 128);
        cudaDeviceSynchronize();
        for (int i = 0; i < 3000; i++) {
            scale<<<1024, 256>>>(x, n, 0.75f);
            if (i % 3 == 0)
                cudaDeviceSynchronize();
        }
        for (int i = 0; i < 3000; i++)
            uneven<<<512, 256>>>(x, 1 << 18, 1 + i * 7919 % 23);
        cudaDeviceSynchronize();
        for (int i = 0; i < 300; i++) {
            cudaMemsetAsync(x + n, 0, sizeof(float) * n);
            cudaMemcpyAsync(pinned, x, sizeof(float) * n, cudaMemcpyDeviceToHost);
            cudaMemcpyAsync(x + 2 * n, x, sizeof(float) * n, cudaMemcpyDeviceToDevice);
        }
        cudaDeviceSynchronize();
        streams(x, n, 1000);
        std::thread one([=] { streams(x, n, 500); }), two([=] { graphs(x, 1 << 20, 1000); });
        one.join();
        graphs(x + 2 * n, 1 << 20, 500);
        two.join();
#ifdef BLAS
        cublasHandle_t blas;
        cublasCreate(&blas);
        const float alpha = 1e-3f, beta = 0;
        for (int size = 128; size <= 1024; size *= 2)
            for (int i = 0; i < 1000; i++)
                cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &alpha, x, size, x + n, size, &beta, x + 2 * n, size);
        cudaDeviceSynchronize();
        cublasDestroy(blas);
#endif
    }
    cudaMemcpy(host.data(), x, 3 * sizeof(float) * n, cudaMemcpyDeviceToHost);
    uint64_t digest = 14695981039346656037ull;
    for (int i = 0; i < 3 * n; i++) {
        uint32_t bits;
        __builtin_memcpy(&bits, &host[i], 4);
        digest = (digest ^ bits) * 1099511628211ull;
    }
    printf("digest %016llx %s\n", (unsigned long long)digest, cudaGetErrorString(cudaGetLastError()));
    return cudaGetLastError() != cudaSuccess;
}
CU
cat >"$work/torch_program.py" <<'PY'
import hashlib, torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.GELU(), torch.nn.Linear(4096, 1024)).cuda().half()
x = torch.randn(512, 1024, device='cuda', dtype=torch.half)
fast = torch.compile(lambda v: torch.nn.functional.softmax(v * 2 + 1, -1) * v.sigmoid())
digest = hashlib.sha256()
with torch.no_grad():
    for i in range(300):
        y = fast(net(x))
        if i % 10 == 0:
            digest.update(y.cpu().numpy().tobytes())
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            y = fast(net(x))
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = fast(net(x))
    for i in range(500):
        graph.replay()
    torch.cuda.synchronize()
digest.update(y.cpu().numpy().tobytes())
print('digest', digest.hexdigest()[:16])
PY
nvcc -O3 -std=c++17 -arch=native -o "$work/capture" "$here/capture.cu" -ldl >"$out/cc" 2>&1 &
nvcc -O3 -std=c++17 -arch=native -o "$work/plain" "$work/program.cu" >>"$out/cc" 2>&1 &
nvcc -O3 -std=c++17 -arch=native -cudart shared -DBLAS -o "$work/blas" "$work/program.cu" -lcublas >>"$out/cc" 2>&1 &
wait
echo "built: $SECONDS s"

compare() { # name, command: digests, counts and totals
    local name=$1
    shift
    ((SECONDS < at_most)) || return
    timeout 60 "$@" >"$out/$name.alone" 2>"$out/$name.alone.err"
    echo "status $?" >>"$out/$name.alone"
    for way in sampled exact; do
        read -ra option <<<"$([[ $way = exact ]] && echo --exact)"
        timeout 60 "$RIDGE" capture --list "${option[@]}" --json -o "$out/$name.$way.json" -- "$@" >"$out/$name.$way" 2>"$out/$name.$way.err"
        echo "status $?" >>"$out/$name.$way"
    done
    echo "== $name, $SECONDS s: sampled $(cmp -s "$out/$name.alone" "$out/$name.sampled" && echo same || echo DIFFERENT), exact $(cmp -s "$out/$name.alone" "$out/$name.exact" && echo same || echo DIFFERENT): $(tr '\n' ' ' <"$out/$name.sampled")"
    python3 - "$out/$name.sampled.json" "$out/$name.exact.json" <<'P'
import json, sys
try:
    s, e = (json.load(open(f)) for f in sys.argv[1:])
except Exception as x:
    sys.exit(f'no lists: {x}')
print('not recorded:', s['not_recorded'], e['not_recorded'])
mine = {k['name']: k for k in s['kernels']}
names = {k['name'] for k in e['kernels']} | set(mine)
missing = [n for n in names if n not in mine and n != 'ridge_wait']
counts = [(k['name'], k['launches'], mine[k['name']]['launches'] + mine[k['name']]['by_graphs']) for k in e['kernels'] if k['name'] in mine]
print(f"{len(names)} kernels, missing {missing[:5]}, counts differ: {[c for c in counts if c[1] != c[2]][:8]}")
print('kernel,launches,by_graphs,timed,sampled_us,least_us,most_us,exact_us,per_launch_difference_us,difference_pct,within')
for k in e['kernels'][:24]:
    m = mine.get(k['name'])
    if not m or not m['total_ns'] or k['by_graphs'] or not m['launches']:
        continue
    n, t, x = m['launches'], m['total_ns'], k['total_ns']
    lo, hi = m['total_ns_least'], m['total_ns_most']
    print(f"{k['name'][:44]},{n},{m['by_graphs']},{m['timed']},{t/n/1e3:.3f},{lo/n/1e3 if lo else -1:.3f},{hi/n/1e3 if hi else -1:.3f},{x/n/1e3:.3f},{(t-x)/n/1e3:.3f},{100*(t/x-1):.1f},{lo is not None and lo <= x <= hi}")
print('graphs:', [(g['name'].split(' of')[0], g['launches'], g['timed'], round((g['median_ns'] or 0) / 1e3, 2)) for g in s['graphs'][:5]])
print('copies:', [(c['name'], c['launches'], c['timed'], round((c['total_ns'] or 0) / c['launches'] / 1e3, 2), c['bytes']) for c in s['copies']], 'exact:', [(c['what'], c['count'], round(c['total_ns'] / c['count'] / 1e3, 2), c['bytes']) for c in e['copies']])
P
}
inside() { # rounds
    local round loop cpu arguments=()
    for loop in ${LOOPS:-10:each 12:each 20:each 50:each 10:all 20:all}; do
        arguments+=("${loop%:*}" "$(awk -v us="${loop%:*}" 'BEGIN { print int(60000 / (us + 9) / 20) * 20 }')" "${loop#*:}")
    done
    for ((round = 0; round < $1 && SECONDS < at_most; round++)); do
        cpu=$(($(nproc) < 8 ? 0 : 4 * round % ($(nproc) - 3)))
        mkdir -p "$work/inside.$round"
        timeout 30 taskset -c "$cpu-$((cpu + 3))" env CAPTURE_HOOKS=1 CAPTURE_PAIRS="${PAIRS:-6}" LD_PRELOAD="$recorder" CUDA_INJECTION64_PATH="$recorder" \
            RIDGE_CAPTURE_SAMPLED=1 RIDGE_CAPTURE_FOLDER="$work/inside.$round" "$work/capture" inside "${arguments[@]}" 2>>"$out/inside.err" | sed "s/^/$round,/" >>"$out/blocks.csv"
        "$RIDGE" capture --list --from "$work/inside.$round" >"$out/inside.$round.list" 2>&1
    done
    python3 - "$out/blocks.csv" <<'P'
import csv, statistics as st, sys
blocks, order = {}, []
for row in csv.reader(open(sys.argv[1])):
    r, loop, state, figures = row[0], row[1], row[2], [float(x) for x in row[3:]]
    order += [loop] if loop not in order else []
    blocks.setdefault(loop, {}).setdefault(r, []).append((state, figures))
print('loop,pairs,processes,off_us,added_us,from_us,to_us,added_pct,from_pct,to_pct')
for loop in order:
    added, off = [], []
    for r, seen in blocks[loop].items():
        for i in range(0, len(seen) - 1, 2):
            pair = dict((s, f) for s, f in seen[i:i + 2])
            if len(pair) == 2:
                added.append(pair['on'][0] - pair['off'][0])
                off.append(pair['off'][0])
    if len(added) > 2:
        m, half, base = st.mean(added), 2.0 * st.stdev(added) / len(added) ** .5, st.median(off)
        print(f"{loop},{len(added)},{len(blocks[loop])},{base:.3f},{m:.3f},{m-half:.3f},{m+half:.3f},{100*m/base:.2f},{100*(m-half)/base:.2f},{100*(m+half)/base:.2f}")
P
}
compare plain "$work/plain"
inside "${INSIDE_ROUNDS:-5}"
echo "inside: $SECONDS s, $(sort "$out/inside.err" | uniq -c | tr '\n' ' ')"
compare blas "$work/blas"
if ((SECONDS < at_most && ${ROUNDS:-5} > 0)); then
    RAW=$out/raw ROWS="${ROWS:-10:each 12:each 20:each 50:each 10:all 20:all 10:graph 10:graphs}" WAYS="${WAYS:-alone sampled recorded}" bash "$here/capture.sh" "${ROUNDS:-5}" "${LOOP_SECONDS:-0.1}" "${PAIRED_SECONDS:-30}" 2>"$out/paired.err"
    echo "paired: $SECONDS s"
fi
[[ ${TORCH:-1} = 1 ]] && python3 -c 'import torch' 2>"$out/torch.err" && ((SECONDS < at_most)) && compare torch python3 "$work/torch_program.py"
echo "end: $SECONDS s"
