// Candidates for experiments/matmul-bf16's specialised_matmul beside cuBLAS: tiles, clusters, stages, order.
// products.sh compiles one cubin per line of configs-bf16.txt into a folder, which is the argument.
// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <fstream>
#include <sstream>

typedef __nv_bfloat16 bf16;
enum { SETS_MAX = 6 };

static __global__ void fill(bf16 *p, size_t n, unsigned seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = __float2bfloat16(-1 + 2 * ((float)(tune_hash(i + ((size_t)seed << 40)) >> 8) * 0x1p-24f));
}

static __global__ void differ(unsigned *bad, const bf16 *got, const bf16 *wanted, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float g = __bfloat162float(got[i]), w = __bfloat162float(wanted[i]);
        if (!(fabsf(g - w) <= 0.02f + 0.01f * fabsf(w)))
            atomicAdd(bad, 1);
    }
}

struct config {
    std::string name;
    int bm, bn, cm, cn, stages, boxes, bulk, persistent;
    struct kernel kernel;
};

static std::vector<config> configs_read(const std::string &folder)
{
    std::vector<config> all;
    std::ifstream file(folder + "/configs.txt");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        config c = {"", 256, 128, 1, 1, 4, 2, 0, 1, {}};
        words >> c.name;
        for (std::string w; words >> w;) {
            int v = atoi(w.c_str() + w.find('=') + 1);
            std::string key = w.substr(0, w.find('='));
            for (auto &p : std::vector<std::pair<std::string, int *>>{{"BM", &c.bm}, {"BN", &c.bn},
                     {"CLUSTER", &c.cm}, {"CLUSTER_N", &c.cn}, {"STAGES", &c.stages}, {"BOXES", &c.boxes},
                     {"BULK_STORE", &c.bulk}, {"persistent", &c.persistent}})
                if (key == p.first)
                    *p.second = v;
        }
        int shared = c.stages * (c.bm + c.bn) * 128 + c.bulk * 8 * c.boxes * 2048 + 16 * c.stages;
        if (!c.name.empty() && kernel_load(&c.kernel, folder + "/" + c.name + ".cubin", "specialised_matmul", shared))
            all.push_back(c);
    }
    return all;
}

static void measure(const std::vector<config> &configs, int m, int n, int k, int count)
{
    size_t na = (size_t)m * k, nb = (size_t)k * n, nc = (size_t)m * n;
    int sets = (int)std::min((size_t)SETS_MAX, 2 + ((size_t)160 << 20) / ((na + nb + nc) * 2)), sms = tune_sms();
    static bf16 *a[SETS_MAX], *b[SETS_MAX], *c[SETS_MAX], *wanted;
    static unsigned *bad;
    if (!bad)
        bad = tune_buffer<unsigned>(1);
    for (int s = 0; s < sets; s++) {
        a[s] = tune_buffer<bf16>(na), b[s] = tune_buffer<bf16>(nb), c[s] = tune_buffer<bf16>(nc);
        fill<<<1024, 256>>>(a[s], na, 2 * s), fill<<<1024, 256>>>(b[s], nb, 2 * s + 1);
    }
    wanted = tune_buffer<bf16>(nc);
    cublasHandle_t handle;
    cublasCreate(&handle);
    auto blas = [&](int s, bf16 *to) {
        float one = 1, zero = 0;
        cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b[s], CUDA_R_16BF, n, a[s], CUDA_R_16BF, k,
                     &zero, to, CUDA_R_16BF, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    };
    blas(0, wanted);
    std::vector<candidate> all;
    all.push_back({"cublas", [&](int s) { blas(s, c[s]); }, {}, true});
    for (const config &f : configs) {
        std::vector<CUtensorMap> maps;
        for (int s = 0; s < sets; s++) {
            maps.push_back(tensor_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, c[s], m, n, 16, 64, true));
            maps.push_back(tensor_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, a[s], m, k, f.bm / f.cn, 64, true));
            maps.push_back(tensor_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, b[s], k, n, 64, 64, true));
        }
        int cluster = f.cm * f.cn, down = (m + f.cm * f.bm - 1) / (f.cm * f.bm);
        int across = (n + f.cn * f.bn - 1) / (f.cn * f.bn);
        unsigned grid = (unsigned)(cluster * (f.persistent ? std::min(sms / cluster, down * across) : down * across));
        auto start = [=, &f](int s) mutable {
            void *args[] = {&c[s], &maps[3 * s], &maps[3 * s + 1], &maps[3 * s + 2], &m, &n, &k};
            kernel_start(&f.kernel, dim3(grid), 384, cluster, args);
        };
        unsigned wrong = 0;
        CHECK(cudaMemset(c[0], 0xff, nc * 2));
        CHECK(cudaMemset(bad, 0, 4));
        start(0);
        differ<<<1024, 256>>>(bad, c[0], wanted, nc);
        cudaError_t status = cudaMemcpy(&wrong, bad, 4, cudaMemcpyDeviceToHost);
        if (status != cudaSuccess) {
            printf("%s: %s\n", f.name.c_str(), cudaGetErrorString(status));
            exit(1);
        }
        if (wrong)
            printf("%s: %u elements wrong\n", f.name.c_str(), wrong);
        all.push_back({f.name, start, {}, wrong == 0});
    }
    rounds(all, count, 4, sets);
    printf("M=%d N=%d K=%d, %d sets\n", m, n, k, sets);
    print_rounds(all, 2.0 * m * n * k, "cublas");
    cublasDestroy(handle);
    for (int s = 0; s < sets; s++) {
        cudaFree(a[s]), cudaFree(b[s]), cudaFree(c[s]);
    }
    cudaFree(wanted);
}

int main(int argc, char **argv)
{
    std::vector<config> configs = configs_read(argc > 1 ? argv[1] : ".");
    int count = argc > 2 ? atoi(argv[2]) : 15;
    if (argc > 3) { // one size, for a profiler
        measure(configs, atoi(argv[3]), atoi(argv[3]), atoi(argv[3]), count);
        return 0;
    }
    measure(configs, 1000, 520, 328, 1); // edges
    measure(configs, 4096, 4096, 4096, count);
    measure(configs, 8192, 8192, 8192, count / 3 + 1);
    measure(configs, 2048, 2048, 2048, count);
    measure(configs, 4096, 14336, 4096, count / 2 + 1);
    return 0;
}
