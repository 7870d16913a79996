#!/usr/bin/env bash
# `ridge capture` on GPUs where a program is more than one process on one GPU: two GPUs at once, ranks, forks, programs that
# a signal or a fault of the GPU ends. Output, exit status and the sum of launches are compared with the program's own.
# Needs a GPU and nvcc; with two GPUs it uses both, with torchrun and mpirun it starts ranks by them. About 40 s.
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/gpu.sh"
need_gpu capture_processes
command -v nvcc >"$work/nvcc" || {
    echo 'skip - capture_processes: no nvcc'
    exit 0
}
failures=0
gpus=$("$RIDGE" devices | grep -c '^ *cuda:[0-9]')
echo "# GPUs: $gpus"
cat >"$work/program.cu" <<'CU'
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
__global__ void add(float *x, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += v;
}
__global__ void fault(float *x) { x[1ull << 40] = 1; }
static void work(int gpu, int launches, float *sum)
{
    const int n = 1 << 20;
    float *x, first = 0;
    cudaSetDevice(gpu);
    cudaMalloc(&x, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    for (int i = 0; i < launches; i++)
        add<<<n / 256, 256>>>(x, 1, n);
    cudaMemcpy(&first, x, sizeof first, cudaMemcpyDeviceToHost);
    cudaFree(x);
    *sum = first;
}
int main(int argc, char **argv)
{
    std::string how = argc > 1 ? argv[1] : "";
    int count = 1, launches = 50;
    float sum[2] = {0, 0};
    if (how == "fork-before") { // the child has CUDA of its own
        pid_t child = fork();
        work(0, child ? launches : 7, sum);
        int status = 0;
        if (child)
            waitpid(child, &status, 0);
        else
            exit((int)sum[0]);
        printf("sum %g, child %d\n", sum[0], WEXITSTATUS(status));
        return 0;
    }
    cudaGetDeviceCount(&count);
    const char *rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    rank = rank ? rank : getenv("LOCAL_RANK");
    if (how == "ranks")
        work(rank ? atoi(rank) % count : 0, launches + atoi(rank ? rank : "0"), sum);
    else if (how == "both") {
        std::thread other(work, count > 1 ? 1 : 0, launches, &sum[1]);
        work(0, launches, &sum[0]);
        other.join();
    } else
        work(0, launches, sum);
    usleep(500000); // the recorder asks for what the GPU did every 0.2 s
    if (how == "fork-after") { // the child leaves CUDA alone
        int status = 0;
        pid_t child = fork();
        if (!child)
            exit(3);
        waitpid(child, &status, 0);
        printf("child %d\n", WEXITSTATUS(status));
    }
    if (how == "fault") {
        fault<<<1, 1>>>(NULL);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 9;
    }
    printf("sum %g\n", sum[0] + sum[1]);
    fflush(stdout);
    if (how == "abort")
        abort();
    if (how == "kill")
        raise(SIGKILL);
    if (how == "term")
        raise(SIGTERM);
    return 0;
}
CU
nvcc -std=c++17 -arch=native -o "$work/program" "$work/program.cu" >"$work/said" 2>&1 || {
    echo 'not ok - the program compiles'
    sed 's/^/# /' "$work/said"
    exit 1
}
# name, launches of add, processes, GPUs that are listed, program …
recorded() {
    local name=$1 launches=$2 processes=$3 devices=$4
    shift 4
    "$@" >"$work/alone" 2>"$work/alone.err"
    local alone=$?
    "$RIDGE" capture --list --exact --json -q -o "$work/list.json" -- "$@" >"$work/with" 2>"$work/with.err"
    local with=$?
    sort -o "$work/alone" "$work/alone"
    sort -o "$work/with" "$work/with"
    python3 - "$work/list.json" "$launches" "$processes" "$devices" >"$work/checked" 2>&1 <<'PY'
import json, sys
found, wanted = json.load(open(sys.argv[1])), [int(x) for x in sys.argv[2:]]
launches = sum(k["launches"] for k in found["kernels"] if "add" in k["name"])
got = [launches, sum(1 for p in found["processes"] if p["launch_calls"]), len(found["devices"])]
assert got == wanted, f"launches, processes, GPUs: {got}, not {wanted}; not recorded: {found['not_recorded']}"
PY
    if (($? == 0)) && ((alone == with)) && cmp -s "$work/alone" "$work/with"; then
        echo "ok - $name (exit status $with)"
    else
        echo "not ok - $name: exit status $alone alone, $with recorded"
        tail -n 5 "$work/alone" "$work/with" "$work/with.err" "$work/checked" | sed 's/^/# /'
        failures=1
    fi
}
used=$((gpus > 1 ? 2 : 1))
recorded two_gpus_of_one_process 100 1 "$used" "$work/program" both
recorded two_processes_at_once 101 2 "$used" \
    bash -c 'LOCAL_RANK=0 "$0" ranks & LOCAL_RANK=1 "$0" ranks & wait' "$work/program"
recorded a_fork_before_cuda 57 2 1 "$work/program" fork-before
recorded a_fork_after_cuda 50 1 1 "$work/program" fork-after
recorded a_program_that_aborts 50 1 1 "$work/program" abort
recorded a_program_that_is_killed 50 1 1 "$work/program" kill
recorded a_program_that_is_terminated 50 1 1 "$work/program" term
recorded a_fault_of_the_gpu 50 1 1 "$work/program" fault
if command -v mpirun >"$work/mpirun"; then
    recorded ranks_of_mpirun 101 2 "$used" mpirun --allow-run-as-root --oversubscribe -np 2 "$work/program" ranks
else
    echo 'skip - ranks_of_mpirun: no mpirun'
fi
if command -v torchrun >"$work/torchrun"; then
    recorded ranks_of_torchrun 101 2 "$used" torchrun --nproc-per-node 2 --no-python "$work/program" ranks
else
    echo 'skip - ranks_of_torchrun: no torchrun'
fi
# Saving from ranks: of a kernel the first process's launch is kept, and replays.
"$RIDGE" capture -q -o "$work/saved" --kernel add -- \
    bash -c 'LOCAL_RANK=0 "$0" ranks & LOCAL_RANK=1 "$0" ranks & wait' "$work/program" >"$work/with" 2>"$work/with.err"
if compgen -G "$work/saved/*/experiment.yaml" >"$work/folders" &&
    (($(wc -l <"$work/folders") == 1)) &&
    "$RIDGE" verify "$(dirname "$(cat "$work/folders")")" --device cuda:0 >"$work/replayed" 2>&1; then
    echo 'ok - a_launch_of_two_ranks_is_saved_once_and_replays'
else
    echo 'not ok - a_launch_of_two_ranks_is_saved_once_and_replays'
    tail -n 5 "$work/with" "$work/with.err" "$work/replayed" | sed 's/^/# /'
    failures=1
fi
exit $failures
