#!/usr/bin/env bash
# ridge capture on two GPUs: one process on both with copies between them, ranks of torchrun with NCCL; digests of results alone and listed,
# a launch saved and replayed on each.
# Usage: bench/device/capture_two.sh FOLDER       (LIMIT: seconds, 57; RIDGE names the program; needs nvcc and PyTorch)
# SPDX-License-Identifier: Apache-2.0
set -u
mkdir -p "${1:?FOLDER}"
out=$(realpath "$1")
RIDGE=$(realpath "${RIDGE:-build/ridge}")
end=$((SECONDS + ${LIMIT:-57}))
work=$(mktemp -d)
export RIDGE_HOME=$work/home RIDGE_CACHE=$work/cache NO_COLOR=1 COLUMNS=160
say() { echo "$*  [$SECONDS s]" | tee -a "$out/result"; }
lim() { local s=$1 left=$((end - SECONDS)); shift; ((left < s)) && s=$left; ((s > 1)) || return 124; timeout -k 1 "$s" "$@"; }
nvidia-smi topo -m >"$out/topology" 2>&1
cat >"$work/two.cu" <<'CU'
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>
extern "C" __global__ void add(float *x, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += v * (float)(i % 7);
}
static float *x[2];
static const int n = 1 << 24;
static void work(int gpu)
{
    cudaSetDevice(gpu);
    cudaMalloc(&x[gpu], n * sizeof(float));
    cudaMemset(x[gpu], 0, n * sizeof(float));
    for (int i = 0; i < 100; i++)
        add<<<n / 256, 256>>>(x[gpu], (float)(gpu + 1), n);
    cudaDeviceSynchronize();
}
int main()
{
    int gpus = 0;
    cudaGetDeviceCount(&gpus);
    if (gpus < 2)
        return 3;
    std::thread other(work, 1);
    work(0);
    other.join();
    cudaSetDevice(0);
    cudaDeviceEnablePeerAccess(1, 0);
    for (int i = 0; i < 5; i++)
        cudaMemcpyPeer(x[0], 0, x[1], 1, n / 2 * sizeof(float));
    cudaDeviceSynchronize();
    std::vector<float> h(n);
    for (int g = 0; g < 2; g++) {
        cudaMemcpy(h.data(), x[g], n * sizeof(float), cudaMemcpyDeviceToHost);
        uint64_t d = 14695981039346656037ull;
        for (size_t i = 0; i < n * sizeof(float); i++)
            d = (d ^ ((unsigned char *)h.data())[i]) * 1099511628211ull;
        printf("%016llx\n", (unsigned long long)d);
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
CU
nvcc -std=c++17 -gencode arch=compute_75,code=compute_75 -o "$work/two" "$work/two.cu" >"$out/nvcc" 2>&1
cat >"$work/rank.py" <<'P'
import hashlib, os, torch, torch.distributed as dist
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
torch.manual_seed(rank)
x = torch.randint(-100, 100, (1 << 22,), device="cuda").float()
for _ in range(20):
    y = x * 2
    dist.all_reduce(y)
torch.cuda.synchronize()
print(f"rank {rank} {hashlib.sha256(y.cpu().numpy().tobytes()).hexdigest()}\n", end="", flush=True)
dist.destroy_process_group()
P
listed() { # name, pattern of a row, GPUs, program …
    local name=$1 row=$2 gpus=$3
    shift 3
    lim 25 "$@" 2>"$work/alone.err" | sort >"$out/$name.alone"
    local alone=${PIPESTATUS[0]}
    lim 25 "$RIDGE" capture --list -q --json -o "$out/$name.json" --trace "$work/$name.trace" -- "$@" 2>"$out/$name.err" | sort >"$out/$name.listed"
    local with=${PIPESTATUS[0]}
    local seen
    seen=$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(len(d["devices"]))' "$out/$name.json" 2>&1 | tail -1)
    if ((alone == with)) && [[ -s $out/$name.alone && $seen == "$gpus" ]] && cmp -s "$out/$name.alone" "$out/$name.listed" && grep -Eq -- "$row" "$out/$name.json"; then
        say "ok - $name: status $with, $seen GPUs, results the same"
    else
        say "not ok - $name: status $alone alone, $with listed, GPUs $seen"
        tail -n 3 "$out/$name.err" "$work/alone.err"
    fi
    gzip -c "$work/$name.trace" 2>/dev/null | head -c 200000 >"$out/$name.trace.gz"
}
listed two 'peer|device to device' 2 "$work/two"
lim 15 "$RIDGE" capture --list --exact -q -o "$out/two.list" -- "$work/two" >"$work/out" 2>&1
lim 15 "$RIDGE" capture -q -o "$work/saved" --kernel add -- "$work/two" >"$out/two.saved" 2>"$out/two.saved.err"
for device in cuda:0 cuda:1; do
    lim 15 "$RIDGE" run "$work/saved"/*/ --device $device --time-limit 0.3 >"$out/two.$device" 2>&1
    say "the saved launch on $device: status $?"
done
listed ranks nccl 2 torchrun --nproc-per-node 2 "$work/rank.py"
rm -rf "$work"
head -30 "$out/two.list" | cut -c1-140
cat "$out/result"
