// Loops of launches of one kernel that lasts so long as it is asked to, timed by the host's clock from the first launch
// until all of them have ended: what listening to launches adds. Usage: capture [spread|inside] {KERNEL_US LAUNCHES HOW} …
// HOW: "each" waits for the GPU after every launch, "stream" for the stream, "all" for the GPU after the last launch, "graph"
// launches graphs of 20 such kernels and waits after each ("graphs": after the last); us are per kernel then, medians per graph.
// Prints us per launch, a line per loop; with `spread` three medians too, of the whole launch until it was waited for, of
// the call that launches and of the call that waits (0 for "all"), and the CPU at its end.
// With `inside`, and CAPTURE_LIBRARY (capture_ways.c), blocks of LAUNCHES, recorded and not in turn, CAPTURE_PAIRS times (5); with
// CAPTURE_LATE three before the library is loaded. Lines: loop, state, us per launch, median, median of the call, and of the us per
// launch those in launches that took 5 us more than the median.
// With `inside` and CAPTURE_HOOKS launches go to the driver by cuLaunchKernel: "on" as it is found (ridge's recorder, preloaded, stands
// before it), "off" the driver's own.
// CAPTURE_WAIT_MS: a pause before the first loop. CAPTURE_CPU: the CPU that the loops run on; threads that were there before,
// CUPTI's among them, run where they did.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <dlfcn.h>
#include <execinfo.h>
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

// cuLaunchKernel, and the kernel's handle; NULL: the runtime launches.
using launch_function = int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static launch_function launch_by;
static void *last_handle;
static void start(long long ns, int *out)
{
    void *values[] = {&ns, &out};
    if (launch_by)
        launch_by(last_handle, 1, 1, 1, 32, 1, 1, 0, nullptr, values, nullptr);
    else
        last<<<1, 32>>>(ns, out);
}

// A loop's launches: one of these is run after another.
struct launches {
    long long ns;
    bool stream, by_graph, waits;
    cudaGraphExec_t graph;
    int *out;
};
struct spans { // of each launch that was waited for
    std::vector<double> took, call, wait;
};

static launches launches_of(double kernel_us, const char *how, int *out)
{
    launches l = {(long long)(kernel_us * 1000), strcmp(how, "stream") == 0,
                  strncmp(how, "graph", 5) == 0, false, nullptr, out};
    l.waits = l.stream || strcmp(how, "graph") == 0 || strcmp(how, "each") == 0;
    l.graph = l.by_graph ? graph_of(l.ns, out) : nullptr;
    return l;
}

// us per kernel; where `spans` is given, each launch too.
static double run(const launches &l, int kernels, spans *each)
{
    int count = l.by_graph ? kernels / graph_kernels : kernels;
    auto from = now(), before = from;
    for (int i = 0; i < count; i++) {
        if (l.by_graph)
            cudaGraphLaunch(l.graph, 0);
        else
            start(l.ns, l.out);
        if (!l.waits)
            continue;
        auto launched = each ? now() : from;
        if (l.stream)
            cudaStreamSynchronize(0);
        else
            cudaDeviceSynchronize();
        if (each) {
            auto after = now();
            each->call.push_back(us(launched - before).count());
            each->wait.push_back(us(after - launched).count());
            each->took.push_back(us(after - before).count());
            before = after;
        }
    }
    cudaDeviceSynchronize();
    return us(now() - from).count() / kernels;
}

static void loop(double kernel_us, int kernels, const char *how, bool spread, int *out)
{
    launches l = launches_of(kernel_us, how, out);
    spans each;
    for (auto *v : {&each.took, &each.call, &each.wait})
        v->reserve(l.waits && spread ? kernels : 0);
    for (int i = 0; i < 100; i++)
        last<<<1, 32>>>(l.ns, out);
    cudaDeviceSynchronize();
    printf("%.4f", run(l, kernels, spread ? &each : nullptr));
    if (spread)
        printf(" %.4f %.4f %.4f %d", median(each.took), median(each.call), median(each.wait),
               sched_getcpu());
    printf("\n");
}

// Recording is switched between blocks of KERNELS each, on this thread, when all of them have ended: what it adds is seen within
// one process, as processes differ from each other by more than that.
static void inside(double kernel_us, int kernels, const char *how, int *out)
{
    static void (*listen)(int);
    static bool loaded;
    const char *pairs_given = getenv("CAPTURE_PAIRS"), *path = getenv("CAPTURE_LIBRARY");
    int pairs = pairs_given ? atoi(pairs_given) : 5;
    launches l = launches_of(kernel_us, how, out);
    auto block = [&](const char *state) {
        spans each;
        run(l, kernels / 10, nullptr); // not timed: clocks, buffers that are asked for first
        double mean = run(l, kernels, &each), middle = median(each.took), stalls = 0;
        for (double took : each.took)
            stalls += took > middle + 5 ? took - middle : 0;
        printf("%g:%s,%s,%.4f,%.4f,%.4f,%.4f\n", kernel_us, how, state, mean, middle,
               median(each.call), stalls / kernels);
    };
    launch_function found = nullptr, own = nullptr;
    if (getenv("CAPTURE_HOOKS")) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        void *(*own_dlsym)(void *, const char *);
        cudaFunction_t handle;
        *(void **)&own_dlsym = dlvsym(dlopen("libc.so.6", RTLD_NOW), "dlsym", "GLIBC_2.2.5");
        *(void **)&found = dlsym(driver, "cuLaunchKernel");
        *(void **)&own = own_dlsym(driver, "cuLaunchKernel");
        if (cudaGetFuncBySymbol(&handle, (const void *)last) != cudaSuccess || !found || !own)
            exit(4);
        last_handle = handle;
        fprintf(stderr, "hooked: %d\n", found != own);
    }
    run(l, kernels / 2, nullptr);
    for (int i = 0; i < 2 * pairs && found; i++) {
        bool on = (i + 1) / 2 % 2 == 1;
        launch_by = on ? found : own;
        block(on ? "on" : "off");
    }
    launch_by = nullptr;
    if (found)
        return;
    for (int i = 0; i < 3 && !loaded && getenv("CAPTURE_LATE"); i++)
        block("before");
    if (!loaded)
        if (void *library = path ? dlopen(path, RTLD_NOW) : nullptr)
            *(void **)&listen = dlsym(library, "listen_now");
    loaded = true;
    for (int i = 0; i < 2 * pairs && listen; i++) {
        bool on = (i + 1) / 2 % 2 == 1; // off on on off off on …
        listen(on);
        block(on ? "on" : "off");
    }
    if (listen)
        listen(0);
}

// Where it was, if listening makes it crash.
static void crashed(int number)
{
    void *frames[40];
    backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv)
{
    signal(SIGSEGV, crashed);
    bool spread = argc > 1 && strcmp(argv[1], "spread") == 0;
    bool within = argc > 1 && strcmp(argv[1], "inside") == 0;
    int first = spread || within ? 2 : 1, *out;
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
        if (within)
            inside(atof(argv[i]), atoi(argv[i + 1]), argv[i + 2], out);
        else
            loop(atof(argv[i]), atoi(argv[i + 1]), argv[i + 2], spread, out);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
