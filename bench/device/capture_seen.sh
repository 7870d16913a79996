#!/usr/bin/env bash
# Programs under ridge capture on the first GPU: plain CUDA, streams with a graph, cuBLAS, PyTorch compiled. Digests of their results alone,
# listed and saved; replays on cuda:0 and sim:h200 as saved and anonymised; floors.
# Usage: bench/device/capture_seen.sh FOLDER      (LIMIT: seconds, 116; RIDGE names the program; needs nvcc, for the last program PyTorch)
# SPDX-License-Identifier: Apache-2.0
set -u
mkdir -p "${1:?FOLDER}"
out=$(realpath "$1")
RIDGE=$(realpath "${RIDGE:-build/ridge}")
end=$((SECONDS + ${LIMIT:-116}))
work=$(mktemp -d)
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache NO_COLOR=1 COLUMNS=160 TORCHINDUCTOR_CACHE_DIR=$work/inductor TRITON_CACHE_DIR=$work/triton
say() { echo "$*  [$SECONDS s]" | tee -a "$out/result"; }
# at most SECONDS, and not beyond the end
lim() { local s=$1 left=$((end - SECONDS)); shift; ((left < s)) && s=$left; ((s > 1)) || return 124; timeout -k 1 "$s" "$@"; }
cat >"$work/program.cu" <<'CU'
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#ifdef BLAS
#include <cublas_v2.h>
#endif
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ float bias = 0.5f;
extern "C" __global__ void fill(float *x, int n, float v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = v + (float)(i % 1013) / 1013;
}
extern "C" __global__ void blend(const float *in, const float *other, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = weights[i & 3] * in[i] + other[i] + bias;
}
extern "C" __global__ void gather(const float *in, const int *at, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[at[i]];
}
static uint64_t digest(const void *data, size_t bytes)
{
    uint64_t h = 14695981039346656037ull;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
    return h;
}
static void print(const char *what, const float *x, int n)
{
    std::vector<float> h(n);
    cudaMemcpy(h.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%s %016llx\n", what, (unsigned long long)digest(h.data(), n * sizeof(float)));
}
int main(int argc, char **argv)
{
    const int n = 1 << 22, blocks = n / 256, repeats = argc > 2 ? atoi(argv[2]) : 50;
    const char *how = argc > 1 ? argv[1] : "plain";
    float *a, *b, *c;
    int *at;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&c, n * sizeof(float));
    cudaMalloc(&at, n * sizeof(int));
    cudaMemset(c, 0, n * sizeof(float));
    std::vector<int> h(n);
    for (int i = 0; i < n; i++)
        h[i] = (int)((i * 2654435761u) % n);
    cudaMemcpy(at, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    float w[4] = {0.25f, 0.5f, 0.125f, 0.75f};
    cudaMemcpyToSymbol(weights, w, sizeof w);
    fill<<<blocks, 256>>>(a, n, 1);
    fill<<<blocks, 256>>>(b, n, 2);
    if (strcmp(how, "plain") == 0)
        for (int i = 0; i < repeats; i++) {
            blend<<<blocks, 256>>>(a, b, c, n);
            gather<<<blocks, 256>>>(c, at, a, n);
        }
    if (strcmp(how, "streams") == 0) {
        cudaStream_t s[3];
        cudaEvent_t fork, join;
        cudaGraph_t graph;
        cudaGraphExec_t ready;
        cudaDeviceSynchronize();
        float *part[3] = {a, b, c};
        for (int i = 0; i < 3; i++) {
            cudaStreamCreate(&s[i]);
            for (int k = 0; k < repeats; k++)
                blend<<<blocks / 4, 256, 0, s[i]>>>(part[i], part[i], part[i], n / 4);
        }
        cudaDeviceSynchronize();
        cudaEventCreate(&fork);
        cudaEventCreate(&join);
        cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
        blend<<<blocks, 256, 0, s[0]>>>(a, b, c, n);
        cudaEventRecord(fork, s[0]);
        cudaStreamWaitEvent(s[1], fork, 0);
        blend<<<blocks, 256, 0, s[1]>>>(c, b, a, n);
        cudaEventRecord(join, s[1]);
        cudaStreamWaitEvent(s[0], join, 0);
        gather<<<blocks, 256, 0, s[0]>>>(a, at, b, n);
        cudaStreamEndCapture(s[0], &graph);
        cudaGraphInstantiate(&ready, graph, 0);
        for (int i = 0; i < 5; i++)
            cudaGraphLaunch(ready, s[0]);
        cudaDeviceSynchronize();
    }
#ifdef BLAS
    cublasHandle_t handle;
    cublasCreate(&handle);
    float one = 1, zero = 0;
    for (int i = 0; i < repeats; i++)
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2048, 2048, 2048, &one, a, 2048, b, 2048, &zero, c, 2048);
#endif
    print("a", a, n);
    print("b", b, n);
    print("c", c, n);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 5;
}
CU
nvcc -std=c++17 -gencode arch=compute_75,code=compute_75 -o "$work/program" "$work/program.cu" >"$out/nvcc" 2>&1 &
nvcc -std=c++17 -arch=native -DBLAS -o "$work/blas" "$work/program.cu" -lcublas >"$out/nvcc.blas" 2>&1 &
cat >"$work/compiled.py" <<'P'
import hashlib, torch
torch.manual_seed(1)
f = torch.compile(lambda x, y: torch.relu(x * 2 + 1) * y)
x = torch.randn(1 << 20, device="cuda")
for _ in range(10):
    y = f(x, x)
