// SPDX-License-Identifier: Apache-2.0
// Launches one kernel of tests/sim/faulty.cu on the first GPU, as tests/sim/faulty_test.c does on the simulated
// one. Built and called by run.sh. Usage: runner KERNEL | runner --list
#include "../../tests/sim/faulty.cu"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Faulty {
    const char *name, *kind;
    unsigned blocks, threads, dynamic;
    int n;
    void (*bad)(int *, const int *, int *, int), (*good)(int *, const int *, int *, int);
};
static const Faulty KERNELS[] = {
#define FAULTY(name, blocks, threads, dynamic, n, kind) {#name, #kind, blocks, threads, dynamic, n, bad_##name, good_##name},
#include "../../tests/sim/faulty.def"
};

static bool check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) printf("CUDA %s: %s\n", what, cudaGetErrorName(e));
    return e == cudaSuccess;
}

static int launch(const Faulty &f, bool bad)
{
    size_t bytes = f.n * sizeof(int);
    int *out, *in, *count;
    std::vector<int> values(f.n);
    for (int i = 0; i < f.n; i++) values[i] = i;
    if (!check(cudaMalloc(&out, bytes), "malloc") || !check(cudaMalloc(&count, bytes), "malloc") ||
        !check(cudaMalloc(&in, bytes), "malloc") || !check(cudaMemset(count, 0, bytes), "memset") ||
        !check(cudaMemcpy(in, values.data(), bytes, cudaMemcpyHostToDevice), "copy"))
        return 1;
    if (bad && strcmp(f.name, "use_after_free") == 0) cudaFree(count);
    (bad ? f.bad : f.good)<<<f.blocks, f.threads, f.dynamic>>>(out, in, count, f.n);
    bool ok = check(cudaGetLastError(), "launch") & check(cudaDeviceSynchronize(), "kernel");
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        for (const Faulty &f : KERNELS) printf("%s %s\n", f.name, f.kind);
    for (const Faulty &f : KERNELS)
        for (int bad = 0; argc == 2 && bad < 2; bad++) {
            const char *prefix = bad ? "bad_" : "good_";
            if (strncmp(argv[1], prefix, strlen(prefix)) == 0 && strcmp(argv[1] + strlen(prefix), f.name) == 0)
                return launch(f, bad);
        }
    return argc == 2 ? 0 : 1;
}
