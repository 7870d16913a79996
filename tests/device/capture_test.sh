#!/usr/bin/env bash
# `ridge capture` on a GPU, its list and what it saves: a plain CUDA program, cuBLAS, several streams with a graph, PyTorch, as far as each is
# here; what the programs print, digests of their results, must be the same with and without the recorder. Needs a GPU, NVRTC's or nvcc's toolkit
# with CUPTI; about 2 minutes.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/gpu.sh"
need_gpu capture
failures=0
# name, pattern of a row of the list, program …: the same output and exit status, and that row
watched() {
    local name=$1 row=$2
    shift 2
    "$@" >"$work/alone" 2>"$work/alone.err"
    local alone=$?
    "$RIDGE" capture --list -v -q -o "$work/list" --trace "$work/trace" -- "$@" >"$work/with" 2>"$work/with.err"
    local with=$?
    if ((alone == with)) && cmp -s "$work/alone" "$work/with" && grep -Eq -- "$row" "$work/list"; then
        echo "ok - $name"
        head -12 "$work/list" | sed 's/^/# /'
    else
        echo "not ok - $name: exit status $alone alone, $with with the recorder"
        head -30 "$work/list" "$work/with.err" 2>/dev/null | sed 's/^/# /'
        failures=1
    fi
    "$RIDGE" capture --list -v -q -o "$work/list" -- "$@" >"$work/with" 2>"$work/with.err"
    with=$?
    if ((alone == with)) && cmp -s "$work/alone" "$work/with" && grep -q '^Kernels by time' "$work/list"; then
        echo "ok - $name, by sample"
    else
        echo "not ok - $name, by sample: exit status $alone alone, $with with the recorder"
        head -30 "$work/list" "$work/with.err" 2>/dev/null | sed 's/^/# /'
        failures=1
    fi
}
# name, kernels, program …: a saved launch replays right on this GPU, and where there is PTX on the simulated one
saved() {
    local name=$1 kernels=$2
    shift 2
    "$@" >"$work/alone" 2>"$work/alone.err"
    "$RIDGE" capture -o "$work/saved-$name" --kernel "$kernels" -- "$@" >"$work/with" 2>"$work/with.err"
    grep -v ': ridge run \|^  ' "$work/with" >"$work/own"
    if ! cmp -s "$work/alone" "$work/own" || ! ls "$work/saved-$name"/*/experiment.yaml >"$work/folders"; then
        echo "not ok - $name is saved, and prints what it prints"
        head -20 "$work/with" "$work/with.err" | sed 's/^/# /'
        failures=1
        return
    fi
    grep ': ridge run ' "$work/with" | sed 's/^/# /'
    local folder device
    folder=$(dirname "$(head -1 "$work/folders")")
    for device in cuda:0 sim:h200; do
        [[ $device == sim:* && ! -e $folder/kernel.ptx ]] && continue
        if timeout 60 "$RIDGE" run "$folder" --device $device --time-limit 0.5 >"$work/replayed" 2>&1; then
            echo "ok - $name replays on $device"
        else
            echo "not ok - $name replays on $device"
            head -20 "$work/replayed" | sed 's/^/# /'
            failures=1
        fi
    done
}

if command -v nvcc >"$work/nvcc"; then
    cat >"$work/streams.cu" <<'CU'
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void fill(float *x, int n, float v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = v;
}
__global__ void add(float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += y[i];
}
int main(int argc, char **argv)
{
    const int n = 1 << 24, repeats = argc > 1 ? atoi(argv[1]) : 100;
    float *x[2], *y;
    uint64_t digest = 14695981039346656037ull;
    cudaStream_t stream[2];
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaMalloc(&y, n * sizeof(float));
    fill<<<n / 256, 256>>>(y, n, 1);
    cudaDeviceSynchronize();
    for (int s = 0; s < 2; s++) {
        cudaStreamCreate(&stream[s]);
        cudaMalloc(&x[s], n * sizeof(float));
        fill<<<n / 256, 256, 0, stream[s]>>>(x[s], n, 0);
        for (int i = 0; i < repeats; i++)
            add<<<n / 256, 256, 0, stream[s]>>>(x[s], y, n);
    }
    cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 10; i++)
        add<<<n / 256, 256, 0, stream[0]>>>(x[0], y, n);
    cudaStreamEndCapture(stream[0], &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    for (int i = 0; i < 5; i++)
        cudaGraphLaunch(ready, stream[0]);
    cudaDeviceSynchronize();
    for (int s = 0; s < 2; s++) {
        std::vector<uint64_t> all(n / 2);
        cudaMemcpy(all.data(), x[s], n * sizeof(float), cudaMemcpyDeviceToHost);
        for (uint64_t two : all)
            digest = (digest ^ two) * 1099511628211ull;
    }
    printf("digest %016llx, %s\n", (unsigned long long)digest, cudaGetErrorString(cudaGetLastError()));
    return 5;
}
CU
    if nvcc -arch=native -o "$work/streams" "$work/streams.cu" >"$work/said" 2>&1; then
        watched streams_and_a_graph 'add' "$work/streams"
        saved plain '^_Z3addPfPKfi$' "$work/streams" 3
        # PTX alone, which the driver compiles: it replays on the simulated GPU too, and says what data are for.
        nvcc -gencode arch=compute_75,code=compute_75 -o "$work/jitted" "$work/streams.cu" >"$work/said" 2>&1
        saved jitted '^_Z3addPfPKfi$' "$work/jitted" 3
        "$RIDGE" capture -q -o "$work/anonymous" --anonymise --kernel '^_Z3addPfPKfi$' -- "$work/jitted" 3 >"$work/with" 2>&1
        if grep -q 'reference: *{variant: captured}' "$work"/anonymous/*/experiment.yaml &&
            "$RIDGE" verify "$work"/anonymous/* --device cuda:0 >"$work/replayed" 2>&1; then
            echo 'ok - anonymised data replay'
        else
            echo 'not ok - anonymised data replay'
            tail -n 5 "$work/with" "$work/replayed" | sed 's/^/# /'
            failures=1
        fi
        "$RIDGE" capture --list --floors -q --json -o "$work/floors.json" -- "$work/streams" >"$work/with" 2>"$work/with.err"
        python3 - "$work/floors.json" >"$work/checked" 2>&1 <<'PY'
import json, sys
kernel = json.load(open(sys.argv[1]))["kernels"][0]
print(kernel["name"], kernel["median_ns"], kernel["floor"])
floor = kernel["floor"]
assert floor["limiter"] == floor["floor_of"] == "dram" and floor["time_provenance"] == floor["work_provenance"] == "measured"
assert 0.6 < floor["floor_ns"] / floor["time_ns"] < 1.1
PY
        if (($? == 0)); then
            echo 'ok - floors: a kernel that adds is limited by device memory'
        else
            echo 'not ok - floors: a kernel that adds is limited by device memory'
            tail -n 5 "$work/with.err" | sed 's/^/# /'
            failures=1
        fi
        sed 's/^/# /' "$work/checked"
        # What recording adds: 4,000 launches of some 50 us each.
        seconds() { local from=$EPOCHREALTIME; "$@" >"$work/timed" 2>&1; echo "$from $EPOCHREALTIME" | awk '{ printf "%.3f", $2 - $1 }'; }
        for round in 1 2 3; do
            echo "# round $round: $(seconds "$work/streams" 2000) s alone," \
                "$(seconds "$RIDGE" capture --list --exact -q -- "$work/streams" 2000) s recorded (with the list)"
        done
    else
        echo 'skip - streams_and_a_graph: nvcc compiles nothing here'
    fi
else
    echo 'skip - streams_and_a_graph: no nvcc'
fi
if python3 -c 'import torch; assert torch.cuda.is_available()' >"$work/torch" 2>&1; then
    watched cublas_by_pytorch 'gemm|cutlass|nvjet' python3 -c '
import hashlib, torch
torch.manual_seed(1)
a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
for _ in range(20):
    b = a @ a
print(hashlib.sha256(b.float().cpu().numpy().tobytes()).hexdigest())'
    watched compiled_pytorch 'triton' python3 -c '
import hashlib, torch
f = torch.compile(lambda x: torch.relu(x * 2 + 1) * x)
x = torch.arange(1 << 22, device="cuda", dtype=torch.float32)
for _ in range(20):
    y = f(x)
print(hashlib.sha256(y.cpu().numpy().tobytes()).hexdigest())'
    "$RIDGE" capture --list --floors -q -o "$work/floors" -- python3 -c '
import torch
torch.manual_seed(1)
a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
for _ in range(20):
    b = torch.softmax(a @ a, 1)
print(float(b.float().abs().sum()))' >"$work/with" 2>"$work/with.err"
    sed -n '/What to work/,/Kernels by/p' "$work/floors" | sed 's/^/# /'
    if grep -Eq '^ +[0-9.]+ % .* [0-9.]+ %  [a-z0-9_ ]+ +[a-z0-9_]+ +.*(softmax|SoftMax)' "$work/floors"; then
        echo 'ok - floors of kernels of PyTorch'
    else
        echo 'not ok - floors of kernels of PyTorch'
        tail -n 5 "$work/with.err" | sed 's/^/# /'
        failures=1
    fi
    saved library 'gemm|cutlass|nvjet' python3 -c '
import torch
torch.manual_seed(1)
a = torch.randn(1024, 1024, device="cuda")
print(float((a @ a).abs().sum()))'
    saved triton '^triton' python3 -c '
import torch
f = torch.compile(lambda x: torch.relu(x * 2 + 1) * x)
x = torch.arange(1 << 20, device="cuda", dtype=torch.float32)
print(float(f(x)[:1000].sum()))'
    if compgen -G "$work/saved-triton/*/kernel.ptx" >"$work/found"; then
        echo 'ok - the PTX of a compiled kernel is found in the cache of its compiler'
    else
        echo 'not ok - the PTX of a compiled kernel is found in the cache of its compiler'
        failures=1
    fi
    watched ranges ' 3 .* step$' python3 -c '
import torch
x = torch.ones(1 << 22, device="cuda")
for _ in range(3):
    torch.cuda.nvtx.range_push("step")
    x = x * 2
    torch.cuda.nvtx.range_pop()
print(float(x[0]))'
    watched two_gpus 'elementwise|GPU 1' python3 -c '
import torch
n = min(2, torch.cuda.device_count())
xs = [torch.ones(1 << 22, device=f"cuda:{i}") for i in range(n)]
for _ in range(20):
    xs = [x * 2 for x in xs]
print(sum(float(x[0]) for x in xs))'
else
    echo 'skip - cublas_by_pytorch, compiled_pytorch: no PyTorch with CUDA'
fi
exit $failures