a = torch.randn(1024, 1024, device="cuda", dtype=torch.bfloat16)
b = torch.softmax(a @ a, 1)
print(hashlib.sha256(y.cpu().numpy().tobytes()).hexdigest(), hashlib.sha256(b.float().cpu().numpy().tobytes()).hexdigest())
P
wait
# name, row that must be in the list, program …: results alone, listed and saved are the same
listed() {
    local name=$1 row=$2
    shift 2
    lim 40 "$@" >"$out/$name.alone" 2>"$work/alone.err"
    local alone=$?
    lim 40 "$RIDGE" capture --list -q -o "$out/$name.list" --trace "$work/$name.trace" -- "$@" >"$out/$name.listed" 2>"$out/$name.listed.err"
    local with=$?
    if ((alone == with)) && [[ -s $out/$name.alone ]] && cmp -s "$out/$name.alone" "$out/$name.listed" && grep -Eq -- "$row" "$out/$name.list"; then
        say "ok - $name is listed, results the same (status $with, $(tr '\n' ' ' <"$out/$name.alone" | cut -c1-70))"
    else
        say "not ok - $name: status $alone alone, $with listed"
        tail -n 3 "$out/$name.listed.err" "$work/alone.err"
    fi
    gzip -c "$work/$name.trace" 2>/dev/null | head -c 300000 >"$out/$name.trace.gz"
}
# name, kernels, options, program …: saved, replayed on the GPU and where there is PTX on the simulated one
saved() {
    local name=$1 kernels=$2 options=$3 folder device base=${1%%-*}
    shift 3
    lim 40 "$RIDGE" capture -o "$work/$name" $options --kernel "$kernels" -- "$@" >"$out/$name.saved" 2>"$out/$name.saved.err"
    grep -v ': ridge run \|^  \|^packed: ' "$out/$name.saved" >"$work/own"
    [[ -s $work/own ]] && cmp -s "$work/own" "$out/$base.alone" && say "ok - $name saved, results the same" || say "not ok - $name saved: the results differ, or none"
    for folder in "$work/$name"/*/; do
        [[ -e $folder/experiment.yaml ]] || { say "not ok - $name: nothing was saved"; tail -n 3 "$out/$name.saved.err"; continue; }
        k=$name-$(basename "$folder" | cut -c1-40)
        cp "$folder/experiment.yaml" "$out/$k.yaml"
        for device in cuda:0 sim:h200; do
            [[ $device == sim:* && ! -e $folder/kernel.ptx ]] && continue
            if lim 25 "$RIDGE" run "$folder" --device $device --time-limit 0.5 >"$out/$k.$device" 2>&1; then
                say "ok - $k replays on $device"
            else
                say "not ok - $k on $device: status $?"
                head -8 "$out/$k.$device"
            fi
        done
    done
}
listed plain blend "$work/program" plain
listed streams blend "$work/program" streams
listed blas 'gemm|cutlass|nvjet|Sgemm' "$work/blas" blas
saved plain-as-is '^(blend|gather)$' '' "$work/program" plain
saved plain-anonymised '^(blend|gather)$' '--anonymise --pack' "$work/program" plain
tar tvf "$work/plain-anonymised.tar" >"$out/plain-anonymised.tar.list" 2>&1
"$RIDGE" capture --list -q -o "$work/page.html" -- "$work/program" streams >"$work/out" 2>&1
gzip -c "$work/page.html" >"$out/streams.html.gz" 2>/dev/null
lim 30 "$RIDGE" capture --list --floors -q --json -o "$out/plain.floors.json" -- "$work/program" plain >"$work/out" 2>"$out/plain.floors.err"
say "plain floors: status $?"
python3 - "$out/plain.floors.json" <<'P' 2>&1 | tee -a "$out/result"
import json, sys
for k in json.load(open(sys.argv[1]))["kernels"]:
    print("  ", k["name"][:40], k["launches"], k["median_ns"], json.dumps(k.get("floor"))[:400])
P
saved blas-as-is 'gemm|cutlass|nvjet|Sgemm' '' "$work/blas" blas 2
listed compiled triton python3 "$work/compiled.py"
saved compiled-as-is '^triton' '' python3 "$work/compiled.py"
saved compiled-anonymised '^triton' '--anonymise' python3 "$work/compiled.py"
lim 45 "$RIDGE" capture --list --floors -q -o "$out/compiled.floors" -- python3 "$work/compiled.py" >"$work/out" 2>"$out/compiled.floors.err"
say "compiled floors: status $?"
sed -n '/What to work/,/Kernels by/p' "$out/compiled.floors" 2>/dev/null | cut -c1-150
rm -rf "$work"
echo; cut -c1-150 "$out/result"
