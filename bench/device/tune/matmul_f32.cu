// Candidates for experiments/matmul-f32's boxes_matmul and turned_matmul (names that begin with `turned`) beside cuBLAS
// in f32 arithmetic: tiles, stages, length of the loop's body. products.sh compiles one cubin per line of
// configs-f32.txt into a folder, the argument.
// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

#include <cublas_v2.h>
#include <fstream>
#include <sstream>

enum { SETS_MAX = 6 };

static __global__ void differ(unsigned *bad, const float *got, const float *wanted, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        if (!(fabsf(got[i] - wanted[i]) <= 2e-3f + 2e-4f * fabsf(wanted[i])))
            atomicAdd(bad, 1);
}

struct config {
    std::string name;
    int bm, bn, stages, bk;
    struct kernel kernel;
};

static std::vector<config> configs_read(const std::string &folder)
{
    std::vector<config> all;
    std::ifstream file(folder + "/configs.txt");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        config c = {"", 128, 128, 3, 32, {}};
        words >> c.name;
        for (std::string w; words >> w;) {
            int v = atoi(w.c_str() + w.find('=') + 1);
            std::string key = w.substr(0, w.find('='));
            for (auto &p : std::vector<std::pair<std::string, int *>>{
                     {"BM", &c.bm}, {"BN", &c.bn}, {"STAGES", &c.stages}, {"BK", &c.bk}})
                if (key == p.first)
                    *p.second = v;
        }
        bool turned = c.name.compare(0, 6, "turned") == 0;
        int shared = (c.stages * (c.bm + c.bn) + 2 * turned * c.bm) * c.bk * 4 + 64;
        if (!c.name.empty() && kernel_load(&c.kernel, folder + "/" + c.name + ".cubin",
                                           turned ? "turned_matmul" : "boxes_matmul", shared))
            all.push_back(c);
    }
    return all;
}

static void measure(const std::vector<config> &configs, int m, int n, int k, int count)
{
    size_t na = (size_t)m * k, nb = (size_t)k * n, nc = (size_t)m * n;
    int sets = (int)std::min((size_t)SETS_MAX, 2 + ((size_t)160 << 20) / ((na + nb + nc) * 4));
    float *a[SETS_MAX], *b[SETS_MAX], *c[SETS_MAX], *wanted = tune_buffer<float>(nc);
    unsigned *bad = tune_buffer<unsigned>(1);
    for (int s = 0; s < sets; s++) {
        a[s] = tune_buffer<float>(na), b[s] = tune_buffer<float>(nb), c[s] = tune_buffer<float>(nc);
        tune_uniform(a[s], na, -1, 1), tune_uniform(b[s], nb, -1, 1);
    }
    cublasHandle_t handle;
    cublasCreate(&handle);
    auto blas = [&](int s, float *to) {
        float one = 1, zero = 0;
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b[s], n, a[s], k, &zero, to, n);
    };
    blas(0, wanted);
    std::vector<candidate> all;
    all.push_back({"cublas", [&](int s) { blas(s, c[s]); }, {}, true});
    for (const config &f : configs) {
        std::vector<CUtensorMap> maps;
        for (int s = 0; s < sets; s++) {
            maps.push_back(tensor_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, a[s], m, k, f.bm, f.bk, true));
            maps.push_back(tensor_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, b[s], k, n, f.bk, f.bn, false));
        }
        unsigned grid = (unsigned)(((m + f.bm - 1) / f.bm) * ((n + f.bn - 1) / f.bn)), wrong = 0;
        auto start = [=, &f](int s) mutable {
            void *args[] = {&c[s], &maps[2 * s], &maps[2 * s + 1], &m, &n, &k};
            kernel_start(&f.kernel, dim3(grid), f.bm * f.bn / 128, 1, args);
        };
        CHECK(cudaMemset(c[0], 0xff, nc * 4));
        CHECK(cudaMemset(bad, 0, 4));
        start(0);
        differ<<<1024, 256>>>(bad, c[0], wanted, nc);
        CHECK(cudaMemcpy(&wrong, bad, 4, cudaMemcpyDeviceToHost));
        if (wrong)
            printf("%s: %u elements wrong\n", f.name.c_str(), wrong);
        all.push_back({f.name, start, {}, wrong == 0});
    }
    rounds(all, count, 2, sets);
    printf("M=%d N=%d K=%d, %d sets\n", m, n, k, sets);
    print_rounds(all, 2.0 * m * n * k, "cublas");
    cublasDestroy(handle);
    for (int s = 0; s < sets; s++) {
        cudaFree(a[s]), cudaFree(b[s]), cudaFree(c[s]);
    }
    cudaFree(wanted), cudaFree(bad);
}

int main(int argc, char **argv)
{
    std::vector<config> configs = configs_read(argc > 1 ? argv[1] : ".");
    int count = argc > 2 ? atoi(argv[2]) : 11;
    if (argc > 3) { // one size, for a profiler
        measure(configs, atoi(argv[3]), atoi(argv[3]), atoi(argv[3]), count);
        return 0;
    }
    measure(configs, 1000, 520, 328, 1); // edges
    measure(configs, 4096, 4096, 4096, count);
    measure(configs, 2048, 2048, 2048, count);
    measure(configs, 2048, 2048, 8192, count / 3 + 1); // one wave as well: what a launch costs beside its k
    measure(configs, 8192, 8192, 8192, count / 5 + 1);
    measure(configs, 65536, 256, 2048, count);
    return 0;
}
