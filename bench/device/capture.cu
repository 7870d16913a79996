// Loops of launches of one kernel that lasts so long as it is asked to, timed by the host's clock from the first launch
// until all of them have ended: what listening to launches adds. Usage: capture [spread] {KERNEL_US LAUNCHES HOW} …
// HOW: "each" waits for the GPU after every launch, "stream" for the stream, "all" for the GPU after the last launch, "graph"
// launches graphs of 20 such kernels and waits after each; us are per kernel then, medians per graph.
// Prints us per launch, a line per loop; with `spread` three medians too, of the whole launch until it was waited for, of
// the call that launches and of the call that waits (0 for "all"), and the CPU at its end.
// CAPTURE_WAIT_MS: a pause before the first loop. CAPTURE_CPU: the CPU that the loops run on; threads that were there before,
// CUPTI's among them, run where they did.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <unistd.h>
#include <vector>

using us = std::chrono::duration<double, std::micro>;
static std::chrono::steady_clock::time_point now()
{
    return std::chrono::steady_clock::now();
}

__global__ void last(long long ns, int *out)
{
    long long from, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(from));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - from < ns);
    if (ns < 0)
        *out = (int)now;
}

static const int graph_kernels = 20;
static cudaGraphExec_t graph_of(long long ns, int *out)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    for (int i = 0; i < graph_kernels; i++)
        last<<<1, 32, 0, stream>>>(ns, out);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    return ready;
}

static double median(std::vector<double> &took)
{
    std::sort(took.begin(), took.end());
    return took.empty() ? 0 : took[took.size() / 2];
}

static void loop(double kernel_us, int launches, const char *how, bool spread, int *out)
{
    long long ns = (long long)(kernel_us * 1000);
    bool stream = strcmp(how, "stream") == 0, by_graph = strcmp(how, "graph") == 0;
    bool waits = stream || by_graph || strcmp(how, "each") == 0;
    cudaGraphExec_t graph = by_graph ? graph_of(ns, out) : nullptr;
    int kernels = launches;
    launches = by_graph ? launches / graph_kernels : launches;
    std::vector<double> took, call, wait;
    for (auto *v : {&took, &call, &wait})
        v->reserve(waits && spread ? launches : 0);
    for (int i = 0; i < 100; i++)
        last<<<1, 32>>>(ns, out);
    cudaDeviceSynchronize();
    auto from = now(), before = from;
    for (int i = 0; i < launches; i++) {
        if (by_graph)
            cudaGraphLaunch(graph, 0);
        else
            last<<<1, 32>>>(ns, out);
        if (!waits)
            continue;
        auto launched = spread ? now() : from;
        if (stream)
            cudaStreamSynchronize(0);
        else
            cudaDeviceSynchronize();
        if (spread) {
            auto after = now();
            call.push_back(us(launched - before).count());
            wait.push_back(us(after - launched).count());
            took.push_back(us(after - before).count());
            before = after;
        }
    }
    cudaDeviceSynchronize();
    printf("%.4f", us(now() - from).count() / kernels);
    if (spread)
        printf(" %.4f %.4f %.4f %d", median(took), median(call), median(wait), sched_getcpu());
    printf("\n");
}

int main(int argc, char **argv)
{
    bool spread = argc > 1 && strcmp(argv[1], "spread") == 0;
    int first = spread ? 2 : 1, *out;
    if (argc == first || (argc - first) % 3 != 0)
        return 2;
    cudaMalloc(&out, sizeof *out);
    if (const char *pause = getenv("CAPTURE_WAIT_MS"))
        usleep(atoi(pause) * 1000);
    if (const char *cpu = getenv("CAPTURE_CPU")) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(atoi(cpu), &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0)
            return 3;
    }
    for (int i = first; i < argc; i += 3)
        loop(atof(argv[i]), atoi(argv[i + 1]), argv[i + 2], spread, out);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
